//! Marks when each warp does what, for schedules that are measured. The pipeline does not run it.
//!
//! In and out: `ptx`. Out: the warps of the first block record when they pass a mark. There is one at the begin of the kernel and
//! before its end, at each iteration of a loop, and before and after each wait: for a barrier, for copies, or for products. A record
//! is the clock of the multiprocessor and the number of the mark. Each warp has [`RECORDS`] of them in [`VARIABLE`]; what does not
//! fit is lost, except the last one. A kernel that has the variable already, or no body, stays as it is.
//!
//! A loop is what a branch goes back to. One that only asks whether a barrier is complete is a wait.

use rustc_hash::FxHashMap;
use tilewright_irs::isa::{
    Class, Comparison, Ftz, Label, Nan, Part, Predicate, Register, Sat, Space, Special, Symbol, Type, Value,
};
use tilewright_irs::machine::LANES;
use tilewright_irs::ptx::{Entry, Instruction, Line, Linkage, Module, Statement, Variable};

/// The variable with the records, warp by warp, and in the order of time.
pub const VARIABLE: &str = "tilewright_marks";
/// The records of a warp.
pub const RECORDS: u32 = 4096;
/// The low bits of a record, which hold the number of the mark, from 1 on; the others hold the clock.
pub const NUMBER_BITS: u32 = 10;

/// The bytes of a record.
const BYTES: u32 = 8;
/// The most warps of a block. (PTX ISA: a block has 1,024 threads.)
const WARPS: u32 = 1024 / LANES;
/// The instructions of a loop that only waits.
const WAITING: usize = 4;

/// What happens at a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The kernel begins.
    Begin,
    /// An iteration of a loop begins; the number of the loop, in the order of the text.
    Iteration(usize),
    /// A wait begins; what for.
    Wait(&'static str),
    /// A wait ends.
    Waited,
    /// The kernel ends.
    End,
}

/// A module with marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The module.
    pub module: Module,
    /// The marks, the first of which has the number 1.
    pub marks: Vec<Mark>,
}

/// Marks the kernels of a module: their warps record when they pass a mark, in [`VARIABLE`].
pub fn mark_schedule(module: &Module) -> Marked {
    let mut marked = Marked {
        module: module.clone(),
        marks: Vec::new(),
    };
    let is_variable = |variable: &Variable| variable.name.to_string() == VARIABLE;
    let is_empty = module.entries.iter().all(|entry| entry.body.is_empty());
    if is_empty || module.variables.iter().any(is_variable) {
        return marked;
    }
    marked.module.variables.push(Variable {
        linkage: Linkage::Visible,
        space: Space::Global,
        align: BYTES,
        name: VARIABLE.into(),
        bytes: Some(u64::from(WARPS * RECORDS * BYTES)),
        initial: Vec::new(),
    });
    for entry in &mut marked.module.entries {
        mark(entry, &mut marked.marks);
    }
    marked.module = marked.module.with_lowest_version();
    marked
}

/// Marks to put before and after a statement, by its place.
#[derive(Default)]
struct Around {
    before: FxHashMap<usize, Vec<Mark>>,
    after: FxHashMap<usize, Mark>,
}

fn mark(entry: &mut Entry, marks: &mut Vec<Mark>) {
    let around = places(&entry.body);
    let body = std::mem::take(&mut entry.body);
    let mut recorder = Recorder::of(entry, marks);
    recorder.mark(Mark::Begin);
    for (at, statement) in body.into_iter().enumerate() {
        for &mark in around.before.get(&at).into_iter().flatten() {
            recorder.mark(mark);
        }
        recorder.body.push(statement);
        if let Some(&mark) = around.after.get(&at) {
            recorder.mark(mark);
        }
    }
    entry.body = recorder.body;
}

/// Where marks belong.
fn places(body: &[Statement]) -> Around {
    let mut around = Around::default();
    let labels: FxHashMap<Label, usize> = body
        .iter()
        .enumerate()
        .filter_map(|(at, statement)| match statement {
            Statement::Label(label) => Some((*label, at)),
            Statement::Instruction(_) | Statement::Location { .. } => None,
        })
        .collect();
    // The header of each loop, and the branches that go back to it.
    let mut headers: Vec<usize> = Vec::new();
    for (at, line) in lines(body) {
        let Instruction::Bra { target, .. } = line.instruction else {
            continue;
        };
        let Some(&header) = labels.get(&target).filter(|&&header| header < at) else {
            continue;
        };
        let inside = body.get(header..at).unwrap_or_default();
        if lines(inside).count() <= WAITING && lines(inside).any(|(_, line)| asks(&line.instruction)) {
            around
                .before
                .entry(header)
                .or_default()
                .push(Mark::Wait("a barrier in memory"));
            around.after.insert(at, Mark::Waited);
        } else if !headers.contains(&header) {
            headers.push(header);
        }
    }
    headers.sort_unstable();
    for (number, header) in headers.into_iter().enumerate() {
        // After the label, where every iteration comes by.
        around
            .before
            .entry(header + 1)
            .or_default()
            .insert(0, Mark::Iteration(number));
    }
    for (at, line) in lines(body) {
        if let Some(what) = waits_for(&line.instruction) {
            around.before.entry(at).or_default().push(Mark::Wait(what));
            around.after.insert(at, Mark::Waited);
        }
        if let Instruction::Ret { .. } | Instruction::Exit {} = line.instruction {
            around.before.entry(at).or_default().push(Mark::End);
        }
    }
    around
}

fn lines(body: &[Statement]) -> impl Iterator<Item = (usize, &Line)> {
    body.iter()
        .enumerate()
        .filter_map(|(at, statement)| match statement {
            Statement::Instruction(line) => Some((at, line)),
            Statement::Label(_) | Statement::Location { .. } => None,
        })
}

/// Whether an instruction asks whether the phase of a barrier is complete.
fn asks(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::MbarrierTryWait { .. }
            | Instruction::MbarrierTryWaitParity { .. }
            | Instruction::MbarrierTestWait { .. }
            | Instruction::MbarrierTestWaitParity { .. }
    )
}

/// What an instruction waits for.
fn waits_for(instruction: &Instruction) -> Option<&'static str> {
    Some(match instruction {
        Instruction::BarSync { .. } | Instruction::BarrierSync { .. } => "other warps",
        Instruction::CpAsyncWaitAll {} | Instruction::CpAsyncWait { .. } => "copies",
        Instruction::BulkWait { .. } => "bulk copies",
        // Before a wait for all products, ptxas would not let them overlap any more.
        Instruction::WgmmaWait { groups } if *groups > 0 => "products",
        _ => return None,
    })
}

/// Writes the instructions that record marks.
struct Recorder<'a> {
    body: Vec<Statement>,
    marks: &'a mut Vec<Mark>,
    /// Whether the thread records: one of each warp of the first block.
    records: Register,
    /// The address of the next record, and of the last one of the warp.
    next: Register,
    last: Register,
    record: Register,
}

impl<'a> Recorder<'a> {
    fn of(entry: &mut Entry, marks: &'a mut Vec<Mark>) -> Self {
        let mut fresh = |class| entry.registers.fresh(class);
        let [others, thread] = [fresh(Class::B32), fresh(Class::B32)];
        let mut recorder = Self {
            body: Vec::new(),
            marks,
            records: fresh(Class::Pred),
            next: fresh(Class::B64),
            last: fresh(Class::B64),
            record: fresh(Class::B64),
        };
        let (records, next, last) = (recorder.records, recorder.next, recorder.last);
        let read = |d, register| {
            let ty = Type::U32;
            Instruction::ReadSpecial { ty, d, register }
        };
        let number = |number: u32| Value::from(number);
        recorder.emit(read(others, Special::Laneid));
        for axis in [Special::CtaidX, Special::CtaidY, Special::CtaidZ] {
            recorder.emit(read(thread, axis));
            recorder.emit(Instruction::Or {
                ty: Type::B32,
                d: others,
                a: others.into(),
                b: thread.into(),
            });
        }
        recorder.emit(Instruction::Setp {
            comparison: Comparison::Eq,
            ftz: Ftz(false),
            ty: Type::U32,
            d: records,
            a: others.into(),
            b: number(0),
        });
        recorder.emit(read(thread, Special::TidX));
        recorder.emit(Instruction::Shr {
            ty: Type::U32,
            d: thread,
            a: thread.into(),
            b: number(LANES.ilog2()),
        });
        recorder.emit(Instruction::AddressOf {
            ty: Type::U64,
            d: last,
            a: Symbol::from(VARIABLE).into(),
        });
        recorder.emit(Instruction::Mad {
            part: Part::Wide,
            sat: Sat(false),
            ty: Type::U32,
            d: next,
            a: thread.into(),
            b: number(RECORDS * BYTES),
            c: last.into(),
        });
        recorder.add(last, next, (RECORDS - 1) * BYTES);
        recorder
    }

    fn emit(&mut self, instruction: Instruction) {
        self.emit_if(None, instruction);
    }

    fn emit_if(&mut self, guard: Option<Predicate>, instruction: Instruction) {
        self.body.push(Statement::Instruction(Line {
            guard,
            instruction,
            origin: None,
        }));
    }

    fn add(&mut self, d: Register, a: Register, number: u32) {
        self.emit(Instruction::Add {
            rounding: None,
            ftz: Ftz(false),
            sat: Sat(false),
            ty: Type::S64,
            d,
            a: a.into(),
            b: number.into(),
        });
    }

    /// Records a mark, if there is a number left for it.
    fn mark(&mut self, mark: Mark) {
        let number = u32::try_from(self.marks.len() + 1).unwrap_or(u32::MAX);
        if number >= 1 << NUMBER_BITS {
            return;
        }
        self.marks.push(mark);
        let (record, next, last) = (self.record, self.next, self.last);
        self.emit(Instruction::ReadSpecial {
            ty: Type::U64,
            d: record,
            register: Special::Clock64,
        });
        self.emit(Instruction::Shl {
            ty: Type::B64,
            d: record,
            a: record.into(),
            b: NUMBER_BITS.into(),
        });
        self.emit(Instruction::Or {
            ty: Type::B64,
            d: record,
            a: record.into(),
            b: number.into(),
        });
        let guard = Some(self.records.into());
        self.emit_if(
            guard,
            Instruction::store(Some(Space::Global), Type::B64, next, vec![record.into()]),
        );
        self.add(next, next, BYTES);
        self.emit(Instruction::Min {
            ftz: Ftz(false),
            nan: Nan(false),
            ty: Type::U64,
            d: next,
            a: next.into(),
            b: last.into(),
        });
    }
}
