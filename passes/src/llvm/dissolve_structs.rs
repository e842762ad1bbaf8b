//! Dissolves structs to their leaves.
//!
//! In and out: `llvm_like`. Out: no value is a struct. Each becomes its leaves, the numbers and pointers in it, in order: results,
//! arguments of blocks and what branches pass become several; `llvm.insertvalue`, `llvm.extractvalue` and constants of structs
//! disappear; a load or a store of a struct becomes one of each leaf, at its offset. A parameter that is a struct is passed by
//! value, and its leaves are read where the kernel begins. Constant leaves are made in the blocks that use them.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Builder, Entity, Few, Func, OpId, Operation, Origin, Remap, SideTable, Value,
    reverse_postorder,
};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Leaf, Llvm, LlvmDialect, LlvmOp, LlvmType, StructType};

/// Dissolves the structs of a function; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn dissolve_structs(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let has_structs = func
        .body
        .values()
        .any(|(_, ty)| matches!(ty, LlvmType::Struct(_)));
    if !has_structs {
        return Ok(func.clone());
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: Dissolve::new(&func.body).run().renumbered(),
    })
}

/// A leaf of an old value.
#[derive(Clone, Copy)]
enum Part {
    /// A new value.
    Value(Value),
    /// A number, of which a block makes a constant when it needs one.
    Constant(Literal),
    /// A value that nothing has set.
    Undef(LlvmType),
}

struct Dissolve<'a> {
    from: &'a Body<Llvm>,
    to: Body<Llvm>,
    block: Block,
    origin: Origin,
    /// The leaves of each old value.
    leaves: SideTable<Value, Few<Part>>,
    /// The constants of the block that is written.
    constants: FxHashMap<Literal, Value>,
    blocks: SideTable<Block, Block>,
}

impl<'a> Dissolve<'a> {
    fn new(from: &'a Body<Llvm>) -> Self {
        Self {
            from,
            to: Body::with_capacity(from.op_count(), from.value_count()),
            block: Block::new(0),
            origin: Origin::FUNCTION,
            leaves: from.value_table(),
            constants: FxHashMap::default(),
            blocks: SideTable::new(0),
        }
    }

    fn run(mut self) -> Body<Llvm> {
        let from = self.from;
        let order = reverse_postorder(from, from.root());
        let root = self.to.root();
        let mut passed = Vec::new();
        for &block in &order {
            let new = self.to.add_block(root);
            self.blocks.set(block, new);
            for &arg in &from.block(block).args {
                // The verifier has checked that a parameter can be passed.
                let whole = match *from.ty(arg) {
                    LlvmType::Struct(ty) if Some(block) == from.entry() => {
                        ty.passed().map(|passed| (ty, passed))
                    }
                    _ => None,
                };
                let leaves = match whole {
                    Some((ty, place)) => {
                        let parameter = self.to.add_arg(new, LlvmType::Passed(place));
                        passed.push((arg, parameter, ty));
                        continue;
                    }
                    None => from
                        .ty(arg)
                        .leaves()
                        .into_iter()
                        .map(|ty| Part::Value(self.to.add_arg(new, ty))),
                };
                let leaves = leaves.collect();
                self.leaves.set(arg, leaves);
            }
        }
        for block in order {
            self.block = self.block(block);
            self.constants.clear();
            if Some(block) == from.entry() {
                for (arg, parameter, ty) in std::mem::take(&mut passed) {
                    self.read(arg, parameter, ty);
                }
            }
            for &id in &from.block(block).ops {
                self.origin = from.op(id).origin;
                self.op(id);
            }
        }
        self.to
    }

    fn build(&mut self) -> Builder<'_, Llvm> {
        Builder::new(&mut self.to, self.block, self.origin)
    }

    /// Reads the leaves of a parameter.
    fn read(&mut self, arg: Value, parameter: Value, ty: StructType) {
        let leaves = places(ty).into_iter().map(|Leaf { ty, offset }| {
            let read = LlvmDialect::ReadParameter { parameter, offset };
            Part::Value(self.build().value(read, ty))
        });
        let leaves = leaves.collect();
        self.leaves.set(arg, leaves);
    }

    /// The leaves of an old value. Only an ill-formed body has values without any; the verifier reports it.
    fn of(&self, value: Value) -> Few<Part> {
        self.leaves.get(value).cloned().unwrap_or_default()
    }

    /// The leaves of an old value as new values.
    fn values_of(&mut self, value: Value) -> Few<Value> {
        self.of(value).into_iter().map(|part| self.made(part)).collect()
    }

    /// A leaf as a value.
    fn made(&mut self, part: Part) -> Value {
        match part {
            Part::Value(value) => value,
            Part::Undef(ty) => self.build().value(LlvmDialect::Undef {}, ty),
            Part::Constant(literal) => match self.constants.get(&literal) {
                Some(&made) => made,
                None => {
                    let value = Dense::Splat(literal);
                    let made = self
                        .build()
                        .value(ArithOp::Constant { value }, LlvmType::Scalar(literal.ty));
                    self.constants.insert(literal, made);
                    made
                }
            },
        }
    }

    fn op(&mut self, id: OpId) {
        let from = self.from;
        let op = from.op(id);
        let bound = match (
            &op.kind,
            op.results().next().map(|result| (result, *from.ty(result))),
        ) {
            (
                LlvmOp::Llvm(LlvmDialect::InsertValue { value, into, path }),
                Some((_, LlvmType::Struct(ty))),
            ) => {
                let (mut leaves, new) = (self.of(*into), self.of(*value));
                let range = ty.part(path).map_or(0..0, |(_, range)| range);
                for (leaf, new) in leaves.iter_mut().skip(range.start).zip(new) {
                    *leaf = new;
                }
                leaves
            }
            (LlvmOp::Llvm(LlvmDialect::ExtractValue { from: whole, path }), Some(_)) => {
                let range = match from.ty(*whole) {
                    LlvmType::Struct(ty) => ty.part(path).map_or(0..0, |(_, range)| range),
                    _ => 0..0,
                };
                self.of(*whole)
                    .into_iter()
                    .skip(range.start)
                    .take(range.len())
                    .collect()
            }
            (LlvmOp::Llvm(LlvmDialect::Undef {}), Some((_, LlvmType::Struct(ty)))) => {
                ty.leaves().into_iter().map(Part::Undef).collect()
            }
            (LlvmOp::Llvm(LlvmDialect::Constant { values }), Some(_)) => {
                values.iter().copied().map(Part::Constant).collect()
            }
            (LlvmOp::Arith(ArithOp::Select { condition, yes, no }), Some((_, LlvmType::Struct(ty)))) => {
                let condition = self.value(*condition);
                let (yes, no) = (self.values_of(*yes), self.values_of(*no));
                let chosen = yes.into_iter().zip(no).zip(ty.leaves()).map(|((yes, no), ty)| {
                    let select = ArithOp::Select { condition, yes, no };
                    Part::Value(self.build().value(select, ty))
                });
                chosen.collect()
            }
            (LlvmOp::Llvm(load @ LlvmDialect::Load { .. }), Some((_, LlvmType::Struct(ty)))) => {
                self.load(load, ty)
            }
            (LlvmOp::Llvm(store @ LlvmDialect::Store { value, .. }), _) => match *from.ty(*value) {
                LlvmType::Struct(ty) => return self.store(store, ty),
                _ => return self.keep(id),
            },
            _ => return self.keep(id),
        };
        self.leaves.set(op.result(0), bound);
    }

    /// Copies an op; what it has and gives together becomes several.
    fn keep(&mut self, id: OpId) {
        let op = self.from.op(id);
        let mut kind = op.kind.clone();
        kind.remap(self);
        let types: Vec<Vec<LlvmType>> = op.results().map(|result| self.from.ty(result).leaves()).collect();
        let new = self.build().op(kind, types.iter().flatten().copied());
        let mut results = self.to.op(new).results();
        for (old, types) in op.results().zip(types) {
            let leaves = results.by_ref().take(types.len()).map(Part::Value).collect();
            self.leaves.set(old, leaves);
        }
    }

    fn load(&mut self, load: &LlvmDialect, ty: StructType) -> Few<Part> {
        let others = match load {
            LlvmDialect::Load {
                other: Some(other), ..
            } => self.values_of(*other),
            _ => Few::new(),
        };
        let mut loaded = Few::new();
        for (at, leaf) in places(ty).into_iter().enumerate() {
            let mut kind = load.clone();
            kind.remap(self);
            if let LlvmDialect::Load {
                pointer,
                other,
                align,
                ..
            } = &mut kind
            {
                *pointer = self.moved(*pointer, leaf.offset);
                *align = alignment(*align, leaf.offset);
                *other = others.get(at).copied();
            }
            loaded.push(Part::Value(self.build().value(kind, leaf.ty)));
        }
        loaded
    }

    fn store(&mut self, store: &LlvmDialect, ty: StructType) {
        let values = match store {
            LlvmDialect::Store { value, .. } => self.values_of(*value),
            _ => Few::new(),
        };
        for (leaf, new) in places(ty).into_iter().zip(values) {
            let mut kind = store.clone();
            kind.remap(self);
            if let LlvmDialect::Store {
                pointer,
                value,
                align,
                ..
            } = &mut kind
            {
                *pointer = self.moved(*pointer, leaf.offset);
                *align = alignment(*align, leaf.offset);
                *value = new;
            }
            self.build().effect(kind);
        }
    }

    /// A new pointer plus a number of bytes.
    fn moved(&mut self, base: Value, bytes: u32) -> Value {
        if bytes == 0 {
            return base;
        }
        let ty = *self.to.ty(base);
        let address = LlvmDialect::GetElementPtr {
            base,
            index: None,
            scale: 1,
            offset: i64::from(bytes),
        };
        self.build().value(address, ty)
    }
}

/// The places of the leaves of a struct in memory. The verifier has checked that it can be there.
fn places(ty: StructType) -> Vec<Leaf> {
    ty.places().unwrap_or_default()
}

/// The alignment of an address at an offset from one that is aligned.
fn alignment(align: u32, offset: u32) -> u32 {
    match offset {
        0 => align,
        _ => align.min(1 << offset.trailing_zeros()),
    }
}

impl Remap for Dissolve<'_> {
    fn value(&mut self, value: Value) -> Value {
        match self.of(value).first() {
            Some(&part) => self.made(part),
            None => value,
        }
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        *values = values.iter().flat_map(|&value| self.values_of(value)).collect();
    }
    fn block(&mut self, block: Block) -> Block {
        self.blocks.get(block).copied().unwrap_or(block)
    }
}
