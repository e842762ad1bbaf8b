//! Layouts as types know them: what a type says of a result is true of every value, and what is computed is the value.

use std::num::NonZeroU64;

use crate::cute_laws::admissible;
use crate::cute_model::*;
use proptest::prelude::*;
use tilewright_layouts::cute::{
    Bits, CoordOf, CuteError, Emit, Emitted, Fact, Layout, LayoutOf, Leaf, ModeOf, Nested, ParseCuteError,
    RunTime, Scaled, SlotOf, Stride, TilerOf, Traced, TypeLayout,
};

type TracedLayout = LayoutOf<Traced>;

/// Some leaves of static tuples as values from outside, with what they are.
#[derive(Debug, Default)]
struct Inputs {
    values: Vec<i64>,
    /// One bit for each leaf: whether it is an input.
    which: u64,
    /// Two bits for each input: how much of its divisor is known.
    known: u64,
}

impl Inputs {
    fn leaf(&mut self, value: i64) -> Traced {
        let chosen = self.which & 1 == 1;
        self.which = self.which.rotate_right(1);
        // A static 0 and a 1 decide; a dynamic one does not.
        if !chosen || (0..2).contains(&value) {
            return Traced::input(Fact::Static(value), 0);
        }
        let divisor = match self.known & 3 {
            0 => 1,
            1 => value.unsigned_abs(),
            2 => 1 << value.trailing_zeros().min(4),
            _ => {
                if value % 3 == 0 {
                    3
                } else {
                    1
                }
            }
        };
        self.known = self.known.rotate_right(2);
        let wide = value > i64::from(i32::MAX) || self.known & 1 == 1;
        let width = if wide { Bits::B64 } else { Bits::B32 };
        let input = u32::try_from(self.values.len()).expect("a few");
        self.values.push(value);
        Traced::input(
            Fact::dynamic(width, NonZeroU64::new(divisor).expect("not 0")),
            input,
        )
    }

    fn layout(&mut self, layout: &Layout) -> TracedLayout {
        let number = |leaf: &tilewright_layouts::cute::Int| {
            i64::try_from(leaf.as_static().expect("static")).expect("small")
        };
        let shape = layout.shape().map(&mut |leaf| self.leaf(number(leaf)));
        let stride = layout.stride().map(&mut |leaf| self.leaf(number(leaf)).into());
        LayoutOf::new(shape, stride).expect("congruent")
    }

    fn tuple(&mut self, tuple: &Nested<i64>) -> Nested<Traced> {
        tuple.map(&mut |leaf| self.leaf(*leaf))
    }

    /// The value of a leaf, of which what its type says is true.
    fn value(&self, leaf: &Traced) -> Option<i64> {
        let value = leaf.evaluate(&|input| self.values[input as usize])?;
        match leaf.fact() {
            Fact::Static(known) => assert_eq!(known, value, "{leaf:?}"),
            Fact::Dynamic { divisor, .. } => {
                let divisor = i64::try_from(divisor.get()).expect("a divisor of a small number");
                assert_eq!(value % divisor, 0, "{leaf} is {value}: {leaf:?}");
            }
        }
        Some(value)
    }

    /// The extents and strides of a layout.
    fn known(&self, layout: &TracedLayout) -> Vec<(u64, u64)> {
        let number =
            |leaf: &Traced| u64::try_from(self.value(leaf).expect("no overflow")).expect("not negative");
        let pair = |mode: &ModeOf<Traced>| (number(&mode.shape), number(mode.stride.factor()));
        layout.tree().leaves().map(pair).collect()
    }
}

fn inputs() -> impl Strategy<Value = Inputs> {
    (any::<u64>(), any::<u64>()).prop_map(|(which, known)| Inputs {
        values: Vec::new(),
        which,
        known,
    })
}

fn facts(layout: &TracedLayout) -> TypeLayout {
    let shape = layout.shape().map(&mut Traced::fact);
    let stride = layout
        .stride()
        .map(&mut |stride: &Scaled<Traced>| stride.map(Traced::fact));
    LayoutOf::new(shape, stride).expect("a layout")
}

fn fact_tuple(tuple: &Nested<Traced>) -> Nested<Fact> {
    tuple.map(&mut Traced::fact)
}

/// The indices of a layout by its leaves, whose extents are at least 1.
fn indices(leaves: &[(u64, u64)]) -> Vec<u64> {
    let size: u64 = leaves.iter().map(|(extent, _)| extent).product();
    (0..size.min(4096)).map(|flat| eval(leaves, flat)).collect()
}

/// An operation on a layout and a second one, on types, on values with types, and on static layouts.
macro_rules! check {
    ($inputs:expr, $what:expr, $traced:expr, $typed:expr, $known:expr) => {
        if let Ok(known) = $known {
            match $traced {
                Ok(traced) => {
                    let typed = $typed;
                    prop_assert_eq!(
                        typed.as_ref().map(ToString::to_string),
                        Ok(facts(&traced).to_string()),
                        "{}",
                        $what
                    );
                    let found = $inputs.known(&traced);
                    let extent: u64 = found.iter().map(|(extent, _)| extent).product();
                    prop_assert_eq!(extent, size(&known), "{}: {:?} for {}", $what, typed, known);
                    let same = indices(&found) == indices(&leaves(&known));
                    prop_assert!(same, "{}: {:?} for {}", $what, typed, known);
                }
                // Not decided; or a leaf that became several modes, which do not match those of the other.
                Err(CuteError::NeedsStatic { .. } | CuteError::Rank { .. }) => (),
                Err(error) => prop_assert!(false, "{}: {} for {}", $what, error, known),
            }
        }
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn what_is_computed_is_the_layout(a in gapped_layout(), b in gapped_layout(), inputs in inputs()) {
        let mut inputs = inputs;
        let (x, y) = (inputs.layout(&a), inputs.layout(&b));
        let (s, t) = (facts(&x), facts(&y));
        // What composition demands of numbers is not asked at run time: it has to hold, mode by mode.
        let fits = |outer: &Layout, inner: &[(u64, u64)]| admissible(&leaves(outer), inner);
        check!(inputs, "coalesce", Ok::<_, CuteError>(x.coalesce()), Ok::<_, CuteError>(s.coalesce()), Ok::<_, CuteError>(a.coalesce()));
        check!(inputs, "filter", Ok::<_, CuteError>(x.filter()), Ok::<_, CuteError>(s.filter()), Ok::<_, CuteError>(a.filter()));
        check!(inputs, "complement", x.complement(&y.shape()), s.complement(&t.shape()), a.complement(&b.shape()));
        // Modes of a stride that is not known are left out.
        if let (Ok(found), Ok(known)) = (x.right_inverse(), a.right_inverse()) {
            prop_assert_eq!(s.right_inverse(), Ok(facts(&found)));
            let (found, known) = (indices(&inputs.known(&found)), table(&known));
            prop_assert!(known.starts_with(&found), "{:?} begins {:?}", known, found);
        }
        check!(inputs, "left_inverse", x.left_inverse(), s.left_inverse(), a.left_inverse());
        check!(inputs, "group", x.group(0..1), s.group(0..1), a.group(0..1));
        if fits(&a, &leaves(&b)) {
            check!(inputs, "composition", x.composition(&y), s.composition(&t), a.composition(&b));
        }
        let rest = b.complement(&a.coalesce().shape()).map_or(Vec::new(), |rest| leaves(&rest));
        if fits(&a, &[leaves(&b), rest].concat()) {
            let (tiler, typed, tile) = (TilerOf::Layout(y.clone()), TilerOf::Layout(t.clone()), b.clone().into());
            check!(inputs, "logical_divide", x.logical_divide(&tiler), s.logical_divide(&typed), a.logical_divide(&tile));
            check!(inputs, "zipped_divide", x.zipped_divide(&tiler), s.zipped_divide(&typed), a.zipped_divide(&tile));
            check!(inputs, "tiled_divide", x.tiled_divide(&tiler), s.tiled_divide(&typed), a.tiled_divide(&tile));
            check!(inputs, "flat_divide", x.flat_divide(&tiler), s.flat_divide(&typed), a.flat_divide(&tile));
        }
        // Static blocks, repeated as often as only run time tells.
        let block = Inputs::default().layout(&a);
        let known = facts(&block);
        check!(inputs, "blocked_product", block.blocked_product(&y), known.blocked_product(&t), a.blocked_product(&b));
        check!(inputs, "raked_product", block.raked_product(&y), known.raked_product(&t), a.raked_product(&b));
        check!(inputs, "tile_to_shape", block.tile_to_shape(&y.shape(), None), known.tile_to_shape(&t.shape(), None), a.tile_to_shape(&b.shape(), None));
    }

    #[test]
    fn the_index_is_the_sum_of_steps(layout in some_layout(), inputs in inputs(), choices in any::<u32>(), flat in any::<u64>()) {
        let mut inputs = inputs;
        let x = inputs.layout(&layout);
        let flat = flat % size(&layout);
        let coord = coarse(layout.tree(), &mut flat.clone(), &mut choices.clone());
        let known = |leaf: &tilewright_layouts::cute::Slot| match leaf {
            SlotOf::At(number) => i64::try_from(number.as_static().expect("static")).expect("small"),
            SlotOf::All => 0,
        };
        let traced = inputs.tuple(&coord.map(&mut |slot| known(slot)));
        let slots: CoordOf<Traced> = traced.map(&mut |leaf| SlotOf::At(leaf.clone()));
        let typed: CoordOf<Fact> = traced.map(&mut |leaf| SlotOf::At(leaf.fact()));
        let index = x.index_of(&slots).expect("all is left to run time");
        prop_assert_eq!(facts(&x).index_of(&typed), Ok(fact_tuple(&index)));
        let Nested::Leaf(index) = index else { return Err(TestCaseError::fail("integer strides")) };
        let expected = eval(&leaves(&layout), flat);
        prop_assert_eq!(inputs.value(&index), i64::try_from(expected).ok());
    }

    #[test]
    fn an_identity_maps_coordinates_to_themselves(layout in some_layout(), inputs in inputs(), flat in any::<u64>()) {
        let mut inputs = inputs;
        let shape = inputs.layout(&layout).shape();
        let flat = i64::try_from(flat % size(&layout)).expect("small");
        let identity = TracedLayout::identity(&shape).expect("a shape");
        let index = inputs.leaf(flat);
        let coord = shape.coord_of(&Nested::Leaf(index.clone())).expect("all is left to run time");
        let mapped = identity.index_of(&Nested::Leaf(SlotOf::At(index))).expect("all is left to run time");
        let values = |tuple: &Nested<Traced>| tuple.map(&mut |leaf| inputs.value(leaf));
        prop_assert_eq!(values(&coord), values(&mapped));
        // And the coordinate leads back.
        let compact = TracedLayout::column_major(&shape).expect("it fits");
        let back = compact.index_of(&coord.map(&mut |leaf| SlotOf::At(leaf.clone()))).expect("a coordinate");
        prop_assert_eq!(back.leaves().map(|leaf| inputs.value(leaf)).collect::<Vec<_>>(), vec![Some(flat)]);
    }

    #[test]
    fn coordinates_of_compact_layouts_lead_back(layout in compact_layout(), inputs in inputs(), at in any::<u64>()) {
        let mut inputs = inputs;
        let x = inputs.layout(&layout);
        let at = i64::try_from(at % size(&layout)).expect("small");
        let index = inputs.leaf(at);
        for coord in [
            x.hier_coord(&index),
            x.flat_coord(&index),
            x.integral_coord(&index).map(Nested::Leaf),
        ] {
            let coord = coord.expect("all is left to run time");
            let back = x.index_of(&coord.map(&mut |leaf| SlotOf::At(leaf.clone()))).expect("a coordinate");
            prop_assert_eq!(back.leaves().map(|leaf| inputs.value(leaf)).collect::<Vec<_>>(), vec![Some(at)]);
        }
    }

    #[test]
    fn arithmetic_is_that_of_signed_numbers(a in -6_000_000_000i64..6_000_000_000, b in prop_oneof![-40i64..40, -6_000_000_000i64..6_000_000_000], inputs in inputs()) {
        let mut inputs = inputs;
        let (x, y) = (inputs.leaf(a), inputs.leaf(b));
        let cases = [
            (x.plus(&y).ok(), RunTime::Sum),
            (x.minus(&y).ok(), RunTime::Difference),
            (x.times(&y).ok(), RunTime::Product),
            (x.quotient(&y), RunTime::Quotient),
            (x.remainder(&y), RunTime::Remainder),
            (x.ceil_div(&y).ok(), RunTime::CeilQuotient),
            (x.lesser(&y), RunTime::Lesser),
        ];
        for (found, op) in cases {
            if let (Some(found), Some(expected)) = (found, op.of(a, b)) {
                prop_assert_eq!(inputs.value(&found), Some(expected), "{:?} of {} and {}", op, x, y);
            }
        }
    }

    #[test]
    fn shapes_are_divided_by_leaf(a in some_layout(), b in 1u64..40, inputs in inputs()) {
        let mut inputs = inputs;
        let shape = inputs.layout(&a).shape();
        let by = inputs.leaf(i64::try_from(b).expect("small"));
        let tile = LayoutOf::strided(by.clone(), Traced::from(1)).expect("positive");
        let tiles = shape.tiles(&TilerOf::Layout(tile)).expect("one tile").product().expect("it fits");
        prop_assert_eq!(inputs.value(&tiles), i64::try_from(size(&a).div_ceil(b)).ok());
        // Where each step of a static division is whole, the dynamic one finds the same.
        if let Ok(known) = a.shape().shape_div(&b.into()) {
            let found = shape.shape_div(&Nested::Leaf(by)).expect("what is static divides");
            let found = found.map(&mut |leaf| inputs.value(leaf));
            let known = known.map(&mut |leaf| leaf.as_static().and_then(|leaf| i64::try_from(leaf).ok()));
            prop_assert_eq!(found, known);
        }
    }

    #[test]
    fn what_is_like_a_layout_is_compact_in_its_order(a in compact_layout(), inputs in inputs()) {
        let mut inputs = inputs;
        // Dynamic strides lose their order: keep them.
        let shape = a.shape().map(&mut |leaf| inputs.leaf(i64::try_from(leaf.as_static().expect("static")).expect("small")));
        let stride = a.stride().map(&mut |leaf| Scaled::from(Traced::from(leaf.as_static().expect("static"))));
        let x = LayoutOf::new(shape, stride).expect("congruent");
        let like = x.compact_like().expect("static strides");
        prop_assert_eq!(facts(&like), facts(&x).compact_like().expect("as with values"));
        prop_assert_eq!(indices(&inputs.known(&like)), table(&a));
        let fragment = x.fragment_like().expect("static strides");
        let found = sorted(indices(&inputs.known(&fragment)));
        prop_assert_eq!(found, (0..size(&a)).collect::<Vec<_>>());
    }
}

#[test]
fn texts_are_canonical() {
    let layouts = [
        ("(4,2)", "(4,2):(1,4)"),
        ("(?,64):(?{i64 div=8},1)", "(?,64):(?{i64 div=8},1)"),
        ("( ?{ div = 8 i64 } , 2 ) : ( -1 , 0 )", "(?{i64 div=8},2):(-1,0)"),
        ("?{i32 div=1}:?{i8}", "?:?{i8}"),
        ("?{i16 div=12}:1", "?{i16 div=12}:1"),
        ("((4,2),8):((1@0@0,1@1@0),1@1)", "((4,2),8):((1@0@0,1@1@0),1@1)"),
        (
            "(512,4):(1/2@0,?{i64 div=8}@1@0)",
            "(512,4):(1/2@0,?{i64 div=8}@1@0)",
        ),
        ("():()", "():()"),
    ];
    for (text, canonical) in layouts {
        let layout: TypeLayout = text.parse().expect(text);
        assert_eq!(layout.to_string(), canonical);
        assert_eq!(canonical.parse(), Ok(layout));
    }
    for text in ["(?,-1)", "(_,(1,?{div=4}))", "_", "-9223372036854775808"] {
        assert_eq!(text.parse::<CoordOf<Fact>>().expect(text).to_string(), text);
    }
    for (text, canonical) in [
        ("4", "4:1"),
        ("[4;_]", "[4:1;_]"),
        ("[(2,?):(?,1);[4:1;8:2]]", "[(2,?):(?,1);[4:1;8:2]]"),
    ] {
        assert_eq!(text.parse::<TilerOf<Fact>>().expect(text).to_string(), canonical);
    }
    let strides: Nested<Scaled<Fact>> = "(1@0,(?@1,0))".parse().expect("strides");
    assert_eq!(strides.to_string(), "(1@0,(?@1,0))");
}

#[test]
fn wrong_texts_are_refused_where_they_are_wrong() {
    let cases = [
        ("(4,2", 4),
        ("(4,,2):(1,4)", 3),
        ("4:+1", 2),
        ("4:- 1", 2),
        ("4:x", 2),
        ("?{i65}:1", 2),
        ("?{div=0}:1", 6),
        ("?{div=-4}:1", 6),
        ("?{i64,div=8}:1", 5),
        ("4:1@", 4),
        ("4:1@-1", 4),
        ("4:1/0@0", 4),
        ("4:1/2", 5),
        ("9223372036854775808:1", 0),
        ("4:1)", 3),
        ("?@0:1", 1),
    ];
    for (text, position) in cases {
        match text.parse::<TypeLayout>() {
            Err(ParseCuteError::Syntax { at, .. }) => assert_eq!(at, position, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    for text in ["0:1", "-1:1", "(4,0):(1,4)"] {
        assert_eq!(
            text.parse::<TypeLayout>(),
            Err(ParseCuteError::Layout(CuteError::ZeroExtent))
        );
    }
    for text in ["(4,2):1", "(4,2):(1,(2))"] {
        let found = text.parse::<TypeLayout>();
        assert!(
            matches!(found, Err(ParseCuteError::Layout(CuteError::NotCongruent { .. }))),
            "{text}"
        );
    }
    let deep = "(".repeat(100_000);
    assert!(deep.parse::<TypeLayout>().is_err());
    let long = format!("4:1{}", "@0".repeat(100_000));
    assert!(long.parse::<TypeLayout>().is_err());
}

/// What a type remembers of a result.
#[test]
fn types_forget_as_documented() {
    let fact = |text: &str| text.parse::<Fact>().expect(text);
    let shown = |found: Result<Fact, CuteError>| found.expect("it fits").to_string();
    for (a, b, sum, product) in [
        ("?{div=12}", "?{div=8}", "?{div=4}", "?{div=96}"),
        ("?{div=8}", "3", "?", "?{div=24}"),
        ("?{i64 div=8}", "?", "?{i64}", "?{i64 div=8}"),
        ("?", "4294967296", "?{i64}", "?{i64 div=4294967296}"),
        ("?{div=8}", "0", "?{div=8}", "0"),
        ("?{i8}", "5", "?", "?{div=5}"),
        ("?{i8}", "?{i16}", "?{i16}", "?{i16}"),
        ("?{div=8}", "-1", "?", "?{div=8}"),
        ("-3", "5", "2", "-15"),
        (
            "?{i64 div=4611686018427387904}",
            "?{i64 div=4}",
            "?{i64 div=4}",
            "?{i64 div=4611686018427387904}",
        ),
    ] {
        assert_eq!(shown(fact(a).plus(&fact(b))), sum, "{a} + {b}");
        assert_eq!(shown(fact(a).times(&fact(b))), product, "{a} * {b}");
        assert_eq!(shown(fact(b).times(&fact(a))), product, "{b} * {a}");
    }
    assert_eq!(shown(fact("?{div=8}").minus(&fact("?{div=8}"))), "?{div=8}");
    for (a, b, quotient, remainder, up) in [
        ("?{div=24}", "8", "?{div=3}", "0", "?"),
        ("?{div=24}", "-8", "?{div=3}", "0", "?"),
        ("?{div=4}", "8", "?", "?{div=4}", "?"),
        ("?{div=12}", "8", "?", "?", "?"),
        ("?{div=8}", "1", "?{div=8}", "0", "?{div=8}"),
        ("7", "?", "?", "?", "?"),
        ("0", "?", "0", "0", "0"),
        ("-7", "2", "-3", "-1", "-3"),
    ] {
        let found = |found: Option<Fact>| found.expect("not by 0").to_string();
        assert_eq!(found(fact(a).quotient(&fact(b))), quotient, "{a} / {b}");
        assert_eq!(found(fact(a).remainder(&fact(b))), remainder, "{a} % {b}");
        assert_eq!(shown(fact(a).ceil_div(&fact(b))), up, "ceil({a} / {b})");
    }
    for by in ["1", "2", "?"] {
        assert_eq!(shown(fact("?{div=8}").shape_div(&fact(by))), "?", "{by}");
    }
    assert!(fact("6").shape_div(&fact("4")).is_err());
    assert!(fact("6").ceil_div(&fact("0")).is_err());
    assert_eq!(fact("6").quotient(&fact("0")), None);
}

/// Dynamic extents are left to run time as in CUTLASS.
#[test]
fn dynamic_layouts_are_divided_and_composed() {
    let layout = |text: &str| text.parse::<TypeLayout>().expect(text);
    let tiler = |text: &str| text.parse::<TilerOf<Fact>>().expect(text);
    for (whole, tile, zipped) in [
        (
            "(?,?{div=8}):(?{i64 div=8},1)",
            "[128:1;64:1]",
            "((128,64),(?,?)):((?{i64 div=8},1),(?{i64 div=1024},64))",
        ),
        ("?{div=128}:1", "64:1", "(64,?):(1,64)"),
        (
            "(?,?):(1@0,1@1)",
            "[16:1;8:1]",
            "((16,8),(?,?)):((1@0,1@1),(16@0,8@1))",
        ),
    ] {
        assert_eq!(
            layout(whole)
                .zipped_divide(&tiler(tile))
                .expect(whole)
                .to_string(),
            zipped
        );
    }
    for (outer, inner, composed) in [
        ("(?{div=8},4):(1,?{i64})", "8:1", "(?{div=8},?):(1,?{i64})"),
        ("(8,?):(1,8)", "4:2", "4:2"),
        (
            "((4,2),8):((1@0@0,1@1@0),1@1)",
            "(4,8):(1@0@0,1@1)",
            "(4,8):(1@0@0,1@1)",
        ),
        ("64:1/2@0", "(8,4):(2,16)", "(8,4):(1@0,8@0)"),
    ] {
        assert_eq!(
            layout(outer)
                .composition(&layout(inner))
                .expect(outer)
                .to_string(),
            composed
        );
    }
    // What static numbers say is refused.
    assert!(matches!(
        layout("(6,?):(8,2)").composition(&layout("4:9")),
        Err(CuteError::StrideDivisibility { .. } | CuteError::ShapeDivisibility { .. })
    ));
}

/// Wider elements merge what they can, rounded up; dynamic strides are taken to be multiples.
#[test]
fn dynamic_layouts_are_recast() {
    let layout = |text: &str| text.parse::<TypeLayout>().expect(text);
    for (narrow, wide) in [
        ("(64,?):(1,?{div=64})", "(16,?):(1,?)"),
        ("(?,8):(8,1)", "(?,2):(2,1)"),
        ("(6,8):(1,8)", "(2,8):(1,2)"),
        ("(8,8):(2,0)", "(4,8):(1,0)"),
    ] {
        assert_eq!(layout(narrow).upcast(4).expect(narrow).to_string(), wide);
    }
    for (wide, narrow) in [
        ("(?,8):(?{div=2},1)", "(?,32):(?{div=8},1)"),
        ("(4,3):(2,8)", "(4,3):(8,32)"),
    ] {
        assert_eq!(layout(wide).downcast(4).expect(wide).to_string(), narrow);
    }
    assert!(layout("(8,4):(1@0,1@1)").upcast(4).is_err());
    assert_eq!(layout("4:1").upcast(0), Err(CuteError::ZeroFactor));
}

/// A program in text: each value once, each operation with its width.
#[derive(Default)]
struct Program(Vec<String>);

impl Emit for Program {
    type Value = String;
    fn number(&mut self, value: i64) -> String {
        value.to_string()
    }
    fn input(&mut self, input: u32, fact: Fact) -> String {
        format!("%{input}{{{fact}}}")
    }
    fn apply(&mut self, op: RunTime, width: Bits, a: String, b: String) -> String {
        self.0.push(format!("{op:?} {width:?} {a} {b}"));
        format!("v{}", self.0.len())
    }
}

#[test]
fn shared_computations_are_emitted_once() {
    let input = |text: &str, number| Traced::input(text.parse().expect(text), number);
    let shape = Nested::Tuple(vec![
        Nested::Leaf(input("8", 0)),
        Nested::Leaf(input("?", 1)),
        Nested::Leaf(input("?{i64}", 2)),
    ]);
    let coord = shape
        .coord_of(&Nested::Leaf(input("?", 0)))
        .expect("all is left to run time");
    let (mut program, mut emitted) = (Program::default(), Emitted::default());
    let parts: Vec<String> = coord
        .leaves()
        .map(|part| part.emit(&mut program, &mut emitted))
        .collect();
    assert_eq!(parts, ["v1", "v3", "v4"]);
    assert_eq!(
        program.0,
        [
            "Remainder B32 %0{?} 8",
            "Quotient B32 %0{?} 8",
            "Remainder B32 v2 %1{?}",
            "Quotient B32 v2 %1{?}",
        ]
    );
    // As often shared as there are doublings: a tree of that size would not be walked in time.
    let mut twice = input("?", 0);
    for _ in 0..60 {
        twice = twice.plus(&twice).expect("a fact");
    }
    assert_eq!(twice.evaluate(&|_| 1), Some(1 << 60));
}
