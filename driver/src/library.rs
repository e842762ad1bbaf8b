//! The compiler as a library: the bytes of a program in, PTX or a cubin and diagnostics out. This interface is stable; other
//! parts of this crate may change with any version.
//!
//! A call shares nothing with another one, so that any number may run at once, with different options. It reads no files besides
//! those of ptxas, writes nothing to standard output or standard error, and does not end the process; a bug of the compiler is a
//! diagnostic like any other. (A hook keeps its panics silent. It is installed at the first call, and leaves other panics to the
//! hook before it.)
//!
//! ```
//! use tilewright::{Artifact, CompileOptions, compile};
//!
//! let program = "cuda_tile.module @m {\n  entry @k() {\n    return\n  }\n}\n";
//! let options = CompileOptions {
//!     target: Some("sm_80".to_owned()),
//!     ..CompileOptions::default()
//! };
//! let result = compile(program.as_bytes(), &options);
//! assert!(matches!(result.artifact, Some(Artifact::Ptx(text)) if text.contains(".entry k")));
//!
//! let result = compile(b"cuda_tile.module @m {\n  entry\n}\n", &options);
//! assert!(result.artifact.is_none());
//! assert_eq!((result.diagnostics[0].code, result.diagnostics[0].line), ("E0209", Some(2)));
//! ```

use std::path::PathBuf;

pub use tilewright_diagnostics::Severity;
use tilewright_diagnostics::{Code, Diagnostic, Files, Location, SourcePosition};
use tilewright_irs::cuda_tile::HintOverrides;
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::dialects::fast_math::{FastMath, FastMathFlag};
use tilewright_irs::ptx::is_portable;

use crate::database::Compiler;
use crate::inputs::Request;
use crate::units::{Language, PtxKernel, Stage};
use crate::{joins, panics, pipeline, ptxas, reading, targets};

/// What [`compile`] makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emit {
    /// PTX text.
    #[default]
    Ptx,
    /// A cubin, which NVIDIA's ptxas makes of the PTX.
    Cubin,
}

/// The options of [`compile`]. New ones may be added: begin with [`CompileOptions::default`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// The name of the program in diagnostics.
    pub name: String,
    /// The kind of output.
    pub emit: Emit,
    /// The GPU, such as `sm_90a`; without one, the GPU that a text names, or `sm_90a`.
    pub target: Option<String>,
    /// The optimisation level, 0 to 3.
    pub opt_level: u8,
    /// Whether there are line tables.
    pub lineinfo: bool,
    /// Whether multiplications and additions may be fused, which rounds once instead of twice.
    pub fmad: bool,
    /// In what the results of all float ops may differ from their definitions.
    pub fast_math: FastMath,
    /// Whether the output of every pass is verified.
    pub verify_each: bool,
    /// Hints that replace those of the program: pairs of a name, such as `num_worker_warps_per_cta`, and a value.
    pub hints: Vec<(String, String)>,
    /// The features whose preview content the program may have, with commas between: `simt`.
    pub preview: String,
    /// The ptxas, or its folder; without one it is searched in the usual places.
    pub ptxas: Option<PathBuf>,
}

impl Default for CompileOptions {
    fn default() -> Self {
        let Request {
            opt_level,
            lineinfo,
            fast_math,
            verify_each,
            ..
        } = Request::default();
        Self {
            name: "<program>".to_owned(),
            emit: Emit::Ptx,
            target: None,
            opt_level,
            lineinfo,
            fmad: false,
            fast_math,
            verify_each,
            hints: Vec::new(),
            preview: String::new(),
            ptxas: None,
        }
    }
}

impl CompileOptions {
    /// Sets an option by its name to the value that a text says, as interfaces to other languages do. `hint` adds a hint,
    /// `NAME=VALUE`.
    ///
    /// # Errors
    /// A message with the known names, or with the valid values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Message> {
        let bad = |wanted: &str| Message::bad_argument(format!("option {name} = {value}: expected {wanted}"));
        let switch = || value.parse::<bool>().map_err(|_| bad("true or false"));
        match name {
            "name" => self.name = value.to_owned(),
            "emit" => match value {
                "ptx" => self.emit = Emit::Ptx,
                "cubin" => self.emit = Emit::Cubin,
                _ => return Err(bad("ptx or cubin")),
            },
            "target" => self.target = Some(value.to_owned()),
            "opt_level" => self.opt_level = value.parse().map_err(|_| bad("0 to 3"))?,
            "lineinfo" => self.lineinfo = switch()?,
            "fmad" => self.fmad = switch()?,
            "fast_math" => {
                let flags = FastMath::parse(value);
                self.fast_math =
                    flags.map_err(|why| Message::bad_argument(format!("option {name}: {why}")))?;
            }
            "verify_each" => self.verify_each = switch()?,
            "hint" => {
                let (hint, value) = value.split_once('=').ok_or_else(|| bad("NAME=VALUE"))?;
                self.hints.push((hint.to_owned(), value.to_owned()));
            }
            "preview" => self.preview = value.to_owned(),
            "ptxas" => self.ptxas = Some(value.into()),
            _ => {
                let names = "name, emit, target, opt_level, lineinfo, fmad, fast_math, verify_each, hint, preview, ptxas";
                let message = format!("there is no option '{name}', expected one of {names}");
                return Err(Message::bad_argument(message));
            }
        }
        // Found out here rather than when a program is compiled.
        request(self)
            .map(|_| ())
            .map_err(|problem| Message::of(problem, &Files::new()))
    }
}

/// The output of a compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Artifact {
    /// PTX text.
    Ptx(String),
    /// A cubin.
    Cubin(Vec<u8>),
}

impl Artifact {
    /// The bytes of the file.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Ptx(text) => text.as_bytes(),
            Self::Cubin(bytes) => bytes,
        }
    }
}

/// A diagnostic as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The severity.
    pub severity: Severity,
    /// The stable code, such as `E0401`.
    pub code: &'static str,
    /// The message, which makes sense alone.
    pub message: String,
    /// The file: the program's name, or that of a source file in its debug information.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// More lines: what to do, where else to look, the calls that led there.
    pub notes: Vec<String>,
}

impl Message {
    /// An error in the options or the arguments of a call.
    pub fn bad_argument(message: impl Into<String>) -> Self {
        Self::of(Diagnostic::error(Code::BadArgument, message), &Files::new())
    }

    fn of(diagnostic: Diagnostic<Location>, files: &Files) -> Self {
        let primary = diagnostic.primary.as_ref();
        let position = primary.map(|label| SourcePosition::of(&label.at, files));
        let at = position.as_ref().and_then(|position| position.at);
        let others = diagnostic.secondary.iter().map(|label| {
            let SourcePosition { file, at } = SourcePosition::of(&label.at, files);
            let place = at.map_or(file.clone(), |(line, column)| format!("{file}:{line}:{column}"));
            format!("{place}: {}", label.message)
        });
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.name(),
            message: diagnostic.message,
            file: position.map(|position| position.file),
            line: at.map(|(line, _)| line),
            column: at.map(|(_, column)| column),
            notes: others.chain(diagnostic.help).chain(diagnostic.notes).collect(),
        }
    }
}

/// What a launch of a compiled kernel must observe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The name of the kernel.
    pub name: String,
    /// The threads of a block, if the kernel requires a number. A launch in blocks of one thread has as many too.
    pub threads: Option<[u32; 3]>,
    /// The blocks of a cluster, if the kernel requires a shape. The grid is made of whole clusters.
    pub cluster: Option<[u32; 3]>,
    /// Whether the function needs the attribute `NON_PORTABLE_CLUSTER_SIZE_ALLOWED` for its clusters.
    pub needs_large_clusters: bool,
    /// Whether the launch has to say the shape of a cluster.
    pub leaves_cluster_to_launch: bool,
    /// Whether the grid counts clusters instead of blocks.
    pub grid_counts_clusters: bool,
    /// Bytes of shared memory that the kernel declares.
    pub shared_bytes: u64,
    /// Whether the launch has to say the bytes of dynamic shared memory. The function needs the attribute
    /// `MAX_DYNAMIC_SHARED_SIZE_BYTES` for more than 48 KiB.
    pub has_dynamic_shared: bool,
}

impl KernelLaunch {
    fn of(kernel: &PtxKernel) -> Self {
        let (entry, module) = (&kernel.entry, kernel.module());
        let launch = &entry.launch;
        Self {
            name: entry.name.0.clone(),
            threads: launch.required_threads,
            cluster: launch.required_cluster,
            needs_large_clusters: launch.required_cluster.is_some_and(|shape| !is_portable(shape)),
            leaves_cluster_to_launch: launch.explicit_cluster && launch.required_cluster.is_none(),
            grid_counts_clusters: launch.blocks_are_clusters,
            shared_bytes: module.shared_bytes(entry),
            has_dynamic_shared: module.dynamic_shared(entry).next().is_some(),
        }
    }
}

/// What [`compile`] returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileResult {
    /// What was made; nothing after an error.
    pub artifact: Option<Artifact>,
    /// How the kernels of the artifact are launched, in the program's order.
    pub kernels: Vec<KernelLaunch>,
    /// Errors and warnings.
    pub diagnostics: Vec<Message>,
}

/// Compiles a program: Tile IR bytecode, or the text of any language of the compiler.
pub fn compile(program: &[u8], options: &CompileOptions) -> CompileResult {
    panics::install_hook();
    let mut compiler = Compiler::once();
    let outcome = stacker::maybe_grow(crate::ENOUGH, crate::STACK, || {
        panics::caught(|| make(&mut compiler, program, options))
    });
    let (made, said) = outcome.unwrap_or_else(|message| {
        let bug = Diagnostic::bug("library", "compile", message, "tilewright compile <the program>");
        (None, vec![bug])
    });
    let (artifact, kernels) = made.unzip();
    let files = compiler.files();
    CompileResult {
        artifact,
        kernels: kernels.unwrap_or_default(),
        diagnostics: said.into_iter().map(|one| Message::of(one, &files)).collect(),
    }
}

type Made = (Option<(Artifact, Vec<KernelLaunch>)>, Vec<Diagnostic<Location>>);

fn make(compiler: &mut Compiler, program: &[u8], asked: &CompileOptions) -> Made {
    let request = match request(asked) {
        Ok(request) => request,
        Err(problem) => return (None, vec![problem]),
    };
    let source = compiler.add_source_with(asked.name.as_str(), program, request.preview);
    let options = compiler.options(request);
    let (text, mut said) = joins::compile(compiler, source, options, Language::Ptx);
    let Some(text) = text else { return (None, said) };
    let parsed = reading::parse(compiler, source);
    let stages = parsed.kernels.iter();
    let stages = stages.filter_map(|&kernel| pipeline::stage(compiler, kernel, options, Language::Ptx));
    let kernels = stages.filter_map(|stage| match stage {
        Stage::Ptx(kernel) => Some(KernelLaunch::of(&kernel)),
        _ => None,
    });
    let kernels: Vec<_> = kernels.collect();
    if asked.emit == Emit::Ptx {
        return (Some((Artifact::Ptx(text.to_string()), kernels)), said);
    }
    let target = joins::target(compiler, source, options);
    let cubin = ptxas::find(asked.ptxas.as_deref())
        .and_then(|ptxas| ptxas::assemble(&ptxas, &text, target, asked.opt_level, asked.lineinfo));
    match cubin {
        Ok(cubin) => (Some((Artifact::Cubin(cubin), kernels)), said),
        Err(problem) => {
            said.push(problem);
            (None, said)
        }
    }
}

/// The options as the database takes them.
fn request(asked: &CompileOptions) -> Result<Request, Diagnostic<Location>> {
    let bad = |message: String| Diagnostic::error(Code::BadArgument, message);
    if asked.opt_level > 3 {
        let message = format!(
            "there is no optimisation level {}, expected 0 to 3",
            asked.opt_level
        );
        return Err(bad(message));
    }
    let mut hints = HintOverrides::default();
    for (name, value) in &asked.hints {
        hints.set(name, value).map_err(bad)?;
    }
    let preview = match asked.preview.as_str() {
        "" => Features::NONE,
        names => Features::parse(names).map_err(bad)?,
    };
    Ok(Request {
        target: asked.target.as_deref().map(targets::parse).transpose()?,
        opt_level: asked.opt_level,
        lineinfo: asked.lineinfo,
        fast_math: FastMath::NONE
            .with(FastMathFlag::Contract, asked.fmad)
            .or(asked.fast_math),
        hints,
        route: None,
        checks: false,
        verify_each: asked.verify_each,
        preview,
    })
}
