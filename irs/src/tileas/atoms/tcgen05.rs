//! `tcgen05`: asynchronous products of matrices in shared memory into tensor memory, issued by one thread.

use tilewright_diagnostics::Code;
use tilewright_layouts::descriptor::{Instruction, Tcgen05Descriptor};
use tilewright_layouts::legality::{CtaGroup, OperandPlace, Tcgen05Kind, Tcgen05Mma};

use super::product::{Axes, WarpGrid, cost_of, count_of, described, operand_type, unlike};
use super::{Allowed, Completion, Multiplying, OperandLayouts, Place, ProductUse, Refusal, limits_of};
use crate::core::{Arg, Args, Term, TermCodec, TermError};
use crate::dialects::product_rules::Extents;
use crate::element::ScalarType;
use crate::isa::Target;
use crate::machine::{Cost, Cycles, Machine};
use crate::tileas::buffer::Space;

crate::keywords! {
    /// The number of blocks that compute one product.
    pub enum Blocks {
        /// One.
        One = "one",
        /// A pair.
        Two = "two",
    }
}

/// `tcgen05.mma` of `m` by `n`: `tcgen05<m = 128, n = 256, blocks = one>`. (PTX ISA, `tcgen05.mma`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tcgen05 {
    /// Rows of one instruction.
    pub m: u32,
    /// Columns of one instruction.
    pub n: u32,
    /// The number of blocks that compute one product.
    pub blocks: Blocks,
}

impl TermCodec for Tcgen05 {
    fn write(&self) -> Term {
        let args = vec![
            Arg::named("m", Term::int(self.m)),
            Arg::named("n", Term::int(self.n)),
            Arg::named("blocks", self.blocks.write()),
        ];
        Term::call("tcgen05", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tcgen05", args)) = term.as_call() else {
            return Err(term.wrong("`tcgen05<m = …, n = …, blocks = …>`"));
        };
        let mut args = Args::new(term, args);
        let m = args.required("m")?.to_int("a number of rows")?;
        let n = args.required("n")?.to_int("a number of columns")?;
        let blocks = Blocks::read(args.required("blocks")?)?;
        args.finish()?;
        Ok(Self { m, n, blocks })
    }
}

fn kind(a: ScalarType, b: ScalarType, acc: ScalarType) -> Option<Tcgen05Kind> {
    use ScalarType::{BF16, F4E2M1FN, F8E4M3FN, F8E5M2, F16, F32, I8, I32, TF32};
    let narrow = |element| matches!(element, F8E4M3FN | F8E5M2 | F4E2M1FN);
    match (a, b, acc) {
        (F16, F16, F16 | F32) | (BF16, BF16, F32) => Some(Tcgen05Kind::F16),
        (TF32, TF32, F32) => Some(Tcgen05Kind::Tf32),
        (I8, I8, I32) => Some(Tcgen05Kind::I8),
        (_, _, F16 | F32) if narrow(a) && narrow(b) => Some(Tcgen05Kind::F8f6f4),
        _ => None,
    }
}

/// The place of an operand: tensor memory, or shared memory with a matrix descriptor.
fn place_of(
    name: &str,
    place: Place<'_>,
    axes: Axes,
    instruction: Instruction,
) -> Result<OperandPlace, Refusal> {
    if place.buffer_in(Space::Tensor).is_some() {
        return Ok(OperandPlace::Fragment);
    }
    match place.buffer_in(Space::Shared) {
        Some(buffer) => described::<Tcgen05Descriptor>("tcgen05", name, buffer, axes, instruction),
        None => {
            let message = format!(
                "`tcgen05` finds no descriptor for {name}: it is in {}",
                place.noun()
            );
            Err(Refusal::layout(message))
        }
    }
}

impl Multiplying for Tcgen05 {
    fn check(&self, product: &ProductUse<'_>) -> Allowed {
        let Some([a, b, acc]) = product.elements() else {
            return Err(Refusal::new(Code::OperandType, "`tcgen05` multiplies matrices"));
        };
        let Some(kind) = kind(a, b, acc) else {
            return Err(unlike("tcgen05", [a, b, acc]));
        };
        if product.acc.buffer_in(Space::Tensor).is_none() {
            let message = format!(
                "`tcgen05` adds to a buffer in tensor memory, not to {}",
                product.acc.noun()
            );
            return Err(Refusal::new(Code::OperandType, message));
        }
        let (group, parts) = match self.blocks {
            Blocks::One => (CtaGroup::One, 1),
            Blocks::Two => (CtaGroup::Two, 2),
        };
        let k = kind.k(false);
        let (mn_a, mn_b) = (self.m / parts, self.n / parts);
        let mma = Tcgen05Mma {
            target: limits_of(product.target),
            kind,
            cta_group: group,
            weight_stationary: false,
            sparse: false,
            m: self.m,
            n: self.n,
            k,
            a: place_of("A", product.a, Axes::MnK, Instruction { mn: mn_a, k })?,
            b: place_of("B", product.b, Axes::KN, Instruction { mn: mn_b, k })?,
            narrow: a.bits() < 8 || b.bits() < 8,
        };
        mma.check()
            .map_err(|violations| Refusal::limit("tcgen05", violations))
    }

    fn layouts_in(&self, _: WarpGrid, _: &Extents, _: u32) -> Result<OperandLayouts, Refusal> {
        Ok(OperandLayouts::default())
    }

    /// The cost for one multiprocessor; of two blocks that compute one product, each has half of the rows.
    fn cost(&self, elements: [ScalarType; 3], extents: [u32; 3], target: Target) -> Cost {
        let machine = Machine::of(target);
        let [a, b, sum] = elements;
        let (Some(ty), Some(kind)) = (operand_type(elements), kind(a, b, sum)) else {
            return Cost::NEVER;
        };
        let parts = match self.blocks {
            Blocks::One => 1,
            Blocks::Two => 2,
        };
        let (whole, own) = (
            [self.m, self.n, kind.k(false)],
            [self.m / parts, self.n, kind.k(false)],
        );
        cost_of(
            count_of(extents, whole),
            own,
            machine.rates.tcgen05.of(ty),
            Cycles(1),
        )
    }
    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }
}
