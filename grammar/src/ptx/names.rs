//! The names of a text: what is declared, and where each name stands.

use rustc_hash::{FxHashMap, FxHashSet};
use tilewright_diagnostics::Span;
use tilewright_irs::ptx::{Class, Label, Register, RegisterCounts, Space, Symbol};

/// What a declared name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A kernel.
    Entry,
    /// A function that is defined elsewhere.
    Function,
    /// A parameter of a kernel, of a function, or of a call.
    Parameter,
    /// A variable of a state space.
    Variable(Space),
    /// A place to branch to.
    Label,
    /// One register.
    Register(Class),
    /// So many registers, whose names begin with this one and end with a number.
    Registers(Class, u32),
}

/// A declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The bytes of the name.
    pub at: Span,
    /// The bytes of the whole declaration.
    pub whole: Span,
    /// What the name stands for.
    pub what: Named,
    /// The kernel or function that it belongs to, by its place among the declarations.
    pub within: Option<Declaration>,
}

/// A declaration, by its place in the list of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Declaration(usize);

/// A place where a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The bytes of the name.
    pub at: Span,
    /// What declares it.
    pub declaration: Declaration,
    /// The register, if it is one.
    pub register: Option<Register>,
}

/// The declarations of a text and the uses of their names, both in textual order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    declared: Vec<Declared>,
    uses: Vec<Use>,
}

impl Names {
    /// All declarations, each with its place.
    pub fn declared(&self) -> impl Iterator<Item = (Declaration, &Declared)> {
        (0..).map(Declaration).zip(&self.declared)
    }

    /// All uses.
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// A declaration.
    pub fn get(&self, declaration: Declaration) -> Option<&Declared> {
        self.declared.get(declaration.0)
    }

    pub(super) fn declare(&mut self, declared: Declared) -> Declaration {
        self.declared.push(declared);
        Declaration(self.declared.len() - 1)
    }

    pub(super) fn add_use(&mut self, at: Span, declaration: Declaration, register: Option<Register>) {
        self.uses.push(Use {
            at,
            declaration,
            register,
        });
    }
}

/// A block of registers declared as `%prefix<count>`.
#[derive(Clone, Copy, Debug)]
struct Block {
    class: Class,
    base: u32,
    count: u32,
    declaration: Declaration,
}

/// The names that an entry can use: its own, and those of the file.
#[derive(Debug, Default)]
pub(super) struct Scope {
    blocks: FxHashMap<String, Block>,
    singles: FxHashMap<String, (Register, Declaration)>,
    labels: FxHashMap<String, (Label, Declaration)>,
    symbols: FxHashMap<String, Declaration>,
    counts: RegisterCounts,
    /// What cannot be read of the declarations.
    lost: Lost,
    /// The undeclared names that have been reported; of registers, the part before the number.
    reported: FxHashSet<String>,
}

/// What is unknown of the names of an entry, as declarations have errors.
#[derive(Debug, Default)]
struct Lost {
    /// Names in unreadable statements; of registers, the part before the number.
    names: FxHashSet<String>,
    /// Whether the name of some registers is unreadable.
    registers: bool,
    /// Whether the name of a parameter or a variable is unreadable.
    symbols: bool,
}

/// A name without the number at its end, if it is that of a register.
fn prefix(name: &str) -> &str {
    match name.starts_with('%') {
        true => name.trim_end_matches(|c: char| c.is_ascii_digit()),
        false => name,
    }
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

impl Scope {
    /// Declares `count` registers of `class`; with `None`, one register of exactly this name.
    pub(super) fn declare_registers(
        &mut self,
        name: &str,
        class: Class,
        count: Option<u32>,
        declaration: Declaration,
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
                let block = Block {
                    class,
                    base,
                    count,
                    declaration,
                };
                self.blocks.insert(name.to_owned(), block);
            }
            None => {
                let register = Register { class, index: base };
                self.singles.insert(name.to_owned(), (register, declaration));
            }
        }
        Ok(())
    }

    /// Records a declaration of registers with an error, which has these names.
    pub(super) fn lose_registers<'s>(&mut self, names: impl Iterator<Item = &'s str>) {
        let known = self.lost.names.len();
        self.lose(names);
        self.lost.registers |= self.lost.names.len() == known;
    }

    /// Records a declaration of a parameter or of a variable with an error, which has these names.
    pub(super) fn lose_symbol<'s>(&mut self, names: impl Iterator<Item = &'s str>) {
        let known = self.lost.names.len();
        self.lose(names);
        self.lost.symbols |= self.lost.names.len() == known;
    }

    /// Records names in unreadable text, which may have been declared there.
    pub(super) fn lose<'s>(&mut self, names: impl Iterator<Item = &'s str>) {
        self.lost.names.extend(names.map(|name| prefix(name).to_owned()));
    }

    /// Whether an undeclared name is to be reported: it is the first of its kind, and no unreadable text can have declared it.
    pub(super) fn is_news(&mut self, name: &str) -> bool {
        let unknown = match name.starts_with('%') {
            true => self.lost.registers,
            false => self.lost.symbols,
        };
        let prefix = prefix(name);
        !unknown && !self.lost.names.contains(prefix) && self.reported.insert(prefix.to_owned())
    }

    /// The register of this name.
    pub(super) fn register(&self, name: &str) -> Option<(Register, Declaration)> {
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
            let register = Register {
                class: block.class,
                index: block.base + number,
            };
            Some((register, block.declaration))
        })
    }

    /// How many registers are declared with the prefix of a name, and where.
    pub(super) fn declared(&self, name: &str) -> Option<(u32, Declaration)> {
        let block = self.blocks.get(prefix(name))?;
        Some((block.count, block.declaration))
    }

    /// The numbers of declared registers.
    pub(super) fn counts(&self) -> RegisterCounts {
        self.counts
    }

    /// Declares the labels of a body. `$L_<n>` keeps its number; other names get the following numbers. Returns the
    /// indices in `names` that repeat an earlier one.
    pub(super) fn declare_labels(&mut self, names: &[(&str, Declaration)]) -> Vec<usize> {
        let number = |name: &str| {
            let digits = name.strip_prefix("$L_")?;
            let number: u32 = digits.parse().ok().filter(|number| *number < MOST_REGISTERS)?;
            (number.to_string() == digits).then_some(number)
        };
        let mut next = names
            .iter()
            .filter_map(|(name, _)| number(name))
            .max()
            .map_or(0, |last| last + 1);
        let mut repeated = Vec::new();
        for (at, &(name, declaration)) in names.iter().enumerate() {
            if self.labels.contains_key(name) {
                repeated.push(at);
                continue;
            }
            let label = Label(number(name).unwrap_or_else(|| {
                next = next.saturating_add(1);
                next - 1
            }));
            self.labels.insert(name.to_owned(), (label, declaration));
        }
        repeated
    }

    /// The label of this name.
    pub(super) fn label(&self, name: &str) -> Option<(Label, Declaration)> {
        self.labels.get(name).copied()
    }

    /// Declares a parameter or variable; false if the name is already defined.
    pub(super) fn declare_symbol(&mut self, name: &str, declaration: Declaration) -> bool {
        if self.symbols.contains_key(name) {
            return false;
        }
        self.symbols.insert(name.to_owned(), declaration);
        true
    }

    /// The parameter or variable of this name.
    pub(super) fn symbol(&self, name: &str) -> Option<(Symbol, Declaration)> {
        let declaration = *self.symbols.get(name)?;
        Some((Symbol::from(name), declaration))
    }
}
