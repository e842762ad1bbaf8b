//! What an op of the source became: facts of its values, tiles in registers with their layouts, accesses, and instructions.

use std::collections::BTreeMap;

use tilewright_irs::core::element::ElementType;
use tilewright_irs::core::{Func, Operation, Origin, TermCodec, ValueType, attribute, term_text};
use tilewright_irs::tileaa::{Facts, TileAa, TileAaKind, TileAaType};
use tilewright_irs::tileas::TileAs;
use tilewright_layouts::LinearLayout;

use super::conflicts;
use crate::database::Compiler;
use crate::inputs::Options;
use crate::kernel::Kernel;
use crate::pipeline;
use crate::units::{Language, Stage};

/// What an op of the source became.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Became {
    /// What is known of its results when the kernel is compiled, each said once.
    pub facts: Vec<String>,
    /// Its form in `tileas`.
    pub form: Form,
    /// Cycles that a warp loses to bank conflicts in the copies to and from shared memory that the op needs; `None` if it needs none.
    pub conflicts: Option<u64>,
    /// The instructions of PTX by their mnemonics, with how many there are.
    pub instructions: BTreeMap<String, usize>,
}

/// What an op of the source is in `tileas`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The ops, and how many there are of each.
    pub ops: BTreeMap<&'static str, usize>,
    /// How data are moved or multiplied, such as `ld<128b>`, with how many ops do it so.
    pub atoms: BTreeMap<String, usize>,
    /// The last tile that is left in registers.
    pub tile: Option<Tile>,
}

/// A tile in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The type of its elements.
    pub element: ElementType,
    /// Which thread holds which element.
    pub layout: LinearLayout,
}

impl Became {
    /// What an op of a kernel became, as far as the kernel can be compiled.
    pub fn of(db: &Compiler, kernel: Kernel<'_>, options: Options, origin: Origin) -> Self {
        let mut became = Self::default();
        let own = kernel.language(db);
        let stage = |language| pipeline::stage(db, kernel, options, language);
        if own <= Language::TileAa
            && let Some(Stage::TileAa(func)) = stage(Language::TileAa)
        {
            became.facts = facts_of_op(&func, origin);
        }
        if own < Language::TileAs
            && let Some(Stage::TileAs(func)) = stage(Language::TileAs)
        {
            became.form = forms(&func).remove(&origin).unwrap_or_default();
        }
        let copies = conflicts::of(db, kernel, options).into_iter();
        became.conflicts = copies
            .filter(|copy| copy.origin == origin)
            .map(|copy| copy.cycles)
            .reduce(|sum, cycles| sum + cycles);
        if own < Language::Ptx
            && let Some(Stage::Ptx(ptx)) = stage(Language::Ptx)
        {
            for line in ptx.instructions().filter(|line| line.origin == Some(origin.0)) {
                let text = line.instruction.to_string();
                let mnemonic = text.split([' ', ';']).next().unwrap_or_default();
                *became.instructions.entry(mnemonic.to_owned()).or_default() += 1;
            }
        }
        became
    }
}

/// What the ops of the source are in `tileas`, by their origins.
pub fn forms(func: &Func<TileAs>) -> BTreeMap<Origin, Form> {
    let mut forms: BTreeMap<Origin, Form> = BTreeMap::new();
    for id in func.body.walk() {
        let op = func.body.op(id);
        if op.origin == Origin::FUNCTION {
            continue;
        }
        let form = forms.entry(op.origin).or_default();
        *form.ops.entry(op.kind.name()).or_default() += 1;
        if let Some(atom) = attribute(&op.kind, "atom") {
            *form.atoms.entry(term_text(&atom)).or_default() += 1;
        }
        for result in op.results() {
            let ty = func.body.ty(result);
            if let (Some(element), Some(layout)) = (ty.element(), ty.layout()) {
                form.tile = Some(Tile {
                    element,
                    layout: layout.clone(),
                });
            }
        }
    }
    forms
}

/// What is known of the results of an op.
fn facts_of_op(func: &Func<TileAa>, origin: Origin) -> Vec<String> {
    let mut said = Vec::new();
    let ops = func.body.walk().into_iter().map(|id| func.body.op(id));
    for op in ops.filter(|op| op.origin == origin) {
        for result in op.results() {
            add(&mut said, func.body.ty(result));
        }
    }
    said
}

/// What is known of a parameter.
pub fn facts_of_parameter(db: &Compiler, kernel: Kernel<'_>, options: Options, index: usize) -> Vec<String> {
    let mut said = Vec::new();
    if kernel.language(db) <= Language::TileAa
        && let Some(Stage::TileAa(func)) = pipeline::stage(db, kernel, options, Language::TileAa)
        && let Some(&parameter) = func.body.params().get(index)
    {
        add(&mut said, func.body.ty(parameter));
    }
    said
}

/// The number that a parameter is known to be a multiple of, for a pointer in bytes; 1 if nothing is known.
pub fn divisor_of_parameter(
    db: &Compiler,
    kernel: Kernel<'_>,
    options: Options,
    index: usize,
) -> Option<u64> {
    let Some(Stage::TileAa(func)) = pipeline::stage(db, kernel, options, Language::TileAa) else {
        return None;
    };
    let ty = func.body.ty(*func.body.params().get(index)?);
    ty.facts.divisibility.first().copied()
}

fn add(said: &mut Vec<String>, ty: &TileAaType) {
    let words = match &ty.kind {
        TileAaKind::Memref(_) => vec![format!("an array: `{}`", term_text(&ty.write()))],
        TileAaKind::Scalar(element) | TileAaKind::Tile { element, .. } => words(&ty.facts, *element),
        TileAaKind::Token => Vec::new(),
    };
    for word in words {
        if !said.contains(&word) {
            said.push(word);
        }
    }
}

/// Facts in words. A list has a number for each axis.
fn words(facts: &Facts, element: ElementType) -> Vec<String> {
    let mut words = Vec::new();
    let unit = match element {
        ElementType::Scalar(_) => "",
        ElementType::Ptr(_) => " bytes",
    };
    let mut list = |numbers: &[u64], what: &dyn Fn(String) -> String| match numbers {
        _ if numbers.iter().all(|&number| number == 1) => {}
        [number] => words.push(what(number.to_string())),
        _ => words.push(what(format!("{numbers:?} along the axes"))),
    };
    list(&facts.divisibility, &|of| format!("a multiple of {of}{unit}"));
    list(&facts.contiguity, &|of| format!("consecutive in runs of {of}"));
    list(&facts.constancy, &|of| format!("equal in runs of {of}"));
    match (facts.min, facts.max) {
        (Some(min), Some(max)) if min == max => words.push(format!("always {min}")),
        (Some(min), Some(max)) => words.push(format!("from {min} to {max}")),
        (Some(min), None) => words.push(format!("at least {min}")),
        (None, Some(max)) => words.push(format!("at most {max}")),
        (None, None) => {}
    }
    words
}
