//! `ld` and `st`: accesses of each thread to its elements, in global or shared memory.

use tilewright_irs::core::Translated;
use tilewright_irs::tileas::TileAsDialect;
use tilewright_irs::tileas::atoms::{Ld, St};

use super::super::emit::Cx;
use super::super::function::LowerFragments;
use super::super::tiled_accesses::{self, Sink, Source};
use super::super::{atomics, copy_buffers, gather_scatter};
use super::{LowerAtom, Site};

impl LowerAtom for Ld {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, agent }: &Site<'_>,
        pass: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        Some(match op {
            TileAsDialect::Load { at, ordering, .. } => {
                let place = pass.place(cx, at, self.bits);
                tiled_accesses::load(cx, id, &place, Source::Memory(*self), ordering, agent)
            }
            TileAsDialect::MultimemLoad { at, op, ordering, .. } => {
                let place = pass.place(cx, at, self.bits);
                tiled_accesses::load(cx, id, &place, Source::Replicas(*op), ordering, agent)
            }
            TileAsDialect::GatherLoad {
                pointers,
                mask,
                other,
                ordering,
                ..
            } => gather_scatter::load(cx, id, (*pointers, *mask, *other), ordering, self, agent),
            TileAsDialect::Copy { source, to: None, .. } => {
                copy_buffers::load(cx, id, *source, self.bits, agent)
            }
            _ => return None,
        })
    }
}

impl LowerAtom for St {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { op, agent, .. }: &Site<'_>,
        pass: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        let (at, value, sink, ordering) = match op {
            TileAsDialect::Store {
                at, value, ordering, ..
            } => (at, *value, Sink::Memory(*self), ordering),
            TileAsDialect::MultimemStore {
                at, value, ordering, ..
            } => (at, *value, Sink::Replicas(None), ordering),
            TileAsDialect::MultimemReduce {
                at,
                value,
                op,
                ordering,
                ..
            } => (at, *value, Sink::Replicas(Some(*op)), ordering),
            TileAsDialect::ScatterStore {
                pointers,
                value,
                mask,
                ordering,
                ..
            } => {
                let operands = (*pointers, *mask, *value);
                return Some(gather_scatter::store(cx, operands, ordering, self, agent));
            }
            TileAsDialect::AtomicScatter {
                pointers,
                value,
                mask,
                op,
                ordering,
                ..
            } => {
                let operands = (*pointers, *mask, *value);
                return Some(atomics::scatter(cx, operands, *op, ordering, self, agent));
            }
            TileAsDialect::AtomicTile {
                at,
                value,
                op,
                ordering,
                ..
            } => {
                let place = pass.place(cx, at, self.bits);
                return Some(atomics::reduce(cx, *value, &place, *op, ordering, agent));
            }
            TileAsDialect::Copy {
                source, to: Some(to), ..
            } => return Some(copy_buffers::store(cx, *source, *to, self.bits, agent)),
            _ => return None,
        };
        let place = pass.place(cx, at, self.bits);
        Some(tiled_accesses::store(cx, value, &place, sink, ordering, agent))
    }
}
