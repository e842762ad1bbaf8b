//! Evaluates `tileaa` integer code on whole tiles, one op at a time, by the definitions of the ops.

use tilewright_irs::core::{Block, Body, OpId, Value, ValueType};
use tilewright_irs::dialects::arith::{ArithOp, Overflow, Predicate, QuotientRounding, Signedness};
use tilewright_irs::dialects::scf::ScfOp;
use tilewright_irs::dialects::tile::TileOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::tileaa::{TileAa, TileAaDialect, TileAaOp, TileAaType};

/// Elements in row-major order, interpreted as signed; an i1 is 0 or 1.
pub(crate) type Elements = Vec<i64>;

/// An early end of a run: undefined behaviour or too many steps.
#[derive(Debug)]
pub(crate) struct Undefined;

enum End {
    Yield(Vec<Elements>),
    Continue(Vec<Elements>),
    Break(Vec<Elements>),
    Return,
}

pub(crate) struct Run<'a> {
    body: &'a Body<TileAa>,
    values: Vec<Option<Elements>>,
    steps: usize,
    seen: &'a mut dyn FnMut(Value, &Elements),
}

/// Runs a body with these arguments and reports every value at every definition.
pub(crate) fn run(
    body: &Body<TileAa>,
    args: &[Elements],
    seen: &mut dyn FnMut(Value, &Elements),
) -> Result<(), Undefined> {
    let mut run = Run {
        body,
        values: vec![None; body.value_count()],
        steps: 0,
        seen,
    };
    let entry = body.entry().expect("an entry");
    run.block(entry, args).map(|_| ())
}

fn bits(element: ElementType) -> u32 {
    element.bits()
}

/// Wraps a number to a type.
pub(crate) fn wrap(value: i128, element: ElementType) -> i64 {
    match bits(element) {
        1 => (value & 1) as i64,
        bits => {
            let shift = 128 - bits;
            ((value << shift) >> shift) as i64
        }
    }
}

fn unsigned(value: i64, element: ElementType) -> i128 {
    i128::from(value) & ((1i128 << bits(element)) - 1)
}

fn read(value: i64, element: ElementType, signedness: Signedness) -> i128 {
    match signedness {
        Signedness::Unsigned => unsigned(value, element),
        // A single bit is its own sign.
        Signedness::Signed if bits(element) == 1 => -i128::from(value),
        Signedness::Signed => i128::from(value),
    }
}

fn promised(
    exact: i128,
    unsigned_exact: i128,
    element: ElementType,
    overflow: Overflow,
) -> Result<i64, Undefined> {
    let limit = 1i128 << bits(element);
    let signed_fits = exact >= -(limit / 2) && exact < limit / 2;
    let unsigned_fits = (0..limit).contains(&unsigned_exact);
    let kept = match overflow {
        Overflow::Wraps => true,
        Overflow::NoSigned => signed_fits,
        Overflow::NoUnsigned => unsigned_fits,
        Overflow::None => signed_fits && unsigned_fits,
    };
    if kept {
        Ok(wrap(exact, element))
    } else {
        Err(Undefined)
    }
}

impl Run<'_> {
    fn ty(&self, value: Value) -> &TileAaType {
        self.body.ty(value)
    }

    fn element(&self, value: Value) -> ElementType {
        self.ty(value).element().expect("elements")
    }

    fn shape(&self, value: Value) -> Vec<usize> {
        self.ty(value)
            .shape()
            .expect("extents")
            .iter()
            .map(|&n| n as usize)
            .collect()
    }

    fn get(&self, value: Value) -> Elements {
        use tilewright_irs::core::Entity;
        self.values[value.index()].clone().expect("a value")
    }

    fn all(&self, values: &[Value]) -> Vec<Elements> {
        values.iter().map(|&v| self.get(v)).collect()
    }

    fn set(&mut self, value: Value, elements: Elements) {
        use tilewright_irs::core::Entity;
        (self.seen)(value, &elements);
        self.values[value.index()] = Some(elements);
    }

    fn set_all(&mut self, values: impl IntoIterator<Item = Value>, elements: Vec<Elements>) {
        for (value, elements) in values.into_iter().zip(elements) {
            self.set(value, elements);
        }
    }

    fn block(&mut self, block: Block, args: &[Elements]) -> Result<End, Undefined> {
        let data = self.body.block(block);
        self.set_all(data.args.iter().copied(), args.to_vec());
        for &id in &data.ops {
            self.steps += 1;
            if self.steps > 20_000 {
                return Err(Undefined);
            }
            if let Some(end) = self.op(id)? {
                return Ok(end);
            }
        }
        Ok(End::Return)
    }

    fn op(&mut self, id: OpId) -> Result<Option<End>, Undefined> {
        let op = self.body.op(id);
        let result = op.results().next();
        match &op.kind {
            TileAaOp::Arith(arith) => {
                let result = result.expect("a result");
                let elements = self.arith(arith, result)?;
                self.set(result, elements);
            }
            TileAaOp::Tile(tile) => {
                let result = result.expect("a result");
                let elements = self.tile(tile, result);
                self.set(result, elements);
            }
            TileAaOp::TileAa(TileAaDialect::ProgramId { .. }) => self.set(result.expect("a result"), vec![5]),
            TileAaOp::TileAa(TileAaDialect::NumPrograms { .. }) => {
                self.set(result.expect("a result"), vec![6])
            }
            TileAaOp::Math(_) | TileAaOp::TileAa(_) => panic!("no memory and no floats here"),
            TileAaOp::Scf(scf) => return self.structured(id, scf),
        }
        Ok(None)
    }

    fn structured(&mut self, id: OpId, scf: &ScfOp) -> Result<Option<End>, Undefined> {
        let body = self.body;
        let results: Vec<Value> = body.op(id).results().collect();
        match scf {
            ScfOp::For {
                lower,
                upper,
                step,
                inits,
                unsigned,
                plan: _,
                body: region,
            } => {
                let block = body.only_block(*region).expect("a block");
                let element = self.element(*lower);
                let sign = if unsigned.0 {
                    Signedness::Unsigned
                } else {
                    Signedness::Signed
                };
                let number = |v: i64| read(v, element, sign);
                let (mut at, upper) = (number(self.get(*lower)[0]), number(self.get(*upper)[0]));
                let step = number(self.get(*step)[0]);
                if step <= 0 {
                    return Err(Undefined);
                }
                let mut carried = self.all(inits);
                while at < upper {
                    let mut args = vec![vec![wrap(at, element)]];
                    args.extend(carried.clone());
                    match self.block(block, &args)? {
                        End::Continue(values) => carried = values,
                        _ => panic!("a counted loop ends with `continue`"),
                    }
                    at += step;
                }
                self.set_all(results, carried);
            }
            ScfOp::Loop { inits, body: region } => {
                let block = body.only_block(*region).expect("a block");
                let mut carried = self.all(inits);
                loop {
                    match self.block(block, &carried)? {
                        End::Continue(values) => carried = values,
                        End::Break(values) => {
                            self.set_all(results, values);
                            break;
                        }
                        other => return Ok(Some(other)),
                    }
                }
            }
            ScfOp::If {
                condition,
                then,
                otherwise,
            } => {
                let region = if self.get(*condition)[0] != 0 {
                    *then
                } else {
                    *otherwise
                };
                let block = body.only_block(region).expect("a block");
                match self.block(block, &[])? {
                    End::Yield(values) => self.set_all(results, values),
                    other => return Ok(Some(other)),
                }
            }
            ScfOp::Yield { values } => return Ok(Some(End::Yield(self.all(values)))),
            ScfOp::Continue { values } => return Ok(Some(End::Continue(self.all(values)))),
            ScfOp::Break { values } => return Ok(Some(End::Break(self.all(values)))),
            ScfOp::Return {} => return Ok(Some(End::Return)),
        }
        Ok(None)
    }

    fn tile(&self, op: &TileOp, result: Value) -> Elements {
        let shape = self.shape(result);
        let count: usize = shape.iter().product();
        let element = self.element(result);
        match op {
            TileOp::Splat { source } => vec![self.get(*source)[0]; count],
            TileOp::Iota {} => (0..count).map(|i| wrap(i as i128, element)).collect(),
            TileOp::Reshape { source } => self.get(*source),
            TileOp::Broadcast { source } => {
                let (from, old) = (self.get(*source), self.shape(*source));
                let at = |i: usize| {
                    let (mut rest, mut flat, mut stride) = (i, 0, 1);
                    for (&new, &old) in shape.iter().zip(&old).rev() {
                        let place = rest % new;
                        rest /= new;
                        flat += if old == 1 { 0 } else { place } * stride;
                        stride *= old;
                    }
                    from[flat]
                };
                (0..count).map(at).collect()
            }
            TileOp::Permute { source, permutation } => {
                let (from, old) = (self.get(*source), self.shape(*source));
                let strides: Vec<usize> = (0..old.len()).map(|d| old[d + 1..].iter().product()).collect();
                let at = |i: usize| {
                    let (mut rest, mut flat) = (i, 0);
                    for (&new, &axis) in shape.iter().zip(permutation).rev() {
                        flat += (rest % new) * strides[axis as usize];
                        rest /= new;
                    }
                    from[flat]
                };
                (0..count).map(at).collect()
            }
            TileOp::PtrAdd { pointer, offset } => {
                let bytes = match element {
                    ElementType::Ptr(pointee) => i128::from(pointee.bytes().expect("whole bytes")),
                    ElementType::Scalar(_) => panic!("a pointer"),
                };
                let from = self.element(*offset);
                let (a, b) = (self.get(*pointer), self.get(*offset));
                let moved = |(&a, &b): (&i64, &i64)| {
                    wrap(i128::from(a) + read(b, from, Signedness::Signed) * bytes, element)
                };
                a.iter().zip(&b).map(moved).collect()
            }
        }
    }

    fn binary(
        &self,
        lhs: Value,
        rhs: Value,
        of: impl Fn(i64, i64, ElementType) -> Result<i64, Undefined>,
    ) -> Result<Elements, Undefined> {
        let element = self.element(lhs);
        let (a, b) = (self.get(lhs), self.get(rhs));
        a.iter().zip(&b).map(|(&a, &b)| of(a, b, element)).collect()
    }

    fn unary(
        &self,
        source: Value,
        of: impl Fn(i64) -> Result<i64, Undefined>,
    ) -> Result<Elements, Undefined> {
        self.get(source).into_iter().map(of).collect()
    }

    fn arith(&self, op: &ArithOp, result: Value) -> Result<Elements, Undefined> {
        let to = self.element(result);
        let u = |v: i64| unsigned(v, to);
        match op {
            ArithOp::Constant { value } => Ok(match value {
                Dense::Splat(literal) => {
                    vec![literal.signed(); self.shape(result).iter().product()]
                }
                Dense::Elements(ty, bits) => bits.iter().map(|&b| Literal::new(*ty, b).signed()).collect(),
            }),
            ArithOp::AddI { lhs, rhs, overflow } => self.binary(*lhs, *rhs, |a, b, e| {
                promised(i128::from(a) + i128::from(b), u(a) + u(b), e, *overflow)
            }),
            ArithOp::SubI { lhs, rhs, overflow } => self.binary(*lhs, *rhs, |a, b, e| {
                promised(i128::from(a) - i128::from(b), u(a) - u(b), e, *overflow)
            }),
            ArithOp::MulI { lhs, rhs, overflow } => self.binary(*lhs, *rhs, |a, b, e| {
                let exact = u(a).checked_mul(u(b)).unwrap_or(i128::MAX);
                promised(i128::from(a) * i128::from(b), exact, e, *overflow)
            }),
            ArithOp::MulHiU { lhs, rhs } => self.binary(*lhs, *rhs, |a, b, e| {
                let product = (u(a) as u128) * (u(b) as u128);
                Ok(wrap((product >> bits(e)) as i128, e))
            }),
            ArithOp::DivI {
                lhs,
                rhs,
                signedness,
                rounding,
            } => self.binary(*lhs, *rhs, |a, b, e| {
                let (a, b) = (read(a, e, *signedness), read(b, e, *signedness));
                let (quotient, rest) = (a.checked_div(b).ok_or(Undefined)?, a % b);
                let exact = rest == 0;
                let negative = (a < 0) != (b < 0);
                let quotient = match rounding {
                    QuotientRounding::Zero => quotient,
                    QuotientRounding::Down if !exact && negative => quotient - 1,
                    QuotientRounding::Up if !exact && !negative => quotient + 1,
                    QuotientRounding::Down | QuotientRounding::Up => quotient,
                };
                match signedness {
                    Signedness::Signed if quotient >= 1i128 << (bits(e) - 1) => Err(Undefined),
                    Signedness::Signed | Signedness::Unsigned => Ok(wrap(quotient, e)),
                }
            }),
            ArithOp::RemI { lhs, rhs, signedness } => self.binary(*lhs, *rhs, |a, b, e| {
                let (a, b) = (read(a, e, *signedness), read(b, e, *signedness));
                a.checked_rem(b).map(|rest| wrap(rest, e)).ok_or(Undefined)
            }),
            ArithOp::MinI { lhs, rhs, signedness } => self.binary(*lhs, *rhs, |a, b, e| {
                Ok(if read(a, e, *signedness) <= read(b, e, *signedness) {
                    a
                } else {
                    b
                })
            }),
            ArithOp::MaxI { lhs, rhs, signedness } => self.binary(*lhs, *rhs, |a, b, e| {
                Ok(if read(a, e, *signedness) >= read(b, e, *signedness) {
                    a
                } else {
                    b
                })
            }),
            ArithOp::NegI { source, overflow } => {
                self.unary(*source, |a| promised(-i128::from(a), 0, to, *overflow))
            }
            ArithOp::AbsI { source } => {
                self.unary(*source, |a| Ok(wrap(read(a, to, Signedness::Signed).abs(), to)))
            }
            ArithOp::AndI { lhs, rhs } => self.binary(*lhs, *rhs, |a, b, _| Ok(a & b)),
            ArithOp::OrI { lhs, rhs } => self.binary(*lhs, *rhs, |a, b, _| Ok(a | b)),
            ArithOp::XorI { lhs, rhs } => self.binary(*lhs, *rhs, |a, b, _| Ok(a ^ b)),
            ArithOp::ShlI { lhs, rhs, overflow } => self.binary(*lhs, *rhs, |a, b, e| {
                if u(b) >= i128::from(bits(e)) {
                    return if *overflow == Overflow::Wraps {
                        Ok(0)
                    } else {
                        Err(Undefined)
                    };
                }
                let exact = u(a).checked_mul(1 << u(b)).unwrap_or(i128::MAX);
                promised(i128::from(a) << u(b), exact, e, *overflow)
            }),
            ArithOp::ShrI { lhs, rhs, signedness } => self.binary(*lhs, *rhs, |a, b, e| {
                Ok(wrap(read(a, e, *signedness) >> u(b).min(100), e))
            }),
            ArithOp::CmpI {
                lhs,
                rhs,
                predicate,
                signedness,
            } => self.binary(*lhs, *rhs, |a, b, e| {
                let (a, b) = (read(a, e, *signedness), read(b, e, *signedness));
                Ok(i64::from(match predicate {
                    Predicate::Equal => a == b,
                    Predicate::NotEqual => a != b,
                    Predicate::Less => a < b,
                    Predicate::LessEqual => a <= b,
                    Predicate::Greater => a > b,
                    Predicate::GreaterEqual => a >= b,
                }))
            }),
            ArithOp::Select { condition, yes, no } => {
                let (condition, yes, no) = (self.get(*condition), self.get(*yes), self.get(*no));
                let chosen = |i: usize| condition[if condition.len() == 1 { 0 } else { i }] != 0;
                Ok((0..yes.len())
                    .map(|i| if chosen(i) { yes[i] } else { no[i] })
                    .collect())
            }
            ArithOp::ExtI { source, signedness } => {
                let from = self.element(*source);
                self.unary(*source, |a| Ok(wrap(read(a, from, *signedness), to)))
            }
            ArithOp::TruncI { source } | ArithOp::Bitcast { source } => {
                self.unary(*source, |a| Ok(wrap(i128::from(a), to)))
            }
            ArithOp::PtrToInt { source } | ArithOp::IntToPtr { source } | ArithOp::PtrToPtr { source } => {
                Ok(self.get(*source))
            }
            _ => panic!("no floats here"),
        }
    }
}
