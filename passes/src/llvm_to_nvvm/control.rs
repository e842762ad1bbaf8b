//! Traversal of blocks, branches, and special registers.

use tilewright_irs::core::{Block, Body, OpId, Operation, Successor, Value};
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::{Class, Cta, OpResult, SyncWord, Uni};
use tilewright_irs::literal::Literal;
use tilewright_irs::llvm::{AddressSpace, Extents, LlvmDialect as L, LlvmOp, LlvmType};
use tilewright_irs::nvvm::{Instruction as I, Nvvm, NvvmDialect as N, NvvmType};

use super::atomics::Atomic;
use super::selector::{Bound, Problem, Selector};

impl Selector<'_> {
    /// Selects the whole body.
    pub(super) fn run(mut self) -> Result<Body<Nvvm>, Problem> {
        let Some(entry) = self.from.entry() else {
            return Err(self.bug("a kernel has a body"));
        };
        let order = self.dominators_first(entry);
        // The blocks keep their textual order, but are filled in dominance order.
        let root = self.to.root();
        for &block in &self.from.region(self.from.root()).blocks {
            if order.contains(&block) {
                let new = self.to.add_block(root);
                self.blocks.set(block, new);
            }
        }
        for &block in &order {
            self.block_arguments(block, block == entry)?;
        }
        for &block in &order {
            self.block = self.new_block(block)?;
            if block == entry {
                self.parameters(entry)?;
            }
            for &id in &self.from.block(block).ops {
                self.origin = self.from.op(id).origin;
                self.op(id)?;
            }
        }
        Ok(self.to)
    }

    /// The reachable blocks, in reverse postorder.
    fn dominators_first(&self, entry: Block) -> Vec<Block> {
        let successors = |block: Block| {
            let mut list = Vec::new();
            if let Some(last) = self.from.terminator(block) {
                use tilewright_irs::core::Operation;
                self.from
                    .op(last)
                    .kind
                    .successors(&mut |successor| list.push(successor.block));
            }
            list
        };
        let mut seen = rustc_hash::FxHashSet::from_iter([entry]);
        let mut stack = vec![(entry, successors(entry))];
        let mut order = Vec::new();
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) if seen.insert(next) => stack.push((next, successors(next))),
                Some(_) => {}
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    fn new_block(&self, block: Block) -> Result<Block, Problem> {
        self.blocks
            .get(block)
            .copied()
            .ok_or_else(|| self.bug("a branch leads nowhere"))
    }

    fn block_arguments(&mut self, block: Block, entry: bool) -> Result<(), Problem> {
        let new = self.new_block(block)?;
        for &arg in &self.from.block(block).args {
            let ty = self.old_type(arg);
            let types = match ty {
                // A Boolean parameter is a byte.
                LlvmType::Scalar(ScalarType::I1) if entry => vec![NvvmType::B8],
                LlvmType::Vector(..) if entry => return Err(self.bug("a parameter is no vector")),
                LlvmType::Scalar(_)
                | LlvmType::Ptr(_)
                | LlvmType::Vector(..)
                | LlvmType::TensorMap
                | LlvmType::Passed(_)
                | LlvmType::Struct(_) => self.register_types(ty)?,
            };
            let values = types.into_iter().map(|ty| self.to.add_arg(new, ty)).collect();
            self.bind(arg, Bound::Registers(values));
        }
        Ok(())
    }

    /// Converts the bytes of Boolean parameters to predicates.
    fn parameters(&mut self, entry: Block) -> Result<(), Problem> {
        for &arg in &self.from.block(entry).args {
            if self.old_type(arg) == LlvmType::Scalar(ScalarType::I1) {
                let byte = self.register(arg)?;
                let bit = self.bit_of_byte(byte)?;
                self.bind(arg, Bound::Registers(vec![bit]));
            }
        }
        Ok(())
    }

    /// A part of a parameter that is passed by value.
    fn read_parameter(&mut self, result: Value, parameter: Value, offset: u32) -> Result<(), Problem> {
        let parameter = self.register(parameter)?;
        let ty = self.old_type(result);
        let is_bit = ty == LlvmType::Scalar(ScalarType::I1);
        let types = self.register_types(ty)?;
        let part = match types.as_slice() {
            [NvvmType::Pred] => NvvmType::B8,
            [part] => *part,
            _ => return Err(self.bug("a part of a parameter is in one register")),
        };
        let mut value = self.emit(N::ReadParameter { parameter, offset }, part);
        if is_bit {
            value = self.bit_of_byte(value)?;
        }
        self.bind(result, Bound::Registers(vec![value]));
        Ok(())
    }

    /// Zeros, which stand for a value of which nothing is known.
    fn unknown(&mut self, result: Value) -> Result<(), Problem> {
        let mut zeros = Vec::new();
        for ty in self.register_types(self.old_type(result))? {
            let scalar = match ty.class() {
                Class::Pred => ScalarType::I1,
                Class::B16 => ScalarType::I16,
                Class::B32 => ScalarType::I32,
                Class::F32 => ScalarType::F32,
                Class::F64 => ScalarType::F64,
                Class::B64 | Class::B128 => ScalarType::I64,
            };
            let value = Literal::new(scalar, 0);
            zeros.push(self.emit(N::Constant { value }, ty));
        }
        self.bind(result, Bound::Registers(zeros));
        Ok(())
    }

    fn op(&mut self, id: OpId) -> Result<(), Problem> {
        let data = self.from.op(id);
        match &data.kind {
            LlvmOp::Arith(op) => self.arith(id, op),
            LlvmOp::Math(op) => Err(self.bug(format!("`{}` was not expanded", op.name()))),
            LlvmOp::Target(op) => self.target(id, op),
            LlvmOp::Llvm(op) => match *op {
                L::GetElementPtr {
                    base,
                    index,
                    scale,
                    offset,
                } => self.get_element_ptr(data.result(0), base, index, scale, offset),
                L::Load {
                    pointer,
                    mask,
                    other,
                    order,
                    scope,
                    cache_policy,
                    cache,
                    prefetch,
                    ..
                } => self.load(
                    id,
                    pointer,
                    mask,
                    other,
                    (order, scope),
                    (cache_policy, cache, prefetch),
                ),
                L::Store {
                    pointer,
                    value,
                    mask,
                    order,
                    scope,
                    cache_policy,
                    cache,
                    ..
                } => self.store(pointer, value, mask, (order, scope), (cache_policy, cache)),
                L::AtomicRmw {
                    pointer,
                    value,
                    mask,
                    op,
                    order,
                    scope,
                } => {
                    let access = Atomic {
                        pointer,
                        value,
                        mask,
                        order,
                        scope,
                    };
                    self.atomic(id, access, op)
                }
                L::AtomicCas {
                    pointer,
                    compare,
                    value,
                    mask,
                    order,
                    scope,
                } => {
                    let access = Atomic {
                        pointer,
                        value,
                        mask,
                        order,
                        scope,
                    };
                    self.swap(id, access, compare)
                }
                L::ExtractElement { vector, index } => self.extract(data.result(0), vector, index),
                L::BuildVector { ref elements } => self.build_vector(data.result(0), elements),
                L::Constant { .. } | L::InsertValue { .. } | L::ExtractValue { .. } => {
                    Err(self.bug("structs are dissolved before"))
                }
                L::Undef {} => self.unknown(data.result(0)),
                L::ReadSpecial { register } => {
                    let ty = register.ty();
                    let read = I::ReadSpecial {
                        ty,
                        d: OpResult,
                        register,
                    };
                    let result = (data.result(0), NvvmType::of_class(ty.class()));
                    self.hardware(read, Some(result));
                    Ok(())
                }
                L::ReadParameter { parameter, offset } => {
                    self.read_parameter(data.result(0), parameter, offset)
                }
                L::SharedBase {} => {
                    let ty = NvvmType::Ptr(AddressSpace::Shared);
                    self.hardware(N::SharedBase {}, Some((data.result(0), ty)));
                    Ok(())
                }
                L::PtrToInt { pointer: same } | L::IntToPtr { source: same } => {
                    let address = self.register(same)?;
                    self.bind(data.result(0), Bound::Registers(vec![address]));
                    Ok(())
                }
                L::Alloca { slot, bytes, align } => {
                    let ty = NvvmType::Ptr(AddressSpace::Local);
                    self.hardware(N::Alloca { slot, bytes, align }, Some((data.result(0), ty)));
                    Ok(())
                }
                L::Barrier { id, threads } => {
                    let a = self.literal(Literal::new(ScalarType::I32, id.into()))?;
                    // Without a thread count, the barrier is for the whole block. At barriers other than 0, other
                    // threads may arrive with a count, which must then be the same.
                    let b = if id == 0 && self.func.attrs.reqntid.map(Extents::count) == Some(threads) {
                        None
                    } else {
                        Some(self.literal(Literal::new(ScalarType::I32, threads.into()))?)
                    };
                    let (cta, sync) = (Cta(false), SyncWord);
                    self.hardware(I::BarSync { cta, sync, a, b }, None);
                    Ok(())
                }
                L::Printf {
                    ref format,
                    ref values,
                } => {
                    let registers = values.iter().map(|&value| self.register(value));
                    let values = registers.collect::<Result<Vec<_>, _>>()?;
                    let format = format.clone();
                    self.effect(N::Printf { format, values });
                    Ok(())
                }
                L::Hold { ref values } => self.hold(id, values),
                L::Br { ref target } => {
                    let target = self.successor(target)?;
                    self.effect(N::Bra { target });
                    Ok(())
                }
                L::CondBr {
                    condition,
                    ref yes,
                    ref no,
                    unroll: _,
                } => {
                    let condition = self.register(condition)?;
                    let (yes, no) = (self.successor(yes)?, self.successor(no)?);
                    self.effect(N::Cbra { condition, yes, no });
                    Ok(())
                }
                L::Return {} => {
                    self.effect(I::Ret { uni: Uni(false) });
                    Ok(())
                }
            },
        }
    }

    fn successor(&mut self, successor: &Successor) -> Result<Successor, Problem> {
        if Some(successor.block) == self.from.entry() {
            return Err(self.bug("no branch leads back to the parameters"));
        }
        let mut args = Vec::with_capacity(successor.args.len());
        for &arg in &successor.args {
            args.extend(self.registers(arg)?);
        }
        Ok(Successor {
            block: self.new_block(successor.block)?,
            args,
        })
    }
}
