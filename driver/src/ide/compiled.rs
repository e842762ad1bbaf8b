//! A function, and what its values and ops were compiled to: the facts of `tileaa`, the layouts of `tileas`.
//!
//! All ops that passes make for one op of the source have its origin, so an origin alone does not tell which value is that op's
//! own result. [`Carriers`](tilewright_irs::core::Carriers) tells.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use tilewright_irs::core::{
    Effects, Func, OpId, Operation, Origin, Resource, SideTable, TermCodec, Value, attribute, term_text,
};
use tilewright_irs::cuda_tile::TileType;
use tilewright_irs::cute_types::CuteType;
use tilewright_irs::dialects::cute::AlgebraValue;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::mlir::Type;
use tilewright_irs::tileaa::{TileAa, TileAaKind, TileAaType};
use tilewright_irs::tileas::{Space, TileAs, TileAsDialect, TileAsOp, TileAsType};
use tilewright_layouts::{Dim, LinearLayout};

use super::counts::Counts;
use super::facts;
use super::functions::{Function, Op};
use crate::database::Db;
use crate::inputs::Options;
use crate::pipeline;
use crate::units::{Language, Stage};

/// What a value of the source was compiled to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Its type, as its language writes it.
    pub ty: String,
    /// The facts that hold for it, in words, without repetitions.
    pub facts: Vec<String>,
    /// The size of all its elements in bytes, if it has elements.
    pub bytes: Option<u64>,
    /// Its layout in registers, if it is a tile with one layout in all places where it is held.
    pub tile: Option<Tile>,
    /// Its layout in shared memory, if it is a tile that registers never hold as a whole.
    pub shared: Option<Shared>,
    /// Its type, if that is one of `cute`.
    pub cute: Option<CuteType>,
}

/// A tile in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The type of its elements.
    pub element: ScalarType,
    /// Which offset holds which element.
    pub layout: LinearLayout,
    /// The ops of `tileas` that read it there.
    pub readers: Ops,
}

/// A tile in registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The type of its elements.
    pub element: ElementType,
    /// Which thread holds which element.
    pub layout: LinearLayout,
}

/// What an op of the source was lowered to in `tileas`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The ops that compute its results, or access memory for it.
    pub own: Ops,
    /// The other ops made for it: prefetches of operands, buffers, copies, conversions, index arithmetic.
    pub made: Ops,
}

/// A set of ops of `tileas`, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ops {
    /// The number of ops of each name.
    pub names: BTreeMap<&'static str, usize>,
    /// The number of ops with each atom, such as `ld<128b>`.
    pub atoms: BTreeMap<String, usize>,
}

/// A function, and what it is compiled to.
#[derive(Debug)]
pub struct Compiled<'db> {
    function: Function<'db>,
    tileaa: Option<Arc<Func<TileAa>>>,
    tileas: Option<Lowered>,
    counts: OnceLock<Counts>,
}

/// A function in `tileas`.
#[derive(Debug)]
struct Lowered {
    func: Arc<Func<TileAs>>,
    definitions: SideTable<Value, OpId>,
    by_origin: BTreeMap<Origin, Vec<OpId>>,
}

/// The elements of a value.
#[derive(PartialEq, Eq)]
struct Elements {
    shape: Vec<u64>,
    element: ElementType,
}

impl<'db> Compiled<'db> {
    /// A function, as far as it can be compiled.
    pub fn of(db: &'db dyn Db, function: Function<'db>, options: Options) -> Self {
        let own = function.body.language();
        // From `tileas` on, a value's own type says it all.
        let stage = |language| {
            let kernel = function.kernel.filter(|_| own < Language::TileAs)?;
            pipeline::stage(db, kernel, options, language)
        };
        let tileaa = match stage(Language::TileAa) {
            Some(Stage::TileAa(func)) => Some(func),
            _ => None,
        };
        let tileas = match stage(Language::TileAs) {
            Some(Stage::TileAs(func)) => Some(Lowered::of(func)),
            _ => None,
        };
        Self {
            function,
            tileaa,
            tileas,
            counts: OnceLock::new(),
        }
    }

    /// What is counted for its ops, if it is a kernel.
    pub(super) fn counts(&self, db: &dyn Db, options: Options) -> Option<&Counts> {
        let kernel = self.function.kernel?;
        Some(self.counts.get_or_init(|| Counts::of(db, kernel, options)))
    }

    /// What a value of the source was compiled to; `None` if it has no type.
    pub fn held(&self, value: Value) -> Option<Held> {
        let mut held = Held {
            ty: self.function.type_of(value)?,
            ..Held::default()
        };
        held.cute = match self.function.body {
            Stage::Cute(kernel) => match kernel.func.body.type_of(value) {
                Some(Type::Cute(ty)) => Some(ty.clone()),
                _ => None,
            },
            Stage::CuteDesugared(func) => func.body.type_of(value).and_then(AlgebraValue::algebra).cloned(),
            Stage::CudaTile(_)
            | Stage::TileAa(_)
            | Stage::TileAs(_)
            | Stage::Scheduled(_)
            | Stage::Llvm(_)
            | Stage::Nvvm(_)
            | Stage::Ptx(_) => None,
        };
        let own = match self.function.body {
            Stage::TileAs(func) => func.body.type_of(value),
            Stage::Scheduled(func) => func.body.type_of(value),
            Stage::CudaTile(_)
            | Stage::TileAa(_)
            | Stage::Cute(_)
            | Stage::CuteDesugared(_)
            | Stage::Llvm(_)
            | Stage::Nvvm(_)
            | Stage::Ptx(_) => None,
        };
        if let Some(ty) = own {
            let elements = Elements::of_as(ty);
            held.bytes = elements.as_ref().and_then(Elements::bytes);
            let parts = elements.zip(ty.layout());
            held.tile = parts.map(|(Elements { element, .. }, layout)| Tile {
                element,
                layout: layout.clone(),
            });
            return Some(held);
        }
        let elements = match self.function.body {
            Stage::CudaTile(kernel) => kernel.func.body.type_of(value).and_then(Elements::of_tile),
            Stage::TileAa(func) => func.body.type_of(value).and_then(Elements::of_aa),
            Stage::TileAs(_)
            | Stage::Scheduled(_)
            | Stage::Cute(_)
            | Stage::CuteDesugared(_)
            | Stage::Llvm(_)
            | Stage::Nvvm(_)
            | Stage::Ptx(_) => None,
        };
        held.bytes = elements.as_ref().and_then(Elements::bytes);
        held.facts = self.facts(value, elements.as_ref());
        held.tile = elements.as_ref().and_then(|elements| self.tile(value, elements));
        held.shared = elements
            .filter(|_| held.tile.is_none())
            .and_then(|elements| self.shared(value, &elements));
        Some(held)
    }

    /// The facts, in words, that hold for all copies of a value; none if a copy was optimised away or has other elements.
    fn facts(&self, value: Value, elements: Option<&Elements>) -> Vec<String> {
        let Some(func) = &self.tileaa else {
            return Vec::new();
        };
        let carriers = func.body.carriers().of(value);
        let types: Option<Vec<&TileAaType>> = carriers
            .map(|carrier| carrier.map(|carrier| func.body.ty(carrier)))
            .collect();
        let types = types.unwrap_or_default();
        let Some(Elements { element, .. }) = elements else {
            return match types.as_slice() {
                [ty] if ty.memref().is_some() => vec![format!("an array: `{}`", term_text(&ty.write()))],
                _ => Vec::new(),
            };
        };
        if types.iter().any(|ty| Elements::of_aa(ty).as_ref() != elements) {
            return Vec::new();
        }
        let known = facts::common(types.into_iter().map(|ty| &ty.facts));
        known.map_or_else(Vec::new, |known| facts::words(&known, *element))
    }

    /// The layout of a value in registers, if all its copies there have the same one.
    fn tile(&self, value: Value, elements: &Elements) -> Option<Tile> {
        let func = &self.tileas.as_ref()?.func;
        let carriers = func.body.carriers().of(value).flatten();
        let mut layouts = carriers.filter_map(|carrier| {
            let ty = func.body.ty(carrier);
            ty.layout()
                .filter(|_| Elements::of_as(ty).as_ref() == Some(elements))
        });
        let layout = layouts.next()?;
        layouts.all(|other| other == layout).then(|| Tile {
            element: elements.element,
            layout: layout.clone(),
        })
    }

    /// The layout of a tile in shared memory, if all buffers that hold all of it have the same one, and the ops that read them.
    fn shared(&self, value: Value, elements: &Elements) -> Option<Shared> {
        let lowered = self.tileas.as_ref()?;
        let body = &lowered.func.body;
        let of = |carrier: Value| {
            let buffer = body.ty(carrier).buffer()?;
            let whole = Elements::new(&buffer.shape, ElementType::Scalar(buffer.element));
            let holds = buffer.space == Space::Shared && !buffer.is_slice() && whole == *elements;
            Some((buffer.element, buffer.linear().filter(|_| holds)?))
        };
        let carriers: Vec<Value> = body.carriers().of(value).flatten().collect();
        let mut held = carriers.iter().filter_map(|&carrier| of(carrier));
        let (element, layout) = held.next()?;
        held.all(|other| other == (element, layout)).then(|| Shared {
            element,
            layout: layout.clone(),
            readers: lowered.readers(&carriers),
        })
    }

    /// What an op of the source was lowered to in `tileas`; empty if the source is in that language or a later one.
    pub fn form(&self, origin: Origin, op: &Op) -> Form {
        let mut form = Form::default();
        if let Some(lowered) = &self.tileas {
            let own = lowered.own(origin, op);
            for &id in lowered.by_origin.get(&origin).into_iter().flatten() {
                let ops = if own.contains(&id) {
                    &mut form.own
                } else {
                    &mut form.made
                };
                ops.add(&lowered.func.body.op(id).kind);
            }
        }
        form
    }
}

impl Ops {
    fn add(&mut self, op: &TileAsOp) {
        *self.names.entry(op.name()).or_default() += 1;
        if let Some(atom) = attribute(op, "atom") {
            *self.atoms.entry(term_text(&atom)).or_default() += 1;
        }
    }
}

impl Lowered {
    fn of(func: Arc<Func<TileAs>>) -> Self {
        let mut by_origin: BTreeMap<Origin, Vec<OpId>> = BTreeMap::new();
        for id in func.body.walk() {
            by_origin.entry(func.body.op(id).origin).or_default().push(id);
        }
        Self {
            definitions: func.body.definitions(),
            by_origin,
            func,
        }
    }

    /// The ops that read buffers or views of them.
    fn readers(&self, buffers: &[Value]) -> Ops {
        let body = &self.func.body;
        let mut held: BTreeSet<Value> = buffers.iter().copied().collect();
        let mut readers = Ops::default();
        for id in body.walk() {
            let op = body.op(id);
            let fills = match &op.kind {
                TileAsOp::TileAs(TileAsDialect::CopyIn { to, .. } | TileAsDialect::GatherIn { to, .. })
                | TileAsOp::TileAs(TileAsDialect::Copy { to: Some(to), .. }) => held.contains(to),
                _ => false,
            };
            let uses = op.kind.operand_list().iter().any(|value| held.contains(value));
            if !uses || fills || !op.kind.region_list().is_empty() {
                continue;
            }
            let views = op.results().filter(|&result| body.ty(result).buffer().is_some());
            let views: Vec<Value> = views.collect();
            if views.is_empty() && !op.kind.is_terminator() {
                readers.add(&op.kind);
            }
            held.extend(views);
        }
        readers
    }

    /// The ops that compute the results of a source op, or access memory for it. Copies and layout conversions count only if
    /// nothing else does.
    fn own(&self, origin: Origin, op: &Op) -> BTreeSet<OpId> {
        let body = &self.func.body;
        let all = self.by_origin.get(&origin).map(Vec::as_slice).unwrap_or_default();
        if op.results.is_empty() {
            return all.iter().copied().collect();
        }
        let mut own = BTreeSet::new();
        for &result in &op.results {
            for carrier in body.carriers().of(result).flatten() {
                self.add_maker(carrier, origin, &mut own);
            }
        }
        if accesses_global(op.effects) {
            // Barriers and waits touch global memory as well, but move nothing.
            let accesses = all.iter().filter(|id| {
                let kind = &body.op(**id).kind;
                accesses_global(kind.effects()) && attribute(kind, "atom").is_some()
            });
            own.extend(accesses);
        }
        let names: BTreeSet<&str> = own.iter().map(|id| body.op(*id).kind.name()).collect();
        let alike = |name: &str| names.contains(name) || base(name) == base(op.name);
        own.extend(all.iter().filter(|id| alike(body.op(**id).kind.name())));
        let moves = |id: &OpId| {
            let TileAsOp::TileAs(op) = &body.op(*id).kind else {
                return false;
            };
            matches!(
                op,
                TileAsDialect::Copy { .. } | TileAsDialect::ConvertLayout { .. }
            )
        };
        if !own.iter().all(moves) {
            own.retain(|id| !moves(id));
        }
        own
    }

    /// Adds the op of this origin that defines a value and, if the value is yielded from regions of that op, the ops that define
    /// it there.
    fn add_maker(&self, value: Value, origin: Origin, own: &mut BTreeSet<OpId>) {
        let body = &self.func.body;
        let Some(&id) = self.definitions.get(value) else {
            return;
        };
        let op = body.op(id);
        if op.origin != origin || !own.insert(id) {
            return;
        }
        let index = op.results().position(|result| result == value);
        for region in op.kind.region_list() {
            let end = body.only_block(region).and_then(|block| body.terminator(block));
            let yielded = end.map(|end| body.op(end).kind.operand_list());
            if let Some(&yielded) = yielded.as_ref().and_then(|list| list.get(index?)) {
                self.add_maker(yielded, origin, own);
            }
        }
    }
}

fn accesses_global(effects: Effects) -> bool {
    effects.reads.union(effects.writes).contains(Resource::Global)
}

/// The name of an op without its dialect.
fn base(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Elements {
    fn new(shape: &[u32], element: ElementType) -> Self {
        Self {
            shape: shape.iter().map(|&extent| u64::from(extent)).collect(),
            element,
        }
    }

    fn of_tile(ty: &TileType) -> Option<Self> {
        let tile = ty.as_tile()?;
        Some(Self {
            shape: tile.shape.to_vec(),
            element: tile.element.plain(),
        })
    }

    fn of_aa(ty: &TileAaType) -> Option<Self> {
        match &ty.kind {
            TileAaKind::Scalar(element) => Some(Self::new(&[], *element)),
            TileAaKind::Tile { shape, element } => Some(Self::new(shape, *element)),
            TileAaKind::Memref(_) | TileAaKind::Token => None,
        }
    }

    fn of_as(ty: &TileAsType) -> Option<Self> {
        match ty {
            TileAsType::Scalar(element) => Some(Self::new(&[], *element)),
            TileAsType::Tile { element, shape, .. } => Some(Self::new(shape, *element)),
            TileAsType::Memref(_)
            | TileAsType::Buffer(_)
            | TileAsType::Pending(_)
            | TileAsType::TensorMap
            | TileAsType::MapParameter(_)
            | TileAsType::Token
            | TileAsType::Pipe(_) => None,
        }
    }

    /// The bytes of all elements.
    fn bytes(&self) -> Option<u64> {
        bytes_of(&self.shape, self.element)
    }
}

/// The bytes of elements side by side: those of less than a byte share one.
pub fn bytes_of(extents: &[u64], element: ElementType) -> Option<u64> {
    let mut extents = extents.iter();
    let count = extents.try_fold(1_u64, |count, &extent| count.checked_mul(extent))?;
    let bits = count.checked_mul(u64::from(stored_bits(element)))?;
    Some(bits.div_ceil(8))
}

impl Tile {
    /// The elements that a thread holds.
    pub fn elements(&self) -> u64 {
        u64::from(self.layout.in_size(Dim::Register))
    }

    /// The registers of a thread that hold it; `None` if predicates do.
    pub fn registers(&self) -> Option<u64> {
        match self.element {
            ElementType::I1 => None,
            ElementType::Scalar(_) | ElementType::Ptr(_) => {
                Some((self.elements() * u64::from(stored_bits(self.element))).div_ceil(32))
            }
        }
    }
}

/// The bits that an element takes in memory among others: its significant bits, rounded up to a power of two.
fn stored_bits(element: ElementType) -> u32 {
    element.bits().next_power_of_two()
}
