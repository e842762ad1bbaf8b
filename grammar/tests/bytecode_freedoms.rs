//! Encoding choices of writers other than cuTile Python: such files are read and round-tripped unchanged.

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{Bytecode, MAGIC, read, write, write_arranged};
use tilewright_irs::cuda_tile::{DebugAttr, DebugInfo, Version, print_tile_module};

/// Encodes a variable-length number.
fn varint(mut n: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n > 127 {
        bytes.push(n as u8 | 128);
        n >>= 7;
    }
    bytes.push(n as u8);
    bytes
}

/// Encodes a table whose offsets have `width` bytes.
fn table(items: &[&[u8]], width: usize) -> Vec<u8> {
    let mut bytes = varint(items.len());
    bytes.resize(bytes.len().next_multiple_of(width), 0xCB);
    let mut offset = 0usize;
    for item in items {
        bytes.extend(&offset.to_le_bytes()[..width]);
        offset += item.len();
    }
    bytes.extend(items.concat());
    bytes
}

fn section(file: &mut Vec<u8>, id: u8, alignment: usize, payload: &[u8]) {
    file.push(id | 0x80);
    file.extend(varint(payload.len()));
    file.extend(varint(alignment));
    file.resize(file.len().next_multiple_of(alignment), 0xCB);
    file.extend(payload);
}

/// A file of version 13.3 with the kernel `k`, whose body is a constant of the type and a return.
struct File<'f> {
    /// The encoded type of the constant, in which type 0 is the element type.
    ty: &'f [u8],
    element: &'f [u8],
    constant: &'f [u8],
    after_functions: &'f [u8],
    /// The attributes of the debug section, the last of which is the constant's location.
    debug: &'f [&'f [u8]],
}

impl File<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([13, 3, 0, 0]);
        let body = [0x10, 1, 0, 0x5C, 0, 0];
        let row = u8::from(!self.debug.is_empty());
        let mut functions = vec![1, 0, 2, 2, row, 6];
        functions.extend(body);
        functions.extend(self.after_functions);
        section(&mut file, 2, 8, &functions);
        let mut constant = varint(self.constant.len());
        constant.extend(self.constant);
        section(&mut file, 4, 8, &table(&[&constant], 8));
        if !self.debug.is_empty() {
            let mut debug = vec![1, 0xCB, 0xCB, 0xCB, 0, 0, 0, 0, 3];
            debug.resize(16, 0xCB);
            for index in [0, self.debug.len(), 0] {
                debug.extend(index.to_le_bytes());
            }
            debug.extend(table(self.debug, 4));
            section(&mut file, 3, 8, &debug);
        }
        section(
            &mut file,
            5,
            4,
            &table(&[self.element, self.ty, &[0x10, 0, 0]], 4),
        );
        section(&mut file, 1, 4, &table(&[b"k", b"f.py"], 4));
        file.push(0);
        file
    }

    fn read(&self) -> Bytecode {
        let bytes = self.bytes();
        let found = read(&bytes, FileId(0)).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let again = write_arranged(&found.module, &found.debug, Version::V13_3, &found.arrangement);
        assert_eq!(again.as_deref(), Ok(bytes.as_slice()));
        let plain = write(&found.module, &found.debug, Version::V13_3).expect("13.3 has all");
        assert_ne!(plain, bytes);
        assert_eq!(
            read(&plain, FileId(0)).map(|read| read.module),
            Ok(found.module.clone())
        );
        found
    }
}

const F32X4: File<'_> = File {
    ty: &[13, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0],
    element: &[7],
    constant: &[0, 0, 0x80, 0x3F],
    after_functions: &[],
    debug: &[],
};

fn printed(found: &Bytecode) -> String {
    print_tile_module(&found.module, None)
}

#[test]
fn a_list_of_equal_elements_stays_one() {
    let list = [0, 0, 0x80, 0x3F].repeat(4);
    let found = File {
        constant: &list,
        ..F32X4
    }
    .read();
    assert!(printed(&found).contains("<f32: 1.000000e+00> : tile<4xf32>"));
}

#[test]
fn a_splat_of_i1_may_be_one_bit() {
    let found = File {
        ty: &[13, 0, 1, 16, 0, 0, 0, 0, 0, 0, 0],
        element: &[0],
        constant: &[1],
        ..F32X4
    }
    .read();
    assert!(printed(&found).contains("<i1: true> : tile<16xi1>"));
}

#[test]
fn truth_values_are_no_bytes() {
    let file = File {
        ty: &[13, 0, 1, 16, 0, 0, 0, 0, 0, 0, 0],
        element: &[0],
        constant: &[1; 16],
        ..F32X4
    };
    let problems = read(&file.bytes(), FileId(0)).expect_err("16 bytes for 16 bits");
    assert!(
        problems[0].message.contains("has 16 bytes, expected 1 or 2"),
        "{problems:?}"
    );
}

#[test]
fn the_section_of_functions_may_be_padded() {
    File {
        after_functions: &[0xCB; 5],
        ..F32X4
    }
    .read();
}

#[test]
fn a_call_site_may_have_unknown_places() {
    let found = File {
        debug: &[&[6, 0, 0]],
        after_functions: &[0xCB],
        ..F32X4
    }
    .read();
    let unknown = DebugAttr::CallSite {
        callee: None,
        caller: None,
    };
    assert_eq!(found.debug.attrs, [unknown]);
    let text = print_tile_module(&found.module, Some(&found.debug));
    assert!(text.contains("= loc(callsite(#loc at #loc))"), "{text}");
    assert_eq!(found.debug.chain(tilewright_irs::cuda_tile::DebugId(0)), []);
    assert_ne!(found.debug, DebugInfo::default());
}
