//! Collectives of a part of a warp, and the edges of local, shared and parameter memory.

use crate::support::{fault, fault_kind, kernel, read, words};
use tilewright_simulator::{Arg, Device, FaultKind, Init, Party};

fn run(threads: u32, body: &str) -> Vec<u32> {
    words(threads, threads as usize, "", body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"))
}

/// The source lane of a shuffle and whether it is in bounds, by the pseudocode of the PTX ISA.
fn source(mode: &str, lane: i32, b: i32, c: i32) -> (i32, bool) {
    let (clamp, segment, b) = (c & 31, c >> 8 & 31, b & 31);
    let (least, most) = (lane & segment, (lane & segment) | (clamp & !segment));
    let (from, inside) = match mode {
        "up" => (lane - b, lane - b >= most),
        "down" => (lane + b, lane + b <= most),
        "bfly" => (lane ^ b, lane ^ b <= most),
        _ => {
            let from = least | (b & !segment);
            (from, from <= most)
        }
    };
    (if inside { from } else { lane }, inside)
}

#[test]
fn shuffles_keep_to_their_segments_and_bounds() {
    for mode in ["up", "down", "bfly", "idx"] {
        for b in [0, 1, 5, 9, 16, 31] {
            for c in [0, 7, 15, 31, 0x0300, 0x1000, 0x100f, 0x1800, 0x181f, 0x1f1f] {
                let got = run(
                    32,
                    &format!(
                        "shfl.sync.{mode}.b32 %r3|%p1, %r1, {b}, {c}, -1;\nselp.u32 %r5, 1000, 0, %p1;\nadd.u32 %r3, %r3, %r5;\n\
                         st.global.u32 [%rd2], %r3;\nret;"
                    ),
                );
                let want = (0..32).map(|lane| {
                    let (from, inside) = source(mode, lane, b, c);
                    from.cast_unsigned() + if inside { 1000 } else { 0 }
                });
                assert_eq!(got, want.collect::<Vec<u32>>(), "{mode} {b} {c:#x}");
            }
        }
    }
}

#[test]
fn a_shuffle_reads_lanes_of_its_mask_only() {
    let body = |b: u32, mask: &str| {
        format!("shfl.sync.down.b32 %r2, %r1, {b}, 31, {mask};\nst.global.u32 [%rd2], %r2;\nret;")
    };
    // The first lane whose source does not take part.
    for (threads, b, first) in [(8, 8, 0), (8, 4, 4), (8, 7, 1), (20, 1, 19), (20, 13, 7)] {
        let fault = fault(threads, &body(b, "-1"));
        assert!(
            matches!(fault.kind, FaultKind::UnwrittenRegister { .. }),
            "{fault}"
        );
        assert_eq!(fault.thread, Some([first, 0, 0]), "{threads} {b}");
    }
    // Lane 0 reads lane 8 of the other half's mask.
    let halves = "setp.lt.u32 %p1, %r1, 8;\nselp.b32 %r4, 0xff, 0xff00, %p1;\n".to_owned();
    let fault = fault(16, &(halves.clone() + &body(8, "%r4")));
    assert_eq!(fault.thread, Some([0, 0, 0]));
    let own = halves + "shfl.sync.bfly.b32 %r2, %r1, 7, 31, %r4;\nst.global.u32 [%rd2], %r2;\nret;";
    assert_eq!(run(16, &own), (0..16).map(|lane| lane ^ 7).collect::<Vec<u32>>());
}

#[test]
fn each_lane_asks_the_lanes_of_its_mask() {
    // Lanes of two masks execute one instruction; 16 lanes have one mask, 8 the other, the warp has 24.
    let asked = |text: &str| {
        let body = format!(
            "setp.lt.u32 %p1, %r1, 16;\nselp.b32 %r4, 0x0000ffff, 0xffff0000, %p1;\n{text}\nst.global.u32 [%rd2], %r3;\nret;"
        );
        let got = run(24, &body);
        let (low, high) = got.split_at(16);
        assert!(low.iter().all(|word| *word == low[0]), "{got:x?} of {text}");
        assert!(high.iter().all(|word| *word == high[0]), "{got:x?} of {text}");
        (low[0], high[0])
    };
    let vote = |mode: &str, condition: &str| {
        asked(&format!(
            "{condition}\nvote.sync.{mode}.pred %p3, %p2, %r4;\nselp.u32 %r3, 1, 0, %p3;"
        ))
    };
    let low = "setp.lt.u32 %p2, %r1, 16;";
    let high = "setp.ge.u32 %p2, %r1, 16;";
    let first = "setp.eq.u32 %p2, %r1, 0;";
    let seventeenth = "setp.eq.u32 %p2, %r1, 17;";
    let all = "setp.lt.u32 %p2, %r1, 32;";
    let none = "setp.ge.u32 %p2, %r1, 32;";
    for (mode, condition, answers) in [
        ("all", low, (1, 0)),
        ("all", high, (0, 1)),
        ("all", first, (0, 0)),
        ("all", all, (1, 1)),
        ("any", low, (1, 0)),
        ("any", high, (0, 1)),
        ("any", first, (1, 0)),
        ("any", seventeenth, (0, 1)),
        ("any", none, (0, 0)),
        ("uni", low, (1, 1)),
        ("uni", first, (0, 1)),
        ("uni", seventeenth, (1, 0)),
        ("uni", none, (1, 1)),
        ("uni", all, (1, 1)),
    ] {
        assert_eq!(vote(mode, condition), answers, "{mode} {condition}");
    }
    let ballot = |condition: &str| asked(&format!("{condition}\nvote.sync.ballot.b32 %r3, %p2, %r4;"));
    assert_eq!(ballot(all), (0xffff, 0xff_0000));
    assert_eq!(ballot(seventeenth), (0, 0x2_0000));

    let value = "shr.u32 %r2, %r1, 5;";
    assert_eq!(
        asked(&format!("{value}\nmatch.any.sync.b32 %r3, %r2, %r4;")),
        (0xffff, 0xff_0000)
    );
    let matched = |value: &str| {
        asked(&format!(
            "{value}\nmatch.all.sync.b32 %r3|%p3, %r2, %r4;\nselp.u32 %r5, 1, 0, %p3;\nxor.b32 %r3, %r3, %r5;"
        ))
    };
    assert_eq!(matched(value), (0xfffe, 0xff_0001));
    assert_eq!(matched("max.u32 %r2, %r1, 15;"), (0xfffe, 0));
    assert_eq!(matched("min.u32 %r2, %r1, 16;"), (0, 0xff_0001));

    for (form, results) in [
        ("add.u32", (120, 156)),
        ("min.u32", (0, 16)),
        ("max.u32", (15, 23)),
        ("and.b32", (0, 16)),
        ("or.b32", (15, 23)),
        ("xor.b32", (0, 0)),
    ] {
        assert_eq!(
            asked(&format!("redux.sync.{form} %r3, %r1, %r4;")),
            results,
            "{form}"
        );
    }
}

#[test]
fn barriers_count_whole_warps_or_single_threads() {
    let stored = "st.global.u32 [%rd2], %r1;\nret;";
    let each = |threads: u32| (0..threads).collect::<Vec<u32>>();
    // An aligned barrier counts 32 threads for a warp, however many it has.
    assert_eq!(run(16, &format!("bar.sync 1, 32;\n{stored}")), each(16));
    assert_eq!(run(40, &format!("bar.sync 1, 64;\n{stored}")), each(40));
    // Any other counts the threads that come: half a warp of each.
    let halves = "and.b32 %r2, %r1, 16;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r3, 0;\n@%p1 barrier.sync 1, 32;\nadd.u32 %r3, %r3, 5;\n\
                  add.u32 %r3, %r3, %r1;\nst.global.u32 [%rd2], %r3;\nret;";
    assert_eq!(run(64, halves), (5..69).collect::<Vec<u32>>());
    let misuse = |threads: u32, body: &str| match fault_kind(threads, &format!("{body}\nret;")) {
        FaultKind::BarrierMisuse { reason } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(
        misuse(32, "mov.u32 %r2, 0;\nbar.sync 1, %r2;"),
        "0 threads is no multiple of a warp"
    );
    assert_eq!(
        misuse(32, "mov.u32 %r2, 33;\nbar.sync 1, %r2;"),
        "33 threads is no multiple of a warp"
    );
    assert_eq!(
        misuse(32, "bar.arrive 1, 64;\nbar.arrive 1, 64;"),
        "a thread arrives at barrier 1 twice"
    );
    // Two warps of three, then a third that is one too many.
    let many = "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra wait;\nbar.arrive 1, 96;\nbra done;\nwait: mov.u32 %r2, 0;\ndone: mov.u32 %r3, 96;\n\
                barrier.sync 1, %r3;";
    assert!(!misuse(128, many).is_empty());
}

#[test]
fn matrix_moves_use_the_addresses_of_their_rows_only() {
    // Eight rows a matrix; the other lanes' addresses are not even aligned.
    let body = |text: &str, count: u32| {
        format!(
            ".shared .align 16 .b8 rows[512];\nmov.u32 %r3, rows;\nshl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r3, %r4;\nmov.u32 %r6, 7;\n\
             st.shared.v4.u32 [%r4], {{%r6, %r6, %r6, %r6}};\nbar.warp.sync -1;\nsetp.ge.u32 %p1, %r1, {count};\n\
             @%p1 add.u32 %r4, %r4, 3;\n{text}\nst.global.u32 [%rd2], %r6;\nret;"
        )
    };
    for (text, rows) in [
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r4];", 8),
        ("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r6, %r7}, [%r4];", 16),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r6};", 8),
        ("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r4], {%r6, %r6};", 16),
    ] {
        assert_eq!(run(32, &body(text, rows)), [7; 32], "{text}");
        let fault = fault(32, &body(text, rows - 1));
        assert!(
            matches!(fault.kind, FaultKind::Misaligned { size: 16, .. }),
            "{fault}"
        );
        assert_eq!(fault.thread, Some([rows - 1, 0, 0]), "{text}");
    }
}

/// Launches one thread of a kernel with a parameter `list` of twelve bytes and no dynamic shared memory.
fn alone(body: &str) -> Result<u32, FaultKind> {
    let body = format!(
        "ld.param.u64 %rd1, [out];\nmov.u32 %r2, 0;\nmov.u64 %rd3, 0;\n{body}\nst.global.u32 [%rd1], %r2;\nret;"
    );
    let text = kernel(".param .u64 out, .param .align 8 .b8 list[12]", "", &body);
    let mut device = Device::new();
    let out = device.alloc("out", 4, Init::Poison);
    let list = (1..=12).collect();
    device
        .launch(
            &read(&text).0,
            "k",
            [1, 1, 1],
            [1, 1, 1],
            0,
            &[Arg::Pointer(out), Arg::Scalar(list)],
        )
        .map_err(|fault| fault.kind)?;
    Ok(u32::from_le_bytes(device.read(out).try_into().expect("four")))
}

#[test]
fn an_access_ends_where_its_memory_does() {
    for space in ["local", "shared"] {
        let memory = format!(".{space} .align 8 .b8 m[12];\n");
        for (access, fits) in [
            (format!("st.{space}.u32 [m], %r2;"), true),
            (format!("st.{space}.u32 [m+8], %r2;"), true),
            (format!("st.{space}.u64 [m], %rd3;"), true),
            // Four of eight bytes.
            (format!("st.{space}.u64 [m+8], %rd3;"), false),
            (format!("st.{space}.u32 [m+12], %r2;"), false),
            (format!("st.{space}.u32 [m+-4], %r2;"), false),
            (format!("st.{space}.v2.u32 [m], {{%r2, %r2}};"), true),
            (format!("st.{space}.v2.u32 [m+8], {{%r2, %r2}};"), false),
            (format!("st.{space}.v4.u32 [m], {{%r2, %r2, %r2, %r2}};"), false),
        ] {
            match alone(&(memory.clone() + &access)) {
                Ok(_) => assert!(fits, "{access}"),
                Err(FaultKind::OutOfBounds { .. }) => assert!(!fits, "{access}"),
                Err(other) => panic!("{access}: {other}"),
            }
        }
        for access in [
            format!("st.{space}.u32 [m+2], %r2;"),
            format!("st.{space}.u64 [m+4], %rd3;"),
            format!("st.{space}.v2.u32 [m+4], {{%r2, %r2}};"),
        ] {
            let kind = alone(&(memory.clone() + &access)).expect_err("a fault");
            assert!(matches!(kind, FaultKind::Misaligned { .. }), "{access}: {kind}");
        }
        // A part of a word that was not written.
        let part =
            "mov.u16 %rs1, 3;\nst.SPACE.u8 [m+4], %rs1;\nld.SPACE.u32 %r2, [m+4];".replace("SPACE", space);
        let kind = alone(&(memory.clone() + &part)).expect_err("a fault");
        assert!(matches!(kind, FaultKind::Uninitialised { .. }), "{kind}");
        let whole = part.replace("u32 %r2", "u8 %r2");
        assert_eq!(alone(&(memory.clone() + &whole)), Ok(3));
        // Addresses of 32 bits wrap.
        let wraps = "mov.u32 %r4, m;\nsub.u32 %r4, %r4, 16;\nmov.u32 %r5, 9;\nst.SPACE.u32 [%r4+20], %r5;\nld.SPACE.u32 %r2, [m+4];";
        assert_eq!(alone(&(memory + &wraps.replace("SPACE", space))), Ok(9));
    }
    assert_eq!(alone("ld.param.u32 %r2, [list+8];"), Ok(0x0c0b_0a09));
    let kind = alone("ld.param.u64 %rd3, [list+8];").expect_err("a fault");
    assert!(matches!(kind, FaultKind::OutOfBounds { size: 8, .. }), "{kind}");
}

#[test]
fn loads_extend_by_the_sign_of_their_type() {
    for (load, word) in [
        ("ld.local.u8 %r2, [m];", 0x80),
        ("ld.local.s8 %r2, [m];", 0xffff_ff80),
        ("ld.local.u16 %r2, [m];", 0x8080),
        ("ld.local.s16 %r2, [m];", 0xffff_8080),
        (
            "ld.local.u32 %rd3, [m];\nshr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r2, %rd3;",
            0,
        ),
        (
            "ld.local.s32 %rd3, [m];\nshr.u64 %rd3, %rd3, 32;\ncvt.u32.u64 %r2, %rd3;",
            u32::MAX,
        ),
    ] {
        let body =
            format!(".local .align 4 .b8 m[4];\nmov.u32 %r2, 0x80808080;\nst.local.u32 [m], %r2;\n{load}");
        assert_eq!(alone(&body), Ok(word), "{load}");
    }
}

#[test]
fn a_race_names_the_other_block_by_its_coordinates() {
    // Blocks 11 and 17 of 18 write the same word.
    let body = "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n\
                mad.lo.u32 %r2, %r2, 2, %r1;\nmad.lo.u32 %r3, %r3, 6, %r2;\nsetp.eq.u32 %p1, %r3, 11;\nsetp.eq.u32 %p2, %r3, 17;\n\
                @%p1 st.global.u32 [%rd1], %r3;\n@%p2 st.global.u32 [%rd1], %r3;\nret;";
    let text = kernel(".param .u64 out", "", body);
    let mut device = Device::new();
    let out = device.alloc("out", 4, Init::Poison);
    let fault = device
        .launch(&read(&text).0, "k", [2, 3, 3], [1, 1, 1], 0, &[Arg::Pointer(out)])
        .expect_err("a fault");
    assert_eq!(fault.block, [1, 2, 2]);
    let FaultKind::Race { other, .. } = fault.kind else {
        panic!("{fault}")
    };
    assert_eq!(other, Party::Block([1, 2, 1]));
}
