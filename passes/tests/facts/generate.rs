//! Random `tileaa` functions of integers, pointers and structured control flow.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use tilewright_irs::core::{Block, Body, Builder, Flag, Func, Origin, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use tilewright_irs::dialects::scf::{LoopPlan, ScfOp};
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileaa::{TileAa, TileAaAttrs, TileAaDialect, TileAaType};

const INTS: [ScalarType; 3] = [ScalarType::I8, ScalarType::I32, ScalarType::I64];
const SHAPES: [&[u32]; 9] = [
    &[],
    &[16],
    &[8],
    &[1],
    &[4, 4],
    &[1, 8],
    &[8, 1],
    &[2, 8],
    &[2, 2, 4],
];

pub(crate) struct Generator<'a> {
    rng: &'a mut ChaCha8Rng,
    body: Body<TileAa>,
    block: Block,
    /// The values defined at the insertion point.
    pool: Vec<Value>,
}

fn known(ty: TileAaType, div: u64) -> TileAaType {
    let mut ty = ty;
    ty.facts.divisibility = vec![div];
    ty
}

/// A function whose parameters have assumptions.
pub(crate) fn function(rng: &mut ChaCha8Rng) -> Func<TileAa> {
    let mut body = Body::default();
    let root = body.root();
    let block = body.add_block(root);
    for (ty, div) in [
        (TileAaType::scalar(ElementType::Ptr(ScalarType::F32)), 16),
        (TileAaType::scalar(ScalarType::I32), 8),
        (TileAaType::scalar(ScalarType::I64), 1),
        (TileAaType::scalar(ScalarType::I1), 1),
        (TileAaType::scalar(ScalarType::I8), 4),
    ] {
        body.add_arg(block, known(ty, div));
    }
    let pool = body.block(block).args.clone();
    let mut generator = Generator {
        rng,
        body,
        block,
        pool,
    };
    for _ in 0..24 {
        generator.op(0);
    }
    generator.build().effect(ScfOp::Return {});
    Func {
        name: "random".to_owned(),
        attrs: TileAaAttrs {
            target: Target::sm(80),
            num_warps: None,
            cluster_hint: None,
            num_ctas: None,
            occupancy: None,
        },
        body: generator.body.renumbered(),
    }
}

/// Arguments that satisfy the assumptions of the parameters.
pub(crate) fn arguments(rng: &mut ChaCha8Rng) -> Vec<Vec<i64>> {
    let small = rng.random_bool(0.5);
    let mut number = |limit: i64| {
        if small {
            rng.random_range(-20..40)
        } else {
            rng.random_range(-limit..limit)
        }
    };
    vec![
        vec![number(1 << 40) * 16],
        vec![number(1 << 27) * 8],
        vec![number(1 << 60)],
        vec![number(1 << 20) & 1],
        vec![(number(1 << 20) % 32) * 4],
    ]
}

impl Generator<'_> {
    fn build(&mut self) -> Builder<'_, TileAa> {
        Builder::new(&mut self.body, self.block, Origin(0))
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *from.choose(self.rng).expect("a choice")
    }

    fn value(
        &mut self,
        kind: impl Into<<TileAa as tilewright_irs::core::Language>::Op>,
        ty: TileAaType,
    ) -> Value {
        let value = self.build().value(kind, ty);
        self.pool.push(value);
        value
    }

    /// Picks a value that satisfies a predicate.
    fn some(&mut self, wanted: impl Fn(&TileAaType) -> bool) -> Option<Value> {
        let fitting: Vec<Value> = self
            .pool
            .iter()
            .copied()
            .filter(|&v| wanted(self.body.ty(v)))
            .collect();
        // New values are preferred, so that chains become long.
        match fitting.len() {
            0 => None,
            n if self.rng.random_bool(0.5) => Some(fitting[n - 1]),
            _ => fitting.choose(self.rng).copied(),
        }
    }

    fn integer(&mut self) -> Value {
        let found =
            self.some(|ty| matches!(ty.element(), Some(ElementType::Scalar(s)) if s != ScalarType::I1));
        found.unwrap_or_else(|| self.constant(&TileAaType::scalar(ScalarType::I32), None))
    }

    fn constant(&mut self, ty: &TileAaType, value: Option<i64>) -> Value {
        let scalar = ty.element().and_then(ElementType::scalar).expect("numbers");
        let shape = ty.shape().expect("extents").to_vec();
        let count: u32 = shape.iter().product();
        let dense = match value {
            None if count > 1 && self.rng.random_bool(0.3) => {
                let (start, step) = (self.rng.random_range(-4i64..20), self.rng.random_range(0..3));
                let period = self.pick(&[1, 2, 4, 16]);
                let element =
                    |i: i64| Literal::new(scalar, (start + (i / period) * step).cast_unsigned()).bits;
                Dense::Elements(scalar, (0..i64::from(count)).map(element).collect())
            }
            value => {
                let value = value.unwrap_or_else(|| {
                    let shift = self.rng.random_range(0..6);
                    let number = self.rng.random_range(-3i64..9);
                    number << shift
                });
                Dense::Splat(Literal::new(scalar, value.cast_unsigned()))
            }
        };
        let ty = ty.bare();
        self.value(ArithOp::Constant { value: dense }, ty)
    }

    /// Picks another value of the same type.
    fn like(&mut self, value: Value) -> Value {
        let ty = self.body.ty(value).bare();
        let scalar = ty.element().and_then(ElementType::scalar).is_some();
        if scalar && self.rng.random_bool(0.4) {
            return self.constant(&ty, None);
        }
        self.some(|other| other.bare() == ty).unwrap_or(value)
    }

    fn op(&mut self, depth: u32) {
        let sign = self.pick(Signedness::ALL);
        let overflow = self.pick(&[
            Overflow::Wraps,
            Overflow::Wraps,
            Overflow::NoSigned,
            Overflow::NoUnsigned,
        ]);
        match self.rng.random_range(0..30) {
            0 => {
                let (int, extent) = (self.pick(&INTS), self.pick(&[8, 16]));
                self.value(TileOp::Iota {}, TileAaType::tile(&[extent], int.into()));
            }
            1 => {
                let int = self.pick(&INTS);
                let shape = self.pick(&SHAPES);
                self.constant(&TileAaType::tile(shape, int.into()), None);
            }
            2..4 => {
                let Some(source) = self.some(ValueType::is_single) else {
                    return;
                };
                let shape = self.pick(&SHAPES[1..]);
                let element = self.body.ty(source).element().expect("elements");
                self.value(TileOp::Splat { source }, TileAaType::tile(shape, element));
            }
            4..6 => {
                let Some(source) = self.some(|ty| ty.shape().is_some_and(|s| s.contains(&1))) else {
                    return;
                };
                let ty = self.body.ty(source).clone();
                let shape: Vec<u32> = ty
                    .shape()
                    .expect("extents")
                    .iter()
                    .map(|&n| if n == 1 { 4 } else { n })
                    .collect();
                self.value(
                    TileOp::Broadcast { source },
                    TileAaType::tile(&shape, ty.element().expect("elements")),
                );
            }
            6..8 => {
                let Some(source) = self.some(|ty| ty.shape().is_some()) else {
                    return;
                };
                let ty = self.body.ty(source).clone();
                let count = |shape: &[u32]| shape.iter().product::<u32>();
                let elements = count(ty.shape().expect("extents"));
                let fitting: Vec<&[u32]> = SHAPES.iter().copied().filter(|s| count(s) == elements).collect();
                if !fitting.is_empty() {
                    let shape = self.pick(&fitting);
                    self.value(
                        TileOp::Reshape { source },
                        TileAaType::tile(shape, ty.element().expect("elements")),
                    );
                }
            }
            8 => {
                let Some(source) = self.some(|ty| ty.shape().is_some_and(|s| s.len() == 2)) else {
                    return;
                };
                let ty = self.body.ty(source).clone();
                let shape: Vec<u32> = ty.shape().expect("extents").iter().rev().copied().collect();
                self.value(
                    TileOp::Permute {
                        source,
                        permutation: vec![1, 0],
                    },
                    TileAaType::tile(&shape, ty.element().expect("elements")),
                );
            }
            9..11 => {
                let Some(pointer) = self.some(|ty| matches!(ty.element(), Some(ElementType::Ptr(_)))) else {
                    return;
                };
                let ty = self.body.ty(pointer).bare();
                let shape = ty.shape().expect("extents").to_vec();
                let int = ElementType::from(self.pick(&INTS));
                let offset_ty = TileAaType::tile(&shape, int);
                let offset = self.some(|other| other.bare() == offset_ty);
                let offset = match offset {
                    Some(offset) => offset,
                    None => self.constant(&offset_ty, None),
                };
                self.value(TileOp::PtrAdd { pointer, offset }, ty);
            }
            11 => {
                let op = self.pick(&[0, 1]);
                let axis = self.rng.random_range(0..3);
                let ty = TileAaType::scalar(ScalarType::I32);
                if op == 0 {
                    self.value(TileAaDialect::ProgramId { axis }, ty);
                } else {
                    self.value(TileAaDialect::NumPrograms { axis }, ty);
                }
            }
            12..15 => {
                let lhs = self.integer();
                let rhs = self.like(lhs);
                let predicate = self.pick(Predicate::ALL);
                let ty = self.body.ty(lhs).with_element(ElementType::I1);
                self.value(
                    ArithOp::CmpI {
                        lhs,
                        rhs,
                        predicate,
                        signedness: sign,
                    },
                    ty,
                );
            }
            15 => {
                let yes = self.integer();
                let no = self.like(yes);
                let ty = self.body.ty(yes).bare();
                let wide = ty.with_element(ElementType::I1);
                let condition = self.some(|ty| {
                    ty.bare() == wide || (ty.is_single() && ty.element() == Some(ElementType::I1))
                });
                let Some(condition) = condition else { return };
                self.value(ArithOp::Select { condition, yes, no }, ty);
            }
            16 | 17 => {
                let source =
                    self.some(|ty| matches!(ty.element(), Some(ElementType::Scalar(s)) if s.bits() < 64));
                let Some(source) = source else { return };
                let ty = self.body.ty(source).with_element(ElementType::I64);
                self.value(
                    ArithOp::ExtI {
                        source,
                        signedness: sign,
                    },
                    ty,
                );
            }
            18 => {
                let source =
                    self.some(|ty| matches!(ty.element(), Some(ElementType::Scalar(s)) if s.bits() > 8));
                let Some(source) = source else { return };
                let to = self.pick(&[ScalarType::I8, ScalarType::I1]);
                let ty = self.body.ty(source).with_element(to.into());
                self.value(ArithOp::TruncI { source }, ty);
            }
            19 => {
                let Some(source) = self.some(|ty| matches!(ty.element(), Some(ElementType::Ptr(_)))) else {
                    return;
                };
                let ty = self.body.ty(source).with_element(ElementType::I64);
                let source = self.value(ArithOp::PtrToInt { source }, ty.clone());
                let to = self.pick(&[ScalarType::I8, ScalarType::F32, ScalarType::F64]);
                self.value(
                    ArithOp::IntToPtr { source },
                    ty.with_element(ElementType::Ptr(to)),
                );
            }
            20 if depth < 2 => self.branch(depth),
            21 if depth < 2 => self.counted(depth),
            22 if depth < 2 => self.endless(depth),
            _ => self.arith(sign, overflow),
        }
    }

    fn arith(&mut self, signedness: Signedness, overflow: Overflow) {
        let lhs = self.integer();
        let rhs = self.like(lhs);
        let ty = self.body.ty(lhs).bare();
        let rounding = self.pick(QuotientRounding::ALL);
        let power = 1i64 << self.rng.random_range(0..6);
        let op = match self.rng.random_range(0..19) {
            0..4 => ArithOp::AddI { lhs, rhs, overflow },
            4 => ArithOp::SubI { lhs, rhs, overflow },
            5 | 6 => ArithOp::MulI { lhs, rhs, overflow },
            7 => ArithOp::MulHiU { lhs, rhs },
            8 | 9 => {
                let rhs = self.constant(&ty, Some(power));
                ArithOp::DivI {
                    lhs,
                    rhs,
                    signedness,
                    rounding,
                }
            }
            10 => {
                let rhs = self.constant(&ty, Some(power));
                ArithOp::RemI { lhs, rhs, signedness }
            }
            11 => ArithOp::MinI { lhs, rhs, signedness },
            12 => ArithOp::MaxI { lhs, rhs, signedness },
            13 => ArithOp::NegI {
                source: lhs,
                overflow: Overflow::Wraps,
            },
            14 => ArithOp::AbsI { source: lhs },
            15 => {
                let mask = self.pick(&[3, 7, 15, -4, -8, 12]);
                let rhs = self.constant(&ty, Some(mask));
                ArithOp::AndI { lhs, rhs }
            }
            16 => {
                if self.rng.random_bool(0.5) {
                    ArithOp::OrI { lhs, rhs }
                } else {
                    ArithOp::XorI { lhs, rhs }
                }
            }
            17 => {
                let amount = self.rng.random_range(0..9);
                let rhs = self.constant(&ty, Some(amount));
                ArithOp::ShlI { lhs, rhs, overflow }
            }
            _ => {
                let amount = self.rng.random_range(0..9);
                let rhs = self.constant(&ty, Some(amount));
                ArithOp::ShrI { lhs, rhs, signedness }
            }
        };
        self.value(op, ty);
    }

    fn condition(&mut self) -> Value {
        let found = self.some(|ty| ty.is_single() && ty.element() == Some(ElementType::I1));
        found.expect("a parameter is a condition")
    }

    /// Fills a block with ops and returns values of these types that are defined at its end.
    fn inside(&mut self, block: Block, depth: u32, like: &[Value]) -> Vec<Value> {
        let (outer, visible) = (std::mem::replace(&mut self.block, block), self.pool.len());
        self.pool.extend(self.body.block(block).args.clone());
        for _ in 0..5 {
            self.op(depth + 1);
        }
        let values = like.iter().map(|&v| self.like(v)).collect();
        self.block = outer;
        self.pool.truncate(visible);
        values
    }

    fn end(&mut self, block: Block, op: ScfOp) {
        Builder::new(&mut self.body, block, Origin(0)).effect(op);
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        let like = [self.integer()];
        let ty = self.body.ty(like[0]).bare();
        let (then, then_block, _) = self.build().region([]);
        let (otherwise, else_block, _) = self.build().region([]);
        for block in [then_block, else_block] {
            let values = self.inside(block, depth, &like);
            self.end(block, ScfOp::Yield { values });
        }
        self.value(
            ScfOp::If {
                condition,
                then,
                otherwise,
            },
            ty,
        );
    }

    fn counted(&mut self, depth: u32) {
        let int = self.pick(&[ScalarType::I32, ScalarType::I64]);
        let ty = TileAaType::scalar(int);
        let lower = self.like_or(&ty, -8..9);
        let upper = self.like_or(&ty, -8..60);
        let stride = self.pick(&[1, 3, 4, 16]);
        let step = self.constant(&ty, Some(stride));
        let inits = vec![self.integer()];
        let types = [ty, self.body.ty(inits[0]).bare()];
        let (body, block, _) = self.build().region(types.clone());
        let values = self.inside(block, depth, &inits);
        self.end(block, ScfOp::Continue { values });
        let unsigned = Flag(self.rng.random_bool(0.2));
        let result = types[1].clone();
        self.value(
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                plan: LoopPlan::default(),
                body,
            },
            result,
        );
    }

    fn like_or(&mut self, ty: &TileAaType, range: std::ops::Range<i64>) -> Value {
        let value = self.rng.random_range(range);
        self.constant(ty, Some(value))
    }

    fn endless(&mut self, depth: u32) {
        let inits = vec![
            self.integer(),
            self.constant(&TileAaType::scalar(ScalarType::I32), Some(0)),
        ];
        let types: Vec<_> = inits.iter().map(|&v| self.body.ty(v).bare()).collect();
        let (body, block, args) = self.build().region(types.clone());
        let values = self.inside(block, depth, &inits[..1]);
        // A separate counter ends the loop.
        let outer = std::mem::replace(&mut self.block, block);
        let counter = types[1].clone();
        let visible = self.pool.len();
        let one = self.constant(&counter, Some(1));
        let next = self.value(
            ArithOp::AddI {
                lhs: args[1],
                rhs: one,
                overflow: Overflow::Wraps,
            },
            counter.clone(),
        );
        let limit = self.constant(&counter, Some(5));
        let condition = self.value(
            ArithOp::CmpI {
                lhs: next,
                rhs: limit,
                predicate: Predicate::GreaterEqual,
                signedness: Signedness::Signed,
            },
            TileAaType::scalar(ScalarType::I1),
        );
        let (then, then_block, _) = self.build().region([]);
        let (otherwise, else_block, _) = self.build().region([]);
        self.end(
            then_block,
            ScfOp::Break {
                values: values.clone(),
            },
        );
        self.end(else_block, ScfOp::Yield { values: Vec::new() });
        self.build().op(
            ScfOp::If {
                condition,
                then,
                otherwise,
            },
            [],
        );
        self.build().effect(ScfOp::Continue {
            values: vec![values[0], next],
        });
        self.pool.truncate(visible);
        self.block = outer;
        let result = types[0].clone();
        self.value(ScfOp::Loop { inits, body }, result);
    }
}
