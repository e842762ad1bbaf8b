//! `thread` and `shuffle`, within a warp; a pass has split the wider ones into steps.

use tilewright_irs::core::{Operation, Translated};
use tilewright_irs::tileas::{ReduceAtom, TileAsDialect};

use super::super::emit::{Cx, unsupported};
use super::super::function::LowerFragments;
use super::super::{reductions, scans};
use super::{LowerAtom, Site};

impl LowerAtom for ReduceAtom {
    fn lower(
        &self,
        cx: &mut Cx<'_>,
        &Site { id, op, agent }: &Site<'_>,
        pass: &mut LowerFragments<'_>,
    ) -> Option<Translated> {
        let fold = op.fold()?;
        Some(match (self, op) {
            (Self::Shared | Self::Cluster, _) => {
                let message = format!("`{}` of scope `{self}`: run `split_reductions` first", op.name());
                Err(unsupported(cx.origin(), message))
            }
            (Self::Thread | Self::Shuffle, TileAsDialect::Scan { reverse, .. }) => {
                scans::in_warp(pass, cx, id, &fold, reverse.0, agent)
            }
            (Self::Thread | Self::Shuffle, _) => {
                let target = pass.target;
                reductions::in_warp(pass, cx, id, &fold, agent, target)
            }
        })
    }
}
