//! The forms of `ldmatrix` and `stmatrix`, and their fragments in the PTX ISA.

use tilewright_layouts::ElementWidth;
use tilewright_layouts::distributed::{ByteSource, MatrixCount, MatrixMove, NarrowSource, PairCount};

/// All forms with their element widths.
pub(crate) fn forms() -> Vec<(MatrixMove, ElementWidth)> {
    let mut forms = Vec::new();
    for count in MatrixCount::ALL {
        for bits in [1, 4, 8, 16, 32] {
            let width = ElementWidth::of_bits(bits).unwrap();
            forms.push((MatrixMove::LoadM8N8(count), width));
            forms.push((MatrixMove::StoreM8N8(count), width));
        }
        for width in [ElementWidth::B8, ElementWidth::B16] {
            forms.push((MatrixMove::LoadM8N8Trans(count), width));
            forms.push((MatrixMove::StoreM8N8Trans(count), width));
        }
        forms.push((MatrixMove::StoreM16N8Trans(count), ElementWidth::B8));
        for source in [NarrowSource::B6x16P32, NarrowSource::B4x16P64] {
            forms.push((MatrixMove::LoadM8N16(count, source), ElementWidth::B8));
        }
    }
    for count in PairCount::ALL {
        for source in [ByteSource::B8, ByteSource::Narrow(NarrowSource::B6x16P32)] {
            forms.push((MatrixMove::LoadM16N16Trans(count, source), ElementWidth::B8));
        }
    }
    forms
}

/// (matrix, row, column) in memory of element `i` of a lane's registers.
pub(crate) fn ptx(instruction: MatrixMove, width: ElementWidth, lane: u32, i: u32) -> [u32; 3] {
    let (group, t) = (lane / 4, lane % 4);
    match instruction {
        // "A group of four threads loads an entire row of the matrix", 16 bytes.
        MatrixMove::LoadM8N8(_) | MatrixMove::StoreM8N8(_) => {
            let packed = 32 / width.bits();
            [i / packed, group, packed * t + i % packed]
        }
        // The same with the matrix in column-major format.
        MatrixMove::LoadM8N8Trans(_) | MatrixMove::StoreM8N8Trans(_) => {
            let packed = 16 / width.bits();
            let (half, at) = (i / packed, i % packed);
            [half / 2, 2 * t + half % 2, packed * group + at]
        }
        // "Each thread loads 4 consecutive columns across 2 rows", of the transposed matrix.
        MatrixMove::LoadM16N16Trans(..) => [i / 8, 4 * t + i % 4, group + 8 * (i / 4 % 2)],
        // "Each thread in a warp loads 4 consecutive columns".
        MatrixMove::LoadM8N16(..) => [i / 4, group, 4 * t + i % 4],
        // e0 and e1 are in row `group` of the 16 by 8 matrix, e2 and e3 eight rows below, and the matrix
        // is stored column by column.
        MatrixMove::StoreM16N8Trans(_) => [i / 4, 2 * t + i % 2, group + 8 * (i / 2 % 2)],
    }
}
