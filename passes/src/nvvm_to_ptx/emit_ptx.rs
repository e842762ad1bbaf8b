//! Emits PTX.
//!
//! In: a verified function of `nvvm`. Out: a module of one entry, at the lowest `.version` that its instructions and
//! directives need.
//! Parameters are the entry block's arguments, in order, each with its natural alignment. Every value has a virtual
//! register of its class, but constants are immediate operands where PTX accepts them. Blocks keep their order and
//! fall through where possible. The format of a print is a string in global memory, its values are passed in local
//! memory. A register that an instruction updates in place is that of its result; where the source has another
//! register, a move comes first. A guarded instruction is preceded by moves of the results' values for a false guard.
//! Launch directives follow from the attributes. Shared memory is one static array, and each array of a thread one in
//! local memory. Instructions keep the origins of their ops.
//! A name that PTX does not accept is a user error; anything else without a form is an internal one.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Block, Func, OpId, Origin, Value};
use tilewright_irs::llvm::{AddressSpace, Passed};
use tilewright_irs::nvvm::{Nvvm, NvvmDialect as N, NvvmOp, NvvmType, TargetOp};
use tilewright_irs::ptx::{
    Address, Builder, Class, Immediate, Instruction, Linkage, Module, ParameterType, Register, Space, Symbol,
    Type, Value as Operand, Variable, verify,
};

use super::assign::{Assigned, assign};
use super::branches::Branches;
use super::globals;
use super::moves::parallel_moves;
use super::printf::PrintfCalls;
use super::registers::Registers;
use crate::nvvm::liveness::Liveness;

/// Emits the PTX of a kernel.
pub fn emit_ptx(func: &Func<Nvvm>) -> Result<Module, Vec<Diagnostic<Origin>>> {
    if !globals::is_identifier(&func.name) {
        let message = format!("`{}` is no name that PTX takes", func.name);
        let problem = Diagnostic::error(Code::UnsupportedFeature, message)
            .at(Origin::FUNCTION, "the kernel's name")
            .help("names are letters, digits, `_` and `$`, and do not begin with a digit");
        return Err(vec![problem]);
    }
    let mut b = Builder::new(func.name.as_str());
    b.entry().launch = func.attrs.launch();
    let shared = (func.attrs.shared_bytes > 0).then(|| {
        b.shared(
            Symbol(format!("{}_shared", func.name)),
            func.attrs.shared_align.unwrap_or_default().bytes(),
            u64::from(func.attrs.shared_bytes),
        )
    });
    let dynamic = func.attrs.shared_dynamic.0.then(|| Variable {
        linkage: Linkage::Extern,
        bytes: None,
        ..Variable::shared(
            Symbol(format!("{}_shared", func.name)),
            func.attrs.shared_align.unwrap_or_default().bytes(),
            0,
        )
    });
    let shared = shared.or_else(|| dynamic.as_ref().map(|variable| variable.name.clone()));
    let liveness = Liveness::of(&func.body);
    let registers = Registers::assign(&func.body, &liveness, &mut b);
    let mut emitter = Emitter {
        func,
        registers: &registers,
        shared,
        globals: Vec::new(),
        calls: PrintfCalls::default(),
        passed: FxHashMap::default(),
        b,
    };
    emitter.parameters().map_err(|problem| vec![problem])?;
    let branches = Branches::new(&func.body, &liveness, &registers, &mut emitter.b);
    for &block in &func.body.region(func.body.root()).blocks {
        emitter.block(&branches, block).map_err(|problem| vec![problem])?;
    }
    let mut module = Module::new(func.attrs.target);
    module.variables.extend(dynamic);
    module.variables.append(&mut emitter.globals);
    emitter.calls.declare(emitter.b.entry(), &mut module, &func.name);
    module.entries.push(without_idle_labels(emitter.b.finish()));
    let module = module.with_lowest_version();
    let problems: Vec<_> = verify(&module)
        .into_iter()
        .map(|finding| bug(func, Origin::FUNCTION, finding.violation.to_string()))
        .collect();
    if problems.is_empty() {
        Ok(module)
    } else {
        Err(problems)
    }
}

fn bug(func: &Func<Nvvm>, origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    let reproduce = format!("tilewright pass emit_ptx {}.nvvm", func.name);
    Diagnostic::bug("ptx", "emit_ptx", message, &reproduce).at(origin, "")
}

/// Removes unused labels.
fn without_idle_labels(mut entry: tilewright_irs::ptx::Entry) -> tilewright_irs::ptx::Entry {
    use tilewright_irs::ptx::Statement;
    let targets: rustc_hash::FxHashSet<_> = entry
        .lines()
        .filter_map(|line| line.instruction.target())
        .collect();
    entry.body.retain(|statement| match statement {
        Statement::Label(label) => targets.contains(label),
        Statement::Instruction(_) | Statement::Location { .. } => true,
    });
    entry
}

/// Bytes of a tensor map among the parameters. (PTX ISA, "Tensors", "Tensor-map".)
const MAP_BYTES: u32 = 128;
/// Its alignment.
const MAP_ALIGN: u32 = 64;

struct Emitter<'a> {
    func: &'a Func<Nvvm>,
    registers: &'a Registers,
    shared: Option<Symbol>,
    globals: Vec<Variable>,
    calls: PrintfCalls,
    /// The parameters that are passed by value.
    passed: FxHashMap<Value, Symbol>,
    b: Builder,
}

impl Emitter<'_> {
    fn parameters(&mut self) -> Result<(), Diagnostic<Origin>> {
        let body = &self.func.body;
        let used = used(self.func);
        for &param in body.params() {
            let ty = *body.ty(param);
            let declared = match ty {
                NvvmType::B8 => ParameterType::Scalar(Type::U8),
                NvvmType::B16 => ParameterType::Scalar(Type::B16),
                NvvmType::B32 => ParameterType::Scalar(Type::U32),
                NvvmType::B64 => ParameterType::Scalar(Type::U64),
                NvvmType::F32 => ParameterType::Scalar(Type::F32),
                NvvmType::F64 => ParameterType::Scalar(Type::F64),
                // The accesses have the known alignment already.
                NvvmType::Ptr(AddressSpace::Global) => ParameterType::Pointer {
                    space: Some(Space::Global),
                    align: 1,
                },
                NvvmType::TensorMap => ParameterType::Bytes {
                    align: MAP_ALIGN,
                    bytes: MAP_BYTES,
                },
                NvvmType::Passed(Passed { bytes, align }) => ParameterType::Bytes { align, bytes },
                NvvmType::Pred
                | NvvmType::B128
                | NvvmType::Ptr(AddressSpace::Shared | AddressSpace::Local) => {
                    return Err(bug(
                        self.func,
                        Origin::FUNCTION,
                        "a parameter of a type that cannot be passed",
                    ));
                }
            };
            let name = self.b.parameter(declared);
            if let NvvmType::Passed(_) = ty {
                self.passed.insert(param, name);
                continue;
            }
            let Some(register) = self.registers.get(param).filter(|_| used.contains(&param)) else {
                continue;
            };
            match declared {
                ParameterType::Scalar(ty) => {
                    self.b
                        .emit(Instruction::load(Some(Space::Param), ty, vec![register], name));
                }
                ParameterType::Pointer { .. } => self.load_pointer(register, name),
                ParameterType::Bytes { .. } => self.b.emit(Instruction::AddressOf {
                    ty: Type::U64,
                    d: register,
                    a: name.into(),
                }),
            }
        }
        Ok(())
    }

    /// Loads a pointer to global memory, which is generic among the parameters.
    fn load_pointer(&mut self, d: Register, from: impl Into<Address>) {
        let generic = self.b.register(Class::B64);
        self.b.emit(Instruction::load(
            Some(Space::Param),
            Type::U64,
            vec![generic],
            from,
        ));
        self.b.emit(Instruction::Cvta {
            to: tilewright_irs::ptx::To(true),
            space: Space::Global,
            ty: Type::U64,
            d,
            a: generic.into(),
        });
    }

    fn block(&mut self, branches: &Branches<'_>, block: Block) -> Result<(), Diagnostic<Origin>> {
        if let Some(label) = branches.label(block) {
            self.b.place(label);
        }
        for &id in &self.func.body.block(block).ops {
            let op = self.func.body.op(id);
            self.b
                .set_origin((op.origin != Origin::FUNCTION).then_some(op.origin.0));
            match &op.kind {
                NvvmOp::Nvvm(own) => self.op(branches, block, id, own)?,
                NvvmOp::Target(target) => self.instruction(id, target),
            }
        }
        Ok(())
    }

    fn op(
        &mut self,
        branches: &Branches<'_>,
        block: Block,
        id: OpId,
        own: &N,
    ) -> Result<(), Diagnostic<Origin>> {
        match own {
            N::Bra { target } => branches.unconditional(&mut self.b, block, target),
            N::Cbra { condition, yes, no } => {
                let condition = self.registers.known(*condition);
                branches.conditional(&mut self.b, block, condition, (yes, no));
            }
            N::SharedBase {} => {
                let name = self
                    .shared
                    .clone()
                    .ok_or_else(|| self.bug(id, "there is no shared memory"))?;
                let d = self.registers.known(self.func.body.op(id).result(0));
                self.b.assign(Type::U32, d, name);
            }
            N::ReadParameter { parameter, offset } => {
                let result = self.func.body.op(id).result(0);
                let name = self
                    .passed
                    .get(parameter)
                    .cloned()
                    .ok_or_else(|| self.bug(id, "there is no such parameter"))?;
                let from = (name, i32::try_from(*offset).unwrap_or(i32::MAX));
                let d = self.registers.known(result);
                match self.func.body.ty(result) {
                    NvvmType::Ptr(_) => self.load_pointer(d, from),
                    NvvmType::B8 => {
                        self.b
                            .emit(Instruction::load(Some(Space::Param), Type::U8, vec![d], from))
                    }
                    ty => {
                        let ty = ty.class().declared();
                        self.b
                            .emit(Instruction::load(Some(Space::Param), ty, vec![d], from));
                    }
                }
            }
            N::Alloca { slot, bytes, align } => {
                let name = Symbol(format!("{}_local_{slot}", self.func.name));
                let declared = &mut self.b.entry().variables;
                if declared.iter().all(|known| known.name != name) {
                    declared.push(Variable {
                        space: Space::Local,
                        ..Variable::shared(name.clone(), *align, u64::from(*bytes))
                    });
                }
                let d = self.registers.known(self.func.body.op(id).result(0));
                self.b.assign(Type::U32, d, name);
            }
            N::Global {
                symbol,
                value,
                elements,
                align,
                visible,
            } => {
                let variable = globals::variable(symbol, value, *elements, *align, visible.0)
                    .map_err(|problem| problem.at(self.func.body.op(id).origin, ""))?;
                let name = variable.name.clone();
                if self.globals.iter().all(|known| known.name != name) {
                    self.globals.push(variable);
                }
                let d = self.registers.known(self.func.body.op(id).result(0));
                self.b.assign(Type::U64, d, name);
            }
            N::Hold { values } => {
                let results = self.func.body.op(id).results();
                let moves = results.zip(values);
                let moves = moves
                    .map(|(result, &value)| (self.registers.known(result), self.registers.moved(value)))
                    .collect();
                parallel_moves(&mut self.b, moves);
            }
            N::Printf { format, values } => {
                let values: Vec<_> = values.iter().map(|&value| self.registers.known(value)).collect();
                self.calls.printf(&mut self.b, &self.func.name, format, &values);
            }
            N::Constant { value } => {
                if let Some(d) = self.registers.get(self.func.body.op(id).result(0)) {
                    let constant = Immediate::of(*value);
                    let constant = constant.ok_or_else(|| self.bug(id, "no such constant"))?;
                    self.b.assign(d.class.declared(), d, Operand::from(constant));
                }
            }
        }
        Ok(())
    }

    /// Emits an instruction, after moves of its results' values for a false guard.
    fn instruction(&mut self, id: OpId, op: &TargetOp) {
        let results: Vec<_> = self
            .func
            .body
            .op(id)
            .results()
            .map(|value| self.registers.known(value))
            .collect();
        let Assigned { instruction, moves } = assign(self.registers, &op.instruction, results.clone());
        parallel_moves(&mut self.b, moves);
        let Some(guard) = op.guard else {
            self.b.emit(instruction);
            return;
        };
        for (i, to) in results.into_iter().enumerate() {
            let from = match op.otherwise.get(i) {
                Some(&other) => self.registers.moved(other),
                None => zero(to.class),
            };
            self.b.assign(to.class.declared(), to, from);
        }
        self.b.emit_if(self.registers.known(guard), instruction);
    }

    fn bug(&self, id: OpId, message: &str) -> Diagnostic<Origin> {
        bug(self.func, self.func.body.op(id).origin, message)
    }
}

fn zero(class: Class) -> Operand {
    match class {
        Class::F32 => Immediate::F32(0).into(),
        Class::F64 => Immediate::F64(0).into(),
        Class::Pred | Class::B16 | Class::B32 | Class::B64 | Class::B128 => Immediate::Int(0).into(),
    }
}

/// The values that have uses.
fn used(func: &Func<Nvvm>) -> rustc_hash::FxHashSet<Value> {
    use tilewright_irs::core::Operation;
    let mut used = rustc_hash::FxHashSet::default();
    for id in func.body.walk() {
        func.body.op(id).kind.operands(&mut |value| {
            used.insert(value);
        });
    }
    used
}
