//! Elementary functions, compiled and run in the simulator, against the reference evaluator's in f64.
//!
//! An error is measured in units in the last place of the exact result. `TILEWRIGHT_SAMPLES=N` sets the number of operands
//! of each function and type; every operand of the 16-bit types is tried in any case.
//!
//!     TILEWRIGHT_SAMPLES=100000 cargo test -p tilewright-tests --test math_accuracy -- --ignored --nocapture

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::FileId;
use tilewright_evaluator::number::{Format, Overflow, convert, math};
use tilewright_irs::cuda_tile::{RoundingMode, Signedness};
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::element::ScalarType;
use tilewright_irs::ptx::Module;
use tilewright_simulator::{Arg, Device, Init};

const TILE: usize = 1024;

/// The result of a function in f64, of bits of f64.
type Exact = fn([u64; 2]) -> u64;

/// A function, and its result in f64.
struct Function {
    /// The op, with modifiers.
    op: &'static str,
    operands: usize,
    exact: Exact,
    /// The greatest error in f32 and f64.
    bounds: [f64; 2],
}

const F64: Format = Format::F64;

const FUNCTIONS: &[Function] = &[
    Function {
        op: "exp",
        operands: 1,
        exact: |[x, _]| math::exp(F64, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "exp2",
        operands: 1,
        exact: |[x, _]| math::exp2(F64, false, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "log",
        operands: 1,
        exact: |[x, _]| math::log(F64, x),
        bounds: [1.0, 1.0],
    },
    Function {
        op: "log2",
        operands: 1,
        exact: |[x, _]| math::log2(F64, x),
        bounds: [1.0, 1.0],
    },
    Function {
        op: "sin",
        operands: 1,
        exact: |[x, _]| math::sin(F64, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "cos",
        operands: 1,
        exact: |[x, _]| math::cos(F64, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "tan",
        operands: 1,
        exact: |[x, _]| math::tan(F64, x),
        bounds: [4.0, 1.0],
    },
    Function {
        op: "sinh",
        operands: 1,
        exact: |[x, _]| math::sinh(F64, x),
        bounds: [2.0, 2.0],
    },
    Function {
        op: "cosh",
        operands: 1,
        exact: |[x, _]| math::cosh(F64, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "tanh",
        operands: 1,
        exact: |[x, _]| math::tanh(F64, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "rsqrt",
        operands: 1,
        exact: |[x, _]| tilewright_evaluator::number::float::rsqrt(F64, false, x),
        bounds: [2.0, 1.0],
    },
    Function {
        op: "atan2",
        operands: 2,
        exact: |[y, x]| math::atan2(F64, y, x),
        bounds: [2.0, 2.0],
    },
    // The evaluator's own error in f64 is up to 0.8.
    Function {
        op: "fpowf",
        operands: 2,
        exact: |[x, y]| math::pow(F64, x, y),
        bounds: [2.0, 1.5],
    },
];

fn scalar(name: &str) -> ScalarType {
    match name {
        "f16" => ScalarType::F16,
        "bf16" => ScalarType::BF16,
        "f32" => ScalarType::F32,
        _ => ScalarType::F64,
    }
}

fn number(ty: ScalarType, bits: u64) -> f64 {
    convert::to_f64(ty, Signedness::Signed, bits)
}

/// The number of a format that is nearest to an f64.
fn nearest(format: Format, exact: f64) -> u64 {
    convert::float_to_float(
        F64,
        format,
        RoundingMode::NearestEven,
        Overflow::Ieee,
        exact.to_bits(),
    )
}

/// The kernel that applies an op, written on tiles of one element type each, to arrays.
fn compiled(op: &str, inputs: &[&str], output: &str, request: Request) -> Module {
    let mut text = format!("  %i = iota : tile<{TILE}xi32>\n  %x, %y, %z = get_tile_block_id : tile<i32>\n");
    text += &format!("  %n = constant <i32: {TILE}> : tile<i32>\n  %f = muli %x, %n : tile<i32>\n");
    text += &format!(
        "  %f1 = reshape %f : tile<i32> -> tile<1xi32>\n  %f2 = broadcast %f1 : tile<1xi32> -> tile<{TILE}xi32>\n"
    );
    text += &format!("  %at = addi %f2, %i : tile<{TILE}xi32>\n");
    let mut params = Vec::new();
    let all = inputs.iter().copied().chain([output]);
    for (at, ty) in all.enumerate() {
        params.push(format!("%p{at}: tile<ptr<{ty}>>"));
        text += &format!("  %q{at} = reshape %p{at} : tile<ptr<{ty}>> -> tile<1xptr<{ty}>>\n");
        text += &format!("  %r{at} = broadcast %q{at} : tile<1xptr<{ty}>> -> tile<{TILE}xptr<{ty}>>\n");
        text += &format!(
            "  %s{at} = offset %r{at}, %at : tile<{TILE}xptr<{ty}>>, tile<{TILE}xi32> -> tile<{TILE}xptr<{ty}>>\n"
        );
        if at < inputs.len() {
            text += &format!(
                "  %v{at}, %t{at} = load_ptr_tko weak %s{at} : tile<{TILE}xptr<{ty}>> -> tile<{TILE}x{ty}>, token\n"
            );
        }
    }
    let (word, modifiers) = op.split_once(' ').unwrap_or((op, ""));
    let values: Vec<String> = (0..inputs.len()).map(|at| format!("%v{at}")).collect();
    let mut types = format!("tile<{TILE}x{output}>");
    if word == "fpowi" {
        types += &format!(", tile<{TILE}x{}>", inputs[1]);
    }
    text += &format!("  %w = {word} {} {modifiers} : {types}\n", values.join(", "));
    let last = inputs.len();
    text += &format!(
        "  %done = store_ptr_tko weak %s{last}, %w : tile<{TILE}xptr<{output}>>, tile<{TILE}x{output}> -> token\n"
    );
    let text = format!(
        "cuda_tile.module @m {{\n entry @k({}) {{\n{text}  return\n }}\n}}\n",
        params.join(", ")
    );
    let mut compiler = Compiler::new();
    let source = compiler.add_source("function", text.as_bytes());
    let options = compiler.options(request);
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let ptx = ptx.unwrap_or_else(|| panic!("{text}\n{said:#?}"));
    let parsed = tilewright_grammar::ptx::parse(FileId(0), &ptx);
    assert!(parsed.diagnostics.is_empty(), "{ptx}");
    parsed.module
}

/// The results of a kernel on rows of operands.
fn run(module: &Module, inputs: &[&str], output: &str, rows: &[[u64; 2]]) -> Vec<u64> {
    let bytes = |ty: &str| match ty {
        "i8" => 1,
        "f16" | "bf16" | "i16" => 2,
        "f32" | "i32" => 4,
        _ => 8,
    };
    let mut device = Device::new();
    let mut args: Vec<Arg> = Vec::new();
    for (at, ty) in inputs.iter().enumerate() {
        let column = rows
            .iter()
            .flat_map(|row| row[at].to_le_bytes()[..bytes(ty)].to_vec());
        let data: Vec<u8> = column.collect();
        args.push(device.alloc("input", data.len(), Init::Data(data)).into());
    }
    let size = bytes(output);
    let out = device.alloc("output", rows.len() * size, Init::Poison);
    args.push(out.into());
    let blocks = u32::try_from(rows.len() / TILE).expect("few rows");
    device
        .launch(module, "k", [blocks, 1, 1], [1, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let results = device.read(out).chunks(size);
    results
        .map(|bytes| {
            bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte))
        })
        .collect()
}

/// The error of a result in units in the last place of the exact one; infinite for a wrong special case.
fn error(ty: ScalarType, have: u64, exact: f64) -> f64 {
    let rounded = nearest(Format::of(ty).expect("a float"), exact);
    let (have, want) = (number(ty, have), number(ty, rounded));
    if have.is_nan() || want.is_nan() {
        return if have.is_nan() && want.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if have == want {
        let signs = have.is_sign_negative() == want.is_sign_negative();
        if have == 0.0 || have.is_infinite() {
            return if signs { 0.0 } else { f64::INFINITY };
        }
    }
    let (stored, least) = match ty {
        ScalarType::F16 => (10, -14),
        ScalarType::BF16 => (7, -126),
        ScalarType::F32 => (23, -126),
        _ => (52, -1022),
    };
    if have.is_infinite() {
        return f64::INFINITY;
    }
    let exponent = match exact.abs() {
        0.0 => least,
        size if size.is_infinite() => return f64::INFINITY,
        // Of a subnormal f64 it is less than the least one anyway.
        size => ((size.to_bits() >> 52).cast_signed() as i32 - 1023).max(least),
    };
    let unit = exponent - stored;
    // In two steps: the unit may be no normal number.
    let scaled = (have - exact) * 2_f64.powi(-unit / 2) * 2_f64.powi(-unit - -unit / 2);
    scaled.abs()
}

/// Operands: special ones, all bit patterns of a 16-bit type, or random ones, half of them of moderate size.
fn operands(ty: ScalarType, count: usize, alone: bool, random: &mut ChaCha8Rng) -> Vec<u64> {
    let bits = ty.bits();
    let (stored, bias) = match ty {
        ScalarType::F16 => (10, 15),
        ScalarType::BF16 => (7, 127),
        ScalarType::F32 => (23, 127),
        _ => (52, 1023),
    };
    if bits == 16 && alone {
        return (0..1 << 16).collect();
    }
    let (sign, one, top) = (1u64 << (bits - 1), bias << stored, (2 * bias + 1) << stored);
    let half = one - (1 << stored);
    let mut special: Vec<u64> = vec![
        0,
        1,
        2,
        (1 << stored) - 1,
        1 << stored,
        half,
        one - 1,
        one,
        one + 1,
    ];
    special.extend([
        one + (1 << stored),
        one + (3 << (stored - 1)),
        top - 1,
        top,
        top + 1,
        top | (sign - 1),
    ]);
    // Near multiples of pi / 2, and near the limits of exponentials.
    let format = Format::of(ty).expect("a float");
    let angles = [1.0, 2.0, 3.0, 11.0, 710.0, 5e4, 1e6, 1e9].map(|n: f64| n * std::f64::consts::FRAC_PI_2);
    let limits = [
        88.0, 88.7, 89.4, 103.9, 128.0, 149.0, 150.0, 709.7, 710.4, 745.1, 1024.0, 1074.0, 1075.0,
    ];
    for near in angles.into_iter().chain(limits) {
        let at = nearest(format, near);
        special.extend([at - 1, at, at + 1].map(|bits| bits.min(top)));
    }
    let mut all: Vec<u64> = special.iter().flat_map(|&bits| [bits, bits | sign]).collect();
    while all.len() < count {
        let drawn: u64 = random.random();
        let negative = if random.random() { sign } else { 0 };
        let pattern = drawn & (sign - 1);
        all.push(if random.random() {
            pattern | negative
        } else {
            let exponent = bias - 12 + random.random_range(0..24);
            pattern & ((1 << stored) - 1) | exponent << stored | negative
        });
    }
    all
}

/// The worst error of a function, with its operands and result.
struct Worst {
    error: f64,
    row: [u64; 2],
    have: u64,
}

fn measured(function: &Function, name: &str, count: usize) -> Worst {
    let ty = scalar(name);
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let mut rows: Vec<[u64; 2]> = if function.operands == 1 {
        let all = operands(ty, count, true, &mut random);
        all.into_iter().map(|x| [x, 0]).collect()
    } else {
        let (xs, ys) = (
            operands(ty, count, false, &mut random),
            operands(ty, count, false, &mut random),
        );
        // Every special operand with every other one, too.
        let special = 72;
        let pairs = (0..special).flat_map(|i| (0..special).map(move |j| (i, j)));
        let pairs: Vec<_> = pairs.map(|(i, j)| [xs[i], ys[j]]).collect();
        xs.iter().zip(&ys).map(|(&x, &y)| [x, y]).chain(pairs).collect()
    };
    rows.resize(rows.len().next_multiple_of(TILE), [0, 0]);
    let inputs = vec![name; function.operands];
    let module = compiled(function.op, &inputs, name, Request::default());
    let results = run(&module, &inputs, name, &rows);
    let errors = rows.iter().zip(results).map(|(&row, have)| {
        let wide = row.map(|bits| number(ty, bits).to_bits());
        let exact = f64::from_bits((function.exact)(wide));
        let error = error(ty, have, exact);
        Worst { error, row, have }
    });
    errors
        .max_by(|a, b| a.error.total_cmp(&b.error))
        .expect("operands")
}

fn samples(few: usize) -> usize {
    let count = std::env::var("TILEWRIGHT_SAMPLES").ok();
    count.and_then(|count| count.parse().ok()).unwrap_or(few)
}

/// The bound of a function in a type: f16 and bf16 are computed in f32 and rounded once.
fn bound(function: &Function, name: &str) -> f64 {
    match name {
        "f32" => function.bounds[0],
        "f64" => function.bounds[1],
        _ => 0.501,
    }
}

/// The worst error of integer powers, with exponents of a type.
fn measured_powers(name: &str, exponents: &'static str, count: usize) -> Worst {
    let (ty, bits) = (scalar(name), if exponents == "i8" { 8 } else { 32 });
    let integer = if exponents == "i8" {
        ScalarType::I8
    } else {
        ScalarType::I32
    };
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let bases = operands(ty, count, false, &mut random);
    let mut rows: Vec<[u64; 2]> = Vec::new();
    for (at, base) in bases.into_iter().enumerate() {
        let drawn: i32 = random.random();
        // Of every size, the smallest and the greatest ones among them.
        let n = match at % 40 {
            0 => i32::MIN,
            1 => i32::MAX,
            2 => 0,
            _ => drawn >> random.random_range(0..32),
        };
        rows.push([base, u64::from(n.cast_unsigned()) & ((1 << bits) - 1)]);
        // Near 1, where large exponents give numbers.
        let one = nearest(Format::of(ty).expect("a float"), 1.0);
        rows.push([
            one + u64::from(drawn.cast_unsigned()) % 64 - 32,
            rows[rows.len() - 1][1],
        ]);
    }
    rows.resize(rows.len().next_multiple_of(TILE), [0, 0]);
    let inputs = [name, exponents];
    let results = run(
        &compiled("fpowi", &inputs, name, Request::default()),
        &inputs,
        name,
        &rows,
    );
    let errors = rows.iter().zip(results).map(|(&row, have)| {
        let exact = math::powi(F64, number(ty, row[0]).to_bits(), integer, row[1]);
        let error = error(ty, have, f64::from_bits(exact));
        Worst { error, row, have }
    });
    errors
        .max_by(|a, b| a.error.total_cmp(&b.error))
        .expect("operands")
}

/// An op that the flag `afn` lets an instruction approximate.
struct Approximated {
    op: &'static str,
    /// The instruction in the PTX.
    instruction: &'static str,
    exact: fn(f64) -> f64,
    /// The operands for which the bound holds.
    range: std::ops::Range<f32>,
    /// The greatest error at an operand with an exact result.
    bound: fn(f64, f64) -> f64,
}

const APPROXIMATED: &[Approximated] = &[
    Approximated {
        op: "exp",
        instruction: "ex2.approx.f32",
        exact: f64::exp,
        range: -80.0..80.0,
        bound: |x, exact| exact * (2_f64.powi(-22) + x.abs() * 2_f64.powi(-23)),
    },
    Approximated {
        op: "exp2",
        instruction: "ex2.approx.f32",
        exact: f64::exp2,
        range: -120.0..120.0,
        bound: |_, exact| exact * 2_f64.powi(-22),
    },
    Approximated {
        op: "log",
        instruction: "lg2.approx.f32",
        exact: f64::ln,
        range: 1e-30..1e30,
        bound: |_, exact| 2_f64.powi(-22) + exact.abs() * 2_f64.powi(-21),
    },
    Approximated {
        op: "log2",
        instruction: "lg2.approx.f32",
        exact: f64::log2,
        range: 0.1..4.0,
        bound: |_, exact| 2_f64.powi(-22) + exact.abs() * 2_f64.powi(-22),
    },
    Approximated {
        op: "sin",
        instruction: "sin.approx.f32",
        exact: f64::sin,
        range: -6.2..6.2,
        bound: |_, _| 2_f64.powi(-20),
    },
    Approximated {
        op: "cos",
        instruction: "cos.approx.f32",
        exact: f64::cos,
        range: -6.2..6.2,
        bound: |_, _| 2_f64.powi(-20),
    },
    Approximated {
        op: "tan",
        instruction: "div.approx.f32",
        exact: f64::tan,
        range: -1.5..1.5,
        bound: |_, exact| 2_f64.powi(-19) * (1.0 + exact * exact),
    },
    Approximated {
        op: "tanh",
        instruction: "tanh.approx.f32",
        exact: f64::tanh,
        range: -9.0..9.0,
        bound: |_, exact| exact.abs() * 2_f64.powi(-11),
    },
    Approximated {
        op: "sqrt rounding<nearest_even>",
        instruction: "sqrt.approx.f32",
        exact: f64::sqrt,
        range: 1e-30..1e30,
        bound: |_, exact| exact * 2_f64.powi(-23),
    },
];

#[test]
fn the_flag_afn_allows_instructions_and_their_errors() {
    let fast = Request {
        fast_math: FastMath::of(&[FastMathFlag::Approximate]),
        ..Request::default()
    };
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for Approximated {
        op,
        instruction,
        exact,
        range,
        bound,
    } in APPROXIMATED
    {
        let has = |module: &Module| module.to_string().contains(instruction);
        let module = compiled(op, &["f32"], "f32", fast);
        assert!(has(&module), "{op}: no {instruction} in {module}");
        let others = FastMath::ALL.with(FastMathFlag::Approximate, false);
        let without = compiled(
            op,
            &["f32"],
            "f32",
            Request {
                fast_math: others,
                ..fast
            },
        );
        assert_eq!(without, compiled(op, &["f32"], "f32", Request::default()), "{op}");
        let numbers: Vec<f32> = (0..TILE).map(|_| random.random_range(range.clone())).collect();
        let rows: Vec<[u64; 2]> = numbers.iter().map(|x| [u64::from(x.to_bits()), 0]).collect();
        for (x, have) in numbers.iter().zip(run(&module, &["f32"], "f32", &rows)) {
            let (x, have) = (f64::from(*x), number(ScalarType::F32, have));
            let exact = exact(x);
            let error = (have - exact).abs();
            assert!(error <= bound(x, exact), "{op} of {x} is {have}, not {exact}");
        }
    }
}

#[test]
fn integer_powers_are_within_their_bounds() {
    for name in TYPES {
        for exponents in ["i8", "i32"] {
            let Worst { error, row, have } = measured_powers(name, exponents, samples(4096));
            let bound = match name {
                "f32" => 2.0,
                "f64" => 1.5,
                _ => 0.501,
            };
            assert!(
                error <= bound,
                "{name} {exponents}: {error} of {row:x?}, which gives {have:x}"
            );
        }
    }
}

/// Approximations are the hardware's; the simulator's are better. The bound of `exp` is that of CUDA's `__expf`.
#[test]
fn approximations_are_within_their_bounds() {
    // Of a NaN it is 2.
    let exp: fn(f64) -> f64 = |x| 2.0 + (1.173 * x).abs().max(0.0);
    let tanh: fn(f64) -> f64 = |_| 8192.0;
    let cases: [(_, Exact, _); 2] = [
        ("exp rounding<approx>", |[x, _]| math::exp(F64, x), exp),
        ("tanh rounding<approx>", |[x, _]| math::tanh(F64, x), tanh),
    ];
    for (op, exact, bound) in cases {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let all = operands(ScalarType::F32, 2 * TILE, true, &mut random);
        let rows: Vec<[u64; 2]> = all.into_iter().map(|x| [x, 0]).collect();
        let results = run(
            &compiled(op, &["f32"], "f32", Request::default()),
            &["f32"],
            "f32",
            &rows,
        );
        for (row, have) in rows.iter().zip(results) {
            let x = number(ScalarType::F32, row[0]);
            let exact = f64::from_bits(exact([x.to_bits(), 0]));
            let error = error(ScalarType::F32, have, exact);
            let tiny = exact.abs() < f64::from(f32::MIN_POSITIVE) || exact > 3e38;
            assert!(tiny || error <= bound(x), "{op} of {x:e}: {error}");
        }
    }
}

const TYPES: [&str; 4] = ["f16", "bf16", "f32", "f64"];

#[test]
fn functions_are_within_their_bounds() {
    let mut wrong = Vec::new();
    for function in FUNCTIONS {
        for name in TYPES {
            let Worst { error, row, have } = measured(function, name, samples(4096));
            if error > bound(function, name) {
                wrong.push(format!(
                    "{} {name}: {error} of {row:x?}, which gives {have:x}",
                    function.op
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "a measurement, which prints a table"]
#[allow(clippy::print_stdout, reason = "a table for readers")]
fn the_worst_errors() {
    for function in FUNCTIONS {
        let row = TYPES.map(|name| {
            let Worst { error, row, have } = measured(function, name, samples(100_000));
            format!("{name} {error:.4} at {row:x?} = {have:x}")
        });
        println!("{:6} {}", function.op, row.join("; "));
    }
}
