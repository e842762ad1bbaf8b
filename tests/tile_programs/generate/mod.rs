//! Generates typed programs that are defined for all inputs and whose results are the same bits in any order of
//! evaluation.
//!
//! Floats are of two kinds. *Exact* ones are multiples of a power of two within bounds that the generator knows, small
//! enough that sums and products of them are exact: only they are summed, multiplied as matrices and combined
//! atomically, and only they are reinterpreted as integers, since the bits of a NaN are unspecified. All others can be
//! anything; they take part in ops that round once, are compared bit for bit, and one NaN is like another.

mod control;
mod fold_bodies;
mod folds;
mod functions;
mod lanes;
mod loads;
mod numbers;
mod shapes;
mod stores;
mod views;

use std::fmt::Write;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::case::{Argument, Array, Case, Launch};
use super::numbers::{Fill, Ty};
use lanes::Lanes;

/// The extents of a tile.
type Shape = Vec<u32>;

const INTS: [Ty; 5] = [Ty::I1, Ty::I8, Ty::I16, Ty::I32, Ty::I64];
const FLOATS: [Ty; 4] = [Ty::F16, Ty::Bf16, Ty::F32, Ty::F64];
const SIGNS: [&str; 2] = ["signed", "unsigned"];
/// The elements that the ops of a tile block compute at most, iterations counted.
const WORK: u64 = 60_000;

fn count(shape: &[u32]) -> u32 {
    shape.iter().product()
}

/// A tile type.
fn tile(shape: &[u32], ty: &str) -> String {
    let extents: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tile<{extents}{ty}>")
}

/// Bounds of exact floats: multiples of `2^grid` up to `2^top` of either sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    grid: i32,
    top: i32,
}

impl Range {
    /// Whether a type has all numbers of the range: without rounding, overflow, or subnormal numbers.
    fn fits(self, ty: Ty) -> bool {
        let Some((exponent, mantissa)) = ty.float() else {
            return false;
        };
        let bias = (1 << (exponent.min(8) - 1)) - 1;
        let (_, mantissa) = (exponent, mantissa.cast_signed());
        self.top - self.grid <= mantissa && self.grid > 1 - bias && self.top < bias
    }

    fn union(self, other: Self) -> Self {
        Self {
            grid: self.grid.min(other.grid),
            top: self.top.max(other.top),
        }
    }

    fn sum(self, other: Self) -> Self {
        let both = self.union(other);
        Self {
            top: both.top + 1,
            ..both
        }
    }

    fn product(self, other: Self) -> Self {
        Self {
            grid: self.grid + other.grid,
            top: self.top + other.top,
        }
    }

    /// The range of the sum of this many.
    fn times(self, count: u32) -> Self {
        Self {
            top: self.top + count.next_power_of_two().ilog2().cast_signed(),
            ..self
        }
    }
}

/// A tile.
#[derive(Clone, Debug)]
struct Tile {
    name: String,
    shape: Shape,
    ty: Ty,
    /// The bounds of an exact float.
    range: Option<Range>,
}

impl Tile {
    fn text(&self) -> String {
        tile(&self.shape, self.ty.name())
    }
}

/// An input array.
#[derive(Clone, Debug)]
struct Input {
    /// The pointer, with what is assumed about it.
    pointer: String,
    /// Which argument it is.
    argument: usize,
    ty: Ty,
    range: Option<Range>,
}

/// A counted loop around the current position.
#[derive(Clone, Debug)]
struct Counter {
    name: String,
    ty: Ty,
}

struct Generator {
    random: ChaCha8Rng,
    body: String,
    names: u32,
    arguments: Vec<Argument>,
    inputs: Vec<Input>,
    tiles: Vec<Tile>,
    counters: Vec<Counter>,
    /// Those of loads, after which others may come.
    tokens: Vec<String>,
    /// How deep in regions the position is.
    depth: u32,
    /// The iterations of the loops around the position.
    turns: u64,
    work: u64,
    grid: [u32; 3],
    /// The number of elements that most tiles have.
    size: u32,
    /// Set if the blocks of a cluster could share the tiles.
    lanes: Option<Lanes>,
}

/// What can be used at a position, as lengths of lists.
struct Scope {
    tiles: usize,
    counters: usize,
    tokens: usize,
}

/// The program of a seed; its entries are named `k`, or begin with `prefix`.
pub(crate) fn case(seed: u64, prefix: &str) -> Case {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let size = *[1u32, 8, 32, 64, 64, 128, 128, 256, 256, 512, 1024]
        .choose(&mut random)
        .expect("sizes");
    let lanes = (seed % 5 < 2).then(|| Lanes::random(&mut random));
    let size = lanes.as_ref().map_or(size, |lanes| count(&lanes.shape));
    let mut generator = Generator {
        random,
        body: String::new(),
        names: 0,
        arguments: Vec::new(),
        inputs: Vec::new(),
        tiles: Vec::new(),
        counters: Vec::new(),
        tokens: Vec::new(),
        depth: 0,
        turns: 1,
        work: 0,
        grid: [1; 3],
        size,
        lanes,
    };
    for _ in 0..generator.random.random_range(2..=4) {
        generator.input();
    }
    let entries = if generator.chance(8) { 2 } else { 1 };
    let mut made = Vec::new();
    for at in 0..entries {
        let (hints, grid) = generator.entry();
        let name = match at {
            0 => prefix.to_owned(),
            _ => format!("{prefix}_{at}"),
        };
        made.push((name, hints, grid, std::mem::take(&mut generator.body)));
    }
    let params: Vec<String> = (0..)
        .zip(&generator.arguments)
        .map(|(at, argument)| match argument {
            Argument::Array(array) => format!("%p{at}: tile<ptr<{}>>", array.ty.name()),
            Argument::Number { ty, .. } => format!("%p{at}: tile<{}>", ty.name()),
        })
        .collect();
    let mut text = "cuda_tile.module @m {\n".to_owned();
    for (name, hints, _, body) in &made {
        let _ = write!(
            text,
            "entry @{name}({}){hints} {{\n{body}return\n}}\n",
            params.join(", ")
        );
    }
    text.push_str("}\n");
    Case {
        arguments: generator.arguments,
        launches: made
            .into_iter()
            .map(|(entry, _, grid, _)| Launch { entry, grid })
            .collect(),
        text,
    }
}

impl Generator {
    fn choose<T: Clone>(&mut self, among: &[T]) -> T {
        among.choose(&mut self.random).expect("a choice").clone()
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn below(&mut self, end: u32) -> u32 {
        self.random.random_range(0..end)
    }

    fn line(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%{}", self.names)
    }

    /// Appends an op with one result that is not a tile of the pool.
    fn let_be(&mut self, op: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {op}"));
        name
    }

    /// Appends an op and returns its result, which is not in the pool yet.
    fn made(&mut self, shape: &[u32], ty: Ty, range: Option<Range>, op: &str) -> Tile {
        let name = self.let_be(op);
        self.work += u64::from(count(shape)) * self.turns;
        Tile {
            name,
            shape: shape.to_vec(),
            ty,
            range,
        }
    }

    /// Appends an op whose result later ops can use.
    fn define(&mut self, shape: &[u32], ty: Ty, range: Option<Range>, op: &str) -> Tile {
        let tile = self.made(shape, ty, range, op);
        self.tiles.push(tile.clone());
        tile
    }

    /// A new number among the arguments.
    fn number(&mut self, ty: Ty, value: i64) -> String {
        self.arguments.push(Argument::Number { ty, value });
        format!("%p{}", self.arguments.len() - 1)
    }

    /// A scalar integer: a constant, or an argument whose value the compiler does not know.
    fn scalar(&mut self, ty: Ty, value: i64) -> String {
        if self.chance(40) {
            self.number(ty, value)
        } else {
            self.let_be(&format!("constant <{0}: {value}> : tile<{0}>", ty.name()))
        }
    }

    /// A constant tile of equal integers.
    fn splat(&mut self, shape: &[u32], ty: Ty, value: i64) -> String {
        let to = tile(shape, ty.name());
        self.let_be(&format!("constant <{}: {value}> : {to}", ty.name()))
    }

    /// An array that is only read, and what is known about its address.
    fn input(&mut self) {
        let ty = self.choose(&[
            Ty::I8,
            Ty::I16,
            Ty::I32,
            Ty::I32,
            Ty::I64,
            Ty::F16,
            Ty::F16,
            Ty::Bf16,
            Ty::F32,
            Ty::F32,
            Ty::F64,
            Ty::E4m3,
            Ty::E5m2,
        ]);
        let fill = if !ty.is_float() {
            let bits = self.choose(&[1, 3, 6]);
            self.choose(&[Fill::Bits, Fill::Exact { grid: 0, bits }])
        } else if self.chance(60) {
            let (grid, bits) = match ty {
                Ty::E4m3 | Ty::E5m2 => self.choose(&[(0, 1), (-1, 2)]),
                _ => self.choose(&[(0, 1), (0, 2), (-1, 2), (-2, 3), (0, 4)]),
            };
            Fill::Exact { grid, bits }
        } else {
            Fill::Near
        };
        let range = match fill {
            Fill::Exact { grid, bits } if ty.is_float() => Some(Range {
                grid,
                top: grid + bits.cast_signed(),
            }),
            Fill::Exact { .. } | Fill::Bits | Fill::Near | Fill::Zero => None,
        };
        let vector = 16 / ty.bytes();
        let from = match self.is_even() {
            true => self.choose(&[0, vector, 4 * vector]),
            false => self.choose(&[0, 0, vector, 4 * vector, 1, 3]),
        };
        let seed = self.random.random::<u32>().into();
        let argument = self.arguments.len();
        self.arguments.push(Argument::Array(Array {
            ty,
            count: from + 1,
            from,
            fill,
            seed,
        }));
        self.inputs.push(Input {
            pointer: format!("%p{argument}"),
            argument,
            ty,
            range,
        });
    }

    /// Makes an array at least this long after the element that the argument points to.
    fn extend(&mut self, argument: usize, count: usize) {
        if let Some(Argument::Array(array)) = self.arguments.get_mut(argument) {
            array.count = array.count.max(array.from + count);
        }
    }

    /// The hints of an entry, and its grid.
    fn hints(&mut self) -> String {
        let mut hints = Vec::new();
        if self.chance(60) {
            let warps = self.choose(&[1, 2, 4, 8]);
            hints.push(format!("num_worker_warps_per_cta = {warps}"));
        }
        if self.chance(20) {
            let blocks = self.choose(&[1, 2, 4]);
            hints.push(format!("occupancy = {blocks}"));
        }
        match hints.is_empty() {
            true => String::new(),
            false => format!(" optimization_hints=<default = {{{}}}>", hints.join(", ")),
        }
    }

    /// Generates an entry; returns its hints and grid.
    fn entry(&mut self) -> (String, [u32; 3]) {
        self.leave(&Scope {
            tiles: 0,
            counters: 0,
            tokens: 0,
        });
        (self.depth, self.turns, self.work) = (0, 1, 0);
        let (xs, ys) = match &self.lanes {
            Some(lanes) if lanes.multiplies => ([1, 1, 1, 2], [1; 4]),
            _ => ([1, 1, 2, 3], [1, 1, 1, 2]),
        };
        let x = self.choose(&xs);
        self.grid = [x, self.choose(&ys), 1];
        let hints = self.hints();
        self.line("%bx, %by, %bz = get_tile_block_id : tile<i32>");
        self.line("%i0 = constant <i32: 0> : tile<i32>");
        self.line("%i1 = constant <i32: 1> : tile<i32>");
        self.line(&format!("%iw = constant <i32: {x}> : tile<i32>"));
        self.line("%row = muli %by, %iw : tile<i32>");
        self.line("%block = addi %row, %bx : tile<i32>");
        let mut inputs = std::mem::take(&mut self.inputs);
        for input in &mut inputs {
            let Some(Argument::Array(array)) = self.arguments.get(input.argument) else {
                continue;
            };
            let (offset, ty) = (array.offset(), array.ty.name());
            input.pointer = format!("%p{}", input.argument);
            if offset.is_multiple_of(16) && (self.is_even() || self.chance(70)) {
                input.pointer =
                    self.let_be(&format!("assume div_by<16>, {} : tile<ptr<{ty}>>", input.pointer));
            }
        }
        self.inputs = inputs;
        self.load();
        self.load();
        if self.lanes.as_ref().is_some_and(|lanes| lanes.multiplies) {
            self.sum_of_products();
        }
        let ops = self.choose(&[2, 4, 8, 12, 16, 24]);
        for _ in 0..ops {
            self.op();
        }
        self.keep();
        (hints, self.grid)
    }

    /// Generates ops of a family, unless the program computes enough already.
    fn op(&mut self) {
        if self.work > WORK {
            return;
        }
        match self.below(100) {
            0..14 => self.load(),
            14..34 => self.integers(),
            34..48 => self.floats(),
            48..50 => self.functions(),
            50..58 => self.conversions(),
            58..64 => self.comparisons(),
            64..74 => self.shapes(),
            74..81 => self.folds(),
            81..86 => self.products(),
            86..89 => self.atomics(),
            89..91 => self.scratch(),
            _ => self.control(),
        }
    }

    fn enter(&self) -> Scope {
        Scope {
            tiles: self.tiles.len(),
            counters: self.counters.len(),
            tokens: self.tokens.len(),
        }
    }

    fn leave(&mut self, scope: &Scope) {
        self.tiles.truncate(scope.tiles);
        self.counters.truncate(scope.counters);
        self.tokens.truncate(scope.tokens);
    }

    fn block_count(&self) -> u32 {
        count(&self.grid)
    }
}
