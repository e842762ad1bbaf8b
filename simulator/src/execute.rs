//! Execution of instructions by a warp.

use crate::block::{Block, Next, Stop, read_bit, write_bit};
use crate::fault::FaultKind;
use crate::integer;
use crate::program::{Op, SOURCES, Source, Target, each};
use crate::row::Row;
use crate::warp::Warp;
use tilewright_irs::ptx::Boolean;

type Step = Result<Next, Stop>;

impl Block<'_> {
    /// Executes the instruction at position `at` for the active lanes of a group.
    pub(crate) fn execute(&mut self, warp: &mut Warp, (op, at): (&Op, u32), active: u32, lanes: u32) -> Step {
        match op {
            Op::Pure { f, d, sources } => {
                self.fetch_all(warp, sources, active)?;
                let row = &mut warp.rows[d.slot as usize];
                if active == u32::MAX {
                    f(&self.rows, active, row);
                    for value in row.iter_mut() {
                        *value &= d.mask;
                    }
                } else {
                    f(&self.rows, active, row);
                    each(active, |lane| row[lane] &= d.mask);
                }
                warp.written[d.slot as usize] |= active;
            }
            Op::Compare {
                results,
                sources,
                combine,
            } => {
                self.fetch_all(warp, sources, active)?;
                let other = match combine {
                    None => None,
                    Some((boolean, c)) => Some((*boolean, read_bit(warp, c.slot, c.negated, active)?)),
                };
                for (f, d) in results {
                    let bits = f(&self.rows, active);
                    let bits = other.map_or(bits, |(boolean, other)| boolean_of(boolean, bits, other));
                    write_bit(warp, *d, bits, active);
                }
            }
            Op::Select { d, a, b, c } => {
                let bits = read_bit(warp, c.slot, c.negated, active)?;
                let a = self.read_row(warp, *a, active & bits)?;
                let b = self.read_row(warp, *b, active & !bits)?;
                write(warp, *d, active, |lane| {
                    if bits >> lane & 1 == 1 { a[lane] } else { b[lane] }
                });
            }
            Op::Logic { boolean, d, a, b } => {
                let a = read_bit(warp, a.slot, a.negated, active)?;
                let b = read_bit(warp, b.slot, b.negated, active)?;
                write_bit(warp, *d, boolean_of(*boolean, a, b), active);
            }
            Op::CopyBit { d, a } => {
                let bits = read_bit(warp, a.slot, a.negated, active)?;
                write_bit(warp, *d, bits, active);
            }
            Op::ConstantBit { d, value } => write_bit(warp, *d, if *value { u32::MAX } else { 0 }, active),
            Op::Special { d, register } => {
                let row = self.special(warp, *register);
                write(warp, *d, active, |lane| row[lane]);
            }
            Op::Words { d, a } => {
                // All sources are read before the first result is written: a register may be both.
                let rows = self.read_rows(warp, a, active)?;
                for (d, row) in d.iter().zip(&rows) {
                    write(warp, *d, active, |lane| row[lane]);
                }
            }
            Op::Pack { d, parts, bits } => {
                let mut out: Row = [0; 32];
                for (place, part) in parts.iter().enumerate() {
                    let row = self.read_row(warp, *part, active)?;
                    let shift = u32::try_from(place).unwrap_or(0) * bits;
                    each(active, |lane| {
                        out[lane] |= (row[lane] & integer::mask(*bits)) << shift
                    });
                }
                write(warp, *d, active, |lane| out[lane]);
            }
            Op::Unpack { d, a, bits } => {
                let row = self.read_row(warp, *a, active)?;
                for (place, d) in d.iter().enumerate() {
                    let shift = u32::try_from(place).unwrap_or(0) * bits;
                    write(warp, *d, active, |lane| row[lane] >> shift & integer::mask(*bits));
                }
            }
            Op::Load {
                ty,
                bytes,
                d,
                pointer,
                access,
            } => {
                self.load(warp, *ty, *bytes, d, *pointer, *access, active)?;
            }
            Op::Store {
                bytes,
                pointer,
                values,
                access,
            } => {
                self.store(warp, *bytes, *pointer, values, *access, active)?;
            }
            Op::Atomic {
                op,
                ty,
                bytes,
                d,
                pointer,
                b,
                c,
                access,
            } => {
                self.atomic(warp, (*op, *access), *ty, *bytes, d, *pointer, (b, c), active)?;
            }
            Op::Multimem {
                what,
                ty,
                bytes,
                d,
                pointer,
                b,
                access,
            } => {
                self.multimem(warp, (*what, *ty, *bytes), d, *pointer, b, *access, active)?;
            }
            Op::Nothing => {}
            Op::Branch { target, uniform } => {
                if *uniform && active != lanes {
                    return Err(FaultKind::NotUniform.into());
                }
                return Ok(Next::Jump {
                    lanes: active,
                    target: *target,
                });
            }
            Op::Exit => return Ok(Next::Exit { lanes: active }),
            Op::Trap => {
                return Err(Stop::Fault(
                    FaultKind::Trap,
                    Some(active.trailing_zeros() as usize),
                ));
            }
            Op::Barrier {
                number,
                count,
                waits,
                aligned,
                reduction,
            } => {
                return self.arrive(warp, *number, *count, (*waits, *aligned), *reduction, active);
            }
            Op::WarpBarrier { mask } => {
                self.collective(warp, *mask, active)?;
            }
            Op::Shuffle {
                mode,
                d,
                valid,
                a,
                b,
                c,
                mask,
            } => {
                self.shuffle(warp, *mode, (*d, *valid), [*a, *b, *c, *mask], active)?;
            }
            Op::Vote { mode, d, a, mask } => {
                let masks = self.collective(warp, *mask, active)?;
                self.vote(warp, *mode, *d, *a, &masks, active)?;
            }
            Op::Ballot { d, a, mask } => {
                let masks = self.collective(warp, *mask, active)?;
                let bits = read_bit(warp, a.slot, a.negated, active)?;
                write(warp, *d, active, |lane| u64::from(bits) & masks[lane]);
            }
            Op::Match { d, all, a, mask } => {
                let masks = self.collective(warp, *mask, active)?;
                self.matching(warp, *d, *all, *a, &masks, active)?;
            }
            Op::Redux { combine, d, a, mask } => {
                let masks = self.collective(warp, *mask, active)?;
                self.redux(warp, combine, *d, *a, &masks, active)?;
            }
            Op::Activemask { d } => write(warp, *d, active, |_| u64::from(active)),
            Op::Elect { d, leader, mask } => {
                let masks = self.collective(warp, *mask, active)?;
                let live = u64::from(active);
                write(warp, *d, active, |lane| {
                    u64::from((masks[lane] & live).trailing_zeros())
                });
                if let Some(leader) = leader {
                    let mut bits = 0;
                    each(active, |lane| {
                        bits |= u32::from((masks[lane] & live).trailing_zeros() as usize == lane) << lane;
                    });
                    write_bit(warp, *leader, bits, active);
                }
            }
            Op::Product {
                product,
                d,
                a,
                b,
                c,
                scales,
            } => self.product(warp, product, d, [a, b, c], *scales, active)?,
            Op::LoadMatrix { form, d, pointer } => self.load_matrix(warp, *form, d, *pointer, active)?,
            Op::StoreMatrix {
                form,
                pointer,
                values,
            } => self.store_matrix(warp, *form, *pointer, values, active)?,
            Op::Transpose { d, a } => self.transpose(warp, *d, *a, active)?,
            Op::Copy {
                to,
                from,
                bytes,
                read,
                ignore,
            } => self.copy(warp, (*to, *from), *bytes, *read, *ignore, active)?,
            Op::CommitCopies => self.commit_copies(warp, active),
            Op::WaitForCopies { left } => self.wait_for_copies(warp, *left, active),
            Op::TrackCopies { pointer, counted } => self.track_copies(warp, *pointer, *counted, active)?,
            Op::Mbarrier { pointer, op } => self.mbarrier(warp, *pointer, *op, active)?,
            Op::ClusterArrive { aligned, releases } => {
                self.cluster_arrive(warp, *aligned, *releases, active)?;
            }
            Op::ClusterWait { aligned } => self.cluster_wait(warp, *aligned, active)?,
            Op::Mapa { d, a, rank, generic } => {
                self.map_address(warp, *d, (*a, *rank, *generic), active)?;
            }
            Op::RankOfAddress { d, a, generic } => {
                self.rank_of_address(warp, *d, (*a, *generic), active)?;
            }
            Op::FenceMbarriers => self.here.shared.announce_mbarriers(warp.party),
            Op::FenceAsync => self.clocks[usize::from(warp.party)].fence(warp.party),
            Op::Bulk(instruction) => self.bulk(warp, instruction, active)?,
            Op::TensorCopy(instruction) => self.tensor_copy(warp, instruction, active)?,
            Op::ReplaceField {
                map,
                offset,
                bytes,
                value,
            } => self.replace_field(warp, *map, (*offset, *bytes), *value, active)?,
            Op::PublishMap { target, source } => self.publish_map(warp, (*target, *source), active)?,
            Op::AcquireMap { pointer } => self.acquire_map(warp, *pointer, active)?,
            Op::GroupFence => self.group_fence(warp, active)?,
            Op::GroupCommit => self.group_commit(warp, active)?,
            Op::GroupWait { left } => self.group_wait(warp, *left, active)?,
            Op::GroupProduct(instruction) => self.group_product(warp, at, instruction, active)?,
            Op::SetRegisters { change, count } => self.set_registers(warp, *change, *count, active)?,
            Op::Print {
                format,
                arguments,
                result,
            } => self.print(warp, *format, *arguments, *result, active)?,
        }
        Ok(Next::Advance)
    }

    #[inline]
    fn fetch_all(&mut self, warp: &Warp, sources: &[Source], active: u32) -> Result<(), Stop> {
        for (at, source) in sources.iter().enumerate().take(SOURCES) {
            self.fetch(warp, at, *source, active)?;
        }
        Ok(())
    }
}

fn boolean_of(boolean: Boolean, a: u32, b: u32) -> u32 {
    match boolean {
        Boolean::And => a & b,
        Boolean::Or => a | b,
        Boolean::Xor => a ^ b,
    }
}

/// Writes a register in the active lanes.
#[inline]
pub(crate) fn write(warp: &mut Warp, d: Target, active: u32, value: impl Fn(usize) -> u64) {
    let row = &mut warp.rows[d.slot as usize];
    each(active, |lane| row[lane] = value(lane) & d.mask);
    warp.written[d.slot as usize] |= active;
}
