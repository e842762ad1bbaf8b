//! The passes within `llvm_like` preserve results bit for bit.

#[allow(dead_code)]
mod machine;

use rand::{RngExt, SeedableRng};
use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Operation, Origin, ValueType, print_module, verify};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::llvm::{Llvm, LlvmOp};
use tilewright_irs::nvvm::native;
use tilewright_passes::llvm::{
    expand_float_remainder, expand_integer_division, legalize_small_floats, legalize_small_integers, simplify,
};

/// The threads of the test kernels; each applies the op to its own operands.
const THREADS: u32 = 640;

/// A kernel that applies one op to operands of `from`, loaded from the first arrays, and stores a `to`.
fn kernel(target: &str, op: &str, operands: usize, from: ScalarType, to: ScalarType) -> Func<Llvm> {
    let mut text = format!(
        "llvm.func @k(%p0: ptr<1>, %p1: ptr<1>, %p2: ptr<1>, %out: ptr<1>) \
         {{target = {target}, cute.kernel, nvvm.reqntid = {THREADS}, shared_bytes = 0}} body {{\n\
         %tid = llvm.read_special {{register = tid.x}} : i32\n\
         %i = arith.exti %tid {{signedness = unsigned}} : i64\n"
    );
    let size = from.bytes().expect("bytes");
    let mut line = |text_: String| text.push_str(&(text_ + "\n"));
    for n in 0..operands {
        line(format!(
            "%q{n} = llvm.getelementptr %p{n}, index %i {{scale = {size}, offset = 0}} : ptr<1>"
        ));
        line(format!(
            "%x{n} = llvm.load %q{n} {{align = {size}, order = weak}} : {from}"
        ));
    }
    let list: Vec<String> = (0..operands).map(|n| format!("%x{n}")).collect();
    let (name, attrs) = op.split_once(' ').unwrap_or((op, ""));
    line(format!("%r = arith.{name} {} {attrs} : {to}", list.join(", ")));
    let size = to.bytes().expect("bytes");
    line(format!(
        "%q = llvm.getelementptr %out, index %i {{scale = {size}, offset = 0}} : ptr<1>"
    ));
    line(format!("llvm.store %q, %r {{align = {size}, order = weak}}"));
    line("llvm.return\n}".to_owned());
    let parsed = parse_stage::<Llvm>(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let func = parsed.module.funcs.into_iter().next().expect("a function");
    verify(&func).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    func
}

type Pass = fn(&Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>>;

const PASSES: [Pass; 5] = [
    expand_float_remainder,
    expand_integer_division,
    legalize_small_floats,
    legalize_small_integers,
    simplify,
];

/// The function after all passes, each result verified, without ops that the target lacks.
fn legalised(func: &Func<Llvm>) -> Func<Llvm> {
    let mut func = func.clone();
    for pass in PASSES {
        func = pass(&func).expect("legal input");
        verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    }
    for id in func.body.walk() {
        let op = func.body.op(id);
        if let LlvmOp::Arith(arith) = &op.kind {
            let scalar = |value| func.body.ty(value).element().and_then(ElementType::scalar);
            let result = scalar(op.result(0)).expect("a scalar");
            let from = arith
                .operand_list()
                .first()
                .copied()
                .and_then(scalar)
                .unwrap_or(result);
            let func = print_module(&tilewright_irs::core::Module {
                funcs: vec![func.clone()],
            });
            let choice = matches!(arith.name(), "arith.constant" | "arith.select");
            assert!(
                choice || native(arith, from, result, target(&func)),
                "{} is left\n{func}",
                arith.name()
            );
        }
    }
    func
}

fn target(text: &str) -> tilewright_irs::ptx::Target {
    let start = text.find("target = ").expect("a target") + "target = ".len();
    let word: String = text[start..]
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    tilewright_irs::ptx::Target::parse(&word).expect("a target")
}

/// Special values.
fn special(ty: ScalarType) -> Vec<u64> {
    let top = 1u64 << (ty.bits() - 1);
    let mut list = vec![0, 1, 2, 3, 7, top - 1, top, top + 1, ty.mask(), ty.mask() - 1];
    let floats: &[u64] = match ty {
        ScalarType::F16 => &[0x3C00, 0x7C00, 0x7BFF, 0x7E00, 0x0400, 0x03FF, 0x4248],
        ScalarType::BF16 => &[0x3F80, 0x7F80, 0x7F7F, 0x7FC0, 0x0080, 0x007F, 0x4049],
        ScalarType::F32 => &[
            0x3F80_0000,
            0x7F80_0000,
            0x7F7F_FFFF,
            0x7FC0_0000,
            0x0080_0000,
            0x4049_0FDB,
            0x3F80_8000,
        ],
        ScalarType::F64 => &[
            0x3FF << 52,
            0x7FF << 52,
            (0x7FF << 52) - 1,
            0x7FF8 << 48,
            1 << 52,
            0x4009_21FB_5444_2D18,
        ],
        _ => &[],
    };
    list.extend(floats);
    list.extend(floats.iter().map(|bits| bits | top));
    list
}

/// Compares a kernel of one op with its legalized form, on special and on random operands, with all NaNs equal.
fn check(target: &str, op: &str, operands: usize, from: ScalarType, to: ScalarType) {
    let before = kernel(target, op, operands, from, to);
    let after = legalised(&before);
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    let special = special(from);
    let array = 8 * THREADS as usize;
    let division = op.starts_with("divi") || op.starts_with("remi");
    for round in 0..3usize {
        let mut memory = vec![0u8; 4 * array];
        let size = from.bytes().expect("bytes") as usize;
        for thread in 0..THREADS as usize {
            for n in 0..operands {
                let pick = match n {
                    0 => thread % special.len(),
                    1 => thread / special.len() % special.len(),
                    _ => thread % 5,
                };
                let mut bits = if round == 0 {
                    special[pick]
                } else {
                    random.random::<u64>() & from.mask()
                };
                if round == 2 && from.is_float() && n > 0 {
                    // Similar exponents, so that rounding occurs.
                    let first =
                        u64::from_le_bytes(memory[thread * size..thread * size + 8].try_into().expect("8"));
                    let low = from.bits() / 3;
                    bits = (first & from.mask() & !((1 << low) - 1)) ^ bits & ((1 << (low + 1)) - 1);
                }
                if division && n == 1 && (bits == 0 || bits == from.mask()) {
                    bits = 5; // Division by 0 and of the least number by -1 are undefined.
                }
                let at = n * array + thread * size;
                memory[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        let params: Vec<u64> = (0..4).map(|n| machine::GLOBAL + n * array as u64).collect();
        let (mut one, mut two) = (memory.clone(), memory);
        machine::run(&before, 1, &params, &mut one);
        machine::run(&after, 1, &params, &mut two);
        let size = to.bytes().expect("bytes") as usize;
        for thread in 0..THREADS as usize {
            let at = 3 * array + thread * size;
            if one[at..at + size] != two[at..at + size] {
                let read = |memory: &[u8], at: usize, size: usize| {
                    let mut word = [0; 8];
                    word[..size].copy_from_slice(&memory[at..at + size]);
                    u64::from_le_bytes(word)
                };
                let from_size = from.bytes().expect("bytes") as usize;
                let inputs: Vec<String> = (0..operands)
                    .map(|n| format!("{:#x}", read(&one, n * array + thread * from_size, from_size)))
                    .collect();
                panic!(
                    "{op} of {inputs:?} ({from} to {to}, {target}): {:#x} before, {:#x} after",
                    read(&one, at, size),
                    read(&two, at, size)
                );
            }
        }
    }
}

#[test]
fn integers_of_8_bits_wrap_as_before() {
    let ty = ScalarType::I8;
    for op in ["addi", "subi", "muli", "shli"] {
        check("sm_90a", &format!("{op} {{overflow = wraps}}"), 2, ty, ty);
    }
    for op in ["andi", "ori", "xori", "mulhiu"] {
        check("sm_90a", op, 2, ty, ty);
    }
    for signedness in ["signed", "unsigned"] {
        for op in ["mini", "maxi", "shri", "remi"] {
            check(
                "sm_90a",
                &format!("{op} {{signedness = {signedness}}}"),
                2,
                ty,
                ty,
            );
        }
        for predicate in ["eq", "ne", "lt", "le", "gt", "ge"] {
            let op = format!("cmpi {{predicate = {predicate}, signedness = {signedness}}}");
            check("sm_90a", &op, 2, ty, ScalarType::I1);
        }
    }
    check("sm_90a", "negi {overflow = wraps}", 1, ty, ty);
    check("sm_90a", "absi", 1, ty, ty);
}

#[test]
fn quotients_are_rounded_as_asked() {
    for ty in [ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64] {
        for (signedness, roundings) in [
            ("signed", &["zero", "down", "up"][..]),
            ("unsigned", &["zero", "up"]),
        ] {
            for rounding in roundings {
                let op = format!("divi {{signedness = {signedness}, rounding = {rounding}}}");
                check("sm_90a", &op, 2, ty, ty);
            }
        }
    }
}

#[test]
fn small_floats_are_rounded_once() {
    for target in ["sm_80", "sm_90a"] {
        for ty in [ScalarType::F16, ScalarType::BF16] {
            for rounding in ["nearest_even", "zero", "down", "up"] {
                for op in ["addf", "subf", "mulf"] {
                    check(target, &format!("{op} {{rounding = {rounding}}}"), 2, ty, ty);
                }
                check(target, &format!("divf {{precision = {rounding}}}"), 2, ty, ty);
                check(target, &format!("sqrtf {{precision = {rounding}}}"), 1, ty, ty);
                check(
                    target,
                    &format!("ftof {{rounding = {rounding}}}"),
                    1,
                    ScalarType::F32,
                    ty,
                );
            }
            check(target, "floorf", 1, ty, ty);
        }
        check(
            target,
            "cmpf {predicate = lt, ordering = ordered}",
            2,
            ScalarType::BF16,
            ScalarType::I1,
        );
    }
}

#[test]
fn directed_products_with_a_sum_are_rounded_once() {
    for rounding in ["zero", "down", "up"] {
        check(
            "sm_90a",
            &format!("fma {{rounding = {rounding}}}"),
            3,
            ScalarType::F16,
            ScalarType::F16,
        );
    }
}

#[test]
fn float_remainders_are_exact() {
    for ty in [
        ScalarType::F16,
        ScalarType::BF16,
        ScalarType::F32,
        ScalarType::F64,
    ] {
        check("sm_90a", "remf", 2, ty, ty);
    }
}

#[test]
fn floats_become_small_integers_within_their_range() {
    for signedness in ["signed", "unsigned"] {
        let op = format!("ftoi {{signedness = {signedness}, saturating}}");
        check("sm_90a", &op, 1, ScalarType::F32, ScalarType::I8);
    }
}
