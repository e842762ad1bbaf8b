//! The ops of `tileaa` itself, which become those of `tileas`, with their atoms.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{OpId, Origin, Value, ValueType};
use tilewright_irs::tileaa::TileAaDialect;
use tilewright_irs::tileas::atoms::{Completion, CopyAtom, DESCRIBED_ALIGN, Ld, St};
use tilewright_irs::tileas::{Buffer, Pending, TileAsDialect, TileAsType};
use tilewright_layouts::LinearLayout;

use super::accesses::thread_route;
use super::parts::Parts;
use super::rewrite::{Rewrite, Rewritten};
use crate::shared_copies;

impl Rewrite<'_> {
    fn atom(
        &self,
        id: OpId,
        loads: bool,
        layout: Option<&LinearLayout>,
    ) -> Result<CopyAtom, Diagnostic<Origin>> {
        if let Some(copy) = self.shared.copy(id) {
            return Ok(copy.clone());
        }
        let access = self.accesses.get(id);
        let access = access.ok_or_else(|| self.bug("a memory op has no access"))?;
        let bits = access.bits(layout);
        Ok(match loads {
            true => Ld::new(bits).into(),
            false => St::new(bits).into(),
        })
    }

    /// The buffer to which threads store a tile in registers.
    fn stored(&mut self, source: Value, buffer: &Buffer) -> Result<Value, Diagnostic<Origin>> {
        let layout = self.to.ty(source).layout();
        let layout = layout.ok_or_else(|| self.bug("what is stored to shared memory is no tile"))?;
        let atom = shared_copies::store(layout, buffer).map_err(|error| self.no_layout(&error))?;
        let alloc = TileAsDialect::Alloc {
            align: DESCRIBED_ALIGN,
            offset: None,
            depth: None,
        };
        let alloc = self.append(alloc, vec![TileAsType::Buffer(buffer.clone())])?;
        let to = self.to.op(alloc).result(0);
        let to_buffer = Some(to);
        self.append(
            TileAsDialect::Copy {
                source,
                to: to_buffer,
                atom,
            },
            Vec::new(),
        )?;
        Ok(to)
    }

    pub(super) fn own(&mut self, id: OpId, own: &TileAaDialect) -> Rewritten {
        if let Some(parts) = Parts::of(own) {
            return self.parts(id, own, &parts);
        }
        let layouts = self.layouts;
        let layout = layouts.access(id);
        let new = match own {
            TileAaDialect::Memref {
                base,
                extents,
                strides,
            } => TileAsDialect::Memref {
                base: self.scalar(*base)?,
                extents: self.scalars(extents)?,
                strides: self.scalars(strides)?,
            },
            TileAaDialect::Load {
                at,
                ordering,
                latency,
                allow_tma,
                access: _,
                route: _,
            } => TileAsDialect::Load {
                at: self.fields(at)?,
                ordering: self.fields(ordering)?,
                latency: *latency,
                allow_tma: *allow_tma,
                atom: self.atom(id, true, layout)?,
                route: thread_route(own).filter(|_| self.shared.copy(id).is_none()),
            },
            TileAaDialect::Store {
                at,
                value,
                ordering,
                latency,
                allow_tma,
                access: _,
                route: _,
            } => TileAsDialect::Store {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                ordering: self.fields(ordering)?,
                latency: *latency,
                allow_tma: *allow_tma,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::GatherLoad {
                pointers,
                mask,
                other,
                ordering,
                latency,
                access: _,
                route,
            } => TileAsDialect::GatherLoad {
                pointers: self.value(*pointers, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                other: match self.shared.copy(id) {
                    // Those are zeros.
                    Some(_) => None,
                    None => self.optional_tile(*other, layout)?,
                },
                ordering: self.fields(ordering)?,
                latency: *latency,
                atom: self.atom(id, true, layout)?,
                route: route.filter(|_| self.shared.copy(id).is_none()),
            },
            TileAaDialect::ScatterStore {
                pointers,
                value,
                mask,
                ordering,
                latency,
                access: _,
            } => TileAsDialect::ScatterStore {
                pointers: self.value(*pointers, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                ordering: self.fields(ordering)?,
                latency: *latency,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::Reduce { identities, .. } | TileAaDialect::Scan { identities, .. } => {
                let (Some(fold), Some(folded)) = (own.fold(), layouts.fold(id)) else {
                    return Err(self.bug("a reduction has no layout"));
                };
                let operands = fold
                    .operands
                    .iter()
                    .map(|&v| self.value(v, Some(&folded.operands)));
                let operands = operands.collect::<Result<Vec<_>, _>>()?;
                let (axis, identities, atom) = (fold.axis, identities.clone(), folded.atom);
                let body = self.region(fold.body)?;
                let new = match own {
                    TileAaDialect::Scan { reverse, .. } => TileAsDialect::Scan {
                        operands,
                        axis,
                        reverse: *reverse,
                        identities,
                        atom,
                        body,
                    },
                    _ => TileAsDialect::Reduce {
                        operands,
                        axis,
                        identities,
                        atom,
                        body,
                    },
                };
                return self.finish(id, new.into(), |_| folded.results.as_ref());
            }
            TileAaDialect::Yield { values } => TileAsDialect::Yield {
                values: self.scalars(values)?,
            },
            TileAaDialect::AtomicRmw {
                pointers,
                value,
                mask,
                op,
                ordering,
                access: _,
            } => TileAsDialect::AtomicRmw {
                pointers: self.value(*pointers, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
            },
            TileAaDialect::AtomicCas {
                pointers,
                compare,
                value,
                mask,
                ordering,
                access: _,
            } => TileAsDialect::AtomicCas {
                pointers: self.value(*pointers, layout)?,
                compare: self.value(*compare, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                ordering: self.fields(ordering)?,
            },
            TileAaDialect::AtomicScatter {
                pointers,
                value,
                mask,
                op,
                ordering,
                access: _,
            } => TileAsDialect::AtomicScatter {
                pointers: self.value(*pointers, layout)?,
                value: self.value(*value, layout)?,
                mask: self.optional_tile(*mask, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::AtomicTile {
                at,
                value,
                op,
                ordering,
                access: _,
            } => TileAsDialect::AtomicTile {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::MultimemLoad {
                at,
                op,
                ordering,
                access: _,
            } => TileAsDialect::MultimemLoad {
                at: self.fields(at)?,
                op: *op,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, true, layout)?,
            },
            TileAaDialect::MultimemStore {
                at,
                value,
                ordering,
                access: _,
            } => TileAsDialect::MultimemStore {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::MultimemReduce {
                at,
                value,
                op,
                ordering,
                access: _,
            } => TileAsDialect::MultimemReduce {
                at: self.fields(at)?,
                value: self.value(*value, layout)?,
                op: *op,
                ordering: self.fields(ordering)?,
                atom: self.atom(id, false, layout)?,
            },
            TileAaDialect::Fence { kind, after } => TileAsDialect::Fence {
                kind: *kind,
                after: self.optional(*after)?,
            },
            TileAaDialect::Barrier {} => TileAsDialect::Barrier {},
            TileAaDialect::Cat { .. } | TileAaDialect::Extract { .. } | TileAaDialect::Insert { .. } => {
                return Err(self.bug("an op about parts of tiles has its own rewriting"));
            }
            TileAaDialect::Dot {
                a,
                b,
                acc,
                signedness_a,
                signedness_b,
                // The atom is chosen.
                fast: _,
                route: _,
            } => {
                let product = layouts.product(id);
                let product = product.ok_or_else(|| self.bug("a product has no layout"))?;
                let a = self.value(*a, product.a.as_ref())?;
                let b = self.value(*b, product.b.as_ref())?;
                let b = match &product.stored {
                    Some(buffer) => self.stored(b, buffer)?,
                    None => b,
                };
                let new = TileAsDialect::Dot {
                    a,
                    b,
                    acc: self.value(*acc, Some(&product.acc))?,
                    signedness_a: *signedness_a,
                    signedness_b: *signedness_b,
                    atom: product.atom.clone(),
                };
                let new = match product.atom.completion() {
                    Completion::Synchronous => new,
                    Completion::Asynchronous => self.awaited(id, new, &product.acc)?,
                };
                return self.finish(id, new.into(), |_| Some(&product.acc));
            }
            TileAaDialect::CreateMemToken {} => TileAsDialect::CreateMemToken {},
            TileAaDialect::JoinMemTokens { tokens } => TileAsDialect::JoinMemTokens {
                tokens: self.scalars(tokens)?,
            },
            TileAaDialect::Print { format, values } => TileAsDialect::Print {
                format: format.clone(),
                values: self.scalars(values)?,
            },
            TileAaDialect::Assert { condition, message } => TileAsDialect::Assert {
                condition: self.scalar(*condition)?,
                message: message.clone(),
            },
            TileAaDialect::ProgramId { axis } => TileAsDialect::ProgramId { axis: *axis },
            TileAaDialect::NumPrograms { axis } => TileAsDialect::NumPrograms { axis: *axis },
            TileAaDialect::BlockRank {} => TileAsDialect::BlockRank {},
        };
        self.finish(id, new.into(), |_| layout)
    }

    /// Appends an asynchronous product, and gives the op that waits for it.
    fn awaited(
        &mut self,
        id: OpId,
        product: TileAsDialect,
        acc: &LinearLayout,
    ) -> Result<TileAsDialect, Diagnostic<Origin>> {
        let element = self.from.ty(self.from.op(id).result(0)).element();
        let element = element.ok_or_else(|| self.bug("a product without elements"))?;
        let pending = Pending::Tile(element, acc.clone());
        let product = self.append(product, vec![TileAsType::Pending(Some(Box::new(pending)))])?;
        Ok(TileAsDialect::DotWait {
            product: self.to.op(product).result(0),
            in_flight: 0,
        })
    }
}
