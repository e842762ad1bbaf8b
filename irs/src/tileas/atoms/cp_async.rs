//! `cp_async`: copies from global to shared memory, bypassing registers.

use tilewright_diagnostics::Code;
use tilewright_layouts::bank::{Access, BankCost};
use tilewright_layouts::{Dim, LinearLayout};

use super::thread::{access, bank_cost, contiguous_axis, elements_of, read_width, traffic, write_width};
use super::{Allowed, Completion, CopyUse, Copying, Place, Refusal, needs};
use crate::core::{Arg, Args, Term, TermCodec, TermError};
use crate::dialects::memory::PrefetchSize;
use crate::element::ElementType;
use crate::isa::L2Eviction;
use crate::isa::rules::forms;
use crate::machine::{Cost, Machine};
use crate::tileas::buffer::{Buffer, Space};

/// Copies of 4, 8 or 16 bytes per thread: `cp_async<128b, linear<register = …>, prefetch = 128B, l2 = "L2::evict_first">`. (PTX
/// ISA, `cp.async`.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpAsync {
    /// Bits of one copy: 32, 64 or 128. Copies of 128 bits bypass the L1 cache.
    pub bits: u32,
    /// The elements that each thread copies, as if they were in its registers.
    pub threads: Box<LinearLayout>,
    /// What the L2 cache fetches as well; nothing if absent.
    pub prefetch: Option<PrefetchSize>,
    /// How soon the L2 cache evicts the lines; like others if absent.
    pub l2: Option<L2Eviction>,
}

impl CpAsync {
    /// Copies of this number of bits, with the default use of caches.
    pub fn new(bits: u32, threads: LinearLayout) -> Self {
        Self {
            bits,
            threads: Box::new(threads),
            prefetch: None,
            l2: None,
        }
    }
}

impl TermCodec for CpAsync {
    fn write(&self) -> Term {
        let mut args: Vec<Arg> = vec![write_width(self.bits).into(), self.threads.write().into()];
        args.extend(self.prefetch.map(|size| Arg::named("prefetch", size.write())));
        args.extend(self.l2.map(|eviction| Arg::named("l2", eviction.write())));
        Term::call("cp_async", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("cp_async", args)) = term.as_call() else {
            return Err(term.wrong("`cp_async<width, layout>`"));
        };
        let mut args = Args::new(term, args);
        let width = args.next("a width such as `128b`")?;
        let bits = read_width(width)?;
        if bits < 32 {
            return Err(width.wrong("a width: `32b`, `64b` or `128b`"));
        }
        let threads = Box::new(LinearLayout::read(args.next("a layout of threads")?)?);
        let prefetch = args.named("prefetch").map(PrefetchSize::read).transpose()?;
        let l2 = args.named("l2").map(L2Eviction::read).transpose()?;
        args.finish()?;
        Ok(Self {
            bits,
            threads,
            prefetch,
            l2,
        })
    }
}

impl Copying for CpAsync {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        needs("cp_async", copy.target, forms::cp_async(self.bits / 8))?;
        let (Place::Global(_) | Place::Pointers, Some(buffer)) =
            (copy.from, copy.to.buffer_in(Space::Shared))
        else {
            return Err(copy.wrong_way("cp_async", "from global to shared memory"));
        };
        if self.threads.shape() != buffer.shape {
            let message = format!(
                "`cp_async` copies a tile of {:?}; the buffer has {:?}",
                self.threads.shape(),
                buffer.shape
            );
            return Err(Refusal::layout(message));
        }
        if self.threads.in_size(Dim::Warp) > copy.warps {
            let message = format!(
                "`cp_async` spreads its copies over {} warps of {}",
                self.threads.in_size(Dim::Warp),
                copy.warps
            );
            return Err(Refusal::layout(message));
        }
        let elements = elements_of("cp_async", self.bits, ElementType::Scalar(buffer.element))?;
        let longest = access(Access::Store, &self.threads, buffer, None)?.map_or(1, |access| access.longest);
        if elements > longest {
            let message = format!(
                "`cp_async` of {} bits copies {elements} elements at a time; the layouts of threads and buffer have \
                 {longest} side by side",
                self.bits
            );
            return Err(Refusal::layout(message));
        }
        let bytes = u64::from(self.bits / 8);
        if let Place::Global(memref) = copy.from
            && !memref.align.is_multiple_of(bytes)
        {
            let message = format!(
                "`cp_async` copies {bytes} bytes at a time; the array begins at a multiple of {}",
                memref.align
            );
            return Err(Refusal::new(Code::HardwareLimit, message));
        }
        Ok(())
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        let element = match (copy.from, copy.to) {
            (Place::Global(memref), _) => memref.element,
            (Place::Pointers, Place::Buffer(buffer)) => buffer.element,
            _ => return Cost::NEVER,
        };
        let bytes = ElementType::Scalar(element).stored_bytes();
        let elements = self.bits / (8 * bytes);
        let axis = contiguous_axis((copy.from, copy.dim_map), (&self.threads, elements));
        let latency = Machine::of(copy.target).costs.loads.memory;
        traffic(&self.threads, bytes, elements, axis).cost(latency)
    }
    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }

    fn bits(&self) -> Option<u32> {
        Some(self.bits)
    }

    fn threads(&self) -> Option<&LinearLayout> {
        Some(&self.threads)
    }

    fn bank_cost(&self, _registers: Option<&LinearLayout>, buffer: &Buffer) -> Option<BankCost> {
        bank_cost(Access::Store, self.bits, &self.threads, buffer)
    }
}
