//! What is no text of the open dialect: one error each, at its place.

use tilewright_diagnostics::Code;

use super::read;

/// The errors of a text: codes, lines, and what they are about.
fn errors(text: &str) -> Vec<(Code, usize, String)> {
    let problems = read(text).expect_err(text);
    let found = problems.iter().map(|problem| {
        let at = problem.primary.as_ref().expect("a place").at;
        let (start, end) = (at.start as usize, at.end as usize);
        let line = text[..start].matches('\n').count() + 1;
        (problem.code, line, text[start..end].to_owned())
    });
    found.collect()
}

/// `%r = cute.OP(%0, …) : (T, …) -> R` in its generic form, and what is wrong with it.
fn op(name: &str, properties: &str, params: &[&str], result: &str) -> String {
    let named: Vec<String> = (0..).zip(params).map(|(i, ty)| format!("%{i}: {ty}")).collect();
    let values: Vec<String> = (0..params.len()).map(|i| format!("%{i}")).collect();
    format!(
        "func.func @f({}) {{\n  %r = \"cute.{name}\"({}){properties} : ({}) -> {result}\n  return\n}}\n",
        named.join(", "),
        values.join(", "),
        params.join(", "),
    )
}

const SHAPE: &str = "!cute.shape<\"(4,2)\">";
const LAYOUT: &str = "!cute.layout<\"(4,2):(1,4)\">";
const OPEN: &str = "!cute.layout<\"(?,2):(1,4)\">";
const COORDS: &str = "!cute.layout<\"(4,2):(1@0,1@1)\">";
const SWIZZLED: &str = "!cute.composed_layout<\"S<3,4,3> o 0 o (8,64):(64,1)\">";
const COMPOSED: &str = "!cute.composed_layout<\"(4,5):(1,4) o 2 o (2,3):(1,2)\">";
const NUMBER: &str = "!cute.int_tuple<\"4\">";

#[test]
fn operands_are_checked() {
    let cases: &[(&str, &str, &[&str], &str)] = &[
        // Paths of modes that go on after a number.
        (
            "get",
            " <{mode = array<i32: 0, 0>}>",
            &[SHAPE],
            "!cute.shape<\"4\">",
        ),
        ("size", " <{mode = array<i32: 1, 0>}>", &[LAYOUT], NUMBER),
        ("cosize", " <{mode = array<i32: 0, 0>}>", &[LAYOUT], NUMBER),
        ("size", " <{mode = array<i32: 2>}>", &[LAYOUT], NUMBER),
        ("size", " <{mode = array<i32: -1>}>", &[LAYOUT], NUMBER),
        // Layouts under a layout.
        ("cosize", "", &[COMPOSED], "!cute.int_tuple<\"20\">"),
        (
            "make_layout_like",
            "",
            &[COMPOSED],
            "!cute.layout<\"(2,3):(1,2)\">",
        ),
        // Slices of swizzles.
        ("slice", "", &[SWIZZLED, "!cute.coord<\"(2,1)\">"], SWIZZLED),
        (
            "slice",
            "",
            &[
                "!cute.composed_layout<\"S<3,4,3> o 0 o (?,64):(64,1)\">",
                "!cute.coord<\"(_,1)\">",
            ],
            SWIZZLED,
        ),
        // Coordinates that are not known.
        (
            "dice",
            "",
            &[SHAPE, "!cute.coord<\"(_,?)\">"],
            "!cute.shape<\"(2)\">",
        ),
        // Orders.
        (
            "make_ordered_layout",
            "",
            &[SHAPE, "!cute.int_tuple<\"(0,?)\">"],
            LAYOUT,
        ),
        (
            "tile_to_shape",
            "",
            &[LAYOUT, "!cute.shape<\"(8,8)\">", "!cute.int_tuple<\"(1,2)\">"],
            LAYOUT,
        ),
        (
            "tile_to_shape",
            "",
            &[LAYOUT, "!cute.shape<\"(8,8)\">", "!cute.int_tuple<\"(0,?)\">"],
            LAYOUT,
        ),
        ("tile_to_shape", "", &[LAYOUT, "!cute.shape<\"8\">"], LAYOUT),
        // Kinds that differ.
        ("tuple_add", "", &[SHAPE, "!cute.int_tuple<\"(1,2)\">"], SHAPE),
        ("tuple_add", "", &[NUMBER, "!cute.int_tuple<\"(1,2)\">"], NUMBER),
        ("equal", "", &[SHAPE, "!cute.int_tuple<\"(4,2)\">"], "i1"),
        ("equal", "", &[SWIZZLED, SWIZZLED], "i1"),
        ("elem_less", "", &[LAYOUT, SHAPE], "i1"),
        ("elem_less", "", &[NUMBER, SHAPE], "i1"),
        // Products of what is not known.
        ("logical_product", "", &[OPEN, LAYOUT], LAYOUT),
        ("blocked_product", "", &[LAYOUT, COORDS], LAYOUT),
        ("raked_product", "", &[COORDS, OPEN], LAYOUT),
        ("complement", "", &[OPEN], LAYOUT),
        ("right_inverse", "", &[OPEN], LAYOUT),
        ("left_inverse", "", &["!cute.layout<\"(4,2):(2,3)\">"], LAYOUT),
        (
            "logical_divide",
            "",
            &[LAYOUT, "!cute.shape<\"(2,2,2)\">"],
            LAYOUT,
        ),
        ("get_layouts_from_tile", "", &["!cute.tile<\"[_;_]\">"], LAYOUT),
        ("flatten", "", &["!cute.swizzle<\"S<3,4,3>\">"], LAYOUT),
        ("to_shape", "", &[SHAPE], SHAPE),
        (
            "crd2idx",
            "",
            &["!cute.coord<\"(1,2)\">", LAYOUT],
            "!cute.int_tuple<\"9\">",
        ),
        (
            "layout_eval",
            "",
            &["!cute.coord<\"(1,2,3)\">", LAYOUT],
            "!cute.int_tuple<\"9\">",
        ),
    ];
    for (name, properties, params, result) in cases {
        let text = op(name, properties, params, result);
        assert_eq!(
            errors(&text),
            [(Code::OperandType, 2, format!("cute.{name}"))],
            "{text}"
        );
    }
}

#[test]
fn types_of_results_follow() {
    let text = op(
        "crd2idx",
        "",
        &["!cute.coord<\"(1,2)\">", "!cute.shape<\"(4,8)\">"],
        "!cute.int_tuple<\"7\">",
    );
    assert_eq!(
        errors(&text),
        [(Code::TypeMismatch, 2, "cute.crd2idx".to_owned())]
    );
}

#[test]
fn ops_of_the_library_alone_are_unknown() {
    for name in ["make_view", "tuple.product", "memref.load", "filter"] {
        let text = op(name, "", &[LAYOUT], LAYOUT);
        assert_eq!(
            errors(&text),
            [(Code::UnknownOp, 2, format!("cute.{name}"))],
            "{text}"
        );
    }
}

#[test]
fn types_are_checked() {
    for ty in [
        "!cute.stride<\"(1,1@0)\">",
        "!cute.stride<\"(?,?@0)\">",
        "!cute.stride<\"(1/2@0,1@1)\">",
        "!cute.stride<\"(1@1@0,1@0)\">",
        "!cute.stride<\"((1@0@0,1@0@1),1@1)\">",
        "!cute.layout<\"(2,3):(1,1@0)\">",
        "!cute.tile<\"[(2,3):(1@1@0,1@0)]\">",
        "!cute.swizzle<\"S<5,29,5>\">",
        "!cute.composed_layout<\"(4,5):(1,4) o 0 o ((?,?)):((?@0@0,?@1@0))\">",
        "!cute.composed_layout<\"(4,5):(1,1@0) o 0 o (2,3):(1,2)\">",
        "!cute.composed_layout<\"(4,5):(1,4) o 0 o (2,3):(1/2@0,1@1)\">",
    ] {
        let text = format!("func.func @f(%0: {ty}) {{\n  return\n}}\n");
        let found = errors(&text);
        assert!(
            matches!(found.as_slice(), [(Code::UnknownType, 1, about)] if ty.ends_with(about.as_str())),
            "{ty}: {found:?}"
        );
    }
    // A zero is a stride along any vector; what a tuple lacks of a sum is that of the other.
    for ty in [
        "!cute.stride<\"(0,1@0)\">",
        "!cute.composed_layout<\"(4,5):(1,4) o (0,1) o (?):(1@0)\">",
    ] {
        let text = format!("func.func @f(%0: {ty}) {{\n  return\n}}\n");
        assert!(read(&text).is_ok(), "{text}");
    }
}

#[test]
fn attributes_that_are_values_are_checked() {
    for value in [
        "#cute.int_tuple<32>",
        "#cute.shape<\"(1,\">",
        "#cute.coord<\"bogus\">",
        "#cute.layout<\"(2,3:(1,2)\">",
        "#cute.swizzle<\"S<1>\">",
    ] {
        let text = format!("func.func @f() attributes {{a.b = {value}}} {{\n  return\n}}\n");
        let found = errors(&text);
        assert!(
            matches!(found.as_slice(), [(Code::AttributeValue, 1, _)]),
            "{value}: {found:?}"
        );
    }
}
