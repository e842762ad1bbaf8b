//! `ldmatrix` and `stmatrix`: fragments against the PTX ISA, element by element.

use tilewright_layouts::distributed::{ByteSource, MatrixCount, MatrixMove, NarrowSource, PairCount};
use tilewright_layouts::{Dim, ElementWidth};

use crate::matrix_forms::{forms, ptx};

#[test]
fn fragments_are_those_of_the_isa() {
    let mut compared = 0;
    for (instruction, width) in forms() {
        let layout = instruction.fragment(width).unwrap().unwrap();
        assert!(layout.is_invertible(), "{instruction}");
        let rows = if matches!(instruction, MatrixMove::LoadM16N16Trans(..)) {
            16
        } else {
            8
        };
        assert_eq!(layout.shape()[1..], [rows, 128 / width.bits()]);
        for lane in 0..32 {
            for i in 0..layout.in_size(Dim::Register) {
                assert_eq!(
                    *layout.at(i, lane, 0, 0),
                    ptx(instruction, width, lane, i),
                    "{instruction}"
                );
                compared += 1;
            }
        }
        // Addresses addr0 to addr7 are the rows of the first matrix, and so on.
        let addresses = instruction.addresses().unwrap();
        let matrices = layout.shape()[0];
        for lane in 0..32 {
            let supplied = lane % (rows * matrices);
            assert_eq!(*addresses.at(0, lane, 0, 0), [supplied / rows, supplied % rows]);
        }
    }
    assert!(compared > 20_000, "{compared}");
}

/// CUTLASS describes its copy with `ldmatrix.m16n16.x1.trans` and a reordering of the registers'
/// bytes, by the rows that lanes supply and the bytes that they receive, in bits of a matrix with
/// rows of 128.
#[test]
fn the_load_of_bytes_agrees_with_cutlass() {
    let load = MatrixMove::LoadM16N16Trans(PairCount::X1, ByteSource::B8);
    let fragment = load.fragment(ElementWidth::B8).unwrap().unwrap();
    // Shape ((2,2,4,2),128), stride ((128,1024,256,0),1).
    let row_of_lane = |lane: u32| (lane & 1) + 8 * (lane >> 1 & 1) + 2 * (lane >> 2 & 3);
    for lane in 0..32 {
        for byte in 0..8u32 {
            // Shape ((4,8),(8,2,2,2)), stride ((256,8),(1,128,64,1024)).
            let (low, mid, high) = (byte & 1, byte >> 1 & 1, byte >> 2);
            let bit = 256 * (lane % 4) + 8 * (lane / 4) + 128 * low + 64 * mid + 1024 * high;
            // dst0 = {tmp0.x, tmp0.y, tmp1.x, tmp1.y}, dst1 = {tmp0.z, tmp0.w, tmp1.z, tmp1.w}.
            let element = 4 * mid + 2 * high + low;
            let [_, row, column] = fragment.at(element, lane, 0, 0)[..] else {
                panic!()
            };
            assert_eq!((row_of_lane(row), column), (bit / 128, bit % 128 / 8));
        }
    }
}

#[test]
fn instructions_are_written_as_in_ptx() {
    let written = [
        (
            MatrixMove::LoadM8N8(MatrixCount::X4),
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
        ),
        (
            MatrixMove::LoadM8N8Trans(MatrixCount::X2),
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        ),
        (
            MatrixMove::LoadM16N16Trans(PairCount::X1, ByteSource::B8),
            "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8",
        ),
        (
            MatrixMove::LoadM16N16Trans(PairCount::X2, ByteSource::Narrow(NarrowSource::B6x16P32)),
            "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b6x16_p32",
        ),
        (
            MatrixMove::LoadM8N16(MatrixCount::X1, NarrowSource::B4x16P64),
            "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64",
        ),
        (
            MatrixMove::StoreM16N8Trans(MatrixCount::X4),
            "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8",
        ),
    ];
    for (instruction, text) in written {
        assert_eq!(instruction.to_string(), text);
    }
}
