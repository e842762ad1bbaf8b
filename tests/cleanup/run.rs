//! Runs programs in the reference evaluator, and passes on programs.

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_evaluator::{Arg, Device, Init};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::core::{Func, Origin};
use tilewright_irs::cuda_tile::{CudaTile, TileModule, verify_module};
use tilewright_passes::cleanup::{eliminate_dead_code, merge_common_subexpressions};
use tilewright_passes::cuda_tile::{canonicalize, fuse_multiply_add, hoist_tile_invariants, split_loops};

/// A pass within the language.
pub(crate) type TilePass = fn(&Func<CudaTile>) -> Result<Func<CudaTile>, Vec<Diagnostic<Origin>>>;

/// The pass of that name in the pipeline.
pub(crate) fn tile_pass(name: &str) -> TilePass {
    match name {
        "hoist_tile_invariants" => hoist_tile_invariants,
        "split_loops" => split_loops,
        "canonicalize" => canonicalize,
        "fuse_multiply_add" => fuse_multiply_add,
        "merge_common_cuda_tile_subexpressions" => merge_common_subexpressions::<CudaTile>,
        "eliminate_dead_cuda_tile_code" => eliminate_dead_code::<CudaTile>,
        other => panic!("the pass `{other}` is not tried here"),
    }
}

/// Parses a text, which has to be valid.
pub(crate) fn parsed(text: &str) -> TileModule {
    let parsed = parse_tile_text(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    verify_module(&parsed.module).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    parsed.module
}

/// Runs a pass on a module; the result has to be valid.
pub(crate) fn passed(module: &TileModule, pass: TilePass) -> TileModule {
    let mut module = module.clone();
    for func in &mut module.funcs {
        *func = pass(func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    }
    verify_module(&module).unwrap_or_else(|problems| panic!("{problems:#?}"));
    module
}

/// The outcome of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The stored integer and float, with all NaNs equal, and the output.
    Did(Vec<u8>, Option<u32>, String),
    /// Undefined behaviour.
    Undefined(String),
}

/// The arguments of programs: those whose floats are small integers, and others.
const WHOLE: &[(i32, i32, f32, f32)] = &[(0, 0, 0.0, -0.0), (1, 5, 3.0, -2.0), (-7, 2, -64.0, 13.0)];
const OTHERS: &[(i32, i32, f32, f32)] = &[
    (-3, 6, 1.0e-39, 3.0e38),
    (i32::MAX, i32::MIN, f32::INFINITY, 0.1),
    (12345, 3, f32::NAN, 7.0),
];

/// Evaluates the program for each of the arguments; `whole` selects those whose floats are small integers.
pub(crate) fn evaluated(module: &TileModule, whole: bool) -> Vec<Outcome> {
    let run = |&(a, b, x, y): &(i32, i32, f32, f32)| {
        let mut device = Device::new(module).expect("a device");
        device.limit_steps(1 << 16);
        let integer = device.allocate("p", Init::Data(vec![0; 4]));
        let float = device.allocate("q", Init::Data(vec![0; 4]));
        let bits = |value: i32| Arg::Scalar(u64::from(value.cast_unsigned()));
        let arguments = [
            Arg::Pointer(integer),
            Arg::Pointer(float),
            bits(a),
            bits(b),
            Arg::Scalar(u64::from(x.to_bits())),
            Arg::Scalar(u64::from(y.to_bits())),
        ];
        let kernel = module.funcs.first().expect("a kernel");
        if let Err(fault) = device.launch(kernel, [1, 1, 1], &arguments) {
            return Outcome::Undefined(fault.message);
        }
        let number = f32::from_le_bytes(<[u8; 4]>::try_from(device.read(float)).expect("four bytes"));
        let number = (!number.is_nan()).then(|| number.to_bits());
        Outcome::Did(device.read(integer).to_vec(), number, device.printed().to_owned())
    };
    let others = if whole { &[] } else { OTHERS };
    WHOLE.iter().chain(others).map(run).collect()
}
