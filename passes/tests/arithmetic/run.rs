//! Runs scalar arithmetic of `llvm_like` in the simulator: through `nvvm`, PTX and its text.

use std::fmt::Write;

use tilewright_diagnostics::FileId;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Operation, verify};
use tilewright_irs::llvm::{Llvm, LlvmOp, LlvmType};
use tilewright_irs::nvvm::native;
use tilewright_irs::ptx::{Module, Target};
use tilewright_passes::llvm_to_nvvm::select_instructions;
use tilewright_passes::nvvm_to_ptx::emit_ptx;
use tilewright_simulator::{Arg, Device, Init};

/// Two targets with different native ops.
pub(crate) const TARGETS: [Target; 2] = [Target::sm(80), Target::sm_a(90)];

/// The size of a scalar in memory in bytes.
fn bytes(ty: &str) -> usize {
    match ty {
        "i1" | "i8" => 1,
        "i16" | "f16" | "bf16" => 2,
        "i32" | "f32" => 4,
        _ => 8,
    }
}

/// The expected result for inputs, if defined.
pub(crate) type Expected = Box<dyn Fn(&[u64]) -> Option<u64>>;

/// Ops that compute `%r` from `%x0`, `%x1`, … and their expected result.
pub(crate) struct Case {
    pub(crate) ops: String,
    pub(crate) inputs: Vec<&'static str>,
    pub(crate) output: &'static str,
    /// The expected `%r` for these inputs; `None` if undefined.
    pub(crate) expected: Expected,
    /// Whether two results are equal, with all NaNs equal.
    pub(crate) same: fn(u64, u64) -> bool,
}

const THREADS: usize = 128;

fn kernel(case: &Case, target: Target) -> Func<Llvm> {
    let mut text = String::from("llvm.func @case(");
    for (i, _) in case.inputs.iter().enumerate() {
        let _ = write!(text, "%p{i}: ptr<1>, ");
    }
    let _ = writeln!(
        text,
        "%out: ptr<1>, %n: i32) {{target = {target}, nvvm.kernel, nvvm.reqntid = {THREADS}, shared_bytes = 0}} body {{
  %t = llvm.read_special {{register = tid.x}} : i32
  %b = llvm.read_special {{register = ctaid.x}} : i32
  %w = arith.constant {{value = i32<{THREADS}>}} : i32
  %bw = arith.muli %b, %w {{overflow = wraps}} : i32
  %i = arith.addi %bw, %t {{overflow = wraps}} : i32
  %in = arith.cmpi %i, %n {{predicate = lt, signedness = signed}} : i1
  %i64 = arith.exti %i {{signedness = signed}} : i64"
    );
    for (i, ty) in case.inputs.iter().enumerate() {
        let size = bytes(ty);
        let _ = writeln!(
            text,
            "  %q{i} = llvm.getelementptr %p{i}, index %i64 {{scale = {size}, offset = 0}} : ptr<1>
  %x{i} = llvm.load %q{i}, mask %in {{align = {size}, order = weak}} : {ty}"
        );
    }
    text.push_str(&case.ops);
    let size = bytes(case.output);
    let _ = writeln!(
        text,
        "  %o = llvm.getelementptr %out, index %i64 {{scale = {size}, offset = 0}} : ptr<1>
  llvm.store %o, %r, mask %in {{align = {size}, order = weak}}
  llvm.return
}}"
    );
    let parsed = parse_stage::<Llvm>(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let func = parsed.module.funcs.into_iter().next().expect("a kernel");
    verify(&func).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    func
}

/// Whether every arithmetic op of a kernel is native.
fn all_native(func: &Func<Llvm>) -> bool {
    let scalar = |value| match func.body.ty(value) {
        LlvmType::Scalar(scalar) => *scalar,
        LlvmType::Ptr(_)
        | LlvmType::Vector(..)
        | LlvmType::TensorMap
        | LlvmType::Passed(_)
        | LlvmType::Struct(_) => {
            panic!("only scalars are computed with")
        }
    };
    func.body.walk().into_iter().all(|id| {
        let op = func.body.op(id);
        let LlvmOp::Arith(own) = &op.kind else { return true };
        let result = scalar(op.result(0));
        let source = own.operand_list().first().map_or(result, |&value| scalar(value));
        native(own, source, result, func.attrs.target)
    })
}

fn stored(ty: &str, values: impl Iterator<Item = u64>) -> Vec<u8> {
    values
        .flat_map(|value| value.to_le_bytes()[..bytes(ty)].to_vec())
        .collect()
}

/// Runs a case on rows of inputs and compares the results. Returns whether the target supports it.
pub(crate) fn check(case: &Case, rows: &[Vec<u64>], target: Target) -> bool {
    let func = kernel(case, target);
    let selected = match (all_native(&func), select_instructions(&func)) {
        (true, Ok(selected)) => selected,
        (false, Err(_)) => return false,
        (true, Err(problems)) => panic!("{target}: {}\nis native, but {problems:#?}", case.ops),
        (false, Ok(_)) => panic!("{target}: {}\nis not native, but is selected", case.ops),
    };
    verify(&selected).unwrap_or_else(|problems| panic!("{target}: {}\n{problems:#?}", case.ops));
    let text = emit_ptx(&selected).expect("PTX").to_string();
    let parsed = tilewright_grammar::ptx::parse(FileId(0), &text);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let module: Module = parsed.module;
    let mut device = Device::new();
    let mut args: Vec<Arg> = Vec::new();
    for (i, ty) in case.inputs.iter().enumerate() {
        let data = stored(ty, rows.iter().map(|row| row[i]));
        args.push(device.alloc("input", data.len(), Init::Data(data)).into());
    }
    let size = bytes(case.output);
    let out = device.alloc("output", rows.len() * size, Init::Poison);
    args.push(out.into());
    args.push(Arg::from(i32::try_from(rows.len()).expect("few rows")));
    let blocks = u32::try_from(rows.len().div_ceil(THREADS)).expect("few rows");
    device
        .launch(&module, "case", [blocks, 1, 1], [1, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{text}\n{fault}"));
    for (row, have) in rows.iter().zip(device.read(out).chunks(size)) {
        let mut word = [0; 8];
        word[..size].copy_from_slice(have);
        let have = u64::from_le_bytes(word);
        if let Some(want) = (case.expected)(row) {
            assert!(
                (case.same)(have, want),
                "{target}: {}\nof {row:x?} is {have:#x}, not {want:#x}\n{text}",
                case.ops
            );
        }
    }
    true
}
