//! `tma`: asynchronous copies of boxes of an array by the tensor memory accelerator.

use tilewright_diagnostics::Code;
use tilewright_layouts::Bytes;
use tilewright_layouts::legality::Direction;

use super::boxes::TensorPlace;
use super::{Allowed, Completion, CopyUse, Copying, Place, Refusal, needs};
use crate::core::{Arg, Args, Term, TermCodec, TermError};
use crate::dialects::boxes::Boxes;
use crate::dialects::pipe::PipeKind;
use crate::isa::rules::forms;
use crate::isa::{BulkReduction, L2Eviction};
use crate::machine::{Cost, Cycles, Machine, Rates};
use crate::tileas::buffer::Space;

/// A copy of boxes between an array and a buffer: `tma<box = [64, 64], swizzle = "128B">`. (PTX ISA,
/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`; sm_90 and later.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tma {
    /// The boxes of the tile.
    pub boxes: Boxes,
    /// Mask of the cluster's blocks that load the same tile together: each copies an equal part of the boxes to all of them. If
    /// absent, each block loads for itself.
    pub multicast: Option<u32>,
    /// How values are combined with the contents of global memory; if absent, they replace them.
    pub reduction: Option<BulkReduction>,
    /// How soon the L2 cache evicts the lines; like others if absent.
    pub l2: Option<L2Eviction>,
}

impl From<Boxes> for Tma {
    fn from(boxes: Boxes) -> Self {
        Self {
            boxes,
            multicast: None,
            reduction: None,
            l2: None,
        }
    }
}

impl TermCodec for Tma {
    fn write(&self) -> Term {
        let mut args = self.boxes.write();
        args.extend(
            self.multicast
                .map(|mask| Arg::named("multicast", Term::int(mask))),
        );
        args.extend(self.reduction.map(|op| Arg::named("reduce", op.write())));
        args.extend(self.l2.map(|eviction| Arg::named("l2", eviction.write())));
        Term::call("tma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tma", args)) = term.as_call() else {
            return Err(term.wrong("`tma<box = […]>`"));
        };
        let mut args = Args::new(term, args);
        let boxes = Boxes::read(&mut args)?;
        let multicast = args
            .named("multicast")
            .map(|mask| mask.to_int("a mask of blocks"))
            .transpose()?;
        let reduction = args.named("reduce").map(BulkReduction::read).transpose()?;
        let l2 = args.named("l2").map(L2Eviction::read).transpose()?;
        args.finish()?;
        Ok(Self {
            boxes,
            multicast,
            reduction,
            l2,
        })
    }
}

impl Copying for Tma {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        needs("tma", copy.target, forms::tensor_copy())?;
        let (memref, buffer, direction) = match (copy.from, copy.to) {
            (Place::Global(memref), Place::Buffer(buffer)) => (memref, buffer, Direction::GlobalToShared),
            (Place::Buffer(buffer), Place::Global(memref)) => (memref, buffer, Direction::SharedToGlobal),
            _ => return Err(copy.wrong_way("tma", "between global and shared memory")),
        };
        if buffer.space != Space::Shared {
            return Err(copy.wrong_way("tma", "between global and shared memory"));
        }
        if let (Some(_), Direction::GlobalToShared) = (self.reduction, direction) {
            let message = "`tma` reduces into global memory only";
            return Err(Refusal::new(Code::AttributeValue, message));
        }
        let loads = direction == Direction::GlobalToShared;
        self.boxes
            .check_rounding(memref.element, loads)
            .map_err(|(code, message)| Refusal::new(code, message))?;
        let dim_map = copy.dim_map;
        let map = self.boxes.tensor_map(memref, dim_map)?;
        map.check()
            .map_err(|violations| Refusal::limit("tma", violations))?;
        let place = TensorPlace {
            coordinates: vec![0; map.rank()],
            ..TensorPlace::default()
        };
        place.check(&map, direction, copy.target)?;
        self.boxes.check_buffer(memref, dim_map, buffer)
    }

    /// The cost of copying a whole tile, with an instruction for each box.
    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        let ends = [copy.from, copy.to].map(|end| end.buffer_in(Space::Shared));
        let Some(buffer) = ends.into_iter().flatten().next() else {
            return Cost::NEVER;
        };
        let boxes = self.boxes.count(&buffer.shape);
        let bytes = self.boxes.bytes(buffer.element);
        Cost {
            busy: Cycles::of(boxes.saturating_mul(bytes), Rates::L2_BYTES),
            instructions: boxes,
            latency: Machine::of(copy.target).costs.tensor_copy(Bytes(bytes)),
        }
    }

    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }

    fn boxes(&self) -> Option<&Boxes> {
        Some(&self.boxes)
    }

    fn multicast(&self) -> Option<u32> {
        self.multicast
    }

    fn pipe(&self) -> PipeKind {
        match self.multicast {
            None => PipeKind::Tma,
            Some(_) => PipeKind::TmaMulticast,
        }
    }
}
