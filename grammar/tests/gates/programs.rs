//! Small programs, each about one op on elements of one type, whose operands come from memory and whose results go
//! there, so that nothing of them is superfluous.

use std::fmt::Write;

/// The types of elements.
pub(crate) const NUMBERS: &[&str] = &[
    "i1",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f4E2M1FN",
    "fnv8E5M3FNU",
];
const FLOATS: &[&str] = &["f16", "bf16", "f32", "f64"];
const INTS: &[&str] = &["i1", "i8", "i16", "i32", "i64"];

/// A program: what it is about, and its kernel.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) what: String,
    kernel: String,
}

impl Program {
    /// The program alone.
    pub(crate) fn text(&self) -> String {
        module(std::slice::from_ref(self))
    }
}

/// Several programs as one module.
pub(crate) fn module(programs: &[Program]) -> String {
    let mut text = "cuda_tile.module @gates {\n".to_owned();
    for (i, program) in programs.iter().enumerate() {
        text.push_str(&program.kernel.replace("@kernel", &format!("@kernel{i}")));
    }
    text.push_str("}\n");
    text
}

fn shape(extents: &[u64]) -> String {
    let extents: Vec<_> = extents.iter().map(u64::to_string).collect();
    extents.join("x")
}

fn tile(extents: &[u64], element: &str) -> String {
    if extents.is_empty() {
        format!("tile<{element}>")
    } else {
        format!("tile<{}x{element}>", shape(extents))
    }
}

/// A kernel that is being written.
struct Writer {
    params: Vec<String>,
    body: String,
}

impl Writer {
    fn new() -> Self {
        Self {
            params: Vec::new(),
            body: "    %z = constant <i32: 0> : tile<i32>\n    %tk = make_token : token\n".to_owned(),
        }
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }

    /// A view of memory with elements of this type, as `%view` and its type.
    fn view(&mut self, name: &str, extents: &[u64], element: &str) -> (String, String) {
        let list: Vec<_> = extents.iter().map(u64::to_string).collect();
        let mut strides = Vec::new();
        let mut stride = 1;
        for extent in extents.iter().rev() {
            strides.insert(0, stride.to_string());
            stride *= extent;
        }
        let (sizes, strides) = (list.join(", "), strides.join(","));
        let tensor = format!("tensor_view<{}x{element}, strides=[{strides}]>", shape(extents));
        let view = format!("partition_view<tile=({}), {tensor}>", shape(extents));
        self.params.push(format!("%{name}_p: tile<ptr<{element}>>"));
        let strides = strides.replace(',', ", ");
        self.line(&format!(
            "%{name}_t = make_tensor_view %{name}_p, shape = [{sizes}], strides = [{strides}] : {tensor}"
        ));
        self.line(&format!("%{name}_v = make_partition_view %{name}_t : {view}"));
        (format!("%{name}_v"), view)
    }

    /// Defines `%name` as a tile from memory.
    fn load(&mut self, name: &str, extents: &[u64], element: &str) {
        if element == "i4" {
            let (wide, narrow) = (tile(extents, "i8"), tile(extents, element));
            self.load(&format!("{name}_w"), extents, "i8");
            self.line(&format!("%{name} = trunci %{name}_w : {wide} -> {narrow}"));
            return;
        }
        let (view, ty) = self.view(name, extents, element);
        let zeros = vec!["%z"; extents.len()].join(", ");
        self.line(&format!(
            "%{name}, %{name}_k = load_view_tko weak {view}[{zeros}] : {ty}, tile<i32> -> {}, token",
            tile(extents, element)
        ));
    }

    /// Stores `%name` to memory.
    fn store(&mut self, name: &str, extents: &[u64], element: &str) {
        if extents.is_empty() {
            let (from, to) = (tile(&[], element), tile(&[1], element));
            self.line(&format!("%{name}_1 = reshape %{name} : {from} -> {to}"));
            self.store(&format!("{name}_1"), &[1], element);
            return;
        }
        if element == "i4" {
            let (narrow, wide) = (tile(extents, element), tile(extents, "i8"));
            self.line(&format!("%{name}_w = exti %{name} unsigned : {narrow} -> {wide}"));
            self.store(&format!("{name}_w"), extents, "i8");
            return;
        }
        let (view, ty) = self.view(&format!("{name}_s"), extents, element);
        let zeros = vec!["%z"; extents.len()].join(", ");
        self.line(&format!(
            "%{name}_d = store_view_tko weak %{name}, {view}[{zeros}] : {}, {ty}, tile<i32> -> token",
            tile(extents, element)
        ));
    }

    fn done(self, what: String) -> Program {
        let params = self.params.join(", ");
        Program {
            what,
            kernel: format!("  entry @kernel({params}) {{\n{}    return\n  }}\n", self.body),
        }
    }
}

/// A tile by its extents and elements.
type Of<'a> = (&'a [u64], &'a str);

/// A program of one op with operands `%a0`, `%a1`, … and one result.
fn one(what: &str, op: &str, operands: &[Of<'_>], result: Of<'_>) -> Program {
    let mut writer = Writer::new();
    for (i, (extents, element)) in operands.iter().enumerate() {
        writer.load(&format!("a{i}"), extents, element);
    }
    writer.line(&format!("%r = {op}"));
    writer.store("r", result.0, result.1);
    writer.done(what.to_owned())
}

const LINE: &[u64] = &[128];

fn arithmetic(list: &mut Vec<Program>) {
    let unary = [
        "absf", "negf", "ceil", "floor", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tan",
        "sinh", "cosh", "tanh",
    ];
    let binary = [
        "addf", "subf", "mulf", "divf", "remf", "maxf", "minf", "fpowf", "atan2",
    ];
    for element in FLOATS {
        let (of, ty): (Of<'_>, _) = ((LINE, element), tile(LINE, element));
        for op in unary {
            list.push(one(
                &format!("{op} {element}"),
                &format!("{op} %a0 : {ty}"),
                &[of],
                of,
            ));
        }
        for op in binary {
            let text = format!("{op} %a0, %a1 : {ty}");
            list.push(one(&format!("{op} {element}"), &text, &[of, of], of));
        }
        let text = format!("fma %a0, %a1, %a2 : {ty}");
        list.push(one(&format!("fma {element}"), &text, &[of; 3], of));
        let text = format!("cmpf less_than ordered %a0, %a1 : {ty} -> {}", tile(LINE, "i1"));
        list.push(one(&format!("cmpf {element}"), &text, &[of; 2], (LINE, "i1")));
        let text = format!("fpowi %a0, %a1 : {ty}, {}", tile(LINE, "i32"));
        list.push(one(&format!("fpowi {element}"), &text, &[of, (LINE, "i32")], of));
    }
    for element in INTS {
        let (of, ty): (Of<'_>, _) = ((LINE, element), tile(LINE, element));
        for op in ["absi", "negi"] {
            list.push(one(
                &format!("{op} {element}"),
                &format!("{op} %a0 : {ty}"),
                &[of],
                of,
            ));
        }
        for op in [
            "addi",
            "subi",
            "muli",
            "mulhii",
            "andi",
            "ori",
            "xori",
            "shli",
            "divi signed",
            "divi unsigned",
            "remi signed",
            "maxi signed",
            "mini unsigned",
            "shri signed",
        ] {
            let (name, sign) = op.split_once(' ').unwrap_or((op, ""));
            let text = format!("{name} %a0, %a1 {sign} : {ty}");
            list.push(one(&format!("{op} {element}"), &text, &[of; 2], of));
        }
        let text = format!("cmpi less_than %a0, %a1, signed : {ty} -> {}", tile(LINE, "i1"));
        list.push(one(&format!("cmpi {element}"), &text, &[of; 2], (LINE, "i1")));
    }
}

fn conversions(list: &mut Vec<Program>) {
    for from in NUMBERS {
        for to in NUMBERS {
            let of: Of<'_> = (LINE, from);
            let types = format!("{} -> {}", tile(LINE, from), tile(LINE, to));
            for (op, sign) in [
                ("bitcast", ""),
                ("exti", "signed"),
                ("exti", "unsigned"),
                ("trunci", ""),
                ("ftoi", "signed"),
                ("ftoi", "unsigned"),
                ("itof", "signed"),
                ("itof", "unsigned"),
                ("ftof", ""),
                ("ftof", "rounding<zero>"),
                ("ftof", "rounding<positive_inf>"),
            ] {
                let what = format!("{op} {sign} {from} to {to}");
                list.push(one(
                    &what,
                    &format!("{op} %a0 {sign} : {types}"),
                    &[of],
                    (LINE, to),
                ));
            }
        }
        let bytes = match *from {
            "i1" => 16,
            "i4" | "f4E2M1FN" => 64,
            "i16" | "f16" | "bf16" => 256,
            "i32" | "f32" | "tf32" => 512,
            _ => 1024,
        };
        let (numbers, packed) = (tile(LINE, from), tile(&[bytes], "i8"));
        let text = format!("pack %a0 : {numbers} -> {packed}");
        list.push(one(
            &format!("pack {from}"),
            &text,
            &[(LINE, from)],
            (&[bytes], "i8"),
        ));
        let text = format!("unpack %a0 : {packed} -> {numbers}");
        list.push(one(
            &format!("unpack {from}"),
            &text,
            &[(&[bytes], "i8")],
            (LINE, from),
        ));
    }
}

fn products(list: &mut Vec<Program>) {
    let (m, n, k) = (64, 64, 64);
    for element in NUMBERS {
        for acc in NUMBERS {
            for fast in ["", " fast_acc"] {
                let (lhs, rhs, out): (Of<'_>, Of<'_>, Of<'_>) =
                    ((&[m, k], element), (&[k, n], element), (&[m, n], acc));
                let types = format!(
                    "{}, {}, {}",
                    tile(lhs.0, element),
                    tile(rhs.0, element),
                    tile(out.0, acc)
                );
                let text = format!("mmaf %a0, %a1, %a2{fast} : {types}");
                let what = format!("mmaf{fast} {element} to {acc}");
                list.push(one(&what, &text, &[lhs, rhs, out], out));
            }
        }
        for scale in NUMBERS {
            for block in [16, 32] {
                let (m, n, k) = (128, 128, 128);
                let types = [
                    tile(&[m, k], element),
                    tile(&[k, n], element),
                    tile(&[m, n], "f32"),
                    tile(&[m, k / block], scale),
                    tile(&[k / block, n], scale),
                ];
                let text = format!("mmaf_scaled %a0, %a1, %a2, %a3, %a4 : {}", types.join(", "));
                let operands: [Of<'_>; 5] = [
                    (&[m, k], element),
                    (&[k, n], element),
                    (&[m, n], "f32"),
                    (&[m, k / block], scale),
                    (&[k / block, n], scale),
                ];
                let what = format!("mmaf_scaled {element} by {scale} in blocks of {block}");
                list.push(one(&what, &text, &operands, (&[m, n], "f32")));
            }
        }
    }
    for signs in ["signed signed", "signed unsigned", "unsigned unsigned"] {
        let types = "tile<64x64xi8>, tile<64x64xi8>, tile<64x64xi32>";
        let text = format!("mmai %a0, %a1, %a2 {signs} : {types}");
        let operands: [Of<'_>; 3] = [(&[64, 64], "i8"), (&[64, 64], "i8"), (&[64, 64], "i32")];
        list.push(one(
            &format!("mmai {signs}"),
            &text,
            &operands,
            (&[64, 64], "i32"),
        ));
    }
}

fn tiles(list: &mut Vec<Program>) {
    let pair: &[u64] = &[16, 32];
    for element in NUMBERS {
        let of: Of<'_> = (pair, element);
        let ty = tile(pair, element);
        let number = if element.starts_with('i') { "1" } else { "1.0" };
        let number = if *element == "i1" { "true" } else { number };
        list.push(one(
            &format!("constant {element}"),
            &format!("constant <{element}: {number}> : {ty}"),
            &[],
            of,
        ));
        let flat: &[u64] = &[512];
        let text = format!("reshape %a0 : {ty} -> {}", tile(flat, element));
        list.push(one(&format!("reshape {element}"), &text, &[of], (flat, element)));
        let turned: &[u64] = &[32, 16];
        let text = format!("permute %a0 [1, 0] : {ty} -> {}", tile(turned, element));
        list.push(one(
            &format!("permute {element}"),
            &text,
            &[of],
            (turned, element),
        ));
        let row: &[u64] = &[1, 32];
        let text = format!("broadcast %a0 : {} -> {ty}", tile(row, element));
        list.push(one(&format!("broadcast {element}"), &text, &[(row, element)], of));
        let tall: &[u64] = &[32, 32];
        let text = format!("cat %a0, %a1 dim = 0 : {ty}, {ty} -> {}", tile(tall, element));
        list.push(one(&format!("cat {element}"), &text, &[of, of], (tall, element)));
        let part: &[u64] = &[8, 32];
        let text = format!("extract %a0[%z, %z] : {ty} -> {}", tile(part, element));
        list.push(one(&format!("extract {element}"), &text, &[of], (part, element)));
        let text = format!("insert %a0, %a1[%z, %z] : {}, {ty}", tile(part, element));
        list.push(one(
            &format!("insert {element}"),
            &text,
            &[(part, element), of],
            of,
        ));
        let text = format!("select %a0, %a1, %a2 : {}, {ty}", tile(pair, "i1"));
        list.push(one(
            &format!("select {element}"),
            &text,
            &[(pair, "i1"), of, of],
            of,
        ));
        let line = tile(LINE, element);
        list.push(one(
            &format!("iota {element}"),
            &format!("iota : {line}"),
            &[],
            (LINE, element),
        ));
        let identity = if *element == "i1" {
            "false".to_owned()
        } else if element.starts_with('i') {
            format!("0 : {element}")
        } else {
            format!("0.0 : {element}")
        };
        let scalar = tile(&[], element);
        for (op, attrs, out) in [
            ("reduce", "dim=1", &[16][..]),
            ("scan", "dim=1 reverse=false", pair),
        ] {
            let to = tile(out, element);
            let body = format!("(%x: {scalar}, %y: {scalar}) {{\n      yield %x : {scalar}\n    }}");
            let text = format!("{op} %a0 {attrs} identities=[{identity}] : {ty} -> {to} {body}");
            list.push(one(&format!("{op} {element}"), &text, &[of], (out, element)));
        }
        let mut writer = Writer::new();
        writer.load("a", LINE, element);
        writer.line(&format!("%r = print_tko \"%d\", %a : {line} -> token"));
        list.push(writer.done(format!("print_tko {element}")));
    }
}

fn memory(list: &mut Vec<Program>) {
    for element in NUMBERS {
        let value = tile(LINE, element);
        let pointers = tile(LINE, &format!("ptr<{element}>"));
        let setup = |writer: &mut Writer| {
            let scalar = format!("tile<ptr<{element}>>");
            writer.params.push(format!("%p: {scalar}"));
            writer.line(&format!("%p1 = reshape %p : {scalar} -> tile<1xptr<{element}>>"));
            writer.line(&format!(
                "%pb = broadcast %p1 : tile<1xptr<{element}>> -> {pointers}"
            ));
            writer.line(&format!("%off = iota : {}", tile(LINE, "i32")));
            writer.line(&format!(
                "%ps = offset %pb, %off : {pointers}, {} -> {pointers}",
                tile(LINE, "i32")
            ));
        };
        for order in ["weak", "relaxed device", "acquire sys"] {
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.line(&format!(
                "%r, %rt = load_ptr_tko {order} %ps : {pointers} -> {value}, token"
            ));
            writer.store("r", LINE, element);
            list.push(writer.done(format!("load_ptr_tko {order} {element}")));
        }
        for order in ["weak", "release tl_blk"] {
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.load("a", LINE, element);
            writer.line(&format!(
                "%rt = store_ptr_tko {order} %ps, %a : {pointers}, {value} -> token"
            ));
            list.push(writer.done(format!("store_ptr_tko {order} {element}")));
        }
        let mut writer = Writer::new();
        setup(&mut writer);
        writer.load("a", LINE, element);
        writer.line(&format!(
            "%r, %rt = atomic_cas_tko relaxed device %ps, %a, %a : {pointers}, {value} -> {value}, token"
        ));
        writer.store("r", LINE, element);
        list.push(writer.done(format!("atomic_cas_tko {element}")));
        for mode in [
            "and", "or", "xor", "add", "max", "min", "umax", "umin", "addf", "xchg",
        ] {
            for scope in ["relaxed tl_blk", "relaxed device", "acq_rel sys"] {
                let mut writer = Writer::new();
                setup(&mut writer);
                writer.load("a", LINE, element);
                writer.line(&format!(
                    "%r, %rt = atomic_rmw_tko {scope} %ps, {mode}, %a : {pointers}, {value} -> {value}, token"
                ));
                writer.store("r", LINE, element);
                list.push(writer.done(format!("atomic_rmw_tko {scope} {mode} {element}")));
            }
            let mut writer = Writer::new();
            writer.load("a", LINE, element);
            let (view, ty) = writer.view("v", LINE, element);
            writer.line(&format!(
                "%rt = atomic_red_view_tko relaxed device {view}[%z], {mode}, %a : {value}, {ty}, tile<i32> -> token"
            ));
            list.push(writer.done(format!("atomic_red_view_tko {mode} {element}")));
        }
        let mut writer = Writer::new();
        writer.line(&format!(
            "%p = alloca num_elem = 128, alignment = 16 : tile<ptr<{element}>>"
        ));
        writer.line(&format!(
            "%r, %rt = load_ptr_tko weak %p : tile<ptr<{element}>> -> tile<{element}>, token"
        ));
        writer.store("r", &[], element);
        list.push(writer.done(format!("alloca {element}")));
        for unused in [
            "%q: tile<ptr<ELEM>>",
            "%q: tile<ELEM>",
            "%q: tile<ptr<ELEM, <unicast>>>",
            "%q: tile<ptr<ELEM, <multicast>>>",
        ] {
            let mut writer = Writer::new();
            writer.params.push(unused.replace("ELEM", element));
            list.push(writer.done(format!("parameter {}", unused.replace("ELEM", element))));
        }
    }
}

fn views(list: &mut Vec<Program>) {
    let pair: &[u64] = &[16, 32];
    for element in NUMBERS {
        let tensor = format!("tensor_view<64x64x{element}, strides=[64,1]>");
        for (name, view, index) in [
            (
                "partition",
                format!("partition_view<tile=(16x32), {tensor}>"),
                "%z, %z",
            ),
            (
                "partition dim_map",
                format!("partition_view<tile=(16x32), {tensor}, dim_map=[1, 0]>"),
                "%z, %z",
            ),
            (
                "strided",
                format!("strided_view<tile=(16x32), traversal_strides=[3,5], {tensor}>"),
                "%z, %z",
            ),
            (
                "gather_scatter",
                format!("gather_scatter_view<tile=(16x32), {tensor}, sparse_dim=0>"),
                "%rows, %z",
            ),
        ] {
            let make = name.split(' ').next().unwrap_or(name);
            let types = if make == "gather_scatter" {
                "tile<16xi32>, tile<i32>"
            } else {
                "tile<i32>"
            };
            for inbounds in ["", " inbounds = [true, true]"] {
                for order in ["weak", "acquire device"] {
                    let mut writer = Writer::new();
                    writer.params.push(format!("%p: tile<ptr<{element}>>"));
                    writer.line("%rows = iota : tile<16xi32>");
                    writer.line(&format!(
                        "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {tensor}"
                    ));
                    writer.line(&format!("%v = make_{make}_view %t : {view}"));
                    let value = tile(pair, element);
                    writer.line(&format!(
                        "%r, %rt = load_view_tko {order} %v[{index}]{inbounds} : {view}, {types} -> {value}, token"
                    ));
                    let order = order.replace("acquire", "release");
                    writer.line(&format!(
                        "%d = store_view_tko {order} %r, %v[{index}]{inbounds} : {value}, {view}, {types} -> token"
                    ));
                    list.push(writer.done(format!("{name} view {order}{inbounds} {element}")));
                }
            }
        }
        for attr in ["unicast", "multicast"] {
            let tensor = format!("tensor_view<64x64x{element}, strides=[64,1], #cuda_tile.ptr_attr<{attr}>>");
            let view = format!("partition_view<tile=(16x32), {tensor}>");
            let value = tile(pair, element);
            let setup = |writer: &mut Writer| {
                let ptr = format!("tile<ptr<{element}, <{attr}>>>");
                writer.params.push(format!("%p: {ptr}"));
                writer.line(&format!(
                    "%t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : {ptr} -> {tensor}"
                ));
                writer.line(&format!("%v = make_partition_view %t : {view}"));
            };
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.line(&format!(
                "%r, %rt = load_view_tko weak %v[%z, %z] : {view}, tile<i32> -> {value}, token"
            ));
            writer.store("r", pair, element);
            list.push(writer.done(format!("{attr} load_view_tko {element}")));
            for reduction in ["add", "min", "max", "and", "or", "xor", "umin", "umax"] {
                let kind =
                    format!("attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}");
                let mut writer = Writer::new();
                setup(&mut writer);
                writer.line(&format!(
                    "%r, %rt = multimem_load_reduce_view_tko weak %v[%z, %z] {kind} : {view}, tile<i32> -> {value}, token"
                ));
                writer.store("r", pair, element);
                list.push(writer.done(format!(
                    "multimem_load_reduce_view_tko {reduction} {attr} {element}"
                )));
                let mut writer = Writer::new();
                setup(&mut writer);
                writer.load("a", pair, element);
                writer.line(&format!(
                    "%rt = multimem_reduce_view_tko relaxed device %v, %a[%z, %z] {kind} : {view}, {value}, tile<i32> -> token"
                ));
                list.push(writer.done(format!("multimem_reduce_view_tko {reduction} {attr} {element}")));
            }
            let mut writer = Writer::new();
            setup(&mut writer);
            writer.load("a", pair, element);
            writer.line(&format!(
                "%rt = multimem_store_view_tko weak %v, %a[%z, %z] : {view}, {value}, tile<i32> -> token"
            ));
            list.push(writer.done(format!("multimem_store_view_tko {attr} {element}")));
        }
    }
}

fn tokens(list: &mut Vec<Program>) {
    for op in [
        "%a = gdc_wait_tko token = %tk -> token",
        "%a = gdc_launch_dependents_tko token = %tk -> token",
        "%a = memory_fence_alias_tko %tk",
        "%x, %y, %w = get_tile_block_id : tile<i32>",
        "%x, %y, %w = get_num_tile_blocks : tile<i32>",
        "%c = constant <i1: true> : tile<i1>\n    assert %c, \"never\" : tile<i1>",
        "%a = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>",
    ] {
        let mut writer = Writer::new();
        writer.line(op);
        list.push(writer.done(op.to_owned()));
    }
}

/// All programs, the illegal ones among them.
pub(crate) fn programs() -> Vec<Program> {
    let mut list = Vec::new();
    arithmetic(&mut list);
    conversions(&mut list);
    products(&mut list);
    tiles(&mut list);
    memory(&mut list);
    views(&mut list);
    tokens(&mut list);
    list
}
