//! Lowers branches: block arguments become moves at the end of the predecessor, or on a split edge if the predecessor
//! has two successors.
//!
//! A conditional branch back to the head of a loop comes after its moves where the registers that they write are not
//! read on the way out: so the loop ends in one branch, not in a branch out of it and one to its head. Moves of floats
//! stay on the edge: placed before the branch, ptxas spilled more in loops that carry the state of a softmax.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, Successor};
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::ptx::{Builder, Class, Label, Predicate, Register, Value as Operand};

use super::moves::parallel_moves;
use super::registers::Registers;
use crate::nvvm::liveness::Liveness;

/// The labels of blocks, and their order.
pub(super) struct Branches<'a> {
    body: &'a Body<Nvvm>,
    liveness: &'a Liveness,
    registers: &'a Registers,
    labels: FxHashMap<Block, Label>,
    positions: FxHashMap<Block, usize>,
}

/// One side of a conditional branch.
struct Side<'a> {
    taken_if: Predicate,
    to: &'a Successor,
    label: Label,
    moves: Vec<(Register, Operand)>,
}

impl<'a> Branches<'a> {
    /// Labels for all blocks.
    pub(super) fn new(
        body: &'a Body<Nvvm>,
        liveness: &'a Liveness,
        registers: &'a Registers,
        b: &mut Builder,
    ) -> Self {
        let blocks = &body.region(body.root()).blocks;
        let labels = blocks.iter().map(|&block| (block, b.label())).collect();
        let positions = blocks.iter().copied().zip(0..).collect();
        Self {
            body,
            liveness,
            registers,
            labels,
            positions,
        }
    }

    /// The label of a block.
    pub(super) fn label(&self, block: Block) -> Option<Label> {
        self.labels.get(&block).copied()
    }

    /// The moves of an edge, without those to unused registers.
    fn moves(&self, successor: &Successor) -> Vec<(Register, Operand)> {
        let args = &self.body.block(successor.block).args;
        let pairs = args.iter().zip(&successor.args);
        let moves = pairs.filter_map(|(&arg, &value)| {
            let to = self.registers.get(arg)?;
            let from = self.registers.moved(value);
            (Operand::from(to) != from).then_some((to, from))
        });
        moves.collect()
    }

    /// Whether `to` is the block after `from`.
    fn falls_through(&self, from: Block, to: Block) -> bool {
        self.positions.get(&from).map(|at| at + 1) == self.positions.get(&to).copied()
    }

    /// Whether `to` is `from` or stands before it.
    fn is_backward(&self, from: Block, to: Block) -> bool {
        self.positions.get(&to) <= self.positions.get(&from)
    }

    fn jump(&self, b: &mut Builder, from: Block, to: Block) {
        if !self.falls_through(from, to)
            && let Some(label) = self.label(to)
        {
            b.bra(label);
        }
    }

    /// Branches from the end of a block to another.
    pub(super) fn unconditional(&self, b: &mut Builder, from: Block, target: &Successor) {
        parallel_moves(b, self.moves(target));
        self.jump(b, from, target.block);
    }

    /// Branches from the end of a block to one of two, the first if `condition` holds.
    pub(super) fn conditional(
        &self,
        b: &mut Builder,
        from: Block,
        condition: Register,
        (yes, no): (&Successor, &Successor),
    ) {
        let (Some(yes_label), Some(no_label)) = (self.label(yes.block), self.label(no.block)) else {
            return;
        };
        let yes = Side {
            taken_if: Predicate::from(condition),
            to: yes,
            label: yes_label,
            moves: self.moves(yes),
        };
        let no = Side {
            taken_if: Predicate::not(condition),
            to: no,
            label: no_label,
            moves: self.moves(no),
        };
        let back = |side: &Side<'_>, out: &Side<'_>| {
            self.is_backward(from, side.to.block) && self.can_move_first(side, condition, out.to)
        };
        if back(&yes, &no) {
            self.moves_first(b, from, yes, no);
        } else if back(&no, &yes) {
            self.moves_first(b, from, no, yes);
        } else if no.moves.is_empty() && (!yes.moves.is_empty() || self.falls_through(from, yes.to.block)) {
            self.branch_first(b, from, no, yes);
        } else if yes.moves.is_empty() {
            self.branch_first(b, from, yes, no);
        } else {
            let edge = b.label();
            b.bra_if(no.taken_if, edge);
            parallel_moves(b, yes.moves);
            b.bra(yes.label);
            b.place(edge);
            parallel_moves(b, no.moves);
            self.jump(b, from, no.to.block);
        }
    }

    /// Branches to a side without moves; the other side's moves follow the branch.
    fn branch_first(&self, b: &mut Builder, from: Block, side: Side<'_>, other: Side<'_>) {
        b.bra_if(side.taken_if, side.label);
        parallel_moves(b, other.moves);
        self.jump(b, from, other.to.block);
    }

    /// Branches to a side after its moves, which the other side does not notice.
    fn moves_first(&self, b: &mut Builder, from: Block, mut side: Side<'_>, other: Side<'_>) {
        parallel_moves(b, std::mem::take(&mut side.moves));
        self.branch_first(b, from, side, other);
    }

    /// Whether a side has moves, none of floats, and they write neither the condition nor a register that is read on the
    /// way to `other` or from there on.
    fn can_move_first(&self, side: &Side<'_>, condition: Register, other: &Successor) -> bool {
        let live = self.liveness.before(other.block);
        let mut read = live
            .chain(other.args.iter().copied())
            .filter_map(|value| self.registers.get(value))
            .chain([condition]);
        let written = side.moves.iter().map(|(to, _)| *to);
        let is_float = |to: Register| matches!(to.class, Class::F32 | Class::F64);
        !side.moves.is_empty()
            && !written.clone().any(is_float)
            && !read.any(|register| written.clone().any(|to| to == register))
    }
}
