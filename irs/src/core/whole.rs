//! Effects of ops including those of their regions.

use super::body::Body;
use super::effects::{Effects, Exit, Flow};
use super::entity::{OpId, Region, SideTable};
use super::language::{Language, Operation};

/// The effects of each op of a body, including those of its regions.
///
/// The [flow](Effects::flow) of an op with regions is [`Flow::Next`] if control always continues after it, and
/// otherwise the furthest exit that it may take.
#[derive(Debug)]
pub struct WholeEffects {
    /// The effects of ops with regions.
    table: SideTable<OpId, Effects>,
}

impl WholeEffects {
    /// Computes the effects of a body's ops.
    pub fn of<L: Language>(body: &Body<L>) -> Self {
        let mut whole = Self {
            table: SideTable::new(0),
        };
        whole.region(body, body.root());
        whole
    }

    /// The effects of one op of a body.
    pub fn of_op<L: Language>(body: &Body<L>, id: OpId) -> Effects {
        let mut whole = Self {
            table: SideTable::new(0),
        };
        whole.op(body, id)
    }

    /// Whether control may leave an op with regions otherwise than to the next op.
    pub fn leaves<L: Language>(body: &Body<L>, id: OpId) -> bool {
        let has_regions = !body.op(id).kind.region_list().is_empty();
        has_regions && matches!(Self::of_op(body, id).flow, Flow::Exit(_))
    }

    /// The effects of an op of that body.
    pub fn get<L: Language>(&self, body: &Body<L>, id: OpId) -> Effects {
        match self.table.get(id) {
            Some(effects) => *effects,
            None => body.op(id).kind.effects(),
        }
    }

    /// The effects of a region's ops, with the furthest exit that they may take.
    fn region<L: Language>(&mut self, body: &Body<L>, region: Region) -> (Effects, Exit) {
        let (mut all, mut furthest) = (Effects::PURE, Exit::Block);
        for &block in &body.region(region).blocks {
            for &id in &body.block(block).ops {
                let effects = self.op(body, id);
                if let Flow::Exit(exit) = effects.flow {
                    furthest = furthest.max(exit);
                }
                all = all.union(Effects {
                    flow: Flow::Next,
                    ..effects
                });
            }
        }
        (all, furthest)
    }

    fn op<L: Language>(&mut self, body: &Body<L>, id: OpId) -> Effects {
        let kind = &body.op(id).kind;
        let own = kind.effects();
        let stops = match own.flow {
            Flow::Loop => Exit::Loop,
            Flow::Regions | Flow::Next | Flow::Exit(_) => Exit::Block,
        };
        let regions = kind.region_list();
        if regions.is_empty() {
            return own;
        }
        let (mut all, mut furthest) = (own, stops);
        for region in regions {
            let (inner, exit) = self.region(body, region);
            all = all.union(inner);
            furthest = furthest.max(exit);
        }
        all.flow = if furthest > stops {
            Flow::Exit(furthest)
        } else {
            Flow::Next
        };
        self.table.set(id, all);
        all
    }
}
