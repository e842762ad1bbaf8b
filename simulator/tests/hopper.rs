//! A matrix product as kernels of Hopper compute it: a producer that copies tiles of tensors to the stages of a pipeline,
//! some of them for both blocks of a cluster, and a warp group that multiplies them. Each mistake in it is found.

use crate::support::{Numbers, kernel, read};
use half::f16;
use tilewright_simulator::{
    Arg, Device, Fault, FaultKind, Init, TensorBox, TensorMap, TensorSwizzle, Timing,
};

// Rows of a block's tile, columns of the result, and the length of the sums.
const M: usize = 64;
const N: usize = 64;
const K: usize = 320;

/// The program. A stage has 16384 bytes: 64 rows of A, then 64 of B transposed, of 64 elements each.
fn program() -> String {
    let accumulators: Vec<String> = (0..32).map(|at| format!("%f{at}")).collect();
    let products: String = (0..4)
        .map(|at| {
            format!(
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{}}}, %rd20, %rd21, %p4, 1, 1, 0, 0;\n\
                 setp.eq.u32 %p4, %r1, %r1;\nadd.u64 %rd20, %rd20, 2;\nadd.u64 %rd21, %rd21, 2;\n",
                accumulators.join(", ")
            )
            .replace("%p4, 1", if at == 0 { "%p4, 1" } else { "%p5, 1" })
            .replace("setp.eq.u32 %p4", "setp.eq.u32 %p5")
        })
        .collect();
    let stores: String = (0..16)
        .map(|pair| {
            let offset = pair % 2 * 8 * 256 + pair / 2 * 32;
            format!(
                "st.shared.v2.f32 [%r40+{offset}], {{%f{}, %f{}}};\n",
                2 * pair,
                2 * pair + 1
            )
        })
        .collect();
    format!(
        ".shared .align 1024 .b8 tile[49152];\n.shared .align 8 .b8 bars[32];\nmov.u32 %r1, %tid.x;\n\
         mov.u32 %r2, %cluster_ctarank;\nmov.u32 %r3, tile;\nmov.u32 %r4, bars;\nmov.u64 %rd1, a;\n\
         cvta.param.u64 %rd1, %rd1;\nmov.u64 %rd2, b;\ncvta.param.u64 %rd2, %rd2;\nmov.u64 %rd3, c;\n\
         cvta.param.u64 %rd3, %rd3;\nmov.u32 %r5, %ctaid.x;\nshl.b32 %r5, %r5, 6;\nsetp.eq.u32 %p1, %r1, 0;\n\
         @!%p1 bra opened;\n\
         mbarrier.init.shared::cta.b64 [bars], 1;\nmbarrier.init.shared::cta.b64 [bars+8], 1;\n\
         mbarrier.init.shared::cta.b64 [bars+16], 2;\nmbarrier.init.shared::cta.b64 [bars+24], 2;\n\
         fence.mbarrier_init.release.cluster;\nopened:\n\
         barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n\
         mov.u32 %r30, 0;\nmov.u32 %r31, 0;\nmov.u32 %r32, 0;\nsetp.ge.u32 %p3, %r1, 128;\n@%p3 bra producer;\n\
         setmaxnreg.inc.sync.aligned.u32 208;\n\
         consume: shl.b32 %r33, %r31, 3;\nadd.u32 %r33, %r33, %r4;\n\
         full: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r33], %r32;\n@!%p2 bra full;\n\
         shl.b32 %r34, %r31, 14;\nadd.u32 %r34, %r34, %r3;\nshr.u32 %r34, %r34, 4;\ncvt.u64.u32 %rd20, %r34;\n\
         mov.u64 %rd22, 0x4000004000010000;\nor.b64 %rd20, %rd20, %rd22;\nadd.u64 %rd21, %rd20, 512;\n\
         setp.ne.u32 %p4, %r30, 0;\nwgmma.fence.sync.aligned;\n{products}wgmma.commit_group.sync.aligned;\n\
         wgmma.wait_group.sync.aligned 0;\n\
         setp.lt.u32 %p6, %r1, 2;\n@!%p6 bra released;\nmapa.shared::cluster.u32 %r35, %r33, %r1;\n\
         mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r35+16];\nreleased:\n\
         xor.b32 %r31, %r31, 1;\nsetp.eq.u32 %p7, %r31, 0;\n@%p7 xor.b32 %r32, %r32, 1;\nadd.u32 %r30, %r30, 1;\n\
         setp.lt.u32 %p8, %r30, 5;\n@%p8 bra consume;\n\
         shr.u32 %r40, %r1, 5;\nshl.b32 %r40, %r40, 12;\nand.b32 %r41, %r1, 31;\nshr.u32 %r42, %r41, 2;\n\
         and.b32 %r41, %r41, 3;\nmad.lo.u32 %r40, %r42, 256, %r40;\nmad.lo.u32 %r40, %r41, 8, %r40;\n\
         add.u32 %r40, %r40, %r3;\nadd.u32 %r40, %r40, 32768;\n{stores}\
         fence.proxy.async.shared::cta;\nbar.sync 1, 128;\n@!%p1 bra end;\n\
         cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {{0, %r5}}], [tile+32768];\n\
         cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nbra end;\n\
         producer: setmaxnreg.dec.sync.aligned.u32 40;\nsetp.ne.u32 %p3, %r1, 128;\n@%p3 bra end;\n\
         mov.u32 %r32, 1;\nshl.b32 %r36, %r2, 5;\nshl.b32 %r37, %r2, 12;\nmov.u16 %rs1, 3;\n\
         produce: shl.b32 %r33, %r31, 3;\nadd.u32 %r33, %r33, %r4;\n\
         empty: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r33+16], %r32;\n@!%p2 bra empty;\n\
         mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [%r33], 16384;\n\
         shl.b32 %r34, %r31, 14;\nadd.u32 %r34, %r34, %r3;\nshl.b32 %r38, %r30, 6;\nadd.u32 %r39, %r34, %r37;\n\
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r34], [%rd1, {{%r38, %r5}}], [%r33];\n\
         cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r39+8192], [%rd2, {{%r38, %r36}}], [%r33], %rs1;\n\
         xor.b32 %r31, %r31, 1;\nsetp.eq.u32 %p7, %r31, 0;\n@%p7 xor.b32 %r32, %r32, 1;\nadd.u32 %r30, %r30, 1;\n\
         setp.lt.u32 %p8, %r30, 5;\n@%p8 bra produce;\n\
         end: barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\nret;"
    )
}

fn map(
    address: u64,
    element: &str,
    extents: [usize; 2],
    box_extents: [u32; 2],
    swizzle: TensorSwizzle,
) -> Arg {
    let size = if element == "f16" { 2 } else { 4 };
    let map = TensorMap {
        address,
        element: element.to_owned(),
        extents: extents.iter().map(|extent| *extent as u32).collect(),
        strides: vec![(extents[0] * size) as u64],
        selected: TensorBox::Tile(box_extents.to_vec()),
        steps: vec![1, 1],
        swizzle,
        fill_nan: false,
    };
    Arg::Scalar(map.encode().expect("a map").to_vec())
}

/// Multiplies two matrices with a cluster of two blocks, and compares all of the result.
fn multiply(text: &str, timing: Timing) -> Result<(), Box<Fault>> {
    let mut numbers = Numbers::new(11);
    let mut matrix = |rows: usize| -> Vec<f64> {
        (0..rows * K)
            .map(|_| f64::from((numbers.next() >> 20) as i32 % 16) / 4.0)
            .collect()
    };
    let (a, b) = (matrix(2 * M), matrix(N));
    let bytes = |values: &[f64]| {
        values
            .iter()
            .flat_map(|value| f16::from_f64(*value).to_le_bytes())
            .collect()
    };
    let mut device = Device::new();
    device.timing = timing;
    let left = device.alloc("a", a.len() * 2, Init::Data(bytes(&a)));
    let right = device.alloc("b", b.len() * 2, Init::Data(bytes(&b)));
    let out = device.alloc("c", 2 * M * N * 4, Init::Poison);
    let args = [
        map(
            device.address(left),
            "f16",
            [K, 2 * M],
            [64, 64],
            TensorSwizzle::B128,
        ),
        map(
            device.address(right),
            "f16",
            [K, N],
            [64, 32],
            TensorSwizzle::B128,
        ),
        map(
            device.address(out),
            "f32",
            [N, 2 * M],
            [64, 64],
            TensorSwizzle::None,
        ),
    ];
    let parameters: Vec<String> = ["a", "b", "c"]
        .map(|name| format!(".param .align 64 .b8 {name}[128]"))
        .to_vec();
    let text = kernel(
        &parameters.join(", "),
        ".maxnreg 128\n.reqnctapercluster 2, 1, 1",
        text,
    )
    .replace("%f<20>", "%f<40>");
    let (module, _) = read(&text);
    device.launch(&module, "k", [2, 1, 1], [256, 1, 1], 0, &args)?;
    for (at, word) in device.read(out).chunks_exact(4).enumerate() {
        let (row, column) = (at / N, at % N);
        let want: f64 = (0..K).map(|k| a[row * K + k] * b[column * K + k]).sum();
        let got = f32::from_le_bytes(word.try_into().expect("four"));
        assert_eq!(f64::from(got), want, "element {row}, {column}");
    }
    Ok(())
}

#[test]
fn a_pipeline_of_two_blocks_multiplies_matrices() {
    for timing in [Timing::Late, Timing::Early, Timing::Seeded(1), Timing::Seeded(2)] {
        multiply(&program(), timing).unwrap_or_else(|fault| panic!("{timing:?}: {fault}"));
    }
}

#[test]
fn each_mistake_in_the_pipeline_is_found() {
    let wrong = |from: &str, to: &str| {
        let text = program();
        assert!(text.contains(from), "{from}");
        match multiply(&text.replacen(from, to, 1), Timing::Late) {
            Ok(()) => panic!("no fault without {from}"),
            Err(fault) => fault.kind,
        }
    };
    let kind = wrong("fence.proxy.async.shared::cta;\n", "");
    assert!(
        matches!(kind, FaultKind::ProxyFence { writes: false, .. }),
        "{kind}"
    );
    let kind = wrong("bar.sync 1, 128;\n", "");
    assert!(
        matches!(kind, FaultKind::Race { .. } | FaultKind::Uninitialised { .. }),
        "{kind}"
    );
    let kind = wrong("cp.async.bulk.wait_group.read 0;\n", "");
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
    let kind = wrong("wgmma.fence.sync.aligned;\n", "");
    assert!(
        matches!(kind, FaultKind::PendingRegister { by_product: true, .. }),
        "{kind}"
    );
    let kind = wrong(
        "wgmma.wait_group.sync.aligned 0;\n",
        "wgmma.wait_group.sync.aligned 1;\n",
    );
    assert!(
        matches!(kind, FaultKind::Race { .. } | FaultKind::PendingRegister { .. }),
        "{kind}"
    );
    // A stage that is released before the products have read it.
    let kind = wrong(
        "wgmma.wait_group.sync.aligned 0;\nsetp.lt.u32 %p6, %r1, 2;\n@!%p6 bra released;\nmapa.shared::cluster.u32 %r35, %r33, %r1;\n\
         mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r35+16];\nreleased:\n",
        "setp.lt.u32 %p6, %r1, 2;\n@!%p6 bra released;\nmapa.shared::cluster.u32 %r35, %r33, %r1;\n\
         mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r35+16];\nreleased:\nwgmma.wait_group.sync.aligned 0;\n",
    );
    assert!(matches!(kind, FaultKind::Race { .. }), "{kind}");
    // A stage of which only the block's own consumer says that it is free.
    let kind = wrong(
        "setp.lt.u32 %p6, %r1, 2;\n@!%p6 bra released;\nmapa.shared::cluster.u32 %r35, %r33, %r1;\n",
        "setp.lt.u32 %p6, %r1, 2;\n@!%p6 bra released;\nmapa.shared::cluster.u32 %r35, %r33, %r2;\n",
    );
    assert!(matches!(kind, FaultKind::Race { .. }), "{kind}");
    // Too few bytes, so that a part comes after the phase, and too many.
    let kind = wrong("[%r33], 16384", "[%r33], 12288");
    assert!(
        matches!(kind, FaultKind::Race { .. } | FaultKind::Deadlock { .. }),
        "{kind}"
    );
    let kind = wrong("[%r33], 16384", "[%r33], 20480");
    assert!(matches!(kind, FaultKind::Deadlock { .. }), "{kind}");
    let kind = wrong(
        "end: barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n",
        "end:\n",
    );
    assert!(matches!(kind, FaultKind::EarlyEnd { .. }), "{kind}");
    let kind = wrong(
        "setmaxnreg.inc.sync.aligned.u32 208",
        "setmaxnreg.inc.sync.aligned.u32 224",
    );
    assert!(matches!(kind, FaultKind::Deadlock { .. }), "{kind}");
}
