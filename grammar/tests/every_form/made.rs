//! Generated modules: constants of every type and pattern, names that are hard to print, debug information.

use tilewright_irs::core::{Body, Builder, Flag, Func, Origin};
use tilewright_irs::cuda_tile::{
    Attr, ControlOp, CudaTile, DebugAttr, DebugId, DebugInfo, Dict, EntryAttrs, FuncLocations, Global, Hints,
    ShapeOp, Tile, TileModule, TileType, Version, check_type,
};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::{Dense, Literal};

use super::Case;
use super::variants::STRINGS;

/// Bit patterns with special values in most types: zeros, the smallest and the largest numbers, infinities, NaN with
/// a payload, both signs.
const PATTERNS: &[u64] = &[
    0,
    1,
    2,
    u64::MAX,
    0x7FFF_FFFF_FFFF_FFFF,
    0x8000_0000_0000_0000,
    0xAAAA_AAAA_AAAA_AAAA,
    0x5555_5555_5555_5555,
    0x3FF0_0000_0000_0000,
    0x7FF0_0000_0000_0000,
    0xFFF0_0000_0000_0001,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0001,
    0x8000_0000,
    0x0080_0000,
    0x3F80_0000,
    0x4B7F_FFFF,
    0x3DCC_CCCD,
    0x7F7F_FFFF,
    0x7C00,
    0xFC00,
    0x7BFF,
    0x8000,
    0x3C01,
    0x0400,
    0x3F81,
    0x7F80,
    0xFF81,
    0x3FC00,
    0x3FC01,
    0x40000,
    0x1FC00,
    0x7F,
    0xFF,
    0x80,
    0x7E,
    0x78,
    0x7C,
    0x7B,
    0xF8,
    0x38,
    0x08,
    0x07,
];

fn kernel(name: &str, build: impl FnOnce(&mut Builder<'_, CudaTile>)) -> Func<CudaTile> {
    let mut body = Body::default();
    let root = body.root();
    let entry = body.add_block(root);
    let mut builder = Builder::new(&mut body, entry, Origin(0));
    build(&mut builder);
    builder.effect(ControlOp::Return { operands: Vec::new() });
    Func {
        name: name.to_owned(),
        attrs: EntryAttrs::default(),
        body: body.with_own_origins(),
    }
}

fn module(funcs: Vec<Func<CudaTile>>) -> TileModule {
    TileModule {
        version: Version::LATEST,
        producer: None,
        globals: Vec::new(),
        funcs,
        externals: Vec::new(),
    }
}

fn case(name: &str, module: TileModule) -> Case {
    Case {
        name: name.to_owned(),
        module,
        debug: DebugInfo::default(),
    }
}

/// Distinct numbers of any type.
fn mixed(count: u64, seed: u64) -> Vec<u64> {
    let step = |i: u64| (i + seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (0..count).map(|i| step(i).rotate_left(17) ^ step(i)).collect()
}

/// Constants of every type: splats, and lists below and above the length that is printed as bytes.
pub(crate) fn constants() -> Vec<Case> {
    let shapes: &[&[u64]] = &[
        &[],
        &[1],
        &[2],
        &[4],
        &[2, 2],
        &[1, 2, 1, 4],
        &[64],
        &[128],
        &[2, 64],
        &[1024],
    ];
    let mut cases = Vec::new();
    for ty in S::ALL {
        let mut values = Vec::new();
        for shape in shapes {
            let tile = TileType::tile(*shape, *ty);
            if check_type(&tile).is_err() || *ty == S::I4 {
                continue;
            }
            let patterns = if shape.len() < 2 {
                PATTERNS
            } else {
                &[0, u64::MAX, 0x3F80_3C38]
            };
            for bits in patterns {
                values.push((tile.clone(), Dense::Splat(Literal::new(*ty, *bits & ty.mask()))));
            }
            let count = shape.iter().product::<u64>();
            for seed in 0..4 {
                let bits = mixed(count, seed)
                    .into_iter()
                    .map(|bits| bits & ty.mask())
                    .collect();
                values.push((tile.clone(), Dense::of_elements(*ty, bits)));
            }
            let all = PATTERNS
                .iter()
                .cycle()
                .zip(0..count)
                .map(|(bits, _)| bits & ty.mask());
            values.push((tile, Dense::of_elements(*ty, all.collect())));
        }
        let mut all = module(vec![kernel("constants", |builder| {
            for (ty, value) in values {
                builder.value(ShapeOp::Constant { value }, ty);
            }
        })]);
        for (number, count) in [1u64, 2, 16, 128].into_iter().enumerate() {
            let bits: Vec<u64> = mixed(count, 9).into_iter().map(|bits| bits & ty.mask()).collect();
            let ty = Tile::new([count], *ty);
            if check_type(&TileType::Tile(ty.clone())).is_ok()
                && let Some(scalar) = ty.element.scalar()
            {
                all.globals.push(Global {
                    name: format!("global{number}"),
                    value: Dense::of_elements(scalar, bits),
                    alignment: [0, 1, 16, 128][number],
                    private: number % 2 == 1,
                    constant: number > 1,
                    ty,
                });
            }
        }
        cases.push(case(&format!("constants of {ty}"), all));
    }
    cases
}

/// Names, producers, argument attributes, hints and strings that are hard to print.
pub(crate) fn names() -> Vec<Case> {
    let names = [
        "k",
        "a b",
        "ä",
        "x\"y\\z",
        "0start",
        "with.dot$",
        "-",
        "tab\t",
        "\u{1}",
        "cuda_tile.addf",
        "entry",
        "return",
        "_",
        "$",
        "a-b",
        "loc",
        "語",
    ];
    let mut cases = Vec::new();
    for (number, producer) in STRINGS
        .iter()
        .chain(&["one \"two\" \\three", "  blanks  "])
        .enumerate()
    {
        let mut all = module(Vec::new());
        // The tool does not escape line breaks.
        all.producer = Some(producer.replace('\n', " "));
        for (i, name) in names.iter().enumerate() {
            let mut func = kernel(name, |builder| {
                let message = STRINGS[(i + number) % STRINGS.len()].to_owned();
                let value = Dense::Splat(Literal::new(S::I1, 1));
                let condition = builder.value(ShapeOp::Constant { value }, TileType::scalar(S::I1));
                builder.effect(ControlOp::Assert { condition, message });
            });
            let key = names[(i + number) % names.len()];
            let value = Attr::String(STRINGS[(i + number) % STRINGS.len()].to_owned());
            // The tool does not quote keys that are not words.
            if key.chars().all(|c| c.is_ascii_alphanumeric()) && !key.starts_with('0') {
                // In alphabetical order, as in texts.
                let dict = Dict(vec![(key.to_owned(), value)]);
                let mut hints = vec![(key.to_owned(), dict), ("sm_90".to_owned(), Dict::default())];
                hints.sort_by(|a, b| a.0.cmp(&b.0));
                func.attrs.optimization_hints = Some(Hints(hints));
            }
            func.attrs.private = Flag(false);
            all.funcs.push(func);
            all.globals.push(Global {
                name: format!("{name}'s global"),
                ty: Tile::new([2], S::F32),
                value: Dense::of_elements(S::F32, vec![1, 2]),
                alignment: 0,
                private: false,
                constant: false,
            });
        }
        cases.push(case(&format!("names {number}"), all));
    }
    cases.extend(S::ALL.iter().map(|ty| arguments(*ty)));
    cases
}

/// Attributes of an argument, of every kind, with numbers of a type.
fn arguments(ty: S) -> Case {
    let mut body: Body<CudaTile> = Body::default();
    let root = body.root();
    let entry = body.add_block(root);
    body.add_arg(entry, TileType::scalar(S::I32));
    let number = |ty, bits| Attr::Number(Literal::new(ty, bits));
    // In texts, a number of type i1 is a boolean.
    let wide = if ty == S::I1 { S::I64 } else { ty };
    let items = vec![number(wide, 1), Attr::Bool(true), Attr::Array(Vec::new())];
    // The tool does not read lists of elements here.
    let list = vec![
        ("a.list".to_owned(), Attr::Array(items)),
        ("test.number".to_owned(), number(wide, 0x3F80_3C38 & wide.mask())),
        ("test.ones".to_owned(), number(wide, wide.mask())),
        ("z.\"odd\" key".to_owned(), Attr::String("ä\n".to_owned())),
    ];
    let mut builder = Builder::new(&mut body, entry, Origin(0));
    builder.effect(ControlOp::Return { operands: Vec::new() });
    let func = Func {
        name: "arguments".to_owned(),
        attrs: EntryAttrs {
            arg_attrs: Some(vec![Attr::Dict(Dict(list))]),
            ..EntryAttrs::default()
        },
        body: body.with_own_origins(),
    };
    case(&format!("arguments of {ty}"), module(vec![func]))
}

/// Debug information for a module: every kind of attribute, nested scopes, call chains, unknown locations.
pub(crate) fn debug(module: &TileModule, seed: usize) -> DebugInfo {
    let id = |at: usize| DebugId(u32::try_from(at).expect("few"));
    let mut attrs = vec![
        DebugAttr::File {
            name: STRINGS[seed % STRINGS.len()].to_owned(),
            directory: STRINGS[(seed / 2) % STRINGS.len()].to_owned(),
        },
        DebugAttr::CompileUnit { file: id(0) },
        DebugAttr::Unknown,
    ];
    let mut funcs = Vec::new();
    for (number, func) in module.funcs.iter().enumerate() {
        if (number + seed) % 7 == 6 {
            funcs.push(FuncLocations::default());
            continue;
        }
        let scope = attrs.len();
        attrs.push(DebugAttr::Subprogram {
            file: id(0),
            line: number as u64 + 1,
            name: STRINGS[number % STRINGS.len()].to_owned(),
            linkage_name: func.name.clone(),
            compile_unit: id(1),
            scope_line: number as u64,
            declaration: seed % 5 == 4,
        });
        let place = |attrs: &mut Vec<DebugAttr>, scope: usize, line: usize| {
            attrs.push(DebugAttr::Loc {
                scope: id(scope),
                file: ["a.py", "", "ä \"b\".py"][line % 3].into(),
                line: line as u64,
                column: (line * 7 % 5) as u64,
            });
            attrs.len() - 1
        };
        let own = place(&mut attrs, scope, number + 1);
        let block = attrs.len();
        attrs.push(DebugAttr::LexicalBlock {
            scope: id(scope),
            file: id(0),
            line: 3,
            column: 4,
        });
        attrs.push(DebugAttr::LexicalBlock {
            scope: id(block),
            file: id(0),
            line: 5,
            column: 0,
        });
        let mut ops = Vec::new();
        for op in 0..func.body.op_count() {
            let line = op + seed;
            ops.push(match line % 8 {
                0 => None,
                1 => Some(id(2)),
                2 => Some(id(own)),
                3 => Some(id(place(&mut attrs, block, line))),
                4 => Some(id(place(&mut attrs, block + 1, line))),
                kind => {
                    let callee = Some(id(place(&mut attrs, block, line)));
                    let mut caller = Some(id(own));
                    if kind == 6 {
                        attrs.push(DebugAttr::CallSite {
                            callee: caller,
                            caller,
                        });
                        caller = Some(id(attrs.len() - 1));
                    }
                    attrs.push(DebugAttr::CallSite {
                        callee: callee.filter(|_| kind != 7),
                        caller,
                    });
                    Some(id(attrs.len() - 1))
                }
            });
        }
        funcs.push(FuncLocations {
            func: Some(id(own)),
            ops,
        });
    }
    DebugInfo {
        attrs,
        funcs,
        ..DebugInfo::default()
    }
}
