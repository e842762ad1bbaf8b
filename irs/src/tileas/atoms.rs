//! Witnesses: how a memory op moves its data, how a layout changes, how many warps there are.

use crate::core::{Args, Term, TermCodec, TermError, TermKind};

crate::keywords! {
    /// The instruction family of a copy.
    pub enum CopyKind {
        /// Each thread loads its elements from global memory.
        LdGlobal = "ld_global",
        /// Each thread stores its elements to global memory.
        StGlobal = "st_global",
    }
}

/// How a memory op moves its data: `copy<ld_global, 128b>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopyAtom {
    /// The instruction family.
    pub kind: CopyKind,
    /// Bits that one instruction moves for one thread.
    pub bits: u32,
}

impl TermCodec for CopyAtom {
    fn write(&self) -> Term {
        Term::call(
            "copy",
            vec![
                self.kind.write().into(),
                Term::word(&format!("{}b", self.bits)).into(),
            ],
        )
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("copy", args)) = term.as_call() else {
            return Err(term.wrong("`copy<kind, width>`"));
        };
        let mut args = Args::new(term, args);
        let kind = CopyKind::read(args.next("an instruction family")?)?;
        let width = args.next("a width such as `128b`")?;
        args.finish()?;
        let bits = match &width.kind {
            TermKind::Word(word) => word.strip_suffix('b').and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        match bits.filter(|bits: &u32| bits.is_power_of_two() && (8..=128).contains(bits)) {
            Some(bits) => Ok(Self { kind, bits }),
            None => Err(width.wrong("a width: `8b`, `16b`, `32b`, `64b` or `128b`")),
        }
    }
}

crate::keywords! {
    /// How a layout conversion moves elements.
    pub enum Exchange {
        /// Each thread has what it needs, in other registers.
        Registers = "registers",
        /// Through shared memory.
        Shared = "shared",
    }
}

/// How many warps and blocks run a kernel together: `{num_warps = 4, num_ctas = 1}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelSpec {
    /// Warps in a block.
    pub num_warps: u32,
    /// Blocks in a cluster.
    pub num_ctas: u32,
}

impl TermCodec for KernelSpec {
    fn write(&self) -> Term {
        use crate::core::NamedTerm;
        TermKind::Dict(vec![
            NamedTerm::new("num_warps", Term::int(self.num_warps)),
            NamedTerm::new("num_ctas", Term::int(self.num_ctas)),
        ])
        .into()
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let TermKind::Dict(entries) = &term.kind else {
            return Err(term.wrong("`{num_warps = …, num_ctas = …}`"));
        };
        let (mut num_warps, mut num_ctas) = (None, None);
        for entry in entries {
            let slot = match entry.name.text.as_str() {
                "num_warps" => &mut num_warps,
                "num_ctas" => &mut num_ctas,
                _ => {
                    return Err(TermError {
                        mark: entry.name.mark,
                        expected: "`num_warps` or `num_ctas`".to_owned(),
                    });
                }
            };
            let value = entry
                .value
                .as_ref()
                .ok_or_else(|| term.wrong("a number for each entry"))?;
            let count: u32 = value.to_int("a power of two")?;
            if !count.is_power_of_two() || count > 32 {
                return Err(value.wrong("a power of two, at most 32"));
            }
            *slot = Some(count);
        }
        match (num_warps, num_ctas) {
            (Some(num_warps), Some(num_ctas)) => Ok(Self { num_warps, num_ctas }),
            _ => Err(term.wrong("both `num_warps` and `num_ctas`")),
        }
    }
}

crate::attribute_field!(CopyAtom, KernelSpec);
