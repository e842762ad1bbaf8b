//! Divergence, barriers, collectives and memory: interactions of threads.

use crate::support::{kernel, read, words};
use tilewright_simulator::{Arg, Device, Init};

fn run(threads: u32, body: &str) -> Vec<u32> {
    words(threads, threads as usize, "", body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"))
}

#[test]
fn branches_diverge_and_reconverge() {
    let got = run(
        32,
        "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra even;\nmul.lo.u32 %r3, %r1, 10;\nbra join;\n\
         even: add.u32 %r3, %r1, 100;\njoin:\nactivemask.b32 %r4;\nsetp.ne.u32 %p2, %r4, -1;\n@%p2 trap;\n\
         st.global.u32 [%rd2], %r3;\nret;",
    );
    for (thread, got) in (0u32..).zip(got) {
        assert_eq!(
            got,
            if thread % 2 == 0 {
                thread + 100
            } else {
                thread * 10
            }
        );
    }
}

#[test]
fn loops_of_different_length_end_together() {
    let got = run(
        32,
        "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nloop: setp.gt.u32 %p1, %r2, %r1;\n@%p1 bra done;\nadd.u32 %r3, %r3, %r2;\n\
         add.u32 %r2, %r2, 1;\nbra loop;\ndone: bar.warp.sync -1;\nst.global.u32 [%rd2], %r3;\nret;",
    );
    for (thread, got) in (0u32..).zip(got) {
        assert_eq!(got, thread * (thread + 1) / 2);
    }
}

#[test]
fn a_lane_may_wait_for_another_of_its_warp() {
    // Lane 0 spins, earlier in the text, until lane 1 has written.
    let got = run(
        2,
        ".shared .align 4 .b8 flag[4];\nsetp.ne.u32 %p1, %r1, 0;\nmov.u32 %r3, 0;\n@!%p1 st.volatile.shared.u32 [flag], %r3;\n\
         bar.warp.sync 3;\n@%p1 bra writer;\nspin: ld.volatile.shared.u32 %r2, [flag];\nsetp.eq.u32 %p2, %r2, 0;\n\
         @%p2 bra spin;\nbra done;\nwriter: mov.u32 %r2, 7;\nst.volatile.shared.u32 [flag], %r2;\ndone:\n\
         st.global.u32 [%rd2], %r2;\nret;",
    );
    assert_eq!(got, [7, 7]);
}

#[test]
fn barriers_order_shared_memory_between_warps() {
    // A block reverses its numbers through shared memory.
    let got = run(
        128,
        ".shared .align 4 .b8 tile[512];\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\n\
         st.shared.u32 [%r2], %r1;\nbar.sync 0;\nsub.u32 %r4, 127, %r1;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r3;\n\
         ld.shared.u32 %r5, [%r4];\nst.global.u32 [%rd2], %r5;\nret;",
    );
    assert_eq!(got, (0..128).rev().collect::<Vec<u32>>());
}

#[test]
fn named_barriers_serve_a_part_of_the_block() {
    // Warp 0 produces and continues; warp 1 waits; warp 2 does not participate.
    let got = run(
        96,
        ".shared .align 4 .b8 tile[128];\nshr.u32 %r2, %r1, 5;\nand.b32 %r3, %r1, 31;\nshl.b32 %r3, %r3, 2;\nmov.u32 %r4, tile;\n\
         add.u32 %r3, %r3, %r4;\nmov.u32 %r5, 0;\nsetp.eq.u32 %p1, %r2, 0;\nsetp.eq.u32 %p2, %r2, 1;\n@%p2 bra consume;\n\
         @!%p1 bra done;\nst.shared.u32 [%r3], %r1;\nbar.arrive 3, 64;\nbra done;\nconsume: bar.sync 3, 64;\n\
         ld.shared.u32 %r5, [%r3];\ndone: st.global.u32 [%rd2], %r5;\nret;",
    );
    assert!(got[..32].iter().chain(&got[64..]).all(|word| *word == 0));
    assert_eq!(got[32..64], (0..32).collect::<Vec<u32>>());
}

#[test]
fn without_aligned_the_lanes_of_a_warp_may_come_one_by_one() {
    // The two halves of each warp arrive at the same barrier from different instructions.
    let body = |barrier: &str| {
        format!(
            ".shared .align 4 .b8 tile[256];\nand.b32 %r2, %r1, 16;\nsetp.eq.u32 %p1, %r2, 0;\nshl.b32 %r3, %r1, 2;\nmov.u32 %r4, tile;\n\
             add.u32 %r3, %r3, %r4;\nst.shared.u32 [%r3], %r1;\n@%p1 bra other;\n{barrier}\nbra done;\nother: {barrier}\n\
             done: xor.b32 %r3, %r3, 192;\nld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd2], %r5;\nret;"
        )
    };
    let want: Vec<u32> = (0..64).map(|thread| thread ^ 48).collect();
    for barrier in ["barrier.sync 1;", "barrier.cta.sync 1, 64;"] {
        assert_eq!(run(64, &body(barrier)), want, "{barrier}");
    }
    let fault = words(64, 64, "", &body("barrier.sync.aligned 1;")).expect_err("a fault");
    assert!(fault.to_string().starts_with("divergent barrier"), "{fault}");
}

#[test]
fn exited_threads_are_not_waited_for() {
    let got = run(
        64,
        "st.global.u32 [%rd2], %r1;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 ret;\nbar.sync 0;\nadd.u32 %r2, %r1, 1000;\n\
         st.global.u32 [%rd2], %r2;\nret;",
    );
    assert_eq!((got[31], got[32]), (31, 1032));
}

#[test]
fn shuffles_read_the_lane_that_ptx_says() {
    let shuffle = |text: &str| {
        run(
            32,
            &format!(
                "mul.lo.u32 %r2, %r1, 3;\n{text}\nselp.u32 %r5, 1000, 0, %p1;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%rd2], %r3;\nret;"
            ),
        )
    };
    let lanes = |f: &dyn Fn(u32) -> (u32, bool)| -> Vec<u32> {
        (0..32)
            .map(|lane| {
                let (from, inside) = f(lane);
                from * 3 + if inside { 1000 } else { 0 }
            })
            .collect()
    };
    assert_eq!(
        shuffle("shfl.sync.down.b32 %r3|%p1, %r2, 4, 31, -1;"),
        lanes(&|l| if l + 4 < 32 { (l + 4, true) } else { (l, false) })
    );
    assert_eq!(
        shuffle("shfl.sync.up.b32 %r3|%p1, %r2, 4, 0, -1;"),
        lanes(&|l| if l >= 4 { (l - 4, true) } else { (l, false) })
    );
    assert_eq!(
        shuffle("shfl.sync.bfly.b32 %r3|%p1, %r2, 5, 31, -1;"),
        lanes(&|l| (l ^ 5, true))
    );
    assert_eq!(
        shuffle("shfl.sync.idx.b32 %r3|%p1, %r2, 9, 31, -1;"),
        lanes(&|_| (9, true))
    );
    // Segments of eight: the mask of c is 0x18.
    assert_eq!(
        shuffle("shfl.sync.down.b32 %r3|%p1, %r2, 1, 0x181F, -1;"),
        lanes(&|l| if l % 8 != 7 { (l + 1, true) } else { (l, false) })
    );
    assert_eq!(
        shuffle("shfl.sync.idx.b32 %r3|%p1, %r2, 9, 0x181F, -1;"),
        lanes(&|l| (l & 24 | 1, true))
    );
}

#[test]
fn a_butterfly_sums_a_warp() {
    let mut body = "mov.u32 %r2, %r1;\n".to_owned();
    for mask in [16, 8, 4, 2, 1] {
        body += &format!("shfl.sync.bfly.b32 %r3, %r2, {mask}, 31, -1;\nadd.u32 %r2, %r2, %r3;\n");
    }
    assert_eq!(run(32, &(body + "st.global.u32 [%rd2], %r2;\nret;")), [496; 32]);
}

#[test]
fn collectives_serve_the_lanes_of_their_mask() {
    let got = run(
        32,
        "setp.lt.u32 %p1, %r1, 8;\nmov.u32 %r2, 0;\n@!%p1 bra done;\nsetp.eq.u32 %p2, %r1, 3;\n\
         vote.sync.ballot.b32 %r2, %p2, 0xFF;\nvote.sync.any.pred %p3, %p2, 0xFF;\nvote.sync.all.pred %p4, %p2, 0xFF;\n\
         vote.sync.uni.pred %p5, %p1, 0xFF;\nredux.sync.add.u32 %r3, %r1, 0xFF;\nredux.sync.max.s32 %r4, %r1, 0xFF;\n\
         elect.sync %r5|%p6, 0xFF;\nshl.b32 %r3, %r3, 8;\nshl.b32 %r4, %r4, 16;\nor.b32 %r2, %r2, %r3;\nor.b32 %r2, %r2, %r4;\n\
         @%p3 or.b32 %r2, %r2, 0x1000000;\n@%p4 or.b32 %r2, %r2, 0x2000000;\n@%p5 or.b32 %r2, %r2, 0x4000000;\n\
         @%p6 or.b32 %r2, %r2, 0x8000000;\ndone: st.global.u32 [%rd2], %r2;\nret;",
    );
    assert_eq!(got[0], 0x0d07_1c08);
    assert!(got[1..8].iter().all(|word| *word == 0x0507_1c08));
    assert!(got[8..].iter().all(|word| *word == 0));
}

#[test]
fn a_collective_waits_for_lanes_on_another_path() {
    // Both sides of the branch reach the same instruction at different times.
    let got = run(
        32,
        "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra low;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r2, %r2, 1;\nbra join;\nlow: add.u32 %r2, %r1, 2;\n\
         join: shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\nst.global.u32 [%rd2], %r3;\nret;",
    );
    assert_eq!(got, (0..32).map(|lane| (lane ^ 16) + 2).collect::<Vec<u32>>());
}

#[test]
fn atomics_of_all_lanes_count() {
    let got = run(
        128,
        ".shared .align 8 .b8 cells[16];\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r2, 0;\n@%p1 st.shared.u32 [cells], %r2;\n\
         @%p1 st.shared.u32 [cells+4], %r2;\n@%p1 st.shared.f32 [cells+8], 0f00000000;\nbar.sync 0;\natom.shared.add.u32 %r3, [cells], 2;\natom.shared.max.u32 %r3, [cells+4], %r1;\n\
         red.shared.add.f32 [cells+8], 0f3F000000;\natom.shared.cas.b32 %r3, [cells+4], 999, 1;\nbar.sync 0;\nld.shared.u32 %r3, [cells];\nld.shared.u32 %r4, [cells+4];\n\
         ld.shared.f32 %f1, [cells+8];\ncvt.rzi.u32.f32 %r5, %f1;\nadd.u32 %r3, %r3, %r4;\nadd.u32 %r3, %r3, %r5;\nst.global.u32 [%rd2], %r3;\nret;",
    );
    assert_eq!(got, [256 + 127 + 64; 128]);
}

#[test]
fn vectors_bytes_and_generic_addresses() {
    let got = run(
        4,
        ".shared .align 16 .b8 tile[64];\n.local .align 8 .b8 mine[16];\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, tile;\nadd.u32 %r2, %r2, %r3;\n\
         st.shared.v4.u32 [%r2], {%r1, 2, 3, -1};\ncvt.u64.u32 %rd3, %r2;\ncvta.shared.u64 %rd4, %rd3;\nld.v2.u32 {%r4, %r5}, [%rd4];\n\
         ld.s8 %rs1, [%rd4+12];\ncvt.s32.s16 %r6, %rs1;\nst.local.u32 [mine+4], %r5;\nmov.u64 %rd5, mine;\ncvta.local.u64 %rd6, %rd5;\n\
         ld.u32 %r7, [%rd6+4];\nadd.u32 %r4, %r4, %r6;\nadd.u32 %r4, %r4, %r7;\nst.global.u32 [%rd2], %r4;\nret;",
    );
    assert_eq!(got, [1, 2, 3, 4]);
}

#[test]
fn grids_blocks_and_parameters() {
    let text = kernel(
        ".param .u64 out, .param .u8 small, .param .f32 x, .param .align 8 .b8 bytes[8]",
        ".reqntid 4, 2, 1",
        "ld.param.u64 %rd1, [out];\nld.param.u8 %rs1, [small];\nld.param.f32 %f1, [x];\nld.param.u32 %r9, [bytes+4];\n\
         mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.z;\nmov.u32 %r5, %nctaid.x;\n\
         mad.lo.u32 %r6, %r4, %r5, %r3;\nmad.lo.u32 %r6, %r6, 2, %r2;\nmad.lo.u32 %r6, %r6, 4, %r1;\n\
         mad.wide.u32 %rd2, %r6, 4, %rd1;\ncvt.u32.u16 %r7, %rs1;\ncvt.rzi.u32.f32 %r8, %f1;\nadd.u32 %r6, %r6, %r7;\n\
         add.u32 %r6, %r6, %r8;\nadd.u32 %r6, %r6, %r9;\nst.global.u32 [%rd2], %r6;\nret;",
    );
    let (module, _) = read(&text);
    let mut device = Device::new();
    let out = device.alloc("out", 6 * 8 * 4, Init::Poison);
    let args = [
        Arg::Pointer(out),
        Arg::Scalar(vec![200]),
        Arg::from(1000.0f32),
        Arg::Scalar(vec![0, 0, 0, 0, 0, 0, 1, 0]),
    ];
    let stats = device
        .launch(&module, "k", [3, 1, 2], [1, 1, 1], 0, &args)
        .expect("a clean run");
    assert_eq!(stats.blocks, 6);
    assert_eq!(
        stats.thread_instructions,
        48 * module.entries[0].lines().count() as u64
    );
    let words: Vec<u32> = device
        .read(out)
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
        .collect();
    assert_eq!(
        words,
        (0..48).map(|at| at + 200 + 1000 + 65536).collect::<Vec<u32>>()
    );
}

#[test]
fn variables_of_the_module_and_dynamic_shared_memory() {
    let text = kernel(
        ".param .u64 out",
        "",
        "ld.param.u64 %rd1, [out];\nmov.u64 %rd2, table;\nld.global.u32 %r1, [%rd2+4];\nmov.u32 %r2, dynamic;\n\
         st.shared.u32 [%r2+16], %r1;\nld.shared.u32 %r3, [dynamic+16];\nmov.u32 %r4, %dynamic_smem_size;\n\
         add.u32 %r3, %r3, %r4;\nst.global.u32 [%rd1], %r3;\nret;",
    )
    .replace(".visible .entry", ".global .align 4 .u32 table[2] = {5, 70000};\n.extern .shared .align 16 .b8 dynamic[];\n.visible .entry");
    let (module, _) = read(&text);
    let mut device = Device::new();
    let out = device.alloc("out", 4, Init::Poison);
    device
        .launch(&module, "k", [1, 1, 1], [1, 1, 1], 32, &[out.into()])
        .expect("a clean run");
    assert_eq!(device.read(out), 70032u32.to_le_bytes());
}

#[test]
fn shared_memory_of_the_kernel_and_of_the_launch_fit_together_or_are_refused() {
    // The dynamic memory begins at the next multiple of 16 after 100 bytes. A variable that is not used takes no room.
    let text = kernel(
        "",
        "",
        ".shared .align 4 .b8 own[100];\nmov.u32 %r1, dynamic;\nst.shared.u8 [%r1+232335], %r1;\nret;",
    )
    .replace(
        ".visible .entry",
        ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .b8 other[300000];\n.visible .entry",
    );
    let (module, _) = read(&text);
    let mut device = Device::new();
    let mut launch = |bytes| device.launch(&module, "k", [1, 1, 1], [1, 1, 1], bytes, &[]);
    launch(232_336).expect("a clean run");
    let refused = launch(232_337).expect_err("a refusal");
    assert_eq!(
        refused.kind.to_string(),
        "bad launch: the kernel declares 100 bytes of shared memory, and the launch asks for 232337 more; a block on sm_90a has at \
         most 232448"
    );
}

/// What a special register holds in a thread of a block, from the block's index, the warp and the lane.
type Held = fn([u32; 3], u32, u32) -> u32;

#[test]
fn special_registers_say_who_a_thread_is_and_where() {
    // Three warps in a block of 8 x 4 x 3, twelve blocks in a grid of 2 x 3 x 2.
    let registers: [(&str, Held); 19] = [
        ("%tid.x", |_, warp, lane| (warp * 32 + lane) % 8),
        ("%tid.y", |_, warp, lane| (warp * 32 + lane) / 8 % 4),
        ("%tid.z", |_, warp, _| warp),
        ("%ntid.x", |_, _, _| 8),
        ("%ntid.y", |_, _, _| 4),
        ("%ntid.z", |_, _, _| 3),
        ("%ctaid.x", |block, _, _| block[0]),
        ("%ctaid.y", |block, _, _| block[1]),
        ("%ctaid.z", |block, _, _| block[2]),
        ("%nctaid.x", |_, _, _| 2),
        ("%nctaid.y", |_, _, _| 3),
        ("%nctaid.z", |_, _, _| 2),
        ("%laneid", |_, _, lane| lane),
        ("%warpid", |_, warp, _| warp),
        ("%lanemask_eq", |_, _, lane| 1 << lane),
        ("%lanemask_lt", |_, _, lane| {
            (0..lane).map(|other| 1 << other).sum()
        }),
        ("%lanemask_le", |_, _, lane| {
            (0..=lane).map(|other| 1 << other).sum()
        }),
        ("%lanemask_gt", |_, _, lane| {
            (lane + 1..32).map(|other| 1 << other).sum()
        }),
        ("%lanemask_ge", |_, _, lane| {
            (lane..32).map(|other| 1 << other).sum()
        }),
    ];
    for (register, held) in registers {
        let text = kernel(
            ".param .u64 out",
            "",
            &format!(
                "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\n\
                 mad.lo.u32 %r1, %r2, 8, %r1;\nmad.lo.u32 %r1, %r3, 32, %r1;\nmov.u32 %r4, %ctaid.x;\n\
                 mov.u32 %r5, %ctaid.y;\nmov.u32 %r6, %ctaid.z;\nmad.lo.u32 %r4, %r5, 2, %r4;\n\
                 mad.lo.u32 %r4, %r6, 6, %r4;\nmad.lo.u32 %r1, %r4, 96, %r1;\nmad.wide.u32 %rd2, %r1, 4, %rd1;\n\
                 mov.u32 %r7, {register};\nst.global.u32 [%rd2], %r7;\nret;"
            ),
        );
        let mut device = Device::new();
        let out = device.alloc("out", 12 * 96 * 4, Init::Poison);
        let (module, _) = read(&text);
        device
            .launch(&module, "k", [2, 3, 2], [8, 4, 3], 0, &[Arg::Pointer(out)])
            .expect("a clean run");
        let words = device
            .read(out)
            .chunks(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        for (at, word) in (0u32..).zip(words) {
            let (block, thread) = (at / 96, at % 96);
            let block = [block % 2, block / 2 % 3, block / 6];
            let want = held(block, thread / 32, thread % 32);
            assert_eq!(word, want, "{register} of thread {thread} in block {block:?}");
        }
    }
}

#[test]
fn generic_addresses_know_their_state_space() {
    // One bit for each of shared, local and global.
    let asked = |address: &str| {
        let body = format!(
            ".shared .align 4 .b8 s[64];\n.local .align 4 .b8 l[64];\n{address}\nisspacep.shared %p1, %rd5;\n\
             isspacep.local %p2, %rd5;\nisspacep.global %p3, %rd5;\nselp.u32 %r2, 1, 0, %p1;\n\
             selp.u32 %r3, 2, 0, %p2;\nselp.u32 %r4, 4, 0, %p3;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, %r4;\n\
             st.global.u32 [%rd2], %r2;\nret;"
        );
        run(1, &body)
    };
    // The first byte of the shared window, and its place in the window again.
    assert_eq!(asked("cvta.shared.u64 %rd5, s;"), [1]);
    assert_eq!(asked("mov.u64 %rd4, s;\ncvta.shared.u64 %rd5, %rd4;"), [1]);
    assert_eq!(asked("mov.u64 %rd4, 0;\ncvta.shared.u64 %rd5, %rd4;"), [1]);
    assert_eq!(asked("cvta.local.u64 %rd5, l;"), [2]);
    assert_eq!(asked("mov.u64 %rd4, 0;\ncvta.local.u64 %rd5, %rd4;"), [2]);
    assert_eq!(asked("mov.u64 %rd5, %rd1;"), [4]);
    // One past the end of a window is in none.
    assert_eq!(
        asked(
            "mov.u64 %rd4, 0;\ncvta.shared.u64 %rd5, %rd4;\nadd.u64 %rd5, %rd5, 4294967295;\nadd.u64 %rd5, %rd5, 1;"
        )[0] & 1,
        0
    );
    // There and back.
    let body = ".shared .align 4 .b8 s[64];\nmov.u64 %rd4, s;\nadd.u64 %rd4, %rd4, 12;\ncvta.shared.u64 %rd5, %rd4;\n\
                cvta.to.shared.u64 %rd6, %rd5;\nsub.u64 %rd6, %rd6, %rd4;\ncvt.u32.u64 %r2, %rd6;\n\
                st.global.u32 [%rd2], %r2;\nret;";
    assert_eq!(run(1, body), [0]);
}
