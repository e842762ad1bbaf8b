//! Every example compiles for every target, and ptxas, if available (`TILEWRIGHT_PTXAS`), accepts the PTX.

use tilewright::{Compiler, Language, Request, joins, ptxas, targets};
use tilewright_irs::isa::{IsaVersion, Target};
use tilewright_irs::machine::Machine;
use tilewright_tests::{corpus, needed};

#[test]
fn every_example_assembles_for_every_target() {
    let assembler = needed("TILEWRIGHT_PTXAS");
    let mut count = 0;
    let mut wrong = Vec::new();
    for (path, bytes) in corpus() {
        let name = path.display().to_string();
        if !name.ends_with(".13.5.tileirbc") {
            continue;
        }
        for &target in targets::SUPPORTED {
            for lineinfo in [false, true] {
                let mut compiler = Compiler::new();
                let source = compiler.add_source(&name, bytes.as_slice());
                let request = Request {
                    target: Some(target),
                    lineinfo,
                    ..Request::default()
                };
                let options = compiler.options(request);
                let (text, said) = joins::compile(&compiler, source, options, Language::Ptx);
                count += 1;
                match (text, &assembler) {
                    (None, _) => wrong.push(format!("{name} for {target}: {said:#?}")),
                    (Some(text), Some(assembler)) => {
                        if let Err(problem) = ptxas::assemble(assembler, &text, target, 3, lineinfo) {
                            wrong.push(format!(
                                "{name} for {target}: {} {:?}",
                                problem.message, problem.notes
                            ));
                        }
                    }
                    (Some(_), None) => {}
                }
            }
        }
    }
    assert!(count >= 16 * targets::SUPPORTED.len() * 2, "{count}");
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
