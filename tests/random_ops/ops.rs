//! The families of ops.

use rand::RngExt;

use super::generate::{FLOATS, INTS, Known, Program, bits, tile};

const SIGNS: [&str; 2] = ["signed", "unsigned"];
const PREDICATES: [&str; 6] = [
    "equal",
    "not_equal",
    "less_than",
    "less_than_or_equal",
    "greater_than",
    "greater_than_or_equal",
];

pub(super) fn integers(p: &mut Program<'_>) {
    let (shape, ty) = (p.shape(), p.choose(&INTS));
    let (a, b, to) = (p.pick(shape, ty).name, p.pick(shape, ty).name, tile(shape, ty));
    let sign = p.choose(&SIGNS);
    let op = p.choose(&[
        "addi", "subi", "muli", "mulhii", "andi", "ori", "xori", "maxi", "mini", "absi", "negi",
    ]);
    let text = match op {
        "maxi" | "mini" => format!("{op} {a}, {b} {sign} : {to}"),
        "absi" | "negi" => format!("{op} {a} : {to}"),
        _ => format!("{op} {a}, {b} : {to}"),
    };
    p.define(shape, ty, &text);
}

/// Quotients, remainders and shifts, by amounts that are defined.
pub(super) fn divisions(p: &mut Program<'_>) {
    let (shape, ty) = (p.shape(), p.choose(&INTS[1..]));
    let (a, b, to) = (p.pick(shape, ty).name, p.pick(shape, ty).name, tile(shape, ty));
    let sign = p.choose(&SIGNS);
    if p.rng.random() {
        let most = p.number(shape, ty, u64::from(bits(ty)) - 1).name;
        let by = p.define(shape, ty, &format!("andi {b}, {most} : {to}")).name;
        let text = if p.rng.random() {
            format!("shli {a}, {by} : {to}")
        } else {
            format!("shri {a}, {by} {sign} : {to}")
        };
        p.define(shape, ty, &text);
        return;
    }
    // From 1 to 127: neither 0 nor -1.
    let (low, one) = (p.number(shape, ty, 126).name, p.number(shape, ty, 1).name);
    let even = p.define(shape, ty, &format!("andi {b}, {low} : {to}")).name;
    let by = p.define(shape, ty, &format!("ori {even}, {one} : {to}")).name;
    let text = match (p.below(3), sign) {
        (0, _) => format!("remi {a}, {by} {sign} : {to}"),
        (1, "signed") => format!("divi {a}, {by} signed rounding<negative_inf> : {to}"),
        (1, _) => format!("divi {a}, {by} {sign} rounding<positive_inf> : {to}"),
        (_, _) => format!("divi {a}, {by} {sign} : {to}"),
    };
    p.define(shape, ty, &text);
}

pub(super) fn floats(p: &mut Program<'_>) {
    let (shape, ty) = (p.shape(), p.choose(&FLOATS));
    let names: Vec<String> = (0..3).map(|_| p.pick(shape, ty).name).collect();
    let [a, b, c] = [&names[0], &names[1], &names[2]];
    let to = tile(shape, ty);
    let rounding = p.choose(&[
        "",
        " rounding<zero>",
        " rounding<negative_inf>",
        " rounding<positive_inf>",
    ]);
    let flush = if ty == "f32" {
        p.choose(&["", " flush_to_zero"])
    } else {
        ""
    };
    let nan = p.choose(&["", " propagate_nan"]);
    let op = p.choose(&[
        "addf", "subf", "mulf", "divf", "fma", "maxf", "minf", "remf", "absf", "negf", "ceil", "floor",
        "sqrt",
    ]);
    let text = match op {
        "fma" => format!("fma {a}, {b}, {c}{rounding}{flush} : {to}"),
        "maxf" | "minf" => format!("{op} {a}, {b}{flush}{nan} : {to}"),
        "remf" => format!("remf {a}, {b} : {to}"),
        "absf" | "negf" | "ceil" | "floor" => format!("{op} {a} : {to}"),
        "sqrt" => format!("sqrt {a}{rounding}{flush} : {to}"),
        _ => format!("{op} {a}, {b}{rounding}{flush} : {to}"),
    };
    p.define(shape, ty, &text);
}

pub(super) fn functions(p: &mut Program<'_>) {
    let (shape, ty) = (p.shape(), p.choose(&FLOATS));
    let (a, b, to) = (p.pick(shape, ty).name, p.pick(shape, ty).name, tile(shape, ty));
    let op = p.choose(&[
        "exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "rsqrt", "fpowf", "atan2",
        "fpowi",
    ]);
    let text = match op {
        "fpowf" | "atan2" => format!("{op} {a}, {b} : {to}"),
        "fpowi" => {
            let power = p.pick(shape, "i8");
            format!("fpowi {a}, {} : {to}, {}", power.name, power.text())
        }
        _ => format!("{op} {a} : {to}"),
    };
    p.define(shape, ty, &text);
}

pub(super) fn conversions(p: &mut Program<'_>) {
    let shape = p.shape();
    let sign = p.choose(&SIGNS);
    let (int, float) = (p.choose(&INTS), p.choose(&FLOATS));
    match p.below(6) {
        0 => {
            let a = p.pick(shape, int);
            p.define(
                shape,
                float,
                &format!("itof {} {sign} : {} -> {}", a.name, a.text(), tile(shape, float)),
            );
        }
        1 => {
            let a = p.pick(shape, float);
            p.define(
                shape,
                int,
                &format!(
                    "ftoi {} {sign} saturating : {} -> {}",
                    a.name,
                    a.text(),
                    tile(shape, int)
                ),
            );
        }
        2 => {
            // There and back through a narrow format.
            let a = p.pick(shape, float);
            let narrow = p.choose(&["tf32", "f8E4M3FN", "f8E5M2", "f4E2M1FN"]);
            let on_the_way = p.name();
            p.line(&format!(
                "{on_the_way} = ftof {} : {} -> {}",
                a.name,
                a.text(),
                tile(shape, narrow)
            ));
            let to = p.choose(&FLOATS);
            p.define(
                shape,
                to,
                &format!(
                    "ftof {on_the_way} : {} -> {}",
                    tile(shape, narrow),
                    tile(shape, to)
                ),
            );
        }
        3 => {
            let to = p.choose(&FLOATS);
            let a = p.pick(shape, float);
            if to != float {
                p.define(
                    shape,
                    to,
                    &format!("ftof {} : {} -> {}", a.name, a.text(), tile(shape, to)),
                );
            }
        }
        4 => {
            let to = p.choose(&INTS);
            let a = p.pick(shape, int);
            let text = match bits(to).cmp(&bits(int)) {
                std::cmp::Ordering::Less => {
                    format!("trunci {} : {} -> {}", a.name, a.text(), tile(shape, to))
                }
                std::cmp::Ordering::Equal => return,
                std::cmp::Ordering::Greater => {
                    format!("exti {} {sign} : {} -> {}", a.name, a.text(), tile(shape, to))
                }
            };
            p.define(shape, to, &text);
        }
        _ => {
            let (from, to) = p.choose(&[
                ("i32", "f32"),
                ("f32", "i32"),
                ("i16", "bf16"),
                ("f16", "i16"),
                ("i64", "f64"),
                ("f64", "i64"),
                ("f16", "bf16"),
            ]);
            let a = p.pick(shape, from);
            p.define(
                shape,
                to,
                &format!("bitcast {} : {} -> {}", a.name, a.text(), tile(shape, to)),
            );
        }
    }
}

pub(super) fn comparisons(p: &mut Program<'_>) {
    let shape = p.shape();
    let (predicate, sign) = (p.choose(&PREDICATES), p.choose(&SIGNS));
    let truth = tile(shape, "i1");
    let text = if p.rng.random() {
        let ty = p.choose(&INTS);
        let (a, b) = (p.pick(shape, ty), p.pick(shape, ty));
        format!(
            "cmpi {predicate} {}, {}, {sign} : {} -> {truth}",
            a.name,
            b.name,
            a.text()
        )
    } else {
        let (ty, ordering) = (p.choose(&FLOATS), p.choose(&["ordered", "unordered"]));
        let (a, b) = (p.pick(shape, ty), p.pick(shape, ty));
        format!(
            "cmpf {predicate} {ordering} {}, {} : {} -> {truth}",
            a.name,
            b.name,
            a.text()
        )
    };
    let condition = p.define(shape, "i1", &text).name;
    let ty = if p.rng.random() {
        p.choose(&INTS)
    } else {
        p.choose(&FLOATS)
    };
    let (a, b) = (p.pick(shape, ty).name, p.pick(shape, ty).name);
    p.define(
        shape,
        ty,
        &format!("select {condition}, {a}, {b} : {truth}, {}", tile(shape, ty)),
    );
}

/// Any element type.
fn any(p: &mut Program<'_>) -> &'static str {
    if p.rng.random() {
        p.choose(&INTS)
    } else {
        p.choose(&FLOATS)
    }
}

pub(super) fn moves(p: &mut Program<'_>) {
    let ty = any(p);
    match p.below(4) {
        0 => {
            let a = p.pick(&[8, 8], ty);
            p.define(
                &[8, 8],
                ty,
                &format!("permute {} [1, 0] : {} -> {}", a.name, a.text(), a.text()),
            );
        }
        1 => {
            let shape = p.shape();
            let a = p.pick(shape, ty);
            let to = p.shape();
            p.define(
                to,
                ty,
                &format!("reshape {} : {} -> {}", a.name, a.text(), tile(to, ty)),
            );
        }
        2 => {
            // One row for all.
            let (a, at) = (p.pick(&[8, 8], ty), p.below(8));
            let (row, index) = (p.name(), p.name());
            p.line(&format!("{index} = constant <i32: {at}> : tile<i32>"));
            p.line(&format!(
                "{row} = extract {}[{index}, %zero] : {} -> {}",
                a.name,
                a.text(),
                tile(&[1, 8], ty)
            ));
            p.define(
                &[8, 8],
                ty,
                &format!("broadcast {row} : {} -> {}", tile(&[1, 8], ty), tile(&[8, 8], ty)),
            );
        }
        _ => {
            let wide = p.choose(&INTS[2..]);
            let count = p.define(&[64], wide, &format!("iota : {}", tile(&[64], wide)));
            let assumed = format!("assume bounded<0, 63>, {} : {}", count.name, count.text());
            p.define(&[64], wide, &assumed);
        }
    }
}

pub(super) fn parts(p: &mut Program<'_>) {
    let ty = any(p);
    let (a, b) = (p.pick(&[64], ty), p.pick(&[64], ty));
    let (first, second) = (p.name(), p.name());
    let half = tile(&[32], ty);
    let index = p.choose(&["%zero", "%one"]);
    p.line(&format!(
        "{first} = extract {}[{index}] : {} -> {half}",
        a.name,
        a.text()
    ));
    p.line(&format!(
        "{second} = extract {}[%one] : {} -> {half}",
        b.name,
        b.text()
    ));
    let text = if p.rng.random() {
        format!("cat {first}, {second} dim = 0 : {half}, {half} -> {}", a.text())
    } else {
        format!("insert {second}, {}[{index}] : {half}, {}", a.name, a.text())
    };
    p.define(&[64], ty, &text);
}

/// Reductions and scans with bodies of one op.
pub(super) fn folds(p: &mut Program<'_>) {
    let ty = any(p);
    let a = p.pick(&[8, 8], ty);
    let (op, zero) = if ty.starts_with('i') {
        let op = p.choose(&[
            "addi X, Y",
            "muli X, Y",
            "xori X, Y",
            "maxi X, Y signed",
            "mini X, Y unsigned",
        ]);
        (op, "0")
    } else {
        (
            p.choose(&["addf X, Y", "mulf X, Y", "maxf X, Y", "minf X, Y propagate_nan"]),
            "0.0",
        )
    };
    let scalar = tile(&[], ty);
    let body = format!(
        "(%x: {scalar}, %y: {scalar}) {{\n%w = {} : {scalar}\nyield %w : {scalar}\n}}",
        op.replace('X', "%x").replace('Y', "%y")
    );
    let dim = p.below(2);
    if p.rng.random() {
        let reverse: bool = p.rng.random();
        let head = format!(
            "scan {} dim={dim} reverse={reverse} identities=[{zero} : {ty}]",
            a.name
        );
        p.define(
            &[8, 8],
            ty,
            &format!("{head} : {} -> {}\n{body}", a.text(), a.text()),
        );
        return;
    }
    let line = tile(&[8], ty);
    let (folded, wide) = (p.name(), p.name());
    p.line(&format!(
        "{folded} = reduce {} dim={dim} identities=[{zero} : {ty}] : {} -> {line}\n{body}",
        a.name,
        a.text()
    ));
    let column = tile(&[8, 1], ty);
    p.line(&format!("{wide} = reshape {folded} : {line} -> {column}"));
    p.define(
        &[8, 8],
        ty,
        &format!("broadcast {wide} : {column} -> {}", a.text()),
    );
}

pub(super) fn products(p: &mut Program<'_>) {
    if p.rng.random() {
        let (from, to) = p.choose(&[
            ("f16", "f16"),
            ("f16", "f32"),
            ("bf16", "f32"),
            ("f32", "f32"),
            ("f64", "f64"),
        ]);
        let (a, b, c) = (p.pick(&[8, 8], from), p.pick(&[8, 8], from), p.pick(&[8, 8], to));
        let types = format!("{}, {}, {}", a.text(), b.text(), c.text());
        p.define(
            &[8, 8],
            to,
            &format!("mmaf {}, {}, {} : {types}", a.name, b.name, c.name),
        );
    } else {
        let (a, b, c) = (
            p.pick(&[8, 8], "i8"),
            p.pick(&[8, 8], "i8"),
            p.pick(&[8, 8], "i32"),
        );
        let (left, right) = (p.choose(&SIGNS), p.choose(&SIGNS));
        let types = format!("{}, {}, {}", a.text(), b.text(), c.text());
        p.define(
            &[8, 8],
            "i32",
            &format!("mmai {}, {}, {} {left} {right} : {types}", a.name, b.name, c.name),
        );
    }
}

/// Loads through views over the first input as 15 rows of 17, with edges.
pub(super) fn views(p: &mut Program<'_>) {
    let tensor = "tensor_view<15x17xi32, strides=[17,1]>";
    let (kind, last, index, types) = match p.below(3) {
        0 => (
            "partition_view<tile=(8x8), padding_value = zero",
            "",
            "%one, %bx".to_owned(),
            "tile<i32>",
        ),
        1 => (
            "strided_view<tile=(8x8), traversal_strides=[3,5], padding_value = zero",
            ", dim_map=[1, 0]",
            "%bx, %one".to_owned(),
            "tile<i32>",
        ),
        _ => {
            let rows = p.choose(&["[0, 3, 14, 3, 20, 1, 2, 15]", "[7, 6, 5, 4, 3, 2, 1, 0]"]);
            let name = p.name();
            p.line(&format!("{name} = constant <i32: {rows}> : tile<8xi32>"));
            (
                "gather_scatter_view<tile=(8x8), padding_value = zero",
                ", sparse_dim=0",
                format!("{name}, %bx"),
                "tile<8xi32>, tile<i32>",
            )
        }
    };
    let view = format!("{kind}, {tensor}{last}>");
    let make = kind.split('<').next().expect("a name");
    let (t, v, token, found) = (p.name(), p.name(), p.name(), p.name());
    p.line(&format!(
        "{t} = make_tensor_view %a, shape = [15, 17], strides = [17, 1] : {tensor}"
    ));
    p.line(&format!("{v} = make_{make} {t} : {view}"));
    p.line(&format!(
        "{found}, {token} = load_view_tko weak {v}[{index}] : {view}, {types} -> tile<8x8xi32>, token"
    ));
    p.values.push(Known {
        name: found,
        shape: &[8, 8],
        ty: "i32",
    });
}

/// 64 pointers, each moved by an index below 64.
fn spread(p: &mut Program<'_>, base: &str, ty: &str) -> String {
    let index = p.pick(&[64], "i32").name;
    let most = p.number(&[64], "i32", 63).name;
    let low = p
        .define(&[64], "i32", &format!("andi {index}, {most} : tile<64xi32>"))
        .name;
    moved(p, base, ty, &low)
}

fn moved(p: &mut Program<'_>, base: &str, ty: &str, index: &str) -> String {
    let ptr = format!("ptr<{ty}>");
    let (one, all, found) = (p.name(), p.name(), p.name());
    p.line(&format!("{one} = reshape {base} : tile<{ptr}> -> tile<1x{ptr}>"));
    p.line(&format!(
        "{all} = broadcast {one} : tile<1x{ptr}> -> tile<64x{ptr}>"
    ));
    p.line(&format!(
        "{found} = offset {all}, {index} : tile<64x{ptr}>, tile<64xi32> -> tile<64x{ptr}>"
    ));
    found
}

pub(super) fn pointers(p: &mut Program<'_>) {
    let (base, ty) = p.choose(&[("%a", "i32"), ("%b", "f32"), ("%c", "f16"), ("%d", "i64")]);
    let at = spread(p, base, ty);
    let (mask, padding) = (p.pick(&[64], "i1").name, p.pick(&[64], ty).name);
    let (found, token) = (p.name(), p.name());
    p.line(&format!(
        "{found}, {token} = load_ptr_tko weak {at}, {mask}, {padding} : tile<64xptr<{ty}>>, tile<64xi1>, {} -> {}, token",
        tile(&[64], ty),
        tile(&[64], ty)
    ));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty,
    });
}

/// Counters, of which each block and each element changes some.
pub(super) fn atomics(p: &mut Program<'_>) {
    let at = spread(p, "%n", "i32");
    let argument = p.pick(&[64], "i32").name;
    let (found, token) = (p.name(), p.name());
    let text = if p.rng.random() {
        let mode = p.choose(&["and", "or", "xor", "add", "max", "min", "umax", "umin", "xchg"]);
        format!("atomic_rmw_tko relaxed device {at}, {mode}, {argument} : tile<64xptr<i32>>, tile<64xi32>")
    } else {
        let other = p.pick(&[64], "i32").name;
        format!("atomic_cas_tko acq_rel device {at}, {argument}, {other} : tile<64xptr<i32>>, tile<64xi32>")
    };
    p.line(&format!("{found}, {token} = {text} -> tile<64xi32>, token"));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty: "i32",
    });
}

/// Memory of the kernel's own: stored, and loaded again by other pointers.
pub(super) fn own_memory(p: &mut Program<'_>) {
    let ty = any(p);
    let value = p.pick(&[64], ty).name;
    let (base, stored, joined, found, token) = (p.name(), p.name(), p.name(), p.name(), p.name());
    p.line(&format!(
        "{base} = alloca num_elem = 64, alignment = 16 : tile<ptr<{ty}>>"
    ));
    let all = p.define(&[64], "i32", "iota : tile<64xi32>").name;
    let at = moved(p, &base, ty, &all);
    let (ptrs, values) = (format!("tile<64xptr<{ty}>>"), tile(&[64], ty));
    p.line(&format!(
        "{stored} = store_ptr_tko weak {at}, {value} : {ptrs}, {values} -> token"
    ));
    let from = spread(p, &base, ty);
    p.line(&format!("{joined} = join_tokens {stored}, {stored} : token"));
    p.line(&format!(
        "{found}, {token} = load_ptr_tko weak {from} token={joined} : {ptrs} -> {values}, token"
    ));
    p.values.push(Known {
        name: found,
        shape: &[64],
        ty,
    });
}

/// Branches and loops.
pub(super) fn control(p: &mut Program<'_>) {
    if p.depth > 1 {
        return;
    }
    let (shape, ty) = (p.shape(), any(p));
    let to = tile(shape, ty);
    let initial = p.pick(shape, ty).name;
    let result = p.name();
    let ops = 1 + usize::try_from(p.below(4)).expect("few");
    match p.below(3) {
        0 => {
            let (bound, condition) = (p.name(), p.name());
            let number = p.below(3);
            p.line(&format!("{bound} = constant <i32: {number}> : tile<i32>"));
            p.line(&format!(
                "{condition} = cmpi equal %bx, {bound}, signed : tile<i32> -> tile<i1>"
            ));
            p.line(&format!("{result} = if {condition} -> ({to}) {{"));
            for word in ["} else {", "}"] {
                p.region(ops, &[], |p| {
                    let value = p.pick(shape, ty).name;
                    p.line(&format!("yield {value} : {to}\n{word}"));
                });
            }
        }
        1 => {
            let (upper, counter, carried) = (p.name(), p.name(), p.name());
            let turns = p.below(4);
            p.line(&format!("{upper} = constant <i32: {turns}> : tile<i32>"));
            p.line(&format!(
                "{result} = for {counter} in (%zero to {upper}, step %one) : tile<i32> iter_values({carried} = {initial}) -> ({to}) {{"
            ));
            p.region(
                ops,
                &[Known {
                    name: carried,
                    shape,
                    ty,
                }],
                |p| {
                    let value = p.pick(shape, ty).name;
                    p.line(&format!("continue {value} : {to}\n}}"));
                },
            );
        }
        _ => {
            let (carried, counter, most, done, next) = (p.name(), p.name(), p.name(), p.name(), p.name());
            let turns = p.below(4);
            p.line(&format!("{most} = constant <i32: {turns}> : tile<i32>"));
            p.line(&format!(
                "{result} = loop iter_values({carried} = {initial}, {counter} = %zero) : {to}, tile<i32> -> {to} {{"
            ));
            p.line(&format!(
                "{done} = cmpi greater_than_or_equal {counter}, {most}, signed : tile<i32> -> tile<i1>"
            ));
            p.line(&format!("if {done} {{\nbreak {carried} : {to}\n}}"));
            p.line(&format!("{next} = addi {counter}, %one : tile<i32>"));
            p.region(
                ops,
                &[Known {
                    name: carried,
                    shape,
                    ty,
                }],
                |p| {
                    let value = p.pick(shape, ty).name;
                    p.line(&format!("continue {value}, {next} : {to}, tile<i32>\n}}"));
                },
            );
        }
    }
    p.values.push(Known {
        name: result,
        shape,
        ty,
    });
}
