//! Elementwise programs on tiles of 256 elements.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::cli::{Exit, main_with};

use super::seeds;

const PROGRAMS: u64 = 24;
const OPS: usize = 24;

/// A kernel that loads two tiles, computes with them, and stores an integer and a float tile.
struct Generator {
    random: ChaCha8Rng,
    text: String,
    next: usize,
    integers: Vec<String>,
    floats: Vec<String>,
    truths: Vec<String>,
}

/// The kind of a value.
#[derive(Clone, Copy)]
enum Kind {
    Integer,
    Float,
    Truth,
}

impl Kind {
    fn tile(self) -> &'static str {
        match self {
            Self::Integer => "tile<256xi32>",
            Self::Float => "tile<256xf32>",
            Self::Truth => "tile<256xi1>",
        }
    }
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            text: String::new(),
            next: 0,
            integers: Vec::new(),
            floats: Vec::new(),
            truths: Vec::new(),
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn pool(&mut self, kind: Kind) -> &mut Vec<String> {
        match kind {
            Kind::Integer => &mut self.integers,
            Kind::Float => &mut self.floats,
            Kind::Truth => &mut self.truths,
        }
    }

    /// Picks a value of a kind, preferring later ones.
    fn pick(&mut self, kind: Kind) -> String {
        let count = self.pool(kind).len();
        let at = self
            .random
            .random_range(0..count)
            .max(self.random.random_range(0..count));
        self.pool(kind)[at].clone()
    }

    fn choose(&mut self, words: &[&'static str]) -> &'static str {
        words[self.random.random_range(0..words.len())]
    }

    /// Defines a value.
    fn value(&mut self, kind: Kind, text: &str) -> String {
        let name = format!("%v{}", self.next);
        self.next += 1;
        self.line(&format!("{name} = {text}"));
        self.pool(kind).push(name.clone());
        name
    }

    fn load(&mut self, kind: Kind, element: &str, arg: &str) {
        let pointers = self.pointers(element, arg);
        let name = format!("%v{}", self.next);
        self.next += 1;
        self.line(&format!(
            "{name}, {arg}_token = load_ptr_tko weak {pointers} : tile<256xptr<{element}>> -> {}, token",
            kind.tile()
        ));
        self.pool(kind).push(name);
    }

    fn pointers(&mut self, element: &str, arg: &str) -> String {
        self.line(&format!(
            "{arg}_1 = reshape {arg} : tile<ptr<{element}>> -> tile<1xptr<{element}>>"
        ));
        self.line(&format!(
            "{arg}_2 = broadcast {arg}_1 : tile<1xptr<{element}>> -> tile<256xptr<{element}>>"
        ));
        self.line(&format!(
            "{arg}_3 = offset {arg}_2, %number : tile<256xptr<{element}>>, tile<256xi32> -> tile<256xptr<{element}>>"
        ));
        format!("{arg}_3")
    }

    fn store(&mut self, kind: Kind, element: &str, arg: &str) {
        let pointers = self.pointers(element, arg);
        let value = self.pool(kind).last().cloned().unwrap_or_default();
        self.line(&format!(
            "{arg}_token = store_ptr_tko weak {pointers}, {value} : tile<256xptr<{element}>>, {} -> token",
            kind.tile()
        ));
    }

    fn op(&mut self) {
        let (integer, float) = (Kind::Integer.tile(), Kind::Float.tile());
        let (a, b) = (self.pick(Kind::Integer), self.pick(Kind::Integer));
        let (x, y, z) = (
            self.pick(Kind::Float),
            self.pick(Kind::Float),
            self.pick(Kind::Float),
        );
        let signedness = self.choose(&["signed", "unsigned"]);
        let predicates = [
            "equal",
            "not_equal",
            "less_than",
            "less_than_or_equal",
            "greater_than",
            "greater_than_or_equal",
        ];
        let predicate = self.choose(&predicates);
        match self.random.random_range(0..14) {
            0 | 1 => {
                let op = self.choose(&["addi", "subi", "muli", "mulhii", "andi", "ori", "xori"]);
                self.value(Kind::Integer, &format!("{op} {a}, {b} : {integer}"));
            }
            2 => {
                let op = self.choose(&["maxi", "mini"]);
                self.value(Kind::Integer, &format!("{op} {a}, {b} {signedness} : {integer}"));
            }
            3 => {
                // A divisor that is neither 0 nor -1: from 1 to 255.
                let low = self.value(Kind::Integer, &format!("andi {b}, %mask : {integer}"));
                let divisor = self.value(Kind::Integer, &format!("ori {low}, %one : {integer}"));
                let op = self.choose(&["divi", "remi"]);
                self.value(
                    Kind::Integer,
                    &format!("{op} {a}, {divisor} {signedness} : {integer}"),
                );
            }
            4 => {
                let by = self.value(Kind::Integer, &format!("andi {b}, %small : {integer}"));
                if self.random.random() {
                    self.value(Kind::Integer, &format!("shli {a}, {by} : {integer}"));
                } else {
                    self.value(Kind::Integer, &format!("shri {a}, {by} {signedness} : {integer}"));
                }
            }
            5 => {
                let op = self.choose(&["absi", "negi"]);
                self.value(Kind::Integer, &format!("{op} {a} : {integer}"));
            }
            6 | 7 => {
                let op = self.choose(&["addf", "subf", "mulf", "divf"]);
                let rounding = self.choose(&[
                    "",
                    " rounding<zero>",
                    " rounding<negative_inf>",
                    " rounding<positive_inf>",
                ]);
                self.value(Kind::Float, &format!("{op} {x}, {y}{rounding} : {float}"));
            }
            8 => {
                let op = self.choose(&["maxf", "minf"]);
                let nan = self.choose(&["", " propagate_nan"]);
                self.value(Kind::Float, &format!("{op} {x}, {y}{nan} : {float}"));
            }
            9 => {
                self.value(Kind::Float, &format!("fma {x}, {y}, {z} : {float}"));
            }
            10 => {
                let op = self.choose(&["absf", "negf", "ceil", "floor", "sqrt"]);
                self.value(Kind::Float, &format!("{op} {x} : {float}"));
            }
            11 => {
                if self.random.random() {
                    self.value(
                        Kind::Float,
                        &format!("itof {a} {signedness} : {integer} -> {float}"),
                    );
                } else {
                    self.value(
                        Kind::Integer,
                        &format!("ftoi {x} {signedness} : {float} -> {integer}"),
                    );
                }
            }
            12 => {
                let text = format!("cmpi {predicate} {a}, {b}, {signedness} : {integer} -> tile<256xi1>");
                self.value(Kind::Truth, &text);
                let ordering = self.choose(&["ordered", "unordered"]);
                let text = format!("cmpf {predicate} {ordering} {x}, {y} : {float} -> tile<256xi1>");
                self.value(Kind::Truth, &text);
            }
            _ => {
                let condition = self.pick(Kind::Truth);
                self.value(
                    Kind::Integer,
                    &format!("select {condition}, {a}, {b} : tile<256xi1>, {integer}"),
                );
                self.value(
                    Kind::Float,
                    &format!("select {condition}, {x}, {y} : tile<256xi1>, {float}"),
                );
            }
        }
    }

    fn program(mut self) -> String {
        self.line("%number = iota : tile<256xi32>");
        self.line("%one = constant <i32: 1> : tile<256xi32>");
        self.line("%small = constant <i32: 31> : tile<256xi32>");
        self.line("%mask = constant <i32: 255> : tile<256xi32>");
        self.load(Kind::Integer, "i32", "%a");
        self.load(Kind::Float, "f32", "%b");
        self.value(
            Kind::Truth,
            "cmpi less_than %number, %mask, signed : tile<256xi32> -> tile<256xi1>",
        );
        for _ in 0..OPS {
            self.op();
        }
        self.store(Kind::Integer, "i32", "%c");
        self.store(Kind::Float, "f32", "%d");
        let params = "%a: tile<ptr<i32>>, %b: tile<ptr<f32>>, %c: tile<ptr<i32>>, %d: tile<ptr<f32>>";
        format!(
            "cuda_tile.module @m {{\n  entry @k({params}) {{\n{}  return\n  }}\n}}\n",
            self.text
        )
    }
}

/// Runs a program; its outputs are written to, or compared with, two files.
fn run(program: &Path, device: &str, flag: &str, seed: u64, outputs: &[PathBuf; 2]) -> Exit {
    let seed = seed.to_string();
    let program = program.display().to_string();
    let mut line = vec![
        "tilewright",
        "run",
        &program,
        "--on",
        device,
        "--grid",
        "1",
        "--seed",
        &seed,
    ];
    for arg in [
        "randint:i32[256]",
        "randn:f32[256]",
        "empty:i32[256]",
        "empty:f32[256]",
    ] {
        line.extend(["--arg", arg]);
    }
    let files: Vec<String> = (2..)
        .zip(outputs)
        .map(|(at, file)| format!("{at}={}", file.display()))
        .collect();
    for file in &files {
        line.extend([flag, file]);
    }
    let args: Vec<OsString> = line.iter().map(OsString::from).collect();
    main_with(&args)
}

#[test]
fn random_programs_agree_with_the_simulator() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random_programs");
    fs::create_dir_all(&folder).expect("a folder");
    for seed in seeds(PROGRAMS) {
        let text = Generator::new(seed).program();
        let program = folder.join(format!("{seed}.cuda_tile"));
        fs::write(&program, &text).expect("a file");
        let outputs = ["integers", "floats"].map(|name| folder.join(format!("{seed}.{name}.npy")));
        assert_eq!(
            run(&program, "reference", "--out", seed, &outputs),
            Exit::Ok,
            "{text}"
        );
        assert_eq!(
            run(&program, "cpu", "--expect", seed, &outputs),
            Exit::Ok,
            "{text}"
        );
    }
}
