//! Memory ops through pointers and views.

use std::sync::Arc;

use tilewright_irs::core::Value;
use tilewright_irs::cuda_tile::{
    AtomicRmwMode, Attr, Dict, Element, GatherScatterView, Hints, MemoryOp, MemoryOrdering, MemoryScope,
    MultimemReduction, PaddingValue, PartitionView, PtrAttr, ShapeOp, StridedView, Symbol, TensorView,
    TileType, ViewOp,
};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::Literal;

use crate::values::{Build, ON, constant, scalar, tile};

fn hints() -> Option<Hints> {
    let latency = Attr::Number(Literal::i32(3));
    Some(Hints(vec![(
        "sm_90".to_owned(),
        Dict(vec![("latency".to_owned(), latency)]),
    )]))
}

pub(crate) fn memory(b: &mut Build<'_>, base: Value) {
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

pub(crate) fn views(b: &mut Build<'_>, base: Value, multicast: Value) {
    let n = constant(b, &[], S::I32);
    let token = b.value(MemoryOp::MakeToken {}, TileType::Token);
    let tv = |base| ViewOp::MakeTensorView {
        base,
        dynamic_shape: vec![n],
        dynamic_strides: Vec::new(),
    };
    let t = b.value(tv(base), TileType::TensorView(Arc::new(tensor(None))));
    let partition = |attr| PartitionView {
        tile: [4, 8].into(),
        tensor: tensor(attr),
        dim_map: vec![0, 1],
        padding: Some(PaddingValue::NegInf),
    };
    let view = TileType::PartitionView(Arc::new(partition(None)));
    let view = b.value(ViewOp::MakePartitionView { tensor_view: t }, view);
    let strided = StridedView {
        tile: [4, 8].into(),
        traversal_strides: vec![3, 5],
        tensor: tensor(None),
        dim_map: vec![1, 0],
        padding: None,
    };
    let strided = TileType::StridedView(Arc::new(strided));
    let strided = b.value(ViewOp::MakeStridedView { tensor_view: t }, strided);
    let gather = GatherScatterView {
        tile: [4, 8].into(),
        tensor: tensor(None),
        sparse_dim: 0,
        padding: Some(PaddingValue::Zero),
    };
    let gather = TileType::GatherScatterView(Arc::new(gather));
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
    let t = b.value(tv(multicast), TileType::TensorView(Arc::new(tensor(attr))));
    let view = TileType::PartitionView(Arc::new(partition(attr)));
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
