//! Every kind of fault and its message.

use crate::support::{fault, fault_kind, kernel, read, words};
use tilewright_simulator::{Arg, Device, FaultKind, Init, Nearest, Party, Waiting, WaitingFor};

#[test]
fn an_access_beyond_an_allocation_says_where_and_who() {
    let fault = fault(
        64,
        "setp.eq.u32 %p1, %r1, 33;\nmov.u32 %r2, 5;\n@%p1 add.u64 %rd2, %rd1, 256;\nst.global.u32 [%rd2], %r2;\nret;",
    );
    let FaultKind::OutOfBounds {
        address,
        size: 4,
        nearest: Some(Nearest {
            name,
            base,
            bytes: 256,
        }),
    } = &fault.kind
    else {
        panic!("{fault}");
    };
    assert_eq!((name.as_str(), address - base), ("out", 256));
    assert_eq!((fault.block, fault.thread), ([0; 3], Some([33, 0, 0])));
    assert_eq!(fault.instruction, "st.global.u32 [%rd2], %r2;");
    assert_eq!(fault.line, Some(19), "the line of the text");
    assert_eq!(
        fault.to_string(),
        format!(
            "access of 4 bytes at {address:#x} is out of bounds; byte 256 of `out` of 256 bytes\n  in kernel k, block \
             [0, 0, 0], thread [33, 0, 0]\n  at statement 6, line 19: st.global.u32 [%rd2], %r2;"
        )
    );
}

#[test]
fn wild_addresses_are_out_of_bounds_in_every_space() {
    let out_of_bounds = |body: &str| matches!(fault_kind(1, body), FaultKind::OutOfBounds { .. });
    assert!(out_of_bounds(
        "mov.u64 %rd3, 0;\nld.global.u32 %r2, [%rd3];\nret;"
    ));
    assert!(out_of_bounds(
        "mov.u64 %rd3, -4;\nld.global.u32 %r2, [%rd3];\nret;"
    ));
    assert!(out_of_bounds(
        "st.global.v4.u32 [%rd1+256], {%r1, %r1, %r1, %r1};\nret;"
    ));
    assert!(out_of_bounds(
        ".shared .align 4 .b8 s[8];\nmov.u32 %r2, 0;\nst.shared.u32 [s+72], %r2;\nret;"
    ));
    assert!(out_of_bounds(
        ".local .align 4 .b8 l[8];\nmov.u32 %r2, 0;\nst.local.u32 [l+8], %r2;\nret;"
    ));
    assert!(out_of_bounds("ld.param.u64 %rd3, [out+8];\nret;"));
    assert!(out_of_bounds(
        "mov.u32 %r2, 0;\nmov.u64 %rd3, 0x1000000000;\nst.u32 [%rd3+65536], %r2;\nret;"
    ));
}

#[test]
fn misaligned_accesses_are_found() {
    let kind = fault_kind(1, "ld.global.u32 %r2, [%rd1+2];\nret;");
    assert!(matches!(kind, FaultKind::Misaligned { size: 4, .. }), "{kind}");
    let kind = fault_kind(1, "st.global.v4.u32 [%rd1+8], {%r1, %r1, %r1, %r1};\nret;");
    assert!(
        matches!(kind, FaultKind::Misaligned { size: 16, .. }),
        "a vector is aligned as a whole: {kind}"
    );
    let kind = fault_kind(1, ".shared .align 4 .b8 s[8];\nst.shared.u32 [s+1], %r1;\nret;");
    assert!(matches!(kind, FaultKind::Misaligned { .. }), "{kind}");
}

#[test]
fn uninitialised_memory_is_not_read() {
    let kind = fault_kind(
        1,
        "st.global.u8 [%rd1], 1;\nld.global.u32 %r2, [%rd1];\nret;"
            .replace(
                "st.global.u8 [%rd1], 1;",
                "mov.u16 %rs1, 1;\nst.global.u8 [%rd1], %rs1;",
            )
            .as_str(),
    );
    let FaultKind::Uninitialised {
        address,
        nearest: Some(nearest),
        ..
    } = kind
    else {
        panic!("{kind}")
    };
    assert_eq!(address - nearest.base, 1, "the first byte that was not written");
    let kind = fault_kind(1, ".shared .align 4 .b8 s[8];\nld.shared.u32 %r2, [s];\nret;");
    assert!(matches!(kind, FaultKind::Uninitialised { .. }), "{kind}");
    let kind = fault_kind(1, ".local .align 4 .b8 l[8];\nld.local.u32 %r2, [l];\nret;");
    assert!(matches!(kind, FaultKind::Uninitialised { .. }), "{kind}");
}

#[test]
fn shared_memory_does_not_survive_its_block() {
    let text = kernel(
        "",
        "",
        ".shared .align 4 .b8 s[4];\nmov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [s], %r1;\nld.shared.u32 %r2, [s];\nret;",
    );
    let fault = Device::new()
        .launch(&read(&text).0, "k", [2, 1, 1], [1, 1, 1], 0, &[])
        .expect_err("a fault");
    assert!(matches!(fault.kind, FaultKind::Uninitialised { .. }), "{fault}");
    assert_eq!(fault.block, [1, 0, 0]);
}

#[test]
fn registers_are_written_before_they_are_read() {
    let kind = fault_kind(1, "add.u32 %r2, %r7, 1;\nret;");
    assert_eq!(
        kind,
        FaultKind::UnwrittenRegister {
            register: "%r7".to_owned()
        }
    );
    let kind = fault_kind(1, "@%p3 ret;\nret;");
    assert_eq!(
        kind,
        FaultKind::UnwrittenRegister {
            register: "%p3".to_owned()
        }
    );
    let fault = fault(
        32,
        "setp.lt.u32 %p1, %r1, 5;\n@%p1 mov.f32 %f2, 0f00000000;\nadd.rn.f32 %f1, %f2, %f2;\nret;",
    );
    assert_eq!(
        fault.kind,
        FaultKind::UnwrittenRegister {
            register: "%f2".to_owned()
        }
    );
    assert_eq!(
        fault.thread,
        Some([5, 0, 0]),
        "the first thread that did not write it"
    );
}

#[test]
fn a_shuffle_from_an_absent_lane_leaves_the_result_unwritten() {
    let body = "shfl.sync.down.b32 %r2, %r1, 4, 31, -1;\n";
    let unused = words(8, 8, "", &format!("{body}st.global.u32 [%rd2], %r1;\nret;"));
    assert!(unused.is_ok(), "nobody looks at the result");
    let fault = fault(8, &format!("{body}st.global.u32 [%rd2], %r2;\nret;"));
    assert_eq!(
        fault.kind,
        FaultKind::UnwrittenRegister {
            register: "%r2".to_owned()
        }
    );
    assert_eq!(fault.thread, Some([4, 0, 0]));
}

#[test]
fn races_between_warps_are_found() {
    let head =
        ".shared .align 4 .b8 s[512];\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r2, %r2, %r3;\n";
    let race = |body: &str| match fault_kind(64, &format!("{head}{body}\nret;")) {
        FaultKind::Race {
            other_wrote, writes, ..
        } => (other_wrote, writes),
        other => panic!("{other}"),
    };
    assert_eq!(
        race("st.shared.u32 [s], %r1;"),
        (true, true),
        "two warps write the same word"
    );
    assert_eq!(
        race(
            "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nst.shared.u32 [%r2], %r1;\nxor.b32 %r4, %r2, 128;\nld.shared.u32 %r5, [%r4];"
        ),
        (false, true),
        "the first warp has read what the second writes"
    );
    assert_eq!(
        race(
            "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nxor.b32 %r4, %r2, 128;\nld.shared.u32 %r5, [%r4];\nst.shared.u32 [%r2], %r5;"
        ),
        (true, false),
        "the second warp reads what the first has just written"
    );
    let clean = format!(
        "{head}st.shared.u32 [%r2], %r1;\nbar.sync 0;\nxor.b32 %r4, %r2, 128;\nld.shared.u32 %r5, [%r4];\nbar.sync 0;\n\
         st.shared.u32 [%r2], %r5;\nret;"
    );
    assert!(words(64, 64, "", &clean).is_ok());
}

#[test]
fn a_named_barrier_orders_only_those_who_take_part() {
    let body = |barrier: &str| {
        format!(
            ".shared .align 4 .b8 s[4];\nshr.u32 %r2, %r1, 5;\nsetp.eq.u32 %p1, %r2, 0;\nsetp.eq.u32 %p2, %r2, 2;\n\
             @%p1 st.shared.u32 [s], %r1;\n{barrier}\n@%p2 ld.shared.u32 %r3, [s];\nret;"
        )
    };
    // Warps 0 and 1 arrive, warp 2 does not participate; and all three.
    let part = body("@%p2 bra skip;\nbar.sync 1, 64;\nskip:");
    assert!(matches!(
        fault_kind(96, &part),
        FaultKind::Race { .. } | FaultKind::Uninitialised { .. }
    ));
    assert!(words(96, 96, "", &body("bar.sync 1, 96;")).is_ok());
}

#[test]
fn barriers_in_divergent_code_are_found() {
    let kind = fault_kind(
        32,
        "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra a;\nbar.sync 0;\nret;\na: bar.sync 0;\nret;",
    );
    assert!(
        matches!(kind, FaultKind::DivergentBarrier { wanted: u32::MAX, .. }),
        "{kind}"
    );
    let kind = fault_kind(
        32,
        "setp.lt.u32 %p1, %r1, 7;\n@%p1 bra a;\nshfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nret;\na: bar.warp.sync -1;\nret;",
    );
    assert!(matches!(kind, FaultKind::DivergentBarrier { .. }), "{kind}");
}

#[test]
fn deadlocks_say_who_waits_for_what() {
    let body = "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra a;\nbar.sync 1;\nret;\na: bar.sync 2;\nret;";
    let wait = |warp, number| Waiting {
        rank: None,
        warp,
        lanes: u32::MAX,
        on: WaitingFor::Barrier {
            number,
            arrived: 32,
            count: None,
        },
    };
    let waits = vec![wait(0, 2), wait(1, 1)];
    assert_eq!(fault_kind(64, body), FaultKind::Deadlock { waits });
    let fault = fault(32, "bar.sync 1, 64;\nret;");
    assert_eq!(fault.instruction, "bar.sync 1, 64;");
    assert!(
        fault.to_string().starts_with(
            "deadlock: nobody can go on\n  warp 0, lanes 0xffffffff: at barrier 1, 32 threads arrived of 64\n"
        ),
        "{fault}"
    );
}

/// Two blocks of one warp that run `body`, with `%r2` their index and `%rd1` an array of 256 bytes.
fn two_blocks(body: &str) -> Result<Vec<u8>, FaultKind> {
    let body =
        format!("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n{body}\nret;");
    let text = kernel(".param .u64 out", "", &body);
    let mut device = Device::new();
    let out = device.alloc("out", 256, Init::Data(vec![]));
    device
        .launch(&read(&text).0, "k", [2, 1, 1], [1, 1, 1], 0, &[Arg::Pointer(out)])
        .map_err(|fault| fault.kind)?;
    Ok(device.read(out).to_vec())
}

#[test]
fn races_between_blocks_are_found() {
    let race = |body: &str| match two_blocks(body) {
        Err(FaultKind::Race {
            other: Party::Block([0, 0, 0]),
            other_wrote,
            writes,
            nearest: Some(nearest),
            ..
        }) => {
            assert_eq!(nearest.name, "out");
            (other_wrote, writes)
        }
        other => panic!("{other:?} in\n{body}"),
    };
    assert_eq!(race("st.global.u32 [%rd1], %r2;"), (true, true));
    assert_eq!(
        race("setp.eq.u32 %p1, %r2, 0;\n@%p1 st.global.u32 [%rd1], %r2;\nld.global.u32 %r3, [%rd1];"),
        (true, false)
    );
    assert_eq!(
        race("setp.eq.u32 %p1, %r2, 1;\nld.global.u32 %r3, [%rd1];\n@%p1 st.global.u32 [%rd1], %r2;"),
        (false, true)
    );
    assert_eq!(
        race("cvt.u16.u32 %rs1, %r2;\nst.global.u8 [%rd1+1], %rs1;"),
        (true, true)
    );
    // Each writes its own byte of one word; all read the rest.
    let own = "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd2, %rd1, %rd2;\nld.global.u32 %r3, [%rd1+4];\ncvt.u16.u32 %rs1, %r2;\n\
               st.global.u8 [%rd2], %rs1;";
    assert!(two_blocks(own).is_ok());
}

#[test]
fn atomics_order_blocks() {
    // The last block to arrive reads what all have written.
    let last = |arrive: &str| {
        format!(
            "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd1, %rd2;\nadd.u32 %r3, %r2, 5;\nst.global.u32 [%rd2], %r3;\n\
             membar.gl;\n{arrive}\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 ret;\nmembar.gl;\n\
             ld.global.u32 %r5, [%rd1];\nld.global.u32 %r6, [%rd1+4];\nadd.u32 %r5, %r5, %r6;\nst.global.u32 [%rd1+8], %r5;"
        )
    };
    let bytes = two_blocks(&last("atom.global.add.u32 %r4, [%rd1+64], 1;")).expect("ordered");
    assert_eq!(bytes[8..12], 11u32.to_le_bytes());
    let unordered = two_blocks(&last("mov.u32 %r4, %r2;"));
    assert!(matches!(unordered, Err(FaultKind::Race { .. })), "{unordered:?}");
    // Atomic and ordered accesses to one location do not race.
    assert!(two_blocks("red.global.add.u32 [%rd1], 1;\nst.relaxed.gpu.global.u32 [%rd1], %r2;").is_ok());
}

#[test]
fn barriers_are_used_by_their_protocol() {
    let misuse = |threads: u32, body: &str| match fault_kind(threads, body) {
        FaultKind::BarrierMisuse { reason } => reason,
        other => panic!("{other}"),
    };
    // Constants out of range are refused before the launch; registers are checked when they are used.
    assert_eq!(
        misuse(32, "mov.u32 %r2, 16;\nbar.sync %r2;\nret;"),
        "there is no barrier 16"
    );
    assert_eq!(
        misuse(32, "mov.u32 %r2, 40;\nbar.sync 1, %r2;\nret;"),
        "40 threads is no multiple of a warp"
    );
    let mixed = "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra a;\nbar.sync 1, 64;\nret;\na: bar.sync 1;\nret;";
    assert!(misuse(64, mixed).contains("for all and for 64"));
    assert!(misuse(32, "bar.sync %r1;\nret;").contains("different barriers"));
    assert!(misuse(32, "vote.sync.any.pred %p1, %p2, 0xF;\nret;").contains("member mask"));
}

#[test]
fn loops_without_end_reach_the_limit() {
    assert_eq!(
        fault_kind(32, "loop: bra loop;"),
        FaultKind::StepLimit { limit: 200_000 }
    );
}

#[test]
fn traps_and_violated_assumptions_are_faults() {
    let fault = fault(32, "setp.eq.u32 %p1, %r1, 9;\n@%p1 trap;\nret;");
    assert_eq!((fault.kind, fault.thread), (FaultKind::Trap, Some([9, 0, 0])));
    let kind = fault_kind(32, "setp.eq.u32 %p1, %r1, 9;\n@%p1 bra.uni a;\na: ret;");
    assert_eq!(kind, FaultKind::NotUniform);
}

#[test]
fn launches_are_checked() {
    let (module, _) = read(&kernel(".param .u64 out, .param .u32 n", ".reqntid 64", "ret;"));
    let mut device = Device::new();
    let out = device.alloc("out", 4, Init::Data(vec![]));
    let mut refuse = |name: &str, threads, args: &[Arg]| {
        let fault = device
            .launch(&module, name, [1, 1, 1], threads, 0, args)
            .expect_err("a refusal");
        let FaultKind::Launch { reason } = fault.kind else {
            panic!("{fault}")
        };
        reason
    };
    let args = [Arg::Pointer(out), Arg::from(5u32)];
    assert_eq!(refuse("other", [1, 1, 1], &args), "there is no kernel `other`");
    assert_eq!(
        refuse("k", [32, 1, 1], &args),
        "the kernel requires blocks of [64, 1, 1] threads, not [32, 1, 1]"
    );
    assert_eq!(refuse("k", [1, 1, 1], &args[..1]), "1 argument for 2 parameters");
    assert_eq!(
        refuse("k", [1, 1, 1], &[Arg::from(5u32), Arg::from(5u32)]),
        "argument 0 has 4 bytes, its parameter 8"
    );
    let (module, _) = read(&kernel("", "", ".shared .align 4 .b8 s[300000];\nret;"));
    let fault = device
        .launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &[])
        .expect_err("a refusal");
    assert!(
        fault.to_string().contains("300000 bytes of shared memory"),
        "{fault}"
    );
    let (module, _) = read(&kernel("", "", "ret;"));
    let fault = device
        .launch(&module, "k", [1, 1, 1], [1024, 2, 1], 0, &[])
        .expect_err("a refusal");
    assert!(
        fault.to_string().contains("a block of [1024, 2, 1] threads"),
        "{fault}"
    );
}
