//! Reading the input file and the options that all compiling commands share.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::dialects::route::ForcedRoute;

use crate::database::Compiler;
use crate::files::{open_program, print, read_program, write_file};
use crate::inputs::{Options, Request, Source};
use crate::launch::gpu::Gpu;
use crate::{reading, targets};

/// The options of every command that compiles.
#[derive(Clone, Debug, Args)]
pub(super) struct CompileOptions {
    /// The GPU to compile for, such as sm_90a; sm_90 means sm_90a [default: sm_90a, or the target that the text names]
    #[arg(long, value_name = "TARGET")]
    pub(super) target: Option<String>,
    /// Optimisation level: -O0 to -O3
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(super) opt_level: u8,
    /// Emit line information (.loc) in the PTX
    #[arg(long)]
    pub(super) lineinfo: bool,
    /// Fuse multiplications and additions, which rounds once instead of twice and so changes results
    #[arg(long)]
    pub(super) fmad: bool,
    /// Let results of all float ops differ from their definitions: flags with commas between, of nnan, ninf, nsz, arcp, contract (which is --fmad), afn and reassoc; all or fast for all of them
    #[arg(long, value_name = "FLAGS", value_parser = FastMath::parse)]
    fast_math: Option<FastMath>,
    /// Compile as if the program had this hint, whatever it says: num_worker_warps_per_cta, num_cta_in_cga, occupancy, latency, allow_tma or num_stages
    #[arg(long = "hint", value_name = "NAME=VALUE")]
    hints: Vec<String>,
    /// Have all accesses take this route that can, whatever would be chosen for them; needs -O1 or more
    #[arg(long, value_name = "ROUTE", value_parser = PossibleValuesParser::new(ForcedRoute::WORDS))]
    route: Option<String>,
    /// Have kernels of CuTe check what they assert, and that the layouts that they compose fit
    #[arg(long)]
    checks: bool,
    /// Verify the output of every pass (always done in debug builds)
    #[arg(long)]
    pub(super) verify_each: bool,
    /// Print the time of each pass to standard error
    #[arg(long)]
    pub(super) time_passes: bool,
    #[command(flatten)]
    pub(super) preview: Preview,
}

/// The preview content that a program may have.
#[derive(Clone, Debug, Args)]
pub(super) struct Preview {
    /// Read preview content of these features: simt
    #[arg(long = "preview", value_name = "FEATURE[,FEATURE]", value_parser = Features::parse)]
    features: Vec<Features>,
}

impl Preview {
    /// The features.
    pub(super) fn features(&self) -> Features {
        Features {
            simt: self.features.iter().any(|features| features.simt),
        }
    }

    /// Default options with these preview features, for a command that reads a file but does not compile it.
    pub(super) fn request(&self) -> Request {
        Request {
            preview: self.features(),
            ..Request::default()
        }
    }
}

impl CompileOptions {
    /// In what results may differ.
    fn fast_math(&self) -> FastMath {
        let fused = FastMath::NONE.with(FastMathFlag::Contract, self.fmad);
        fused.or(self.fast_math.unwrap_or_default())
    }

    /// The options as the compiler takes them.
    ///
    /// # Errors
    /// A diagnostic if there is no such target.
    pub(super) fn request(&self) -> Result<Request, Diagnostic<Location>> {
        let mut hints = HintOverrides::default();
        for hint in &self.hints {
            let set = match hint.split_once('=') {
                Some((name, value)) => hints.set(name, value),
                None => Err(format!("'{hint}': expected NAME=VALUE")),
            };
            set.map_err(|message| Diagnostic::error(Code::BadArgument, format!("--hint: {message}")))?;
        }
        Ok(Request {
            target: self.target.as_deref().map(targets::parse).transpose()?,
            opt_level: self.opt_level,
            lineinfo: self.lineinfo,
            fast_math: self.fast_math(),
            hints,
            route: self.route.as_deref().and_then(ForcedRoute::from_word),
            checks: self.checks,
            verify_each: self.verify_each || cfg!(debug_assertions),
            preview: self.preview.features(),
        })
    }
}

/// A compiler with one file.
#[derive(Debug)]
pub(super) struct Input {
    /// The compiler.
    pub(super) compiler: Compiler,
    /// The file.
    pub(super) source: Source,
    /// The options.
    pub(super) options: Options,
}

impl Input {
    /// Reads the file, which is compiled once; `-` is standard input.
    ///
    /// # Errors
    /// A diagnostic with the system's error message.
    pub(super) fn read(path: &Path, request: Request) -> Result<Self, Diagnostic<Location>> {
        Self::read_into(Compiler::once(), path, request)
    }

    /// Reads the file, to be launched on a GPU if there is one: it is compiled for that, unless a target is asked for or the text
    /// names one. Returns the request with that target.
    ///
    /// # Errors
    /// A diagnostic with the system's error message, or that of the GPU.
    pub(super) fn read_for(
        path: &Path,
        mut request: Request,
        gpu: Option<&Gpu>,
    ) -> Result<(Self, Request), Diagnostic<Location>> {
        let asked = request.target;
        if let (Some(gpu), None) = (gpu, asked) {
            request.target = Some(gpu.target()?).filter(|target| targets::SUPPORTED.contains(target));
        }
        let mut input = Self::read(path, request)?;
        if asked.is_none() && input.names_its_target() {
            request.target = None;
            input.compiler.change_options(input.options, request);
        }
        Ok((input, request))
    }

    /// Whether the file's kernels name their target.
    fn names_its_target(&self) -> bool {
        let db = &self.compiler;
        let mut kernels = reading::parse(db, self.source).kernels.iter();
        kernels.any(|kernel| kernel.body(db).target().is_some())
    }

    /// Reads the file into a compiler without files; `-` is standard input.
    ///
    /// # Errors
    /// A diagnostic with the system's error message.
    pub(super) fn read_into(
        mut compiler: Compiler,
        path: &Path,
        request: Request,
    ) -> Result<Self, Diagnostic<Location>> {
        let (name, bytes) = if path == Path::new("-") {
            ("<stdin>".to_owned(), read_program(path, std::io::stdin().lock())?)
        } else {
            (path.display().to_string(), open_program(path)?)
        };
        let source = compiler.add_source_with(name, bytes, request.preview);
        let options = compiler.options(request);
        Ok(Self {
            compiler,
            source,
            options,
        })
    }
}

/// The index of the kernel that a command applies to: the only one, or the one that is named.
///
/// # Errors
/// A diagnostic when no kernel has the name, or none is named and there are several.
pub(super) fn pick_kernel(
    names: &[&str],
    asked: Option<&str>,
    path: &Path,
) -> Result<usize, Diagnostic<Location>> {
    let list = || format!("the file's kernels are {}", names.join(", "));
    match (asked, names) {
        (Some(name), _) => names.iter().position(|known| *known == name).ok_or_else(|| {
            let message = format!("{} has no kernel `{name}`", path.display());
            Diagnostic::error(Code::BadArgument, message).help(list())
        }),
        (None, [_]) => Ok(0),
        (None, []) => {
            let message = format!("{} has no kernel", path.display());
            Err(Diagnostic::error(Code::BadArgument, message))
        }
        (None, _) => {
            let message = format!(
                "{} has {} kernels: name one with --kernel",
                path.display(),
                names.len()
            );
            Err(Diagnostic::error(Code::BadArgument, message).help(list()))
        }
    }
}

/// Writes a file, or standard output if there is no path or it is `-`.
///
/// # Errors
/// A diagnostic with the system's error message.
pub(super) fn write_output(path: Option<&PathBuf>, bytes: &[u8]) -> Result<(), Diagnostic<Location>> {
    match path {
        Some(path) if path != Path::new("-") => write_file(path, bytes),
        _ => print(bytes),
    }
}
