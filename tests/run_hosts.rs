//! `tilewright run` of modules with host functions.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use tilewright::launch::dtype::DType;
use tilewright::launch::npy::Array;

/// A kernel that multiplies the elements of a matrix, a warp for 32 columns of a row; with more of its module.
fn module(rest: &str) -> String {
    format!(
        "module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @scale(%view: {VIEW}, %columns: i32, %factor: f32) attributes {{nvvm.reqntid = array<i32: 32, 1, 1>}} {{
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %row = nvvm.read.ptx.sreg.ctaid.y : i32
      %warp = arith.constant 32 : i32
      %begin = arith.muli %block, %warp : i32
      %column = arith.addi %begin, %thread : i32
      %inside = arith.cmpi slt, %column, %columns : i32
      scf.if %inside {{
        %coord = cute.make_coord(%row, %column) : (i32, i32) -> !cute.coord<\"(?,?)\">
        %old = cute.memref.load(%view, %coord) : ({VIEW}, !cute.coord<\"(?,?)\">) -> f32
        %new = arith.mulf %old, %factor : f32
        cute.memref.store(%view, %coord, %new) : ({VIEW}, !cute.coord<\"(?,?)\">, f32) -> ()
      }}
      return
    }}
  }}
{rest}
}}
"
    )
}

const VIEW: &str = "!cute.memref<f32, gmem, \"(?,?{div=4}):(?{i64},1)\">";

/// A host function that launches the kernel on the whole matrix.
fn host(name: &str, factor: &str) -> String {
    format!(
        "  func.func @{name}(%a: {VIEW}, %stream: !cuda.stream, %f: f32) -> i32 {{
    %lay = cute.get_layout(%a) : {VIEW}
    %shape = cute.get_shape(%lay) : (!cute.layout<\"(?,?{{div=4}}):(?{{i64}},1)\">) -> !cute.shape<\"(?,?{{div=4}})\">
    %rows, %columns = cute.get_scalars(%shape) : !cute.shape<\"(?,?{{div=4}})\">
    %ok = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %warp = arith.constant 32 : i32
    %x = arith.ceildivsi %columns, %warp : i32
    %bytes = cute.kernel_smem_size @kernels::@scale : i64
    cute.print(\"{{}} blocks\\0A\", %x) : i32
    %cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%warp, %one, %one), dynamicSmemBytes = %bytes, gridDim = (%x, %rows, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %launched = cuda.launch_ex @kernels::@scale<%cfg> (%a, %columns, {factor}) : !cuda.launch_cfg<max_attrs = 17>, ({VIEW}, i32, f32) -> !cuda.result
    %result = cuda.cast %launched : !cuda.result -> i32
    cuda.return_if_error %result : i32
    return %ok : i32
  }}"
    )
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("it is written");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// An array of the numbers from 0 on, times a factor.
    fn numbers(&self, name: &str, shape: &[usize], factor: f32) -> String {
        let count: usize = shape.iter().product();
        let numbers = (0u16..).take(count).map(|number| f32::from(number) * factor);
        let array = Array {
            dtype: DType::F32,
            shape: shape.to_vec(),
            data: numbers.flat_map(f32::to_le_bytes).collect(),
        };
        self.write(name, array.write())
    }
}

/// Runs a module in the simulator; the exit code, standard output and standard error.
fn run(path: &str, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_tilewright"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
        .args(["run", path, "--on", "cpu"])
        .args(args)
        .output()
        .expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("no signal");
    (code, text(output.stdout), text(output.stderr))
}

#[test]
fn a_host_function_launches_its_kernel() {
    let files = Files::new();
    let path = files.write("k.mlir", module(&host("main", "%f")));
    let have = files.numbers("a.npy", &[5, 40], 1.0);
    let want = files.numbers("b.npy", &[5, 40], 3.0);
    let expect = format!("0={want}");
    let (code, out, err) = run(&path, &["--arg", &have, "--arg", "3", "--expect", &expect]);
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (0, "2 blocks\nargument 0: 200 elements as expected\n", "")
    );
    let (code, ..) = run(&path, &["--arg", &have, "--arg", "2", "--expect", &expect]);
    assert_eq!(code, 1);
    let (code, out, err) = run(&path, &["--arg", &have, "--arg", "3"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("scale: grid 2,5,1, block 32,1,1\n"), "{out}");
    assert!(out.contains("f32[5,40]"), "{out}");
}

/// A divisor is passed as its number, its multiplier and two shifts, in 12 bytes.
#[test]
fn a_divisor_is_passed() {
    const NUMBERS: &str = "!cute.memref<i32, gmem, \"(64):(1)\">";
    let module = format!(
        "module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @divide(%numbers: {NUMBERS}, %more: i32, %by: !cute.fast_divmod_divisor<32>) attributes {{nvvm.reqntid = array<i32: 64, 1, 1>}} {{
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %coord = cute.make_coord(%thread) : (i32) -> !cute.coord<\"?\">
      %old = cute.memref.load(%numbers, %coord) : ({NUMBERS}, !cute.coord<\"?\">) -> i32
      %sum = arith.addi %old, %more : i32
      %quotient, %rest = cute.fast_divmod.compute(%sum, %by) : i32, !cute.fast_divmod_divisor<32> -> i32
      cute.memref.store(%numbers, %coord, %quotient) : ({NUMBERS}, !cute.coord<\"?\">, i32) -> ()
      return
    }}
  }}
  func.func @main(%a: {NUMBERS}, %number: i32, %stream: !cuda.stream) -> i32 {{
    %ok = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %threads = arith.constant 64 : i32
    %bytes = cute.kernel_smem_size @kernels::@divide : i64
    %by = cute.fast_divmod.create_divisor(%number) : i32 -> !cute.fast_divmod_divisor<32>
    %cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %bytes, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %launched = cuda.launch_ex @kernels::@divide<%cfg> (%a, %one, %by) : !cuda.launch_cfg<max_attrs = 17>, ({NUMBERS}, i32, !cute.fast_divmod_divisor<32>) -> !cuda.result
    %result = cuda.cast %launched : !cuda.result -> i32
    cuda.return_if_error %result : i32
    return %ok : i32
  }}
}}
"
    );
    let files = Files::new();
    let path = files.write("k.mlir", module);
    let integers = |name: &str, of: fn(i32) -> i32| {
        let array = Array {
            dtype: DType::Int(4),
            shape: vec![64],
            data: (0..64).flat_map(|number| of(number).to_le_bytes()).collect(),
        };
        files.write(name, array.write())
    };
    let have = integers("a.npy", |number| 3 * number);
    let want = integers("b.npy", |number| (3 * number + 1) / 7);
    let (code, out, err) = run(
        &path,
        &["--arg", &have, "--arg", "7", "--expect", &format!("0={want}")],
    );
    assert_eq!(
        (code, out.as_str(), err.as_str()),
        (0, "argument 0: 64 elements as expected\n", "")
    );
}

/// A kernel prints; with `--checks` it stops where what it asserts does not hold, or where layouts that it composes do not fit.
#[test]
fn kernels_print_and_check() {
    let files = Files::new();
    let marked = "      %new = arith.mulf %old, %factor : f32\n";
    let printing = "      %first = arith.constant 0 : i32
      %is_first = arith.cmpi eq, %column, %first : i32
      scf.if %is_first {
        cute.print(\"row {} is 100% of {} at {}\\0A\", %row, %old, %coord) : i32, f32, !cute.coord<\"(?,?)\">
      }\n";
    let asserting = "      %most = arith.constant 38 : i32
      %few = arith.cmpi slt, %column, %most : i32
      cf.assert %few, \"at most 38 columns\"\n";
    let composing = "      %static = cute.static : !cute.layout<\"38:1\">
      %span = cute.make_shape(%columns) : (i32) -> !cute.shape<\"?\">
      %second = cute.make_layout(%span) : !cute.layout<\"?:1\">
      %composed = cute.composition(%static, %second) : (!cute.layout<\"38:1\">, !cute.layout<\"?:1\">) -> !cute.layout<\"?:1\">\n";
    let have = files.numbers("a.npy", &[2, 40], 1.0);
    let arguments = ["--arg", &have, "--arg", "3"];
    let with = |name: &str, more: &str| {
        let text = module(&host("main", "%f"));
        assert!(text.contains(marked));
        files.write(name, text.replace(marked, &format!("{more}{marked}")))
    };
    let (code, out, err) = run(&with("p.mlir", printing), &arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("row 0 is 100% of 0.000000 at (0,0)\n"), "{out}");
    assert!(out.contains("row 1 is 100% of 40.000000 at (1,0)\n"), "{out}");
    for (name, more, said) in [
        (
            "a.mlir",
            asserting,
            "an assertion does not hold: at most 38 columns",
        ),
        (
            "c.mlir",
            composing,
            "an assertion does not hold: the layout ?:1 spans no more elements than 38:1 has",
        ),
    ] {
        let path = with(name, more);
        let (code, _, err) = run(&path, &arguments);
        assert_eq!((code, err.as_str()), (0, ""));
        let (code, out, err) = run(&path, &[&["--checks"], &arguments[..]].concat());
        assert_eq!(code, 3, "{out}{err}");
        assert!(out.contains(said) && err.contains("E0820"), "{out}{err}");
    }
}

/// A file may have functions of the host alone. Its prints have conversions as C's.
#[test]
fn a_function_without_kernels_prints() {
    let files = Files::new();
    let text = "module {
  func.func @main(%n: i32, %f: f32) -> i32 {
    %ok = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    cute.print(\"n {} is %04d or %-4xend, f %8.2f {}, 100% of it, 50%%\\0A\", %n, %n, %n, %f, %f) : i32, i32, i32, f32, f32
    scf.for %i = %ok to %n step %one : i32 {
      cute.print(\"{}, %+d\\0A\", %i, %i) : i32, i32
    }
    return %ok : i32
  }
}
";
    let path = files.write("h.mlir", text);
    let (code, out, err) = run(&path, &["--arg", "26", "--arg", "2.5"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.starts_with("n 26 is 0026 or 1a  end, f     2.50 2.500000, 100% of it, 50%\n0, +0\n1, +1\n"),
        "{out}"
    );
}

/// Tensors in shared memory and in registers, as matrices.
#[test]
fn kernels_print_tensors() {
    let files = Files::new();
    let rmem = "!cute.memref<f32, rmem, align<32>, \"(2,3):(1,2)\">";
    let smem = "!cute.memref<i32, smem, align<16>, \"(8,2,2):(1,8,16)\">";
    let text = format!(
        "module {{
  gpu.module @kernels {{
    cuda.kernel @k(%n: i32) attributes {{nvvm.reqntid = array<i32: 1, 1, 1>}} {{
      %v = arith.constant dense<[0.0, -1.0, 2.0, 3.0, 4.5, -5.0]> : vector<6xf32>
      %r = cute.memref.alloca() : {rmem}
      cute.memref.store_vec(%v, %r) : (vector<6xf32>, {rmem}) -> ()
      cute.print_view(%r) {{is_signed = false, verbose = false}} : {rmem}
      %s = cute.memref.alloca() {{smem.partition_id = 1 : i32}} : {smem}
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      scf.for %i = %c0 to %c32 step %c1 : i32 {{
        %at = cute.make_coord(%i) : (i32) -> !cute.coord<\"?\">
        cute.memref.store(%s, %at, %i) : ({smem}, !cute.coord<\"?\">, i32) -> ()
      }}
      cute.print_view(%s) {{verbose = false}} : {smem}
      %shape = cute.make_shape(%n) : (i32) -> !cute.shape<\"?\">
      %lay = cute.make_layout(%shape) : !cute.layout<\"?:1\">
      %iter = cute.get_iter(%s) : {smem}
      %line = cute.make_view(%iter, %lay) : !cute.memref<i32, smem, align<16>, \"?:1\">
      cute.print_view(%line) {{verbose = false}} : !cute.memref<i32, smem, align<16>, \"?:1\">
      cute.print(\"%d of {{}}, %5.1f\\0A\", %n, %n, %n) : i32, i32, i32
      cute.print(\"%d%% of {{}}\\0A{{}}\\0A\", %n, %r, %s) : i32, {rmem}, {smem}
      return
    }}
  }}
  func.func @main(%n: i32, %stream: !cuda.stream) -> i32 {{
    %ok = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %bytes = cute.kernel_smem_size @kernels::@k : i64
    %cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%one, %one, %one), dynamicSmemBytes = %bytes, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 17>
    %launched = cuda.launch_ex @kernels::@k<%cfg> (%n) : !cuda.launch_cfg<max_attrs = 17>, (i32) -> !cuda.result
    %result = cuda.cast %launched : !cuda.result -> i32
    cuda.return_if_error %result : i32
    return %ok : i32
  }}
}}
"
    );
    let path = files.write("p.mlir", &text);
    for (number, line) in [
        (
            "3",
            "       [ 0, ],\n       [ 1, ],\n       [ 2, ])\n3 of 3,     3\n",
        ),
        (
            "9",
            "       [ 0, ],\n       [ 1, ],\n       [ 2, ],\n       ...\n       [ 6, ],\n       [ 7, ],\n       [ 8, ])\n9 of 9,     9\n",
        ),
    ] {
        let (code, out, err) = run(&path, &["--arg", number]);
        assert_eq!(code, 0, "{out}{err}");
        let matrix = ", align<32>) o (2,3):(1,2), data=
       [[ 0.000000,  2.000000,  4.500000, ],
        [-1.000000,  3.000000, -5.000000, ]])
tensor(";
        assert!(out.contains(matrix), "{out}");
        let matrices = ", align<16>) o (8,2,2):(1,8,16), data=
       [[[ 0,  8, ],
         [ 1,  9, ],
         [ 2,  10, ],
         ...
         [ 5,  13, ],
         [ 6,  14, ],
         [ 7,  15, ]],

        [[ 16,  24, ],
         [ 17,  25, ],
         [ 18,  26, ],
         ...
         [ 21,  29, ],
         [ 22,  30, ],
         [ 23,  31, ]]])
tensor(";
        assert!(out.contains(matrices), "{out}");
        assert!(out.contains(&format!("data=\n{line}")), "{out}");
        let values =
            "(2,3):(1,2) = \n  ( 0.000000, -1.000000, 2.000000, 3.000000, 4.500000, -5.000000 )\nraw_ptr(";
        assert!(
            out.contains(&format!("\n{number}% of raw_ptr(")) && out.contains(values),
            "{out}"
        );
        assert!(
            out.contains("(8,2,2):(1,8,16) = \n  ( 0, 1, 2, ") && out.contains(", [...] )\n"),
            "{out}"
        );
    }
}

/// The rows of a part of a batch: an offset in bytes, and dimensions in another order.
#[test]
fn a_tensor_may_be_a_part_of_an_array() {
    let files = Files::new();
    let path = files.write("k.mlir", module(&host("main", "%f")));
    let have = files.numbers("a.npy", &[5, 40], 1.0);
    let (code, _, err) = run(&path, &["--arg", &format!("{have}.transpose(1,0)"), "--arg", "3"]);
    assert_eq!(code, 1);
    assert!(
        err.contains("E0801") && err.contains("the extent of dimension 1 is 5, which is no multiple of 4"),
        "{err}"
    );
    let (code, _, err) = run(&path, &["--arg", &format!("{have}+2"), "--arg", "3"]);
    assert_eq!(code, 1);
    assert!(err.contains("no multiple of 4 bytes"), "{err}");
}

#[test]
fn a_function_is_named_where_there_are_several() {
    let files = Files::new();
    let two = format!("{}\n{}", host("one", "%f"), host("two", "%f"));
    let path = files.write("k.mlir", module(&two));
    let have = files.numbers("a.npy", &[2, 4], 1.0);
    let arguments = ["--arg", &have, "--arg", "3"];
    let (code, _, err) = run(&path, &arguments);
    assert_eq!(code, 1);
    assert!(
        err.contains("2 host functions: name one with --function"),
        "{err}"
    );
    let (code, _, err) = run(&path, &[&["--function", "two"], &arguments[..]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let (code, _, err) = run(&path, &[&["--function", "three"], &arguments[..]].concat());
    assert_eq!(code, 1);
    assert!(err.contains("no host function `three`"), "{err}");
}

#[test]
fn what_is_wrong_is_said_at_its_line() {
    let files = Files::new();
    let have = files.numbers("a.npy", &[2, 4], 1.0);
    let said = |text: &str| {
        let path = files.write("k.mlir", text);
        let (code, _, err) = run(&path, &["--arg", &have, "--arg", "3"]);
        assert_eq!(code, 3, "{err}");
        err
    };
    let whole = module(&host("main", "%f"));
    let line = |text: &str, part: &str| {
        let at = text.find(part).expect("the part");
        format!("k.mlir:{}:", text[..at].matches('\n').count() + 1)
    };
    let block = whole.replace("blockDim = (%warp,", "blockDim = (%x,");
    let err = said(&block);
    assert!(err.contains("E0704") && err.contains("`nvvm.reqntid`"), "{err}");
    assert!(err.contains(&line(&block, "%launched = ")), "{err}");
    let unknown = whole.replace(
        "%warp = arith.constant 32 : i32\n    %x",
        "%warp = arith.constant 32 : i32\n    %t = nvvm.read.ptx.sreg.tid.x : i32\n    %x",
    );
    let err = said(&unknown);
    assert!(
        err.contains("E0832") && err.contains("`nvvm.read.ptx.sreg.tid.x`"),
        "{err}"
    );
    assert!(err.contains(&line(&unknown, "%t = ")), "{err}");
    let (code, _, err) = run(&files.write("k.mlir", &whole), &["--arg", &have]);
    assert_eq!(code, 1);
    assert!(
        err.contains("E0802") && err.contains("2 parameters besides the stream, and is given 1 argument"),
        "{err}"
    );
    let (code, _, err) = run(
        &files.write("k.mlir", &whole),
        &["--grid", "1", "--arg", &have, "--arg", "3"],
    );
    assert_eq!(code, 1);
    assert!(err.contains("--grid is for a kernel alone"), "{err}");
}
