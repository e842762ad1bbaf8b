//! How a kernel divides a multiprocessor: warps, blocks of a cluster, resident blocks.

use crate::core::{Carrier, Family, Key, NamedTerm, Term, TermCodec, TermError, TermKind, nearest};
use crate::isa::limits::MOST_CLUSTER;
use crate::machine::Multiprocessor;

/// How a kernel divides a multiprocessor: `{num_warps = 4, num_ctas = 1, occupancy = 2}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelSpec {
    /// Warps per block.
    pub num_warps: u32,
    /// Blocks per cluster.
    pub num_ctas: u32,
    /// The number of blocks to fit on one multiprocessor, if that limits the registers of threads.
    pub occupancy: Option<u32>,
}

/// The names of the entries.
const NAMES: [&str; 3] = ["num_warps", "num_ctas", "occupancy"];

const fn part(name: &'static str, family: Family) -> Key {
    Key {
        name,
        family,
        carrier: Carrier::Function,
    }
}

impl KernelSpec {
    /// The number of blocks for which the registers of a multiprocessor are to suffice.
    pub fn blocks(&self) -> u32 {
        self.occupancy.unwrap_or(1).max(1)
    }
}

impl TermCodec for KernelSpec {
    const FAMILY: Family = Family::KernelSpec;
    const KEYS: &'static [Key] = &[
        part("kernel_spec.num_warps", Family::KernelSpec),
        part("kernel_spec.num_ctas", Family::KernelSpec),
        part("kernel_spec.occupancy", Family::LaunchShape),
    ];

    fn write(&self) -> Term {
        let values = [Some(self.num_warps), Some(self.num_ctas), self.occupancy];
        let entries = NAMES.into_iter().zip(values);
        let entries = entries.filter_map(|(name, value)| Some(NamedTerm::new(name, Term::int(value?))));
        TermKind::Dict(entries.collect()).into()
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let TermKind::Dict(entries) = &term.kind else {
            return Err(term.wrong("`{num_warps = …, num_ctas = …}`"));
        };
        let (mut num_warps, mut num_ctas, mut occupancy) = (None, None, None);
        for entry in entries {
            let (slot, most) = match entry.name.text.as_str() {
                "num_warps" => (&mut num_warps, Multiprocessor::BLOCK_WARPS),
                "num_ctas" => (&mut num_ctas, MOST_CLUSTER),
                "occupancy" => (&mut occupancy, Multiprocessor::MOST_BLOCKS),
                _ => {
                    return Err(TermError {
                        mark: entry.name.mark,
                        expected: "`num_warps`, `num_ctas` or `occupancy`".to_owned(),
                        meant: nearest(&entry.name.text, NAMES.into_iter()),
                    });
                }
            };
            let value = entry
                .value
                .as_ref()
                .ok_or_else(|| term.wrong("a number for each entry"))?;
            let wanted = format!("a number from 1 to {most}");
            let count: u32 = value.to_int(&wanted)?;
            if !(1..=most).contains(&count) {
                return Err(value.wrong(wanted));
            }
            *slot = Some(count);
        }
        match (num_warps, num_ctas) {
            (Some(num_warps), Some(num_ctas)) => Ok(Self {
                num_warps,
                num_ctas,
                occupancy,
            }),
            _ => Err(term.wrong("both `num_warps` and `num_ctas`")),
        }
    }
}

crate::attribute_field!(KernelSpec);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::term_text;

    fn spec(entries: &[(&str, u32)]) -> Result<KernelSpec, String> {
        let entries = entries
            .iter()
            .map(|&(name, value)| NamedTerm::new(name, Term::int(value)));
        KernelSpec::read(&TermKind::Dict(entries.collect()).into()).map_err(|error| error.expected)
    }

    #[test]
    fn occupancy_may_be_left_out() {
        let whole = [("num_warps", 4), ("num_ctas", 2), ("occupancy", 3)];
        let read = spec(&whole).expect("a spec");
        assert_eq!((read.num_warps, read.num_ctas, read.blocks()), (4, 2, 3));
        assert_eq!(
            term_text(&read.write()),
            "{num_warps = 4, num_ctas = 2, occupancy = 3}"
        );
        let read = spec(&whole[..2]).expect("a spec");
        assert_eq!((read.occupancy, read.blocks()), (None, 1));
        assert_eq!(term_text(&read.write()), "{num_warps = 4, num_ctas = 2}");
        assert_eq!(
            spec(&whole[1..]),
            Err("both `num_warps` and `num_ctas`".to_owned())
        );
    }

    #[test]
    fn numbers_that_no_multiprocessor_has_are_refused() {
        for (name, value, most) in [
            ("num_warps", 33, 32),
            ("num_ctas", 17, 16),
            ("occupancy", 0, 32),
            ("occupancy", 33, 32),
        ] {
            let others = [("num_warps", 4), ("num_ctas", 1)]
                .into_iter()
                .filter(|(other, _)| *other != name);
            let entries: Vec<_> = others.chain([(name, value)]).collect();
            assert_eq!(
                spec(&entries),
                Err(format!("a number from 1 to {most}")),
                "{name}"
            );
        }
    }
}
