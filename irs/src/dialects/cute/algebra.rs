//! Layout algebra: ops whose results are computed from the leaves of their operands.
//!
//! Each means what the public op of its name means, and has the same rule ([`infer`]), which gives the type of the result and how
//! its leaves are computed. `tiled_remainder` has no public counterpart.

use tilewright_diagnostics::Code;

use super::rules::AlgebraValue;
use crate::core::{
    Body, Language, OpData, Operation, Term, TermCodec, TermError, TermKind, Value, ValueType as _,
};
use crate::cute_types::infer::{self, Attribute, Computed, Question, Refusal};
use crate::cute_types::{CuteType, Dialect, ValueType};
use crate::element::ElementType;

crate::dialect! {
    /// Layout algebra on values.
    pub enum AlgebraOp: "cute" {
        /// The index of a coordinate in a layout: the inner product of the coordinate and the strides.
        Crd2Idx "crd2idx" { coord: Value, layout: Value } -> 1, Pure, Free;
        /// A layout in tiles: one mode for a tile, then those of what is beside it, whose extents are quotients rounded up.
        TiledDivide "tiled_divide" { layout: Value, tiler: Value } -> 1, Pure, Free;
        /// What is left of each mode of a shape behind its last full tile: the remainders of the leaves.
        TiledRemainder "tiled_remainder" { shape: Value, tile: Value } -> 1, Pure, Free;
        /// A shape divided by another: modes are used up from the first one on.
        ShapeDiv "shape_div" { shape: Value, divisor: Value } -> 1, Pure, Free;
        /// How many tiles cover a shape: the quotients of the leaves, rounded up.
        CeilDiv "ceil_div" { shape: Value, tiler: Value } -> 1, Pure, Free;
        /// A layout whose modes of stride 0 have extent 1.
        FilterZeros "filter_zeros" { layout: Value } -> 1, Pure, Free;
        /// The modes from `begin` up to `end`, exclusive, as one mode.
        GroupModes "group_modes" { tuple: Value, begin: u32, end: u32 } -> 1, Pure, Free;
        /// The same function with fewer modes; of each mode of a profile alone, if there is one.
        Coalesce "coalesce" { layout: Value, profile: Option<Value> } -> 1, Pure, Free;
        /// The layout of what a layout leaves out of a shape.
        Complement "complement" { layout: Value, within: Value } -> 1, Pure, Free;
        /// The elements of a tensor that belong to a thread of a layout of threads.
        LocalPartition "local_partition" { tensor: Value, threads: Value, thread: Value } -> 1, Pure, Free;
        /// What a thread of a tiled copy reads of a tensor.
        PartitionSource "tiled.copy.partition_S" { tensor: Value, thread: Value, tiled: PublicType } -> 1, Pure, Free;
        /// What a thread of a tiled copy writes of a tensor.
        PartitionDestination "tiled.copy.partition_D" { tensor: Value, thread: Value, tiled: PublicType } -> 1, Pure, Free;
    }
}

/// A type as an attribute, in quotes since it may hold what only MLIR's text has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PublicType(pub CuteType);

impl TermCodec for PublicType {
    fn write(&self) -> Term {
        TermKind::Str(self.0.to_string()).into()
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let TermKind::Str(text) = &term.kind else {
            return Err(term.wrong("a type of `cute` in quotes"));
        };
        let parsed = CuteType::parse(text);
        parsed
            .map(Self)
            .map_err(|error| term.wrong(format!("a type of `cute` ({})", error.message)))
    }
}

crate::attribute_field!(PublicType);

/// An operand of a rule: a value, or what is known by its type alone.
enum Operand<'a> {
    Value(Value),
    Known(&'a CuteType),
}

impl AlgebraOp {
    /// The rule of the op, by the name of the public op that has it, and the operands and attributes that it asks for.
    fn rule(&self) -> (&'static str, Vec<Operand<'_>>, Vec<(&'static str, Attribute)>) {
        use Operand::{Known, Value};
        let plain = |operands| (self.name(), operands, Vec::new());
        match self {
            Self::Crd2Idx { coord: a, layout: b }
            | Self::TiledDivide { layout: a, tiler: b }
            | Self::ShapeDiv { shape: a, divisor: b }
            | Self::CeilDiv { shape: a, tiler: b }
            | Self::Complement { layout: a, within: b } => plain(vec![Value(*a), Value(*b)]),
            Self::TiledRemainder { shape, tile } => {
                ("cute.tuple_mod", vec![Value(*shape), Value(*tile)], Vec::new())
            }
            Self::FilterZeros { layout } => plain(vec![Value(*layout)]),
            Self::GroupModes { tuple, begin, end } => {
                let number = |value: &u32| Attribute::Int(i64::from(*value));
                let attributes = vec![("begin", number(begin)), ("end", number(end))];
                (self.name(), vec![Value(*tuple)], attributes)
            }
            Self::Coalesce { layout, profile } => {
                plain([*layout].into_iter().chain(*profile).map(Value).collect())
            }
            Self::LocalPartition {
                tensor,
                threads,
                thread,
            } => plain(vec![Value(*tensor), Value(*threads), Value(*thread)]),
            Self::PartitionSource {
                tensor,
                thread,
                tiled,
            }
            | Self::PartitionDestination {
                tensor,
                thread,
                tiled,
            } => plain(vec![Known(&tiled.0), Value(*tensor), Value(*thread)]),
        }
    }
}

/// How the result of an op is computed. The inputs are the dynamic leaves of its operands in their order.
///
/// # Errors
/// There is no result for these operands.
pub fn computed<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    op: &AlgebraOp,
) -> Result<Computed, Refusal> {
    let (name, operands, attributes) = op.rule();
    let refuse = |message: String| Refusal { message };
    let types: Result<Vec<ValueType>, Refusal> = operands
        .into_iter()
        .map(|operand| match operand {
            Operand::Known(ty) => Ok(ValueType::Cute(ty.clone())),
            Operand::Value(value) => {
                let ty = body.ty(value);
                match (ty.algebra(), ty.element().and_then(ElementType::scalar)) {
                    (Some(ty), _) => Ok(ValueType::Cute(ty.clone())),
                    (None, Some(scalar)) if ty.is_single() => {
                        ValueType::parse(&scalar.to_string()).map_err(|error| refuse(error.message))
                    }
                    (None, _) => Err(refuse("an operand that is no integer".to_owned())),
                }
            }
        })
        .collect();
    let question = Question {
        dialect: Dialect::Library,
        operands: &types?,
        attributes: &attributes,
    };
    let results =
        infer::compute(name, &question).ok_or_else(|| refuse(format!("`{name}` has no rule")))??;
    let [result]: [Computed; 1] = results
        .try_into()
        .map_err(|_| refuse(format!("`{name}` has several results")))?;
    Ok(result)
}

/// Verifies an op: its result is what its rule says.
///
/// # Errors
/// The error.
pub fn check<L: Language<Type: AlgebraValue>>(
    body: &Body<L>,
    op: &OpData<L>,
    own: &AlgebraOp,
) -> Result<(), (Code, String)> {
    let name = own.name();
    let inferred = computed(body, own)
        .map_err(|refusal| (Code::OperandType, format!("`{name}`: {refusal}")))?
        .ty;
    let have = body.ty(op.result(0)).algebra();
    match have.map(|have| ValueType::Cute(have.clone())) {
        Some(have) if inferred.allows(&have) => Ok(()),
        Some(have) => Err((
            Code::TypeMismatch,
            format!("the result of `{name}` is `{inferred}`, not `{have}`"),
        )),
        None => Err((
            Code::TypeMismatch,
            format!("the result of `{name}` is of a type of `cute`"),
        )),
    }
}
