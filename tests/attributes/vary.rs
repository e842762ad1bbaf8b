//! Kernels that differ from another one in one attribute alone.

use std::sync::Arc;

use tilewright::{Stage, TileKernel};
use tilewright_irs::core::{Arg, AttributeSpec, FuncTree, Mark, NamedTerm, RegionTree, Term, TermKind};
use tilewright_irs::cuda_tile::{MemoryOp, TileModule, TileOp, Version};

use crate::scenes::each_op;

/// The attributes of the op with this number, or of the function.
pub(crate) fn attrs_at(tree: &mut FuncTree, op: Option<u32>) -> Vec<NamedTerm> {
    let Some(op) = op else { return tree.attrs.clone() };
    let mut found = Vec::new();
    each_op(&mut tree.body, &mut |at| {
        if at.name.mark == Mark(op) {
            found.clone_from(&at.attrs);
        }
    });
    found
}

/// The tree with other attributes of the op with this number, or of the function.
pub(crate) fn with_attrs(tree: &FuncTree, op: Option<u32>, attrs: Vec<NamedTerm>) -> FuncTree {
    let mut tree = tree.clone();
    match op {
        None => tree.attrs = attrs,
        Some(op) => each_op(&mut tree.body, &mut |at| {
            if at.name.mark == Mark(op) {
                at.attrs.clone_from(&attrs);
            }
        }),
    }
    tree
}

/// Values near this one: the same but for one number or truth value in it, or for the order of a list of numbers.
pub(crate) fn near(term: &Term) -> Vec<Term> {
    let each = |list: &[Term], make: &dyn Fn(Vec<Term>) -> TermKind| -> Vec<Term> {
        let at = |at: usize| {
            near(&list[at]).into_iter().map(move |new| {
                let mut list = list.to_vec();
                list[at] = new;
                make(list).into()
            })
        };
        (0..list.len()).flat_map(at).collect()
    };
    match &term.kind {
        TermKind::Int(n) => [n * 2, n + 1, n - 1, n / 2, 1 - n, n * 1024]
            .into_iter()
            .filter(|new| new != n)
            .map(Term::int)
            .collect(),
        TermKind::Word(word) if word == "true" => vec![Term::word("false")],
        TermKind::Word(word) if word == "false" => vec![Term::word("true")],
        TermKind::List(list) => {
            let reversed: Vec<_> = list.iter().rev().cloned().collect();
            let mut all = each(list, &TermKind::List);
            let is_of_numbers = list.iter().all(|term| matches!(term.kind, TermKind::Int(_)));
            all.extend((is_of_numbers && reversed != *list).then(|| TermKind::List(reversed).into()));
            all
        }
        TermKind::Tuple(list) => each(list, &TermKind::Tuple),
        TermKind::Call(word, args) => {
            let values: Vec<_> = args.iter().map(|arg| arg.value.clone()).collect();
            each(&values, &|values| {
                let mut args = args.clone();
                args.iter_mut()
                    .zip(values)
                    .for_each(|(arg, value)| arg.value = value);
                TermKind::Call(word.clone(), args)
            })
        }
        TermKind::Dict(entries) => {
            let values: Vec<_> = entries.iter().filter_map(|entry| entry.value.clone()).collect();
            if values.len() != entries.len() {
                return Vec::new();
            }
            each(&values, &|values| {
                let mut entries = entries.clone();
                entries
                    .iter_mut()
                    .zip(values)
                    .for_each(|(entry, value)| entry.value = Some(value));
                TermKind::Dict(entries)
            })
        }
        _ => Vec::new(),
    }
}

/// The lists of attributes that differ from this one in the value of one only. `seen` has values that it has elsewhere.
pub(crate) fn others(attrs: &[NamedTerm], spec: &AttributeSpec, seen: &[Term]) -> Vec<Vec<NamedTerm>> {
    let field = spec.field;
    let at = attrs.iter().position(|attr| attr.name.text == field.name);
    let present = at.map(|at| &attrs[at]);
    let set = |new: Option<NamedTerm>| {
        let mut attrs = attrs.to_vec();
        match (at, new) {
            (Some(at), Some(new)) => attrs[at] = new,
            (Some(at), None) => drop(attrs.remove(at)),
            (None, Some(new)) => attrs.push(new),
            (None, None) => {}
        }
        attrs
    };
    if spec.is_part() {
        return parts(present, spec)
            .into_iter()
            .map(|value| set(Some(NamedTerm::new(field.name, value))))
            .collect();
    }
    if !field.keys.is_empty() {
        return keyed(present, spec, seen)
            .into_iter()
            .map(|value| set(Some(NamedTerm::new(field.name, value))))
            .collect();
    }
    let value = present.and_then(|attr| attr.value.as_ref());
    // An empty list may stand for zeros.
    if value.is_some_and(|value| matches!(&value.kind, TermKind::List(list) if list.is_empty())) {
        return Vec::new();
    }
    let mut values: Vec<Option<NamedTerm>> = Vec::new();
    let new = |term: Term| Some(NamedTerm::new(field.name, term));
    values.extend(field.keywords.iter().map(|word| new(Term::word(word.word))));
    values.extend(value.map(near).unwrap_or_default().into_iter().map(new));
    values.extend(seen.iter().cloned().map(new));
    if present.is_none() {
        values.extend(
            [
                Term::int(1),
                Term::int(2),
                Term::word("true"),
                Term::word("false"),
            ]
            .map(new),
        );
        values.push(Some(NamedTerm::flag(field.name)));
    } else {
        values.push(None);
    }
    values.retain(|new| new.as_ref() != present);
    values.into_iter().map(set).collect()
}

/// Records with another value of a part, with it, or without it.
fn parts(present: Option<&NamedTerm>, spec: &AttributeSpec) -> Vec<Term> {
    let Some(TermKind::Dict(entries)) = present
        .and_then(|attr| attr.value.as_ref())
        .map(|value| &value.kind)
    else {
        return Vec::new();
    };
    let is_it = |entry: &NamedTerm| Some(entry.name.text.as_str()) == spec.entry();
    let own = entries.iter().find(|entry| is_it(entry));
    let values: Vec<Option<Term>> = match own.and_then(|own| own.value.as_ref()) {
        Some(value) => near(value).into_iter().map(Some).chain([None]).collect(),
        None => [1, 2].map(|number| Some(Term::int(number))).into(),
    };
    let with = |value: Option<Term>| {
        let mut entries = entries.clone();
        entries.retain(|entry| !is_it(entry));
        let name = spec.entry().unwrap_or_default();
        entries.extend(value.map(|value| NamedTerm::new(name, value)));
        Term::from(TermKind::Dict(entries))
    };
    values.into_iter().map(with).collect()
}

/// Takes an attribute away, or the entries of dictionaries that it is.
pub(crate) fn take_away(attrs: &mut Vec<NamedTerm>, spec: &AttributeSpec) {
    let name = spec.entry().unwrap_or(spec.name);
    attrs.retain(|attr| attr.name.text != name);
    for attr in attrs {
        if let Some(TermKind::Dict(entries)) = attr.value.as_mut().map(|value| &mut value.kind) {
            take_away(entries, spec);
        }
    }
}

/// Dictionaries with another value of a key, or with it, for every architecture.
pub(crate) fn keyed(present: Option<&NamedTerm>, spec: &AttributeSpec, seen: &[Term]) -> Vec<Term> {
    let mut entries = match present
        .and_then(|attr| attr.value.as_ref())
        .map(|value| &value.kind)
    {
        Some(TermKind::Dict(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    if !entries.iter().any(|entry| entry.name.text == "sm_90") {
        entries.push(NamedTerm::new("sm_90", TermKind::Dict(Vec::new()).into()));
    }
    let typed = |n: i128| Term::call("i32", vec![Term::int(n).into()]);
    let mut values = vec![
        Term::word("false"),
        Term::word("true"),
        typed(2),
        typed(4),
        typed(8),
        typed(1),
    ];
    values.extend(seen.iter().cloned());
    let with = |value: &Term| {
        let mut entries = entries.clone();
        for entry in &mut entries {
            if let Some(TermKind::Dict(hints)) = entry.value.as_mut().map(|value| &mut value.kind)
                && entry.name.text == "sm_90"
            {
                hints.retain(|hint| hint.name.text != spec.name);
                hints.push(NamedTerm::new(spec.name, value.clone()));
            }
        }
        Term::from(TermKind::Dict(entries))
    };
    values.iter().map(with).collect()
}

/// The parameters in a term of types of this word, or in types in it, as lists of arguments.
pub(crate) fn each_args(term: &mut Term, owner: &str, visit: &mut dyn FnMut(&mut Vec<Arg>)) {
    if let TermKind::Call(word, args) = &mut term.kind {
        if word == owner {
            visit(args);
        }
        args.iter_mut()
            .for_each(|arg| each_args(&mut arg.value, owner, visit));
    }
}

/// The parameters of all types of this word in a function: of its own parameters, of those of blocks, and of results.
pub(crate) fn each_type(tree: &mut FuncTree, owner: &str, visit: &mut dyn FnMut(&mut Vec<Arg>)) {
    fn region(tree: &mut RegionTree, owner: &str, visit: &mut dyn FnMut(&mut Vec<Arg>)) {
        for block in &mut tree.blocks {
            block
                .args
                .iter_mut()
                .for_each(|(_, ty)| each_args(ty, owner, visit));
            for op in &mut block.ops {
                op.types.iter_mut().for_each(|ty| each_args(ty, owner, visit));
                op.regions
                    .iter_mut()
                    .for_each(|(_, inner)| region(inner, owner, visit));
            }
        }
    }
    tree.params
        .iter_mut()
        .for_each(|(_, ty)| each_args(ty, owner, visit));
    region(&mut tree.body, owner, visit);
}

/// Whether an argument has this name.
pub(crate) fn is_called(arg: &Arg, name: &str) -> bool {
    arg.name.as_ref().is_some_and(|own| own.text == name)
}

/// So many types of a kernel are varied.
pub(crate) const PLACES: usize = 3;

/// The trees that differ from this one in one parameter of one type.
pub(crate) fn other_types(tree: &FuncTree, spec: &AttributeSpec) -> Vec<FuncTree> {
    let mut all = Vec::new();
    let mut found: Vec<Option<Term>> = Vec::new();
    each_type(&mut tree.clone(), spec.op, &mut |args| {
        let present = args.iter().find(|arg| is_called(arg, spec.name));
        found.push(present.map(|arg| arg.value.clone()));
    });
    for (at, present) in found.iter().enumerate().take(PLACES) {
        let mut values: Vec<Option<Term>> = match present {
            Some(present) => {
                let values = near(present).into_iter().map(Some);
                values.chain([None]).collect()
            }
            None => {
                let lists: [&[u64]; 2] = [&[16], &[1, 16]];
                let lists = lists.into_iter().map(Term::ints);
                let numbers = [0, 16].into_iter().map(Term::int);
                lists.chain(numbers).map(Some).collect()
            }
        };
        values.extend(spec.field.keywords.iter().map(|word| Some(Term::word(word.word))));
        for value in values.into_iter().filter(|value| value != present) {
            let mut tree = tree.clone();
            let mut place = 0;
            each_type(&mut tree, spec.op, &mut |args| {
                if place == at {
                    args.retain(|arg| !is_called(arg, spec.name));
                    args.extend(value.clone().map(|value| Arg::named(spec.name, value)));
                }
                place += 1;
            });
            all.push(tree);
        }
    }
    all
}

/// The kernels that differ from this one in one attribute of their module, or of a global that they name.
pub(crate) fn other_modules(kernel: &TileKernel, spec: &AttributeSpec) -> Vec<Stage> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut TileModule)| {
        let mut module = (*kernel.module).clone();
        change(&mut module);
        if module != *kernel.module {
            let (func, module) = (kernel.func.clone(), Arc::new(module));
            all.push(Stage::from(Arc::new(TileKernel { func, module })));
        }
    };
    let named: Vec<&str> = kernel
        .func
        .body
        .ops()
        .filter_map(|(_, op)| match &op.kind {
            TileOp::Memory(MemoryOp::GetGlobal { name }) => Some(name.0.as_str()),
            _ => None,
        })
        .collect();
    match spec.op {
        "module" => match spec.name {
            "producer" => add(&|module| module.producer = Some("another".to_owned())),
            _ => [Version::V13_1, Version::V13_5]
                .into_iter()
                .for_each(|version| add(&|module| module.version = version)),
        },
        _ => add(&|module| {
            let global = module
                .globals
                .iter_mut()
                .find(|global| named.contains(&global.name.as_str()));
            if let Some(global) = global {
                match spec.name {
                    "alignment" => global.alignment = global.alignment.max(64) * 2,
                    "private" => global.private = !global.private,
                    _ => global.constant = !global.constant,
                }
            }
        }),
    }
    all
}
