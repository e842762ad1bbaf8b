//! Clusters of blocks, their shared memory and their barrier; warp groups that exchange registers.

use crate::support::{kernel, read};
use tilewright_simulator::{Device, Fault, FaultKind, Init, Party, WaitingFor};

/// Launches blocks of so many threads. `%rd1` is the output, `%rd2` the thread's word in it, `%r1` the thread in its
/// block, `%r2` the rank of the block and `%r3` its index in the grid.
fn launch(
    directives: &str,
    grid: [u32; 3],
    threads: u32,
    change: impl FnOnce(&mut Device),
    body: &str,
) -> Result<Vec<u32>, Box<Fault>> {
    let body = format!(
        ".shared .align 16 .b8 tile[1024];\n.shared .align 8 .b8 bars[16];\nld.param.u64 %rd1, [out];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\nmov.u32 %r3, %ctaid.x;\n\
         mad.lo.u32 %r4, %r3, {threads}, %r1;\nmad.wide.u32 %rd2, %r4, 4, %rd1;\n{body}\nret;"
    );
    let (module, _) = read(&kernel(".param .u64 out", directives, &body));
    let mut device = Device::new();
    device.step_limit = 200_000;
    change(&mut device);
    let out = device.alloc("out", 4096, Init::Data(vec![]));
    device.launch(&module, "k", grid, [threads, 1, 1], 0, &[out.into()])?;
    let words = device.read(out).chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
        .collect())
}

const PAIRS: &str = ".reqnctapercluster 2, 1, 1";

fn pairs(threads: u32, body: &str) -> Vec<u32> {
    launch(PAIRS, [4, 1, 1], threads, |_| {}, body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"))
}

fn fault(threads: u32, body: &str) -> FaultKind {
    match launch(PAIRS, [4, 1, 1], threads, |_| {}, body) {
        Ok(_) => panic!("no fault in\n{body}"),
        Err(fault) => fault.kind,
    }
}

fn misuse(threads: u32, body: &str) -> String {
    match fault(threads, body) {
        FaultKind::BarrierMisuse { reason } => reason,
        other => panic!("{other}"),
    }
}

const SYNC: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

/// The address of `tile` in the other block, in `%r7`; that of the thread's word there, in `%r9`.
const PEER: &str = "xor.b32 %r5, %r2, 1;\nmov.u32 %r6, tile;\nmapa.shared::cluster.u32 %r7, %r6, %r5;\n\
                    shl.b32 %r8, %r1, 2;\nadd.u32 %r9, %r7, %r8;\nadd.u32 %r8, %r6, %r8;\n";

#[test]
fn special_registers_describe_the_cluster() {
    let names = [
        "%clusterid.x",
        "%clusterid.y",
        "%nclusterid.x",
        "%nclusterid.y",
        "%cluster_ctaid.x",
        "%cluster_ctaid.y",
        "%cluster_nctaid.x",
        "%cluster_nctaid.y",
        "%cluster_ctarank",
        "%cluster_nctarank",
    ];
    let stores: String = (names.iter().enumerate())
        .map(|(at, name)| format!("mov.u32 %r7, {name};\nst.global.u32 [%rd2+{}], %r7;\n", 4 * at))
        .collect();
    let body = format!(
        "mov.u32 %r5, %ctaid.y;\nmad.lo.u32 %r5, %r5, 6, %r3;\nmad.wide.u32 %rd2, %r5, 64, %rd1;\n{stores}"
    );
    let got = launch(".reqnctapercluster 3, 2, 1", [6, 4, 1], 1, |_| {}, &body).expect("a clean run");
    for y in 0..4 {
        for x in 0..6 {
            let rank = x % 3 + y % 2 * 3;
            let want = [x / 3, y / 2, 2, 2, x % 3, y % 2, 3, 2, rank, 6];
            let at = ((y * 6 + x) * 16) as usize;
            assert_eq!(got[at..at + 10], want, "block {x}, {y}");
        }
    }
    // Without directives, a block is a cluster.
    let got = launch("", [6, 4, 1], 1, |_| {}, &body).expect("a clean run");
    assert_eq!(got[5 * 16..5 * 16 + 10], [5, 0, 6, 4, 0, 0, 1, 1, 0, 1]);
}

#[test]
fn shapes_of_clusters_are_checked() {
    let refusal = |directives: &str, grid, cluster: Option<[u32; 3]>| {
        let fault =
            launch(directives, grid, 32, |device| device.cluster = cluster, "").expect_err("a refusal");
        match fault.kind {
            FaultKind::Launch { reason } => reason,
            other => panic!("{other}"),
        }
    };
    assert_eq!(
        refusal(PAIRS, [3, 1, 1], None),
        "a grid of 3,1,1 blocks is not made of clusters of 2,1,1: along x, 3 is no multiple of 2"
    );
    assert_eq!(
        refusal("", [4, 3, 1], Some([2, 2, 1])),
        "a grid of 4,3,1 blocks is not made of clusters of 2,2,1: along y, 3 is no multiple of 2"
    );
    assert_eq!(
        refusal("", [32, 1, 1], Some([32, 1, 1])),
        "a cluster of 32,1,1 has 32 blocks, of 1 to 16"
    );
    assert_eq!(
        refusal(".maxclusterrank 4", [8, 1, 1], Some([8, 1, 1])),
        "a cluster of 8,1,1 has 8 blocks, of 1 to 4"
    );
    assert_eq!(
        refusal(PAIRS, [4, 1, 1], Some([4, 1, 1])),
        "the kernel requires clusters of 2,1,1 blocks, not 4,1,1"
    );
    assert_eq!(
        refusal(".explicitcluster", [4, 1, 1], None),
        "the kernel leaves the shape of its clusters to the launch, which does not say it"
    );
    assert_eq!(
        refusal(
            ".reqntid 32, 1, 1\n.reqnctapercluster 2, 1, 1\n.blocksareclusters",
            [u32::MAX, 1, 1],
            None
        ),
        "4294967295,1,1 clusters of 2,1,1 are too many blocks along x: 4294967295 times 2"
    );
    let rank = "st.global.u32 [%rd2], %r2;";
    let got = launch(
        ".explicitcluster",
        [4, 1, 1],
        1,
        |device| device.cluster = Some([4, 1, 1]),
        rank,
    );
    assert_eq!(got.expect("a clean run")[..4], [0, 1, 2, 3]);
    // The grid is given in clusters.
    let got = launch(
        ".reqntid 1, 1, 1\n.reqnctapercluster 2, 1, 1\n.blocksareclusters",
        [2, 1, 1],
        1,
        |_| {},
        rank,
    );
    assert_eq!(got.expect("a clean run")[..5], [0, 1, 0, 1, 0]);
}

#[test]
fn blocks_read_and_write_each_others_memory() {
    // Each thread writes its number in the grid to the other block, and reads there what that block wrote.
    let remote = format!(
        "{PEER}{SYNC}st.shared::cluster.u32 [%r9], %r4;\n{SYNC}ld.shared.u32 %r10, [%r8];\n\
         ld.shared::cluster.u32 %r11, [%r9];\nsub.u32 %r11, %r11, %r4;\nadd.u32 %r10, %r10, %r11;\n{SYNC}\
         st.global.u32 [%rd2], %r10;"
    );
    let want: Vec<u32> = (0..256).map(|at| at ^ 64).collect();
    assert_eq!(pairs(64, &remote)[..256], want);
    // Generic addresses.
    let generic = format!(
        "{PEER}{SYNC}cvta.shared.u64 %rd3, tile;\nmapa.u64 %rd3, %rd3, %r5;\nmul.wide.u32 %rd4, %r1, 4;\n\
         add.u64 %rd3, %rd3, %rd4;\nst.u32 [%rd3], %r4;\n{SYNC}ld.shared.u32 %r10, [%r8];\n\
         st.global.u32 [%rd2], %r10;"
    );
    assert_eq!(pairs(64, &generic)[..256], want);
    let ranks = format!(
        "{PEER}getctarank.shared::cluster.u32 %r10, %r7;\ngetctarank.shared::cluster.u32 %r11, %r6;\n\
         cvta.shared.u64 %rd3, tile;\nmapa.u64 %rd4, %rd3, %r5;\ngetctarank.u64 %r12, %rd4;\n\
         isspacep.shared::cluster %p1, %rd4;\nisspacep.shared::cta %p2, %rd4;\nselp.u32 %r13, 1, 0, %p1;\n\
         selp.u32 %r14, 1, 0, %p2;\nmad.lo.u32 %r10, %r10, 10, %r11;\nmad.lo.u32 %r10, %r10, 10, %r12;\n\
         mad.lo.u32 %r10, %r10, 10, %r13;\nmad.lo.u32 %r10, %r10, 10, %r14;\nst.global.u32 [%rd2], %r10;"
    );
    assert_eq!(pairs(1, &ranks)[..4], [10110, 1010, 10110, 1010]);
    let atomic = format!(
        "{PEER}mov.u32 %r10, 5;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [tile], %r10;\n{SYNC}\
         atom.shared::cluster.add.u32 %r11, [%r7], 1;\n{SYNC}ld.shared.u32 %r10, [tile];\n\
         st.global.u32 [%rd2], %r10;"
    );
    assert_eq!(pairs(32, &atomic)[..128], [37; 128]);
}

#[test]
fn races_between_blocks_of_a_cluster_are_found() {
    let body = |sync: &str| {
        format!(
            "{PEER}{SYNC}st.shared::cluster.u32 [%r9], %r4;\n{sync}ld.shared.u32 %r10, [%r8];\n{SYNC}\
             st.global.u32 [%rd2], %r10;"
        )
    };
    pairs(32, &body(SYNC));
    // The block's own barrier does not order the other block, nor does an arrival without release.
    let relaxed = "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n";
    for sync in ["bar.sync 0;\n", relaxed] {
        match fault(32, &body(sync)) {
            FaultKind::Race {
                other: Party::Peer { warp: 0, .. },
                ..
            }
            | FaultKind::Uninitialised { .. } => {}
            other => panic!("{other}"),
        }
    }
    let FaultKind::Race { other, .. } = fault(32, &body(relaxed)) else {
        panic!("no race")
    };
    assert_eq!(other.to_string(), "warp 0 of block 1 of the cluster");
}

#[test]
fn an_atomic_access_of_one_block_of_a_cluster_is_none_to_the_other() {
    // Both blocks add to the first word of their cluster.
    let place = "mov.u32 %r5, %clusterid.x;\nmad.wide.u32 %rd3, %r5, 4, %rd1;\n";
    let body = |first: &str, second: &str| {
        format!(
            "{place}setp.eq.u32 %p1, %r2, 0;\n@%p1 red{first}.global.add.u32 [%rd3], 1;\n@!%p1 \
             red{second}.global.add.u32 [%rd3], 1;"
        )
    };
    let (block, cluster) = (".relaxed.cta", ".relaxed.cluster");
    for wide in [cluster, ".release.gpu", ".relaxed.sys", ""] {
        assert_eq!(pairs(32, &body(cluster, wide))[..2], [64, 64], "{wide}");
        for [first, second] in [[block, wide], [wide, block]] {
            let kind = fault(32, &body(first, second));
            let FaultKind::NarrowScope { other, .. } = &kind else {
                panic!("{kind}")
            };
            assert_eq!(other.to_string(), "warp 0 of block 0 of the cluster");
        }
    }
    // A barrier of the cluster is in between, or what both do in a wider scope.
    let meeting = "red.release.cluster.global.add.u32 [%rd1+64], 1;\n";
    for between in [SYNC, meeting] {
        let body = body(block, block).replace("\n@!%p1", &format!("\n{between}@!%p1"));
        assert_eq!(pairs(32, &body)[..2], [64, 64], "{between}");
    }
    // Reads alone do not race, nor do the warps of one block.
    let reads = format!("{place}ld.relaxed.cta.global.u32 %r5, [%rd3];");
    pairs(32, &reads);
    let own = "mad.wide.u32 %rd3, %r3, 4, %rd1;\nred.relaxed.cta.global.add.u32 [%rd3], 1;";
    assert_eq!(pairs(64, own)[..4], [64; 4]);
}

#[test]
fn a_block_is_accessed_while_it_runs() {
    let body =
        |before: &str, after: &str| format!("{PEER}{before}st.shared::cluster.u32 [%r9], %r4;\n{after}");
    pairs(32, &body(SYNC, SYNC));
    assert_eq!(
        fault(32, &body("", SYNC)),
        FaultKind::AbsentBlock {
            rank: 1,
            ended: false
        }
    );
    // The second block does not wait for the access of the first.
    let leaves = "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra gone;\nmov.u32 %r12, 0;\nloop: add.u32 %r12, %r12, 1;\n\
                  setp.lt.u32 %p2, %r12, 2000;\n@%p2 bra loop;\n";
    assert_eq!(
        fault(32, &body(&format!("{SYNC}{leaves}"), "gone:")),
        FaultKind::AbsentBlock { rank: 1, ended: true }
    );
    assert_eq!(
        fault(
            32,
            "mov.u32 %r6, tile;\nmov.u32 %r5, 2;\nmapa.shared::cluster.u32 %r7, %r6, %r5;"
        ),
        FaultKind::NoSuchBlock { rank: 2, blocks: 2 }
    );
}

#[test]
fn mbarriers_are_signalled_across_the_cluster() {
    // The threads of each block arrive at the mbarrier of the other after a write there.
    let body = |wait: &str| {
        format!(
            "{PEER}setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bars], 32;\n\
             fence.mbarrier_init.release.cluster;\n{SYNC}st.shared::cluster.u32 [%r9], %r4;\nmov.u32 %r10, bars;\n\
             mapa.shared::cluster.u32 %r10, %r10, %r5;\n\
             mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];\n{wait}\
             ld.shared.u32 %r11, [%r8];\n{SYNC}st.global.u32 [%rd2], %r11;"
        )
    };
    let wait =
        "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bars], 0;\n@!%p2 bra again;\n";
    let want: Vec<u32> = (0..128).map(|at| at ^ 32).collect();
    assert_eq!(pairs(32, &body(wait))[..128], want);
    assert!(matches!(
        fault(32, &body("")),
        FaultKind::Race { .. } | FaultKind::Uninitialised { .. }
    ));
    // An address that names the block's own memory by its rank.
    let own = "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r10, bars;\nmapa.shared::cluster.u32 %r10, %r10, %r2;\n\
               @%p1 mbarrier.init.shared::cta.b64 [bars], 32;\nbar.sync 0;\n\
               mbarrier.arrive.shared::cluster.b64 _, [%r10];\ncvta.shared.u64 %rd6, bars;\nmapa.u64 %rd6, %rd6, %r2;\nmbarrier.test_wait.parity.b64 %p2, [%rd6], 0;\n\
               selp.u32 %r11, 1, 0, %p2;\nst.global.u32 [%rd2], %r11;";
    assert_eq!(pairs(32, own)[..128], [1; 128]);
}

#[test]
fn the_clusters_barrier_is_used_by_its_protocol() {
    let missing = "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra other;\nbarrier.cluster.arrive.aligned;\n\
                   barrier.cluster.wait.aligned;\nret;\nother: setp.eq.u32 %p2, %r1, 0;\n\
                   @%p2 mbarrier.init.shared::cta.b64 [bars], 1;\nbar.sync 0;\n\
                   again: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bars], 0;\n@!%p3 bra again;";
    let FaultKind::Deadlock { waits } = fault(32, missing) else {
        panic!("no deadlock")
    };
    assert_eq!(waits.len(), 2);
    assert_eq!(waits[0].on, WaitingFor::Cluster { arrived: 32 });
    assert_eq!(
        waits[0].to_string(),
        "block 0 of the cluster, warp 0, lanes 0xffffffff: at the cluster's barrier, 32 threads arrived of all"
    );
    assert_eq!((waits[0].rank, waits[1].rank), (Some(0), Some(1)));
    // Threads that have exited do not take part.
    let left = format!("setp.eq.u32 %p1, %r2, 1;\n@%p1 ret;\n{SYNC}st.global.u32 [%rd2], %r3;");
    assert_eq!(pairs(1, &left)[..4], [0, 0, 2, 0]);
    // Between the halves of the barrier a thread does other things.
    let split = "barrier.cluster.arrive.release;\nadd.u32 %r3, %r3, 1;\nbarrier.cluster.wait.acquire;\n\
                 st.global.u32 [%rd2], %r3;";
    assert_eq!(pairs(1, split)[..4], [1, 2, 3, 4]);
    assert!(misuse(32, "barrier.cluster.wait;").contains("has not arrived"));
    assert!(misuse(32, "barrier.cluster.arrive;\nbarrier.cluster.arrive;").contains("twice"));
    let diverged = "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra a;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait;\n\
                    ret;\na: barrier.cluster.arrive.aligned;\nbarrier.cluster.wait;";
    assert!(matches!(fault(32, diverged), FaultKind::DivergentBarrier { .. }));
}

/// Two warp groups; the second releases or requests so many registers, the first requests `wanted`.
fn exchange(directives: &str, change: &str, wanted: u32) -> Result<Vec<u32>, Box<Fault>> {
    let body = format!(
        "setp.lt.u32 %p1, %r1, 128;\n@%p1 bra first;\nsetmaxnreg.{change};\nret;\n\
         first: setmaxnreg.inc.sync.aligned.u32 {wanted};\nst.global.u32 [%rd2], %r1;"
    );
    launch(directives, [1, 1, 1], 256, |_| {}, &body)
}

#[test]
fn warp_groups_exchange_registers() {
    let limit = ".maxnreg 128";
    let got = exchange(limit, "dec.sync.aligned.u32 40", 216).expect("as many as are released");
    assert_eq!(got[..128], (0..128).collect::<Vec<u32>>());
    let kind = exchange(limit, "dec.sync.aligned.u32 40", 224)
        .expect_err("too many")
        .kind;
    let FaultKind::Deadlock { waits } = kind else {
        panic!("{kind}")
    };
    assert_eq!(
        waits[0].on,
        WaitingFor::Registers {
            wanted: 96 * 32,
            free: 88 * 4 * 32 - 3 * 96 * 32
        }
    );
    // 256 registers a thread fill the multiprocessor.
    let threads = ".reqntid 256, 1, 1";
    assert!(exchange(threads, "dec.sync.aligned.u32 256", 256).is_ok());
    // The number at the start is not known: a hint without effect.
    assert!(exchange("", "dec.sync.aligned.u32 40", 232).is_ok());
}

#[test]
fn registers_are_changed_by_whole_warp_groups_and_in_the_right_direction() {
    let misuse = |result: Result<Vec<u32>, Box<Fault>>| match result.expect_err("a fault").kind {
        FaultKind::WarpGroupMisuse { reason } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(
        misuse(exchange(".maxnreg 128", "dec.sync.aligned.u32 136", 128)),
        "`setmaxnreg.dec` to 136 registers, of 128"
    );
    assert_eq!(
        misuse(exchange(".maxnreg 128", "inc.sync.aligned.u32 40", 128)),
        "`setmaxnreg.inc` to 40 registers, of 128"
    );
    let part =
        "shr.u32 %r5, %r1, 5;\nsetp.eq.u32 %p1, %r5, 2;\n@!%p1 ret;\nsetmaxnreg.dec.sync.aligned.u32 40;";
    let reason = misuse(launch(".maxnreg 128", [1, 1, 1], 128, |_| {}, part));
    assert!(reason.contains("[128, 128, 40, 128] registers"), "{reason}");
}
