//! Ops of `nvvm`: the instruction set in SSA form, and what SSA form needs beside it.

use crate::core::{
    Effects, FieldWriter, Name, OpSpec, OpTree, OperandTree, Operation, Reader, Region, Remap, Successor,
    Value,
};
use crate::literal::Literal;

/// An instruction whose operands are SSA values.
pub type Instruction = crate::isa::Instruction<Value>;

crate::dialect! {
    /// What SSA form needs beside instructions: constants, shared memory, and branches with arguments.
    pub enum NvvmDialect: "nvvm" {
        /// A constant.
        Constant "constant" { value: Literal } -> 1, Pure, Free [free];
        /// Where the block's shared memory begins.
        SharedBase "shared.base" {} -> 1, Pure, Free [free];
        /// Goes on in a block.
        Bra "bra" { target: Successor } -> 0, Terminator, Free;
        /// Goes on in one of two blocks.
        Cbra "cbra" { condition: Value, yes: Successor, no: Successor } -> 0, Terminator, Free;
    }
}

/// An instruction, executed always or where a predicate holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetOp {
    /// The instruction.
    pub instruction: Instruction,
    /// Executed where this holds.
    pub guard: Option<Value>,
    /// The results where the guard does not hold, one each; without any, the results are zero there.
    pub otherwise: Vec<Value>,
}

impl From<Instruction> for TargetOp {
    fn from(instruction: Instruction) -> Self {
        Self {
            instruction,
            guard: None,
            otherwise: Vec::new(),
        }
    }
}

impl Operation for TargetOp {
    fn spec(&self) -> &'static OpSpec {
        self.instruction.spec()
    }
    fn specs() -> Vec<&'static OpSpec> {
        Instruction::specs()
    }
    fn effects(&self) -> Effects {
        self.instruction.effects()
    }
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        self.instruction.operands(visit);
        self.guard.iter().chain(&self.otherwise).copied().for_each(visit);
    }
    fn regions(&self, _: &mut dyn FnMut(Region)) {}
    fn successors(&self, _: &mut dyn FnMut(&Successor)) {}
    fn remap(&mut self, map: &mut dyn Remap) {
        self.instruction.remap(map);
        self.guard = self.guard.map(|guard| map.value(guard));
        map.values(&mut self.otherwise);
    }
    fn write(&self, writer: &mut dyn FieldWriter, tree: &mut OpTree) {
        self.instruction.write(writer, tree);
        if let Some(guard) = self.guard {
            tree.operands.push(OperandTree::Named(
                Name::new("guard"),
                Name::new(writer.value(guard)),
            ));
        }
        if !self.otherwise.is_empty() {
            let names = self.otherwise.iter().map(|v| Name::new(writer.value(*v)));
            tree.operands
                .push(OperandTree::List(names.collect(), tree.name.mark));
        }
    }
    fn read(name: &str, reader: &mut Reader<'_>) -> Option<Option<Self>> {
        let instruction = Instruction::read(name, reader)?;
        let guard = reader.optional_value("guard");
        let otherwise = reader.optional_values("otherwise");
        let build = || {
            Some(Self {
                instruction: instruction?,
                guard: guard?,
                otherwise: otherwise?,
            })
        };
        Some(build())
    }
}

crate::language_ops! {
    /// The ops of `nvvm`.
    pub enum NvvmOp {
        /// Constants, shared memory, branches.
        Nvvm(NvvmDialect),
        /// Target instructions.
        Target(TargetOp),
    }
}

impl From<Instruction> for NvvmOp {
    fn from(instruction: Instruction) -> Self {
        Self::Target(instruction.into())
    }
}
