//! Routes: how a tile travels between memory and a matrix product, decided before tiles have layouts.
//!
//! A route names the instruction and the place of what it moves or multiplies; layouts and buffers follow from it. Where there
//! is none, the compiler chooses.

use super::boxes::Boxes;
use crate::core::{Arg, Args, Family, Term, TermCodec, TermError};

/// The word of copies by the tensor memory accelerator.
const TMA: &str = "tma";

/// The way of a tile from global memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CopyRoute {
    /// Each thread that computes copies a part of it.
    Threads(ThreadRoute),
    /// By the tensor memory accelerator to shared memory, where products read it: `tma<box = [128, 64], swizzle =
    /// "128B">`.
    Tma(Boxes),
}

/// The way of a tile to global memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StoreRoute {
    /// From registers: `direct`.
    Direct,
    /// Through shared memory, by the tensor memory accelerator: `tma<box = [128, 64], swizzle = "128B">`.
    Tma(Boxes),
}

impl StoreRoute {
    /// The word of the asynchronous copy that does it, if one does.
    pub fn asynchronous(&self) -> Option<&'static str> {
        self.boxes().map(|_| TMA)
    }

    /// The boxes of a copy by the tensor memory accelerator.
    pub fn boxes(&self) -> Option<&Boxes> {
        match self {
            Self::Direct => None,
            Self::Tma(boxes) => Some(boxes),
        }
    }
}

impl TermCodec for StoreRoute {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        match self {
            Self::Direct => Term::word("direct"),
            Self::Tma(boxes) => Term::call(TMA, boxes.write()),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let (is_direct, args) = match term.as_call() {
            Some(("direct", args)) => (true, args),
            Some(("tma", args)) => (false, args),
            _ => return Err(term.wrong("`direct` or `tma<box = […]>`")),
        };
        let mut args = Args::new(term, args);
        let route = match is_direct {
            true => Self::Direct,
            false => Self::Tma(Boxes::read(&mut args)?),
        };
        args.finish()?;
        Ok(route)
    }
}

/// The way of a tile that the threads that compute copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadRoute {
    /// To registers, and from there to the threads that need it: `direct`.
    Direct,
    /// To registers and from there to shared memory, where the threads that need it read it: `staged`.
    Staged,
    /// By `cp.async` to shared memory, where the threads that need it read it: `cp_async<16>`.
    CpAsync {
        /// The most bytes of a copy: 4, 8 or 16.
        bytes: u32,
    },
}

impl TermCodec for ThreadRoute {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        match self {
            Self::Direct => Term::word("direct"),
            Self::Staged => Term::word("staged"),
            Self::CpAsync { bytes } => Term::call("cp_async", vec![Term::int(*bytes).into()]),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let (route, args) = match term.as_call() {
            Some(("direct", args)) => (Self::Direct, args),
            Some(("staged", args)) => (Self::Staged, args),
            Some(("cp_async", [Arg { name: None, value }])) => {
                let bytes = value.to_int("a number of bytes")?;
                if ![4, 8, 16].contains(&bytes) {
                    return Err(value.wrong("4, 8 or 16 bytes"));
                }
                return Ok(Self::CpAsync { bytes });
            }
            _ => return Err(term.wrong("`direct`, `staged` or `cp_async<16>`")),
        };
        Args::new(term, args).finish()?;
        Ok(route)
    }
}

impl ThreadRoute {
    /// The word of the asynchronous copy that does it, if one does.
    pub const fn asynchronous(self) -> Option<&'static str> {
        match self {
            Self::Direct | Self::Staged => None,
            Self::CpAsync { .. } => Some("cp_async"),
        }
    }
}

impl CopyRoute {
    /// The word of the asynchronous copy that does it, if one does.
    pub fn asynchronous(&self) -> Option<&'static str> {
        match self {
            Self::Threads(route) => route.asynchronous(),
            Self::Tma(_) => Some(TMA),
        }
    }

    /// The boxes of a copy by the tensor memory accelerator.
    pub fn boxes(&self) -> Option<&Boxes> {
        match self {
            Self::Threads(_) => None,
            Self::Tma(boxes) => Some(boxes),
        }
    }
}

impl TermCodec for CopyRoute {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        match self {
            Self::Threads(route) => route.write(),
            Self::Tma(boxes) => Term::call(TMA, boxes.write()),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let args = match term.as_call() {
            Some(("tma", args)) => args,
            Some(("direct" | "staged" | "cp_async", _)) => {
                return Ok(Self::Threads(ThreadRoute::read(term)?));
            }
            _ => return Err(term.wrong("`direct`, `staged`, `cp_async<16>` or `tma<box = […]>`")),
        };
        let mut args = Args::new(term, args);
        let boxes = Boxes::read(&mut args)?;
        args.finish()?;
        Ok(Self::Tma(boxes))
    }
}

crate::keywords! {
    /// A route that all accesses take that can, whatever would be chosen for them.
    pub enum ForcedRoute {
        /// Copies by the tensor memory accelerator.
        Tma = "tma",
        /// Loads by `cp.async`.
        CpAsync = "cp_async",
        /// Loads through registers to shared memory.
        Staged = "staged",
        /// Loads to registers and stores from there.
        Direct = "direct",
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
    /// `wgmma` of 64 by `n`, which reads B from shared memory: `wgmma<n = 128, a = shared>`. With `wgmma<n = 128, a = shared, b =
    /// registers>` threads have B in registers, and store it there; with `wgmma<n = 128, a = shared, b = registers, turned>`
    /// they multiply the transposed matrices, of which the left one is then in registers.
    Wgmma {
        /// Columns of one instruction.
        n: u32,
        /// The place of A.
        a: OperandPlace,
        /// The place that B comes from.
        b: OperandPlace,
        /// Whether the product is that of the transposed matrices.
        turned: bool,
    },
}

impl TermCodec for ProductRoute {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        let Self::Wgmma { n, a, b, turned } = self;
        let mut args = vec![Arg::named("n", Term::int(*n)), Arg::named("a", a.write())];
        if *b != OperandPlace::Shared {
            args.push(Arg::named("b", b.write()));
        }
        args.extend(turned.then(|| Arg::from(Term::word("turned"))));
        Term::call("wgmma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("wgmma", args)) = term.as_call() else {
            return Err(term.wrong("`wgmma<n = …, a = …>`"));
        };
        let mut args = Args::new(term, args);
        let n = args.required("n")?.to_int("a number of columns")?;
        let a = OperandPlace::read(args.required("a")?)?;
        let b = args.named("b").map(OperandPlace::read).transpose()?;
        let turned = args.has("turned")?;
        args.finish()?;
        let b = b.unwrap_or(OperandPlace::Shared);
        Ok(Self::Wgmma { n, a, b, turned })
    }
}
