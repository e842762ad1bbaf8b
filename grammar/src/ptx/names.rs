//! The names of one entry: registers, labels, parameters and variables.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_irs::ptx::{Class, Label, Register, RegisterCounts, Symbol};

/// A block of registers declared as `%prefix<count>`.
#[derive(Clone, Copy, Debug)]
struct Block {
    class: Class,
    base: u32,
    count: u32,
}

/// The symbols of an entry.
#[derive(Debug, Default)]
pub(super) struct Names {
    blocks: FxHashMap<String, Block>,
    singles: FxHashMap<String, Register>,
    labels: FxHashMap<String, Label>,
    symbols: FxHashSet<String>,
    counts: RegisterCounts,
}

/// The reason why a declaration is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The name is already defined.
    Taken,
    /// There are too many.
    TooMany,
}

/// Limit of registers of a class, far beyond that of ptxas.
const MOST_REGISTERS: u32 = 1 << 24;

impl Names {
    /// Declares `count` registers of `class`; with `None`, one register of exactly this name.
    pub(super) fn declare_registers(
        &mut self,
        name: &str,
        class: Class,
        count: Option<u32>,
    ) -> Result<(), Refused> {
        if self.blocks.contains_key(name) || self.singles.contains_key(name) {
            return Err(Refused::Taken);
        }
        let base = self.counts.of(class);
        let total = base
            .checked_add(count.unwrap_or(1))
            .filter(|total| *total <= MOST_REGISTERS);
        self.counts.set(class, total.ok_or(Refused::TooMany)?);
        match count {
            Some(count) => {
                self.blocks.insert(name.to_owned(), Block { class, base, count });
            }
            None => {
                self.singles
                    .insert(name.to_owned(), Register { class, index: base });
            }
        }
        Ok(())
    }

    /// The register of this name.
    pub(super) fn register(&self, name: &str) -> Option<Register> {
        if let Some(register) = self.singles.get(name) {
            return Some(*register);
        }
        // `%a1` may end the prefix or begin the number; the longest number with a matching declaration is used.
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (name.len() - digits..name.len()).find_map(|split| {
            let (prefix, number) = name.split_at_checked(split)?;
            if number.len() > 1 && number.starts_with('0') {
                return None;
            }
            let block = self.blocks.get(prefix)?;
            let number: u32 = number.parse().ok().filter(|number| *number < block.count)?;
            Some(Register {
                class: block.class,
                index: block.base + number,
            })
        })
    }

    /// The numbers of declared registers.
    pub(super) fn counts(&self) -> RegisterCounts {
        self.counts
    }

    /// Declares the labels of a body. `$L_<n>` keeps its number; other names get the following numbers. Returns the
    /// indices in `names` that repeat an earlier one.
    pub(super) fn declare_labels(&mut self, names: &[&str]) -> Vec<usize> {
        let number = |name: &str| {
            let digits = name.strip_prefix("$L_")?;
            let number: u32 = digits.parse().ok().filter(|number| *number < MOST_REGISTERS)?;
            (number.to_string() == digits).then_some(number)
        };
        let mut next = names
            .iter()
            .filter_map(|name| number(name))
            .max()
            .map_or(0, |last| last + 1);
        let mut repeated = Vec::new();
        for (at, name) in names.iter().enumerate() {
            if self.labels.contains_key(*name) {
                repeated.push(at);
                continue;
            }
            let label = Label(number(name).unwrap_or_else(|| {
                next = next.saturating_add(1);
                next - 1
            }));
            self.labels.insert((*name).to_owned(), label);
        }
        repeated
    }

    /// The label of this name.
    pub(super) fn label(&self, name: &str) -> Option<Label> {
        self.labels.get(name).copied()
    }

    /// Declares a parameter or variable; false if the name is already defined.
    pub(super) fn declare_symbol(&mut self, name: &str) -> bool {
        self.symbols.insert(name.to_owned())
    }

    /// The parameter or variable of this name.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.contains(name).then(|| Symbol::from(name))
    }
}
