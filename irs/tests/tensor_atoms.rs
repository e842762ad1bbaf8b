//! The atoms of tensor memory and of bulk copies, asked directly: each limit with a value that it allows and one that
//! it refuses.

use tilewright_irs::core::{Arg, Term, TermCodec};
use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::dialects::boxes::Boxes;
use tilewright_irs::dialects::memory::Memref;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{BulkReduction, L2Eviction};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileas::atoms::{
    CopyAtom, CopyUse, CpAsync, Place, ProductAtom, ProductUse, Tcgen05, Tcgen05Blocks, TensorCopyShape,
    TensorCp, TensorLd, TensorSt, Tma,
};
use tilewright_irs::tileas::{Buffer, BufferLayout, Space, TileAsType};
use tilewright_layouts::distributed::tcgen05::{Repeat, TmemAccess, TmemAccumulator, TmemShape, TmemValues};
use tilewright_layouts::shared::{Nvmma, NvmmaElement, Swizzled, TileOrder};
use tilewright_layouts::{Blocked, LinearLayout, SwizzleMode};

fn target(name: &str) -> Target {
    Target::parse(name).expect("a target")
}

fn plain(shape: &[u32]) -> LinearLayout {
    let order: Vec<usize> = (0..shape.len()).rev().collect();
    Swizzled::plain(&order).to_linear(shape).expect("a layout")
}

fn swizzled(shape: &[u32], swizzle: SwizzleMode, element: NvmmaElement, order: TileOrder) -> LinearLayout {
    let nvmma = Nvmma {
        swizzle,
        element,
        order,
    };
    nvmma.to_linear(shape).expect("a layout")
}

fn in_tensor_memory(element: ScalarType, layout: LinearLayout) -> Buffer {
    Buffer {
        element,
        shape: layout.shape(),
        space: Space::Tensor,
        layout: BufferLayout::Linear(layout),
        stages: 1,
        at: Vec::new(),
    }
}

/// Expects success, or a refusal whose message contains these words.
#[track_caller]
fn expect(result: Result<(), String>, words: Option<&str>, case: &str) {
    match (result, words) {
        (Ok(()), None) => {}
        (Err(message), Some(words)) => assert!(message.contains(words), "{case}: {message}"),
        (result, words) => panic!("{case}: {result:?}, expected {words:?}"),
    }
}

/// A matrix for `tcgen05` in shared memory, 128 bytes wide along its contiguous axis.
fn operand(element: ScalarType, shape: [u32; 2], order: TileOrder) -> Buffer {
    let width = match Buffer::shared(element, plain(&[8])).element_bits() {
        4 => NvmmaElement::B4,
        8 => NvmmaElement::B8,
        16 => NvmmaElement::B16,
        32 => NvmmaElement::B32,
        _ => NvmmaElement::B64,
    };
    Buffer::shared(element, swizzled(&shape, SwizzleMode::B128, width, order))
}

/// What `tcgen05` says of these operands on sm_100a.
fn multiplies(atom: Tcgen05, a: Place<'_>, b: Place<'_>, acc: Place<'_>) -> Result<(), String> {
    let product = ProductUse {
        target: target("sm_100a"),
        warps: 4,
        a,
        b,
        acc,
        signedness: [Signedness::Signed; 2],
    };
    ProductAtom::from(atom)
        .check(&product)
        .map_err(|refusal| refusal.message)
}

const ONE: Tcgen05 = Tcgen05 {
    m: 128,
    n: 64,
    blocks: Tcgen05Blocks::One,
};

#[test]
fn tcgen05_multiplies_the_element_types_of_its_kinds() {
    use ScalarType::{BF16, F4E2M1FN, F8E4M3FN, F8E5M2, F16, F32, F64, I8, I32, TF32};
    let acc = TmemAccumulator::M128.to_linear(64).expect("a layout");
    let no = Some("does not multiply");
    for (types, words) in [
        ([F16, F16, F16], None),
        ([F16, F16, F32], None),
        ([BF16, BF16, F32], None),
        ([TF32, TF32, F32], None),
        ([I8, I8, I32], None),
        ([F8E4M3FN, F8E5M2, F32], None),
        ([F8E5M2, F8E4M3FN, F16], None),
        ([F16, BF16, F32], no),
        ([BF16, BF16, F16], no),
        ([TF32, TF32, F16], no),
        ([I8, I8, F32], no),
        ([F8E4M3FN, F8E5M2, I32], no),
        ([F8E4M3FN, F16, F32], no),
        ([F16, F8E4M3FN, F32], no),
        ([F4E2M1FN, I8, F32], no),
        ([F64, F64, F32], no),
    ] {
        let [a, b, c] = types;
        let columns = |element| 1024 / Buffer::shared(element, plain(&[8])).element_bits();
        let (a, b) = (
            operand(a, [128, columns(a)], TileOrder::RowMajor),
            operand(b, [columns(b), 64], TileOrder::ColumnMajor),
        );
        let c = in_tensor_memory(c, acc.clone());
        let result = multiplies(ONE, Place::Buffer(&a), Place::Buffer(&b), Place::Buffer(&c));
        expect(result, words, &format!("{types:?}"));
    }
}

#[test]
fn tcgen05_takes_operands_where_its_instruction_does() {
    use ScalarType::{F8E4M3FN, F16, F32, I8, I32};
    use TileOrder::{ColumnMajor, RowMajor};
    let tensor =
        |element, n| in_tensor_memory(element, TmemAccumulator::M128.to_linear(n).expect("a layout"));
    let (a, b, acc) = (
        operand(F16, [128, 64], RowMajor),
        operand(F16, [64, 64], ColumnMajor),
        tensor(F32, 64),
    );
    let (at_a, at_b, at_acc) = (Place::Buffer(&a), Place::Buffer(&b), Place::Buffer(&acc));
    expect(multiplies(ONE, at_a, at_b, at_acc), None, "as it should be");
    // A may be in tensor memory, B may not; the accumulator has to be.
    let inside = tensor(F16, 64);
    expect(multiplies(ONE, Place::Buffer(&inside), at_b, at_acc), None, "A");
    let result = multiplies(ONE, at_a, Place::Buffer(&inside), at_acc);
    expect(result, Some("shared memory"), "B");
    let shared = Buffer::shared(F32, plain(&[128, 64]));
    let result = multiplies(ONE, at_a, at_b, Place::Buffer(&shared));
    expect(
        result,
        Some("adds to a buffer in tensor memory, not to a buffer in shared memory"),
        "accumulator",
    );
    let blocked = Blocked::coalesced(&[128, 64], 4, &[1, 0], 4).expect("a layout");
    let registers = TileAsType::tile(
        ElementType::Scalar(F16),
        blocked.to_linear(&[128, 64]).expect("a layout"),
    );
    let result = multiplies(ONE, Place::Registers(&registers), at_b, at_acc);
    expect(
        result,
        Some("no descriptor for A: it is in registers"),
        "registers",
    );

    // One block has all rows of A and all columns of B; each of two blocks has half of both.
    let (wide, tall) = (
        operand(F16, [64, 256], ColumnMajor),
        operand(F16, [64, 64], RowMajor),
    );
    let (half, quarter) = (
        operand(F16, [64, 128], ColumnMajor),
        operand(F16, [64, 64], ColumnMajor),
    );
    let eighth = operand(F16, [64, 32], ColumnMajor);
    let large = tensor(F32, 256);
    let none = Some("no descriptor");
    for (m, n, blocks, a, b, words) in [
        (128, 256, Tcgen05Blocks::One, &a, &wide, None),
        (128, 256, Tcgen05Blocks::One, &tall, &wide, none),
        (128, 256, Tcgen05Blocks::One, &a, &half, none),
        (256, 256, Tcgen05Blocks::Two, &a, &half, None),
        (256, 256, Tcgen05Blocks::Two, &tall, &half, none),
        (256, 256, Tcgen05Blocks::Two, &a, &quarter, none),
        (128, 256, Tcgen05Blocks::Two, &tall, &half, None),
        (128, 64, Tcgen05Blocks::Two, &tall, &eighth, None),
        (128, 96, Tcgen05Blocks::Two, &tall, &eighth, none),
        (64, 256, Tcgen05Blocks::Two, &tall, &half, Some("64")),
        (256, 256, Tcgen05Blocks::One, &a, &wide, none),
        (128, 8, Tcgen05Blocks::One, &a, &wide, None),
        (128, 4, Tcgen05Blocks::One, &a, &wide, Some("4")),
    ] {
        let atom = Tcgen05 { m, n, blocks };
        let result = multiplies(atom, Place::Buffer(a), Place::Buffer(b), Place::Buffer(&large));
        expect(result, words, &format!("{atom:?} {:?} {:?}", a.shape, b.shape));
    }

    // Elements of 8 bits may be contiguous along M.
    for (element, acc) in [(F8E4M3FN, F32), (I8, I32)] {
        let across = operand(element, [128, 128], ColumnMajor);
        let b = operand(element, [128, 64], ColumnMajor);
        let acc = tensor(acc, 64);
        let result = multiplies(
            ONE,
            Place::Buffer(&across),
            Place::Buffer(&b),
            Place::Buffer(&acc),
        );
        expect(result, None, &format!("{element} along M"));
        let (a, across) = (
            operand(element, [128, 128], RowMajor),
            operand(element, [128, 128], RowMajor),
        );
        let atom = Tcgen05 { n: 128, ..ONE };
        let result = multiplies(
            atom,
            Place::Buffer(&a),
            Place::Buffer(&across),
            Place::Buffer(&acc),
        );
        expect(result, None, &format!("{element} along N"));
    }
}

#[test]
fn tcgen05_costs_cycles_of_its_tensor_core() {
    use ScalarType::{F8E4M3FN, F16, F32};
    // 4096 products of 16 bits a cycle, in instructions of 16 along K; 8192 of 8 bits, of 32.
    let (f16, f8) = ([F16, F16, F32], [F8E4M3FN, F8E4M3FN, F32]);
    let pair = Tcgen05 {
        m: 256,
        blocks: Tcgen05Blocks::Two,
        ..ONE
    };
    let each = u64::from(ONE.m * ONE.n) * 16 / 4096;
    for (atom, types, extents, instructions) in [
        (ONE, f16, [1, 1, 1], 1),
        (ONE, f16, [ONE.m, ONE.n, 64], 4),
        (ONE, f16, [2 * ONE.m, ONE.n, 64], 8),
        (ONE, f8, [ONE.m, ONE.n, 64], 2),
        // Two multiprocessors halve the rows.
        (pair, f16, [256, ONE.n, 64], 4),
    ] {
        let cost = ProductAtom::from(atom).cost(types, extents, target("sm_100a"));
        assert_eq!(cost.instructions, instructions, "{atom:?} {types:?} {extents:?}");
        assert_eq!(cost.busy.0, instructions * each, "{atom:?} {types:?} {extents:?}");
    }
}

/// The `32x32b` access with this count.
fn lanes(count: u32) -> TmemAccess {
    TmemAccess {
        shape: TmemShape::Lanes32x32b(Repeat::of(count).expect("a count")),
        values: TmemValues::Whole,
    }
}

#[test]
fn a_warp_group_moves_the_tile_that_its_accesses_cover() {
    let memory = TmemAccumulator::M128.to_linear(64).expect("a layout");
    let buffer = in_tensor_memory(ScalarType::F32, memory.clone());
    let x16x64b = TmemAccess {
        shape: TmemShape::Lanes16x64b(Repeat::of(8).expect("a count")),
        values: TmemValues::Whole,
    };
    let other = Some("moves this buffer from or to");
    for (access, layout_of, warps_of, warps, words) in [
        (lanes(32), lanes(32), 1, 4, None),
        (lanes(32), lanes(32), 2, 8, None),
        (lanes(32), lanes(32), 1, 8, other),
        (lanes(32), lanes(32), 2, 4, other),
        (lanes(32), x16x64b, 1, 4, other),
        (x16x64b, x16x64b, 1, 4, None),
        (lanes(32), lanes(32), 1, 2, Some("by groups of 4 warps, not by 2")),
        (lanes(32), lanes(32), 1, 5, Some("by groups of 4 warps, not by 5")),
    ] {
        let layout = layout_of.of_tile(&memory, warps_of).expect("a layout");
        let tile = TileAsType::tile(ElementType::Scalar(ScalarType::F32), layout);
        let (tensor, registers) = (Place::Buffer(&buffer), Place::Registers(&tile));
        for (atom, from, to) in [
            (CopyAtom::from(TensorLd { access }), tensor, registers),
            (CopyAtom::from(TensorSt { access }), registers, tensor),
        ] {
            let copy = |on, from, to| CopyUse {
                target: target(on),
                warps,
                from,
                to,
                dim_map: &[],
            };
            let check = |copy| atom.check(&copy).map_err(|refusal| refusal.message);
            let case = format!("{atom:?} {warps_of} {warps}");
            expect(check(copy("sm_100a", from, to)), words, &case);
            expect(
                check(copy("sm_90a", from, to)),
                Some("tensor memory: sm_100a"),
                &case,
            );
            expect(check(copy("sm_100a", to, from)), Some("copies from"), &case);
        }
    }
    // 64 registers a thread.
    let layout = lanes(1).of_tile(&memory, 1).expect("a layout");
    let tile = TileAsType::tile(ElementType::Scalar(ScalarType::F32), layout);
    for (count, cost) in [(1, 64), (2, 32), (32, 2), (64, 1), (128, 1)] {
        let access = lanes(count);
        let copy = CopyUse {
            target: target("sm_100a"),
            warps: 4,
            from: Place::Buffer(&buffer),
            to: Place::Registers(&tile),
            dim_map: &[],
        };
        let found = CopyAtom::from(TensorLd { access }).cost(&copy);
        assert_eq!((found.instructions, found.busy.0), (cost, 64), "x{count}");
    }
}

#[test]
fn accesses_of_tensor_memory_are_read_as_written() {
    let shapes = [
        TmemShape::Lanes32x32b(Repeat::of(128).expect("a count")),
        TmemShape::Lanes16x64b(Repeat::of(1).expect("a count")),
        TmemShape::Lanes16x128b(Repeat::of(64).expect("a count")),
        TmemShape::Lanes16x256b(Repeat::of(32).expect("a count")),
        TmemShape::Lanes16x32bx2 {
            repeat: Repeat::of(2).expect("a count"),
            split: 2,
        },
    ];
    for shape in shapes {
        for values in [TmemValues::Whole, TmemValues::Pairs16] {
            let access = TmemAccess { shape, values };
            for atom in [CopyAtom::from(TensorLd { access }), TensorSt { access }.into()] {
                assert_eq!(CopyAtom::read(&atom.write()), Ok(atom));
            }
        }
    }
    let access = |words: &[&str]| {
        let args: Vec<Arg> = words.iter().map(|word| Term::word(word).into()).collect();
        CopyAtom::read(&Term::call("tcgen05_ld", args))
    };
    for (words, legal) in [
        (&["s32x32b", "x1"][..], true),
        (&["s32x32b", "x1", "pairs"], true),
        (&["s32x32b", "x1", "whole"], false),
        (&["s32x32b", "x1", "pairs", "pairs"], false),
        (&["s32x32b", "x256"], false),
        (&["s32x32b", "x3"], false),
        (&["s32x32b", "x0"], false),
        (&["s32x32b", "32"], false),
        (&["s16x128b", "x64"], true),
        (&["s16x128b", "x128"], false),
        (&["s16x256b", "x32"], true),
        (&["s16x256b", "x64"], false),
        (&["s8x32b", "x1"], false),
        (&["s16x32bx2", "x1"], false),
    ] {
        assert_eq!(access(words).is_ok(), legal, "{words:?}");
    }
}

#[test]
fn tensor_memory_is_filled_with_a_tile_of_the_same_shape_and_elements() {
    use ScalarType::{F16, F32, I32};
    let memory = |n| TmemAccumulator::M128.to_linear(n).expect("a layout");
    let buffer = in_tensor_memory(F32, memory(64));
    let atom = CopyAtom::from(TensorCp {
        shape: TensorCopyShape::S128x256b,
    });
    for (element, shape, words) in [
        (F32, [128, 64], None),
        (
            I32,
            [128, 64],
            Some("not [128, 64] of `i32` to [128, 64] of `f32`"),
        ),
        (
            F32,
            [128, 32],
            Some("not [128, 32] of `f32` to [128, 64] of `f32`"),
        ),
        (F16, [64, 64], Some("not [64, 64] of `f16` to [128, 64] of `f32`")),
    ] {
        let from = Buffer::shared(element, plain(&shape));
        let copy = |on, from, to| CopyUse {
            target: target(on),
            warps: 4,
            from,
            to,
            dim_map: &[],
        };
        let check = |copy| atom.check(&copy).map_err(|refusal| refusal.message);
        let (shared, tensor) = (Place::Buffer(&from), Place::Buffer(&buffer));
        let case = format!("{element} {shape:?}");
        expect(check(copy("sm_100a", shared, tensor)), words, &case);
        let way = Some("copies from shared to tensor memory");
        expect(check(copy("sm_100a", tensor, shared)), way, &case);
        expect(
            check(copy("sm_90a", shared, tensor)),
            Some("the target is sm_90a"),
            &case,
        );
    }
}

/// A copy of boxes and the ends of it, of which a case changes a part.
#[derive(Clone)]
struct BoxCopy {
    on: &'static str,
    atom: Tma,
    array: Memref,
    buffer: Buffer,
    dim_map: Vec<u32>,
}

impl BoxCopy {
    /// Tiles of these extents of an array whose last axis is contiguous, in one box each.
    fn of(element: ScalarType, extents: &[u32]) -> Self {
        let rank = extents.len();
        let mut array = Memref {
            element,
            extents: vec![None; rank],
            strides: vec![None; rank],
            align: 16,
            extent_div: vec![1; rank],
            stride_div: vec![16; rank],
            class: 0,
        };
        if let Some(last) = array.strides.last_mut() {
            *last = Some(1);
        }
        Self {
            on: "sm_90a",
            atom: Tma::from(Boxes {
                extents: extents.to_vec(),
                swizzle: SwizzleMode::None,
                guarded: false,
                rounded: false,
            }),
            array,
            buffer: Buffer::shared(element, plain(extents)),
            dim_map: (0..u32::try_from(rank).expect("a rank")).collect(),
        }
    }

    /// The same with a change.
    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut other = self.clone();
        change(&mut other);
        other
    }

    fn check(&self, from: Place<'_>, to: Place<'_>) -> Result<(), String> {
        let copy = CopyUse {
            target: target(self.on),
            warps: 4,
            from,
            to,
            dim_map: &self.dim_map,
        };
        let check = CopyAtom::from(self.atom.clone()).check(&copy);
        check.map_err(|refusal| refusal.message)
    }

    /// Expects the same of the load and of the store.
    #[track_caller]
    fn expect(&self, words: Option<&str>, case: &str) {
        let (array, buffer) = (Place::Global(&self.array), Place::Buffer(&self.buffer));
        expect(self.check(array, buffer), words, &format!("{case}, load"));
        expect(self.check(buffer, array), words, &format!("{case}, store"));
    }
}

#[test]
fn boxes_have_one_to_five_dimensions_of_at_most_256_elements() {
    use ScalarType::{F4E2M1FN, F8E4M3FN, F16, F32, F64, I1, I8};
    for (element, extents, words) in [
        (F16, &[64][..], None),
        (F16, &[8, 64], None),
        (F16, &[2, 8, 64], None),
        (F16, &[2, 1, 8, 64], None),
        (F16, &[2, 1, 2, 8, 64], None),
        (F16, &[1, 2, 1, 2, 8, 64], Some("is 6")),
        (F16, &[256, 64], None),
        (F16, &[512, 16], Some("is 512; it has to be from 1 to 256")),
        (I8, &[1, 256], None),
        (I8, &[1, 512], Some("is 512; it has to be from 1 to 256")),
        // A row is a multiple of 16 bytes.
        (F16, &[8, 8], None),
        (
            F16,
            &[8, 4],
            Some("in bits is 64; it has to be a multiple of 128"),
        ),
        (I8, &[8, 16], None),
        (I8, &[8, 8], Some("in bits is 64; it has to be a multiple of 128")),
        (I1, &[8, 16], None),
        (F8E4M3FN, &[8, 16], None),
        (F32, &[8, 4], None),
        (F64, &[8, 2], None),
        (
            F64,
            &[8, 1],
            Some("in bits is 64; it has to be a multiple of 128"),
        ),
        (F4E2M1FN, &[8, 64], Some("`tma` copies no `f4E2M1FN`")),
    ] {
        BoxCopy::of(element, extents).expect(words, &format!("{element} {extents:?}"));
    }
}

#[test]
fn loads_of_boxes_round_numbers_of_32_bits() {
    use ScalarType::{BF16, F16, F32, I32, TF32};
    for (array, buffer, words) in [
        (F32, TF32, None),
        (F32, F32, Some("`tma` copies `tf32` to a buffer of `f32`")),
        (
            F16,
            TF32,
            Some("tensor copies round `f32` to `tf32`; the array holds `f16`"),
        ),
        (BF16, BF16, Some("the array holds `bf16`")),
        (I32, TF32, Some("the array holds `i32`")),
        (TF32, TF32, Some("the array holds `tf32`")),
    ] {
        let case = BoxCopy::of(array, &[8, 32]).with(|b| {
            b.atom.boxes.rounded = true;
            b.buffer = Buffer::shared(buffer, plain(&[8, 32]));
        });
        let (outside, inside) = (Place::Global(&case.array), Place::Buffer(&case.buffer));
        expect(
            case.check(outside, inside),
            words,
            &format!("{array} to {buffer}"),
        );
        let stores = "tensor copies round what they load, not what they store";
        expect(
            case.check(inside, outside),
            Some(stores),
            &format!("{buffer} to {array}"),
        );
    }
    // Bits are copied from an array of `tf32`, and `f32` stays what it is.
    for element in [TF32, F32] {
        BoxCopy::of(element, &[8, 32]).expect(None, &element.to_string());
    }
    let case = BoxCopy::of(F32, &[8, 32]).with(|b| b.buffer = Buffer::shared(TF32, plain(&[8, 32])));
    case.expect(Some("`tma` copies `f32` to a buffer of `tf32`"), "not rounded");
}

#[test]
fn arrays_of_boxes_begin_and_step_at_multiples_of_sixteen_bytes() {
    let sound = BoxCopy::of(ScalarType::F16, &[8, 64]);
    for (change, words) in [
        ((|b| b.array.stride_div = vec![8, 1]) as fn(&mut BoxCopy), None),
        (
            |b| b.array.stride_div = vec![4, 1],
            Some("is 8; it has to be a multiple of 16"),
        ),
        (
            |b| b.array.stride_div = vec![1, 1],
            Some("is 2; it has to be a multiple of 16"),
        ),
        (|b| b.array.strides = vec![Some(64), Some(1)], None),
        (|b| b.array.strides = vec![Some(65), Some(1)], Some("is 130")),
        (|b| b.array.strides = vec![Some((1 << 39) - 8), Some(1)], None),
        (
            |b| b.array.strides = vec![Some(1 << 39), Some(1)],
            Some("1099511627776"),
        ),
        (
            |b| b.array.strides = vec![None, None],
            Some("a stride that is known to be 1"),
        ),
        (
            |b| b.array.strides = vec![None, Some(2)],
            Some("a stride that is known to be 1"),
        ),
        (|b| b.array.align = 32, None),
        (|b| b.array.align = 8, Some("is 8; it has to be a multiple of 16")),
        (|b| b.array.extents = vec![Some(1), Some(1 << 31)], None),
        (
            |b| b.array.extents = vec![Some(1), Some((1 << 31) + 1)],
            Some("2147483649"),
        ),
        (|b| b.array.extents = vec![Some(0), None], Some("is 0")),
        (|b| b.on = "sm_90", None),
        (
            |b| b.on = "sm_89",
            Some("needs sm_90 or later; the target is sm_89"),
        ),
        (
            |b| b.dim_map = vec![0],
            Some("a box of 2 dimensions in an array of 2"),
        ),
        (
            |b| b.atom.boxes.extents = vec![64],
            Some("a box of 1 dimension in an array of 2"),
        ),
        (
            |b| b.atom.boxes.extents = vec![1, 8, 64],
            Some("a box of 3 dimensions in an array of 2"),
        ),
        (
            |b| b.buffer.element = ScalarType::BF16,
            Some("copies `f16` to a buffer of `bf16`"),
        ),
        (
            |b| b.buffer.space = Space::Tensor,
            Some("copies between global and shared memory"),
        ),
    ] {
        let case = sound.with(change);
        case.expect(
            words,
            &format!(
                "{:?} {:?} {:?}",
                case.array, case.dim_map, case.atom.boxes.extents
            ),
        );
    }
    // Only the store reduces.
    let reduces = sound.with(|b| b.atom.reduction = Some(BulkReduction::Add));
    let (array, buffer) = (Place::Global(&reduces.array), Place::Buffer(&reduces.buffer));
    assert_eq!(reduces.check(buffer, array), Ok(()));
    let result = reduces.check(array, buffer);
    expect(result, Some("reduces into global memory only"), "a load");
}

#[test]
fn a_tile_consists_of_whole_boxes() {
    let sound = BoxCopy::of(ScalarType::F16, &[64, 64]);
    let parts = Some("do not make up a tile of");
    for (extents, words) in [
        (vec![64, 64], None),
        (vec![16, 64], None),
        (vec![1, 64], None),
        // Half a row is not what follows in the buffer.
        (vec![64, 32], Some("at offset 32")),
        (vec![48, 64], parts),
        (vec![64, 48], parts),
        (vec![128, 64], parts),
        (vec![64, 128], parts),
        (vec![128, 128], parts),
    ] {
        let case = sound.with(|b| b.atom.boxes.extents = extents);
        case.expect(words, &format!("{:?}", case.atom.boxes.extents));
    }
    let deeper = sound.with(|b| b.buffer = Buffer::shared(ScalarType::F16, plain(&[64, 64, 2])));
    deeper.expect(parts, "a buffer of three axes");
}

#[test]
fn the_buffer_of_a_box_has_its_swizzle() {
    use SwizzleMode::{B32, B64, B128, None as Plain};
    for (element, width, bytes) in [
        (ScalarType::I8, NvmmaElement::B8, 1),
        (ScalarType::F16, NvmmaElement::B16, 2),
        (ScalarType::F32, NvmmaElement::B32, 4),
    ] {
        for (swizzle, span) in [(B32, 32), (B64, 64), (B128, 128)] {
            let row = span / bytes;
            let memory = swizzled(&[8, row], swizzle, width, TileOrder::RowMajor);
            let of = |mode| {
                BoxCopy::of(element, &[8, row]).with(|b| {
                    b.atom.boxes.swizzle = mode;
                    b.buffer = Buffer::shared(element, memory.clone());
                })
            };
            let case = format!("{element} {swizzle:?}");
            of(swizzle).expect(None, &case);
            of(Plain).expect(Some("of a box at offset"), &case);
            // A row is at most as long as the span of the swizzle.
            let longer = BoxCopy::of(element, &[8, 2 * row]).with(|b| b.atom.boxes.swizzle = swizzle);
            let words = format!("is {}; it has to be at most {span}", 2 * span);
            longer.expect(Some(&words), &case);
        }
    }
}

#[test]
fn a_box_is_in_memory_in_the_order_of_the_array() {
    // Columns of an array of rows: the tile's first axis is the contiguous one.
    let columns = Swizzled::plain(&[0, 1]).to_linear(&[64, 8]).expect("a layout");
    let across = BoxCopy::of(ScalarType::F16, &[64, 8]).with(|b| {
        b.dim_map = vec![1, 0];
        b.buffer = Buffer::shared(ScalarType::F16, columns.clone());
    });
    across.expect(None, "columns of rows");
    let rows = across.with(|b| b.buffer = Buffer::shared(ScalarType::F16, plain(&[64, 8])));
    rows.expect(Some("of a box at offset"), "rows of columns");
    // The same box of an array whose first axis is contiguous.
    let first = across.with(|b| {
        b.dim_map = vec![0, 1];
        b.array.strides = vec![Some(1), None];
    });
    first.expect(None, "an array of columns");
    // The row of a box is along the contiguous axis: 8 bytes here.
    let short = BoxCopy::of(ScalarType::F16, &[4, 64]).with(|b| {
        b.dim_map = vec![1, 0];
        b.buffer = Buffer::shared(
            ScalarType::F16,
            Swizzled::plain(&[0, 1]).to_linear(&[4, 64]).expect("a layout"),
        );
    });
    short.expect(
        Some("in bits is 64; it has to be a multiple of 128"),
        "four columns",
    );
}

#[test]
fn bulk_copies_are_read_as_written() {
    let boxes = |swizzle: SwizzleMode| Boxes {
        extents: vec![8, 64],
        swizzle,
        guarded: false,
        rounded: false,
    };
    let plain = Tma::from(boxes(SwizzleMode::None));
    let all = Tma {
        boxes: boxes(SwizzleMode::B128),
        multicast: Some(3),
        reduction: Some(BulkReduction::Max),
        l2: Some(L2Eviction::Last),
    };
    for (atom, args) in [(plain, 1), (all, 5)] {
        let atom = CopyAtom::Tma(atom);
        let term = atom.write();
        assert_eq!(term.as_call().map(|(_, args)| args.len()), Some(args));
        assert_eq!(CopyAtom::read(&term), Ok(atom));
    }
    let threads = Blocked::coalesced(&[64, 32], 4, &[1, 0], 4).expect("a layout");
    let threads = threads.to_linear(&[64, 32]).expect("a layout");
    for (width, legal) in [
        ("16b", false),
        ("32b", true),
        ("64b", true),
        ("128b", true),
        ("256b", false),
    ] {
        let args = vec![Term::word(width).into(), threads.write().into()];
        let read = CopyAtom::read(&Term::call("cp_async", args));
        assert_eq!(read.is_ok(), legal, "{width}");
    }
}

#[test]
fn a_copy_is_no_wider_than_neighbours_in_memory() {
    let array = BoxCopy::of(ScalarType::F16, &[64, 32]).array;
    let copies = |vector: u32, bits: u32, memory: LinearLayout| {
        let blocked = Blocked::coalesced(&[64, 32], vector, &[1, 0], 4).expect("a layout");
        let threads = blocked.to_linear(&[64, 32]).expect("a layout");
        let atom = CopyAtom::from(CpAsync::new(bits, threads));
        let copy = CopyUse {
            target: target("sm_80"),
            warps: 4,
            from: Place::Global(&array),
            to: Place::Buffer(&Buffer::shared(ScalarType::F16, memory)),
            dim_map: &[0, 1],
        };
        atom.check(&copy).map_err(|refusal| refusal.message)
    };
    let rows = || plain(&[64, 32]);
    for (vector, bits, words) in [
        (8, 128, None),
        (4, 64, None),
        (
            4,
            128,
            Some("copies 8 elements at a time; the layouts of threads and buffer have 4"),
        ),
        (2, 32, None),
        (
            2,
            64,
            Some("copies 4 elements at a time; the layouts of threads and buffer have 2"),
        ),
    ] {
        expect(copies(vector, bits, rows()), words, &format!("{vector} {bits}"));
    }
    let columns = Swizzled::plain(&[0, 1]).to_linear(&[64, 32]).expect("a layout");
    expect(copies(8, 32, columns), Some("have 1 side by side"), "columns");
}
