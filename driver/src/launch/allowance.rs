//! How far the results of a kernel may lie from those of the reference evaluator.
//!
//! Where the language leaves a result open, as the order of a sum, further launches of the evaluator perturb it by as much as the
//! language allows (see `tilewright_evaluator::number::nudge`). An element may be off by twice as far as it moves, since a few
//! launches stand for all perturbations: everything up, everything down, and mixed.

use tilewright_evaluator::number::nudge::Nudge;

use super::compare::{Tolerance, compare};
use super::dtype::DType;
use super::{Launch, reference};
use crate::units::TileKernel;

/// An array whose elements are compared.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// Its index in the launch.
    pub buffer: usize,
    /// How the elements are read.
    pub dtype: DType,
}

/// For each buffer of a launch, by how much each element may be off; empty for arrays that are not compared.
#[derive(Clone, Debug, Default)]
pub struct Allowance(Vec<Vec<f64>>);

impl Allowance {
    /// By how much each element of a buffer may be off; empty if all must be exact.
    pub fn of(&self, buffer: usize) -> &[f64] {
        self.0.get(buffer).map_or(&[], Vec::as_slice)
    }

    /// Finds by how much the results of `kernel` may be off, where `got` differs from `want`, the evaluator's results for
    /// `inputs`. Equal results need no launches; two launches are enough if the allowance from them covers all differences.
    pub fn find(
        kernel: &TileKernel,
        [inputs, want, got]: [&Launch; 3],
        arrays: &[Compared],
        replicas: usize,
    ) -> Self {
        let mut found = Self::default();
        let rounds = [
            [Nudge::Up, Nudge::Down],
            [
                Nudge::Mixed(0x5851_f42d_4c95_7f2d),
                Nudge::Mixed(0x1405_7b7e_f767_814f),
            ],
            // A value on the way that is rounded to few bits moves only if a launch happens to take it across an edge.
            [
                Nudge::Mixed(0x9e37_79b9_7f4a_7c15),
                Nudge::Mixed(0xbf58_476d_1ce4_e5b9),
            ],
            [
                Nudge::Mixed(0x94d0_49bb_1331_11eb),
                Nudge::Mixed(0xd6e8_feb8_6659_fd93),
            ],
        ];
        for nudges in rounds {
            if found.covers([want, got], arrays) {
                break;
            }
            let launches = std::thread::scope(|scope| {
                let started = nudges.map(|nudge| {
                    let mut launch = inputs.clone();
                    scope.spawn(move || {
                        let ran = reference::run(kernel, &mut launch, 0, replicas, Some(nudge));
                        ran.times.is_ok().then_some(launch)
                    })
                });
                started.map(|thread| thread.join().ok().flatten())
            });
            for moved in launches.iter().flatten() {
                found.add([want, moved], arrays);
            }
        }
        found
    }

    /// Whether all differences are within the allowance.
    fn covers(&self, [want, got]: [&Launch; 2], arrays: &[Compared]) -> bool {
        arrays.iter().all(|&Compared { buffer, dtype }| {
            let (Some(have), Some(wish)) = (got.buffers.get(buffer), want.buffers.get(buffer)) else {
                return true;
            };
            let tolerance = Tolerance {
                elements: self.of(buffer),
                ..Tolerance::default()
            };
            let unspecified = want.unspecified.get(buffer).map_or(&[][..], Vec::as_slice);
            compare(have, wish, dtype, tolerance, unspecified).is_ok()
        })
    }

    /// Raises the allowance to cover the elements that a perturbed launch has moved.
    fn add(&mut self, [want, moved]: [&Launch; 2], arrays: &[Compared]) {
        self.0.resize(want.buffers.len(), Vec::new());
        for &Compared { buffer, dtype } in arrays {
            let (Some(slot), Some(want), Some(moved)) = (
                self.0.get_mut(buffer),
                want.buffers.get(buffer),
                moved.buffers.get(buffer),
            ) else {
                continue;
            };
            if want.data == moved.data {
                continue;
            }
            let numbers = want.numbers(dtype).zip(moved.numbers(dtype));
            let distances = numbers.map(|(want, moved)| {
                let distance = (want - moved).abs();
                // To or from infinity, which an overflow makes.
                let distance = if distance.is_nan() && want.is_nan() != moved.is_nan() {
                    f64::INFINITY
                } else {
                    distance
                };
                // What moves less than it takes to be rounded to another number may be at the edge to it.
                (2.0 * distance).max(dtype.step(want))
            });
            if slot.is_empty() {
                slot.extend(distances);
            } else {
                for (slot, distance) in slot.iter_mut().zip(distances) {
                    *slot = slot.max(distance);
                }
            }
        }
    }
}
