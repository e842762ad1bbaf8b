//! A file large enough for parallel reading, verification and printing gives the results of its kernels alone.

use tilewright_diagnostics::{Code, FileId, Location};
use tilewright_grammar::bytecode::{Bytecode, read, write};
use tilewright_irs::cuda_tile::{DebugInfo, TileModule, Version, print_tile_module, verify_module};

/// The number of kernels, each of about twenty ops.
const KERNELS: usize = 1_000;

/// A module of many copies of an example's kernels.
fn large() -> TileModule {
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/bytecode/vector_add.13.5.tileirbc"
    );
    let example = read(&std::fs::read(example).expect("an example"), FileId(0)).expect("bytecode");
    let mut module = TileModule::new(Version::LATEST);
    let kernels = example.module.funcs.iter().cycle().take(KERNELS);
    module.funcs = kernels.cloned().collect();
    for (n, func) in module.funcs.iter_mut().enumerate() {
        func.name = format!("kernel_{n}");
    }
    module
}

fn written(module: &TileModule) -> Vec<u8> {
    write(module, &DebugInfo::default(), Version::LATEST).expect("a module that can be written")
}

fn found_in(bytes: &[u8]) -> Bytecode {
    read(bytes, FileId(0)).expect("bytecode")
}

#[test]
fn kernels_come_in_their_order() {
    let module = large();
    let found = found_in(&written(&module));
    assert!(found.module == module);
    assert_eq!(found.offsets.len(), KERNELS);
    assert!(found.offsets.is_sorted_by_key(|offsets| offsets.func));
    let text = print_tile_module(&module, None);
    let alone = module.funcs.iter().map(|func| {
        let mut alone = TileModule::new(Version::LATEST);
        alone.funcs.push(func.clone());
        print_tile_module(&alone, None)
    });
    assert!(text == alone.collect::<String>());
}

#[test]
fn errors_are_reported_in_file_order() {
    let mut module = large();
    let mut bytes = written(&module);
    let found = found_in(&bytes);
    let places = [950, 17, 400].map(|kernel: usize| found.offsets[kernel].ops[3] as usize);
    for at in places {
        bytes[at] = 127;
    }
    let said: Vec<_> = read(&bytes, FileId(0))
        .expect_err("unknown ops")
        .into_iter()
        .map(|problem| (problem.code, problem.primary.expect("a place").at))
        .collect();
    let wanted = [places[1], places[2], places[0]].map(|at| {
        let at = Location::Offset {
            file: FileId(0),
            offset: at as u64,
        };
        (Code::UnknownOpcode, at)
    });
    assert_eq!(said, wanted);

    for kernel in [900, 30] {
        module.funcs[kernel].name = "kernel_1".to_owned();
    }
    let said = verify_module(&module).expect_err("names given twice");
    let funcs: Vec<_> = said.iter().map(|problem| problem.func).collect();
    assert_eq!(funcs, [Some(30), Some(900)]);
}
