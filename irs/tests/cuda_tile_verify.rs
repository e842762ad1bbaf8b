//! The rules of `cuda_tile`, each violated once.

use std::sync::Arc;

use tilewright_diagnostics::Code;
use tilewright_irs::core::{Block, Body, Builder, Flag, Func, Origin, Value, verify};
use tilewright_irs::cuda_tile::{
    AtomicRmwMode, Attr, CastOp, ControlOp, CudaTile, Element, EntryAttrs, FloatOp, Global, IntOp, MemoryOp,
    MemoryOrdering, MemoryScope, PartitionView, Predicate, RoundingMode, ShapeOp, Signedness, Symbol,
    TensorView, Tile, TileModule, TileType, Version, ViewOp, verify_module,
};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::{Dense, Literal};

type Build<'a> = Builder<'a, CudaTile>;

fn tile(shape: &[u64], element: impl Into<Element>) -> TileType {
    TileType::tile(shape, element)
}

fn value(b: &mut Build<'_>, shape: &[u64], ty: S) -> Value {
    let value = Dense::Splat(Literal::new(ty, 1));
    b.value(ShapeOp::Constant { value }, tile(shape, ty))
}

fn func(build: impl FnOnce(&mut Build<'_>, Value)) -> Func<CudaTile> {
    let mut body = Body::default();
    let root = body.root();
    let entry: Block = body.add_block(root);
    let base = body.add_arg(entry, TileType::scalar(Element::ptr(S::F32)));
    let mut b = Builder::new(&mut body, entry, Origin(0));
    build(&mut b, base);
    b.effect(ControlOp::Return { operands: Vec::new() });
    Func {
        name: "f".to_owned(),
        attrs: EntryAttrs::default(),
        body: body.with_own_origins(),
    }
}

/// The first problem of a kernel.
fn problem(build: impl FnOnce(&mut Build<'_>, Value)) -> Option<(Code, String)> {
    let list = verify(&func(build)).err()?;
    list.into_iter()
        .next()
        .map(|problem| (problem.code, problem.message))
}

fn refused(code: Code, text: &str, build: impl FnOnce(&mut Build<'_>, Value)) {
    let (found, message) = problem(build).expect(text);
    assert_eq!(found, code, "{message}");
    assert!(message.contains(text), "{message}\nlacks\n{text}");
}

fn accepted(build: impl FnOnce(&mut Build<'_>, Value)) {
    assert_eq!(problem(build), None);
}

fn addf(lhs: Value, rhs: Value) -> FloatOp {
    FloatOp::AddF {
        lhs,
        rhs,
        rounding_mode: RoundingMode::NearestEven,
        flush_to_zero: Flag(false),
    }
}

#[test]
fn operands_and_their_types() {
    refused(
        Code::OperandType,
        "'cuda_tile.addf' op operand #1 (`rhs`) must be a tile of f16, bf16, f32 or f64, but got `tile<8xi32>`",
        |b, _| {
            let (x, y) = (value(b, &[8], S::F32), value(b, &[8], S::I32));
            b.value(addf(x, y), tile(&[8], S::F32));
        },
    );
    refused(
        Code::TypeMismatch,
        "operand `rhs` is `tile<16xf32>`, but operand `lhs` is `tile<8xf32>`",
        |b, _| {
            let (x, y) = (value(b, &[8], S::F32), value(b, &[16], S::F32));
            b.value(addf(x, y), tile(&[8], S::F32));
        },
    );
    refused(
        Code::ExtentNotPowerOfTwo,
        "extent 0 of `tile<12xf32>` is 12, which is not a power of two",
        |b, _| {
            value(b, &[12], S::F32);
        },
    );
}

#[test]
fn attributes() {
    refused(
        Code::AttributeValue,
        "attribute `rounding_mode` is approx, expected nearest_even, zero,",
        |b, _| {
            let x = value(b, &[8], S::F32);
            let rounding_mode = RoundingMode::Approx;
            b.value(
                FloatOp::AddF {
                    lhs: x,
                    rhs: x,
                    rounding_mode,
                    flush_to_zero: Flag(false),
                },
                tile(&[8], S::F32),
            );
        },
    );
    refused(
        Code::AttributeValue,
        "attribute `flush_to_zero` needs f32 elements",
        |b, _| {
            let x = value(b, &[8], S::F64);
            let rounding_mode = RoundingMode::Zero;
            b.value(
                FloatOp::AddF {
                    lhs: x,
                    rhs: x,
                    rounding_mode,
                    flush_to_zero: Flag(true),
                },
                tile(&[8], S::F64),
            );
        },
    );
    refused(
        Code::AttributeValue,
        "attribute `rounding` is negative_inf",
        |b, _| {
            let x = value(b, &[8], S::I32);
            let (signedness, rounding) = (Signedness::Unsigned, RoundingMode::NegativeInf);
            b.value(
                IntOp::DivI {
                    lhs: x,
                    rhs: x,
                    signedness,
                    rounding,
                },
                tile(&[8], S::I32),
            );
        },
    );
    for (predicate, text) in [
        (
            Predicate::DivBy {
                divisor: 3,
                every: None,
                along: None,
            },
            "div_by has the divisor 3",
        ),
        (
            Predicate::DivBy {
                divisor: 4,
                every: Some(9),
                along: Some(0),
            },
            "expected 0 to 8",
        ),
        (Predicate::SameElements(vec![1, 1]), "same_elements has 2 entries"),
        (
            Predicate::Bounded {
                lower: Some(300),
                upper: None,
            },
            "expected -128 to 127 for i8",
        ),
        (
            Predicate::Bounded {
                lower: Some(3),
                upper: Some(2),
            },
            "lower bound 3 above the upper bound 2",
        ),
    ] {
        refused(Code::AttributeValue, text, |b, _| {
            let value = value(b, &[8], S::I8);
            b.value(ShapeOp::Assume { value, predicate }, tile(&[8], S::I8));
        });
    }
}

#[test]
fn conversions() {
    let ftof = |from: S, to: S, rounding_mode| {
        problem(move |b, _| {
            let from = value(b, &[8], from);
            b.value(CastOp::FToF { from, rounding_mode }, tile(&[8], to));
        })
        .map(|(code, _)| code)
    };
    assert_eq!(ftof(S::F16, S::F32, RoundingMode::NearestAway), None);
    assert_eq!(
        ftof(S::F64, S::F32, RoundingMode::NearestAway),
        Some(Code::AttributeValue)
    );
    assert_eq!(ftof(S::F32, S::BF16, RoundingMode::Zero), None);
    assert_eq!(
        ftof(S::F32, S::F8E5M2, RoundingMode::Zero),
        Some(Code::AttributeValue)
    );
    assert_eq!(ftof(S::F32, S::F8E8M0FNU, RoundingMode::Zero), None);
    assert_eq!(
        ftof(S::F32, S::F32, RoundingMode::NearestEven),
        Some(Code::TypeMismatch)
    );
    refused(Code::TypeMismatch, "expected narrower elements", |b, _| {
        let from = value(b, &[8], S::I8);
        let overflow = tilewright_irs::cuda_tile::IntegerOverflow::None;
        b.value(CastOp::TruncI { from, overflow }, tile(&[8], S::I16));
    });
    refused(
        Code::TypeMismatch,
        "operand `source` is `tile<8xi32>` with 32",
        |b, _| {
            let source = value(b, &[8], S::I32);
            b.value(CastOp::Bitcast { source }, tile(&[8], S::F16));
        },
    );
}

#[test]
fn shapes() {
    refused(
        Code::TypeMismatch,
        "with 16 elements, but operand `source` is `tile<8xf32>` with 8",
        |b, _| {
            let source = value(b, &[8], S::F32);
            b.value(ShapeOp::Reshape { source }, tile(&[16], S::F32));
        },
    );
    refused(
        Code::TypeMismatch,
        "operand `source` is `tile<1x4xf32>`, but the result is `tile<2x8xf32>`: extent 1 is 4, expected 1 or 8",
        |b, _| {
            let source = value(b, &[1, 4], S::F32);
            b.value(ShapeOp::Broadcast { source }, tile(&[2, 8], S::F32));
        },
    );
    for (permutation, code) in [
        (vec![0, 0], Code::BadDimMap),
        (vec![0, 2], Code::BadDimMap),
        (vec![0], Code::BadDimMap),
        (vec![0, 1], Code::TypeMismatch),
    ] {
        refused(code, "'cuda_tile.permute' op", |b, _| {
            let source = value(b, &[2, 4], S::F32);
            b.value(ShapeOp::Permute { source, permutation }, tile(&[4, 2], S::F32));
        });
    }
    refused(
        Code::TypeMismatch,
        "expected an extent of at most 256: as many numbers have 8 bits",
        |b, _| {
            b.value(ShapeOp::Iota {}, tile(&[512], S::I8));
        },
    );
    refused(
        Code::ConstantSize,
        "the constant has 2 elements, but `tile<4xi8>` holds 4",
        |b, _| {
            let value = Dense::Elements(S::I8, vec![1, 2]);
            b.value(ShapeOp::Constant { value }, tile(&[4], S::I8));
        },
    );
}

#[test]
fn memory() {
    let load = |ordering, scope| {
        problem(move |b, source| {
            let op = MemoryOp::LoadPtrTko {
                source,
                mask: None,
                padding_value: None,
                token: None,
                ordering,
                scope,
                optimization_hints: None,
            };
            b.op(op, [TileType::scalar(S::F32), TileType::Token]);
        })
        .map(|(code, _)| code)
    };
    assert_eq!(load(MemoryOrdering::Weak, None), None);
    assert_eq!(
        load(MemoryOrdering::Weak, Some(MemoryScope::Device)),
        Some(Code::AttributeValue)
    );
    assert_eq!(load(MemoryOrdering::Relaxed, None), Some(Code::MissingAttribute));
    assert_eq!(
        load(MemoryOrdering::Release, Some(MemoryScope::Device)),
        Some(Code::AttributeValue)
    );
    refused(Code::OperandType, "but add takes i32 or i64", |b, pointers| {
        let arg = value(b, &[], S::F32);
        let (ordering, scope, mode) = (MemoryOrdering::Relaxed, MemoryScope::Device, AtomicRmwMode::Add);
        let op = MemoryOp::AtomicRmwTko {
            pointers,
            arg,
            mask: None,
            token: None,
            ordering,
            scope,
            mode,
        };
        b.op(op, [TileType::scalar(S::F32), TileType::Token]);
    });
}

fn view_of(tensor: &TensorView) -> TileType {
    TileType::PartitionView(Arc::new(PartitionView {
        tile: [8].into(),
        tensor: tensor.clone(),
        dim_map: vec![0],
        padding: None,
    }))
}

#[test]
fn views() {
    let tensor = TensorView {
        element: S::F32,
        shape: vec![None],
        strides: vec![Some(1)],
        attr: None,
    };
    let make = |b: &mut Build<'_>, base, dynamic_shape| {
        let op = ViewOp::MakeTensorView {
            base,
            dynamic_shape,
            dynamic_strides: Vec::new(),
        };
        b.value(op, TileType::TensorView(Arc::new(tensor.clone())))
    };
    refused(
        Code::OperandCount,
        "has 0 operands `dynamic_shape`, but",
        |b, base| {
            make(b, base, Vec::new());
        },
    );
    let load = |b: &mut Build<'_>, base, count: usize, ty: TileType, inbounds: Vec<bool>| {
        let n = value(b, &[], S::I32);
        let tensor_view = make(b, base, vec![n]);
        let view = b.value(ViewOp::MakePartitionView { tensor_view }, view_of(&tensor));
        let op = ViewOp::LoadViewTko {
            view,
            index: vec![n; count],
            token: None,
            ordering: MemoryOrdering::Weak,
            scope: None,
            optimization_hints: None,
            inbounds,
        };
        b.op(op, [ty, TileType::Token]);
    };
    let eight = tile(&[8], S::F32);
    accepted(|b, base| load(b, base, 1, eight.clone(), vec![true]));
    refused(
        Code::OperandCount,
        "has 2 operands `index`, but the view has 1",
        |b, base| {
            load(b, base, 2, eight.clone(), vec![false; 2]);
        },
    );
    refused(
        Code::AttributeValue,
        "attribute `inbounds` has 0 entries",
        |b, base| {
            load(b, base, 1, eight.clone(), Vec::new());
        },
    );
    refused(Code::TypeMismatch, "result `tile` is `tile<4xf32>`", |b, base| {
        load(b, base, 1, tile(&[4], S::F32), vec![false]);
    });
}

#[test]
fn control_flow() {
    refused(Code::MisplacedOp, "stands outside of a `loop`", |b, _| {
        let condition = value(b, &[], S::I1);
        let (then_region, then, _) = b.region([]);
        b.within(then, |b| b.effect(ControlOp::Break { operands: Vec::new() }));
        let else_region = b.body.add_region();
        b.op(
            ControlOp::If {
                condition,
                then_region,
                else_region,
            },
            [],
        );
    });
    refused(
        Code::RegionCount,
        "has 1 result, so it needs an else region",
        |b, _| {
            let condition = value(b, &[], S::I1);
            let (then_region, then, _) = b.region([]);
            b.within(then, |b| {
                b.effect(ControlOp::Yield {
                    operands: vec![condition],
                })
            });
            let else_region = b.body.add_region();
            b.op(
                ControlOp::If {
                    condition,
                    then_region,
                    else_region,
                },
                [TileType::scalar(S::I1)],
            );
        },
    );
    refused(
        Code::BlockArguments,
        "value 0 is `tile<i1>`, but the list of the results of the `for` has",
        |b, _| {
            let (i, other) = (value(b, &[], S::I32), value(b, &[], S::I1));
            let (body, block, _) = b.region([TileType::scalar(S::I32), TileType::scalar(S::I32)]);
            b.within(block, |b| {
                b.effect(ControlOp::Continue {
                    operands: vec![other],
                })
            });
            let op = ControlOp::For {
                lower_bound: i,
                upper_bound: i,
                step: i,
                init_values: vec![i],
                unsigned_cmp: Flag(false),
                body,
            };
            b.value(op, TileType::scalar(S::I32));
        },
    );
    refused(Code::MisplacedOp, "stands in a `for`", |b, _| {
        let i = value(b, &[], S::I32);
        let condition = value(b, &[], S::I1);
        let (body, block, _) = b.region([TileType::scalar(S::I32)]);
        b.within(block, |b| {
            let (then_region, then, _) = b.region([]);
            b.within(then, |b| b.effect(ControlOp::Return { operands: Vec::new() }));
            let else_region = b.body.add_region();
            b.op(
                ControlOp::If {
                    condition,
                    then_region,
                    else_region,
                },
                [],
            );
            b.effect(ControlOp::Continue { operands: Vec::new() });
        });
        let (lower_bound, unsigned_cmp) = (i, Flag(false));
        let init_values = Vec::new();
        b.op(
            ControlOp::For {
                lower_bound,
                upper_bound: i,
                step: i,
                init_values,
                unsigned_cmp,
                body,
            },
            [],
        );
    });
    refused(
        Code::OperandCount,
        "attribute `str` has 2 conversions, but the op has 1 operand",
        |b, _| {
            let args = vec![value(b, &[], S::I32)];
            b.value(
                ControlOp::PrintTko {
                    str: "%d %5.2f %%".to_owned(),
                    args,
                    token: None,
                },
                TileType::Token,
            );
        },
    );
}

#[test]
fn folds() {
    let reduce = |dim: i32, identity: Attr, result: TileType| {
        problem(move |b, _| {
            let operands = vec![value(b, &[4, 8], S::F32)];
            let (body, block, args) = b.region([TileType::scalar(S::F32), TileType::scalar(S::F32)]);
            b.within(block, |b| {
                let sum = b.value(addf(args[0], args[1]), TileType::scalar(S::F32));
                b.effect(ControlOp::Yield { operands: vec![sum] });
            });
            b.value(
                ShapeOp::Reduce {
                    operands,
                    dim,
                    identities: vec![identity],
                    body,
                },
                result,
            );
        })
        .map(|(code, _)| code)
    };
    let zero = || Attr::Number(Literal::new(S::F32, 0));
    assert_eq!(reduce(1, zero(), tile(&[4], S::F32)), None);
    assert_eq!(reduce(0, zero(), tile(&[4], S::F32)), Some(Code::TypeMismatch));
    assert_eq!(reduce(2, zero(), tile(&[4], S::F32)), Some(Code::AttributeValue));
    assert_eq!(
        reduce(1, Attr::Bool(true), tile(&[4], S::F32)),
        Some(Code::AttributeKind)
    );
}

#[test]
fn modules() {
    let global = |name: &str| Global {
        name: name.to_owned(),
        ty: Tile::new([2], S::F32),
        value: Dense::Splat(Literal::new(S::F32, 0)),
        alignment: 0,
        private: false,
        constant: false,
    };
    let uses = |name: &str, pointee| {
        let name = Symbol(name.to_owned());
        func(move |b, _| {
            b.value(
                MemoryOp::GetGlobal { name },
                TileType::scalar(Element::ptr(pointee)),
            );
        })
    };
    let codes = |globals: Vec<Global>, funcs| {
        let module = TileModule {
            globals,
            funcs,
            ..TileModule::new(Version::V13_5)
        };
        let problems = verify_module(&module).err().unwrap_or_default();
        problems
            .into_iter()
            .map(|problem| problem.diagnostic.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(vec![global("g")], vec![uses("g", S::F32)]), []);
    assert_eq!(
        codes(vec![global("g")], vec![uses("h", S::F32)]),
        [Code::UnknownSymbol]
    );
    assert_eq!(
        codes(vec![global("g")], vec![uses("g", S::I32)]),
        [Code::TypeMismatch]
    );
    assert_eq!(
        codes(vec![global("g"), global("g")], vec![]),
        [Code::DuplicateSymbol]
    );
    assert_eq!(
        codes(vec![global("f")], vec![func(|_, _| {})]),
        [Code::DuplicateSymbol]
    );
    let mut private = func(|_, _| {});
    private.attrs.private = Flag(true);
    assert_eq!(codes(vec![], vec![private]), [Code::AttributeValue]);
}
