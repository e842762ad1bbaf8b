//! Atomic accesses whose results do not depend on their order, and loads that allow concurrent stores.
//!
//! A program is a chain of steps, ordered by tokens, sometimes in a loop. Each step combines many elements with few in
//! memory and drops what was there; or accesses each element of memory once, or one element by a scalar, and stores
//! what was there; or loads. Tiles are smaller and larger than the block, so that elements have one or many threads.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_evaluator as evaluator;
use tilewright_simulator as simulator;

use super::seeds;

const PROGRAMS: u64 = 120;
/// Elements of the array that is accessed atomically.
const ARRAY: usize = 512;
/// Elements that a step stores at most.
const ROW: usize = 512;

/// The element types, with their bytes and the operations that they have.
const TYPES: [(&str, usize, &[&str]); 6] = [
    (
        "i32",
        4,
        &["add", "and", "or", "xor", "max", "min", "umax", "umin"],
    ),
    (
        "i64",
        8,
        &["add", "and", "or", "xor", "max", "min", "umax", "umin"],
    ),
    ("f16", 2, &["addf"]),
    ("bf16", 2, &["addf"]),
    ("f32", 4, &["addf"]),
    ("f64", 8, &["addf"]),
];

struct Case {
    text: String,
    bytes: usize,
    /// The number of rows that are stored.
    rows: usize,
    blocks: u32,
}

struct Generator {
    random: ChaCha8Rng,
    body: String,
    element: &'static str,
    modes: &'static [&'static str],
    values: u32,
    rows: usize,
}

impl Generator {
    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.random.random_range(0..among.len())]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    /// Whether the elements are floats of 16 bits.
    fn is_small(&self) -> bool {
        self.element.ends_with("16")
    }

    /// Appends an op and returns its result.
    fn value(&mut self, op: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        let _ = writeln!(self.body, "    {name} = {op}");
        name
    }

    /// Appends an op with a tile or a scalar and a token as results.
    fn access(&mut self, op: &str) -> (String, String) {
        self.values += 1;
        let (name, token) = (format!("%v{}", self.values), format!("%k{}", self.values));
        let _ = writeln!(self.body, "    {name}, {token} = {op}");
        (name, token)
    }

    /// A scalar spread over a tile of `count` elements.
    fn spread(&mut self, scalar: &str, ty: &str, count: usize) -> String {
        let one = self.value(&format!("reshape {scalar} : tile<{ty}> -> tile<1x{ty}>"));
        self.value(&format!("broadcast {one} : tile<1x{ty}> -> tile<{count}x{ty}>"))
    }

    fn pointers(&mut self, base: &str, offsets: &str, count: usize) -> String {
        let ptr = format!("ptr<{}>", self.element);
        let bases = self.spread(base, &ptr, count);
        let tile = format!("tile<{count}x{ptr}>");
        self.value(&format!(
            "offset {bases}, {offsets} : {tile}, tile<{count}xi32> -> {tile}"
        ))
    }

    fn order(&mut self, alone: bool) -> String {
        let order = self.choose(&["relaxed", "acquire", "release", "acq_rel"]);
        let scopes: &[&str] = if alone {
            &["tl_blk", "device", "sys"]
        } else {
            &["device", "sys"]
        };
        let scope = self.choose(scopes);
        format!("{order} {scope}")
    }

    /// A tile with small numbers, so that sums of floats are exact.
    fn numbers(&mut self, iota: &str, count: usize) -> String {
        let (factor, mask) = (self.choose(&[1, 3, 5]), self.choose(&[1, 3, 7]));
        let mask = if self.is_small() { 1 } else { mask };
        let factor = self.value(&format!("constant <i32: {factor}> : tile<{count}xi32>"));
        let mask = self.value(&format!("constant <i32: {mask}> : tile<{count}xi32>"));
        let product = self.value(&format!("muli {iota}, {factor} : tile<{count}xi32>"));
        let small = self.value(&format!("andi {product}, {mask} : tile<{count}xi32>"));
        let (from, to) = (
            format!("tile<{count}xi32>"),
            format!("tile<{count}x{}>", self.element),
        );
        match self.element {
            "i32" => small,
            "i64" => self.value(&format!("exti {small} signed : {from} -> {to}")),
            _ => self.value(&format!("itof {small} signed : {from} -> {to}")),
        }
    }

    /// A mask that some elements are left out by, or none.
    fn mask(&mut self, iota: &str, count: usize) -> Option<String> {
        let limit = self.random.random_range(0..=count);
        let limit = self.value(&format!("constant <i32: {limit}> : tile<{count}xi32>"));
        let (from, to) = (format!("tile<{count}xi32>"), format!("tile<{count}xi1>"));
        let mask = self.value(&format!(
            "cmpi less_than {iota}, {limit}, signed : {from} -> {to}"
        ));
        self.chance(50).then_some(mask)
    }

    /// Stores a tile in a row of its own.
    fn store(&mut self, iota: &str, value: &str, count: usize, token: &str) -> String {
        let row = self.rows * ROW;
        self.rows += 1;
        let start = self.value(&format!("constant <i32: {row}> : tile<{count}xi32>"));
        let at = self.value(&format!("addi {iota}, {start} : tile<{count}xi32>"));
        let at = self.pointers("%o", &at, count);
        let e = self.element;
        self.value(&format!(
            "store_ptr_tko weak {at}, {value} token={token} : tile<{count}xptr<{e}>>, tile<{count}x{e}> -> token"
        ))
    }

    /// Appends a step after a token; returns the token after it.
    fn step(&mut self, token: &str, alone: bool) -> String {
        // Few small numbers have sums that 8 bits hold.
        let count = 1
            << self
                .random
                .random_range(0..if self.is_small() { 7 } else { 10usize });
        let e = self.element;
        let (ptr, data, bits) = (
            format!("tile<{count}xptr<{e}>>"),
            format!("tile<{count}x{e}>"),
            format!("tile<{count}xi1>"),
        );
        let iota = self.value(&format!("iota : tile<{count}xi32>"));
        let numbers = self.numbers(&iota, count);
        let order = self.order(alone);
        let modes = self.modes;
        let mode = self.choose(modes);
        let kinds = if alone { &[0, 1, 2, 3, 4, 5][..] } else { &[0, 5] };
        let kind = self.choose(kinds);
        match kind {
            0 => {
                let few: &[u32] = if self.is_small() { &[7, 63] } else { &[0, 1, 7, 63] };
                let few = self.choose(few);
                let few = self.value(&format!("constant <i32: {few}> : tile<{count}xi32>"));
                let at = self.value(&format!("andi {iota}, {few} : tile<{count}xi32>"));
                let at = self.pointers("%p", &at, count);
                let mask = self.mask(&iota, count);
                let (mask, ty) = mask.map_or_else(Default::default, |mask| {
                    (format!(", {mask}"), format!(", {bits}"))
                });
                self.access(&format!(
                    "atomic_rmw_tko {order} {at}, {mode}, {numbers}{mask} token={token} : {ptr}, {data}{ty} -> {data}, token"
                ))
                .1
            }
            1 => {
                // Each element of memory once, in another order.
                let turn = self.random.random_range(0..count);
                let turn = self.value(&format!("constant <i32: {turn}> : tile<{count}xi32>"));
                let at = self.value(&format!("xori {iota}, {turn} : tile<{count}xi32>"));
                let at = self.pointers("%p", &at, count);
                let mode = if self.is_small() || self.chance(50) {
                    mode
                } else {
                    "xchg"
                };
                let (old, after) = self.access(&format!(
                    "atomic_rmw_tko {order} {at}, {mode}, {numbers} token={token} : {ptr}, {data} -> {data}, token"
                ));
                self.store(&iota, &old, count, &after)
            }
            2 if !self.is_small() => {
                let at = self.pointers("%p", &iota, count);
                let compare = self.numbers(&iota, count);
                let mask = self.mask(&iota, count);
                let (mask, ty) = mask.map_or_else(Default::default, |mask| {
                    (format!(", {mask}"), format!(", {bits}"))
                });
                let (old, after) = self.access(&format!(
                    "atomic_cas_tko {order} {at}, {compare}, {numbers}{mask} token={token} : {ptr}, {data}{ty} -> {data}, token"
                ));
                self.store(&iota, &old, count, &after)
            }
            5 => {
                // Each element of a run once, whose old values nobody uses; from a multiple of a vector on, and up to one.
                let limit = self.random.random_range(0..=count / 8) * 8;
                let start = self.choose(&[0, 0, 8, 2, 1]).min(ARRAY - count);
                let (limit, start) = (
                    self.value(&format!("constant <i32: {limit}> : tile<{count}xi32>")),
                    self.value(&format!("constant <i32: {start}> : tile<{count}xi32>")),
                );
                let mask = self.value(&format!(
                    "cmpi less_than {iota}, {limit}, signed : tile<{count}xi32> -> {bits}"
                ));
                let at = self.value(&format!("addi {iota}, {start} : tile<{count}xi32>"));
                let at = self.pointers("%p", &at, count);
                let order = if self.chance(70) {
                    "relaxed device".to_owned()
                } else {
                    order
                };
                let (mask, ty) = match self.chance(50) {
                    true => (format!(", {mask}"), format!(", {bits}")),
                    false => (String::new(), String::new()),
                };
                self.access(&format!(
                    "atomic_rmw_tko {order} {at}, {mode}, {numbers}{mask} token={token} : {ptr}, {data}{ty} -> {data}, token"
                ))
                .1
            }
            2 | 3 => {
                // A scalar, which all threads have; its result is used, or not.
                let value = match e {
                    "i32" | "i64" => "constant <".to_owned() + e + ": 3> : tile<" + e + ">",
                    _ => "constant <".to_owned() + e + ": 2.000000e+00> : tile<" + e + ">",
                };
                let value = self.value(&value);
                let (old, after) = self.access(&format!(
                    "atomic_rmw_tko {order} %p, {mode}, {value} token={token} : tile<ptr<{e}>>, tile<{e}> -> tile<{e}>, token"
                ));
                if self.chance(30) {
                    return after;
                }
                let tile = self.spread(&old, e, count);
                self.store(&iota, &tile, count, &after)
            }
            _ => {
                let at = self.pointers("%p", &iota, count);
                let order = self.choose(&["relaxed device", "acquire sys", "acquire tl_blk", "weak"]);
                let (value, after) = self.access(&format!(
                    "load_ptr_tko {order} {at} token={token} : {ptr} -> {data}, token"
                ));
                self.store(&iota, &value, count, &after)
            }
        }
    }

    fn case(mut self, bytes: usize) -> Case {
        let blocks = self.choose(&[1, 1, 3]);
        let first = self.value("make_token : token");
        let steps = self.random.random_range(1..=4);
        if self.chance(30) {
            for (name, value) in [("%from", 0), ("%to", 2), ("%by", 1)] {
                let _ = writeln!(self.body, "    {name} = constant <i32: {value}> : tile<i32>");
            }
            let _ = writeln!(
                self.body,
                "    %end = for %turn in (%from to %to, step %by) : tile<i32> iter_values(%begin = {first}) -> (token) {{"
            );
            let mut token = "%begin".to_owned();
            for _ in 0..steps {
                token = self.step(&token, blocks == 1);
            }
            let _ = writeln!(self.body, "    continue {token} : token\n    }}");
        } else {
            let mut token = first;
            for _ in 0..steps {
                token = self.step(&token, blocks == 1);
            }
        }
        let warps = self.choose(&[1, 2, 4, 8]);
        let hints = format!("optimization_hints=<default = {{num_worker_warps_per_cta = {warps}}}>");
        let e = self.element;
        Case {
            text: format!(
                "cuda_tile.module @m {{\n  entry @k(%a: tile<ptr<{e}>>, %o: tile<ptr<{e}>>) {hints} {{\n    \
                 %p = assume div_by<16>, %a : tile<ptr<{e}>>\n{}    return\n  }}\n}}\n",
                self.body
            ),
            bytes,
            rows: self.rows,
            blocks,
        }
    }
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (element, bytes, modes) = TYPES[random.random_range(0..TYPES.len())];
        let generator = Generator {
            random,
            body: String::new(),
            element,
            modes,
            values: 0,
            rows: 0,
        };
        generator.case(bytes)
    }

    /// Zeros: what the elements are in every type, and the sums of floats stay small.
    fn arrays(&self) -> [Vec<u8>; 2] {
        [
            vec![0; ARRAY * self.bytes],
            vec![0xEE; self.rows * ROW * self.bytes],
        ]
    }

    fn evaluated(&self, kernel: &TileKernel) -> [Vec<u8>; 2] {
        let mut device = evaluator::Device::new(&kernel.module).expect("no globals");
        let buffers = self
            .arrays()
            .map(|data| device.allocate("array", evaluator::Init::Data(data)));
        let args = buffers.map(evaluator::Arg::Pointer);
        device
            .launch(&kernel.func, [self.blocks, 1, 1], &args)
            .unwrap_or_else(|problem| panic!("{problem:#?}\n{}", self.text));
        buffers.map(|buffer| device.read(buffer).to_vec())
    }

    fn simulated(&self, ptx: &str) -> [Vec<u8>; 2] {
        let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
        let mut device = simulator::Device::new();
        let buffers = self.arrays().map(|data| {
            let size = data.len();
            device.alloc("array", size, simulator::Init::Data(data))
        });
        let args = buffers.map(simulator::Arg::from);
        device
            .launch(&module, "k", [self.blocks, 1, 1], [1, 1, 1], 0, &args)
            .unwrap_or_else(|fault| panic!("{fault}\n{}\n{ptx}", self.text));
        buffers.map(|buffer| device.read(buffer).to_vec())
    }
}

#[test]
fn atomic_accesses_agree_with_the_simulator() {
    for seed in seeds(PROGRAMS) {
        let case = Case::new(seed);
        let mut compiler = Compiler::new();
        let source = compiler.add_source("program", case.text.as_bytes());
        let parsed = reading::parse(&compiler, source);
        assert!(
            parsed.diagnostics.is_empty(),
            "{}\n{:#?}",
            case.text,
            parsed.diagnostics
        );
        let kernel = parsed.kernels.first().expect("a kernel");
        let Stage::CudaTile(kernel) = kernel.body(&compiler).clone() else {
            panic!("no cuda_tile")
        };
        let want = case.evaluated(&kernel);
        for (opt_level, target) in [(0, "sm_90a"), (3, "sm_89")] {
            let options = compiler.options(Request {
                opt_level,
                target: tilewright_irs::ptx::Target::parse(target),
                ..Request::default()
            });
            let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
            let ptx = ptx.unwrap_or_else(|| panic!("{}\n{said:#?}", case.text));
            let found = case.simulated(&ptx);
            assert!(
                found == want,
                "seed {seed}, -O{opt_level} for {target}\n{}\n{ptx}",
                case.text
            );
        }
    }
}
