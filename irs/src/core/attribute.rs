//! Attributes as data: what each language declares, and what a function has.

use super::body::Func;
use super::entity::Origin;
use super::family::{Carrier, Family, Key};
use super::language::{Attributes, FieldSpec, Language, OpSpec, Operation, Owned, Tag, ValueType};
use super::print::func_tree;
use super::term::{NamedTerm, Term, TermKind};
use super::tree::{OpTree, RegionTree};

/// An attribute of a language.
#[derive(Clone, Copy, Debug)]
pub struct AttributeSpec {
    /// Where it stands.
    pub carrier: Carrier,
    /// The op, the type or the part of a module that has it; empty for one of functions or tags.
    pub op: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// The field that it is, or whose entry it is.
    pub field: &'static FieldSpec,
    /// The position among the attributes of the op or function.
    pub slot: usize,
}

impl AttributeSpec {
    /// The name of the entry that it is, if its field is a dictionary.
    pub fn entry(&self) -> Option<&'static str> {
        let key = self.field.keys.iter().find(|key| key.name == self.name);
        key.map(Key::entry)
    }

    /// Whether it is a part of a record: an entry of the field itself, not of dictionaries in it.
    pub fn is_part(&self) -> bool {
        let part = self.name.strip_prefix(self.field.name);
        part.is_some_and(|part| part.starts_with('.'))
    }

    /// Whether it has this name, or is a part of the record that has.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.is_part() && self.field.name == name
    }
}

/// What a language declares of attributes.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The attributes of functions.
    pub function: &'static [FieldSpec],
    /// The parts of the tag.
    pub tag: &'static [FieldSpec],
    /// The ops, by dialects.
    pub ops: &'static [&'static [OpSpec]],
    /// The parameters of types.
    pub types: &'static [Owned],
    /// The attributes of modules.
    pub module: &'static [Owned],
}

impl Declared {
    /// The declarations of a language.
    pub const fn of<L: Language>() -> Self {
        Self {
            function: L::FuncAttrs::SPECS,
            tag: L::Tag::SPECS,
            ops: L::Op::SPECS,
            types: L::Type::PARAMETERS,
            module: L::MODULE,
        }
    }

    /// Whether there is an attribute of this name: see [`is_named`].
    pub const fn has(&self, carrier: Carrier, name: &str) -> bool {
        match carrier {
            Carrier::Function => among(self.function, (carrier, ""), name),
            Carrier::Tag => among(self.tag, (carrier, ""), name),
            Carrier::Type => owned_has(self.types, carrier, name),
            Carrier::Module => owned_has(self.module, carrier, name),
            Carrier::Op => {
                let mut dialect = 0;
                while dialect < self.ops.len() {
                    let mut at = 0;
                    while at < self.ops[dialect].len() {
                        let op = &self.ops[dialect][at];
                        if among(op.fields, (carrier, op.name), name) {
                            return true;
                        }
                        at += 1;
                    }
                    dialect += 1;
                }
                false
            }
        }
    }

    /// Every attribute, in the order of the declarations.
    pub fn attributes(&self) -> Vec<AttributeSpec> {
        let mut all = Vec::new();
        add(&mut all, Carrier::Function, "", self.function);
        add(&mut all, Carrier::Tag, "", self.tag);
        for op in self.ops.iter().copied().flatten() {
            add(&mut all, Carrier::Op, op.name, op.fields);
        }
        for (carrier, list) in [(Carrier::Type, self.types), (Carrier::Module, self.module)] {
            list.iter()
                .for_each(|owned| add(&mut all, carrier, owned.owner, owned.fields));
        }
        all
    }
}

/// Whether a type, or a part of a module, has an attribute of this name.
const fn owned_has(list: &[Owned], carrier: Carrier, name: &str) -> bool {
    let mut at = 0;
    while at < list.len() {
        if among(list[at].fields, (carrier, list[at].owner), name) {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether an attribute of this name, or an entry of one, is among the fields of an op.
const fn among(fields: &[FieldSpec], (carrier, op): (Carrier, &str), name: &str) -> bool {
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if field.keys.is_empty() && field.family.is_some() && is_named(op, field.name, name) {
            return true;
        }
        let mut key = 0;
        while key < field.keys.len() {
            let Key {
                name: own,
                carrier: of,
                ..
            } = field.keys[key];
            if of as usize == carrier as usize && is_named(op, own, name) {
                return true;
            }
            key += 1;
        }
        at += 1;
    }
    false
}

/// Whether the attribute `own` of an op, or of none, is meant by a name: `order`, or `llvm.load order` for that of one op.
pub const fn is_named(op: &str, own: &str, name: &str) -> bool {
    let (op, own, name) = (op.as_bytes(), own.as_bytes(), name.as_bytes());
    if name.len() == own.len() {
        return has_at(name, 0, own);
    }
    name.len() == op.len() + 1 + own.len()
        && has_at(name, 0, op)
        && name[op.len()] == b' '
        && has_at(name, op.len() + 1, own)
}

/// Whether a text has another one in it from `start` on.
const fn has_at(text: &[u8], start: usize, other: &[u8]) -> bool {
    let mut at = 0;
    while at < other.len() {
        if text[start + at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Every attribute of a language, in the order of the declarations.
pub fn attributes_of<L: Language>() -> Vec<AttributeSpec> {
    Declared::of::<L>().attributes()
}

/// Adds the attributes among these fields.
fn add(all: &mut Vec<AttributeSpec>, carrier: Carrier, op: &'static str, fields: &'static [FieldSpec]) {
    let attributes = fields.iter().filter_map(|field| Some((field, field.family?)));
    for (slot, (field, family)) in attributes.enumerate() {
        let spec = |name, family| AttributeSpec {
            carrier,
            op,
            name,
            family,
            field,
            slot,
        };
        if field.keys.is_empty() {
            all.push(spec(field.name, family));
        }
        let keys = field.keys.iter().filter(|key| key.carrier == carrier);
        all.extend(keys.map(|key| spec(key.name, key.family)));
    }
}

/// An attribute of a function or of an op in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The op's origin, or [`Origin::FUNCTION`].
    pub origin: Origin,
    /// Where it stands.
    pub carrier: Carrier,
    /// The op that has it; empty for one of the function.
    pub op: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Its value; `None` for a flag.
    pub value: Option<Term>,
}

/// The attributes that a function and its ops have, in textual order. What is absent or has its default is left out.
pub fn attributes_in<L: Language>(func: &Func<L>) -> Vec<Found> {
    let tree = func_tree(func);
    let mut finder = Finder {
        ops: L::Op::specs()
            .into_iter()
            .map(|op| (op.name, op.fields))
            .collect(),
        tag: L::Tag::SPECS,
        found: Vec::new(),
    };
    let place = (Carrier::Function, "", Origin::FUNCTION);
    finder.attributes(place, L::FuncAttrs::SPECS, &tree.attrs);
    finder.region(&tree.body);
    finder.found
}

struct Finder {
    ops: rustc_hash::FxHashMap<&'static str, &'static [FieldSpec]>,
    tag: &'static [FieldSpec],
    found: Vec<Found>,
}

impl Finder {
    fn region(&mut self, region: &RegionTree) {
        region
            .blocks
            .iter()
            .flat_map(|block| &block.ops)
            .for_each(|op| self.op(op));
    }

    fn op(&mut self, op: &OpTree) {
        let origin = Origin(op.name.mark.0);
        if let Some((&name, &fields)) = self.ops.get_key_value(op.name.text.as_str()) {
            self.attributes((Carrier::Op, name, origin), fields, &op.attrs);
            self.attributes((Carrier::Tag, name, origin), self.tag, &op.attrs);
        }
        op.regions.iter().for_each(|(_, region)| self.region(region));
    }

    fn attributes(
        &mut self,
        (carrier, op, origin): (Carrier, &'static str, Origin),
        fields: &'static [FieldSpec],
        attrs: &[NamedTerm],
    ) {
        let mut add = |name, family, value: &Option<Term>| {
            self.found.push(Found {
                origin,
                carrier,
                op,
                name,
                family,
                value: value.clone(),
            });
        };
        for attr in attrs {
            let field = fields.iter().find(|field| field.name == attr.name.text);
            let Some((field, family)) = field.and_then(|field| Some((field, field.family?))) else {
                continue;
            };
            if field.keys.is_empty() {
                add(field.name, family, &attr.value);
            }
            for entry in attr.value.iter().flat_map(leaves) {
                if let Some(key) = field.keys.iter().find(|key| key.entry() == entry.name.text) {
                    add(key.name, key.family, &entry.value);
                }
            }
        }
    }
}

/// The entries of a dictionary, and of dictionaries in it.
fn leaves(term: &Term) -> Vec<&NamedTerm> {
    let mut all = Vec::new();
    if let TermKind::Dict(entries) = &term.kind {
        for entry in entries {
            all.push(entry);
            all.extend(entry.value.iter().flat_map(leaves));
        }
    }
    all
}
