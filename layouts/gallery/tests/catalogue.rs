//! Every name of the catalogue denotes a layout, and errors locate the invalid part of a name.

use tilewright_layout_gallery::catalogue::{self, FAMILIES, Named};
use tilewright_layouts::distributed::{MmaOperand, MmaSync};
use tilewright_layouts::{Blocked, ElementWidth};

#[test]
fn every_listed_name_is_that_of_a_layout() {
    let mut count = 0;
    for family in FAMILIES {
        let names = (family.names)();
        assert!(
            !names.is_empty() && family.grammar.starts_with(family.name),
            "{family:?}"
        );
        for name in names {
            let named = catalogue::find(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
            // Some accesses to tensor memory skip lanes.
            assert!(named.layout.is_surjective() || family.name == "tcgen05", "{name}");
            assert_eq!(
                catalogue::family(&name).map(|family| family.name),
                Some(family.name)
            );
            count += 1;
        }
    }
    assert!(count >= FAMILIES.len());
}

#[test]
fn names_are_those_of_the_encodings() {
    let blocked = Blocked {
        size_per_thread: vec![1, 4],
        threads_per_warp: vec![8, 4],
        warps_per_cta: vec![4, 1],
        order: vec![1, 0],
    };
    let named = catalogue::find(" blocked ( [1, 4], [8,4] ,[4,1],[1,0] ) 64x32 ").unwrap();
    assert_eq!(named.layout, blocked.to_linear(&[64, 32]).unwrap());
    let named = catalogue::find("mma.m16n8k16.b16.a").unwrap();
    let layout = MmaSync::M16N8K16B16.fragment(MmaOperand::A).unwrap();
    let width = Some(ElementWidth::B16);
    assert_eq!(named, Named { layout, width });
}

#[test]
fn names_say_the_width_of_elements() {
    use ElementWidth::{B1, B4, B8, B16, B32, B64};
    for (name, width) in [
        ("mma.m16n8k16.b16.b", Some(B16)),
        ("mma.m16n8k16.b16.c", Some(B32)),
        ("mma.m16n8k64.b4.c", Some(B32)),
        ("mma.m16n8k256.b1.a", Some(B1)),
        ("mma.m8n8k4.b64.c", Some(B64)),
        ("volta.c.f16", Some(B16)),
        ("volta.c.f32", Some(B32)),
        ("wgmma.m64n128.c", Some(B32)),
        ("wgmma.m64k32.b8.a", Some(B8)),
        ("tcgen05.32x32b.x8", Some(B32)),
        ("tcgen05.32x32b.x8.pack16", Some(B16)),
        ("nvmma.128B.b4 8x256", Some(B4)),
        ("ldmatrix.x4", Some(B16)),
        ("blocked([1,4],[8,4],[4,1],[1,0]) 64x64", None),
        ("plain([1,0]) 64x64", None),
    ] {
        assert_eq!(catalogue::find(name).unwrap().width, width, "{name}");
    }
}

#[test]
fn wrong_names_say_where_and_what() {
    for (name, at, said) in [
        ("", 0..0, "expected the name of a layout at the end of the name"),
        (
            "nma.m16n8k16.b16.a",
            0..3,
            "no layout's name begins with `nma`; is `mma` meant?",
        ),
        ("frobnicate", 0..10, "no layout's name begins with `frobnicate`"),
        (
            "mma.m16n8k17.b16.a",
            4..12,
            "expected a shape of mma.sync, such as m16n8k16 instead of `m16n8k17`",
        ),
        (
            "mma.m16n8k16.b4.a",
            13..15,
            "expected the width of the elements of A and B that the shape has: b1, b4, b8, b16, b32 or b64 instead of `b4`",
        ),
        (
            "mma.m16n8k16.b16",
            16..16,
            "expected the matrix: .a, .b or .c at the end of the name",
        ),
        (
            "mma.m16n8k16.b16.a 16x16",
            19..24,
            "expected the end of the name instead of `16x16`",
        ),
        ("blocked([1,4]", 13..13, "expected `,` at the end of the name"),
        (
            "blocked([1,4],[8,4],[4,1],[1,0]) 64",
            0..35,
            "not a permutation of 0..1",
        ),
        (
            "blocked([1,4],[8,4],[4,1],[1,0]) 64x48",
            0..38,
            "the size 48 of dim1 is not a power of two",
        ),
        (
            "blocked([1,4],[8,4],[4,1],[1,0]) 64x",
            33..36,
            "expected a shape, such as 64x32 instead of `64x`",
        ),
        (
            "blocked([1,4],[8,4],[4,1],[1,0]) 64x99999999999",
            33..47,
            "expected a shape, such as 64x32 instead of `64x99999999999`",
        ),
        (
            "volta.a.f32",
            8..11,
            "expected the order of the matrix: row or col instead of `f32`",
        ),
    ] {
        let error = catalogue::find(name).unwrap_err();
        assert_eq!(
            (error.at.clone(), error.to_string().as_str()),
            (at, said),
            "{name}"
        );
    }
}

#[test]
fn no_text_panics_the_name_parser() {
    for name in [
        "é",
        "mma.é",
        "blocked([1,",
        "blocked([1,2,3,4,5,6,7,8,9],",
        "mma.",
        "blocked([4294967296]",
    ] {
        let error = catalogue::find(name).unwrap_err();
        assert!(name.get(error.at.clone()).is_some(), "{name}: {error:?}");
        assert!(!error.to_string().is_empty());
    }
    for length in 0..200 {
        assert!(catalogue::find(&"x".repeat(length)).is_err());
    }
    let long = "9".repeat(100_000);
    for name in [format!("mma.{long}"), format!("plain([0]) {long}"), long] {
        assert!(catalogue::find(&name).unwrap_err().to_string().len() < 200);
    }
}
