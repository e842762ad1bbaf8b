//! Keeps waits for asynchronous products behind the work that runs under them.
//!
//! In and out: `nvvm`. ptxas moves `wgmma.wait_group` ahead of instructions that come before it and do not need it, and so leaves
//! the tensor cores idle where other work was to run under their products. In attention, `WARPGROUP.DEPBAR` then comes between
//! the maximum of a row and the exponentials, which were to run under the product of the probabilities before. (SASS of ptxas 13.0
//! and 13.5.) It moves no wait to another block.
//!
//! Out: a wait begins a block of its own if [`WORK`] instructions or more come before it, after the instructions of products. The
//! branch before it traps where the number of blocks along x is 2^31 or more, which ptxas does not know to be impossible. A wait
//! stays where another block shares the multiprocessor, whose products fill the time, and where the products of the loop take longer
//! than its special functions: then the products of other warp groups do. (Measured with attention on an H100: a wait that is kept
//! gains 6 % with heads of 64 and tiles of 128 by 128, and costs 2 to 6 % with all other tiles.) A wait also stays where the elements of tiles that are live at it, with the operands in registers of the product under way, leave too few
//! registers for all else: behind the wait, ptxas has the registers of these operands too.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Builder, Func, OpId, Operation, Origin, Successor, Value};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Class, Comparison, Ftz, OpResult, Special, Type, Uni};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::KernelAttrs;
use tilewright_irs::machine::{GROUP_WARPS, Machine, Rates, threads};
use tilewright_irs::nvvm::{Instruction, Nvvm, NvvmDialect, NvvmOp, NvvmType};

use super::liveness::Liveness;
use super::pressure::{blocks_with, most_registers, registers};
use crate::scheduled::schedule_loops::TEMPORARY_REGISTERS;

/// The fewest instructions before a wait for which it is kept behind them: more than what computes addresses.
pub const WORK: usize = 64;

/// Keeps waits behind the work before them; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn keep_waits(func: &Func<Nvvm>) -> Result<Func<Nvvm>, Vec<Diagnostic<Origin>>> {
    let blocks = &func.body.region(func.body.root()).blocks;
    let waits: Vec<(Block, usize)> = blocks
        .iter()
        .filter_map(|&block| Some((block, wait_after_work(&func.body, block)?)))
        .filter(|&(block, _)| is_alone(&func.attrs) && takes_special_functions(func, block))
        .collect();
    if waits.is_empty() {
        return Ok(func.clone());
    }
    let registers = Registers::of(func);
    let waits: Vec<(Block, usize)> = waits
        .into_iter()
        .filter(|&(block, at)| registers.suffice(&func.body, block, at))
        .collect();
    if waits.is_empty() {
        return Ok(func.clone());
    }
    let mut body = func.body.clone();
    let root = body.root();
    let mut order = body.region(root).blocks.clone();
    let never = body.add_block(root);
    for (block, at) in waits {
        let wait = split(&mut body, (block, at), never);
        let place = order.iter().position(|&other| other == block);
        order.insert(place.map_or(order.len(), |place| place + 1), wait);
    }
    order.push(never);
    body.arrange_blocks(root, order);
    let mut build = Builder::new(&mut body, never, Origin::FUNCTION);
    build.effect(Instruction::Trap {});
    build.effect(Instruction::Ret { uni: Uni(false) });
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: body.renumbered(),
    })
}

fn instruction(body: &Body<Nvvm>, id: OpId) -> Option<&Instruction> {
    match &body.op(id).kind {
        NvvmOp::Target(op) => Some(&op.instruction),
        NvvmOp::Nvvm(_) => None,
    }
}

/// The position in a block of a wait for products behind work.
fn wait_after_work(body: &Body<Nvvm>, block: Block) -> Option<usize> {
    let mut work = 0;
    for (at, &id) in body.block(block).ops.iter().enumerate() {
        match instruction(body, id) {
            Some(Instruction::WgmmaWait { .. }) if work >= WORK => return Some(at),
            Some(
                Instruction::WgmmaWait { .. }
                | Instruction::WgmmaFence {}
                | Instruction::WgmmaCommit {}
                | Instruction::Wgmma { .. }
                | Instruction::WgmmaRegisters { .. }
                | Instruction::WgmmaInteger { .. }
                | Instruction::WgmmaIntegerRegisters { .. },
            ) => work = 0,
            Some(_) => work += 1,
            None => {}
        }
    }
    None
}

/// Whether the registers of a block leave no room for another one on a multiprocessor.
fn is_alone(attrs: &KernelAttrs) -> bool {
    blocks_with(attrs, registers(attrs)) < 2
}

/// Whether the special functions of the loops around a block take at least as long as their products by warp groups.
fn takes_special_functions(func: &Func<Nvvm>, block: Block) -> bool {
    let rates = Machine::of(func.attrs.target).rates;
    let (mut special, mut products) = (0, 0);
    for inside in repeated(&func.body, block) {
        for &id in &func.body.block(inside).ops {
            match instruction(&func.body, id) {
                Some(
                    Instruction::Wgmma { shape, a_type, .. }
                    | Instruction::WgmmaRegisters { shape, a_type, .. }
                    | Instruction::WgmmaInteger { shape, a_type, .. }
                    | Instruction::WgmmaIntegerRegisters { shape, a_type, .. },
                ) => products += shape.multiplications() / u64::from(rates.wgmma.of(*a_type).max(1)),
                Some(Instruction::Ex2 { .. }) => {
                    special += u64::from(threads(GROUP_WARPS)) / u64::from(Rates::SPECIAL);
                }
                _ => {}
            }
        }
    }
    special >= products
}

/// Moves what follows a position in a block to a new block, with a branch that never goes to `never`. Returns the new block.
fn split(body: &mut Body<Nvvm>, (block, at): (Block, usize), never: Block) -> Block {
    let mut before = body.block(block).ops.clone();
    let after = before.split_off(at);
    let origin = after.first().map_or(Origin::FUNCTION, |&id| body.op(id).origin);
    let wait = body.add_block(body.root());
    body.arrange_ops(wait, after);
    body.arrange_ops(block, before);
    let mut build = Builder::new(body, block, origin);
    let d = OpResult;
    let (ty, register) = (Type::U32, Special::NctaidX);
    let a = build.value(Instruction::ReadSpecial { ty, d, register }, NvvmType::B32);
    let value = Literal::new(ScalarType::I32, 0);
    let b = build.value(NvvmDialect::Constant { value }, NvvmType::B32);
    let negative = Instruction::Setp {
        comparison: Comparison::Lt,
        ftz: Ftz(false),
        ty: Type::S32,
        d,
        a,
        b,
    };
    let condition = build.value(negative, NvvmType::Pred);
    let to = |block: Block| Successor {
        block,
        args: Vec::new(),
    };
    build.effect(NvvmDialect::Cbra {
        condition,
        yes: to(never),
        no: to(wait),
    });
    wait
}

/// The registers of a thread while a product is under way.
struct Registers {
    liveness: Liveness,
    /// Those of the operands of the products that a block begins, at most.
    read: usize,
    /// All.
    all: u32,
}

impl Registers {
    fn of(func: &Func<Nvvm>) -> Self {
        let body = &func.body;
        let blocks = body.region(body.root()).blocks.iter();
        let read = blocks.map(|&block| -> usize {
            let ops = body.block(block).ops.iter();
            let read = ops.filter_map(|&id| match instruction(body, id)? {
                Instruction::WgmmaRegisters { a, .. } | Instruction::WgmmaIntegerRegisters { a, .. } => {
                    Some(a.0.len())
                }
                _ => None,
            });
            read.sum()
        });
        Self {
            liveness: Liveness::of(body),
            read: read.max().unwrap_or(0),
            all: most_registers(func, registers(&func.attrs)),
        }
    }

    /// Whether the elements of tiles that the loop around a block computes, and that are live at this position of the block, leave
    /// registers for all else. Each takes one, as numbers become narrower behind the wait, where the product has read its operands.
    fn suffice(&self, body: &Body<Nvvm>, block: Block, at: usize) -> bool {
        let mut live: FxHashSet<Value> = self.liveness.after(block).iter().copied().collect();
        for &id in body.block(block).ops.iter().skip(at).rev() {
            let op = body.op(id);
            for result in op.results() {
                live.remove(&result);
            }
            op.kind.operands(&mut |value| {
                live.insert(value);
            });
        }
        let mut made: FxHashSet<Value> = FxHashSet::default();
        for inside in repeated(body, block) {
            made.extend(&body.block(inside).args);
            made.extend(
                body.block(inside)
                    .ops
                    .iter()
                    .flat_map(|&id| body.op(id).results()),
            );
        }
        let is_element = |value: &&Value| matches!(body.ty(**value).class(), Class::F32 | Class::B16);
        let held = live.intersection(&made).filter(is_element).count() + self.read;
        u32::try_from(held).is_ok_and(|held| held.saturating_add(TEMPORARY_REGISTERS) <= self.all)
    }
}

/// A block and the blocks of the loops around it: those that it reaches and that reach it.
fn repeated(body: &Body<Nvvm>, block: Block) -> FxHashSet<Block> {
    let successors = |block: Block| {
        let mut found = Vec::new();
        if let Some(last) = body.terminator(block) {
            let kind = &body.op(last).kind;
            kind.successors(&mut |successor| found.push(successor.block));
        }
        found
    };
    let reached = |from: Block| {
        let (mut found, mut open) = (FxHashSet::default(), successors(from));
        while let Some(block) = open.pop() {
            if found.insert(block) {
                open.extend(successors(block));
            }
        }
        found
    };
    let after = reached(block).into_iter();
    after
        .filter(|&other| reached(other).contains(&block))
        .chain([block])
        .collect()
}
