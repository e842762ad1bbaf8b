//! Side effects of ops.

use std::fmt;

/// Shared state that ops read or write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Resource {
    /// Global memory. An access through a generic address accesses [`Shared`](Self::Shared) as well.
    Global,
    /// The shared memory of the block, or of the cluster.
    Shared,
    /// Tensor memory.
    Tensor,
    /// A thread's own memory: local arrays, parameters of calls.
    Local,
    /// Ordering of accesses and threads: barriers, fences, ordered accesses, groups of asynchronous copies.
    Barrier,
    /// Observable output: printed text.
    Output,
    /// Termination of the program. Written by ops that may stop it or not terminate: a trap, an assertion, an
    /// unbounded loop.
    Control,
}

impl Resource {
    /// Every resource, in order of declaration.
    pub const ALL: &'static [Self] = &[
        Self::Global,
        Self::Shared,
        Self::Tensor,
        Self::Local,
        Self::Barrier,
        Self::Output,
        Self::Control,
    ];
}

/// A set of resources.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Resources(u8);

impl Resources {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// The set of all resources.
    pub const ALL: Self = Self((1 << Resource::ALL.len()) - 1);
    /// Every kind of memory.
    pub const MEMORY: Self = Self::NONE
        .with(Resource::Global)
        .with(Resource::Shared)
        .with(Resource::Tensor)
        .with(Resource::Local);

    /// The set with `resource` added.
    #[must_use]
    pub const fn with(self, resource: Resource) -> Self {
        Self(self.0 | 1 << resource as u8)
    }

    /// The set with `resource` removed.
    #[must_use]
    pub const fn without(self, resource: Resource) -> Self {
        Self(self.0 & !(1 << resource as u8))
    }

    /// The union.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether `resource` is in the set.
    pub const fn contains(self, resource: Resource) -> bool {
        self.0 & 1 << resource as u8 != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, in order of declaration.
    pub fn iter(self) -> impl Iterator<Item = Resource> {
        Resource::ALL.iter().copied().filter(move |&r| self.contains(r))
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Control flow after an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// To the next op of its block.
    Next,
    /// Through its regions, each executed at most once, then to the next op.
    Regions,
    /// Through its regions repeatedly, then to the next op; [`Exit::Loop`] leaves it.
    Loop,
    /// The op ends its block.
    Exit(Exit),
}

/// How far a terminator leaves the enclosing regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exit {
    /// To a successor, or to the op around its region.
    Block,
    /// To the innermost enclosing loop: to its next iteration, or out of it.
    Loop,
    /// Out of the function.
    Function,
}

/// The operands for which an op is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Undefined {
    /// None.
    Never,
    /// Those that violate the promises of the op's attributes, such as no overflow.
    BrokenPromise,
    /// Some, regardless of the attributes, such as a zero divisor.
    SomeOperands,
}

/// The side effects of an op. A declaration states an upper bound
/// ([`OpSpec::properties`](super::OpSpec::properties)); [`Operation::effects`](super::Operation::effects) refines it
/// by the attributes of one op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effects {
    /// Resources on which its results or writes may depend.
    pub reads: Resources,
    /// Resources that it may write.
    pub writes: Resources,
    /// Control flow after it.
    pub flow: Flow,
    /// Whether all threads of a group must execute it together, so that no pass may change its control dependence:
    /// barriers, shuffles.
    pub convergent: bool,
    /// Whether each execution yields a new object, so that equal ops must not be merged.
    pub allocates: bool,
    /// The operands for which it is undefined.
    pub undefined: Undefined,
}

impl Effects {
    /// No effects: the op may be removed, repeated and moved.
    pub const PURE: Self = Self {
        reads: Resources::NONE,
        writes: Resources::NONE,
        flow: Flow::Next,
        convergent: false,
        allocates: false,
        undefined: Undefined::Never,
    };
    /// Ends its block and branches to a successor or to the op around its region.
    pub const TERMINATOR: Self = Self::exit(Exit::Block);
    /// The effects of its regions.
    pub const REGIONS: Self = Self {
        flow: Flow::Regions,
        ..Self::PURE
    };
    /// The effects of its regions, executed repeatedly; the loop terminates unless they do not.
    pub const LOOP: Self = Self {
        flow: Flow::Loop,
        ..Self::PURE
    };
    /// All effects of an op that is not a terminator.
    pub const ANYTHING: Self = Self {
        reads: Resources::ALL,
        writes: Resources::ALL,
        flow: Flow::Next,
        convergent: true,
        allocates: true,
        undefined: Undefined::SomeOperands,
    };

    /// A terminator with this exit.
    pub const fn exit(exit: Exit) -> Self {
        Self {
            flow: Flow::Exit(exit),
            ..Self::PURE
        }
    }

    /// Reads a resource.
    pub const fn reads(resource: Resource) -> Self {
        Self::PURE.and_reads(resource)
    }

    /// Writes a resource.
    pub const fn writes(resource: Resource) -> Self {
        Self::PURE.and_writes(resource)
    }

    /// Reads and writes a resource.
    pub const fn updates(resource: Resource) -> Self {
        Self::PURE.and_updates(resource)
    }

    /// … that also reads a resource.
    #[must_use]
    pub const fn and_reads(mut self, resource: Resource) -> Self {
        self.reads = self.reads.with(resource);
        self
    }

    /// … that also writes a resource.
    #[must_use]
    pub const fn and_writes(mut self, resource: Resource) -> Self {
        self.writes = self.writes.with(resource);
        self
    }

    /// … that also reads and writes a resource.
    #[must_use]
    pub const fn and_updates(self, resource: Resource) -> Self {
        self.and_reads(resource).and_writes(resource)
    }

    /// … that is convergent.
    #[must_use]
    pub const fn and_convergent(mut self) -> Self {
        self.convergent = true;
        self
    }

    /// … that allocates.
    #[must_use]
    pub const fn and_allocates(mut self) -> Self {
        self.allocates = true;
        self
    }

    /// … that is undefined at least for these operands.
    #[must_use]
    pub const fn and_undefined(mut self, undefined: Undefined) -> Self {
        if undefined as u8 > self.undefined as u8 {
            self.undefined = undefined;
        }
        self
    }

    /// The union. The control flow is that of the first, unless it is the next op.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self {
            reads: self.reads.union(other.reads),
            writes: self.writes.union(other.writes),
            flow: match self.flow {
                Flow::Next => other.flow,
                flow => flow,
            },
            convergent: self.convergent || other.convergent,
            allocates: self.allocates || other.allocates,
            undefined: self.undefined,
        }
        .and_undefined(other.undefined)
    }

    /// The effects without accesses of a resource.
    #[must_use]
    pub const fn without(mut self, resource: Resource) -> Self {
        self.reads = self.reads.without(resource);
        self.writes = self.writes.without(resource);
        self
    }

    /// The effects without promises.
    #[must_use]
    pub const fn without_promises(mut self) -> Self {
        if let Undefined::BrokenPromise = self.undefined {
            self.undefined = Undefined::Never;
        }
        self
    }

    /// The effects with memory accesses restricted to these memories: for an access whose attribute names its memory.
    #[must_use]
    pub const fn only_in(mut self, memory: Resources) -> Self {
        let others = Resources(Resources::MEMORY.0 & !memory.0);
        self.reads = Resources(self.reads.0 & !others.0);
        self.writes = Resources(self.writes.0 & !others.0);
        self
    }

    /// The resources that it reads or writes.
    pub const fn touches(&self) -> Resources {
        self.reads.union(self.writes)
    }

    /// Whether the results depend on the operands alone and there are no side effects, so that an unused op may be
    /// removed, and equal ops merged. It may be undefined for some operands.
    pub const fn is_pure(&self) -> bool {
        self.touches().is_empty() && matches!(self.flow, Flow::Next) && !self.convergent && !self.allocates
    }

    /// Whether an op whose results are unused may be removed: it may read, and allocate. Does not cover regions.
    pub const fn is_removable(&self) -> bool {
        self.writes.is_empty() && !self.is_terminator()
    }

    /// Whether the op may be executed speculatively: it is pure and defined for all operands.
    pub const fn is_speculatable(&self) -> bool {
        self.is_pure() && matches!(self.undefined, Undefined::Never)
    }

    /// Whether the next op of the block is always executed after this one. Does not cover regions.
    pub const fn goes_on(&self) -> bool {
        !self.is_terminator() && !self.writes.contains(Resource::Control)
    }

    /// Whether the op ends its block.
    pub const fn is_terminator(&self) -> bool {
        matches!(self.flow, Flow::Exit(_))
    }
}

impl Default for Effects {
    fn default() -> Self {
        Self::PURE
    }
}

/// As in the documentation: `reads global memory, synchronises`.
impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        match self.flow {
            Flow::Next => {}
            Flow::Regions => parts.push("what its regions do".to_owned()),
            Flow::Loop => parts.push("what its regions do, repeatedly".to_owned()),
            Flow::Exit(Exit::Block) => parts.push("ends its block".to_owned()),
            Flow::Exit(Exit::Loop) => parts.push("leaves the loop or its turn".to_owned()),
            Flow::Exit(Exit::Function) => parts.push("leaves the function".to_owned()),
        }
        let both = self.reads.intersection(self.writes);
        for resource in self.touches().iter() {
            let verb = match (both.contains(resource), self.writes.contains(resource)) {
                (true, _) => "reads and writes",
                (false, true) => "writes",
                (false, false) => "reads",
            };
            parts.push(match resource {
                Resource::Global => format!("{verb} global memory"),
                Resource::Shared => format!("{verb} shared memory"),
                Resource::Tensor => format!("{verb} tensor memory"),
                Resource::Local => format!("{verb} local memory"),
                Resource::Barrier => "synchronises".to_owned(),
                Resource::Output => "prints".to_owned(),
                Resource::Control => "may stop or never end".to_owned(),
            });
        }
        if self.convergent {
            parts.push("convergent".to_owned());
        }
        if self.allocates {
            parts.push("allocates".to_owned());
        }
        if parts.is_empty() {
            parts.push("pure".to_owned());
        }
        match self.undefined {
            Undefined::Never => {}
            Undefined::BrokenPromise => parts.push("undefined for a broken promise".to_owned()),
            Undefined::SomeOperands => parts.push("undefined for some operands".to_owned()),
        }
        f.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_effect_forbids_what_it_must() {
        let pure = Effects::PURE;
        assert!(pure.is_pure() && pure.is_removable() && pure.is_speculatable());
        let read = Effects::reads(Resource::Shared);
        assert!(!read.is_pure() && read.is_removable() && !read.is_speculatable());
        let allocation = pure.and_allocates();
        assert!(!allocation.is_pure() && allocation.is_removable());
        let shuffle = pure.and_convergent();
        assert!(!shuffle.is_pure() && shuffle.is_removable() && !shuffle.is_speculatable());
        let quotient = pure.and_undefined(Undefined::SomeOperands);
        assert!(quotient.is_pure() && quotient.is_removable() && !quotient.is_speculatable());
        for &resource in Resource::ALL {
            assert!(!Effects::writes(resource).is_removable(), "{resource:?}");
        }
        assert!(!Effects::TERMINATOR.is_removable() && !Effects::TERMINATOR.is_pure());
        assert!(!Effects::REGIONS.is_pure() && !Effects::LOOP.is_pure());
    }

    #[test]
    fn a_union_has_the_effects_of_both() {
        let both = Effects::reads(Resource::Global).union(Effects::LOOP.and_writes(Resource::Control));
        assert_eq!(both.flow, Flow::Loop);
        assert!(both.reads.contains(Resource::Global) && both.writes.contains(Resource::Control));
        let all = Effects::PURE.union(Effects::ANYTHING);
        assert_eq!(all, Effects::ANYTHING);
    }

    #[test]
    fn refinement_removes_only_the_named_effects() {
        let load = Effects::reads(Resource::Global)
            .and_reads(Resource::Shared)
            .and_writes(Resource::Barrier);
        let shared = load.only_in(Resources::NONE.with(Resource::Shared));
        assert_eq!(
            shared,
            Effects::reads(Resource::Shared).and_writes(Resource::Barrier)
        );
        assert_eq!(
            shared.without(Resource::Barrier),
            Effects::reads(Resource::Shared)
        );
        let promise = Effects::PURE.and_undefined(Undefined::BrokenPromise);
        assert_eq!(promise.without_promises(), Effects::PURE);
        let quotient = promise.and_undefined(Undefined::SomeOperands);
        assert_eq!(quotient.without_promises(), quotient);
    }

    #[test]
    fn effects_read_as_text() {
        let barrier = Effects::updates(Resource::Shared)
            .and_writes(Resource::Barrier)
            .and_convergent();
        assert_eq!(
            barrier.to_string(),
            "reads and writes shared memory, synchronises, convergent"
        );
        assert_eq!(Effects::PURE.to_string(), "pure");
    }
}
