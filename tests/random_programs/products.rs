//! Matrix products of every pair of types, of small and odd shapes, with and without batches, for several targets.
//!
//! Numbers are small integers, so that every sum is exact in any order.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::program::Program;
use super::{programs, seeds};

const PROGRAMS: u64 = 60;

/// An element type.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) name: &'static str,
    /// The type that a number of this one is multiplied as.
    pub(super) factor: &'static str,
    pub(super) bytes: usize,
    /// The bits of small integers.
    pub(super) bits: fn(i32) -> u64,
}

/// The bits of a small integer in a binary format with these numbers of bits.
fn float_bits(value: i32, exponent: u32, mantissa: u32) -> u64 {
    if value == 0 {
        return 0;
    }
    let sign = u64::from(value < 0) << (exponent + mantissa);
    let size = u64::from(value.unsigned_abs());
    let power = size.ilog2();
    let biased = u64::from(power) + (1 << (exponent - 1)) - 1;
    sign | biased << mantissa | (size << mantissa >> power) & ((1 << mantissa) - 1)
}

pub(super) const F16: Number = Number {
    name: "f16",
    factor: "f16",
    bytes: 2,
    bits: |value| float_bits(value, 5, 10),
};
pub(super) const BF16: Number = Number {
    name: "bf16",
    factor: "bf16",
    bytes: 2,
    bits: |value| float_bits(value, 8, 7),
};
pub(super) const F32: Number = Number {
    name: "f32",
    factor: "f32",
    bytes: 4,
    bits: |value| float_bits(value, 8, 23),
};
/// Its numbers are those next to small integers, to which they are rounded when they are multiplied: from below, from above, and
/// from halfway, to even.
pub(super) const TF32: Number = Number {
    factor: "tf32",
    bits: |value| {
        // Half of the distance to the next `tf32`.
        let half = 0x1000;
        let bits = float_bits(value, 8, 23);
        match value {
            0 | -1 => bits + half,
            1 => bits - (half - 1),
            2 => bits - half,
            -2 => bits + (half - 1),
            _ => bits - 1,
        }
    },
    ..F32
};
pub(super) const E4M3: Number = Number {
    name: "f8E4M3FN",
    factor: "f8E4M3FN",
    bytes: 1,
    bits: |value| float_bits(value, 4, 3),
};
pub(super) const E5M2: Number = Number {
    name: "f8E5M2",
    factor: "f8E5M2",
    bytes: 1,
    bits: |value| float_bits(value, 5, 2),
};
const F64: Number = Number {
    name: "f64",
    factor: "f64",
    bytes: 8,
    bits: |value| float_bits(value, 11, 52),
};
pub(super) const I8: Number = Number {
    name: "i8",
    factor: "i8",
    bytes: 1,
    bits: |value| u64::from(value.cast_unsigned()),
};
pub(super) const I32: Number = Number {
    name: "i32",
    factor: "i32",
    bytes: 4,
    bits: |value| u64::from(value.cast_unsigned()),
};

/// Multiplicands and sums.
const TYPES: [(Number, Number); 8] = [
    (F16, F32),
    (F16, F16),
    (BF16, F32),
    (F32, F32),
    (TF32, F32),
    (E4M3, F32),
    (F64, F64),
    (I8, I32),
];
const TARGETS: [&str; 4] = ["sm_80", "sm_89", "sm_90a", "sm_120a"];

/// A kernel that adds the products of `steps` pairs of tiles to a tile, and its arrays.
fn program(seed: u64) -> Program {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut choose = |count: usize| random.random_range(0..count);
    let (number, sum) = TYPES[choose(TYPES.len())];
    // The first target has no floats of 8 bits.
    let first = usize::from(number.name == E4M3.name);
    let target = TARGETS[first + choose(TARGETS.len() - first)];
    let batch = [0, 0, 1, 2, 4][choose(5)];
    let mut extent = |most: usize| 1 << choose(most);
    let (m, n, mut k) = (extent(7), extent(7), extent(7));
    // The sum is multiplied by a tile of B in turn, as in attention.
    let chained = extent(2) == 1 && number.bytes == 2 && sum.name == F32.name;
    if chained {
        k = n;
    }
    // As many as a ring of loads has stages, twice; known to the compiler or not.
    let steps = choose(10);
    let is_known = choose(2) == 0;
    let mut extent = |most: usize| 1 << choose(most);
    let hint = [
        String::new(),
        format!(
            "{} = {{num_worker_warps_per_cta = {}}}, ",
            target.trim_end_matches('a'),
            extent(4)
        ),
    ];
    let signs = ["signed", "unsigned"];
    let signs = format!("{} {}", signs[choose(2)], signs[choose(2)]);
    let hint = &hint[choose(2)];
    let shape = |rows: usize, columns: usize| match batch {
        0 => format!("{rows}x{columns}"),
        batch => format!("{batch}x{rows}x{columns}"),
    };
    let view = |number: Number, rows: usize, columns: usize, tile: String| {
        let shape = shape(rows, columns);
        let strides = match batch {
            0 => format!("{columns},1"),
            _ => format!("{},{columns},1", rows * columns),
        };
        let tensor = format!("tensor_view<{shape}x{}, strides=[{strides}]>", number.name);
        let parts = format!("partition_view<tile=({tile}), {tensor}>");
        (
            shape.replace('x', ", "),
            strides.replace(',', ", "),
            tensor,
            parts,
        )
    };
    // A stays the same in the loop, or is a tile further along K in each step; each may be stored transposed.
    let same_left = choose(4) == 0;
    let [turned_a, turned_b] = [choose(3) == 0, choose(3) == 0];
    let depth_b = k * steps.max(1);
    let depth_a = if same_left { k } else { depth_b };
    let a = match turned_a {
        true => view(number, depth_a, m, shape(k, m)),
        false => view(number, m, depth_a, shape(m, k)),
    };
    let b = match turned_b {
        true => view(number, n, depth_b, shape(n, k)),
        false => view(number, depth_b, n, shape(k, n)),
    };
    let c = view(sum, m, n, shape(m, n));
    let zeros = if batch == 0 { "" } else { "%zero, " };
    let (op, signs) = if number.name == I8.name {
        ("mmai", signs.as_str())
    } else {
        ("mmaf", "")
    };
    let tile = |name: &str, rows, columns| format!("tile<{}x{name}>", shape(rows, columns));
    let tc = tile(sum.name, m, n);
    let turn = if batch == 0 { "[1, 0]" } else { "[0, 2, 1]" };
    // The lines that load an operand of these extents, as `%name`.
    let operand = |name: &str, [rows, columns]: [usize; 2], turned: bool, view: &str, index: [&str; 2]| {
        let stored = |kind: &str| match turned {
            true => tile(kind, columns, rows),
            false => tile(kind, rows, columns),
        };
        let [first, last] = if turned { [index[1], index[0]] } else { index };
        let (have, wanted) = (stored(number.name), stored(number.factor));
        let mut lines = format!(
            "%l{name}, %k{name} = load_view_tko weak %v{name}[{zeros}{first}, {last}] token = %t : {view}, \
                 tile<i32> -> {have}, token\n"
        );
        let mut made = format!("%l{name}");
        if have != wanted {
            lines += &format!("%f{name} = ftof {made} : {have} -> {wanted}\n");
            made = format!("%f{name}");
        }
        if turned {
            let whole = tile(number.factor, rows, columns);
            lines += &format!("%p{name} = permute {made} {turn} : {wanted} -> {whole}\n");
            made = format!("%p{name}");
        }
        (lines, made)
    };
    let (load_a, left) = operand(
        "a",
        [m, k],
        turned_a,
        &a.3,
        ["%zero", if same_left { "%zero" } else { "%i" }],
    );
    let (load_b, right) = operand("b", [k, n], turned_b, &b.3, ["%i", "%zero"]);
    let (before, within) = if same_left {
        (load_a, String::new())
    } else {
        (String::new(), load_a)
    };
    let (ta, tb) = (tile(number.factor, m, k), tile(number.factor, k, n));
    let mut text = format!(
        "cuda_tile.module @m {{\n  entry @k(%a: tile<ptr<{0}>>, %b: tile<ptr<{0}>>, %c: tile<ptr<{1}>>, \
             %count: tile<i32>) optimization_hints=<{hint}default = {{}}> {{\n    %t = make_token : token\n    \
             %zero = constant <i32: 0> : tile<i32>\n    %one = constant <i32: 1> : tile<i32>\n    \
             %known = constant <i32: {steps}> : tile<i32>\n",
        number.name, sum.name
    );
    let bound = if is_known { "%known" } else { "%count" };
    for (name, number, (shape, strides, tensor, parts)) in
        [("a", number, &a), ("b", number, &b), ("c", sum, &c)]
    {
        text += &format!(
            "    %q{name} = assume div_by<16>, %{name} : tile<ptr<{}>>\n    \
                 %t{name} = make_tensor_view %q{name}, shape = [{shape}], strides = [{strides}] : {tensor}\n    \
                 %v{name} = make_partition_view %t{name} : {parts}\n",
            number.name
        );
    }
    let (after, result) = match chained {
        false => (String::new(), "%r"),
        true => {
            let (load, right) = operand("b", [k, n], turned_b, &b.3, ["%zero", "%zero"]);
            let again = |text: String| {
                ["l", "f", "p", "k"].iter().fold(text, |text, kind| {
                    text.replace(&format!("%{kind}b"), &format!("%{kind}x"))
                })
            };
            let th = tile(number.factor, m, n);
            let lines = format!(
                "{}    %z = constant <f32: 0.0> : {tc}\n    %h = ftof %r : {tc} -> {th}\n    \
                     %q = mmaf %h, {}, %z : {th}, {tb}, {tc}\n",
                again(load),
                again(right)
            );
            (lines, "%q")
        }
    };
    text += &format!(
        "    %c0, %k0 = load_view_tko weak %vc[{zeros}%zero, %zero] token = %t : {vc}, tile<i32> -> {tc}, token\n    \
             {before}    \
             %r = for %i in (%zero to {bound}, step %one) : tile<i32> iter_values(%s = %c0) -> ({tc}) {{\n      \
             {within}      {load_b}      \
             %d = {op} {left}, {right}, %s {signs} : {ta}, {tb}, {tc}\n      continue %d : {tc}\n    }}\n    \
             {after}    %k3 = store_view_tko weak {result}, %vc[{zeros}%zero, %zero] token = %k0 : {tc}, {vc}, tile<i32> -> token\n    \
             return\n  }}\n}}\n",
        vc = c.3
    );
    // A sum of f16 or f32 is exact below 2^11.
    let mut array = |number: Number, count: usize| -> Vec<u8> {
        let values = (0..count * batch.max(1)).map(|_| random.random_range(-2..=2));
        let bytes = values.flat_map(|value| {
            let bits = (number.bits)(value).to_le_bytes();
            bits.into_iter().take(number.bytes)
        });
        bytes.collect()
    };
    let arrays = [
        array(number, m * depth_a),
        array(number, depth_b * n),
        array(sum, m * n),
    ];
    Program {
        text,
        target,
        arrays: arrays.to_vec(),
        numbers: vec![i32::try_from(steps).unwrap_or(0)],
        grid: [1, 1, 1],
    }
}

#[test]
fn products_agree_with_the_simulator() {
    let mut instructions = 0;
    let count = programs(PROGRAMS);
    for seed in seeds(PROGRAMS) {
        let program = program(seed);
        let ptx = program.check(if seed % 4 == 0 { 0 } else { 3 });
        let ptx = ptx.unwrap_or_else(|why| panic!("seed {seed}\n{}\n{why}", program.text));
        instructions += usize::from(ptx.contains("mma.sync") || ptx.contains("wgmma"));
    }
    // The rest is too short along K, or of f32.
    assert!(
        instructions as u64 * 4 > count,
        "{instructions} of {count} use an instruction"
    );
}
