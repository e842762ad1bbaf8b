//! Which bodies of reductions are known to be commutative: to give the same result with the two halves of their arguments exchanged.
//! Of two NaNs, and of two zeros, either may be the result.
//!
//! - Those that combine each operand by one commutative op.
//! - Those that choose one of the two elements of all operands by comparisons of the elements of each operand, such as the greater
//!   value with its index, and of equal ones that with the lesser index: if, however the elements compare, the same ones are chosen
//!   when they are exchanged, or the two are equal.

use crate::core::{Body, Commutes, Language, OpId, Operation, Region, SideTable, Value};
use crate::dialects::arith::{ArithOp, Ordering, Predicate, Signedness};
use crate::literal::Dense;

/// The most combinations of comparisons that are tried.
const MOST_CASES: usize = 1300;

/// Whether a body is known to be commutative.
pub fn is_commutative<'a, L: Language>(body: &'a Body<L>, region: Region) -> bool
where
    &'a ArithOp: TryFrom<&'a L::Op>,
{
    let Some(block) = body.only_block(region) else {
        return false;
    };
    let data = body.block(block);
    let (so_far, elements) = data.args.split_at(data.args.len() / 2);
    let Some((&end, combining)) = data.ops.split_last() else {
        return false;
    };
    let yielded = body.op(end).kind.operand_list();
    if yielded.len() != so_far.len() {
        return false;
    }
    let pairs: Vec<(Value, Value)> = so_far.iter().copied().zip(elements.iter().copied()).collect();
    combines_each(body, combining, &yielded, &pairs)
        || Choice::of(body, &yielded, &pairs).is_some_and(|choice| choice.is_symmetric())
}

/// Whether each operand is combined by one commutative op.
fn combines_each<L: Language>(
    body: &Body<L>,
    ops: &[OpId],
    yielded: &[Value],
    pairs: &[(Value, Value)],
) -> bool {
    let is_combined = |(&value, &(a, b)): (&Value, &(Value, Value))| {
        ops.iter().any(|&id| {
            let op = body.op(id);
            let operands = op.kind.operand_list();
            op.results().eq([value])
                && op.kind.spec().properties.commutes != Commutes::Never
                && (*operands == [a, b] || *operands == [b, a])
        })
    };
    ops.len() == yielded.len() && yielded.iter().zip(pairs).all(is_combined)
}

/// How the two elements of an operand compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    Greater,
    Equal,
    /// Only the first one is a NaN.
    FirstNan,
    /// Only the second one is a NaN.
    SecondNan,
    BothNan,
}

impl Relation {
    const OF_INTEGERS: &'static [Self] = &[Self::Less, Self::Greater, Self::Equal];
    const OF_FLOATS: &'static [Self] = &[
        Self::Less,
        Self::Greater,
        Self::Equal,
        Self::FirstNan,
        Self::SecondNan,
        Self::BothNan,
    ];

    fn swapped(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::Greater => Self::Less,
            Self::FirstNan => Self::SecondNan,
            Self::SecondNan => Self::FirstNan,
            Self::Equal | Self::BothNan => self,
        }
    }

    /// The relation of the first element, or the second one, to itself.
    fn of_one(self, second: bool) -> Self {
        match (self, second) {
            (Self::BothNan, _) | (Self::FirstNan, false) | (Self::SecondNan, true) => Self::BothNan,
            _ => Self::Equal,
        }
    }

    fn is_of_equals(self) -> bool {
        matches!(self, Self::Equal | Self::BothNan)
    }

    fn satisfies(self, predicate: Predicate, ordering: Ordering) -> bool {
        match (self, predicate) {
            (Self::Less, Predicate::Less | Predicate::LessEqual | Predicate::NotEqual)
            | (Self::Greater, Predicate::Greater | Predicate::GreaterEqual | Predicate::NotEqual)
            | (Self::Equal, Predicate::Equal | Predicate::LessEqual | Predicate::GreaterEqual) => true,
            (Self::Less | Self::Greater | Self::Equal, _) => false,
            (Self::FirstNan | Self::SecondNan | Self::BothNan, _) => ordering == Ordering::Unordered,
        }
    }
}

/// A body that chooses the first or the second element of all operands.
struct Choice<'a, 'p, L: Language> {
    body: &'a Body<L>,
    definitions: SideTable<Value, OpId>,
    pairs: &'p [(Value, Value)],
    /// The first elements are chosen where it is true, or where it is false.
    condition: Value,
    is_negated: bool,
}

impl<'a, 'p, L: Language> Choice<'a, 'p, L>
where
    &'a ArithOp: TryFrom<&'a L::Op>,
{
    fn of(body: &'a Body<L>, yielded: &[Value], pairs: &'p [(Value, Value)]) -> Option<Self> {
        let definitions = body.definitions();
        let choice = |value: Value, (a, b): (Value, Value)| match arith(body, &definitions, value)? {
            ArithOp::Select { condition, yes, no } if (*yes, *no) == (a, b) => Some((*condition, false)),
            ArithOp::Select { condition, yes, no } if (*yes, *no) == (b, a) => Some((*condition, true)),
            _ => None,
        };
        let mut choices = yielded
            .iter()
            .zip(pairs)
            .map(|(&value, &pair)| choice(value, pair));
        let (condition, is_negated) = choices.next()??;
        choices
            .all(|other| other == Some((condition, is_negated)))
            .then_some(Self {
                body,
                definitions,
                pairs,
                condition,
                is_negated,
            })
    }

    /// Whether the same elements are chosen when they are exchanged, unless they are equal.
    fn is_symmetric(&self) -> bool {
        let possible: Option<Vec<&[Relation]>> = (0..self.pairs.len()).map(|at| self.relations(at)).collect();
        let Some(possible) = possible else { return false };
        let cases: usize = possible.iter().map(|relations| relations.len()).product();
        let is_free = |case: usize| {
            let mut rest = case;
            let relations: Vec<Relation> = possible
                .iter()
                .filter_map(|relations| {
                    let relation = relations.get(rest % relations.len());
                    rest /= relations.len();
                    relation.copied()
                })
                .collect();
            let swapped: Vec<Relation> = relations.iter().map(|relation| relation.swapped()).collect();
            match (self.first(&relations), self.first(&swapped)) {
                (Some(plain), Some(swapped)) => {
                    plain != swapped || relations.iter().all(|relation| relation.is_of_equals())
                }
                _ => false,
            }
        };
        cases <= MOST_CASES && (0..cases).all(is_free)
    }

    /// How the elements of an operand may compare; `None` if they are compared in several ways.
    fn relations(&self, at: usize) -> Option<&'static [Relation]> {
        let &(a, b) = self.pairs.get(at)?;
        let (mut floats, mut signs) = (false, Vec::new());
        let mut open = vec![self.condition];
        while let Some(value) = open.pop() {
            // Of the elements themselves, and of what no op of `arith` defines, nothing is compared.
            let Some(op) = arith(self.body, &self.definitions, value) else {
                continue;
            };
            match op {
                ArithOp::CmpF { lhs, .. } => floats |= *lhs == a || *lhs == b,
                ArithOp::CmpI {
                    lhs,
                    predicate,
                    signedness,
                    ..
                } if *lhs == a || *lhs == b => {
                    let is_ordered = !matches!(predicate, Predicate::Equal | Predicate::NotEqual);
                    signs.extend(is_ordered.then_some(*signedness));
                }
                op => open.extend(op.operand_list()),
            }
        }
        let is_mixed = signs.contains(&Signedness::Signed) && signs.contains(&Signedness::Unsigned);
        match floats {
            true => Some(Relation::OF_FLOATS),
            false => (!is_mixed).then_some(Relation::OF_INTEGERS),
        }
    }

    /// Whether the first elements are chosen, if the elements of each operand compare so.
    fn first(&self, relations: &[Relation]) -> Option<bool> {
        Some(self.holds(self.condition, relations)? != self.is_negated)
    }

    /// Whether a value is true, if the elements of each operand compare so; `None` if that depends on something else.
    fn holds(&self, value: Value, relations: &[Relation]) -> Option<bool> {
        let both =
            |lhs: &Value, rhs: &Value| Some((self.holds(*lhs, relations)?, self.holds(*rhs, relations)?));
        match arith(self.body, &self.definitions, value)? {
            ArithOp::CmpF {
                lhs,
                rhs,
                predicate,
                ordering,
                ..
            } => Some(
                self.relation(*lhs, *rhs, relations)?
                    .satisfies(*predicate, *ordering),
            ),
            ArithOp::CmpI {
                lhs, rhs, predicate, ..
            } => Some(
                self.relation(*lhs, *rhs, relations)?
                    .satisfies(*predicate, Ordering::Ordered),
            ),
            ArithOp::AndI { lhs, rhs } => both(lhs, rhs).map(|(lhs, rhs)| lhs & rhs),
            ArithOp::OrI { lhs, rhs } => both(lhs, rhs).map(|(lhs, rhs)| lhs | rhs),
            ArithOp::XorI { lhs, rhs } => both(lhs, rhs).map(|(lhs, rhs)| lhs ^ rhs),
            ArithOp::Constant {
                value: Dense::Splat(literal),
            } => Some(literal.bits & 1 == 1),
            _ => None,
        }
    }

    /// How two elements of an operand compare.
    fn relation(&self, lhs: Value, rhs: Value, relations: &[Relation]) -> Option<Relation> {
        let mut operands = self.pairs.iter().zip(relations);
        operands.find_map(|(&(a, b), &relation)| match (lhs, rhs) {
            _ if (lhs, rhs) == (a, b) => Some(relation),
            _ if (lhs, rhs) == (b, a) => Some(relation.swapped()),
            _ if (lhs, rhs) == (a, a) => Some(relation.of_one(false)),
            _ if (lhs, rhs) == (b, b) => Some(relation.of_one(true)),
            _ => None,
        })
    }
}

/// The op that defines a value, if it is one of `arith`.
fn arith<'a, L: Language>(
    body: &'a Body<L>,
    definitions: &SideTable<Value, OpId>,
    value: Value,
) -> Option<&'a ArithOp>
where
    &'a ArithOp: TryFrom<&'a L::Op>,
{
    let &id = definitions.get(value)?;
    <&ArithOp>::try_from(&body.op(id).kind).ok()
}
