//! Matrix products of warp groups: their results, and each misuse next to a correct program.

use crate::support::{Numbers, kernel, read};
use half::{bf16, f16};
use tilewright_simulator::{Device, Fault, FaultKind, Init, Party, WaitingFor};

/// Bytes of shared memory for each operand.
const ROOM: usize = 32 * 1024;

/// Launches one block with `tile`, 1024-byte aligned shared memory with the contents `image`. `%r1` is the thread,
/// `%r2` its warp, `%r3` the address of `tile`, `%rd2` the thread's 128 words of output.
fn launch(threads: u32, image: &[u8], body: &str) -> Result<Vec<u32>, Box<Fault>> {
    let bytes = image.len();
    let body = format!(
        ".shared .align 1024 .b8 tile[{bytes}];\n.shared .align 8 .b8 bars[64];\n\
         ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\n\
         mov.u32 %r3, tile;\nmad.wide.u32 %rd2, %r1, 512, %rd2;\nshl.b32 %r4, %r1, 4;\n\
         fill: setp.ge.u32 %p9, %r4, {bytes};\n@%p9 bra filled;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd3, %rd3, %rd1;\n\
         ld.global.v4.u32 {{%r5, %r6, %r7, %r8}}, [%rd3];\nadd.u32 %r9, %r4, %r3;\n\
         st.shared.v4.u32 [%r9], {{%r5, %r6, %r7, %r8}};\nadd.u32 %r4, %r4, {};\nbra fill;\nfilled:\n{body}\nret;",
        16 * threads
    );
    let (module, _) = read(
        &kernel(".param .u64 in, .param .u64 out", "", &body)
            .replace("%r<60>", "%r<200>")
            .replace("%f<20>", "%f<200>"),
    );
    let mut device = Device::new();
    device.step_limit = 2_000_000;
    let input = device.alloc("in", bytes, Init::Data(image.to_vec()));
    let out = device.alloc("out", threads as usize * 512, Init::Data(vec![]));
    device.launch(
        &module,
        "k",
        [1, 1, 1],
        [threads, 1, 1],
        0,
        &[input.into(), out.into()],
    )?;
    let words = device.read(out).chunks_exact(4);
    Ok(words
        .map(|word| u32::from_le_bytes(word.try_into().expect("four")))
        .collect())
}

/// The contents of shared memory are visible to products from here on.
const READY: &str = "fence.proxy.async;\nbar.sync 0;\n";

/// How an operand is in shared memory.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// 0 without swizzle, else 32, 64 or 128.
    swizzle: usize,
    /// Whether consecutive elements are along the rows of A or columns of B.
    outer_major: bool,
    /// Bytes from the beginning of the pattern to the operand.
    start: usize,
}

impl Layout {
    /// The offset of the byte `byte` of an element at (outer, k) of `bits` bits.
    ///
    /// (PTX ISA, "Canonical Layouts": cores of eight rows of 16 bytes without swizzle; else rows as long as the
    /// swizzle, of which eight are together.)
    fn bit(self, bits: usize, outer: usize, k: usize, extents: (usize, usize)) -> usize {
        let (fast, slow) = if self.outer_major { (outer, k) } else { (k, outer) };
        let slow_extent = if self.outer_major { extents.1 } else { extents.0 };
        let (position, rest) = (fast * bits / 8, fast * bits % 8);
        let offset = match self.swizzle {
            // Columns of cores.
            0 => slow * 16 + position / 16 * (slow_extent * 16) + position % 16,
            // Panels as wide as the swizzle.
            width => slow * width + position / width * (slow_extent * width) + position % width,
        };
        let offset = self.start + offset;
        let mask = match self.swizzle {
            0 => 0,
            width => width / 16 - 1,
        };
        (offset ^ (((offset / 128) & mask) * 16)) * 8 + rest
    }

    /// The descriptor of an operand at `base`.
    fn descriptor(self, base: usize, extents: (usize, usize)) -> u64 {
        let slow_extent = if self.outer_major { extents.1 } else { extents.0 };
        let (leading, stride, mode) = match (self.swizzle, self.outer_major) {
            (0, false) => (slow_extent * 16, 128, 0),
            (0, true) => (128, slow_extent * 16, 0),
            (width, false) => (16, 8 * width, 8 - u64::from(width.ilog2())),
            (width, true) => (slow_extent * width, 8 * width, 8 - u64::from(width.ilog2())),
        };
        ((base + self.start) as u64 >> 4)
            | (leading as u64 >> 4) << 16
            | (stride as u64 >> 4) << 32
            | mode << 62
    }

    fn place(self, image: &mut [u8], bits: usize, elements: &[u64], extents: (usize, usize)) {
        for outer in 0..extents.0 {
            for k in 0..extents.1 {
                let at = self.bit(bits, outer, k, extents);
                let element = elements[outer * extents.1 + k];
                if bits < 8 {
                    image[at / 8] |= (element as u8) << (at % 8);
                } else {
                    let bytes = element.to_le_bytes();
                    image[at / 8..at / 8 + bits / 8].copy_from_slice(&bytes[..bits / 8]);
                }
            }
        }
    }
}

/// The name, bits, and k of a type of elements.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    bits: usize,
    value: fn(u64) -> f64,
}

/// Small values, so that sums are exact whatever their order.
fn eight(bits: u64, exponent: u32) -> f64 {
    let fraction = 7 - exponent;
    let field = bits >> fraction & ((1 << exponent) - 1);
    let low = (bits & ((1 << fraction) - 1)) as f64 / f64::from(1 << fraction);
    let bias = (1 << (exponent - 1)) - 1;
    let magnitude = if field == 0 {
        low * 2f64.powi(1 - bias)
    } else {
        (1.0 + low) * 2f64.powi(field as i32 - bias)
    };
    if bits & 128 == 0 { magnitude } else { -magnitude }
}

const F16: Kind = Kind {
    name: "f16",
    bits: 16,
    value: |bits| f16::from_bits(bits as u16).to_f64(),
};
const BF16: Kind = Kind {
    name: "bf16",
    bits: 16,
    value: |bits| bf16::from_bits(bits as u16).to_f64(),
};
const TF32: Kind = Kind {
    name: "tf32",
    bits: 32,
    value: |bits| f64::from(f32::from_bits(bits as u32 & !0x1fff)),
};
const E4M3: Kind = Kind {
    name: "e4m3",
    bits: 8,
    value: |bits| eight(bits, 4),
};
const E5M2: Kind = Kind {
    name: "e5m2",
    bits: 8,
    value: |bits| eight(bits, 5),
};
const S8: Kind = Kind {
    name: "s8",
    bits: 8,
    value: |bits| f64::from(bits as i8),
};
const U8: Kind = Kind {
    name: "u8",
    bits: 8,
    value: |bits| f64::from(bits as u8),
};
const B1: Kind = Kind {
    name: "b1",
    bits: 1,
    value: |bits| bits as f64,
};

impl Kind {
    fn random(self, numbers: &mut Numbers) -> u64 {
        let number = numbers.next();
        let small = f64::from((number >> 20) as i32 % 16) / 4.0;
        match self.name {
            "f16" => u64::from(f16::from_f64(small).to_bits()),
            "bf16" => u64::from(bf16::from_f64(small).to_bits()),
            // The low bits do not count.
            "tf32" => u64::from((small as f32).to_bits()) | number & 0x1fff,
            "e4m3" => (5 + (number >> 8 & 3)) << 3 | number & 0x87,
            "e5m2" => (14 + (number >> 8 & 1)) << 2 | number & 0x83,
            "b1" => number >> 13 & 1,
            _ => number >> 9 & 0xff,
        }
    }
}

struct Case {
    a: Kind,
    b: Kind,
    /// The type of D, and the class of its registers.
    d: &'static str,
    n: usize,
    /// `None`: A is in registers.
    a_layout: Option<Layout>,
    b_layout: Layout,
    signs: (i32, i32),
}

/// Runs a product twice, without and with accumulation, and compares it with a sum over k.
fn check(case: &Case, seed: u64) {
    let Case {
        a,
        b,
        d,
        n,
        a_layout,
        b_layout,
        signs,
    } = *case;
    let k = 256 / a.bits;
    let mut numbers = Numbers::new(seed);
    let left: Vec<u64> = (0..64 * k).map(|_| a.random(&mut numbers)).collect();
    let right: Vec<u64> = (0..n * k).map(|_| b.random(&mut numbers)).collect();
    let mut image = vec![0; 2 * ROOM];
    b_layout.place(&mut image[ROOM..], b.bits, &right, (n, k));
    let float = !matches!(d, "s32");
    let class = if d == "f32" { "%f" } else { "%r" };
    let count = if d == "f16" { n / 4 } else { n / 2 };
    let registers: Vec<String> = (0..count).map(|at| format!("{class}{}", 40 + at)).collect();
    let mut body = READY.to_owned();
    let (a_text, mut transposed) = match a_layout {
        Some(layout) => {
            layout.place(&mut image[..ROOM], a.bits, &left, (64, k));
            body += &format!(
                "cvt.u64.u32 %rd4, %r3;\nshr.u64 %rd4, %rd4, 4;\nadd.u64 %rd4, %rd4, {};\n",
                layout.descriptor(0, (64, k)).cast_signed()
            );
            ("%rd4".to_owned(), vec![layout.outer_major])
        }
        None => {
            // Row by row in the image; each thread loads its part. (PTX ISA, "Register Fragments".)
            for (at, element) in left.iter().enumerate() {
                let bit = at * a.bits;
                let bytes = element.to_le_bytes();
                if a.bits < 8 {
                    image[bit / 8] |= (*element as u8) << (bit % 8);
                } else {
                    image[bit / 8..bit / 8 + a.bits / 8].copy_from_slice(&bytes[..a.bits / 8]);
                }
            }
            body += "and.b32 %r10, %r1, 31;\nshr.u32 %r11, %r10, 2;\nand.b32 %r12, %r10, 3;\n\
                     mad.lo.u32 %r11, %r2, 16, %r11;\nmad.lo.u32 %r11, %r11, 32, %r3;\nmad.lo.u32 %r11, %r12, 4, %r11;\n\
                     ld.shared.b32 %r20, [%r11];\nld.shared.b32 %r21, [%r11+256];\nld.shared.b32 %r22, [%r11+16];\n\
                     ld.shared.b32 %r23, [%r11+272];\n";
            ("{%r20, %r21, %r22, %r23}".to_owned(), vec![])
        }
    };
    transposed.push(b_layout.outer_major);
    body += &format!(
        "cvt.u64.u32 %rd5, %r3;\nshr.u64 %rd5, %rd5, 4;\nadd.u64 %rd5, %rd5, {};\nsetp.ne.u32 %p1, %r1, %r1;\n",
        b_layout.descriptor(ROOM, (n, k)).cast_signed()
    );
    let numbers_of = if a.bits == 16 {
        transposed
            .iter()
            .map(|one| format!(", {}", u8::from(*one)))
            .collect()
    } else {
        String::new()
    };
    let scales = if float {
        format!(", {}, {}", signs.0, signs.1)
    } else {
        String::new()
    };
    let words = if a.name == "b1" { ".and.popc" } else { "" };
    let product = |accumulate: &str| {
        format!(
            "wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{}.{}{words} {{{}}}, {a_text}, %rd5, {accumulate}{scales}{numbers_of};\n",
            a.name,
            b.name,
            registers.join(", ")
        )
    };
    body += &format!(
        "wgmma.fence.sync.aligned;\n{}{}wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
        product("%p1"),
        product("!%p1")
    );
    for (at, register) in registers.iter().enumerate() {
        body += &format!("st.global.b32 [%rd2+{}], {register};\n", 4 * at);
    }
    let name = format!("m64n{n}k{k} {d} {} {} {a_layout:?} {b_layout:?}", a.name, b.name);
    let got = launch(128, &image, &body).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    for row in 0..64 {
        for column in 0..n {
            let sum: f64 = (0..k)
                .map(|k_| (a.value)(left[row * k + k_]) * (b.value)(right[column * k + k_]))
                .sum();
            let want = 2.0 * sum * f64::from(signs.0 * signs.1);
            // (PTX ISA, "Register Fragments": D of `.m64nNk…`.)
            let lane = row % 8 * 4 + column % 8 / 2;
            let index = column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
            let thread = row / 16 * 32 + lane;
            let word = |at: usize| got[thread * 128 + at];
            let result = match d {
                "f32" => f64::from(f32::from_bits(word(index))),
                "f16" => f16::from_bits((word(index / 2) >> (16 * (index % 2))) as u16).to_f64(),
                _ => f64::from(word(index).cast_signed()),
            };
            let want = if d == "f16" {
                f16::from_f64(want).to_f64()
            } else {
                want
            };
            assert_eq!(result, want, "{name}, element {row}, {column}");
        }
    }
}

const PLAIN: Layout = Layout {
    swizzle: 0,
    outer_major: false,
    start: 0,
};

fn all_layouts(outer_major: bool) -> Vec<Layout> {
    [0, 32, 64, 128]
        .into_iter()
        .map(|swizzle| Layout {
            swizzle,
            outer_major,
            start: 0,
        })
        .collect()
}

#[test]
fn operands_are_read_by_their_descriptors() {
    let mut seed = 0;
    for a_major in [false, true] {
        for b_major in [false, true] {
            for (a_layout, b_layout) in all_layouts(a_major)
                .into_iter()
                .zip(all_layouts(b_major).into_iter().rev())
            {
                seed += 1;
                check(
                    &Case {
                        a: F16,
                        b: F16,
                        d: "f32",
                        n: if b_major { 64 } else { 24 },
                        a_layout: Some(a_layout),
                        b_layout,
                        signs: (1, 1),
                    },
                    seed,
                );
            }
        }
    }
    // A part of a wider row: the start is within the pattern.
    for (swizzle, start) in [(64, 32), (128, 32), (128, 64), (128, 96)] {
        let layout = Layout {
            swizzle,
            outer_major: false,
            start,
        };
        let case = Case {
            a: BF16,
            b: BF16,
            d: "f32",
            n: 16,
            a_layout: Some(layout),
            b_layout: layout,
            signs: (1, 1),
        };
        check(&case, 99);
    }
}

#[test]
fn every_type_of_elements_is_multiplied() {
    let swizzled = Layout {
        swizzle: 128,
        ..PLAIN
    };
    let cases = [
        (F16, F16, "f16"),
        (BF16, BF16, "f32"),
        (TF32, TF32, "f32"),
        (E4M3, E5M2, "f32"),
        (E5M2, E4M3, "f16"),
        (E4M3, E4M3, "f32"),
        (S8, S8, "s32"),
        (U8, S8, "s32"),
        (B1, B1, "s32"),
    ];
    for (seed, (a, b, d)) in (1..).zip(cases) {
        for (a_layout, n) in [(Some(swizzled), 8), (None, 16), (Some(PLAIN), 32)] {
            let signs = if d == "f32" { (-1, 1) } else { (1, 1) };
            check(
                &Case {
                    a,
                    b,
                    d,
                    n,
                    a_layout,
                    b_layout: swizzled,
                    signs,
                },
                seed,
            );
        }
    }
    let widest = Case {
        a: F16,
        b: F16,
        d: "f32",
        n: 192,
        a_layout: None,
        b_layout: swizzled,
        signs: (-1, -1),
    };
    check(&widest, 5);
}

/// A program with both operands of a product of `f16` in shared memory, 64 by 8, whose descriptors are `%rd4` and
/// `%rd5`; the words `PRODUCT`, `COMMIT` and `WAIT` stand for instructions.
fn small(threads: u32, before: &str, body: &str) -> Result<Vec<u32>, Box<Fault>> {
    let descriptor = |base| PLAIN.descriptor(base, (64, 16)).cast_signed();
    let b = PLAIN.descriptor(4096, (8, 16)).cast_signed();
    let body = format!(
        "{before}cvt.u64.u32 %rd4, %r3;\nshr.u64 %rd4, %rd4, 4;\nadd.u64 %rd5, %rd4, {b};\nadd.u64 %rd4, %rd4, {};\n\
         setp.ne.u32 %p1, %r1, %r1;\n{body}",
        descriptor(0)
    );
    let d = "{%f40, %f41, %f42, %f43}";
    let body = body
        .replace("PRODUCT", &format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d}, %rd4, %rd5, %p1, 1, 1, 0, 0;"))
        .replace(
            "REGISTERS",
            &format!("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d}, {{%r20, %r21, %r22, %r23}}, %rd5, %p1, 1, 1, 0;"),
        )
        .replace("FENCE", "wgmma.fence.sync.aligned;")
        .replace("COMMIT", "wgmma.commit_group.sync.aligned;")
        .replace("WAIT", "wgmma.wait_group.sync.aligned 0;");
    launch(threads, &[0; 8192], &body)
}

fn clean(before: &str, body: &str) {
    small(128, before, body).unwrap_or_else(|fault| panic!("{fault}\nin\n{body}"));
}

fn fault(before: &str, body: &str) -> FaultKind {
    match small(128, before, body) {
        Ok(_) => panic!("no fault in\n{body}"),
        Err(fault) => fault.kind,
    }
}

fn misuse(before: &str, body: &str) -> String {
    match fault(before, body) {
        FaultKind::WarpGroupMisuse { reason } => reason,
        other => panic!("{other}\nin\n{body}"),
    }
}

fn register(name: &str, by_product: bool) -> FaultKind {
    FaultKind::PendingRegister {
        register: name.to_owned(),
        by_product,
    }
}

#[test]
fn writes_are_fenced_from_the_products_that_read_them() {
    let body = "FENCE\nPRODUCT\nCOMMIT\nWAIT";
    clean(READY, body);
    // Anywhere on the way from the write to the product.
    clean("bar.sync 0;\nfence.proxy.async.shared::cta;\n", body);
    for before in [
        "bar.sync 0;\n",
        "fence.proxy.async;\nbar.sync 0;\nmov.u16 %rs1, 0;\nst.shared.b16 [tile+4096], %rs1;\n",
    ] {
        let before =
            before.replace("st.shared", "setp.eq.u32 %p2, %r1, 0;\n@%p2 st.shared") + "bar.sync 0;\n";
        match fault(&before, body) {
            FaultKind::ProxyFence {
                writes: false,
                other: Party::Warp(_),
                ..
            } => {}
            other => panic!("{other}"),
        }
    }
    let kind = fault("fence.proxy.async;\n", body);
    assert!(
        matches!(kind, FaultKind::Race { .. } | FaultKind::Uninitialised { .. }),
        "a fence is no barrier: {kind}"
    );
}

#[test]
fn operands_are_not_written_while_a_product_reads_them() {
    let write = "mov.u16 %rs1, 0;\nsetp.eq.u32 %p2, %r1, 5;\n@%p2 st.shared.b16 [tile+4098], %rs1;\n";
    clean(
        READY,
        &format!("FENCE\nPRODUCT\nCOMMIT\nWAIT\nbar.sync 0;\n{write}"),
    );
    for body in [
        format!("FENCE\nPRODUCT\n{write}COMMIT\nWAIT"),
        format!("FENCE\nPRODUCT\nCOMMIT\n{write}WAIT"),
        format!("FENCE\nPRODUCT\nCOMMIT\nbar.sync 0;\n{write}WAIT"),
        format!("FENCE\nPRODUCT\nCOMMIT\nwgmma.wait_group.sync.aligned 1;\n{write}WAIT"),
    ] {
        match fault(READY, &body) {
            FaultKind::Race {
                // Another warp may have waited.
                other: Party::ProductUnderWay { group: 0 } | Party::Product { group: 0 },
                other_wrote: false,
                writes: true,
                ..
            } => {}
            other => panic!("{other}\nin\n{body}"),
        }
    }
    // Another warp group writes with no barrier after the wait.
    let writer = |sync: &str| {
        format!(
            "setp.ge.u32 %p3, %r1, 128;\n@%p3 bra other;\nFENCE\nPRODUCT\nCOMMIT\nWAIT\n{sync}ret;\nother: {}{write}",
            if sync.is_empty() { "mov.u32 %r12, 0;\nloop: add.u32 %r12, %r12, 1;\nsetp.lt.u32 %p4, %r12, 3000;\n@%p4 bra loop;\n" } else { sync }
        )
        .replace("%r1, 5", "%r1, 133")
    };
    small(256, READY, &writer("bar.sync 1, 256;\n")).expect("ordered");
    match small(256, READY, &writer("")).expect_err("a race").kind {
        FaultKind::Race {
            other: Party::Product { group: 0 },
            ..
        } => {}
        other => panic!("{other}"),
    }
}

#[test]
fn registers_of_a_product_are_left_alone_until_the_wait() {
    let read = "st.global.f32 [%rd2], %f41;\n";
    clean(READY, &format!("FENCE\nPRODUCT\nCOMMIT\nWAIT\n{read}"));
    for early in [
        format!("FENCE\nPRODUCT\n{read}COMMIT\nWAIT"),
        format!("FENCE\nPRODUCT\nCOMMIT\n{read}WAIT"),
        format!(
            "FENCE\nPRODUCT\nCOMMIT\nFENCE\nPRODUCT\nCOMMIT\nwgmma.wait_group.sync.aligned 1;\n{read}WAIT"
        ),
        "FENCE\nPRODUCT\nCOMMIT\nmov.f32 %f41, 0f00000000;\nWAIT".to_owned(),
    ] {
        assert_eq!(fault(READY, &early), register("%f41", false), "{early}");
    }
    // Fragments of A: even reads must wait, but not those of other products.
    let a = "mov.u32 %r20, 0;\nmov.u32 %r21, 0;\nmov.u32 %r22, 0;\nmov.u32 %r23, 0;\n";
    clean(
        READY,
        &format!("{a}FENCE\nREGISTERS\nREGISTERS\nCOMMIT\nWAIT\nmov.u32 %r22, 1;"),
    );
    assert_eq!(
        fault(
            READY,
            &format!("{a}FENCE\nREGISTERS\nCOMMIT\nmov.u32 %r22, 1;\nWAIT")
        ),
        register("%r22", false)
    );
    // Products of one shape into the same registers are in order; others are not.
    clean(READY, "FENCE\nPRODUCT\nPRODUCT\nCOMMIT\nWAIT");
    let moved = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f41, %f42, %f43, %f44}, %rd4, %rd5, %p1, 1, 1, 0, 0;\n";
    assert_eq!(
        fault(READY, &format!("FENCE\nPRODUCT\n{moved}COMMIT\nWAIT")),
        register("%f41", false)
    );
}

#[test]
fn registers_are_fenced_before_a_product() {
    let write = "mov.f32 %f41, 0f00000000;\n";
    clean(READY, &format!("{write}FENCE\nPRODUCT\nCOMMIT\nWAIT"));
    assert_eq!(
        fault(READY, "PRODUCT\nCOMMIT\nWAIT"),
        register("%f40", true),
        "the first of a kernel"
    );
    assert_eq!(
        fault(READY, &format!("FENCE\n{write}PRODUCT\nCOMMIT\nWAIT")),
        register("%f41", true)
    );
    let again = |fence: &str| format!("FENCE\nPRODUCT\nCOMMIT\nWAIT\n{write}{fence}PRODUCT\nCOMMIT\nWAIT");
    clean(READY, &again("FENCE\n"));
    assert_eq!(fault(READY, &again("")), register("%f41", true));
}

#[test]
fn the_warps_of_a_group_act_together() {
    let body = "FENCE\nPRODUCT\nCOMMIT\nWAIT";
    let part = format!("setp.eq.u32 %p2, %r2, 3;\n@%p2 bra out;\n{body}\nout: bar.sync 0;\n");
    let FaultKind::Deadlock { waits } = fault(READY, &part) else {
        panic!("no deadlock")
    };
    assert_eq!(waits[0].on, WaitingFor::Products { committed: 3 });
    let different = "setp.eq.u32 %p2, %r2, 2;\n@%p2 add.u64 %rd5, %rd5, 1;\nFENCE\nPRODUCT\nCOMMIT\nWAIT";
    assert!(misuse(READY, different).contains("different matrix products"));
    let lanes = "setp.eq.u32 %p2, %r1, 2;\n@%p2 add.u64 %rd5, %rd5, 1;\nFENCE\nPRODUCT\nCOMMIT\nWAIT";
    assert!(misuse(READY, lanes).contains("different matrix descriptors"));
    assert!(misuse(READY, "FENCE\nPRODUCT\nCOMMIT").contains("nobody waits"));
    assert!(
        misuse(READY, "or.b64 %rd5, %rd5, 0x4000;\nFENCE\nPRODUCT\nCOMMIT\nWAIT")
            .contains("no matrix descriptor")
    );
    let kind = small(96, READY, "FENCE").expect_err("too few warps").kind;
    assert!(matches!(kind, FaultKind::WarpGroupMisuse { .. }), "{kind}");
    let kind = fault(READY, "add.u64 %rd5, %rd5, 500;\nFENCE\nPRODUCT\nCOMMIT\nWAIT");
    assert!(matches!(kind, FaultKind::OutOfBounds { .. }), "{kind}");
}
