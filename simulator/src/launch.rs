//! Launches an entry over a grid.

use crate::block::{BARRIERS, Block, Cta, Shape, Stats, Stopped};
use crate::clock::{Clock, Parties, WARPS};
use crate::cluster_barrier::ClusterBarrier;
use crate::copies::Copies;
use crate::decode::{Located, decode};
use crate::fault::{Fault, FaultKind};
use crate::grid_races::GridRaces;
use crate::map_uses::MapUses;
use crate::memory::{Buffer, Device, Init, Memory, Outcome};
use crate::program::{Place, Program, SOURCES};
use crate::register_pool::{self, RegisterPool};
use crate::scope_races::ScopeRaces;
use crate::shared::Shared;
use crate::transfers::Transfers;
use crate::warp::Warp;
use crate::warp_group::WarpGroup;
use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::counted;
use tilewright_irs::ptx::{Asked, Configuration, Entry, Module, Space, Statement, Symbol, Variable, verify};

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arg {
    /// The bytes of a number or an array, little-endian.
    Scalar(Vec<u8>),
    /// The address of an allocation's first byte.
    Pointer(Buffer),
}

impl From<Buffer> for Arg {
    fn from(buffer: Buffer) -> Self {
        Self::Pointer(buffer)
    }
}

impl From<u32> for Arg {
    fn from(value: u32) -> Self {
        Self::Scalar(value.to_le_bytes().to_vec())
    }
}

impl From<i32> for Arg {
    fn from(value: i32) -> Self {
        Self::Scalar(value.to_le_bytes().to_vec())
    }
}

impl From<u64> for Arg {
    fn from(value: u64) -> Self {
        Self::Scalar(value.to_le_bytes().to_vec())
    }
}

impl From<i64> for Arg {
    fn from(value: i64) -> Self {
        Self::Scalar(value.to_le_bytes().to_vec())
    }
}

impl From<f32> for Arg {
    fn from(value: f32) -> Self {
        Self::Scalar(value.to_le_bytes().to_vec())
    }
}

impl From<f64> for Arg {
    fn from(value: f64) -> Self {
        Self::Scalar(value.to_le_bytes().to_vec())
    }
}

/// Limit of a block's registers and local memory, in bytes.
const MOST_STATE: usize = 4 << 30;

impl Device {
    /// Runs `kernel` of `module` on every block of `grid`, one block after the other.
    ///
    /// A block has `threads` threads, except that a kernel's `.reqntid` replaces `[1, 1, 1]`. Module variables in
    /// global memory live as long as the launch. `dynamic_shared` is in bytes.
    ///
    /// # Errors
    /// The first fault; earlier writes remain.
    pub fn launch(
        &mut self,
        module: &Module,
        kernel: &str,
        grid: [u32; 3],
        threads: [u32; 3],
        dynamic_shared: u32,
        args: &[Arg],
    ) -> Outcome<Stats> {
        let refuse = |reason: String| {
            Box::new(Fault {
                kind: FaultKind::Launch { reason },
                kernel: kernel.to_owned(),
                block: [0; 3],
                thread: None,
                statement: None,
                instruction: String::new(),
                line: None,
                origin: None,
            })
        };
        let Some(entry) = module.entry(kernel) else {
            return Err(refuse(format!("there is no kernel `{kernel}`")));
        };
        if let Some(finding) = verify(module)
            .into_iter()
            .find(|finding| finding.entry == entry.name)
        {
            return Err(refuse(format!("the kernel is malformed: {}", finding.violation)));
        }
        let threads = block_shape(entry, threads).map_err(refuse)?;
        let asked = Asked {
            grid,
            cluster: self.cluster,
            dynamic_shared: Some(dynamic_shared),
        };
        let configuration = Configuration::new(module, entry, &asked, module.target)
            .map_err(|refusal| refuse(refusal.to_string()))?;
        let most = entry.launch.max_threads.or(entry.launch.required_threads);
        let shape = Shape {
            grid: configuration.blocks,
            threads,
            cluster: configuration.cluster.unwrap_or([1; 3]),
            dynamic_shared,
            registers: register_pool::at_start(
                entry.launch.max_registers,
                most.map(|most| most.iter().product()),
                entry.launch.min_blocks_per_sm.unwrap_or(1),
            ),
        };
        let params = parameters(entry, args, &self.memory).map_err(refuse)?;
        let allocations = self.memory.len();
        let result = self.run(module, entry, shape, &params, &refuse);
        self.memory.truncate(allocations);
        result
    }

    fn run(
        &mut self,
        module: &Module,
        entry: &Entry,
        shape: Shape,
        params: &[u8],
        refuse: &dyn Fn(String) -> Box<Fault>,
    ) -> Outcome<Stats> {
        let (symbols, shared, local) = self.place(module, entry, shape).map_err(refuse)?;
        let mut program = decode(entry, &symbols).map_err(|reason| {
            let unknown = FaultKind::Unsupported {
                reason: reason.clone(),
            };
            Box::new(Fault {
                kind: unknown,
                ..*refuse(reason)
            })
        })?;
        program.shared_bytes = shared;
        program.local_bytes = local;
        let count: u32 = shape.threads.iter().product();
        let warps = count.div_ceil(32) as usize;
        let local = usize::try_from(local).unwrap_or(usize::MAX);
        let state = program
            .slots
            .saturating_mul(256)
            .saturating_add(local.saturating_mul(64));
        let parties = Parties {
            warps,
            blocks: shape.cluster.iter().product::<u32>() as usize,
        };
        if state.saturating_mul(warps * parties.blocks) > MOST_STATE {
            return Err(refuse(
                "the registers and local memory of a block take too much".to_owned(),
            ));
        }
        let cta = |rank: usize, warps: usize| Cta {
            index: [0; 3],
            rank,
            ended: false,
            shared: Shared::new(
                if warps == 0 {
                    0
                } else {
                    usize::try_from(shared).unwrap_or(0)
                },
                rank,
                parties,
            ),
            warps: (0..warps)
                .map(|warp| Warp {
                    products: program.accesses.is_some().then(Box::default),
                    ..Warp::new(
                        (warp, parties.warp(rank, warp)),
                        program.slots,
                        program.bits,
                        local,
                    )
                })
                .collect(),
            barriers: vec![None; BARRIERS],
            copies: Copies::default(),
            registers: RegisterPool::new(shape.registers, warps),
            groups: vec![WarpGroup::default(); warps.div_ceil(4)],
            stores: FxHashMap::default(),
            visits: FxHashMap::default(),
            acquired: FxHashMap::default(),
        };
        // The running block's place among its peers is empty.
        let peers = (0..parties.blocks).map(|rank| cta(rank, if rank == 0 { 0 } else { warps }));
        let mut block = Block {
            program: &program,
            memory: &mut self.memory,
            params,
            shape,
            parties,
            here: cta(0, warps),
            peers: peers.filter(|_| parties.blocks > 1).collect(),
            clocks: vec![Clock::default(); parties.blocks * warps],
            cluster: ClusterBarrier::new(parties.blocks * warps),
            transfers: Transfers::new(self.timing),
            published: FxHashMap::default(),
            complete: FxHashSet::default(),
            map_uses: MapUses::default(),
            stats: Stats::default(),
            step_limit: self.step_limit,
            deadline: self.deadline,
            hint: 0,
            rows: Box::new([[0; 32]; SOURCES]),
            races: (shape.grid != shape.cluster).then(GridRaces::default),
            scope_races: ScopeRaces::default(),
            printed: &mut self.printed,
            wakes: false,
            out_of_time: false,
            idle_rounds: 0,
        };
        let clusters: [u32; 3] = std::array::from_fn(|axis| shape.grid[axis] / shape.cluster[axis]);
        for z in 0..clusters[2] {
            for y in 0..clusters[1] {
                for x in 0..clusters[0] {
                    if let Err(stopped) = block.run([x, y, z]) {
                        return Err(Box::new(explain(&block, &program, entry, &self.lines, stopped)));
                    }
                }
            }
        }
        Ok(block.stats)
    }

    /// Assigns an address to every variable and parameter; also returns the sizes of shared and local memory.
    fn place(
        &mut self,
        module: &Module,
        entry: &Entry,
        shape: Shape,
    ) -> Result<(FxHashMap<Symbol, Located>, u64, u64), String> {
        let mut symbols = FxHashMap::default();
        let (mut shared, mut local) = (0u64, 0u64);
        for variable in module.variables_of(entry) {
            let Variable {
                space,
                align,
                name,
                bytes,
                initial,
                ..
            } = variable;
            let align = u64::from(*align);
            let Some(bytes) = *bytes else { continue };
            let located = match space {
                Space::Shared | Space::SharedCta | Space::SharedCluster => Located {
                    place: Place::Shared,
                    address: reserve(&mut shared, align, bytes)?,
                },
                Space::Local => Located {
                    place: Place::Local,
                    address: reserve(&mut local, align, bytes)?,
                },
                Space::Global | Space::Const => {
                    let bytes = usize::try_from(bytes)
                        .ok()
                        .filter(|bytes| *bytes <= MOST_STATE)
                        .ok_or_else(|| format!("variable {name} is too large"))?;
                    let buffer = self.memory.alloc(&name.0, bytes, Init::Data(initial.clone()));
                    Located {
                        place: Place::Global,
                        address: self.memory.address(buffer),
                    }
                }
                Space::Param => return Err(format!("variable {name} is in parameter space")),
            };
            symbols.insert(name.clone(), located);
        }
        // The parameters of a call are thread-private.
        for parameter in &entry.call_parameters {
            let (align, bytes) = (parameter.ty.align(), parameter.ty.bytes());
            let located = Located {
                place: Place::Local,
                address: reserve(&mut local, u64::from(align), u64::from(bytes))?,
            };
            symbols.insert(parameter.name.clone(), located);
        }
        // Dynamic shared memory follows all static variables; every dynamic variable refers to the same bytes.
        let dynamic: Vec<_> = module.dynamic_shared(entry).collect();
        let align = dynamic
            .iter()
            .map(|variable| u64::from(variable.align))
            .max()
            .unwrap_or(1);
        let address = reserve(&mut shared, align, u64::from(shape.dynamic_shared))?;
        for variable in dynamic {
            symbols.insert(
                variable.name.clone(),
                Located {
                    place: Place::Shared,
                    address,
                },
            );
        }
        let mut offset = 0u64;
        for parameter in &entry.parameters {
            let (align, bytes) = (
                u64::from(parameter.ty.align().max(1)),
                u64::from(parameter.ty.bytes()),
            );
            let address = reserve(&mut offset, align, bytes)?;
            symbols.insert(
                parameter.name.clone(),
                Located {
                    place: Place::Param,
                    address,
                },
            );
        }
        Ok((symbols, shared, local))
    }
}

/// Adds `bytes` bytes at the next multiple of `align`.
fn reserve(total: &mut u64, align: u64, bytes: u64) -> Result<u64, String> {
    let first = total.checked_next_multiple_of(align.max(1));
    let first = first.ok_or_else(|| "too much memory".to_owned())?;
    *total = first
        .checked_add(bytes)
        .ok_or_else(|| "too much memory".to_owned())?;
    Ok(first)
}

/// The shape of a block, checked against the kernel's directives.
fn block_shape(entry: &Entry, asked: [u32; 3]) -> Result<[u32; 3], String> {
    let threads = match entry.launch.required_threads {
        Some(required) if asked == [1, 1, 1] || asked == required => required,
        Some(required) => {
            return Err(format!(
                "the kernel requires blocks of {required:?} threads, not {asked:?}"
            ));
        }
        None => asked,
    };
    let total: u64 = threads.iter().map(|extent| u64::from(*extent)).product();
    if total == 0 || total > 32 * WARPS as u64 || threads.iter().any(|extent| *extent > 1024) {
        return Err(format!("a block of {threads:?} threads"));
    }
    if let Some(most) = entry.launch.max_threads {
        let most: u64 = most.iter().map(|extent| u64::from(*extent)).product();
        if total > most {
            return Err(format!("a block of {total} threads, of at most {most}"));
        }
    }
    Ok(threads)
}

/// The bytes of parameter space.
fn parameters(entry: &Entry, args: &[Arg], memory: &Memory) -> Result<Vec<u8>, String> {
    if args.len() != entry.parameters.len() {
        return Err(format!(
            "{} for {}",
            counted(args.len(), "argument"),
            counted(entry.parameters.len(), "parameter")
        ));
    }
    let mut bytes = Vec::new();
    for (at, (parameter, arg)) in entry.parameters.iter().zip(args).enumerate() {
        let align = usize::try_from(parameter.ty.align().max(1)).unwrap_or(1);
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        let wanted = usize::try_from(parameter.ty.bytes()).unwrap_or(usize::MAX);
        let given = match arg {
            Arg::Scalar(bytes) => bytes.clone(),
            Arg::Pointer(buffer) => memory.address(*buffer).to_le_bytes().to_vec(),
        };
        if given.len() != wanted {
            return Err(format!(
                "argument {at} has {}, its parameter {wanted}",
                counted(given.len(), "byte")
            ));
        }
        bytes.extend(given);
    }
    Ok(bytes)
}

/// A fault with its place.
fn explain(block: &Block<'_>, program: &Program, entry: &Entry, lines: &[u32], stopped: Stopped) -> Fault {
    let Stopped {
        kind,
        warp,
        lane,
        step,
    } = stopped;
    let statement = step
        .and_then(|step| program.steps.get(step as usize))
        .map(|step| step.statement);
    let line = statement
        .and_then(|statement| entry.body.get(statement))
        .and_then(|line| match line {
            Statement::Instruction(line) => Some(line),
            Statement::Label(_) | Statement::Location { .. } => None,
        });
    Fault {
        kind,
        kernel: entry.name.0.clone(),
        block: block.here.index,
        thread: lane.map(|lane| block.thread(warp, lane)),
        statement,
        instruction: line.map(ToString::to_string).unwrap_or_default(),
        line: statement.and_then(|statement| lines.get(statement).copied()),
        origin: line.and_then(|line| line.origin),
    }
}
