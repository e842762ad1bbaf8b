//! Products whose operands tensor copies bring to shared memory, for sm_90a: in loops, in loops in loops, in branches and
//! without any, chained as in attention; of tiles that are transposed, at an edge, or views of tiles with one more axis.
//!
//! Numbers are small integers, so that every sum is exact in any order.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::products::{BF16, E4M3, E5M2, F16, F32, I8, I32, Number, TF32};
use super::program::Program;
use super::{programs, seeds};

const PROGRAMS: u64 = 50;
/// Factors of rows, columns and iterations, whose indices are below 256 and 8.
const FACTORS: usize = 264;

/// Bytes that are multiplied as `f16`.
const WIDENED: Number = Number {
    factor: "f16",
    ..E5M2
};

/// What is around the products.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Alone,
    Loop,
    /// A loop whose left operand is the same in all iterations.
    HeldLeft,
    /// One loop after another.
    TwoLoops,
    /// A loop over tiles of the result around the loop.
    Persistent,
    /// Some iterations of the loop have no product.
    Branch,
    /// The product is a factor of another one.
    Attention,
    /// The sum of a loop is a factor of a product after it.
    Chained,
    /// The products of a loop are scaled by factors that it loads, and added to a sum.
    Scaled,
}

const FORMS: [Form; 9] = [
    Form::Alone,
    Form::Loop,
    Form::HeldLeft,
    Form::TwoLoops,
    Form::Persistent,
    Form::Branch,
    Form::Attention,
    Form::Chained,
    Form::Scaled,
];

/// How a matrix is transposed on its way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    No,
    ByMap,
    ByPermutation,
}

/// A matrix in memory, of which tiles are loaded.
struct Matrix {
    name: &'static str,
    view: String,
    /// The type of a tile as it is loaded, then without the first axis, then as it is used.
    tiles: [String; 3],
    /// The type as which it is multiplied.
    factor: String,
    turn: Turn,
    has_batch: bool,
    hint: String,
}

impl Matrix {
    /// The tile's index, with these rows and columns.
    fn index(&self, [row, column]: [&str; 2]) -> String {
        let [first, last] = match self.turn {
            Turn::ByPermutation => [column, row],
            Turn::No | Turn::ByMap => [row, column],
        };
        match self.has_batch {
            true => format!("%zero, {first}, {last}"),
            false => format!("{first}, {last}"),
        }
    }

    /// The lines that load a tile as `%name`.
    fn load(&self, name: &str, index: [&str; 2]) -> String {
        let [loaded, flat, whole] = &self.tiles;
        let view = &self.view;
        let load = format!(
            "load_view_tko weak %{}v[{}] token = %t{} : {view}, tile<i32> -> {loaded}, token",
            self.name,
            self.index(index),
            self.hint
        );
        let mut ops = vec![(", %unused", load)];
        if self.has_batch {
            ops.push(("", format!("reshape %_ : {loaded} -> {flat}")));
        }
        if self.turn == Turn::ByPermutation {
            ops.push(("", format!("permute %_ [1, 0] : {flat} -> {whole}")));
        }
        if self.factor != *whole {
            ops.push(("", format!("ftof %_ : {whole} -> {}", self.factor)));
        }
        let count = ops.len();
        let lines = ops.into_iter().zip(1..).map(|((more, op), at)| {
            let result = if at == count {
                name.to_owned()
            } else {
                format!("{name}{at}")
            };
            let operand = format!("%{name}{}", at - 1);
            let more = more.replace("unused", &format!("{name}t"));
            format!("%{result}{more} = {}\n", op.replace("%_", &operand))
        });
        lines.collect()
    }
}

struct Generator {
    random: ChaCha8Rng,
    parameters: Vec<(String, String)>,
    arrays: Vec<Vec<u8>>,
    numbers: Vec<i32>,
    lines: String,
    /// The largest number in an array.
    largest: i32,
}

impl Generator {
    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.random.random_range(0..among.len())]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.lines, "{line}");
    }

    /// A number that is known, or a parameter with a known divisor: as an operand, and in a type.
    fn number(&mut self, name: &str, value: usize, divisor: usize) -> [String; 2] {
        if self.chance(40) {
            return [value.to_string(), value.to_string()];
        }
        self.parameters.push((name.to_owned(), "tile<i32>".to_owned()));
        self.numbers.push(i32::try_from(value).unwrap_or(0));
        self.line(&format!(
            "%{name}d = assume div_by<{divisor}>, %{name} : tile<i32>"
        ));
        [format!("%{name}d"), "?".to_owned()]
    }

    /// A scalar in a register.
    fn scalar(&mut self, name: &'static str, value: usize) {
        if self.chance(50) {
            self.line(&format!("%{name} = constant <i32: {value}> : tile<i32>"));
        } else {
            self.parameters.push((name.to_owned(), "tile<i32>".to_owned()));
            self.numbers.push(i32::try_from(value).unwrap_or(0));
        }
    }

    /// A matrix of these extents with tiles of these.
    fn matrix(
        &mut self,
        name: &'static str,
        number: Number,
        [rows, columns]: [usize; 2],
        [tile_rows, tile_columns]: [usize; 2],
        is_result: bool,
    ) -> Matrix {
        // Copies round where the left operand is contiguous along K.
        let rounds = number.factor == TF32.factor && self.chance(70);
        let turn = match name {
            _ if is_result => Turn::No,
            "a" if rounds => Turn::No,
            "b" if rounds => self.choose(&[Turn::No, Turn::ByMap, Turn::ByPermutation]),
            _ => self.choose(&[Turn::No, Turn::No, Turn::ByMap, Turn::ByPermutation]),
        };
        let has_batch = self.chance(20);
        let [stored_rows, stored_columns] = match turn {
            Turn::No => [rows, columns],
            Turn::ByMap | Turn::ByPermutation => [columns, rows],
        };
        // Tensor maps count strides in 16 bytes.
        let unit = 16 / number.bytes;
        let stride = stored_columns.next_multiple_of(unit) + unit * self.choose(&[0, 0, 1, 3]);
        let count = stored_rows * stride;
        let largest = self.largest;
        let values = (0..count).map(|_| self.random.random_range(-largest..=largest));
        let values: Vec<i32> = values.collect();
        let bytes = values.into_iter().flat_map(|value| {
            let bits = (number.bits)(value).to_le_bytes();
            bits.into_iter().take(number.bytes)
        });
        self.arrays.push(bytes.collect());
        let mut dims = vec![
            self.number(&format!("{name}r"), stored_rows, 1),
            self.number(&format!("{name}c"), stored_columns, 1),
        ];
        let mut strides = vec![
            self.number(&format!("{name}s"), stride, unit),
            ["1".to_owned(), "1".to_owned()],
        ];
        if has_batch {
            dims.insert(0, ["1".to_owned(), "1".to_owned()]);
            strides.insert(0, self.number(&format!("{name}b"), count, unit));
        }
        let list = |numbers: &[[String; 2]], at: usize, by: &str| {
            let numbers: Vec<&str> = numbers.iter().map(|number| number[at].as_str()).collect();
            numbers.join(by)
        };
        let is_known = !dims.iter().chain(&strides).any(|[_, in_type]| in_type == "?");
        let tensor = format!(
            "tensor_view<{}x{}, strides=[{}]>",
            list(&dims, 1, "x"),
            number.name,
            list(&strides, 1, ",")
        );
        self.line(&format!(
            "%{name}q = assume div_by<16>, %{name} : tile<ptr<{}>>",
            number.name
        ));
        self.line(&format!(
            "%{name}w = make_tensor_view %{name}q, shape = [{}], strides = [{}] : {}{tensor}",
            list(&dims, 0, ", "),
            list(&strides, 0, ", "),
            if is_known { "" } else { "tile<i32> -> " }
        ));
        let flat = match turn {
            Turn::ByPermutation => format!("{tile_columns}x{tile_rows}"),
            Turn::No | Turn::ByMap => format!("{tile_rows}x{tile_columns}"),
        };
        let loaded = match has_batch {
            true => format!("1x{flat}"),
            false => flat.clone(),
        };
        let map = match (turn, has_batch) {
            (Turn::ByMap, false) => ", dim_map=[1, 0]",
            (Turn::ByMap, true) => ", dim_map=[0, 2, 1]",
            _ => "",
        };
        let padding = if is_result { "" } else { "padding_value = zero, " };
        let view = format!("partition_view<tile=({loaded}), {padding}{tensor}{map}>");
        self.line(&format!("%{name}v = make_partition_view %{name}w : {view}"));
        let hint = match self.chance(25) {
            true => format!(
                " optimization_hints = <sm_90 = {{latency = {}}}>",
                self.choose(&[1, 2, 3, 7])
            ),
            false => String::new(),
        };
        let tile = |extents: &str| format!("tile<{extents}x{}>", number.name);
        let extents = format!("{tile_rows}x{tile_columns}");
        let whole = tile(&extents);
        Matrix {
            name,
            view,
            tiles: [tile(&loaded), tile(&flat), whole],
            factor: format!("tile<{extents}x{}>", number.factor),
            turn,
            has_batch,
            hint,
        }
    }

    /// The number of elements along an axis with so many tiles, of which the last may be partial.
    fn extent(&mut self, tiles: usize, tile: usize) -> usize {
        match self.chance(50) {
            true => tiles * tile,
            false => tiles * tile - self.random.random_range(0..tile),
        }
    }
}

/// The lines before a loop, and in it, that scale a value by factors of the iteration: one for each row, one for each column, or one
/// for all, by the axis. They become `%p` with the number of the axis.
fn scaled(axis: usize, extents: [usize; 2], ty: &str, value: &str) -> [String; 2] {
    let Some(&extent) = extents.get(axis) else {
        let inside = format!(
            "%a{axis} = offset %f, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>\n\
             %l{axis}, %lt{axis} = load_ptr_tko weak %a{axis} token = %t : tile<ptr<f32>> -> tile<f32>, token\n\
             %e{axis} = reshape %l{axis} : tile<f32> -> tile<1x1xf32>\n\
             %b{axis} = broadcast %e{axis} : tile<1x1xf32> -> {ty}\n\
             %p{axis} = mulf {value}, %b{axis} : {ty}\n"
        );
        return [String::new(), inside];
    };
    let flat = |element: &str| format!("tile<{extent}x{element}>");
    let (pointers, indices, factors) = (flat("ptr<f32>"), flat("i32"), flat("f32"));
    let one = match axis {
        0 => format!("tile<{extent}x1xf32>"),
        _ => format!("tile<1x{extent}xf32>"),
    };
    let before = format!(
        "%o{axis} = iota : {indices}\n\
         %f{axis} = reshape %f : tile<ptr<f32>> -> tile<1xptr<f32>>\n\
         %m{axis} = broadcast %f{axis} : tile<1xptr<f32>> -> {pointers}\n"
    );
    let inside = format!(
        "%i{axis} = reshape %i : tile<i32> -> tile<1xi32>\n\
         %j{axis} = broadcast %i{axis} : tile<1xi32> -> {indices}\n\
         %k{axis} = addi %o{axis}, %j{axis} : {indices}\n\
         %a{axis} = offset %m{axis}, %k{axis} : {pointers}, {indices} -> {pointers}\n\
         %l{axis}, %lt{axis} = load_ptr_tko weak %a{axis} token = %t : {pointers} -> {factors}, token\n\
         %e{axis} = reshape %l{axis} : {factors} -> {one}\n\
         %b{axis} = broadcast %e{axis} : {one} -> {ty}\n\
         %p{axis} = mulf {value}, %b{axis} : {ty}\n"
    );
    [before, inside]
}

/// The program of a seed.
fn program(seed: u64) -> Program {
    let mut generator = Generator {
        random: ChaCha8Rng::seed_from_u64(seed),
        parameters: Vec::new(),
        arrays: Vec::new(),
        numbers: Vec::new(),
        lines: String::new(),
        largest: 2,
    };
    let random = &mut generator;
    let form = random.choose(&FORMS);
    let is_factor = matches!(form, Form::Attention | Form::Chained);
    let number = match form {
        Form::Attention | Form::Chained => random.choose(&[F16, BF16]),
        Form::Scaled => random.choose(&[F16, BF16, E4M3, E5M2, WIDENED]),
        _ => random.choose(&[F16, F16, BF16, BF16, E4M3, E5M2, TF32, TF32, WIDENED, I8]),
    };
    let sum = match number.name {
        "i8" => I32,
        "f16" if !is_factor && form != Form::Scaled && random.chance(25) => F16,
        _ => F32,
    };
    if sum.name == F16.name {
        // A sum of f16 is exact below 2^11.
        random.largest = 1;
    }
    let m = random.choose(&[64, 64, 128, 128, 256]);
    let n = match form {
        Form::Attention | Form::Chained => random.choose(&[16, 32, 64, 128]),
        // Those of a product that may be turned.
        _ if number.factor == TF32.factor && random.chance(60) => random.choose(&[64, 128]),
        _ => random.choose(&[8, 16, 32, 64, 128, 256]),
    };
    let k = random.choose(&[16, 32, 64, 128]);
    let steps = match form {
        Form::Alone => 1,
        _ => random.choose(&[0, 1, 2, 3, 4, 7]),
    };
    let tiles = [random.choose(&[1, 1, 2]), random.choose(&[1, 1, 2])];
    // The extents of A, B and C; of Q, K, V and the result of attention, d is `k`.
    let rows = random.extent(tiles[0], m);
    let along = random.extent(steps.max(1), if form == Form::Attention { n } else { k });
    let columns = random.extent(tiles[1], n);
    random.line("%t = make_token : token");
    random.line("%zero = constant <i32: 0> : tile<i32>");
    random.line("%one = constant <i32: 1> : tile<i32>");
    random.scalar("steps", steps);
    let (first, stride) = (random.choose(&[0, 0, 1]), random.choose(&[1, 1, 2]));
    random.scalar("first", first);
    random.scalar("stride", stride);
    let (of_a, of_b, of_c) = match form {
        Form::Attention => ([rows, k], [k, along], [rows, k]),
        Form::HeldLeft => ([rows, k], [along, columns], [rows, columns]),
        _ => ([rows, along], [along, columns], [rows, columns]),
    };
    let a = random.matrix("a", number, of_a, [m, k], false);
    let b = random.matrix("b", number, of_b, [k, n], false);
    let result = match form {
        Form::Attention => [m, k],
        _ => [m, n],
    };
    let d = match form {
        Form::Attention => Some(random.matrix("d", number, [along, k], [n, k], false)),
        Form::Chained => Some(random.matrix("d", number, [columns, n], [n, n], false)),
        _ => None,
    };
    let c = random.matrix("c", sum, of_c, result, true);
    if form == Form::Scaled {
        let values = (0..FACTORS).map(|_| random.random.random_range(-2..=2));
        let bytes: Vec<u8> = values
            .flat_map(|value: i32| (F32.bits)(value).to_le_bytes())
            .collect();
        random.arrays.push(bytes);
    }
    let (ta, tb, tc) = (&a.factor, &b.factor, &c.tiles[2]);
    random.line("%x, %y, %z = get_tile_block_id : tile<i32>");
    // The sum begins with zeros, or with the tile that it replaces.
    let replaces = form != Form::Persistent && !c.has_batch && random.chance(30);
    if !replaces {
        let zero = if sum.name == I32.name { "0" } else { "0.0" };
        random.line(&format!("%none = constant <{}: {zero}> : {tc}", sum.name));
    } else {
        let column = if form == Form::Attention { "%zero" } else { "%y" };
        let load = c.load("none", ["%x", column]);
        random.line(load.trim_end());
    }
    let (multiply, signs) = match sum.name == I32.name {
        true => ("mmai", " signed signed"),
        false => ("mmaf", ""),
    };
    let product = |acc: &str| format!("%q = {multiply} %ma, %mb, {acc}{signs} : {ta}, {tb}, {tc}\n");
    // The loop along K, as `%r`.
    let looped = |inside: &str, last: &str, acc: &str| {
        format!(
            "%r = for %i in (%first to %steps, step %stride) : tile<i32> iter_values(%s = {acc}) -> ({tc}) {{\n\
             {inside}continue {last} : {tc}\n}}\n"
        )
    };
    let before = if replaces { "%nonet" } else { "%t" };
    let store = |row: &str, column: &str| {
        let value = match c.has_batch {
            true => format!("%rb = reshape %r : {tc} -> {}\n", c.tiles[0]),
            false => String::new(),
        };
        format!(
            "{value}%done = store_view_tko weak {}, %cv[{}] token = {before} : {}, {}, tile<i32> -> token\n",
            if c.has_batch { "%rb" } else { "%r" },
            c.index([row, column]),
            c.tiles[0],
            c.view
        )
    };
    let mut grid = [tiles[0], tiles[1], 1];
    let body = match form {
        Form::Alone => {
            let loads = a.load("ma", ["%x", "%zero"]) + &b.load("mb", ["%zero", "%y"]);
            loads + &product("%none").replace("%q =", "%r =") + &store("%x", "%y")
        }
        Form::Loop => {
            let loads = a.load("ma", ["%x", "%i"]) + &b.load("mb", ["%i", "%y"]);
            looped(&(loads + &product("%s")), "%q", "%none") + &store("%x", "%y")
        }
        Form::HeldLeft => {
            let inside = b.load("mb", ["%i", "%y"]) + &product("%s");
            a.load("ma", ["%x", "%zero"]) + &looped(&inside, "%q", "%none") + &store("%x", "%y")
        }
        Form::TwoLoops => {
            let loads = a.load("ma", ["%x", "%i"]) + &b.load("mb", ["%i", "%y"]);
            let inside = loads + &product("%s");
            let first = looped(&inside, "%q", "%none").replacen("%r =", "%before =", 1);
            first + &looped(&inside, "%q", "%before") + &store("%x", "%y")
        }
        Form::Persistent => {
            grid = [random.choose(&[1, 2]), 1, 1];
            random.scalar("tiles", tiles[0] * tiles[1]);
            random.scalar("columns", tiles[1]);
            let loads = a.load("ma", ["%row", "%i"]) + &b.load("mb", ["%i", "%column"]);
            let inside = looped(&(loads + &product("%s")), "%q", "%none");
            format!(
                "%gx, %gy, %gz = get_num_tile_blocks : tile<i32>\n\
                 for %j in (%x to %tiles, step %gx) : tile<i32> {{\n\
                 %row = divi %j, %columns signed : tile<i32>\n%column = remi %j, %columns signed : tile<i32>\n\
                 {inside}{}continue\n}}\n",
                store("%row", "%column")
            )
        }
        Form::Branch => {
            let loads = a.load("ma", ["%x", "%i"]) + &b.load("mb", ["%i", "%y"]);
            let skip = "%odd = remi %i, %period signed : tile<i32>\n\
                        %skip = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>\n";
            let product = product("%s");
            let (inside, last) = match random.chance(50) {
                true => (
                    format!(
                        "{skip}%u = if %skip -> ({tc}) {{\nyield %s : {tc}\n}} else {{\n{loads}{product}yield %q : {tc}\n}}\n"
                    ),
                    "%u",
                ),
                false => (
                    format!("{skip}if %skip {{\ncontinue %s : {tc}\n}}\n{loads}{product}"),
                    "%q",
                ),
            };
            let period = random.choose(&[2, 3]);
            random.scalar("period", period);
            looped(&inside, last, "%none") + &store("%x", "%y")
        }
        Form::Chained => {
            let d = d.as_ref().expect("the third matrix");
            let factor = format!("tile<{m}x{n}x{}>", number.name);
            let loads = a.load("ma", ["%x", "%i"]) + &b.load("mb", ["%i", "%y"]);
            let sum = looped(&(loads + &product("%s")), "%q", "%none").replacen("%r =", "%before =", 1);
            let after = format!(
                "%h = ftof %before : {tc} -> {factor}\n{}%r = mmaf %h, %md, %before : {factor}, {}, {tc}\n",
                d.load("md", ["%y", "%zero"]),
                d.tiles[2]
            );
            sum + &after + &store("%x", "%y")
        }
        Form::Scaled => {
            random.line(&format!("%low = constant <f32: 0.0> : {tc}"));
            let (mut factors, mut value) = (String::new(), "%q".to_owned());
            let loads = a.load("ma", ["%x", "%i"]) + &b.load("mb", ["%i", "%y"]);
            let axes = random.choose(&[&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 0, 2]]);
            for &axis in axes {
                let [before, inside] = scaled(axis, [m, n], tc, &value);
                random.line(&before);
                factors += &inside;
                value = format!("%p{axis}");
            }
            let inside = loads + &product("%low") + &factors + &format!("%u = addf %s, {value} : {tc}\n");
            looped(&inside, "%u", "%none") + &store("%x", "%y")
        }
        Form::Attention => {
            grid[1] = 1;
            let d = d.as_ref().expect("the third matrix");
            let (scores, factor) = (
                format!("tile<{m}x{n}x{}>", sum.name),
                format!("tile<{m}x{n}x{}>", number.name),
            );
            random.line(&format!("%low = constant <{}: 0.0> : {scores}", sum.name));
            let first = b.load("mb", ["%zero", "%i"]);
            let second = d.load("md", ["%i", "%zero"]);
            let [early, late] = match random.chance(30) {
                true => [second, String::new()],
                false => [String::new(), second],
            };
            // What the iteration adds to its product: its number, in the second stage of a loop with stages.
            let sum_name = sum.name;
            let (last, added) = match random.chance(40) {
                true => (
                    "%p",
                    format!(
                        "%if = itof %i signed : tile<i32> -> tile<{sum_name}>\n\
                         %ir = reshape %if : tile<{sum_name}> -> tile<1x1x{sum_name}>\n\
                         %ib = broadcast %ir : tile<1x1x{sum_name}> -> {tc}\n\
                         %p = addf %q, %ib : {tc}\n"
                    ),
                ),
                false => ("%q", String::new()),
            };
            let inside = format!(
                "{first}{early}%w = mmaf %ma, %mb, %low : {ta}, {tb}, {scores}\n%h = ftof %w : {scores} -> {factor}\n{late}\
                 %q = mmaf %h, %md, %s : {factor}, {}, {tc}\n{added}",
                d.tiles[2]
            );
            a.load("ma", ["%x", "%zero"]) + &looped(&inside, last, "%none") + &store("%x", "%zero")
        }
    };
    let hint = match random.chance(40) {
        true => format!(
            "sm_90 = {{num_worker_warps_per_cta = {}, occupancy = {}}}, ",
            random.choose(&[4, 8]),
            random.choose(&[1, 2])
        ),
        false => String::new(),
    };
    let mut arrays = vec![("a", number), ("b", number)];
    if is_factor {
        arrays.push(("d", number));
    }
    arrays.push(("c", sum));
    if form == Form::Scaled {
        arrays.push(("f", F32));
    }
    let arrays = arrays
        .iter()
        .map(|(name, number)| format!("%{name}: tile<ptr<{}>>", number.name));
    let numbers = random
        .parameters
        .iter()
        .map(|(name, ty)| format!("%{name}: {ty}"));
    let parameters: Vec<String> = arrays.chain(numbers).collect();
    let text = format!(
        "cuda_tile.module @m {{\nentry @k({}) optimization_hints=<{hint}default = {{}}> {{\n{}{body}return\n}}\n}}\n",
        parameters.join(", "),
        random.lines
    );
    Program {
        text,
        target: "sm_90a",
        arrays: generator.arrays,
        numbers: generator.numbers,
        grid: grid.map(|extent| u32::try_from(extent).unwrap_or(1)),
    }
}

/// Whether a line of PTX is a product of `tf32` whose left operand is in registers: where copies round, B of one that is turned.
fn has_left_registers(line: &str) -> bool {
    line.contains("wgmma") && line.contains("tf32.tf32") && line.matches('{').count() == 2
}

#[test]
fn routed_products_agree_with_the_simulator() {
    let count = programs(PROGRAMS);
    let (mut routed, mut rounded, mut turned) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in seeds(PROGRAMS) {
        let program = program(seed);
        match program.check(3) {
            Ok(ptx) => {
                routed += u64::from(ptx.contains("wgmma"));
                let rounds = ptx
                    .lines()
                    .any(|line| line.contains("elemtype") && line.ends_with(", 11;"));
                rounded += u64::from(rounds);
                turned += u64::from(rounds && ptx.lines().any(has_left_registers));
            }
            Err(why) => wrong.push(format!("seed {seed}\n{}\n{why}", program.text)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        routed * 2 > count,
        "{routed} of {count} are computed by warp groups"
    );
    assert!(rounded > 0 || count < PROGRAMS, "no copy rounds");
    assert!(turned > 0 || count < PROGRAMS, "no product of `tf32` is turned");
}
