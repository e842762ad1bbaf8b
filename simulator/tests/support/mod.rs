//! Runs single instructions and small kernels from PTX text.

#![allow(dead_code, reason = "each test file uses a part")]

use tilewright_diagnostics::FileId;
use tilewright_grammar::ptx::{Parsed, parse};
use tilewright_irs::ptx::{Class, Module, Type};
use tilewright_simulator::{Arg, Device, Fault, FaultKind, Init};

/// Reads a module, which has to be valid.
pub(crate) fn read(text: &str) -> (Module, Parsed) {
    let parsed = parse(FileId(0), text);
    assert_eq!(parsed.diagnostics, [], "in\n{text}");
    (parsed.module.clone(), parsed)
}

/// The head of every test kernel, with enough registers of each class.
pub(crate) fn kernel(parameters: &str, directives: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k({parameters})\n{directives}\n{{\n\
         .reg .pred %p<10>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<60>;\n.reg .b64 %rd<40>;\n.reg .f32 %f<20>;\n.reg .f64 %fd<20>;\n\
         {body}\n}}\n"
    )
}

/// The register number `index` that holds a value of type `ty`.
fn register(ty: Type, index: usize) -> String {
    format!("{}{index}", ty.class().prefix())
}

/// Executes `instruction` (its operands are `$d`, `$a`, `$b`, `$c`) for each row of operands, one thread each.
pub(crate) fn compute(instruction: &str, d: Type, sources: &[Type], rows: &[Vec<u64>]) -> Vec<u64> {
    let mut body = String::from(
        "ld.param.u64 %rd10, [in];\nld.param.u64 %rd11, [out];\nmov.u32 %r10, %tid.x;\nmov.u32 %r11, %ctaid.x;\n\
         mad.lo.u32 %r10, %r11, 128, %r10;\nmad.wide.u32 %rd11, %r10, 8, %rd11;\nmad.wide.u32 %rd10, %r10, 24, %rd10;\n",
    );
    let mut text = instruction.replace("$d", &register(d, 0));
    for (index, ty) in sources.iter().enumerate() {
        let name = register(*ty, index + 1);
        body += &format!("ld.global.b64 %rd12, [%rd10+{}];\n", index * 8);
        body += &match ty.class() {
            Class::Pred => format!("and.b64 %rd12, %rd12, 1;\nsetp.ne.u64 {name}, %rd12, 0;\n"),
            Class::B16 => format!("cvt.u16.u64 {name}, %rd12;\n"),
            Class::B32 => format!("cvt.u32.u64 {name}, %rd12;\n"),
            Class::B64 => format!("mov.u64 {name}, %rd12;\n"),
            Class::F32 => format!("cvt.u32.u64 %r12, %rd12;\nmov.b32 {name}, %r12;\n"),
            Class::F64 => format!("mov.b64 {name}, %rd12;\n"),
            Class::B128 => format!("mov.b128 {name}, {{%rd12, %rd12}};\n"),
        };
        text = text.replace(["$a", "$b", "$c"][index], &name);
    }
    body += &text;
    let name = register(d, 0);
    body += &match d.class() {
        Class::Pred => format!("\nselp.u64 %rd13, 1, 0, {name};\n"),
        Class::B16 => format!("\ncvt.u64.u16 %rd13, {name};\n"),
        Class::B32 => format!("\ncvt.u64.u32 %rd13, {name};\n"),
        Class::B64 => format!("\nmov.u64 %rd13, {name};\n"),
        Class::F32 => format!("\nmov.b32 %r12, {name};\ncvt.u64.u32 %rd13, %r12;\n"),
        Class::F64 => format!("\nmov.b64 %rd13, {name};\n"),
        Class::B128 => format!("\nmov.b128 {{%rd13, %rd12}}, {name};\n"),
    };
    body += "st.global.b64 [%rd11], %rd13;\nret;";
    let (module, _) = read(&kernel(".param .u64 in, .param .u64 out", ".reqntid 128", &body));
    let blocks = rows.len().div_ceil(128).max(1);
    let mut data = Vec::new();
    for at in 0..blocks * 128 {
        for source in 0..3 {
            let value = rows
                .get(at)
                .or(rows.first())
                .and_then(|row| row.get(source))
                .copied()
                .unwrap_or(0);
            data.extend(value.to_le_bytes());
        }
    }
    let mut device = Device::new();
    let input = device.alloc("in", data.len(), Init::Data(data));
    let output = device.alloc("out", blocks * 128 * 8, Init::Poison);
    device
        .launch(
            &module,
            "k",
            [blocks as u32, 1, 1],
            [1, 1, 1],
            0,
            &[input.into(), output.into()],
        )
        .unwrap_or_else(|fault| panic!("{instruction}: {fault}"));
    let words = device.read(output).chunks_exact(8);
    words
        .take(rows.len())
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight")))
        .collect()
}

/// Launches a kernel with one output of 32-bit words.
pub(crate) fn words(
    threads: u32,
    count: usize,
    directives: &str,
    body: &str,
) -> Result<Vec<u32>, Box<Fault>> {
    let body =
        format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmad.wide.u32 %rd2, %r1, 4, %rd1;\n{body}");
    let text = kernel(".param .u64 out", directives, &body);
    let (module, parsed) = read(&text);
    let mut device = Device::new();
    device.step_limit = 200_000;
    device.lines = parsed.lines(&text, 0);
    let out = device.alloc("out", count * 4, Init::Poison);
    device.launch(&module, "k", [1, 1, 1], [threads, 1, 1], 64, &[Arg::Pointer(out)])?;
    let words = device.read(out).chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
        .collect())
}

/// The fault of a kernel, which has to fail.
pub(crate) fn fault(threads: u32, body: &str) -> Box<Fault> {
    match words(threads, 64, "", body) {
        Ok(_) => panic!("no fault in\n{body}"),
        Err(fault) => fault,
    }
}

/// The kind of fault of a kernel, which has to fail.
pub(crate) fn fault_kind(threads: u32, body: &str) -> FaultKind {
    fault(threads, body).kind
}

/// A deterministic pseudorandom number generator.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// The input of kernels of [`with_input`]: word `at` of 4096.
pub(crate) fn input_word(at: u32) -> u32 {
    at * 3 + 1
}

/// Launches one block with an input of 4096 words at `%rd1`, and the thread's output word at `%rd2`; `%r1` is the
/// thread, `%r2` its warp, `%r3` the shared array `tile` of 8192 bytes, and `bars` has space for eight mbarriers.
pub(crate) fn with_input(threads: u32, body: &str) -> Result<Vec<u32>, FaultKind> {
    let body = format!(
        ".shared .align 128 .b8 tile[8192];\n.shared .align 8 .b8 bars[64];\nld.param.u64 %rd1, [in];\n\
         ld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nmov.u32 %r3, tile;\n\
         mad.wide.u32 %rd2, %r1, 4, %rd2;\n{body}\nret;"
    );
    let (module, _) = read(&kernel(".param .u64 in, .param .u64 out", "", &body));
    let mut device = Device::new();
    device.step_limit = 200_000;
    let input = (0..4096).flat_map(|at| input_word(at).to_le_bytes()).collect();
    let input = device.alloc("in", 4096 * 4, Init::Data(input));
    let out = device.alloc("out", threads as usize * 4, Init::Data(vec![]));
    device
        .launch(
            &module,
            "k",
            [1, 1, 1],
            [threads, 1, 1],
            0,
            &[Arg::Pointer(input), Arg::Pointer(out)],
        )
        .map_err(|fault| fault.kind)?;
    let words = device.read(out).chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
        .collect())
}
