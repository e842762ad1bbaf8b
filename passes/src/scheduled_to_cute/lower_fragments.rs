//! Lowers tiles to fragments: the elements that one thread holds, in register order.
//!
//! In: `scheduled`, every tile with a layout over lanes and warps.
//! Out: `cute_desugared`. Scalars are kept; tokens are removed; a memref becomes its base pointer followed by its
//! dynamic extents and strides, 64 bits each. An agent of all warps is inlined; one of fewer becomes an `scf.if` on
//! the thread index, and its layouts count warps from its first. An element that several threads hold is stored,
//! and accessed atomically, by one of them, and so is one loaded that others may store concurrently.
//! Ill-formed: tiles that are spread over the blocks of a cluster, and constants that need long chains of selections, are "not supported yet"; a shape op or a
//! register conversion whose layouts would move data between threads, or a tile over more warps than its agent has,
//! is an internal error.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{Body, Flag, Func, OpId, Origin, Translate, Translated, translate_func};
use tilewright_irs::cute_desugared::{CuteDesugared, DesugaredType};
use tilewright_irs::dialects::arith::{ArithOp, Predicate};
use tilewright_irs::dialects::copies::TmaDescriptor;
use tilewright_irs::dialects::gpu::GpuOp;
use tilewright_irs::dialects::pipe::{PipeKind, PipeOp, PipeType, PipeValue};
use tilewright_irs::element::ElementType;
use tilewright_irs::machine::threads;
use tilewright_irs::scheduled::{
    AgentSpec, Scheduled, ScheduledDialect, ScheduledOp, agents, registers_at_entry,
};
use tilewright_irs::tileas::{Pending, Space, TileAsDialect, TileAsType};
use tilewright_layouts::Dim;

use super::agent::{Agent, barrier};
use super::atoms::{self, Site};
use super::emit::{Cx, I32, at, bug, fragment_type, not_yet, unsupported, when};
use super::function::LowerFragments;
use super::{
    atomics, constants, convert_layouts, copy_buffers, exchanges, overlap_barrier, pipes, prints, shape_ops,
    tensor_maps, waits,
};

/// Lowers tiles to fragments; see [the module](self).
pub fn lower_fragments(func: &Func<Scheduled>) -> Result<Func<CuteDesugared>, Vec<Diagnostic<Origin>>> {
    translate_func(func, func.attrs.clone().into(), &mut LowerFragments::of(func))
}

impl Translate<Scheduled, CuteDesugared> for LowerFragments<'_> {
    fn types(&mut self, ty: &TileAsType) -> Result<Vec<DesugaredType>, Diagnostic<Origin>> {
        Ok(match ty {
            TileAsType::Scalar(_) => fragment_type(ty).into_iter().collect(),
            TileAsType::Tile { layout, .. } => {
                if layout.in_bits(Dim::Block) > 0 {
                    let message = "a tile that is spread over the blocks of a cluster is not supported yet";
                    return Err(unsupported(Origin::FUNCTION, message));
                }
                fragment_type(ty).into_iter().collect()
            }
            TileAsType::Memref(memref) => {
                let mut types = vec![DesugaredType::Scalar(ElementType::Ptr(memref.element))];
                let open = memref.dynamic_extents() + memref.dynamic_strides();
                types.resize(1 + open, DesugaredType::Scalar(ElementType::I64));
                types
            }
            TileAsType::Buffer(buffer) if buffer.space == Space::Shared => {
                vec![DesugaredType::SharedPtr(buffer.element)]
            }
            TileAsType::Buffer(_) => return Err(not_yet(Origin::FUNCTION, "tensor")),
            TileAsType::Pending(Some(what)) => match what.as_ref() {
                // The destination of the copy.
                Pending::Buffer(buffer) => self.types(&TileAsType::Buffer(buffer.clone()))?,
                // The registers of the product.
                Pending::Tile(..) => {
                    let ready = self.types(&what.ready())?;
                    ready.iter().filter_map(DesugaredType::packed).collect()
                }
            },
            TileAsType::TensorMap => vec![tensor_maps::MAP],
            TileAsType::MapParameter(_) => vec![DesugaredType::TmaDescriptor(TmaDescriptor::Tiled)],
            TileAsType::Pending(None) | TileAsType::Token => Vec::new(),
            TileAsType::Pipe(ty) => vec![DesugaredType::Pipe(*ty)],
        })
    }

    fn op(&mut self, cx: &mut Cx<'_>, id: OpId) -> Translated {
        let agent = match self.agent {
            Some(agent) => agent,
            None => {
                // The first op: the current block is the function's entry.
                let thread = at(cx).thread_idx();
                let agent = Agent {
                    thread,
                    warps: self.warps,
                    barrier: 0,
                    issues: None,
                };
                *self.agent.insert(agent)
            }
        };
        let spread = |result| {
            cx.from
                .ty(result)
                .layout()
                .map_or(1, |layout| layout.in_size(Dim::Warp))
        };
        if let Some(warps) = cx
            .old(id)
            .results()
            .map(spread)
            .max()
            .filter(|&warps| warps > agent.warps)
        {
            let message = format!("a tile over {warps} warps in an agent of {}", agent.warps);
            return Err(bug(cx.old(id).origin, message));
        }
        match &cx.old(id).kind {
            ScheduledOp::Arith(op) => match op {
                ArithOp::Constant { value } => constants::lower(cx, id, value, agent),
                _ => cx.carry(id, op, self),
            },
            ScheduledOp::Math(op) => cx.carry(id, op, self),
            ScheduledOp::Scf(op) => cx.carry(id, &op.scheduled(), self),
            ScheduledOp::Tile(op) => shape_ops::lower(cx, id, op, agent),
            ScheduledOp::TileAs(op) => self.memory(cx, id, op, agent),
            ScheduledOp::Grid(op) => cx.carry(id, op, self),
            ScheduledOp::Pipe(op) => {
                pipes::lower(cx, id, op, agent, &self.turns, &self.read_stages)?;
                if waits_for_threads(cx.from, op) {
                    self.publish(cx, id);
                }
                Ok(())
            }
            ScheduledOp::Scheduled(op) => match op {
                ScheduledDialect::Agent { .. } => {
                    match agents(self.func).into_iter().find(|spec| spec.op == id) {
                        Some(spec) => self.agent(cx, agent, &spec),
                        None => Err(bug(cx.origin(), "an agent that is none")),
                    }
                }
                ScheduledDialect::End {} => Ok(()),
            },
        }
    }
}

impl LowerFragments<'_> {
    /// Lowers an agent's body: inline for all warps, else where the thread is one of its threads.
    fn agent(&mut self, cx: &mut Cx<'_>, outer: Agent, spec: &AgentSpec) -> Translated {
        let origin = cx.origin();
        if spec.first_warp == 0 && spec.warps == self.warps {
            return self.agent_body(cx, outer, spec);
        }
        let Some(barrier) = spec.barrier else {
            let name = &spec.name;
            let message = format!("agent \"{name}\" has no named barrier: run `assign_barriers` first");
            return Err(Diagnostic::error(Code::MissingAttribute, message).at(origin, ""));
        };
        let mut emit = at(cx);
        let from = emit.i32(threads(spec.first_warp));
        let thread = emit.sub(outer.thread, from);
        let count = emit.i32(spec.threads());
        // One comparison: the index of a thread before the first wraps to a large number.
        let condition = emit.compare(thread, Predicate::Less, count);
        let inner = Agent {
            thread,
            warps: spec.warps,
            barrier,
            issues: None,
        };
        let outer_turn = self.turns.enter(&spec.name);
        let translated = when(cx, condition, &[], |cx| {
            self.turns.begin(cx);
            self.agent_body(cx, inner, spec)?;
            Ok(Vec::new())
        });
        self.agent = Some(outer);
        self.turns.leave(outer_turn);
        translated.map(|_| ())
    }

    fn agent_body(&mut self, cx: &mut Cx<'_>, mut agent: Agent, spec: &AgentSpec) -> Translated {
        let Some(block) = cx.from.only_block(spec.body) else {
            return Err(bug(cx.origin(), "an agent's body is one block"));
        };
        if let Some(registers) = spec.registers {
            let more = Flag(registers > registers_at_entry(self.func));
            cx.build().effect(GpuOp::SetMaxRegisters { registers, more });
        }
        if self.copies_tensors {
            agent.issues = Some(tensor_maps::issuer(cx, agent.thread));
        }
        let index = agents(self.func).iter().position(|other| other.op == spec.op);
        let name = format!("{}_agent{}", self.func.name, index.unwrap_or(0));
        let mut maps = tensor_maps::Maps::of(self.func, spec.body, self.warps, name);
        maps.begin(cx, agent)?;
        self.maps = Some(maps);
        self.agent = Some(agent);
        cx.block_ops(block, self)?;
        match self.maps.take() {
            Some(maps) => maps.release(cx, agent),
            None => Ok(()),
        }
    }

    /// Orders what the thread has waited for before products that read it from shared memory.
    fn publish(&self, cx: &mut Cx<'_>, wait: OpId) {
        if cx.old(wait).results().any(|result| self.is_multiplied(result)) {
            cx.build().effect(GpuOp::FenceProxyAsync {});
        }
    }

    fn memory(&mut self, cx: &mut Cx<'_>, id: OpId, own: &TileAsDialect, agent: Agent) -> Translated {
        let old = cx.old(id);
        match own {
            TileAsDialect::Load { atom, .. }
            | TileAsDialect::Store { atom, .. }
            | TileAsDialect::GatherLoad { atom, .. }
            | TileAsDialect::ScatterStore { atom, .. }
            | TileAsDialect::MultimemLoad { atom, .. }
            | TileAsDialect::MultimemStore { atom, .. }
            | TileAsDialect::MultimemReduce { atom, .. }
            | TileAsDialect::AtomicScatter { atom, .. }
            | TileAsDialect::AtomicTile { atom, .. }
            | TileAsDialect::Copy { atom, .. }
            | TileAsDialect::CopyIn { atom, .. }
            | TileAsDialect::CopyOut { atom, .. }
            | TileAsDialect::GatherIn { atom, .. }
            | TileAsDialect::TensorMap { atom, .. } => {
                atoms::lower((atom, atom.word()), cx, &Site { id, op: own, agent }, self)?;
                if let TileAsDialect::Copy { to: Some(to), .. } = own
                    && self.is_multiplied(*to)
                {
                    cx.build().effect(GpuOp::FenceProxyAsync {});
                }
                Ok(())
            }
            TileAsDialect::Dot { atom, .. } => {
                atoms::lower((atom, atom.word()), cx, &Site { id, op: own, agent }, self)
            }
            TileAsDialect::Reduce { atom, .. } | TileAsDialect::Scan { atom, .. } => {
                atoms::lower((atom, atom.word()), cx, &Site { id, op: own, agent }, self)
            }
            TileAsDialect::CopyWait { copy, in_flight } => {
                waits::copy(cx, id, *copy, *in_flight, agent)?;
                self.publish(cx, id);
                Ok(())
            }
            TileAsDialect::DotWait { product, in_flight } => waits::product(cx, id, *product, *in_flight),
            TileAsDialect::Memref {
                base,
                extents,
                strides,
            } => {
                let mut parts = vec![cx.one(*base)];
                for &size in extents.iter().chain(strides) {
                    let size = cx.one(size);
                    parts.push(at(cx).widen(size));
                }
                cx.bind(old.result(0), parts);
                Ok(())
            }
            TileAsDialect::AtomicRmw {
                pointers,
                value,
                mask,
                op,
                ordering,
            } => {
                cx.bind(old.result(1), []);
                atomics::read_modify_write(cx, id, (*pointers, *value, *mask), *op, ordering, agent)
            }
            TileAsDialect::AtomicCas {
                pointers,
                compare,
                value,
                mask,
                ordering,
            } => {
                cx.bind(old.result(1), []);
                let operands = [*pointers, *compare, *value];
                atomics::compare_and_swap(cx, id, operands, *mask, ordering, agent)
            }
            TileAsDialect::Alloc { offset, .. } => copy_buffers::alloc(cx, id, *offset),
            TileAsDialect::Subview { buffer, stage, .. } => copy_buffers::subview(cx, id, *buffer, *stage),
            TileAsDialect::Transpose { buffer, .. } => {
                let buffer = cx.one(*buffer);
                cx.bind(old.result(0), [buffer]);
                Ok(())
            }
            TileAsDialect::Reinterpret { buffer } => {
                let (from, to) = (cx.from.ty(*buffer).buffer(), cx.from.ty(old.result(0)).buffer());
                if from.map(|from| from.element) != to.map(|to| to.element) {
                    return Err(not_yet(cx.origin(), "a view of other elements"));
                }
                let buffer = cx.one(*buffer);
                cx.bind(old.result(0), [buffer]);
                Ok(())
            }
            TileAsDialect::Barrier {} => {
                barrier(cx, agent);
                Ok(())
            }
            TileAsDialect::OverlapBarrier { memref } => overlap_barrier::lower(cx, *memref, agent),
            TileAsDialect::ConvertLayout { source } => convert_layouts::in_registers(cx, id, *source),
            TileAsDialect::Exchange { source } => exchanges::exchange(cx, id, *source, agent),
            TileAsDialect::ExtractSlice { source, offsets } => {
                convert_layouts::slice(cx, id, *source, offsets)
            }
            TileAsDialect::Concat { parts, axis } => convert_layouts::concat(cx, id, parts, *axis, agent),
            // Read by the enclosing reduction.
            TileAsDialect::Yield { .. } => Ok(()),
            TileAsDialect::Agree { source } => convert_layouts::agree(cx, id, *source, agent),
            TileAsDialect::Fence { kind, .. } => {
                cx.bind(old.result(0), []);
                cx.build().effect(GpuOp::Fence { kind: *kind });
                Ok(())
            }
            TileAsDialect::Print { format, values } => prints::print(cx, format, values, agent),
            TileAsDialect::PrintElements {
                buffer,
                form,
                shape,
                first,
            } => prints::print_elements(cx, *buffer, form, shape, *first, agent),
            TileAsDialect::Assert { condition, message } => prints::assert(cx, *condition, message, agent),
            TileAsDialect::FirstZero { source } => prints::first_zero(cx, id, *source, agent),
            TileAsDialect::TrapAt {
                places,
                shape,
                message,
            } => prints::trap_at(cx, *places, shape, message, agent),
            TileAsDialect::CreateMemToken {} | TileAsDialect::JoinMemTokens { .. } => {
                cx.bind(old.result(0), []);
                Ok(())
            }
            TileAsDialect::ProgramId { axis } => {
                let axis = *axis;
                let value = match self.func.attrs.kernel_spec.num_ctas {
                    1 => cx.value(GpuOp::BlockIdx { axis }, I32),
                    _ => cx.value(GpuOp::ClusterIdx { axis }, I32),
                };
                cx.bind(old.result(0), [value]);
                Ok(())
            }
            TileAsDialect::NumPrograms { axis } => {
                let axis = *axis;
                let value = match self.func.attrs.kernel_spec.num_ctas {
                    1 => cx.value(GpuOp::GridDim { axis }, I32),
                    _ => cx.value(GpuOp::NumClusters { axis }, I32),
                };
                cx.bind(old.result(0), [value]);
                Ok(())
            }
            TileAsDialect::BlockRank {} => {
                let value = match self.func.attrs.kernel_spec.num_ctas {
                    1 => at(cx).i32(0),
                    _ => cx.value(GpuOp::BlockRank {}, I32),
                };
                cx.bind(old.result(0), [value]);
                Ok(())
            }
        }
    }
}

/// Whether an op waits for copies by threads: its own ones, or those of another agent. (Stages that are stored from registers have
/// none to wait for.)
fn waits_for_threads(body: &Body<Scheduled>, op: &PipeOp) -> bool {
    let PipeOp::Wait { pipe, in_flight, .. } = op else {
        return false;
    };
    let kind = body.ty(*pipe).pipe().and_then(PipeType::kind);
    in_flight.is_some() || kind == Some(PipeKind::CpAsyncMbarrier)
}
