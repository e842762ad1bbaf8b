//! Architecture ops of a thread, under the public names of `cute_nvgpu`, and the product of a warp.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::distributed;

use super::product_rules::mma_sync;
use crate::core::{Arg, Args, Family, Term, TermCodec, TermError, TermKind, Value};
use crate::dialects::arith::Signedness;
use crate::element::ScalarType;
use crate::machine::LANES;

crate::keywords! {
    /// Orientation of a matrix loaded from shared memory.
    pub enum MatrixOrder {
        /// As stored.
        Normal = "n",
        /// Transposed.
        Transposed = "t",
    }
}

/// A product of `m x k` by `k x n`, computed by a warp in registers. (PTX ISA, `mma`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaSync {
    /// `m`, `n` and `k`.
    pub shape: [u32; 3],
    /// The elements of A and of B.
    pub operands: [ScalarType; 2],
    /// The elements of C and D.
    pub accumulator: ScalarType,
    /// Signedness of the elements of A and of B, if they are integers; else signed.
    pub signedness: [Signedness; 2],
}

impl MmaSync {
    /// The product of this shape and these types, if the instruction exists.
    pub fn new(shape: [u32; 3], operands: [ScalarType; 2], accumulator: ScalarType) -> Option<Self> {
        let mma = Self {
            shape,
            operands,
            accumulator,
            signedness: [Signedness::Signed; 2],
        };
        mma.exists().then_some(mma)
    }

    /// The product with this signedness of its integers; a product of floats is returned unchanged.
    #[must_use]
    pub fn with_signedness(self, signedness: [Signedness; 2]) -> Self {
        match self.is_of_integers() {
            true => Self { signedness, ..self },
            false => self,
        }
    }

    /// Whether it multiplies integers.
    fn is_of_integers(&self) -> bool {
        self.operands.iter().all(|operand| operand.is_int())
    }

    /// The elements of A, of B, and of C and D per thread.
    pub fn elements(&self) -> [u32; 3] {
        let [m, n, k] = self.shape;
        [m * k / LANES, k * n / LANES, m * n / LANES]
    }

    /// Whether the instruction exists on some target and each element of A and B fills bytes.
    fn exists(&self) -> bool {
        let [a, b] = self.operands;
        let [m, n, k] = self.shape;
        let width = a.bytes().and_then(|bytes| ElementWidth::of_bits(8 * bytes));
        // The fragment of a product that the whole warp computes.
        width.is_some_and(|width| distributed::MmaSync::of(m, n, k, width).is_some())
            && mma_sync(self.shape, [a, b, self.accumulator], self.signedness).is_some()
    }
}

impl TermCodec for MmaSync {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        let [m, n, k] = self.shape;
        let [a, b] = self.operands;
        let types = [a, b, self.accumulator];
        let types = TermKind::Tuple(types.map(|ty| ty.write()).to_vec());
        let shape = TermKind::Dims(
            vec![Some(u64::from(m)), Some(u64::from(n))],
            Box::new(Term::int(k)),
        );
        let mut args = vec![Term::from(shape).into(), Arg::named("elem_type", types.into())];
        if self.is_of_integers() {
            let signs = TermKind::Tuple(self.signedness.map(|sign| sign.write()).to_vec());
            args.push(Arg::named("signedness", signs.into()));
        }
        Term::call("cute_nvgpu.sm80.mma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("cute_nvgpu.sm80.mma", list)) = term.as_call() else {
            return Err(term.wrong("an atom of `cute_nvgpu`"));
        };
        let mut args = Args::new(term, list);
        let shape_term = args.next("a shape such as `16x8x16`")?;
        let extent = |extent: &Option<u64>| extent.and_then(|n| u32::try_from(n).ok());
        let shape = match &shape_term.kind {
            TermKind::Dims(outer, k) => match outer.as_slice() {
                [m, n] => extent(m)
                    .zip(extent(n))
                    .and_then(|(m, n)| Some([m, n, k.to_int("an extent").ok()?])),
                _ => None,
            },
            _ => None,
        };
        let shape = shape.ok_or_else(|| shape_term.wrong("a shape such as `16x8x16`"))?;
        let types_term = args.required("elem_type")?;
        let types = match &types_term.kind {
            TermKind::Tuple(types) => types
                .iter()
                .map(ScalarType::read)
                .collect::<Result<Vec<_>, _>>()?,
            _ => Vec::new(),
        };
        let [a, b, accumulator] = *types.as_slice() else {
            return Err(types_term.wrong("the types of A, B and C"));
        };
        let signedness = if a.is_int() {
            let signs_term = args.required("signedness")?;
            match &signs_term.kind {
                TermKind::Tuple(signs) if signs.len() == 2 => {
                    let signs = signs.iter().map(Signedness::read);
                    signs.collect::<Result<Vec<_>, _>>()?
                }
                _ => return Err(signs_term.wrong("the signedness of A and of B")),
            }
        } else {
            Vec::new()
        };
        args.finish()?;
        let signedness = <[Signedness; 2]>::try_from(signedness).unwrap_or([Signedness::Signed; 2]);
        match Self::new(shape, [a, b], accumulator) {
            Some(mma) => Ok(mma.with_signedness(signedness)),
            None => Err(term.wrong("a shape and types that `mma.sync` has")),
        }
    }
}

crate::attribute_field!(MmaSync);

crate::dialect! {
    /// Architecture ops of a thread.
    pub enum CuteNvgpuOp: "cute_nvgpu" {
        /// The beginning of the block's dynamic shared memory.
        GetDynSmem "arch.get_dyn_smem" {} -> 1, Pure, Free;
        /// Asserts that a value is uniform over the warp: the value of lane 0.
        MakeWarpUniform "arch.make_warp_uniform" { source: Value } -> 1, Pure, Same [convergent];
    }
}
