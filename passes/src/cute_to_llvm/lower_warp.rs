//! Lowers warp-wide ops (matrix products, loads and stores of matrices) and asynchronous copies. Narrow elements are
//! packed in 32-bit registers, the first in the low bits.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::dialects::arith::{ArithOp, FloatRounding, Signedness};
use tilewright_irs::dialects::cute_nvgpu::{MatrixOrder, MmaSync};
use tilewright_irs::dialects::gpu::WarpReduction;
use tilewright_irs::dialects::memory::PrefetchSize;
use tilewright_irs::dialects::product_rules::matrix_type;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{
    Address, CacheHint, CopyCache, Instruction, MatrixCount, MatrixLayout, MatrixShape, MmaShape, OpResult,
    Popc, Results, Satfinite, Sources, Space, TargetOp, Trans, Type,
};
use tilewright_irs::llvm::LlvmType;
use tilewright_irs::nvvm::prefetch_size;

use super::emit::{Cx, I32, WARP, i32, unsupported};
use super::lower_memory::pointee_bytes;
use crate::warp_reductions;

/// Elements unpacked from a wide register: the register, and the index in it.
#[derive(Debug, Default)]
pub(super) struct Packed(FxHashMap<Value, (Value, usize)>);

/// The address `elements` elements of `bytes` bytes after a pointer.
fn address(
    cx: &Cx<'_>,
    pointer: Value,
    elements: i64,
    bytes: u32,
) -> Result<Address<Value>, Diagnostic<Origin>> {
    let offset = elements
        .checked_mul(i64::from(bytes))
        .and_then(|offset| i32::try_from(offset).ok());
    let offset = offset.ok_or_else(|| unsupported(cx.origin(), "an offset of 2 GiB or more"))?;
    Ok(Address::from((pointer, offset)))
}

/// What the values of all lanes of the warp are together.
pub(super) fn reduce(cx: &mut Cx<'_>, source: Value, reduction: WarpReduction) -> Value {
    let mask = i32(cx, WARP);
    let ty = *cx.ty(source);
    cx.value(warp_reductions::instruction(reduction, source, mask), ty)
}

/// The bits of a number, as an f32 of its value has them.
fn bits_of_tf32(cx: &mut Cx<'_>, source: Value) -> Value {
    let rounding = FloatRounding::NearestEven;
    let single = LlvmType::Scalar(ScalarType::F32);
    let source = cx.value(ArithOp::FToF { source, rounding }, single);
    cx.value(ArithOp::Bitcast { source }, I32)
}

impl Packed {
    /// Packs elements into 32-bit registers; elements of 32 bits are returned unchanged.
    pub(super) fn pack(&mut self, cx: &mut Cx<'_>, elements: &[Value], scalar: ScalarType) -> Vec<Value> {
        if scalar == ScalarType::TF32 {
            return elements
                .iter()
                .map(|&element| match self.0.get(&element) {
                    // The product reads no bits that a tf32 lacks.
                    Some(&(wide, _)) => wide,
                    None if *cx.ty(element) == I32 => element,
                    None => bits_of_tf32(cx, element),
                })
                .collect();
        }
        let each = 4 / scalar.bytes().unwrap_or(4).min(4) as usize;
        if each == 1 {
            return elements.to_vec();
        }
        let chunks = elements.chunks(each);
        chunks
            .map(|chunk| {
                let from = chunk
                    .first()
                    .and_then(|first| self.0.get(first))
                    .map(|(wide, _)| *wide);
                let whole = chunk.iter().enumerate().all(|(i, element)| {
                    self.0
                        .get(element)
                        .is_some_and(|&(wide, at)| Some(wide) == from && at == i)
                });
                match from {
                    Some(wide) if whole => wide,
                    _ if each == 4
                        && let Some(gathered) = self.gather(cx, chunk) =>
                    {
                        gathered
                    }
                    _ => {
                        let a = Sources(chunk.to_vec());
                        let ty = Type::B32;
                        cx.value(Instruction::Pack { ty, d: OpResult, a }, I32)
                    }
                }
            })
            .collect()
    }

    /// Packs bytes that two 32-bit registers hold: by one permutation.
    fn gather(&self, cx: &mut Cx<'_>, bytes: &[Value]) -> Option<Value> {
        let places: Option<Vec<(Value, usize)>> =
            bytes.iter().map(|byte| self.0.get(byte).copied()).collect();
        let places = places?;
        let (a, _) = *places.first()?;
        let b = places.iter().map(|(wide, _)| *wide).find(|wide| *wide != a);
        let b = b.unwrap_or(a);
        let mut selector = 0;
        for (to, (wide, at)) in (0..).zip(places) {
            let source = match wide {
                wide if wide == a => at,
                wide if wide == b => 4 + at,
                _ => return None,
            };
            selector |= u32::try_from(source).ok()? << (4 * to);
        }
        let c = i32(cx, selector);
        let permute = Instruction::Prmt {
            ty: Type::B32,
            mode: None,
            d: OpResult,
            a,
            b,
            c,
        };
        Some(cx.value(permute, I32))
    }

    /// Unpacks the elements of 32-bit registers.
    pub(super) fn unpack(&mut self, cx: &mut Cx<'_>, registers: &[Value], scalar: ScalarType) -> Vec<Value> {
        let each = 4 / scalar.bytes().unwrap_or(4).min(4) as usize;
        if each == 1 {
            return registers.to_vec();
        }
        let mut elements = Vec::with_capacity(each * registers.len());
        for &a in registers {
            let d = Results(vec![OpResult; each]);
            let op = Instruction::Unpack { ty: Type::B32, d, a };
            let unpacked = cx.build().op(op, vec![LlvmType::Scalar(scalar); each]);
            for (i, element) in cx.new_body().op(unpacked).results().enumerate() {
                self.0.insert(element, (a, i));
                elements.push(element);
            }
        }
        elements
    }

    /// The elements of 32-bit registers that were loaded or received.
    pub(super) fn loaded(&mut self, cx: &mut Cx<'_>, registers: &[Value], scalar: ScalarType) -> Vec<Value> {
        let bytes = scalar.bytes().unwrap_or(4);
        if bytes == 2 {
            return self.unpack(cx, registers, scalar);
        }
        let bitcast = |cx: &mut Cx<'_>, source, scalar| {
            let ty = LlvmType::Scalar(scalar);
            cx.value(ArithOp::Bitcast { source }, ty)
        };
        let mut elements = Vec::new();
        for &register in registers {
            for at in 0..4 / bytes.max(1) {
                let mut element = register;
                if bytes == 1 {
                    let byte = LlvmType::Scalar(ScalarType::I8);
                    let rhs = i32(cx, 8 * at);
                    let shifted = ArithOp::ShrI {
                        lhs: register,
                        rhs,
                        signedness: Signedness::Unsigned,
                    };
                    let source = cx.value(shifted, I32);
                    element = cx.value(ArithOp::TruncI { source }, byte);
                }
                element = match scalar {
                    ScalarType::I8 | ScalarType::I32 => element,
                    ScalarType::TF32 => {
                        let source = bitcast(cx, element, ScalarType::F32);
                        let rounding = FloatRounding::Zero;
                        cx.value(ArithOp::FToF { source, rounding }, LlvmType::Scalar(scalar))
                    }
                    _ => bitcast(cx, element, scalar),
                };
                if element != register {
                    self.0.insert(element, (register, at as usize));
                }
                elements.push(element);
            }
        }
        elements
    }

    /// A product of fragments.
    pub(super) fn mma(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        operands: [Value; 3],
        atom: MmaSync,
    ) -> Translated {
        let origin = cx.origin();
        let missing = || unsupported(origin, "a matrix product that is not supported yet");
        let shape = MmaShape::of(atom.shape).ok_or_else(missing)?;
        let ([of_a, of_b], [sign_a, sign_b]) = (atom.operands, atom.signedness);
        let matrix = |scalar, sign| matrix_type(scalar, sign).ok_or_else(missing);
        let (a_type, b_type) = (matrix(of_a, sign_a)?, matrix(of_b, sign_b)?);
        let d_type = matrix(atom.accumulator, Signedness::Signed)?;
        let [a, b, c] = operands.map(|operand| cx.all(operand).to_vec());
        let a = self.pack(cx, &a, of_a);
        let b = self.pack(cx, &b, of_b);
        let c = self.pack(cx, &c, atom.accumulator);
        let ty = match atom.accumulator.bytes() {
            Some(2) => I32,
            _ => LlvmType::Scalar(atom.accumulator),
        };
        let results = vec![ty; c.len()];
        let op = Instruction::Mma {
            shape,
            a_layout: MatrixLayout::Row,
            b_layout: MatrixLayout::Col,
            kind: None,
            satfinite: Satfinite(false),
            d_type,
            a_type,
            b_type,
            c_type: d_type,
            bits: None,
            popc: Popc(false),
            d: Results(vec![OpResult; c.len()]),
            a: Sources(a),
            b: Sources(b),
            c: Sources(c),
        };
        let made = cx.build().op(op, results);
        let registers: Vec<Value> = cx.new_body().op(made).results().collect();
        let elements = self.unpack(cx, &registers, atom.accumulator);
        cx.bind(cx.old(id).result(0), elements);
        Ok(())
    }

    /// Loads matrices.
    pub(super) fn load_matrix(
        &mut self,
        cx: &mut Cx<'_>,
        id: OpId,
        pointer: Value,
        offsets: &[i64],
        (count, order): (u32, MatrixOrder),
    ) -> Translated {
        let ty = cx.from.ty(pointer).clone();
        let (bytes, scalar) = (pointee_bytes(&ty), ty.pointee().unwrap_or(ScalarType::F16));
        let base = cx.one(pointer);
        let count = MatrixCount::of(count)
            .ok_or_else(|| unsupported(cx.origin(), "matrices other than 1, 2 or 4 at a time"))?;
        let mut elements = Vec::new();
        for &offset in offsets {
            let op = Instruction::LdMatrix {
                shape: MatrixShape::M8n8,
                count,
                trans: Trans(order == MatrixOrder::Transposed),
                space: Some(Space::Shared),
                ty: Type::B16,
                d: Results(vec![OpResult; count.count()]),
                a: address(cx, base, offset, bytes)?,
            };
            let loaded = cx.build().op(op, vec![I32; count.count()]);
            let registers: Vec<Value> = cx.new_body().op(loaded).results().collect();
            elements.extend(self.loaded(cx, &registers, scalar));
        }
        cx.bind(cx.old(id).result(0), elements);
        Ok(())
    }

    /// Stores matrices.
    pub(super) fn store_matrix(
        &mut self,
        cx: &mut Cx<'_>,
        [pointer, value]: [Value; 2],
        pred: Option<Value>,
        offsets: &[i64],
        (count, order): (u32, MatrixOrder),
    ) -> Translated {
        let ty = cx.from.ty(pointer).clone();
        let (bytes, scalar) = (pointee_bytes(&ty), ty.pointee().unwrap_or(ScalarType::F16));
        let (base, guard) = (cx.one(pointer), pred.map(|pred| cx.one(pred)));
        let elements = cx.all(value).to_vec();
        let count = MatrixCount::of(count)
            .ok_or_else(|| unsupported(cx.origin(), "matrices other than 1, 2 or 4 at a time"))?;
        let each = (4 / bytes.max(1)).max(1) as usize * count.count();
        for (&offset, elements) in offsets.iter().zip(elements.chunks(each)) {
            let instruction = Instruction::StMatrix {
                shape: MatrixShape::M8n8,
                count,
                trans: Trans(order == MatrixOrder::Transposed),
                space: Some(Space::Shared),
                ty: Type::B16,
                a: address(cx, base, offset, bytes)?,
                b: Sources(self.pack(cx, elements, scalar)),
            };
            cx.build().effect(TargetOp {
                instruction,
                guard,
                otherwise: Vec::new(),
            });
        }
        Ok(())
    }
}

/// The source or the destination of an asynchronous copy.
pub(super) struct End<'a> {
    /// One pointer, or one for each vector.
    pub(super) pointer: Value,
    /// The offset of each vector, in elements.
    pub(super) offsets: &'a [i64],
}

impl End<'_> {
    fn address(&self, cx: &Cx<'_>, vector: usize) -> Result<Address<Value>, Diagnostic<Origin>> {
        let bytes = pointee_bytes(cx.from.ty(self.pointer));
        let pointer = one_or_own(cx.all(self.pointer), vector);
        let offset = self.offsets.get(vector).copied().unwrap_or(0);
        match pointer {
            Some(pointer) => address(cx, pointer, offset, bytes),
            None => Err(unsupported(cx.origin(), "a copy without an address")),
        }
    }
}

fn one_or_own(values: &[Value], vector: usize) -> Option<Value> {
    match values {
        [one] => Some(*one),
        all => all.get(vector).copied(),
    }
}

/// Copies vectors from global to shared memory asynchronously; zeros where the predicate is false.
pub(super) fn copy_async(
    cx: &mut Cx<'_>,
    to: &End<'_>,
    from: &End<'_>,
    (pred, sizes): (Option<Value>, Option<Value>),
    vector: u32,
    (policy, prefetch): (Option<Value>, Option<PrefetchSize>),
) -> Translated {
    let size = pointee_bytes(cx.from.ty(to.pointer)).saturating_mul(vector);
    let cache = if size == 16 { CopyCache::Cg } else { CopyCache::Ca };
    for group in 0..to.offsets.len() {
        let (target, source) = (to.address(cx, group)?, from.address(cx, group)?);
        let condition = pred.and_then(|pred| one_or_own(cx.all(pred), group));
        let read = sizes.and_then(|sizes| one_or_own(cx.all(sizes), group));
        let source_size = match condition {
            Some(condition) => {
                let yes = read.unwrap_or_else(|| i32(cx, size));
                let no = i32(cx, 0);
                Some(cx.value(ArithOp::Select { condition, yes, no }, I32))
            }
            None => read,
        };
        cx.build().effect(Instruction::CpAsync {
            cache,
            to: Space::Shared,
            from: Space::Global,
            hint: CacheHint(policy.is_some()),
            prefetch: prefetch.map(prefetch_size),
            target,
            source,
            size,
            source_size,
            policy,
        });
    }
    Ok(())
}
