//! Rules of memory ops, shared by the languages whose memory ops access whole tiles.

use std::fmt::Display;

use tilewright_diagnostics::{Code, Diagnostic, counted, counted_as};

use super::access::Widest;
use super::boxes::Boxes;
use super::memory::{
    AtomicOp, AtomicOrdering, LoadPolicy, MemoryOrder, MemoryScope, Memref, Ordering, Padding, PrefetchSize,
    StorePolicy, TileAccess,
};
use super::tile_rules::ShapedType;
use crate::core::{
    Body, Language, OpData, Operation, Part, Problem, Problems, TermCodec, Value, ValueType, term_text,
};
use crate::element::{ElementType, ScalarType};
use crate::isa::Target;
use crate::isa::orders::{AccessOrder, Misordered, Ordered};

/// A value type that may be an array or a token.
pub trait MemoryType: ShapedType {
    /// The array, if it is one.
    fn memref(&self) -> Option<&Memref>;
    /// Whether it is a token.
    fn is_token(&self) -> bool;
}

/// Checks that the target has such groups of threads as the scope of an op names.
pub fn check_scope<L: Language>(
    op: &OpData<L>,
    scope: Option<MemoryScope>,
    target: Target,
    problems: &mut Problems,
) {
    if let Some(scope) = scope
        && let Err((code, message)) = scope.check(target)
    {
        problems.error_at(op.origin, op.part("scope"), code, message);
    }
}

/// The scope of an access that is ordered in one of these ways.
pub fn scope_of(ordering: Option<&Ordering>, atomic: Option<&AtomicOrdering>) -> Option<MemoryScope> {
    ordering.map_or_else(|| atomic.map(|atomic| atomic.scope), |ordering| ordering.scope)
}

/// Checks the order and the scope of an op that has each as a field of its own: a scope that is always there, or an optional one
/// beside an order.
pub(crate) fn check_order_and_scope<L: Language>(
    op: &OpData<L>,
    order: Option<&MemoryOrder>,
    fixed: Option<&MemoryScope>,
    optional: Option<&Option<MemoryScope>>,
    target: Target,
    problems: &mut Problems,
) {
    let scope = fixed.copied().or_else(|| *optional?);
    check_scope(op, scope, target, problems);
    if let (Some(&order), Some(&scope)) = (order, optional) {
        let access = Ordered::by(op.kind.spec().properties.effects);
        check_ordering(op, (access, order.into(), scope), problems);
    }
}

/// How an access uses the caches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caching {
    /// Its policy's word, and whether that is an operation.
    policy: Option<(&'static str, bool)>,
    prefetches: bool,
    /// Whether it has a policy of the L2 cache.
    hints: bool,
}

impl Caching {
    /// That of a load, with a policy of the L2 cache or not.
    pub(crate) fn of_load(policy: Option<LoadPolicy>, prefetch: Option<PrefetchSize>, hints: bool) -> Self {
        Self {
            policy: policy.map(|policy| (policy.word(), policy.is_operation())),
            prefetches: prefetch.is_some(),
            hints,
        }
    }

    /// That of a store, with a policy of the L2 cache or not.
    pub(crate) fn of_store(policy: Option<StorePolicy>, hints: bool) -> Self {
        Self {
            policy: policy.map(|policy| (policy.word(), policy.is_operation())),
            prefetches: false,
            hints,
        }
    }

    /// Checks it for an access of an order, of global memory or not.
    ///
    /// # Errors
    /// The attribute of the op that is wrong, and why.
    pub(crate) fn check(self, order: MemoryOrder, is_global: bool) -> Result<(), (&'static str, String)> {
        match self.policy {
            Some((word, _)) if !is_global => Err((
                "cache",
                format!("an access with a cache policy is one of global memory, and this one has `{word}`"),
            )),
            Some((word, true)) if order != MemoryOrder::Weak => Err((
                "cache",
                format!(
                    "only a weak access has a cache operation: `{word}` is one, and the order is `{order}`"
                ),
            )),
            _ if self.prefetches && !is_global => Err((
                "prefetch",
                "a load that fetches more into the L2 cache is one from global memory".to_owned(),
            )),
            _ if self.hints && !is_global => Err((
                "cache_policy",
                "an access with a policy of the L2 cache is one of global memory".to_owned(),
            )),
            _ => Ok(()),
        }
    }
}

/// Checks how an op that has the attributes `cache` and `prefetch` uses the caches.
pub(crate) fn check_caching<L: Language>(
    op: &OpData<L>,
    caching: Caching,
    order: MemoryOrder,
    is_global: bool,
    problems: &mut Problems,
) {
    if let Err((field, message)) = caching.check(order, is_global) {
        problems.error_at(op.origin, op.part(field), Code::AttributeValue, message);
    }
}

/// Verifies one memory op.
#[derive(Debug)]
pub struct MemoryRules<'a, L: Language> {
    /// The op's body.
    pub body: &'a Body<L>,
    /// The op.
    pub op: &'a OpData<L>,
    /// Receives the errors.
    pub problems: &'a mut Problems,
}

/// Checks the order and the scope of an access at the op's attributes `order` and `scope`; returns whether they fit.
pub(crate) fn check_ordering<L: Language>(
    op: &OpData<L>,
    (access, order, scope): (Ordered, AccessOrder, Option<impl Display>),
    problems: &mut Problems,
) -> bool {
    let Err(wrong) = access.check(order, scope.as_ref()) else {
        return true;
    };
    let (field, code, message, label) = match (wrong, scope) {
        (Misordered::NoScope, _) => (
            "order",
            Code::MissingAttribute,
            format!("an access that is `{order}` has a scope, and this one has none"),
            "needs a `scope`",
        ),
        (Misordered::Scope, Some(scope)) => (
            "scope",
            Code::AttributeValue,
            format!("a weak access has no scope, and this one has `{scope}`"),
            "a scope without an order",
        ),
        (Misordered::Order | Misordered::Scope, _) => {
            let orders: Vec<_> = access.orders().iter().map(|order| order.word()).collect();
            let noun = match access {
                Ordered::Load => "a load",
                Ordered::Store => "a store",
                Ordered::Reduction => "a reduction",
                Ordered::Copy => "an asynchronous copy",
            };
            (
                "order",
                Code::AttributeValue,
                format!("the order of {noun} is one of {}, not {order}", orders.join(", ")),
                "no order of such an access",
            )
        }
    };
    problems.list.push(Problem {
        diagnostic: Diagnostic::error(code, message).at(op.origin, label),
        part: op.part(field),
    });
    false
}

impl<L: Language<Type: MemoryType>> MemoryRules<'_, L> {
    pub(crate) fn error_at(&mut self, part: Part, code: Code, message: impl Into<String>) {
        self.problems.error_at(self.op.origin, part, code, message);
    }

    /// The part of the op that a value is: an operand, else the first result.
    fn of(&self, value: Value) -> Part {
        match self.op.operand(value) {
            Part::Op => Part::Result(0),
            operand => operand,
        }
    }

    fn single_integer(&self, value: Value) -> bool {
        let ty = self.body.ty(value);
        ty.is_single()
            && ty
                .element()
                .and_then(ElementType::scalar)
                .is_some_and(ScalarType::is_int)
    }

    /// Checks the order and the scope of an access; `by` is the word of the asynchronous copy that does it, if one does.
    pub fn ordering(&mut self, ordering: &Ordering, by: Option<&str>) {
        let order = AccessOrder::from(ordering.order);
        let Some(word) = by.filter(|_| Ordered::Copy.check(order, ordering.scope) == Err(Misordered::Order))
        else {
            let access = Ordered::by(self.op.kind.spec().properties.effects);
            check_ordering(self.op, (access, order, ordering.scope), self.problems);
            return;
        };
        let message = format!("`{word}` copies asynchronously: such an access is weak, not {order}");
        let diagnostic = Diagnostic::error(Code::ConflictingAttributes, message)
            .at(self.op.origin, format!("`{word}` has no such order"))
            .help("leave it to the compiler how the access is done, or choose one that ends at once");
        self.problems.list.push(Problem {
            diagnostic,
            part: self.op.part("order"),
        });
    }

    /// Checks that an optional operand is a token.
    pub fn after(&mut self, token: Option<Value>) {
        if let Some(token) = token.filter(|&token| !self.body.ty(token).is_token()) {
            self.error_at(
                self.op.operand(token),
                Code::OperandType,
                "memory operations wait for tokens only",
            );
        }
    }

    /// Checks that result `n` is a token.
    pub fn result_token(&mut self, n: usize) {
        if !self.body.ty(self.op.result(n)).is_token() {
            self.error_at(
                Part::result(n),
                Code::TypeMismatch,
                format!("result {n} must be a token"),
            );
        }
    }

    /// Checks a fence.
    pub fn fence(&mut self, after: Option<Value>) {
        self.after(after);
        self.result_token(0);
    }

    /// Checks a memref with its base pointer and its dynamic extents and strides.
    pub fn memref(&mut self, base: Value, extents: &[Value], strides: &[Value]) {
        let body = self.body;
        let Some(memref) = body.ty(self.op.result(0)).memref() else {
            self.error_at(Part::Result(0), Code::TypeMismatch, "the result must be a memref");
            return;
        };
        let base_is = self.op.part("base");
        let base = body.ty(base);
        if !base.is_single() || base.element() != Some(ElementType::Ptr(memref.element)) {
            self.error_at(
                base_is,
                Code::OperandType,
                format!("the base of this memref is a `ptr<{}>`", memref.element),
            );
        }
        let counts = [
            ("extent", "extents", extents, memref.dynamic_extents()),
            ("stride", "strides", strides, memref.dynamic_strides()),
        ];
        for (what, field, values, wanted) in counts {
            if values.len() != wanted {
                let message = format!(
                    "the type leaves {} open, the op gives {}",
                    counted(wanted, what),
                    values.len()
                );
                self.error_at(self.op.part(field), Code::OperandCount, message);
            }
            if let Some(wrong) = values.iter().position(|&value| !self.single_integer(value)) {
                let message = format!("{what}s are single integers");
                self.error_at(self.op.part(field).entry(wrong), Code::OperandType, message);
            }
        }
    }

    /// Checks a tile that is loaded from or stored to an array, in these boxes if tensor copies do that.
    fn tiled(&mut self, at: &TileAccess, tile: Value, boxes: Option<&Boxes>) {
        let body = self.body;
        let ty = body.ty(tile);
        let (Some(shape), Some(element)) = (ty.extents(), ty.element()) else {
            self.error_at(self.of(tile), Code::OperandType, "a tiled access moves a tile");
            return;
        };
        self.tiled_as(at, self.of(tile), (shape, element), boxes);
    }

    /// Checks a tile with these extents and elements at an index of an array; `tile` is the part of the op at which
    /// errors are reported.
    pub fn tiled_as(
        &mut self,
        at: &TileAccess,
        tile: Part,
        (shape, element): (&[u32], ElementType),
        boxes: Option<&Boxes>,
    ) {
        let TileAccess {
            memref,
            index,
            dim_map,
            steps,
            inbounds,
            ..
        } = at;
        let body = self.body;
        let Some(memref) = body.ty(*memref).memref() else {
            self.error_at(
                self.op.part("memref"),
                Code::OperandType,
                "the array of a tiled access is a memref",
            );
            return;
        };
        let rank = memref.rank();
        let counts = [
            shape.len(),
            index.len(),
            dim_map.len(),
            steps.len(),
            inbounds.len(),
        ];
        if counts.iter().any(|&n| n != rank) {
            let message = format!(
                "an access to an array of {} has a tile of {}, {}, {}, {} and {}",
                counted(rank, "dimension"),
                counts[0],
                counted_as(counts[1], "index", "indices"),
                counted_as(counts[2], "mapped axis", "mapped axes"),
                counted(counts[3], "step"),
                counted(counts[4], "in-bounds promise")
            );
            let fields = ["index", "dim_map", "steps", "inbounds"].map(|field| self.op.part(field));
            let parts = std::iter::once(tile).chain(fields).zip(counts);
            let wrong = parts.into_iter().find(|(_, count)| *count != rank);
            let part = wrong.map_or(Part::Op, |(part, _)| part);
            self.error_at(part, Code::RankMismatch, message);
            return;
        }
        let mut axes = dim_map.clone();
        axes.sort_unstable();
        if !axes.iter().enumerate().all(|(i, &axis)| axis as usize == i) {
            self.error_at(
                self.op.part("dim_map"),
                Code::BadDimMap,
                format!(
                    "{dim_map:?} is not a permutation of {}",
                    counted_as(rank, "axis", "axes")
                ),
            );
        }
        if let Some(zero) = steps.iter().position(|&step| step == 0) {
            let part = self.op.part("steps").entry(zero);
            self.error_at(part, Code::AttributeValue, "a step between tiles is at least 1");
        }
        let wanted = boxes.map_or(memref.element, |boxes| boxes.element(memref.element));
        if element != ElementType::Scalar(wanted) {
            let rounded = match wanted == memref.element {
                true => String::new(),
                false => format!(", rounded to `{wanted}`"),
            };
            let message = format!(
                "the array holds `{}`{rounded}, the tile `{}`",
                memref.element,
                term_text(&element.write())
            );
            self.error_at(tile, Code::TypeMismatch, message);
        }
        if let Some(wrong) = index.iter().position(|&value| !self.single_integer(value)) {
            self.error_at(
                self.op.part("index").entry(wrong),
                Code::OperandType,
                "an index of a tiled access is a single integer",
            );
        }
    }

    /// Checks a load of a tile of an array, in these boxes if tensor copies do it, which yields the tile and a token.
    pub fn load(&mut self, at: &TileAccess, after: Option<Value>, boxes: Option<&Boxes>) {
        self.after(after);
        self.result_token(1);
        let result = self.op.result(0);
        self.tiled(at, result, boxes);
        self.padding(at.padding, result);
    }

    /// Checks a store of a tile to an array, or another op that only writes to one; it yields a token.
    pub fn store(&mut self, at: &TileAccess, value: Value, after: Option<Value>) {
        self.after(after);
        self.result_token(0);
        self.tiled(at, value, None);
        self.unpadded(at);
    }

    /// Checks that an access that writes to an array has no padding.
    pub fn unpadded(&mut self, at: &TileAccess) {
        if at.padding.is_some() {
            self.error_at(
                self.op.part("padding"),
                Code::BadPaddingValue,
                "what is out of bounds is not written: only loads have `padding`",
            );
        }
    }

    /// Checks a load through pointers, which yields the elements and a token.
    pub fn gather(
        &mut self,
        pointers: Value,
        mask: Option<Value>,
        other: Option<Value>,
        after: Option<Value>,
    ) {
        self.after(after);
        self.result_token(1);
        let result = self.op.result(0);
        self.pointers(pointers, result, mask);
        self.other(other, result);
    }

    /// Checks a store through pointers, whose token is result `token`.
    pub fn scatter(
        &mut self,
        pointers: Value,
        value: Value,
        mask: Option<Value>,
        after: Option<Value>,
        token: usize,
    ) {
        self.after(after);
        self.result_token(token);
        self.pointers(pointers, value, mask);
    }

    /// Checks an atomic access through pointers, which yields the old values and a token.
    pub fn update(&mut self, pointers: Value, value: Value, mask: Option<Value>, after: Option<Value>) {
        self.scatter(pointers, value, mask, after, 1);
        self.was_there(value);
    }

    /// Checks that an atomic operation exists for the elements of its operand.
    pub fn atomic(&mut self, atomic: AtomicOp, value: Value) {
        let element = self.body.ty(value).element().and_then(ElementType::scalar);
        if !element.is_some_and(|element| atomic.takes(element)) {
            let element = element.map_or("pointers", |element| element.word());
            self.error_at(
                self.op.part("op"),
                Code::BadElementType,
                format!("there is no atomic `{atomic}` of `{element}`"),
            );
        }
    }

    /// Checks that arrays with the elements of `data` may be stored to through multicast addresses.
    pub fn replicas(&mut self, data: Value) {
        let element = self.body.ty(data).element().and_then(ElementType::scalar);
        if !element.is_some_and(AtomicOp::has_replicas) {
            let element = element.map_or("pointers", |element| element.word());
            self.error_at(
                self.of(data),
                Code::BadElementType,
                format!("there are no replicas of `{element}`"),
            );
        }
    }

    /// Checks that loads through multicast addresses can combine replicas with the elements of `data` by this
    /// operation.
    pub fn loads_replicas(&mut self, combination: AtomicOp, data: Value) {
        let element = self.body.ty(data).element().and_then(ElementType::scalar);
        if !element.is_some_and(|element| combination.loads_replicas(element)) {
            let element = element.map_or("pointers", |element| element.word());
            let message = format!("replicas of `{element}` cannot be combined by `{combination}`");
            self.error_at(self.op.part("op"), Code::BadElementType, message);
        }
    }

    /// Checks that reductions through multicast addresses exist for this operation and the elements of `value`.
    pub fn updates_replicas(&mut self, combination: AtomicOp, value: Value) {
        let element = self.body.ty(value).element().and_then(ElementType::scalar);
        if !element.is_some_and(|element| combination.updates_replicas(element)) {
            let element = element.map_or("pointers", |element| element.word());
            let message = format!("`{combination}` does not update replicas of `{element}`");
            self.error_at(self.op.part("op"), Code::BadElementType, message);
        }
    }

    /// Checks the operands of a compare-and-swap.
    pub fn swap(&mut self, compare: Value, value: Value) {
        if self.body.ty(compare).bare() != self.body.ty(value).bare() {
            self.error_at(
                self.op.part("compare"),
                Code::TypeMismatch,
                "`compare` has the type of the value",
            );
        }
        self.atomic(AtomicOp::Exchange, value);
    }

    /// Checks the first result of an atomic access, the old values.
    fn was_there(&mut self, value: Value) {
        if self.body.ty(self.op.result(0)).bare() != self.body.ty(value).bare() {
            self.error_at(
                Part::Result(0),
                Code::TypeMismatch,
                "an atomic access gives what was there, in the type of the value",
            );
        }
    }

    /// Checks a join of tokens.
    pub fn join(&mut self, tokens: &[Value]) {
        self.result_token(0);
        tokens.iter().for_each(|&token| self.after(Some(token)));
    }

    /// Checks that the loaded type can represent a padding value.
    fn padding(&mut self, padding: Option<Padding>, tile: Value) {
        let element = self.body.ty(tile).element().and_then(ElementType::scalar);
        if let (Some(padding), Some(scalar)) = (padding, element)
            && padding.bits(scalar).is_none()
        {
            self.error_at(
                self.op.part("padding"),
                Code::BadPaddingValue,
                format!("`{scalar}` has no padding value `{padding}`"),
            );
        }
    }

    /// Checks that the axes of an access's `Widest` are those of its data.
    pub fn widest(&mut self, access: Option<&Widest>, data: Value) {
        let rank = self.body.ty(data).extents().map_or(0, <[u32]>::len);
        if let Some(widest) = access.filter(|widest| widest.order.len() != rank) {
            let message = format!(
                "the `access` is about {}, the data has {rank}",
                counted_as(widest.order.len(), "axis", "axes")
            );
            self.error_at(self.op.part("access"), Code::RankMismatch, message);
        }
    }

    /// Checks pointers, the data they point to, and a mask.
    fn pointers(&mut self, pointers: Value, data: Value, mask: Option<Value>) {
        let body = self.body;
        let ty = body.ty(pointers).bare();
        let data = body.ty(data).bare();
        let fits = match ty.element() {
            Some(ElementType::Ptr(pointee)) => ty.with_element(ElementType::Scalar(pointee)) == data,
            Some(ElementType::Scalar(_)) | None => false,
        };
        if !fits {
            let (ty, data) = (term_text(&ty.write()), term_text(&data.write()));
            self.error_at(
                self.op.part("pointers"),
                Code::TypeMismatch,
                format!("pointers `{ty}` do not point to data `{data}`"),
            );
        }
        if mask.is_some_and(|mask| body.ty(mask).bare() != ty.with_element(ElementType::I1)) {
            self.error_at(
                self.op.part("mask"),
                Code::TypeMismatch,
                "the mask is i1 in the shape of the pointers",
            );
        }
    }

    /// Checks the value that a load gives where the mask is 0.
    fn other(&mut self, other: Option<Value>, result: Value) {
        if other.is_some_and(|other| self.body.ty(other).bare() != self.body.ty(result).bare()) {
            self.error_at(
                self.op.part("other"),
                Code::TypeMismatch,
                "`other` has the type of the result",
            );
        }
    }

    /// Checks the rank of a block in its cluster.
    pub fn block_rank(&mut self) {
        let ty = self.body.ty(self.op.result(0));
        if !ty.is_single() || ty.element() != Some(ElementType::I32) {
            self.error_at(
                Part::Result(0),
                Code::TypeMismatch,
                "the rank of a block is an i32",
            );
        }
    }

    /// Checks an axis of the grid.
    pub fn grid_axis(&mut self, axis: u32) {
        if axis > 2 {
            self.error_at(
                self.op.part("axis"),
                Code::AttributeValue,
                format!("a grid has axes 0 to 2, not {axis}"),
            );
        }
        let ty = self.body.ty(self.op.result(0));
        if !ty.is_single() || ty.element() != Some(ElementType::I32) {
            self.error_at(Part::Result(0), Code::TypeMismatch, "a grid coordinate is an i32");
        }
    }
}
