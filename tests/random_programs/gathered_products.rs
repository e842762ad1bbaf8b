//! Products that tensor cores compute of rows that are looked up in a table, as in a mixture of experts, for sm_90a: of A, of B or
//! of both; of one matrix among several, whose number is loaded too; with rows that do not exist, at an edge along K, or of
//! rows that are not aligned; with results that are scattered. Matrices that are described in a loop are copied by threads, too.
//!
//! Numbers are small integers, so that every sum is exact in any order.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::products::{BF16, E4M3, F16, F32, I8, I32, Number, TF32};
use super::program::Program;
use super::{programs, seeds};

const PROGRAMS: u64 = 30;
/// Matrices of which the table of experts names one.
const EXPERTS: usize = 3;

/// What is around the products.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Alone,
    Loop,
    /// The pointers of an iteration are those of the one before and a step.
    CarriedPointers,
    /// Two products of the same rows.
    Twice,
    /// Some iterations of the loop have no product.
    Branch,
}

const FORMS: [Form; 7] = [
    Form::Alone,
    Form::Loop,
    Form::Loop,
    Form::Loop,
    Form::CarriedPointers,
    Form::Twice,
    Form::Branch,
];

struct Generator {
    random: ChaCha8Rng,
    numbers: Vec<(String, i32)>,
    lines: String,
}

/// Lines that compute a tile before a loop, and those of each iteration.
#[derive(Default)]
struct Operand {
    before: String,
    within: String,
    /// Its pointers, if they are carried.
    pointers: Option<(String, String)>,
}

impl Generator {
    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.random.random_range(0..among.len())]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.random_range(0..end)
    }

    /// A number as a value: a constant, or a parameter with a known divisor.
    fn number(&mut self, name: &str, value: usize, divisor: usize) {
        let value = i32::try_from(value).unwrap_or(0);
        let line = match self.chance(40) {
            true => format!("%{name} = constant <i32: {value}> : tile<i32>"),
            false => {
                self.numbers.push((format!("{name}p"), value));
                format!("%{name} = assume div_by<{divisor}>, %{name}p : tile<i32>")
            }
        };
        let _ = writeln!(self.lines, "{line}");
    }

    /// The bytes of so many elements.
    fn array(&mut self, number: Number, count: usize) -> Vec<u8> {
        let values: Vec<i32> = (0..count).map(|_| self.random.random_range(-2..=2)).collect();
        let bytes = values.into_iter().flat_map(|value| {
            let bits = (number.bits)(value).to_le_bytes();
            bits.into_iter().take(number.bytes)
        });
        bytes.collect()
    }

    /// The lines that load elements of a table, those of a block, as `%name`.
    fn looked_up(name: &str, table: &str, block: &str, count: usize) -> String {
        let (tile, pointers) = (format!("tile<{count}xi32>"), format!("tile<{count}xptr<i32>>"));
        format!(
            "%{name}0 = constant <i32: {count}> : tile<i32>\n\
             %{name}1 = muli {block}, %{name}0 : tile<i32>\n\
             %{name}2 = reshape %{name}1 : tile<i32> -> tile<1xi32>\n\
             %{name}3 = broadcast %{name}2 : tile<1xi32> -> {tile}\n\
             %{name}4 = iota : {tile}\n\
             %{name}5 = addi %{name}3, %{name}4 : {tile}\n\
             %{name}6 = reshape %{table} : tile<ptr<i32>> -> tile<1xptr<i32>>\n\
             %{name}7 = broadcast %{name}6 : tile<1xptr<i32>> -> {pointers}\n\
             %{name}8 = offset %{name}7, %{name}5 : {pointers}, {tile} -> {pointers}\n\
             %{name}, %{name}t = load_ptr_tko weak %{name}8 token=%t : {pointers} -> {tile}, token\n"
        )
    }

    /// The lines that make a tile of a scalar.
    fn spread(name: &str, scalar: &str, element: &str, [rows, columns]: [usize; 2]) -> String {
        format!(
            "%{name}q = reshape {scalar} : tile<{element}> -> tile<1x1x{element}>\n\
             %{name} = broadcast %{name}q : tile<1x1x{element}> -> tile<{rows}x{columns}x{element}>\n"
        )
    }

    /// A tile of `rows` rows with the numbers `%name` and of `k` columns, of an array with this base; as `%name` and a letter.
    fn gathered(&mut self, name: &str, number: Number, [rows, k]: [usize; 2], is_carried: bool) -> Operand {
        let tile = |element: &str| format!("tile<{rows}x{k}x{element}>");
        let pointers = format!("tile<{rows}x{k}xptr<{}>>", number.name);
        let extents = [rows, k];
        let before = format!(
            "%{name}r1 = reshape %{name} : tile<{rows}xi32> -> tile<{rows}x1xi32>\n\
             %{name}r = broadcast %{name}r1 : tile<{rows}x1xi32> -> {i32}\n\
             {}{}{}{}%{name}o = muli %{name}r, %{name}s : {i32}\n\
             %{name}in = cmpi less_than %{name}r, %{name}n, unsigned : {i32} -> {i1}\n\
             %{name}c1 = iota : tile<{k}xi32>\n\
             %{name}z = constant <{}: {}> : {}\n",
            Self::spread(&format!("{name}s"), &format!("%{name}stride"), "i32", extents),
            Self::spread(&format!("{name}n"), &format!("%{name}rows"), "i32", extents),
            Self::spread(&format!("{name}k"), "%depth", "i32", extents),
            Self::spread(
                &format!("{name}b"),
                &format!("%{name}base"),
                &format!("ptr<{}>", number.name),
                extents
            ),
            number.name,
            if number.name == I8.name { "0" } else { "0.0" },
            tile(number.name),
            i32 = tile("i32"),
            i1 = tile("i1"),
        );
        let columns = |at: &str, prefix: &str| {
            format!(
                "%{prefix}1 = muli {at}, %kk : tile<i32>\n\
                 %{prefix}2 = reshape %{prefix}1 : tile<i32> -> tile<1xi32>\n\
                 %{prefix}3 = broadcast %{prefix}2 : tile<1xi32> -> tile<{k}xi32>\n\
                 %{prefix}4 = addi %{prefix}3, %{name}c1 : tile<{k}xi32>\n\
                 %{prefix}5 = reshape %{prefix}4 : tile<{k}xi32> -> tile<1x{k}xi32>\n\
                 %{prefix}6 = broadcast %{prefix}5 : tile<1x{k}xi32> -> {}\n",
                tile("i32")
            )
        };
        let offset = |to: &str, prefix: &str| {
            format!(
                "%{prefix}7 = addi %{name}o, %{prefix}6 : {0}\n\
                 %{to} = offset %{name}b, %{prefix}7 : {pointers}, {0} -> {pointers}\n",
                tile("i32")
            )
        };
        let (first, step) = (format!("{name}w"), format!("{name}v"));
        let carried = match is_carried {
            true => columns("%zero", &first) + &offset(&format!("{name}p0"), &first),
            false => String::new(),
        };
        let pointer = match is_carried {
            true => format!(
                "{}%{name}p1 = offset %{name}pc, %{name}kt : {pointers}, {1} -> {pointers}\n",
                Self::spread(&format!("{name}kt"), "%kk", "i32", extents),
                tile("i32")
            ),
            false => offset(&format!("{name}pc"), &step),
        };
        let hint = match self.chance(25) {
            true => format!(
                " optimization_hints = <sm_90 = {{latency = {}}}>",
                self.choose(&[1, 2, 5])
            ),
            false => String::new(),
        };
        let within = format!(
            "{}%{name}il = cmpi less_than %{step}6, %{name}k, unsigned : {i32} -> {i1}\n\
             %{name}ia = andi %{name}in, %{name}il : {i1}\n\
             {pointer}\
             %{name}g, %{name}gt = load_ptr_tko weak %{name}pc, %{name}ia, %{name}z token=%t{hint} : {pointers}, {i1}, \
             {loaded} -> {loaded}, token\n",
            columns("%i", &step),
            loaded = tile(number.name),
            i32 = tile("i32"),
            i1 = tile("i1"),
        );
        Operand {
            before: before + &carried,
            within,
            pointers: is_carried.then_some((format!("%{name}p"), pointers)),
        }
    }
}

/// Lines that convert a tile to the type as which it is multiplied, and turn it if it has the columns of B as its rows.
fn factor(name: &str, to: &str, number: Number, [rows, columns]: [usize; 2], turned: bool) -> String {
    let tile = |element: &str, [rows, columns]: [usize; 2]| format!("tile<{rows}x{columns}x{element}>");
    let mut lines = String::new();
    let mut have = name.to_owned();
    if number.factor != number.name {
        let (from, into) = (
            tile(number.name, [rows, columns]),
            tile(number.factor, [rows, columns]),
        );
        let _ = writeln!(lines, "%{to}f = ftof %{have} : {from} -> {into}");
        have = format!("{to}f");
    }
    let (from, into) = (
        tile(number.factor, [rows, columns]),
        tile(number.factor, [columns, rows]),
    );
    let _ = match turned {
        true => writeln!(lines, "%{to} = permute %{have} [1, 0] : {from} -> {into}"),
        false => writeln!(lines, "%{to} = reshape %{have} : {from} -> {from}"),
    };
    lines
}

/// The program of a seed.
fn program(seed: u64) -> Program {
    let mut generator = Generator {
        random: ChaCha8Rng::seed_from_u64(seed),
        numbers: Vec::new(),
        lines: String::new(),
    };
    let random = &mut generator;
    let form = random.choose(&FORMS);
    let number = random.choose(&[F16, F16, BF16, BF16, E4M3, TF32, I8]);
    let sum = if number.name == I8.name { I32 } else { F32 };
    let [left, right] = random.choose(&[[true, false], [true, false], [false, true], [true, true]]);
    let m = random.choose(&[64, 64, 128]);
    let n = random.choose(&[32, 64, 128]);
    let k: usize = random.choose(&[32, 64, 128]);
    let steps = match form {
        Form::Alone => 1,
        _ => random.choose(&[0, 1, 2, 3, 4, 5, 7]),
    };
    let grid = [random.choose(&[1, 1, 2]), random.choose(&[1, 1, 2])];
    let unit = 16 / number.bytes;
    // The columns of a row, which tiles may exceed; runs of 16 bytes end inside or outside of it, or not.
    let is_aligned = random.chance(85);
    let divisor = if is_aligned { unit } else { 1 };
    let depth = (k * steps.max(1))
        .saturating_sub(divisor * random.below(k / unit / 2 + 1))
        .max(divisor);
    let stride = depth.next_multiple_of(divisor) + divisor * random.choose(&[0, 0, 1, 3]);
    let (rows, others) = (random.choose(&[5, 40, 200]), random.choose(&[7, 100]));
    random.lines += "%t = make_token : token\n%zero = constant <i32: 0> : tile<i32>\n\
                     %one = constant <i32: 1> : tile<i32>\n";
    let _ = writeln!(random.lines, "%kk = constant <i32: {k}> : tile<i32>");
    random.number("steps", steps, 1);
    random.number("depth", depth, divisor);
    for (name, rows, base) in [("a", rows, "pa"), ("b", others, "pb")] {
        random.number(&format!("{name}stride"), stride, divisor);
        random.number(&format!("{name}rows"), rows, 1);
        let divisor = if is_aligned { 16 } else { number.bytes };
        let _ = writeln!(
            random.lines,
            "%{name}base = assume div_by<{divisor}>, %{base} : tile<ptr<{}>>",
            number.name
        );
    }
    random.lines += "%x, %y, %zz = get_tile_block_id : tile<i32>\n";
    let tile = |rows: usize, columns: usize, element: &str| format!("tile<{rows}x{columns}x{element}>");
    // An operand that is not gathered is a tile of one of several matrices, which a table names for each block.
    let named = |name: &str, rows: usize, block: &str, all: usize, is_local: bool| {
        let tensor = format!("tensor_view<{EXPERTS}x{all}x?x{}, strides=[?,?,1]>", number.name);
        let view = format!("partition_view<tile=(1x{rows}x{k}), padding_value = zero, {tensor}>");
        let before = format!(
            "%{name}y1 = make_tensor_view %table, shape = [{0}], strides = [1] : tensor_view<{0}xi32, strides=[1]>\n\
             %{name}y2 = make_partition_view %{name}y1 : partition_view<tile=(1), tensor_view<{0}xi32, strides=[1]>>\n\
             %{name}y3, %{name}y4 = load_view_tko weak %{name}y2[{block}] token = %t : \
             partition_view<tile=(1), tensor_view<{0}xi32, strides=[1]>>, tile<i32> -> tile<1xi32>, token\n\
             %{name}e = reshape %{name}y3 : tile<1xi32> -> tile<i32>\n",
            grid[0].max(grid[1])
        );
        let array = format!(
            "%{name}y5 = constant <i32: {all}> : tile<i32>\n\
             %{name}y6 = muli %{name}stride, %{name}y5 : tile<i32>\n\
             %{name}y7 = make_tensor_view %{name}base, shape = [{EXPERTS}, {all}, %depth], strides = [%{name}y6, %{name}stride, 1] : \
             tile<i32> -> {tensor}\n\
             %{name}y8 = make_partition_view %{name}y7 : {view}\n"
        );
        let [outside, inside] = match is_local {
            true => [String::new(), array],
            false => [array, String::new()],
        };
        let within = format!(
            "{inside}%{name}l, %{name}lt = load_view_tko weak %{name}y8[%{name}e, {block}, %i] token = %t : {view}, tile<i32> -> \
             tile<1x{rows}x{k}x{0}>, token\n\
             %{name}g = reshape %{name}l : tile<1x{rows}x{k}x{0}> -> {1}\n",
            number.name,
            tile(rows, k, number.name)
        );
        Operand {
            before: before + &outside,
            within,
            pointers: None,
        }
    };
    let is_carried = form == Form::CarriedPointers;
    let mut operands = Vec::new();
    for (name, is_gathered, rows, block, all) in [
        ("a", left, m, "%x", m * grid[0]),
        ("b", right, n, "%y", n * grid[1]),
    ] {
        let operand = match is_gathered {
            true => {
                random.lines += &Generator::looked_up(name, &format!("{name}table"), block, rows);
                random.gathered(name, number, [rows, k], is_carried)
            }
            false => {
                let is_local = random.chance(40);
                named(name, rows, block, all, is_local)
            }
        };
        random.lines += &operand.before;
        operands.push(operand);
    }
    let tc = tile(m, n, sum.name);
    let zero = if sum.name == I32.name { "0" } else { "0.0" };
    let _ = writeln!(random.lines, "%none = constant <{}: {zero}> : {tc}", sum.name);
    let (multiply, signs) = match sum.name == I32.name {
        true => ("mmai", " signed signed"),
        false => ("mmaf", ""),
    };
    let types = format!(
        "{}, {}, {tc}",
        tile(m, k, number.factor),
        tile(k, n, number.factor)
    );
    let product = |to: &str, acc: &str| format!("%{to} = {multiply} %ma, %mb, {acc}{signs} : {types}\n");
    let loads: String = operands.iter().map(|operand| operand.within.as_str()).collect();
    let loads =
        loads + &factor("ag", "ma", number, [m, k], false) + &factor("bg", "mb", number, [n, k], true);
    let looped = |inside: &str, last: &str| {
        let carried: Vec<(&str, &str)> = operands
            .iter()
            .filter_map(|operand| operand.pointers.as_ref())
            .map(|(name, ty)| (name.as_str(), ty.as_str()))
            .collect();
        let list = |all: &[(&str, &str)], of: &dyn Fn(&(&str, &str)) -> String| -> String {
            all.iter().map(|each| format!(", {}", of(each))).collect()
        };
        let results = list(&carried, &|(name, _)| format!("{name}e"));
        let inits = list(&carried, &|(name, _)| format!("{name}c = {name}0"));
        let next = list(&carried, &|(name, _)| format!("{name}1"));
        let types = list(&carried, &|(_, ty)| (*ty).to_owned());
        format!(
            "%r{results} = for %i in (%zero to %steps, step %one) : tile<i32> iter_values(%s = %none{inits}) -> \
             ({tc}{types}) {{\n{inside}continue {last}{next} : {tc}{types}\n}}\n"
        )
    };
    let body = match form {
        Form::Alone => format!(
            "%i = muli %zero, %one : tile<i32>\n{loads}{}",
            product("r", "%none")
        ),
        Form::Loop | Form::CarriedPointers => looped(&(loads + &product("q", "%s")), "%q"),
        Form::Twice => {
            let add = if sum.name == I32.name { "addi" } else { "addf" };
            let both = format!(
                "{}{}%v = {add} %q, %w : {tc}\n",
                product("q", "%s"),
                product("w", "%none")
            );
            looped(&(loads + &both), "%v")
        }
        Form::Branch => {
            let period = random.choose(&[2, 3]);
            random.number("period", period, 1);
            let inside = format!(
                "%odd = remi %i, %period signed : tile<i32>\n\
                 %skip = cmpi equal %odd, %one, signed : tile<i32> -> tile<i1>\n\
                 %u = if %skip -> ({tc}) {{\nyield %s : {tc}\n}} else {{\n{loads}{}yield %q : {tc}\n}}\n",
                product("q", "%s")
            );
            looped(&inside, "%u")
        }
    };
    // The result is a tile of an array, or rows of it, of which some do not exist.
    let columns = n * grid[1];
    let all = m * grid[0];
    let stored = match random.chance(50) {
        true => {
            let tensor = format!("tensor_view<{all}x{columns}x{}, strides=[{columns},1]>", sum.name);
            let view = format!("partition_view<tile=({m}x{n}), {tensor}>");
            format!(
                "%cv = make_tensor_view %pc, shape = [{all}, {columns}], strides = [{columns}, 1] : {tensor}\n\
                 %cw = make_partition_view %cv : {view}\n\
                 %done = store_view_tko weak %r, %cw[%x, %y] token = %t : {tc}, {view}, tile<i32> -> token\n"
            )
        }
        false => {
            let (i32, pointers) = (tile(m, n, "i32"), tile(m, n, &format!("ptr<{}>", sum.name)));
            let extents = [m, n];
            format!(
                "{}%h1 = reshape %place : tile<{m}xi32> -> tile<{m}x1xi32>\n\
                 %h2 = broadcast %h1 : tile<{m}x1xi32> -> {i32}\n\
                 %hc = constant <i32: {columns}> : tile<i32>\n%hr = constant <i32: {all}> : tile<i32>\n\
                 %hn = constant <i32: {n}> : tile<i32>\n{}{}{}\
                 %h3 = muli %h2, %hs : {i32}\n\
                 %h4 = cmpi less_than %h2, %ha, unsigned : {i32} -> {}\n\
                 %i1 = muli %y, %hn : tile<i32>\n%i2 = reshape %i1 : tile<i32> -> tile<1xi32>\n\
                 %i3 = broadcast %i2 : tile<1xi32> -> tile<{n}xi32>\n%i4 = iota : tile<{n}xi32>\n\
                 %i5 = addi %i3, %i4 : tile<{n}xi32>\n%i6 = reshape %i5 : tile<{n}xi32> -> tile<1x{n}xi32>\n\
                 %i7 = broadcast %i6 : tile<1x{n}xi32> -> {i32}\n%h9 = addi %h3, %i7 : {i32}\n\
                 %hp = offset %hb, %h9 : {pointers}, {i32} -> {pointers}\n\
                 %done = store_ptr_tko weak %hp, %r, %h4 token=%t : {pointers}, {tc}, {} -> token\n",
                Generator::looked_up("place", "places", "%x", m),
                Generator::spread("hs", "%hc", "i32", extents),
                Generator::spread("ha", "%hr", "i32", extents),
                Generator::spread("hb", "%pc", &format!("ptr<{}>", sum.name), extents),
                tile(m, n, "i1"),
                tile(m, n, "i1"),
            )
        }
    };
    let hint = match random.chance(30) {
        true => format!(
            "sm_90 = {{num_worker_warps_per_cta = {}, occupancy = {}}}, ",
            random.choose(&[4, 8]),
            random.choose(&[1, 2])
        ),
        false => String::new(),
    };
    let stored_rows =
        |is_gathered: bool, rows: usize, all: usize| if is_gathered { rows } else { EXPERTS * all };
    let table = |random: &mut Generator, count: usize, rows: usize| -> Vec<u8> {
        let sentinel = i32::try_from(rows).unwrap_or(0) + 3;
        let ids = (0..count).map(|_| match random.chance(20) {
            true => sentinel,
            false => i32::try_from(random.below(rows)).unwrap_or(0),
        });
        ids.flat_map(i32::to_le_bytes).collect()
    };
    let a = random.array(number, stored_rows(left, rows, all) * stride);
    let b = random.array(number, stored_rows(right, others, columns) * stride);
    let c = random.array(sum, all * columns);
    let ids = [table(random, all, rows), table(random, columns, others)];
    let blocks = grid[0].max(grid[1]);
    let experts: Vec<u8> = (0..blocks)
        .flat_map(|_| i32::try_from(random.below(EXPERTS)).unwrap_or(0).to_le_bytes())
        .collect();
    // Each row once.
    let mut places: Vec<i32> = (0..i32::try_from(all).unwrap_or(0)).collect();
    for at in (1..places.len()).rev() {
        let other = random.below(at + 1);
        places.swap(at, other);
    }
    for place in &mut places {
        if random.chance(15) {
            *place += i32::try_from(all).unwrap_or(0);
        }
    }
    let [ids_a, ids_b] = ids;
    let arrays = vec![
        a,
        b,
        c,
        ids_a,
        ids_b,
        experts,
        places.into_iter().flat_map(i32::to_le_bytes).collect(),
    ];
    let numbers = random
        .numbers
        .iter()
        .map(|(name, _)| format!(", %{name}: tile<i32>"));
    let numbers: String = numbers.collect();
    let text = format!(
        "cuda_tile.module @m {{\nentry @k(%pa: tile<ptr<{0}>>, %pb: tile<ptr<{0}>>, %pc: tile<ptr<{1}>>, %atable: \
         tile<ptr<i32>>, %btable: tile<ptr<i32>>, %table: tile<ptr<i32>>, %places: tile<ptr<i32>>{numbers}) \
         optimization_hints=<{hint}default = {{}}> {{\n{2}{body}{stored}return\n}}\n}}\n",
        number.name, sum.name, random.lines
    );
    Program {
        text,
        target: "sm_90a",
        arrays,
        numbers: generator.numbers.iter().map(|(_, value)| *value).collect(),
        grid: [
            u32::try_from(grid[0]).unwrap_or(1),
            u32::try_from(grid[1]).unwrap_or(1),
            1,
        ],
    }
}

#[test]
fn products_of_gathered_rows_agree_with_the_simulator() {
    let count = programs(PROGRAMS);
    let mut routed = 0;
    let mut wrong = Vec::new();
    for seed in seeds(PROGRAMS) {
        let program = program(seed);
        match program.check(3) {
            Ok(ptx) => routed += u64::from(ptx.contains("wgmma") && ptx.contains("cp.async.cg")),
            Err(why) => wrong.push(format!("seed {seed}\n{}\n{why}", program.text)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        routed * 2 > count,
        "{routed} of {count} are computed by warp groups of what threads copy"
    );
}
