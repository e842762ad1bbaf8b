//! What fast-math flags allow: random programs of f32 have the same results without flags, and with them results within the
//! error that the flag allows.

#[allow(dead_code)]
mod machine;

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Origin, verify};
use tilewright_irs::llvm::Llvm;
use tilewright_passes::llvm::{balance_sums, contract_products, divide_by_reciprocals, simplify_floats};

type Pass = fn(&Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>>;

const PASSES: [Pass; 4] = [
    simplify_floats,
    divide_by_reciprocals,
    contract_products,
    balance_sums,
];

const THREADS: usize = 32;
/// The numbers that each thread loads.
const INPUTS: usize = 6;
/// Half the distance of 1 to the next number.
const UNIT: f64 = 1.0 / 16_777_216.0;

/// The flags that each kind of op has in a program, as they stand in its text.
#[derive(Clone, Copy)]
struct Flags<'a> {
    sum: &'a str,
    quotient: &'a str,
    fma: &'a str,
    comparison: &'a str,
}

const NO_FLAGS: Flags<'static> = Flags {
    sum: "",
    quotient: "",
    fma: "",
    comparison: "",
};

/// A program: its text, and of each value that it stores a bound of its relative error.
struct Program {
    text: String,
    errors: Vec<f64>,
}

/// The beginning of a program, up to its inputs `%v0`, `%v1`, ….
fn beginning() -> String {
    let mut text = format!(
        "llvm.func @k(%p: ptr<1>, %out: ptr<1>) {{target = sm_90a, cute.kernel, nvvm.reqntid = {THREADS}, shared_bytes = 0}} body {{
  %tid = llvm.read_special {{register = tid.x}} : i32
  %i = arith.exti %tid {{signedness = unsigned}} : i64
  %base = llvm.getelementptr %p, index %i {{scale = {}, offset = 0}} : ptr<1>\n",
        4 * INPUTS
    );
    for n in 0..INPUTS {
        let _ = writeln!(
            text,
            "  %q{n} = llvm.getelementptr %base {{scale = 1, offset = {}}} : ptr<1>
  %v{n} = llvm.load %q{n} {{align = 4, order = weak}} : f32",
            4 * n
        );
    }
    text
}

/// Stores the values of these numbers, and ends the program.
fn end(text: &mut String, values: &[usize]) {
    let _ = writeln!(
        text,
        "  %to = llvm.getelementptr %out, index %i {{scale = {}, offset = 0}} : ptr<1>",
        4 * values.len()
    );
    for (place, value) in values.iter().enumerate() {
        let _ = writeln!(
            text,
            "  %o{place} = llvm.getelementptr %to {{scale = 1, offset = {}}} : ptr<1>
  llvm.store %o{place}, %v{value} {{align = 4, order = weak}}",
            4 * place
        );
    }
    text.push_str("  llvm.return\n}\n");
}

/// Any ops on any numbers, each result stored.
fn any_numbers(rng: &mut ChaCha8Rng, flags: Flags<'_>) -> Program {
    let Flags {
        sum,
        quotient,
        fma,
        comparison,
    } = flags;
    let mut text = beginning();
    let mut count = INPUTS;
    for number in ["0.0", "-0.0", "1.0", "-2.5", "0x7F800000", "0xFF800000"] {
        let _ = writeln!(
            text,
            "  %v{count} = arith.constant {{value = f32<{number}>}} : f32"
        );
        count += 1;
    }
    let stored = count..count + 24;
    for r in stored.clone() {
        let [a, b, c] = [(); 3].map(|()| rng.random_range(0..r));
        let rounding = ["nearest_even", "zero", "down", "up"][rng.random_range(0..4usize)];
        let _ = match rng.random_range(0..6) {
            0 => writeln!(
                text,
                "  %v{r} = arith.addf %v{a}, %v{b} {{rounding = {rounding}{sum}}} : f32"
            ),
            1 => writeln!(
                text,
                "  %v{r} = arith.subf %v{a}, %v{b} {{rounding = {rounding}{sum}}} : f32"
            ),
            2 => writeln!(
                text,
                "  %v{r} = arith.mulf %v{a}, %v{b} {{rounding = {rounding}{sum}}} : f32"
            ),
            3 => writeln!(
                text,
                "  %v{r} = arith.divf %v{a}, %v{b} {{precision = {rounding}{quotient}}} : f32"
            ),
            4 => writeln!(
                text,
                "  %v{r} = arith.fma %v{a}, %v{b}, %v{c} {{rounding = {rounding}{fma}}} : f32"
            ),
            _ => {
                let predicate = ["eq", "ne", "lt", "le", "gt", "ge"][rng.random_range(0..6usize)];
                let ordering = ["ordered", "unordered"][rng.random_range(0..2usize)];
                writeln!(
                    text,
                    "  %c{r} = arith.cmpf %v{a}, %v{b} {{predicate = {predicate}, ordering = {ordering}{comparison}}} : i1
  %v{r} = arith.select %c{r}, %v{b}, %v{c} : f32"
                )
            }
        };
    }
    end(&mut text, &stored.clone().collect::<Vec<_>>());
    Program {
        text,
        errors: vec![0.0; stored.len()],
    }
}

/// Sums, products and quotients of positive numbers, whose errors do not grow by cancellation. The last few are stored.
fn positive_numbers(rng: &mut ChaCha8Rng, flags: Flags<'_>) -> Program {
    let Flags { sum, quotient, .. } = flags;
    let mut text = beginning();
    let mut errors = vec![0.0; INPUTS];
    for number in ["3.0", "0.7", "1.25"] {
        let r = errors.len();
        let _ = writeln!(text, "  %v{r} = arith.constant {{value = f32<{number}>}} : f32");
        errors.push(0.0);
    }
    while errors.len() < 40 {
        let r = errors.len();
        let recent = |rng: &mut ChaCha8Rng| r - 1 - rng.random_range(0..3usize);
        let (a, b) = (recent(rng), rng.random_range(0..r));
        // With flags the result may be rounded once more, and reciprocals err by 1.5 units.
        let rounded = errors[a] + errors[b] + 3.0 * UNIT;
        let _ = match rng.random_range(0..4) {
            0 | 1 => writeln!(
                text,
                "  %v{r} = arith.addf %v{a}, %v{b} {{rounding = nearest_even{sum}}} : f32"
            ),
            2 if rounded < 1e-5 => {
                writeln!(
                    text,
                    "  %v{r} = arith.mulf %v{b}, %v{a} {{rounding = nearest_even{sum}}} : f32"
                )
            }
            _ => writeln!(
                text,
                "  %v{r} = arith.divf %v{a}, %v{b} {{precision = nearest_even{quotient}}} : f32"
            ),
        };
        errors.push(rounded);
    }
    let stored: Vec<usize> = (errors.len() - 6..errors.len()).collect();
    end(&mut text, &stored);
    Program {
        text,
        errors: stored.iter().map(|&value| errors[value]).collect(),
    }
}

fn parsed(text: &str) -> Func<Llvm> {
    let parsed = parse_stage::<Llvm>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.module.funcs.into_iter().next().expect("a kernel")
}

fn passed(func: &Func<Llvm>) -> Func<Llvm> {
    let mut func = func.clone();
    for pass in PASSES {
        func = pass(&func).expect("a sound kernel");
        verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    }
    func
}

/// The numbers that each thread stores.
fn results(func: &Func<Llvm>, inputs: &[f32], stored: usize) -> Vec<f32> {
    let mut memory: Vec<u8> = inputs.iter().flat_map(|number| number.to_le_bytes()).collect();
    let start = memory.len();
    memory.resize(start + 4 * THREADS * stored, 0);
    let params = [machine::GLOBAL, machine::GLOBAL + start as u64];
    machine::run(func, 1, &params, &mut memory);
    let words = memory[start..].chunks(4);
    words
        .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect()
}

#[test]
fn without_flags_nothing_changes() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..100 {
        for program in [
            any_numbers(&mut rng, NO_FLAGS),
            positive_numbers(&mut rng, NO_FLAGS),
        ] {
            let func = parsed(&program.text);
            assert_eq!(passed(&func), func);
        }
    }
}

/// Each set of `nnan`, `ninf` and `nsz`, with values that its flags allow: a result that no flag speaks of is the same.
#[test]
fn flags_about_special_numbers_allow_what_they_say_and_no_more() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for set in 0..8 {
        let [nnan, ninf, nsz] = [1, 2, 4].map(|flag| set & flag != 0);
        let words = |some: &[(bool, &str)]| {
            let words: Vec<&str> = some.iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
            format!(", fast_math = [{}]", words.join(", "))
        };
        let number = words(&[(nnan, "nnan"), (ninf, "ninf"), (nsz, "nsz")]);
        let comparison = words(&[(nnan, "nnan"), (ninf, "ninf")]);
        let flags = Flags {
            sum: &number,
            quotient: &number,
            fma: &number,
            comparison: &comparison,
        };
        let mut values = vec![0.0, -0.0, 1.5, -3.25, 7.0, 1e-3];
        values.extend([f32::INFINITY, f32::NEG_INFINITY].iter().filter(|_| !ninf));
        values.extend([f32::NAN].iter().filter(|_| !nnan));
        let (mut compared, mut changed) = (0, 0);
        for _ in 0..60 {
            let program = any_numbers(&mut rng, flags);
            let func = parsed(&program.text);
            let fast = passed(&func);
            changed += usize::from(fast != func);
            let inputs: Vec<f32> = (0..THREADS * INPUTS)
                .map(|_| values[rng.random_range(0..values.len())])
                .collect();
            let stored = program.errors.len();
            let (want, have) = (results(&func, &inputs, stored), results(&fast, &inputs, stored));
            for (want, have) in want.chunks(stored).zip(have.chunks(stored)) {
                for (&want, &have) in want.iter().zip(have) {
                    // What follows from a number that the flags promise not to be there may be anything.
                    if nnan && want.is_nan() || ninf && want.is_infinite() {
                        break;
                    }
                    compared += 1;
                    let same_sign = nsz || want.is_sign_negative() == have.is_sign_negative();
                    let same = want == have && (want != 0.0 || same_sign) || want.is_nan() && have.is_nan();
                    assert!(same, "{want:?}, {have:?}: set {set}\n{}", program.text);
                    // Zeros of different signs have different quotients.
                    if nsz && want == 0.0 {
                        break;
                    }
                }
            }
        }
        assert!(compared > 1_500, "{compared} results of set {set}");
        assert!(
            changed > 30 || set == 0 || set == 2,
            "{changed} programs of set {set}"
        );
    }
}

#[test]
fn other_flags_allow_errors_of_rounding() {
    let all = Flags {
        sum: ", fast_math = [contract, reassoc]",
        quotient: ", fast_math = [arcp]",
        ..NO_FLAGS
    };
    let contract = Flags {
        sum: ", fast_math = [contract]",
        ..NO_FLAGS
    };
    let reassociate = Flags {
        sum: ", fast_math = [reassoc]",
        ..NO_FLAGS
    };
    let reciprocal = Flags {
        quotient: ", fast_math = [arcp]",
        ..NO_FLAGS
    };
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for flags in [all, contract, reassociate, reciprocal] {
        let (mut compared, mut different) = (0, 0);
        for _ in 0..80 {
            let program = positive_numbers(&mut rng, flags);
            let func = parsed(&program.text);
            let fast = passed(&func);
            let inputs: Vec<f32> = (0..THREADS * INPUTS)
                .map(|_| rng.random_range(0.5_f32..2.0))
                .collect();
            let stored = program.errors.len();
            let (want, have) = (results(&func, &inputs, stored), results(&fast, &inputs, stored));
            for (place, (&want, &have)) in want.iter().zip(&have).enumerate() {
                let (want, have) = (f64::from(want), f64::from(have));
                if !(1e-30..1e30).contains(&want) {
                    continue;
                }
                let allowed = 2.0 * program.errors[place % stored] * want;
                compared += 1;
                different += usize::from(want != have);
                assert!(
                    (want - have).abs() <= allowed,
                    "{want:e}, {have:e}\n{}",
                    program.text
                );
            }
        }
        assert!(
            compared > 5_000 && different > compared / 40,
            "{different} of {compared}: {}{}",
            flags.sum,
            flags.quotient
        );
    }
}
