//! Runs a kernel `k` in the simulator, compiled, and in the reference evaluator.

use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_irs::isa::Target;
use tilewright_simulator as simulator;

/// The PTX of a program.
pub(crate) fn compiled(text: &str, request: Request) -> String {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", text.as_bytes());
    let options = compiler.options(request);
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    ptx.unwrap_or_else(|| panic!("{text}\n{said:#?}")).to_string()
}

/// The contents of the buffers after a launch in the simulator.
pub(crate) fn simulated(ptx: &str, buffers: &[Vec<u8>], blocks: [u32; 3]) -> Vec<Vec<u8>> {
    let module = tilewright_grammar::ptx::parse(FileId(0), ptx).module;
    let mut device = simulator::Device::new();
    let places: Vec<_> = buffers
        .iter()
        .map(|data| device.alloc("buffer", data.len(), simulator::Init::Data(data.clone())))
        .collect();
    let args: Vec<simulator::Arg> = places.iter().map(|&place| place.into()).collect();
    device
        .launch(&module, "k", blocks, [1, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{fault}\n{ptx}"));
    places.iter().map(|&place| device.read(place).to_vec()).collect()
}

/// The contents of the buffers after a launch in the reference evaluator.
fn evaluated(text: &str, buffers: &[Vec<u8>], blocks: [u32; 3]) -> Vec<Vec<u8>> {
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", text.as_bytes());
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let Stage::CudaTile(kernel) = parsed.kernels.first().expect("a kernel").body(&compiler).clone() else {
        panic!("no cuda_tile")
    };
    let kernel = TileKernel::clone(&kernel);
    let mut device = tilewright_evaluator::Device::new(&kernel.module).expect("a module");
    let places: Vec<_> = buffers
        .iter()
        .map(|data| device.allocate("buffer", tilewright_evaluator::Init::Data(data.clone())))
        .collect();
    let args: Vec<_> = places
        .iter()
        .map(|&place| tilewright_evaluator::Arg::Pointer(place))
        .collect();
    device
        .launch(&kernel.func, blocks, &args)
        .unwrap_or_else(|problem| panic!("{text}\n{problem:#?}"));
    places.iter().map(|&place| device.read(place).to_vec()).collect()
}

/// Asserts that a program writes the same memory both ways, for each of the targets and without optimisation.
pub(crate) fn same(text: &str, buffers: &[Vec<u8>], blocks: [u32; 3], targets: &[Target]) {
    let want = evaluated(text, buffers, blocks);
    for &target in targets {
        for opt_level in [0, 3] {
            let request = Request {
                target: Some(target),
                opt_level,
                ..Request::default()
            };
            let have = simulated(&compiled(text, request), buffers, blocks);
            assert!(have == want, "{target} at -O{opt_level}\n{text}");
        }
    }
}

/// The bytes of words.
pub(crate) fn bytes_of_words(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
