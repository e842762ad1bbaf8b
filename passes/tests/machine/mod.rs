//! A reference machine for `llvm_like` including small types, compared with the legalized code.

pub(crate) mod float;

use std::collections::HashMap;

use tilewright_irs::core::{Block, Body, Func, Operation, Successor, Value};
use tilewright_irs::dialects::arith::{ArithOp, Ordering, Predicate, QuotientRounding, Signedness};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::Special;
use tilewright_irs::literal::Dense;
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmDialect, LlvmOp, LlvmType};

/// The start of global memory, so that small numbers are invalid addresses.
pub(crate) const GLOBAL: u64 = 1 << 20;

/// Runs a kernel with `grid` blocks along axis 0, parameters by their bits, and global memory from [`GLOBAL`] on.
pub(crate) fn run(func: &Func<Llvm>, grid: u32, params: &[u64], memory: &mut [u8]) {
    let body = &func.body;
    let entry = body.entry().expect("a body");
    for block in 0..grid {
        let mut shared = vec![0u8; func.attrs.shared_bytes as usize];
        let mut threads: Vec<Thread<'_>> = (0..func.attrs.threads())
            .map(|tid| Thread {
                body,
                at: (entry, 0),
                values: body
                    .params()
                    .iter()
                    .copied()
                    .zip(params.iter().map(|&p| vec![p]))
                    .collect(),
                tid,
                ctaid: block,
                grid,
                arrays: HashMap::new(),
            })
            .collect();
        // Every thread runs to its next barrier, or to its end; a barrier opens once all its threads have arrived.
        let mut stops: Vec<Option<Stop>> = vec![None; threads.len()];
        while stops.iter().any(|stop| *stop != Some(Stop::End)) {
            for (thread, stop) in threads.iter_mut().zip(&mut stops) {
                if stop.is_none() {
                    *stop = Some(thread.run(memory, &mut shared));
                }
            }
            let waiting = stops.clone();
            let full = |stop: Stop| match stop {
                Stop::Barrier(_, count) => {
                    waiting.iter().filter(|other| **other == Some(stop)).count() == count as usize
                }
                Stop::End => false,
            };
            for stop in &mut stops {
                *stop = stop.filter(|stop| !full(*stop));
            }
            let stuck =
                stops.iter().any(|stop| *stop != Some(Stop::End)) && stops.iter().all(Option::is_some);
            assert!(!stuck, "a barrier that some threads miss");
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// The barrier's number and its threads.
    Barrier(u32, u32),
    End,
}

struct Thread<'a> {
    body: &'a Body<Llvm>,
    at: (Block, usize),
    values: HashMap<Value, Vec<u64>>,
    tid: u32,
    ctaid: u32,
    grid: u32,
    /// The arrays of the thread, by their slots.
    arrays: HashMap<u32, Vec<u8>>,
}

/// The distance between the addresses of arrays of a thread.
const ARRAY: u64 = 1 << 20;

fn signed(bits: u64, width: u32) -> i128 {
    (i128::from(bits) << (128 - width)) >> (128 - width)
}

fn read(bits: u64, width: u32, signedness: Signedness) -> i128 {
    match signedness {
        Signedness::Signed => signed(bits, width),
        Signedness::Unsigned => i128::from(bits),
    }
}

fn holds<T: PartialOrd>(predicate: Predicate, a: &T, b: &T) -> bool {
    match predicate {
        Predicate::Equal => a == b,
        Predicate::NotEqual => a != b,
        Predicate::Less => a < b,
        Predicate::LessEqual => a <= b,
        Predicate::Greater => a > b,
        Predicate::GreaterEqual => a >= b,
    }
}

impl Thread<'_> {
    fn one(&self, value: Value) -> u64 {
        self.values[&value][0]
    }

    fn scalar(&self, value: Value) -> ScalarType {
        self.body.ty(value).scalar().expect("a scalar")
    }

    fn go(&mut self, target: &Successor) {
        let values: Vec<Vec<u64>> = target.args.iter().map(|arg| self.values[arg].clone()).collect();
        let args = &self.body.block(target.block).args;
        for (&arg, value) in args.iter().zip(values) {
            self.values.insert(arg, value);
        }
        self.at = (target.block, 0);
    }

    fn run(&mut self, global: &mut [u8], shared: &mut [u8]) -> Stop {
        let mut steps = 0;
        loop {
            steps += 1;
            assert!(steps < 1_000_000, "a thread that does not end");
            let (block, index) = self.at;
            let op = self.body.op(self.body.block(block).ops[index]);
            self.at.1 += 1;
            let result = match &op.kind {
                LlvmOp::Arith(ArithOp::Select { condition, yes, no }) => {
                    let chosen = if self.one(*condition) == 1 { yes } else { no };
                    self.values[chosen].clone()
                }
                LlvmOp::Arith(op_) => vec![self.arith(op_, *self.body.ty(op.result(0)))],
                LlvmOp::Math(op) => panic!("the machine has no {}", op.name()),
                LlvmOp::Target(op) => panic!("the machine has no {}", op.name()),
                LlvmOp::Llvm(own) => match own {
                    LlvmDialect::GetElementPtr {
                        base,
                        index,
                        scale,
                        offset,
                    } => {
                        let index = index.map_or(0, |index| self.one(index));
                        let moved = index
                            .wrapping_mul(u64::from(*scale))
                            .wrapping_add(offset.cast_unsigned());
                        vec![self.one(*base).wrapping_add(moved)]
                    }
                    LlvmDialect::Load {
                        pointer,
                        mask,
                        other,
                        align,
                        ..
                    } => {
                        let words = shape(*self.body.ty(op.result(0)));
                        if mask.is_some_and(|mask| self.one(mask) == 0) {
                            match other {
                                Some(other) => self.values[other].clone(),
                                None => words
                                    .iter()
                                    .map(|(scalar, _)| 0xAAAA_AAAA_AAAA_AAAA & scalar.mask())
                                    .collect(),
                            }
                        } else {
                            let address = self.one(*pointer);
                            assert_eq!(address % u64::from(*align), 0, "a misaligned load");
                            let (memory, first) = self.space(*pointer, global, shared);
                            words
                                .into_iter()
                                .map(|(scalar, offset)| {
                                    let bytes = scalar.bytes().expect("bytes") as usize;
                                    let at = first + offset;
                                    let mut word = [0; 8];
                                    word[..bytes].copy_from_slice(&memory[at..at + bytes]);
                                    match scalar {
                                        ScalarType::I1 => u64::from(u64::from_le_bytes(word) != 0),
                                        _ => u64::from_le_bytes(word) & scalar.mask(),
                                    }
                                })
                                .collect()
                        }
                    }
                    LlvmDialect::Store {
                        pointer,
                        value,
                        mask,
                        align,
                        ..
                    } => {
                        if mask.is_none_or(|mask| self.one(mask) == 1) {
                            let words = shape(*self.body.ty(*value));
                            let address = self.one(*pointer);
                            assert_eq!(address % u64::from(*align), 0, "a misaligned store");
                            let values = self.values[value].clone();
                            let (memory, first) = self.space(*pointer, global, shared);
                            for ((scalar, offset), value) in words.into_iter().zip(values) {
                                let bytes = scalar.bytes().expect("bytes") as usize;
                                let at = first + offset;
                                memory[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                            }
                        }
                        continue;
                    }
                    LlvmDialect::AtomicRmw { .. } | LlvmDialect::AtomicCas { .. } => {
                        panic!("these kernels access nothing atomically")
                    }
                    LlvmDialect::ExtractElement { vector, index } => {
                        vec![self.values[vector][*index as usize]]
                    }
                    LlvmDialect::BuildVector { elements } => elements.iter().map(|&e| self.one(e)).collect(),
                    LlvmDialect::ReadSpecial { register } => vec![u64::from(match register {
                        Special::TidX => self.tid,
                        Special::CtaidX => self.ctaid,
                        Special::NctaidX => self.grid,
                        Special::CtaidY | Special::CtaidZ => 0,
                        Special::NctaidY | Special::NctaidZ => 1,
                        other => panic!("these kernels do not read {other}"),
                    })],
                    LlvmDialect::SharedBase {} => vec![0],
                    LlvmDialect::PtrToInt { pointer: same } | LlvmDialect::IntToPtr { source: same } => {
                        vec![self.one(*same)]
                    }
                    // The bits of a parameter that is passed by value are those of its leaves, each with its offset.
                    LlvmDialect::ReadParameter { parameter, offset } => {
                        vec![self.values[parameter][*offset as usize]]
                    }
                    LlvmDialect::Constant { values } => values.iter().map(|literal| literal.bits).collect(),
                    LlvmDialect::Undef {} => {
                        vec![0x5555; self.body.ty(op.result(0)).leaves().len()]
                    }
                    LlvmDialect::InsertValue { value, into, path } => {
                        let mut leaves = self.values[into].clone();
                        leaves.splice(self.part(*into, path), self.values[value].iter().copied());
                        leaves
                    }
                    LlvmDialect::ExtractValue { from, path } => {
                        self.values[from][self.part(*from, path)].to_vec()
                    }
                    LlvmDialect::Alloca { slot, bytes, .. } => {
                        self.arrays
                            .entry(*slot)
                            .or_insert_with(|| vec![0xA5; *bytes as usize]);
                        vec![u64::from(slot + 1) * ARRAY]
                    }
                    LlvmDialect::Barrier { id, threads } => return Stop::Barrier(*id, *threads),
                    LlvmDialect::Printf { .. } => panic!("these kernels do not print"),
                    LlvmDialect::Hold { .. } => panic!("these kernels have no asynchronous products"),
                    LlvmDialect::Br { target } => {
                        self.go(target);
                        continue;
                    }
                    LlvmDialect::CondBr {
                        condition, yes, no, ..
                    } => {
                        let target = if self.one(*condition) == 1 { yes } else { no };
                        self.go(target);
                        continue;
                    }
                    LlvmDialect::Return {} => {
                        self.at.1 -= 1;
                        return Stop::End;
                    }
                },
            };
            self.values.insert(op.result(0), result);
        }
    }

    fn space<'m>(
        &'m mut self,
        pointer: Value,
        global: &'m mut [u8],
        shared: &'m mut [u8],
    ) -> (&'m mut [u8], usize) {
        let address = self.one(pointer);
        match self.body.ty(pointer) {
            LlvmType::Ptr(AddressSpace::Shared) => (shared, address as usize),
            LlvmType::Ptr(AddressSpace::Local) => {
                let slot = u32::try_from(address / ARRAY - 1).expect("a slot");
                let array = self.arrays.get_mut(&slot).expect("an array");
                (array, (address % ARRAY) as usize)
            }
            _ => (
                global,
                usize::try_from(address - GLOBAL).expect("a global address"),
            ),
        }
    }

    /// The leaves of a part of a struct.
    fn part(&self, value: Value, path: &[u32]) -> std::ops::Range<usize> {
        match self.body.ty(value) {
            LlvmType::Struct(ty) => ty.part(path).expect("a part").1,
            other => panic!("no struct: {other:?}"),
        }
    }

    fn arith(&self, op: &ArithOp, ty: LlvmType) -> u64 {
        let LlvmType::Scalar(to) = ty else {
            return self.one(op.operand_list()[0]);
        };
        let operands = op.operand_list();
        if let ArithOp::Constant {
            value: Dense::Splat(literal),
        } = op
        {
            return literal.bits;
        }
        if matches!(op, ArithOp::PtrToInt { .. }) {
            return self.one(operands[0]);
        }
        let from = self.scalar(operands[0]);
        let bits: Vec<u64> = operands.iter().map(|&operand| self.one(operand)).collect();
        if from.is_int() {
            integer(op, &bits, from, to)
        } else {
            float::apply(op, &bits, from, to)
        }
    }
}

/// The type in which each word of a value is in memory, and its offset.
fn shape(ty: LlvmType) -> Vec<(ScalarType, usize)> {
    match ty {
        LlvmType::Scalar(scalar) => vec![(scalar, 0)],
        LlvmType::Vector(count, scalar) => {
            let bytes = scalar.bytes().expect("bytes") as usize;
            (0..count as usize).map(|i| (scalar, i * bytes)).collect()
        }
        LlvmType::Ptr(AddressSpace::Global) => vec![(ScalarType::I64, 0)],
        LlvmType::Ptr(_) => vec![(ScalarType::I32, 0)],
        LlvmType::Struct(ty) => {
            let places = ty.places().expect("a layout");
            places
                .into_iter()
                .map(|leaf| (shape(leaf.ty)[0].0, leaf.offset as usize))
                .collect()
        }
        LlvmType::TensorMap | LlvmType::Passed(_) => panic!("a parameter in memory"),
    }
}

fn integer(op: &ArithOp, bits: &[u64], from: ScalarType, to: ScalarType) -> u64 {
    let width = from.bits();
    let (a, b) = (bits[0], bits.get(1).copied().unwrap_or(0));
    let (ua, ub) = (i128::from(a), i128::from(b));
    let both = |signedness| (read(a, width, signedness), read(b, width, signedness));
    let number: i128 = match op {
        ArithOp::AddI { .. } => ua + ub,
        ArithOp::SubI { .. } => ua - ub,
        ArithOp::MulI { .. } => ua.wrapping_mul(ub),
        ArithOp::MulHiU { .. } => ((u128::from(a) * u128::from(b)) >> width) as i128,
        ArithOp::DivI {
            signedness, rounding, ..
        } => {
            let (a, b) = both(*signedness);
            // Undefined for 0; the machine returns all ones, and tests ignore the result.
            if b == 0 {
                -1
            } else {
                match rounding {
                    QuotientRounding::Zero => a / b,
                    QuotientRounding::Down => {
                        (a - a.rem_euclid(b.abs())) / b - i128::from(b < 0 && a.rem_euclid(b.abs()) != 0)
                    }
                    QuotientRounding::Up => {
                        -((-a - (-a).rem_euclid(b.abs())) / b
                            - i128::from(b < 0 && (-a).rem_euclid(b.abs()) != 0))
                    }
                }
            }
        }
        ArithOp::RemI { signedness, .. } => {
            let (a, b) = both(*signedness);
            if b == 0 { 0 } else { a % b }
        }
        ArithOp::MinI { signedness, .. } => both(*signedness).0.min(both(*signedness).1),
        ArithOp::MaxI { signedness, .. } => both(*signedness).0.max(both(*signedness).1),
        ArithOp::NegI { .. } => -ua,
        ArithOp::AbsI { .. } => signed(a, width).abs(),
        ArithOp::AndI { .. } => ua & ub,
        ArithOp::OrI { .. } => ua | ub,
        ArithOp::XorI { .. } => ua ^ ub,
        ArithOp::ShlI { .. } => {
            if b >= u64::from(width) {
                0
            } else {
                ua << b
            }
        }
        ArithOp::ShrI { signedness, .. } => read(a, width, *signedness) >> b.min(127),
        ArithOp::CmpI {
            predicate,
            signedness,
            ..
        } => {
            let (a, b) = both(*signedness);
            i128::from(holds(*predicate, &a, &b))
        }
        ArithOp::ExtI { signedness, .. } => read(a, width, *signedness),
        ArithOp::TruncI { .. } | ArithOp::Bitcast { .. } => ua,
        ArithOp::IToF {
            signedness, rounding, ..
        } => {
            return float::from_integer(read(a, width, *signedness), *rounding, to);
        }
        other => panic!("{} of integers", other.name()),
    };
    (number as u64) & to.mask()
}

/// A float comparison.
fn compare(predicate: Predicate, ordering: Ordering, a: f64, b: f64) -> bool {
    if a.is_nan() || b.is_nan() {
        ordering == Ordering::Unordered
    } else {
        holds(predicate, &a, &b)
    }
}
