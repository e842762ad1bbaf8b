//! Transposes products whose results are multiplied as transposed matrices. `tileaa` to `tileaa`.
//!
//! In: any function. Out: the same program, where products, and the elementwise ops between them and the `tile.permute` before
//! another product's left operand, compute the transposed matrices, without that `tile.permute`:
//!
//! ```text
//! %s = tileaa.dot %q, %kt, %zeros : 64x128          %st = tileaa.dot %k, %qt, %zeros : 128x64
//! %p = math.exp2 %s                                 %pt = math.exp2 %st
//! %pt = tile.permute %p {permutation = [1, 0]}      %dv = tileaa.dot %pt, %do, %acc
//! %dv = tileaa.dot %pt, %do, %acc
//! ```
//!
//! A left operand in the registers of an accumulator needs no exchange between threads; a transposed one would pass through shared
//! memory. The backward pass of attention is such a program (Shah et al., "FlashAttention-3", 2024, appendix B.3).
//!
//! All values that elementwise ops connect are transposed together. They are left alone if another op uses one of them, if one is
//! loaded, carried by a loop or reduced, or if a product has sums to begin with, operands that are not 16-bit tiles of memory, or
//! too few rows or columns for `wgmma`. The warps of `mma.sync` share rows and columns, so that left operands pass through shared
//! memory in any case: targets without `wgmma` are left alone.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Body, Func, OpId, Operation, Origin, SideTable, Translate, Translated, Translation, Value, ValueType,
    translate_func,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::{Target, WgmmaShape};
use tilewright_irs::literal::Dense;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};
use tilewright_irs::tileas::atoms::WgmmaAtom;

use super::choose_routes::is_of_one_tile;
use super::legalize_products::transposed_type;
use crate::uses::users_of;

/// Transposes products.
///
/// # Errors
/// None; the type is that of all passes.
pub fn turn_products(func: &Func<TileAa>) -> Result<Func<TileAa>, Vec<Diagnostic<Origin>>> {
    let is_turned = |op: &TileAaOp| matches!(op, TileAaOp::Tile(TileOp::Permute { permutation, .. }) if *permutation == SWAPPED);
    if !func.body.ops().any(|(_, op)| is_turned(&op.kind)) {
        return Ok(func.clone());
    }
    let members = Connected::of(&func.body, func.attrs.target).turned();
    if members.is_empty() {
        return Ok(func.clone());
    }
    let mut pass = Turn {
        definitions: func.body.definitions(),
        members,
        turned: FxHashMap::default(),
    };
    translate_func(func, func.attrs.clone(), &mut pass)
}

/// The permutation of the axes of a transposed matrix.
const SWAPPED: [u32; 2] = [1, 0];

/// Where a value that elementwise ops compute with comes from.
enum Source {
    Product,
    Elementwise,
    /// A constant, or one that repeats a row or column: it costs nothing to make twice.
    Free,
    Other,
}

fn source(op: &TileAaOp) -> Source {
    match op {
        TileAaOp::TileAa(TileAaDialect::Dot { .. }) => Source::Product,
        TileAaOp::Arith(ArithOp::Constant { .. })
        | TileAaOp::Tile(TileOp::Splat { .. } | TileOp::Broadcast { .. }) => Source::Free,
        op if op.spec().properties.elementwise => Source::Elementwise,
        _ => Source::Other,
    }
}

/// The matrices of a body that elementwise ops connect.
struct Connected<'a> {
    body: &'a Body<TileAa>,
    target: Target,
    definitions: SideTable<Value, OpId>,
    users: FxHashMap<Value, Vec<OpId>>,
    /// Another value that each one is connected with, up to one for all.
    parents: FxHashMap<Value, Value>,
}

impl<'a> Connected<'a> {
    fn of(body: &'a Body<TileAa>, target: Target) -> Self {
        let mut found = Self {
            body,
            target,
            definitions: body.definitions(),
            users: users_of(body),
            parents: FxHashMap::default(),
        };
        for id in body.walk() {
            let op = body.op(id);
            match source(&op.kind) {
                Source::Elementwise => {
                    let mut all = op.kind.operand_list();
                    all.retain(|value| !found.is_free(*value));
                    all.extend(op.results());
                    for &value in &all {
                        found.parents.entry(value).or_insert(value);
                    }
                    for pair in all.windows(2) {
                        if let &[one, other] = pair {
                            let (one, other) = (found.root(one), found.root(other));
                            found.parents.insert(one, other);
                        }
                    }
                }
                Source::Product => {
                    let result = op.result(0);
                    found.parents.entry(result).or_insert(result);
                }
                Source::Free | Source::Other => {}
            }
        }
        found
    }

    fn is_free(&self, value: Value) -> bool {
        let definition = self.definitions.get(value);
        definition.is_some_and(|&id| matches!(source(&self.body.op(id).kind), Source::Free))
    }

    fn root(&self, value: Value) -> Value {
        let mut value = value;
        while let Some(&parent) = self.parents.get(&value).filter(|&&parent| parent != value) {
            value = parent;
        }
        value
    }

    /// The values that are transposed.
    fn turned(&self) -> FxHashSet<Value> {
        let mut all: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for &value in self.parents.keys() {
            all.entry(self.root(value)).or_default().push(value);
        }
        let turned = all.into_values().filter(|members| self.is_turned(members));
        turned.flatten().collect()
    }

    fn is_turned(&self, members: &[Value]) -> bool {
        let (mut products, mut leaves) = (0, 0);
        for &value in members {
            let Some(kind) = self.definitions.get(value).map(|&id| &self.body.op(id).kind) else {
                return false;
            };
            let source = source(kind);
            let stays = match source {
                Source::Product => !self.may_turn(kind),
                Source::Elementwise => false,
                Source::Free | Source::Other => true,
            };
            if stays || self.body.ty(value).shape().is_none_or(|shape| shape.len() != 2) {
                return false;
            }
            products += usize::from(matches!(source, Source::Product));
            for &user in self.users.get(&value).into_iter().flatten() {
                match &self.body.op(user).kind {
                    TileAaOp::Tile(TileOp::Permute { permutation, .. }) if *permutation == SWAPPED => {
                        if !self.is_left_operand(self.body.op(user).result(0)) {
                            return false;
                        }
                        leaves += 1;
                    }
                    op if op.spec().properties.elementwise => {}
                    _ => return false,
                }
            }
        }
        products > 0 && leaves > 0
    }

    /// Whether the transposed product begins with a constant, is of 16-bit tiles from memory, and has the extents for `wgmma`.
    fn may_turn(&self, op: &TileAaOp) -> bool {
        let TileAaOp::TileAa(TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            route: None,
            ..
        }) = op
        else {
            return false;
        };
        let begins = self.definitions.get(*acc).map(|&id| &self.body.op(id).kind);
        let is_constant = matches!(
            begins,
            Some(TileAaOp::Arith(ArithOp::Constant {
                value: Dense::Splat(_)
            }))
        );
        let shape = self.body.ty(*acc).shape().unwrap_or_default();
        let has_rows = shape.iter().all(|&extent| extent >= WgmmaShape::ROWS);
        let element = |value: Value| self.body.ty(value).element().and_then(ElementType::scalar);
        let has_instruction = match [element(*a), element(*b), element(*acc)] {
            [Some(left), Some(right), Some(sum)] if left.bits() == 16 => {
                let atom = WgmmaAtom::of(WgmmaShape::ROWS);
                let elements = [right, left, sum];
                atom.check_elements(elements, [*signedness_b, *signedness_a], self.target)
                    .is_ok()
            }
            _ => false,
        };
        is_constant && has_rows && has_instruction && [*a, *b].into_iter().all(|value| self.is_loaded(value))
    }

    fn is_loaded(&self, tile: Value) -> bool {
        match self.definitions.get(tile).map(|&id| &self.body.op(id).kind) {
            Some(TileAaOp::Tile(TileOp::Permute { source, .. } | TileOp::Reshape { source })) => {
                self.is_loaded(*source)
            }
            Some(op) => matches!(op, TileAaOp::TileAa(TileAaDialect::Load { .. })),
            None => false,
        }
    }

    /// Whether a matrix, also converted, is only the left operand of products.
    fn is_left_operand(&self, matrix: Value) -> bool {
        let users = self.users.get(&matrix).map_or(&[][..], Vec::as_slice);
        let is_left = |&user: &OpId| match &self.body.op(user).kind {
            TileAaOp::TileAa(TileAaDialect::Dot { a, b, acc, .. }) => {
                *a == matrix && *b != matrix && *acc != matrix
            }
            TileAaOp::Arith(op) if is_of_one_tile(op) => self.is_left_operand(self.body.op(user).result(0)),
            _ => false,
        };
        !users.is_empty() && users.iter().all(is_left)
    }
}

struct Turn {
    definitions: SideTable<Value, OpId>,
    /// The values that are transposed.
    members: FxHashSet<Value>,
    /// The transposed ones.
    turned: FxHashMap<Value, Value>,
}

type Cx<'a> = Translation<'a, TileAa, TileAa>;

impl Translate<TileAa, TileAa> for Turn {
    fn types(&mut self, ty: &TileAaType) -> Result<Vec<TileAaType>, Diagnostic<Origin>> {
        Ok(vec![ty.clone()])
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        if let TileAaOp::Tile(TileOp::Permute { source, permutation }) = &old.kind
            && *permutation == SWAPPED
            && let Some(&turned) = self.turned.get(source)
        {
            cx.bind(old.result(0), [turned]);
            return Ok(());
        }
        if !old.results().any(|result| self.members.contains(&result)) {
            return cx.carry(id, &old.kind, self);
        }
        match source(&old.kind) {
            Source::Product => {
                self.product(cx, id);
                Ok(())
            }
            Source::Elementwise | Source::Free | Source::Other => self.elementwise(cx, id),
        }
    }
}

impl Turn {
    fn product(&mut self, cx: &mut Cx<'_>, id: OpId) {
        let old = cx.old(id);
        let TileAaOp::TileAa(TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            fast,
            route,
        }) = &old.kind
        else {
            return;
        };
        let result = old.result(0);
        let dot = TileAaDialect::Dot {
            a: self.transposed(cx, *b),
            b: self.transposed(cx, *a),
            acc: self.transposed(cx, *acc),
            signedness_a: *signedness_b,
            signedness_b: *signedness_a,
            fast: *fast,
            route: *route,
        };
        let ty = transposed_type(cx.from.ty(result));
        let turned = cx.value(dot, ty);
        self.turned.insert(result, turned);
    }

    /// The op with the transposed operands.
    fn elementwise(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let old = cx.old(id);
        let operands = old.kind.operand_list();
        let kept: Vec<(Value, Vec<Value>)> = operands
            .iter()
            .map(|&value| (value, cx.all(value).to_vec()))
            .collect();
        for value in operands {
            let turned = match self.turned.get(&value) {
                Some(&turned) => turned,
                None => self.transposed(cx, value),
            };
            cx.bind(value, [turned]);
        }
        cx.carry(id, &old.kind, self)?;
        for (value, before) in kept {
            cx.bind(value, before);
        }
        for result in old.results() {
            let turned = cx.one(result);
            let ty = transposed_type(cx.from.ty(result));
            cx.body_mut().set_ty(turned, ty);
            self.turned.insert(result, turned);
        }
        Ok(())
    }

    /// A matrix of the old function, transposed.
    fn transposed(&mut self, cx: &mut Cx<'_>, old: Value) -> Value {
        let ty = transposed_type(cx.from.ty(old));
        let definition = self.definitions.get(old).map(|&id| &cx.from.op(id).kind);
        let is_vector = ty.shape().is_some_and(|shape| shape.contains(&1));
        let op: TileAaOp = match definition {
            Some(TileAaOp::Tile(TileOp::Permute { source, permutation })) if *permutation == SWAPPED => {
                return cx.one(*source);
            }
            Some(TileAaOp::Arith(ArithOp::Constant {
                value: value @ Dense::Splat(_),
            })) => ArithOp::Constant { value: value.clone() }.into(),
            Some(TileAaOp::Tile(TileOp::Splat { source })) => TileOp::Splat {
                source: cx.one(*source),
            }
            .into(),
            Some(TileAaOp::Tile(TileOp::Broadcast { source })) => {
                let source = self.transposed(cx, *source);
                TileOp::Broadcast { source }.into()
            }
            Some(TileAaOp::Tile(TileOp::Reshape { source })) if is_vector => TileOp::Reshape {
                source: cx.one(*source),
            }
            .into(),
            _ => TileOp::Permute {
                source: cx.one(old),
                permutation: SWAPPED.to_vec(),
            }
            .into(),
        };
        cx.value(op, ty)
    }
}
