//! A kernel with every op of the language, verified and round-tripped through bytecode.

mod arithmetic;
mod memory;
mod values;

use std::collections::BTreeSet;

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::bytecode::{read, write};
use tilewright_irs::core::{Block, Body, Builder, Func, Origin, Value};
use tilewright_irs::cuda_tile::{
    Attr, ControlOp, DebugInfo, Dict, Element, EntryAttrs, FloatOp, Global, Hints, Pointer, Predicate,
    PtrAttr, RoundingMode, ShapeOp, Signedness, Tile, TileModule, TileOp, TileType, Version, verify_module,
};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::{Dense, Literal};

use arithmetic::{casts, floats, ints};
use memory::{memory, views};
use values::{Build, OFF, ON, constant, scalar, tile};

fn folded(b: &mut Build<'_>, x: Value) -> tilewright_irs::core::Region {
    let (region, block, args) = b.region([scalar(S::F32), scalar(S::F32)]);
    b.within(block, |b| {
        let sum = FloatOp::AddF {
            lhs: args[0],
            rhs: args[1],
            rounding_mode: RoundingMode::NearestEven,
            flush_to_zero: OFF,
        };
        let sum = b.value(sum, scalar(S::F32));
        b.effect(ControlOp::Yield { operands: vec![sum] });
    });
    let _ = x;
    region
}

fn shapes(b: &mut Build<'_>) {
    let x = constant(b, &[4, 8], S::F32);
    let zero = constant(b, &[], S::I32);
    let bits = Dense::Elements(S::I1, vec![1, 0, 0, 1]);
    b.value(ShapeOp::Constant { value: bits }, tile(&[4], S::I1));
    let value = Dense::Elements(S::TF32, vec![1, 2]);
    b.value(ShapeOp::Constant { value }, tile(&[2], S::TF32));
    b.value(ShapeOp::Iota {}, tile(&[64], S::I8));
    let flat = b.value(ShapeOp::Reshape { source: x }, tile(&[1, 32], S::F32));
    b.value(ShapeOp::Broadcast { source: flat }, tile(&[4, 32], S::F32));
    b.value(
        ShapeOp::Permute {
            source: x,
            permutation: vec![1, 0],
        },
        tile(&[8, 4], S::F32),
    );
    b.value(
        ShapeOp::Cat {
            lhs: x,
            rhs: x,
            dim: 1,
        },
        tile(&[4, 16], S::F32),
    );
    let indices = vec![zero, zero];
    let part = b.value(
        ShapeOp::Extract {
            source: x,
            indices: indices.clone(),
        },
        tile(&[2, 2], S::F32),
    );
    b.value(
        ShapeOp::Insert {
            source: part,
            destination: x,
            indices,
        },
        tile(&[4, 8], S::F32),
    );
    let cond = constant(b, &[4, 8], S::I1);
    b.value(
        ShapeOp::Select {
            cond,
            val_if_true: x,
            val_if_false: x,
        },
        tile(&[4, 8], S::F32),
    );
    let i = constant(b, &[4, 8], S::I32);
    for predicate in [
        Predicate::DivBy {
            divisor: 16,
            every: Some(4),
            along: Some(1),
        },
        Predicate::SameElements(vec![1, 8]),
        Predicate::Bounded {
            lower: Some(-3),
            upper: Some(5),
        },
    ] {
        b.value(ShapeOp::Assume { value: i, predicate }, tile(&[4, 8], S::I32));
    }
    let identities = vec![Attr::Number(Literal::new(S::F32, 0x8000_0000))];
    let body = folded(b, x);
    let operands = vec![x];
    b.value(
        ShapeOp::Reduce {
            operands: operands.clone(),
            dim: 1,
            identities: identities.clone(),
            body,
        },
        tile(&[4], S::F32),
    );
    let body = folded(b, x);
    b.value(
        ShapeOp::Scan {
            operands,
            dim: 0,
            reverse: true,
            identities,
            body,
        },
        tile(&[4, 8], S::F32),
    );
    let (lhs, rhs) = (constant(b, &[4, 8], S::F16), constant(b, &[8, 16], S::F16));
    let acc = constant(b, &[4, 16], S::F32);
    b.value(
        ShapeOp::MmaF {
            lhs,
            rhs,
            acc,
            fast_acc: ON,
        },
        tile(&[4, 16], S::F32),
    );
    let (lhs, rhs) = (constant(b, &[4, 8], S::I8), constant(b, &[8, 16], S::I8));
    let acc = constant(b, &[4, 16], S::I32);
    let (signedness_lhs, signedness_rhs) = (Signedness::Signed, Signedness::Unsigned);
    b.value(
        ShapeOp::MmaI {
            lhs,
            rhs,
            acc,
            signedness_lhs,
            signedness_rhs,
        },
        tile(&[4, 16], S::I32),
    );
    let (lhs, rhs) = (
        constant(b, &[4, 64], S::F8E5M2),
        constant(b, &[64, 16], S::F8E5M2),
    );
    let (lhs_scale, rhs_scale) = (
        constant(b, &[4, 2], S::F8E8M0FNU),
        constant(b, &[2, 16], S::F8E8M0FNU),
    );
    let acc = constant(b, &[4, 16], S::F32);
    b.value(
        ShapeOp::MmaFScaled {
            lhs,
            rhs,
            acc,
            lhs_scale,
            rhs_scale,
        },
        tile(&[4, 16], S::F32),
    );
}

fn control(b: &mut Build<'_>) {
    let triple = || [scalar(S::I32), scalar(S::I32), scalar(S::I32)];
    let id = b.op(ControlOp::GetTileBlockId {}, triple());
    b.op(ControlOp::GetNumTileBlocks {}, triple());
    let i = b.body.op(id).result(0);
    let condition = constant(b, &[], S::I1);
    b.effect(ControlOp::Assert {
        condition,
        message: "it \"holds\"".to_owned(),
    });
    b.value(
        ControlOp::PrintTko {
            str: "i=%5d%%\n".to_owned(),
            args: vec![i],
            token: None,
        },
        TileType::Token,
    );
    let (body, block, args) = b.region([scalar(S::I32), scalar(S::I32)]);
    b.within(block, |b| {
        b.effect(ControlOp::Continue {
            operands: vec![args[1]],
        })
    });
    let init_values = vec![i];
    let counted = ControlOp::For {
        lower_bound: i,
        upper_bound: i,
        step: i,
        init_values,
        unsigned_cmp: ON,
        body,
    };
    b.value(counted, scalar(S::I32));
    let (body, block, args) = b.region([scalar(S::I32)]);
    b.within(block, |b| {
        let (then_region, then, _) = b.region([]);
        b.within(then, |b| {
            b.effect(ControlOp::Break {
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
            [],
        );
        b.effect(ControlOp::Continue {
            operands: vec![args[0]],
        });
    });
    b.value(
        ControlOp::Loop {
            init_values: vec![i],
            body,
        },
        scalar(S::I1),
    );
    let (then_region, then, _) = b.region([]);
    b.within(then, |b| b.effect(ControlOp::Yield { operands: vec![i] }));
    let (else_region, other, _) = b.region([]);
    b.within(other, |b| b.effect(ControlOp::Return { operands: Vec::new() }));
    b.value(
        ControlOp::If {
            condition,
            then_region,
            else_region,
        },
        scalar(S::I32),
    );
}

fn everything() -> TileModule {
    let mut body = Body::default();
    let root = body.root();
    let entry: Block = body.add_block(root);
    let base = body.add_arg(entry, scalar(Element::ptr(S::F32)));
    let multicast = Element::Ptr(Pointer {
        pointee: S::F32,
        attr: Some(PtrAttr::Multicast),
    });
    let multicast = body.add_arg(entry, scalar(multicast));
    let mut b = Builder::new(&mut body, entry, Origin(0));
    floats(&mut b);
    ints(&mut b);
    casts(&mut b);
    shapes(&mut b);
    memory(&mut b, base);
    views(&mut b, base, multicast);
    control(&mut b);
    b.effect(ControlOp::Return { operands: Vec::new() });
    let warps = Attr::Number(Literal::i32(8));
    let warps = Dict(vec![("num_worker_warps_per_cta".to_owned(), warps)]);
    let name = Dict(vec![("cuda_tile.name".to_owned(), Attr::String("p".to_owned()))]);
    TileModule {
        version: Version::V13_5,
        producer: Some("a test".to_owned()),
        globals: vec![Global {
            name: "table".to_owned(),
            ty: Tile::new([4], S::I16),
            value: Dense::Elements(S::I16, vec![1, 2, 3, 0xFFFF]),
            alignment: 16,
            private: true,
            constant: true,
        }],
        funcs: vec![Func {
            name: "everything".to_owned(),
            attrs: EntryAttrs {
                optimization_hints: Some(Hints(vec![("default".to_owned(), warps)])),
                arg_attrs: Some(vec![Attr::Dict(name), Attr::Dict(Dict::default())]),
                ..EntryAttrs::default()
            },
            body: body.with_own_origins(),
        }],
        externals: Vec::new(),
    }
}

#[test]
fn a_kernel_with_every_op_verifies_and_reads_back() {
    let module = everything();
    let body = &module.funcs[0].body;
    let used: BTreeSet<_> = body
        .walk()
        .into_iter()
        .map(|id| body.op(id).kind.tile_spec().name)
        .collect();
    // The requirements of calls have separate tests.
    let missing: Vec<_> = TileOp::tile_specs()
        .filter(|spec| !spec.is_preview())
        .map(|spec| spec.name)
        .filter(|name| !used.contains(name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
    if let Err(problems) = verify_module(&module) {
        panic!("{problems:#?}");
    }
    let bytes = write(&module, &DebugInfo::default(), Version::V13_5).expect("13.5 has everything");
    let found = read(&bytes, FileId(0)).expect("what was written");
    assert_eq!(found.module, module);
    // The input of NVIDIA's disassembler; `every_op.13.5.mlir` is its output.
    let known = include_bytes!("../data/every_op.13.5.tileirbc");
    let known = read(known, FileId(0)).expect("a valid file");
    assert_eq!(known.module, module);
}

#[test]
fn an_older_version_reports_every_feature_that_it_lacks() {
    let module = everything();
    let problems = write(&module, &DebugInfo::default(), Version::V13_1).expect_err("13.1 lacks much");
    let body = &module.funcs[0].body;
    for id in body.walk() {
        let op = body.op(id);
        let spec = op.kind.tile_spec();
        let reported = problems.iter().any(|problem| {
            problem.func == Some(0)
                && problem.diagnostic.primary.as_ref().map(|label| label.at) == Some(op.origin)
        });
        assert!(spec.since == Version::V13_1 || reported, "{}", spec.name);
    }
    let messages: Vec<_> = problems
        .iter()
        .map(|problem| problem.diagnostic.message.as_str())
        .collect();
    for wanted in [
        "`cuda_tile.atan2`: the op needs bytecode version 13.2, but 13.1 is written",
        "`cuda_tile.negi`: `overflow` needs bytecode version 13.2, but 13.1 is written",
        "`cuda_tile.for`: `unsigned_cmp` needs bytecode version 13.2, but 13.1 is written",
        "`cuda_tile.load_view_tko`: `inbounds` needs bytecode version 13.4, but 13.1 is written",
        "`cuda_tile.ftof`: `rounding_mode` nearest_away needs bytecode version 13.4, but 13.1 is written",
    ] {
        assert!(messages.contains(&wanted), "{wanted}\n{messages:#?}");
    }
    let others: Vec<_> = problems
        .iter()
        .filter(|problem| problem.diagnostic.code != Code::OpcodeTooNew)
        .collect();
    assert!(others.is_empty(), "{others:#?}");
}
