//! Dense constants in every form: numbers, lists, bytes, for every element type.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::cuda_tile::{ShapeOp, TileOp, print_tile_module};
use tilewright_irs::element::ScalarType as S;
use tilewright_irs::literal::{Dense, Literal};

/// A kernel with this constant.
fn kernel(value: &str, ty: &str) -> String {
    format!("entry @k() {{\n  %c = constant <{value}> : {ty}\n}}\n")
}

/// The elements of a constant, or the codes of its errors.
fn constant(value: &str, ty: &str) -> Result<Dense, Vec<Code>> {
    let parsed = parse_tile_text(&kernel(value, ty), FileId(0));
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics.iter().map(|problem| problem.code).collect());
    }
    let text = print_tile_module(&parsed.module, None);
    let again = parse_tile_text(&text, FileId(0));
    assert_eq!(again.module, parsed.module, "{text}");
    let body = &parsed.module.funcs[0].body;
    let op = &body.op(body.walk()[0]).kind;
    let TileOp::Shape(ShapeOp::Constant { value }) = op else {
        panic!("no constant: {op:?}");
    };
    Ok(value.clone())
}

fn splat(ty: S, bits: u64) -> Result<Dense, Vec<Code>> {
    Ok(Dense::Splat(Literal::new(ty, bits)))
}

#[test]
fn bits_of_every_type() {
    for (ty, bits) in [
        (S::F64, 0xFFF0_0000_0000_0001),
        (S::F64, 0x8000_0000_0000_0000),
        (S::F32, 0x7FC0_0123),
        (S::F32, 0xFFFF_FFFF),
        (S::TF32, 0x3FC01),
        (S::TF32, 0x7FFFF),
        (S::F16, 0xFC01),
        (S::BF16, 0x7F81),
        (S::F8E4M3FN, 0xFF),
        (S::F8E5M2, 0xFD),
        (S::F8E8M0FNU, 0xFF),
        (S::F8E5M3FNU, 0xFF),
        (S::F4E2M1FN, 0xF),
        (S::I64, 0xFFFF_FFFF_FFFF_FFFF),
        (S::I32, 0x8000_0000),
        (S::I16, 0xFFFF),
        (S::I8, 0x80),
        (S::I4, 0xF),
        (S::I1, 1),
    ] {
        let (value, tile) = (format!("{ty}: {bits:#x}"), format!("tile<4x{ty}>"));
        assert_eq!(constant(&value, &tile), splat(ty, bits), "{value}");
        let wide = format!("{ty}: 0x1{bits:0>16x}");
        assert_eq!(constant(&wide, &tile), Err(vec![Code::BadLiteral]), "{wide}");
        if ty.bits() < 64 {
            let wide = format!("{ty}: {:#x}", 1u64 << ty.bits());
            assert_eq!(constant(&wide, &tile), Err(vec![Code::BadLiteral]), "{wide}");
        }
        // Two elements with the same bits, as bytes.
        let width = usize::try_from(ty.bits().div_ceil(8)).expect("small");
        let bytes: String = bits.to_le_bytes()[..width]
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect();
        let blob = format!("{ty}: \"0x{bytes}{bytes}\"");
        if ty != S::I1 {
            assert_eq!(
                constant(&blob, &format!("tile<2x{ty}>")),
                splat(ty, bits),
                "{blob}"
            );
        }
        // The bytes of one element stand for all.
        let blob = format!("{ty}: \"0x{bytes}\"");
        if ty != S::I1 {
            assert_eq!(constant(&blob, &tile), splat(ty, bits), "{blob}");
        }
    }
}

#[test]
fn numbers_in_decimal() {
    assert_eq!(constant("f32: -0.0", "tile<f32>"), splat(S::F32, 0x8000_0000));
    assert_eq!(constant("f16: 1.0e-10", "tile<f16>"), splat(S::F16, 0));
    assert_eq!(
        constant("f8E4M3FN: -0.0", "tile<f8E4M3FN>"),
        splat(S::F8E4M3FN, 0x80)
    );
    assert_eq!(
        constant("f4E2M1FN: -6.0", "tile<2xf4E2M1FN>"),
        splat(S::F4E2M1FN, 0xF)
    );
    assert_eq!(
        constant("f8E8M0FNU: 2.0", "tile<f8E8M0FNU>"),
        splat(S::F8E8M0FNU, 128)
    );
    assert_eq!(constant("bf16: 1.", "tile<bf16>"), splat(S::BF16, 0x3F80));
    assert_eq!(constant("i8: -128", "tile<i8>"), splat(S::I8, 0x80));
    assert_eq!(constant("i8: 255", "tile<i8>"), splat(S::I8, 0xFF));
    assert_eq!(constant("i8: -0x1", "tile<i8>"), splat(S::I8, 0xFF));
    assert_eq!(constant("i1: true", "tile<i1>"), splat(S::I1, 1));
    assert_eq!(constant("i1: -1", "tile<i1>"), splat(S::I1, 1));
    for wrong in [
        "i8: 256",
        "i8: -129",
        "i1: 2",
        "i32: true",
        "i32: 1.0",
        "f32: 1",
        "f32: -0x1",
        "f32: true",
    ] {
        let ty = wrong.split(':').next().expect("a type");
        assert_eq!(
            constant(wrong, &format!("tile<{ty}>")),
            Err(vec![Code::BadLiteral]),
            "{wrong}"
        );
    }
    assert_eq!(
        constant("f32: 1.0", "tile<0xf32>").map_err(|codes| codes[0]),
        Err(Code::UnknownType)
    );
    assert_eq!(
        constant("i32: 1", "tile<0x1xi32>").map_err(|codes| codes[0]),
        Err(Code::UnknownType)
    );
}

#[test]
fn truth_values_as_bytes() {
    let bits = |bits: &[u64]| Ok(Dense::of_elements(S::I1, bits.to_vec()));
    // Eight per byte, lowest bit first, or one per byte.
    let given = [1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0];
    let parsed = parse_tile_text(
        "global @g <i1: \"0x0103\"> : tile<16xi1>\nglobal @h <i1: \"0x01000000000000000101000000000000\"> : tile<16xi1>\n",
        FileId(0),
    );
    assert!(parsed.diagnostics.is_empty());
    for global in &parsed.module.globals {
        assert_eq!(Ok(global.value.clone()), bits(&given), "{}", global.name);
    }
    assert_eq!(constant("i1: \"0xFF\"", "tile<16xi1>"), splat(S::I1, 1));
    assert_eq!(constant("i1: \"0x00\"", "tile<16xi1>"), splat(S::I1, 0));
    assert_eq!(constant("i1: \"0x02\"", "tile<4xi1>"), bits(&[0, 1, 0, 0]));
}

#[test]
fn invalid_element_lists_are_refused() {
    for (value, ty, code) in [
        ("i32: \"0x0100\"", "tile<2xi32>", Code::ConstantSize),
        (
            "i32: \"0x010000000200000003000000\"",
            "tile<2xi32>",
            Code::ConstantSize,
        ),
        ("i32: \"0x01000\"", "tile<2xi32>", Code::BadLiteral),
        ("i32: \"01000000\"", "tile<2xi32>", Code::BadLiteral),
        ("i32: \"0x0100000g\"", "tile<2xi32>", Code::BadLiteral),
        ("i32: \"0x\"", "tile<2xi32>", Code::ConstantSize),
        ("i4: \"0x1F0F\"", "tile<2xi4>", Code::ConstantSize),
        ("i32: []", "tile<2xi32>", Code::ConstantSize),
        ("i32: [1]", "tile<2xi32>", Code::ConstantSize),
        ("i32: [1]", "tile<i32>", Code::ConstantSize),
        ("i32: [[1, 2], [3]]", "tile<2x2xi32>", Code::ConstantSize),
        ("i32:", "tile<2xi32>", Code::UnexpectedToken),
        ("", "tile<2xi32>", Code::UnexpectedToken),
    ] {
        assert_eq!(constant(value, ty), Err(vec![code]), "{value}");
    }
}
