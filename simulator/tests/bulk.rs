//! Bulk copies: their effects, and each misuse next to a correct program.

use crate::support::{input_word, kernel, read, with_input};
use tilewright_simulator::{Device, Fault, FaultKind, Init, Party, Timing, WaitingFor};

fn run(threads: u32, body: &str) -> Vec<u32> {
    with_input(threads, body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"))
}

fn fault(threads: u32, body: &str) -> FaultKind {
    match with_input(threads, body) {
        Ok(_) => panic!("no fault in\n{body}"),
        Err(fault) => fault,
    }
}

fn misuse(threads: u32, body: &str) -> String {
    match fault(threads, body) {
        FaultKind::CopyMisuse { reason } => reason,
        other => panic!("{other}\nin\n{body}"),
    }
}

/// Initialises `count` mbarriers with one arrival each. `%p1` is true in the first thread.
fn open(count: u32) -> String {
    let inits: String = (0..count)
        .map(|at| format!("@%p1 mbarrier.init.shared::cta.b64 [bars+{}], 1;\n", 8 * at))
        .collect();
    format!("setp.eq.u32 %p1, %r1, 0;\n{inits}fence.mbarrier_init.release.cluster;\nbar.sync 0;\n")
}

/// The first thread expects bytes at an mbarrier and copies so many from the input to `tile`.
fn load(expected: u32, bytes: u32, mbarrier: u32) -> String {
    let to = mbarrier * 64;
    format!(
        "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [bars+{mbarrier}], {expected};\n\
         @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{to}], [%rd1], {bytes}, [bars+{mbarrier}];\n"
    )
}

/// Waits for a phase of an mbarrier.
fn wait(mbarrier: u32, parity: u32) -> String {
    format!(
        "w{mbarrier}_{parity}:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bars+{mbarrier}], {parity};\n\
         @!%p2 bra w{mbarrier}_{parity};\n"
    )
}

/// The offset of the mbarriers, which follow `tile`.
const BARS: u64 = 8192;

/// Each thread stores its word of `tile`.
const READ: &str =
    "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd2], %r5;\n";

/// Separates the accesses of a warp from those through the async proxy.
const FENCE: &str = "fence.proxy.async.shared::cta;\n";

/// Keeps the second warp busy until the first has continued as far as it can.
const DELAY: &str = "mov.u32 %r15, 0;\nsetp.lt.u32 %p6, %r1, 32;\n@%p6 bra now;\nlater: add.u32 %r15, %r15, 1;\n\
                     setp.lt.u32 %p7, %r15, 3000;\n@%p7 bra later;\nnow:\n";

fn input(threads: u32) -> Vec<u32> {
    (0..threads).map(input_word).collect()
}

#[test]
fn a_bulk_copy_is_visible_after_the_phase_of_its_mbarrier() {
    let start = format!("{}{}", open(1), load(256, 256, 0));
    assert_eq!(run(64, &format!("{start}{}{READ}", wait(0, 0))), input(64));
    let wait_in_first = format!("@!%p1 bra skip;\n{}skip:\n", wait(0, 0));
    let later = [
        ("bar.sync 0;\n", Party::TransferUnderWay { mbarrier: BARS }),
        // Only a thread of the first warp waits.
        (&wait_in_first, Party::Transfer { mbarrier: BARS }),
    ];
    for (sync, party) in later {
        // The first warp ends only after the second has read.
        let only_second = format!(
            "{DELAY}setp.lt.u32 %p3, %r1, 32;\n@%p3 bra out;\n{READ}out:\nbar.sync 1;\n{}",
            wait(0, 0).replace("w0", "z0")
        );
        match fault(64, &format!("{start}{sync}{only_second}")) {
            FaultKind::Race {
                other,
                other_wrote: true,
                writes: false,
                ..
            } => assert_eq!(other, party, "{sync}"),
            other => panic!("{other}\nin\n{sync}"),
        }
    }
    // With a barrier after the wait it is visible to all.
    assert_eq!(
        run(64, &format!("{start}{wait_in_first}bar.sync 0;\n{READ}")),
        input(64)
    );
}

#[test]
fn transaction_bytes_add_up() {
    let with = |expected, bytes| format!("{}{}{}{READ}", open(1), load(expected, bytes, 0), wait(0, 0));
    run(64, &with(256, 256));
    for (expected, missing) in [(272, 16), (128, -128)] {
        let FaultKind::Deadlock { waits } = fault(64, &with(expected, 256)) else {
            panic!("no deadlock")
        };
        let on = WaitingFor::Mbarrier {
            address: BARS,
            phase: 0,
            pending: 0,
            bytes: missing,
        };
        assert_eq!(waits[0].on, on);
        assert!(
            missing > 0
                || waits[0]
                    .to_string()
                    .ends_with("0 arrivals missing and 128 bytes too many")
        );
    }
    // Without bytes to wait for, the phase is complete before the copy.
    let without = load(256, 256, 0)
        .replace(".expect_tx", "")
        .replace(", 256;\n@%p1 cp", ";\n@%p1 cp");
    let kind = fault(64, &format!("{}{without}{}{READ}", open(1), wait(0, 0)));
    assert!(
        matches!(
            kind,
            FaultKind::Race {
                other: Party::Transfer { mbarrier: BARS },
                ..
            }
        ),
        "{kind}"
    );
}

#[test]
fn a_wait_for_another_mbarrier_is_not_enough() {
    let both = format!(
        "{}{}{}",
        open(2),
        load(256, 256, 0),
        load(64, 64, 8).replace("tile+512", "tile+1024")
    );
    let waits = format!("{}{}", wait(0, 0), wait(8, 0));
    assert_eq!(run(64, &format!("{both}{waits}{READ}")), input(64));
    let kind = fault(64, &format!("{both}{}{READ}", wait(8, 0)));
    assert!(
        matches!(
            kind,
            FaultKind::Race {
                other: Party::TransferUnderWay { mbarrier: BARS },
                ..
            }
        ),
        "{kind}"
    );
}

#[test]
fn a_stage_is_released_after_it_is_read() {
    // Two phases of one stage; the threads arrive at the second mbarrier when they have read.
    let body = |release: &str, read: &str, producer: &str| {
        format!(
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bars], 1;\n\
             @%p1 mbarrier.init.shared::cta.b64 [bars+8], 64;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n\
             setp.ge.u32 %p3, %r1, 64;\n@%p3 bra producer;\n{}{release}{read}{}{}ret;\n\
             producer:\nsetp.eq.u32 %p1, %r1, 64;\n{}{}{producer}{}",
            wait(0, 0),
            wait(0, 1),
            READ.replace("%r4", "%r14"),
            load(256, 256, 0),
            wait(8, 0),
            load(256, 256, 0),
        )
    };
    let arrive = "mbarrier.arrive.shared::cta.b64 %rd4, [bars+8];\n";
    let fenced = format!("{FENCE}{arrive}");
    run(96, &body(READ, &fenced, ""));
    match fault(96, &body(&fenced, READ, "")) {
        FaultKind::Race {
            other: Party::Warp(_) | Party::TransferUnderWay { .. } | Party::Transfer { .. },
            ..
        } => {}
        other => panic!("{other}"),
    }
    // The arrival may overtake the read: the fence is the reader's, and after the read.
    for (release, read, producer) in [
        (READ, arrive, ""),
        (READ, arrive, FENCE),
        (FENCE, &format!("{READ}{arrive}"), ""),
    ] {
        let kind = fault(96, &body(release, read, producer));
        assert_eq!(
            kind.to_string(),
            "missing proxy fence: the async proxy writes shared byte 0x0, which warp 0 read with no `fence.proxy.async` of \
             its own between"
        );
    }
}

#[test]
fn a_read_without_a_fence_is_not_hidden_by_a_copy_that_reads_too() {
    let reads = |first: &str, then: &str| {
        format!(
            "{}{}{}{first}@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 256;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n{then}bar.sync 0;\n{}",
            open(1),
            load(256, 256, 0),
            wait(0, 0),
            load(256, 256, 0),
        )
    };
    let rest = wait(0, 1);
    let read = "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nld.shared.u32 %r5, [%r4];\n";
    run(64, &format!("{}{rest}", reads("", "")));
    run(64, &format!("{}{rest}", reads(read, FENCE)));
    for unfenced in [reads(read, ""), reads("", read)] {
        let kind = fault(64, &format!("{unfenced}{rest}"));
        let FaultKind::ProxyFence {
            other: Party::Warp(0),
            other_wrote: false,
            writes: true,
            ..
        } = kind
        else {
            panic!("{kind}")
        };
    }
}

#[test]
fn a_proxy_fence_is_between_ordinary_writes_and_bulk_copies() {
    let store = |fence: &str, sync: &str| {
        format!(
            "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nst.shared.u32 [%r4], %r1;\n{fence}{sync}\
             setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 256;\n\
             cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
        )
    };
    assert_eq!(
        run(64, &store(FENCE, "bar.sync 0;\n")),
        (0..64).collect::<Vec<_>>()
    );
    match fault(64, &store("", "bar.sync 0;\n")) {
        FaultKind::ProxyFence {
            writes: false,
            other: Party::Warp(0),
            ..
        } => {}
        other => panic!("{other}"),
    }
    assert_eq!(
        fault(64, &store("", "bar.sync 0;\n")).to_string(),
        "missing proxy fence: the async proxy reads shared byte 0x0, which warp 0 wrote with no `fence.proxy.async` between"
    );
    // A copy to bytes that were written needs one as well.
    let overwritten = |fence: &str| {
        format!(
            "{}@%p1 st.shared.u32 [tile], %r1;\n{fence}{}{}{READ}",
            open(1),
            load(256, 256, 0),
            wait(0, 0)
        )
    };
    assert_eq!(run(64, &overwritten(FENCE)), input(64));
    let kind = fault(64, &overwritten(""));
    assert!(
        matches!(kind, FaultKind::ProxyFence { writes: true, .. }),
        "{kind}"
    );
}

/// Fills `tile` with the threads' numbers; the first thread copies 256 bytes of it to the output in one group.
const SEND: &str = "shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nst.shared.u32 [%r4], %r1;\n\
                    fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n\
                    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd2], [tile], 256;\ncp.async.bulk.commit_group;\n";

#[test]
fn the_source_and_destination_of_a_store_are_left_alone_until_the_wait() {
    let overwrite = "st.shared.u32 [%r4], %r3;\n";
    let reread = "ld.global.u32 %r5, [%rd2];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd2], %r5;\n";
    let (read, all) = (
        "cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n",
        "cp.async.bulk.wait_group 0;\nbar.sync 0;\n",
    );
    let numbers: Vec<u32> = (0..64).collect();
    assert_eq!(
        run(64, &format!("{SEND}{read}{overwrite}")),
        numbers,
        "written when the block ends"
    );
    assert_eq!(
        run(64, &format!("{SEND}{all}{reread}")),
        (1..65).collect::<Vec<_>>()
    );
    for sync in ["bar.sync 0;\n", "cp.async.bulk.wait_group.read 1;\nbar.sync 0;\n"] {
        match fault(64, &format!("{SEND}{sync}{overwrite}{all}")) {
            FaultKind::Race {
                other: Party::CopyUnderWay { warp: 0 },
                other_wrote: false,
                writes: true,
                nearest: None,
                ..
            } => {}
            other => panic!("{other}"),
        }
    }
    // Another warp, with no barrier after the wait.
    let kind = fault(
        64,
        &format!(
            "{SEND}cp.async.bulk.wait_group.read 0;\n{DELAY}setp.ge.u32 %p3, %r1, 32;\n@%p3 st.shared.u32 [tile], %r3;\n"
        ),
    );
    assert!(
        matches!(
            kind,
            FaultKind::Race {
                other_wrote: false,
                writes: true,
                ..
            }
        ),
        "{kind}"
    );
    for sync in ["", read] {
        match fault(64, &format!("{SEND}{sync}{reread}{all}")) {
            FaultKind::Race {
                other: Party::CopyUnderWay { warp: 0 },
                other_wrote: true,
                nearest: Some(_),
                ..
            } => {}
            other => panic!("{other}"),
        }
    }
    assert!(misuse(64, SEND).contains("ends while it still reads"));
    let pending = format!("{}{}", open(1), load(256, 256, 0));
    assert!(misuse(32, &pending).contains("ends while it still writes"));
    run(32, &format!("{pending}{}", wait(0, 0)));
}

#[test]
fn the_source_of_a_load_is_not_written_until_it_is_complete() {
    let start = format!("{}{}", open(1), load(256, 256, 0));
    let write = "setp.eq.u32 %p3, %r1, 3;\n@%p3 st.global.u32 [%rd1+128], %r1;\n";
    run(64, &format!("{start}{}{write}", wait(0, 0)));
    match fault(64, &format!("{start}{write}{}", wait(0, 0))) {
        FaultKind::Race {
            other: Party::CopyUnderWay { warp: 0 },
            other_wrote: false,
            writes: true,
            nearest: Some(_),
            ..
        } => {}
        other => panic!("{other}"),
    }
}

#[test]
fn groups_of_stores_complete_from_the_oldest() {
    let body = |left: u32| {
        format!(
            "{SEND}@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 16;\ncp.async.bulk.commit_group;\n\
             cp.async.bulk.wait_group {left};\n@%p1 ld.global.u32 %r5, [%rd2+4];\n@%p1 ld.global.u32 %r6, [%rd1+4];\n\
             cp.async.bulk.wait_group 0;"
        )
    };
    run(64, &body(0));
    let FaultKind::Race {
        nearest: Some(nearest),
        ..
    } = fault(64, &body(1))
    else {
        panic!("no race")
    };
    assert_eq!(nearest.name, "in", "the later copy is pending");
}

#[test]
fn reductions_combine_with_global_memory() {
    for (op, f) in [
        (
            "add.u32",
            (|old, new| u32::wrapping_add(old, new)) as fn(u32, u32) -> u32,
        ),
        ("max.u32", u32::max),
        ("min.s32", u32::min),
        ("xor.b32", |old, new| old ^ new),
        ("inc.u32", |old, new| if old >= new { 0 } else { old + 1 }),
    ] {
        let send = SEND.replace(
            "cp.async.bulk.global.shared::cta.bulk_group",
            &format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}"),
        );
        let body = format!(
            "xor.b32 %r5, %r1, 7;\nst.global.u32 [%rd2], %r5;\nbar.sync 0;\n{send}cp.async.bulk.wait_group 0;"
        );
        let want: Vec<u32> = (0..64).map(|at| f(at ^ 7, at)).collect();
        assert_eq!(run(64, &body), want, "{op}");
    }
    // Two reductions at once are in order enough, a copy and a reduction are not.
    let reduce = "@%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd2], [tile], 256;\n\
                  cp.async.bulk.commit_group;\n";
    let two = SEND.replace(
        "cp.async.bulk.global.shared::cta.bulk_group",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
    );
    let body = format!("{two}{reduce}cp.async.bulk.wait_group 0;");
    assert_eq!(run(64, &body), (0..64).map(|at| 2 * at).collect::<Vec<_>>());
    let kind = fault(64, &format!("{SEND}{reduce}cp.async.bulk.wait_group 0;"));
    assert!(
        matches!(
            kind,
            FaultKind::Race {
                other: Party::CopyUnderWay { .. },
                ..
            }
        ),
        "{kind}"
    );
}

#[test]
fn bulk_copies_are_checked() {
    let with = |change: (&str, &str)| format!("{}{}", open(1), load(256, 256, 0)).replace(change.0, change.1);
    assert_eq!(
        misuse(32, &with(("[%rd1], 256", "[%rd1], 250"))),
        "its size of 250 bytes is no multiple of 16"
    );
    for change in [("[%rd1]", "[%rd1+8]"), ("[tile+0]", "[tile+8]")] {
        let kind = fault(32, &with(change));
        assert!(matches!(kind, FaultKind::Misaligned { size: 16, .. }), "{kind}");
    }
    for change in [("[%rd1]", "[%rd1+16256]"), ("[tile+0]", "[tile+8192]")] {
        let kind = fault(32, &with(change));
        assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind}");
    }
    let kind = fault(32, &with(("256, [bars+0]", "256, [bars+32]")));
    assert!(matches!(kind, FaultKind::BarrierMisuse { .. }), "{kind}");
}

/// Launches clusters of so many blocks of 32 threads, with bulk copies at the time given.
fn cluster(blocks: u32, timing: Timing, body: &str) -> Result<Vec<u32>, Box<Fault>> {
    let body = format!(
        ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b8 bars[64];\nld.param.u64 %rd1, [in];\n\
         ld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\nmov.u32 %r3, tile;\n\
         mov.u32 %r20, bars;\nmad.lo.u32 %r21, %r2, 32, %r1;\nmad.wide.u32 %rd2, %r21, 4, %rd2;\n{body}\nret;"
    );
    let directive = format!(".reqnctapercluster {blocks}, 1, 1");
    let (module, _) = read(&kernel(".param .u64 in, .param .u64 out", &directive, &body));
    let mut device = Device::new();
    device.step_limit = 200_000;
    device.timing = timing;
    let data = (0..1024).flat_map(|at| input_word(at).to_le_bytes()).collect();
    let input = device.alloc("in", 4096, Init::Data(data));
    let out = device.alloc("out", blocks as usize * 128, Init::Data(vec![]));
    device.launch(
        &module,
        "k",
        [blocks, 1, 1],
        [32, 1, 1],
        0,
        &[input.into(), out.into()],
    )?;
    let words = device.read(out).chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
        .collect())
}

const ALL_TIMES: [Timing; 4] = [Timing::Late, Timing::Early, Timing::Seeded(1), Timing::Seeded(2)];
const SYNC: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

#[test]
fn a_multicast_copy_completes_in_every_block_of_its_mask() {
    // The first block copies to the blocks 0, 2 and 3; each expects its own bytes.
    let body = |mask: u32, sync: &str| {
        format!(
            "{}{SYNC}setp.ne.u32 %p3, %r2, 1;\n@%p1 setp.ne.u32 %p4, %r2, 1;\n\
             @!%p1 bra go;\n@%p3 mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [bars], 128;\ngo:\n{sync}\
             setp.eq.u32 %p5, %r2, 0;\n@!%p5 bra went;\n@!%p1 bra went;\nmov.u16 %rs1, {mask};\n\
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd1], 128, [bars], %rs1;\n\
             went:\n@!%p3 bra out;\n{}{READ}out:\n{SYNC}",
            open(1),
            wait(0, 0)
        )
    };
    let want: Vec<u32> = (0..128)
        .map(|at| if at / 32 == 1 { 0 } else { input_word(at % 32) })
        .collect();
    for timing in ALL_TIMES {
        assert_eq!(
            cluster(4, timing, &body(13, "")).expect("a clean run"),
            want,
            "{timing:?}"
        );
    }
    let kind = cluster(4, Timing::Late, &body(5, ""))
        .expect_err("a missing block")
        .kind;
    let FaultKind::Deadlock { waits } = kind else {
        panic!("{kind}")
    };
    assert!(
        waits
            .iter()
            .any(|wait| wait.rank == Some(3) && matches!(wait.on, WaitingFor::Mbarrier { bytes: 128, .. }))
    );
    let kind = cluster(4, Timing::Late, &body(29, ""))
        .expect_err("no such block")
        .kind;
    assert_eq!(kind, FaultKind::NoSuchBlock { rank: 4, blocks: 4 });
    let kind = cluster(4, Timing::Late, &body(0, "")).expect_err("nobody").kind;
    assert!(matches!(kind, FaultKind::CopyMisuse { .. }), "{kind}");
}

/// The addresses of `tile` and `bars` in the other block of a pair, in `%r7` and `%r8`.
const PEER: &str = "xor.b32 %r5, %r2, 1;\nmapa.shared::cluster.u32 %r7, %r3, %r5;\nmapa.shared::cluster.u32 %r8, %r20, %r5;\n";

#[test]
fn blocks_copy_to_each_others_memory() {
    let copy = |source: &str, mbarrier: &str, write: &str| {
        format!(
            "{}{PEER}shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nst.shared.u32 [%r4], %r21;\n\
             fence.proxy.async.shared::cta;\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [bars], 128;\n{SYNC}\
             @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7+256], [{source}], 128, [{mbarrier}];\n\
             {write}{}ld.shared.u32 %r5, [%r4+256];\nst.global.u32 [%rd2], %r5;\n{SYNC}",
            open(1),
            wait(0, 0)
        )
    };
    let want: Vec<u32> = (0..64).map(|at| at ^ 32).collect();
    for timing in ALL_TIMES {
        assert_eq!(
            cluster(2, timing, &copy("tile", "%r8", "")).expect("a clean run"),
            want
        );
    }
    let kind = cluster(2, Timing::Late, &copy("tile", "bars", ""))
        .expect_err("the wrong mbarrier")
        .kind;
    let FaultKind::CopyMisuse { reason } = kind else {
        panic!("{kind}")
    };
    assert!(
        reason.contains("of the cluster, its mbarrier in block"),
        "{reason}"
    );
    let write = "st.shared.u32 [%r4], %r1;\n";
    let kind = cluster(2, Timing::Late, &copy("tile", "%r8", write))
        .expect_err("a race")
        .kind;
    assert!(
        matches!(
            kind,
            FaultKind::Race {
                other: Party::CopyUnderWay { .. },
                writes: true,
                ..
            }
        ),
        "{kind}"
    );
    // Registers instead of memory.
    let words = |sync: &str| {
        format!(
            "{}{PEER}shl.b32 %r4, %r1, 2;\nadd.u32 %r9, %r4, %r7;\nadd.u32 %r4, %r4, %r3;\n\
             @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [bars], 128;\n{SYNC}\
             st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r9], %r21, [%r8];\n\
             {sync}ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd2], %r5;\n{SYNC}",
            open(1)
        )
    };
    for timing in ALL_TIMES {
        assert_eq!(
            cluster(2, timing, &words(&wait(0, 0))).expect("a clean run"),
            want
        );
    }
    let kind = cluster(2, Timing::Late, &words(SYNC)).expect_err("no wait").kind;
    assert!(
        matches!(
            kind,
            FaultKind::Race {
                other: Party::TransferUnderWay { .. },
                ..
            }
        ),
        "{kind}"
    );
}

#[test]
fn faults_do_not_depend_on_when_copies_are_complete() {
    let early = format!("{}{}{READ}{}", open(1), load(128, 128, 0), wait(0, 0));
    let clean = format!("{}{}{}{READ}", open(1), load(128, 128, 0), wait(0, 0));
    for timing in ALL_TIMES {
        let kind = cluster(1, timing, &early).expect_err("a race").kind;
        assert!(
            matches!(
                kind,
                FaultKind::Race {
                    other_wrote: true,
                    writes: false,
                    ..
                }
            ),
            "{timing:?}: {kind}"
        );
        assert_eq!(cluster(1, timing, &clean).expect("a clean run"), input(32));
    }
}

#[test]
fn a_fence_follows_the_initialisation_of_an_mbarrier_that_counts_bytes() {
    let rest = format!("{}{}{READ}", load(256, 256, 0), wait(0, 0));
    for fence in ["fence.mbarrier_init.release.cluster;\n", "fence.proxy.async;\n"] {
        let opened = open(1).replace("fence.mbarrier_init.release.cluster;\n", fence);
        assert_eq!(run(64, &format!("{opened}{rest}")), input(64));
    }
    let unfenced = open(1).replace("fence.mbarrier_init.release.cluster;\n", "");
    match fault(64, &format!("{unfenced}{rest}")) {
        FaultKind::BarrierMisuse { reason } => assert!(reason.contains("fence.mbarrier_init"), "{reason}"),
        other => panic!("{other}"),
    }
}

/// The second warp waits for the second phase, and comes late: the parity would have been that of a complete phase before.
#[test]
fn a_parity_may_stand_for_an_earlier_phase_unless_the_thread_knows_better() {
    let phases = format!(
        "setp.ge.u32 %p8, %r1, 32;\n@%p8 bra second;\n{}{}{}second:\n{DELAY}",
        load(256, 256, 0),
        wait(0, 0),
        load(256, 256, 0)
    );
    let then = format!("{}{READ}", wait(0, 1));
    // It knows that the first phase is complete.
    let knows = format!("{}{phases}bar.sync 0;\n{then}", open(1));
    assert_eq!(run(64, &knows), input(64));
    let guesses = format!("{}{phases}{then}", open(1));
    let kind = fault(64, &guesses);
    assert!(matches!(kind, FaultKind::Race { .. }), "{kind}");
}
