//! The policy of attributes: what each stage does to each attribute, and why; and what each pass declares that it changes.
//!
//! A stage is all passes within a language, or between two. [`CELLS`] says what each does, [`changes`](Pass::changes) which pass does it,
//! and what a pass changes without a cell, or a cell without a pass, is an error of a test. Within a language, what no cell names
//! is preserved. An attribute of the family `meaning`, such as a predicate, is a part of what its op computes: it stays with its
//! op, and the lowering of the op consumes it.

use std::fmt;

use tilewright_irs::core::{AttributeSpec, Carrier, Family, is_named};

use crate::changes::{Change, Fate, changes};
use crate::pipeline::{PASSES, Pass};
use crate::units::Language;

/// What becomes of attributes at a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They stay, under their names.
    Preserve,
    /// They go on under these names.
    Rename(&'static [&'static str]),
    /// They decide what is made, as this says.
    Consume(&'static str),
    /// They are made, from this.
    Synthesise(&'static str),
    /// They end, for this reason.
    Drop(&'static str),
    /// A kernel with them is refused, since none should have them.
    Refuse(&'static str),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preserve => f.write_str("preserved"),
            Self::Rename(names) => write!(f, "renamed to {}", quoted(names)),
            Self::Consume(what) => write!(f, "consumed: {what}"),
            Self::Synthesise(what) => write!(f, "made from {what}"),
            Self::Drop(why) => write!(f, "dropped: {why}"),
            Self::Refuse(why) => write!(f, "refused: {why}"),
        }
    }
}

impl Verdict {
    /// What the attributes decide, what they are made from, or why they end; `None` where they go on.
    pub const fn why(self) -> Option<&'static str> {
        match self {
            Self::Preserve | Self::Rename(_) => None,
            Self::Consume(why) | Self::Synthesise(why) | Self::Drop(why) | Self::Refuse(why) => Some(why),
        }
    }
}

/// The names of attributes, as documentation shows them.
pub fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// A cell of the matrix: attributes of one family at one stage.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The language before.
    pub from: Language,
    /// The language after.
    pub to: Language,
    /// The family.
    pub family: Family,
    /// Where the attributes stand.
    pub carrier: Carrier,
    /// Their names, each after that of an op and a space if it is that op's only; without any, all of the family that no other
    /// cell of the stage names.
    pub names: &'static [&'static str],
    /// What becomes of them.
    pub verdict: Verdict,
}

impl Cell {
    /// How closely the cell names an attribute, if it is about it at all: 2 for that of one op, 1 for all of its name, 0 for the
    /// rest of its family.
    fn closeness(&self, (from, to): (Language, Language), spec: &AttributeSpec) -> Option<usize> {
        let is_of =
            (self.from, self.to) == (from, to) && (self.carrier, self.family) == (spec.carrier, spec.family);
        let named = self
            .names
            .iter()
            .filter(|name| is_named(spec.op, spec.name, name));
        match named.map(|name| if *name == spec.name { 1 } else { 2 }).max() {
            Some(closeness) => is_of.then_some(closeness),
            None => (is_of && self.names.is_empty()).then_some(0),
        }
    }

    /// Whether the cell allows what a pass does to an attribute.
    fn allows(&self, fate: Fate) -> bool {
        match (self.verdict, fate) {
            (Verdict::Consume(_), Fate::Consumes)
            | (Verdict::Drop(_), Fate::Drops)
            | (Verdict::Synthesise(_), Fate::Makes) => true,
            (Verdict::Rename(names), Fate::Renames { name, .. }) => names.contains(&name),
            _ => false,
        }
    }

    /// Whether the attributes are made, and not there before.
    fn is_made(&self) -> bool {
        matches!(self.verdict, Verdict::Synthesise(_))
    }

    /// The language whose attributes it is about.
    pub fn language(&self) -> Language {
        if self.is_made() { self.to } else { self.from }
    }

    /// Whether it is about an attribute of that language, and no other cell names that more closely.
    pub fn is_about(&self, spec: &AttributeSpec) -> bool {
        let about = cells_about((self.from, self.to), spec, self.is_made());
        about.into_iter().any(|cell| std::ptr::eq(cell, self))
    }

    /// Whether a change of a pass is one that the cell grants.
    pub fn grants(&self, pass: &Pass, change: &Change) -> bool {
        let is_it = |spec: &AttributeSpec| change.is_about(spec) && self.is_about(spec);
        (pass.from, pass.to) == (self.from, self.to)
            && self.allows(change.fate)
            && self.language().declared().attributes().iter().any(is_it)
    }

    /// The stage: a language, or one and the next.
    pub fn stage(&self) -> String {
        match self.from == self.to {
            true => self.from.to_string(),
            false => format!("{} to {}", self.from, self.to),
        }
    }

    /// The passes that do what the cell says.
    pub fn passes(&self) -> impl Iterator<Item = &'static Pass> {
        let does = |pass: &&Pass| pass.changes.iter().any(|change| self.grants(pass, change));
        PASSES.iter().filter(does)
    }
}

/// The cells that name an attribute most closely: what it becomes at a stage, or how it is made if `is_made`.
fn cells_about(stage: (Language, Language), spec: &AttributeSpec, is_made: bool) -> Vec<&'static Cell> {
    let of_kind = |cell: &&Cell| cell.is_made() == is_made;
    let about = CELLS.iter().filter(of_kind);
    let mut about: Vec<_> = about
        .filter_map(|cell| Some((cell.closeness(stage, spec)?, cell)))
        .collect();
    let most = about.iter().map(|&(closeness, _)| closeness).max();
    about.retain(|&(closeness, _)| Some(closeness) == most);
    about.into_iter().map(|(_, cell)| cell).collect()
}

/// What becomes of an attribute at a stage; the cell is `None` where the stage is within a language, or the attribute a part of
/// what its op computes, and no cell says otherwise.
///
/// # Errors
/// How many cells say so, if that is not one.
pub fn fate(stage: (Language, Language), spec: &AttributeSpec) -> Result<Option<&'static Cell>, usize> {
    let is_free = stage.0 == stage.1 || spec.family == Family::Meaning;
    match cells_about(stage, spec, false).as_slice() {
        [cell] => Ok(Some(cell)),
        [] if is_free => Ok(None),
        cells => Err(cells.len()),
    }
}

/// How a stage makes an attribute, if it does.
pub fn source(stage: (Language, Language), spec: &AttributeSpec) -> Option<&'static Cell> {
    cells_about(stage, spec, true).first().copied()
}

/// Declares the cells of stages: `carrier Family ["name", …] verdict` each.
macro_rules! policy {
    ($(
        $from:ident => $to:ident {
            $($carrier:ident $family:ident [$($name:literal),*] $verdict:ident $(($($what:tt)*))?;)*
        }
    )*) => {
        /// The matrix.
        pub static CELLS: &[Cell] = &[$($(
            Cell {
                from: Language::$from,
                to: Language::$to,
                family: Family::$family,
                carrier: changes!(@carrier $carrier),
                names: &[$($name),*],
                verdict: policy!(@verdict $verdict $($($what)*)?),
            },
        )*)*];
    };
    (@verdict preserve) => { Verdict::Preserve };
    (@verdict rename $($name:literal),+) => { Verdict::Rename(&[$($name),+]) };
    (@verdict consume $what:literal) => { Verdict::Consume($what) };
    (@verdict synthesise $what:literal) => { Verdict::Synthesise($what) };
    (@verdict drop $what:literal) => { Verdict::Drop($what) };
    (@verdict refuse $what:literal) => { Verdict::Refuse($what) };
}

policy! {
    CudaTile => CudaTile {
        op FastMath ["fast_acc"] drop("elements are multiplied and added one by one");
        op FastMath ["cuda_tile.divi rounding"] synthesise("the iteration from which a condition holds");
    }
    CudaTile => TileAa {
        function LaunchShape ["num_cta_in_cga"] rename("cluster_hint");
        function LaunchShape ["occupancy"] preserve;
        function KernelSpec ["num_worker_warps_per_cta"] rename("num_warps");
        function Capability ["target"] synthesise("the GPU that is asked for");
        op FastMath ["rounding_mode"] rename("rounding", "precision");
        op FastMath ["rounding", "flush_to_zero"] preserve;
        op FastMath ["fast_acc"] rename("fast");
        op FastMath ["fast_math"] synthesise("the option `--fast-math`");
        op Order ["ordering"] rename("order");
        op Order ["scope"] preserve;
        op Order ["tileaa.atomic_cas scope", "tileaa.atomic_scatter scope"] synthesise("the blocks of the GPU, which share temporary memory");
        op Layout ["dim_map", "steps"] synthesise("the type of the view");
        op Staging ["latency", "allow_tma"] preserve;
        op Staging ["num_stages"] synthesise("the option `--hint num_stages`");
        op Staging ["cuda_tile.load_ptr_tko allow_tma", "cuda_tile.store_ptr_tko allow_tma"] drop("an access through pointers has no box");
        op Assumption ["inbounds", "overflow"] preserve;
        op Assumption ["cuda_tile.trunci overflow"] drop("the bits that a truncation keeps are the same with it");
        op Meaning ["global"] drop("temporary memory is in global memory in any case");
        op Assumption ["predicate"] consume("it becomes facts in the types of values");
        type Layout ["dim_map"] rename("dim_map");
        type Layout ["traversal_strides"] rename("steps");
        type Layout ["sparse_dim"] consume("the axis along which pointers differ");
        type Meaning ["padding_value"] rename("padding");
        type Meaning ["ptr_attr"] drop("ops on replicas have names of their own, and verifiers have compared them");
        type Assumption ["div", "contig", "min", "max", "align", "class"] synthesise("predicates, and the types of views");
        module Meaning ["version", "producer"] drop("they say what wrote the file, not what it computes");
        module Meaning ["alignment"] rename("align");
        module Meaning ["private"] rename("visible");
        module Meaning ["constant"] drop("a constant bank has addresses of its own, and pointers to it would be others");
    }
    TileAa => TileAa {
        function LaunchShape ["cluster_hint"] rename("num_ctas");
        function LaunchShape ["occupancy"] synthesise("what the registers of the kernel leave of the hint");
        function KernelSpec ["num_warps"] synthesise("the hint, or the tiles of the kernel");
        function KernelSpec ["num_ctas"] synthesise("1, where no hint asks for clusters");
        op Order ["scope"] synthesise("the cluster that computes a tile block");
        op Layout ["access"] synthesise("facts");
        op FastMath ["fast"] synthesise("sums of few products, which are exact enough");
        op Layout ["route"] synthesise("facts, hints, and what the target has");
        op Layout ["steps"] synthesise("the parts of tiles that are computed in parts");
        op Meaning ["padding"] drop("no element is outside of the array");
        op Staging ["loads_ahead"] synthesise("loads that are moved before those that they would follow");
        op Staging ["tileaa.load allow_tma"] synthesise("the equal loads that it replaces, of which one forbids it");
        op Staging ["persistent"] consume("the warps of the kernel, and what is loaded ahead");
        op Staging ["serial"] consume("nothing is loaded ahead");
        op Assumption ["inbounds", "overflow"] synthesise("facts");
        op Meaning ["arith.divi signedness", "arith.divi rounding", "arith.remi signedness"] synthesise("facts: of numbers that are not negative, signed and unsigned quotients are equal");
        type Assumption [] synthesise("what follows from ops");
        type Assumption ["extent_div", "stride_div"] consume("how wide accesses are");
        type Assumption ["contig", "same"] drop("`propagate_facts` finds them in the narrower tiles");
    }
    TileAa => TileAs {
        function LaunchShape ["cluster_hint"] refuse("`distribute_tiles` follows it");
        function LaunchShape ["occupancy"] rename("kernel_spec.occupancy");
        function LaunchShape ["shared_bytes"] synthesise("0: no buffer has a place yet");
        function KernelSpec ["num_warps"] rename("kernel_spec.num_warps");
        function KernelSpec ["num_ctas"] rename("kernel_spec.num_ctas");
        function Capability [] preserve;
        op FastMath ["fast"] drop("the route of the product says how it sums");
        op FastMath [] preserve;
        op Order [] preserve;
        op Layout ["dim_map", "steps"] preserve;
        op Layout ["access"] rename("atom");
        op Layout ["route"] consume("the atom of the access or the product");
        op Layout ["atom"] synthesise("the layouts of tiles");
        op Staging ["in_flight"] synthesise("0: each product is waited for at once");
        op Staging ["persistent"] drop("`choose_routes` and `attach_kernel_spec` have read it");
        op Staging [] preserve;
        op Assumption [] preserve;
        type Assumption ["div", "contig", "same", "min", "max"] drop("passes of `tileaa` have used them");
        type Assumption [] preserve;
    }
    TileAs => TileAs {
        op Layout ["atom"] synthesise("the layouts of tiles");
        op Layout ["route"] consume("operands of products are read as it says");
        op Layout ["tileas.load route"] drop("the copy goes to shared memory");
        op Layout ["tileas.copy_out steps"] synthesise("the box that a tensor store moves");
        op Layout ["tileas.tensor_map dim_map"] synthesise("the access that the map is for");
        op Staging ["allow_tma"] drop("`choose_routes` has read it");
        op Staging ["tileas.store latency"] drop("no store is issued ahead");
        op Staging ["in_flight"] synthesise("0: each copy is waited for at once");
    }
    TileAs => Scheduled {
        op Staging ["persistent"] refuse("`assign_layouts` leaves none");
        op Staging ["unroll"] refuse("loops of tiles are not unrolled by request");
        function LaunchShape [] preserve;
        function KernelSpec [] preserve;
        function Capability [] preserve;
        op FastMath [] preserve;
        op Order [] preserve;
        op Layout [] preserve;
        op Staging [] preserve;
        op Assumption [] preserve;
        op KernelSpec ["first_warp", "warps"] synthesise("the kernel spec: one agent has all warps");
        op Staging ["name"] synthesise("the one agent");
        type Assumption [] preserve;
    }
    Scheduled => Scheduled {
        function LaunchShape ["shared_bytes", "shared_align"] synthesise("the places of buffers");
        function LaunchShape ["kernel_spec.occupancy"] synthesise("the blocks that fit beside the rings of copies");
        function KernelSpec ["kernel_spec.num_warps"] synthesise("the warps of the agents");
        op LaunchShape ["registers"] synthesise("the registers of a block, divided among its agents");
        op KernelSpec ["first_warp", "warps"] synthesise("the agents of the schedule");
        op Layout ["offset"] synthesise("the lives of buffers");
        op Layout ["atom"] synthesise("copies that blocks of a cluster share");
        op Staging ["latency"] consume("copies are issued as far ahead");
        op Staging ["num_stages"] consume("the stages of rings");
        op Staging ["serial"] consume("nothing is issued ahead");
        op Staging ["depth"] synthesise("how far ahead copies are issued");
        op Staging ["in_flight"] synthesise("what is issued before a wait, and not waited for");
        op Staging ["name", "producer", "consumers", "full", "empty", "bytes"] synthesise("the agents of the schedule");
        op Staging ["barrier"] synthesise("the named barriers that are free");
        op LaunchShape ["registers"] drop("`expand_schedule` makes other agents");
        op Staging ["scheduled.agent barrier"] drop("`expand_schedule` makes other agents");
        op Staging ["loads_ahead"] drop("the loop is executed by other ops");
        op Staging ["scf.for loads_ahead"] synthesise("the stages of a loop that begin before it");
        op Staging ["tileas.copy_wait in_flight"] drop("the wait of a pipe counts its stages");
        tag Staging ["agent"] consume("the agent executes the op");
        tag Staging ["stage", "slot"] drop("the op is put there");
        tag Staging ["stage", "slot", "agent"] synthesise("what is loaded ahead, and by whom");
    }
    Scheduled => CuteDesugared {
        function LaunchShape [] preserve;
        function KernelSpec [] preserve;
        function Capability [] preserve;
        op LaunchShape ["registers"] consume("the agent sets the registers of its warps");
        op KernelSpec ["first_warp", "warps"] consume("the warps of the agent execute its body");
        op FastMath [] preserve;
        op Order [] preserve;
        op Cache ["cache", "prefetch", "eviction"] synthesise("the atom");
        op Layout ["atom"] consume("the instructions of the atom");
        op Layout ["dim_map", "steps", "offset"] consume("the addresses of accesses");
        op Layout ["route"] drop("`slice_products` has read it");
        op Layout ["vector"] synthesise("the atom");
        op Layout ["swizzle"] synthesise("the layouts of buffers");
        op Staging ["latency"] drop("`schedule_loops` has read that of copies, and no other access is issued ahead");
        op Staging ["unroll"] refuse("loops of tiles are not unrolled by request");
        op Staging ["num_stages", "serial"] drop("`schedule_loops` has read it");
        op Staging ["persistent"] refuse("`assign_layouts` leaves none");
        op Staging ["allow_tma"] drop("`choose_routes` has read it");
        op Staging ["depth"] drop("`expand_schedule` has made the stages");
        op Staging ["name"] drop("agents are warps from here on");
        op Staging ["agents"] drop("a named barrier counts threads, not agents");
        op Staging ["barrier"] consume("the named barriers of agents");
        op Staging ["consumers", "producer", "in_turns", "full", "empty", "bytes"] preserve;
        op Staging ["in_flight", "loads_ahead"] preserve;
        tag Staging [] drop("`expand_schedule` and `pipeline_loops` have put the ops there");
        op Assumption ["inbounds"] consume("no condition guards the access");
        op Assumption ["tileas.copy_in inbounds"] drop("a tensor map guards the access");
        op Meaning ["align"] drop("`allocate_shared` has read it");
        op Meaning ["tileas.reduce identities", "tileas.scan identities"] drop("each thread of a shuffle has an element");
        op Assumption ["overflow"] preserve;
        op Assumption ["arith.addi overflow"] synthesise("places in a tile, which are below its extent");
        type Assumption [] drop("`select_atoms` and `choose_routes` have used them");
    }
    CuteDesugared => CuteDesugared {
        op Staging ["full", "empty"] consume("the counts of mbarriers");
        op Staging ["gpu.async_wait in_flight"] synthesise("the groups of copies after the one that is waited for");
        op Staging ["consumers", "producer", "in_turns", "bytes"] drop("the counts of its barriers and the bytes of its copies say it");
    }
    CuteDesugared => Llvm {
        function LaunchShape ["shared_bytes", "shared_align", "shared_dynamic"] preserve;
        function LaunchShape ["block"] rename("nvvm.reqntid");
        function LaunchShape ["min_blocks"] consume("the blocks that ptxas is asked for, or none");
        function LaunchShape ["nvvm.minctasm"] synthesise("`min_blocks`, or 1");
        function LaunchShape ["nvvm.grid_constant"] synthesise("the parameters that are tensor maps");
        function LaunchShape ["kernel_spec.occupancy"] rename("nvvm.maxnreg");
        function KernelSpec ["kernel_spec.num_warps"] rename("nvvm.reqntid", "nvvm.maxnreg");
        function KernelSpec ["kernel_spec.num_ctas"] rename("nvvm.cluster_dim", "nvvm.blocksareclusters");
        function KernelSpec ["cute.kernel"] synthesise("each function is a kernel");
        function Capability [] preserve;
        op FastMath [] preserve;
        op Order [] preserve;
        op Cache ["cache", "prefetch"] preserve;
        op Cache ["hint", "level", "first", "second"] preserve;
        op Cache ["eviction"] rename("first");
        op Cache ["otherwise"] rename("second");
        op Cache ["hint"] synthesise("whether the instruction has a cache policy");
        op Cache ["nvvm.cp.async cache"] synthesise("the bytes of the copy: 16 leave out the first level");
        op Cache ["nvvm.cp.async.bulk.prefetch.tensor level"] synthesise("the second level, to which tensor copies prefetch");
        op Layout ["atom"] consume("the instruction of the atom");
        op Layout ["vector"] consume("how many elements an access has");
        op Layout ["swizzle"] consume("a field of the descriptor");
        op Staging ["in_flight"] consume("the number of groups that a wait leaves");
        op Staging ["loads_ahead"] drop("`schedule_loops` and `pipeline_loops` have read it");
        op Staging [] refuse("`expand_pipes` leaves none");
        op Assumption ["overflow"] preserve;
        op Assumption ["arith.addi overflow", "arith.subi overflow", "arith.muli overflow"]
            synthesise("numbers of layouts, which do not overflow the width that their type says");
        op Assumption ["align"] synthesise("the width of the access");
    }
    Llvm => Llvm {
        function KernelSpec ["cute.kernel"] rename("nvvm.kernel");
        function KernelSpec ["nvvm.kernel"] synthesise("the marker `cute.kernel`");
        op FastMath ["approximate"] consume("the arithmetic that an op is expanded to");
        op FastMath ["fast_math"] consume("what is computed in its place");
        op FastMath ["fast_math"] synthesise("the flags of all ops that one is made of");
        op FastMath ["arith.fma rounding", "arith.ftof rounding", "arith.itof rounding", "nvvm.cvt rounding"] synthesise("the arithmetic that an op is expanded to");
        op Order ["llvm.load order"] synthesise("the loop that swaps until nobody else has");
        op Assumption ["llvm.load align"] synthesise("the size of what an atomic op swaps");
        op Meaning ["offset"] synthesise("constants that are added to addresses");
        op FastMath ["arith.remf fast_math"] drop("a remainder is exact, and the steps to it allow nothing");
        op FastMath ["arith.subf rounding"] drop("what is subtracted is zero");
        op FastMath ["arith.rsqrtf flush_to_zero"] drop("an `f64` is never flushed");
        op Meaning ["propagate_nan"] drop("a flag says that no operand is NaN");
        op FastMath ["approximation", "ftz", "precision"] synthesise("the approximations of the hardware");
        op Assumption ["overflow"] drop("a byte is computed in 32 bits, which do not overflow");
        op Assumption ["overflow"] synthesise("sums in another order, which may overflow where the first did not");
        op Staging ["unroll"] drop("a loop that is unrolled has no such branch, and neither has one that is left or goes on in any case");
        op Assumption ["align"] drop("an array that becomes values is not accessed");
    }
    Llvm => Nvvm {
        function LaunchShape [] preserve;
        function KernelSpec [] preserve;
        function Capability [] preserve;
        op FastMath ["flush_to_zero"] rename("ftz");
        op FastMath ["precision"] rename("approximation", "rounding");
        op FastMath ["approximate"] refuse("`expand_math` leaves none");
        op FastMath ["fast_math"] drop("passes of `llvm` have used the flags, and PTX has none");
        op FastMath [] preserve;
        op Order [] preserve;
        op Cache ["llvm.load cache", "llvm.store cache"] rename("cache", "eviction");
        op Cache ["hint"] synthesise("whether the access has a cache policy");
        op FastMath ["noftz"] synthesise("sums of 16-bit floats in memory, which keep small numbers");
        op Cache [] preserve;
        op Staging [] drop("`unroll_thread_loops` has read it");
        op Assumption ["align"] drop("the type says how much an instruction moves, and `verify` that it is aligned");
        op Assumption ["overflow"] drop("PTX wraps, and nothing is folded from here on");
    }
    Nvvm => Nvvm {
        function LaunchShape ["nvvm.maxnreg"] synthesise("the registers that the hint cannot do with");
        function LaunchShape ["nvvm.minctasm"] synthesise("the registers that the values of a thread need");
    }
    Nvvm => Ptx {
        function LaunchShape ["nvvm.maxntid"] rename("maxntid");
        function LaunchShape ["nvvm.reqntid"] rename("reqntid");
        function LaunchShape ["nvvm.minctasm"] rename("minnctapersm");
        function LaunchShape ["nvvm.maxnreg"] rename("maxnreg");
        function LaunchShape ["nvvm.explicitcluster"] rename("explicitcluster");
        function LaunchShape ["nvvm.cluster_dim"] rename("reqnctapercluster");
        function LaunchShape ["nvvm.maxclusterrank"] rename("maxclusterrank");
        function LaunchShape ["nvvm.grid_constant"] drop("the type of the parameter says so, and verifiers compare them");
        function LaunchShape ["nvvm.blocksareclusters"] rename("blocksareclusters");
        function LaunchShape ["shared_bytes", "shared_align", "shared_dynamic"] consume("the declaration of shared memory");
        function KernelSpec [] consume("an entry, not a function");
        function Capability [] consume("the directive `.target`");
        op FastMath [] preserve;
        op Order [] preserve;
        op Cache [] preserve;
    }
}
