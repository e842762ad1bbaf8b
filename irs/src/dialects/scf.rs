//! Structured control flow.

use tilewright_diagnostics::{Code, counted};

use crate::core::{
    Body, Flag, Language, OpData, OpId, Operation, Origin, Part, Problems, Region, Value, ValueType,
};

crate::dialect! {
    /// Structured control flow. Conditions and bounds are uniform over the threads of a block.
    pub enum ScfOp: "scf" {
        /// Runs the body for `lower`, `lower + step`, … below `upper`. The body takes the counter and the
        /// loop-carried values and ends with `scf.continue`; the results are the last carried values. `loads_ahead` says
        /// that the loads of several iterations are in flight together already, by unrolling or by issuing them ahead.
        For "for" {
            lower: Value, upper: Value, step: Value, inits: Vec<Value>, unsigned: Flag, loads_ahead in Staging: Flag, body: Region
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
                loads_ahead,
                ..
            } => Some(Self::For {
                lower: map(lower),
                upper: map(upper),
                step: map(step),
                inits,
                unsigned,
                loads_ahead,
                body,
            }),
            _ => None,
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
/// `scf_of` selects the structured ops of the language.
pub fn verify<L: Language>(
    body: &Body<L>,
    problems: &mut Problems,
    scf_of: &dyn Fn(&L::Op) -> Option<&ScfOp>,
    integer: &dyn Fn(&L::Type) -> bool,
) {
    let mut verifier = Verifier {
        body,
        problems,
        scf_of,
        integer,
        frames: vec![Frame::Function],
    };
    verifier.region(body.root());
}

struct Verifier<'a, L: Language> {
    body: &'a Body<L>,
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
                body,
                ..
            } => {
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
