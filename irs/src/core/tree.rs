//! The syntax tree of all internal languages.
//!
//! It contains names and terms, no handles. Each node carries a [`Mark`], whose meaning is defined by the producer of
//! the tree (the grammar maps it to a span).

use super::term::{Mark, Name, NamedTerm, Term};

/// One operand of an op as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OperandTree {
    /// `%a`
    Value(Name),
    /// `[%a, %b]`
    List(Vec<Name>, Mark),
    /// `mask %a`: an optional operand.
    Named(Name, Name),
    /// `^target(%a, %b)`
    Successor(Name, Vec<Name>),
}

/// An op: `%r = dialect.op operands {attrs} : types label { region }`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpTree {
    /// The names of the results.
    pub results: Vec<Name>,
    /// The mnemonic.
    pub name: Name,
    /// The operands.
    pub operands: Vec<OperandTree>,
    /// The attributes.
    pub attrs: Vec<NamedTerm>,
    /// The types of the results.
    pub types: Vec<Term>,
    /// The regions with their labels.
    pub regions: Vec<(Name, RegionTree)>,
}

impl OpTree {
    /// An op with only a name.
    pub fn new(name: &str) -> Self {
        Self {
            results: Vec::new(),
            name: Name::new(name),
            operands: Vec::new(),
            attrs: Vec::new(),
            types: Vec::new(),
            regions: Vec::new(),
        }
    }
}

/// A block: `^name(%a: type): ops`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockTree {
    /// The block's name; the entry of a region without arguments may have none.
    pub name: Option<Name>,
    /// The arguments with their types.
    pub args: Vec<(Name, Term)>,
    /// The ops.
    pub ops: Vec<OpTree>,
}

/// A region.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegionTree {
    /// The blocks.
    pub blocks: Vec<BlockTree>,
    /// The region's closing brace.
    pub end: Mark,
}

/// A function: `language.func @name(%a: type) {attrs} { ops }`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FuncTree {
    /// `language.func`.
    pub keyword: Name,
    /// The symbol.
    pub name: Name,
    /// The parameters.
    pub params: Vec<(Name, Term)>,
    /// The attributes.
    pub attrs: Vec<NamedTerm>,
    /// The body. The entry block's arguments are the parameters, so it has none of its own.
    pub body: RegionTree,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModuleTree {
    /// The functions. The parser has replaced aliases (`#a = term`).
    pub funcs: Vec<FuncTree>,
}
