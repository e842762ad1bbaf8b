//! The postconditions of the passes from `tileaa` to `tileas`, on golden kernels and on random ones, and the inputs
//! they refuse.

use std::path::Path;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_diagnostics::{Code, Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Body, Func, OpData, Operation, Origin, Value, print_func, verify};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::atoms::{CopyAtom, Ld, St};
use tilewright_irs::tileas::{TileAs, TileAsDialect, TileAsOp};
use tilewright_layouts::{Dim, LinearLayout};
use tilewright_passes::cleanup::{eliminate_dead_code, merge_common_subexpressions};
use tilewright_passes::scheduled::allocate_shared;
use tilewright_passes::tileaa::select_atoms;
use tilewright_passes::tileaa_to_tileas::{assign_layouts, attach_kernel_spec};
use tilewright_passes::tileas::{lower_conversions, place_conversions};
use tilewright_passes::tileas_to_scheduled::schedule_serially;

fn parse(text: &str) -> Func<TileAa> {
    let parsed = parse_stage::<TileAa>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    let func = parsed.module.funcs.into_iter().next().expect("one function");
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    func
}

fn lower_to_tileas(func: &Func<TileAa>) -> Result<Func<TileAs>, Vec<Diagnostic<Origin>>> {
    place_conversions(&assign_layouts(&select_atoms(func)?.func)?)
}

/// Lowers a text and checks all postconditions.
fn lowered(text: &str) -> Func<TileAs> {
    let assigned = select_atoms(&parse(text)).and_then(|made| assign_layouts(&made.func));
    let assigned = assigned.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    check(&assigned);
    let func = place_conversions(&assigned).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    check(&func);
    assert_eq!(
        place_conversions(&func).as_ref(),
        Ok(&func),
        "placed twice\n{text}"
    );
    check_conversions(&func.body);
    func
}

fn check(func: &Func<TileAs>) {
    verify(func).unwrap_or_else(|problems| panic!("{problems:#?}\n{}", print_func(func, &|_| None)));
    for id in func.body.walk() {
        check_op(&func.body, func.body.op(id));
    }
    for (_, ty) in func.body.values() {
        if let Some(layout) = ty.layout() {
            check_layout(layout);
        }
    }
}

/// Checks that no conversion has a conversion as its operand, and that none is duplicated.
fn check_conversions(body: &Body<TileAs>) {
    let mut seen = Vec::new();
    for id in body.walk() {
        let op = body.op(id);
        if let TileAsOp::TileAs(TileAsDialect::ConvertLayout { source }) = &op.kind {
            let conversion = (*source, layout(body, op.result(0)).unwrap().clone());
            assert!(!seen.contains(&conversion), "twice: {}", conversion.1);
            assert!(!is_converted(body, *source), "a conversion of a conversion");
            seen.push(conversion);
        }
    }
}

fn is_converted(body: &Body<TileAs>, value: Value) -> bool {
    let defined = body.definitions();
    let kind = defined.get(value).map(|id| &body.op(*id).kind);
    matches!(kind, Some(TileAsOp::TileAs(TileAsDialect::ConvertLayout { .. })))
}

fn layout(body: &Body<TileAs>, value: Value) -> Option<&LinearLayout> {
    body.ty(value).layout()
}

/// Checks that every input bit affects at most one bit of one coordinate, and no two the same.
fn check_layout(layout: &LinearLayout) {
    let mut seen = Vec::new();
    for dim in [Dim::Register, Dim::Lane, Dim::Warp] {
        for basis in layout.bases(dim) {
            let bits: u32 = basis.iter().map(|n| n.count_ones()).sum();
            assert!(bits <= 1, "{layout}");
            assert!(bits == 1 || dim != Dim::Register, "a register copy in {layout}");
            if bits == 1 {
                assert!(!seen.contains(&basis), "{layout}");
                seen.push(basis);
            }
        }
    }
}

fn check_op(body: &Body<TileAs>, op: &OpData<TileAs>) {
    let result = op.results().next().and_then(|v| layout(body, v));
    let all_like = |values: &[Value], like: Option<&LinearLayout>| {
        for &value in values {
            assert!(
                layout(body, value).is_none() || layout(body, value) == like,
                "{}",
                op.kind.name()
            );
        }
    };
    match &op.kind {
        TileAsOp::Arith(_)
        | TileAsOp::Math(_)
        | TileAsOp::Tile(TileOp::PtrAdd { .. } | TileOp::Splat { .. } | TileOp::Iota {}) => {
            all_like(&op.kind.operand_list(), result);
        }
        TileAsOp::Tile(TileOp::Reshape { source }) => {
            if let (Some(source), Some(result)) = (layout(body, *source), result) {
                assert_eq!(&source.reshape_outs(&result.shape()).unwrap(), result);
            }
        }
        TileAsOp::Tile(TileOp::Permute { source, permutation }) => {
            let axes: Vec<usize> = permutation.iter().map(|&axis| axis as usize).collect();
            let source = layout(body, *source).unwrap();
            assert_eq!(Some(&source.permute_axes(&axes).unwrap()), result);
        }
        TileAsOp::Tile(TileOp::Broadcast { source }) => {
            let (source, result) = (layout(body, *source).unwrap(), result.unwrap());
            let mut wanted = result.clone();
            for (axis, (from, to)) in source.shape().into_iter().zip(result.shape()).enumerate() {
                if from < to {
                    wanted = wanted.slice(axis).unwrap();
                }
            }
            assert_eq!(source, &wanted.drop_copies(Dim::Register));
            assert!(wanted.registers_from(source).is_some());
        }
        TileAsOp::Scf(_) => {}
        TileAsOp::TileAs(own) => match own {
            TileAsDialect::GatherLoad { atom, .. }
            | TileAsDialect::Load { atom, .. }
            | TileAsDialect::MultimemLoad { atom, .. } => {
                all_like(&op.kind.operand_list(), result);
                check_atom(body, op.result(0), atom);
            }
            TileAsDialect::Store { value, atom, .. }
            | TileAsDialect::ScatterStore { value, atom, .. }
            | TileAsDialect::MultimemStore { value, atom, .. }
            | TileAsDialect::MultimemReduce { value, atom, .. }
            | TileAsDialect::AtomicScatter { value, atom, .. }
            | TileAsDialect::AtomicTile { value, atom, .. } => {
                all_like(&op.kind.operand_list(), layout(body, *value));
                check_atom(body, *value, atom);
            }
            TileAsDialect::AtomicRmw { value, .. } | TileAsDialect::AtomicCas { value, .. } => {
                all_like(&op.kind.operand_list(), layout(body, *value));
            }
            TileAsDialect::Agree { source } => assert_eq!(layout(body, *source), result),
            TileAsDialect::Scan { operands, .. } => all_like(operands, result),
            TileAsDialect::Reduce { operands, .. } => {
                all_like(operands, operands.first().and_then(|&first| layout(body, first)));
            }
            TileAsDialect::ConvertLayout { source } => {
                assert_ne!(layout(body, *source), result, "a conversion to the same layout");
            }
            TileAsDialect::Memref { .. }
            | TileAsDialect::CreateMemToken {}
            | TileAsDialect::JoinMemTokens { .. }
            | TileAsDialect::Yield { .. }
            | TileAsDialect::Dot { .. }
            | TileAsDialect::ExtractSlice { .. }
            | TileAsDialect::Concat { .. }
            | TileAsDialect::Fence { .. }
            | TileAsDialect::Print { .. }
            | TileAsDialect::Assert { .. }
            | TileAsDialect::ProgramId { .. }
            | TileAsDialect::NumPrograms { .. }
            | TileAsDialect::BlockRank {} => {}
            other => panic!("{} comes later", other.name()),
        },
    }
}

/// Checks that an access moves elements that a thread holds in consecutive registers.
fn check_atom(body: &Body<TileAs>, data: Value, atom: &CopyAtom) {
    use tilewright_irs::core::ValueType;
    let (CopyAtom::Ld(Ld { bits, .. }) | CopyAtom::St(St { bits, .. })) = *atom else {
        panic!("{}", atom.word());
    };
    let ty = body.ty(data);
    let element = ty
        .element()
        .and_then(|e| e.scalar())
        .and_then(|s| s.bytes())
        .unwrap()
        * 8;
    let Some(layout) = ty.layout() else {
        assert_eq!(bits, element);
        return;
    };
    let axes = 0..u8::try_from(layout.shape().len()).unwrap();
    let most = axes
        .map(|axis| layout.num_consecutive_in_out(Dim::Axis(axis)))
        .max();
    assert!(bits / element <= most.unwrap_or(1), "{bits} bits of {layout}");
}

#[test]
fn the_golden_kernels_keep_the_contract() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/tileaa.select_atoms");
    let mut kernels = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().ends_with(".in.tileaa") {
            lowered(&std::fs::read_to_string(path).unwrap());
            kernels += 1;
        }
    }
    assert!(kernels >= 8, "{kernels}");
}

/// A kernel of random shape ops, elementwise ops, loads, stores and loops, all of `f32`.
fn random_kernel(seed: u64) -> String {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let warps = 1 << rng.random_range(0..4);
    let mut text = format!(
        "tileaa.func @k(%p: ptr<f32>, %n: i32, %f: f32) {{target = sm_90a, num_warps = {warps}, num_ctas = 1}} body {{\n  \
         %k = tileaa.create_mem_token : token\n"
    );
    let mut values: Vec<(String, Vec<u32>)> = Vec::new();
    let name = |shape: &[u32]| {
        let extents: Vec<String> = shape.iter().map(u32::to_string).collect();
        format!("tile<{}xf32>", extents.join("x"))
    };
    for i in 0..rng.random_range(4..20) {
        let rank = rng.random_range(1..4);
        let shape: Vec<u32> = (0..rank).map(|_| 1 << rng.random_range(0..6)).collect();
        let kind = if values.is_empty() {
            0
        } else {
            rng.random_range(0..8)
        };
        let pick = rng.random_range(0..values.len().max(1));
        let (line, shape) = match (kind, values.get(pick).cloned()) {
            (2, Some((v, shape))) => {
                let mut axes: Vec<usize> = (0..shape.len()).collect();
                let (a, b) = (rng.random_range(0..axes.len()), rng.random_range(0..axes.len()));
                axes.swap(a, b);
                let new: Vec<u32> = axes.iter().map(|&axis| shape[axis]).collect();
                (
                    format!("tile.permute {v} {{permutation = {axes:?}}} : {}", name(&new)),
                    new,
                )
            }
            (3, Some((v, shape))) => {
                let count: u32 = shape.iter().product();
                let first = 1 << rng.random_range(0..=count.ilog2());
                let new = vec![first, count / first];
                (format!("tile.reshape {v} : {}", name(&new)), new)
            }
            (4, Some((v, shape))) if shape.contains(&1) => {
                let new: Vec<u32> = shape
                    .iter()
                    .map(|&n| if n == 1 { 1 << rng.random_range(0..4) } else { n })
                    .collect();
                (format!("tile.broadcast {v} : {}", name(&new)), new)
            }
            (5, Some((v, shape))) => (
                format!(
                    "tile.splat %f : {}\n  %w{i} = arith.addf %v{i}, {v} {{rounding = nearest_even}} : {}",
                    name(&shape),
                    name(&shape)
                ),
                shape,
            ),
            (6, Some((v, shape))) => {
                let (w, _) = values.iter().rev().find(|(_, other)| *other == shape).unwrap();
                (
                    format!(
                        "arith.mulf {v}, {w} {{rounding = nearest_even}} : {}",
                        name(&shape)
                    ),
                    shape,
                )
            }
            (7, Some((v, shape))) => {
                let ty = name(&shape);
                (
                    format!(
                        "scf.for %n, %n, %n, [{v}] : {ty} body {{\n  ^bb(%i{i}: i32, %c{i}: {ty}):\n    %d{i} = arith.negf %c{i} : {ty}\n    scf.continue [%d{i}]\n  }}"
                    ),
                    shape,
                )
            }
            _ => {
                let unit = rng.random_range(0..shape.len());
                let strides: Vec<String> = (0..shape.len())
                    .map(|axis| if axis == unit { "1".into() } else { "4096".into() })
                    .collect();
                let div = if rng.next_u32() % 2 == 0 { 16 } else { 4 };
                text.push_str(&format!(
                    "  %m{i} = tileaa.memref %p, [{n}], [] : memref<{q}xf32, strides = [{s}], align = {div}, class = 0, extent_div = {e:?}>\n",
                    n = vec!["%n"; shape.len()].join(", "),
                    q = vec!["?"; shape.len()].join("x"),
                    s = strides.join(", "),
                    e = vec![16; shape.len()],
                ));
                let access = |after: &str| {
                    format!(
                        "%m{i}, [{n}], {after} {{dim_map = {d:?}, steps = {shape:?}, inbounds = {b:?}, order = weak}}",
                        n = vec!["%n"; shape.len()].join(", "),
                        d = (0..shape.len()).collect::<Vec<_>>(),
                        b = vec![true; shape.len()],
                    )
                };
                if let Some((v, _)) = values.iter().find(|(_, other)| *other == shape) {
                    text.push_str(&format!(
                        "  %s{i} = tileaa.store {} : token\n",
                        access(&format!("{v}, after %k"))
                    ));
                }
                (
                    format!("tileaa.load {} : {}, token", access("after %k"), name(&shape)),
                    shape,
                )
            }
        };
        let token = if line.starts_with("tileaa.load") {
            format!(", %t{i}")
        } else {
            String::new()
        };
        text.push_str(&format!("  %v{i}{token} = {line}\n"));
        if shape.iter().product::<u32>() <= 1 << 14 && shape.len() <= 3 {
            let name = if line.contains(&format!("%w{i} =")) {
                format!("%w{i}")
            } else {
                format!("%v{i}")
            };
            values.push((name, shape));
        }
    }
    for (i, (v, shape)) in values.iter().enumerate() {
        let rank = shape.len();
        text.push_str(&format!(
            "  %o{i} = tileaa.memref %p, [{n}], [] : memref<{q}xf32, strides = {s:?}, align = 16, class = 1>\n  \
             %e{i} = tileaa.store %o{i}, [{n}], {v}, after %k {{dim_map = {d:?}, steps = {shape:?}, inbounds = {b:?}, order = weak}} : token\n",
            n = vec!["%n"; rank].join(", "),
            q = vec!["?"; rank].join("x"),
            s = (0..rank).map(|axis| if axis + 1 == rank { 1 } else { 512 }).collect::<Vec<_>>(),
            d = (0..rank).collect::<Vec<_>>(),
            b = vec![true; rank],
        ));
    }
    text.push_str("  scf.return\n}\n");
    text
}

#[test]
fn random_kernels_keep_the_contract() {
    for seed in 0..400 {
        let text = random_kernel(seed);
        let func = lowered(&text);
        for next in [
            merge_common_subexpressions(&func),
            eliminate_dead_code(&func),
            Ok(func.clone()),
        ] {
            let next = next.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
            verify(&next).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
            let next = lower_conversions(&next).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
            verify(&next).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
            let scheduled = allocate_shared(&schedule_serially(&next).unwrap());
            let scheduled = scheduled.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
            verify(&scheduled).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
        }
    }
}

#[test]
fn cleaning_up_twice_changes_nothing() {
    for seed in 0..50 {
        let func = parse(&random_kernel(seed));
        let clean = |func: &Func<TileAa>| {
            let func = merge_common_subexpressions(func).unwrap();
            eliminate_dead_code(&func).unwrap()
        };
        let once = clean(&func);
        assert_eq!(clean(&once), once, "seed {seed}");
        assert!(once.body.op_count() <= func.body.op_count());
    }
}

fn refused<T>(result: Result<T, Vec<Diagnostic<Origin>>>) -> (Code, String) {
    let Err(problems) = result else {
        panic!("not refused");
    };
    let first = problems.into_iter().next().expect("a problem");
    assert!(first.primary.is_some(), "{}", first.message);
    (first.code, first.message)
}

fn kernel(attrs: &str, shape: &str, element: &str, order: &str) -> Func<TileAa> {
    parse(&format!(
        "tileaa.func @k(%p: ptr<{element}>, %n: i32) {{target = sm_90a{attrs}}} body {{\n  \
         %m = tileaa.memref %p, [%n, %n], [] : memref<?x?x{element}, strides = [1, 4096], align = 16, class = 0>\n  \
         %q = tileaa.memref %p, [%n, %n], [] : memref<?x?x{element}, strides = [4096, 1], align = 16, class = 0>\n  \
         %k = tileaa.create_mem_token : token\n  \
         %v, %t = tileaa.load %m, [%n, %n], after %k {{dim_map = [0, 1], steps = [1, 1], inbounds = [true, true], order = {order}}} : tile<{shape}x{element}>, token\n  \
         %s = tileaa.store %q, [%n, %n], %v, after %t {{dim_map = [0, 1], steps = [1, 1], inbounds = [true, true], order = weak}} : token\n  \
         scf.return\n}}\n"
    ))
}

const FOUR: &str = ", num_warps = 4, num_ctas = 1";

#[test]
fn a_function_without_warps_is_refused() {
    let (code, message) = refused(lower_to_tileas(&kernel("", "16x16", "f32", "weak")));
    assert_eq!(code, Code::MissingAttribute);
    assert!(message.contains("num_warps"), "{message}");
    let func = attach_kernel_spec(&kernel("", "16x16", "f32", "weak")).func;
    assert!(lower_to_tileas(&func).is_ok());
}

#[test]
fn accesses_without_their_attribute_are_refused() {
    let func = kernel(FOUR, "16x16", "f32", "weak");
    let (code, message) = refused(assign_layouts(&func));
    assert_eq!(code, Code::MissingAttribute);
    assert!(message.contains("access"), "{message}");
    let text = print_func(&select_atoms(&func).unwrap().func, &|_| None);
    assert!(
        text.contains("access = widest<1, along = 0, order = [0, 1]>"),
        "{text}"
    );
    let wrong = text.replace("order = [0, 1]>", "order = [0]>");
    let parsed = parse_stage::<TileAa>(&wrong, FileId(0));
    let problems = verify(&parsed.module.funcs[0]).unwrap_err();
    assert_eq!(problems[0].code, Code::RankMismatch, "{problems:#?}");
    for (access, expected) in [
        ("widest<3, order = [0, 1]>", "a power of two"),
        ("widest<4, order = [0, 0]>", "each axis once"),
        ("widest<4, along = 2, order = [0, 1]>", "each axis once"),
        ("widest<4>", "order"),
    ] {
        let wrong = text.replace("widest<1, along = 0, order = [0, 1]>", access);
        let parsed = parse_stage::<TileAa>(&wrong, FileId(0));
        let message = &parsed.diagnostics.first().expect("a problem").message;
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn tiles_that_no_thread_can_hold_are_refused_with_the_numbers() {
    let (code, message) = refused(lower_to_tileas(&kernel(FOUR, "1024x1024", "f32", "weak")));
    assert_eq!(code, Code::Registers);
    assert!(message.contains("8192") && message.contains("4096"), "{message}");
}

#[test]
fn elements_of_half_a_byte_are_refused() {
    let (code, message) = refused(lower_to_tileas(&kernel(FOUR, "16x16", "i4", "weak")));
    assert_eq!(code, Code::UnsupportedType);
    assert!(message.contains("i4"), "{message}");
}

#[test]
fn replicated_relaxed_accesses_take_one_thread_for_each_element() {
    let small = kernel(FOUR, "4x4", "f32", "relaxed, scope = device");
    let small = lower_to_tileas(&small).expect("lowered");
    assert!(small.body.ops().any(|(_, op)| op.kind.name() == "tileas.agree"));
    let large = kernel(FOUR, "16x16", "f32", "relaxed, scope = device");
    assert!(lower_to_tileas(&large).is_ok());
}

/// The shared memory of a transposition in bytes, and the largest read and write of a conversion in it.
fn exchanged(shape: &str, target: &str) -> Result<u32, Vec<Diagnostic<Origin>>> {
    let mut func = lower_to_tileas(&kernel(FOUR, shape, "f32", "weak")).unwrap();
    func.attrs.target = Target::parse(target).unwrap();
    let func = lower_conversions(&func)?;
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    allocate_shared(&schedule_serially(&func)?).map(|func| func.attrs.shared_bytes)
}

#[test]
fn a_conversion_takes_slices_where_the_whole_exceeds_shared_memory() {
    // Up to 227 KiB on sm_90a, 99 KiB on sm_120a, 48 KiB before sm_90.
    assert_eq!(exchanged("128x256", "sm_90a"), Ok(131_072));
    assert_eq!(exchanged("256x256", "sm_90a"), Ok(131_072));
    assert_eq!(exchanged("128x128", "sm_120a"), Ok(65_536));
    assert_eq!(exchanged("128x256", "sm_120a"), Ok(65_536));
    for target in ["sm_80", "sm_86", "sm_89"] {
        assert_eq!(exchanged("64x128", target), Ok(32_768), "{target}");
        assert_eq!(exchanged("128x128", target), Ok(32_768), "{target}");
        assert_eq!(exchanged("256x256", target), Ok(32_768), "{target}");
    }
}

#[test]
fn a_conversion_whose_slices_exceed_shared_memory_is_refused_with_the_numbers() {
    // Registers select a mixture of the axes, so that no box of the tile consists of whole registers.
    let tile = |bases: &str| {
        format!(
            "tile<256x128xf32, linear<register = [{bases}], \
             lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64]], shape = [256, 128]>>"
        )
    };
    let mixed = tile("[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 1]");
    let text = format!(
        "tileas.func @k(%x: f32) {{target = sm_80, kernel_spec = {{num_warps = 4, num_ctas = 1}}, shared_bytes = 0}} \
         body {{\n  %v = tile.splat %x : {mixed}\n  %w = tileas.convert_layout %v : {}\n  scf.return\n}}\n",
        mixed.replace("[0, 32], [0, 64]]", "[0, 64], [0, 32]]")
    );
    let parsed = parse_stage::<TileAs>(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    let (code, message) = refused(lower_conversions(&parsed.module.funcs[0]));
    assert_eq!(code, Code::SharedMemory);
    assert!(
        message.contains("131072") && message.contains("49152") && message.contains("sm_80"),
        "{message}"
    );
}
