//! Reduces the arithmetic of addresses in loops.
//!
//! In and out: `llvm_like`. In loops, of the addresses in global memory,
//!
//! - the parts of an index that do not change in the loop are added to the base before it: `base + (i + a) + b` becomes
//!   `(base + a + b) + i`, unless that makes too many bases;
//! - addresses at equal distances from one base, `base + x`, `base + 2 * x`, `base + 3 * x` and on, as the rows of a
//!   tile have them, become sums of the address before and the distance in bytes, which is computed before the loop.
//!   That is two instructions for each instead of three, and one distance in registers instead of all of them.
//!
//! Addresses and their 64-bit indices wrap around, so neither changes a result. Common
//! subexpressions are merged, and arithmetic that nothing uses any more is removed.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Builder, Func, OpId, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::dialects::arith::{ArithOp, Overflow};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::loops::{Loop, Loops};
use crate::cleanup::{without_common_subexpressions, without_dead_code};

const POINTER: LlvmType = LlvmType::Ptr(AddressSpace::Global);
const INDEX: LlvmType = LlvmType::Scalar(ScalarType::I64);
/// Limit of the terms of an index that is taken apart.
const MAX_TERMS: usize = 16;
/// Limit of the bases that are computed before a loop: each takes two registers throughout the loop. Where there are
/// more, as with rows that are gathered, they stay in it.
const MAX_BASES: usize = 4;

/// Reduces addresses in loops; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn reduce_addresses(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let loops = Loops::of(&func.body);
    let body = func.body.clone();
    let mut pass = Reduce {
        definitions: body.definitions(),
        loops,
        body,
        wanted: FxHashMap::default(),
        bases: FxHashMap::default(),
        distances: FxHashMap::default(),
        changed: false,
    };
    let order = reverse_postorder(&func.body, func.body.root());
    let inside = order
        .iter()
        .filter_map(|&block| Some((block, pass.loops.around(block)?)));
    let inside: Vec<(Block, Loop)> = inside.collect();
    for &(block, within) in &inside {
        pass.count(block, within);
    }
    for (block, within) in inside {
        pass.block(block, within);
    }
    if !pass.changed {
        return Ok(func.clone());
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: without_dead_code(without_common_subexpressions(pass.body)),
    })
}

/// The sum of a base and scaled invariant terms.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Base {
    pointer: Value,
    scale: u32,
    terms: Vec<Value>,
}

struct Reduce {
    body: Body<Llvm>,
    definitions: SideTable<Value, OpId>,
    loops: Loops,
    /// The bases that could be computed before each loop, which the block before it stands for.
    wanted: FxHashMap<Block, FxHashSet<Base>>,
    /// The bases that are.
    bases: FxHashMap<(Block, Base), Value>,
    /// Products of values and constants, before a loop.
    distances: FxHashMap<(Block, Value, i64), Value>,
    changed: bool,
}

/// Addresses of a block at multiples of a distance from one base.
struct Row {
    /// The first address, which is one step from the base.
    first: OpId,
    step: i64,
    /// The last address, and its multiple.
    last: (Value, i64),
}

impl Reduce {
    /// The base, index, scale and result of an address in global memory.
    fn address(&self, id: OpId) -> Option<(Value, Value, u32, Value)> {
        let op = self.body.op(id);
        match op.kind {
            LlvmOp::Llvm(LlvmDialect::GetElementPtr {
                base,
                index: Some(index),
                scale,
                offset: 0,
            }) if *self.body.ty(base) == POINTER && *self.body.ty(index) == INDEX => {
                Some((base, index, scale, op.result(0)))
            }
            _ => None,
        }
    }

    /// Counts the bases that a block's addresses could have before the loop.
    fn count(&mut self, block: Block, within: Loop) {
        for &id in &self.body.block(block).ops {
            let address = self.address(id);
            if let Some((base, _)) = address.and_then(|address| self.split(address, within)) {
                self.wanted.entry(within.before).or_default().insert(base);
            }
        }
    }

    /// An address as a base that does not change in the loop, and the terms of the index that do.
    fn split(
        &self,
        (pointer, index, scale, _): (Value, Value, u32, Value),
        within: Loop,
    ) -> Option<(Base, Vec<Value>)> {
        if !self.loops.invariant(pointer, within) {
            return None;
        }
        let (terms, varying): (Vec<Value>, Vec<Value>) = self
            .terms(index, within)
            .into_iter()
            .partition(|&term| self.loops.invariant(term, within));
        let base = Base {
            pointer,
            scale,
            terms,
        };
        (!base.terms.is_empty() && !varying.is_empty()).then_some((base, varying))
    }

    fn block(&mut self, block: Block, within: Loop) {
        let few = self
            .wanted
            .get(&within.before)
            .is_some_and(|bases| bases.len() <= MAX_BASES);
        let mut rows: FxHashMap<(Value, Value, u32), Vec<Row>> = FxHashMap::default();
        let old = self.body.block(block).ops.clone();
        let mut new = Vec::with_capacity(old.len());
        for id in old {
            if let Some(address) = self.address(id) {
                if let Some((base, varying)) = self.split(address, within) {
                    if few {
                        self.hoist(id, base, &varying, (block, within), &mut new);
                    }
                } else if !self.loops.invariant(address.0, within) {
                    self.follow(id, address, within, &mut rows);
                }
            }
            new.push(id);
        }
        self.body.arrange_ops(block, new);
    }

    /// Adds the invariant terms of an index to the base, before the loop.
    fn hoist(
        &mut self,
        id: OpId,
        base: Base,
        varying: &[Value],
        (block, within): (Block, Loop),
        ops: &mut Vec<OpId>,
    ) {
        let (Some((&first, more)), Some((&start, rest))) = (base.terms.split_first(), varying.split_first())
        else {
            return;
        };
        let origin = self.body.op(id).origin;
        let (pointer, scale) = (base.pointer, base.scale);
        let key = (within.before, base.clone());
        let pointer = match self.bases.get(&key) {
            Some(&sum) => sum,
            None => {
                let sum = self.ahead(within, origin, |build| {
                    let sum = more
                        .iter()
                        .fold(first, |sum, &term| build.value(add(sum, term), INDEX));
                    build.value(element(pointer, sum, scale), POINTER)
                });
                self.bases.insert(key, sum);
                sum
            }
        };
        let before = self.body.block(block).ops.len();
        let mut build = Builder::new(&mut self.body, block, origin);
        let index = rest
            .iter()
            .fold(start, |sum, &term| build.value(add(sum, term), INDEX));
        ops.extend(self.body.block(block).ops.iter().skip(before));
        self.body.op_mut(id).kind = element(pointer, index, scale).into();
        self.changed = true;
    }

    /// The terms of a sum, those of sums before the loop together.
    fn terms(&self, index: Value, within: Loop) -> Vec<Value> {
        let mut terms = Vec::new();
        let mut open = vec![index];
        while let Some(value) = open.pop() {
            let sum = match self.definition(value) {
                Some(&LlvmOp::Arith(ArithOp::AddI { lhs, rhs, .. })) => Some([rhs, lhs]),
                _ => None,
            };
            match sum.filter(|_| !self.loops.invariant(value, within) && terms.len() + open.len() < MAX_TERMS)
            {
                Some(sides) => open.extend(sides),
                None => terms.push(value),
            }
        }
        terms
    }

    /// Computes an address from the one before it in its row.
    fn follow(
        &mut self,
        id: OpId,
        (base, index, scale, result): (Value, Value, u32, Value),
        within: Loop,
        rows: &mut FxHashMap<(Value, Value, u32), Vec<Row>>,
    ) {
        let (of, multiple) = self.multiple(index);
        if !self.loops.invariant(of, within) {
            return;
        }
        let rows = rows.entry((base, of, scale)).or_default();
        let continued = rows
            .iter_mut()
            .find(|row| row.last.1.checked_add(row.step) == Some(multiple));
        let Some(row) = continued else {
            let (first, step, last) = (id, multiple, (result, multiple));
            rows.push(Row { first, step, last });
            return;
        };
        let (before, first) = (row.last.0, row.first);
        row.last = (result, multiple);
        let bytes = row.step.wrapping_mul(scale.into());
        let distance = self.distance(id, of, bytes, within);
        self.body.op_mut(first).kind = element(base, distance, 1).into();
        self.body.op_mut(id).kind = element(before, distance, 1).into();
        self.changed = true;
    }

    /// The value and the constant whose product an index is, through products of products. What is no product is one
    /// times itself.
    fn multiple(&self, index: Value) -> (Value, i64) {
        let (mut of, mut multiple) = (index, 1i64);
        while let Some(&LlvmOp::Arith(ArithOp::MulI { lhs, rhs, .. })) = self.definition(of)
            && let Some(LlvmOp::Arith(ArithOp::Constant {
                value: Dense::Splat(factor),
            })) = self.definition(rhs)
        {
            of = lhs;
            multiple = multiple.wrapping_mul(factor.signed());
        }
        (of, multiple)
    }

    /// The product of a value and a constant, before the loop.
    fn distance(&mut self, id: OpId, of: Value, factor: i64, within: Loop) -> Value {
        if factor == 1 {
            return of;
        }
        let key = (within.before, of, factor);
        if let Some(&distance) = self.distances.get(&key) {
            return distance;
        }
        let origin = self.body.op(id).origin;
        let distance = self.ahead(within, origin, |build| {
            let value = Dense::Splat(Literal::i64(factor));
            let rhs = build.value(ArithOp::Constant { value }, INDEX);
            let (lhs, overflow) = (of, Overflow::Wraps);
            build.value(ArithOp::MulI { lhs, rhs, overflow }, INDEX)
        });
        self.distances.insert(key, distance);
        distance
    }

    fn definition(&self, value: Value) -> Option<&LlvmOp> {
        self.definitions.get(value).map(|&id| &self.body.op(id).kind)
    }

    /// Builds ops at the end of the block before a loop.
    fn ahead(
        &mut self,
        within: Loop,
        origin: Origin,
        build: impl FnOnce(&mut Builder<'_, Llvm>) -> Value,
    ) -> Value {
        let end = self.body.block(within.before).ops.len().saturating_sub(1);
        let value = build(&mut Builder::new(&mut self.body, within.before, origin));
        let mut ops = self.body.block(within.before).ops.clone();
        if let Some(rest) = ops.get_mut(end..) {
            rest.rotate_left(1);
        }
        self.body.arrange_ops(within.before, ops);
        value
    }
}

/// A sum of indices.
fn add(lhs: Value, rhs: Value) -> LlvmOp {
    let overflow = Overflow::Wraps;
    ArithOp::AddI { lhs, rhs, overflow }.into()
}

/// The address of an element.
fn element(base: Value, index: Value, scale: u32) -> LlvmDialect {
    LlvmDialect::GetElementPtr {
        base,
        index: Some(index),
        scale,
        offset: 0,
    }
}
