//! A complete file, annotated byte by byte.

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{read, write};
use tilewright_irs::cuda_tile::{
    ControlOp, DebugAttr, Element, IntegerOverflow, MemoryOrdering, PtrAttr, RoundingMode, ShapeOp, TileOp,
    TileType, Version, ViewOp, verify_module,
};
use tilewright_irs::element::ScalarType;

/// The bytes of a kernel that doubles a vector, at version 13.4: hexadecimal up to a `|`, then comments.
const TWICE: &str = "
7f 54 69 6c 65 49 52 00 0d 04 00 00             | header: 13.4, tag 0
82 64 08 cb                                     | function section, 100 bytes, aligned to 8
01                                              | one function
02 06 06 01                                     | name 2, signature 6, kernel with hints, debug row 1
0b 01 03 0a 00                                  | hints: `default`, an empty dictionary
59                                              | 89 bytes of body; arguments are 0 to 5
44 07                                           | make_token -> 6
06 04 08 10 00 00                               | assume div_by<16> of 0 -> 7
06 04 08 10 00 03                               | assume div_by<16> of 3 -> 8
10 05 00                                        | constant -> 9
10 05 00                                        | constant -> 10
06 05 0c 01 00 01                               | assume bounded<0, ?> of 1 -> 11
43 01 08 07 01 0b 00                            | make_tensor_view of 7, shape [11] -> 12
06 05 0c 01 00 04                               | assume bounded<0, ?> of 4 -> 13
43 01 08 08 01 0d 00                            | make_tensor_view of 8, shape [13] -> 14
30 05 05 05                                     | get_tile_block_id -> 15, 16, 17
42 09 0c                                        | make_partition_view of 12 -> 18
3e 02 0a 07 04 00 01 00 12 01 0f 06             | load_view_tko of 18 [15], token 6 -> 19, 20
02 0a 00 00 13 13                               | addf of 19, 19 -> 21
42 09 0e                                        | make_partition_view of 14 -> 22
66 01 07 04 00 01 00 15 16 01 0f 06             | store_view_tko of 21 to 22 [15], token 6 -> 23
5c 00 00                                        | return
84 15 08 cb                                     | constant section, 21 bytes, aligned to 8
01 cb cb cb cb cb cb cb 00 00 00 00 00 00 00 00 | one item at 0
04 01 00 00 00                                  | four bytes: 1
83 f3 01 08 cb cb cb cb cb cb cb                | debug section, 243 bytes, aligned to 8
01 cb cb cb 00 00 00 00                         | one row, from 0
11 cb cb cb cb cb cb cb                         | 17 indices: the function, 16 ops
04 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00
05 00 00 00 00 00 00 00 06 00 00 00 00 00 00 00
04 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00
04 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00
04 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00
07 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00
08 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00
0a 00 00 00 00 00 00 00 0a 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00
0a cb cb cb                                     | ten debug attributes at these offsets
00 00 00 00 03 00 00 00 05 00 00 00 0c 00 00 00 11 00 00 00
16 00 00 00 1b 00 00 00 20 00 00 00 25 00 00 00 2a 00 00 00
02 00 01                                        | 1: file, name 0, directory 1
01 01                                           | 2: compile unit of file 1
05 01 02 02 02 02 02                            | 3: subprogram in file 1, line 2
04 03 00 03 00                                  | 4: line 3, column 0
04 03 00 03 0a                                  | 5: line 3, column 10
04 03 00 03 0d                                  | 6: line 3, column 13
04 03 00 04 08                                  | 7: line 4, column 8
04 03 00 05 08                                  | 8: line 5, column 8
04 03 00 06 21                                  | 9: line 6, column 33
04 03 00 06 04                                  | 10: line 6, column 4
85 73 04 cb cb                                  | type section, 115 bytes, aligned to 4
0b cb cb cb                                     | eleven types at these offsets
00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 06 00 00 00 09 00 00 00
0c 00 00 00 15 00 00 00 16 00 00 00 2b 00 00 00 38 00 00 00
00                                              | 0: i1
03                                              | 1: i32
07                                              | 2: f32
0c 00 02                                        | 3: ptr<f32>
0d 03 00                                        | 4: tile<ptr<f32>>
0d 01 00                                        | 5: tile<i32>
10 06 04 05 05 04 05 05 00                      | 6: the signature
11                                              | 7: token
0e 00 02 01 00 00 00 00 00 00 00 80 01 01 00 00 00 00 00 00 00 | 8: tensor_view<?xf32, strides=[1]>
0f 00 01 08 00 00 00 08 01 00 00 00 00          | 9: partition_view<tile=(8), type 8>
0d 02 01 08 00 00 00 00 00 00 00                | 10: tile<8xf32>
81 28 04 cb cb                                  | string section, 40 bytes, aligned to 4
04 cb cb cb 00 00 00 00 08 00 00 00 08 00 00 00 0d 00 00 00
74 77 69 63 65 2e 70 79                         | 0: twice.py; 1 is empty
74 77 69 63 65                                  | 2: twice
64 65 66 61 75 6c 74                            | 3: default
00                                              | the end
";

fn twice() -> Vec<u8> {
    let words = TWICE
        .lines()
        .flat_map(|line| line.split('|').next().unwrap_or_default().split_whitespace());
    words
        .map(|word| u8::from_str_radix(word, 16).expect(word))
        .collect()
}

#[test]
fn the_annotated_file_has_the_annotated_contents() {
    let bytes = twice();
    assert_eq!(bytes.len(), 561);
    let found = read(&bytes, FileId(0)).expect("a valid file");
    let module = &found.module;
    assert_eq!((module.version, module.funcs.len()), (Version::V13_4, 1));
    verify_module(module).expect("a valid module");
    let func = &module.funcs[0];
    assert_eq!(func.name, "twice");
    let hints = func.attrs.optimization_hints.as_ref().expect("hints");
    assert_eq!((hints.0.len(), hints.0[0].0.as_str()), (1, "default"));
    let params: Vec<_> = func
        .body
        .params()
        .iter()
        .map(|&v| func.body.ty(v).to_string())
        .collect();
    let [p, i] = ["tile<ptr<f32>>", "tile<i32>"];
    assert_eq!(params, [p, i, i, p, i, i]);
    let ops: Vec<_> = func.body.walk().into_iter().map(|id| func.body.op(id)).collect();
    let names: Vec<_> = ops.iter().map(|op| op.kind.tile_spec().name).collect();
    assert_eq!(
        names,
        [
            "make_token",
            "assume",
            "assume",
            "constant",
            "constant",
            "assume",
            "make_tensor_view",
            "assume",
            "make_tensor_view",
            "get_tile_block_id",
            "make_partition_view",
            "load_view_tko",
            "addf",
            "make_partition_view",
            "store_view_tko",
            "return"
        ]
    );
    let TileOp::View(ViewOp::LoadViewTko {
        view,
        index,
        token,
        ordering,
        scope,
        inbounds,
        ..
    }) = &ops[11].kind
    else {
        panic!("{:?}", ops[11])
    };
    assert_eq!(
        (*ordering, *scope, inbounds.as_slice()),
        (MemoryOrdering::Weak, None, [false].as_slice())
    );
    assert_eq!(Some(*view), ops[10].results().next());
    assert_eq!(Some(index[0]), ops[9].results().next());
    assert_eq!(*token, ops[0].results().next());
    assert_eq!(
        func.body.ty(*view).to_string(),
        "partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>"
    );
    assert!(matches!(ops[15].kind, TileOp::Control(ControlOp::Return { .. })));
    let TileOp::Shape(ShapeOp::Constant { value }) = &ops[3].kind else {
        panic!("{:?}", ops[3])
    };
    assert_eq!(value.ty(), ScalarType::I32);
    // The encodings that the rest of the file relies on.
    assert_eq!(RoundingMode::NearestEven.code(), 0);
    assert_eq!(IntegerOverflow::None.code(), 0);
    assert!(matches!(func.body.ty(func.body.params()[0]),
        TileType::Tile(tile) if matches!(tile.element, Element::Ptr(ptr) if ptr.attr.is_none())));
    assert_eq!(PtrAttr::Multicast.code(), 2);
}

#[test]
fn its_debug_information_places_every_op() {
    let found = read(&twice(), FileId(0)).expect("a valid file");
    assert_eq!(found.debug.attrs.len(), 10);
    assert!(matches!(&found.debug.attrs[2], DebugAttr::Subprogram { name, line: 2, .. } if name == "twice"));
    let func = &found.module.funcs[0];
    let lines: Vec<_> = func
        .body
        .walk()
        .into_iter()
        .map(|id| {
            found
                .debug
                .location(0, func.body.op(id).origin)
                .map(|place| (place.line, place.column))
        })
        .collect();
    assert_eq!(lines[1], Some((3, 10)));
    assert_eq!(lines[12], Some((6, 33)));
    assert_eq!(lines[15], None);
    assert_eq!(found.offsets[0].ops[..3], [0x1b, 0x1d, 0x23]);
}

#[test]
fn the_annotated_file_is_written_byte_for_byte() {
    let found = read(&twice(), FileId(0)).expect("a valid file");
    let written = write(&found.module, &found.debug, Version::V13_4).expect("what was read can be written");
    let again = read(&written, FileId(0)).expect("what was written can be read");
    assert_eq!(
        (again.module, again.debug),
        (found.module.clone(), found.debug.clone())
    );
    assert_eq!(written.len(), 561);
    let newer = write(&found.module, &found.debug, Version::V13_5).expect("13.5 has all of 13.4");
    assert_eq!(newer.len(), 569);
    let older = write(&found.module, &found.debug, Version::V13_3).expect("nothing in it is newer than 13.3");
    assert_eq!(older.len(), 557);
}
