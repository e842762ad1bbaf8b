//! Elementwise numeric ops.

use rand::RngExt;

use super::generate::{FLOATS, INTS, Program, bits, tile};

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

/// Generates quotients, remainders and shifts with defined operands.
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
            // Through a narrow format and back.
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
