//! The two text forms of linear layouts.

use proptest::prelude::*;
use tilewright_layouts::{Dim, LinearLayout, ParseLayoutError, UnknownDim};

use crate::random::{HARDWARE, any_layout};

proptest! {
    #[test]
    fn text_comes_back(layout in any_layout(), inverse in any::<bool>()) {
        let layout = if inverse { layout.pseudo_inverse().unwrap() } else { layout };
        prop_assert_eq!(layout.to_string().parse::<LinearLayout>().unwrap(), layout);
    }

    #[test]
    fn triton_text_comes_back(layout in any_layout()) {
        match layout.to_triton() {
            Some(text) => {
                prop_assert_eq!(text.parse::<LinearLayout>(), Ok(layout.clone()));
                prop_assert_eq!(format!("#linear7 = {text}\n").parse::<LinearLayout>(), Ok(layout));
            }
            None => prop_assert!(!layout.is_surjective() || layout.total_in_bits() == 0),
        }
    }

    #[test]
    fn triton_text_is_read_entry_by_entry(layout in any_layout()) {
        let entries = HARDWARE.map(|dim| {
            let vectors: Vec<String> = layout.bases(dim).map(|vector| format!("{vector:?}")).collect();
            format!("{dim} = [{}]", vectors.join(","))
        });
        let text = format!("#ttg.linear< {{ {} }} >", entries.join(" , "));
        let greatest = |axis: usize| {
            let vectors = HARDWARE.iter().flat_map(|dim| layout.bases(*dim));
            vectors.map(|vector| vector[axis]).max().unwrap_or(0)
        };
        let shape: Vec<u32> = (0..layout.shape().len()).map(|axis| (greatest(axis) + 1).next_power_of_two()).collect();
        match text.parse::<LinearLayout>() {
            Ok(read) => {
                prop_assert_eq!(read.shape(), shape);
                for dim in HARDWARE {
                    prop_assert!(read.bases(dim).eq(layout.bases(dim)));
                }
            }
            Err(_) => prop_assert_eq!(layout.total_in_bits(), 0),
        }
    }

    #[test]
    fn no_text_panics(
        text in r"linear<((register|lane|dim9|shape|outs) = (\[(\[?[0-9]{0,20}\]?,? ?){0,5}\]|\{offset: [0-9]+\}),? ?){0,4}>?",
    ) {
        let _ = text.parse::<LinearLayout>();
    }

    #[test]
    fn no_triton_text_panics(
        text in r"(#l = )?#ttg.(linear|shared_linear)<\{((register|lane|offset|warp) = \[(\[?[0-9]{0,20}\]?,? ?){0,5}\],? ?){0,4}\}(, alignment = [0-9]{0,3})?>?",
    ) {
        let _ = text.parse::<LinearLayout>();
    }
}

#[test]
fn shared_memory_is_read_from_triton_text() {
    let text =
        "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]], block = [[4, 0]]}, alignment = 16>";
    let layout: LinearLayout = text.parse().unwrap();
    assert_eq!(layout.shape(), [8, 4]);
    assert_eq!(
        layout.apply(&[(Dim::Offset, 9), (Dim::Block, 1)]).to_vec(),
        [6, 3]
    );
    assert_eq!(layout.to_triton(), None);
}

#[test]
fn each_dimension_has_one_name() {
    for dim in [
        Dim::Register,
        Dim::Lane,
        Dim::Warp,
        Dim::Block,
        Dim::Offset,
        Dim::TmemLane,
        Dim::TmemColumn,
    ]
    .into_iter()
    .chain((0..=u8::MAX).map(Dim::Axis))
    {
        assert_eq!(dim.to_string().parse(), Ok(dim));
    }
    for word in [
        "",
        "dim",
        "dim00",
        "dim01",
        "dim+1",
        "dim256",
        "dim0 ",
        "Lane",
        "lanes",
        "dim\u{661}",
    ] {
        let error = word.parse::<Dim>().unwrap_err();
        assert_eq!(error, UnknownDim(word.to_owned()));
        assert!(
            error
                .to_string()
                .contains(&format!("`{word}` is not a dimension"))
        );
    }
}

#[test]
fn refusals_say_what_was_expected() {
    let expected = |text: &str| match text.parse::<LinearLayout>() {
        Err(ParseLayoutError::Syntax { expected, .. }) => expected,
        other => panic!("{text}: {other:?}"),
    };
    let attribute = "`#ttg.linear` or `#ttg.shared_linear`";
    assert_eq!(expected("#ttg.blocked<{}>"), attribute);
    assert_eq!(expected("#a = #b"), attribute);
    assert_eq!(
        expected("#ttg.linear<{offset = []}>"),
        "an in-dimension of this attribute"
    );
    assert_eq!(
        expected("#ttg.linear<{register = []}>"),
        "a basis vector, whose length tells the rank"
    );
    assert_eq!(expected("#ttg.linear<{lane = [[1]]}> x"), "the end");
    assert_eq!(expected("blocked"), "`linear` or `#ttg.linear`");
    assert!(matches!(
        "#ttg.linear<{lane = [[18446744073709551615]]}>".parse::<LinearLayout>(),
        Err(ParseLayoutError::Layout(_))
    ));
}
