//! The state of instruction selection.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Block, Body, Builder, Entity, Func, OpId, Operation, Origin, SideTable, Value};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Ftz, OpResult, Sat, Target, Type};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};
use tilewright_irs::nvvm::{Instruction as I, Nvvm, NvvmDialect, NvvmOp, NvvmType};

/// An error about the op with this origin.
pub(super) type Problem = Diagnostic<Origin>;

/// The selected form of a value.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// Its registers: one, or one for each element of a vector.
    Registers(Vec<Value>),
    /// A pointer: a register and an immediate byte offset.
    Address(Value, i32),
}

/// The state of the selection.
pub(super) struct Selector<'a> {
    pub(super) func: &'a Func<Llvm>,
    pub(super) from: &'a Body<Llvm>,
    pub(super) to: Body<Nvvm>,
    pub(super) target: Target,
    pub(super) block: Block,
    pub(super) origin: Origin,
    pub(super) blocks: SideTable<Block, Block>,
    definitions: SideTable<Value, OpId>,
    uses: Vec<u32>,
    bound: SideTable<Value, Bound>,
    /// The constants among the new values.
    literals: FxHashMap<Value, Literal>,
    /// For each part of a register that was unpacked to so many parts: the register and this part's place.
    unpacked: FxHashMap<(Value, usize), (Value, usize)>,
}

impl<'a> Selector<'a> {
    pub(super) fn new(func: &'a Func<Llvm>) -> Self {
        let from = &func.body;
        let mut to = Body::default();
        let root = to.root();
        // Replaced by the first real block.
        let block = from.entry().unwrap_or_else(|| to.add_block(root));
        let mut uses = vec![0; from.value_count()];
        for id in from.walk() {
            from.op(id).kind.operands(&mut |value| {
                if let Some(count) = uses.get_mut(value.index()) {
                    *count += 1;
                }
            });
        }
        Self {
            func,
            from,
            to,
            target: func.attrs.target,
            block,
            origin: Origin::FUNCTION,
            blocks: SideTable::new(0),
            definitions: from.definitions(),
            uses,
            bound: from.value_table(),
            literals: FxHashMap::default(),
            unpacked: FxHashMap::default(),
        }
    }

    /// An internal error: the input violates the pass's contract.
    pub(super) fn bug(&self, message: impl Into<String>) -> Problem {
        let reproduce = format!("tilewright pass select_instructions {}.llvm", self.func.name);
        Diagnostic::bug("nvvm", "select_instructions", message, &reproduce).at(self.origin, "")
    }

    /// Appends an op with one result.
    pub(super) fn emit(&mut self, op: impl Into<NvvmOp>, ty: NvvmType) -> Value {
        Builder::new(&mut self.to, self.block, self.origin).value(op, ty)
    }

    /// Appends an op with results of these types.
    pub(super) fn emit_many(&mut self, op: impl Into<NvvmOp>, types: Vec<NvvmType>) -> Vec<Value> {
        let id = Builder::new(&mut self.to, self.block, self.origin).op(op, types);
        self.to.op(id).results().collect()
    }

    /// Appends an op without results.
    pub(super) fn effect(&mut self, op: impl Into<NvvmOp>) {
        Builder::new(&mut self.to, self.block, self.origin).effect(op);
    }

    /// A constant in a register.
    pub(super) fn literal(&mut self, literal: Literal) -> Result<Value, Problem> {
        let ty = NvvmType::of_scalar(literal.ty)
            .ok_or_else(|| self.bug(format!("no register holds a constant of type `{}`", literal.ty)))?;
        let value = self.emit(NvvmDialect::Constant { value: literal }, ty);
        self.literals.insert(value, literal);
        Ok(value)
    }

    /// Remembers the parts that a register was unpacked to.
    pub(super) fn note_unpacked(&mut self, register: Value, parts: &[Value]) {
        for (at, &part) in parts.iter().enumerate() {
            self.unpacked.insert((part, parts.len()), (register, at));
        }
    }

    /// The register of which a new value is this one of so many parts.
    pub(super) fn unpacked_from(&self, part: Value, parts: usize, at: usize) -> Option<Value> {
        let (register, place) = *self.unpacked.get(&(part, parts))?;
        (place == at).then_some(register)
    }

    /// The constant value of a new value, if any.
    pub(super) fn literal_of(&self, value: Value) -> Option<Literal> {
        self.literals.get(&value).copied()
    }

    /// The type of an old value.
    pub(super) fn old_type(&self, value: Value) -> LlvmType {
        *self.from.ty(value)
    }

    /// The scalar type of an old value.
    pub(super) fn scalar(&self, value: Value) -> Result<ScalarType, Problem> {
        self.old_type(value)
            .scalar()
            .ok_or_else(|| self.bug("a scalar is needed here"))
    }

    /// The op that defines an old value.
    pub(super) fn definition(&self, value: Value) -> Option<&'a LlvmOp> {
        self.definitions.get(value).map(|&id| &self.from.op(id).kind)
    }

    /// The arithmetic that defines an old value.
    pub(super) fn arith_definition(&self, value: Value) -> Option<&'a ArithOp> {
        match self.definition(value) {
            Some(LlvmOp::Arith(op)) => Some(op),
            Some(LlvmOp::Math(_) | LlvmOp::Llvm(_) | LlvmOp::Target(_)) | None => None,
        }
    }

    /// The constant value of an old value, if any.
    pub(super) fn constant(&self, value: Value) -> Option<Literal> {
        match self.arith_definition(value) {
            Some(ArithOp::Constant { value }) => single(value),
            _ => None,
        }
    }

    /// Whether an old value is used exactly once.
    pub(super) fn used_once(&self, value: Value) -> bool {
        self.uses.get(value.index()) == Some(&1)
    }

    /// Whether an old value is used at all.
    pub(super) fn is_used(&self, value: Value) -> bool {
        self.uses.get(value.index()).is_some_and(|&uses| uses > 0)
    }

    /// Binds an old value to its selected form.
    pub(super) fn bind(&mut self, old: Value, bound: Bound) {
        self.bound.set(old, bound);
    }

    /// The selected form of an old value, with addresses not yet materialised.
    pub(super) fn bound(&self, old: Value) -> Result<Bound, Problem> {
        self.bound
            .get(old)
            .cloned()
            .ok_or_else(|| self.bug("a value is used before it is made"))
    }

    /// The registers of an old value.
    pub(super) fn registers(&mut self, old: Value) -> Result<Vec<Value>, Problem> {
        Ok(match self.bound(old)? {
            Bound::Registers(values) => values,
            Bound::Address(base, offset) => vec![self.sum(base, offset)?],
        })
    }

    /// The single register of an old value.
    pub(super) fn register(&mut self, old: Value) -> Result<Value, Problem> {
        match self.registers(old)?.as_slice() {
            [value] => Ok(*value),
            _ => Err(self.bug("a vector stands where a scalar is needed")),
        }
    }

    /// Materialises an address with its offset.
    pub(super) fn sum(&mut self, base: Value, offset: i32) -> Result<Value, Problem> {
        if offset == 0 {
            return Ok(base);
        }
        let ty = *self.to.ty(base);
        let (add, literal) = if ty.is_narrow_address() {
            (Type::S32, Literal::i32(offset))
        } else {
            (Type::S64, Literal::i64(i64::from(offset)))
        };
        let rhs = self.literal(literal)?;
        Ok(self.add(add, base, rhs, ty))
    }

    /// The register types of a type.
    pub(super) fn register_types(&self, ty: LlvmType) -> Result<Vec<NvvmType>, Problem> {
        let of = |scalar| {
            NvvmType::of_scalar(scalar)
                .ok_or_else(|| self.bug(format!("no register holds a number of type `{scalar}`")))
        };
        Ok(match ty {
            LlvmType::Scalar(scalar) => vec![of(scalar)?],
            LlvmType::Ptr(space) => vec![NvvmType::Ptr(space)],
            LlvmType::TensorMap => vec![NvvmType::TensorMap],
            LlvmType::Passed(passed) => vec![NvvmType::Passed(passed)],
            LlvmType::Struct(_) => return Err(self.bug("structs are dissolved before")),
            LlvmType::Vector(count, scalar) => vec![of(scalar)?; count as usize],
        })
    }

    /// Integer addition of operands in registers.
    pub(super) fn add(&mut self, ty: Type, lhs: Value, rhs: Value, result: NvvmType) -> Value {
        self.emit(
            I::Add {
                rounding: None,
                ftz: Ftz(false),
                sat: Sat(false),
                ty,
                d: OpResult,
                a: lhs,
                b: rhs,
            },
            result,
        )
    }
}

/// The only element of a constant.
pub(super) fn single(dense: &Dense) -> Option<Literal> {
    match dense {
        Dense::Splat(literal) => Some(*literal),
        Dense::Elements(ty, bits) => match bits.as_slice() {
            [bits] => Some(Literal::new(*ty, *bits)),
            _ => None,
        },
    }
}
