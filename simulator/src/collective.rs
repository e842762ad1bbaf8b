//! Barriers, shuffles, votes: what lanes and warps do together.

use crate::block::{BARRIERS, Barrier, Block, Next, Stop, read_bit, write_bit};
use crate::execute::write;
use crate::fault::FaultKind;
use crate::integer;
use crate::program::{Bit, Row, Source, Target, each};
use crate::shared::WARPS;
use crate::warp::{State, Warp};
use tilewright_irs::ptx::{Redux, Shuffle, Type, Vote};

fn misuse(reason: String) -> Stop {
    FaultKind::BarrierMisuse { reason }.into()
}

impl Block<'_> {
    /// The member masks of a collective, once all their lanes are here.
    pub(crate) fn collective(&self, warp: &Warp, mask: Source, active: u32) -> Result<Row, Stop> {
        let masks = self.read_row(warp, mask, active)?;
        let mut wanted = 0;
        let mut outside = None;
        each(active, |lane| {
            let mask = masks[lane] as u32;
            wanted |= mask & warp.live;
            if mask >> lane & 1 == 0 {
                outside = Some(lane);
            }
        });
        if let Some(lane) = outside {
            let reason = format!("lane {lane} is not in its own member mask {:#010x}", masks[lane]);
            return Err(Stop::Fault(FaultKind::BarrierMisuse { reason }, Some(lane)));
        }
        if wanted & !active != 0 {
            return Err(Stop::Gather(wanted));
        }
        Ok(masks)
    }

    /// A value that is the same in all active lanes.
    fn uniform(&self, warp: &Warp, source: Source, active: u32) -> Result<u32, Stop> {
        let row = self.read_row(warp, source, active)?;
        let first = row[active.trailing_zeros() as usize];
        let mut same = true;
        each(active, |lane| same &= row[lane] == first);
        if same {
            Ok(first as u32)
        } else {
            Err(misuse("the lanes name different barriers".to_owned()))
        }
    }

    /// Arrives at a barrier, and waits there unless told otherwise.
    pub(crate) fn arrive(
        &mut self,
        warp: &mut Warp,
        number: Source,
        count: Option<Source>,
        (waits, aligned): (bool, bool),
        active: u32,
    ) -> Result<Next, Stop> {
        if aligned && active != warp.live {
            return Err(Stop::Gather(warp.live));
        }
        let number = self.uniform(warp, number, active)?;
        let count = count.map(|count| self.uniform(warp, count, active)).transpose()?;
        let at = number as usize;
        if at >= BARRIERS {
            return Err(misuse(format!("there is no barrier {number}")));
        }
        if count.is_some_and(|count| count == 0 || count % 32 != 0) {
            return Err(misuse(format!(
                "{} threads is no multiple of a warp",
                count.unwrap_or(0)
            )));
        }
        let barrier = self.barriers[at].get_or_insert(Barrier {
            arrived: [0; WARPS],
            threads: 0,
            count,
            joined: [0; WARPS],
        });
        if barrier.count != count {
            let say = |count: Option<u32>| count.map_or("all".to_owned(), |count| count.to_string());
            let reason = format!(
                "barrier {number} is used for {} and for {} threads",
                say(barrier.count),
                say(count)
            );
            return Err(misuse(reason));
        }
        if barrier.arrived[warp.index] & active != 0 {
            return Err(misuse(format!("a thread arrives at barrier {number} twice")));
        }
        barrier.arrived[warp.index] |= active;
        barrier.threads += if aligned { 32 } else { active.count_ones() };
        if count.is_some_and(|count| barrier.threads > count) {
            return Err(misuse(format!(
                "more threads arrive at barrier {number} than it is for"
            )));
        }
        let clock = &mut self.shared.clocks[warp.index];
        for (joined, own) in barrier.joined.iter_mut().zip(clock.iter()) {
            *joined = (*joined).max(*own);
        }
        clock[warp.index] += 1;
        Ok(if waits {
            Next::Wait {
                lanes: active,
                number,
            }
        } else {
            Next::Advance
        })
    }

    /// Lets go those who wait at a barrier that everybody has reached.
    pub(crate) fn complete_barriers(&mut self) {
        for number in 0..BARRIERS {
            let Some(barrier) = &self.barriers[number] else {
                continue;
            };
            let complete = match barrier.count {
                Some(count) => barrier.threads >= count,
                None => self
                    .warps
                    .iter()
                    .all(|warp| warp.live & !barrier.arrived[warp.index] == 0),
            };
            if !complete {
                continue;
            }
            let joined = barrier.joined;
            self.barriers[number] = None;
            for warp in &mut self.warps {
                let mut released = false;
                for group in &mut warp.groups {
                    if group.state
                        == (State::AtBarrier {
                            number: number as u32,
                        })
                    {
                        group.state = State::Ready;
                        group.at += 1;
                        released = true;
                    }
                }
                if released {
                    let clock = &mut self.shared.clocks[warp.index];
                    for (own, joined) in clock.iter_mut().zip(joined) {
                        *own = (*own).max(joined);
                    }
                    warp.merge();
                }
            }
        }
    }

    /// Exchanges values between lanes. A lane that reads one that takes no part gets no value.
    pub(crate) fn shuffle(
        &mut self,
        warp: &mut Warp,
        mode: Shuffle,
        (d, valid): (Target, Option<u32>),
        [a, b, c, mask]: [Source; 4],
        active: u32,
    ) -> Result<(), Stop> {
        let masks = self.collective(warp, mask, active)?;
        let a = self.read_row(warp, a, active)?;
        let b = self.read_row(warp, b, active)?;
        let c = self.read_row(warp, c, active)?;
        let (mut inside, mut defined) = (0u32, 0u32);
        let mut out: Row = [0; 32];
        each(active, |lane| {
            let (b, clamp, segment) = (
                (b[lane] & 31) as usize,
                (c[lane] & 31) as usize,
                (c[lane] >> 8 & 31) as usize,
            );
            let (lowest, highest) = (lane & segment, (lane & segment) | (clamp & !segment));
            let (from, within) = match mode {
                // The clamp value is the lower end here.
                Shuffle::Up => (lane.wrapping_sub(b), lane >= b && lane - b >= highest),
                Shuffle::Down => (lane + b, lane + b <= highest),
                Shuffle::Bfly => (lane ^ b, lane ^ b <= highest),
                Shuffle::Idx => {
                    let from = lowest | (b & !segment);
                    (from, from <= highest)
                }
            };
            let from = if within { from } else { lane };
            inside |= u32::from(within) << lane;
            let takes_part = active >> from & 1 == 1 && masks[lane] >> from & 1 == 1;
            defined |= u32::from(takes_part) << lane;
            out[lane] = a[from];
        });
        write(warp, d, active, |lane| out[lane]);
        warp.written[d.slot as usize] &= !(active & !defined);
        if let Some(valid) = valid {
            write_bit(warp, valid, inside, active);
        }
        Ok(())
    }

    /// Asks the lanes of each mask about a predicate.
    pub(crate) fn vote(
        &mut self,
        warp: &mut Warp,
        mode: Vote,
        d: u32,
        a: Bit,
        masks: &Row,
        active: u32,
    ) -> Result<(), Stop> {
        let bits = read_bit(warp, a.slot, a.negated, active)?;
        let mut out = 0;
        each(active, |lane| {
            let asked = masks[lane] as u32 & active;
            let yes = bits & asked;
            let answer = match mode {
                Vote::All => yes == asked,
                Vote::Any => yes != 0,
                Vote::Uni => yes == 0 || yes == asked,
            };
            out |= u32::from(answer) << lane;
        });
        write_bit(warp, d, out, active);
        Ok(())
    }

    /// Combines the values of the lanes of each mask.
    #[expect(clippy::too_many_arguments, reason = "the operands of the instruction")]
    pub(crate) fn redux(
        &mut self,
        warp: &mut Warp,
        op: Redux,
        ty: Type,
        d: Target,
        a: Source,
        masks: &Row,
        active: u32,
    ) -> Result<(), Stop> {
        let a = self.read_row(warp, a, active)?;
        let mut out: Row = [0; 32];
        each(active, |lane| {
            let mut total: Option<u64> = None;
            each(masks[lane] as u32 & active, |other| {
                let value = a[other];
                total = Some(match total {
                    None => value,
                    Some(total) => match op {
                        Redux::Add => total.wrapping_add(value),
                        Redux::And => total & value,
                        Redux::Or => total | value,
                        Redux::Xor => total ^ value,
                        Redux::Min if integer::value(ty, value) < integer::value(ty, total) => value,
                        Redux::Max if integer::value(ty, value) > integer::value(ty, total) => value,
                        Redux::Min | Redux::Max => total,
                    },
                });
            });
            out[lane] = total.unwrap_or(0);
        });
        write(warp, d, active, |lane| out[lane]);
        Ok(())
    }
}
