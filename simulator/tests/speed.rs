//! Benchmarks of the simulator; run manually with `--ignored --nocapture`.

use crate::support::{kernel, read};
use std::time::Instant;
use tilewright_simulator::{Device, Init};

#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout, reason = "it is what the measurement is for")]
fn thread_instructions_a_second() {
    let body = |inner: &str| {
        format!(
            ".shared .align 16 .b8 tile[4096];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r6, %r6, 256, %r1;\nmad.wide.u32 %rd2, %r6, 4, %rd1;\n\
             shl.b32 %r4, %r1, 4;\nmov.u32 %r5, tile;\nadd.u32 %r4, %r4, %r5;\nmov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F000000;\n\
             st.shared.v4.f32 [%r4], {{%f1, %f1, %f1, %f1}};\nst.global.f32 [%rd2], %f1;\nmov.u32 %r2, 0;\n\
             loop: {inner}\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 500;\n@%p1 bra loop;\nst.global.f32 [%rd2], %f1;\nret;"
        )
    };
    let cases = [
        ("fma", "fma.rn.f32 %f1, %f1, %f2, %f2;\n".repeat(8)),
        (
            "integer",
            "mad.lo.u32 %r3, %r2, %r2, %r1;\nxor.b32 %r3, %r3, %r2;\n".repeat(4),
        ),
        ("fma rz", "fma.rz.f32 %f1, %f1, %f2, %f2;\n".repeat(8)),
        (
            "bf16",
            "cvt.rn.bf16.f32 %rs1, %f1;\nfma.rn.bf16 %rs1, %rs1, %rs1, %rs1;\n".repeat(4),
        ),
        (
            "global",
            "ld.global.f32 %f3, [%rd2];\nst.global.f32 [%rd2], %f3;\n".repeat(4),
        ),
        (
            "shared",
            "ld.shared.f32 %f3, [%r4];\nst.shared.f32 [%r4], %f3;\n".repeat(4),
        ),
        (
            "shared v4",
            "ld.shared.v4.f32 {%f3, %f4, %f5, %f6}, [%r4];\n".repeat(8),
        ),
    ];
    for (name, inner) in cases {
        let (module, _) = read(&kernel(".param .u64 out", ".reqntid 256", &body(&inner)));
        let mut device = Device::new();
        let out = device.alloc("out", 4096, Init::Poison);
        let start = Instant::now();
        let stats = device
            .launch(&module, "k", [4, 1, 1], [1, 1, 1], 0, &[out.into()])
            .expect("a clean run");
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name}: {:.0} million a second",
            stats.thread_instructions as f64 / seconds / 1e6
        );
    }
}
