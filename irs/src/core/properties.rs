//! What a declaration says of an op beside its shape: its effects, and what analyses and clean-up ask.

use super::effects::{Effects, Undefined};

/// How much it takes to execute an op, for each element of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Nothing, or as much as an operand of another instruction: constants, the same bits under another type.
    Free,
    /// An instruction or two.
    Cheap,
    /// Many instructions, or a slow one: quotients, roots, transcendental functions, matrix products, memory.
    Expensive,
}

/// Whether an op's first two operands may change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Commutes {
    /// No.
    Never,
    /// Where at most one of them is a NaN: of two, the first may be the result.
    Numbers,
    /// Whatever they are.
    Always,
}

/// What holds of every op of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Properties {
    /// What it does at most.
    pub effects: Effects,
    /// Whether each element of the results depends on the operands' elements at its place alone, in the same way at
    /// every place. An operand that is one element is the same at all places.
    pub elementwise: bool,
    /// Whether the first two operands may change places.
    pub commutes: Commutes,
    /// What it costs.
    pub cost: Cost,
}

impl Properties {
    /// Of an op that has these effects and no further property. It is cheap unless it touches memory or another
    /// resource.
    pub const fn new(effects: Effects) -> Self {
        Self {
            effects,
            elementwise: false,
            commutes: Commutes::Never,
            cost: if effects.touches().is_empty() {
                Cost::Cheap
            } else {
                Cost::Expensive
            },
        }
    }

    /// … whose results depend on the operands element by element.
    #[must_use]
    pub const fn elementwise(mut self) -> Self {
        self.elementwise = true;
        self
    }

    /// … whose first two operands may change places.
    #[must_use]
    pub const fn commutative(mut self) -> Self {
        self.commutes = Commutes::Always;
        self
    }

    /// … whose first two operands may change places where at most one is a NaN.
    #[must_use]
    pub const fn commutative_numbers(mut self) -> Self {
        self.commutes = Commutes::Numbers;
        self
    }

    /// … that costs nothing.
    #[must_use]
    pub const fn free(mut self) -> Self {
        self.cost = Cost::Free;
        self
    }

    /// … that costs many instructions.
    #[must_use]
    pub const fn expensive(mut self) -> Self {
        self.cost = Cost::Expensive;
        self
    }

    /// … that all threads of a group execute together.
    #[must_use]
    pub const fn convergent(mut self) -> Self {
        self.effects = self.effects.and_convergent();
        self
    }

    /// … that gives something new each time.
    #[must_use]
    pub const fn allocates(mut self) -> Self {
        self.effects = self.effects.and_allocates();
        self
    }

    /// … that is undefined for some operands.
    #[must_use]
    pub const fn partial(mut self) -> Self {
        self.effects = self.effects.and_undefined(Undefined::SomeOperands);
        self
    }
}
