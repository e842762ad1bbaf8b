//! Atomics and reductions of every operation and type.

use crate::support::{kernel, read, words};
use half::{bf16, f16};
use tilewright_simulator::{Arg, Device, Init};

/// The contents of memory after an atomic, and its result; `old` and the operands are 64-bit words.
fn atomic(form: &str, space: &str, old: u64, operands: &[u64]) -> (u64, u64) {
    let ty = form.rsplit('.').next().expect("a type");
    let (class, moved) = match ty {
        "b16" | "f16" | "bf16" => ("%rs", 16),
        "b64" | "u64" | "s64" => ("%rd", 64),
        "f64" => ("%fd", 64),
        "f32" => ("%f", 32),
        _ => ("%r", 32),
    };
    let load = |register: &str, value: u64| match (class, moved) {
        ("%rs", _) => format!("mov.b16 {register}, {};\n", value & 0xffff),
        ("%fd", _) => format!(
            "mov.b64 %rd9, {};\nmov.b64 {register}, %rd9;\n",
            value.cast_signed()
        ),
        ("%f", _) => format!("mov.b32 %r9, {};\nmov.b32 {register}, %r9;\n", value as u32),
        ("%rd", _) => format!("mov.b64 {register}, {};\n", value.cast_signed()),
        _ => format!("mov.b32 {register}, {};\n", value as u32),
    };
    let mut body = ".shared .align 16 .b8 cell[16];\nmov.u64 %rd8, cell;\ncvta.shared.u64 %rd7, %rd8;\nadd.u64 %rd6, %rd1, 64;\n".to_owned();
    let address = match space {
        ".global" => "%rd6",
        ".shared" => "%rd8",
        _ => "%rd7",
    };
    body += &format!(
        "mov.b64 %rd10, {};\nst{space}.b64 [{address}], %rd10;\n",
        old.cast_signed()
    );
    let mut names = Vec::new();
    for (at, value) in operands.iter().enumerate() {
        let name = format!("{class}{}", at + 2);
        body += &load(&name, *value);
        names.push(name);
    }
    body += &format!(
        "atom{space}.{form} {class}1, [{address}], {};\n",
        names.join(", ")
    );
    body += &match class {
        "%rs" => "cvt.u64.u16 %rd11, %rs1;\n".to_owned(),
        "%rd" => "mov.b64 %rd11, %rd1;\n".replace("%rd1;", "%rd12;"),
        _ if moved == 64 => "mov.b64 %rd11, %fd1;\n".to_owned(),
        "%f" => "mov.b32 %r9, %f1;\ncvt.u64.u32 %rd11, %r9;\n".to_owned(),
        _ => "cvt.u64.u32 %rd11, %r1;\n".to_owned(),
    };
    if class == "%rd" {
        // `%rd1` is the output.
        body = body.replace(&format!("{form} %rd1,"), &format!("{form} %rd12,"));
        for (at, _) in operands.iter().enumerate() {
            body = body.replace(&format!("%rd{},", at + 2), &format!("%rd{},", at + 20));
            body = body.replace(&format!("%rd{};", at + 2), &format!("%rd{};", at + 20));
        }
    }
    body += &format!(
        "ld{space}.b64 %rd13, [{address}];\nst.global.b64 [%rd1], %rd13;\nst.global.b64 [%rd1+8], %rd11;\nret;"
    );
    let got = words(1, 32, "", &body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"));
    let word = |at: usize| u64::from(got[at]) | u64::from(got[at + 1]) << 32;
    (word(0), word(2))
}

#[test]
fn integers() {
    let minus = |value: u64| value.wrapping_neg();
    let cases: &[(&str, u64, &[u64], u64)] = &[
        ("add.u32", 5, &[7], 12),
        ("add.s32", 5, &[0xffff_fff9], 0xffff_fffe),
        ("add.u64", 1 << 40, &[5], (1 << 40) + 5),
        ("min.u32", 5, &[0xffff_ffff], 5),
        ("min.s32", 5, &[0xffff_ffff], 0xffff_ffff),
        ("max.u32", 5, &[0xffff_ffff], 0xffff_ffff),
        ("max.s32", 5, &[0xffff_ffff], 5),
        ("min.u64", minus(3), &[2], 2),
        ("min.s64", minus(3), &[2], minus(3)),
        ("max.u64", minus(3), &[2], minus(3)),
        ("max.s64", minus(3), &[2], 2),
        ("and.b32", 12, &[10], 8),
        ("or.b32", 12, &[10], 14),
        ("xor.b32", 12, &[10], 6),
        ("and.b64", 12 << 40, &[10 << 40], 8 << 40),
        ("or.b64", 12, &[10 << 40], 12 | 10 << 40),
        ("xor.b64", 12, &[10], 6),
        ("exch.b32", 12, &[10], 10),
        ("exch.b64", 12, &[10 << 40], 10 << 40),
        ("inc.u32", 12, &[12], 0),
        ("inc.u32", 11, &[12], 12),
        ("dec.u32", 0, &[12], 12),
        ("dec.u32", 13, &[12], 12),
        ("dec.u32", 12, &[12], 11),
        ("cas.b32", 12, &[12, 7], 7),
        ("cas.b32", 12, &[13, 7], 12),
        ("cas.b64", 12 << 40, &[12 << 40, 7 << 40], 7 << 40),
        ("cas.b16", 12, &[12, 7], 7),
        ("cas.b16", 12, &[13, 7], 12),
    ];
    for (form, old, operands, new) in cases {
        for space in [".global", ".shared", ""] {
            assert_eq!(
                atomic(form, space, *old, operands),
                (*new, *old),
                "{form} {space}"
            );
        }
    }
}

#[test]
fn floats() {
    let half = |value: f32| u64::from(f16::from_f32(value).to_bits());
    let brain = |value: f32| u64::from(bf16::from_f32(value).to_bits());
    let single = |value: f32| u64::from(value.to_bits());
    let cases = [
        ("add.noftz.f16", half(1.5), half(2.0), half(3.5)),
        ("add.noftz.bf16", brain(1.5), brain(2.0), brain(3.5)),
        (
            "add.noftz.f16x2",
            half(1.5) | half(4.0) << 16,
            half(2.0) | half(-1.0) << 16,
            half(3.5) | half(3.0) << 16,
        ),
        (
            "add.noftz.bf16x2",
            brain(1.5) | brain(4.0) << 16,
            brain(2.0) | brain(-1.0) << 16,
            brain(3.5) | brain(3.0) << 16,
        ),
        ("add.f32", single(1.5), single(2.0), single(3.5)),
        ("add.f64", 1.5f64.to_bits(), 2f64.to_bits(), 3.5f64.to_bits()),
        // Subnormal numbers of half types are preserved.
        ("add.noftz.f16", 1, 1, 2),
    ];
    for (form, old, operand, new) in cases {
        for space in [".global", ".shared"] {
            assert_eq!(atomic(form, space, old, &[operand]), (new, old), "{form} {space}");
        }
    }
    // Those of f32 are flushed in global memory only.
    assert_eq!(atomic("add.f32", ".global", 1, &[1]).0, 0);
    assert_eq!(atomic("add.f32", ".shared", 1, &[1]).0, 2);
}

#[test]
fn vectors_act_on_each_element() {
    let body = |text: &str| {
        format!(
            "add.u64 %rd3, %rd1, 64;\nmov.u32 %r10, 0x3C004000;\nmov.u32 %r11, 0x40003C00;\nst.global.v4.u32 [%rd3], {{%r10, %r11, %r10, %r11}};\n\
             {text}\nld.global.v4.u32 {{%r12, %r13, %r14, %r15}}, [%rd3];\nst.global.v4.u32 [%rd1], {{%r12, %r13, %r14, %r15}};\n\
             st.global.v2.u32 [%rd1+16], {{%r16, %r17}};\nret;"
        )
    };
    let run = |text: &str| words(1, 32, "", &body(text)).unwrap_or_else(|fault| panic!("{fault}"));
    // Halves of 1 and 2, with the larger ones as the result.
    let got = run("atom.global.max.noftz.v2.f16x2 {%r16, %r17}, [%rd3], {%r11, %r11};");
    assert_eq!(
        got[..6],
        [
            0x4000_4000,
            0x4000_3c00,
            0x3c00_4000,
            0x4000_3c00,
            0x3c00_4000,
            0x4000_3c00
        ]
    );
    let got = run(
        "mov.u32 %r16, 0;\nmov.u32 %r17, 0;\nred.global.add.noftz.v4.f16x2 [%rd3], {%r10, %r10, %r10, %r10};",
    );
    assert_eq!(got[..4], [0x4000_4400, 0x4200_4200, 0x4000_4400, 0x4200_4200]);
    let got = run(
        "mov.f32 %f1, 0f3F800000;\nst.global.v2.f32 [%rd3], {%f1, %f1};\natom.global.add.v2.f32 {%f2, %f3}, [%rd3], {%f1, %f1};\n\
         mov.b32 %r16, %f2;\nmov.b32 %r17, %f3;",
    );
    assert_eq!(got[..2], [0x4000_0000; 2]);
    assert_eq!(got[4..6], [0x3f80_0000; 2]);
    let got = run("mov.b32 {%rs1, %rs2}, %r10;\nmov.b32 {%rs3, %rs4}, %r11;\n\
         atom.global.min.noftz.v4.f16 {%rs5, %rs6, %rs7, %rs8}, [%rd3], {%rs3, %rs4, %rs1, %rs2};\nmov.b32 %r16, {%rs5, %rs6};\nmov.b32 %r17, {%rs7, %rs8};");
    assert_eq!(got[..2], [0x3c00_3c00, 0x3c00_3c00]);
    // The whole vector has to be aligned.
    let fault = words(
        1,
        32,
        "",
        "mov.u32 %r10, 0;\nred.global.add.noftz.v4.f16x2 [%rd1+8], {%r10, %r10, %r10, %r10};\nret;",
    )
    .expect_err("a fault");
    assert!(fault.to_string().contains("misaligned"), "{fault}");
}

#[test]
fn pairs_of_words_are_exchanged_at_once() {
    let run = |instruction: &str| {
        let text = kernel(
            ".param .u64 out",
            "",
            &format!(
                "ld.param.u64 %rd1, [out];\nmov.b64 %rd2, 1;\nmov.b64 %rd3, 2;\nmov.b64 %rd4, 3;\nst.global.v2.b64 [%rd1], {{%rd2, %rd3}};\n\
                 mov.b128 %rq1, {{%rd2, %rd3}};\nmov.b128 %rq2, {{%rd3, %rd4}};\n{instruction}\nmov.b128 {{%rd5, %rd6}}, %rq3;\n\
                 st.global.v2.b64 [%rd1+16], {{%rd5, %rd6}};\nret;"
            ),
        )
        .replace(".reg .pred", ".reg .b128 %rq<4>;\n.reg .pred");
        let mut device = Device::new();
        let out = device.alloc("out", 32, Init::Poison);
        device
            .launch(&read(&text).0, "k", [1, 1, 1], [1, 1, 1], 0, &[Arg::Pointer(out)])
            .unwrap_or_else(|fault| panic!("{fault}"));
        let words = device.read(out).chunks_exact(8);
        words
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight")))
            .collect::<Vec<u64>>()
    };
    assert_eq!(run("atom.global.exch.b128 %rq3, [%rd1], %rq2;"), [2, 3, 1, 2]);
    assert_eq!(
        run("atom.global.cas.b128 %rq3, [%rd1], %rq1, %rq2;"),
        [2, 3, 1, 2]
    );
    // One different word suffices.
    assert_eq!(
        run("mov.b128 %rq1, {%rd2, %rd4};\natom.global.cas.b128 %rq3, [%rd1], %rq1, %rq2;"),
        [1, 2, 1, 2]
    );
}
