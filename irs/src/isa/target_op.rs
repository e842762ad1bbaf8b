//! An instruction as an op of the languages with SSA values.

use super::instructions::Instruction;
use crate::core::{
    Effects, FieldWriter, Name, OpSpec, OpTree, OperandTree, Operation, Part, Reader, Region, Remap,
    Successor, Value,
};

/// An instruction, unconditional or with a guard predicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetOp {
    /// The instruction.
    pub instruction: Instruction<Value>,
    /// The guard predicate.
    pub guard: Option<Value>,
    /// One value for each result, which it has if the guard is false; if empty, the results are zero then.
    pub otherwise: Vec<Value>,
}

impl From<Instruction<Value>> for TargetOp {
    fn from(instruction: Instruction<Value>) -> Self {
        Self {
            instruction,
            guard: None,
            otherwise: Vec::new(),
        }
    }
}

impl TargetOp {
    /// The guard predicate as a part; it follows the fields of the instruction.
    pub fn guard_part(&self) -> Part {
        Part::field(self.spec().fields.len())
    }
}

impl Operation for TargetOp {
    fn spec(&self) -> &'static OpSpec {
        self.instruction.spec()
    }
    const SPECS: &'static [&'static [OpSpec]] = <Instruction<Value>>::SPECS;
    fn effects(&self) -> Effects {
        self.instruction.effects()
    }
    fn operands(&self, visit: &mut dyn FnMut(Value)) {
        self.instruction.operands(visit);
        self.guard.iter().chain(&self.otherwise).copied().for_each(visit);
    }
    fn operand_parts(&self, visit: &mut dyn FnMut(Part, Value)) {
        self.instruction.operand_parts(visit);
        if let Some(value) = self.guard {
            visit(self.guard_part(), value);
        }
        let otherwise = Part::field(self.spec().fields.len().saturating_add(1));
        for (entry, &value) in self.otherwise.iter().enumerate() {
            visit(otherwise.entry(entry), value);
        }
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
        let instruction = Instruction::<Value>::read(name, reader)?;
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
