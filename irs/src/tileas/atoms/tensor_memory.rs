//! `tcgen05_ld`, `tcgen05_st`, `tcgen05_cp`: copies from and to tensor memory.

use tilewright_layouts::distributed::tcgen05::{Repeat, TmemAccess, TmemShape, TmemValues};
use tilewright_layouts::{Dim, LinearLayout};

use super::{Allowed, Completion, CopyUse, Copying, Place, Refusal, needs_tensor_memory};
use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::machine::{Cost, Cycles, LANES, Machine, Rates};
use crate::tileas::buffer::{Buffer, Space};

macro_rules! access_atom {
    ($(#[$doc:meta])* $name:ident, $word:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            /// Shape, repeat count and width of the values that an instruction moves.
            pub access: TmemAccess,
        }

        impl TermCodec for $name {
            fn write(&self) -> Term {
                write_access($word, self.access)
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                let Some(($word, args)) = term.as_call() else {
                    return Err(term.wrong(concat!("`", $word, "<shape, repeat>`")));
                };
                read_access(term, args).map(|access| Self { access })
            }
        }
    };
}

access_atom! {
    /// A warp group loads its lanes of tensor memory: `tcgen05_ld<s32x32b, x32>`. (PTX ISA, `tcgen05.ld`.)
    TensorLd, "tcgen05_ld"
}
access_atom! {
    /// A warp group stores to its lanes of tensor memory: `tcgen05_st<s16x256b, x8, pairs>`. (PTX ISA, `tcgen05.st`.)
    TensorSt, "tcgen05_st"
}

fn write_access(atom: &str, access: TmemAccess) -> Term {
    let (shape, repeat, split) = match access.shape {
        TmemShape::Lanes32x32b(repeat) => ("s32x32b", repeat.get(), None),
        TmemShape::Lanes16x64b(repeat) => ("s16x64b", repeat.get(), None),
        TmemShape::Lanes16x128b(repeat) => ("s16x128b", repeat.get(), None),
        TmemShape::Lanes16x256b(repeat) => ("s16x256b", repeat.get(), None),
        TmemShape::Lanes16x32bx2 { repeat, split } => ("s16x32bx2", repeat.get(), Some(split)),
    };
    let mut args: Vec<Arg> = vec![Term::word(shape).into(), Term::word(&format!("x{repeat}")).into()];
    match access.values {
        TmemValues::Whole => {}
        TmemValues::Pairs16 => args.push(Term::word("pairs").into()),
    }
    args.extend(split.map(|split| Arg::named("split", Term::int(split))));
    Term::call(atom, args)
}

fn read_access(term: &Term, args: &[Arg]) -> Result<TmemAccess, TermError> {
    let mut args = Args::new(term, args);
    let shape = args.next("a shape such as `s32x32b`")?;
    let repeat_term = args.next("a repeat count such as `x32`")?;
    let repeat = match &repeat_term.kind {
        TermKind::Word(word) => word
            .strip_prefix('x')
            .and_then(|digits| digits.parse::<u32>().ok()),
        _ => None,
    };
    let wrong = || repeat_term.wrong("a repeat count that the shape has: a power of two up to `x128`");
    let repeat = repeat.ok_or_else(wrong)?;
    let values = match args.next_if_any() {
        None => TmemValues::Whole,
        Some(word) if word.kind == TermKind::Word("pairs".to_owned()) => TmemValues::Pairs16,
        Some(word) => return Err(word.wrong("`pairs`")),
    };
    let word = match &shape.kind {
        TermKind::Word(word) => word.as_str(),
        _ => "",
    };
    let shape = match word {
        "s32x32b" => TmemShape::Lanes32x32b(Repeat::of(repeat).ok_or_else(wrong)?),
        "s16x64b" => TmemShape::Lanes16x64b(Repeat::of(repeat).ok_or_else(wrong)?),
        "s16x128b" => TmemShape::Lanes16x128b(Repeat::of(repeat).ok_or_else(wrong)?),
        "s16x256b" => TmemShape::Lanes16x256b(Repeat::of(repeat).ok_or_else(wrong)?),
        "s16x32bx2" => TmemShape::Lanes16x32bx2 {
            repeat: Repeat::of(repeat).ok_or_else(wrong)?,
            split: args.required("split")?.to_int("the columns between the halves")?,
        },
        _ => return Err(shape.wrong("`s32x32b`, `s16x64b`, `s16x128b`, `s16x256b` or `s16x32bx2`")),
    };
    args.finish()?;
    Ok(TmemAccess { shape, values })
}

/// Checks that the registers have the layout of the accesses of all warp groups.
fn check(
    atom: &str,
    access: TmemAccess,
    copy: &CopyUse<'_>,
    layout: Option<&LinearLayout>,
    buffer: &Buffer,
) -> Allowed {
    needs_tensor_memory(atom, copy.target)?;
    let (Some(layout), Some(memory)) = (layout, buffer.linear()) else {
        return Err(Refusal::layout(format!(
            "`{atom}` moves tiles with linear layouts"
        )));
    };
    if !copy.warps.is_multiple_of(4) {
        let message = format!("`{atom}` is done by groups of 4 warps, not by {}", copy.warps);
        return Err(Refusal::layout(message));
    }
    let wanted = access
        .of_tile(memory, copy.warps / 4)
        .map_err(|error| Refusal::layout(format!("`{atom}` does not move this buffer: {error}")))?;
    if *layout == wanted {
        return Ok(());
    }
    let message = format!("`{atom}` moves this buffer from or to `{wanted}`, the tile has `{layout}`");
    Err(Refusal::layout(message))
}

/// The cost for one warp, on the assumption (not measured) that tensor memory moves a register of all lanes as fast as
/// shared memory does.
fn cost(access: TmemAccess, registers: Place<'_>, latency: Cycles) -> Cost {
    let Some(layout) = registers.registers().and_then(|(_, layout)| layout) else {
        return Cost::NEVER;
    };
    let held = layout.in_size(Dim::Register);
    Cost {
        busy: Cycles::of(u64::from(held) * u64::from(4 * LANES), Rates::SHARED_BYTES),
        instructions: u64::from(held.div_ceil(access.shape.registers().max(1))),
        latency,
    }
}

impl Copying for TensorLd {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        match (copy.from.buffer_in(Space::Tensor), copy.to.registers()) {
            (Some(buffer), Some((_, layout))) => check("tcgen05_ld", self.access, copy, layout, buffer),
            _ => Err(copy.wrong_way("tcgen05_ld", "from tensor memory to registers")),
        }
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        let latency = Machine::of(copy.target).costs.load_shared(128).latency;
        cost(self.access, copy.to, latency)
    }

    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }
}

impl Copying for TensorSt {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        match (copy.to.buffer_in(Space::Tensor), copy.from.registers()) {
            (Some(buffer), Some((_, layout))) => check("tcgen05_st", self.access, copy, layout, buffer),
            _ => Err(copy.wrong_way("tcgen05_st", "from registers to tensor memory")),
        }
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        cost(self.access, copy.from, Cycles(0))
    }

    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }
}

crate::keywords! {
    /// The shape of a copy from shared to tensor memory. (PTX ISA, `tcgen05.cp`, `.shape`.)
    pub enum TensorCopyShape {
        /// 128 lanes of 256 bits.
        S128x256b = "s128x256b",
        /// 4 lanes of 256 bits.
        S4x256b = "s4x256b",
        /// 128 lanes of 128 bits.
        S128x128b = "s128x128b",
        /// 64 lanes of 128 bits, to two pairs of warps.
        S64x128b = "s64x128b",
        /// 32 lanes of 128 bits, to all four warps.
        S32x128b = "s32x128b",
    }
}

/// A copy from shared to tensor memory: `tcgen05_cp<s128x256b>`. (PTX ISA, `tcgen05.cp`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorCp {
    /// The shape of one instruction.
    pub shape: TensorCopyShape,
}

impl TermCodec for TensorCp {
    fn write(&self) -> Term {
        Term::call("tcgen05_cp", vec![self.shape.write().into()])
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tcgen05_cp", args)) = term.as_call() else {
            return Err(term.wrong("`tcgen05_cp<shape>`"));
        };
        let mut args = Args::new(term, args);
        let shape = TensorCopyShape::read(args.next("a shape such as `s128x256b`")?)?;
        args.finish()?;
        Ok(Self { shape })
    }
}

impl TensorCopyShape {
    /// The number of bytes that one instruction copies.
    const fn bytes(self) -> u32 {
        match self {
            Self::S128x256b => 128 * 32,
            Self::S4x256b => 4 * 32,
            Self::S128x128b => 128 * 16,
            Self::S64x128b => 64 * 16,
            Self::S32x128b => 32 * 16,
        }
    }
}

impl Copying for TensorCp {
    /// The cost of copying a whole tile, on the assumption (not measured) that it moves at the rate of shared memory.
    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        let Some(buffer) = copy.from.buffer_in(Space::Shared) else {
            return Cost::NEVER;
        };
        let elements: u64 = buffer.shape.iter().map(|&extent| u64::from(extent)).product();
        let bytes = elements
            .saturating_mul(u64::from(buffer.element_bits()))
            .div_ceil(8);
        Cost {
            busy: Cycles::of(bytes, Rates::SHARED_BYTES),
            instructions: bytes.div_ceil(u64::from(self.shape.bytes())),
            latency: Machine::of(copy.target).costs.load_shared(128).latency,
        }
    }

    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        needs_tensor_memory("tcgen05_cp", copy.target)?;
        let ends = (
            copy.from.buffer_in(Space::Shared),
            copy.to.buffer_in(Space::Tensor),
        );
        let (Some(from), Some(to)) = ends else {
            return Err(copy.wrong_way("tcgen05_cp", "from shared to tensor memory"));
        };
        if from.shape != to.shape || from.element != to.element {
            let message = format!(
                "`tcgen05_cp` copies a tile as it is, not {:?} of `{}` to {:?} of `{}`",
                from.shape, from.element, to.shape, to.element
            );
            return Err(Refusal::layout(message));
        }
        Ok(())
    }
    fn completion(&self) -> Completion {
        Completion::Asynchronous
    }
}
