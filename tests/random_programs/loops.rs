//! Loops over the tiles of an array: sums whose order matters, reductions, repeated loads, stores, in place too; with
//! bounds and steps known and unknown, tiles at the edge, and no iteration at all.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_evaluator as evaluator;
use tilewright_simulator as simulator;

use super::seeds;

const PROGRAMS: u64 = 60;

/// The number of elements of the arrays: more than the view of them has.
const ARRAY: usize = 8192;

/// A kernel of one block and its numbers.
struct Case {
    text: String,
    numbers: Vec<(String, i32)>,
    /// The number of elements of a tile, which the kernel stores to its third array.
    tile: usize,
}

struct Generator {
    random: ChaCha8Rng,
    body: String,
    numbers: Vec<(String, i32)>,
}

impl Generator {
    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.random.random_range(0..among.len())]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }

    /// A number that is a constant, or a parameter with a known lower bound or without.
    fn number(&mut self, name: &str, value: i32) -> String {
        match self.random.random_range(0..3) {
            0 => {
                self.line(&format!("%{name} = constant <i32: {value}> : tile<i32>"));
                format!("%{name}")
            }
            1 if value >= 0 => {
                self.numbers.push((format!("%{name}0"), value));
                self.line(&format!("%{name} = assume bounded<0, ?>, %{name}0 : tile<i32>"));
                format!("%{name}")
            }
            _ => {
                self.numbers.push((format!("%{name}"), value));
                format!("%{name}")
            }
        }
    }

    fn case(mut self) -> Case {
        let tile = self.choose(&[16, 128, 512, 1024]);
        let tiles = self.random.random_range(0..=if tile < 512 { 14 } else { 7 });
        // Not all tiles are full.
        let extent = (tile * tiles - self.choose(&[0, 0, 4, 5])).max(1);
        let (vector, scalar) = (format!("tile<{tile}xi32>"), "tile<i32>");
        let n = self.number("n", extent);
        let tensor = "tensor_view<?xi32, strides=[1]>";
        let view = format!("partition_view<tile=({tile}), padding_value = zero, {tensor}>");
        for (name, array) in [("a", "%p"), ("b", "%q")] {
            self.line(&format!(
                "%t{name} = make_tensor_view {array}, shape = [{n}], strides = [1] : tile<i32> -> {tensor}"
            ));
            self.line(&format!("%v{name} = make_partition_view %t{name} : {view}"));
        }
        let lower = self.choose(&[0, 0, 0, 1, 3, -2]);
        let lower = self.number("l", lower);
        let upper = tiles + self.choose(&[0, 0, 0, 2, -1]);
        let upper = self.number("u", upper);
        let step = self.choose(&[1, 1, 1, 2, 3]);
        let step = self.number("s", step);
        self.line(&format!("%init = constant <i32: 1> : {vector}"));
        self.line(&format!("%three = constant <i32: 3> : {vector}"));
        self.line("%k = make_token : token");
        self.line(&format!(
            "%acc, %end = for %i in ({lower} to {upper}, step {step}) : tile<i32> iter_values(%c = %init, %w = %k) -> ({vector}, token) {{"
        ));
        // A load that is ordered after the stores of earlier iterations, or not.
        let in_place = self.chance(30);
        let before = if in_place || self.chance(20) { "%w" } else { "%k" };
        let load = |name: &str, view_name: &str, index: &str| {
            format!(
                "%{name}, %{name}t = load_view_tko weak {view_name}[{index}] token = {before} : {view}, tile<i32> -> {vector}, token"
            )
        };
        self.line(&load("x", "%va", "%i"));
        let mut read = "%xt".to_owned();
        let mut sum = "%x".to_owned();
        if self.chance(40) {
            self.line(&load("y", "%va", "%i"));
            read += ", %yt";
            self.line(&format!("%xy = addi %x, %y : {vector}"));
            sum = "%xy".to_owned();
        }
        if self.chance(30) {
            self.line("%one = constant <i32: 1> : tile<i32>");
            self.line("%j = addi %i, %one : tile<i32>");
            self.line(&load("z", "%va", "%j"));
            read += ", %zt";
            self.line(&format!("%next = addi {sum}, %z : {vector}"));
            sum = "%next".to_owned();
        }
        if self.chance(50) {
            self.line(&format!(
                "%all = reduce {sum} dim=0 identities=[0 : i32] : {vector} -> {scalar} (%l1: tile<i32>, %r1: tile<i32>) {{"
            ));
            self.line("%o1 = addi %l1, %r1 : tile<i32>");
            self.line("yield %o1 : tile<i32>");
            self.line("}");
            self.line("%all1 = reshape %all : tile<i32> -> tile<1xi32>");
            self.line(&format!("%wide = broadcast %all1 : tile<1xi32> -> {vector}"));
            // The tile is used again, or not.
            if self.chance(50) {
                self.line(&format!("%both = xori {sum}, %wide : {vector}"));
                sum = "%both".to_owned();
            } else {
                sum = "%wide".to_owned();
            }
        }
        self.line(&format!("%c3 = muli %c, %three : {vector}"));
        self.line(&format!("%cn = addi %c3, {sum} : {vector}"));
        let mut after = "%w".to_owned();
        if in_place || self.chance(50) {
            let target = if in_place { "%va" } else { "%vb" };
            self.line(&format!("%both_t = join_tokens %w, {read} : token"));
            self.line(&format!(
                "%st = store_view_tko weak %cn, {target}[%i] token = %both_t : {vector}, {view}, tile<i32> -> token"
            ));
            after = "%st".to_owned();
        }
        self.line(&format!("continue %cn, {after} : {vector}, token"));
        self.line("}");
        let out = format!("tensor_view<{tile}xi32, strides=[1]>");
        let parts = format!("partition_view<tile=({tile}), {out}>");
        self.line(&format!(
            "%ot = make_tensor_view %o, shape = [{tile}], strides = [1] : {out}"
        ));
        self.line(&format!("%ov = make_partition_view %ot : {parts}"));
        self.line("%zero = constant <i32: 0> : tile<i32>");
        self.line(&format!(
            "%ok = store_view_tko weak %acc, %ov[%zero] : {vector}, {parts}, tile<i32> -> token"
        ));
        let mut params = "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %o: tile<ptr<i32>>".to_owned();
        for (name, _) in &self.numbers {
            let _ = write!(params, ", {name}: tile<i32>");
        }
        Case {
            text: format!(
                "cuda_tile.module @m {{\n  entry @k({params}) {{\n{}    return\n  }}\n}}\n",
                self.body
            ),
            numbers: self.numbers,
            tile: usize::try_from(tile).expect("positive"),
        }
    }
}

/// The initial contents of the first array.
fn contents() -> Vec<u8> {
    (0..ARRAY)
        .flat_map(|at| (i32::try_from(at).expect("small") * 7 - 1000).to_le_bytes())
        .collect()
}

impl Case {
    fn new(seed: u64) -> Self {
        let generator = Generator {
            random: ChaCha8Rng::seed_from_u64(seed),
            body: String::new(),
            numbers: Vec::new(),
        };
        generator.case()
    }

    /// The contents of the arrays before the launch.
    fn arrays(&self) -> [Vec<u8>; 3] {
        [contents(), vec![0xEE; ARRAY * 4], vec![0xEE; self.tile * 4]]
    }

    fn evaluated(&self, kernel: &TileKernel) -> Vec<Vec<u8>> {
        let mut device = evaluator::Device::new(&kernel.module).expect("no globals");
        let buffers = self
            .arrays()
            .map(|data| device.allocate("array", evaluator::Init::Data(data)));
        let mut args: Vec<evaluator::Arg> = buffers
            .iter()
            .map(|&buffer| evaluator::Arg::Pointer(buffer))
            .collect();
        let numbers = self.numbers.iter();
        args.extend(numbers.map(|(_, value)| evaluator::Arg::Scalar(i64::from(*value).cast_unsigned())));
        device
            .launch(&kernel.func, [1, 1, 1], &args)
            .unwrap_or_else(|problem| panic!("{problem:#?}\n{self}"));
        buffers
            .iter()
            .map(|&buffer| device.read(buffer).to_vec())
            .collect()
    }

    fn simulated(&self, ptx: &str) -> Vec<Vec<u8>> {
        let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
        let mut device = simulator::Device::new();
        let buffers = self.arrays().map(|data| {
            let size = data.len();
            device.alloc("array", size, simulator::Init::Data(data))
        });
        let mut args: Vec<simulator::Arg> = buffers.iter().map(|&buffer| buffer.into()).collect();
        let numbers = self.numbers.iter();
        args.extend(numbers.map(|(_, value)| simulator::Arg::Scalar(value.to_le_bytes().to_vec())));
        device
            .launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &args)
            .unwrap_or_else(|fault| panic!("{fault}\n{self}\n{ptx}"));
        buffers
            .iter()
            .map(|&buffer| device.read(buffer).to_vec())
            .collect()
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)?;
        for (name, value) in &self.numbers {
            write!(f, "{name} = {value}, ")?;
        }
        Ok(())
    }
}

#[test]
fn loops_over_memory_agree_with_the_simulator() {
    for seed in seeds(PROGRAMS) {
        let case = Case::new(seed);
        let mut compiler = Compiler::new();
        let source = compiler.add_source("program", case.text.as_bytes());
        let parsed = reading::parse(&compiler, source);
        assert!(parsed.diagnostics.is_empty(), "{case}\n{:#?}", parsed.diagnostics);
        let kernel = parsed.kernels.first().expect("a kernel");
        let Stage::CudaTile(kernel) = kernel.body(&compiler).clone() else {
            panic!("no cuda_tile")
        };
        let want = case.evaluated(&kernel);
        for opt_level in [0, 3] {
            let options = compiler.options(Request {
                opt_level,
                verify_each: true,
                ..Request::default()
            });
            let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
            let ptx = ptx.unwrap_or_else(|| panic!("{case}\n{said:#?}"));
            let found = case.simulated(&ptx);
            assert!(found == want, "seed {seed}, -O{opt_level}\n{case}\n{ptx}");
        }
    }
}
