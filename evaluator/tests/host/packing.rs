//! The bytes of arguments.

use tilewright_diagnostics::Code;
use tilewright_evaluator::host::{HostArgument, Packed, PackedAddress};

use crate::{Program, launching, numbers, view};

/// A value of this type as the kernel's argument.
fn packed(ty: &str, argument: HostArgument) -> Option<Packed> {
    let arguments = [argument];
    let program = Program {
        kernel: &[ty],
        params: &format!("%a: {ty}"),
        body: &launching("%a", ty),
        arguments: &arguments,
        ..Program::EMPTY
    };
    let mut launch = program.launch();
    assert!(launch.arguments.len() <= 1);
    launch.arguments.pop()
}

/// The sizes are those of the parameters that the library gives its kernels.
#[test]
fn structs_nest_as_the_parameters_of_the_library_do() {
    let cases: [(&str, HostArgument, usize, usize); 11] = [
        (
            "!cute.memref<f32, gmem, align<16>, \"(8,4):(1,8)\">",
            view(&[]),
            8,
            8,
        ),
        (
            "!cute.memref<f32, gmem, \"(?,?):(1,?{i64})\">",
            view(&[5, 6, 7]),
            24,
            8,
        ),
        (
            "!cute.memref<f32, gmem, \"(?,?,?):(?{i64},1,?{i64})\">",
            view(&[1, 2, 3, 4, 5]),
            40,
            8,
        ),
        (
            "!cute.memref<f32, gmem, align<16>, \"(?{i64},?):(?,1)\">",
            view(&[1, 2, 3]),
            32,
            8,
        ),
        (
            "!cute.layout<\"(?{i64},?):(?,?)\">",
            numbers(&[1, 2, 3, 4]),
            24,
            8,
        ),
        ("!cute.shape<\"(?,?{i64},?)\">", numbers(&[1, 2, 3]), 24, 8),
        ("!cute.int_tuple<\"(?{i8},?)\">", numbers(&[1, 2]), 8, 4),
        ("!cute.tile<\"[?:1;?:?{i64}]\">", numbers(&[1, 2, 3]), 24, 8),
        (
            "!cute.composed_layout<\"S<3,4,3> o ?{i64 div=128} o (?,8):(8,?)\">",
            numbers(&[128, 1, 2]),
            16,
            8,
        ),
        (
            "!cute.coord_tensor<\"(?,0)\", \"(?,?):(1@0,?{i64}@1)\">",
            numbers(&[1, 2, 3, 4]),
            24,
            8,
        ),
        ("!cute.ptr<f32, gmem>", view(&[]), 8, 8),
    ];
    for (ty, argument, bytes, align) in cases {
        let packed = packed(ty, argument).expect(ty);
        assert_eq!((packed.bytes.len(), packed.align), (bytes, align), "{ty}");
    }
}

#[test]
fn fields_lie_in_order_with_padding_between_them() {
    let ty = "!cute.memref<f32, gmem, \"(?,?,?):(?{i64},1,?{i64})\">";
    let packed = packed(ty, view(&[3, 5, 7, 1 << 40, -1])).expect("bytes");
    let mut want = vec![0; 8];
    for extent in [3i32, 5, 7, 0] {
        want.extend(extent.to_le_bytes());
    }
    for stride in [1i64 << 40, -1] {
        want.extend(stride.to_le_bytes());
    }
    let addresses = vec![PackedAddress {
        at: 0,
        argument: 0,
        offset: 0,
    }];
    assert_eq!((packed.bytes, packed.addresses), (want, addresses));
}

#[test]
fn a_type_that_says_everything_has_no_bytes() {
    assert_eq!(packed("!cute.layout<\"(8,4):(1,8)\">", numbers(&[])), None);
    assert_eq!(packed("!cute.shape<\"(8,4)\">", numbers(&[])), None);
    let ops = [
        "cute.static : !cute.swizzle<\"S<3,4,3>\">",
        "cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 128 b>",
    ];
    for op in ops {
        let ty = op
            .split(" : ")
            .nth(1)
            .expect("a type")
            .trim_start_matches("() -> ");
        let program = Program {
            kernel: &[ty],
            body: &format!("%a = {op}\n{}", launching("%a", ty)),
            ..Program::EMPTY
        };
        assert_eq!(program.launch().arguments, [], "{op}");
    }
}

#[test]
fn fields_of_atoms_are_bytes_and_vectors() {
    let mma =
        "!cute_nvgpu.sm90.mma<64x256x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>";
    let tiled = format!("!cute.tiled_mma<{mma}, atom_layout_MNK = <\"(1,1,1):(0,0,0)\">>");
    let program = Program {
        kernel: &[&tiled],
        body: &format!(
            "%true = arith.constant true\n%atom = cute.make_atom(%true) : (i1) -> {mma}\n\
             %mma = cute.make_tiled_mma(%atom) : {tiled}\n{}",
            launching("%mma", &tiled)
        ),
        ..Program::EMPTY
    };
    let packed = program.launch().arguments.remove(0);
    assert_eq!((packed.bytes.as_slice(), packed.align), ([1].as_slice(), 1));
    let mma = "!cute_nvgpu.sm100.mma<128x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), \
               frag_kind = ss, c_scale_exp = 0>";
    let program = Program {
        kernel: &[mma],
        body: &format!(
            "%true = arith.constant true\n%no = arith.constant false\n\
             %lanes = vector.from_elements %one, %ok, %ok, %one : vector<4xi32>\n\
             %atom = cute.make_atom(%true, %no, %true, %lanes) : (i1, i1, i1, vector<4xi32>) -> {mma}\n{}",
            launching("%atom", mma)
        ),
        ..Program::EMPTY
    };
    let packed = program.launch().arguments.remove(0);
    let mut want = vec![0; 32];
    (want[0], want[2], want[16], want[28]) = (1, 1, 1, 1);
    assert_eq!((packed.bytes, packed.align), (want, 16));
}

#[test]
fn divisors_have_a_multiplier_and_shifts() {
    let divisor = |number: i64| {
        let program = Program {
            kernel: &["!cute.fast_divmod_divisor<32>"],
            params: "%d: i32",
            arguments: &[numbers(&[number])],
            body: &format!(
                "%made = cute.fast_divmod.create_divisor(%d) : i32 -> !cute.fast_divmod_divisor<32>\n{}",
                launching("%made", "!cute.fast_divmod_divisor<32>")
            ),
            ..Program::EMPTY
        };
        program.launch().arguments.remove(0)
    };
    for number in [1, 2, 3, 7, 8, 100, 129, 1_000_003, (1 << 31) - 1] {
        let packed = divisor(number);
        assert_eq!((packed.bytes.len(), packed.align), (12, 4));
        let word = |at: usize| u32::from_le_bytes(packed.bytes[at..at + 4].try_into().expect("four bytes"));
        let (multiplier, first, second) = (word(4), packed.bytes[8], packed.bytes[9]);
        assert_eq!(i64::from(word(0)), number);
        // The division as a kernel does it.
        for dividend in [
            0,
            1,
            2,
            99,
            100,
            12_345_678,
            (1 << 31) - 1,
            u32::MAX - 1,
            u32::MAX,
        ] {
            let high = u32::try_from((u64::from(dividend) * u64::from(multiplier)) >> 32).expect("32 bits");
            let quotient = (((dividend - high) >> first) + high) >> second;
            assert_eq!(
                i64::from(quotient),
                i64::from(dividend) / number,
                "{dividend} / {number}"
            );
        }
    }
    let words = [3, 1_431_655_766, 0x0101];
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(divisor(3).bytes, bytes);
}

/// The words that the library's own host code computes for these extents and strides.
#[test]
fn tensor_maps_are_packed_in_words() {
    let tensor = "!cute.memref<f16, gmem, align<16>, \"(?,?,?):(?{i64 div=8},1,?{i64 div=8})\">";
    let shared = "!cute.composed_layout<\"S<3,4,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))\">";
    let basis = "!cute.layout<\"(128,64):(1@0,1@1)\">";
    let coords = "!cute.coord_tensor<\"(0,0,0)\", \"(?,?,?):(1@1,1@0,1@2)\">";
    let map = |multicast: u32, shape: [i64; 3], strides: [i64; 2]| {
        let form = if multicast > 1 { "sm_90_multicast" } else { "sm_90" };
        let atom = format!(
            "!cute_nvgpu.atom.non_exec_tiled_tma_load<{form}, f16, copy_bits = 131072, \
             tma_gbasis = <\"(64,128,1):(1@1,1@0,1@2)\">, tma_format = F16_RN>"
        );
        let program = Program {
            kernel: &[&atom, coords],
            params: &format!("%a: {tensor}"),
            arguments: &[view(&[shape[0], shape[1], shape[2], strides[0], strides[1]])],
            body: &format!(
                "%shared = cute.static : {shared}\n%basis = cute.static : {basis}\n\
                 %map, %coords = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%a, %shared, %basis) \
                 <{{kind = <{form}> num_multicast = {multicast}}}> : ({tensor}, {shared}, {basis}) -> ({atom}, {coords})\n{}",
                launching("%map, %coords", &format!("{atom}, {coords}"))
            ),
            ..Program::EMPTY
        };
        program.evaluated().launches
    };
    let words = |multicast, shape, strides| {
        let launches = map(multicast, shape, strides).expect("a launch");
        let [map_of, coords_of] = launches[0].arguments.as_slice() else {
            panic!("{launches:#?}");
        };
        assert_eq!((map_of.bytes.len(), map_of.align), (128, 64));
        let addresses = [PackedAddress {
            at: 0,
            argument: 0,
            offset: 0,
        }];
        assert_eq!(map_of.addresses, addresses);
        let extents = shape
            .into_iter()
            .flat_map(|extent| extent.to_le_bytes().into_iter().take(4));
        assert_eq!(coords_of.bytes, extents.collect::<Vec<u8>>());
        let words = map_of.bytes.chunks_exact(8);
        let words = words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
        words.collect::<Vec<u64>>()
    };
    // Strides of 1024 bytes and of 2^39.
    let (form, large) = (287_522, 1 << 21);
    let mut want = vec![0; 16];
    want[1] = form | large | 64 << 32;
    want[3] = 8 << 36;
    want[4] = 511 | 999 << 32;
    want[5] = 2;
    want[6] = 63 << 56;
    want[7] = 127;
    assert_eq!(words(1, [1000, 512, 3], [512, 1 << 38]), want);
    // A small tensor, for two blocks.
    let mut want = vec![0; 16];
    want[1] = form | 8 << 32;
    want[2] = 1;
    want[4] = 63 | 99 << 32;
    want[6] = 63 << 56;
    want[7] = 63;
    assert_eq!(words(2, [100, 64, 1], [64, 8]), want);
    let problem = map(1, [1000, 512, 3], [512, 1 << 39]).expect_err("a stride of 2^40 bytes");
    assert_eq!(problem.code, Code::HardwareLimit);
    assert!(problem.message.contains("1099511627776"), "{}", problem.message);
}
