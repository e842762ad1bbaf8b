//! The cost of a kernel, for a line above it: registers, shared memory, occupancy, the widths of its memory accesses, and what
//! limits it.

mod by_op;
mod work;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use tilewright_diagnostics::counted;
use tilewright_irs::isa::{Movement, Space, Target};
use tilewright_irs::machine::{self, LANES, Machine, Resident};
use tilewright_layouts::Bytes;
use tilewright_passes::nvvm::estimate_registers;

use super::conflicts;
use super::functions::Function;
use crate::database::{Compiler, Db};
use crate::inputs::{Options, Source};
use crate::kernel::Kernel;
use crate::pipeline;
use crate::reading;
use crate::units::{Language, Stage};
use crate::usage::Usage;
use work::Work;

pub use by_op::{OpCost, by_op};

/// The cost of a kernel, as far as its stages tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The GPU.
    pub target: Target,
    /// The threads of a block.
    pub threads: u32,
    /// The instructions of its PTX.
    pub instructions: usize,
    /// The instructions that load from global memory, by the bits that a thread loads.
    pub loads: BTreeMap<u32, usize>,
    /// The instructions that store to global memory or update it, by the bits of a thread.
    pub stores: BTreeMap<u32, usize>,
    /// The bytes of static shared memory.
    pub shared: u64,
    /// The registers of a thread.
    pub registers: Option<Registers>,
    /// Cycles that a warp loses to bank conflicts in its copies to and from shared memory, each once.
    pub conflicts: u64,
    /// The bytes that a block moves to and from global memory: outside of loops, and in one iteration of each loop.
    pub bytes: Option<(u64, u64)>,
    /// What limits the speed.
    pub limit: Option<Limit>,
}

/// The registers of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The number of registers.
    pub count: u32,
    /// Bytes of spill stores; of an estimate, only whether it is zero is meaningful.
    pub spilled: u32,
    /// Whether the numbers are those of ptxas; else they are an estimate.
    pub measured: bool,
}

/// The bound of the roofline model: what limits the speed of a kernel at best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Whether the bound is memory bandwidth, rather than arithmetic.
    pub memory: bool,
    /// Arithmetic intensity: operations per byte, in tenths.
    pub intensity: u64,
}

/// The cost of a function without errors; `None` if it cannot be compiled.
pub fn cost(db: &Compiler, function: &Function<'_>, options: Options) -> Option<Cost> {
    of_kernel(db, function.kernel?, options).clone()
}

/// Computes the costs of all kernels of a file, inside a query: salsa never forgets a result that was first asked for outside of
/// any query, even if its kernel no longer exists.
#[salsa::tracked]
pub fn compute_costs(db: &dyn Db, source: Source, options: Options) {
    for &kernel in &reading::parse(db, source).kernels {
        let _ = of_kernel(db, kernel, options);
    }
}

/// Writes the PTX of all kernels of a file, inside a query for the same reason as [`compute_costs`].
#[salsa::tracked]
pub fn write_texts(db: &dyn Db, source: Source, options: Options) {
    for &kernel in &reading::parse(db, source).kernels {
        let _ = text_of_kernel(db, kernel, options);
    }
}

/// The cost of a kernel.
#[salsa::tracked(returns(ref))]
fn of_kernel<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options) -> Option<Cost> {
    options.may_change(db);
    let Some(Stage::Ptx(ptx)) = pipeline::stage(db, kernel, options, Language::Ptx) else {
        return None;
    };
    let launch = &ptx.entry.launch;
    let copies = conflicts::of(db, kernel, options);
    let threads = launch.required_threads.or(launch.max_threads);
    let mut cost = Cost {
        target: ptx.target,
        threads: threads.map_or(1, |[x, y, z]| x * y * z),
        instructions: 0,
        loads: BTreeMap::new(),
        stores: BTreeMap::new(),
        shared: ptx.module().shared_bytes(&ptx.entry),
        registers: None,
        conflicts: copies.iter().map(|copy| copy.cycles).sum(),
        bytes: None,
        limit: None,
    };
    for line in ptx.instructions() {
        cost.instructions += 1;
        let Some(access) = line.instruction.access() else {
            continue;
        };
        if !matches!(access.space, Some(Space::Global) | None) {
            continue;
        }
        let counts = match access.movement {
            Movement::Load => &mut cost.loads,
            Movement::Store | Movement::Update => &mut cost.stores,
        };
        *counts.entry(access.bits).or_default() += 1;
    }
    if let Some(Stage::Nvvm(nvvm)) = pipeline::stage(db, kernel, options, Language::Nvvm) {
        let (needed, available) = estimate_registers(&nvvm);
        cost.registers = Some(Registers {
            count: needed.min(available),
            spilled: 4 * needed.saturating_sub(available),
            measured: false,
        });
    }
    if let Some(Stage::TileAa(tiles)) = pipeline::stage(db, kernel, options, Language::TileAa) {
        let work = Work::of(&tiles);
        cost.bytes = Some((work.bytes, work.bytes_each_round)).filter(|&bytes| bytes != (0, 0));
        cost.limit = limit(cost.target, &work);
    }
    Some(cost)
}

/// The roofline bound of a kernel on the usual GPU of the target.
fn limit(target: Target, work: &Work) -> Option<Limit> {
    let machine = Machine::of(target);
    let chip = machine.chip?;
    if work.moved <= 0.0 {
        return None;
    }
    // In cycles of a multiprocessor; an operation by itself takes as long as a multiply-add.
    let memory = work.moved / chip.memory_bytes_per_cycle();
    let products = 2.0 * f64::from(machine.rates.fastest_products().f16);
    let arithmetic = work.products / products + work.others / f64::from(machine.rates.fma.f32);
    Some(Limit {
        memory: memory > arithmetic,
        intensity: (10.0 * work.operations() / work.moved).round() as u64,
    })
}

/// The PTX of one kernel, as ptxas takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelText {
    /// A file with this kernel alone.
    pub text: String,
    /// The GPU.
    pub target: Target,
    /// The level at which ptxas optimises.
    pub opt_level: u8,
    /// A hash of the text, the target and the level.
    pub fingerprint: u64,
}

/// The PTX of a function without errors; `None` if it cannot be compiled.
pub fn kernel_text(db: &Compiler, function: &Function<'_>, options: Options) -> Option<Arc<KernelText>> {
    text_of_kernel(db, function.kernel?, options).clone()
}

#[salsa::tracked(returns(ref))]
fn text_of_kernel<'db>(db: &'db dyn Db, kernel: Kernel<'db>, options: Options) -> Option<Arc<KernelText>> {
    options.may_change(db);
    let Some(Stage::Ptx(ptx)) = pipeline::stage(db, kernel, options, Language::Ptx) else {
        return None;
    };
    let (text, target, opt_level) = (ptx.module().to_string(), ptx.target, options.opt_level(db));
    let mut hasher = rustc_hash::FxHasher::default();
    (&text, target.to_string(), opt_level).hash(&mut hasher);
    Some(Arc::new(KernelText {
        fingerprint: hasher.finish(),
        text,
        target,
        opt_level,
    }))
}

impl Cost {
    /// The cost with the registers and shared memory that ptxas reports.
    #[must_use]
    pub fn measured(self, usage: &Usage) -> Self {
        Self {
            registers: Some(Registers {
                count: usage.registers,
                spilled: usage.spill_stores,
                measured: true,
            }),
            shared: u64::from(usage.shared),
            ..self
        }
    }

    /// The number of warps of this kernel that are resident on a multiprocessor, and the most that it can hold.
    pub fn occupancy(&self) -> Option<(u32, u32)> {
        let multiprocessor = Machine::of(self.target).multiprocessor;
        let block = Resident {
            warps: self.threads.div_ceil(LANES),
            registers: machine::Registers(self.registers?.count),
            shared: Bytes(self.shared),
        };
        let warps = multiprocessor.resident(&block) * block.warps;
        Some((warps, multiprocessor.warps))
    }

    /// The cost in one line.
    pub fn line(&self) -> String {
        let mut words = vec![
            self.target.to_string(),
            counted(self.instructions, "instruction").to_string(),
        ];
        if let Some(registers) = self.registers {
            let about = if registers.measured { "" } else { "about " };
            words.push(format!("{about}{}", counted(registers.count, "register")));
            match (registers.spilled, registers.measured) {
                (0, _) => {}
                (bytes, true) => words.push(format!("{} spilled", counted(bytes, "byte"))),
                (_, false) => words.push("probably spills".to_owned()),
            }
        }
        if self.shared > 0 {
            words.push(format!("{} of shared memory", counted(self.shared, "byte")));
        }
        if let Some((warps, most)) = self.occupancy() {
            words.push(format!("occupancy {} %", 100 * warps / most.max(1)));
        }
        words.extend(self.memory_words());
        words.extend(self.limit.map(|limit| {
            let roof = if limit.memory { "memory" } else { "arithmetic" };
            let (whole, tenth) = (limit.intensity / 10, limit.intensity % 10);
            format!("limited by {roof}, {whole}.{tenth} operations a byte")
        }));
        words.join(" · ")
    }

    /// The accesses to memory, and the bytes.
    fn memory_words(&self) -> Option<String> {
        let accesses = [(&self.loads, "load"), (&self.stores, "store")].into_iter();
        let each = accesses.flat_map(|(counts, what)| {
            let each = counts.iter().rev();
            each.map(move |(bits, &count)| format!("{} of {bits} bits", counted(count, what)))
        });
        let mut parts: Vec<_> = each.collect();
        match self.bytes {
            Some((bytes, 0)) => parts.push(format!("{} a block", size(bytes))),
            Some((0, bytes)) => parts.push(format!("{} a round of its loops", size(bytes))),
            Some((once, bytes)) => {
                parts.push(format!(
                    "{} a block and {} a round of its loops",
                    size(once),
                    size(bytes)
                ));
            }
            None => {}
        }
        if parts.is_empty() {
            return None;
        }
        if self.conflicts > 0 {
            let lost = counted(self.conflicts, "cycle");
            parts.push(format!("{lost} of a warp lost to bank conflicts"));
        } else if self.shared > 0 {
            parts.push("no bank conflicts".to_owned());
        }
        Some(format!("memory: {}", parts.join(", ")))
    }
}

/// A number of bytes with a unit that makes it short.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
