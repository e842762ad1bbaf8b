//! Calls of `vprintf` with random formats. Each line starts with the number of its program and of its thread:
//! programs print concurrently on a GPU, and threads in any order, but each thread's lines are in the order of its
//! calls.

use super::steps::Writer;

/// The declarations of every text: the function, and a string to print.
pub(crate) const DECLARATIONS: &str = ".extern .func (.param .b32 printed) vprintf(.param .b64 format, .param .b64 arguments);\n\
     .global .align 1 .b8 name[5] = {116, 105, 108, 101, 0};\n";

/// The declarations of a kernel that prints: a list of arguments, and the parameters of the call.
const LOCALS: &str =
    ".local .align 8 .b8 list[64];\n.param .b64 format;\n.param .b64 arguments;\n.param .b32 printed;\n";

/// The argument list of one call, under construction.
struct Call {
    format: String,
    /// The number of bytes of the list so far.
    bytes: usize,
}

impl Call {
    /// The offset of an argument of this size, aligned to it.
    fn place(&mut self, size: usize) -> usize {
        let at = self.bytes.next_multiple_of(size);
        self.bytes = at + size;
        at
    }
}

/// Makes some or all lanes print a line of up to four arguments; the result is their number.
pub(crate) fn step(w: &mut Writer<'_>) {
    if w.globals.is_empty() {
        w.body.insert_str(0, LOCALS);
    }
    let (word, kept, skip) = (w.word(), w.pick(&[0u32, 0, 1, 3]), w.label());
    w.line(&format!(
        "mov.u32 %r40, 77;\nand.b32 %r41, {word}, {kept};\nsetp.ne.u32 %p1, %r41, 0;\n@%p1 bra {skip};"
    ));
    let mut call = Call {
        format: format!("p{} t%d:", w.index),
        bytes: 0,
    };
    let at = call.place(4);
    w.line(&format!("st.local.u32 [list+{at}], %r30;"));
    let arguments = w.below(5);
    for _ in 0..arguments {
        argument(w, &mut call);
    }
    let bytes: Vec<String> = (call.format.bytes().chain(*b"\n\0"))
        .map(|byte| byte.to_string())
        .collect();
    // Labels are unique within a kernel.
    let name = format!("format_{}_{skip}", w.index);
    w.globals += &format!(
        ".global .align 1 .b8 {name}[{}] = {{{}}};\n",
        bytes.len(),
        bytes.join(", ")
    );
    w.line(&format!("mov.u64 %rd20, {name};\ncvta.global.u64 %rd20, %rd20;"));
    w.line("mov.u64 %rd21, list;\ncvta.local.u64 %rd21, %rd21;");
    w.line("st.param.b64 [format], %rd20;\nst.param.b64 [arguments], %rd21;");
    w.line("call (printed), vprintf, (format, arguments);\nld.param.b32 %r40, [printed];");
    w.line(&format!("{skip}:\nbar.warp.sync 0xffffffff;"));
    w.mix("%r40");
}

/// Picks flags valid for the conversion, and a width.
fn layout(w: &mut Writer<'_>, flags: &[&str]) -> String {
    let flag = w.pick(flags);
    let width = w.pick(&["", "", "1", "7", "12"]);
    // Without a width, the flag `0` would be read as one.
    if flag.ends_with('0') && width.is_empty() {
        format!("{flag}3")
    } else {
        format!("{flag}{width}")
    }
}

/// Generates a conversion and its argument.
fn argument(w: &mut Writer<'_>, call: &mut Call) {
    let (a, b) = (w.word(), w.word());
    let precision = w.pick(&["", "", ".0", ".3", ".9"]);
    let between = w.pick(&[" ", ", ", "%%", "|"]);
    let conversion = match w.below(6) {
        kind @ 0..2 => {
            let kind = if kind == 0 {
                layout(w, &["", "-", "+", " ", "0", "+0"]) + precision + w.pick(&["d", "i"])
            } else if w.below(2) == 0 {
                layout(w, &["", "-", "0"]) + precision + "u"
            } else {
                layout(w, &["", "-", "#", "0", "#0"]) + precision + w.pick(&["x", "X", "o"])
            };
            let at = call.place(4);
            w.line(&format!("st.local.u32 [list+{at}], {a};"));
            kind
        }
        2 => {
            let size = w.pick(&["l", "ll"]);
            let kind = layout(w, &["", "-", "0"]) + precision + size + w.pick(&["d", "u", "x"]);
            let at = call.place(8);
            w.line(&format!(
                "mov.b64 %rd22, {{{a}, {b}}};\nst.local.b64 [list+{at}], %rd22;"
            ));
            kind
        }
        3 => {
            // Of moderate size, with digits after the decimal point.
            let kind = layout(w, &["", "-", "+", " ", "#", "0", "+0"]) + precision;
            let kind = kind + w.pick(&["f", "e", "E", "g", "G"]);
            let scale = w.pick(&["0d3F50000000000000", "0d3E112E0BE826D695", "0d3FF0000000000000"]);
            let at = call.place(8);
            w.line(&format!(
                "cvt.rn.f64.s32 %fd1, {a};\nmul.rn.f64 %fd1, %fd1, {scale};\nst.local.f64 [list+{at}], %fd1;"
            ));
            kind
        }
        4 => {
            let kind = layout(w, &["", "-"]) + "c";
            let at = call.place(4);
            w.line(&format!(
                "and.b32 %r41, {a}, 15;\nadd.u32 %r41, %r41, 97;\nst.local.u32 [list+{at}], %r41;"
            ));
            kind
        }
        _ => {
            let kind = layout(w, &["", "-"]) + precision + "s";
            let at = call.place(8);
            w.line(&format!(
                "mov.u64 %rd22, name;\ncvta.global.u64 %rd22, %rd22;\nst.local.b64 [list+{at}], %rd22;"
            ));
            kind
        }
    };
    call.format += &format!("{between}%{conversion}");
}
