//! Structured control flow.

use tilewright_diagnostics::{Code, counted};

use crate::core::{
    Body, Flag, Language, OpData, OpId, Operation, Origin, Part, Problems, Region, Value, ValueType,
};

crate::dialect! {
    /// Structured control flow. Conditions and bounds are uniform over the threads of a block.
    pub enum ScfOp: "scf" {
        /// Runs the body for `lower`, `lower + step`, … below `upper`. The body takes the counter and the
        /// loop-carried values and ends with `scf.continue`; the results are the last carried values.
        For "for" {
            lower: Value, upper: Value, step: Value, inits: Vec<Value>, unsigned: Flag, plan: LoopPlan, body: Region
        } -> *, Loop, Free;
        /// Repeats the body, which takes the loop-carried values, until `scf.break` yields the results.
        Loop "loop" { inits: Vec<Value>, body: Region } -> *, Loop + Writes(Control), Free;
        /// Runs one of two regions, which end with `scf.yield` of the results, or leave an enclosing loop.
        If "if" { condition: Value, then: Region, otherwise: Region } -> *, Regions, Free;
        /// Ends a branch of `scf.if` with its results.
        Yield "yield" { values: Vec<Value> } -> 0, Terminator, Free;
        /// Ends an iteration of the innermost loop with the next loop-carried values.
        Continue "continue" { values: Vec<Value> } -> 0, LeavesLoop, Free;
        /// Ends the innermost `scf.loop` with its results.
        Break "break" { values: Vec<Value> } -> 0, LeavesLoop, Free;
        /// Ends the kernel for this block.
        Return "return" {} -> 0, LeavesFunction, Free;
    }
}

impl ScfOp {
    /// What is asked of the schedule of a loop; nothing of another op.
    pub fn plan(&self) -> LoopPlan {
        match self {
            Self::For { plan, .. } => *plan,
            _ => LoopPlan::default(),
        }
    }

    /// The op without what is asked of a schedule that has been made.
    #[must_use]
    pub fn scheduled(&self) -> Self {
        let mut op = self.clone();
        if let Self::For { plan, .. } = &mut op {
            *plan = LoopPlan {
                loads_ahead: plan.loads_ahead,
                ..LoopPlan::default()
            };
        }
        op
    }

    /// The counted loop over the range of this one, whose bounds become what `map` says, with other initial values and another
    /// body; `None` for another op.
    pub fn over_range(
        &self,
        mut map: impl FnMut(Value) -> Value,
        inits: Vec<Value>,
        body: Region,
    ) -> Option<Self> {
        match *self {
            Self::For {
                lower,
                upper,
                step,
                unsigned,
                plan,
                ..
            } => Some(Self::For {
                lower: map(lower),
                upper: map(upper),
                step: map(step),
                inits,
                unsigned,
                plan,
                body,
            }),
            _ => None,
        }
    }
}

crate::field_group! {
    /// What is asked of the schedule of a loop, and what has been done.
    #[derive(Copy, Default)]
    pub struct LoopPlan {
        /// Whether the loads of several iterations are in flight together already, by unrolling or by issuing them ahead.
        loads_ahead in Staging: Flag,
        /// The stages of the rings that the copies of the loop fill, unless their `latency` says how far ahead they are issued.
        num_stages in Staging: Option<u32>,
        /// Whether the loop shares tiles out among as many blocks as are resident at once; found out where nothing is said.
        persistent in Staging: Option<bool>,
        /// Whether nothing of an iteration is issued before the one before it has ended.
        serial in Staging: Flag,
        /// Whether the iterations of a loop of a thread are to stand one after the other.
        unroll in Staging: Option<Unrolling>,
    }
}

crate::keywords! {
    /// What is asked of a loop of a thread.
    pub enum Unrolling in Staging {
        /// Its iterations stand one after the other.
        Full = "full",
        /// It stays a loop.
        Never = "never",
    }
}

impl LoopPlan {
    /// The plan of a loop whose loads are issued ahead.
    #[must_use]
    pub const fn with_loads_ahead(self) -> Self {
        Self {
            loads_ahead: Flag(true),
            ..self
        }
    }

    /// The plan below `tileaa`, where nothing asks any more which loops are persistent.
    #[must_use]
    pub const fn without_persistent(self) -> Self {
        Self {
            persistent: None,
            ..self
        }
    }
}

/// Which attributes of a [`LoopPlan`] passes from a language on follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Planning {
    /// All.
    Tiles,
    /// Those of the schedule.
    Schedules,
    /// None: the schedule has been made.
    Done,
}

impl Planning {
    /// Checks the plan of a loop.
    fn check<L: Language>(self, op: &OpData<L>, plan: LoopPlan, problems: &mut Problems) {
        let mut report =
            |name, code, message: String| problems.error_at(op.origin, op.part(name), code, message);
        let asked = [
            ("num_stages", plan.num_stages.is_some(), Self::Schedules),
            ("serial", plan.serial.0, Self::Schedules),
            ("persistent", plan.persistent.is_some(), Self::Tiles),
        ];
        for (name, _, last) in asked
            .into_iter()
            .filter(|(_, is_asked, last)| *is_asked && self > *last)
        {
            let languages = match last {
                Self::Tiles => "tileaa",
                _ => "tileaa, tileas and scheduled",
            };
            let message = format!("attribute `{name}` of a loop is followed in {languages} only");
            report(name, Code::AttributeLost, message);
        }
        if plan.unroll.is_some() && self < Self::Done {
            let message = "attribute `unroll` of a loop is followed in cute_desugared only";
            report("unroll", Code::AttributeLost, message.to_owned());
        }
        match plan.num_stages {
            Some(0) => {
                let message = "attribute `num_stages` is 0, but a ring has at least 1 stage";
                report("num_stages", Code::AttributeValue, message.to_owned());
            }
            Some(stages @ 2..) if plan.serial.0 => {
                let message = format!(
                    "`num_stages = {stages}` and `serial` exclude each other: nothing is issued ahead in a serial loop"
                );
                report("num_stages", Code::ConflictingAttributes, message);
            }
            _ => {}
        }
    }
}

/// The op that a terminator belongs to, and the types that it must pass.
#[derive(Clone, Copy)]
enum Frame {
    Function,
    For(OpId),
    Loop(OpId),
    If(OpId),
}

/// Verifies the structured control flow of a body: the position of terminators, and the types that they pass.
///
/// `scf_of` selects the structured ops of the language, whose passes follow the attributes of loops that `planning` says.
pub fn verify<L: Language>(
    body: &Body<L>,
    planning: Planning,
    problems: &mut Problems,
    scf_of: &dyn Fn(&L::Op) -> Option<&ScfOp>,
    integer: &dyn Fn(&L::Type) -> bool,
) {
    let mut verifier = Verifier {
        body,
        planning,
        problems,
        scf_of,
        integer,
        frames: vec![Frame::Function],
    };
    verifier.region(body.root());
}

struct Verifier<'a, L: Language> {
    body: &'a Body<L>,
    planning: Planning,
    problems: &'a mut Problems,
    scf_of: &'a dyn Fn(&L::Op) -> Option<&ScfOp>,
    integer: &'a dyn Fn(&L::Type) -> bool,
    frames: Vec<Frame>,
}

impl<L: Language> Verifier<'_, L> {
    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for &op in &self.body.block(block).ops {
                self.op(op);
            }
        }
    }

    fn nested(&mut self, region: Region, frame: Frame) {
        self.frames.push(frame);
        self.region(region);
        self.frames.pop();
    }

    fn results(&self, op: OpId) -> Vec<Value> {
        self.body.op(op).results().collect()
    }

    /// The arguments of a region's single block.
    fn args(&mut self, region: Region, origin: Origin) -> Option<Vec<Value>> {
        match self.body.only_block(region) {
            Some(block) => Some(self.body.block(block).args.clone()),
            None => {
                self.problems.error(
                    origin,
                    Code::RegionCount,
                    "a region of structured control flow has one block",
                );
                None
            }
        }
    }

    /// Reports an error unless the values `have` match `want` in number and type; `part` gives the part of the op that
    /// a value of `have` is.
    fn same(
        &mut self,
        origin: Origin,
        part: impl Fn(usize) -> Part,
        what: &str,
        have: &[Value],
        want: &[Value],
    ) {
        if have.len() != want.len() {
            let message = format!(
                "{what}: {}, expected {}",
                counted(have.len(), "value"),
                want.len()
            );
            // The first excess value, if there is one.
            let part = if have.len() > want.len() {
                part(want.len())
            } else {
                Part::Op
            };
            self.problems
                .error_at(origin, part, Code::BlockArguments, message);
            return;
        }
        for (i, (&have, &want)) in have.iter().zip(want).enumerate() {
            let (have, want) = (self.body.ty(have).bare(), self.body.ty(want).bare());
            if have != want {
                let text = |ty: &L::Type| crate::core::term_text(&crate::core::TermCodec::write(ty));
                let message = format!(
                    "{what}: value {i} is `{}` where `{}` is wanted",
                    text(&have),
                    text(&want)
                );
                self.problems
                    .error_at(origin, part(i), Code::TypeMismatch, message);
            }
        }
    }

    fn op(&mut self, id: OpId) {
        let op: &OpData<L> = self.body.op(id);
        let origin = op.origin;
        let Some(scf) = (self.scf_of)(&op.kind) else {
            op.kind.regions(&mut |region| self.region(region));
            return;
        };
        match scf {
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                plan,
                body,
                ..
            } => {
                self.planning.check(op, *plan, self.problems);
                let ty = self.body.ty(*lower).bare();
                let differs = |value: &Value| self.body.ty(*value).bare() != ty;
                let wrong = if !(self.integer)(&ty) {
                    Some("lower")
                } else if differs(upper) {
                    Some("upper")
                } else {
                    differs(step).then_some("step")
                };
                if let Some(field) = wrong {
                    let message = "the bounds and the step of a loop are integers of one type";
                    self.problems
                        .error_at(origin, op.part(field), Code::TypeMismatch, message);
                }
                if let Some(args) = self.args(*body, origin) {
                    match args.split_first() {
                        Some((counter, carried)) => {
                            self.same(
                                origin,
                                |_| op.part("lower"),
                                "loop counter",
                                &[*lower],
                                &[*counter],
                            );
                            self.same(
                                origin,
                                |i| op.part("inits").entry(i),
                                "initial values of a loop",
                                inits,
                                carried,
                            );
                        }
                        None => {
                            let message = "the body of `scf.for` takes the counter";
                            self.problems.error(origin, Code::BlockArguments, message);
                        }
                    }
                }
                let results = self.results(id);
                self.same(
                    origin,
                    |i| op.part("inits").entry(i),
                    "initial values of a loop",
                    inits,
                    &results,
                );
                self.nested(*body, Frame::For(id));
            }
            ScfOp::Loop { inits, body } => {
                if let Some(args) = self.args(*body, origin) {
                    self.same(
                        origin,
                        |i| op.part("inits").entry(i),
                        "initial values of a loop",
                        inits,
                        &args,
                    );
                }
                self.nested(*body, Frame::Loop(id));
            }
            ScfOp::If {
                condition,
                then,
                otherwise,
            } => {
                let ty = self.body.ty(*condition);
                if !ty.is_single() || ty.element() != Some(crate::element::ElementType::I1) {
                    self.problems.error_at(
                        origin,
                        op.part("condition"),
                        Code::OperandType,
                        "the condition of `scf.if` is a single i1",
                    );
                }
                for region in [*then, *otherwise] {
                    self.args(region, origin);
                    self.nested(region, Frame::If(id));
                }
            }
            ScfOp::Yield { values } => match self.frames.last() {
                Some(Frame::If(owner)) => {
                    let results = self.results(*owner);
                    self.same(
                        origin,
                        |i| op.part("values").entry(i),
                        "results of `scf.if`",
                        values,
                        &results,
                    );
                }
                _ => self
                    .problems
                    .error(origin, Code::MisplacedOp, "`scf.yield` stands in `scf.if` only"),
            },
            ScfOp::Continue { values } => match self.innermost_loop() {
                Some(Frame::For(owner)) => {
                    let results = self.results(owner);
                    self.same(
                        origin,
                        |i| op.part("values").entry(i),
                        "values carried on",
                        values,
                        &results,
                    );
                }
                Some(Frame::Loop(owner)) => {
                    if let Some(ScfOp::Loop { inits, .. }) = (self.scf_of)(&self.body.op(owner).kind) {
                        self.same(
                            origin,
                            |i| op.part("values").entry(i),
                            "values carried on",
                            values,
                            inits,
                        );
                    }
                }
                _ => self
                    .problems
                    .error(origin, Code::MisplacedOp, "`scf.continue` stands in a loop only"),
            },
            ScfOp::Break { values } => match self.innermost_loop() {
                Some(Frame::Loop(owner)) => {
                    let results = self.results(owner);
                    self.same(
                        origin,
                        |i| op.part("values").entry(i),
                        "results of `scf.loop`",
                        values,
                        &results,
                    );
                }
                _ => self
                    .problems
                    .error(origin, Code::MisplacedOp, "`scf.break` stands in `scf.loop` only"),
            },
            ScfOp::Return {} => {
                if self.frames.iter().any(|f| matches!(f, Frame::For(_))) {
                    self.problems
                        .error(origin, Code::MisplacedOp, "`scf.return` cannot leave `scf.for`");
                }
            }
        }
    }

    fn innermost_loop(&self) -> Option<Frame> {
        self.frames
            .iter()
            .rev()
            .copied()
            .find(|frame| !matches!(frame, Frame::If(_)))
    }
}
