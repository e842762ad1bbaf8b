//! Accesses of replicated memory through multicast addresses.
//!
//! A program is a chain of loads, reductions and stores, ordered by tokens, sometimes of several blocks with tiles of their
//! own. Arrays have rows or columns that are contiguous, at even and odd offsets, with static and dynamic sizes; tiles
//! lie inside of them, across their ends and outside. What is loaded is stored to memory that is not replicated.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_evaluator as evaluator;
use tilewright_simulator as simulator;

use super::seeds;

const PROGRAMS: u64 = 120;
/// The most loads of a program.
const ROWS: usize = 4;

/// The numbers from -2 to 5 as `f16`.
const HALVES: [u16; 8] = [0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500];

const INTEGERS: &[&str] = &["add", "and", "or", "xor", "max", "min", "umax", "umin"];

/// The element types, with their bytes, the operations of a load, and those of a reduction.
const TYPES: [(&str, usize, &[&str], &[&str]); 6] = [
    ("i32", 4, INTEGERS, INTEGERS),
    ("i64", 8, INTEGERS, INTEGERS),
    ("f16", 2, &["add", "min", "max"], &["add"]),
    ("bf16", 2, &["add", "min", "max"], &["add"]),
    ("f32", 4, &["add"], &["add"]),
    ("f64", 8, &["add"], &["add"]),
];

struct Generator {
    random: ChaCha8Rng,
    body: String,
    element: &'static str,
    bytes: usize,
    loads: &'static [&'static str],
    reductions: &'static [&'static str],
    /// The extents of the tiles.
    tile: [usize; 2],
    /// The extents of the array, and its strides.
    extents: [usize; 2],
    strides: [usize; 2],
    /// The place of the array's first element.
    first: usize,
    /// Whether tiles lie across the array.
    turned: bool,
    blocks: u32,
    values: u32,
    rows: usize,
}

struct Case {
    text: String,
    /// The elements of a replica, and of what is stored elsewhere.
    sizes: [usize; 2],
    bytes: usize,
    replicas: usize,
    blocks: u32,
    element: &'static str,
}

impl Generator {
    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.random.random_range(0..among.len())]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    /// Appends an op and returns its result.
    fn value(&mut self, op: &str) -> String {
        self.values += 1;
        let name = format!("%v{}", self.values);
        let _ = writeln!(self.body, "    {name} = {op}");
        name
    }

    fn number(&mut self, number: usize) -> String {
        self.value(&format!("constant <i32: {number}> : tile<i32>"))
    }

    /// Sizes in a type, and of an op, where some are dynamic.
    fn sizes(&mut self, sizes: [usize; 2]) -> ([String; 2], [String; 2], usize) {
        let mut open = 0;
        let both = sizes.map(|size| {
            if self.chance(30) {
                open += 1;
                (
                    "?".to_owned(),
                    self.value(&format!("constant <i32: {size}> : tile<i32>")),
                )
            } else {
                (size.to_string(), size.to_string())
            }
        });
        let [a, b] = both;
        ([a.0, b.0], [a.1, b.1], open)
    }

    /// A view of the array, its type, and the index of a tile in it.
    fn view(&mut self) -> (String, String, String, String) {
        let e = self.element;
        let pointer = format!("tile<ptr<{e}, <multicast>>>");
        let mut base = "%p".to_owned();
        if self.first > 0 {
            let first = self.number(self.first);
            base = self.value(&format!("offset %p, {first} : {pointer}, tile<i32> -> {pointer}"));
        } else if self.chance(70) {
            base = self.value(&format!("assume #cuda_tile.div_by<16>, %p : {pointer}"));
        }
        let (extents, shape, open) = self.sizes(self.extents);
        let (steps, strides, more) = self.sizes(self.strides);
        let tensor = format!(
            "tensor_view<{}x{}x{e}, strides=[{},{}], #cuda_tile.ptr_attr<multicast>>",
            extents[0], extents[1], steps[0], steps[1]
        );
        let operands = if open + more > 0 { "tile<i32> -> " } else { "" };
        let made = self.value(&format!(
            "make_tensor_view {base}, shape = [{}, {}], strides = [{}, {}] : {operands}{tensor}",
            shape[0], shape[1], strides[0], strides[1]
        ));
        let padding = match e {
            "i32" | "i64" => "zero",
            _ => self.choose(&["zero", "neg_zero", "pos_inf", "neg_inf"]),
        };
        let turned = self.turned;
        let [rows, columns] = self.tile;
        let map = if turned { ", dim_map=[1, 0]" } else { "" };
        let ty = format!("partition_view<tile=({rows}x{columns}), padding_value = {padding}, {tensor}{map}>");
        let view = self.value(&format!("make_partition_view {made} : {ty}"));
        // Blocks have tiles of their own along the first axis of tiles.
        let column = self.random.random_range(0..3usize);
        let along = |axis: usize| self.extents[if turned { 1 - axis } else { axis }];
        let inside = [
            self.blocks as usize * rows <= along(0),
            (column + 1) * columns <= along(1),
        ];
        let promises = inside.map(|inside| inside && self.chance(30));
        let column = self.number(column);
        let promises = match promises {
            [false, false] => String::new(),
            [a, b] => format!(" inbounds = [{a}, {b}]"),
        };
        (view, ty, format!("[%block, {column}]"), promises)
    }

    /// A step of the chain; returns its token.
    fn step(&mut self, token: &str) -> String {
        let (view, ty, index, promises) = self.view();
        let (e, [rows, columns]) = (self.element, self.tile);
        let data = format!("tile<{rows}x{columns}x{e}>");
        self.values += 1;
        let after = format!("%t{}", self.values);
        let kind = |kind: &str| {
            if kind == "add" {
                return String::new();
            }
            format!(" attributes {{reduction = #cuda_tile.multimem_reduction_kind<{kind}>}}")
        };
        match self.random.random_range(0..4) {
            0 => {
                let order = self.choose(&["weak", "relaxed device", "release sys"]);
                let _ = writeln!(
                    self.body,
                    "    {after} = multimem_store_view_tko {order} {view}, %data{index} token = {token}{promises} : {ty}, {data}, tile<i32>, token -> token"
                );
                after
            }
            1 => {
                let order = self.choose(&["relaxed device", "relaxed tl_blk", "release sys"]);
                let reduction = kind(self.choose(self.reductions));
                let _ = writeln!(
                    self.body,
                    "    {after} = multimem_reduce_view_tko {order} {view}, %data{index} token = {token}{promises}{reduction} : {ty}, {data}, tile<i32>, token -> token"
                );
                after
            }
            _ if self.rows == ROWS => token.to_owned(),
            _ => {
                let order = self.choose(&["weak", "relaxed device", "acquire sys"]);
                let reduction = kind(self.choose(self.loads));
                self.values += 1;
                let loaded = format!("%v{}", self.values);
                let _ = writeln!(
                    self.body,
                    "    {loaded}, {after} = multimem_load_reduce_view_tko {order} {view}{index} token = {token}{promises}{reduction} : {ty}, tile<i32>, token -> {data}, token"
                );
                // The place in the other array: the row of the load, then the block.
                let first = self.number(self.rows * self.blocks as usize);
                let row = self.value(&format!("addi {first}, %block : tile<i32>"));
                self.rows += 1;
                let out = self.out();
                let _ = writeln!(
                    self.body,
                    "    %s{} = store_view_tko weak {loaded}, %out[{row}, %zero] : {data}, {out}, tile<i32> -> token",
                    self.rows
                );
                after
            }
        }
    }

    /// The view of what is stored elsewhere: a tile for each load and block.
    fn out(&self) -> String {
        let (e, [rows, columns]) = (self.element, self.tile);
        let all = self.blocks as usize * rows;
        format!(
            "partition_view<tile=({rows}x{columns}), tensor_view<{}x{columns}x{e}, strides=[{columns},1]>>",
            ROWS * all
        )
    }

    fn case(mut self) -> Case {
        let (e, [rows, columns]) = (self.element, self.tile);
        let count = rows * columns;
        let data = format!("tile<{rows}x{columns}x{e}>");
        let out = self.out();
        let all = ROWS * self.blocks as usize * rows;
        let tensor = format!("tensor_view<{all}x{columns}x{e}, strides=[{columns},1]>");
        let convert = match e {
            "i32" => "addi %few, %few : ".to_owned() + &data,
            "i64" => format!("exti %few signed : tile<{rows}x{columns}xi32> -> {data}"),
            _ => format!("itof %few signed : tile<{rows}x{columns}xi32> -> {data}"),
        };
        let _ = write!(
            self.body,
            "    %zero = constant <i32: 0> : tile<i32>
    %block, %by, %bz = get_tile_block_id : tile<i32>
    %iota = iota : tile<{count}xi32>
    %seven = constant <i32: 7> : tile<{count}xi32>
    %small = andi %iota, %seven : tile<{count}xi32>
    %three = constant <i32: 3> : tile<{count}xi32>
    %low = subi %small, %three : tile<{count}xi32>
    %few = reshape %low : tile<{count}xi32> -> tile<{rows}x{columns}xi32>
    %data = {convert}
    %outside = make_tensor_view %o, shape = [{all}, {columns}], strides = [{columns}, 1] : {tensor}
    %out = make_partition_view %outside : {out}
"
        );
        let mut token = self.value("make_token : token");
        for _ in 0..self.random.random_range(1..=4) {
            token = self.step(&token);
        }
        let (blocks, text) = (self.blocks, self.body.clone());
        let warps = self.choose(&[1, 2, 4]);
        let hints = format!("optimization_hints=<default = {{num_worker_warps_per_cta = {warps}}}>");
        let last = |axis: usize| (self.extents[axis] - 1) * self.strides[axis];
        let elements = self.first + last(0) + last(1) + 1;
        Case {
            text: format!(
                "cuda_tile.module @m {{\n  entry @k(%p: tile<ptr<{e}, <multicast>>>, %o: tile<ptr<{e}>>) {hints} {{\n{text}    return\n  }}\n}}\n"
            ),
            // Replicas consist of whole words.
            sizes: [elements.next_multiple_of(16), ROWS * blocks as usize * count],
            bytes: self.bytes,
            replicas: self.choose(&[1, 2, 3]),
            blocks,
            element: e,
        }
    }
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (element, bytes, loads, reductions) = TYPES[random.random_range(0..TYPES.len())];
        let mut pick = |among: &[usize]| among[random.random_range(0..among.len())];
        let tile = [pick(&[1, 4, 16]), pick(&[2, 8, 64])];
        let extents = [pick(&[3, 8, 17, 32]), pick(&[5, 8, 64, 96])];
        let gap = pick(&[0, 0, 1, 8]);
        let strides = match pick(&[0, 0, 1]) {
            0 => [extents[1] + gap, 1],
            _ => [1, extents[0] + gap],
        };
        let first = pick(&[0, 0, 1, 2]);
        let turned = pick(&[0, 0, 1]) == 1;
        let blocks = u32::try_from(pick(&[1, 1, 2])).expect("few");
        let generator = Generator {
            random,
            body: String::new(),
            element,
            bytes,
            loads,
            reductions,
            tile,
            extents,
            strides,
            first,
            turned,
            blocks,
            values: 0,
            rows: 0,
        };
        generator.case()
    }

    /// Small numbers in the replicas, and bytes that show what is not stored.
    fn arrays(&self) -> [Vec<u8>; 2] {
        let count = self.sizes[0] * self.replicas;
        let numbers = (0..count).map(|i| (i * 5 + i / 7) % 8);
        let one = |number: usize| -> Vec<u8> {
            let float = number as f32 - 2.0;
            match self.element {
                "f16" => HALVES[number].to_le_bytes().to_vec(),
                // The upper half of an f32.
                "bf16" => float.to_le_bytes()[2..].to_vec(),
                "f32" => float.to_le_bytes().to_vec(),
                "f64" => f64::from(float).to_le_bytes().to_vec(),
                "i32" => (number as i32 - 2).to_le_bytes().to_vec(),
                _ => (number as i64 - 2).to_le_bytes().to_vec(),
            }
        };
        [
            numbers.flat_map(one).collect(),
            vec![0xEE; self.sizes[1] * self.bytes],
        ]
    }

    fn evaluated(&self, kernel: &TileKernel) -> [Vec<u8>; 2] {
        let mut device = evaluator::Device::new(&kernel.module).expect("no globals");
        let buffers = self
            .arrays()
            .map(|data| device.allocate("array", evaluator::Init::Data(data)));
        device.replicate(buffers[0], self.replicas).expect("equal parts");
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
        assert!(device.replicate(buffers[0], self.replicas as u64), "equal parts");
        let args = buffers.map(simulator::Arg::from);
        device
            .launch(&module, "k", [self.blocks, 1, 1], [1, 1, 1], 0, &args)
            .unwrap_or_else(|fault| panic!("{fault}\n{}\n{ptx}", self.text));
        buffers.map(|buffer| device.read(buffer).to_vec())
    }
}

#[test]
fn accesses_of_replicas_agree_with_the_simulator() {
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
        for opt_level in [0, 3] {
            let options = compiler.options(Request {
                opt_level,
                target: tilewright_irs::ptx::Target::parse("sm_100a"),
                ..Request::default()
            });
            let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
            let ptx = ptx.unwrap_or_else(|| panic!("{}\n{said:#?}", case.text));
            let found = case.simulated(&ptx);
            for (array, (found, want)) in found.iter().zip(&want).enumerate() {
                let differs = found.iter().zip(want).position(|(found, want)| found != want);
                assert!(
                    differs.is_none(),
                    "seed {seed}, -O{opt_level}, {} replicas: byte {differs:?} of array {array}\n{}\n{ptx}",
                    case.replicas,
                    case.text
                );
            }
        }
    }
}
