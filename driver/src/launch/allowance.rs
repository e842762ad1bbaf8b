//! How far the results of a kernel may lie from those of the reference evaluator.
//!
//! What the language leaves open, as the order of sums, is moved in further launches of the evaluator by as much as it can make
//! (see `tilewright_evaluator::number::nudge`); an element may be off by twice as far as it moves. Twice, since a few launches
//! stand for all ways to move: everything up, everything down, and mixed.

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

/// For each buffer of a launch, how far each element may be off; nothing for arrays that are not compared.
#[derive(Clone, Debug, Default)]
pub struct Allowance(Vec<Vec<f64>>);

impl Allowance {
    /// How far each element of a buffer may be off; empty if none may.
    pub fn of(&self, buffer: usize) -> &[f64] {
        self.0.get(buffer).map_or(&[], Vec::as_slice)
    }

    /// Finds out how far the results of `kernel` may be off, where `got` differs from what the evaluator makes of the `inputs`,
    /// which is `want`. Equal results need no search, and a few launches are enough if the differences are within what they
    /// allow.
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

    /// Whether all differences are within what is allowed.
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

    /// Allows what a launch has moved.
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
