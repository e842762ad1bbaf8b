//! Extents that are multiples of the vectors of accesses, where only that is unknown.

use tilewright_irs::core::{Body, OpId, SideTable, Translation, Value};
use tilewright_irs::dialects::access::Widest;
use tilewright_irs::tileaa::{MemoryOp, MemoryPlace, TileAa, TileAaKind, TileAaType};

use super::conditions::is_multiple;
use crate::tileaa::select_atoms::widest_in;
use crate::tileaa::tiled::{Extent, extent};

/// An array whose extent along one axis is a multiple of so many elements.
#[derive(Clone, Copy)]
pub(super) struct Units {
    pub(super) array: Value,
    axis: usize,
    extent: Value,
    /// A power of two.
    elements: u32,
}

impl Units {
    /// What has to hold for an access to have the vectors of a full tile in a partial one as well. `None` if it needs more than that.
    pub(super) fn of(
        body: &Body<TileAa>,
        definitions: &SideTable<Value, OpId>,
        id: OpId,
        widest: &Widest,
    ) -> Option<Self> {
        let memory = MemoryOp::of(body.op(id))?;
        let MemoryPlace::Tile(at) = memory.place else {
            return None;
        };
        let axis = *at.dim_map.get(usize::from(widest.along?))? as usize;
        let Extent::Value(extent) = extent(body, definitions, at.memref, axis)? else {
            return None;
        };
        let units = Self {
            array: at.memref,
            axis,
            extent,
            elements: widest.inside,
        };
        let ty = units.assumed(body.ty(at.memref));
        let found = widest_in(body, ty.memref()?, at, memory.data, widest.inside)?;
        (found.vector == widest.inside).then_some(units)
    }

    /// Adds what an access needs to what others of the same branch need.
    pub(super) fn join(self, all: &mut Vec<Self>) {
        let is_same = |other: &&mut Self| (other.array, other.axis) == (self.array, self.axis);
        match all.iter_mut().find(is_same) {
            Some(other) => other.elements = other.elements.max(self.elements),
            None => all.push(self),
        }
    }

    /// Whether another one holds where this one does.
    pub(super) fn implies(&self, other: &Self) -> bool {
        self.extent == other.extent && self.elements >= other.elements
    }

    /// Whether it holds, as a scalar of type i1.
    pub(super) fn condition(self, cx: &mut Translation<'_, TileAa, TileAa>) -> Value {
        is_multiple(cx, self.extent, self.elements)
    }

    /// The type of the array where it holds.
    pub(super) fn assumed(self, ty: &TileAaType) -> TileAaType {
        let mut ty = ty.clone();
        if let TileAaKind::Memref(array) = &mut ty.kind
            && let Some(divisor) = array.extent_div.get_mut(self.axis)
        {
            *divisor = (*divisor).max(self.elements.into());
        }
        ty
    }
}
