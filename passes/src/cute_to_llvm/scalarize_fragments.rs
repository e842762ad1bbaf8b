//! Lowers fragments to scalars, and structured control flow to a control-flow graph.
//!
//! In: `cute_desugared`. Out: `llvm_like`: a control-flow graph of scalars; every memory access is one instruction
//! of at most 16 bytes; addresses are `llvm.getelementptr` with the constant part in `offset`; layouts are shifts and
//! masks of the thread index; the function has its `nvvm.*` attributes.
//! Moving elements between registers emits no code. Every input that the verifier of `cute_desugared` accepts is well
//! formed.

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{
    Block, Body, Func, OpId, Operation, Origin, Remap, Translate, Translated, Value, translate_func,
};
use tilewright_irs::cute_desugared::{CuteDesugared, CuteDesugaredOp, DesugaredType};
use tilewright_irs::dialects::arith::ArithOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::dialects::gpu::{GpuOp, GridOp};
use tilewright_irs::dialects::math::MathOp;
use tilewright_irs::element::ElementType;
use tilewright_irs::isa::{Instruction, ReadOnly, Shuffle, Special};
use tilewright_irs::literal::{Dense, Literal};
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmDialect, LlvmOp, LlvmType};

use super::emit::{Cx, I32, i32, unsupported};
use super::lower_kernel_attributes::lower_kernel_attributes;
use super::state::ScalarizeFragments;
use super::{
    bank, lower_addresses, lower_barriers, lower_instructions, lower_memory, lower_multimem, lower_shuffles,
    lower_tensor_copies, lower_warp, lower_warpgroups,
};

/// Lowers the code of one thread; see [the module](self).
pub fn scalarize_fragments(func: &Func<CuteDesugared>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    let attrs = lower_kernel_attributes(&func.attrs);
    let mut pass = ScalarizeFragments {
        threads: attrs.threads(),
        ones: ones(&func.body),
        frames: Vec::new(),
        dead: false,
        target: func.attrs.target,
        arrays: bank::Arrays::default(),
        packed: lower_warp::Packed::default(),
    };
    let mut lowered = translate_func(func, attrs, &mut pass)?;
    let is_map = |value: &Value| matches!(lowered.body.ty(*value), LlvmType::TensorMap);
    let maps = (0..)
        .zip(lowered.body.params())
        .filter(|(_, param)| is_map(param));
    let maps: Vec<u32> = maps.map(|(number, _)| number).collect();
    lowered.attrs.grid_constant = (!maps.is_empty()).then_some(maps);
    Ok(lowered)
}

fn ones(body: &Body<CuteDesugared>) -> FxHashSet<Value> {
    let mut ones = FxHashSet::default();
    for id in body.walk() {
        let op = body.op(id);
        if let CuteDesugaredOp::Arith(ArithOp::Constant {
            value: Dense::Splat(literal),
        }) = &op.kind
            && literal.ty.is_int()
            && literal.signed() == 1
        {
            ones.extend(op.results());
        }
    }
    ones
}

/// The machine type of one element.
fn machine_type(element: ElementType) -> LlvmType {
    match element {
        ElementType::Scalar(scalar) => LlvmType::Scalar(scalar),
        ElementType::Ptr(_) => LlvmType::Ptr(AddressSpace::Global),
    }
}

impl Translate<CuteDesugared, Llvm> for ScalarizeFragments {
    fn types(&mut self, ty: &DesugaredType) -> Result<Vec<LlvmType>, Diagnostic<Origin>> {
        Ok(match ty {
            DesugaredType::Scalar(element) => vec![machine_type(*element)],
            DesugaredType::SharedPtr(_) => vec![LlvmType::Ptr(AddressSpace::Shared)],
            DesugaredType::Fragment(count, element) => vec![machine_type(*element); *count as usize],
            DesugaredType::Cute(ty) => bank::types(ty)?,
            DesugaredType::TileIterator(base) => vec![bank::iterator::iterator_type(base)?],
            DesugaredType::TmaDescriptor(_) => vec![LlvmType::TensorMap],
            DesugaredType::Pipe(_) => {
                let message = "a pipe has no machine value: run `expand_pipes` first";
                return Err(unsupported(Origin::FUNCTION, message));
            }
        })
    }

    fn parameters(&mut self, cx: &mut Cx<'_>, entry: Block) -> Translated {
        bank::parameters(self, cx, entry)
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        if self.dead {
            return Ok(());
        }
        match &cx.old(id).kind {
            CuteDesugaredOp::Arith(op) => self.arith(cx, id, op),
            CuteDesugaredOp::Math(op) => self.math(cx, id, op),
            CuteDesugaredOp::Scf(op) => self.control_flow(cx, id, op),
            CuteDesugaredOp::Cute(op) => bank::convert(cx, (&mut self.arrays, &mut self.packed), id, op),
            CuteDesugaredOp::Algebra(op) => bank::algebra::convert(cx, id, op),
            CuteDesugaredOp::Division(op) => bank::division::convert(cx, id, op),
            CuteDesugaredOp::Iterator(op) => bank::iterator::convert(cx, &mut self.arrays, id, op),
            CuteDesugaredOp::CuteNvgpu(op) => bank::architecture(&mut self.packed, cx, id, op),
            CuteDesugaredOp::Copies(op) => lower_tensor_copies::lower(cx, id, op),
            CuteDesugaredOp::Fragment(op) => self.fragments(cx, id, op),
            CuteDesugaredOp::Pipe(_) => {
                let message = "a pipe is no machine op: run `expand_pipes` first";
                Err(unsupported(cx.old(id).origin, message))
            }
            CuteDesugaredOp::Gpu(op) => self.device(cx, id, op),
            CuteDesugaredOp::Target(op) => lower_instructions::lower(cx, id, op),
            CuteDesugaredOp::Grid(op) => {
                cx.build().effect(match op {
                    GridOp::LaunchDependents {} => Instruction::LaunchDependents {},
                    GridOp::WaitForGrids {} => Instruction::WaitForGrids {},
                });
                Ok(())
            }
        }
    }
}

impl ScalarizeFragments {
    /// An op on elements, emitted once for each.
    fn arith(&mut self, cx: &mut Cx<'_>, id: OpId, op: &ArithOp) -> Translated {
        let result = cx.old(id).result(0);
        let types = self.types(cx.from.ty(result))?;
        let mut elements = Vec::with_capacity(types.len());
        for (i, ty) in types.into_iter().enumerate() {
            let element = match op {
                ArithOp::Constant { value } => {
                    let literal = match value {
                        Dense::Splat(literal) => *literal,
                        Dense::Elements(scalar, bits) => {
                            Literal::new(*scalar, bits.get(i).copied().unwrap_or(0))
                        }
                    };
                    let value = Dense::Splat(literal);
                    cx.value(ArithOp::Constant { value }, ty)
                }
                // All pointers to global memory have the same type.
                ArithOp::PtrToPtr { source } => match cx.all(*source).get(i) {
                    Some(&pointer) => pointer,
                    None => continue,
                },
                _ => element(cx, op, i, ty),
            };
            elements.push(element);
        }
        cx.bind(result, elements);
        Ok(())
    }

    /// A function of elements, emitted once for each.
    fn math(&mut self, cx: &mut Cx<'_>, id: OpId, op: &MathOp) -> Translated {
        let result = cx.old(id).result(0);
        let types = self.types(cx.from.ty(result))?.into_iter().enumerate();
        let elements: Vec<Value> = types.map(|(i, ty)| element(cx, op, i, ty)).collect();
        cx.bind(result, elements);
        Ok(())
    }

    fn fragments(&mut self, cx: &mut Cx<'_>, id: OpId, op: &FragmentOp) -> Translated {
        let old = cx.old(id);
        match op {
            FragmentOp::LinearIndex { coord, bases } => {
                let coord = cx.one(*coord);
                let wide = *cx.from.ty(old.result(0)) == DesugaredType::Scalar(ElementType::I64);
                let index = lower_addresses::index(cx, coord, bases, wide, self.threads);
                cx.bind(old.result(0), [index]);
            }
            FragmentOp::Splat { source } => {
                let source = cx.one(*source);
                cx.bind(
                    old.result(0),
                    vec![source; cx.from.ty(old.result(0)).count() as usize],
                );
            }
            FragmentOp::Rearrange { source, from } => {
                let source = cx.all(*source);
                let moved: Vec<Value> = from
                    .iter()
                    .filter_map(|&i| source.get(i as usize))
                    .copied()
                    .collect();
                cx.bind(old.result(0), moved);
            }
            FragmentOp::Extract { source, index } => {
                let element = cx.all(*source).get(*index as usize).copied();
                cx.bind(old.result(0), Vec::from_iter(element));
            }
            FragmentOp::Make { elements } => {
                let elements: Vec<Value> = elements.iter().map(|&element| cx.one(element)).collect();
                cx.bind(old.result(0), elements);
            }
            FragmentOp::SharedPtr { offset } => {
                let ty = LlvmType::Ptr(AddressSpace::Shared);
                let base = cx.value(LlvmDialect::SharedBase {}, ty);
                let place = lower_addresses::at_byte(cx, base, i64::from(*offset));
                cx.bind(old.result(0), [place]);
            }
            FragmentOp::AddOffset { pointer, offset } => {
                let (pointers, offsets) = (cx.all(*pointer).to_vec(), cx.all(*offset).to_vec());
                let bytes = lower_memory::pointee_bytes(cx.from.ty(*pointer));
                let moved: Vec<Value> = pointers
                    .into_iter()
                    .zip(offsets)
                    .map(|(pointer, offset)| lower_addresses::moved(cx, pointer, offset, bytes))
                    .collect();
                cx.bind(old.result(0), moved);
            }
            FragmentOp::Load {
                other,
                cache_policy,
                cache,
                prefetch,
                ..
            } => {
                let caching = (cache_policy.map(|policy| cx.one(policy)), *cache, *prefetch);
                if let Some(access) = lower_memory::Access::of(op) {
                    lower_memory::load(cx, old.result(0), &access, *other, caching);
                }
            }
            FragmentOp::Store {
                value,
                cache_policy,
                cache,
                ..
            } => {
                let caching = (cache_policy.map(|policy| cx.one(policy)), *cache);
                if let Some(access) = lower_memory::Access::of(op) {
                    lower_memory::store(cx, *value, &access, caching);
                }
            }
            FragmentOp::AtomicRmw {
                pointer,
                value,
                pred,
                offsets,
                vector,
                op,
                order,
                scope,
            } => {
                let access = lower_memory::Atomic {
                    pointer: *pointer,
                    pred: *pred,
                    offsets,
                    vector: *vector,
                };
                let op = *op;
                lower_memory::atomic(cx, old.result(0), &access, [*value], |pointer, [value], mask| {
                    LlvmDialect::AtomicRmw {
                        pointer,
                        value,
                        mask,
                        op,
                        order: *order,
                        scope: *scope,
                    }
                });
            }
            FragmentOp::AtomicCas {
                pointer,
                compare,
                value,
                pred,
                order,
                scope,
            } => {
                let offsets = vec![0; cx.all(*value).len()];
                let access = lower_memory::Atomic {
                    pointer: *pointer,
                    pred: *pred,
                    offsets: &offsets,
                    vector: 1,
                };
                let operands = [*compare, *value];
                lower_memory::atomic(
                    cx,
                    old.result(0),
                    &access,
                    operands,
                    |pointer, [compare, value], mask| LlvmDialect::AtomicCas {
                        pointer,
                        compare,
                        value,
                        mask,
                        order: *order,
                        scope: *scope,
                    },
                );
            }
            FragmentOp::MultimemLoad { .. }
            | FragmentOp::MultimemStore { .. }
            | FragmentOp::MultimemReduce { .. } => {
                return lower_multimem::lower(cx, id, op, self.target);
            }
            FragmentOp::CopyAsync {
                to,
                source,
                pred,
                sizes,
                offsets,
                source_offsets,
                vector,
                cache_policy,
                prefetch,
            } => {
                let to = lower_warp::End {
                    pointer: *to,
                    offsets,
                };
                let from = lower_warp::End {
                    pointer: *source,
                    offsets: source_offsets,
                };
                let caching = (cache_policy.map(|policy| cx.one(policy)), *prefetch);
                return lower_warp::copy_async(cx, &to, &from, (*pred, *sizes), *vector, caching);
            }
            FragmentOp::LoadMatrix {
                pointer,
                offsets,
                count,
                order,
            } => {
                return self
                    .packed
                    .load_matrix(cx, id, *pointer, offsets, (*count, *order));
            }
            FragmentOp::StoreMatrix {
                pointer,
                value,
                pred,
                offsets,
                count,
                order,
            } => {
                let form = (*count, *order);
                return self
                    .packed
                    .store_matrix(cx, [*pointer, *value], *pred, offsets, form);
            }
            FragmentOp::Mma { a, b, c, atom } => return self.packed.mma(cx, id, [*a, *b, *c], *atom),
            FragmentOp::WgmmaFence { values } => {
                return lower_warpgroups::fence(&mut self.packed, cx, id, values);
            }
            FragmentOp::Wgmma { a, b, c, atom, first } => {
                return lower_warpgroups::product(cx, id, [*a, *b, *c], atom, *first);
            }
            FragmentOp::WgmmaCommit {} => cx.build().effect(Instruction::WgmmaCommit {}),
            FragmentOp::WgmmaWait { values, in_flight } => {
                return lower_warpgroups::wait(&mut self.packed, cx, id, values, *in_flight);
            }
        }
        Ok(())
    }

    fn device(&mut self, cx: &mut Cx<'_>, id: OpId, op: &GpuOp) -> Translated {
        let special = |register| LlvmDialect::ReadSpecial { register };
        let axes = |axis: u32, registers: [Special; 3]| {
            let [x, y, z] = registers;
            match axis {
                0 => x,
                1 => y,
                _ => z,
            }
        };
        let value = match op {
            GpuOp::ThreadIdx { axis } => {
                use Special::{TidX, TidY, TidZ};
                cx.value(special(axes(axis.unwrap_or(0), [TidX, TidY, TidZ])), I32)
            }
            GpuOp::BlockIdx { axis } => {
                use Special::{CtaidX, CtaidY, CtaidZ};
                cx.value(special(axes(*axis, [CtaidX, CtaidY, CtaidZ])), I32)
            }
            GpuOp::BlockRank {} => cx.value(special(Special::ClusterCtarank), I32),
            GpuOp::GridDim { axis } => {
                use Special::{NctaidX, NctaidY, NctaidZ};
                cx.value(special(axes(*axis, [NctaidX, NctaidY, NctaidZ])), I32)
            }
            GpuOp::ClusterIdx { axis } => {
                use Special::{ClusteridX, ClusteridY, ClusteridZ};
                let registers = [ClusteridX, ClusteridY, ClusteridZ];
                cx.value(special(axes(*axis, registers)), I32)
            }
            GpuOp::NumClusters { axis } => {
                use Special::{NclusteridX, NclusteridY, NclusteridZ};
                let registers = [NclusteridX, NclusteridY, NclusteridZ];
                cx.value(special(axes(*axis, registers)), I32)
            }
            GpuOp::ShuffleXor { value, mask } => {
                let lane = i32(cx, *mask);
                return lower_shuffles::shuffle(&mut self.packed, cx, id, *value, Shuffle::Bfly, lane);
            }
            GpuOp::ShuffleIdx { value, lane } => {
                let lane = cx.one(*lane);
                return lower_shuffles::shuffle(&mut self.packed, cx, id, *value, Shuffle::Idx, lane);
            }
            GpuOp::Fence { kind } => {
                lower_barriers::fence(cx, *kind);
                return Ok(());
            }
            GpuOp::ThreadFence { order, scope } => {
                lower_barriers::thread_fence(cx, *order, *scope);
                return Ok(());
            }
            GpuOp::BarrierArrive { id, threads } => {
                lower_barriers::arrive_named(cx, *id, *threads);
                return Ok(());
            }
            GpuOp::MbarrierInit { barrier, count } => {
                lower_barriers::init(cx, *barrier, *count);
                return Ok(());
            }
            GpuOp::MbarrierArrive { barrier } => {
                lower_barriers::arrive(cx, *barrier);
                return Ok(());
            }
            GpuOp::MbarrierArriveAt { barrier, rank } => {
                lower_barriers::arrive_at(cx, *barrier, *rank);
                return Ok(());
            }
            GpuOp::ClusterBarrier {} => {
                lower_barriers::cluster(cx);
                return Ok(());
            }
            GpuOp::MbarrierExpectTx { barrier, bytes } => {
                lower_barriers::arrive_expecting(cx, *barrier, *bytes);
                return Ok(());
            }
            GpuOp::MbarrierInitFence {} => {
                cx.build().effect(Instruction::FenceMbarrierInit {});
                return Ok(());
            }
            GpuOp::Elect {} => lower_barriers::elect(cx),
            GpuOp::SetMaxRegisters { registers, more } => {
                lower_barriers::set_max_registers(cx, *registers, more.0);
                return Ok(());
            }
            GpuOp::FenceProxyAsync {} => {
                lower_barriers::fence_async(cx);
                return Ok(());
            }
            GpuOp::BulkCommit {} => {
                cx.build().effect(Instruction::BulkCommit {});
                return Ok(());
            }
            GpuOp::BulkWait { in_flight, read } => {
                let (read, groups) = (ReadOnly(read.0), *in_flight);
                cx.build().effect(Instruction::BulkWait { read, groups });
                return Ok(());
            }
            GpuOp::MbarrierArriveAsync { barrier } => {
                lower_barriers::arrive_async(cx, *barrier);
                return Ok(());
            }
            GpuOp::MbarrierWait { barrier, parity } => {
                lower_barriers::wait(cx, *barrier, *parity, self.target.sm);
                return Ok(());
            }
            GpuOp::AsyncCommit {} => {
                lower_barriers::commit(cx);
                return Ok(());
            }
            GpuOp::AsyncWait { in_flight } => {
                lower_barriers::wait_groups(cx, *in_flight);
                return Ok(());
            }
            GpuOp::WarpSync {} => {
                lower_barriers::sync_warp(cx);
                return Ok(());
            }
            GpuOp::WarpReduce { source, op } => {
                let source = cx.one(*source);
                lower_warp::reduce(cx, source, *op)
            }
            GpuOp::Printf { format, values } => {
                let format = format.clone();
                let values = values.iter().map(|&value| cx.one(value)).collect();
                cx.build().effect(LlvmDialect::Printf { format, values });
                return Ok(());
            }
            GpuOp::Trap {} => {
                cx.build().effect(Instruction::Trap {});
                return Ok(());
            }
            GpuOp::Barrier { id, threads } => {
                let (id, threads) = (*id, *threads);
                cx.build().effect(LlvmDialect::Barrier { id, threads });
                return Ok(());
            }
        };
        cx.bind(cx.old(id).result(0), [value]);
        Ok(())
    }
}

/// An op on the operands' elements of this index.
fn element<O: Operation + Clone + Into<LlvmOp>>(
    cx: &mut Cx<'_>,
    op: &O,
    element: usize,
    ty: LlvmType,
) -> Value {
    let mut op = op.clone();
    op.remap(&mut Pick { cx, element });
    cx.value(op, ty)
}

/// Replaces operands by their elements; an operand with a single element is broadcast.
struct Pick<'a, 'b> {
    cx: &'a Cx<'b>,
    element: usize,
}

impl Remap for Pick<'_, '_> {
    fn value(&mut self, value: Value) -> Value {
        match self.cx.all(value) {
            [one] => *one,
            all => all.get(self.element).copied().unwrap_or(value),
        }
    }
    fn block(&mut self, block: Block) -> Block {
        block
    }
}
