//! The number of warps of a block and of blocks of a cluster.

use crate::core::{NamedTerm, Term, TermCodec, TermError, TermKind, nearest};
use crate::isa::limits::MOST_CLUSTER;
use crate::machine::Multiprocessor;

/// The number of warps and blocks of a kernel: `{num_warps = 4, num_ctas = 1}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelSpec {
    /// Warps per block.
    pub num_warps: u32,
    /// Blocks per cluster.
    pub num_ctas: u32,
}

impl TermCodec for KernelSpec {
    fn write(&self) -> Term {
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
            let (slot, most) = match entry.name.text.as_str() {
                "num_warps" => (&mut num_warps, Multiprocessor::BLOCK_WARPS),
                "num_ctas" => (&mut num_ctas, MOST_CLUSTER),
                _ => {
                    return Err(TermError {
                        mark: entry.name.mark,
                        expected: "`num_warps` or `num_ctas`".to_owned(),
                        meant: nearest(&entry.name.text, ["num_warps", "num_ctas"].into_iter()),
                    });
                }
            };
            let value = entry
                .value
                .as_ref()
                .ok_or_else(|| term.wrong("a number for each entry"))?;
            let count: u32 = value.to_int("a number")?;
            if !(1..=most).contains(&count) {
                return Err(value.wrong(format!("a number from 1 to {most}")));
            }
            *slot = Some(count);
        }
        match (num_warps, num_ctas) {
            (Some(num_warps), Some(num_ctas)) => Ok(Self { num_warps, num_ctas }),
            _ => Err(term.wrong("both `num_warps` and `num_ctas`")),
        }
    }
}

crate::attribute_field!(KernelSpec);
