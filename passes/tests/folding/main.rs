//! Folded ops on constants against exact arithmetic with rational numbers.

mod conversions;
mod exact;
mod integers;
mod other_floats;
mod rounded_floats;

use tilewright_irs::core::{Body, Builder, Func, Origin, Value};
use tilewright_irs::cuda_tile::{ControlOp, CudaTile, EntryAttrs, ShapeOp, TileOp, TileType};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_passes::cuda_tile::canonicalize;

/// The folded result for each list of constants; `None` where the op is kept.
pub(crate) fn folded(
    op: &dyn Fn(&[Value]) -> TileOp,
    to: ScalarType,
    cases: &[Vec<Literal>],
) -> Vec<Option<Literal>> {
    let mut body = Body::<CudaTile>::default();
    let root = body.root();
    let block = body.add_block(root);
    let mut build = Builder::new(&mut body, block, Origin(0));
    for case in cases {
        let operands: Vec<Value> = case
            .iter()
            .map(|&literal| {
                let value = Dense::Splat(literal);
                build.value(ShapeOp::Constant { value }, TileType::scalar(literal.ty))
            })
            .collect();
        let result = build.value(op(&operands), TileType::scalar(to));
        let shown = ControlOp::PrintTko {
            args: vec![result],
            token: None,
            str: String::new(),
        };
        build.op(shown, [TileType::Token]);
    }
    let func = Func {
        name: "k".into(),
        attrs: EntryAttrs::default(),
        body,
    };
    let func = canonicalize(&func).expect("a pass without errors");
    let definitions = func.body.definitions();
    let mut results = Vec::new();
    for id in func.body.walk() {
        if let TileOp::Control(ControlOp::PrintTko { args, .. }) = &func.body.op(id).kind {
            let definition = definitions.get(args[0]).map(|&id| &func.body.op(id).kind);
            results.push(match definition {
                Some(TileOp::Shape(ShapeOp::Constant {
                    value: Dense::Splat(literal),
                })) => Some(*literal),
                _ => None,
            });
        }
    }
    assert_eq!(results.len(), cases.len());
    results
}

/// An op on one operand.
pub(crate) fn unary<Op: Into<TileOp>>(build: impl Fn(Value) -> Op) -> impl Fn(&[Value]) -> TileOp {
    move |operands| build(operands[0]).into()
}

/// An op on two operands.
pub(crate) fn binary<Op: Into<TileOp>>(build: impl Fn(Value, Value) -> Op) -> impl Fn(&[Value]) -> TileOp {
    move |operands| build(operands[0], operands[1]).into()
}

/// Checks that every case has the expected result, or is kept if there is none.
pub(crate) fn check(
    what: &str,
    op: &dyn Fn(&[Value]) -> TileOp,
    to: ScalarType,
    cases: &[Vec<Literal>],
    want: &dyn Fn(&[Literal]) -> Option<u64>,
) {
    let mut kept = 0;
    for (case, have) in cases.iter().zip(folded(op, to, cases)) {
        let want = want(case).map(|bits| Literal::new(to, bits));
        assert_eq!(have, want, "{what} of {case:x?}");
        kept += usize::from(have.is_none());
    }
    assert!(kept < cases.len(), "{what}: nothing is folded");
}
