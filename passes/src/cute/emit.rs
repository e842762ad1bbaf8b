//! Builds ops of `cute`, their result types inferred as a reader of the text infers them.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{
    Block, Builder, Flag, Func, OpId, Operation, Origin, Translate, Translated, Translation, Value,
    translate_func,
};
use tilewright_irs::cute_types::{CuteType, Dialect, Kind, Pointer, View, ViewLayout};
use tilewright_irs::mlir::dialects::{ArithOp, CuteOp, ScfOp, VectorOp};
use tilewright_irs::mlir::{Attribute, Dictionary, Mlir, MlirOp, Type, result_types};
use tilewright_layouts::cute::{Bits, Fact, Nested, SlotOf, TypeLayout};

/// The bits of the widest load and store of one thread.
pub(super) const WIDEST: u64 = 128;

/// A pass within `cute`.
pub(super) type Cx<'a> = Translation<'a, Mlir, Mlir>;

/// A problem of an op.
pub(super) type Problem = Diagnostic<Origin>;

/// Translates a function that has an op of those that `concerns` names; copies any other, which the pass would not change.
pub(super) fn translate_if(
    func: &Func<Mlir>,
    concerns: impl Fn(&MlirOp) -> bool,
    pass: &mut impl Translate<Mlir, Mlir>,
) -> Result<Func<Mlir>, Vec<Problem>> {
    match func.body.ops().any(|(_, op)| concerns(&op.kind)) {
        true => translate_func(func, func.attrs.clone(), pass),
        false => Ok(func.clone()),
    }
}

/// Copies an op with its own attributes.
pub(super) fn carry(
    cx: &mut Cx<'_>,
    id: OpId,
    pass: &mut (impl Translate<Mlir, Mlir> + ?Sized),
) -> Translated {
    let old = cx.old(id);
    cx.set_tag(old.tag.clone());
    let carried = cx.carry(id, &old.kind, pass);
    cx.set_tag(Dictionary::default());
    carried
}

/// A refusal of the op at `origin`.
pub(super) fn refused(code: Code, origin: Origin, message: impl Into<String>) -> Problem {
    Diagnostic::error(code, message).at(origin, "")
}

/// A place in a mode of a coordinate.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// The whole mode.
    All,
    /// A constant.
    At(i64),
    /// An `i32`.
    Of(Value),
}

/// A type of `cute`.
pub(super) fn cute(kind: Kind) -> Type {
    Type::Cute(CuteType::from(kind))
}

/// The type of memory as a tensor.
pub(super) fn view_of(ty: &Type) -> Option<&View> {
    match ty.kind()? {
        Kind::View(view) => Some(view),
        _ => None,
    }
}

/// The number of elements of a layout, if it is static.
pub(super) fn size_of(layout: &TypeLayout) -> Option<u64> {
    let size = layout.size().ok()?.value()?;
    u64::try_from(size).ok()
}

/// The type of a coordinate of such places.
pub(super) fn coord_type(places: &[Place]) -> Type {
    let slot = |place: &Place| match place {
        Place::All => SlotOf::All,
        Place::At(number) => SlotOf::At(Fact::Static(*number)),
        Place::Of(_) => SlotOf::At(Fact::opaque(Bits::B32)),
    };
    cute(Kind::Coord(match places {
        [only] => Nested::Leaf(slot(only)),
        several => Nested::Tuple(several.iter().map(|place| Nested::Leaf(slot(place))).collect()),
    }))
}

/// Builds ops for an op that is expanded.
pub(super) struct Emit<'a> {
    build: Builder<'a, Mlir>,
}

impl<'a> Emit<'a> {
    /// At the insertion point of a pass.
    pub(super) fn at<'f: 'a>(cx: &'a mut Cx<'f>) -> Self {
        Self { build: cx.build() }
    }

    /// The type of a value.
    pub(super) fn ty(&self, value: Value) -> &Type {
        self.build.ty(value)
    }

    /// The refusal of the op that is expanded.
    pub(super) fn refused(&self, code: Code, message: impl Into<String>) -> Problem {
        refused(code, self.build.origin, message)
    }

    /// An op without results.
    pub(super) fn effect(&mut self, op: impl Into<MlirOp>) {
        self.build.effect(op);
    }

    /// An op with a result of this type.
    pub(super) fn value(&mut self, op: impl Into<MlirOp>, ty: Type) -> Value {
        self.build.value(op, ty)
    }

    /// An op with one result, whose type follows from its operands and properties.
    ///
    /// # Errors
    /// It does not follow: the operands do not belong together.
    pub(super) fn algebra(&mut self, op: CuteOp) -> Result<Value, Problem> {
        let ty = self.inferred(&op)?;
        Ok(self.value(op, ty))
    }

    /// The type of the one result of an op.
    fn inferred(&self, op: &CuteOp) -> Result<Type, Problem> {
        let spec = op.mlir_spec();
        let operands = op.operand_list().into_iter();
        let operands: Vec<Type> = operands.map(|value| self.ty(value).clone()).collect();
        // What is expanded accesses memory, which the open dialect lacks.
        let types = result_types(Dialect::Library, spec, &operands, &op.properties());
        let types = types.unwrap_or_else(|| Ok(Vec::new()));
        let types = types.map_err(|message| self.refused(Code::OperandType, message))?;
        let only = types.into_iter().next();
        only.ok_or_else(|| self.refused(Code::ResultCount, format!("`{}` has no result", spec.name)))
    }

    /// An `i32`.
    pub(super) fn constant(&mut self, value: i64) -> Value {
        self.literal(Attribute::Integer(value, Type::I32), Type::I32)
    }

    /// A constant of this type.
    pub(super) fn literal(&mut self, value: Attribute, ty: Type) -> Value {
        self.value(ArithOp::Constant { value }, ty)
    }

    /// A coordinate.
    pub(super) fn coord(&mut self, places: &[Place]) -> Value {
        let dynamic = places.iter().filter_map(|place| match place {
            Place::Of(value) => Some(*value),
            Place::All | Place::At(_) => None,
        });
        let dynamic_elements = dynamic.collect();
        self.value(CuteOp::MakeCoord { dynamic_elements }, coord_type(places))
    }

    /// The part of a tensor at a coordinate.
    pub(super) fn slice(&mut self, input: Value, coord: Value) -> Result<Value, Problem> {
        self.algebra(CuteOp::Slice { input, coord })
    }

    /// Memory as a tensor, from a pointer and a layout.
    ///
    /// # Errors
    /// They are something else.
    pub(super) fn viewed(&mut self, iter: Value, layout: Value) -> Result<Value, Problem> {
        let own = match self.ty(layout).kind() {
            Some(Kind::Layout(layout)) => Some(ViewLayout::Plain(layout.clone())),
            Some(Kind::Composed(layout)) => Some(layout.clone()),
            _ => None,
        };
        let own = own.ok_or_else(|| self.refused(Code::OperandType, "a tensor needs a layout"))?;
        let pointer = self.pointer(iter)?;
        let view = View { pointer, layout: own };
        let layout = Some(layout);
        Ok(self.value(CuteOp::MakeView { iter, layout }, cute(Kind::View(view))))
    }

    /// A static layout.
    pub(super) fn layout(&mut self, layout: TypeLayout) -> Value {
        self.value(CuteOp::Static {}, cute(Kind::Layout(layout)))
    }

    /// The first `count` elements of a tensor in its order, and the others as a second mode.
    pub(super) fn divided(&mut self, input: Value, count: u64) -> Result<Value, Problem> {
        let stride = if count == 1 { 0 } else { 1 };
        let tiler = TypeLayout::strided(Fact::from(count), Fact::from(stride));
        let tiler = tiler.map_err(|error| self.refused(Code::OperandType, error.to_string()))?;
        let tiler = self.layout(tiler);
        self.algebra(CuteOp::LogicalDivide { input, tiler })
    }

    /// A tensor with the modes from `begin` on as one.
    pub(super) fn grouped(&mut self, input: Value, begin: i32) -> Result<Value, Problem> {
        let rank = i32::try_from(self.view(input)?.layout.layout().rank()).unwrap_or(i32::MAX);
        match begin + 1 < rank {
            true => self.algebra(CuteOp::GroupModes {
                input,
                begin,
                end: rank,
            }),
            false => Ok(input),
        }
    }

    /// What the type of a value says, which is memory as a tensor.
    pub(super) fn view(&self, value: Value) -> Result<View, Problem> {
        let ty = self.ty(value);
        let view = view_of(ty).cloned();
        view.ok_or_else(|| self.refused(Code::OperandType, format!("`{ty}` is no tensor in memory")))
    }

    /// What the type of a value says, which is a pointer.
    pub(super) fn pointer(&self, value: Value) -> Result<Pointer, Problem> {
        match self.ty(value).kind() {
            Some(Kind::Pointer(pointer)) => Ok(pointer.clone()),
            _ => {
                let message = format!("`{}` is no pointer", self.ty(value));
                Err(self.refused(Code::OperandType, message))
            }
        }
    }

    /// An element of a vector.
    pub(super) fn element(&mut self, source: Value, nth: u64, ty: &Type) -> Value {
        let op = VectorOp::Extract {
            source,
            dynamic: Vec::new(),
            position: vec![i64::try_from(nth).unwrap_or(i64::MAX)],
        };
        self.value(op, ty.clone())
    }

    /// Refuses modes of tensors of which it is known that their sizes differ.
    pub(super) fn same_size(&self, tensors: [Value; 2], modes: [usize; 2]) -> Result<(), Problem> {
        let [one, other] = tensors;
        let size = |tensor, mode| -> Result<Option<u64>, Problem> {
            let view = self.view(tensor)?;
            Ok(view
                .layout
                .layout()
                .mode(&[mode])
                .ok()
                .and_then(|mode| size_of(&mode)))
        };
        match (size(one, modes[0])?, size(other, modes[1])?) {
            (Some(a), Some(b)) if a != b => {
                let (one, other) = (self.ty(one), self.ty(other));
                let message = format!(
                    "mode {} of `{one}` has {a} elements, mode {} of `{other}` {b}",
                    modes[0], modes[1]
                );
                Err(self.refused(Code::LayoutsDiffer, message))
            }
            _ => Ok(()),
        }
    }

    /// The number of elements of a mode, or of all, to count to: a constant, or an `i32`.
    pub(super) fn size(&mut self, input: Value, mode: &[i32]) -> Result<Place, Problem> {
        let op = CuteOp::Size {
            input,
            mode: mode.to_vec(),
        };
        let ty = self.inferred(&op)?;
        match ty.kind() {
            Some(Kind::IntTuple(Nested::Leaf(Fact::Static(size)))) => Ok(Place::At(*size)),
            Some(Kind::IntTuple(Nested::Leaf(Fact::Dynamic { width: Bits::B32, .. }))) => {
                let cute_value = self.value(op, ty);
                let scalars = CuteOp::GetScalars {
                    cute_value,
                    only_dynamic: Flag(false),
                };
                Ok(Place::Of(self.value(scalars, Type::I32)))
            }
            _ => Err(self.refused(
                Code::UnsupportedFeature,
                format!(
                    "a mode whose number of elements is `{ty}`, not of 32 bits, is not counted through yet"
                ),
            )),
        }
    }

    /// A loop from 0 to `count` that is to be unrolled; no loop where there is one iteration.
    pub(super) fn each(
        &mut self,
        count: Place,
        body: impl FnOnce(&mut Self, Place) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        self.count_to(count, "full", body)
    }

    /// A loop from 0 to `count` that is to stay one; no loop where there is one iteration.
    pub(super) fn each_in_turn(
        &mut self,
        count: Place,
        body: impl FnOnce(&mut Self, Place) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        self.count_to(count, "disable", body)
    }

    fn count_to(
        &mut self,
        count: Place,
        unrolling: &str,
        body: impl FnOnce(&mut Self, Place) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let upper = match count {
            Place::At(1) => return body(self, Place::At(0)),
            Place::At(number) => self.constant(number),
            Place::Of(value) => value,
            Place::All => {
                return Err(self.refused(Code::OperandType, "a loop needs a number of iterations"));
            }
        };
        let (lower, step) = (self.constant(0), self.constant(1));
        let (region, block, args) = self.build.region([Type::I32]);
        let place = args.first().map_or(Place::At(0), |&index| Place::Of(index));
        self.within(block, |emit| body(emit, place).map(|()| Vec::new()))?;
        self.build.tag = Dictionary::new(vec![(
            "loop_annotation".into(),
            Attribute::dialect(
                "llvm.loop_annotation",
                format!("unroll = #llvm.loop_unroll<{unrolling} = true>"),
            ),
        )]);
        self.effect(ScfOp::For {
            lower,
            upper,
            step,
            inits: Vec::new(),
            unsigned: Flag(false),
            body: region,
        });
        self.build.tag = Dictionary::default();
        Ok(())
    }

    /// What is done where a Boolean holds.
    pub(super) fn when(
        &mut self,
        condition: Value,
        body: impl FnOnce(&mut Self) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let (then, block, _) = self.build.region([]);
        self.within(block, |emit| body(emit).map(|()| Vec::new()))?;
        let r#else = self.build.body.add_region();
        self.effect(ScfOp::If {
            condition,
            then,
            r#else,
        });
        Ok(())
    }

    /// One of two, by a Boolean, with results of these types.
    pub(super) fn choose(
        &mut self,
        condition: Value,
        types: &[Type],
        first: impl FnOnce(&mut Self) -> Result<Vec<Value>, Problem>,
        second: impl FnOnce(&mut Self) -> Result<Vec<Value>, Problem>,
    ) -> Result<Vec<Value>, Problem> {
        let (then, block, _) = self.build.region([]);
        self.within(block, first)?;
        let (r#else, block, _) = self.build.region([]);
        self.within(block, second)?;
        let op = ScfOp::If {
            condition,
            then,
            r#else,
        };
        let id = self.build.op(op, types.iter().cloned());
        Ok(self.build.body.op(id).results().collect())
    }

    /// Builds a block of structured control flow up to its end.
    fn within(
        &mut self,
        block: Block,
        build: impl FnOnce(&mut Self) -> Result<Vec<Value>, Problem>,
    ) -> Result<(), Problem> {
        let outer = std::mem::replace(&mut self.build.block, block);
        let results = build(self)?;
        self.effect(ScfOp::Yield { results });
        self.build.block = outer;
        Ok(())
    }
}
