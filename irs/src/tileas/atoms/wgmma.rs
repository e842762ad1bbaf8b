//! `wgmma`: asynchronous products of matrices in shared memory (A may be in registers) by a warp group.

use tilewright_diagnostics::Code;
use tilewright_layouts::descriptor::{Instruction, Operand, WgmmaDescriptor};
use tilewright_layouts::distributed::{Encoding, WgmmaAccumulator as Accumulator, WgmmaN};
use tilewright_layouts::legality::{OperandPlace, Wgmma, WgmmaAccumulator as WgmmaSum, WgmmaInput};
use tilewright_layouts::{Dim, LayoutError, LinearLayout};

use super::product::{Axes, WarpGrid, cost_of, count_of, described, operand, operand_type, unlike};
use super::{Allowed, Completion, Multiplying, OperandLayouts, Place, ProductUse, Refusal, needs};
use crate::core::{Arg, Args, Term, TermCodec, TermError};
use crate::dialects::arith::Signedness;
use crate::dialects::boxes::Boxes;
use crate::dialects::product_rules::{Extents, matrix_type};
use crate::dialects::warpgroup_mma::{ROWS, input, output};
use crate::element::{ElementType, ScalarType};
use crate::isa::rules::forms;
use crate::isa::{Need, Target, WgmmaShape};
use crate::machine::{Cost, GROUP_WARPS, Machine, Multiprocessor, Registers, threads};
use crate::tileas::buffer::{Buffer, Space};

/// `wgmma.mma_async` of 64 by `n`: `wgmma<n = 256>`. (PTX ISA, `wgmma.mma_async`; sm_90a.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WgmmaAtom {
    /// Columns of one instruction.
    pub n: u32,
    /// The order of the rows of A and of the sums, if it is not that of the instruction. Only if A is in registers.
    pub rows: Option<RowOrder>,
}

crate::keywords! {
    /// An order of the rows of a left multiplicand in registers, and of the sums.
    ///
    /// A warp group has 64 rows in an instruction: the two of a thread are eight apart, those of the threads of a warp neighbours, and
    /// those of its warps 16 apart. What a row of the instruction is multiplied with does not depend on which row of A it is: each
    /// order is one in which threads read elements of A that are contiguous along M in shared memory.
    pub enum RowOrder {
        /// The two rows of a thread are neighbours: bytes are loaded in pairs.
        Pairs = "pairs",
        /// The two rows of a thread are neighbours, and half of the threads of a warp have rows from the 16th on: elements of 32 bits are
        /// loaded in pairs from all banks, of rows of 128 bytes whose parts are exchanged.
        Spread = "spread",
    }
}

impl RowOrder {
    /// The bits of a row's index in A, for each bit of its index in the instruction.
    const fn bits(self) -> [u32; 6] {
        match self {
            Self::Pairs => [1, 2, 3, 0, 4, 5],
            Self::Spread => [1, 4, 2, 0, 3, 5],
        }
    }

    /// The row of A that has the place of this row.
    fn row(self, at: u32) -> u32 {
        let moved = (0..).zip(self.bits()).map(|(from, to)| ((at >> from) & 1) << to);
        at - at % ROWS + moved.sum::<u32>()
    }

    /// A layout, with rows along its first axis, in this order.
    fn of(self, layout: &LinearLayout) -> Result<LinearLayout, LayoutError> {
        let moved = |basis: &[u32]| -> Vec<u32> {
            let mut basis = basis.to_vec();
            if let Some(row) = basis.first_mut() {
                *row = self.row(*row);
            }
            basis
        };
        let bases: Vec<(Dim, Vec<Vec<u32>>)> = [Dim::Register, Dim::Lane, Dim::Warp]
            .into_iter()
            .map(|dim| (dim, layout.bases(dim).map(|basis| moved(&basis)).collect()))
            .collect();
        let outs: Vec<(Dim, u32)> = (0..).map(Dim::Axis).zip(layout.shape()).collect();
        LinearLayout::from_bases(&bases, &outs)
    }
}

impl TermCodec for WgmmaAtom {
    fn write(&self) -> Term {
        let mut args = vec![Arg::named("n", Term::int(self.n))];
        args.extend(self.rows.map(|rows| Arg::from(rows.write())));
        Term::call("wgmma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("wgmma", args)) = term.as_call() else {
            return Err(term.wrong("`wgmma<n = …>`"));
        };
        let mut args = Args::new(term, args);
        let n = args.required("n")?.to_int("a number of columns")?;
        let rows = args.next_if_any().map(RowOrder::read).transpose()?;
        args.finish()?;
        Ok(Self { n, rows })
    }
}

/// The requirements of the narrowest instruction for such elements; `None` if there is none.
fn need([a, b, sum]: [ScalarType; 3], [of_a, of_b]: [Signedness; 2], k: u32) -> Option<Need> {
    let sum = matrix_type(sum, Signedness::Signed)?;
    let types = [sum, matrix_type(a, of_a)?, matrix_type(b, of_b)?];
    let k = u16::try_from(k).ok()?;
    forms::wgmma(WgmmaShape { n: 8, k }, types)
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
    /// Checks that there is an instruction for elements of these types, of the multiplicands and the accumulator, on the target.
    ///
    /// # Errors
    /// The types, or what the target lacks.
    pub fn check_elements(
        self,
        elements: [ScalarType; 3],
        signedness: [Signedness; 2],
        target: Target,
    ) -> Result<(), Refusal> {
        self.types(elements, signedness, target).map(drop)
    }

    fn types(
        self,
        elements: [ScalarType; 3],
        signedness: [Signedness; 2],
        target: Target,
    ) -> Result<(WgmmaInput, WgmmaInput, WgmmaSum), Refusal> {
        let [left, right] = signedness;
        let types = (
            input(elements[0], left),
            input(elements[1], right),
            output(elements[2]),
        );
        let (Some(a), Some(b), Some(sum)) = types else {
            return Err(unlike("wgmma", elements));
        };
        if let Some(need) = need(elements, signedness, Wgmma::k_of(a, false)) {
            needs("wgmma", target, Some(need))?;
        }
        Ok((a, b, sum))
    }

    /// The instruction with so many columns.
    pub const fn of(n: u32) -> Self {
        Self { n, rows: None }
    }

    /// The same for a left multiplicand of such elements in registers, which are contiguous along M in shared memory or not.
    pub fn with_left(self, element: ScalarType, is_along_m: bool) -> Self {
        let rows = match ElementType::Scalar(element).stored_bytes() {
            1 => Some(RowOrder::Pairs),
            4 if is_along_m => Some(RowOrder::Spread),
            _ => None,
        };
        Self { rows, ..self }
    }

    /// Rows from the first to the second row of a thread in an instruction.
    pub const fn row_step(self) -> u32 {
        match self.rows {
            Some(RowOrder::Pairs | RowOrder::Spread) => 1,
            None => 8,
        }
    }

    /// The matrix descriptors of A, if it is in shared memory, and of B.
    ///
    /// # Errors
    /// No descriptor can express a buffer's layout, with the reason.
    pub fn descriptors(
        self,
        a: Option<&Buffer>,
        b: &Buffer,
        k: u32,
    ) -> Result<(Option<Operand<WgmmaDescriptor>>, Operand<WgmmaDescriptor>), Refusal> {
        let left = Instruction { mn: ROWS, k };
        let a = a.map(|a| operand("wgmma", "A", a, Axes::MnK, left)).transpose()?;
        let b = operand("wgmma", "B", b, Axes::KN, Instruction { mn: self.n, k })?;
        Ok((a, b))
    }

    /// The registers of a thread that an instruction needs, with sums of so many bits, and with A in shared memory or in registers:
    /// ptxas gives A four whose index is a multiple of four.
    pub fn registers(self, sum_bits: u32, a_in_registers: bool) -> Registers {
        let sums = ROWS * self.n * sum_bits / 32 / threads(GROUP_WARPS);
        let operands = match a_in_registers {
            true => sums.next_multiple_of(4) + 4,
            false => sums,
        };
        Registers(operands + Multiprocessor::BESIDE_WGMMA.0)
    }

    /// The number of warp groups along M and along N, for `m` rows and `warps` warps.
    ///
    /// # Errors
    /// The warps are no whole groups.
    pub fn groups(m: u32, warps: u32) -> Result<[u32; 2], Refusal> {
        if warps == 0 || !warps.is_multiple_of(GROUP_WARPS) {
            let message = format!("`wgmma` is issued by groups of {GROUP_WARPS} warps, not by {warps}");
            return Err(Refusal::layout(message));
        }
        let groups = warps / GROUP_WARPS;
        let along_m = groups.min(m / ROWS).max(1);
        Ok([along_m, groups / along_m])
    }

    /// The layout of a left multiplicand, `m x k`, in registers: in an instruction, warp `w` has rows `16 w` and on, and
    /// register `r` of lane `l` has row `l / 4 + 8 (r mod 2)`, if the rows have no other order, and the elements of 4 bytes from
    /// `l mod 4 + 4 (r / 2)` on; further instructions follow along K, then along M. (PTX ISA, "Register Fragments" of `wgmma`, A.)
    ///
    /// # Errors
    /// The extents do not fit the instruction.
    pub fn left_layout(
        self,
        [m, k]: [u32; 2],
        element: ScalarType,
        warps: u32,
    ) -> Result<LinearLayout, Refusal> {
        let refuse = |error: LayoutError| Refusal::layout(format!("`wgmma`: {error}"));
        let [along_m, along_n] = Self::groups(m, warps)?;
        let packed = 32 / element.bits().clamp(1, 32);
        let (step, rows) = (8 * packed, ROWS * along_m);
        if !k.is_multiple_of(step) || !m.is_multiple_of(rows) {
            let message = format!("`wgmma` multiplies {rows} rows by {step} columns of A, not {m} by {k}");
            return Err(Refusal::layout(message));
        }
        let (m_axis, k_axis) = (Dim::Axis(0), Dim::Axis(1));
        let parts = [
            LinearLayout::identity_1d(packed, Dim::Register, k_axis),
            LinearLayout::identity_1d(4, Dim::Lane, k_axis),
            LinearLayout::identity_1d(8, Dim::Lane, m_axis),
            LinearLayout::identity_1d(2, Dim::Register, m_axis),
            LinearLayout::identity_1d(2, Dim::Register, k_axis),
            LinearLayout::identity_1d(GROUP_WARPS * along_m, Dim::Warp, m_axis),
            LinearLayout::zeros_1d(along_n, Dim::Warp, m_axis, 1),
            LinearLayout::identity_1d(k / step, Dim::Register, k_axis),
            LinearLayout::identity_1d(m / rows, Dim::Register, m_axis),
        ];
        let mut layout: Option<LinearLayout> = None;
        for part in parts {
            let part = part.map_err(refuse)?;
            layout = Some(match layout {
                Some(layout) => layout.product(&part).map_err(refuse)?,
                None => part,
            });
        }
        let layout = layout.ok_or_else(|| Refusal::layout("`wgmma`: a layout of nothing"))?;
        self.ordered(layout).map_err(refuse)
    }

    /// A layout with the rows in the atom's order.
    fn ordered(self, layout: LinearLayout) -> Result<LinearLayout, LayoutError> {
        match self.rows {
            Some(rows) => rows.of(&layout),
            None => Ok(layout),
        }
    }

    /// The layout in registers of a right multiplicand, `k x n`, that its threads store to shared memory: of elements of 16 bits
    /// each has vectors along N, of others along K, as [`right_memory`](Self::right_memory) has. Bytes are in places where
    /// `ldmatrix` and `stmatrix` move pairs of them.
    ///
    /// # Errors
    /// The extents are no powers of two.
    pub fn right_layout(
        self,
        extents: [u32; 2],
        element: ScalarType,
        warps: u32,
    ) -> Result<LinearLayout, Refusal> {
        let refuse = |error: LayoutError| Refusal::layout(format!("`wgmma`: {error}"));
        // The axes of the bits of registers, then of lanes.
        let (registers, lanes): (&[usize], [usize; 5]) = match element.bits() {
            8 => (&[0, 0, 1], [0, 0, 1, 1, 1]),
            16 => (&[1, 1, 1], [1, 1, 1, 0, 0]),
            _ => (&[0, 0], [1; 5]),
        };
        let mut next = [1, 1];
        let mut take = |axis: usize| {
            let free = |axis: &usize| next[*axis] < extents[*axis];
            let mut basis = vec![0; 2];
            if let Some(axis) = [axis, 1 - axis].into_iter().find(free) {
                basis[axis] = next[axis];
                next[axis] *= 2;
            }
            basis
        };
        let mut registers: Vec<Vec<u32>> = registers.iter().map(|&axis| take(axis)).collect();
        let lanes: Vec<Vec<u32>> = lanes.into_iter().map(&mut take).collect();
        let warps: Vec<Vec<u32>> = (0..warps.ilog2()).map(|_| take(1)).collect();
        let rest = std::iter::repeat_with(|| take(1)).take_while(|basis| basis.iter().any(|&step| step != 0));
        registers.extend(rest);
        let bases = [(Dim::Register, registers), (Dim::Lane, lanes), (Dim::Warp, warps)];
        let outs = [(Dim::Axis(0), extents[0]), (Dim::Axis(1), extents[1])];
        LinearLayout::from_bases(&bases, &outs).map_err(refuse)
    }

    /// The layout in shared memory of a right multiplicand, `k x n`, that threads store there: along N for elements of 16 bits,
    /// along K, as the instruction reads all others.
    ///
    /// # Errors
    /// Its rows have less than 16 bytes.
    pub fn right_memory(self, extents: [u32; 2], element: ScalarType) -> Result<LinearLayout, Refusal> {
        let along = usize::from(element.bits() == 16);
        Boxes::memory_of_rows(along, &extents, ElementType::Scalar(element).stored_bytes())
    }

    fn layouts_of(self, [m, n, _]: [u32; 3], warps: u32) -> Result<OperandLayouts, Refusal> {
        let refuse = |error: LayoutError| Refusal::layout(format!("`wgmma`: {error}"));
        let accumulator = Accumulator {
            n: WgmmaN::new(self.n).map_err(refuse)?,
            warpgroups: Self::groups(m, warps)?,
        };
        let acc = Encoding::to_linear(&accumulator, &[m, n]).map_err(refuse)?;
        Ok(OperandLayouts {
            acc: Some(self.ordered(acc).map_err(refuse)?),
            ..OperandLayouts::default()
        })
    }
}

impl Multiplying for WgmmaAtom {
    fn check(&self, product: &ProductUse<'_>) -> Allowed {
        let (Some(extents), Some(elements)) = (product.extents(), product.elements()) else {
            return Err(Refusal::new(Code::OperandType, "`wgmma` multiplies matrices"));
        };
        let (a_type, b_type, d_type) = self.types(elements, product.signedness, product.target)?;
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
        if let Some(rows) = self.rows.filter(|_| product.a.registers().is_none()) {
            let message =
                format!("`wgmma` has the rows of A in the order `{rows}` only if A is in registers");
            return Err(Refusal::layout(message));
        }
        let wanted = self.layouts_of(extents, product.warps)?;
        let have = product.acc.registers().and_then(|(_, layout)| layout);
        if have != wanted.acc.as_ref() {
            let text =
                |layout: Option<&LinearLayout>| layout.map_or_else(|| "none".to_owned(), ToString::to_string);
            let message = format!(
                "`wgmma` has its accumulator in `{}`, not in `{}`",
                text(wanted.acc.as_ref()),
                text(have)
            );
            return Err(Refusal::layout(message));
        }
        if let Some((_, Some(have))) = product.a.registers() {
            let wanted = self.left_layout([extents[0], extents[2]], elements[0], product.warps)?;
            if *have != wanted {
                let message = format!("`wgmma` takes A in registers in `{wanted}`, not in `{have}`");
                return Err(Refusal::layout(message));
            }
        }
        Ok(())
    }

    fn layouts_in(&self, _: WarpGrid, extents: &Extents, warps: u32) -> Result<OperandLayouts, Refusal> {
        self.layouts_of(extents.matrix, warps)
    }

    /// The cost with both multiplicands in shared memory.
    fn cost(&self, elements: [ScalarType; 3], extents: [u32; 3], target: Target) -> Cost {
        let machine = Machine::of(target);
        let [a, ..] = elements;
        let (Some(ty), Some(input)) = (operand_type(elements), input(a, Signedness::Signed)) else {
            return Cost::NEVER;
        };
        let shape = [ROWS, self.n, Wgmma::k_of(input, false)];
        let (rate, least) = (machine.rates.wgmma.of(ty), machine.costs.wgmma_shared);
        cost_of(count_of(extents, shape), shape, rate, least)
    }

    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }

    fn is_by_warp_groups(&self) -> bool {
        true
    }
}
