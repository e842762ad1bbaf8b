//! Files with preview content of which one field is wrong, byte by byte.

use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::bytecode::MAGIC;

use super::preview::read;

/// Strings of the files: 0 `f`, 1 `N`, 2 the key of an access, 3 nothing, 4 `context.x`, 5 `a.b`, 6 `i`.
const STRINGS: &[&str] = &["f", "N", "cuda_tile.preview$access", "", "context.x", "a.b", "i"];

/// Types of the files: 0 `i32`, 1 `tile<8xi32>`, 2 `(1) -> ()`, 3 `index`, 4 a fragment, 5 `(4) -> ()`, 6 the type
/// under test.
fn types(tried: &[u8]) -> Vec<Vec<u8>> {
    vec![
        vec![3],
        tile(0, &[8], &[]),
        vec![16, 1, 1, 0],
        tag(214),
        fragment(&[8], &[8], 0, &one_layout(8), &map(8), 4),
        vec![16, 1, 4, 0],
        tried.to_vec(),
    ]
}

/// A number of two bytes.
fn tag(number: u8) -> Vec<u8> {
    vec![number | 0x80, 1]
}

fn tagged(number: u8, rest: &[u8]) -> Vec<u8> {
    [tag(number).as_slice(), rest].concat()
}

fn int(number: i8) -> Vec<u8> {
    tagged(209, &[(number << 1 ^ number >> 7).cast_unsigned()])
}

fn list(items: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(items.len()).expect("few")];
    bytes.extend(items.concat());
    bytes
}

fn ints(numbers: &[i8]) -> Vec<u8> {
    list(&numbers.iter().map(|&number| int(number)).collect::<Vec<_>>())
}

fn tile(element: u8, extents: &[i64], more: &[u8]) -> Vec<u8> {
    let mut bytes = vec![13, element, u8::try_from(extents.len()).expect("few")];
    extents
        .iter()
        .for_each(|extent| bytes.extend(extent.to_le_bytes()));
    bytes.extend(more);
    bytes
}

fn layout(extents: &[i8], strides: &[i8]) -> Vec<u8> {
    tagged(217, &[ints(extents), ints(strides)].concat())
}

fn one_layout(size: i8) -> Vec<u8> {
    layout(&[size], &[1])
}

fn map(size: i8) -> Vec<u8> {
    layout(&[1, 1, size], &[0, 0, 1])
}

fn fragment(extents: &[i8], cache: &[i64], space: u8, mem: &[u8], map: &[u8], alignment: i8) -> Vec<u8> {
    let mut bytes = tagged(210, &tagged(216, &ints(extents)));
    bytes.push(u8::try_from(cache.len()).expect("few"));
    cache.iter().for_each(|extent| bytes.extend(extent.to_le_bytes()));
    bytes.extend([0, space]);
    bytes.extend([mem, map, &int(alignment)].concat());
    bytes
}

fn access(kind: u8) -> Vec<u8> {
    [vec![10, 1, 2], tagged(223, &[kind])].concat()
}

fn table(items: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(items.len()).expect("few"), 0xCB, 0xCB, 0xCB];
    let mut offset = 0u32;
    for item in items {
        bytes.extend(offset.to_le_bytes());
        offset += u32::try_from(item.len()).expect("short");
    }
    bytes.extend(items.concat());
    bytes
}

/// A file with these functions; `tried` is its last type, which is under test.
fn file(functions: &[Vec<u8>], tried: &[u8], preview: bool) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([13, 5, u8::from(preview), 0]);
    let strings: Vec<_> = STRINGS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let sections = [
        (2u8, 8, list(functions)),
        (5, 4, table(&types(tried))),
        (1, 4, table(&strings)),
    ];
    for (id, alignment, payload) in sections {
        bytes.push(id | 0x80);
        let mut length = payload.len();
        while length >= 0x80 {
            bytes.push(u8::try_from(length & 0x7F).expect("seven bits") | 0x80);
            length >>= 7;
        }
        bytes.extend([u8::try_from(length).expect("short"), alignment]);
        while !bytes.len().is_multiple_of(usize::from(alignment)) {
            bytes.push(0xCB);
        }
        bytes.extend(payload);
    }
    bytes.push(0);
    bytes
}

/// `preview$func @f`, from its flags on.
fn func(flags: u8, arg_attrs: &[u8], length: u8, params: &[u8]) -> Vec<u8> {
    [&[0, 2, flags, 0][..], arg_attrs, &[length], params].concat()
}

fn sound_func() -> Vec<u8> {
    func(1, &[vec![6, 1], access(0)].concat(), 0, &[6, 0])
}

/// `preview$extern_impl @i`: its parts in the order of the file.
fn implementation(flags: u8, parts: &[u8], names: [u8; 2], signature: u8, end: &[u8]) -> Vec<u8> {
    [&[6, 5, 5, 0, flags][..], &names, &[signature], parts, end].concat()
}

fn sound_impl() -> Vec<u8> {
    implementation(4, &list(&[access(0)]), [6, 0], 5, &[1, 0, 0])
}

/// A kernel with an attribute of its only parameter, which has type 6.
fn kernel(attr: &[u8]) -> Vec<u8> {
    let body = [0x5C, 0, 0];
    // Signature 2 has a tile of rank 1, which the verifier would refuse: the reader is what is asked here.
    [&[1, 2, 2, 0, 11, 0, 6, 1, 10, 1, 5][..], attr, &[3], &body].concat()
}

fn code(functions: &[Vec<u8>], tried: &[u8], preview: bool) -> Option<(Code, String)> {
    let problems = read(&file(functions, tried, preview), FileId(0)).err()?;
    let first = problems.into_iter().next()?;
    Some((first.code, first.message))
}

#[test]
fn the_well_formed_files_are_read() {
    assert_eq!(code(&[sound_func(), sound_impl()], &[17], true), None);
    assert_eq!(code(&[kernel(&int(3))], &[17], true), None);
}

#[test]
fn every_field_of_a_function_is_checked() {
    let attrs = [vec![6, 1], access(0)].concat();
    let param = |name: u8, ty: u8| [vec![6, 1], tagged(226, &[name, ty])].concat();
    let impl_with = |flags: u8, parts: &[u8]| implementation(flags, parts, [6, 0], 5, &[1, 0, 0]);
    let cases = [
        ("public", func(0, &attrs, 0, &[6, 0]), Code::AttributeValue),
        ("flags", func(9, &attrs, 0, &[6, 0]), Code::UnknownFlags),
        (
            "no list of attributes",
            func(1, &[10, 0], 0, &[6, 0]),
            Code::AttributeKind,
        ),
        (
            "no dictionary",
            func(1, &[vec![6, 1], int(3)].concat(), 0, &[6, 0]),
            Code::AttributeKind,
        ),
        (
            "access",
            func(1, &[vec![6, 1], access(3)].concat(), 0, &[6, 0]),
            Code::BadEnumValue,
        ),
        ("body", func(1, &attrs, 3, &[6, 0]), Code::RegionCount),
        (
            "no list of parameters",
            func(1, &attrs, 0, &[10, 0]),
            Code::AttributeKind,
        ),
        (
            "no parameter",
            func(1, &attrs, 0, &[vec![6, 1], int(3)].concat()),
            Code::AttributeKind,
        ),
        (
            "parameter without a name",
            func(1, &attrs, 0, &param(3, 3)),
            Code::AttributeValue,
        ),
        (
            "parameter of another type",
            func(1, &attrs, 0, &param(1, 0)),
            Code::AttributeKind,
        ),
        ("missing parameters", func(1, &attrs, 0, &[]), Code::Truncated),
        (
            "no signature",
            [&[0, 0][..], &[1, 0]].concat(),
            Code::MalformedType,
        ),
        (
            "implementation: unknown part",
            vec![6, 5, 5, 0, 0x80, 8, 6, 0, 5, 1, 0, 0],
            Code::UnknownFlags,
        ),
        (
            "implementation: another name",
            implementation(0, &[], [0, 0], 5, &[1, 0, 0]),
            Code::AttributeValue,
        ),
        (
            "implementation: of nothing",
            implementation(0, &[], [6, 3], 5, &[1, 0, 0]),
            Code::AttributeValue,
        ),
        (
            "implementation: another signature",
            implementation(0, &[], [6, 0], 2, &[1, 0, 0]),
            Code::MalformedType,
        ),
        (
            "implementation: regions",
            implementation(0, &[], [6, 0], 5, &[2, 0, 0]),
            Code::RegionCount,
        ),
        (
            "implementation: blocks",
            implementation(0, &[], [6, 0], 5, &[1, 1, 0]),
            Code::RegionCount,
        ),
        (
            "implementation: body",
            implementation(0, &[], [6, 0], 5, &[1, 0, 3]),
            Code::RegionCount,
        ),
        (
            "implementation: dictionaries",
            impl_with(4, &list(&[int(3)])),
            Code::AttributeKind,
        ),
        (
            "implementation: results",
            impl_with(8, &list(&[int(3)])),
            Code::AttributeKind,
        ),
        (
            "implementation: scratch size",
            impl_with(16, &[int(-1), int(4)].concat()),
            Code::AttributeValue,
        ),
        (
            "implementation: scratch alignment",
            impl_with(16, &[int(4), int(3)].concat()),
            Code::AttributeValue,
        ),
        (
            "implementation: architectures",
            impl_with(64, &list(&[int(3)])),
            Code::AttributeKind,
        ),
    ];
    for (name, function, wanted) in cases {
        let found = code(&[function], &[17], true);
        assert_eq!(
            found.as_ref().map(|(code, _)| *code),
            Some(wanted),
            "{name}: {found:?}"
        );
    }
    let found = code(&[sound_func()], &[17], false).expect("nothing was said of preview content");
    assert_eq!(found.0, Code::UnsupportedFeature);
}

#[test]
fn every_field_of_a_type_is_checked() {
    let open = i64::MIN;
    let symbolic = |extents: &[Vec<u8>]| tagged(216, &list(extents));
    let n = tagged(210, &[1]);
    let cases = [
        ("symbol", tagged(209, &int(3)), Code::MalformedType),
        (
            "symbol without a name",
            tagged(209, &tagged(210, &[3])),
            Code::AttributeValue,
        ),
        (
            "extents",
            fragment(&[8, 1], &[8], 0, &one_layout(8), &map(8), 1),
            Code::RankMismatch,
        ),
        (
            "known extents",
            fragment(&[8], &[4], 0, &one_layout(8), &map(8), 1),
            Code::MalformedType,
        ),
        (
            "extent of 0",
            fragment(&[0], &[0], 0, &one_layout(8), &map(8), 1),
            Code::BadStride,
        ),
        (
            "space",
            fragment(&[8], &[8], 2, &one_layout(8), &map(8), 1),
            Code::BadEnumValue,
        ),
        (
            "no layout",
            fragment(&[8], &[8], 0, &int(3), &map(8), 1),
            Code::AttributeKind,
        ),
        (
            "ranks",
            fragment(&[8], &[8], 0, &layout(&[8], &[1, 1]), &map(8), 1),
            Code::RankMismatch,
        ),
        (
            "stride",
            fragment(&[8], &[8], 0, &layout(&[8], &[-1]), &map(8), 1),
            Code::BadStride,
        ),
        (
            "size",
            fragment(&[8], &[8], 0, &one_layout(4), &map(8), 1),
            Code::BadLayout,
        ),
        (
            "gap",
            fragment(&[8], &[8], 0, &layout(&[8], &[2]), &map(8), 1),
            Code::BadLayout,
        ),
        (
            "alignment",
            fragment(&[8], &[8], 0, &one_layout(8), &map(8), 3),
            Code::AttributeValue,
        ),
        ("tile: open extent", tile(0, &[open], &[]), Code::BadStride),
        (
            "tile: ranks",
            tile(0, &[open], &symbolic(&[n.clone(), n.clone()])),
            Code::RankMismatch,
        ),
        (
            "tile: known extent",
            tile(0, &[8], &symbolic(std::slice::from_ref(&n))),
            Code::MalformedType,
        ),
        ("tile: no tuple", tile(0, &[open], &n), Code::MalformedType),
        (
            "tile: more",
            tile(
                0,
                &[open],
                &[symbolic(std::slice::from_ref(&n)), vec![0]].concat(),
            ),
            Code::MalformedType,
        ),
        (
            "tile: power",
            tile(0, &[open, 3], &symbolic(&[n.clone(), int(3)])),
            Code::ExtentNotPowerOfTwo,
        ),
        (
            "tile: quotient",
            tile(
                0,
                &[open],
                &symbolic(&[tagged(215, &[n.clone(), int(2)].concat())]),
            ),
            Code::AttributeKind,
        ),
        ("tile: element", tile(3, &[8], &[]), Code::MalformedType),
    ];
    for (name, ty, wanted) in cases {
        let found = code(&[kernel(&[4, 6])], &ty, true);
        assert_eq!(
            found.as_ref().map(|(code, _)| *code),
            Some(wanted),
            "{name}: {found:?}"
        );
    }
    // A type that holds itself.
    let found = code(
        &[kernel(&[4, 6])],
        &tagged(210, &[tagged(216, &list(&[tagged(219, &[6])]))].concat()),
        true,
    );
    assert_eq!(found.map(|(code, _)| code), Some(Code::NestingTooDeep));
    for ty in [tag(215), tag(214), tile(0, &[open], &symbolic(&[n]))] {
        let found = code(&[kernel(&[4, 6])], &ty, false).expect("nothing was said of preview content");
        assert_eq!(found.0, Code::MalformedType, "{}", found.1);
    }
}

#[test]
fn every_field_of_an_attribute_is_checked() {
    let mut deep = int(1);
    (0..40).for_each(|_| deep = tagged(220, &deep));
    let cases = [
        ("unknown", tagged(225, &[0]), Code::BadAttributeTag),
        ("variable without a name", tagged(210, &[3]), Code::AttributeValue),
        ("variable with a dot", tagged(210, &[5]), Code::AttributeValue),
        (
            "operand",
            tagged(213, &[vec![3, 1], int(1)].concat()),
            Code::BadAttributeTag,
        ),
        ("second operand", tagged(213, &int(1)), Code::BadAttributeTag),
        (
            "division by zero",
            tagged(218, &[int(1), int(0)].concat()),
            Code::AttributeValue,
        ),
        ("tuple", tagged(216, &[2, 3, 1]), Code::BadAttributeTag),
        (
            "layout",
            tagged(217, &[ints(&[1]), ints(&[])].concat()),
            Code::RankMismatch,
        ),
        ("memory space", tagged(221, &[2]), Code::BadEnumValue),
        ("synchronization", tagged(222, &[4]), Code::BadEnumValue),
        ("access", tagged(223, &[3]), Code::BadEnumValue),
        (
            "scratch",
            tagged(224, &[int(-1), int(4)].concat()),
            Code::AttributeValue,
        ),
        ("builtin", tagged(227, &[1, 3]), Code::AttributeValue),
        ("type of a builtin", tagged(227, &[4, 0]), Code::AttributeKind),
        ("string", tagged(228, &[99]), Code::StringIndex),
        ("type", tagged(219, &[99]), Code::TypeIndex),
        ("depth", deep, Code::NestingTooDeep),
    ];
    for (name, attr, wanted) in cases {
        let found = code(&[kernel(&attr)], &[17], true);
        assert_eq!(
            found.as_ref().map(|(code, _)| *code),
            Some(wanted),
            "{name}: {found:?}"
        );
    }
    let found = code(&[kernel(&int(3))], &[17], false).expect("nothing was said of preview content");
    assert_eq!(found.0, Code::BadAttributeTag);
}
