//! Reductions and scans in `tileas`, in random layouts, lowered to PTX and run in the simulator, which also detects
//! races. The body composes linear functions: it is associative, and its result depends on the order of elements.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{TermCodec, term_text, verify};
use tilewright_irs::tileas::{ReduceAtom, TileAs, reduced_layout};
use tilewright_layouts::{Dim, LinearLayout};
use tilewright_passes::tileas::split_reductions;
use tilewright_simulator::{Device, Init};

mod lowered;
use lowered::compiled;

/// A layout of a random assignment of coordinate bits to registers, lanes and warps; some lanes and warps hold copies.
/// For a scan, the bits of its axis go to units in order.
fn random_layout(rng: &mut ChaCha8Rng, bits: [u32; 2], scans: Option<usize>) -> LinearLayout {
    let unit = |axis: usize, bit: u32| {
        let mut basis = vec![0, 0];
        basis[axis] = 1 << bit;
        basis
    };
    let mut columns: Vec<(usize, u32)> = (0..2)
        .flat_map(|axis| (0..bits[axis]).map(move |bit| (axis, bit)))
        .collect();
    columns.shuffle(rng);
    let mut room = vec![Dim::Lane; 5];
    room.extend([Dim::Warp; 2]);
    room.extend(vec![Dim::Register; columns.len().max(2)]);
    room.shuffle(rng);
    let mut owners: Vec<(Dim, Vec<u32>)> = Vec::new();
    let mut taken: Vec<(usize, u32, Dim)> = columns
        .into_iter()
        .zip(&room)
        .map(|((axis, bit), &dim)| (axis, bit, dim))
        .collect();
    if let Some(axis) = scans {
        let mut dims: Vec<Dim> = taken
            .iter()
            .filter(|(of, ..)| *of == axis)
            .map(|(.., dim)| *dim)
            .collect();
        dims.sort();
        // Some registers are above the lanes.
        let count = |dims: &[Dim], dim: Dim| dims.iter().filter(|other| **other == dim).count();
        let (registers, lanes) = (count(&dims, Dim::Register), count(&dims, Dim::Lane));
        let below = rng.random_range(0..=registers);
        if let Some(moved) = dims.get_mut(below..registers + lanes) {
            moved.rotate_left(registers - below);
        }
        taken.sort();
        let along = taken.iter_mut().filter(|(of, ..)| *of == axis);
        along.zip(dims).for_each(|(slot, dim)| slot.2 = dim);
    }
    owners.extend(taken.into_iter().map(|(axis, bit, dim)| (dim, unit(axis, bit))));
    let of = |dim: Dim, least: usize| {
        let mut bases: Vec<Vec<u32>> = owners
            .iter()
            .filter(|(of, _)| *of == dim)
            .map(|(_, basis)| basis.clone())
            .collect();
        bases.resize(bases.len().max(least), vec![0, 0]);
        (dim, bases)
    };
    let units = [of(Dim::Register, 0), of(Dim::Lane, 5), of(Dim::Warp, 2)];
    let outs = [(Dim::Axis(0), 1 << bits[0]), (Dim::Axis(1), 1 << bits[1])];
    LinearLayout::from_bases(&units, &outs).expect("a layout")
}

fn layout_text(layout: &LinearLayout) -> String {
    term_text(&layout.write())
}

/// A kernel that loads two tiles in a layout, reduces or scans them along an axis, and stores the results.
fn kernel(layout: &LinearLayout, axis: usize, scan: Option<bool>) -> String {
    let shape = layout.shape();
    let (made, extents) = match scan {
        Some(_) => (layout.clone(), shape.clone()),
        None => (
            reduced_layout(layout, axis).expect("a layout"),
            vec![shape[1 - axis]],
        ),
    };
    let text = |extents: &[u32], layout: &LinearLayout| {
        let extents: String = extents.iter().map(|n| format!("{n}x")).collect();
        format!("tile<{extents}i32, {}>", layout_text(layout))
    };
    let array = |extents: &[u32], class: u32| {
        let sizes: String = extents.iter().map(|n| format!("{n}x")).collect();
        let strides = match extents {
            [_, columns] => format!("[{columns}, 1]"),
            _ => "[1]".to_owned(),
        };
        format!("memref<{sizes}i32, strides = {strides}, align = 16, class = {class}>")
    };
    let access = |extents: &[u32], atom: &str| {
        let axes: Vec<usize> = (0..extents.len()).collect();
        let inside = vec![true; extents.len()];
        format!(
            "{{dim_map = {axes:?}, steps = {extents:?}, inbounds = {inside:?}, order = weak, atom = {atom}<32b>}}"
        )
    };
    let (whole, part) = (text(&shape, layout), text(&extents, &made));
    let at = vec!["%i"; extents.len()].join(", ");
    let (name, direction) = match scan {
        None => ("reduce", ""),
        Some(false) => ("scan", ""),
        Some(true) => ("scan", "reverse, "),
    };
    let (load, store) = (access(&shape, "ld"), access(&extents, "st"));
    format!(
        "tileas.func @f(%p: ptr<i32>, %q: ptr<i32>, %r: ptr<i32>, %s: ptr<i32>) {{target = sm_80, \
         kernel_spec = {{num_warps = 4, num_ctas = 1}}, shared_bytes = 0}} body {{\n  \
         %i = arith.constant {{value = i32<0>}} : i32\n  \
         %mp = tileas.memref %p, [], [] : {}\n  %mq = tileas.memref %q, [], [] : {}\n  \
         %mr = tileas.memref %r, [], [] : {}\n  %ms = tileas.memref %s, [], [] : {}\n  \
         %x, %t0 = tileas.load %mp, [%i, %i] {load} : {whole}, token\n  \
         %y, %t1 = tileas.load %mq, [%i, %i] {load} : {whole}, token\n  \
         %v, %w = tileas.{name} [%x, %y] {{axis = {axis}, {direction}identities = [i32<1>, i32<0>], atom = {}}} : \
         {part}, {part} body {{\n  ^(%a: i32, %b: i32, %c: i32, %d: i32):\n    \
         %m = arith.muli %a, %c {{overflow = wraps}} : i32\n    %k = arith.muli %b, %c {{overflow = wraps}} : i32\n    \
         %n = arith.addi %k, %d {{overflow = wraps}} : i32\n    tileas.yield [%m, %n]\n  }}\n  \
         %t2 = tileas.store %mr, [{at}], %v {store} : token\n  \
         %t3 = tileas.store %ms, [{at}], %w {store} : token\n  scf.return\n}}\n",
        array(&shape, 0),
        array(&shape, 1),
        array(&extents, 2),
        array(&extents, 3),
        ReduceAtom::least(layout, axis),
    )
}

/// The functions `x -> a * x + b` of all elements, combined along an axis: the first one first.
fn expected(numbers: &[(i32, i32)], shape: &[u32], axis: usize, scan: Option<bool>) -> Vec<(i32, i32)> {
    let (rows, columns) = (shape[0] as usize, shape[1] as usize);
    let mut out = vec![(0, 0); numbers.len()];
    let (lines, length) = if axis == 0 {
        (columns, rows)
    } else {
        (rows, columns)
    };
    let place = |line: usize, at: usize| {
        if axis == 0 {
            at * columns + line
        } else {
            line * columns + at
        }
    };
    let mut whole = Vec::new();
    for line in 0..lines {
        let mut so_far: Option<(i32, i32)> = None;
        for step in 0..length {
            let at = place(
                line,
                if scan == Some(true) {
                    length - 1 - step
                } else {
                    step
                },
            );
            let (c, d) = numbers[at];
            let now = so_far.map_or((c, d), |(a, b)| {
                (a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d))
            });
            so_far = Some(now);
            out[at] = now;
        }
        whole.extend(so_far);
    }
    if scan.is_some() { out } else { whole }
}

fn check(layout: &LinearLayout, axis: usize, scan: Option<bool>, seed: u64) {
    let text = kernel(layout, axis, scan);
    let (ptx, _) = compiled(&text);
    let shape = layout.shape();
    let count = (shape[0] * shape[1]) as usize;
    let number = |i: usize, salt: u32| (i as u32).wrapping_mul(2_654_435_761).rotate_left(11) ^ salt;
    let numbers: Vec<(i32, i32)> = (0..count)
        .map(|i| ((number(i, 5) | 1) as i32, number(i, 77) as i32))
        .collect();
    let wanted = expected(&numbers, &shape, axis, scan);
    let mut device = Device::new();
    let bytes = |pick: fn(&(i32, i32)) -> i32| numbers.iter().flat_map(|n| pick(n).to_le_bytes()).collect();
    let from = [
        device.alloc("factors", 4 * count, Init::Data(bytes(|n| n.0))),
        device.alloc("summands", 4 * count, Init::Data(bytes(|n| n.1))),
    ];
    let to = ["r", "s"].map(|name| device.alloc(name, 4 * wanted.len(), Init::Poison));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let arguments = [from[0].into(), from[1].into(), to[0].into(), to[1].into()];
    device
        .launch(&module, "f", [1, 1, 1], [128, 1, 1], 0, &arguments)
        .unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{text}\n{ptx}"));
    let [factors, summands] = to.map(|to| -> Vec<i32> {
        let words = device.read(to).chunks_exact(4);
        words
            .map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect()
    });
    let made: Vec<(i32, i32)> = factors.into_iter().zip(summands).collect();
    assert!(made == wanted, "seed {seed}: other results\n{text}");
}

#[test]
fn reductions_in_any_layout_combine_elements_in_order() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bits = [rng.random_range(0..=6), rng.random_range(0..=5)];
        let layout = random_layout(&mut rng, bits, None);
        check(&layout, rng.random_range(0..2), None, seed);
    }
}

#[test]
fn scans_go_both_ways_between_lanes_and_warps() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
        let bits = [rng.random_range(0..=6), rng.random_range(0..=5)];
        let axis = rng.random_range(0..2);
        let layout = random_layout(&mut rng, bits, Some(axis));
        check(&layout, axis, Some(rng.random()), seed);
    }
}

/// The code and the message of the only problem of a text, or of the pass that splits reductions.
fn refusal(text: &str) -> (Code, String) {
    let parsed = parse_stage::<TileAs>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    let func = &parsed.module.funcs[0];
    match verify(func) {
        Err(problems) => {
            let [problem] = problems.as_slice() else {
                panic!("{problems:#?}\n{text}");
            };
            (problem.code, problem.message.clone())
        }
        Ok(()) => {
            let problems = split_reductions(func).expect_err("a refusal");
            (problems[0].code, problems[0].message.clone())
        }
    }
}

#[test]
fn layouts_and_scopes_that_cannot_be_lowered_are_refused() {
    let of = |units: &[(Dim, Vec<Vec<u32>>)], shape: &[u64]| {
        let bases = units.iter().map(|(dim, bases)| {
            let wide = bases
                .iter()
                .map(|basis| basis.iter().map(|&n| u64::from(n)).collect());
            (*dim, wide.collect::<Vec<Vec<u64>>>())
        });
        LinearLayout::from_parts(&bases.collect::<Vec<_>>(), shape).expect("a layout")
    };
    let lanes = |count: u32| (0..count).map(|bit| vec![1 << bit, 0]).collect::<Vec<_>>();
    // A lane that moves along both axes.
    let mut diagonal = lanes(4);
    diagonal.push(vec![1, 1]);
    let skewed = of(
        &[(Dim::Lane, diagonal), (Dim::Register, vec![vec![16, 0]])],
        &[32, 2],
    );
    let (code, message) = refusal(&kernel(&skewed, 0, None));
    assert_eq!(code, Code::BadLayout, "{message}");
    assert!(message.contains("moves along another axis too"), "{message}");
    // A warp with a smaller step than lanes.
    let strided = of(
        &[
            (Dim::Warp, vec![vec![1, 0]]),
            (Dim::Lane, (1..6).map(|bit| vec![1 << bit, 0]).collect()),
        ],
        &[64, 1],
    );
    let (code, message) = refusal(&kernel(&strided, 0, Some(false)));
    assert_eq!(code, Code::BadLayout, "{message}");
    assert!(
        message.contains("consecutive elements in each thread"),
        "{message}"
    );
    // Blocks of a cluster.
    let text = kernel(&of(&[(Dim::Lane, lanes(5))], &[32, 1]), 0, None);
    let text = text
        .replace("sm_80", "sm_90a")
        .replace("atom = shuffle", "atom = cluster");
    let (code, message) = refusal(&text);
    assert_eq!(code, Code::UnsupportedFeature, "{message}");
    assert!(message.contains("between blocks"), "{message}");
    // What combines uses a tile, has an effect, or yields too little.
    let good = kernel(&of(&[(Dim::Lane, lanes(5))], &[32, 1]), 0, None);
    for (from, to, words) in [
        (
            "tileas.yield [%m, %n]",
            "tileas.yield [%m]",
            "yields one element for each operand",
        ),
        (
            "%n = arith.addi %k, %d {overflow = wraps} : i32",
            "%n = arith.addi %k, %d {overflow = wraps} : i32\n    tileas.barrier",
            "`tileas.barrier` has an effect",
        ),
        (
            "%n = arith.addi %k, %d {overflow = wraps} : i32",
            "%n = arith.addi %k, %d {overflow = wraps} : i32\n    %z = arith.negi %x {overflow = wraps} : TILE",
            "something else than single elements",
        ),
        (
            "%n = arith.addi %k, %d {overflow = wraps} : i32",
            "%n = arith.addi %k, %d {overflow = wraps} : i32\n    \
             %z = arith.cmpi %a, %c {predicate = lt, signedness = signed} : i1\n    \
             scf.if %z then {\n      scf.return\n    } otherwise {\n      scf.yield []\n    }",
            "`scf.return` leaves what combines",
        ),
        (
            "scf.return",
            "tileas.yield [%i]",
            "`tileas.yield` ends the body of a reduction or a scan only",
        ),
        (
            "identities = [i32<1>, i32<0>]",
            "identities = [i32<1>]",
            "one identity for each operand",
        ),
        (
            "^(%a: i32, %b: i32, %c: i32, %d: i32)",
            "^(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32)",
            "takes what was combined",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let tile = format!(
            "tile<32x1xi32, {}>",
            layout_text(&of(&[(Dim::Lane, lanes(5))], &[32, 1]))
        );
        let text = good.replace(from, to).replace("TILE", &tile);
        let found = parse_stage::<TileAs>(&text, FileId(0));
        let problems = verify(&found.module.funcs[0]).err().unwrap_or_default();
        assert!(
            problems.iter().any(|problem| problem.message.contains(words)),
            "`{words}`\n{text}\n{problems:#?}"
        );
    }
}
