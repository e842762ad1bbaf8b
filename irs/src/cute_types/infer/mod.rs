//! The types of results from the types of operands and from attributes, as the library infers them.

mod access;
mod algebra;
mod construct;
mod coord;
mod divmod;
mod fragments;
mod memory;
mod modes;
mod nvgpu;
mod open;
mod question;
mod stencil;
mod tensor;
mod tensor_memory;
mod tiled;
mod tiles;
mod tma;
mod tma_coords;
mod tuple;

use tilewright_layouts::cute::{Fact, Nested, Open, Traced, TypeLeaf};

pub use question::{Answer, Attribute, Question, Refusal};

use question::{Asked, Outcome, Outcomes};

use crate::cute_types::Dialect;
use crate::cute_types::value::ValueType;

/// The types of an op's results; `None` for an op whose text says them.
pub fn infer(op: &str, question: &Question<'_>) -> Option<Answer> {
    let outcomes = in_dialect::<Fact>(op, question, question.operands, &[])?;
    Some(outcomes.map(|outcomes| outcomes.into_iter().map(|outcome| outcome.ty).collect()))
}

/// The results of an op by the rules of a dialect.
fn in_dialect<L: TypeLeaf>(
    op: &str,
    question: &Question<'_>,
    operands: &[ValueType<L>],
    inputs: &[u32],
) -> Option<Outcomes<L>> {
    let attributes = question.attributes;
    match question.dialect {
        Dialect::Library => outcomes(
            op,
            &Asked {
                operands,
                attributes,
                inputs,
            },
        ),
        Dialect::Open => {
            let open: Vec<ValueType<Open<L>>> = operands
                .iter()
                .map(|ty| ty.map_leaves(&mut |leaf: &L| Open(leaf.clone())))
                .collect();
            let asked = Asked {
                operands: &open,
                attributes,
                inputs,
            };
            let outcomes = match open::check(op, &asked) {
                Ok(()) => outcomes(op, &asked)?,
                Err(refusal) => Err(refusal),
            };
            Some(outcomes.map(|outcomes| outcomes.into_iter().map(Outcome::closed).collect()))
        }
    }
}

/// A result of an op, with what its inputs are to it.
#[derive(Clone, Debug)]
pub struct Computed {
    /// The type.
    pub ty: ValueType,
    /// How its dynamic leaves are computed, in the order of [`Kind::dynamic_leaves`](crate::cute_types::Kind::dynamic_leaves); of a
    /// result of a machine type the integer, if it follows.
    pub leaves: Vec<Traced>,
    /// How far from that of the operand the iterator of a part of a tensor is, or the element that is read: in elements, of
    /// descriptors in units of 16 bytes, of coordinates in `leaves`.
    pub start: Option<Nested<Traced>>,
    /// The numbers that are compared, pair by pair, if the op compares tuples that are nested alike.
    pub compared: Option<Vec<(Traced, Traced)>>,
}

/// How an op's results are computed; `None` for an op whose text says their types.
///
/// The inputs are the integers of the operands (see [`ValueType::inputs`]), numbered from 0 on, those of the first operand
/// first.
///
/// ```
/// use tilewright_irs::cute_types::{Dialect, ValueType};
/// use tilewright_irs::cute_types::infer::{Question, compute};
/// let operands = ["!cute.coord<\"(?,_)\">", "!cute.memref<f16, gmem, align<16>, \"(?,64):(?{i64 div=8},1)\">"];
/// let [coord, view] = operands.map(ValueType::parse);
/// let question = Question { dialect: Dialect::Library, operands: &[view?, coord?], attributes: &[] };
/// let row = compute("cute.slice", &question).unwrap()?.remove(0);
/// assert_eq!(row.ty.to_string(), "!cute.memref<f16, gmem, align<16>, \"(64):(1)\">");
/// // Input 0 is the number of rows, 1 the distance of rows, 2 the row.
/// let start = row.start.as_ref().and_then(|start| start.leaves().next()).unwrap();
/// assert_eq!(start.evaluate(&|input| [100, 4096, 3][input as usize]), Some(3 * 4096));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compute(op: &str, question: &Question<'_>) -> Option<Result<Vec<Computed>, Refusal>> {
    let mut next = 0;
    let (mut inputs, mut traced) = (Vec::new(), Vec::new());
    for operand in question.operands {
        inputs.push(next);
        traced.push(operand.with_inputs::<Traced>(&mut next));
    }
    let outcomes = in_dialect::<Traced>(op, question, &traced, &inputs)?;
    Some(outcomes.map(|outcomes| outcomes.into_iter().map(Computed::from).collect()))
}

impl From<Outcome<Traced>> for Computed {
    fn from(outcome: Outcome<Traced>) -> Self {
        let leaves = match &outcome.ty {
            ValueType::Machine(_) => outcome.number.into_iter().collect(),
            ValueType::Cute(cute) => cute.kind().dynamic_leaves(),
        };
        Self {
            ty: outcome.ty.facts(),
            leaves,
            start: outcome.start,
            compared: outcome.compared,
        }
    }
}

/// Rules by the names of ops.
macro_rules! rules {
    ($($name:literal => $module:ident::$rule:ident,)+) => {
        /// The ops whose result types follow from their operands and attributes.
        pub const INFERRED: &[&str] = &[$($name),+];

        /// The results of an op; `None` for an op whose text says their types.
        fn outcomes<L: TypeLeaf>(op: &str, asked: &Asked<'_, L>) -> Option<Outcomes<L>> {
            match op {
                $($name => Some($module::$rule(asked)),)+
                _ => None,
            }
        }
    };
}

rules! {
    "cute.get_iter" => access::get_iter,
    "cute.get_layout" => access::get_layout,
    "cute.get_shape" => access::get_shape,
    "cute.get_stride" => access::get_stride,
    "cute.composed_get_inner" => access::composed_get_inner,
    "cute.composed_get_offset" => access::composed_get_offset,
    "cute.composed_get_outer" => access::composed_get_outer,
    "cute.get_layouts_from_tile" => access::get_layouts_from_tile,
    "cute.get_leaves" => access::get_leaves,
    "cute.get_scalars" => access::get_scalars,
    "cute.deref_arith_tuple_iter" => access::deref_arith_tuple_iter,
    "cute.to_int_tuple" => access::to_int_tuple,
    "cute.get" => modes::get,
    "cute.select" => modes::select,
    "cute.group_modes" => modes::group_modes,
    "cute.append_to_rank" => modes::append_to_rank,
    "cute.prepend_to_rank" => modes::prepend_to_rank,
    "cute.slice" => modes::slice,
    "cute.dice" => modes::dice,
    "cute.composition" => algebra::composition,
    "cute.coalesce" => algebra::coalesce,
    "cute.filter" => algebra::filter,
    "cute.filter_zeros" => algebra::filter_zeros,
    "cute.complement" => algebra::complement,
    "cute.right_inverse" => algebra::right_inverse,
    "cute.left_inverse" => algebra::left_inverse,
    "cute.recast_layout" => algebra::recast_layout,
    "cute.tile_to_shape" => algebra::tile_to_shape,
    "cute.logical_divide" => algebra::logical_divide,
    "cute.zipped_divide" => algebra::zipped_divide,
    "cute.tiled_divide" => algebra::tiled_divide,
    "cute.flat_divide" => algebra::flat_divide,
    "cute.logical_product" => algebra::logical_product,
    "cute.zipped_product" => algebra::zipped_product,
    "cute.tiled_product" => algebra::tiled_product,
    "cute.flat_product" => algebra::flat_product,
    "cute.blocked_product" => algebra::blocked_product,
    "cute.raked_product" => algebra::raked_product,
    "cute.stencil_divide" => stencil::stencil_divide,
    "cute.reduce" => stencil::reduce,
    "cute.local_tile" => tiles::local_tile,
    "cute.local_partition" => tiles::local_partition,
    "cute.increment_coord" => coord::increment_coord,
    "cute.fast_divmod.get_divisor" => divmod::get_divisor,
    "cute.fast_divmod.get_aux" => divmod::get_aux,
    "cute.tiled.copy.partition_S" => tiled::partition_source,
    "cute.tiled.copy.partition_D" => tiled::partition_destination,
    "cute.tiled.copy.retile" => tiled::retile,
    "cute.tiled.mma.partition" => tiled::partition,
    "cute.tiled.mma.partition_shape" => tiled::partition_shape,
    "cute.mma.make_fragment" => fragments::make_fragment,
    "cute.copy.make_fragment" => fragments::copy_fragment,
    "cute.crd2idx" => coord::crd2idx,
    "cute.idx2crd" => coord::idx2crd,
    "cute.get_hier_coord" => coord::get_hier_coord,
    "cute.get_flat_coord" => coord::get_flat_coord,
    "cute.get_integral_coord" => coord::get_integral_coord,
    "cute_open.crd2idx" => coord::index_in_shape,
    "cute_open.dice" => modes::dice_at,
    "cute_open.flatten" => modes::flatten,
    "cute_open.to_coord" => access::to_coord,
    "cute_open.to_shape" => access::to_shape,
    "cute_open.to_stride" => access::to_stride,
    "cute.tuple_add" => tuple::tuple_add,
    "cute.tuple_sub" => tuple::tuple_sub,
    "cute.tuple_mul" => tuple::tuple_mul,
    "cute.tuple_div" => tuple::tuple_div,
    "cute.tuple_mod" => tuple::tuple_mod,
    "cute.tuple.product" => tuple::product,
    "cute.tuple.product_each" => tuple::product_each,
    "cute.shape_div" => tuple::shape_div,
    "cute.ceil_div" => tuple::ceil_div,
    "cute.elem_less" => tuple::elem_less,
    "cute.equal" => tuple::equal,
    "cute.size" => tuple::size,
    "cute.cosize" => tuple::cosize,
    "cute.make_ordered_layout" => construct::make_ordered_layout,
    "cute.make_layout_like" => construct::make_layout_like,
    "cute.make_fragment_like" => construct::make_fragment_like,
    "cute.make_identity_layout" => construct::make_identity_layout,
    "cute.make_identity_tensor" => construct::make_identity_tensor,
    "cute.make_composed_layout" => construct::make_composed_layout,
    "cute.add_offset" => memory::add_offset,
    "cute.load_scaled_index" => memory::load_scaled_index,
    "cute.apply_swizzle" => memory::apply_swizzle,
    "cute.ptr.load" => memory::ptr_load,
    "cute.memref.load" => memory::load,
    "cute.memref.load_vec" => memory::load_vec,
    "cute.kernel_smem_size" => nvgpu::bytes64,
    "cute.smem_partition_size" => nvgpu::bytes64,
    "cute_nvgpu.arch.get_dyn_smem_size" => nvgpu::bytes32,
    "cute_nvgpu.get_grid_constant_pointer" => nvgpu::grid_constant,
    "cute_nvgpu.make_gmma_smem_desc" => nvgpu::descriptor,
    "cute_nvgpu.make_umma_smem_desc" => nvgpu::descriptor,
    "cute_nvgpu.sm103.make_umma_smem_desc_circular" => nvgpu::descriptor,
    "cute_nvgpu.sm107.make_umma_smem_desc" => nvgpu::descriptor_sm107,
    "cute_nvgpu.sm107.make_umma_smem_desc_circular" => nvgpu::descriptor_sm107,
    "cute_nvgpu.arch.make_warp_uniform" => nvgpu::like_first,
    "cute_nvgpu.atom.set_value" => nvgpu::like_first,
    "cute_nvgpu.atom.make_exec_tma" => tma::make_exec_tma,
    "cute_nvgpu.atom.make_non_exec_tiled_tma_load" => tma::make_tiled_load,
    "cute_nvgpu.atom.make_non_exec_tiled_tma_store" => tma::make_tiled_store,
    "cute_nvgpu.atom.make_non_exec_tiled_tma_reduce" => tma::make_tiled_reduce,
    "cute_nvgpu.atom.make_tma_residue_tensor" => tma_coords::make_residue_tensor,
    "cute_nvgpu.atom.get_coord_tensor" => tma_coords::get_coord_tensor,
    "cute_nvgpu.atom.tma_partition" => tma::tma_partition,
    "cute_nvgpu.atom.make_tmem_copy" => tensor_memory::make_tmem_copy,
    "cute_nvgpu.atom.make_s2t_copy" => tensor_memory::make_s2t_copy,
    "cute_nvgpu.atom.get_copy_s2t_smem_desc_view" => tensor_memory::get_copy_s2t_smem_desc_view,
    "cute_nvgpu.atom.sm107.get_copy_s2t_smem_desc_view" => tensor_memory::get_copy_s2t_smem_desc_view_sm107,
}
