//! Where a product's operands are while it is computed: registers, tensor memory, or shared memory by descriptors.

use std::num::NonZeroU64;

use tilewright_layouts::cute::{LayoutOf, MmaMatrix, Nested, TypeLeaf};

use super::question::{Asked, Outcomes, Refusal, one};
use super::tensor::Tensor;
use super::tensor_memory::lane;
use super::tiled::{matrix, tiled_mma};
use crate::cute_types::atoms::{CopyAtom, FragmentKind, MmaAtom};
use crate::cute_types::element::{Element, Number};
use crate::cute_types::pointer::{Pointer, Space};
use crate::cute_types::types::Kind;
use crate::cute_types::view::{Descriptor, DescriptorView, View};

/// Where an operand is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Registers,
    Shared,
    TensorMemory,
}

fn place(atom: &MmaAtom, matrix: MmaMatrix) -> Place {
    let fragments = match atom {
        MmaAtom::Fma(_)
        | MmaAtom::Sm80(_)
        | MmaAtom::Sm80Sparse(_)
        | MmaAtom::Sm89(_)
        | MmaAtom::Sm120BlockScaled(_) => return Place::Registers,
        MmaAtom::Sm90(_) if matrix == MmaMatrix::C => return Place::Registers,
        MmaAtom::Sm90(atom) => atom.fragments,
        MmaAtom::Sm100(atom) => atom.fragments,
        MmaAtom::Sm100BlockScaled(atom) => atom.fragments,
        MmaAtom::Sm100Sparse(atom) => atom.fragments,
        MmaAtom::Sm100BlockScaledSparse(atom) => atom.fragments,
        MmaAtom::Sm107(atom) => atom.fragments,
        MmaAtom::Sm107BlockScaled(atom) => atom.fragments,
        MmaAtom::Sm107Sparse(atom) => atom.fragments,
        MmaAtom::Sm107BlockScaledSparse(atom) => atom.fragments,
    };
    match (matrix, fragments) {
        (MmaMatrix::C, _) | (MmaMatrix::A, FragmentKind::TensorShared) => Place::TensorMemory,
        (MmaMatrix::A, FragmentKind::RegisterShared) => Place::Registers,
        (MmaMatrix::A | MmaMatrix::B, _) => Place::Shared,
    }
}

pub(super) fn make_fragment<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let atom = &tiled_mma(asked)?.atom;
    let matrix = matrix(asked)?;
    let layout = match asked.cute(1)? {
        Kind::Shape(shape) => LayoutOf::column_major(shape)?,
        kind => {
            let tensor = Tensor::of(kind).ok_or_else(|| asked.wrong(1, "a tensor or a shape"))?;
            tensor.layout().clone()
        }
    };
    one(match place(atom, matrix) {
        Place::Registers => {
            let layout = match matrix {
                MmaMatrix::C => LayoutOf::column_major(&layout.shape())?,
                MmaMatrix::A | MmaMatrix::B => layout.fragment_like()?,
            };
            Kind::View(in_registers(atom.fragment_element(matrix), layout)?)
        }
        Place::Shared => {
            let Tensor::Memory(view) = asked.tensor(1)? else {
                return Err(asked.wrong(1, "a tensor in shared memory"));
            };
            Kind::DescriptorView(by_descriptors(view.pointer.element_bits(), &layout)?)
        }
        Place::TensorMemory => Kind::View(in_tensor_memory(atom.element(matrix), &layout)?),
    })
}

/// Where the values of one end of a copy are: in registers, or where the tensor is.
pub(super) fn copy_fragment<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Copy(atom) = asked.cute(0)? else {
        return Err(asked.wrong(0, "a copy"));
    };
    let Tensor::Memory(view) = asked.tensor(1)? else {
        return Err(asked.wrong(1, "a tensor in memory"));
    };
    let space = match (atom, asked.number("operand_id")?) {
        (CopyAtom::Universal(copy), 0) => copy.source,
        (CopyAtom::Universal(copy), 1) => copy.destination,
        (_, 0 | 1) => Some(view.pointer.space()),
        (_, number) => {
            return Err(Refusal::new(format!(
                "operand {number} of a copy is not its source or destination"
            )));
        }
    };
    match (space, view.pointer.element()) {
        (None, _) => Err(asked.wrong(0, "a copy whose type says its spaces")),
        (Some(Space::Register), Some(Element::Number(number))) => one(Kind::View(in_registers(
            *number,
            view.layout.layout().fragment_like()?,
        )?)),
        (Some(_), _) => one(Kind::View(view)),
    }
}

/// Aligned to the size of the first mode.
fn in_registers<L: TypeLeaf>(number: Number, layout: LayoutOf<L>) -> Result<View<L>, Refusal> {
    let first = layout.mode(&[0])?.size()?.fact().divisor();
    let bytes = first.saturating_mul(u64::from(number.bits())) / 8;
    // The largest power of two that divides it.
    let align = bytes & bytes.wrapping_neg();
    let align = NonZeroU64::new(align).unwrap_or(NonZeroU64::MIN);
    let pointer = Pointer::new(Some(Element::Number(number)), Space::Register, align, None);
    Ok(View {
        pointer,
        layout: layout.into(),
    })
}

/// The operand of one instruction is one descriptor; further ones are so many units of 16 bytes away.
fn by_descriptors<L: TypeLeaf>(bits: u32, layout: &LayoutOf<L>) -> Result<DescriptorView<L>, Refusal> {
    let mut modes = layout.modes();
    modes.next();
    let units = u64::from(128 / bits.max(1)).max(1);
    let rest = modes.map(|mode| mode.upcast(units));
    let rest = rest.collect::<Result<Vec<_>, _>>()?;
    let layout: LayoutOf<L> = LayoutOf::from_modes([LayoutOf::unit()].into_iter().chain(rest));
    Ok(DescriptorView {
        descriptor: Descriptor::Plain,
        layout: layout.into(),
    })
}

/// Rows are lanes, 65536 columns of 32 bits apart; all else is in columns.
fn in_tensor_memory<L: TypeLeaf>(number: Number, layout: &LayoutOf<L>) -> Result<View<L>, Refusal> {
    let shape = layout.shape();
    let lane = lane(number.bits());
    let (rows, columns) = (shape.get(&[0, 0])?, shape.get(&[0, 1])?);
    let mut modes = shape.modes().to_vec();
    if let Some(first) = modes.first_mut() {
        *first = columns.clone();
    }
    let columns = LayoutOf::column_major(&Nested::Tuple(modes))?;
    let rows = match rows {
        Nested::Leaf(rows) => LayoutOf::strided(rows.clone(), L::from(lane))?,
        Nested::Tuple(_) => {
            return Err(Refusal::new(format!(
                "the rows {} are no lanes of tensor memory",
                rows.map(&mut L::fact)
            )));
        }
    };
    let first = LayoutOf::from_modes([rows, columns.mode(&[0])?]);
    let layout: LayoutOf<L> = LayoutOf::from_modes([first].into_iter().chain(columns.modes().skip(1)));
    let pointer = Pointer::new(
        Some(Element::Number(number)),
        Space::Tensor,
        NonZeroU64::MIN,
        None,
    );
    Ok(View {
        pointer,
        layout: layout.into(),
    })
}
