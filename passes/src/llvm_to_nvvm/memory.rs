//! Addresses, loads and stores.

use tilewright_irs::core::{OpId, Value};
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::memory::{LoadPolicy, MemoryOrder, MemoryScope, PrefetchSize, StorePolicy};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::isa::{
    CacheHint, Comparison, Eviction, LoadCache, OpResult, Part, Results, Sat, Sources, Space, StoreCache,
    Type, Width,
};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::{AddressSpace, LlvmType};
use tilewright_irs::nvvm::{
    Instruction as I, NvvmOp, NvvmType, TargetOp, memory_order, memory_scope, prefetch_size,
};

use super::selector::{Bound, Problem, Selector};

/// The cache operation of a load, or the priority of its lines.
const fn loading(policy: Option<LoadPolicy>) -> (Option<LoadCache>, Option<Eviction>) {
    let Some(policy) = policy else { return (None, None) };
    match policy {
        LoadPolicy::EvictFirst => (None, Some(Eviction::First)),
        LoadPolicy::EvictLast => (None, Some(Eviction::Last)),
        LoadPolicy::EvictUnchanged => (None, Some(Eviction::Unchanged)),
        LoadPolicy::EvictNormal => (None, Some(Eviction::Normal)),
        LoadPolicy::NoAllocate => (None, Some(Eviction::NoAllocate)),
        LoadPolicy::All => (Some(LoadCache::Ca), None),
        LoadPolicy::Global => (Some(LoadCache::Cg), None),
        LoadPolicy::Streaming => (Some(LoadCache::Cs), None),
        LoadPolicy::LastUse => (Some(LoadCache::Lu), None),
        LoadPolicy::Volatile => (Some(LoadCache::Cv), None),
    }
}

/// The cache operation of a store, or the priority of its lines.
const fn storing(policy: Option<StorePolicy>) -> (Option<StoreCache>, Option<Eviction>) {
    let Some(policy) = policy else { return (None, None) };
    match policy {
        StorePolicy::EvictFirst => (None, Some(Eviction::First)),
        StorePolicy::EvictLast => (None, Some(Eviction::Last)),
        StorePolicy::EvictUnchanged => (None, Some(Eviction::Unchanged)),
        StorePolicy::EvictNormal => (None, Some(Eviction::Normal)),
        StorePolicy::NoAllocate => (None, Some(Eviction::NoAllocate)),
        StorePolicy::WriteBack => (Some(StoreCache::Wb), None),
        StorePolicy::Global => (Some(StoreCache::Cg), None),
        StorePolicy::Streaming => (Some(StoreCache::Cs), None),
        StorePolicy::WriteThrough => (Some(StoreCache::Wt), None),
    }
}

/// The registers of one access.
#[derive(Clone, Copy)]
enum Travel {
    /// One register each.
    Each(Type),
    /// Several in each 32-bit word, since no instruction moves more than four registers.
    Words,
}

impl Selector<'_> {
    /// `base + index * scale + offset`: constants are folded into the offset, the rest into one instruction.
    pub(super) fn get_element_ptr(
        &mut self,
        result: Value,
        base: Value,
        index: Option<Value>,
        scale: u32,
        offset: i64,
    ) -> Result<(), Problem> {
        let (mut base, before) = match self.bound(base)? {
            Bound::Address(base, before) => (base, i64::from(before)),
            Bound::Registers(values) => match values.as_slice() {
                [base] => (*base, 0),
                _ => return Err(self.bug("a pointer is one register")),
            },
        };
        // Addresses wrap, so sums may be reassociated.
        let mut bytes = before.wrapping_add(offset);
        let mut index = index;
        while let Some(value) = index {
            if let Some(literal) = self.constant(value) {
                bytes = bytes.wrapping_add(literal.signed().wrapping_mul(i64::from(scale)));
                index = None;
                continue;
            }
            let Some(&ArithOp::AddI { lhs, rhs, .. }) = self.arith_definition(value) else {
                break;
            };
            let (rest, literal) = match (self.constant(lhs), self.constant(rhs)) {
                (_, Some(literal)) => (lhs, literal),
                (Some(literal), None) => (rhs, literal),
                (None, None) => break,
            };
            bytes = bytes.wrapping_add(literal.signed().wrapping_mul(i64::from(scale)));
            index = Some(rest);
        }
        if let Some(index) = index {
            base = self.scaled(base, index, scale)?;
        }
        let offset = match i32::try_from(bytes) {
            Ok(offset) => offset,
            Err(_) => {
                base = self.far(base, bytes)?;
                0
            }
        };
        self.bind(result, Bound::Address(base, offset));
        Ok(())
    }

    /// A base plus an offset that exceeds an instruction's immediate.
    fn far(&mut self, base: Value, bytes: i64) -> Result<Value, Problem> {
        let ty = *self.to.ty(base);
        if ty.is_narrow_address() {
            let rhs = self.literal(Literal::new(S::I32, bytes.cast_unsigned()))?;
            return Ok(self.add(Type::S32, base, rhs, ty));
        }
        let rhs = self.literal(Literal::i64(bytes))?;
        Ok(self.add(Type::S64, base, rhs, ty))
    }

    /// `base + index * scale`. An index that was extended from 32 bits is multiplied before its extension.
    fn scaled(&mut self, base: Value, index: Value, scale: u32) -> Result<Value, Problem> {
        let ty = *self.to.ty(base);
        let narrow = match self.arith_definition(index) {
            Some(&ArithOp::ExtI { source, signedness }) if self.scalar(source)? == S::I32 => {
                Some((source, signedness))
            }
            _ => None,
        };
        let narrow_address = ty.is_narrow_address();
        let mad = |selector: &mut Self, part, multiply: Type, lhs, literal| {
            let rhs = selector.literal(literal)?;
            Ok(selector.emit(
                I::Mad {
                    part,
                    sat: Sat(false),
                    ty: multiply,
                    d: OpResult,
                    a: lhs,
                    b: rhs,
                    c: base,
                },
                ty,
            ))
        };
        let scale32 = Literal::new(S::I32, u64::from(scale));
        match (narrow, narrow_address) {
            // Only the low 32 bits matter in shared and in local memory.
            (Some((source, _)), true) => {
                let lhs = self.register(source)?;
                if scale == 1 {
                    return Ok(self.add(Type::S32, base, lhs, ty));
                }
                mad(self, Part::Lo, Type::S32, lhs, scale32)
            }
            (None, true) => {
                let wide = self.register(index)?;
                let lhs = self.cvt(None, Type::U32, Type::U64, wide);
                if scale == 1 {
                    return Ok(self.add(Type::S32, base, lhs, ty));
                }
                mad(self, Part::Lo, Type::S32, lhs, scale32)
            }
            (Some((source, Signedness::Signed)), false) if i32::try_from(scale).is_ok() => {
                let lhs = self.register(source)?;
                mad(self, Part::Wide, Type::S32, lhs, scale32)
            }
            (Some((source, Signedness::Unsigned)), false) => {
                let lhs = self.register(source)?;
                mad(self, Part::Wide, Type::U32, lhs, scale32)
            }
            (Some((_, Signedness::Signed)) | None, false) => {
                let lhs = self.register(index)?;
                if scale == 1 {
                    return Ok(self.add(Type::S64, base, lhs, ty));
                }
                mad(self, Part::Lo, Type::S64, lhs, Literal::i64(i64::from(scale)))
            }
        }
    }

    /// The space, base and offset of a pointer.
    pub(super) fn address(&mut self, pointer: Value) -> Result<(Space, Value, i32), Problem> {
        let space = match self.old_type(pointer) {
            LlvmType::Ptr(AddressSpace::Global) => Space::Global,
            LlvmType::Ptr(AddressSpace::Shared) => Space::Shared,
            LlvmType::Ptr(AddressSpace::Local) => Space::Local,
            LlvmType::Scalar(_)
            | LlvmType::Vector(..)
            | LlvmType::TensorMap
            | LlvmType::Passed(_)
            | LlvmType::Struct(_) => {
                return Err(self.bug("an access goes through a pointer"));
            }
        };
        Ok(match self.bound(pointer)? {
            Bound::Address(base, offset) => (space, base, offset),
            Bound::Registers(_) => (space, self.register(pointer)?, 0),
        })
    }

    /// The type and the registers of an access.
    ///
    /// Pairs of 16-bit elements travel as words: of a predicated load to 16-bit registers, ptxas merges each half by itself. Only
    /// weak accesses do so, since others are morally strong only to accesses of the same size (PTX ISA, 8.7).
    fn travel(&self, ty: LlvmType, order: MemoryOrder) -> Result<(S, Travel), Problem> {
        let (count, scalar) = match ty {
            LlvmType::Scalar(scalar) => (1, scalar),
            LlvmType::Vector(count, scalar) => (count, scalar),
            LlvmType::Ptr(space) if space.is_narrow() => (1, S::I32),
            LlvmType::Ptr(_) => (1, S::I64),
            LlvmType::TensorMap | LlvmType::Passed(_) | LlvmType::Struct(_) => {
                return Err(self.bug("an access moves a number, a vector or a pointer"));
            }
        };
        let each = match scalar {
            S::I1 | S::I8 => Type::U8,
            S::I16 | S::F16 | S::BF16 => Type::B16,
            S::I32 => Type::B32,
            S::I64 => Type::B64,
            S::F32 => Type::F32,
            S::F64 => Type::F64,
            _ => return Err(self.bug(format!("no register holds a number of type `{scalar}`"))),
        };
        let has_pairs = order == MemoryOrder::Weak && each == Type::B16 && count.is_multiple_of(2);
        if count <= 4 && !has_pairs {
            return Ok((scalar, Travel::Each(each)));
        }
        // An access moves 16 bytes at most, so the remaining cases are pairs of 2 bytes, and 8 or 16 elements of 1 byte.
        if each.bits() > 16 {
            return Err(self.bug(format!(
                "an access moves at most 16 bytes, not {count} of `{scalar}`"
            )));
        }
        Ok((scalar, Travel::Words))
    }

    /// The vector width of an access with this number of registers.
    fn width(&self, registers: usize) -> Result<Option<Width>, Problem> {
        Width::of(registers).ok_or_else(|| self.bug(format!("no access moves {registers} registers")))
    }

    /// The predicate of a mask; `None` if it is always true.
    pub(super) fn predicate(&mut self, mask: Option<Value>) -> Result<Option<Value>, Problem> {
        match mask {
            None => Ok(None),
            Some(mask) if self.constant(mask) == Some(Literal::i1(true)) => Ok(None),
            Some(mask) => self.register(mask).map(Some),
        }
    }

    /// A load.
    pub(super) fn load(
        &mut self,
        id: OpId,
        pointer: Value,
        mask: Option<Value>,
        other: Option<Value>,
        ordering: (MemoryOrder, Option<MemoryScope>),
        (cache_policy, cache, prefetch): (Option<Value>, Option<LoadPolicy>, Option<PrefetchSize>),
    ) -> Result<(), Problem> {
        let result = self.from.op(id).result(0);
        let ty = self.old_type(result);
        let (scalar, travel) = self.travel(ty, ordering.0)?;
        let types = self.register_types(ty)?;
        let (space, base, offset) = self.address(pointer)?;
        let predicate = self.predicate(mask)?;
        let others = match other {
            Some(other) if predicate.is_some() => {
                let elements = self.registers(other)?;
                self.packed(scalar, travel, elements)?
            }
            Some(_) | None => Vec::new(),
        };
        let (memory_type, moved) = match travel {
            Travel::Each(Type::U8) => (Type::U8, vec![NvvmType::B8; types.len()]),
            Travel::Each(each) => (each, types.clone()),
            Travel::Words => {
                let bytes = types.len() * scalar.bytes().unwrap_or(1) as usize;
                (Type::B32, vec![NvvmType::B32; bytes / 4])
            }
        };
        let (cache, eviction) = loading(cache);
        let policy = cache_policy.map(|policy| self.register(policy)).transpose()?;
        let load = TargetOp {
            instruction: I::Ld {
                order: memory_order(ordering.0),
                scope: ordering.1.map(memory_scope),
                space: Some(space),
                cache,
                eviction,
                hint: CacheHint(policy.is_some()),
                prefetch: prefetch.map(prefetch_size),
                width: self.width(moved.len())?,
                ty: memory_type,
                d: Results(vec![OpResult; moved.len()]),
                a: (base, offset).into(),
                policy,
            },
            guard: predicate,
            otherwise: others,
        };
        let loaded = self.emit_many(load, moved);
        let elements = self.unpacked(scalar, travel, loaded)?;
        self.bind(result, Bound::Registers(elements));
        Ok(())
    }

    /// A store.
    pub(super) fn store(
        &mut self,
        pointer: Value,
        value: Value,
        mask: Option<Value>,
        ordering: (MemoryOrder, Option<MemoryScope>),
        (cache_policy, cache): (Option<Value>, Option<StorePolicy>),
    ) -> Result<(), Problem> {
        let (scalar, travel) = self.travel(self.old_type(value), ordering.0)?;
        let (space, base, offset) = self.address(pointer)?;
        let predicate = self.predicate(mask)?;
        let elements = self.registers(value)?;
        let values = self.packed(scalar, travel, elements)?;
        let ty = match travel {
            Travel::Each(each) => each,
            Travel::Words => Type::B32,
        };
        let (cache, eviction) = storing(cache);
        let policy = cache_policy.map(|policy| self.register(policy)).transpose()?;
        self.effect(TargetOp {
            instruction: I::St {
                order: memory_order(ordering.0),
                scope: ordering.1.map(memory_scope),
                space: Some(space),
                cache,
                eviction,
                hint: CacheHint(policy.is_some()),
                width: self.width(values.len())?,
                ty,
                a: (base, offset).into(),
                b: Sources(values),
                policy,
            },
            guard: predicate,
            otherwise: Vec::new(),
        });
        Ok(())
    }

    /// Packs elements into the registers of an access.
    fn packed(&mut self, scalar: S, travel: Travel, elements: Vec<Value>) -> Result<Vec<Value>, Problem> {
        let mut bytes = elements;
        if scalar == S::I1 {
            let (yes, no) = (
                self.literal(Literal::new(S::I8, 1))?,
                self.literal(Literal::new(S::I8, 0))?,
            );
            bytes = bytes
                .into_iter()
                .map(|bit| self.selp(NvvmType::B8, yes, no, bit))
                .collect();
        }
        match travel {
            Travel::Each(_) => Ok(bytes),
            Travel::Words => {
                let parts = if scalar.bytes() == Some(1) { 4 } else { 2 };
                bytes.chunks(parts).map(|parts| self.word(parts)).collect()
            }
        }
    }

    /// Two bytes in a 16-bit register, the first in the low bits.
    fn half(&mut self, pair: &[Value]) -> Result<Value, Problem> {
        let &[low, high] = pair else {
            return Err(self.bug("bytes travel in pairs"));
        };
        if let (Some(low), Some(high)) = (self.literal_of(low), self.literal_of(high)) {
            // The bits above a byte are those of what it was truncated from.
            let bits = (low.bits & 0xFF) | (high.bits & 0xFF) << 8;
            return self.literal(Literal::new(S::I16, bits));
        }
        let (ty, b16) = (Type::B16, NvvmType::B16);
        let mask = self.literal(Literal::new(S::I16, 0xFF))?;
        let low = self.emit(
            I::And {
                ty,
                d: OpResult,
                a: low,
                b: mask,
            },
            b16,
        );
        let amount = self.literal(Literal::i32(8))?;
        let high = self.emit(
            I::Shl {
                ty,
                d: OpResult,
                a: high,
                b: amount,
            },
            b16,
        );
        Ok(self.emit(
            I::Or {
                ty,
                d: OpResult,
                a: low,
                b: high,
            },
            b16,
        ))
    }

    /// Two 16-bit registers or four bytes in a 32-bit register: the one that they were unpacked from, if they were.
    pub(super) fn word(&mut self, parts: &[Value]) -> Result<Value, Problem> {
        let from = parts
            .first()
            .and_then(|&first| self.unpacked_from(first, parts.len(), 0));
        if let Some(word) = from
            && parts
                .iter()
                .enumerate()
                .all(|(at, &part)| self.unpacked_from(part, parts.len(), at) == Some(word))
        {
            return Ok(word);
        }
        let &[low, high] = parts else {
            let halves = parts.chunks(2).map(|pair| self.half(pair));
            let halves = halves.collect::<Result<Vec<_>, _>>()?;
            let [low, high] = halves.as_slice() else {
                return Err(self.bug("a word has two halves"));
            };
            return self.word_of_halves(*low, *high);
        };
        self.word_of_halves(low, high)
    }

    fn word_of_halves(&mut self, low: Value, high: Value) -> Result<Value, Problem> {
        if let (Some(low), Some(high)) = (self.literal_of(low), self.literal_of(high)) {
            return self.literal(Literal::new(S::I32, low.bits | high.bits << 16));
        }
        Ok(self.emit(
            I::Pack {
                ty: Type::B32,
                d: OpResult,
                a: Sources(vec![low, high]),
            },
            NvvmType::B32,
        ))
    }

    /// Unpacks elements from the registers of an access.
    fn unpacked(&mut self, scalar: S, travel: Travel, moved: Vec<Value>) -> Result<Vec<Value>, Problem> {
        let mut elements = moved;
        if let Travel::Words = travel {
            let words = elements.clone();
            let mut halves = Vec::with_capacity(2 * elements.len());
            for source in elements {
                halves.extend(self.emit_many(
                    I::Unpack {
                        ty: Type::B32,
                        d: Results(vec![OpResult; 2]),
                        a: source,
                    },
                    vec![NvvmType::B16; 2],
                ));
            }
            elements = halves;
            if scalar.bytes() == Some(1) {
                let mut bytes = Vec::with_capacity(2 * elements.len());
                for half in elements {
                    let amount = self.literal(Literal::i32(8))?;
                    let high = self.emit(
                        I::Shr {
                            ty: Type::U16,
                            d: OpResult,
                            a: half,
                            b: amount,
                        },
                        NvvmType::B8,
                    );
                    bytes.extend([half, high]);
                }
                elements = bytes;
            }
            let parts = elements.len() / words.len().max(1);
            for (word, parts) in words.into_iter().zip(elements.chunks(parts.max(1))) {
                self.note_unpacked(word, parts);
            }
        }
        if scalar != S::I1 {
            return Ok(elements);
        }
        elements
            .into_iter()
            .map(|byte| self.byte_to_bit(byte, travel))
            .collect()
    }

    /// Whether a byte is not zero.
    pub(super) fn bit_of_byte(&mut self, byte: Value) -> Result<Value, Problem> {
        let mask = self.literal(Literal::new(S::I16, 0xFF))?;
        let low = self.emit(
            I::And {
                ty: Type::B16,
                d: OpResult,
                a: byte,
                b: mask,
            },
            NvvmType::B16,
        );
        let zero = self.literal(Literal::new(S::I16, 0))?;
        Ok(self.setp(Comparison::Ne, Type::B16, low, zero))
    }

    fn byte_to_bit(&mut self, byte: Value, travel: Travel) -> Result<Value, Problem> {
        match travel {
            // A loaded byte is zero-extended.
            Travel::Each(_) => {
                let zero = self.literal(Literal::new(S::I16, 0))?;
                Ok(self.setp(Comparison::Ne, Type::B16, byte, zero))
            }
            Travel::Words => self.bit_of_byte(byte),
        }
    }

    /// A vector's elements are its registers.
    pub(super) fn extract(&mut self, result: Value, vector: Value, index: u32) -> Result<(), Problem> {
        let elements = self.registers(vector)?;
        let element = elements.get(index as usize).copied();
        let element = element.ok_or_else(|| self.bug("a vector has no such element"))?;
        self.bind(result, Bound::Registers(vec![element]));
        Ok(())
    }

    /// The registers of several scalars, as one vector.
    pub(super) fn build_vector(&mut self, result: Value, elements: &[Value]) -> Result<(), Problem> {
        let registers = elements
            .iter()
            .map(|&e| self.register(e))
            .collect::<Result<Vec<_>, _>>()?;
        self.bind(result, Bound::Registers(registers));
        Ok(())
    }

    /// The block's barrier, special registers, and the base of shared memory.
    pub(super) fn hardware(&mut self, op: impl Into<NvvmOp>, result: Option<(Value, NvvmType)>) {
        match result {
            Some((old, ty)) => {
                let value = self.emit(op, ty);
                self.bind(old, Bound::Registers(vec![value]));
            }
            None => self.effect(op),
        }
    }
}
