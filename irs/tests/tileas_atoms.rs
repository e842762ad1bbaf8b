//! The atoms of `tileas`, asked directly: which element types and layouts they multiply, on which targets, and what
//! they cost. And what buffers say of themselves.

use tilewright_irs::dialects::arith::Signedness;
use tilewright_irs::dialects::cute_nvgpu;
use tilewright_irs::dialects::memory::Memref;
use tilewright_irs::dialects::product_rules::Extents;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::rules::forms;
use tilewright_irs::isa::{MatrixType, MmaShape};
use tilewright_irs::machine::{Cost, Cycles};
use tilewright_irs::ptx::Target;
use tilewright_irs::tileas::atoms::{
    CopyAtom, CopyUse, CpAsync, Fma, Ld, LdMatrix, MmaSyncAtom, Place, ProductAtom, ProductUse, ReduceAtom,
    St, StMatrix, WgmmaAtom, load_weight, ordering_weight, store_weight,
};
use tilewright_irs::tileas::{Buffer, TileAsType};
use tilewright_layouts::distributed::MmaSync;
use tilewright_layouts::shared::Swizzled;
use tilewright_layouts::{Blocked, Dim, LinearLayout};

fn target(name: &str) -> Target {
    Target::parse(name).expect("a target")
}

fn tile(element: ScalarType, layout: &LinearLayout) -> TileAsType {
    TileAsType::tile(ElementType::Scalar(element), layout.clone())
}

/// Rows of 32 elements: a thread holds vectors of four of a row, eight lanes side by side, four warps below each other.
fn rows(shape: &[u32]) -> LinearLayout {
    let blocked = Blocked::coalesced(shape, 4, &[1, 0], 4).expect("a layout");
    blocked.to_linear(shape).expect("a layout")
}

/// What an atom says of operands of these types in these layouts.
fn multiplied(
    atom: &ProductAtom,
    on: &str,
    [a, b, acc]: [ScalarType; 3],
    [in_a, in_b, in_acc]: [&LinearLayout; 3],
) -> Result<(), String> {
    let (a, b, acc) = (tile(a, in_a), tile(b, in_b), tile(acc, in_acc));
    let product = ProductUse {
        target: target(on),
        warps: 4,
        a: Place::Registers(&a),
        b: Place::Registers(&b),
        acc: Place::Registers(&acc),
        signedness: [Signedness::Signed; 2],
    };
    atom.check(&product).map_err(|refusal| refusal.message)
}

/// The same in the layouts that the atom wants.
fn multiplies(atom: &ProductAtom, on: &str, types: [ScalarType; 3]) -> Result<(), String> {
    let layouts = atom.layouts(&[64, 64, 64].into(), 4).expect("layouts");
    let [a, b, acc] = [layouts.a, layouts.b, layouts.acc].map(Option::unwrap);
    multiplied(atom, on, types, [&a, &b, &acc])
}

#[test]
fn products_are_of_the_element_types_that_the_hardware_multiplies() {
    use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I4, I8, I32, TF32};
    let mma = |instruction| ProductAtom::from(MmaSyncAtom { instruction });
    let (b4, b8, b16) = (
        mma(MmaSync::M16N8K64B4),
        mma(MmaSync::M16N8K32B8),
        mma(MmaSync::M16N8K16B16),
    );
    let (b32, b64, fma) = (
        mma(MmaSync::M16N8K8B32),
        mma(MmaSync::M16N8K16B64),
        ProductAtom::from(Fma),
    );
    for (atom, on, types) in [
        (&fma, "sm_80", [F32, F32, F32]),
        (&fma, "sm_80", [F16, F16, F32]),
        (&fma, "sm_80", [I8, I8, I32]),
        (&b16, "sm_80", [F16, F16, F16]),
        (&b16, "sm_80", [F16, F16, F32]),
        (&b16, "sm_80", [BF16, BF16, F32]),
        (&b32, "sm_80", [TF32, TF32, F32]),
        (&mma(MmaSync::M8N8K4B64), "sm_80", [F64, F64, F64]),
        (&b64, "sm_90", [F64, F64, F64]),
        (&b8, "sm_80", [I8, I8, I32]),
        (&b4, "sm_80", [I4, I4, I32]),
        (&b8, "sm_89", [F8E4M3FN, F8E5M2, F32]),
        (&b8, "sm_90a", [F8E5M2, F8E5M2, F16]),
    ] {
        assert_eq!(multiplies(atom, on, types), Ok(()), "{atom:?} {types:?}");
    }
    for (atom, on, types, words) in [
        (
            &fma,
            "sm_80",
            [F16, F32, F32],
            "`fma` does not multiply `f16` by `f32` into `f32`",
        ),
        (
            &fma,
            "sm_80",
            [I8, I8, F32],
            "`fma` does not multiply `i8` by `i8` into `f32`",
        ),
        (
            &fma,
            "sm_80",
            [F16, F16, I32],
            "`fma` does not multiply `f16` by `f16` into `i32`",
        ),
        (
            &b16,
            "sm_80",
            [BF16, BF16, BF16],
            "does not multiply `bf16` by `bf16` into `bf16`",
        ),
        (
            &b16,
            "sm_80",
            [F16, BF16, F32],
            "does not multiply `f16` by `bf16` into `f32`",
        ),
        (
            &b32,
            "sm_80",
            [F32, F32, F32],
            "does not multiply `f32` by `f32` into `f32`",
        ),
        (
            &b8,
            "sm_80",
            [I8, I8, F32],
            "does not multiply `i8` by `i8` into `f32`",
        ),
        (
            &b8,
            "sm_80",
            [F16, F16, F32],
            "multiplies elements of 8 bits, not `f16`",
        ),
        (
            &b16,
            "sm_80",
            [TF32, TF32, F32],
            "multiplies elements of 16 bits, not `tf32`",
        ),
        (
            &b16,
            "sm_75",
            [F16, F16, F32],
            "`mma_sync` needs sm_80 or later; the target is sm_75",
        ),
        (
            &b8,
            "sm_86",
            [F8E4M3FN, F8E4M3FN, F32],
            "`mma_sync` needs sm_89 or later; the target is sm_86",
        ),
    ] {
        let said = multiplies(atom, on, types).expect_err("a refusal");
        assert!(said.contains(words), "{atom:?} {types:?}: {said}");
    }
}

/// Every shape of fragments, every triple of types and every target: the atom, the op of a thread and the rules of the
/// instruction agree on which products exist.
#[test]
fn products_exist_where_the_rules_of_the_instruction_say_so() {
    use ScalarType::{BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I4, I8, I16, I32, TF32};
    let types = [
        (F16, MatrixType::F16),
        (BF16, MatrixType::Bf16),
        (TF32, MatrixType::Tf32),
        (F32, MatrixType::F32),
        (F64, MatrixType::F64),
        (F8E4M3FN, MatrixType::E4m3),
        (F8E5M2, MatrixType::E5m2),
        (I4, MatrixType::S4),
        (I8, MatrixType::S8),
        (I32, MatrixType::S32),
    ];
    let width = |ty: ScalarType| if ty == TF32 { 32 } else { ty.bits() };
    let (mut asked, mut exist) = (0, 0);
    for instruction in MmaSync::ALL {
        let shape = instruction.shape();
        let shape = [shape.m, shape.n, shape.k];
        let atom = ProductAtom::from(MmaSyncAtom { instruction });
        let layouts = atom.layouts(&[64, 64, 256].into(), 4).expect("layouts");
        let layouts = [layouts.a, layouts.b, layouts.acc].map(Option::unwrap);
        for (a, of_a) in types {
            for (b, of_b) in types {
                for (sum, of_sum) in types {
                    let elements = [a, b, sum];
                    let named = MmaShape::of(shape).expect("a shape");
                    let need = forms::mma_sync(named, [of_sum, of_a, of_b, of_sum]);
                    let need = need.filter(|_| width(a) == instruction.width().bits());
                    for on in ["sm_70", "sm_75", "sm_80", "sm_89", "sm_90", "sm_90a", "sm_120a"] {
                        let wanted = need.is_some_and(|need| target(on).provides(need));
                        let [in_a, in_b, in_sum] = &layouts;
                        let has = multiplied(&atom, on, elements, [in_a, in_b, in_sum]);
                        assert_eq!(has.is_ok(), wanted, "{instruction} {elements:?} {on}: {has:?}");
                        asked += 1;
                    }
                    // The op of a thread has no width of its own.
                    if width(a) == instruction.width().bits() {
                        let op = cute_nvgpu::MmaSync::new(shape, [a, b], sum);
                        assert_eq!(
                            op.is_some(),
                            need.is_some() && a != I4,
                            "{instruction} {elements:?}"
                        );
                    }
                    exist += usize::from(need.is_some());
                }
            }
        }
    }
    assert_eq!(asked, 17 * 1000 * 7);
    // 16 bits: two shapes of (f16, f16), (f16, f32) and (bf16, f32). tf32: two. f64: four. i8 and i4: three each. Floats of
    // 8 bits: four pairs, two shapes, two sums.
    assert_eq!(exist, 6 + 2 + 4 + 3 + 3 + 16);
    assert_eq!(cute_nvgpu::MmaSync::new([16, 8, 16], [I16; 2], I32), None);
}

#[test]
fn multiplicands_are_where_the_accumulator_needs_them() {
    let f32s = [ScalarType::F32; 3];
    let fma = ProductAtom::from(Fma);
    let layouts = fma.layouts(&[64, 64, 32].into(), 4).expect("layouts");
    let [a, b, acc] = [layouts.a, layouts.b, layouts.acc].map(Option::unwrap);
    assert_eq!(multiplied(&fma, "sm_80", f32s, [&a, &b, &acc]), Ok(()));
    let without = |layout: &LinearLayout, dim: Dim, bit: usize, zero: bool| {
        let parts: Vec<(Dim, Vec<Vec<u64>>)> = [Dim::Register, Dim::Lane, Dim::Warp]
            .into_iter()
            .map(|own| {
                let bases = layout
                    .bases(own)
                    .map(|basis| basis.iter().map(|&n| u64::from(n)).collect());
                let mut bases: Vec<Vec<u64>> = bases.collect();
                if own == dim && zero {
                    bases[bit] = vec![0, 0];
                } else if own == dim {
                    bases.remove(bit);
                }
                (own, bases)
            })
            .collect();
        let shape: Vec<u64> = layout.shape().iter().map(|&n| u64::from(n)).collect();
        LinearLayout::from_parts(&parts, &shape).expect("a layout")
    };
    let refused = |[a, b]: [&LinearLayout; 2], words: &str| {
        let said = multiplied(&fma, "sm_80", f32s, [a, b, &acc]).expect_err("a refusal");
        assert!(said.contains(words), "{said}");
    };
    // The last register of A is a row that the accumulator needs.
    let last = a.in_bits(Dim::Register) as usize - 1;
    refused(
        [&without(&a, Dim::Register, last, false), &b],
        "`fma` lacks elements of A",
    );
    let last = b.in_bits(Dim::Register) as usize - 1;
    refused(
        [&a, &without(&b, Dim::Register, last, false)],
        "`fma` lacks elements of B",
    );
    // B's lanes are the accumulator's columns.
    let lane = acc
        .bases(Dim::Lane)
        .position(|basis| basis[1] != 0)
        .expect("a column");
    refused(
        [&a, &without(&b, Dim::Lane, lane, true)],
        "needs B in the lanes of the accumulator",
    );
    // Rows spread K, the columns of A, over lanes.
    refused([&rows(&[64, 32]), &b], "needs all of K of A in each thread");

    let mma = ProductAtom::from(MmaSyncAtom {
        instruction: MmaSync::M16N8K16B16,
    });
    let types = [ScalarType::F16, ScalarType::F16, ScalarType::F32];
    let of = |warps| {
        let layouts = mma.layouts(&[64, 64, 32].into(), warps).expect("layouts");
        [layouts.a, layouts.b, layouts.acc].map(Option::unwrap)
    };
    let ([a, b, acc], [other_a, other_b, _]) = (of(4), of(1));
    assert_eq!(multiplied(&mma, "sm_80", types, [&a, &b, &acc]), Ok(()));
    // The second element of a thread is in the next row, and in a column of another fragment as well.
    let parts = [Dim::Register, Dim::Lane, Dim::Warp].map(|dim| {
        let bases = b
            .bases(dim)
            .map(|basis| basis.iter().map(|&n| u64::from(n)).collect());
        let mut bases: Vec<Vec<u64>> = bases.collect();
        if dim == Dim::Register {
            bases[0] = vec![1, 8];
        }
        (dim, bases)
    });
    let shape: Vec<u64> = b.shape().iter().map(|&n| u64::from(n)).collect();
    let diagonal = LinearLayout::from_parts(&parts, &shape).expect("a layout");
    let said = multiplied(&mma, "sm_80", types, [&a, &diagonal, &acc]).expect_err("a refusal");
    assert!(said.contains("steps along several axes at once"), "{said}");
    for (name, given) in [("A", [&other_a, &b]), ("B", [&a, &other_b])] {
        let said = multiplied(&mma, "sm_80", types, [given[0], given[1], &acc]).expect_err("a refusal");
        assert!(
            said.contains(&format!("needs {name} in the warps of the accumulator")),
            "{said}"
        );
    }
    // Warps lie along the axis of more fragments of 16 x 8; along M where both have as many.
    assert_eq!(
        acc.bases(Dim::Warp)
            .map(|basis| basis.to_vec())
            .collect::<Vec<_>>(),
        [[0, 8], [16, 0]]
    );
    let wide = mma
        .layouts(&[16, 128, 32].into(), 4)
        .expect("layouts")
        .acc
        .unwrap();
    assert_eq!(
        wide.bases(Dim::Warp)
            .map(|basis| basis.to_vec())
            .collect::<Vec<_>>(),
        [[0, 8], [0, 16]]
    );
}

#[test]
fn products_cost_cycles_of_the_units_that_compute_them() {
    let mma = |instruction| ProductAtom::from(MmaSyncAtom { instruction });
    use ScalarType::{F8E4M3FN, F16, F32, F64, I8, I32, TF32};
    let wgmma = |n| ProductAtom::from(WgmmaAtom::of(n));
    // 2^20 products, and how many of them one instruction is.
    let extents = [128, 128, 64];
    for (atom, on, types, cycles, instructions) in [
        // Of f32, an A100 does 64 a cycle and an H200 128; 32 are an instruction of a warp.
        (ProductAtom::from(Fma), "sm_80", [F32, F32, F32], 1 << 14, 1 << 15),
        (
            ProductAtom::from(Fma),
            "sm_90a",
            [F32, F32, F32],
            1 << 13,
            1 << 15,
        ),
        (
            ProductAtom::from(Fma),
            "sm_90a",
            [F16, F16, F16],
            1 << 12,
            1 << 15,
        ),
        (ProductAtom::from(Fma), "sm_86", [F64, F64, F64], 1 << 19, 1 << 15),
        (
            mma(MmaSync::M16N8K16B16),
            "sm_80",
            [F16, F16, F32],
            1 << 10,
            1 << 9,
        ),
        (mma(MmaSync::M16N8K32B8), "sm_80", [I8, I8, I32], 1 << 9, 1 << 8),
        (
            mma(MmaSync::M16N8K8B32),
            "sm_80",
            [TF32, TF32, F32],
            1 << 11,
            1 << 10,
        ),
        // 2^20 / 1260 is 832.2.
        (mma(MmaSync::M16N8K16B16), "sm_90a", [F16, F16, F32], 833, 1 << 9),
        (wgmma(128), "sm_90a", [F16, F16, F32], 1 << 9, 8),
        (wgmma(128), "sm_90a", [F8E4M3FN, F8E4M3FN, F32], 1 << 8, 4),
        // Eight columns are four cycles of products, but no instruction takes less than 19.
        (wgmma(8), "sm_90a", [F16, F16, F32], 128 * 19, 128),
    ] {
        let cost = atom.cost(types, extents, target(on));
        assert_eq!(
            (cost.busy.0, cost.instructions),
            (cycles, instructions),
            "{atom:?} {on} {types:?}"
        );
    }
    // A product smaller than the instruction takes all of it: 16 by 8 by 16 of 1024 a cycle, 64 by 256 by 16 of 2048.
    let f16 = [F16, F16, F32];
    assert_eq!(
        mma(MmaSync::M16N8K16B16)
            .cost(f16, [1, 1, 1], target("sm_80"))
            .busy,
        Cycles(2)
    );
    assert_eq!(
        wgmma(256).cost(f16, [1, 1, 1], target("sm_90a")).busy,
        Cycles(128)
    );
    // No unit does it.
    assert_eq!(wgmma(256).cost(f16, extents, target("sm_80")).busy, Cycles::NEVER);
    assert_eq!(
        mma(MmaSync::M16N8K16B16)
            .cost(f16, extents, target("sm_90a"))
            .latency,
        Cycles(26)
    );
    assert!(
        ProductAtom::from(WgmmaAtom::of(64))
            .layouts(&[64, 64, 16].into(), 3)
            .is_err()
    );
    assert!(
        ProductAtom::from(WgmmaAtom::of(64))
            .layouts(&[64, 64, 16].into(), 0)
            .is_err()
    );
    assert!(
        ProductAtom::from(WgmmaAtom::of(64))
            .layouts(&[64, 64, 16].into(), 4)
            .is_ok()
    );
}

#[test]
fn accesses_of_global_memory_weigh_sectors_and_instructions() {
    let layout = rows(&[128, 32]);
    assert_eq!(layout.in_size(Dim::Register), 32);
    for (bytes, elements, axis, cost) in [
        // Four rows of 32 elements of 4 bytes: four sectors each.
        (4, 4, Some(1), 8 * (16 + 8)),
        (4, 1, Some(1), 32 * (16 + 8)),
        (2, 4, Some(1), 8 * (8 + 8)),
        (1, 4, Some(1), 8 * (4 + 8)),
        (8, 4, Some(1), 8 * (32 + 8)),
        // The rows begin anywhere in a sector of a column: eight columns.
        (4, 4, Some(0), 8 * (8 + 8)),
        // Each lane its own sector.
        (4, 4, None, 8 * (32 + 8)),
        (4, 64, Some(1), 16 + 8),
        (4, 0, Some(1), 32 * (16 + 8)),
    ] {
        assert_eq!(
            load_weight(&layout, bytes, elements, axis),
            cost,
            "{bytes} {elements} {axis:?}"
        );
    }
}

/// A store of four lanes along a row of 4-byte numbers fills half of a sector, of eight lanes a whole one.
#[test]
fn stores_of_parts_of_sectors_weigh_twice() {
    for (lanes, sectors) in [(4, 2 * 8), (8, 4)] {
        let rows = 32 / lanes;
        let lane = |at: u32| if at < lanes { [0, at] } else { [at / lanes, 0] };
        let bases: Vec<Vec<u32>> = (0..5).map(|bit| lane(1 << bit).to_vec()).collect();
        let outs = [(Dim::Axis(0), rows), (Dim::Axis(1), lanes)];
        let layout = LinearLayout::from_bases(&[(Dim::Lane, bases)], &outs).expect("a layout");
        assert_eq!(store_weight(&layout, 4, 1, Some(1)), sectors + 8, "{lanes}");
        assert_eq!(
            load_weight(&layout, 4, 1, Some(1)),
            u64::from(rows) + 8,
            "{lanes}"
        );
    }
}

/// An atomic access that waits for a fence weighs the same wherever its elements are.
#[test]
fn atomic_accesses_that_order_others_weigh_their_fences() {
    let layout = rows(&[64, 32]);
    for (elements, axis) in [(1, Some(1)), (1, Some(0)), (1, None), (4, Some(1))] {
        let instructions = u64::from(16 / elements);
        assert_eq!(
            ordering_weight(&layout, 4, elements, axis),
            instructions * 668,
            "{elements} {axis:?}"
        );
    }
}

#[test]
fn reductions_weigh_ops_exchanges_and_barriers() {
    // 16 elements a thread: four side by side, four rows apart; eight lanes and no warps along rows.
    let layout = rows(&[64, 32]);
    assert_eq!(layout.in_size(Dim::Register), 16);
    for (atom, axis, cost) in [
        (ReduceAtom::Thread, 1, 16),
        (ReduceAtom::Shuffle, 1, 16 + 4 * 4 * 3),
        (ReduceAtom::Shared, 1, 16 + 4 * 4 * 3 + 50 + 4 * 4),
        (ReduceAtom::Cluster, 1, 16 + 4 * 4 * 3 + 358 + 8 * 4),
        (ReduceAtom::Shuffle, 0, 16 + 4 * 4 * 2),
        (ReduceAtom::Shared, 0, 16 + 4 * 4 * 2 + 50 + 4 * 4),
    ] {
        assert_eq!(atom.weight(&layout, axis), cost, "{atom} along {axis}");
    }
}

#[test]
fn a_matrix_load_takes_a_cycle_for_each_matrix_without_conflicts() {
    let mma = ProductAtom::from(MmaSyncAtom {
        instruction: MmaSync::M16N8K16B16,
    });
    let tile = tile(
        ScalarType::F16,
        &mma.layouts(&[64, 64, 32].into(), 4).expect("layouts").a.unwrap(),
    );
    let memory = Swizzled::plain(&[1, 0]).to_linear(&[64, 32]).expect("a layout");
    let buffer = Buffer::shared(ScalarType::F16, memory);
    let copy = |on| CopyUse {
        target: target(on),
        warps: 4,
        from: Place::Buffer(&buffer),
        to: Place::Registers(&tile),
        dim_map: &[],
    };
    let load = |word: &str| {
        let count = tilewright_layouts::distributed::MatrixCount::ALL
            .into_iter()
            .find(|count| format!("x{}", count.get()) == word);
        CopyAtom::from(LdMatrix {
            count: count.expect("a count"),
            trans: false,
        })
    };
    // Each of two by two warps loads 32 x 32 elements of 16 bits: sixteen matrices. Rows are 64 bytes apart: of eight, four
    // begin in the same bank.
    for (word, instructions) in [("x1", 16), ("x2", 8), ("x4", 4)] {
        let cost = load(word).cost(&copy("sm_80"));
        assert_eq!((cost.busy.0, cost.instructions), (16 * 4, instructions), "{word}");
        assert_eq!(cost.latency, Cycles(31));
    }
    assert_eq!(load("x4").check(&copy("sm_75")), Ok(()));
    assert!(load("x4").check(&copy("sm_70")).is_err());
}

/// Rows of 128 bytes, which all begin in the first bank, and the same with their vectors of 16 bytes swizzled.
#[test]
fn copies_to_and_from_shared_memory_lose_cycles_to_bank_conflicts() {
    let shape = [64, 64];
    let buffer = |swizzled: Swizzled| {
        let memory = swizzled.to_linear(&shape).expect("a layout");
        Buffer::shared(ScalarType::F16, memory)
    };
    let plain = buffer(Swizzled::plain(&[1, 0]));
    let swizzled = buffer(Swizzled {
        vec: 8,
        per_phase: 1,
        max_phase: 8,
        order: vec![1, 0],
    });
    let lost = |atom: &CopyAtom, layout: Option<&LinearLayout>, buffer: &Buffer| {
        let cost = atom.bank_cost(layout, buffer);
        cost.map(|cost| (cost.minimum, cost.conflicts()))
    };
    let mma = ProductAtom::from(MmaSyncAtom {
        instruction: MmaSync::M16N8K16B16,
    });
    let operand = mma.layouts(&[64, 64, 64].into(), 4).expect("layouts").a.unwrap();
    // Each of two by two warps loads 32 x 64 elements, 32 matrices of eight rows, which are in eight banks if swizzled.
    for count in tilewright_layouts::distributed::MatrixCount::ALL {
        let atom = CopyAtom::from(LdMatrix { count, trans: false });
        assert_eq!(lost(&atom, Some(&operand), &plain), Some((32, 32 * 7)));
        assert_eq!(lost(&atom, Some(&operand), &swizzled), Some((32, 0)));
        assert_eq!(lost(&atom, None, &plain), None);
    }
    // 16 bytes of one row after the other: a lane of eight has a row of its own.
    let columns = Blocked::coalesced(&shape, 8, &[1, 0], 4).expect("a layout");
    let across = columns.to_linear(&shape).expect("a layout");
    for atom in [
        CopyAtom::from(Ld::new(128)),
        St::new(128).into(),
        CpAsync::new(128, across.clone()).into(),
    ] {
        assert_eq!(lost(&atom, Some(&across), &plain), Some((16, 0)), "{atom:?}");
    }
    // Stored column by column, the eight lanes of a row are 8 * 64 * 2 bytes apart, all in one bank.
    let transposed = buffer(Swizzled::plain(&[0, 1]));
    let narrow = CopyAtom::from(St::new(16));
    assert_eq!(lost(&narrow, Some(&across), &transposed), Some((32, 32 * 7)));
    // Elements of a row are not side by side then.
    assert_eq!(
        CopyAtom::from(Ld::new(128)).bank_cost(Some(&across), &transposed),
        None
    );
}

#[test]
fn buffers_know_their_stages_slices_and_sizes() {
    let layout = Swizzled::plain(&[1, 0]).to_linear(&[8, 8]).expect("a layout");
    let one = Buffer::shared(ScalarType::F16, layout);
    let two = Buffer {
        stages: 2,
        ..one.clone()
    };
    assert_eq!((one.stage_bytes(), one.bytes(), one.columns()), (128, 128, 0));
    let small = Buffer::shared(
        ScalarType::I8,
        Swizzled::plain(&[0]).to_linear(&[8]).expect("a layout"),
    );
    assert_eq!(small.stage_bytes(), 8);
    // The next stage begins where any access may.
    let ring = Buffer { stages: 3, ..small };
    assert!(ring.stage_bytes() > 8 && ring.bytes() == 3 * ring.stage_bytes());

    assert_eq!(two.slice(&[0, 0], &[8, 8]).expect("the whole"), two);
    let rows = one.slice(&[4, 0], &[4, 8]).expect("a slice");
    assert_eq!(
        (rows.shape.as_slice(), rows.at.as_slice()),
        ([4, 8].as_slice(), [4, 0].as_slice())
    );
    assert_eq!(rows.bytes(), one.bytes());
    let row = rows.slice(&[2, 0], &[1, 8]).expect("a slice of a slice");
    assert_eq!(row.at, [6, 0]);
    assert_eq!(rows.permuted(&[1, 0]).expect("a permutation").at, [0, 4]);
    for (offsets, shape, words) in [
        (vec![4, 0], vec![8, 8], "does not lie in"),
        (vec![8, 0], vec![8, 8], "does not lie in"),
        (vec![2, 0], vec![4, 8], "does not lie in"),
        (vec![8, 0], vec![4, 8], "does not lie in"),
        (vec![0, 0], vec![3, 8], "does not lie in"),
        (vec![0], vec![8], "does not lie in"),
    ] {
        let said = one.slice(&offsets, &shape).expect_err("a refusal");
        assert!(said.contains(words), "{said}");
    }
    let said = two.slice(&[4, 0], &[4, 8]).expect_err("a refusal");
    assert!(
        said.contains("a slice is of one stage, the buffer has 2"),
        "{said}"
    );

    // Eight rows of 128 bytes, whose chunks of 16 bytes are exchanged by the row.
    let swizzled = tilewright_layouts::shared::Nvmma {
        swizzle: tilewright_layouts::SwizzleMode::B128,
        element: tilewright_layouts::shared::NvmmaElement::B16,
        order: tilewright_layouts::shared::TileOrder::RowMajor,
    };
    let swizzled = Buffer::shared(ScalarType::F16, swizzled.to_linear(&[16, 64]).expect("a layout"));
    // Chunk 3 of row 2 is where chunk 3 ^ 2 = 1 would be, chunk 3 of row 3 where chunk 0 would be.
    let part = swizzled.slice(&[2, 24], &[2, 8]).expect("a slice");
    let rows = LinearLayout::from_bases(
        &[(
            Dim::Register,
            vec![vec![0, 1], vec![0, 2], vec![0, 4], vec![1, 0]],
        )],
        &[(Dim::Axis(0), 2), (Dim::Axis(1), 8)],
    )
    .expect("a layout");
    let (offsets, begin) = part.offsets_of(&rows).expect("offsets").expect("a linear layout");
    let offset = |register| offsets.at(register, 0, 0, 0).iter().sum::<u32>() ^ begin;
    assert_eq!(offset(0), 2 * 64 + 8);
    assert_eq!(offset(8 + 5), 3 * 64 + 5);

    assert_eq!(one.permuted(&[1, 0]).expect("a permutation").shape, [8, 8]);
    for wrong in [&[0, 0][..], &[0], &[0, 1, 2]] {
        assert!(one.permuted(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn asynchronous_copies_cost_as_loads_of_the_same_width_do() {
    let memref = |element, strides: [Option<u64>; 2]| Memref {
        element,
        extents: vec![None, None],
        strides: strides.to_vec(),
        align: 16,
        extent_div: vec![1, 1],
        stride_div: vec![1, 1],
        class: 0,
    };
    let layout = rows(&[64, 32]);
    let memory = Swizzled::plain(&[1, 0]).to_linear(&[64, 32]).expect("a layout");
    let atom = CopyAtom::from(CpAsync::new(128, layout.clone()));
    // 16 registers a thread: four rows of 32 elements at a time.
    for (element, strides, dim_map, instructions, sectors) in [
        (ScalarType::F32, [None, Some(1)], [0, 1], 4, 16),
        (ScalarType::F32, [Some(1), None], [0, 1], 4, 8),
        (ScalarType::F32, [Some(1), None], [1, 0], 4, 16),
        (ScalarType::F16, [None, Some(1)], [0, 1], 2, 8),
        (ScalarType::F32, [None, None], [0, 1], 4, 32),
    ] {
        // 35 bytes a cycle, of sectors of 32.
        let cost = Cost {
            busy: Cycles((instructions * sectors * 32u64).div_ceil(35)),
            instructions,
            latency: Cycles(567),
        };
        let (from, buffer) = (memref(element, strides), Buffer::shared(element, memory.clone()));
        let tile = tile(element, &layout);
        let copy = |to| CopyUse {
            target: target("sm_80"),
            warps: 4,
            from: Place::Global(&from),
            to,
            dim_map: &dim_map,
        };
        assert_eq!(
            atom.cost(&copy(Place::Buffer(&buffer))),
            cost,
            "{element} {strides:?}"
        );
        let load = CopyAtom::from(Ld::new(128));
        assert_eq!(
            load.cost(&copy(Place::Registers(&tile))),
            cost,
            "{element} {strides:?}"
        );
    }
    let from = memref(ScalarType::F32, [None, Some(1)]);
    let copies = |warps, shape: &[u32]| {
        let memory = Swizzled::plain(&[1, 0]).to_linear(shape).expect("a layout");
        let copy = CopyUse {
            target: target("sm_80"),
            warps,
            from: Place::Global(&from),
            to: Place::Buffer(&Buffer::shared(ScalarType::F32, memory)),
            dim_map: &[0, 1],
        };
        atom.check(&copy).map_err(|refusal| refusal.message)
    };
    assert_eq!(copies(4, &[64, 32]), Ok(()));
    let said = copies(4, &[32, 32]).expect_err("a refusal");
    assert!(
        said.contains("copies a tile of [64, 32]; the buffer has [32, 32]"),
        "{said}"
    );
    let said = copies(2, &[64, 32]).expect_err("a refusal");
    assert!(said.contains("spreads its copies over 4 warps of 2"), "{said}");
    // A single element takes one instruction.
    let scalar = TileAsType::Scalar(ElementType::Scalar(ScalarType::F32));
    let copy = CopyUse {
        target: target("sm_80"),
        warps: 4,
        from: Place::Global(&from),
        to: Place::Registers(&scalar),
        dim_map: &[],
    };
    let cost = CopyAtom::from(Ld::new(32)).cost(&copy);
    assert_eq!(
        (cost.busy, cost.instructions, cost.latency),
        (Cycles(1), 1, Cycles(567))
    );
}

#[test]
fn atoms_ask_for_the_first_target_that_has_them() {
    // Two blocks share the rows.
    let shared = LinearLayout::from_parts(
        &[(Dim::Register, vec![vec![0, 1]]), (Dim::Block, vec![vec![1, 0]])],
        &[2, 2],
    )
    .expect("a layout");
    assert_eq!(ReduceAtom::least(&shared, 0), ReduceAtom::Cluster);
    assert_eq!(ReduceAtom::least(&shared, 1), ReduceAtom::Thread);
    assert_eq!(ReduceAtom::Cluster.check(target("sm_90"), &shared, 0), Ok(()));
    let said = ReduceAtom::Cluster
        .check(target("sm_89"), &shared, 0)
        .expect_err("a refusal");
    assert!(
        said.message.contains("`cluster` needs sm_90 or later"),
        "{}",
        said.message
    );
    assert!(ReduceAtom::Shared.check(target("sm_90"), &shared, 0).is_err());

    let fragment = ProductAtom::from(MmaSyncAtom {
        instruction: MmaSync::M16N8K16B16,
    })
    .layouts(&[64, 64, 32].into(), 4)
    .expect("layouts");
    let tile = tile(ScalarType::F16, &fragment.a.unwrap());
    let memory = Swizzled::plain(&[1, 0]).to_linear(&[64, 32]).expect("a layout");
    let buffer = Buffer::shared(ScalarType::F16, memory);
    let store = CopyAtom::from(StMatrix {
        count: tilewright_layouts::distributed::MatrixCount::ALL[0],
        trans: false,
    });
    for (name, stores) in [("sm_89", false), ("sm_90", true)] {
        let copy = CopyUse {
            target: target(name),
            warps: 4,
            from: Place::Registers(&tile),
            to: Place::Buffer(&buffer),
            dim_map: &[],
        };
        assert_eq!(store.check(&copy).is_ok(), stores, "{name}");
    }
    let odd = ProductAtom::from(Fma)
        .layouts(&[64, 64, 24].into(), 4)
        .expect_err("a refusal");
    assert!(
        odd.message.contains("K is 24, which is no power of two"),
        "{}",
        odd.message
    );
    // Groups of four warps lie below each other as long as there are rows for them, 64 each.
    for (warps, m, n, below) in [(8, 128, 64, true), (8, 64, 128, false)] {
        let acc = ProductAtom::from(WgmmaAtom::of(64))
            .layouts(&[m, n, 16].into(), warps)
            .expect("layouts")
            .acc
            .unwrap();
        let last = acc.bases(Dim::Warp).last().expect("a basis").to_vec();
        assert_eq!(last, if below { [64, 0] } else { [0, 64] });
    }
}

#[test]
fn instructions_of_warps_multiply_small_matrices_and_batches_but_none_shorter_than_their_k() {
    use ScalarType::{BF16, F8E4M3FN, F16, F32, F64, I8, I32, TF32};
    let mut products = 0;
    for types in [
        [F16, F16, F32],
        [BF16, BF16, F32],
        [TF32, TF32, F32],
        [F64, F64, F64],
        [I8, I8, I32],
        [F8E4M3FN, F8E4M3FN, F32],
    ] {
        for (batch, matrix) in [
            (vec![], [1, 1, 32]),
            (vec![], [128, 4, 32]),
            (vec![4], [2, 64, 64]),
            (vec![8], [16, 8, 32]),
            (vec![2, 2], [32, 32, 32]),
        ] {
            let extents = Extents { batch, matrix };
            let atom = ProductAtom::in_registers(types, &extents, target("sm_89"));
            assert_eq!(atom.word(), "mma_sync", "{types:?}");
            let layouts = atom.layouts(&extents, 4).expect("layouts");
            let [a, b, acc] = [layouts.a, layouts.b, layouts.acc].map(Option::unwrap);
            assert_eq!(
                multiplied(&atom, "sm_89", types, [&a, &b, &acc]),
                Ok(()),
                "{types:?} {extents:?}"
            );
            products += 1;
        }
    }
    assert_eq!(products, 30);
    let short = Extents::from([16, 16, 8]);
    assert_eq!(
        ProductAtom::in_registers([I8, I8, I32], &short, target("sm_90a")).word(),
        "fma"
    );
    assert_eq!(
        ProductAtom::in_registers([F8E4M3FN, F8E4M3FN, F32], &[64, 64, 64].into(), target("sm_80")).word(),
        "fma"
    );
    let long = ProductAtom::from(MmaSyncAtom {
        instruction: MmaSync::M16N8K16B16,
    });
    let layouts = long.layouts(&short, 4).expect("layouts");
    let [a, b, acc] = [layouts.a, layouts.b, layouts.acc].map(Option::unwrap);
    let said = multiplied(&long, "sm_80", [F16, F16, F32], [&a, &b, &acc]).expect_err("a refusal");
    assert!(said.contains("less than the instruction's K"), "{said}");
}
