//! What predictions know of a launch, from the command line.

use clap::Args;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::machine::{Chip, Machine};
use tilewright_irs::ptx::Target;
use tilewright_passes::scheduled::predict::Launch;

use crate::launch::gpu::Gpu;

/// The options of every command that predicts.
#[derive(Debug, Args)]
pub(super) struct LaunchOptions {
    /// The grid, in blocks [default: as many as reside on the GPU at a time]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = grid)]
    grid: Option<[u64; 3]>,
    /// The kernel's parameters in order, _ for what is not known or no integer: loops and branches may depend on them
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = parameter, allow_hyphen_values = true)]
    parameters: Vec<Parameter>,
    /// The iterations of loops whose bounds are not known [default: 32]
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// The bytes of memory that the grid accesses, each counted once [default: every access is to memory, but operands of matrix
    /// products are found in the cache]
    #[arg(long, value_name = "N")]
    bytes: Option<u64>,
    /// The GPU, such as H200 [default: the one that is measured on, or the usual one of the target]
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
}

impl LaunchOptions {
    /// The launch as the prediction takes it, of a kernel for a target; on a GPU, if it is measured as well.
    ///
    /// # Errors
    /// The target has no GPU of the name that is asked for.
    pub(super) fn launch(
        &self,
        target: Target,
        measured_on: Option<&Gpu>,
    ) -> Result<Launch, Diagnostic<Location>> {
        let machine = Machine::of(target);
        let own = measured_on.map(Gpu::name).transpose()?.unwrap_or_default();
        let chip = match &self.gpu {
            Some(name) => machine.chips().find(|chip| chip.is_called(name)),
            None => {
                let called = |chip: &Chip| own.split(' ').any(|word| chip.is_called(word));
                machine.chips().find(called)
            }
        };
        if let (Some(name), None) = (&self.gpu, chip) {
            let names: Vec<_> = machine.chips().map(|chip| chip.name).collect();
            let known = match names.is_empty() {
                true => "none is known".to_owned(),
                false => format!("expected one of {}", names.join(", ")),
            };
            let message = format!("--gpu: there is no {name} with {target}, {known}");
            return Err(Diagnostic::error(Code::BadArgument, message));
        }
        Ok(Launch {
            grid: self.grid,
            parameters: self.parameters.iter().map(|parameter| parameter.0).collect(),
            iterations: self.iterations,
            bytes: self.bytes,
            chip,
        })
    }

    /// The grid that is asked for.
    pub(super) fn grid(&self) -> Option<[u64; 3]> {
        self.grid
    }
}

/// A parameter of the kernel, if it is known.
#[derive(Clone, Copy, Debug)]
struct Parameter(Option<i64>);

fn parameter(word: &str) -> Result<Parameter, String> {
    match word {
        "_" => Ok(Parameter(None)),
        number => number
            .parse()
            .map(|number| Parameter(Some(number)))
            .map_err(|_| "expected an integer or _".to_owned()),
    }
}

fn grid(words: &str) -> Result<[u64; 3], String> {
    let extents: Result<Vec<u64>, _> = words.split(',').map(str::parse).collect();
    let mut grid = [1; 3];
    match extents {
        Ok(extents) if (1..=3).contains(&extents.len()) && !extents.contains(&0) => {
            grid.iter_mut()
                .zip(extents)
                .for_each(|(all, extent)| *all = extent);
            Ok(grid)
        }
        _ => Err("expected one to three positive extents, such as 64,32".to_owned()),
    }
}
