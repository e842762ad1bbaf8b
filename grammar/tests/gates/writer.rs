//! Builds a kernel around one op, with operands loaded from memory and results stored to it, so that the op is not
//! dead.

use std::fmt::Write;

/// A program: its subject and its kernel.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) what: String,
    kernel: String,
}

impl Program {
    /// The program alone.
    pub(super) fn text(&self) -> String {
        module(std::slice::from_ref(self))
    }
}

/// Several programs as one module.
pub(super) fn module(programs: &[Program]) -> String {
    let mut text = "cuda_tile.module @gates {\n".to_owned();
    for (i, program) in programs.iter().enumerate() {
        let kernel = program.kernel.replace("@kernel", &format!("@kernel{i}"));
        text.push_str(&kernel.replace("@global", &format!("@global{i}")));
    }
    text.push_str("}\n");
    text
}

fn shape(extents: &[u64]) -> String {
    let extents: Vec<_> = extents.iter().map(u64::to_string).collect();
    extents.join("x")
}

pub(super) fn tile(extents: &[u64], element: &str) -> String {
    if extents.is_empty() {
        format!("tile<{element}>")
    } else {
        format!("tile<{}x{element}>", shape(extents))
    }
}

/// A kernel under construction.
pub(super) struct Writer {
    pub(super) params: Vec<String>,
    /// The hints of the kernel.
    pub(super) hints: String,
    /// A line that defines a global `@global`.
    pub(super) global: String,
    body: String,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            params: Vec::new(),
            hints: String::new(),
            global: String::new(),
            body: "    %z = constant <i32: 0> : tile<i32>\n    %tk = make_token : token\n".to_owned(),
        }
    }

    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.body, "    {line}");
    }

    /// Defines `%view`, a view of memory with elements of this type; returns its type.
    pub(super) fn view(&mut self, name: &str, extents: &[u64], element: &str) -> (String, String) {
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

    /// Defines `%name` as a tile loaded from memory.
    pub(super) fn load(&mut self, name: &str, extents: &[u64], element: &str) {
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
    pub(super) fn store(&mut self, name: &str, extents: &[u64], element: &str) {
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

    pub(super) fn done(self, what: String) -> Program {
        let params = self.params.join(", ");
        Program {
            what,
            kernel: format!(
                "{}  entry @kernel({params}){} {{\n{}    return\n  }}\n",
                self.global, self.hints, self.body
            ),
        }
    }
}

/// A tile type: extents and element type.
pub(super) type Of<'a> = (&'a [u64], &'a str);

/// A program of one op with operands `%a0`, `%a1`, … and one result.
pub(super) fn one(what: &str, op: &str, operands: &[Of<'_>], result: Of<'_>) -> Program {
    let mut writer = Writer::new();
    for (i, (extents, element)) in operands.iter().enumerate() {
        writer.load(&format!("a{i}"), extents, element);
    }
    writer.line(&format!("%r = {op}"));
    writer.store("r", result.0, result.1);
    writer.done(what.to_owned())
}
