//! `vprintf`: the output of a launch.

use crate::support::read;
use tilewright_simulator::{Device, Fault, FaultKind};

/// Launches four threads that print `format` with their index and half of it, and finally the result.
fn printed(format: &str, function: &str) -> Result<String, Box<Fault>> {
    let bytes: Vec<String> = format.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b32 result) {function}(.param .b64 format, .param .b64 arguments);\n\
         .global .align 1 .b8 text[{}] = {{{}}};\n.global .align 1 .b8 name[5] = {{116, 105, 108, 101, 0}};\n\
         .visible .entry k()\n.reqntid 4\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f64 %fd<3>;\n\
         .local .align 8 .b8 list[32];\n.param .b64 first;\n.param .b64 second;\n.param .b32 back;\n\
         mov.u32 %r1, %tid.x;\ncvt.rn.f64.u32 %fd1, %r1;\nmul.rn.f64 %fd1, %fd1, 0d3FE0000000000000;\n\
         mov.u64 %rd3, name;\ncvta.global.u64 %rd3, %rd3;\n\
         st.local.u32 [list], %r1;\nst.local.f64 [list+8], %fd1;\nst.local.u64 [list+16], %rd3;\n\
         mov.u64 %rd1, text;\ncvta.global.u64 %rd1, %rd1;\nmov.u64 %rd2, list;\ncvta.local.u64 %rd2, %rd2;\n\
         st.param.b64 [first], %rd1;\nst.param.b64 [second], %rd2;\ncall.uni (back), {function}, (first, second);\n\
         ld.param.b32 %r2, [back];\nsetp.ne.u32 %p1, %r2, 3;\n@%p1 trap;\nret;\n}}\n",
        bytes.len(),
        bytes.join(", ")
    )
    .replace(".reg .b32 %r<9>;", ".reg .pred %p<2>;\n.reg .b32 %r<9>;");
    let mut device = Device::new();
    device.launch(&read(&text).0, "k", [1, 1, 1], [1, 1, 1], 0, &[])?;
    Ok(String::from_utf8(device.printed).expect("text"))
}

#[test]
fn each_thread_prints_in_order() {
    let text = printed("%d: %5.2f of %s\n", "vprintf").unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(
        text,
        "0:  0.00 of tile\n1:  0.50 of tile\n2:  1.00 of tile\n3:  1.50 of tile\n"
    );
}

#[test]
fn what_cannot_be_printed_is_a_fault() {
    let reason = |format: &str, function: &str| match printed(format, function) {
        Err(fault) => match fault.kind {
            FaultKind::Unsupported { reason } => reason,
            other => panic!("{other}"),
        },
        Ok(text) => panic!("{text}"),
    };
    assert_eq!(reason("%k", "vprintf"), "vprintf: there is no conversion %k");
    assert_eq!(reason("", "malloc"), "a call of `malloc` with 2 parameters");
    // The fourth argument is outside of the list.
    let fault = printed("%d %f %s %d", "vprintf").expect_err("a fault");
    assert!(matches!(fault.kind, FaultKind::Uninitialised { .. }), "{fault}");
}
