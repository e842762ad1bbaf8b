//! Every op, lowered by our passes.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::ops::OPS;
use super::programs;
use super::run::{cases, lowered, read, stored};

/// The programs of an op, and the assignments of each.
const PROGRAMS: usize = 10;
const ASSIGNMENTS: usize = 10;

/// Divisors are made by functions of the host.
pub(super) fn is_of_the_host(op: &str) -> bool {
    op.starts_with("cute.fast_divmod.")
}

#[test]
fn ops_are_lowered_to_what_they_mean() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (name, build) in OPS.iter().filter(|(name, _)| !is_of_the_host(name)) {
        for program in programs(name, *build, PROGRAMS) {
            let text = program.function();
            let module = read(&text).unwrap_or_else(|problem| panic!("{text}\n{problem}"));
            let kernel = lowered(&program).unwrap_or_else(|problem| panic!("{text}\n{problem}"));
            for (numbers, result) in cases(&program, &module, ASSIGNMENTS, &mut rng) {
                let found = stored(&program, &kernel, &numbers);
                assert_eq!(found, result, "{text}{numbers:?}");
            }
        }
    }
}
