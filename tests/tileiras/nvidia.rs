//! The same command lines for NVIDIA's program, if `TILEWRIGHT_TILEIRAS` is its path.

use std::io::Write;
use std::process::Command;

use super::place::{EMPTY, Ended, Place, VERSIONS, ended};

/// Command lines that both programs end alike. The inputs are a kernel, an empty module of a later version, and no bytecode.
const COMMANDS: &[&str] = &[
    "in.bc -o out --gpu-name sm_90 -O3 --lineinfo",
    "--gpu-name=sm_90 --opt-level=0 in.bc -o out",
    "-arch=sm_90 in.bc -o out",
    "-arch sm_120 in.bc -o=out",
    "--gpu-name sm_90 -output-file out -- in.bc",
    "--host-os=linux --host-arch=aarch64 in.bc -o out --gpu-name sm_100",
    "--remarks=all --remark-format=yaml --remarks-output-file=rem in.bc -o out --gpu-name sm_90",
    "in.bc -o /dev/null --gpu-name sm_90",
    "in.bc -o out -g -O0 --gpu-name sm_90",
    "--bogus --version",
    "--list-versions none.bc",
    "in.bc -o out --gpu-name sm_75",
    "in.bc -o out --gpu-name sm_90a",
    "in.bc -o out --gpu-name",
    "in.bc -o out --gpu-name=",
    "in.bc -o",
    "in.bc in.bc -o out --gpu-name sm_90",
    "in.bc -o out --gpu-name sm_90 -O",
    "in.bc -o out --gpu-name sm_90 -O=2",
    "in.bc -o out --gpu-name sm_90 --opt-level=x",
    "in.bc -o out --gpu-name sm_90 --lineinfo=maybe",
    "in.bc -o out --gpu-name sm_90 --host-os=mac",
    "in.bc -o out --gpu-name sm_90 --help=1",
    "none.bc -o out --gpu-name sm_90",
    "next.bc -o out --gpu-name sm_90",
    "text.bc -o out --gpu-name sm_90",
];

#[test]
fn both_programs_end_alike() {
    let (Some(theirs), Some(place)) = (std::env::var_os("TILEWRIGHT_TILEIRAS"), Place::real()) else {
        // Past the capture of `cargo test`; nobody need read it.
        let _ = writeln!(std::io::stderr(), "skipped: TILEWRIGHT_TILEIRAS is not set");
        return;
    };
    place.bytecode("empty.bc", "13.5", EMPTY);
    let mut next = place.read("empty.bc");
    next[9] += 1;
    place.write("next.bc", &next);
    place.write("text.bc", b"text");
    for version in VERSIONS {
        place.example("vector_add", version);
        for line in COMMANDS {
            let args: Vec<_> = line.split(' ').collect();
            let mut command = Command::new(&theirs);
            command.args(&args).current_dir(place.path("")).env_clear();
            let wanted = ended(command.output().expect("it runs"));
            let found = place.run(&args);
            assert_eq!(found.0, wanted.0, "{line}: {} / {}", found.2, wanted.2);
            for line in known_lines(&wanted) {
                assert!(found.2.contains(&line), "{line}: {}", found.2);
            }
        }
    }
}

/// The lines of standard error that this program repeats word by word, apart from codes after them.
fn known_lines(end: &Ended) -> Vec<String> {
    let lines = end.2.lines();
    let known = |line: &&str| line.starts_with("tileiras: for the") || line.contains("bytecode");
    lines.filter(known).map(str::to_owned).collect()
}
