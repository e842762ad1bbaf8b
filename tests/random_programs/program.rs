//! A random program with its arrays, run by the evaluator and by the simulator.

use std::sync::Arc;

use tilewright::{Compiler, Language, Request, Stage, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_evaluator as evaluator;
use tilewright_simulator as simulator;

/// A module with the kernel `k`, whose parameters are the arrays and then the numbers.
pub(super) struct Program {
    pub(super) text: String,
    pub(super) target: &'static str,
    pub(super) arrays: Vec<Vec<u8>>,
    pub(super) numbers: Vec<i32>,
    pub(super) grid: [u32; 3],
}

impl Program {
    /// Compiles and runs the program; gives the PTX.
    ///
    /// # Errors
    /// The program is not accepted, or leaves other bytes than the evaluator: what happened.
    pub(super) fn check(&self, opt_level: u8) -> Result<Arc<str>, String> {
        let mut compiler = Compiler::new();
        let source = compiler.add_source("program", self.text.as_bytes());
        let parsed = reading::parse(&compiler, source);
        if !parsed.diagnostics.is_empty() {
            return Err(format!("{:#?}", parsed.diagnostics));
        }
        let kernel = parsed.kernels.first().ok_or("no kernel")?;
        let Stage::CudaTile(kernel) = kernel.body(&compiler).clone() else {
            return Err("no cuda_tile".to_owned());
        };
        let mut device = evaluator::Device::new(&kernel.module).map_err(|problem| format!("{problem:#?}"))?;
        let arrays = self
            .arrays
            .iter()
            .map(|data| device.allocate("array", evaluator::Init::Data(data.clone())));
        let arrays: Vec<_> = arrays.collect();
        let mut args: Vec<_> = arrays
            .iter()
            .map(|&array| evaluator::Arg::Pointer(array))
            .collect();
        let numbers = self
            .numbers
            .iter()
            .map(|number| u64::from(number.cast_unsigned()));
        args.extend(numbers.map(evaluator::Arg::Scalar));
        device
            .launch(&kernel.func, self.grid, &args)
            .map_err(|problem| format!("the evaluator: {problem:#?}"))?;
        let want: Vec<&[u8]> = arrays.iter().map(|&array| device.read(array)).collect();

        let options = compiler.options(Request {
            target: tilewright_irs::ptx::Target::parse(self.target),
            opt_level,
            ..Request::default()
        });
        let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
        let ptx = ptx.ok_or_else(|| format!("{said:#?}"))?;
        let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
        let mut device = simulator::Device::new();
        let arrays = self
            .arrays
            .iter()
            .map(|data| device.alloc("array", data.len(), simulator::Init::Data(data.clone())));
        let arrays: Vec<_> = arrays.collect();
        let mut args: Vec<_> = arrays.iter().copied().map(simulator::Arg::from).collect();
        args.extend(self.numbers.iter().copied().map(simulator::Arg::from));
        device
            .launch(&module, "k", self.grid, [1, 1, 1], 0, &args)
            .map_err(|fault| format!("{fault}\n{ptx}"))?;
        for (at, (&array, want)) in arrays.iter().zip(want).enumerate() {
            let have = device.read(array);
            if have != want {
                let differs = |(have, want): &(&u8, &u8)| have != want;
                let count = have.iter().zip(want).filter(differs).count();
                let first = have.iter().zip(want).position(|(have, want)| have != want);
                return Err(format!(
                    "array {at} differs in {count} of {} bytes, first at {first:?}\n{ptx}",
                    want.len()
                ));
            }
        }
        Ok(ptx)
    }
}
