//! The layouts of matrix products: those that their atom takes.
//!
//! The product of a product has its left multiplicand in the registers of the accumulator that it was computed in, if
//! the warps of both are along M: such a chain (attention's) needs no conversion between threads in between.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, OpData, OpId, Operation, Origin, SideTable, Value, ValueType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::product_rules::extents;
use tilewright_irs::dialects::route::{OperandPlace, ProductRoute};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp};
use tilewright_irs::tileas::atoms::{Place, ProductUse, Refusal, WarpGrid, WgmmaAtom};
use tilewright_irs::tileas::{Buffer, ProductAtom, TileAsType};
use tilewright_layouts::LinearLayout;

use super::groups::Groups;
use crate::program_slice::Places;
use crate::tileaa::choose_routes::{is_of_one_tile, is_of_sums};
use crate::uses::use_counts;

/// The layouts of a product.
#[derive(Clone, Debug)]
pub(super) struct ProductLayouts {
    /// The left multiplicand's, unless it is in shared memory.
    pub(super) a: Option<LinearLayout>,
    /// The right multiplicand's, unless it is in shared memory.
    pub(super) b: Option<LinearLayout>,
    /// The buffer to which threads store the right multiplicand.
    pub(super) stored: Option<Buffer>,
    /// That of the accumulator and the result.
    pub(super) acc: LinearLayout,
    /// The implementation.
    pub(super) atom: ProductAtom,
}

impl ProductLayouts {
    /// The layouts of all products.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded (E0408), with the origin of the op.
    pub(super) fn find(
        groups: &Groups<'_>,
        target: Target,
        num_warps: u32,
    ) -> Result<SideTable<OpId, Self>, Diagnostic<Origin>> {
        let body = groups.body;
        let left = |id: OpId| match body.op(id).kind {
            TileAaOp::TileAa(TileAaDialect::Dot { a, .. }) if groups.is_anchored(a) => Some(groups.root(a)),
            _ => None,
        };
        let result = |id: OpId| groups.root(body.op(id).result(0));
        let computed: FxHashSet<Value> = groups.products.iter().map(|&id| result(id)).collect();
        let links: FxHashSet<Value> = groups.products.iter().filter_map(|&id| left(id)).collect();
        let is_link = |root: Value| computed.contains(&root) && links.contains(&root);
        let places = Places::of(body);
        let mut products = SideTable::new(body.op_count());
        for &id in &groups.products {
            let grid = match is_link(result(id)) || left(id).is_some_and(is_link) {
                true => WarpGrid::Rows,
                false => WarpGrid::Square,
            };
            if let Some(product) = Self::of(groups, &places, body.op(id), (target, grid, num_warps))? {
                products.set(id, product);
            }
        }
        Ok(products)
    }

    /// What a product takes from registers, each with its layout. Of a product without a route these are the operands that are computed
    /// from several tiles, none of them the result of a product. Others are read from shared memory in slices, and computed then. Results
    /// of products would need an exchange to the layout of an operand, in which several warps hold the same elements.
    pub(super) fn operands_of(
        &self,
        groups: &Groups<'_>,
        sources: &Sources<'_>,
        op: &OpData<TileAa>,
    ) -> impl Iterator<Item = (Value, &LinearLayout)> {
        let operands = match &op.kind {
            TileAaOp::TileAa(TileAaDialect::Dot { a, b, route, .. }) => {
                let is_whole = |tile| {
                    route.is_some()
                        || !groups.is_product(tile)
                            && sources.is_of_several(tile)
                            && !sources.is_of_products(tile)
                };
                [(*a, &self.a), (*b, &self.b)].map(|(tile, layout)| is_whole(tile).then_some((tile, layout)))
            }
            _ => [None, None],
        };
        let operands = operands.into_iter().flatten();
        operands.filter_map(|(tile, layout)| Some((tile, layout.as_ref()?)))
    }

    /// The layouts of a product; `None` if the op is none.
    ///
    /// # Errors
    /// A limit of the layouts is exceeded (E0408), with the origin of the op.
    fn of(
        groups: &Groups<'_>,
        places: &Places<'_, TileAa>,
        op: &OpData<TileAa>,
        (target, grid, num_warps): (Target, WarpGrid, u32),
    ) -> Result<Option<Self>, Diagnostic<Origin>> {
        let body = groups.body;
        let TileAaOp::TileAa(TileAaDialect::Dot {
            a,
            b,
            acc,
            signedness_a,
            signedness_b,
            route,
            ..
        }) = &op.kind
        else {
            return Ok(None);
        };
        let is_own = is_of_sums(places, body, *b);
        let refuse = |code: Code, message: String| Diagnostic::error(code, message).at(op.origin, "");
        let shape = |value: Value| body.ty(value).shape().unwrap_or_default();
        let extents = extents(shape(*a), shape(*b), shape(*acc));
        let extents = extents.map_err(|(code, message)| refuse(code, message))?;
        let scalar = |value: Value| body.ty(value).element().and_then(ElementType::scalar);
        let (Some(of_a), Some(of_b), Some(of_acc)) = (scalar(*a), scalar(*b), scalar(*acc)) else {
            return Ok(None);
        };
        let refused = |refusal: Refusal| refuse(refusal.code, refusal.message);
        let is_along_m = is_along(body, places, *a, 0);
        let (mut left, mut right, mut stored) = (None, None, None);
        let atom = match route {
            None => ProductAtom::in_registers([of_a, of_b, of_acc], &extents, target),
            Some(ProductRoute::Wgmma { turned: true, .. }) => {
                let message = "a product that is `turned`: `legalize_products` transposes it";
                return Err(refuse(Code::AttributeValue, message.to_owned()));
            }
            Some(ProductRoute::Wgmma { n, a, b, .. }) => {
                let mut atom = WgmmaAtom::of(*n);
                let [m, n, k] = extents.matrix;
                if *a == OperandPlace::Registers {
                    atom = atom.with_left(of_a, is_along_m);
                    left = Some(atom.left_layout([m, k], of_a, num_warps).map_err(refused)?);
                }
                if *b == OperandPlace::Registers {
                    // One that is computed from sums is stored from the threads that have it.
                    if !is_own {
                        right = Some(atom.right_layout([k, n], of_b, num_warps).map_err(refused)?);
                    }
                    let memory = atom.right_memory([k, n], of_b).map_err(refused)?;
                    stored = Some(Buffer::shared(of_b, memory));
                }
                atom.into()
            }
        };
        let layouts = atom.layouts_in(grid, &extents, num_warps).map_err(refused)?;
        let Some(acc) = layouts.acc else {
            return Ok(None);
        };
        let (of_left, of_right) = (left.or(layouts.a), right.or(layouts.b));
        if route.is_some() {
            let sum = TileAsType::tile(ElementType::Scalar(of_acc), acc.clone());
            let left = of_left
                .clone()
                .map(|layout| TileAsType::tile(ElementType::Scalar(of_a), layout));
            let refuse_route = |message: &str| refuse(Code::AttributeValue, message.to_owned());
            let product = ProductUse {
                target,
                warps: num_warps,
                a: place(groups.in_shared(*a), left.as_ref()).map_err(refuse_route)?,
                b: match &stored {
                    Some(buffer) => Place::Buffer(buffer),
                    None => place(groups.in_shared(*b), None).map_err(refuse_route)?,
                },
                acc: Place::Registers(&sum),
                signedness: [*signedness_a, *signedness_b],
            };
            atom.check(&product).map_err(refused)?;
        }
        Ok(Some(Self {
            a: of_left,
            b: of_right,
            stored,
            acc,
            atom,
        }))
    }
}

/// What the tiles of a body are computed from.
pub(super) struct Sources<'a> {
    body: &'a Body<TileAa>,
    definitions: SideTable<Value, OpId>,
    uses: SideTable<Value, usize>,
}

impl<'a> Sources<'a> {
    pub(super) fn of(body: &'a Body<TileAa>) -> Self {
        Self {
            body,
            definitions: body.definitions(),
            uses: use_counts(body),
        }
    }

    /// Whether a tile is computed, element by element, from several tiles that are no constants, or from one with other uses.
    fn is_of_several(&self, tile: Value) -> bool {
        let Some(op) = self.definition(tile) else {
            return false;
        };
        if let TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) = op {
            return self.is_of_several(*source);
        }
        let mut sources = op.operand_list();
        sources.retain(|&mut source| {
            !matches!(
                self.definition(source),
                Some(TileAaOp::Arith(ArithOp::Constant { .. }))
            )
        });
        op.spec().properties.elementwise
            && match sources.as_slice() {
                [source] => {
                    self.uses.get(*source).is_some_and(|&uses| uses > 1) || self.is_of_several(*source)
                }
                sources => !sources.is_empty(),
            }
    }

    /// Whether a tile is computed from the result of a product by elementwise ops, reshapes and permutations.
    fn is_of_products(&self, tile: Value) -> bool {
        let (mut seen, mut open) = (FxHashSet::default(), vec![tile]);
        while let Some(value) = open.pop() {
            let Some(op) = self.definition(value).filter(|_| seen.insert(value)) else {
                continue;
            };
            match op {
                TileAaOp::TileAa(TileAaDialect::Dot { .. }) => return true,
                TileAaOp::Tile(TileOp::Reshape { source } | TileOp::Permute { source, .. }) => {
                    open.push(*source);
                }
                op if op.spec().properties.elementwise => open.extend(op.operand_list()),
                _ => {}
            }
        }
        false
    }

    fn definition(&self, tile: Value) -> Option<&'a TileAaOp> {
        self.definitions.get(tile).map(|&id| &self.body.op(id).kind)
    }
}

/// Whether a tile is loaded from an array whose elements are contiguous along this axis.
fn is_along(body: &Body<TileAa>, places: &Places<'_, TileAa>, tile: Value, axis: usize) -> bool {
    let of = |source: Value, axis: usize| is_along(body, places, source, axis);
    match places.definition(tile).map(|id| &body.op(id).kind) {
        Some(TileAaOp::Tile(TileOp::Permute { source, permutation })) => {
            let axis = permutation.get(axis);
            axis.is_some_and(|&axis| of(*source, axis as usize))
        }
        Some(TileAaOp::Arith(op)) if is_of_one_tile(op) => {
            op.operand_list().first().is_some_and(|&source| of(source, axis))
        }
        Some(TileAaOp::TileAa(TileAaDialect::Load { at, .. })) => {
            let stride = |dim: u32| body.ty(at.memref).memref()?.strides.get(dim as usize).copied()?;
            at.dim_map.get(axis).is_some_and(|&dim| stride(dim) == Some(1))
        }
        _ => false,
    }
}

/// The place of an operand of a product with a route: registers of this type, or shared memory, where a load puts it.
fn place<'a>(
    shared: Option<&'a Buffer>,
    registers: Option<&'a TileAsType>,
) -> Result<Place<'a>, &'static str> {
    match (shared, registers) {
        (_, Some(tile)) => Ok(Place::Registers(tile)),
        (Some(buffer), None) => Ok(Place::Buffer(buffer)),
        (None, None) => Err("the route reads an operand from shared memory where no load puts it"),
    }
}
