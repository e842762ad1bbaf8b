//! Random programs with ops of every family, defined for all inputs: undefined cases are masked, and unspecified
//! values are replaced.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{control, memory, numbers, tiles};

/// The number of elements of every tile, except for intermediate ones.
pub(super) const ELEMENTS: u64 = 64;
/// The number of blocks of a program.
pub(super) const BLOCKS: u64 = 3;
/// The number of bytes of a result in the output, for all blocks together.
pub(super) const SLOT: u64 = BLOCKS * ELEMENTS * 8;
/// The number of results that are stored.
pub(super) const RESULTS: usize = 12;
/// The shapes of tiles.
const SHAPES: [&[u64]; 3] = [&[64], &[8, 8], &[4, 16]];

pub(super) const INTS: [&str; 5] = ["i1", "i8", "i16", "i32", "i64"];
pub(super) const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

/// The bits of a type.
pub(super) fn bits(ty: &str) -> u32 {
    match ty {
        "i1" => 1,
        "i8" => 8,
        "i16" | "f16" | "bf16" => 16,
        "i32" | "f32" => 32,
        _ => 64,
    }
}

/// A tile type.
pub(super) fn tile(shape: &[u64], ty: &str) -> String {
    let extents: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tile<{extents}{ty}>")
}

/// A value: its name, its shape, its element type.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) shape: &'static [u64],
    pub(super) ty: &'static str,
}

impl Known {
    pub(super) fn text(&self) -> String {
        tile(self.shape, self.ty)
    }
}

/// A program under construction.
pub(super) struct Program<'a> {
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) text: String,
    pub(super) values: Vec<Known>,
    pub(super) depth: usize,
    count: usize,
}

/// The text of a kernel `@k` of `(ptr<i32>, ptr<f32>, ptr<f16>, ptr<i64>, ptr<i32>, ptr<i8>)`: four inputs of 256
/// elements, counters, and the output, to which the last values are stored.
pub(super) fn program(rng: &mut ChaCha8Rng, ops: usize) -> String {
    program_keeping(rng, ops, |_| true)
}

/// The same, storing those of the last values for which the predicate holds.
pub(super) fn program_keeping(rng: &mut ChaCha8Rng, ops: usize, kept: impl Fn(&Known) -> bool) -> String {
    let mut program = Program {
        rng,
        text: String::new(),
        values: Vec::new(),
        depth: 0,
        count: 0,
    };
    program.line("%bx, %by, %bz = get_tile_block_id : tile<i32>");
    program.line("%zero = constant <i32: 0> : tile<i32>");
    program.line("%one = constant <i32: 1> : tile<i32>");
    for (pointer, ty) in [("%a", "i32"), ("%b", "f32"), ("%c", "f16"), ("%d", "i64")] {
        program.load(pointer, ty);
    }
    for _ in 0..ops {
        program.op();
    }
    program.values.retain(kept);
    program.keep();
    let params = "%a: tile<ptr<i32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f16>>, %d: tile<ptr<i64>>, %n: tile<ptr<i32>>, \
                  %o: tile<ptr<i8>>";
    let table: Vec<String> = (0..ELEMENTS).map(|n| (n * n).to_string()).collect();
    format!(
        "cuda_tile.module @m {{\nglobal @table <i32: [{}]> : tile<{ELEMENTS}xi32>\nentry @k({params}) {{\n{}return\n}}\n}}\n",
        table.join(", "),
        program.text
    )
}

impl Program<'_> {
    pub(super) fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// A fresh name.
    pub(super) fn name(&mut self) -> String {
        self.count += 1;
        format!("%v{}", self.count)
    }

    /// Defines a value.
    pub(super) fn define(&mut self, shape: &'static [u64], ty: &'static str, op: &str) -> Known {
        let name = self.name();
        self.line(&format!("{name} = {op}"));
        let known = Known { name, shape, ty };
        self.values.push(known.clone());
        known
    }

    pub(super) fn choose<T: Clone>(&mut self, list: &[T]) -> T {
        list.choose(self.rng)
            .expect("a list with something in it")
            .clone()
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.rng.random_range(0..end)
    }

    /// Picks a shape.
    pub(super) fn shape(&mut self) -> &'static [u64] {
        self.choose(&SHAPES)
    }

    /// Picks a value of a type and a shape, preferring later ones; derived from another one if there is none.
    pub(super) fn pick(&mut self, shape: &'static [u64], ty: &'static str) -> Known {
        let of_type: Vec<Known> = self.values.iter().filter(|v| v.ty == ty).cloned().collect();
        let Some(last) = of_type.len().checked_sub(1) else {
            return self.constant(shape, ty);
        };
        let at = self
            .rng
            .random_range(0..=last)
            .max(self.rng.random_range(0..=last));
        let found = of_type.get(at).cloned().expect("one of them");
        if found.shape == shape {
            return found;
        }
        let op = format!("reshape {} : {} -> {}", found.name, found.text(), tile(shape, ty));
        self.define(shape, ty, &op)
    }

    /// Defines a constant of equal elements.
    pub(super) fn constant(&mut self, shape: &'static [u64], ty: &'static str) -> Known {
        let number = if ty == "i1" {
            self.choose(&["true", "false"]).to_owned()
        } else if ty.starts_with('i') {
            self.choose(&["0", "1", "-1", "2", "7", "100", "-128"]).to_owned()
        } else {
            self.choose(&["0.0", "-0.0", "1.0", "0.5", "-2.5", "3.25", "7.0e-3"])
                .to_owned()
        };
        self.define(
            shape,
            ty,
            &format!("constant <{ty}: {number}> : {}", tile(shape, ty)),
        )
    }

    /// Defines a constant with a given number.
    pub(super) fn number(&mut self, shape: &'static [u64], ty: &'static str, number: u64) -> Known {
        self.define(
            shape,
            ty,
            &format!("constant <{ty}: {number}> : {}", tile(shape, ty)),
        )
    }

    /// Picks an element type.
    pub(super) fn any_type(&mut self) -> &'static str {
        if self.rng.random() {
            self.choose(&INTS)
        } else {
            self.choose(&FLOATS)
        }
    }

    /// Loads the first elements of an input, or others.
    fn load(&mut self, pointer: &str, ty: &'static str) {
        let view = format!("partition_view<tile=(64), tensor_view<256x{ty}, strides=[1]>>");
        let name = self.name();
        let letter = pointer.trim_start_matches('%');
        self.line(&format!(
            "%t{letter} = make_tensor_view {pointer}, shape = [256], strides = [1] : tensor_view<256x{ty}, strides=[1]>"
        ));
        self.line(&format!("%p{letter} = make_partition_view %t{letter} : {view}"));
        self.line(&format!(
            "{name}, %k{letter} = load_view_tko weak %p{letter}[%bx] : {view}, tile<i32> -> {}, token",
            tile(&[64], ty)
        ));
        let shape = SHAPES[0];
        self.values.push(Known { name, shape, ty });
    }

    /// Generates one or more ops.
    pub(super) fn op(&mut self) {
        let families = [
            numbers::integers,
            numbers::integers,
            numbers::divisions,
            numbers::floats,
            numbers::floats,
            numbers::functions,
            numbers::functions,
            numbers::conversions,
            numbers::conversions,
            numbers::comparisons,
            tiles::moves,
            tiles::parts,
            tiles::folds,
            tiles::products,
            memory::views,
            memory::pointers,
            memory::atomics,
            memory::own_memory,
            control::control,
            memory::addresses,
            tiles::bytes,
            tiles::scaled,
            memory::tokens,
            control::extents,
            control::counters,
        ];
        let family = self.choose(&families);
        family(self);
    }

    /// Generates ops in their own region, whose values are not visible after it.
    pub(super) fn region(&mut self, ops: usize, carried: &[Known], end: impl FnOnce(&mut Self)) {
        let known = self.values.len();
        self.values.extend_from_slice(carried);
        self.depth += 1;
        for _ in 0..ops {
            self.op();
        }
        end(self);
        self.depth -= 1;
        self.values.truncate(known);
    }

    /// Stores the last values as bytes.
    fn keep(&mut self) {
        let last: Vec<Known> = self.values.iter().rev().take(RESULTS).cloned().collect();
        for (slot, value) in last.into_iter().enumerate() {
            let flat = self.pick_flat(&value);
            let size = ELEMENTS * u64::from(bits(value.ty).max(8)) / 8;
            let to = format!("tile<{size}xi8>");
            let bytes = self.name();
            let from = tile(&[64], value.ty);
            self.line(&match bits(value.ty) {
                1 => format!("{bytes} = exti {flat} unsigned : {from} -> {to}"),
                8 => format!("{bytes} = bitcast {flat} : {from} -> {to}"),
                _ => format!("{bytes} = pack {flat} : {from} -> {to}"),
            });
            let tensor = format!("tensor_view<{}xi8, strides=[1]>", BLOCKS * size);
            let view = format!("partition_view<tile=({size}), {tensor}>");
            let at = u64::try_from(slot).expect("few") * SLOT;
            for line in [
                format!("%at{slot} = constant <i32: {at}> : tile<i32>"),
                format!("%o{slot} = offset %o, %at{slot} : tile<ptr<i8>>, tile<i32> -> tile<ptr<i8>>"),
                format!(
                    "%ot{slot} = make_tensor_view %o{slot}, shape = [{}], strides = [1] : {tensor}",
                    BLOCKS * size
                ),
                format!("%ov{slot} = make_partition_view %ot{slot} : {view}"),
                format!(
                    "%os{slot} = store_view_tko weak {bytes}, %ov{slot}[%bx] : {to}, {view}, tile<i32> -> token"
                ),
            ] {
                self.line(&line);
            }
        }
    }

    fn pick_flat(&mut self, value: &Known) -> String {
        if value.shape.len() == 1 && value.ty != "i8" {
            return value.name.clone();
        }
        let name = self.name();
        self.line(&format!(
            "{name} = reshape {} : {} -> {}",
            value.name,
            value.text(),
            tile(&[64], value.ty)
        ));
        name
    }
}
