//! Every example compiles for every target, and ptxas, if available (`TILEWRIGHT_PTXAS`), accepts the PTX.

use std::path::PathBuf;

use tilewright::{Compiler, Language, Request, joins, ptxas, targets};
use tilewright_tests::corpus;

#[test]
fn every_example_assembles_for_every_target() {
    let assembler = std::env::var_os("TILEWRIGHT_PTXAS").map(PathBuf::from);
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
