//! The parts that all languages share: the SSA container, declarations, the syntax tree of the regular syntax,
//! printing, parsing, verification and translation.
//!
//! A language is a type that implements [`Language`]; its ops come from [`dialect!`](crate::dialect) and
//! [`language_ops!`](crate::language_ops), fields that many ops have together from [`field_group!`](crate::field_group), its
//! function attributes from [`attributes!`](crate::attributes).
//! Those declarations generate the Rust variants, printing, parsing, walking, arity and type checks, and the tables
//! in the documentation.

mod attribute;
mod body;
mod build;
mod carriers;
mod declare;
mod effects;
pub mod element;
mod entity;
mod family;
mod field;
mod foreign;
mod interrupt;
mod language;
mod parallel;
mod part;
mod print;
mod problems;
mod properties;
mod read;
mod reader;
mod reword;
mod rules;
mod spelling;
mod term;
mod text;
mod translate;
mod tree;
mod verify;
mod whole;

pub use attribute::{AttributeSpec, Declared, Found, attributes_in, attributes_of, is_named};
pub use body::{BlockData, Body, Func, Module, OpData, RegionData};
pub use build::Builder;
pub use carriers::Carriers;
pub use effects::{Effects, Exit, Flow, Resource, Resources, Undefined};
pub use entity::{Arena, Block, Entity, OpId, Origin, Region, SideTable, Successor, Value};
pub use family::{Carrier, Family, Key};
pub use field::{AttributeField, Field, FieldEffects, Flag, field_count, field_name, flat_fields};
pub use foreign::instead_of;
pub use interrupt::{Interrupted, Watch};
pub use language::{
    Attributes, Few, FieldSpec, FieldWriter, Language, OpSpec, Operation, Owned, Remap, ResultCount, Tag,
    ValueType, joined_specs,
};
pub use parallel::in_pieces;
pub use part::Part;
pub use print::{attribute, func_text, func_tree, print_func, print_module};
pub(crate) use problems::alternatives;
pub use problems::{Problem, Problems};
pub use properties::{Commutes, Cost, Properties, TypeRule};
pub use read::{NameUse, ReadFunc, Unread, read_func};
pub use reader::Reader;
pub use reword::{own_attributes, reworded};
pub use spelling::{MAX_SUGGESTED, nearest, nearest_op, nearest_value};
pub use term::{Arg, Args, Keyword, Mark, Name, NamedTerm, Term, TermCodec, TermError, TermKind};
pub use text::{FuncText, is_plain_word, join_texts, term_text};
pub use translate::{Translate, Translated, Translation, translate_func};
pub use tree::{BlockTree, FuncTree, ModuleTree, OpTree, OperandTree, RegionTree};
pub use verify::{Dominators, reverse_postorder, verify, verify_parts, verify_structure};
pub use whole::WholeEffects;
