//! `wgmma`: asynchronous products of matrices in shared memory (A may be in registers) by a warp group.

use tilewright_diagnostics::Code;
use tilewright_layouts::descriptor::{Instruction, WgmmaDescriptor};
use tilewright_layouts::distributed::{Encoding, WgmmaAccumulator as Accumulator, WgmmaN};
use tilewright_layouts::legality::{OperandPlace, Wgmma, WgmmaAccumulator, WgmmaInput};

use super::product::{Axes, described, unlike};
use super::{Allowed, OperandLayouts, Place, ProductUse, Refusal, needs};
use crate::core::{Args, Term, TermCodec, TermError};
use crate::dialects::arith::Signedness;
use crate::element::ScalarType;
use crate::tileas::buffer::Space;

/// Rows of one instruction.
const ROWS: u32 = 64;
/// Warps of a warp group.
const GROUP_WARPS: u32 = 4;
/// Throughput of a multiprocessor's tensor cores per cycle on sm_90, in operand bits.
const BITS_PER_CYCLE: u64 = 4096 * 16;

/// `wgmma.mma_async` of 64 by `n`: `wgmma<n = 256>`. (PTX ISA, `wgmma.mma_async`; sm_90a.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WgmmaAtom {
    /// Columns of one instruction.
    pub n: u32,
}

impl TermCodec for WgmmaAtom {
    fn write(&self) -> Term {
        Term::call("wgmma", vec![crate::core::Arg::named("n", Term::int(self.n))])
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("wgmma", args)) = term.as_call() else {
            return Err(term.wrong("`wgmma<n = …>`"));
        };
        let mut args = Args::new(term, args);
        let n = args.required("n")?.to_int("a number of columns")?;
        args.finish()?;
        Ok(Self { n })
    }
}

fn input(element: ScalarType, signedness: Signedness) -> Option<WgmmaInput> {
    Some(match element {
        ScalarType::F16 => WgmmaInput::F16,
        ScalarType::BF16 => WgmmaInput::BF16,
        ScalarType::TF32 => WgmmaInput::TF32,
        ScalarType::F8E4M3FN => WgmmaInput::E4M3,
        ScalarType::F8E5M2 => WgmmaInput::E5M2,
        ScalarType::I8 => match signedness {
            Signedness::Signed => WgmmaInput::S8,
            Signedness::Unsigned => WgmmaInput::U8,
        },
        _ => return None,
    })
}

fn output(element: ScalarType) -> Option<WgmmaAccumulator> {
    Some(match element {
        ScalarType::F16 => WgmmaAccumulator::F16,
        ScalarType::F32 => WgmmaAccumulator::F32,
        ScalarType::I32 => WgmmaAccumulator::S32,
        _ => return None,
    })
}

/// The place of an operand: registers, or shared memory with a matrix descriptor.
fn place_of(
    name: &str,
    place: Place<'_>,
    axes: Axes,
    instruction: Instruction,
) -> Result<OperandPlace, Refusal> {
    match place.buffer_in(Space::Shared) {
        Some(buffer) => described::<WgmmaDescriptor>("wgmma", name, buffer, axes, instruction),
        None => Ok(OperandPlace::Fragment),
    }
}

impl WgmmaAtom {
    pub(super) fn check(self, product: &ProductUse<'_>) -> Allowed {
        let has = product.target.sm == 90;
        needs("wgmma", product.target, has, "sm_90a")?;
        let (Some(extents), Some(elements)) = (product.extents(), product.elements()) else {
            return Err(Refusal::new(Code::OperandType, "`wgmma` multiplies matrices"));
        };
        let [left, right] = product.signedness;
        let types = (
            input(elements[0], left),
            input(elements[1], right),
            output(elements[2]),
        );
        let (Some(a_type), Some(b_type), Some(d_type)) = types else {
            return Err(unlike("wgmma", elements));
        };
        let k = Wgmma::k_of(a_type, false);
        let wgmma = Wgmma {
            m: ROWS,
            n: self.n,
            k,
            sparse: false,
            a_type,
            b_type,
            d_type,
            a: place_of("A", product.a, Axes::MnK, Instruction { mn: ROWS, k })?,
            b: place_of("B", product.b, Axes::KN, Instruction { mn: self.n, k })?,
        };
        wgmma
            .check()
            .map_err(|violations| Refusal::limit("wgmma", violations))?;
        let wanted = self.layouts(extents, product.warps)?;
        let have = product.acc.registers().and_then(|(_, layout)| layout);
        if have != wanted.acc.as_ref() {
            let text = |layout: Option<&tilewright_layouts::LinearLayout>| {
                layout.map_or_else(|| "none".to_owned(), ToString::to_string)
            };
            let message = format!(
                "`wgmma` leaves its accumulator in `{}`, not in `{}`",
                text(wanted.acc.as_ref()),
                text(have)
            );
            return Err(Refusal::layout(message));
        }
        Ok(())
    }

    pub(super) fn layouts(self, [m, n, _]: [u32; 3], warps: u32) -> Result<OperandLayouts, Refusal> {
        let refuse = |error: tilewright_layouts::LayoutError| Refusal::layout(format!("`wgmma`: {error}"));
        if warps == 0 || !warps.is_multiple_of(GROUP_WARPS) {
            let message = format!("`wgmma` is issued by groups of {GROUP_WARPS} warps, not by {warps}");
            return Err(Refusal::layout(message));
        }
        let groups = warps / GROUP_WARPS;
        let along_m = groups.min(m / ROWS).max(1);
        let accumulator = Accumulator {
            n: WgmmaN::new(self.n).map_err(refuse)?,
            warpgroups: [along_m, groups / along_m],
        };
        let acc = Encoding::to_linear(&accumulator, &[m, n]).map_err(refuse)?;
        Ok(OperandLayouts {
            acc: Some(acc),
            ..OperandLayouts::default()
        })
    }

    pub(super) fn cost(self, extents: [u32; 3]) -> u64 {
        let products: u64 = extents.into_iter().map(u64::from).product();
        (products * 16 / BITS_PER_CYCLE).max(1)
    }
}
