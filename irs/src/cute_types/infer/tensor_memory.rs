//! Copies to and from tensor memory: their threads and values have fixed addresses.

use tilewright_layouts::cute::{Fact, LayoutOf, TiledCopyOf, TypeLayout, TypeLeaf};

use super::question::{Asked, Outcomes, Refusal, one};
use super::tensor::Tensor;
use crate::cute_types::atoms::{CopyAtom, TensorLoad, TensorStore};
use crate::cute_types::tiled::TiledCopy;
use crate::cute_types::types::Kind;
use crate::cute_types::view::{Descriptor, DescriptorView};

/// A tiled copy of memory whose threads and values are at `addresses`.
fn cotiled<L: TypeLeaf>(asked: &Asked<'_, L>, atom: &CopyAtom, addresses: &TypeLayout) -> Outcomes<L> {
    let memory = asked.tensor(1)?;
    let layouts = atom.layouts();
    let layouts =
        layouts.ok_or_else(|| asked.wrong(0, "an instruction whose type says who copies what"))??;
    let memory = memory.layout().map_leaves(&mut L::fact);
    let tiled = TiledCopyOf::cotiled(layouts, addresses, &memory)?;
    one(Kind::TiledCopy(TiledCopy {
        atom: atom.clone(),
        layout: tiled.layout().clone(),
        tiler: tiled.tiler().clone(),
    }))
}

/// A layout of leaves.
fn leaves(leaves: &[(u64, u64)]) -> Result<TypeLayout, Refusal> {
    let leaves = leaves
        .iter()
        .map(|(extent, stride)| LayoutOf::strided(Fact::from(*extent), Fact::from(*stride)));
    Ok(LayoutOf::from_modes(leaves.collect::<Result<Vec<_>, _>>()?))
}

/// The distance of two lanes of tensor memory in elements of so many bits: an address has the lane in its upper half and a
/// column of 32 bits in its lower half.
pub(super) fn lane(bits: u32) -> u64 {
    (1 << 16) * 32 / u64::from(bits.max(1))
}

/// Four warps, each with 32 lanes, of which all threads of a warp see all.
pub(super) fn make_tmem_copy<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Copy(atom) = asked.cute(0)? else {
        return Err(asked.wrong(0, "a copy of tensor memory"));
    };
    let (value, lanes, bits, times) = match atom {
        CopyAtom::TensorLoad(TensorLoad {
            value,
            lanes,
            bits,
            times,
            ..
        })
        | CopyAtom::TensorStore(TensorStore {
            value,
            lanes,
            bits,
            times,
            ..
        }) => (value, lanes, bits, times),
        _ => return Err(asked.wrong(0, "a copy of tensor memory")),
    };
    let lane = lane(value.bits());
    let columns = u64::from(bits.get()) * u64::from(times.get()) / u64::from(value.bits().max(1));
    let lanes = u64::from(lanes.get());
    let threads = leaves(&[(32, 0), (4, 32 * lane)])?;
    let values = leaves(&[(columns, 1), (lanes, lane)])?;
    cotiled(asked, atom, &LayoutOf::from_modes([threads, values]))
}

/// One thread copies the rows of all four warps.
pub(super) fn make_s2t_copy<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    let Kind::Copy(atom) = asked.cute(0)? else {
        return Err(asked.wrong(0, "a copy to tensor memory"));
    };
    let CopyAtom::SharedToTensor(copy) = atom else {
        return Err(asked.wrong(0, "a copy to tensor memory"));
    };
    let bits = copy.value.bits();
    let lane = lane(bits);
    let (lanes, columns) = (
        u64::from(copy.lanes.get()),
        u64::from(copy.bits.get() / bits.max(1)),
    );
    let values = leaves(&[(lanes, lane), (columns, 1), (4, 32 * lane)])?;
    cotiled(asked, atom, &LayoutOf::from_modes([LayoutOf::unit(), values]))
}

/// The source of such a copy in units of 16 bytes.
pub(super) fn get_copy_s2t_smem_desc_view<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    source_view(asked, Descriptor::Plain)
}

/// That of a copy of sm_107.
pub(super) fn get_copy_s2t_smem_desc_view_sm107<L: TypeLeaf>(asked: &Asked<'_, L>) -> Outcomes<L> {
    source_view(asked, Descriptor::Sm107)
}

fn source_view<L: TypeLeaf>(asked: &Asked<'_, L>, descriptor: Descriptor) -> Outcomes<L> {
    let Tensor::Memory(view) = asked.tensor(1)? else {
        return Err(asked.wrong(1, "a tensor in shared memory"));
    };
    let units = u64::from(128 / view.pointer.element_bits().max(1)).max(1);
    let layout = view.layout.layout().upcast(units)?;
    one(Kind::DescriptorView(DescriptorView {
        descriptor,
        layout: layout.into(),
    }))
}
