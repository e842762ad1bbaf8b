//! Soundness of the integer analysis: its facts hold for the values of a run, on random functions and arguments.

mod evaluate;
mod generate;

use evaluate::{Elements, run};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tilewright_irs::core::{Module, Value, ValueType, print_module, verify};
use tilewright_irs::element::ElementType;
use tilewright_irs::tileaa::{Facts, TileAaType};
use tilewright_passes::tileaa::propagate_facts;

/// A contradiction between facts and these elements, if any.
fn contradiction(ty: &TileAaType, elements: &Elements) -> Option<String> {
    let Facts {
        divisibility,
        contiguity,
        constancy,
        min,
        max,
    } = &ty.facts;
    let shape: Vec<usize> = match ty.shape()? {
        [] => vec![1],
        shape => shape.iter().map(|&n| n as usize).collect(),
    };
    let element = ty.element()?;
    let unit = match element {
        ElementType::Scalar(_) => 1,
        ElementType::Ptr(pointee) => i128::from(pointee.bytes()?),
    };
    for (i, &value) in elements.iter().enumerate() {
        if min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max) {
            return Some(format!("element {i} is {value}, outside of {min:?} to {max:?}"));
        }
        for axis in 0..shape.len() {
            let stride: usize = shape[axis + 1..].iter().product();
            let at = (i / stride) % shape[axis];
            let before = || elements[i - stride];
            if !(at as u64).is_multiple_of(constancy[axis]) && before() != value {
                return Some(format!(
                    "along axis {axis}, element {i} is {value} after {}",
                    before()
                ));
            }
            if !(at as u64).is_multiple_of(contiguity[axis]) {
                if evaluate::wrap(i128::from(before()) + unit, element) != value {
                    return Some(format!(
                        "along axis {axis}, element {i} is {value}, not one after {}",
                        before()
                    ));
                }
            } else if i128::from(value) % i128::from(divisibility[axis]) != 0 {
                return Some(format!(
                    "element {i} is {value}, no multiple of {}",
                    divisibility[axis]
                ));
            }
        }
    }
    None
}

#[test]
fn facts_hold_in_every_run() {
    let (mut checked, mut informative) = (0u64, 0u64);
    for seed in 0..1500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let func = generate::function(&mut rng);
        verify(&func).unwrap_or_else(|problems| panic!("seed {seed}: {problems:#?}"));
        let out = propagate_facts(&func).expect("no errors");
        verify(&out).unwrap_or_else(|problems| panic!("seed {seed}: {problems:#?}"));
        for _ in 0..4 {
            let args = generate::arguments(&mut rng);
            let mut wrong = None;
            let mut check = |value: Value, elements: &Elements| {
                checked += 1;
                let ty = out.body.ty(value);
                informative += u64::from(!ty.facts.is_unknown());
                if wrong.is_none() {
                    wrong = contradiction(ty, elements).map(|problem| format!("{value:?}: {problem}"));
                }
            };
            // Values of a run that ends in undefined behaviour do not count.
            if run(&out.body, &args, &mut check).is_ok()
                && let Some(wrong) = wrong
            {
                let text = print_module(&Module { funcs: vec![out] });
                panic!("seed {seed}, arguments {args:?}: {wrong}\n{text}");
            }
        }
    }
    // The generator has to produce enough programs with facts.
    assert!(checked > 50_000, "{checked} values checked");
    assert!(informative * 4 > checked, "{informative} of {checked} with facts");
}

#[test]
fn a_second_run_changes_nothing() {
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let once = propagate_facts(&generate::function(&mut rng)).expect("no errors");
        let twice = propagate_facts(&once).expect("no errors");
        assert_eq!(
            print_module(&Module { funcs: vec![once] }),
            print_module(&Module { funcs: vec![twice] }),
            "seed {seed}"
        );
    }
}
