//! Launches for commands that measure, and what predictions may know of them.

use clap::ArgMatches;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_passes::scheduled::predict::Launch as PredictedLaunch;

use super::arguments::{ArgumentOptions, Grid, wanted};
use crate::database::Compiler;
use crate::inputs::Request;
use crate::kernel::Kernel;
use crate::launch::allowance::Compared;
use crate::launch::arguments::{Bound, Wanted};
use crate::launch::configuration::Configured;
use crate::launch::gpu::{Arrays, Gpu, Image, Loaded};
use crate::launch::invent::{self, Guess, Inputs};
use crate::launch::{Launch, Parameter, reference, roles};
use crate::units::{PtxKernel, Stage};
use crate::{ptxas, source_map};

/// The extent of open dimensions of arrays that are made up, unless they are too large then.
const SIZE: u64 = 4096;

/// The GPU.
///
/// # Errors
/// Why there is none, and what to do without one.
pub(super) fn open_gpu(advice: &str) -> Result<Gpu, Diagnostic<Location>> {
    Gpu::open().map_err(|problem| match problem.code {
        Code::NoGpu => problem.help(advice),
        _ => problem,
    })
}

/// A launch with its arguments.
#[derive(Debug)]
pub(super) struct Job {
    /// The launch.
    pub(super) launch: Launch,
    wanted: Vec<Wanted>,
    /// The arrays whose contents the kernel may change.
    pub(super) compared: Vec<Compared>,
}

impl Job {
    /// The launch with the arguments that are given, or with made-up ones.
    ///
    /// # Errors
    /// Which argument cannot be used, or what is missing.
    pub(super) fn new(
        options: &ArgumentOptions,
        db: &Compiler,
        kernel: Kernel<'_>,
        ptx: Option<&PtxKernel>,
        grid: Option<[u64; 3]>,
        matches: Option<&ArgMatches>,
    ) -> Result<Self, Diagnostic<Location>> {
        let bad = |message: String| Diagnostic::error(Code::BadArgument, message);
        let own = kernel.body(db);
        let name = kernel.name(db);
        let program = match own {
            Stage::CudaTile(program) => Some(program),
            _ => None,
        };
        let wanted = match (ptx, program) {
            (Some(ptx), _) => wanted(ptx, own),
            (None, program) => program
                .map(|program| reference::wanted(program))
                .unwrap_or_default(),
        };
        let grid = grid.map(Grid::of).transpose();
        let grid = grid.map_err(|message| bad(format!("--grid: {message}")))?;
        let grid = grid.map(|Grid(grid)| grid);
        let Some(program) = program.filter(|_| options.is_empty() && !wanted.is_empty()) else {
            let bound = options.bind(&wanted, matches)?;
            let grid = grid.or_else(|| invent::grid_of(own, &bound)).ok_or_else(|| {
                bad("the program does not say how many tile blocks there are".to_owned())
                    .help("give their number with --grid X[,Y[,Z]]")
            })?;
            return Ok(Self::of(name, grid, bound, wanted, &[]));
        };
        let roles = roles::roles(program);
        let mut size = options.size.unwrap_or(SIZE);
        loop {
            let guess = Guess::all(&roles, Some(size)).into_iter().next();
            let guess = guess.ok_or_else(|| bad("no inputs were made up".to_owned()))?;
            match invent::inputs(program, &roles, guess, options.seed) {
                Ok(Inputs {
                    bound,
                    listed,
                    grid: made,
                    ..
                }) => return Ok(Self::of(name, grid.unwrap_or(made), bound, wanted, &listed)),
                Err(_) if options.size.is_none() && size > 1 => size /= 2,
                Err(problem) => return Err(source_map::place(problem, kernel.places(db), name)),
            }
        }
    }

    /// Puts the kernel on a GPU, as this text: assembled by ptxas, if there is one, as in place of NVIDIA's compiler, else by the
    /// driver.
    ///
    /// # Errors
    /// Why it cannot be launched, or an error of the assembler or of the driver.
    pub(super) fn load<'a>(
        &self,
        gpu: &Gpu,
        ptx: &PtxKernel,
        text: &str,
        options: &Request,
        arrays: &'a Arrays<'_>,
    ) -> Result<Loaded<'a>, Diagnostic<Location>> {
        let configured = Configured::new(ptx, &self.launch, gpu.target()?);
        let configured = configured.map_err(|refusal| refusal.map_location(|_| None))?;
        let assemble = |ptxas| ptxas::assemble(ptxas, text, ptx.target, options.opt_level, options.lineinfo);
        let cubin = ptxas::find(None).ok().as_deref().map(assemble).transpose()?;
        let image = match &cubin {
            Some(cubin) => Image::Cubin(cubin),
            None => Image::Ptx(text),
        };
        Loaded::of(image, &configured, &self.launch, arrays)
    }

    fn of(
        kernel: &str,
        grid: [u32; 3],
        bound: Bound,
        wanted: Vec<Wanted>,
        listed: &[invent::Listed],
    ) -> Self {
        let compared = |(buffer, dtype)| Compared { buffer, dtype };
        let own = bound.owners.iter().flatten().copied().map(compared);
        let listed = listed
            .iter()
            .map(|listed| compared((listed.buffer, listed.dtype)));
        Self {
            compared: own.chain(listed).collect(),
            wanted,
            launch: Launch {
                kernel: kernel.to_owned(),
                grid,
                block: None,
                cluster: None,
                dynamic_shared: None,
                cooperative: false,
                programmatic: false,
                parameters: bound.parameters,
                buffers: bound.buffers,
                addresses: bound.addresses,
                names: bound.names,
                empty: bound.empty,
                max_steps: None,
                deadline: None,
                unspecified: Vec::new(),
            },
        }
    }

    /// What the prediction may know of it, beside what it has been told.
    pub(super) fn predicted(&self, mut told: PredictedLaunch) -> PredictedLaunch {
        told.grid.get_or_insert(self.launch.grid.map(u64::from));
        if told.parameters.is_empty() {
            let parameters = self.launch.parameters.iter().zip(&self.wanted);
            told.parameters = parameters
                .map(|(parameter, wanted)| integer(parameter, wanted))
                .collect();
        }
        let bytes = self.launch.buffers.iter().map(|array| array.data.len() as u64);
        told.bytes.get_or_insert(bytes.sum());
        told
    }
}

/// The value of a parameter that is an integer.
fn integer(parameter: &Parameter, wanted: &Wanted) -> Option<i64> {
    let (Parameter::Scalar(bytes), Some(ElementType::Scalar(ty))) = (parameter, wanted.ty) else {
        return None;
    };
    if !ty.is_int() {
        return None;
    }
    let mut wide = [0; 8];
    wide.iter_mut().zip(bytes).for_each(|(wide, byte)| *wide = *byte);
    let unused = 64u32.saturating_sub(8 * u32::try_from(bytes.len()).ok()?);
    match ty {
        ScalarType::I1 => Some(i64::from(wide != [0; 8])),
        _ => Some((i64::from_le_bytes(wide) << unused) >> unused),
    }
}
