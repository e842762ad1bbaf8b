//! The C interface of the compiler: `tilewright.h`, which is generated from this file (`docs/library.md`).
//!
//! Handles are opaque. Every error is a diagnostic of a result; no function panics, prints, or ends the process. Strings are
//! UTF-8. A null handle is allowed everywhere: it stands for default options, or for a result without anything.

#![expect(unsafe_code, reason = "a C interface takes and returns pointers")]
#![allow(non_camel_case_types, reason = "types of a C interface")]

use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;

use tilewright::library::{Severity, compile};
use tilewright::{CompileOptions, CompileResult, KernelLaunch, Message};

/// The options of a compilation. Several threads may compile with the same options while none sets one.
#[derive(Debug, Default)]
pub struct tilewright_options {
    asked: CompileOptions,
    /// What was wrong with options that were set.
    problems: Vec<Message>,
}

/// What a compilation made: PTX or a cubin, and diagnostics.
#[derive(Debug)]
pub struct tilewright_result {
    /// The output, then a zero byte; nothing after an error.
    output: Option<Vec<u8>>,
    kernels: Vec<(CString, KernelLaunch)>,
    diagnostics: Vec<Said>,
}

/// What a launch of a compiled kernel has to heed. The name lives as long as the result that it is from.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct tilewright_kernel {
    /// The name.
    pub name: *const c_char,
    /// The threads of a block; zeros if the kernel requires no number. A launch in blocks of one thread has as many too.
    pub threads: [u32; 3],
    /// The blocks of a cluster; zeros if the kernel requires no shape. The grid is made of whole clusters.
    pub cluster: [u32; 3],
    /// Whether the function needs the attribute NON_PORTABLE_CLUSTER_SIZE_ALLOWED for its clusters.
    pub needs_large_clusters: bool,
    /// Whether the launch has to say the shape of a cluster.
    pub leaves_cluster_to_launch: bool,
    /// Whether the grid counts clusters instead of blocks.
    pub grid_counts_clusters: bool,
    /// Whether the launch has to say the bytes of dynamic shared memory. The function needs the attribute
    /// MAX_DYNAMIC_SHARED_SIZE_BYTES for more than 48 KiB.
    pub has_dynamic_shared: bool,
    /// Bytes of shared memory that the kernel declares.
    pub shared_bytes: u64,
}

/// A diagnostic, with strings as C has them.
#[derive(Debug)]
struct Said {
    severity: tilewright_severity,
    code: CString,
    message: CString,
    file: Option<CString>,
    line: u32,
    column: u32,
    notes: CString,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum tilewright_severity {
    /// Nothing was made.
    TILEWRIGHT_ERROR = 0,
    /// Something was made, and may not be what was intended.
    TILEWRIGHT_WARNING = 1,
    /// Information.
    TILEWRIGHT_NOTE = 2,
}

/// A diagnostic. The strings live as long as the result that it is from.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct tilewright_diagnostic {
    /// The severity.
    pub severity: tilewright_severity,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
    /// The stable code, such as "E0401".
    pub code: *const c_char,
    /// The message, which makes sense alone.
    pub message: *const c_char,
    /// The file: the program's name, or that of a source file in its debug information; null if it concerns none.
    pub file: *const c_char,
    /// More lines, each ended by a line feed: what to do, where else to look. Empty if there are none.
    pub notes: *const c_char,
}

/// The version of the compiler, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn tilewright_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Default options: PTX for sm_90a, or for the GPU that a text names, at the highest optimisation level. To be freed with
/// `tilewright_options_free`.
#[unsafe(no_mangle)]
pub extern "C" fn tilewright_options_new() -> *mut tilewright_options {
    Box::into_raw(Box::default())
}

/// Sets an option, and returns whether it could. If not, every compilation with these options fails, and says why.
///
/// | name | value |
/// |---|---|
/// | `emit` | `ptx` or `cubin` |
/// | `target` | the GPU, such as `sm_90a` |
/// | `opt_level` | `0` to `3` |
/// | `lineinfo`, `fmad`, `verify_each` | `true` or `false` |
/// | `fast_math` | flags with commas between, `all` or `fast` |
/// | `hint` | a hint that replaces those of the program, such as `occupancy=2` |
/// | `name` | the name of the program in diagnostics |
/// | `preview` | features of preview content, with commas between |
/// | `ptxas` | the path of ptxas |
///
/// # Safety
/// `options` comes from `tilewright_options_new` and is used by no other thread; `name` and `value` are null or end with a zero
/// byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_options_set(
    options: *mut tilewright_options,
    name: *const c_char,
    value: *const c_char,
) -> bool {
    // SAFETY: as the caller promises.
    let Some(options) = (unsafe { options.as_mut() }) else {
        return false;
    };
    // SAFETY: as the caller promises.
    let (name, value) = unsafe { (text(name), text(value)) };
    let set = match (name, value) {
        (Some(name), Some(value)) => options.asked.set(name, value),
        (None, _) => Err(Message::bad_argument(
            "the name of an option is null or not UTF-8",
        )),
        (Some(name), None) => Err(Message::bad_argument(format!(
            "the value of option {name} is null or not UTF-8"
        ))),
    };
    set.map_err(|problem| options.problems.push(problem)).is_ok()
}

/// Frees options.
///
/// # Safety
/// `options` comes from `tilewright_options_new`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_options_free(options: *mut tilewright_options) {
    if !options.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(options) });
    }
}

/// Compiles a program of `length` bytes: Tile IR bytecode, or the text of any language of the compiler. Any number of threads
/// may do so at once. The result is never null, and is to be freed with `tilewright_result_free`.
///
/// # Safety
/// `program` points to `length` bytes, and `options` is null or comes from `tilewright_options_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_compile(
    program: *const c_void,
    length: usize,
    options: *const tilewright_options,
) -> *mut tilewright_result {
    // SAFETY: as the caller promises.
    let options = unsafe { options.as_ref() };
    let bytes = match (program.is_null(), length) {
        (_, 0) => Some(&[][..]),
        (true, _) => None,
        // SAFETY: as the caller promises; no object is larger than `isize::MAX`.
        (false, length) if isize::try_from(length).is_ok() => {
            Some(unsafe { slice::from_raw_parts(program.cast::<u8>(), length) })
        }
        (false, _) => None,
    };
    let work = || made(bytes, options);
    // The compiler reports its own bugs. This is for those of the interface.
    let result = catch_unwind(AssertUnwindSafe(work));
    let result = result.unwrap_or_else(|_| failed(vec![Message::bad_argument("the interface has a bug")]));
    Box::into_raw(Box::new(result))
}

/// The PTX or the cubin, and its length in bytes; null after an error. A zero byte follows, which is not counted.
///
/// # Safety
/// `result` is null or comes from `tilewright_compile`, and `length` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_result_output(
    result: *const tilewright_result,
    length: *mut usize,
) -> *const u8 {
    // SAFETY: as the caller promises.
    let output = unsafe { result.as_ref() }.and_then(|result| result.output.as_deref());
    // SAFETY: as the caller promises.
    if let Some(length) = unsafe { length.as_mut() } {
        *length = output.map_or(0, |bytes| bytes.len() - 1);
    }
    output.map_or(ptr::null(), <[u8]>::as_ptr)
}

/// Fills in how the kernel of an index from 0 is launched, and returns whether there is one.
///
/// # Safety
/// `result` is null or comes from `tilewright_compile`, and `kernel` is null or points to one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_result_kernel(
    result: *const tilewright_result,
    index: usize,
    kernel: *mut tilewright_kernel,
) -> bool {
    // SAFETY: as the caller promises.
    let found = unsafe { result.as_ref() }.and_then(|result| result.kernels.get(index));
    let (Some((name, launch)), false) = (found, kernel.is_null()) else {
        return false;
    };
    let filled = tilewright_kernel {
        name: name.as_ptr(),
        threads: launch.threads.unwrap_or_default(),
        cluster: launch.cluster.unwrap_or_default(),
        needs_large_clusters: launch.needs_large_clusters,
        leaves_cluster_to_launch: launch.leaves_cluster_to_launch,
        grid_counts_clusters: launch.grid_counts_clusters,
        has_dynamic_shared: launch.has_dynamic_shared,
        shared_bytes: launch.shared_bytes,
    };
    // SAFETY: as the caller promises; what was there need not be a valid kernel.
    unsafe { kernel.write(filled) };
    true
}

/// The number of diagnostics.
///
/// # Safety
/// `result` is null or comes from `tilewright_compile`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_result_diagnostic_count(result: *const tilewright_result) -> usize {
    // SAFETY: as the caller promises.
    unsafe { result.as_ref() }.map_or(0, |result| result.diagnostics.len())
}

/// Fills in the diagnostic of an index from 0, and returns whether there is one.
///
/// # Safety
/// `result` is null or comes from `tilewright_compile`, and `diagnostic` is null or points to one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_result_diagnostic(
    result: *const tilewright_result,
    index: usize,
    diagnostic: *mut tilewright_diagnostic,
) -> bool {
    // SAFETY: as the caller promises.
    let said = unsafe { result.as_ref() }.and_then(|result| result.diagnostics.get(index));
    let (Some(said), false) = (said, diagnostic.is_null()) else {
        return false;
    };
    let filled = tilewright_diagnostic {
        severity: said.severity,
        line: said.line,
        column: said.column,
        code: said.code.as_ptr(),
        message: said.message.as_ptr(),
        file: said.file.as_ref().map_or(ptr::null(), |file| file.as_ptr()),
        notes: said.notes.as_ptr(),
    };
    // SAFETY: as the caller promises; what was there need not be a valid diagnostic.
    unsafe { diagnostic.write(filled) };
    true
}

/// Frees a result, with its output and its diagnostics.
///
/// # Safety
/// `result` comes from `tilewright_compile`, and nothing of it is used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tilewright_result_free(result: *mut tilewright_result) {
    if !result.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(result) });
    }
}

/// The text at a pointer; `None` for a null one, and for what is not UTF-8.
///
/// # Safety
/// The pointer is null, or what it points to ends with a zero byte and outlives the text.
unsafe fn text<'a>(pointer: *const c_char) -> Option<&'a str> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(pointer) }.to_str().ok()
}

fn made(program: Option<&[u8]>, options: Option<&tilewright_options>) -> tilewright_result {
    let defaults = tilewright_options::default();
    let options = options.unwrap_or(&defaults);
    let Some(program) = program else {
        return failed(vec![Message::bad_argument(
            "the program is null, or longer than memory",
        )]);
    };
    if !options.problems.is_empty() {
        return failed(options.problems.clone());
    }
    let CompileResult {
        artifact,
        kernels,
        diagnostics,
    } = compile(program, &options.asked);
    let named = |kernel: KernelLaunch| (string(&kernel.name), kernel);
    let terminated = |bytes: &[u8]| [bytes, &[0]].concat();
    tilewright_result {
        output: artifact.map(|artifact| terminated(artifact.as_bytes())),
        kernels: kernels.into_iter().map(named).collect(),
        diagnostics: diagnostics.into_iter().map(said).collect(),
    }
}

fn failed(diagnostics: Vec<Message>) -> tilewright_result {
    tilewright_result {
        output: None,
        kernels: Vec::new(),
        diagnostics: diagnostics.into_iter().map(said).collect(),
    }
}

fn said(message: Message) -> Said {
    Said {
        severity: match message.severity {
            Severity::Error => tilewright_severity::TILEWRIGHT_ERROR,
            Severity::Warning => tilewright_severity::TILEWRIGHT_WARNING,
            Severity::Note => tilewright_severity::TILEWRIGHT_NOTE,
        },
        code: string(message.code),
        message: string(&message.message),
        file: message.file.as_deref().map(string),
        line: message.line.unwrap_or(0),
        column: message.column.unwrap_or(0),
        notes: string(
            &message
                .notes
                .iter()
                .map(|note| format!("{note}\n"))
                .collect::<String>(),
        ),
    }
}

/// The text as C has it. A zero byte, which would end it, is left out.
fn string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}
