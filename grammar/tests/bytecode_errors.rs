//! Malformed files give a coded diagnostic at the right offset and never a panic.

use std::time::{Duration, Instant};

use tilewright_diagnostics::{Code, Diagnostic, FileId, Location};
use tilewright_grammar::bytecode::{read, write};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::core::{Body, Entity, Func, Origin, Value};
use tilewright_irs::cuda_tile::{
    ControlOp, CudaTile, DebugAttr, DebugId, DebugInfo, EntryAttrs, FuncLocations, MAX_REGION_DEPTH, ShapeOp,
    TileModule, TileOp, TileType, Version, print_tile_module, verify_module,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};

fn example(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bytecode/");
    std::fs::read(format!("{folder}{name}.tileirbc")).expect(name)
}

fn problems(bytes: &[u8]) -> Vec<Diagnostic<Location>> {
    read(bytes, FileId(0)).expect_err("a malformed file")
}

fn first(bytes: &[u8]) -> (Code, String) {
    let problem = problems(bytes).swap_remove(0);
    assert!(problem.primary.is_some());
    (problem.code, problem.message)
}

#[test]
fn header() {
    let good = example("vector_add.13.4");
    assert_eq!(first(b"").0, Code::BadMagic);
    assert_eq!(
        first(b"cuda_tile.module @m {}"),
        (
            Code::BadMagic,
            "input does not correspond to Tile IR bytecode".to_owned()
        )
    );
    assert_eq!(first(&good[..9]).0, Code::Truncated);
    for (at, byte, code, text) in [
        (
            9,
            6,
            Code::UnsupportedVersion,
            "unsupported Tile IR bytecode version: 13.6",
        ),
        (
            8,
            12,
            Code::UnsupportedVersion,
            "unsupported Tile IR bytecode version: 12.4",
        ),
        (
            10,
            1,
            Code::UnsupportedVersion,
            "unsupported Tile IR bytecode version: 13.4 with tag 0x0001",
        ),
    ] {
        let mut bad = good.clone();
        bad[at] = byte;
        assert_eq!(first(&bad), (code, text.to_owned()));
    }
}

#[test]
fn sections() {
    let good = example("vector_add.13.4");
    let with = |bytes: &[u8]| first(&[&good[..12], bytes].concat());
    assert_eq!(
        with(&[0x06, 4, 0]),
        (
            Code::BadSectionLength,
            "section length 4 exceeds remaining bytecode data".to_owned()
        )
    );
    assert_eq!(with(&[0x08, 0]).0, Code::UnknownSection);
    assert_eq!(with(&[]).0, Code::Truncated);
    assert_eq!(with(&[0]).0, Code::MissingSection);
    assert_eq!(with(&[0x80]).0, Code::MisalignedSection);
    assert_eq!(with(&[0x81, 0, 3]).0, Code::MisalignedSection);
    assert_eq!(with(&[0x01, 0]).0, Code::MisalignedSection);
    assert_eq!(with(&[0x06, 1, 0, 0x06, 1, 0]).0, Code::DuplicateSection);
    assert_eq!(with(&[0, 0]).0, Code::BadSectionLength);
    let mut longer = good.clone();
    longer.push(0);
    assert_eq!(first(&longer).0, Code::BadSectionLength);
}

#[test]
fn an_unknown_op_is_placed_at_its_source_line() {
    let mut bytes = example("vector_add.13.2");
    let found = read(&bytes, FileId(0)).expect("a valid file");
    let at = found.offsets[0].ops[3] as usize;
    bytes[at] = 127;
    let list = problems(&bytes);
    assert_eq!(list[0].code, Code::UnknownOpcode);
    assert_eq!(
        list[0].message,
        "unsupported opcode 127 for bytecode version 13.2"
    );
    let place = &list[0].primary.as_ref().expect("a place").at;
    assert!(matches!(place, Location::Source { .. }), "{place:?}");
    let also = list[0].secondary.iter().any(
        |label| matches!(label.at, Location::Offset { offset, .. } if usize::try_from(offset) == Ok(at)),
    );
    assert!(also, "{:?}", list[0]);
    // An op of later versions.
    bytes[at] = 0x70;
    assert_eq!(first(&bytes).0, Code::OpcodeTooNew);
}

#[test]
fn each_function_reports_its_own_error() {
    let mut bytes = example("three_kernels.13.5");
    let found = read(&bytes, FileId(0)).expect("a valid file");
    assert_eq!(found.offsets.len(), 3);
    for offsets in &found.offsets {
        bytes[offsets.ops[2] as usize] = 0x19;
    }
    let list = problems(&bytes);
    assert_eq!(
        list.iter().filter(|p| p.code == Code::UnknownOpcode).count(),
        3,
        "{list:#?}"
    );
}

/// A deterministic pseudorandom number generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap_or(0)
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(7) {
            0 => bytes.truncate(at),
            1 | 2 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            3 => bytes.insert(at, (random.next() & 0xFF) as u8),
            4 => {
                let overlong = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
                let n = random.below(overlong.len() + 1);
                bytes.splice(at..at, overlong[..n].iter().copied());
            }
            5 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)];
                }
            }
            _ => {
                let end = (at + random.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
}

#[test]
fn ten_thousand_mutations_neither_panic_nor_take_long() {
    let names = [
        "vector_add",
        "loop_control",
        "raw_pointers",
        "casts",
        "three_kernels",
        "masked_copy",
    ];
    let versions = ["13.1", "13.2", "13.3", "13.4", "13.5"];
    let files: Vec<_> = names
        .iter()
        .flat_map(|name| {
            versions
                .iter()
                .map(move |version| example(&format!("{name}.{version}")))
        })
        .collect();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut refused, mut slowest) = (0, Duration::ZERO);
    for round in 0..10_000 {
        let mut bytes = files[round % files.len()].clone();
        mutate(&mut bytes, &mut random);
        let start = Instant::now();
        match read(&bytes, FileId(0)) {
            Ok(found) => {
                let _ = verify_module(&found.module);
            }
            Err(list) => {
                assert!(!list.is_empty());
                refused += 1;
            }
        }
        slowest = slowest.max(start.elapsed());
    }
    assert!(refused > 5_000, "{refused}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

/// A kernel of nested loops.
fn nested(depth: usize) -> Vec<u8> {
    let mut body = Body::<CudaTile>::default();
    let root = body.root();
    let mut block = body.add_block(root);
    let leave = || TileOp::Control(ControlOp::Break { operands: Vec::new() });
    let mut outer = Vec::new();
    for _ in 0..depth {
        let inner = body.add_region();
        let init_values = Vec::new();
        let kind = TileOp::Control(ControlOp::Loop {
            init_values,
            body: inner,
        });
        body.add_op(block, kind, [], Origin(0), ());
        outer.push(block);
        block = body.add_block(inner);
    }
    body.add_op(block, leave(), [], Origin(0), ());
    for (i, block) in outer.into_iter().enumerate() {
        let kind = if i == 0 {
            ControlOp::Return { operands: Vec::new() }.into()
        } else {
            leave()
        };
        body.add_op(block, kind, [], Origin(0), ());
    }
    let mut module = TileModule::new(Version::V13_5);
    module.funcs.push(Func {
        name: "nested".to_owned(),
        attrs: EntryAttrs::default(),
        body: body.with_own_origins(),
    });
    written(&module, &DebugInfo::default())
}

fn written(module: &TileModule, debug: &DebugInfo) -> Vec<u8> {
    write(module, debug, Version::V13_5).expect("a module that can be written")
}

/// A kernel of these ops, each with its result type, and a `return`.
fn kernel(ops: impl IntoIterator<Item = (TileOp, Option<TileType>)>) -> TileModule {
    let mut body = Body::<CudaTile>::default();
    let block = body.add_block(body.root());
    for (op, result) in ops {
        body.add_op(block, op, result, Origin(0), ());
    }
    let end = ControlOp::Return { operands: Vec::new() };
    body.add_op(block, end.into(), [], Origin(0), ());
    let mut module = TileModule::new(Version::V13_5);
    module.funcs.push(Func {
        name: "kernel".to_owned(),
        attrs: EntryAttrs::default(),
        body: body.with_own_origins(),
    });
    module
}

#[test]
fn deep_nesting_is_refused() {
    let found = read(&nested(MAX_REGION_DEPTH), FileId(0)).expect("deep, but not too deep");
    verify_module(&found.module).expect("a valid module");
    // Its text is within the nesting limit as well.
    let text = print_tile_module(&found.module, None);
    assert_eq!(parse_tile_text(&text, FileId(0)).diagnostics, []);
    assert_eq!(first(&nested(MAX_REGION_DEPTH + 1)).0, Code::NestingTooDeep);
    assert_eq!(first(&nested(300)).0, Code::NestingTooDeep);
}

/// A kernel whose locations are in nested blocks.
fn nested_places(depth: u32) -> Vec<u8> {
    let name = || "kernel".to_owned();
    let (file, unit, subprogram) = (DebugId(0), DebugId(1), DebugId(2));
    let mut attrs = vec![
        DebugAttr::File {
            name: "kernel.py".to_owned(),
            directory: String::new(),
        },
        DebugAttr::CompileUnit { file },
        DebugAttr::Subprogram {
            file,
            line: 1,
            name: name(),
            linkage_name: name(),
            compile_unit: unit,
            scope_line: 1,
            declaration: false,
        },
    ];
    let mut scope = subprogram;
    for _ in 0..depth {
        attrs.push(DebugAttr::LexicalBlock {
            scope,
            file,
            line: 2,
            column: 0,
        });
        scope = DebugId(scope.0 + 1);
    }
    let place = |scope| DebugAttr::Loc {
        scope,
        file: "kernel.py".into(),
        line: 3,
        column: 0,
    };
    attrs.extend([place(subprogram), place(scope)]);
    let funcs = vec![FuncLocations {
        func: Some(DebugId(scope.0 + 1)),
        ops: vec![Some(DebugId(scope.0 + 2))],
    }];
    let debug = DebugInfo {
        attrs,
        funcs,
        ..DebugInfo::default()
    };
    written(&kernel([]), &debug)
}

#[test]
fn deeply_nested_debug_locations_are_refused() {
    assert!(read(&nested_places(250), FileId(0)).is_ok());
    for depth in [300, 5_000] {
        let (code, message) = first(&nested_places(depth));
        assert_eq!(code, Code::MalformedDebugInfo);
        assert!(message.contains("nested deeper than 256"), "{message}");
    }
}

#[test]
fn expansion_by_repeated_references_is_refused() {
    let truth = ShapeOp::Constant {
        value: Dense::Splat(Literal::i1(true)),
    };
    // The result of the first op.
    let said = ControlOp::Assert {
        condition: Value::new(0),
        message: "x".repeat(10_000),
    };
    let asserting = |times: usize| {
        let first = (
            TileOp::from(truth.clone()),
            Some(TileType::scalar(ScalarType::I1)),
        );
        let asserts = std::iter::repeat_n((TileOp::from(said.clone()), None), times);
        written(
            &kernel(std::iter::once(first).chain(asserts)),
            &DebugInfo::default(),
        )
    };
    assert!(read(&asserting(300), FileId(0)).is_ok());
    let long = asserting(1_000);
    assert!(long.len() < 20_000, "{}", long.len());
    assert_eq!(first(&long).0, Code::InputTooLarge);
}
