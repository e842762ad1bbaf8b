//! `ptx`: the last language, whose text ptxas and the driver accept.
//!
//! It has virtual registers, labels and mutable state, so it is plain data rather than SSA. Decided here: register
//! classes, the order of directives, and the lowest sufficient `.version`. In: one [`Entry`] for each kernel. Out:
//! text by `Display`; `parse(print(x)) == x` for modules without origins.
//!
//! ```
//! use tilewright_irs::ptx::*;
//! let mut b = Builder::new("scale");
//! let pointer = b.parameter(ParameterType::Pointer { space: Some(Space::Global), align: 16 });
//! let factor = b.parameter(ParameterType::Scalar(Type::F32));
//! b.entry().launch.required_threads = Some([128, 1, 1]);
//! let base = b.load_parameter(&pointer, Type::U64);
//! let base = b.to_space(Space::Global, base);
//! let factor = b.load_parameter(&factor, Type::F32);
//! let thread = b.mov(Type::U32, Special::TidX);
//! let offset = b.mul_wide(Type::U32, thread, 16);
//! let address = b.add(Type::S64, base, offset);
//! let x = b.load(Space::Global, Type::F32, 4, address);
//! let y: Vec<Value> = x.into_iter().map(|x| b.mul(Type::F32, x, factor).into()).collect();
//! b.store(Space::Global, Type::F32, (address, 0), &y);
//! // Whatever has no method: the variant itself, with every modifier spelled out.
//! let square = b.register_for(Type::F32);
//! b.emit(Instruction::Sqrt {
//!     approximation: None, rounding: Some(Rounding::Rn), ftz: Ftz(false), ty: Type::F32, d: square, a: factor.into(),
//! });
//! b.ret();
//! let mut module = Module::new(Target::sm_a(90));
//! module.entries.push(b.finish());
//! let module = module.with_lowest_version();
//! assert!(verify(&module).is_empty());
//! assert!(module.to_string().starts_with(".version 8.0\n.target sm_90a\n"));
//! ```
//!
//! The instruction set is that of [`crate::isa`], with registers and labels as operands; this module has modules,
//! entries and launch directives, a builder, the printer, and the rules of [`verify`].

mod build;
mod directive;
mod launch;
mod launch_rules;
mod module;
mod print;
mod verify;

pub use crate::isa::*;
pub use build::{Builder, MoveSource};
pub use directive::Directive;
pub use launch::{Asked, Axis, Configuration, Refusal, is_portable};
pub use launch_rules::{LaunchProblem, WrongLaunch};
pub use module::{
    Entry, EntryLinkage, Function, Inlined, Launch, Line, Linkage, Module, Parameter, ParameterType,
    Position, RegisterCounts, SourceFile, Statement, Variable,
};
pub use print::function_names;
pub use verify::{Finding, Violation, verify};

/// An instruction whose operands are registers, constants and labels.
pub type Instruction = crate::isa::Instruction<Register>;
