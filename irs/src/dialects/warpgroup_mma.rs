//! `wgmma.mma_async`: the asynchronous matrix product of a warp group, as an attribute.

use tilewright_layouts::descriptor::Major;
use tilewright_layouts::legality::{
    MatrixField, OperandPlace, Violations, Wgmma, WgmmaAccumulator, WgmmaInput,
};

use super::arith::Signedness;
use crate::core::{Arg, Args, Family, Term, TermCodec, TermError, TermKind};
use crate::element::{ElementType, ScalarType};
use crate::isa::WgmmaShape;

/// Rows of an instruction.
pub const ROWS: u32 = WgmmaShape::ROWS;
/// Bytes of a row of A in an instruction.
const ROW_BYTES: u32 = 32;

/// A product of `64 x k` by `k x n`, where a row of `k` elements has 32 bytes; B is in shared memory. (PTX ISA,
/// `wgmma.mma_async`.) Text, with CuTe's name: `cute_nvgpu.sm90.mma<64x256x16, ab_major = (k, mn), elem_type = (f16,
/// f16, f32), frag_kind = ss>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpgroupMma {
    /// Columns of B and of the accumulator.
    pub n: u32,
    /// The elements of A and of B.
    pub operands: [ScalarType; 2],
    /// The elements of the accumulator.
    pub accumulator: ScalarType,
    /// Signedness of the elements of A and of B, if they are integers; else signed.
    pub signedness: [Signedness; 2],
    /// The contiguous axis of A; `None` if A is in registers.
    pub a: Option<Major>,
    /// The contiguous axis of B.
    pub b: Major,
}

/// Columns of A and rows of B of an instruction, of elements of this type in A.
pub const fn depth(element: ScalarType) -> u32 {
    ROW_BYTES / ElementType::Scalar(element).stored_bytes()
}

/// The type of an operand in shared memory or registers, if there are products of it.
pub fn input(element: ScalarType, signedness: Signedness) -> Option<WgmmaInput> {
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

/// The type of an accumulator in the instruction; `None` if there are no products with such elements.
pub fn output(element: ScalarType) -> Option<WgmmaAccumulator> {
    Some(match element {
        ScalarType::F16 => WgmmaAccumulator::F16,
        ScalarType::F32 => WgmmaAccumulator::F32,
        ScalarType::I32 => WgmmaAccumulator::S32,
        _ => return None,
    })
}

impl WarpgroupMma {
    /// Columns of A, which are rows of B.
    pub fn k(&self) -> u32 {
        depth(self.operands[0])
    }

    /// Checks that the instruction exists.
    ///
    /// # Errors
    /// The rules that are violated; `None` if there are no products of these types at all.
    pub fn check(&self) -> Result<(), Option<Violations<MatrixField>>> {
        let place = |major: Major| OperandPlace::Shared {
            major,
            swizzle: tilewright_layouts::SwizzleMode::None,
        };
        let inputs = [0, 1].map(|i| input(self.operands[i], self.signedness[i]));
        let ([Some(a_type), Some(b_type)], Some(d_type)) = (inputs, output(self.accumulator)) else {
            return Err(None);
        };
        let wgmma = Wgmma {
            m: ROWS,
            n: self.n,
            k: self.k(),
            sparse: false,
            a_type,
            b_type,
            d_type,
            a: self.a.map_or(OperandPlace::Fragment, place),
            b: place(self.b),
        };
        wgmma.check().map_err(Some)
    }

    /// The number of 32-bit registers per thread that hold the accumulator.
    pub fn accumulator_registers(&self) -> u32 {
        self.n / 2 * self.accumulator.bits() / 32
    }
}

fn write_major(major: Major) -> Term {
    Term::word(match major {
        Major::K => "k",
        Major::Mn => "mn",
    })
}

fn read_major(term: &Term) -> Result<Major, TermError> {
    match &term.kind {
        TermKind::Word(word) if word == "k" => Ok(Major::K),
        TermKind::Word(word) if word == "mn" => Ok(Major::Mn),
        _ => Err(term.wrong("`k` or `mn`")),
    }
}

impl TermCodec for WarpgroupMma {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        let shape = TermKind::Dims(
            vec![Some(u64::from(ROWS)), Some(u64::from(self.n))],
            Box::new(Term::int(self.k())),
        );
        let [a, b] = self.operands;
        let types = TermKind::Tuple([a, b, self.accumulator].map(|ty| ty.write()).to_vec());
        let majors = [self.a.unwrap_or(Major::K), self.b].map(write_major);
        let mut args = vec![
            Term::from(shape).into(),
            Arg::named("ab_major", TermKind::Tuple(majors.to_vec()).into()),
            Arg::named("elem_type", types.into()),
            Arg::named(
                "frag_kind",
                Term::word(if self.a.is_some() { "ss" } else { "rs" }),
            ),
        ];
        if a.is_int() {
            let signs = TermKind::Tuple(self.signedness.map(|sign| sign.write()).to_vec());
            args.push(Arg::named("signedness", signs.into()));
        }
        Term::call("cute_nvgpu.sm90.mma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("cute_nvgpu.sm90.mma", list)) = term.as_call() else {
            return Err(term.wrong("`cute_nvgpu.sm90.mma<…>`"));
        };
        let mut args = Args::new(term, list);
        let shape_term = args.next("a shape such as `64x256x16`")?;
        let shape = match &shape_term.kind {
            TermKind::Dims(outer, k) => match (outer.as_slice(), k.to_int("an extent")) {
                ([Some(m), Some(n)], Ok(k)) => Some((*m, *n, k)),
                _ => None,
            },
            _ => None,
        };
        let (m, n, k): (u64, u64, u32) =
            shape.ok_or_else(|| shape_term.wrong("a shape such as `64x256x16`"))?;
        let pair = |term: &Term, wanted: &str| match &term.kind {
            TermKind::Tuple(items) if items.len() == 2 => Ok([items[0].clone(), items[1].clone()]),
            _ => Err(term.wrong(wanted)),
        };
        let majors = pair(args.required("ab_major")?, "the major axes of A and of B")?;
        let (a_major, b) = (read_major(&majors[0])?, read_major(&majors[1])?);
        let types_term = args.required("elem_type")?;
        let types = match &types_term.kind {
            TermKind::Tuple(types) => types
                .iter()
                .map(ScalarType::read)
                .collect::<Result<Vec<_>, _>>()?,
            _ => Vec::new(),
        };
        let [a_type, b_type, accumulator] = *types.as_slice() else {
            return Err(types_term.wrong("the types of A, B and C"));
        };
        let kind_term = args.required("frag_kind")?;
        let a = match &kind_term.kind {
            TermKind::Word(word) if word == "ss" => Some(a_major),
            TermKind::Word(word) if word == "rs" && a_major == Major::K => None,
            TermKind::Word(word) if word == "rs" => {
                return Err(kind_term.wrong("`ss`: in registers A is K-major"));
            }
            _ => return Err(kind_term.wrong("`ss` or `rs`")),
        };
        let signedness = match a_type.is_int() {
            true => {
                let signs = pair(args.required("signedness")?, "the signedness of A and of B")?;
                [Signedness::read(&signs[0])?, Signedness::read(&signs[1])?]
            }
            false => [Signedness::Signed; 2],
        };
        args.finish()?;
        let mma = Self {
            n: u32::try_from(n).map_err(|_| shape_term.wrong("a shape such as `64x256x16`"))?,
            operands: [a_type, b_type],
            accumulator,
            signedness,
            a,
            b,
        };
        let wanted = match mma.check() {
            Ok(()) if m == u64::from(ROWS) && k == mma.k() => return Ok(mma),
            Ok(()) => format!("a shape of {ROWS}x{n}x{}", mma.k()),
            Err(None) => "types that `wgmma` multiplies".to_owned(),
            Err(Some(violations)) => {
                let violations = violations.to_string().replace('\n', "; ");
                format!("a product that exists ({violations})")
            }
        };
        Err(term.wrong(wanted))
    }
}

crate::attribute_field!(WarpgroupMma);
