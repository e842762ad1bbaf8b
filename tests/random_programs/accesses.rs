//! An access through a view to a tile partly or wholly outside of its tensor.
//!
//! The array is larger than the tensor, so that stores outside of the tensor are detected.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::{Code, FileId};
use tilewright_evaluator as evaluator;
use tilewright_simulator as simulator;

use super::{programs, seeds};

const PROGRAMS: u64 = 150;
/// The number of elements of the array that contains the tensor.
const ARRAY: usize = 4096;

/// A numeric parameter of a kernel.
struct Number {
    name: String,
    wide: bool,
    value: i64,
}

/// A kernel that loads one tile through a view, stores one or combines one with memory atomically, and its launch parameters.
struct Case {
    text: String,
    numbers: Vec<Number>,
    blocks: u32,
    /// The number of elements that the kernel stores to its second array.
    results: usize,
}

struct Generator {
    random: ChaCha8Rng,
    body: String,
    numbers: Vec<Number>,
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

    /// A new parameter.
    fn number(&mut self, name: String, wide: bool, value: i64) -> String {
        self.numbers.push(Number {
            name: name.clone(),
            wide,
            value,
        });
        name
    }

    /// Picks an index near the tiles of an axis, beyond them, or far away.
    fn place(&mut self, tiles: i64, wide: bool) -> i64 {
        let near = self.random.random_range(-2..tiles + 3);
        let far = if wide {
            // Multiplied by a tile's extent, these wrap to near 0 or to the end of the 64-bit range.
            self.choose(&[
                i64::MIN,
                i64::MAX,
                1 << 60,
                1 << 61,
                1 << 62,
                (1 << 62) + 1,
                1 << 32,
            ])
        } else {
            self.choose(&[
                i64::from(i32::MIN),
                i64::from(i32::MAX),
                1 << 28,
                1 << 30,
                1 << 29,
            ])
        };
        match self.random.random_range(0..10) {
            0..=3 => self.random.random_range(0..tiles.max(1)),
            4..=7 => near,
            8 => tiles,
            _ => far,
        }
    }

    /// Generates the index along an axis with this many tiles.
    fn index(&mut self, axis: usize, tiles: i64, wide: bool, block: Option<&str>) -> String {
        if let Some(block) = block {
            return block.to_owned();
        }
        let ty = if wide { "i64" } else { "i32" };
        let value = self.place(tiles, wide);
        let name = format!("%i{axis}");
        match self.random.random_range(0..4) {
            0 => {
                self.line(&format!("{name} = constant <{ty}: {value}> : tile<{ty}>"));
                name
            }
            1 => {
                // An index with bounds.
                let argument = self.number(format!("%j{axis}"), wide, value);
                let most = self.choose(&[0, 1, 3, 7]);
                self.line(&format!("%m{axis} = constant <{ty}: {most}> : tile<{ty}>"));
                self.line(&format!("{name} = andi {argument}, %m{axis} : tile<{ty}>"));
                name
            }
            _ => self.number(name, wide, value),
        }
    }

    fn case(mut self) -> Case {
        let rank = self.random.random_range(1..=3usize);
        // The extents of the tile and of the tensor: an axis of the tile runs along `dim_map` of the tensor.
        let tile: Vec<i64> = (0..rank)
            .map(|_| self.choose(&[[1, 4, 16, 32], [1, 2, 4, 8], [1, 2, 4, 4]][rank - 1]))
            .collect();
        let mut dim_map: Vec<usize> = (0..rank).collect();
        if self.chance(40) {
            for i in (1..rank).rev() {
                let j = self.random.random_range(0..=i);
                dim_map.swap(i, j);
            }
        }
        let wide_extents = self.chance(25);
        let mut extents = vec![0i64; rank];
        let mut statics = vec![false; rank];
        for (axis, &dim) in dim_map.iter().enumerate() {
            let most = [40, 12, 6][rank - 1];
            extents[dim] = if self.chance(60) {
                // Whole tiles.
                tile[axis] * self.random.random_range(1..=(most / tile[axis]).clamp(1, 3))
            } else {
                self.random.random_range(1..=most)
            };
            statics[dim] = self.chance(40);
        }
        // Rows with gaps, in any order of the axes.
        let mut order: Vec<usize> = (0..rank).collect();
        if self.chance(30) {
            order.reverse();
        }
        let mut strides = vec![0i64; rank];
        let mut stride = 1;
        for &dim in order.iter().rev() {
            strides[dim] = stride;
            stride *= extents[dim] + self.choose(&[0, 0, 1, 4]);
        }
        let extent_type = if wide_extents { "i64" } else { "i32" };
        let mut shape = Vec::new();
        let mut open = 0;
        for dim in 0..rank {
            if statics[dim] {
                shape.push(extents[dim].to_string());
                continue;
            }
            open += 1;
            let mut name = self.number(format!("%n{dim}"), wide_extents, extents[dim]);
            if self.chance(50) {
                self.line(&format!(
                    "%b{dim} = assume bounded<0, ?>, {name} : tile<{extent_type}>"
                ));
                name = format!("%b{dim}");
            }
            let divisor = 1 << extents[dim].trailing_zeros();
            if divisor > 1 && self.chance(70) {
                self.line(&format!(
                    "%d{dim} = assume div_by<{divisor}>, {name} : tile<{extent_type}>"
                ));
                name = format!("%d{dim}");
            }
            shape.push(name);
        }
        let join = |items: &[String], with: &str| items.join(with);
        let numbers =
            |items: &[i64], with: &str| items.iter().map(i64::to_string).collect::<Vec<_>>().join(with);
        let known: Vec<String> = (0..rank)
            .map(|dim| {
                if statics[dim] {
                    extents[dim].to_string()
                } else {
                    "?".to_owned()
                }
            })
            .collect();
        let tensor = format!(
            "tensor_view<{}xi32, strides=[{}]>",
            join(&known, "x"),
            numbers(&strides, ",")
        );
        let given = if open > 0 {
            format!("tile<{extent_type}> -> ")
        } else {
            String::new()
        };
        self.line(&format!(
            "%t = make_tensor_view %p, shape = [{}], strides = [{}] : {given}{tensor}",
            join(&shape, ", "),
            numbers(&strides, ", ")
        ));

        let store = self.chance(60);
        let steps: Vec<i64> = if self.chance(30) {
            // Including overlapping tiles.
            tile.iter()
                .map(|&tile| (tile + self.choose(&[-1, 1, 3, 0])).max(1))
                .collect()
        } else {
            tile.clone()
        };
        let padding = if store { "" } else { ", padding_value = zero" };
        let map = if dim_map.is_sorted() {
            String::new()
        } else {
            let map: Vec<String> = dim_map.iter().map(usize::to_string).collect();
            format!(", dim_map=[{}]", join(&map, ", "))
        };
        let (kind, traversal) = if steps == tile {
            ("partition_view", String::new())
        } else {
            (
                "strided_view",
                format!(", traversal_strides=[{}]", numbers(&steps, ",")),
            )
        };
        let view = format!(
            "{kind}<tile=({}){traversal}{padding}, {tensor}{map}>",
            numbers(&tile, "x")
        );
        self.line(&format!("%v = make_{kind} %t : {view}"));

        // The grid bounds one index: tiles of different blocks must not overlap.
        let apart = (0..rank).find(|&axis| steps[axis] >= tile[axis]);
        let by_block = apart.filter(|_| self.chance(40));
        let blocks = match by_block {
            Some(_) => self.random.random_range(1..=4u32),
            None => 1,
        };
        self.line("%x, %y, %z = get_tile_block_id : tile<i32>");
        let wide = by_block.is_none() && self.chance(35);
        let mut index = Vec::new();
        for (axis, &dim) in dim_map.iter().enumerate() {
            let tiles = (extents[dim] + steps[axis] - 1) / steps[axis];
            let block = (by_block == Some(axis)).then_some("%x");
            index.push(self.index(axis, tiles, wide, block));
        }
        let index = join(&index, ", ");
        let index_type = if wide { "tile<i64>" } else { "tile<i32>" };
        let tile_type = format!("tile<{}xi32>", numbers(&tile, "x"));
        let count: i64 = tile.iter().product();
        let flat = format!("tile<{count}xi32>");
        let mut results = 0;
        if store {
            self.line(&format!("%c0 = iota : {flat}"));
            self.line(&format!("%c1 = constant <i32: 1000> : {flat}"));
            self.line(&format!("%c2 = addi %c0, %c1 : {flat}"));
            self.line(&format!("%c = reshape %c2 : {flat} -> {tile_type}"));
            if self.chance(40) {
                let mode = self.choose(&["add", "and", "or", "xor", "max", "min", "umax", "umin"]);
                let scope = self.choose(&["tl_blk", "device"]);
                self.line(&format!(
                    "%k = atomic_red_view_tko relaxed {scope} %v[{index}], {mode}, %c : {tile_type}, {view}, {index_type} -> token"
                ));
            } else {
                self.line(&format!(
                    "%k = store_view_tko weak %c, %v[{index}] : {tile_type}, {view}, {index_type} -> token"
                ));
            }
        } else {
            results = usize::try_from(count * i64::from(blocks)).expect("positive");
            self.line(&format!(
                "%c, %k = load_view_tko weak %v[{index}] : {view}, {index_type} -> {tile_type}, token"
            ));
            self.line(&format!("%f = reshape %c : {tile_type} -> {flat}"));
            let out = format!("tensor_view<{results}xi32, strides=[1]>");
            let parts = format!("partition_view<tile=({count}), {out}>");
            self.line(&format!(
                "%ot = make_tensor_view %o, shape = [{results}], strides = [1] : {out}"
            ));
            self.line(&format!("%ov = make_partition_view %ot : {parts}"));
            self.line(&format!(
                "%ok = store_view_tko weak %f, %ov[%x] : {flat}, {parts}, tile<i32> -> token"
            ));
        }
        let mut params = "%p: tile<ptr<i32>>, %o: tile<ptr<i32>>".to_owned();
        for number in &self.numbers {
            let ty = if number.wide { "i64" } else { "i32" };
            let _ = write!(params, ", {}: tile<{ty}>", number.name);
        }
        Case {
            text: format!(
                "cuda_tile.module @m {{\n  entry @k({params}) {{\n{}    return\n  }}\n}}\n",
                self.body
            ),
            numbers: self.numbers,
            blocks,
            results,
        }
    }
}

/// The initial contents of the array.
fn contents() -> Vec<u8> {
    (0..ARRAY)
        .flat_map(|at| (i32::try_from(at).expect("small") * 7).to_le_bytes())
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

    /// The offset of the tensor: in the middle of the array, so that accesses before it are detected as well.
    const START: u64 = ARRAY as u64 * 2;

    /// The contents of the two arrays after evaluation, and whether an index was outside of its view.
    fn evaluated(&self, kernel: &TileKernel) -> ([Vec<u8>; 2], bool) {
        let mut device = evaluator::Device::new(&kernel.module).expect("no globals");
        let array = device.allocate("array", evaluator::Init::Data(contents()));
        let results = device.allocate("results", evaluator::Init::Data(vec![0xEE; self.results * 4]));
        let base = device.address(array).expect("a buffer") + Self::START;
        let mut args = vec![evaluator::Arg::Scalar(base), evaluator::Arg::Pointer(results)];
        for number in &self.numbers {
            args.push(evaluator::Arg::Scalar(number.value.cast_unsigned()));
        }
        device
            .launch(&kernel.func, [self.blocks, 1, 1], &args)
            .unwrap_or_else(|problem| panic!("{problem:#?}\n{self}"));
        for warning in device.warnings() {
            assert_eq!(warning.code, Code::OutsideOfView, "{self}");
        }
        let outside = !device.warnings().is_empty();
        (
            [array, results].map(|buffer| device.read(buffer).to_vec()),
            outside,
        )
    }

    /// The contents of the two arrays after running the compiled kernel.
    fn simulated(&self, ptx: &str) -> [Vec<u8>; 2] {
        let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
        let mut device = simulator::Device::new();
        let array = device.alloc("array", ARRAY * 4, simulator::Init::Data(contents()));
        let results = vec![0xEE; self.results * 4];
        let results = device.alloc("results", self.results * 4, simulator::Init::Data(results));
        let base = device.address(array) + Self::START;
        let mut args = vec![simulator::Arg::from(base), results.into()];
        for number in &self.numbers {
            let bytes = number.value.to_le_bytes();
            let bytes = if number.wide { &bytes[..] } else { &bytes[..4] };
            args.push(simulator::Arg::Scalar(bytes.to_vec()));
        }
        device
            .launch(&module, "k", [self.blocks, 1, 1], [1, 1, 1], 0, &args)
            .unwrap_or_else(|fault| panic!("{fault}\n{self}\n{ptx}"));
        [array, results].map(|buffer| device.read(buffer).to_vec())
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)?;
        for number in &self.numbers {
            write!(f, "{} = {}, ", number.name, number.value)?;
        }
        write!(f, "{} blocks", self.blocks)
    }
}

#[test]
fn accesses_outside_of_views_agree_with_the_simulator() {
    let (mut outside, count) = (0, programs(PROGRAMS));
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
        let (want, out) = case.evaluated(&kernel);
        outside += u64::from(out);
        for opt_level in [0, 3] {
            let options = compiler.options(Request {
                opt_level,
                ..Request::default()
            });
            let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
            let ptx = ptx.unwrap_or_else(|| panic!("{case}\n{said:#?}"));
            let found = case.simulated(&ptx);
            assert!(found == want, "seed {seed}, -O{opt_level}\n{case}\n{ptx}");
        }
    }
    assert!(
        outside * 3 > count,
        "an index of {outside} of {count} programs is outside"
    );
}
