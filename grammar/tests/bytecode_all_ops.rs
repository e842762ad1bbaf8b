//! A kernel with every op of the language: it verifies, and reads the same after it was written.

use std::collections::BTreeSet;

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::bytecode::{read, write};
use tilewright_irs::core::{Block, Body, Builder, Flag, Func, Origin, Value};
use tilewright_irs::cuda_tile::{
    AtomicRmwMode, Attr, CastOp, ComparisonOrdering, ComparisonPredicate, ControlOp, CudaTile, DebugInfo,
    Dict, Element, EntryAttrs, FloatOp, GatherScatterView, Global, Hints, IntOp, IntegerOverflow, MemoryOp,
    MemoryOrdering, MemoryScope, MultimemReduction, PaddingValue, PartitionView, Pointer, Predicate, PtrAttr,
    RoundingMode, ShapeOp, Signedness, StridedView, Symbol, TensorView, Tile, TileModule, TileOp, TileType,
    Version, ViewOp, verify_module,
};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::{Dense, Literal};

const OFF: Flag = Flag(false);
const ON: Flag = Flag(true);

fn tile(shape: &[u64], element: impl Into<Element>) -> TileType {
    TileType::tile(shape, element)
}

fn scalar(element: impl Into<Element>) -> TileType {
    TileType::scalar(element)
}

type Build<'a> = Builder<'a, CudaTile>;

fn constant(b: &mut Build<'_>, shape: &[u64], ty: S) -> Value {
    let value = Dense::Splat(Literal::new(ty, 1));
    b.value(ShapeOp::Constant { value }, tile(shape, ty))
}

fn floats(b: &mut Build<'_>) {
    let ty = tile(&[8], S::F32);
    let x = constant(b, &[8], S::F32);
    let (lhs, rhs, source) = (x, x, x);
    let (rounding_mode, flush_to_zero) = (RoundingMode::NegativeInf, ON);
    let ops = [
        FloatOp::AbsF { source },
        FloatOp::AddF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        },
        FloatOp::SubF {
            lhs,
            rhs,
            rounding_mode,
            flush_to_zero,
        },
        FloatOp::MulF {
            lhs,
            rhs,
            rounding_mode: RoundingMode::NearestEven,
            flush_to_zero: OFF,
        },
        FloatOp::DivF {
            lhs,
            rhs,
            rounding_mode: RoundingMode::Approx,
            flush_to_zero,
        },
        FloatOp::RemF { lhs, rhs },
        FloatOp::Fma {
            lhs,
            rhs,
            acc: x,
            rounding_mode,
            flush_to_zero,
        },
        FloatOp::NegF { source },
        FloatOp::MaxF {
            lhs,
            rhs,
            propagate_nan: ON,
            flush_to_zero: OFF,
        },
        FloatOp::MinF {
            lhs,
            rhs,
            propagate_nan: OFF,
            flush_to_zero: ON,
        },
        FloatOp::Ceil { source },
        FloatOp::Floor { source },
        FloatOp::Sqrt {
            source,
            rounding_mode: RoundingMode::Approx,
            flush_to_zero,
        },
        FloatOp::Rsqrt {
            source,
            flush_to_zero,
        },
        FloatOp::Exp {
            source,
            rounding_mode: RoundingMode::Approx,
        },
        FloatOp::Exp2 {
            source,
            flush_to_zero,
        },
        FloatOp::Log { source },
        FloatOp::Log2 { source },
        FloatOp::PowF { source, exponent: x },
        FloatOp::Sin { source },
        FloatOp::Cos { source },
        FloatOp::Tan { source },
        FloatOp::Sinh { source },
        FloatOp::Cosh { source },
        FloatOp::Tanh {
            source,
            rounding_mode: RoundingMode::Approx,
        },
        FloatOp::Atan2 { x, y: x },
    ];
    for op in ops {
        b.value(op, ty.clone());
    }
    let exponent = constant(b, &[8], S::I32);
    b.value(FloatOp::PowI { source, exponent }, ty);
    let (predicate, ordering) = (ComparisonPredicate::LessThan, ComparisonOrdering::Unordered);
    b.value(
        FloatOp::CmpF {
            lhs,
            rhs,
            predicate,
            ordering,
        },
        tile(&[8], S::I1),
    );
}

fn ints(b: &mut Build<'_>) {
    let ty = tile(&[8], S::I32);
    let x = constant(b, &[8], S::I32);
    let (lhs, rhs, source) = (x, x, x);
    let (overflow, signedness) = (IntegerOverflow::NoSignedWrap, Signedness::Signed);
    let ops = [
        IntOp::AbsI { source },
        IntOp::AddI { lhs, rhs, overflow },
        IntOp::SubI { lhs, rhs, overflow },
        IntOp::MulI {
            lhs,
            rhs,
            overflow: IntegerOverflow::None,
        },
        IntOp::MulHiI { x, y: x },
        IntOp::DivI {
            lhs,
            rhs,
            signedness,
            rounding: RoundingMode::NegativeInf,
        },
        IntOp::RemI { lhs, rhs, signedness },
        IntOp::NegI { source, overflow },
        IntOp::MaxI { lhs, rhs, signedness },
        IntOp::MinI {
            lhs,
            rhs,
            signedness: Signedness::Unsigned,
        },
        IntOp::AndI { lhs, rhs },
        IntOp::OrI { lhs, rhs },
        IntOp::XorI { lhs, rhs },
        IntOp::ShlI {
            lhs,
            rhs,
            overflow: IntegerOverflow::NoWrap,
        },
        IntOp::ShrI { lhs, rhs, signedness },
    ];
    for op in ops {
        b.value(op, ty.clone());
    }
    let predicate = ComparisonPredicate::GreaterThanOrEqual;
    b.value(
        IntOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        },
        tile(&[8], S::I1),
    );
}

fn casts(b: &mut Build<'_>) {
    let (i, f) = (constant(b, &[8], S::I32), constant(b, &[8], S::F32));
    let signedness = Signedness::Unsigned;
    b.value(CastOp::Bitcast { source: i }, tile(&[8], S::F32));
    let wide = b.value(CastOp::ExtI { from: i, signedness }, tile(&[8], S::I64));
    b.value(
        CastOp::TruncI {
            from: i,
            overflow: IntegerOverflow::NoWrap,
        },
        tile(&[8], S::I8),
    );
    b.value(
        CastOp::FToF {
            from: f,
            rounding_mode: RoundingMode::NearestAway,
        },
        tile(&[8], S::F64),
    );
    let rounding_mode = RoundingMode::NearestIntToZero;
    b.value(
        CastOp::FToI {
            from: f,
            signedness,
            rounding_mode,
            saturating: ON,
        },
        tile(&[8], S::I16),
    );
    let rounding_mode = RoundingMode::NearestEven;
    b.value(
        CastOp::IToF {
            from: i,
            signedness,
            rounding_mode,
        },
        tile(&[8], S::BF16),
    );
    let pointers = b.value(
        CastOp::IntToPtr { source: wide },
        tile(&[8], Element::ptr(S::F32)),
    );
    b.value(CastOp::PtrToInt { source: pointers }, tile(&[8], S::I64));
    b.value(
        CastOp::PtrToPtr { source: pointers },
        tile(&[8], Element::ptr(S::I8)),
    );
    let bytes = b.value(CastOp::Pack { source: f }, tile(&[32], S::I8));
    b.value(CastOp::Unpack { source: bytes }, tile(&[64], S::F4E2M1FN));
}

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

fn hints() -> Option<Hints> {
    let latency = Attr::Number(Literal::i32(3));
    Some(Hints(vec![(
        "sm_90".to_owned(),
        Dict(vec![("latency".to_owned(), latency)]),
    )]))
}

fn memory(b: &mut Build<'_>, base: Value) {
    let token = b.value(MemoryOp::MakeToken {}, TileType::Token);
    let first = b.value(
        ShapeOp::Reshape { source: base },
        tile(&[1], Element::ptr(S::F32)),
    );
    let many = b.value(
        ShapeOp::Broadcast { source: first },
        tile(&[8], Element::ptr(S::F32)),
    );
    let offset = b.value(ShapeOp::Iota {}, tile(&[8], S::I32));
    let p = b.value(
        MemoryOp::Offset { ptr: many, offset },
        tile(&[8], Element::ptr(S::F32)),
    );
    let (mask, x) = (constant(b, &[8], S::I1), constant(b, &[8], S::F32));
    let loaded = [tile(&[8], S::F32), TileType::Token];
    b.op(
        MemoryOp::LoadPtrTko {
            source: p,
            mask: Some(mask),
            padding_value: Some(x),
            token: Some(token),
            ordering: MemoryOrdering::Acquire,
            scope: Some(MemoryScope::System),
            optimization_hints: hints(),
        },
        loaded.clone(),
    );
    b.op(
        MemoryOp::StorePtrTko {
            destination: p,
            value: x,
            mask: None,
            token: Some(token),
            ordering: MemoryOrdering::Weak,
            scope: None,
            optimization_hints: None,
        },
        [TileType::Token],
    );
    let (ordering, scope) = (MemoryOrdering::AcqRel, MemoryScope::Device);
    let cas = MemoryOp::AtomicCasTko {
        pointers: p,
        cmp: x,
        val: x,
        mask: Some(mask),
        token: None,
        ordering,
        scope,
    };
    b.op(cas, loaded.clone());
    let mode = AtomicRmwMode::AddF;
    let rmw = MemoryOp::AtomicRmwTko {
        pointers: p,
        arg: x,
        mask: None,
        token: Some(token),
        ordering,
        scope,
        mode,
    };
    b.op(rmw, loaded);
    b.value(
        MemoryOp::GetGlobal {
            name: Symbol("table".to_owned()),
        },
        scalar(Element::ptr(S::I16)),
    );
    b.value(
        MemoryOp::Alloca {
            num_elem: 64,
            alignment: 16,
            global: ON,
        },
        scalar(Element::ptr(S::F64)),
    );
    b.value(
        MemoryOp::JoinTokens {
            tokens: vec![token, token],
        },
        TileType::Token,
    );
    b.value(MemoryOp::MemoryFenceAliasTko { token }, TileType::Token);
    b.value(MemoryOp::GdcLaunchDependentsTko { token: None }, TileType::Token);
    b.value(MemoryOp::GdcWaitTko { token: Some(token) }, TileType::Token);
}

fn tensor(attr: Option<PtrAttr>) -> TensorView {
    TensorView {
        element: S::F32,
        shape: vec![None, Some(64)],
        strides: vec![Some(64), Some(1)],
        attr,
    }
}

fn views(b: &mut Build<'_>, base: Value, multicast: Value) {
    let n = constant(b, &[], S::I32);
    let token = b.value(MemoryOp::MakeToken {}, TileType::Token);
    let tv = |base| ViewOp::MakeTensorView {
        base,
        dynamic_shape: vec![n],
        dynamic_strides: Vec::new(),
    };
    let t = b.value(tv(base), TileType::TensorView(Box::new(tensor(None))));
    let partition = |attr| PartitionView {
        tile: [4, 8].into(),
        tensor: tensor(attr),
        dim_map: vec![0, 1],
        padding: Some(PaddingValue::NegInf),
    };
    let view = TileType::PartitionView(Box::new(partition(None)));
    let view = b.value(ViewOp::MakePartitionView { tensor_view: t }, view);
    let strided = StridedView {
        tile: [4, 8].into(),
        traversal_strides: vec![3, 5],
        tensor: tensor(None),
        dim_map: vec![1, 0],
        padding: None,
    };
    let strided = TileType::StridedView(Box::new(strided));
    let strided = b.value(ViewOp::MakeStridedView { tensor_view: t }, strided);
    let gather = GatherScatterView {
        tile: [4, 8].into(),
        tensor: tensor(None),
        sparse_dim: 0,
        padding: Some(PaddingValue::Zero),
    };
    let gather = TileType::GatherScatterView(Box::new(gather));
    let gather = b.value(ViewOp::MakeGatherScatterView { tensor_view: t }, gather);
    let pair = || [scalar(S::I32), scalar(S::I32)];
    b.op(ViewOp::GetTensorShape { src: t }, pair());
    b.op(ViewOp::GetIndexSpaceShape { src: strided }, pair());
    let rows = constant(b, &[4], S::I32);
    let loaded = [tile(&[4, 8], S::F32), TileType::Token];
    let load = |view, index, inbounds| ViewOp::LoadViewTko {
        view,
        index,
        token: Some(token),
        ordering: MemoryOrdering::Weak,
        scope: None,
        optimization_hints: hints(),
        inbounds,
    };
    b.op(load(gather, vec![rows, n], vec![false, false]), loaded.clone());
    let id = b.op(load(view, vec![n, n], vec![true, false]), loaded.clone());
    let x = b.body.op(id).result(0);
    let index = vec![n, n];
    let inbounds = vec![true, true];
    b.value(
        ViewOp::StoreViewTko {
            tile: x,
            view,
            index: index.clone(),
            token: None,
            ordering: MemoryOrdering::Release,
            scope: Some(MemoryScope::TileBlock),
            optimization_hints: None,
            inbounds: inbounds.clone(),
        },
        TileType::Token,
    );
    let (ordering, scope) = (MemoryOrdering::Relaxed, MemoryScope::Device);
    let mode = AtomicRmwMode::AddF;
    b.value(
        ViewOp::AtomicRedViewTko {
            view,
            index: index.clone(),
            value: x,
            token: None,
            ordering,
            scope,
            mode,
            inbounds: inbounds.clone(),
        },
        TileType::Token,
    );
    let attr = Some(PtrAttr::Multicast);
    let t = b.value(tv(multicast), TileType::TensorView(Box::new(tensor(attr))));
    let view = TileType::PartitionView(Box::new(partition(attr)));
    let view = b.value(ViewOp::MakePartitionView { tensor_view: t }, view);
    let reduction = MultimemReduction::Add;
    b.op(
        ViewOp::MultimemLoadReduceViewTko {
            view,
            index: index.clone(),
            token: Some(token),
            ordering,
            scope: Some(scope),
            reduction,
            inbounds: inbounds.clone(),
        },
        loaded,
    );
    b.value(
        ViewOp::MultimemReduceViewTko {
            view,
            tile: x,
            index: index.clone(),
            token: None,
            ordering,
            scope,
            reduction,
            inbounds: inbounds.clone(),
        },
        TileType::Token,
    );
    let (ordering, scope) = (MemoryOrdering::Weak, None);
    b.value(
        ViewOp::MultimemStoreViewTko {
            view,
            tile: x,
            index,
            token: None,
            ordering,
            scope,
            inbounds,
        },
        TileType::Token,
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
    let missing: Vec<_> = TileOp::tile_specs()
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
    // The file that NVIDIA's disassembler was asked about; `every_op.13.5.mlir` beside it is what it said.
    let known = include_bytes!("data/every_op.13.5.tileirbc");
    let known = read(known, FileId(0)).expect("a valid file");
    assert_eq!(known.module, module);
}

#[test]
fn an_older_version_names_all_that_it_lacks() {
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
