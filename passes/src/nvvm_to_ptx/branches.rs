//! Lowers branches: block arguments become moves at the end of the predecessor, or on a split edge if the predecessor
//! has two successors.

use rustc_hash::FxHashMap;
use tilewright_irs::core::{Block, Body, Successor};
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::ptx::{Builder, Label, Predicate, Register, Value as Operand};

use super::moves::parallel_moves;
use super::registers::Registers;

/// The labels of blocks.
pub(super) struct Branches<'a> {
    body: &'a Body<Nvvm>,
    registers: &'a Registers,
    labels: FxHashMap<Block, Label>,
}

impl<'a> Branches<'a> {
    /// Labels for all blocks.
    pub(super) fn new(body: &'a Body<Nvvm>, registers: &'a Registers, b: &mut Builder) -> Self {
        let blocks = &body.region(body.root()).blocks;
        let labels = blocks.iter().map(|&block| (block, b.label())).collect();
        Self {
            body,
            registers,
            labels,
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

    fn jump(&self, b: &mut Builder, block: Block, next: Option<Block>) {
        if next != Some(block)
            && let Some(label) = self.label(block)
        {
            b.bra(label);
        }
    }

    /// Branches to a block.
    pub(super) fn unconditional(&self, b: &mut Builder, target: &Successor, next: Option<Block>) {
        parallel_moves(b, self.moves(target));
        self.jump(b, target.block, next);
    }

    /// Branches to one of two blocks.
    pub(super) fn conditional(
        &self,
        b: &mut Builder,
        condition: Register,
        yes: &Successor,
        no: &Successor,
        next: Option<Block>,
    ) {
        let (yes_moves, no_moves) = (self.moves(yes), self.moves(no));
        let (Some(yes_label), Some(no_label)) = (self.label(yes.block), self.label(no.block)) else {
            return;
        };
        let holds = Predicate::from(condition);
        let fails = Predicate::not(condition);
        if no_moves.is_empty() && (!yes_moves.is_empty() || next == Some(yes.block)) {
            b.bra_if(fails, no_label);
            parallel_moves(b, yes_moves);
            self.jump(b, yes.block, next);
        } else if yes_moves.is_empty() {
            b.bra_if(holds, yes_label);
            parallel_moves(b, no_moves);
            self.jump(b, no.block, next);
        } else {
            let edge = b.label();
            b.bra_if(fails, edge);
            parallel_moves(b, yes_moves);
            b.bra(yes_label);
            b.place(edge);
            parallel_moves(b, no_moves);
            self.jump(b, no.block, next);
        }
    }
}
