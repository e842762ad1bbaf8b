//! Collectives of lanes and warps: barriers, shuffles, votes.

use crate::block::{BARRIERS, Barrier, Block, Next, Stop, read_bit, write_bit};
use crate::clock::{Clock, WARPS};
use crate::execute::write;
use crate::fault::FaultKind;
use crate::program::{Bit, Combine, Op, Reduction, ReductionKind, Source, Target, each};
use crate::row::Row;
use crate::warp::{State, Warp};
use tilewright_diagnostics::counted;
use tilewright_irs::ptx::{Shuffle, Vote};

fn misuse(reason: String) -> Stop {
    FaultKind::BarrierMisuse { reason }.into()
}

impl Block<'_> {
    /// The member masks of a collective, when all their lanes have arrived.
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

    /// A value that is uniform over the active lanes.
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

    /// Arrives at a barrier, and waits there unless it is an arrival only.
    pub(crate) fn arrive(
        &mut self,
        warp: &mut Warp,
        number: Source,
        count: Option<Source>,
        (waits, aligned): (bool, bool),
        reduction: Option<Reduction>,
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
                "{} is no multiple of a warp",
                counted(count.unwrap_or(0), "thread")
            )));
        }
        let yes = match reduction {
            None => 0,
            Some(Reduction { a, .. }) => read_bit(warp, a.slot, a.negated, active)?.count_ones(),
        };
        let barrier = self.here.barriers[at].get_or_insert(Barrier {
            arrived: [0; WARPS],
            threads: 0,
            count,
            joined: Clock::default(),
            yes: 0,
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
        barrier.yes += yes;
        let clock = &mut self.clocks[usize::from(warp.party)];
        barrier.joined.join(clock);
        clock.tick(warp.party);
        Ok(if waits {
            Next::Wait {
                lanes: active,
                number,
            }
        } else {
            Next::Advance
        })
    }

    /// Releases the threads at barriers that are complete.
    pub(crate) fn complete_barriers(&mut self) {
        let mut answers = Vec::new();
        for number in 0..BARRIERS {
            let Some(barrier) = &self.here.barriers[number] else {
                continue;
            };
            let complete = match barrier.count {
                Some(count) => barrier.threads >= count,
                None => self
                    .here
                    .warps
                    .iter()
                    .all(|warp| warp.live & !barrier.arrived[warp.index] == 0),
            };
            if !complete {
                continue;
            }
            let Some(Barrier {
                joined, yes, arrived, ..
            }) = self.here.barriers[number].take()
            else {
                continue;
            };
            let arrived: u32 = arrived.iter().map(|lanes| lanes.count_ones()).sum();
            self.idle_rounds = 0;
            for warp in &mut self.here.warps {
                let mut released = 0;
                for group in &mut warp.groups {
                    let here = State::AtBarrier {
                        number: number as u32,
                    };
                    if group.state == here {
                        group.state = State::Ready;
                        released |= group.lanes;
                        let op = &self.program.steps[group.at as usize].op;
                        group.at += 1;
                        if let Op::Barrier {
                            reduction: Some(Reduction { kind, .. }),
                            ..
                        } = op
                        {
                            answers.push((*kind, group.lanes));
                        }
                    }
                }
                for (kind, lanes) in answers.drain(..) {
                    match kind {
                        ReductionKind::Count(d) => write(warp, d, lanes, |_| u64::from(yes)),
                        ReductionKind::All(d) => {
                            write_bit(warp, d, if yes == arrived { lanes } else { 0 }, lanes);
                        }
                        ReductionKind::Any(d) => write_bit(warp, d, if yes > 0 { lanes } else { 0 }, lanes),
                    }
                }
                if released != 0 {
                    self.clocks[usize::from(warp.party)].join(&joined);
                    warp.merge();
                }
            }
        }
    }

    /// Exchanges values between lanes. A read from a lane that does not participate is undefined.
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
                // The clamp value is the lower bound here.
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

    /// Votes on a predicate among the lanes of each mask.
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

    /// Finds the lanes of each mask with the same value: `match.any`, or `match.all` with its predicate.
    pub(crate) fn matching(
        &mut self,
        warp: &mut Warp,
        d: Target,
        all: Option<Option<u32>>,
        a: Source,
        masks: &Row,
        active: u32,
    ) -> Result<(), Stop> {
        let a = self.read_row(warp, a, active)?;
        let mut equal: Row = [0; 32];
        let mut same = 0;
        each(active, |lane| {
            let asked = masks[lane] as u32 & active;
            each(asked, |other| {
                equal[lane] |= u64::from(a[other] == a[lane]) << other
            });
            same |= u32::from(equal[lane] == u64::from(asked)) << lane;
        });
        match all {
            None => write(warp, d, active, |lane| equal[lane]),
            Some(predicate) => {
                write(warp, d, active, |lane| {
                    if same >> lane & 1 == 1 { equal[lane] } else { 0 }
                });
                if let Some(predicate) = predicate {
                    write_bit(warp, predicate, same, active);
                }
            }
        }
        Ok(())
    }

    /// Reduces the values of the lanes of each mask.
    pub(crate) fn redux(
        &mut self,
        warp: &mut Warp,
        combine: &Combine,
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
                    None => (combine.first)(value),
                    Some(total) => (combine.next)(total, value),
                });
            });
            out[lane] = total.unwrap_or(0);
        });
        write(warp, d, active, |lane| out[lane]);
        Ok(())
    }
}
