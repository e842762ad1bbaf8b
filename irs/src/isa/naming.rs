//! The type of an instruction's operands: machine registers in `ptx`, SSA values in `nvvm`.

use std::convert::Infallible;
use std::fmt::Debug;
use std::hash::Hash;

use crate::core;

/// A way to name operands. [`Register`](super::Register) is that of `ptx`, [`core::Value`] that of `nvvm`.
pub trait Naming: Copy + Debug + Eq + Hash + 'static {
    /// A destination.
    type Def: Clone + Debug + Eq + Hash;
    /// A source that must be a register.
    type Use: Clone + Debug + Eq + Hash;
    /// A source that may be a constant.
    type Operand: Clone + Debug + Eq + Hash;
    /// A predicate source.
    type Predicate: Clone + Debug + Eq + Hash;
    /// A branch target.
    type Label: Clone + Debug + Eq + Hash;
    /// A parameter or result variable of a call.
    type Parameter: Clone + Debug + Eq + Hash;
}

/// A result of the op, in order: in SSA form results belong to the op, so the instruction has no name for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OpResult;

impl Naming for core::Value {
    type Def = OpResult;
    type Use = Self;
    type Operand = Self;
    type Predicate = Self;
    /// In SSA form blocks end with their own terminators, and no instruction branches.
    type Label = Infallible;
    /// In SSA form calls take values.
    type Parameter = Infallible;
}
