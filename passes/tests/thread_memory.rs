//! What a thread has for itself: arrays in local memory, structs, and parameters that are passed by value.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, verify};
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_passes::llvm::dissolve_structs;
use tilewright_passes::llvm_to_nvvm::{rename_kernel_marker, select_instructions};
use tilewright_passes::nvvm_to_ptx::emit_ptx;
use tilewright_simulator::{Arg, Buffer, Device, Init};

mod mistakes;
use mistakes::check;

fn read(text: &str) -> Func<Llvm> {
    let parsed = parse_stage::<Llvm>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let func = parsed.module.funcs.into_iter().next().expect("a function");
    verify(&func).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
    func
}

/// Runs a kernel on one block, on an array with these bytes, as PTX in the simulator; what the array has afterwards.
fn run(func: &Func<Llvm>, data: &[u8], args: impl FnOnce(&Device, Buffer) -> Vec<Arg>) -> Vec<u8> {
    let selected = select_instructions(func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    verify(&selected).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let ptx = emit_ptx(&selected)
        .unwrap_or_else(|problems| panic!("{problems:#?}"))
        .to_string();
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let mut device = Device::new();
    let buffer = device.alloc("p", data.len(), Init::Data(data.to_vec()));
    let args = args(&device, buffer);
    device
        .launch(&module, &func.name, [1; 3], [1; 3], 0, &args)
        .unwrap_or_else(|fault| panic!("{fault}\n{ptx}"));
    device.read(buffer).to_vec()
}

fn bytes(numbers: impl Iterator<Item = u32>) -> Vec<u8> {
    numbers.flat_map(u32::to_le_bytes).collect()
}

#[test]
fn arrays_of_llvm_like() {
    check::<Llvm>(
        "llvm.func @f(%p: ptr<1>, %i: i64, %x: f32) {target = sm_90a, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0} body {
  %a = llvm.alloca {slot = 0, bytes = 64, align = 16} : ptr<5>
  %b = llvm.alloca {slot = 1, bytes = 8, align = 8} : ptr<5>
  %again = llvm.alloca {slot = 0, bytes = 64, align = 16} : ptr<5>
  %q = llvm.getelementptr %a, index %i {scale = 4, offset = 0} : ptr<5>
  llvm.store %q, %x {align = 4, order = weak}
  %y = llvm.load %q {align = 4, order = weak} : f32
  llvm.return
}
",
        &[
            ("bytes = 8", "bytes = 0", Code::AttributeValue),
            ("bytes = 8", "bytes = 524288", Code::AttributeValue),
            ("align = 8", "align = 3", Code::AttributeValue),
            ("align = 8", "align = 32", Code::AttributeValue),
            ("slot = 1, bytes = 8", "slot = 0, bytes = 8", Code::AttributeValue),
            ("8} : ptr<5>", "8} : ptr<3>", Code::TypeMismatch),
            ("order = weak} : f32", "order = relaxed, scope = block} : f32", Code::AttributeValue),
            ("order = weak}\n", "order = release, scope = block}\n", Code::AttributeValue),
        ],
    );
}

#[test]
fn arrays_of_nvvm() {
    check::<Nvvm>(
        "nvvm.func @f(%p: ptr<1>, %x: f32) {target = sm_90a, nvvm.kernel, nvvm.reqntid = 32, shared_bytes = 0} body {
  %a = nvvm.alloca {slot = 0, bytes = 64, align = 16} : ptr<5>
  %b = nvvm.alloca {slot = 1, bytes = 8, align = 8} : ptr<5>
  nvvm.st %a, [%x] {space = local, ty = f32}
  nvvm.ret
}
",
        &[
            ("bytes = 8", "bytes = 0", Code::AttributeValue),
            ("slot = 1", "slot = 0", Code::AttributeValue),
            ("8} : ptr<5>", "8} : b64", Code::TypeMismatch),
        ],
    );
}

#[test]
fn an_array_in_local_memory_is_written_and_read() {
    let func = read(include_str!(
        "../../golden/llvm_to_nvvm.select_instructions/local_array.in.llvm"
    ));
    let data = bytes((0..32).map(|i| f32::from(i as u16).to_bits()));
    assert_eq!(run(&func, &data, |_, buffer| vec![buffer.into()]), data);
}

#[test]
fn structs_and_parameters_by_value() {
    check::<Llvm>(
        "llvm.func @f(%p: ptr<1>, %t: struct<ptr<1>, i32>, %v: passed<16, 8>, %x: i32, %m: i1) {target = sm_90a, cute.kernel, nvvm.reqntid = 32, shared_bytes = 0} body {
  %s = llvm.constant {values = [i32<1>, i64<2>]} : struct<i32, i64>
  %u = llvm.undef : struct<i32, i64>
  %i = llvm.insertvalue %x, %s {path = [0]} : struct<i32, i64>
  %e = llvm.extractvalue %i {path = [1]} : i64
  %c = arith.select %m, %i, %u : struct<i32, i64>
  %a = llvm.alloca {slot = 0, bytes = 16, align = 8} : ptr<5>
  llvm.store %a, %c {align = 8, order = weak}
  %l = llvm.load %p {align = 8, order = weak} : struct<i32, i64>
  %r = llvm.read_parameter %v {offset = 8} : f32
  %q = llvm.read_parameter %v {offset = 0} : ptr<1>
  llvm.return
}
",
        &[
            ("[i32<1>, i64<2>]", "[i32<1>]", Code::TypeMismatch),
            ("[i32<1>, i64<2>]", "[i64<1>, i64<2>]", Code::TypeMismatch),
            ("%x, %s {path = [0]}", "%x, %s {path = [2]}", Code::AttributeValue),
            ("%x, %s {path = [0]}", "%x, %s {path = []}", Code::AttributeValue),
            ("%x, %s {path = [0]}", "%x, %s {path = [1]}", Code::TypeMismatch),
            ("insertvalue %x, %s", "insertvalue %x, %x", Code::OperandType),
            ("path = [1]} : i64", "path = [1]} : i32", Code::TypeMismatch),
            ("path = [1]} : i64", "path = [1, 0]} : i64", Code::AttributeValue),
            ("extractvalue %i", "extractvalue %x", Code::OperandType),
            ("%a, %c {align = 8", "%a, %c {align = 4", Code::AttributeValue),
            ("8, order = weak} : struct", "8, order = acquire, scope = block} : struct", Code::AttributeValue),
            ("{offset = 8} : f32", "{offset = 6} : f32", Code::AttributeValue),
            ("{offset = 8} : f32", "{offset = 16} : f32", Code::AttributeValue),
            ("{offset = 8} : f32", "{offset = 8} : ptr<3>", Code::TypeMismatch),
            ("read_parameter %v {offset = 8}", "read_parameter %t {offset = 8}", Code::OperandType),
            ("%t: struct<ptr<1>, i32>", "%t: struct<ptr<3>, i32>", Code::OperandType),
            ("%t: struct<ptr<1>, i32>", "%t: struct<ptr<1>, i4>", Code::OperandType),
            (
                "  llvm.return",
                "  %w = llvm.undef : passed<16, 8>\n  llvm.return",
                Code::OperandType,
            ),
            ("  llvm.return", "  %h = llvm.hold [%v] : passed<16, 8>\n  llvm.return", Code::OperandType),
            ("  llvm.return", "  llvm.br ^b(%v)\n^b(%w: passed<16, 8>):\n  llvm.return", Code::OperandType),
        ],
    );
}

#[test]
fn a_struct_is_passed_by_value_to_a_block_of_three_dimensions() {
    let text = "llvm.func @k(%t: struct<ptr<1>, struct<i32, i64>>, %n: i32) {target = sm_90a, cute.kernel, nvvm.reqntid = [4, 2, 2], shared_bytes = 0} body {
  %x = llvm.read_special {register = tid.x} : i32
  %y = llvm.read_special {register = tid.y} : i32
  %z = llvm.read_special {register = tid.z} : i32
  %p = llvm.extractvalue %t {path = [0]} : ptr<1>
  %rows = llvm.extractvalue %t {path = [1, 0]} : i32
  %stride = llvm.extractvalue %t {path = [1, 1]} : i64
  %s = arith.trunci %stride : i32
  %a = arith.muli %y, %s {overflow = wraps} : i32
  %b = arith.muli %z, %rows {overflow = wraps} : i32
  %c = arith.addi %a, %b {overflow = wraps} : i32
  %d = arith.addi %c, %x {overflow = wraps} : i32
  %i = arith.exti %d {signedness = unsigned} : i64
  %q = llvm.getelementptr %p, index %i {scale = 4, offset = 0} : ptr<1>
  %e = arith.addi %d, %n {overflow = wraps} : i32
  llvm.store %q, %e {align = 4, order = weak}
  llvm.return
}
";
    let func = dissolve_structs(&read(text)).expect("a function");
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let func = rename_kernel_marker(&func).expect("a function");
    let after = run(&func, &[0; 64], |device, buffer| {
        let mut passed = device.address(buffer).to_le_bytes().to_vec();
        passed.extend(8u64.to_le_bytes());
        passed.extend(4u64.to_le_bytes());
        vec![Arg::Scalar(passed), 100i32.into()]
    });
    assert_eq!(after, bytes(100..116));
}
