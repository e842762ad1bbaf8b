//! Rules beyond the types: registers are declared and match, labels are placed once, names are defined.

use super::Instruction;
use super::launch_rules::LaunchProblem;
use super::module::{Entry, Inlined, Module, Position, Statement};
use crate::isa::{Class, IsaVersion, Label, Need, Register, Symbol, Target, Value, Want};
use crate::machine::Machine;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A violated rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// The instruction is a combination that PTX does not have.
    NoSuchForm(String),
    /// The instruction does not exist on the module's target.
    Target(String, Need),
    /// The module's `.version` is too low for the instruction.
    Version(String, IsaVersion),
    /// A register beyond those declared.
    Undeclared(Register),
    /// A register or a constant of the wrong type.
    Operand(Value, Want, String),
    /// A guard that is not a predicate register.
    Guard(Register),
    /// A branch to a label that is not placed.
    Unplaced(Label),
    /// A label placed twice.
    PlacedTwice(Label),
    /// A name that is not a parameter or variable.
    UnknownName(Symbol),
    /// A name that is defined twice.
    DuplicateName(Symbol),
    /// A launch directive that the entry cannot have.
    Launch(LaunchProblem),
    /// The entry declares more shared memory, in bytes, than a block can have.
    SharedMemory(u64, Target),
    /// The module's `.version` is too low for its `.target`.
    TargetVersion(Target, IsaVersion),
    /// The call of an inlined function, without a `.loc` of its position before.
    CallNotLocated(Position),
    /// The name of an inlined function that the module does not have.
    NoFunctionName(u32),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchForm(text) => write!(f, "PTX has no such form: `{text}`"),
            Self::Target(text, need) => write!(f, "not available on this target: `{text}` needs {need}"),
            Self::Version(text, version) => write!(f, "`{text}` needs `.version {version}` or later"),
            Self::Undeclared(register) => write!(f, "register {register} is not declared"),
            Self::Operand(value, want, text) => {
                let fitting: Vec<_> = Class::ALL
                    .into_iter()
                    .filter(|&class| want.admits(class))
                    .collect();
                match (value, fitting.as_slice()) {
                    (Value::Register(register), [first, others @ ..]) => {
                        let own = register.class.declared();
                        write!(
                            f,
                            "`{register}` is a `.{own}` register, expected `.{}`",
                            first.declared()
                        )?;
                        others
                            .iter()
                            .try_for_each(|class| write!(f, " or `.{}`", class.declared()))?;
                        write!(f, ": `{text}`")
                    }
                    _ => write!(f, "`{value}` is not {want}: `{text}`"),
                }
            }
            Self::Guard(register) => write!(f, "guard {register} is no predicate"),
            Self::Unplaced(label) => write!(f, "label {label} is not placed"),
            Self::PlacedTwice(label) => write!(f, "label {label} is placed twice"),
            Self::UnknownName(name) => write!(f, "`{name}` is no parameter or variable"),
            Self::DuplicateName(name) => write!(f, "`{name}` is declared twice"),
            Self::Launch(problem) => write!(f, "{problem}"),
            Self::SharedMemory(bytes, target) => write!(
                f,
                "the entry declares {bytes} bytes of shared memory; a block on {target} has at most {}",
                Machine::of(*target).multiprocessor.shared_static.0
            ),
            Self::TargetVersion(target, version) => {
                write!(f, "`.target {target}` needs `.version {version}` or later")
            }
            Self::CallNotLocated(at) => write!(f, "no `.loc` before this one names the call at {at}"),
            Self::NoFunctionName(index) => write!(f, "there is no function name number {index}"),
        }
    }
}

/// A violation with its location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// The entry.
    pub entry: Symbol,
    /// The index of the statement in the entry's body; `None` for its head.
    pub statement: Option<usize>,
    /// The violation.
    pub violation: Violation,
}

/// Verifies a module; returns no findings if it is valid.
pub fn verify(module: &Module) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut names = BTreeSet::new();
    for entry in &module.entries {
        verify_entry(module, entry, &mut |statement, violation| {
            findings.push(Finding {
                entry: entry.name.clone(),
                statement,
                violation,
            });
        });
        if !names.insert(&entry.name) {
            let violation = Violation::DuplicateName(entry.name.clone());
            findings.push(Finding {
                entry: entry.name.clone(),
                statement: None,
                violation,
            });
        }
    }
    findings
}

fn verify_entry(module: &Module, entry: &Entry, report: &mut dyn FnMut(Option<usize>, Violation)) {
    let mut names = BTreeSet::new();
    let declared = (module.variables.iter().map(|variable| &variable.name))
        .chain(module.functions.iter().map(|function| &function.name))
        .chain(entry.variables.iter().map(|variable| &variable.name))
        .chain(entry.call_parameters.iter().map(|parameter| &parameter.name))
        .chain(entry.parameters.iter().map(|parameter| &parameter.name));
    for name in declared {
        if !names.insert(name) {
            report(None, Violation::DuplicateName(name.clone()));
        }
    }
    let least = module.target.least_version();
    let is_old = module.version < least;
    if is_old {
        report(None, Violation::TargetVersion(module.target, least));
    }
    let version = (!is_old).then_some(module.version);
    for problem in entry.launch.problems(module.target, version) {
        report(None, Violation::Launch(problem));
    }
    let shared = module.shared_bytes(entry);
    if shared > Machine::of(module.target).multiprocessor.shared_static.0 {
        report(None, Violation::SharedMemory(shared, module.target));
    }
    verify_locations(module, entry, report);
    let mut placed: BTreeMap<Label, usize> = BTreeMap::new();
    for (at, statement) in entry.body.iter().enumerate() {
        if let Statement::Label(label) = statement
            && placed.insert(*label, at).is_some()
        {
            report(Some(at), Violation::PlacedTwice(*label));
        }
    }
    for (at, statement) in entry.body.iter().enumerate() {
        let Statement::Instruction(line) = statement else {
            continue;
        };
        if let Some(guard) = line.guard {
            if guard.register.class != Class::Pred {
                report(Some(at), Violation::Guard(guard.register));
            } else if !entry.registers.contains(guard.register) {
                report(Some(at), Violation::Undeclared(guard.register));
            }
        }
        verify_instruction(module, entry, &line.instruction, &mut |violation| {
            report(Some(at), violation)
        });
        line.instruction.symbols(&mut |name| {
            if !names.contains(name) {
                report(Some(at), Violation::UnknownName(name.clone()));
            }
        });
        if let Some(label) = line.instruction.target()
            && !placed.contains_key(&label)
        {
            report(Some(at), Violation::Unplaced(label));
        }
    }
}

/// Verifies the positions of inlined functions: ptxas wants a `.loc` of the call before them.
fn verify_locations(module: &Module, entry: &Entry, report: &mut dyn FnMut(Option<usize>, Violation)) {
    let mut located = BTreeSet::new();
    for (at, statement) in entry.body.iter().enumerate() {
        let Statement::Location {
            at: position,
            inlined,
        } = statement
        else {
            continue;
        };
        if let Some(Inlined {
            function,
            called_from,
        }) = *inlined
        {
            if usize::try_from(function).map_or(true, |index| index >= module.inlined_functions.len()) {
                report(Some(at), Violation::NoFunctionName(function));
            }
            if !located.contains(&called_from) {
                report(Some(at), Violation::CallNotLocated(called_from));
            }
            if let Some(version) = Inlined::NEED.version_on(module.target)
                && module.version < version
            {
                report(Some(at), Violation::Version("inlined_at".to_owned(), version));
            }
        }
        located.insert(*position);
    }
}

fn verify_instruction(
    module: &Module,
    entry: &Entry,
    instruction: &Instruction,
    report: &mut dyn FnMut(Violation),
) {
    instruction.registers(&mut |register, _, _| {
        if !entry.registers.contains(register) {
            report(Violation::Undeclared(register));
        }
    });
    for (value, want) in instruction.misfits() {
        report(Violation::Operand(value, want, instruction.to_string()));
    }
    let Some(need) = instruction.need() else {
        report(Violation::NoSuchForm(instruction.to_string()));
        return;
    };
    match need.version_on(module.target) {
        None => report(Violation::Target(instruction.to_string(), need)),
        Some(version) if module.version < version => {
            report(Violation::Version(instruction.to_string(), version));
        }
        Some(_) => {}
    }
}
