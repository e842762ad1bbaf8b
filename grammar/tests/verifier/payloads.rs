//! The bytes of constants: accepted lengths and element bits, compared with NVIDIA's tool.

use std::path::Path;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode;
use tilewright_irs::core::{Body, Func, Origin};
use tilewright_irs::cuda_tile::{
    ControlOp, CudaTile, DebugInfo, EntryAttrs, ShapeOp, TileModule, TileType, Version, print_tile_module,
    verify_module,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::oracle::{printed, tool};

/// A file with one constant of these bytes.
fn file(ty: ScalarType, shape: &[u64], payload: &[u8], version: Version) -> Option<Vec<u8>> {
    let mut body: Body<CudaTile> = Body::default();
    let block = body.add_block(body.root());
    // The writer takes the element type from the constant; the file contains only the bytes.
    let bytes = payload.iter().map(|&byte| u64::from(byte)).collect();
    let value = Dense::Elements(ScalarType::I8, bytes);
    let tile = TileType::tile(shape.to_vec(), ty);
    body.add_op(block, ShapeOp::Constant { value }.into(), [tile], Origin(0), ());
    let end = ControlOp::Return { operands: Vec::new() };
    body.add_op(block, end.into(), [], Origin(1), ());
    let mut module = TileModule::new(version);
    module.funcs.push(Func {
        name: "k".to_owned(),
        attrs: EntryAttrs::default(),
        body,
    });
    bytecode::write(&module, &DebugInfo::default(), version).ok()
}

/// Our result for a file: its text, or its error.
fn ours(bytes: &[u8]) -> Result<String, String> {
    let read = bytecode::read(bytes, FileId(0)).map_err(|list| list[0].message.clone())?;
    verify_module(&read.module).map_err(|list| list[0].diagnostic.message.clone())?;
    Ok(print_tile_module(&read.module, None))
}

const TYPES: [ScalarType; 12] = [
    ScalarType::I1,
    ScalarType::I4,
    ScalarType::F4E2M1FN,
    ScalarType::I8,
    ScalarType::F8E4M3FN,
    ScalarType::F8E8M0FNU,
    ScalarType::F8E5M3FNU,
    ScalarType::I16,
    ScalarType::TF32,
    ScalarType::F32,
    ScalarType::I64,
    ScalarType::F64,
];

/// The shapes of the tiles.
const SHAPES: [&[u64]; 8] = [&[], &[1], &[2], &[4], &[8], &[16], &[32], &[4, 8]];

/// Types, shapes, and numbers of bytes.
fn sizes() -> Vec<(ScalarType, &'static [u64], usize)> {
    let mut sizes = Vec::new();
    for ty in TYPES {
        for shape in SHAPES {
            let size = usize::try_from(shape.iter().product::<u64>()).unwrap_or(1);
            let mut near = vec![
                0,
                1,
                2,
                3,
                4,
                8,
                size,
                size.div_ceil(2),
                size.div_ceil(8),
                size * 2,
                size * 4,
                size * 8,
            ];
            near.sort_unstable();
            near.dedup();
            sizes.extend(near.into_iter().map(|bytes| (ty, shape, bytes)));
        }
    }
    sizes
}

/// Payloads of this many bytes: equal bytes, and different ones.
fn payloads(ty: ScalarType, size: usize) -> Vec<Vec<u8>> {
    let equal: &[u8] = if ty.bits() > 4 {
        &[0, 1]
    } else {
        &[0, 1, 2, 0x0f, 0x10, 0x80, 0xfe, 0xff]
    };
    let mut payloads: Vec<Vec<u8>> = equal.iter().map(|&byte| vec![byte; size]).collect();
    if size > 1 {
        payloads.push((0..size).map(|i| u8::from(i == 0)).collect());
        payloads.push((0..size).map(|i| u8::from(i + 1 == size)).collect());
        payloads.push((0..size).map(|i| if i % 2 == 0 { 0xff } else { 0 }).collect());
        payloads.push((0..size).map(|i| u8::try_from(i % 8).unwrap_or(0)).collect());
    }
    payloads
}

/// `TILEWRIGHT_TILEIRDISASM=/…/tileirdisasm cargo test -p tilewright-grammar --test verifier payloads`
#[test]
fn the_bytes_of_constants_are_refused_by_both_or_by_none() {
    let Some(tool) = tool() else { return };
    let (mut asked, mut wrong) = (0usize, Vec::new());
    for &version in Version::ALL {
        for (ty, shape, size) in sizes() {
            for payload in payloads(ty, size) {
                let Some(bytes) = file(ty, shape, &payload, version) else {
                    continue;
                };
                let ours = ours(&bytes);
                let theirs = printed(Path::new(&tool), &bytes);
                asked += 1;
                let line = |text: &String| {
                    text.lines()
                        .find(|line| line.contains("constant"))
                        .map(str::to_owned)
                };
                if theirs.as_ref().ok().map(line) != ours.as_ref().ok().map(line) {
                    wrong.push(format!(
                        "{version} tile<{shape:?} {ty}> {payload:x?}: {theirs:?}, ours {ours:?}"
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {asked} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(asked > 20_000, "{asked} files");
}
