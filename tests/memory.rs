//! The memory use of compiling a module of many kernels.

use peak_alloc::PeakAlloc;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::cuda_tile::{DebugInfo, TileModule, Version};
use tilewright_tests::repository;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const KERNELS: usize = 64;

/// The memory limit per kernel of the module below: 250 MB for a thousand.
const MOST: usize = 250_000;

/// A module of many copies of an example's kernel.
fn module() -> Vec<u8> {
    let path = repository().join("examples/bytecode/vector_add_2d.13.5.tileirbc");
    let example = std::fs::read(path).expect("an example");
    let example = bytecode::read(&example, FileId(0)).expect("bytecode");
    let mut module = TileModule::new(Version::LATEST);
    module.funcs = example
        .module
        .funcs
        .iter()
        .cycle()
        .take(KERNELS)
        .cloned()
        .collect();
    for (at, func) in module.funcs.iter_mut().enumerate() {
        func.name = format!("kernel_{at}");
    }
    bytecode::write(&module, &DebugInfo::default(), Version::LATEST).expect("a module that can be written")
}

/// The text that a compiler produces for the module, and its peak memory use in bytes.
fn compiled(mut compiler: Compiler, module: &[u8]) -> (String, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let source = compiler.add_source("module", module);
    let options = compiler.options(Request {
        verify_each: false,
        ..Request::default()
    });
    let (text, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let peak = ALLOCATOR.peak_usage() - before;
    (text.unwrap_or_else(|| panic!("{said:#?}")).to_string(), peak)
}

#[test]
fn a_compiler_for_one_use_drops_intermediate_results() {
    let module = module();
    let (text, once) = compiled(Compiler::once(), &module);
    let (same, kept) = compiled(Compiler::new(), &module);
    assert_eq!(text, same);
    assert!(
        once * 3 < kept,
        "{once} bytes, and {kept} when every language is kept"
    );
    assert!(
        once < KERNELS * MOST,
        "{once} bytes for {KERNELS} kernels, more than {MOST} for each"
    );
}
