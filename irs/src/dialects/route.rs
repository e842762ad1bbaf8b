//! Routes: how a tile travels between memory and a matrix product, decided before tiles have layouts.
//!
//! A route names the instruction and the place of what it moves or multiplies; layouts and buffers follow from it. An op
//! without a route goes through registers, with the instruction that its types allow.

use super::boxes::Boxes;
use crate::core::{Arg, Args, Term, TermCodec, TermError};

/// The way of a tile from global memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CopyRoute {
    /// By the tensor memory accelerator to shared memory, where products read it: `tma<box = [128, 64], swizzle =
    /// "128B">`.
    Tma(Boxes),
}

impl TermCodec for CopyRoute {
    fn write(&self) -> Term {
        let Self::Tma(boxes) = self;
        Term::call("tma", boxes.write())
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tma", args)) = term.as_call() else {
            return Err(term.wrong("`tma<box = […]>`"));
        };
        let mut args = Args::new(term, args);
        let boxes = Boxes::read(&mut args)?;
        args.finish()?;
        Ok(Self::Tma(boxes))
    }
}

crate::keywords! {
    /// The place of an operand of a product.
    pub enum OperandPlace {
        /// Registers.
        Registers = "registers",
        /// Shared memory, read through a matrix descriptor.
        Shared = "shared",
    }
}

/// The implementation of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductRoute {
    /// `wgmma` of 64 by `n`, with B in shared memory: `wgmma<n = 128, a = shared>`.
    Wgmma {
        /// Columns of one instruction.
        n: u32,
        /// The place of A.
        a: OperandPlace,
    },
}

impl TermCodec for ProductRoute {
    fn write(&self) -> Term {
        let Self::Wgmma { n, a } = self;
        let args = vec![Arg::named("n", Term::int(*n)), Arg::named("a", a.write())];
        Term::call("wgmma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("wgmma", args)) = term.as_call() else {
            return Err(term.wrong("`wgmma<n = …, a = …>`"));
        };
        let mut args = Args::new(term, args);
        let n = args.required("n")?.to_int("a number of columns")?;
        let a = OperandPlace::read(args.required("a")?)?;
        args.finish()?;
        Ok(Self::Wgmma { n, a })
    }
}
