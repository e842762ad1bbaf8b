//! Accesses of replicated memory.

use crate::support::{kernel, read};
use tilewright_simulator::{Arg, Device, FaultKind, Init};

/// Runs a kernel on words of replicated memory, whose address is in `%rd1`.
fn run(words: &[u32], replicas: u64, body: &str) -> Result<Vec<u32>, FaultKind> {
    let body = format!("ld.param.u64 %rd1, [out];\n{body}\nret;");
    let (module, _) = read(&kernel(".param .u64 out", ".reqntid 1", &body));
    let mut device = Device::new();
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let buffer = device.alloc("out", data.len(), Init::Data(data));
    assert!(device.replicate(buffer, replicas));
    device
        .launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &[Arg::from(buffer)])
        .map_err(|fault| fault.kind)?;
    let words = device.read(buffer).chunks(4);
    Ok(words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect())
}

#[test]
fn loads_combine_all_replicas_and_change_none() {
    let load = |op: &str| {
        let body = format!(
            "multimem.ld_reduce.relaxed.sys.global.{op} %r1, [%rd1+4];\nmultimem.st.global.b32 [%rd1], %r1;"
        );
        run(&[0, 7, 0, 0xffff_fffe, 0, 12], 3, &body)
    };
    for (op, all) in [
        ("add.u32", 17),
        ("min.s32", 0xffff_fffe),
        ("min.u32", 7),
        ("max.s32", 12),
        ("and.b32", 4),
        ("xor.b32", 0xffff_fff5),
    ] {
        assert_eq!(load(op), Ok(vec![all, 7, all, 0xffff_fffe, all, 12]), "{op}");
    }
}

#[test]
fn vectors_of_halves_are_combined_half_by_half() {
    // 1 and 2, -1 and 4 in one replica; 3 and 5, 2 and 0.5 in the other.
    let words = [0x4000_3c00, 0x4400_bc00, 0x4500_4200, 0x3800_4000];
    let body = "multimem.ld_reduce.global.add.v2.f16x2 {%r1, %r2}, [%rd1];\nmultimem.st.global.v2.f16x2 [%rd1], {%r1, %r2};";
    let sums = [0x4700_4400, 0x4480_3c00];
    assert_eq!(run(&words, 2, body), Ok([sums, sums].concat()));
    let body = "mov.b32 %r1, 0x3c003c00;\nmultimem.red.relaxed.gpu.global.add.v2.f16x2 [%rd1], {%r1, %r1};";
    assert_eq!(
        run(&words, 2, body),
        Ok(vec![0x4200_4000, 0x4500_0000, 0x4600_4400, 0x3e00_4200])
    );
}

#[test]
fn only_multimem_instructions_access_replicas() {
    for body in [
        "ld.global.u32 %r1, [%rd1];",
        "mov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;",
        "mov.u32 %r1, 1;\nred.global.add.u32 [%rd1], %r1;",
    ] {
        let found = run(&[1, 2], 2, body);
        assert!(
            matches!(found, Err(FaultKind::Multicast { size: 4, .. })),
            "{found:?}"
        );
        assert!(run(&[1, 2], 1, body).is_ok(), "{body}");
    }
    // The first replica has the address, and ends in the middle of the allocation.
    let beyond = run(&[1, 2], 2, "multimem.ld_reduce.global.add.u32 %r1, [%rd1+4];");
    assert!(
        matches!(beyond, Err(FaultKind::OutOfBounds { size: 4, .. })),
        "{beyond:?}"
    );
    let mut device = Device::new();
    let buffer = device.alloc("out", 8, Init::Poison);
    assert!(!device.replicate(buffer, 3) && !device.replicate(buffer, 0));
}
