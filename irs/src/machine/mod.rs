//! The machine: what a multiprocessor has, what its units do in a cycle, and what an operation costs.
//!
//! [`Machine::of`] gives the row of a target. What is the same on all targets is a constant beside the row's type. Every
//! number is here and nowhere else, with its source:
//!
//! | name | source |
//! |---|---|
//! | guide | CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and "Throughput of Native Arithmetic Instructions" |
//! | header | `cuda_occupancy.h` of CUDA 13.5 |
//! | traits | `cuda::arch_traits` of the CUDA Core Compute Libraries |
//! | ptxas | ptxas 13.5 accepts this much, and refuses one more |
//! | data sheet | that of the usual GPU, see [`Chip`] |
//! | measured | on an H200 and an H100, by `tests/gpu/microbenchmarks.py` |
//!
//! Only Hopper has been measured: other targets take its cycles. Which instructions exist is said by
//! [`isa::rules`](crate::isa::rules).

mod chip;
mod costs;
mod multiprocessor;
mod rates;
mod rows;
mod units;
pub mod weights;

use crate::isa::Target;

pub use crate::isa::limits::{LANES, NAMED_BARRIERS};
pub use chip::Chip;
pub use costs::{Cost, Costs, Loads, Timing};
pub use multiprocessor::{Multiprocessor, Resident};
pub use rates::{FmaRates, ProductRates, Rates};
pub use units::{Cycles, Registers};

/// Warps of a warp group, on which `wgmma` and `setmaxnreg` act. (PTX ISA, `wgmma`: the index of its first warp is a
/// multiple of four.)
pub const GROUP_WARPS: u32 = 4;

/// Bytes of the units in which tensor copies access global memory, along the innermost dimension. A box that begins within a unit
/// is an illegal instruction, in and out of the tensor's bounds; so is one to store that begins before the tensor. A store writes
/// the unit in which a row of the tensor ends whole, beyond the tensor; a load does not read there. (Measured on an H200; the PTX
/// ISA does not say so.)
pub const COPY_UNIT: u64 = 16;

/// The threads of so many warps.
pub const fn threads(warps: u32) -> u32 {
    warps.saturating_mul(LANES)
}

/// What is known of the GPUs of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The target.
    pub target: Target,
    /// What a multiprocessor has room for.
    pub multiprocessor: Multiprocessor,
    /// What its units do in a cycle.
    pub rates: Rates,
    /// What an operation costs.
    pub costs: Costs,
    /// The usual GPU; `None` if there is none yet.
    pub chip: Option<Chip>,
    /// Where the row's numbers are those of another target, and of which.
    pub remark: &'static str,
}

impl Machine {
    /// The row of a target. One that is not known has that of the latest GPU before it.
    pub const fn of(target: Target) -> Self {
        rows::of(target)
    }

    /// The bytes that must be under way on each multiprocessor so that memory is always busy; `None` if there is no GPU yet.
    pub fn bytes_in_flight(&self) -> Option<f64> {
        let latency = Loads::BUSY_LATENCIES * self.costs.loads.memory.0 as f64;
        self.chip.map(|chip| chip.memory_bytes_per_cycle() * latency)
    }

    /// The GPUs of the target, the usual one first.
    pub fn chips(&self) -> impl Iterator<Item = Chip> {
        let others = rows::OTHERS.iter().filter(|(sm, _)| *sm == self.target.sm);
        self.chip.into_iter().chain(others.filter_map(|(_, chip)| *chip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_target_has_a_row_of_its_own() {
        let mut count = 0;
        for target in Target::known() {
            assert!(rows::has(target), "{target}");
            assert_eq!(Machine::of(target).target, target);
            count += 1;
        }
        assert_eq!(count, 31);
        // Others have the row of the GPU before them.
        assert_eq!(
            Machine::of(Target::sm(95)).rates,
            Machine::of(Target::sm(90)).rates
        );
        assert_eq!(
            Machine::of(Target::sm(60)).rates,
            Machine::of(Target::sm(70)).rates
        );
    }

    #[test]
    fn static_shared_memory_is_48_kib_without_the_features_of_one_architecture() {
        let kib = |name: &str| {
            let target = Target::parse(name).expect("a target");
            Machine::of(target).multiprocessor.shared_static.0 / 1024
        };
        for (name, wanted) in [
            ("sm_75", 48),
            ("sm_80", 48),
            ("sm_86", 48),
            ("sm_89", 48),
            ("sm_90", 48),
            ("sm_90a", 227),
            ("sm_100", 48),
            ("sm_100f", 48),
            ("sm_100a", 227),
            ("sm_103a", 227),
            ("sm_107a", 227),
            ("sm_107f", 48),
            ("sm_110a", 227),
            ("sm_120", 48),
            ("sm_120f", 48),
            ("sm_120a", 99),
            ("sm_121a", 99),
        ] {
            assert_eq!(kib(name), wanted, "{name}");
        }
    }

    #[test]
    fn a_chip_does_what_its_data_sheet_says() {
        // Tera-operations a second of products with 16-bit operands and of 32-bit floats, a multiply-add counted as two.
        for (sm, products, floats) in [
            (70, 125.0, 15.7),
            (75, 65.0, 8.1),
            (80, 312.0, 19.5),
            (86, 71.0, 35.6),
            (89, 362.0, 91.6),
            (90, 989.0, 61.8),
            (100, 2250.0, 70.3),
            (103, 2500.0, 78.0),
            (120, 209.5, 104.8),
        ] {
            let machine = Machine::of(Target::sm_a(sm));
            let chip = machine.chip.expect("a chip");
            let tera = |rate: u32| 2.0 * f64::from(rate) * chip.cycles_per_second() / 1e12;
            let near = |have: f64, wanted: f64| (have / wanted - 1.0).abs() < 0.02;
            let (have, wanted) = (tera(machine.rates.fastest_products().f16), products);
            assert!(near(have, wanted), "sm_{sm}: {have} is not {wanted}");
            let (have, wanted) = (tera(machine.rates.fma.f32), floats);
            assert!(near(have, wanted), "sm_{sm}: {have} is not {wanted}");
        }
    }
}
