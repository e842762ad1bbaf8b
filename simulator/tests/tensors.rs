//! Copies of boxes of tensors against plain loops over coordinates; tensor maps that a kernel changes.

use crate::support::{Numbers, kernel, read};
use tilewright_simulator::{
    Arg, Buffer, Device, Fault, FaultKind, Init, Party, PixelColumn, TensorBox, TensorMap, TensorSwizzle,
    Timing,
};

/// Bytes of `tile` and of its image in the output.
const ROOM: usize = 16 * 1024;

/// A device with a tensor of so many bytes of pseudorandom data.
struct Bench {
    device: Device,
    tensor: Buffer,
    input: Buffer,
    out: Buffer,
    target: &'static str,
}

impl Bench {
    fn new(bytes: usize) -> Self {
        let mut device = Device::new();
        device.step_limit = 1_000_000;
        let mut numbers = Numbers::new(bytes as u64);
        let mut data = |bytes: usize| Init::Data((0..bytes).map(|_| numbers.next() as u8).collect());
        let tensor = data(bytes);
        let input = data(ROOM);
        Self {
            tensor: device.alloc("tensor", bytes, tensor),
            input: device.alloc("in", ROOM, input),
            out: device.alloc("out", ROOM, Init::Data(vec![])),
            device,
            target: "sm_90a",
        }
    }

    /// Launches 64 threads: `before`, a barrier, `body` in the first thread alone, with the map at `%rd4`, and `after`.
    fn run(&mut self, map: &[u8; 128], before: &str, body: &str, after: &str) -> Result<(), Box<Fault>> {
        let body = format!(
            ".shared .align 1024 .b8 tile[{ROOM}];\n.shared .align 128 .b8 copy[128];\n.shared .align 8 .b8 bars[8];\n\
             ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nld.param.u64 %rd10, [tensor];\nmov.u32 %r1, %tid.x;\n\
             mov.u32 %r3, tile;\nmov.u64 %rd4, map;\ncvta.param.u64 %rd4, %rd4;\nsetp.eq.u32 %p1, %r1, 0;\n\
             @%p1 mbarrier.init.shared::cta.b64 [bars], 1;\nfence.mbarrier_init.release.cluster;\n{before}bar.sync 0;\n\
             @!%p1 bra first_done;\n{body}\nfirst_done:\n{after}ret;"
        );
        let parameters = ".param .u64 in, .param .u64 out, .param .u64 tensor, .param .align 64 .b8 map[128]";
        let text = kernel(parameters, "", &body).replace("sm_90a", self.target);
        let (module, _) = read(&text);
        let args = [
            self.input.into(),
            self.out.into(),
            self.tensor.into(),
            Arg::Scalar(map.to_vec()),
        ];
        self.device
            .launch(&module, "k", [1, 1, 1], [64, 1, 1], 0, &args)?;
        Ok(())
    }
}

/// Keeps the second warp busy until the first has continued as far as it can.
const DELAY: &str = "mov.u32 %r15, 0;\nsetp.lt.u32 %p6, %r1, 32;\n@%p6 bra now;\nlater: add.u32 %r15, %r15, 1;\n\
                     setp.lt.u32 %p7, %r15, 3000;\n@%p7 bra later;\nnow:\n";

fn list(coordinates: &[i32]) -> String {
    let words: Vec<String> = coordinates.iter().map(ToString::to_string).collect();
    words.join(", ")
}

/// Expects bytes, loads a box of the map at `map`, and waits for it.
fn load(coordinates: &[i32], bytes: usize, map: &str) -> String {
    format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [bars], {bytes};\n\
         cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile], [{map}, {{{}}}], [bars];\n\
         again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0;\n@!%p2 bra again;\n",
        coordinates.len(),
        list(coordinates)
    )
}

/// Copies `tile` to the output or, with the input's address, from it.
fn copied(bytes: usize, to_tile: bool) -> String {
    let (from, to) = if to_tile {
        (
            "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd6];",
            "st.shared.v4.u32 [%r9], {%r5, %r6, %r7, %r8};",
        )
    } else {
        (
            "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r9];",
            "st.global.v4.u32 [%rd6], {%r5, %r6, %r7, %r8};",
        )
    };
    let (name, base) = if to_tile {
        ("fill", "%rd1")
    } else {
        ("dump", "%rd2")
    };
    format!(
        "shl.b32 %r4, %r1, 4;\n{name}: setp.ge.u32 %p9, %r4, {bytes};\n@%p9 bra {name}_done;\ncvt.u64.u32 %rd6, %r4;\n\
         add.u64 %rd6, %rd6, {base};\nadd.u32 %r9, %r4, %r3;\n{from}\n{to}\nadd.u32 %r4, %r4, 1024;\nbra {name};\n\
         {name}_done:\n"
    )
}

/// Where the byte `column` of the row `row` of a box is, from the beginning of the box. (CUDA Programming Guide, "Swizzle
/// modes": the index of a chunk of 16 bytes within the span, with the number of the 128 bytes that it is in.)
fn place(swizzle: TensorSwizzle, row_bytes: usize, row: usize, column: usize) -> usize {
    let chunks = match swizzle {
        TensorSwizzle::None => return row * row_bytes + column,
        TensorSwizzle::B32 => 2,
        TensorSwizzle::B64 => 4,
        TensorSwizzle::B128 => 8,
    };
    let line = (row * chunks + column / 16) / 8;
    let chunk = (column / 16) ^ (line % chunks);
    row * chunks * 16 + chunk * 16 + column % 16
}

/// The extents of the box of a map.
fn tile(map: &mut TensorMap) -> &mut Vec<u32> {
    match &mut map.selected {
        TensorBox::Tile(extents) => extents,
        TensorBox::Pixels(_) => panic!("a map of pixels"),
    }
}

#[derive(Clone, Debug)]
struct Case {
    map: TensorMap,
    size: usize,
    coordinates: Vec<i32>,
}

impl Case {
    fn counts(&self) -> Vec<usize> {
        let map = &self.map;
        (0..map.extents.len())
            .map(|at| {
                let step = if at == 0 { 1 } else { map.steps[at] as usize };
                (tile(&mut map.clone())[at] as usize).div_ceil(step)
            })
            .collect()
    }

    /// Calls `f` for each element: its place in the box, and its offset in the tensor if it is inside.
    fn each(&self, mut f: impl FnMut(usize, Option<usize>)) {
        let counts = self.counts();
        let map = &self.map;
        let total: usize = counts.iter().product();
        for at in 0..total {
            let mut rest = at;
            let mut offset = Some(0);
            for (dimension, count) in counts.iter().enumerate() {
                let step = if dimension == 0 {
                    1
                } else {
                    i64::from(map.steps[dimension])
                };
                let index = i64::from(self.coordinates[dimension]) + (rest % count) as i64 * step;
                rest /= count;
                let stride = if dimension == 0 {
                    self.size
                } else {
                    map.strides[dimension - 1] as usize
                };
                let inside = index >= 0 && index < i64::from(map.extents[dimension]);
                offset = offset
                    .filter(|_| inside)
                    .map(|offset| offset + index as usize * stride);
            }
            let row_bytes = counts[0] * self.size;
            f(
                place(map.swizzle, row_bytes, at / counts[0], at % counts[0] * self.size),
                offset,
            );
        }
    }

    fn bytes(&self) -> usize {
        self.counts().iter().product::<usize>() * self.size
    }
}

/// A pseudorandom map of a tensor at `address`, and a box that may be partly outside.
fn random(rank: usize, element: &str, size: usize, swizzle: TensorSwizzle, numbers: &mut Numbers) -> Case {
    let mut below = |most: usize| (numbers.next() >> 20) as usize % most;
    let row = match swizzle {
        TensorSwizzle::None => 16 * (1 + below(4)),
        TensorSwizzle::B32 => 32,
        TensorSwizzle::B64 => 64,
        TensorSwizzle::B128 => 128,
    };
    let mut extents = vec![(row / size + below(20)) as u32];
    let mut box_extents = vec![(row / size) as u32];
    let mut steps = vec![1 + below(3) as u32];
    let mut strides = Vec::new();
    let mut stride = (extents[0] as usize * size).next_multiple_of(16);
    for _ in 1..rank {
        strides.push(stride as u64);
        let extent = 1 + below(5);
        stride = stride * extent + 16 * below(3);
        extents.push(extent as u32);
        box_extents.push(1 + below(4) as u32);
        steps.push(1 + below(3) as u32);
    }
    let mut coordinates: Vec<i32> = (0..rank)
        .map(|at| below(extents[at] as usize + 6) as i32 - 4)
        .collect();
    // A box begins at a unit of what copies access.
    let unit = (UNIT / size) as i32;
    coordinates[0] = coordinates[0].div_euclid(unit) * unit;
    let map = TensorMap {
        address: 0,
        element: element.to_owned(),
        extents,
        strides,
        selected: TensorBox::Tile(box_extents),
        steps,
        swizzle,
        fill_nan: below(2) == 1 && element.contains('f'),
    };
    Case {
        map,
        size,
        coordinates,
    }
}

/// Bytes of the units that copies access.
const UNIT: usize = 16;

const SWIZZLES: [TensorSwizzle; 4] = [
    TensorSwizzle::None,
    TensorSwizzle::B32,
    TensorSwizzle::B64,
    TensorSwizzle::B128,
];
const TYPES: [(&str, usize); 6] = [
    ("u8", 1),
    ("f16", 2),
    ("bf16", 2),
    ("s32", 4),
    ("f32", 4),
    ("f64", 8),
];

fn cases() -> Vec<Case> {
    let mut numbers = Numbers::new(7);
    let mut cases = Vec::new();
    for round in 0..24 {
        let rank = 1 + round % 5;
        let (element, size) = TYPES[round % TYPES.len()];
        cases.push(random(rank, element, size, SWIZZLES[round / 5 % 4], &mut numbers));
    }
    cases
}

#[test]
fn boxes_are_loaded_with_swizzles_and_bounds() {
    let mut outside = 0;
    for case in cases() {
        let mut bench = Bench::new(64 * 1024);
        let mut case = case;
        case.map.address = bench.device.address(bench.tensor);
        let bytes = case.bytes();
        let map = case.map.encode().expect("a map");
        let after = format!("bar.sync 0;\n{}", copied(bytes, false));
        bench
            .run(&map, "", &load(&case.coordinates, bytes, "%rd4"), &after)
            .unwrap_or_else(|fault| panic!("{case:?}: {fault}"));
        let (tensor, out) = (bench.device.read(bench.tensor), bench.device.read(bench.out));
        let mut fill = vec![if case.map.fill_nan { 0xff } else { 0 }; case.size];
        if case.map.fill_nan {
            fill[case.size - 1] = 0x7f;
        }
        case.each(|to, from| {
            let want = from.map_or(&fill[..], |from| &tensor[from..from + case.size]);
            assert_eq!(&out[to..to + case.size], want, "{case:?} at {to}");
            outside += usize::from(from.is_none());
        });
    }
    assert!(outside > 100, "{outside} elements out of bounds");
}

fn store(coordinates: &[i32], op: Option<&str>) -> String {
    let (name, op) = op.map_or(("cp.async", String::new()), |op| {
        ("cp.reduce.async", format!(".{op}"))
    });
    format!(
        "{name}.bulk.tensor.{}d.global.shared::cta{op}.tile.bulk_group [%rd4, {{{}}}], [tile];\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
        coordinates.len(),
        list(coordinates)
    )
}

#[test]
fn boxes_are_stored_where_they_are_in_bounds() {
    let mut beyond = 0;
    for case in cases() {
        let mut bench = Bench::new(64 * 1024);
        let mut case = case;
        case.map.address = bench.device.address(bench.tensor);
        let map = case.map.encode().expect("a map");
        // A store begins in the tensor, and writes the unit whole in which a row ends.
        let unit = UNIT / case.size;
        case.coordinates[0] = case.coordinates[0].max(0);
        let extent = case.map.extents[0];
        case.map.extents[0] = extent.next_multiple_of(unit as u32);
        beyond += case.map.extents[0] - extent;
        let mut want = bench.device.read(bench.tensor).to_vec();
        let input = bench.device.read(bench.input).to_vec();
        case.each(|from, to| {
            if let Some(to) = to {
                want[to..to + case.size].copy_from_slice(&input[from..from + case.size]);
            }
        });
        let before = format!("{}fence.proxy.async;\n", copied(case.bytes(), true));
        bench
            .run(&map, &before, &store(&case.coordinates, None), "")
            .unwrap_or_else(|fault| panic!("{case:?}: {fault}"));
        assert!(bench.device.read(bench.tensor) == want, "{case:?}");
    }
    assert!(beyond > 0, "no row ends within a unit");
}

#[test]
fn copies_begin_at_units() {
    let cases = [
        (0, true, true),
        (4, true, true),
        (6, false, false),
        (-4, true, false),
        (9, false, false),
    ];
    for (first, loads, stores) in cases {
        let refused = |before: &str, copy: &str| {
            let mut bench = Bench::new(192);
            let map = small(&bench, "u32").encode().expect("a map");
            let result = bench.run(&map, before, copy, "");
            result.is_err_and(|fault| matches!(fault.kind, FaultKind::CopyMisuse { .. }))
        };
        assert_eq!(refused("", &load(&[first, 0], 48, "%rd4")), !loads, "{first}");
        let before = format!("{}fence.proxy.async;\n", copied(48, true));
        assert_eq!(refused(&before, &store(&[first, 0], None)), !stores, "{first}");
    }
}

/// A tensor of 8 by 6 words; the box is 4 by 3.
fn small(bench: &Bench, element: &str) -> TensorMap {
    TensorMap {
        address: bench.device.address(bench.tensor),
        element: element.to_owned(),
        extents: vec![8, 6],
        strides: vec![32],
        selected: TensorBox::Tile(vec![4, 3]),
        steps: vec![1, 1],
        swizzle: TensorSwizzle::None,
        fill_nan: false,
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[4 * at..4 * at + 4].try_into().expect("four"))
}

/// What a reduction makes of the old and the new word.
type Combine = fn(u32, u32) -> u32;

#[test]
fn boxes_are_reduced() {
    let cases: [(&str, &str, Combine); 6] = [
        ("u32", "add", u32::wrapping_add),
        ("s32", "min", |a, b| {
            a.cast_signed().min(b.cast_signed()).cast_unsigned()
        }),
        ("u32", "max", u32::max),
        ("u32", "and", |a, b| a & b),
        ("s32", "xor", |a, b| a ^ b),
        (
            "u32",
            "dec",
            |old, new| if old == 0 || old > new { new } else { old - 1 },
        ),
    ];
    for (element, op, f) in cases {
        let mut bench = Bench::new(192);
        let map = small(&bench, element).encode().expect("a map");
        let old = bench.device.read(bench.tensor).to_vec();
        let input = bench.device.read(bench.input).to_vec();
        let before = format!("{}fence.proxy.async;\n", copied(48, true));
        bench
            .run(&map, &before, &store(&[4, -1], Some(op)), "")
            .unwrap_or_else(|fault| panic!("{op}: {fault}"));
        let new = bench.device.read(bench.tensor);
        for at in 0..48 {
            let (x, y) = (at % 8, at / 8);
            let want = if x >= 4 && y < 2 {
                f(word(&old, at), word(&input, (y + 1) * 4 + x - 4))
            } else {
                word(&old, at)
            };
            assert_eq!(word(new, at), want, "{op} at {x}, {y}");
        }
    }
    let mut bench = Bench::new(192);
    let map = small(&bench, "f32").encode().expect("a map");
    let before = format!("{}fence.proxy.async;\n", copied(48, true));
    let kind = bench
        .run(&map, &before, &store(&[0, 0], Some("max")), "")
        .expect_err("not modelled")
        .kind;
    assert!(matches!(kind, FaultKind::Unsupported { .. }), "{kind}");
}

/// Loads by a map of `tf32` give what the conversion gives, for numbers of all sizes, ties, infinities, and NaN, which out of bounds
/// stays as it is.
#[test]
fn loads_by_maps_of_tf32_round() {
    let special = [
        0x3f80_1000,
        0x3f80_3000,
        0xbf80_1001,
        0x0000_1000,
        0x0000_1001,
        0x8000_3000,
        0x007f_ffff,
        0x7f7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_1234,
        0xff80_0001,
        0x3f80_0fff,
        0x7f7f_efff,
        0x0080_0000,
        0x8000_0000,
    ];
    let mut numbers = Numbers::new(32);
    let words: Vec<u32> = special
        .into_iter()
        .chain((0..32).map(|_| (numbers.next() >> 16) as u32))
        .collect();
    let bytes: Vec<u8> = words.iter().copied().flat_map(u32::to_le_bytes).collect();
    let mut bench = Bench::new(192);
    bench.tensor = bench.device.alloc("words", 192, Init::Data(bytes));
    let map = TensorMap {
        selected: TensorBox::Tile(vec![8, 8]),
        fill_nan: true,
        ..small(&bench, "tf32")
    };
    let map = map.encode().expect("a map");
    let after = format!("bar.sync 0;\n{}", copied(256, false));
    bench
        .run(&map, "", &load(&[0, 0], 256, "%rd4"), &after)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let have: Vec<u32> = (0..64).map(|at| word(bench.device.read(bench.out), at)).collect();
    let text = kernel(
        ".param .u64 tensor, .param .u64 out",
        "",
        "ld.param.u64 %rd1, [tensor];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n\
         add.u64 %rd1, %rd1, %rd3;\nadd.u64 %rd2, %rd2, %rd3;\nld.global.f32 %f1, [%rd1];\ncvt.rn.tf32.f32 %r2, %f1;\n\
         st.global.u32 [%rd2], %r2;\nret;",
    );
    let (module, _) = read(&text);
    let args = [bench.tensor.into(), bench.out.into()];
    bench
        .device
        .launch(&module, "k", [1, 1, 1], [48, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{fault}"));
    for (at, have) in have.into_iter().enumerate() {
        let want = match words.get(at) {
            Some(_) => word(bench.device.read(bench.out), at),
            None => 0x7fff_ffff,
        };
        assert_eq!(have, want, "{:x?}", words.get(at));
    }
    // What stores by such a map do is not known.
    let before = format!("{}fence.proxy.async;\n", copied(256, true));
    let kind = bench
        .run(&map, &before, &store(&[0, 0], None), "")
        .expect_err("not modelled")
        .kind;
    assert!(matches!(kind, FaultKind::Unsupported { .. }), "{kind}");
}

#[test]
fn tensor_maps_are_checked() {
    let refused = |change: &dyn Fn(&mut TensorMap)| {
        let mut bench = Bench::new(192);
        let mut map = small(&bench, "f32");
        change(&mut map);
        let map = map.encode().expect("a map");
        bench
            .run(&map, "", &load(&[0, 0], 48, "%rd4"), "")
            .expect_err("a refusal")
            .kind
    };
    let misuse = |change: &dyn Fn(&mut TensorMap)| match refused(change) {
        FaultKind::CopyMisuse { reason } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(
        misuse(&|map| map.strides[0] = 40),
        "a stride of its tensor map is 40, no multiple of 16"
    );
    assert!(misuse(&|map| map.address += 4).contains("no multiple of 16"));
    assert_eq!(
        misuse(&|map| tile(map)[1] = 257),
        "the box of its tensor map is 257, of 1 to 256"
    );
    assert!(misuse(&|map| tile(map)[0] = 3).contains("a row of the box"));
    assert!(misuse(&|map| map.steps[1] = 9).contains("element stride"));
    assert!(misuse(&|map| map.extents[1] = 0).contains("an extent"));
    assert!(
        misuse(&|map| {
            tile(map)[0] = 12;
            map.swizzle = TensorSwizzle::B32;
        })
        .contains("of 1 to 32")
    );
    assert!(
        misuse(&|map| {
            map.element = "s32".to_owned();
            map.fill_nan = true;
        })
        .contains("filled with NaN")
    );
    assert_eq!(
        misuse(&|map| {
            map.extents.truncate(1);
            map.strides.clear();
            tile(map).truncate(1);
            map.steps.truncate(1);
        }),
        "its tensor map has rank 1, not 2"
    );
    assert!(matches!(
        refused(&|map| map.element = "tf32.ftz".to_owned()),
        FaultKind::Unsupported { .. }
    ));
    assert!(matches!(
        refused(&|map| map.swizzle = TensorSwizzle::B32),
        FaultKind::Unsupported { .. }
    ));
    assert!(matches!(
        refused(&|map| map.address += 4096),
        FaultKind::OutOfBounds { .. }
    ));
    let mut bench = Bench::new(192);
    let kind = bench
        .run(&[0; 128], "", &load(&[0, 0], 48, "%rd4"), "")
        .expect_err("no map")
        .kind;
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
    assert_eq!(small(&bench, "f33").encode(), None);
}

/// A tensor of 8 by 6 words, whose rows are copied four at a time, 4 words of each.
fn rows(bench: &Bench) -> TensorMap {
    TensorMap {
        selected: TensorBox::Tile(vec![4, 1]),
        ..small(bench, "u32")
    }
}

#[test]
fn rows_are_gathered_and_scattered() {
    let places = [5, 0, 6, 2];
    let coordinates = [4, 5, 0, 6, 2];
    // The row 6 is out of bounds.
    let inside = |row: usize| places[row] < 6;
    let at = |row: usize, column: usize| 8 * places[row] as usize + 4 + column;
    let mut bench = Bench::new(192);
    bench.target = "sm_100a";
    let map = rows(&bench).encode().expect("a map");
    let body = load(&coordinates, 64, "%rd4")
        .replace("tensor.5d", "tensor.2d")
        .replace(".tile.", ".tile::gather4.");
    bench
        .run(&map, "", &body, &format!("bar.sync 0;\n{}", copied(64, false)))
        .unwrap_or_else(|fault| panic!("{fault}"));
    let (tensor, out) = (bench.device.read(bench.tensor), bench.device.read(bench.out));
    for row in 0..4 {
        for column in 0..4 {
            let want = if inside(row) {
                word(tensor, at(row, column))
            } else {
                0
            };
            assert_eq!(word(out, 4 * row + column), want, "{row}, {column}");
        }
    }
    let mut want = tensor.to_vec();
    let input = bench.device.read(bench.input).to_vec();
    for row in (0..4).filter(|row| inside(*row)) {
        for column in 0..4 {
            let to = 4 * at(row, column);
            want[to..to + 4].copy_from_slice(&word(&input, 4 * row + column).to_le_bytes());
        }
    }
    let body = store(&coordinates, None)
        .replace("tensor.5d", "tensor.2d")
        .replace(".tile.", ".tile::scatter4.");
    let before = format!("{}fence.proxy.async;\n", copied(64, true));
    bench
        .run(&map, &before, &body, "")
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert!(bench.device.read(bench.tensor) == want);
    // Boxes of several rows; a GPU that does not have the instruction.
    let wide = small(&bench, "u32").encode().expect("a map");
    let kind = bench
        .run(&wide, &before, &body, "")
        .expect_err("boxes of 3 rows")
        .kind;
    assert!(
        matches!(&kind, FaultKind::CopyMisuse { reason } if reason.contains("have 3 rows, not 1")),
        "{kind}"
    );
    bench.target = "sm_90a";
    let kind = bench
        .run(&map, &before, &body, "")
        .expect_err("an older GPU")
        .kind;
    assert!(matches!(kind, FaultKind::Launch { .. }), "{kind}");
}

#[test]
fn misuses_of_boxes_are_found_next_to_clean_programs() {
    for timing in [Timing::Late, Timing::Early, Timing::Seeded(9)] {
        let mut bench = Bench::new(192);
        bench.device.timing = timing;
        let map = small(&bench, "f32").encode().expect("a map");
        let dump = copied(48, false);
        bench
            .run(
                &map,
                "",
                &load(&[0, 0], 48, "%rd4"),
                &format!("bar.sync 0;\n{dump}"),
            )
            .expect("a clean run");
        // Read before the wait; a box partly out of bounds counts as a whole.
        let unwaited = load(&[0, 0], 48, "%rd4").replace("again:", "ld.shared.u32 %r20, [tile+16];\nagain:");
        let kind = bench.run(&map, "", &unwaited, "").expect_err("a race").kind;
        assert!(
            matches!(
                kind,
                FaultKind::Race {
                    other: Party::Transfer { .. } | Party::TransferUnderWay { .. },
                    ..
                }
            ),
            "{timing:?}: {kind}"
        );
        bench
            .run(&map, "", &load(&[4, 4], 48, "%rd4"), "")
            .expect("a clean run");
        let kind = bench
            .run(&map, "", &load(&[4, 4], 16, "%rd4"), "")
            .expect_err("too few bytes")
            .kind;
        assert!(matches!(kind, FaultKind::Deadlock { .. }), "{kind}");
        // A fence between the writes and the copy.
        let fill = copied(48, true);
        bench
            .run(
                &map,
                &format!("{fill}fence.proxy.async;\n"),
                &store(&[0, 0], None),
                "",
            )
            .expect("a clean run");
        let kind = bench
            .run(&map, &fill, &store(&[0, 0], None), "")
            .expect_err("no fence")
            .kind;
        assert!(
            matches!(kind, FaultKind::ProxyFence { writes: false, .. }),
            "{kind}"
        );
        // A prefetch has no effect.
        let prefetch = "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd4, {0, 0}];\nprefetch.tensormap [%rd4];\n\
                        cp.async.bulk.prefetch.L2.global [%rd10], 192;";
        bench.run(&map, "", prefetch, "").expect("a clean run");
    }
}

#[test]
fn prefetches_are_checked_like_loads() {
    let refused = |map: &TensorMap, prefetch: &str| {
        let map = map.encode().expect("a map");
        let mut bench = Bench::new(192);
        bench.run(&map, "", prefetch, "").expect_err("a refusal").kind
    };
    let map = small(&Bench::new(192), "f32");
    let fetch = |bytes: &str| format!("cp.async.bulk.prefetch.L2.global {bytes};");
    let kind = refused(&map, &fetch("[%rd10], 208"));
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind}");
    let kind = refused(&map, &fetch("[%rd10+8], 16"));
    assert!(matches!(kind, FaultKind::Misaligned { .. }), "{kind}");
    let kind = refused(&map, &fetch("[%rd10], 24"));
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
    let kind = refused(
        &map,
        "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd4, {0}];",
    );
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
    let kind = refused(
        &map,
        "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%rd4, {0, 0, 0}], {0};",
    );
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
}

/// Images of 8 channels, of pseudorandom extents, and a column of pixels in them.
fn images(rank: usize, numbers: &mut Numbers) -> (TensorMap, Vec<i32>, Vec<u16>) {
    let mut between = |least: i64, most: i64| least + (numbers.next() >> 20) as i64 % (most - least + 1);
    let (mut extents, mut strides) = (vec![8], vec![]);
    let mut stride = 32;
    for _ in 1..rank {
        extents.push(between(1, 4) as u32);
        strides.push(stride);
        stride *= u64::from(*extents.last().expect("pushed"));
    }
    let (mut lower, mut upper, mut steps) = (vec![], vec![], vec![1]);
    let (mut coordinates, mut offsets) = (vec![[0, -1, 4][between(0, 2) as usize]], vec![]);
    for extent in &extents[1..rank - 1] {
        let first = between(-2, 0);
        let last = i64::from(*extent) - 1 + between(-1, 1).max(first - i64::from(*extent) + 1);
        lower.push(first as i16);
        upper.push((last - i64::from(*extent) + 1) as i16);
        coordinates.push(between(first, last) as i32);
        offsets.push(between(0, 2) as u16);
        steps.push(between(1, 2) as u32);
    }
    coordinates.push(between(0, i64::from(extents[rank - 1]) - 1) as i32);
    steps.push(1);
    let column = PixelColumn {
        lower,
        upper,
        channels: 4,
        pixels: between(1, 20) as u32,
    };
    let map = TensorMap {
        address: 0,
        element: "f32".to_owned(),
        extents,
        strides,
        selected: TensorBox::Pixels(column),
        steps,
        swizzle: TensorSwizzle::None,
        fill_nan: between(0, 1) == 1,
    };
    (map, coordinates, offsets)
}

/// The positions of a bounding box in the order of the images, without those before the coordinates: where each pixel
/// that a filter meets is, as an offset in the tensor.
fn pixels(map: &TensorMap, coordinates: &[i32], offsets: &[u16]) -> Vec<Option<i64>> {
    let TensorBox::Pixels(column) = &map.selected else {
        panic!("a map of boxes");
    };
    let spatial = offsets.len();
    // All positions along each dimension: those of the box from where the column begins there, or from the corner.
    let along = |dimension: usize, from: i64| -> Vec<i64> {
        let last = i64::from(map.extents[dimension + 1]) - 1 + i64::from(column.upper[dimension]);
        (from..=last).step_by(map.steps[dimension + 1] as usize).collect()
    };
    let mut all: Vec<Vec<i64>> = (i64::from(coordinates[spatial + 1])..)
        .take(40)
        .map(|image| vec![image])
        .collect();
    for dimension in (0..spatial).rev() {
        let mut longer = Vec::new();
        for (number, outer) in all.iter().enumerate() {
            // Only the first of each begins at its coordinate.
            let from = match number {
                0 => i64::from(coordinates[dimension + 1]),
                _ => i64::from(column.lower[dimension]),
            };
            longer.extend(along(dimension, from).into_iter().map(|at| {
                let mut place = vec![at];
                place.extend(outer);
                place
            }));
        }
        all = longer;
    }
    let offset = |place: &Vec<i64>| {
        let mut sum = 0;
        for (at, position) in place.iter().enumerate() {
            let position = position + offsets.get(at).map_or(0, |offset| i64::from(*offset));
            if !(0..i64::from(map.extents[at + 1])).contains(&position) {
                return None;
            }
            sum += position * map.strides[at] as i64;
        }
        Some(sum)
    };
    assert!(all.len() >= column.pixels as usize, "enough images");
    all.iter().take(column.pixels as usize).map(offset).collect()
}

/// Calls `f` for each element of a column: its place in shared memory, and its offset in the tensor if it is inside.
fn each_of_pixels(
    map: &TensorMap,
    coordinates: &[i32],
    offsets: &[u16],
    mut f: impl FnMut(usize, Option<usize>),
) {
    for (number, pixel) in pixels(map, coordinates, offsets).into_iter().enumerate() {
        for channel in 0..4 {
            let at = coordinates[0] + channel;
            let inside = (0..8).contains(&at);
            let from = pixel
                .filter(|_| inside)
                .map(|pixel| pixel as usize + 4 * at as usize);
            f(16 * number + 4 * channel as usize, from);
        }
    }
}

fn in_order(offsets: &[u16]) -> String {
    let words: Vec<String> = offsets.iter().map(ToString::to_string).collect();
    words.join(", ")
}

/// The load of a column of pixels, as [`load`] has that of a box.
fn load_pixels(coordinates: &[i32], offsets: &[u16], bytes: usize) -> String {
    load(coordinates, bytes, "%rd4")
        .replace("global.tile.", "global.im2col.")
        .replace(
            "[bars];\nagain",
            &format!("[bars], {{{}}};\nagain", in_order(offsets)),
        )
}

#[test]
fn pixels_are_loaded_in_the_order_in_which_a_filter_meets_them() {
    let mut numbers = Numbers::new(11);
    let (mut outside, mut inside) = (0, 0);
    for round in 0..30 {
        let (mut map, coordinates, offsets) = images(3 + round % 3, &mut numbers);
        let mut bench = Bench::new(64 * 1024);
        map.address = bench.device.address(bench.tensor);
        let mut bytes = 0;
        each_of_pixels(&map, &coordinates, &offsets, |_, _| bytes += 4);
        let body = load_pixels(&coordinates, &offsets, bytes);
        let encoded = map.encode().expect("a map");
        bench
            .run(
                &encoded,
                "",
                &body,
                &format!("bar.sync 0;\n{}", copied(bytes, false)),
            )
            .unwrap_or_else(|fault| panic!("{map:?} at {coordinates:?}: {fault}"));
        let (tensor, out) = (bench.device.read(bench.tensor), bench.device.read(bench.out));
        let fill = if map.fill_nan {
            [0xff, 0xff, 0xff, 0x7f]
        } else {
            [0; 4]
        };
        each_of_pixels(&map, &coordinates, &offsets, |to, from| {
            let want = from.map_or(&fill[..], |from| &tensor[from..from + 4]);
            assert_eq!(&out[to..to + 4], want, "{map:?} at {coordinates:?}, {to}");
            outside += usize::from(from.is_none());
            inside += usize::from(from.is_some());
        });
    }
    assert!(
        outside > 100 && inside > 100,
        "{outside} elements out of bounds, {inside} within"
    );
}

#[test]
fn pixels_are_stored_and_reduced_without_offsets() {
    for op in [None, Some("add")] {
        let mut bench = Bench::new(1024);
        // The last image ends within the column.
        let map = TensorMap {
            address: bench.device.address(bench.tensor),
            element: "u32".to_owned(),
            extents: vec![8, 3, 2, 2],
            strides: vec![32, 96, 192],
            selected: TensorBox::Pixels(PixelColumn {
                lower: vec![0, 0],
                upper: vec![-1, 0],
                channels: 4,
                pixels: 7,
            }),
            steps: vec![1; 4],
            swizzle: TensorSwizzle::None,
            fill_nan: false,
        };
        let coordinates = [4, 1, 0, 0];
        let body = store(&coordinates, op).replace(".tile.", ".im2col_no_offs.");
        let before = format!("{}fence.proxy.async;\n", copied(112, true));
        let mut want = bench.device.read(bench.tensor).to_vec();
        let input = bench.device.read(bench.input).to_vec();
        let mut stored = 0;
        each_of_pixels(&map, &coordinates, &[0, 0], |from, to| {
            let Some(to) = to else { return };
            let new = match op {
                None => word(&input, from / 4),
                Some(_) => word(&want, to / 4).wrapping_add(word(&input, from / 4)),
            };
            want[to..to + 4].copy_from_slice(&new.to_le_bytes());
            stored += 1;
        });
        assert_eq!(stored, 28);
        bench
            .run(&map.encode().expect("a map"), &before, &body, "")
            .unwrap_or_else(|fault| panic!("{op:?}: {fault}"));
        assert!(bench.device.read(bench.tensor) == want, "{op:?}");
    }
}

#[test]
fn maps_of_pixels_are_checked() {
    let misuse = |change: &dyn Fn(&mut TensorMap, &mut PixelColumn), body: &str| {
        let mut bench = Bench::new(1024);
        let mut column = PixelColumn {
            lower: vec![-1],
            upper: vec![0],
            channels: 4,
            pixels: 4,
        };
        let mut map = TensorMap {
            address: bench.device.address(bench.tensor),
            element: "f32".to_owned(),
            extents: vec![8, 4, 2],
            strides: vec![32, 128],
            selected: TensorBox::Tile(vec![]),
            steps: vec![1; 3],
            swizzle: TensorSwizzle::None,
            fill_nan: false,
        };
        change(&mut map, &mut column);
        map.selected = TensorBox::Pixels(column);
        let map = map.encode().expect("a map");
        match bench.run(&map, "", body, "").expect_err("a refusal").kind {
            FaultKind::CopyMisuse { reason } | FaultKind::Unsupported { reason } => reason,
            other => panic!("{other}"),
        }
    };
    let good = load_pixels(&[0, 0, 0], &[0], 64);
    assert_eq!(
        misuse(&|_, column| column.pixels = 1025, &good),
        "the number of pixels of its tensor map is 1025, of 1 to 1024"
    );
    assert!(misuse(&|_, column| column.channels = 3, &good).contains("a row of the box"));
    assert!(misuse(&|map, _| map.steps[2] = 2, &good).contains("along the images"));
    assert_eq!(
        misuse(
            &|map, column| {
                map.extents = vec![8, 1, 4, 2];
                map.strides = vec![32, 32, 128];
                map.steps = vec![1; 4];
                column.lower = vec![-129, 0];
                column.upper = vec![0, 0];
            },
            &load_pixels(&[0, 0, 0, 0], &[0, 0], 64)
        ),
        "a corner of its tensor map is -129, of -128 to 127"
    );
    assert_eq!(
        misuse(&|_, _| (), &load_pixels(&[0, 4, 0], &[0], 64)),
        "its first pixel is at 4 along dimension 1, out of the bounding box"
    );
    assert!(misuse(&|_, _| (), &load(&[0, 0, 0], 64, "%rd4")).contains("of pixels, not of boxes"));
    let body = store(&[0, 0, 0], None).replace(".tile.", ".im2col_no_offs.");
    assert!(misuse(&|_, _| (), &body).contains("larger than an image"));
    let mut map = small(&Bench::new(192), "f32");
    let column = PixelColumn {
        lower: vec![0, 0],
        upper: vec![0],
        channels: 4,
        pixels: 1,
    };
    map.selected = TensorBox::Pixels(column);
    assert_eq!(map.encode(), None, "a rank without pixels");
}

/// The first warp copies the map to shared memory, changes it there, and publishes it in the tensor's second kilobyte,
/// at `%rd11`.
fn changed(fields: &str) -> String {
    let copies: String = (0..16)
        .map(|at| {
            format!(
                "@%p1 ld.b64 %rd7, [%rd4+{0}];\n@%p1 st.shared.b64 [copy+{0}], %rd7;\n",
                8 * at
            )
        })
        .collect();
    format!(
        "setp.ge.u32 %p8, %r1, 32;\nadd.u64 %rd11, %rd10, 1024;\n@%p8 bra published;\n{copies}mov.u32 %r12, copy;\n\
         @!%p1 bra replaced;\n{fields}replaced: bar.warp.sync 0xFFFFFFFF;\n\
         tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd11], [%r12], 128;\n\
         published:\n"
    )
}

#[test]
fn a_kernel_replaces_fields_of_a_map_and_publishes_it() {
    // From a tensor of one dimension of bytes to that of the test.
    let fields = "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r12], %rd10;\n\
                  tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r12], 1;\n\
                  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r12], 0, 8;\n\
                  tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r12], 1, 5;\n\
                  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r12], 0, 8;\n\
                  tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r12], 1, 6;\n\
                  tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r12], 0, 48;\n\
                  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r12], 0, 1;\n\
                  tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r12], 1, 2;\n\
                  tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r12], 7;\n\
                  tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r12], 0;\n\
                  tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r12], 1;\n\
                  tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r12], 1;\n";
    let mut bench = Bench::new(2048);
    let original = TensorMap {
        address: 0x1000,
        element: "u8".to_owned(),
        extents: vec![64],
        strides: vec![],
        selected: TensorBox::Tile(vec![16]),
        steps: vec![2],
        swizzle: TensorSwizzle::None,
        fill_nan: false,
    };
    let map = TensorMap {
        address: bench.device.address(bench.tensor),
        element: "f32".to_owned(),
        extents: vec![8, 6],
        strides: vec![48],
        selected: TensorBox::Tile(vec![8, 5]),
        steps: vec![1, 2],
        swizzle: TensorSwizzle::B32,
        fill_nan: true,
    };
    let case = Case {
        map,
        size: 4,
        coordinates: vec![4, 2],
    };
    let bytes = case.bytes();
    let original = original.encode().expect("a map");
    let acquire = "fence.proxy.tensormap::generic.acquire.gpu [%rd11], 128;\n";
    let program = |acquire: &str| format!("{acquire}{}", load(&case.coordinates, bytes, "%rd11"));
    let dump = format!("bar.sync 0;\n{}", copied(bytes, false));
    bench
        .run(&original, &changed(fields), &program(acquire), &dump)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let encoded = case.map.encode().expect("a map");
    assert_eq!(
        bench.device.read(bench.tensor)[1024..1152],
        encoded,
        "the same object as the host's"
    );
    let (tensor, out) = (bench.device.read(bench.tensor), bench.device.read(bench.out));
    case.each(|to, from| {
        let want = from.map_or([0xff, 0xff, 0xff, 0x7f], |from| {
            tensor[from..from + 4].try_into().expect("four")
        });
        assert_eq!(out[to..to + 4], want, "at {to}");
    });
    let kind = bench
        .run(&original, &changed(fields), &program(""), "")
        .expect_err("not acquired")
        .kind;
    let FaultKind::CopyMisuse { reason } = kind else {
        panic!("{kind}")
    };
    assert!(reason.contains("fence.proxy.tensormap"), "{reason}");
    // A change after a copy must be ordered after it: here the second warp publishes the map once more.
    let again = changed(fields)
        .replace("setp.ge.u32 %p8, %r1, 32;", "setp.lt.u32 %p8, %r1, 32;")
        .replace("@%p1", "@%p3")
        .replace("@!%p1", "@!%p3")
        .replace("published", "published_again")
        .replace("replaced:", "replaced_again:")
        .replace("bra replaced;", "bra replaced_again;");
    let again = format!("setp.eq.u32 %p3, %r1, 32;\n{again}");
    bench
        .run(
            &original,
            &changed(fields),
            &program(acquire),
            &format!("bar.sync 0;\n{again}"),
        )
        .unwrap_or_else(|fault| panic!("{fault}"));
    let late = format!("{DELAY}{again}");
    let kind = bench
        .run(&original, &changed(fields), &program(acquire), &late)
        .expect_err("not ordered")
        .kind;
    let FaultKind::CopyMisuse { reason } = kind else {
        panic!("{kind}")
    };
    assert!(reason.contains("may still read"), "{reason}");
    // So must an acquisition by another warp.
    let acquires = format!("setp.eq.u32 %p3, %r1, 32;\n@%p3 {acquire}");
    let again = format!("bar.sync 0;\n{acquires}");
    bench
        .run(&original, &changed(fields), &program(acquire), &again)
        .unwrap_or_else(|fault| panic!("{fault}"));
    let kind = bench
        .run(
            &original,
            &changed(fields),
            &program(acquire),
            &format!("{DELAY}{acquires}"),
        )
        .expect_err("not ordered")
        .kind;
    let FaultKind::CopyMisuse { reason } = kind else {
        panic!("{kind}")
    };
    assert!(reason.contains("may still be under way"), "{reason}");
    // A change in global memory needs the fence as well.
    let there = |acquire: &str| {
        format!(
            "tensormap.replace.tile.fill_mode.global.b1024.b32 [%rd11], 0;\n\
             fence.proxy.tensormap::generic.release.gpu;\n{}",
            program(acquire)
        )
    };
    let before = changed(fields);
    bench
        .run(&original, &before, &there(acquire), "")
        .unwrap_or_else(|fault| panic!("{fault}"));
    let stale = there(acquire)
        .replace("tensormap.replace", &format!("{acquire}tensormap.replace"))
        .replacen(&format!("gpu;\n{acquire}"), "gpu;\n", 1);
    let kind = bench
        .run(&original, &before, &stale, "")
        .expect_err("not acquired")
        .kind;
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
}
