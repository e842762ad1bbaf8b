//! Properties of an op's declaration: its effects, and what analyses and optimisations need.

use super::effects::{Effects, Undefined};

/// Cost of executing an op, per element of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// None, or an operand of another instruction: constants, reinterpretations of bits.
    Free,
    /// An instruction or two.
    Cheap,
    /// Many instructions, or a slow one: quotients, roots, transcendental functions, matrix products, memory.
    Expensive,
}

/// Whether an op's first two operands are interchangeable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Commutes {
    /// No.
    Never,
    /// If at most one of them is a NaN: of two NaNs, the first may be the result.
    Numbers,
    /// Always.
    Always,
}

/// Properties of an op's declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Properties {
    /// Upper bound of its effects.
    pub effects: Effects,
    /// Whether each element of the results depends only on the corresponding elements of the operands, in the same
    /// way for every element. A scalar operand corresponds to all elements.
    pub elementwise: bool,
    /// Whether the first two operands are interchangeable.
    pub commutes: Commutes,
    /// Its cost.
    pub cost: Cost,
}

impl Properties {
    /// The properties of an op with these effects and nothing else. It is cheap unless it accesses memory or another
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

    /// … that is elementwise.
    #[must_use]
    pub const fn elementwise(mut self) -> Self {
        self.elementwise = true;
        self
    }

    /// … that is commutative.
    #[must_use]
    pub const fn commutative(mut self) -> Self {
        self.commutes = Commutes::Always;
        self
    }

    /// … that is commutative if at most one operand is a NaN.
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

    /// … that is convergent.
    #[must_use]
    pub const fn convergent(mut self) -> Self {
        self.effects = self.effects.and_convergent();
        self
    }

    /// … that allocates.
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

/// A rule on the types of an op's operands and results.
///
/// "Same" compares types without facts. "Container" is a type with its element type left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeRule {
    /// None here; the language's own verifier has the rules.
    Free,
    /// All operands and results are of one type, with float elements.
    SameFloat,
    /// All operands and results are of one type, with integer elements.
    SameInt,
    /// All operands and results are of one type.
    Same,
    /// The first operand and the result are of one type, with float elements; the second has integer elements in the
    /// same container.
    FloatPower,
    /// All operands are of one type with float elements; the result is their container of i1.
    CompareFloat,
    /// All operands are of one type with integer elements; the result is their container of i1.
    CompareInt,
    /// The first operand is a container of i1; the others and the result are of one type in that container,
    /// or the first is a single i1.
    Select,
    /// Float elements to float elements in the same container.
    FloatToFloat,
    /// Float elements to integer elements in the same container.
    FloatToInt,
    /// Integer elements to float elements in the same container.
    IntToFloat,
    /// Integer elements to wider integer elements in the same container.
    IntExtend,
    /// Integer elements to narrower integer elements in the same container.
    IntTruncate,
    /// Elements of one size to elements of the same size in the same container.
    Bitcast,
    /// Integer elements of 64 bits to pointers in the same container.
    IntToPtr,
    /// Pointers to integer elements of 64 bits in the same container.
    PtrToInt,
    /// Pointers to pointers in the same container.
    PtrToPtr,
}
