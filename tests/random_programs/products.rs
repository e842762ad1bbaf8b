//! Matrix products of every pair of types, of small and odd shapes, with and without batches, for several targets.
//!
//! Numbers are small integers, so that every sum is exact in any order.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_evaluator as evaluator;
use tilewright_simulator as simulator;

use super::programs;

const PROGRAMS: u64 = 60;

/// An element type.
#[derive(Clone, Copy)]
struct Number {
    name: &'static str,
    bytes: usize,
    /// The bits of small integers.
    bits: fn(i32) -> u64,
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

const F16: Number = Number {
    name: "f16",
    bytes: 2,
    bits: |value| float_bits(value, 5, 10),
};
const BF16: Number = Number {
    name: "bf16",
    bytes: 2,
    bits: |value| float_bits(value, 8, 7),
};
const F32: Number = Number {
    name: "f32",
    bytes: 4,
    bits: |value| float_bits(value, 8, 23),
};
const F64: Number = Number {
    name: "f64",
    bytes: 8,
    bits: |value| float_bits(value, 11, 52),
};
const I8: Number = Number {
    name: "i8",
    bytes: 1,
    bits: |value| u64::from(value.cast_unsigned()),
};
const I32: Number = Number {
    name: "i32",
    bytes: 4,
    bits: |value| u64::from(value.cast_unsigned()),
};

/// Multiplicands and sums.
const TYPES: [(Number, Number); 6] = [
    (F16, F32),
    (F16, F16),
    (BF16, F32),
    (F32, F32),
    (F64, F64),
    (I8, I32),
];
const TARGETS: [&str; 4] = ["sm_80", "sm_89", "sm_90a", "sm_120a"];

/// A kernel that adds the products of `steps` pairs of tiles to a tile, and its arrays.
struct Case {
    text: String,
    target: &'static str,
    arrays: [Vec<u8>; 3],
}

impl Case {
    fn new(seed: u64) -> Self {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut choose = |count: usize| random.random_range(0..count);
        let (number, sum) = TYPES[choose(TYPES.len())];
        let target = TARGETS[choose(TARGETS.len())];
        let batch = [0, 0, 1, 2, 4][choose(5)];
        let mut extent = |most: usize| 1 << choose(most);
        let (m, n, k) = (extent(7), extent(7), extent(7));
        let steps = extent(2);
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
        let a = view(number, m, k * steps, shape(m, k));
        let b = view(number, k * steps, n, shape(k, n));
        let c = view(sum, m, n, shape(m, n));
        let zeros = if batch == 0 { "" } else { "%zero, " };
        let (op, signs) = if number.name == I8.name {
            ("mmai", signs.as_str())
        } else {
            ("mmaf", "")
        };
        let tile = |number: Number, rows, columns| format!("tile<{}x{}>", shape(rows, columns), number.name);
        let (ta, tb, tc) = (tile(number, m, k), tile(number, k, n), tile(sum, m, n));
        let mut text = format!(
            "cuda_tile.module @m {{\n  entry @k(%a: tile<ptr<{0}>>, %b: tile<ptr<{0}>>, %c: tile<ptr<{1}>>) \
             optimization_hints=<{hint}default = {{}}> {{\n    %t = make_token : token\n    \
             %zero = constant <i32: 0> : tile<i32>\n    %one = constant <i32: 1> : tile<i32>\n    \
             %steps = constant <i32: {steps}> : tile<i32>\n",
            number.name, sum.name
        );
        for (name, number, (shape, strides, tensor, parts)) in
            [("a", number, &a), ("b", number, &b), ("c", sum, &c)]
        {
            text += &format!(
                "    %p{name} = assume div_by<16>, %{name} : tile<ptr<{}>>\n    \
                 %t{name} = make_tensor_view %p{name}, shape = [{shape}], strides = [{strides}] : {tensor}\n    \
                 %v{name} = make_partition_view %t{name} : {parts}\n",
                number.name
            );
        }
        text += &format!(
            "    %c0, %k0 = load_view_tko weak %vc[{zeros}%zero, %zero] token = %t : {vc}, tile<i32> -> {tc}, token\n    \
             %r = for %i in (%zero to %steps, step %one) : tile<i32> iter_values(%s = %c0) -> ({tc}) {{\n      \
             %la, %k1 = load_view_tko weak %va[{zeros}%zero, %i] token = %t : {va}, tile<i32> -> {ta}, token\n      \
             %lb, %k2 = load_view_tko weak %vb[{zeros}%i, %zero] token = %t : {vb}, tile<i32> -> {tb}, token\n      \
             %d = {op} %la, %lb, %s {signs} : {ta}, {tb}, {tc}\n      continue %d : {tc}\n    }}\n    \
             %k3 = store_view_tko weak %r, %vc[{zeros}%zero, %zero] token = %k0 : {tc}, {vc}, tile<i32> -> token\n    \
             return\n  }}\n}}\n",
            va = a.3,
            vb = b.3,
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
            array(number, m * k * steps),
            array(number, k * steps * n),
            array(sum, m * n),
        ];
        Self { text, target, arrays }
    }

    fn evaluated(&self, kernel: &TileKernel) -> Vec<u8> {
        let mut device = evaluator::Device::new(&kernel.module).expect("no globals");
        let arrays = self
            .arrays
            .clone()
            .map(|data| device.allocate("array", evaluator::Init::Data(data)));
        let args = arrays.map(evaluator::Arg::Pointer);
        device
            .launch(&kernel.func, [1, 1, 1], &args)
            .unwrap_or_else(|problem| panic!("{problem:#?}\n{}", self.text));
        device.read(arrays[2]).to_vec()
    }

    fn simulated(&self, ptx: &str) -> Vec<u8> {
        let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
        let mut device = simulator::Device::new();
        let arrays = self.arrays.clone().map(|data| {
            let length = data.len();
            device.alloc("array", length, simulator::Init::Data(data))
        });
        let args = arrays.map(simulator::Arg::from);
        device
            .launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &args)
            .unwrap_or_else(|fault| panic!("{fault}\n{}\n{ptx}", self.text));
        device.read(arrays[2]).to_vec()
    }
}

#[test]
fn products_agree_with_the_simulator() {
    let mut instructions = 0;
    let count = programs(PROGRAMS);
    for seed in 0..count {
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
        let options = compiler.options(Request {
            target: tilewright_irs::ptx::Target::parse(case.target),
            opt_level: if seed % 4 == 0 { 0 } else { 3 },
            ..Request::default()
        });
        let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
        let ptx = ptx.unwrap_or_else(|| panic!("seed {seed}\n{}\n{said:#?}", case.text));
        instructions += usize::from(ptx.contains("mma.sync"));
        assert!(case.simulated(&ptx) == want, "seed {seed}\n{}\n{ptx}", case.text);
    }
    // The rest is too short along K, or of f32.
    assert!(
        instructions as u64 * 4 > count,
        "{instructions} of {count} use an instruction"
    );
}
