//! Asynchronous copies and mbarriers: their effects, and each misuse next to a correct program.

use crate::support::{input_word, with_input};
use tilewright_simulator::{FaultKind, Party, WaitingFor};

fn run(threads: u32, body: &str) -> Vec<u32> {
    with_input(threads, body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"))
}

fn fault(threads: u32, body: &str) -> FaultKind {
    match with_input(threads, body) {
        Ok(_) => panic!("no fault in\n{body}"),
        Err(fault) => fault,
    }
}

/// The party of the other access of a race, whether that access wrote, and whether this one writes.
fn race(threads: u32, body: &str) -> (Party, bool, bool) {
    match fault(threads, body) {
        FaultKind::Race {
            other,
            other_wrote,
            writes,
            ..
        } => (other, other_wrote, writes),
        other => panic!("{other}\nin\n{body}"),
    }
}

fn misuse(threads: u32, body: &str) -> String {
    match fault(threads, body) {
        FaultKind::BarrierMisuse { reason } => reason,
        other => panic!("{other}\nin\n{body}"),
    }
}

/// Thread t copies four words from `in[4 t]` on to `tile[16 t]`.
const COPY: &str = "shl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r3;\nmad.wide.u32 %rd3, %r1, 16, %rd1;\n\
                    cp.async.cg.shared.global [%r4], [%rd3], 16;\n";
/// Stores the second of the thread's four words.
const READ: &str = "ld.shared.u32 %r5, [%r4+4];\nst.global.u32 [%rd2], %r5;\n";
/// Initializes an mbarrier with the arrival count in `%r10`.
const OPEN: &str =
    "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bars], %r10;\nbar.sync 0;\n";

fn copied(threads: u32) -> Vec<u32> {
    (0..threads).map(|thread| input_word(4 * thread + 1)).collect()
}

#[test]
fn a_copy_is_visible_after_its_wait() {
    let waits = [
        "cp.async.wait_all;",
        "cp.async.commit_group;\ncp.async.wait_group 0;",
        "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;",
    ];
    for wait in waits {
        assert_eq!(run(64, &format!("{COPY}{wait}\n{READ}")), copied(64), "{wait}");
    }
    let under_way = (Party::CopyUnderWay { warp: 0 }, true, false);
    for wait in [
        "",
        "cp.async.commit_group;",
        "bar.sync 0;",
        "cp.async.commit_group;\ncp.async.wait_group 1;",
        // The copy is in no group.
        "cp.async.wait_group 0;",
    ] {
        assert_eq!(race(32, &format!("{COPY}{wait}\n{READ}")), under_way, "{wait}");
    }
}

#[test]
fn sizes_zero_fill_and_ignored_sources() {
    let got = run(
        32,
        "shl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r3;\nmad.wide.u32 %rd3, %r1, 16, %rd1;\n\
         cp.async.ca.shared.global [%r4], [%rd3], 4;\ncp.async.ca.shared.global [%r4+8], [%rd3+8], 8;\n\
         and.b32 %r5, %r1, 3;\ncp.async.ca.shared.global [%r4+4], [%rd3+4], 4, %r5;\ncp.async.wait_all;\n\
         ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [%r4];\nadd.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, %r8;\n\
         add.u32 %r6, %r6, %r9;\nst.global.u32 [%rd2], %r6;",
    );
    for (thread, got) in (0u32..).zip(got) {
        let word = |at| input_word(4 * thread + at);
        let cut = word(1) & ((1 << (8 * (thread % 4))) - 1);
        assert_eq!(got, word(0) + cut + word(2) + word(3), "thread {thread}");
    }
    // A copy with an ignored source reads nothing: any address is valid.
    let got = run(
        32,
        "shl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r3;\nmad.wide.u32 %rd3, %r1, 16, %rd1;\nsetp.ge.u32 %p1, %r1, 16;\n\
         @%p1 mov.u64 %rd3, 0;\ncp.async.cg.shared.global [%r4], [%rd3], 16, %p1;\ncp.async.wait_all;\n\
         ld.shared.u32 %r5, [%r4+4];\nst.global.u32 [%rd2], %r5;",
    );
    let want: Vec<u32> = copied(16).into_iter().chain([0; 16]).collect();
    assert_eq!(got, want);
    let reason = misuse(
        32,
        "mov.u32 %r5, 8;\ncp.async.ca.shared.global [tile], [%rd1], 4, %r5;",
    );
    assert_eq!(reason, "a copy of 4 bytes reads 8");
}

#[test]
fn copies_are_checked_like_accesses() {
    let kind = fault(32, "cp.async.cg.shared.global [tile+8], [%rd1], 16;");
    assert!(matches!(kind, FaultKind::Misaligned { size: 16, .. }), "{kind}");
    let kind = fault(32, "cp.async.cg.shared.global [tile], [%rd1+16384], 16;");
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind}");
    let kind = fault(32, "cp.async.cg.shared.global [tile+8320], [%rd1], 16;");
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind}");
}

#[test]
fn another_warp_reads_a_copy_after_a_barrier() {
    let swap = "xor.b32 %r4, %r4, 512;\n";
    let clean = format!("{COPY}cp.async.wait_all;\nbar.sync 0;\n{swap}{READ}");
    let want: Vec<u32> = (0..64).map(|thread| input_word(4 * (thread ^ 32) + 1)).collect();
    assert_eq!(run(64, &clean), want);
    // The second warp has waited only for its own copies.
    let faulty = format!("{COPY}cp.async.wait_all;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ret;\n{swap}{READ}");
    assert_eq!(race(64, &faulty), (Party::Copy { warp: 0 }, true, false));
    // The same holds for the first, whose copies are pending.
    let faulty = format!("{COPY}setp.eq.u32 %p1, %r2, 0;\n@%p1 ret;\ncp.async.wait_all;\n{swap}{READ}");
    assert_eq!(race(64, &faulty), (Party::CopyUnderWay { warp: 0 }, true, false));
}

#[test]
fn writes_to_the_source_of_a_pending_copy_race() {
    let write = "st.global.u32 [%rd3], %r1;\n";
    assert_eq!(
        race(32, &format!("{COPY}{write}cp.async.wait_all;")),
        (Party::CopyUnderWay { warp: 0 }, false, true)
    );
    assert_eq!(
        run(32, &format!("{COPY}cp.async.wait_all;\n{write}{READ}")),
        copied(32)
    );
}

#[test]
fn a_stage_is_not_filled_while_it_is_read() {
    // All threads read a word, then thread `by` writes it again.
    let body = |by: u32, barrier: &str| {
        format!(
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [tile], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [tile];\n{barrier}\n\
             setp.eq.u32 %p1, %r1, {by};\n@%p1 cp.async.cg.shared.global [tile], [%rd1], 16;\ncp.async.wait_all;"
        )
    };
    for by in [0, 32] {
        run(64, &body(by, "bar.sync 0;"));
    }
    // The second warp is the last at the barrier and continues: the first then writes what it reads, or reads what it
    // writes.
    assert_eq!(race(64, &body(0, "")), (Party::Warp(1), false, true));
    assert_eq!(race(64, &body(32, "")), (Party::Copy { warp: 1 }, true, false));
}

#[test]
fn writes_to_the_destination_of_a_pending_copy_race() {
    let write = "st.shared.u32 [%r4], %r1;\n";
    assert_eq!(
        race(32, &format!("{COPY}{write}")),
        (Party::CopyUnderWay { warp: 0 }, true, true)
    );
    assert_eq!(
        race(32, &format!("{COPY}cp.async.cg.shared.global [%r4], [%rd3], 16;")),
        (Party::CopyUnderWay { warp: 0 }, true, true),
        "two copies to one place are in no order"
    );
    assert_eq!(
        race(32, &format!("{COPY}red.shared.add.u32 [%r4], 1;")),
        (Party::CopyUnderWay { warp: 0 }, true, false),
        "an atomic is no better"
    );
    run(32, &format!("{COPY}cp.async.wait_all;\n{write}"));
}

/// Waits for the phase of this parity of the mbarrier at `bars`.
fn wait(parity: u32) -> String {
    format!(
        "wait{parity}:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], {parity};\n@!%p2 bra wait{parity};\n"
    )
}

#[test]
fn an_mbarrier_orders_writes_before_reads() {
    // Each thread reads what its neighbour in the other warp wrote.
    let body = |wait: &str| {
        format!(
            "mov.u32 %r10, 64;\n{OPEN}shl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nst.shared.u32 [%r4], %r1;\n\
             mbarrier.arrive.shared::cta.b64 %rd4, [bars];\n{wait}xor.b32 %r4, %r4, 128;\nld.shared.u32 %r5, [%r4];\n\
             st.global.u32 [%rd2], %r5;"
        )
    };
    let want: Vec<u32> = (0..64).map(|thread| thread ^ 32).collect();
    assert_eq!(run(64, &body(&wait(0))), want);
    let by_state = "again:\nmbarrier.test_wait.shared::cta.b64 %p2, [bars], %rd4;\n@!%p2 bra again;\n";
    assert_eq!(run(64, &body(by_state)), want);
    let (other, ..) = match fault(64, &body("")) {
        FaultKind::Race { other, writes, .. } => (other, writes),
        FaultKind::Uninitialised { .. } => (Party::Warp(1), false),
        other => panic!("{other}"),
    };
    assert!(matches!(other, Party::Warp(_)));
}

#[test]
fn an_mbarrier_tracks_copies() {
    for (arrive, more) in [
        ("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars];", ""),
        (
            "cp.async.mbarrier.arrive.shared::cta.b64 [bars];",
            "mbarrier.arrive.shared::cta.b64 %rd4, [bars];",
        ),
    ] {
        let body = |wait: &str| {
            format!("mov.u32 %r10, 64;\n{OPEN}{COPY}{arrive}\n{more}\n{wait}xor.b32 %r4, %r4, 512;\n{READ}")
        };
        let want: Vec<u32> = (0..64).map(|thread| input_word(4 * (thread ^ 32) + 1)).collect();
        assert_eq!(run(64, &body(&wait(0))), want, "{arrive}");
        match fault(64, &body("")) {
            FaultKind::Race { .. } | FaultKind::Uninitialised { .. } => {}
            other => panic!("{other}"),
        }
        // Only one warp waits; the other reads without synchronization.
        let one = "setp.eq.u32 %p3, %r2, 1;\n@!%p3 bra skip;\n".to_owned()
            + &wait(0)
            + "skip:\nbar.warp.sync 0xffffffff;\n";
        let heard = race(64, &body(&one));
        assert_eq!(heard, (Party::Copy { warp: 1 }, true, false), "{arrive}");
    }
}

#[test]
fn a_ring_of_two_stages_wraps_around() {
    // Warp 0 produces, warp 1 sums; full and empty mbarriers of each stage.
    let body = "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bars], 32;\n@%p1 mbarrier.init.shared::cta.b64 [bars+8], 32;\n\
        @%p1 mbarrier.init.shared::cta.b64 [bars+16], 32;\n@%p1 mbarrier.init.shared::cta.b64 [bars+24], 32;\nbar.sync 0;\n\
        and.b32 %r4, %r1, 31;\nshl.b32 %r5, %r4, 2;\nadd.u32 %r5, %r5, %r3;\nmov.u32 %r6, bars;\nmov.u32 %r7, 0;\nmov.u32 %r8, 0;\n\
        setp.eq.u32 %p2, %r2, 1;\n@%p2 bra consume;\n\
        produce:\nand.b32 %r9, %r7, 1;\nshr.u32 %r10, %r7, 1;\nand.b32 %r10, %r10, 1;\nxor.b32 %r11, %r10, 1;\nshl.b32 %r12, %r9, 3;\nadd.u32 %r12, %r12, %r6;\n\
        empty:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r12+16], %r11;\n@!%p3 bra empty;\n\
        shl.b32 %r13, %r9, 7;\nadd.u32 %r13, %r13, %r5;\nshl.b32 %r14, %r7, 5;\nadd.u32 %r14, %r14, %r4;\nmad.wide.u32 %rd3, %r14, 4, %rd1;\n\
        cp.async.ca.shared.global [%r13], [%rd3], 4;\ncp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r12];\n\
        add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p4, %r7, 8;\n@%p4 bra produce;\nbra done;\n\
        consume:\nand.b32 %r9, %r7, 1;\nshr.u32 %r10, %r7, 1;\nand.b32 %r10, %r10, 1;\nshl.b32 %r12, %r9, 3;\nadd.u32 %r12, %r12, %r6;\n\
        full:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r12], %r10;\n@!%p3 bra full;\n\
        shl.b32 %r13, %r9, 7;\nadd.u32 %r13, %r13, %r5;\nld.shared.u32 %r14, [%r13];\nadd.u32 %r8, %r8, %r14;\n\
        RELEASE\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p4, %r7, 8;\n@%p4 bra consume;\n\
        done:\nst.global.u32 [%rd2], %r8;";
    let got = run(
        64,
        &body.replace("RELEASE", "mbarrier.arrive.shared::cta.b64 %rd4, [%r12+16];"),
    );
    for lane in 0..32 {
        let want: u32 = (0..8).map(|stage| input_word(32 * stage + lane)).sum();
        assert_eq!(got[32 + lane as usize], want);
    }
    // A consumer that never releases a stage blocks the producer; the diagnostic names both.
    match fault(64, &body.replace("RELEASE", "")) {
        FaultKind::Deadlock { waits } => {
            let on: Vec<_> = waits.iter().map(|wait| (wait.warp, wait.on)).collect();
            assert_eq!(
                on,
                [
                    (
                        0,
                        WaitingFor::Mbarrier {
                            address: on_address(&waits, 0),
                            phase: 0,
                            pending: 32,
                            bytes: 0
                        }
                    ),
                    (
                        1,
                        WaitingFor::Mbarrier {
                            address: on_address(&waits, 0) - 16,
                            phase: 1,
                            pending: 32,
                            bytes: 0
                        }
                    )
                ]
            );
        }
        other => panic!("{other}"),
    }
    // A producer that does not wait for an empty stage is detected.
    let hasty = body
        .replace("RELEASE", "mbarrier.arrive.shared::cta.b64 %rd4, [%r12+16];")
        .replace("@!%p3 bra empty;\n", "");
    match fault(64, &hasty) {
        FaultKind::Race { writes: true, .. } => {}
        other => panic!("{other}"),
    }
}

fn on_address(waits: &[tilewright_simulator::Waiting], at: usize) -> u64 {
    match waits[at].on {
        WaitingFor::Mbarrier { address, .. } => address,
        _ => panic!("{waits:?}"),
    }
}

#[test]
fn a_wait_that_never_ends_is_found() {
    let body = |count: u32, arrive: &str| format!("mov.u32 %r10, {count};\n{OPEN}{arrive}\n{}", wait(0));
    run(32, &body(32, "mbarrier.arrive.shared::cta.b64 %rd4, [bars];"));
    match fault(32, &body(33, "mbarrier.arrive.shared::cta.b64 %rd4, [bars];")) {
        FaultKind::Deadlock { waits } => {
            assert_eq!(waits.len(), 1);
            assert_eq!(waits[0].lanes, u32::MAX);
            let WaitingFor::Mbarrier {
                phase,
                pending,
                bytes,
                ..
            } = waits[0].on
            else {
                panic!("{waits:?}")
            };
            assert_eq!((phase, pending, bytes), (0, 1, 0));
        }
        other => panic!("{other}"),
    }
    // Bytes that no copy delivers.
    let expect = "mbarrier.arrive.expect_tx.shared::cta.b64 %rd4, [bars], 64;";
    match fault(1, &body(1, expect)) {
        FaultKind::Deadlock { waits } => {
            assert!(
                waits[0].to_string().ends_with("0 arrivals and 64 bytes missing"),
                "{}",
                waits[0]
            );
        }
        other => panic!("{other}"),
    }
    let complete = format!("{expect}\nmbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bars], 64;");
    run(1, &body(1, &complete));
    // One thread waits at an mbarrier for one that waits at a barrier.
    let mixed = "mov.u32 %r10, 64;\n".to_owned()
        + OPEN
        + "setp.eq.u32 %p3, %r2, 0;\n@%p3 bra other;\nbar.sync 1;\nother:\nmbarrier.arrive.shared::cta.b64 %rd4, [bars];\n"
        + &wait(0);
    match fault(64, &mixed) {
        FaultKind::Deadlock { waits } => assert_eq!(waits.len(), 2, "{waits:?}"),
        other => panic!("{other}"),
    }
}

#[test]
fn a_test_that_fails_lets_the_thread_go_on() {
    // A thread may test, do other work that the phase needs, and test again.
    let body = format!(
        "mov.u32 %r10, 32;\n{OPEN}mbarrier.test_wait.parity.shared::cta.b64 %p2, [bars], 0;\nselp.u32 %r5, 1, 0, %p2;\n\
         mbarrier.arrive.shared::cta.b64 %rd4, [bars];\n{}st.global.u32 [%rd2], %r5;",
        wait(0)
    );
    assert_eq!(run(32, &body), [0; 32]);
}

#[test]
fn counts_of_a_phase_are_kept() {
    let body = |arrive: &str| format!("mov.u32 %r10, 2;\n{OPEN}{arrive}\n{}", wait(0));
    run(1, &body("mbarrier.arrive.shared::cta.b64 %rd4, [bars], 2;"));
    run(
        1,
        &body(
            "mbarrier.arrive.noComplete.shared::cta.b64 %rd4, [bars], 1;\nmbarrier.arrive_drop.shared::cta.b64 %rd4, [bars];",
        ),
    );
    assert!(misuse(1, &body("mbarrier.arrive.shared::cta.b64 %rd4, [bars], 3;")).contains("only 2"));
    assert!(
        misuse(
            1,
            &body("mbarrier.arrive.noComplete.shared::cta.b64 %rd4, [bars], 2;")
        )
        .contains(".noComplete")
    );
    // After a drop the next phase expects one arrival less, and an extra arrival is an error.
    let dropped = |arrive: &str| {
        body(
            "mbarrier.arrive_drop.shared::cta.b64 %rd4, [bars];\nmbarrier.arrive.shared::cta.b64 %rd4, [bars];",
        ) + arrive
    };
    run(
        1,
        &(dropped("mbarrier.arrive.shared::cta.b64 %rd4, [bars];\n") + &wait(1)),
    );
    assert!(misuse(1, &dropped("mbarrier.arrive.shared::cta.b64 %rd4, [bars], 2;")).contains("only 1"));
    let pending = "mbarrier.arrive.noComplete.shared::cta.b64 %rd4, [bars], 1;\nmbarrier.pending_count.b64 %r5, %rd4;\n\
                   mbarrier.arrive.shared::cta.b64 %rd4, [bars];\nmbarrier.pending_count.b64 %r6, %rd4;\nshl.b32 %r6, %r6, 8;\n\
                   or.b32 %r5, %r5, %r6;\nst.global.u32 [%rd2], %r5;";
    assert_eq!(run(1, &body(pending)), [0x102]);
}

#[test]
fn phases_that_a_wait_cannot_tell_apart_are_found() {
    // One warp waits for phase 0, then for phase 1, after `phases` complete phases.
    let body = |phases: u32| {
        format!(
            "mov.u32 %r10, 1;\n{OPEN}setp.eq.u32 %p3, %r1, 0;\n@!%p3 bra other;\n{}other:\nbar.sync 0;\nsetp.eq.u32 %p4, %r1, 32;\n@!%p4 bra skip;\n{}\
             skip:\nbar.sync 0;\nsetp.eq.u32 %p5, %r1, 0;\n@!%p5 bra out;\n{}out:\nbar.sync 1;",
            "mbarrier.arrive.shared::cta.b64 %rd4, [bars];\nfirst:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 0;\n@!%p2 bra first;\n",
            "mbarrier.arrive.shared::cta.b64 %rd4, [bars];\n".repeat(phases as usize - 1),
            "second:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [bars], 1;\n@!%p2 bra second;\n"
        )
    };
    run(64, &body(2));
    assert!(misuse(64, &body(3)).contains("its parity stands for another"));
    // A state identifies its phase, and is valid for two.
    let by_state = |phases: usize| {
        format!(
            "mov.u32 %r10, 1;\n{OPEN}mbarrier.arrive.shared::cta.b64 %rd4, [bars];\n{}mbarrier.test_wait.shared::cta.b64 %p2, [bars], %rd4;",
            "mbarrier.arrive.shared::cta.b64 %rd5, [bars];\n".repeat(phases - 1)
        )
    };
    run(1, &by_state(1));
    assert!(misuse(1, &by_state(2)).contains("whose current phase is 2"));
    assert!(misuse(1, &format!("mov.u32 %r10, 1;\n{OPEN}mov.u32 %r5, 2;\nmbarrier.test_wait.parity.shared::cta.b64 %p2, [bars], %r5;")).contains("no parity"));
}

#[test]
fn an_mbarrier_lives_from_its_initialisation_to_its_end() {
    let arrive = "mbarrier.arrive.shared::cta.b64 %rd4, [bars];";
    let init = "mbarrier.init.shared::cta.b64 [bars], 1;";
    let inval = "mbarrier.inval.shared::cta.b64 [bars];";
    run(1, &format!("{init}\n{arrive}\n{inval}\n{init}\n{arrive}"));
    assert!(misuse(1, arrive).contains("no initialised mbarrier"));
    assert!(misuse(1, &format!("{init}\n{inval}\n{arrive}")).contains("no initialised mbarrier"));
    assert!(misuse(1, &format!("{init}\n{init}")).contains("initialised again while it is live"));
    assert!(misuse(1, &format!("{init}\nld.shared.u64 %rd4, [bars];")).contains("is read as data"));
    assert!(misuse(1, &format!("{init}\nst.shared.u32 [bars+4], %r1;")).contains("is written as data"));
    // Its bytes can be used again afterwards, and are uninitialized.
    run(1, &format!("{init}\n{inval}\nst.shared.u32 [bars+4], %r1;"));
    let kind = fault(1, &format!("{init}\n{inval}\nld.shared.u32 %r4, [bars+4];"));
    assert!(matches!(kind, FaultKind::Uninitialised { .. }), "{kind}");
    for count in ["0", "1048576"] {
        let kind = misuse(
            1,
            &format!("mov.u32 %r5, {count};\nmbarrier.init.shared::cta.b64 [bars], %r5;"),
        );
        assert!(kind.contains(count), "{kind}");
    }
    let kind = fault(1, "mbarrier.init.shared::cta.b64 [bars+4], 1;");
    assert!(matches!(kind, FaultKind::Misaligned { size: 8, .. }), "{kind}");
    // Another warp has to synchronize with the initialization.
    let two = |barrier: &str| {
        format!(
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bars], 33;\n{barrier}\n{arrive}"
        )
        .replace(
            &format!("\n{arrive}"),
            &format!("\nsetp.ge.u32 %p1, %r1, 31;\n@%p1 {arrive}"),
        )
    };
    run(64, &two("bar.sync 0;"));
    assert!(misuse(64, &two("")).contains("with no barrier since"));
}
