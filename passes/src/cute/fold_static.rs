//! Folds values that their types say.
//!
//! In: `cute`. Out: `cute` in which a result whose type says everything is `cute.static` of that type wherever it is used, in which a
//! comparison of such values is a constant, and in which no pure op is left without a use but `cute.static`. It is what
//! `cute-fold-static` makes of the open dialect. Lowering needs none of it: [`desugar`](crate::cute_to_cute_desugared) computes
//! dynamic leaves only.
//! Ill-formed: nothing.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Func, OpId, Operation, Origin, Region, SideTable, Value};
use tilewright_irs::cute_types::Kind;
use tilewright_irs::mlir::dialects::{ArithOp, CuteOp};
use tilewright_irs::mlir::{Attribute, Dictionary, Mlir, MlirOp, Type, is_passed};
use tilewright_layouts::cute::{Leaf as _, SlotOf};

use crate::cleanup::substitute::Substitute;

/// Folds static values; see [the module](self).
///
/// # Errors
/// None.
pub fn fold_static(func: &Func<Mlir>) -> Result<Func<Mlir>, Vec<Diagnostic<Origin>>> {
    let mut func = func.clone();
    let mut uses: FxHashMap<Value, usize> = FxHashMap::default();
    for id in func.body.walk() {
        let visit = &mut |value| *uses.entry(value).or_default() += 1;
        func.body.op(id).kind.operands(visit);
    }
    let table = func.body.value_table();
    let root = func.body.root();
    let mut fold = Fold {
        func: &mut func,
        uses,
        table,
    };
    fold.region(root);
    let table = fold.table;
    for op in func.body.walk() {
        func.body.op_mut(op).kind.remap(&mut Substitute(&table));
    }
    func.body = func.body.renumbered();
    Ok(func)
}

struct Fold<'a> {
    func: &'a mut Func<Mlir>,
    /// How often each value is used by what is left.
    uses: FxHashMap<Value, usize>,
    /// What stands for a value that was folded.
    table: SideTable<Value, Value>,
}

impl Fold<'_> {
    fn region(&mut self, region: Region) {
        for block in self.func.body.region(region).blocks.clone() {
            self.block(block);
        }
    }

    /// From the last op to the first, so that what is used by folded ops alone is not used.
    fn block(&mut self, block: Block) {
        let ops = self.func.body.block(block).ops.clone();
        let mut kept = Vec::with_capacity(ops.len());
        for &op in ops.iter().rev() {
            let mut regions = Vec::new();
            self.func
                .body
                .op(op)
                .kind
                .regions(&mut |region| regions.push(region));
            regions.into_iter().for_each(|region| self.region(region));
            let made = match self.is_foldable(op) {
                true => self.folded(block, op),
                false => Vec::new(),
            };
            if self.is_foldable(op) && self.is_unused(op) {
                let uses = &mut self.uses;
                self.func.body.op(op).kind.operands(&mut |value| {
                    let count = uses.entry(value).or_default();
                    *count = count.saturating_sub(1);
                });
            } else {
                kept.push(op);
            }
            kept.extend(made.into_iter().rev());
        }
        kept.reverse();
        self.func.body.arrange_ops(block, kept);
    }

    /// Whether an op may be removed, and is not what others are folded to.
    fn is_foldable(&self, op: OpId) -> bool {
        let kind = &self.func.body.op(op).kind;
        kind.effects().is_pure() && !kind.is_terminator() && !matches!(kind, MlirOp::Cute(CuteOp::Static {}))
    }

    fn used(&self, value: Value) -> usize {
        self.uses.get(&value).copied().unwrap_or_default()
    }

    fn is_unused(&self, op: OpId) -> bool {
        self.func
            .body
            .op(op)
            .results()
            .all(|result| self.used(result) == 0)
    }

    /// The ops that stand for results of an op.
    fn folded(&mut self, block: Block, op: OpId) -> Vec<OpId> {
        let body = &self.func.body;
        let truth = match &body.op(op).kind {
            MlirOp::Cute(CuteOp::Equal { lhs, rhs }) => equal(body.ty(*lhs), body.ty(*rhs)),
            MlirOp::Cute(CuteOp::ElemLess { lhs, rhs }) => less(body.ty(*lhs), body.ty(*rhs)),
            _ => None,
        };
        let results: Vec<Value> = body.op(op).results().collect();
        let mut made = Vec::new();
        for result in results {
            let ty = self.func.body.ty(result).clone();
            let stands: MlirOp = match (truth, &ty) {
                _ if self.used(result) == 0 => continue,
                (Some(truth), _) => {
                    let value = Attribute::Bool(truth);
                    ArithOp::Constant { value }.into()
                }
                (None, Type::Cute(_)) if !is_passed(&ty) => CuteOp::Static {}.into(),
                (None, _) => continue,
            };
            let origin = self.func.body.op(op).origin;
            let stands = self
                .func
                .body
                .add_op(block, stands, [ty], origin, Dictionary::default());
            let value = self.func.body.op(stands).result(0);
            self.table.set(result, value);
            let count = self.uses.remove(&result).unwrap_or_default();
            self.uses.insert(value, count);
            made.push(stands);
        }
        made
    }
}

/// Whether two values that their types say are equal.
fn equal(left: &Type, right: &Type) -> Option<bool> {
    (!is_passed(left) && !is_passed(right)).then(|| left == right)
}

/// Whether each number of a value that its type says is less than that of another.
fn less(left: &Type, right: &Type) -> Option<bool> {
    let (left, right) = (numbers(left)?, numbers(right)?);
    Some(left.into_iter().zip(right).all(|(left, right)| left < right))
}

/// The numbers of a tuple, if its type says them.
fn numbers(ty: &Type) -> Option<Vec<i128>> {
    match ty.kind()? {
        Kind::IntTuple(tuple) | Kind::Shape(tuple) => tuple.leaves().map(|leaf| leaf.known()).collect(),
        Kind::Coord(coord) => coord
            .leaves()
            .map(|slot| match slot {
                SlotOf::At(leaf) => leaf.known(),
                SlotOf::All => None,
            })
            .collect(),
        _ => None,
    }
}
