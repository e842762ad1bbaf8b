//! Every example compiles for every target, and ptxas, if available (`TILEWRIGHT_PTXAS`), accepts the PTX.

use rayon::prelude::*;
use tilewright::{Compiler, Language, Request, joins, ptxas, targets};
use tilewright_irs::isa::{IsaVersion, Target};
use tilewright_irs::machine::{Machine, Multiprocessor};
use tilewright_irs::tileas::atoms::WgmmaAtom;
use tilewright_tests::{corpus, needed};

#[test]
fn every_example_assembles_for_every_target() {
    let assembler = needed("TILEWRIGHT_PTXAS");
    let mut files = corpus();
    files.retain(|(path, _)| path.display().to_string().ends_with(".13.5.tileirbc"));
    assert!(files.len() >= 16, "{}", files.len());
    let ways: Vec<_> = targets::SUPPORTED
        .iter()
        .flat_map(|&target| [false, true].map(|lineinfo| (target, lineinfo)))
        .collect();
    let jobs = files
        .par_iter()
        .flat_map(|file| ways.par_iter().map(move |way| (file, way)));
    let wrong: Vec<String> = jobs
        .filter_map(|((path, bytes), &(target, lineinfo))| {
            let name = path.display().to_string();
            let mut compiler = Compiler::once();
            let source = compiler.add_source(&name, bytes.as_slice());
            let request = Request {
                target: Some(target),
                lineinfo,
                ..Request::default()
            };
            let options = compiler.options(request);
            let (text, said) = joins::compile(&compiler, source, options, Language::Ptx);
            let Some(text) = text else {
                return Some(format!("{name} for {target}: {said:#?}"));
            };
            let problem = ptxas::assemble(assembler.as_deref()?, &text, target, 3, lineinfo).err()?;
            Some(format!(
                "{name} for {target}: {} {:?}",
                problem.message, problem.notes
            ))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// ptxas takes as much declared shared memory as the table of machines says, and not a byte more.
#[test]
fn a_kernel_declares_as_much_shared_memory_as_its_machine_lets_it() {
    let Some(assembler) = needed("TILEWRIGHT_PTXAS") else {
        return;
    };
    let accepts = |target: Target, bytes: u64| {
        let version = IsaVersion::LATEST;
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.visible .entry kernel()\n{{\n\
             .shared .b8 memory[{bytes}];\n.reg .b32 %r;\nmov.b32 %r, memory;\nst.shared.b32 [%r], %r;\nret;\n}}\n"
        );
        ptxas::assemble(&assembler, &text, target, 3, false).is_ok()
    };
    // ptxas has dropped others.
    for target in Target::known().filter(|&target| accepts(target, 1024)) {
        let most = Machine::of(target).multiprocessor.shared_static.0;
        assert!(accepts(target, most), "{target}: {most}");
        assert!(!accepts(target, most + 1), "{target}: {most}");
    }
}

/// A kernel of so many threads whose only product has `n` columns, and sums of `sum_bits` bits.
fn product(threads: u32, n: u32, sum_bits: u32, a_in_registers: bool) -> String {
    let sums: Vec<String> = (0..n * sum_bits / 64).map(|at| format!("%sum{at}")).collect();
    let sums = sums.join(", ");
    let (ty, kind) = match sum_bits {
        32 => ("f32", "f32"),
        _ => ("f16", "b32"),
    };
    let (a, transposed) = match a_in_registers {
        true => ("{%a0, %a1, %a2, %a3}", "0"),
        false => ("%descriptor", "0, 0"),
    };
    let mut lines = format!(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n.reqntid {threads}, 1, 1\n{{\n\
         .reg .{kind} {sums};\n.reg .b32 %a<4>;\n.reg .b64 %descriptor, %out;\nld.param.u64 %out, [out];\n\
         ld.global.b64 %descriptor, [%out];\n"
    );
    for at in 0..4 {
        lines += &format!("ld.global.b32 %a{at}, [%out + {}];\n", 8 + 4 * at);
    }
    for sum in sums.split(", ") {
        lines += &format!("ld.global.{kind} {sum}, [%out];\n");
    }
    lines += &format!(
        "wgmma.fence.sync.aligned;\n\
         wgmma.mma_async.sync.aligned.m64n{n}k16.{ty}.f16.f16 {{{sums}}}, {a}, %descriptor, 1, 1, 1, {transposed};\n\
         wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    );
    for (at, sum) in sums.split(", ").enumerate() {
        lines += &format!("st.global.{kind} [%out + {}], {sum};\n", 4 * at);
    }
    lines + "ret;\n}\n"
}

/// ptxas accepts a product of a warp group exactly if the threads begin with the registers that the atom says.
#[test]
fn products_need_the_registers_that_their_atom_says() {
    let Some(assembler) = needed("TILEWRIGHT_PTXAS") else {
        return;
    };
    let target = Target::sm_a(90);
    for block in [512, 640, 1024] {
        let begin = Multiprocessor::thread_registers(block, 1);
        for (sum_bits, a_in_registers) in [(32, false), (32, true), (16, false), (16, true)] {
            let needed = |n| WgmmaAtom::of(n).registers(sum_bits, a_in_registers);
            let most = (8..=256)
                .step_by(8)
                .filter(|&n| needed(n) <= begin)
                .max()
                .unwrap_or(8);
            for n in [most, most + 8] {
                let text = product(block, n.min(256), sum_bits, a_in_registers);
                let accepted = ptxas::assemble(&assembler, &text, target, 3, false);
                let what = format!(
                    "{block} threads, n = {n}, {sum_bits} bits, A in registers: {a_in_registers}: {accepted:?}"
                );
                assert_eq!(accepted.is_ok(), n == most || n > 256, "{what}");
            }
        }
    }
}
