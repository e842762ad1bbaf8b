//! Warp collectives: matrix products and moves, matches, reductions; and barriers with reductions.

use crate::support::{fault_kind, kernel, read, words};
use half::f16;
use tilewright_simulator::{Arg, Device, FaultKind, Init};

fn run(threads: u32, body: &str) -> Vec<u32> {
    words(threads, threads as usize, "", body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"))
}

#[test]
fn a_product_of_halves() {
    // A is all twos, B all threes, C the lane number: every element of D is 96 + C.
    let pair = |value: f32| u32::from(f16::from_f32(value).to_bits()) * 0x1_0001;
    let body = |d: &str| {
        format!(
            "mov.u32 %r10, {};\nmov.u32 %r11, {};\ncvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n\
             mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f5, %f6, %f7, %f8}}, {{%r10, %r10, %r10, %r10}}, {{%r11, %r11}}, \
             {{%f1, %f2, %f3, %f4}};\ncvt.rzi.u32.f32 %r12, {d};\nst.global.u32 [%rd2], %r12;\nret;",
            pair(2.0),
            pair(3.0)
        )
    };
    for d in ["%f5", "%f6", "%f7", "%f8"] {
        assert_eq!(run(32, &body(d)), (96..128).collect::<Vec<u32>>());
    }
}

#[test]
fn products_of_integers_doubles_and_scaled_floats() {
    let all = |body: &str| {
        let got = run(32, &format!("{body}\nst.global.u32 [%rd2], %r12;\nret;"));
        assert!(got.iter().all(|word| *word == got[0]), "{got:?}");
        got[0].cast_signed()
    };
    // -1 times 2, 32 times, and 7.
    assert_eq!(
        all(
            "mov.u32 %r10, -1;\nmov.u32 %r11, 0x02020202;\nmov.u32 %r13, 7;\nmma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 \
             {%r12, %r14, %r15, %r16}, {%r10, %r10, %r10, %r10}, {%r11, %r11}, {%r13, %r13, %r13, %r13};"
        ),
        -57
    );
    assert_eq!(
        all(
            "mov.u32 %r10, 0x0f0f0f0f;\nmov.u32 %r11, 0xffffffff;\nmov.u32 %r13, 0;\n\
             mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {%r12, %r14, %r15, %r16}, {%r10, %r10}, {%r11}, {%r13, %r13, %r13, %r13};"
        ),
        64
    );
    assert_eq!(
        all(
            "mov.f64 %fd1, 0d3FF8000000000000;\nmov.f64 %fd2, 0d4000000000000000;\nmov.f64 %fd3, 0d3FF0000000000000;\n\
             mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd4, %fd5}, {%fd1}, {%fd2}, {%fd3, %fd3};\ncvt.rzi.s32.f64 %r12, %fd5;"
        ),
        13
    );
}

#[test]
fn scales_multiply_their_blocks() {
    // e4m3 ones, 32 of them; scales 2^1 and 2^2 in the second byte.
    let text = kernel(
        ".param .u64 out",
        "",
        "ld.param.u64 %rd1, [out];\nmov.u32 %r10, 0x38383838;\nmov.u32 %r11, 0x7f7f807f;\nmov.u32 %r12, 0x7f7f817f;\nmov.f32 %f1, 0f00000000;\n\
         mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 {%f2, %f3, %f4, %f5}, \
         {%r10, %r10, %r10, %r10}, {%r10, %r10}, {%f1, %f1, %f1, %f1}, %r11, {1, 1}, %r12, {1, 3};\nst.global.f32 [%rd1], %f4;\nret;",
    )
    .replace("sm_90a", "sm_120a");
    let mut device = Device::new();
    let out = device.alloc("out", 4, Init::Poison);
    device
        .launch(
            &read(&text).0,
            "k",
            [1, 1, 1],
            [32, 1, 1],
            0,
            &[Arg::Pointer(out)],
        )
        .expect("a clean run");
    assert_eq!(device.read(out), 256f32.to_le_bytes());
}

#[test]
fn matrices_move_between_lanes_and_rows() {
    // Each lane's row has 4 words, and is loaded and stored transposed.
    let body = |trans: &str| {
        format!(
            ".shared .align 16 .b8 s[512];\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r3;\nmul.lo.u32 %r5, %r1, 0x10001;\n\
             st.shared.v4.u32 [%r4], {{%r5, %r5, %r5, %r5}};\nbar.warp.sync -1;\n\
             ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r6, %r7, %r8, %r9}}, [%r4];\nbar.warp.sync -1;\n\
             STORE\nst.global.u32 [%rd2], %r7;\nret;"
        )
    };
    // Of the second matrix, rows 8 to 15.
    let plain = run(32, &body("").replace("STORE", ""));
    let transposed = run(32, &body(".trans").replace("STORE", ""));
    for lane in 0..32u32 {
        assert_eq!(plain[lane as usize], (8 + lane / 4) * 0x1_0001);
        let first = 8 + lane % 4 * 2;
        assert_eq!(transposed[lane as usize], first | (first + 1) << 16);
    }
    let store = "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r4], {%r6, %r7, %r8, %r9};\nbar.warp.sync -1;\nld.shared.u32 %r7, [%r4+8];";
    let back = run(32, &body(".trans").replace("STORE", store));
    assert_eq!(back, (0..32).map(|lane| lane * 0x1_0001).collect::<Vec<u32>>());
}

#[test]
fn rows_of_matrices_are_checked() {
    let load = |address: &str| {
        fault_kind(
            32,
            &format!(
                ".shared .align 16 .b8 s[512];\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 4;\nadd.u32 %r4, %r4, %r3;\n{address}\n\
                 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r6}}, [%r4];\nret;"
            ),
        )
    };
    assert!(matches!(load(""), FaultKind::Uninitialised { .. }));
    assert!(matches!(
        load("add.u32 %r4, %r4, 8;"),
        FaultKind::Misaligned { size: 16, .. }
    ));
    assert!(matches!(
        load("add.u32 %r4, %r4, 1024;"),
        FaultKind::OutOfBounds { .. }
    ));
    // Two warps, no barrier.
    let race = fault_kind(
        64,
        ".shared .align 16 .b8 s[512];\nmov.u32 %r3, s;\nand.b32 %r4, %r1, 31;\nshl.b32 %r4, %r4, 4;\nadd.u32 %r4, %r4, %r3;\n\
         stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r1};\nret;",
    );
    assert!(matches!(race, FaultKind::Race { .. }), "{race}");
}

#[test]
fn a_whole_warp_takes_part_where_the_instruction_says_so() {
    let product = "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r12, %r13}, {%r1}, {%r1}, {%r1, %r1};";
    let clean = format!("{product}\nst.global.u32 [%rd2], %r1;\nret;");
    run(32, &clean);
    let divergent = [
        // Half of the lanes; some that have exited; a partial warp.
        (
            32,
            format!("setp.lt.u32 %p1, %r1, 16;\n@!%p1 bra a;\n{product}\na: ret;"),
        ),
        (
            32,
            format!("setp.lt.u32 %p1, %r1, 16;\n@!%p1 ret;\n{product}\nret;"),
        ),
        (16, clean),
        (32, format!("setp.lt.u32 %p1, %r1, 16;\n@%p1 {product}\nret;")),
    ];
    for (threads, body) in divergent {
        let kind = fault_kind(threads, &body);
        assert!(
            matches!(kind, FaultKind::DivergentBarrier { wanted: u32::MAX, .. }),
            "{kind} in\n{body}"
        );
    }
    // After a loop with a different trip count in each lane, the lanes have reconverged.
    let body = format!(
        "mov.u32 %r4, 0;\nloop: add.u32 %r4, %r4, 1;\nsetp.le.u32 %p1, %r4, %r1;\n@%p1 bra loop;\n{product}\n\
         st.global.u32 [%rd2], %r4;\nret;"
    );
    assert_eq!(run(32, &body), (1..33).collect::<Vec<u32>>());
}

#[test]
fn matches_find_equal_lanes() {
    let body = |text: &str| {
        format!("shr.u32 %r3, %r1, 3;\nmov.b64 %rd3, {{%r3, %r3}};\n{text}\nst.global.u32 [%rd2], %r4;\nret;")
    };
    let groups: Vec<u32> = (0..32).map(|lane| 0xff << (lane / 8 * 8)).collect();
    assert_eq!(run(32, &body("match.any.sync.b32 %r4, %r3, -1;")), groups);
    assert_eq!(run(32, &body("match.any.sync.b64 %r4, %rd3, -1;")), groups);
    let all = |value: &str| {
        run(
            32,
            &body(&format!(
                "match.all.sync.b32 %r4|%p1, {value}, -1;\nselp.u32 %r5, 0, 1, %p1;\nxor.b32 %r4, %r4, %r5;"
            )),
        )
    };
    assert_eq!(all("%r3"), [1; 32]);
    assert_eq!(all("7"), [u32::MAX; 32]);
}

#[test]
fn reductions_of_floats() {
    let run_on = |form: &str, lane_9: f32| {
        let text = kernel(
            ".param .u64 out",
            "",
            &format!(
                "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %laneid;\ncvt.rn.f32.u32 %f1, %r1;\nsub.rn.f32 %f1, %f1, 0f41F80000;\nsetp.eq.u32 %p1, %r1, 9;\n\
                 @%p1 mov.f32 %f1, 0f{:08X};\nredux.sync.{form}.f32 %f2, %f1, -1;\nst.global.f32 [%rd1], %f2;\nret;",
                lane_9.to_bits()
            ),
        )
        .replace("sm_90a", "sm_100a");
        let mut device = Device::new();
        let out = device.alloc("out", 4, Init::Poison);
        device
            .launch(
                &read(&text).0,
                "k",
                [1, 1, 1],
                [32, 1, 1],
                0,
                &[Arg::Pointer(out)],
            )
            .expect("a clean run");
        f32::from_le_bytes(device.read(out).try_into().expect("four"))
    };
    // Lanes hold -31 to 0, except lane 9.
    assert_eq!(run_on("min", 4.0), -31.0);
    assert_eq!(run_on("max", 4.0), 4.0);
    assert_eq!(run_on("max.abs", 4.0), 31.0);
    assert_eq!(run_on("min.abs", -4.0), 0.0);
    assert_eq!(run_on("max", f32::NAN), 0.0);
    assert!(run_on("max.NaN", f32::NAN).is_nan());
    assert!(run_on("min.abs.NaN", f32::NAN).is_nan());
}

#[test]
fn barriers_reduce_predicates() {
    let body = |text: &str| format!("setp.ge.u32 %p1, %r1, 40;\n{text}\nst.global.u32 [%rd2], %r4;\nret;");
    assert_eq!(run(64, &body("bar.red.popc.u32 %r4, 1, %p1;")), [24; 64]);
    assert_eq!(run(64, &body("bar.red.popc.u32 %r4, 1, 64, !%p1;")), [40; 64]);
    let selected = |op: &str, p: &str| {
        run(
            64,
            &body(&format!(
                "bar.red.{op}.pred %p2, 1, {p};\nselp.u32 %r4, 1, 0, %p2;"
            )),
        )
    };
    assert_eq!(selected("and", "%p1"), [0; 64]);
    assert_eq!(selected("or", "%p1"), [1; 64]);
    // In both halves of the warps, and in neither.
    let all = "setp.lt.u32 %p1, %r1, 64;\n";
    assert_eq!(
        run(
            64,
            &body(&format!(
                "{all}bar.red.and.pred %p2, 1, %p1;\nselp.u32 %r4, 1, 0, %p2;"
            ))
        ),
        [1; 64]
    );
    assert_eq!(
        run(
            64,
            &body(&format!(
                "{all}bar.red.or.pred %p2, 1, !%p1;\nselp.u32 %r4, 1, 0, %p2;"
            ))
        ),
        [0; 64]
    );
    // Of 64 of 96 threads.
    let part = "setp.ge.u32 %p1, %r1, 64;\nmov.u32 %r4, 99;\n@%p1 bra done;\nsetp.ge.u32 %p2, %r1, 1;\nbar.red.popc.u32 %r4, 2, 64, %p2;\n\
                done: st.global.u32 [%rd2], %r4;\nret;";
    let got = run(96, part);
    assert_eq!((got[0], got[63], got[64]), (63, 63, 99));
}

#[test]
fn a_matrix_is_transposed_within_a_warp() {
    // Lane 4r + c holds the elements 8r + 2c and 8r + 2c + 1 of an 8 x 8 matrix.
    let body = "shr.u32 %r3, %r1, 2;\nand.b32 %r4, %r1, 3;\nshl.b32 %r4, %r4, 1;\nmad.lo.u32 %r3, %r3, 8, %r4;\n\
                add.u32 %r5, %r3, 1;\nshl.b32 %r5, %r5, 16;\nor.b32 %r3, %r3, %r5;\n\
                movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r3;\nst.global.u32 [%rd2], %r6;\nret;";
    for (lane, got) in (0u32..).zip(run(32, body)) {
        let (row, column) = (lane / 4, lane % 4 * 2);
        let at = |row: u32, column: u32| 8 * column + row;
        assert_eq!(got, at(row, column) | at(row, column + 1) << 16, "lane {lane}");
    }
    // Half a warp has no matrix.
    assert!(matches!(
        fault_kind(16, body),
        FaultKind::DivergentBarrier {
            here: 0xffff,
            wanted: u32::MAX
        }
    ));
}
