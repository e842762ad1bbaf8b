//! How the results of ops are computed: with numbers for the inputs, what the op gives for operands that say these numbers.

mod cases;

use std::collections::BTreeSet;

use cases::{CASES, Case, WITHOUT};
use tilewright_irs::cute_types::infer::{Attribute, Computed, INFERRED, Question, compute, infer};
use tilewright_irs::cute_types::{CoordTensor, Dialect, Kind, Pointer, ValueType, View, ViewLayout};
use tilewright_layouts::cute::{CoordOf, Fact, Nested, SlotOf, Traced};

/// Assignments of each case for which the op with numbers is not refused.
const ASSIGNMENTS: usize = 100;

/// Attempts at them.
const ATTEMPTS: usize = 4000;

/// Coordinates at which two results are compared as functions.
const SAMPLES: usize = 40;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn between(&mut self, low: i64, end: i64) -> i64 {
        let span = u64::try_from(end - low).expect("a range that is not empty");
        low + i64::try_from(self.next() % span).expect("below the span")
    }

    /// A multiple of a divisor: of a range `2..65`, of a choice `1|2|4`, or, wide, small or beyond 32 bits.
    fn value(&mut self, range: &str, divisor: i64) -> i64 {
        let number = |text: &str| -> i64 { text.parse().unwrap_or_else(|_| panic!("{range}")) };
        if let Some((low, end)) = range.split_once("..") {
            let (low, end) = (number(low), number(end));
            let value = self.between(low, end);
            let below = value - value.rem_euclid(divisor);
            return if below < low { below + divisor } else { below };
        }
        if range == "wide" {
            let (low, end) = match self.next() % 3 {
                0 => (1, 64),
                1 => ((1 << 31) / divisor, (1 << 32) / divisor + 1),
                _ => ((1 << 32) / divisor, (1 << 36) / divisor),
            };
            return self.between(low, end) * divisor;
        }
        let choices: Vec<i64> = range.split('|').map(number).collect();
        choices[usize::try_from(self.next()).unwrap_or(0) % choices.len()]
    }
}

fn types(text: &str) -> Vec<ValueType> {
    let read = |text| ValueType::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    text.split(" | ").map(read).collect()
}

/// Attributes in the form `mode = 0 1; coord = "(_,1)"; only_dynamic; kind = sm_90`.
fn attributes(text: &str) -> Vec<(&str, Attribute)> {
    let parts = text.split("; ").filter(|part| !part.is_empty());
    let read = parts.map(|part| {
        let Some((name, value)) = part.split_once(" = ") else {
            return (part, Attribute::Unit);
        };
        let coord = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
        let numbers: Result<Vec<i64>, _> = value.split(' ').map(str::parse).collect();
        let value = match (coord, numbers) {
            (Some(coord), _) => Attribute::Coord(coord.parse().expect("a coordinate")),
            (None, Err(_)) => Attribute::Word(value.to_owned()),
            (None, Ok(numbers)) if name == "mode" => Attribute::Ints(numbers),
            (None, Ok(numbers)) => Attribute::Int(numbers[0]),
        };
        (name, value)
    });
    read.collect()
}

/// The type with numbers in the place of its dynamic leaves, one after the other.
fn with_numbers(ty: &ValueType, numbers: &mut impl Iterator<Item = i64>) -> ValueType {
    let ValueType::Cute(cute) = ty else {
        return ty.clone();
    };
    let filled: Kind = cute.kind().map_leaves(&mut |leaf: &Fact| match leaf {
        Fact::Static(_) => *leaf,
        Fact::Dynamic { .. } => Fact::Static(numbers.next().expect("a number for each dynamic leaf")),
    });
    ValueType::from(filled)
}

/// A result with numbers for the inputs.
#[derive(Debug)]
struct Numbers {
    /// The type with numbers, or the machine type.
    ty: ValueType,
    /// The integer of a machine type.
    number: Option<i64>,
    start: Option<Nested<Fact>>,
    compared: Option<Vec<(i64, i64)>>,
}

/// # Errors
/// It overflows, or what its type says is not true.
fn evaluated(computed: &Computed, inputs: &[i64]) -> Result<Numbers, String> {
    let value = |leaf: &Traced| {
        let value = leaf.evaluate(&|input| inputs[input as usize]);
        let value = value.ok_or_else(|| format!("{leaf} overflows in {}", computed.ty))?;
        let known = leaf.fact();
        let divisor = i64::try_from(known.divisor()).expect("a small divisor");
        match known
            .value()
            .map_or_else(|| value % divisor == 0, |known| known == value)
        {
            true => Ok(value),
            false => Err(format!("{leaf} is {value} in {}", computed.ty)),
        }
    };
    let numbers: Vec<i64> = computed.leaves.iter().map(value).collect::<Result<_, _>>()?;
    let machine = matches!(computed.ty, ValueType::Machine(_));
    let mut leaves = numbers.iter().copied();
    let start = computed.start.as_ref();
    let compared = computed.compared.as_ref();
    let pair = |(a, b): &(Traced, Traced)| Ok::<_, String>((value(a)?, value(b)?));
    let result = Numbers {
        ty: with_numbers(&computed.ty, &mut leaves),
        number: if machine { leaves.next() } else { None },
        start: start
            .map(|start| start.try_map(&mut |leaf| value(leaf).map(Fact::Static)))
            .transpose()?,
        compared: compared
            .map(|pairs| pairs.iter().map(pair).collect())
            .transpose()?,
    };
    match leaves.next() {
        None => Ok(result),
        Some(_) => Err(format!("{} has fewer leaves", computed.ty)),
    }
}

/// A result as a function of a coordinate.
struct Function {
    layout: ViewLayout,
    start: Option<Nested<Fact>>,
}

impl Function {
    fn of(result: &Numbers) -> Option<Function> {
        let ValueType::Cute(cute) = &result.ty else {
            return None;
        };
        let (layout, start) = match cute.kind() {
            Kind::Layout(layout) => (ViewLayout::Plain(layout.clone()), None),
            Kind::Composed(layout) => (layout.clone(), None),
            Kind::CoordTensor(CoordTensor { origin, layout }) => {
                (ViewLayout::Plain(layout.clone()), Some(origin.clone()))
            }
            Kind::View(View { layout, .. }) => (layout.clone(), result.start.clone()),
            Kind::DescriptorView(view) => (view.layout.clone(), result.start.clone()),
            _ => return None,
        };
        Some(Function { layout, start })
    }

    fn size(&self) -> i64 {
        self.layout
            .layout()
            .size()
            .expect("a size")
            .value()
            .expect("static")
    }

    fn at(&self, coord: i64) -> String {
        self.at_coord(&Nested::Leaf(SlotOf::At(Fact::Static(coord))))
    }

    fn at_coord(&self, coord: &CoordOf<Fact>) -> String {
        let index = match &self.layout {
            ViewLayout::Plain(layout) => layout.index_of(coord),
            ViewLayout::Composed(composed) => composed.index_of(coord),
        };
        let index = index.expect("an index");
        match &self.start {
            Some(start) => start.plus(&index).expect("a sum").to_string(),
            None => index.to_string(),
        }
    }
}

/// Whether a pointer says what is true of another one.
fn same_pointer(found: &Pointer, expected: &Pointer) -> bool {
    let aligned = expected.align().get().is_multiple_of(found.align().get());
    let parts = |pointer: &Pointer| (pointer.element().cloned(), pointer.space(), pointer.swizzle());
    aligned && parts(found) == parts(expected)
}

/// Whether two types are the same but for the layouts. Numbers that types know say more of an alignment and of the width of
/// an integer, and join modes.
fn same_type(found: &ValueType, expected: &ValueType) -> bool {
    let (ValueType::Cute(own), ValueType::Cute(other)) = (found, expected) else {
        return matches!((found, expected), (ValueType::Machine(own), ValueType::Machine(other))
            if own == other || (own.bits(), other.bits()) == (64, 32));
    };
    match (own.kind(), other.kind()) {
        (Kind::Pointer(own), Kind::Pointer(other)) => same_pointer(own, other),
        (Kind::View(own), Kind::View(other)) => same_pointer(&own.pointer, &other.pointer),
        (Kind::DescriptorView(own), Kind::DescriptorView(other)) => own.descriptor == other.descriptor,
        (Kind::CoordTensor(own), Kind::CoordTensor(other)) => own.origin == other.origin,
        (Kind::Layout(_) | Kind::Composed(_), Kind::Layout(_) | Kind::Composed(_)) => true,
        (Kind::Shape(own), Kind::Shape(other)) if !own.congruent(other) => {
            own.product_each().expect("sizes") == other.product_each().expect("sizes")
        }
        (own, other) => own == other,
    }
}

/// Whether two results are the same, as functions where they have layouts. A right inverse may end earlier.
fn same(found: &Numbers, expected: &Numbers, op: &str, random: &mut Random) -> bool {
    let equal = (&found.number, &found.compared) == (&expected.number, &expected.compared)
        && same_type(&found.ty, &expected.ty);
    let (Some(own), Some(other)) = (Function::of(found), Function::of(expected)) else {
        return equal && found.start == expected.start;
    };
    let (own_size, size) = (own.size(), other.size());
    let sizes = own_size == size || (op == "cute.right_inverse" && own_size < size);
    let samples = (0..SAMPLES).map(|sample| match sample {
        0 => own_size - 1,
        _ => random.between(0, own_size.min(if sample % 2 == 0 { 64 } else { i64::MAX })),
    });
    let samples: Vec<i64> = samples.collect();
    equal && sizes && samples.iter().all(|coord| own.at(*coord) == other.at(*coord))
}

fn answers(op: &str, operands: &[ValueType], attributes: &[(&str, Attribute)]) -> Option<Vec<Computed>> {
    let question = Question {
        dialect: Dialect::Library,
        operands,
        attributes,
    };
    let inferred = infer(op, &question).expect(op);
    let computed = compute(op, &question).expect(op);
    match (inferred, computed) {
        (Ok(inferred), Ok(computed)) => {
            let types: Vec<ValueType> = computed.iter().map(|result| result.ty.clone()).collect();
            assert_eq!(types, inferred, "{op}");
            Some(computed)
        }
        (Err(inferred), Err(computed)) => {
            assert_eq!(inferred, computed, "{op}");
            None
        }
        (inferred, computed) => panic!("{op} {operands:?}: {inferred:?} and {computed:?}"),
    }
}

/// # Errors
/// What is computed is something else.
fn check(case: &Case, random: &mut Random) -> Result<(), String> {
    let Case {
        op,
        attributes: text,
        operands,
        values,
    } = case;
    let (operands, attributes) = (types(operands), attributes(text));
    let computed = answers(op, &operands, &attributes);
    let computed = computed.ok_or_else(|| format!("{op} refuses {operands:?}"))?;
    let facts: Vec<Fact> = operands.iter().flat_map(ValueType::inputs).collect();
    // No leaf is dynamic among numbers.
    let mut of_numbers = attributes.clone();
    of_numbers.retain(|(name, _)| *name != "only_dynamic");
    let ranges: Vec<&str> = values.split(' ').filter(|range| !range.is_empty()).collect();
    assert_eq!(
        ranges.len(),
        facts.len(),
        "{op} {operands:?}: a range for each input"
    );
    let mut done = 0;
    for _ in 0..ATTEMPTS {
        let numbers = ranges.iter().zip(&facts).map(|(range, fact)| {
            random.value(range, i64::try_from(fact.divisor()).expect("a small divisor"))
        });
        let numbers: Vec<i64> = numbers.collect();
        // Integers of machine types are inputs there, too.
        let (mut left, mut machine) = (numbers.iter().copied(), Vec::new());
        let known = operands.iter().map(|operand| match operand {
            ValueType::Machine(_) => {
                machine.extend(left.next());
                operand.clone()
            }
            ValueType::Cute(_) => with_numbers(operand, &mut left),
        });
        let known: Vec<ValueType> = known.collect();
        let Some(expected) = answers(op, &known, &of_numbers) else {
            continue;
        };
        if computed.len() != expected.len() {
            return Err(format!("{op} has {} results for {known:?}", expected.len()));
        }
        for (found, expected) in computed.iter().zip(&expected) {
            let found = evaluated(found, &numbers).map_err(|error| format!("{op} of {known:?}: {error}"))?;
            let expected = evaluated(expected, &machine)?;
            if !same(&found, &expected, op, random) {
                return Err(format!(
                    "{op} {operands:?}\n of {known:?}\n is {found:?}\n not {expected:?}"
                ));
            }
        }
        done += 1;
        if done == ASSIGNMENTS {
            return Ok(());
        }
    }
    Err(format!(
        "{op} {operands:?}: {done} assignments of {ATTEMPTS} are not refused"
    ))
}

#[test]
fn what_is_computed_is_what_operands_with_numbers_give() {
    let wrong = (0..)
        .zip(CASES)
        .filter_map(|(number, case)| check(case, &mut Random(number)).err());
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The elements of a slice are those of the whole at the coordinate with numbers in the place of each `_`.
#[test]
fn the_elements_of_a_slice_are_those_of_the_whole() {
    let random = &mut Random(7);
    let slices = CASES.iter().filter(|case| case.op == "cute.slice");
    let mut checked = 0;
    for case in slices {
        let operands = types(case.operands);
        let facts: Vec<Fact> = operands.iter().flat_map(ValueType::inputs).collect();
        let question = Question {
            dialect: Dialect::Library,
            operands: &operands,
            attributes: &[],
        };
        let computed = compute(case.op, &question).expect("a rule").expect("a slice");
        if computed.iter().all(|slice| slice.start.is_none()) {
            continue;
        }
        for _ in 0..ASSIGNMENTS {
            let ranges = case.values.split(' ').zip(&facts);
            let numbers = ranges.map(|(range, fact)| {
                random.value(range, i64::try_from(fact.divisor()).expect("a small divisor"))
            });
            let numbers: Vec<i64> = numbers.collect();
            let mut left = numbers.iter().copied();
            let whole = with_numbers(&operands[0], &mut left);
            let ValueType::Cute(coord) = with_numbers(&operands[1], &mut left) else {
                panic!("{}", case.operands);
            };
            let Kind::Coord(coord) = coord.kind() else {
                panic!("{}", case.operands);
            };
            let slice = evaluated(&computed[0], &numbers).expect("numbers");
            let slice = Function::of(&slice).expect("a layout");
            let zero = Some(Nested::Leaf(Fact::Static(0)));
            let whole = Numbers {
                ty: whole,
                number: None,
                start: zero,
                compared: None,
            };
            let whole = Function::of(&whole).expect("a layout");
            for _ in 0..SAMPLES {
                let mut extents = slice
                    .layout
                    .layout()
                    .modes()
                    .map(|mode| mode.size().expect("a size"));
                let mut free = Vec::new();
                let merged = coord.map(&mut |slot| match slot {
                    SlotOf::At(_) => slot.clone(),
                    SlotOf::All => {
                        let extent = extents.next().and_then(Fact::value).expect("a static mode");
                        let place = SlotOf::At(Fact::Static(random.between(0, extent)));
                        free.push(Nested::Leaf(place.clone()));
                        place
                    }
                });
                let free = Nested::Tuple(free);
                assert_eq!(
                    slice.at_coord(&free),
                    whole.at_coord(&merged),
                    "{} {free} of {merged} with {numbers:?}",
                    case.operands
                );
            }
            checked += 1;
        }
    }
    assert!(checked >= 10 * ASSIGNMENTS, "{checked}");
}

/// Each op whose types follow has a case, unless its results have no leaves.
#[test]
fn each_op_has_a_case() {
    let cases: BTreeSet<&str> = CASES.iter().map(|case| case.op).collect();
    let without: BTreeSet<&str> = WITHOUT.iter().copied().collect();
    assert_eq!(cases.intersection(&without).next(), None);
    let all: BTreeSet<&str> = INFERRED.iter().copied().collect();
    assert_eq!(cases.union(&without).copied().collect::<BTreeSet<_>>(), all);
}
