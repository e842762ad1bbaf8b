//! Ops of layout algebra in `cute`, one in each program: evaluated by the meaning of the op, lowered to `llvm` and run, and lowered by
//! CUTLASS's library. All come to the same numbers.

mod library;
mod lowered;
#[allow(dead_code)]
#[path = "../machine/mod.rs"]
mod machine;
mod ops;
mod published;
mod run;
mod writer;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use ops::{Build, STATIC};
use writer::{Program, Writer};

/// Random programs of an op, as many as that.
fn programs(name: &str, build: Build, count: usize) -> Vec<Program> {
    let mut rng = ChaCha8Rng::seed_from_u64(name.bytes().map(u64::from).sum());
    let mut programs = Vec::new();
    // Most random operands fit most ops.
    for _ in 0..1000 * count {
        if programs.len() == count {
            return programs;
        }
        let mut writer = Writer::new(&mut rng);
        let written = build(&mut writer);
        let program = written.and_then(|results| writer.finish(results));
        programs.extend(program.filter(|program| program.results() > 0 || STATIC.contains(&name)));
    }
    panic!("hardly any operands fit `{name}`");
}
