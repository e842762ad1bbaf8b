//! The function whose tiles are lowered to fragments, and what is known of it on the way.

use rustc_hash::FxHashSet;
use tilewright_irs::core::{Func, OpId, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::memory::TileAccess;
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::Target;
use tilewright_irs::literal::Dense;
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{TileAsDialect, TileAsType};

use super::address_tiles::Place;
use super::agent::Agent;
use super::emit::Cx;
use super::map_runs;
use super::multiplied::multiplied;
use super::pipes::Turns;
use super::read_stages::read_stages;
use super::tensor_maps::Maps;

/// The pass `lower_fragments` on a function.
pub(super) struct LowerFragments<'a> {
    pub(super) func: &'a Func<Scheduled>,
    /// Warps of the kernel.
    pub(super) warps: u32,
    pub(super) target: Target,
    /// Set before the first op.
    pub(super) agent: Option<Agent>,
    /// The barriers of mutexes.
    pub(super) turns: Turns,
    /// The op that defines each value.
    definitions: SideTable<Value, OpId>,
    /// The buffers that asynchronous products read, and the stages of pipes by which these get there.
    multiplied: FxHashSet<Value>,
    /// The tokens of stages that tensor copies fill and threads read.
    pub(super) read_stages: FxHashSet<Value>,
    /// Whether agents have a thread that issues tensor copies.
    pub(super) copies_tensors: bool,
    /// The tensor maps of the current agent.
    pub(super) maps: Option<Maps>,
}

impl<'a> LowerFragments<'a> {
    /// That of a function, before its first op.
    pub(super) fn of(func: &'a Func<Scheduled>) -> Self {
        Self {
            func,
            warps: func.attrs.kernel_spec.num_warps,
            target: func.attrs.target,
            agent: None,
            turns: Turns::of(func),
            definitions: func.body.definitions(),
            multiplied: multiplied(&func.body),
            read_stages: read_stages(&func.body),
            copies_tensors: map_runs::uses(func),
            maps: None,
        }
    }

    /// Whether the dynamic extents of an array are 32-bit numbers.
    fn has_narrow_extents(&self, cx: &Cx<'_>, memref: Value) -> bool {
        let op = self.definitions.get(memref).map(|&id| &cx.from.op(id).kind);
        match op {
            Some(ScheduledOp::TileAs(TileAsDialect::Memref { extents, .. })) => extents
                .iter()
                .all(|&extent| *cx.from.ty(extent) == TileAsType::Scalar(ElementType::I32)),
            _ => false,
        }
    }

    /// Whether asynchronous products read a buffer: what threads store there is to be ordered before that.
    pub(super) fn is_multiplied(&self, buffer: Value) -> bool {
        self.multiplied.contains(&buffer)
    }

    /// Whether a value is a constant whose bits are all zero.
    pub(super) fn is_zero(&self, cx: &Cx<'_>, value: Value) -> bool {
        let op = self.definitions.get(value).map(|&id| &cx.from.op(id).kind);
        matches!(
            op,
            Some(ScheduledOp::Arith(ArithOp::Constant { value: Dense::Splat(literal) })) if literal.bits == 0
        )
    }

    /// The place of a tile, with so many bits per thread and instruction.
    pub(super) fn place<'p>(&self, cx: &Cx<'_>, at: &'p TileAccess, bits: u32) -> Place<'p> {
        let narrow = self.has_narrow_extents(cx, at.memref);
        Place {
            at,
            narrow,
            bits,
            cuts: false,
        }
    }
}
