//! Helpers that emit common ops of this lowering.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Builder, OpId, Origin, Translated, Translation, Value};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, Signedness};
use tilewright_irs::dialects::copies::CopiesOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::L2Eviction;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileas::TileAsType;
use tilewright_layouts::Dim;

use super::placement::positions;

/// The translation state of this lowering.
pub(super) type Cx<'a> = Translation<'a, Scheduled, CuteDesugared>;

/// A 32-bit integer.
pub(super) const I32: DesugaredType = DesugaredType::Scalar(ElementType::I32);
/// A 64-bit integer.
pub(super) const I64: DesugaredType = DesugaredType::Scalar(ElementType::I64);
/// A Boolean.
pub(super) const I1: DesugaredType = DesugaredType::Scalar(ElementType::I1);

/// The type of a scalar's or tile's fragment.
pub(super) fn fragment_type(ty: &TileAsType) -> Option<DesugaredType> {
    match ty {
        TileAsType::Scalar(element) => Some(DesugaredType::Scalar(*element)),
        TileAsType::Tile { element, layout, .. } => {
            Some(DesugaredType::Fragment(layout.in_size(Dim::Register), *element))
        }
        TileAsType::Memref(_)
        | TileAsType::Buffer(_)
        | TileAsType::Pending(_)
        | TileAsType::TensorMap
        | TileAsType::MapParameter(_)
        | TileAsType::Token
        | TileAsType::Pipe(_) => None,
    }
}

/// The type of so many registers of a scalar or a tile.
pub(super) fn with_registers(ty: DesugaredType, registers: usize) -> DesugaredType {
    match ty {
        DesugaredType::Fragment(_, element) => DesugaredType::Fragment(count(registers), element),
        DesugaredType::Scalar(_)
        | DesugaredType::SharedPtr(_)
        | DesugaredType::Cute(_)
        | DesugaredType::TileIterator(_)
        | DesugaredType::TmaDescriptor(_)
        | DesugaredType::Pipe(_) => ty,
    }
}

/// Binds what an access gives for these registers, which are without replicas, to the first result of its op.
pub(super) fn bind_accessed(cx: &mut Cx<'_>, id: OpId, given: Value, registers: &[u32]) -> Translated {
    let result = cx.old(id).result(0);
    let value = match cx.from.ty(result).layout() {
        Some(layout) => {
            let Some(from) = positions(layout, registers) else {
                return Err(bug(cx.origin(), "an access leaves out a register"));
            };
            at(cx).rearrange(given, from)
        }
        None => given,
    };
    cx.bind(result, [value]);
    Ok(())
}

/// A bug of an earlier pass.
pub(super) fn bug(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::bug(
        "scheduled",
        "lower_fragments",
        message,
        "tilewright --verify-each FILE",
    )
    .at(origin, "")
}

/// Unsupported constructs.
pub(super) fn unsupported(origin: Origin, message: impl Into<String>) -> Diagnostic<Origin> {
    Diagnostic::error(Code::UnsupportedFeature, message).at(origin, "")
}

/// The error for an op or an atom without a lowering.
pub(super) fn not_yet(origin: Origin, name: &str) -> Diagnostic<Origin> {
    unsupported(origin, format!("`{name}` is not lowered yet"))
}

/// Emits ops at the insertion point.
pub(super) struct Emit<'b>(pub(super) Builder<'b, CuteDesugared>);

/// An emitter at the insertion point of a translation.
pub(super) fn at<'b>(cx: &'b mut Cx<'_>) -> Emit<'b> {
    Emit(cx.build())
}

/// The policy, an i64, that lines of the L2 cache are evicted by; `None` for that of other lines.
pub(super) fn cache_policy(cx: &mut Cx<'_>, eviction: Option<L2Eviction>) -> Option<Value> {
    let policy = CopiesOp::CreatePolicy {
        fraction: None,
        eviction: eviction?,
        otherwise: None,
    };
    Some(cx.value(policy, DesugaredType::Scalar(ElementType::I64)))
}

/// The fragment gathered from registers of others; `None` without registers.
pub(super) fn gathered(cx: &mut Cx<'_>, places: &[(Value, u32)]) -> Option<Value> {
    let (first, _) = *places.first()?;
    let mut emit = at(cx);
    if places.iter().all(|(value, _)| *value == first) {
        return Some(emit.rearrange(first, places.iter().map(|(_, i)| *i).collect()));
    }
    let elements = places.iter().map(|&(value, i)| emit.extract(value, i)).collect();
    emit.fragment(elements)
}

/// Runs `then` where the condition holds. The results are the values that it gives, of these types, and there
/// the given ones elsewhere.
pub(super) fn when(
    cx: &mut Cx<'_>,
    condition: Value,
    otherwise: &[(DesugaredType, Value)],
    then: impl FnOnce(&mut Cx<'_>) -> Result<Vec<Value>, Diagnostic<Origin>>,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    let mut build = cx.build();
    let (yes, yes_block, _) = build.region([]);
    let (no, no_block, _) = build.region([]);
    cx.within(yes_block, |cx| {
        let values = then(cx)?;
        cx.build().effect(ScfOp::Yield { values });
        Ok(())
    })?;
    cx.within(no_block, |cx| {
        let values = otherwise.iter().map(|(_, value)| *value).collect();
        cx.build().effect(ScfOp::Yield { values });
    });
    let op = ScfOp::If {
        condition,
        then: yes,
        otherwise: no,
    };
    let types = otherwise.iter().map(|(ty, _)| ty.clone());
    let made = cx.build().op(op, types);
    Ok(cx.new_body().op(made).results().collect())
}

impl Emit<'_> {
    fn constant(&mut self, literal: Literal) -> Value {
        let ty = DesugaredType::Scalar(ElementType::Scalar(literal.ty));
        let value = Dense::Splat(literal);
        self.0.value(ArithOp::Constant { value }, ty)
    }

    pub(super) fn i32(&mut self, value: u32) -> Value {
        self.constant(Literal::new(ScalarType::I32, u64::from(value)))
    }

    pub(super) fn i1(&mut self, value: bool) -> Value {
        self.constant(Literal::new(ScalarType::I1, u64::from(value)))
    }

    pub(super) fn i64(&mut self, value: u64) -> Value {
        self.constant(Literal::new(ScalarType::I64, value))
    }

    pub(super) fn add(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, overflow) = (self.0.ty(lhs).clone(), Overflow::Wraps);
        self.0.value(ArithOp::AddI { lhs, rhs, overflow }, ty)
    }

    /// The sum of terms, if there are any.
    pub(super) fn sum(&mut self, terms: impl IntoIterator<Item = Value>) -> Option<Value> {
        terms.into_iter().reduce(|sum, term| self.add(sum, term))
    }

    pub(super) fn sub(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, overflow) = (self.0.ty(lhs).clone(), Overflow::Wraps);
        self.0.value(ArithOp::SubI { lhs, rhs, overflow }, ty)
    }

    pub(super) fn mul(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, overflow) = (self.0.ty(lhs).clone(), Overflow::Wraps);
        self.0.value(ArithOp::MulI { lhs, rhs, overflow }, ty)
    }

    /// A 64-bit value times a constant.
    pub(super) fn scale(&mut self, value: Value, factor: u64) -> Value {
        if factor == 1 {
            return value;
        }
        let factor = self.i64(factor);
        self.mul(value, factor)
    }

    pub(super) fn and(&mut self, lhs: Value, rhs: Value) -> Value {
        let ty = self.0.ty(lhs).clone();
        self.0.value(ArithOp::AndI { lhs, rhs }, ty)
    }

    /// The conjunction of two optional conditions.
    pub(super) fn both(&mut self, lhs: Option<Value>, rhs: Option<Value>) -> Option<Value> {
        match (lhs, rhs) {
            (Some(lhs), Some(rhs)) => Some(self.and(lhs, rhs)),
            (one, None) | (None, one) => one,
        }
    }

    pub(super) fn or(&mut self, lhs: Value, rhs: Value) -> Value {
        let ty = self.0.ty(lhs).clone();
        self.0.value(ArithOp::OrI { lhs, rhs }, ty)
    }

    pub(super) fn xor(&mut self, lhs: Value, rhs: Value) -> Value {
        let ty = self.0.ty(lhs).clone();
        self.0.value(ArithOp::XorI { lhs, rhs }, ty)
    }

    /// An unsigned 32-bit number, shifted to the right.
    pub(super) fn shift_right(&mut self, lhs: Value, amount: u32) -> Value {
        if amount == 0 {
            return lhs;
        }
        let (rhs, signedness) = (self.i32(amount), Signedness::Unsigned);
        self.0.value(ArithOp::ShrI { lhs, rhs, signedness }, I32)
    }

    /// The minimum of two unsigned numbers.
    pub(super) fn min(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, signedness) = (self.0.ty(lhs).clone(), Signedness::Unsigned);
        self.0.value(ArithOp::MinI { lhs, rhs, signedness }, ty)
    }

    pub(super) fn max_signed(&mut self, lhs: Value, rhs: Value) -> Value {
        let (ty, signedness) = (self.0.ty(lhs).clone(), Signedness::Signed);
        self.0.value(ArithOp::MaxI { lhs, rhs, signedness }, ty)
    }

    /// Compares unsigned numbers.
    pub(super) fn compare(&mut self, lhs: Value, predicate: Predicate, rhs: Value) -> Value {
        let signedness = Signedness::Unsigned;
        let op = ArithOp::CmpI {
            lhs,
            rhs,
            predicate,
            signedness,
        };
        self.0.value(op, I1)
    }

    /// Whether a value is a 64-bit integer.
    pub(super) fn is_i64(&self, value: Value) -> bool {
        *self.0.ty(value) == I64
    }

    pub(super) fn is_i32(&self, value: Value) -> bool {
        *self.0.ty(value) == I32
    }

    /// An unsigned integer extended to 64 bits.
    pub(super) fn widen(&mut self, source: Value) -> Value {
        if self.is_i64(source) {
            return source;
        }
        let signedness = Signedness::Unsigned;
        self.0.value(ArithOp::ExtI { source, signedness }, I64)
    }

    /// The low 32 bits of a 64-bit value.
    pub(super) fn narrow(&mut self, source: Value) -> Value {
        self.0.value(ArithOp::TruncI { source }, I32)
    }

    pub(super) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let ty = self.0.ty(yes).clone();
        self.0.value(ArithOp::Select { condition, yes, no }, ty)
    }

    /// The index of a coordinate; trailing zero bases are dropped.
    pub(super) fn linear_index(&mut self, coord: Value, mut bases: Vec<i64>, ty: DesugaredType) -> Value {
        while bases.last() == Some(&0) {
            bases.pop();
        }
        if bases.is_empty() {
            return if ty == I64 { self.i64(0) } else { self.i32(0) };
        }
        self.0.value(FragmentOp::LinearIndex { coord, bases }, ty)
    }

    pub(super) fn thread_idx(&mut self) -> Value {
        self.0.value(GpuOp::ThreadIdx { axis: None }, I32)
    }

    pub(super) fn fragment(&mut self, elements: Vec<Value>) -> Option<Value> {
        let element = elements
            .first()
            .and_then(|&e| tilewright_irs::core::ValueType::element(self.0.ty(e)))?;
        let ty = DesugaredType::Fragment(count(elements.len()), element);
        Some(self.0.value(FragmentOp::Make { elements }, ty))
    }

    pub(super) fn splat(&mut self, source: Value, count: u32, element: ElementType) -> Value {
        self.0.value(
            FragmentOp::Splat { source },
            DesugaredType::Fragment(count, element),
        )
    }

    /// The elements `from` of a fragment, or the fragment itself if those are all, in order.
    pub(super) fn rearrange(&mut self, source: Value, from: Vec<u32>) -> Value {
        let ty = self.0.ty(source).clone();
        let (DesugaredType::Fragment(have, element), n) = (ty, count(from.len())) else {
            return source;
        };
        if n == have && from.iter().copied().eq(0..n) {
            return source;
        }
        self.0.value(
            FragmentOp::Rearrange { source, from },
            DesugaredType::Fragment(n, element),
        )
    }

    pub(super) fn extract(&mut self, source: Value, index: u32) -> Value {
        match *self.0.ty(source) {
            DesugaredType::Fragment(_, element) => self.0.value(
                FragmentOp::Extract { source, index },
                DesugaredType::Scalar(element),
            ),
            DesugaredType::Scalar(_)
            | DesugaredType::SharedPtr(_)
            | DesugaredType::Cute(_)
            | DesugaredType::TileIterator(_)
            | DesugaredType::TmaDescriptor(_)
            | DesugaredType::Pipe(_) => source,
        }
    }

    pub(super) fn add_offset(&mut self, pointer: Value, offset: Value) -> Value {
        let ty = self.0.ty(pointer).clone();
        self.0.value(FragmentOp::AddOffset { pointer, offset }, ty)
    }
}

/// A length as the count of a fragment; tiles have at most 2^31 elements.
pub(super) fn count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
