//! A product tile of 128 by 128 by 64 halves in compiler-like code: eight warps, `cp.async`, `ldmatrix`, `mma.sync`.

use crate::support::{Numbers, read};
use half::f16;
use std::fmt::Write as _;
use std::time::Instant;
use tilewright_simulator::{Device, Init};

const M: usize = 128;
const N: usize = 128;
const K: usize = 64;

/// A is row-major, B column-major; a row of 64 halves is 128 bytes, in which the 16-byte chunk `c` of row `r` is
/// stored at `c ^ (r % 8)`. Each warp computes 32 rows and 64 columns.
fn kernel() -> String {
    let mut body = String::from(
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n.reqntid 256\n{\n\
         .reg .pred %p<2>;\n.reg .b32 %r<100>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<64>;\n.shared .align 128 .b8 tile[32768];\n\
         ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [d];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n\
         and.b32 %r3, %r1, 31;\nshr.u32 %r4, %r1, 5;\n",
    );
    // Chunk t + 256 i of 1024 of each matrix: row t / 8 + 32 i, chunk t % 8.
    let line = |body: &mut String, text: String| writeln!(body, "{text}").expect("a string");
    line(
        &mut body,
        "shr.u32 %r5, %r1, 3;\nand.b32 %r6, %r1, 7;\nand.b32 %r7, %r5, 7;\nxor.b32 %r7, %r7, %r6;".into(),
    );
    line(
        &mut body,
        "shl.b32 %r8, %r5, 7;\nshl.b32 %r7, %r7, 4;\nadd.u32 %r8, %r8, %r7;\nadd.u32 %r8, %r8, %r2;".into(),
    );
    line(
        &mut body,
        "mad.wide.u32 %rd4, %r1, 16, %rd1;\nmad.wide.u32 %rd5, %r1, 16, %rd2;".into(),
    );
    for at in 0..4 {
        let (shared, global) = (at * 32 * 128, at * 256 * 16);
        line(
            &mut body,
            format!("cp.async.cg.shared.global [%r8+{shared}], [%rd4+{global}], 16;"),
        );
        line(
            &mut body,
            format!(
                "cp.async.cg.shared.global [%r8+{}], [%rd5+{global}], 16;",
                shared + M * K * 2
            ),
        );
    }
    line(
        &mut body,
        "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;".into(),
    );
    for at in 0..64 {
        line(&mut body, format!("mov.f32 %f{at}, 0f00000000;"));
    }
    // The warp's first row and column.
    line(
        &mut body,
        "and.b32 %r9, %r4, 3;\nshl.b32 %r9, %r9, 5;\nshr.u32 %r10, %r4, 2;\nshl.b32 %r10, %r10, 6;".into(),
    );
    // A row of A for each lane: lane % 16, and the second chunk for the upper lanes.
    line(
        &mut body,
        "and.b32 %r11, %r3, 15;\nadd.u32 %r11, %r11, %r9;\nshr.u32 %r12, %r3, 4;".into(),
    );
    // A row of B: lane % 8 and 8 more for the upper lanes; the second chunk for every second group of eight.
    line(&mut body, "and.b32 %r13, %r3, 7;\nshr.u32 %r14, %r3, 4;\nshl.b32 %r14, %r14, 3;\nadd.u32 %r13, %r13, %r14;\nadd.u32 %r13, %r13, %r10;".into());
    line(
        &mut body,
        "shr.u32 %r15, %r3, 3;\nand.b32 %r15, %r15, 1;\nand.b32 %r16, %r11, 7;\nand.b32 %r17, %r13, 7;"
            .into(),
    );
    line(
        &mut body,
        "shl.b32 %r18, %r11, 7;\nadd.u32 %r18, %r18, %r2;\nshl.b32 %r19, %r13, 7;\nadd.u32 %r19, %r19, %r2;"
            .into(),
    );
    for step in 0..K / 16 {
        line(
            &mut body,
            format!(
                "add.u32 %r20, %r12, {};\nxor.b32 %r20, %r20, %r16;\nshl.b32 %r20, %r20, 4;\nadd.u32 %r20, %r20, %r18;",
                2 * step
            ),
        );
        line(
            &mut body,
            format!(
                "add.u32 %r21, %r15, {};\nxor.b32 %r21, %r21, %r17;\nshl.b32 %r21, %r21, 4;\nadd.u32 %r21, %r21, %r19;",
                2 * step
            ),
        );
        for row in 0..2 {
            let d: Vec<String> = (0..4).map(|at| format!("%r{}", 30 + 4 * row + at)).collect();
            line(
                &mut body,
                format!(
                    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{}}}, [%r20+{}];",
                    d.join(", "),
                    row * 16 * 128
                ),
            );
        }
        for pair in 0..4 {
            let d: Vec<String> = (0..4).map(|at| format!("%r{}", 40 + 4 * pair + at)).collect();
            line(
                &mut body,
                format!(
                    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{}}}, [%r21+{}];",
                    d.join(", "),
                    M * K * 2 + pair * 16 * 128
                ),
            );
        }
        for row in 0..2 {
            for column in 0..8 {
                let d: Vec<String> = (0..4)
                    .map(|at| format!("%f{}", (row * 8 + column) * 4 + at))
                    .collect();
                let a: Vec<String> = (0..4).map(|at| format!("%r{}", 30 + 4 * row + at)).collect();
                let b: Vec<String> = (0..2).map(|at| format!("%r{}", 40 + 2 * column + at)).collect();
                line(
                    &mut body,
                    format!(
                        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{d}}}, {{{}}}, {{{}}}, {{{d}}};",
                        a.join(", "),
                        b.join(", "),
                        d = d.join(", ")
                    ),
                );
            }
        }
    }
    line(&mut body, "shr.u32 %r60, %r3, 2;\nadd.u32 %r60, %r60, %r9;\nand.b32 %r61, %r3, 3;\nshl.b32 %r61, %r61, 1;\nadd.u32 %r61, %r61, %r10;".into());
    line(
        &mut body,
        "shl.b32 %r62, %r60, 7;\nadd.u32 %r62, %r62, %r61;\nmad.wide.u32 %rd6, %r62, 4, %rd3;".into(),
    );
    for row in 0..2 {
        for column in 0..8 {
            for half in 0..2 {
                let at = (row * 8 + column) * 4 + 2 * half;
                let offset = ((row * 16 + half * 8) * N + column * 8) * 4;
                line(
                    &mut body,
                    format!("st.global.v2.f32 [%rd6+{offset}], {{%f{at}, %f{}}};", at + 1),
                );
            }
        }
    }
    body + "ret;\n}\n"
}

#[test]
#[allow(clippy::print_stdout, reason = "the measurement")]
fn a_tile_takes_less_than_five_seconds() {
    let mut numbers = Numbers::new(7);
    let mut matrix =
        |count: usize| -> Vec<f32> { (0..count).map(|_| (numbers.next() % 17) as f32 - 8.0).collect() };
    let (a, b) = (matrix(M * K), matrix(N * K));
    let bytes = |values: &[f32]| -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| f16::from_f32(*value).to_le_bytes())
            .collect()
    };
    let (module, _) = read(&kernel());
    let mut device = Device::new();
    let in_a = device.alloc("a", M * K * 2, Init::Data(bytes(&a)));
    let in_b = device.alloc("b", N * K * 2, Init::Data(bytes(&b)));
    let out = device.alloc("d", M * N * 4, Init::Poison);
    let start = Instant::now();
    device
        .launch(
            &module,
            "k",
            [1, 1, 1],
            [1, 1, 1],
            0,
            &[in_a.into(), in_b.into(), out.into()],
        )
        .unwrap_or_else(|fault| panic!("{fault}"));
    let seconds = start.elapsed().as_secs_f64();
    println!("a tile of 128 by 128 by 64: {seconds:.3} seconds");
    for (at, word) in device.read(out).chunks_exact(4).enumerate() {
        let (row, column) = (at / N, at % N);
        let want: f32 = (0..K).map(|k| a[row * K + k] * b[column * K + k]).sum();
        let got = f32::from_le_bytes(word.try_into().expect("four"));
        assert_eq!(got, want, "row {row}, column {column}");
    }
    assert!(seconds < 5.0, "{seconds} seconds");
}
