//! Programs of integer and data movement steps on eight words per thread.

use super::{Comparison, Program, print};
use crate::support::Numbers;

/// The number of random bytes at the start of the input.
pub(crate) const INPUT_BYTES: usize = 1 << 16;
/// The number of words that each thread reads initially, and writes finally.
const WORDS: usize = 8;
/// The number of bytes after the words of the threads, initially zero, for atomics.
const SCRATCH: usize = 2048;
/// The number of bytes of the shared array.
const TILE: usize = 8192;

/// A program under construction.
pub(crate) struct Writer<'a> {
    /// The number of the program.
    pub(crate) index: usize,
    numbers: &'a mut Numbers,
    threads: u32,
    /// Variables declared before the kernel.
    pub(crate) globals: String,
    pub(crate) body: String,
    labels: u32,
    /// Whether the program uses the bytes after the words.
    scratch: bool,
}

impl Writer<'_> {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.numbers.next() % bound
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Picks a word.
    pub(crate) fn word(&mut self) -> String {
        format!("%r{}", self.below(WORDS as u64))
    }

    /// Picks different words.
    fn words(&mut self, count: usize) -> Vec<String> {
        let mut all: Vec<u64> = (0..WORDS as u64).collect();
        for at in 0..count {
            let other = at + self.below((WORDS - at) as u64) as usize;
            all.swap(at, other);
        }
        all[..count].iter().map(|word| format!("%r{word}")).collect()
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.body += line;
        self.body.push('\n');
    }

    pub(crate) fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// Combines a word with a value in `%r40`.
    pub(crate) fn mix(&mut self, with: &str) {
        let word = self.word();
        let line = match self.below(3) {
            0 => format!("add.u32 {word}, {word}, {with};"),
            1 => format!("xor.b32 {word}, {word}, {with};"),
            _ => format!("prmt.b32 {word}, {word}, {with}, 0x5140;"),
        };
        self.line(&line);
    }

    /// Combines a word with a predicate.
    fn mix_predicate(&mut self, predicate: &str) {
        self.line(&format!("selp.u32 %r40, 0x1234567, 3, {predicate};"));
        self.mix("%r40");
    }

    fn barrier(&mut self) {
        self.line("bar.sync 0;");
    }
}

/// The name of a step, and its generator.
type Step = (&'static str, fn(&mut Writer<'_>));

const STEPS: &[Step] = &[
    ("shfl", shuffle),
    ("vote", vote),
    ("match", matching),
    ("redux", redux),
    ("elect", elect),
    ("barrier", exchange),
    ("barrier.red", barrier_reduction),
    ("bar.arrive", named_barriers),
    ("ldmatrix", load_matrix),
    ("stmatrix", store_matrix),
    ("movmatrix", transpose_matrix),
    ("cp.async", copy_groups),
    ("cp.async.mbarrier", copy_with_mbarrier),
    ("mbarrier", mbarrier),
    ("mbarrier.tx", transactions),
    ("atom.shared", shared_atomics),
    ("atom.global", global_atomics),
    ("red", reductions),
    ("vprintf", print::step),
];

/// The program with this number, of one to three steps; its family is its last step.
pub(crate) fn program(index: usize, numbers: &mut Numbers) -> Program {
    let threads = [32, 32, 64, 128][(numbers.next() % 4) as usize];
    let mut writer = Writer {
        index,
        numbers,
        threads,
        globals: String::new(),
        body: String::new(),
        labels: 0,
        scratch: false,
    };
    let first = 16 * writer.below(((INPUT_BYTES - 8192) / 16) as u64);
    writer.line(&format!(".shared .align 128 .b8 tile[{TILE}];"));
    writer.line(".shared .align 8 .b8 bars[64];");
    writer.line("ld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];");
    writer.line(&format!("add.u64 %rd1, %rd1, {first};"));
    writer.line("mov.u32 %r30, %tid.x;\nand.b32 %r31, %r30, 31;\nmov.u32 %r32, tile;\nmov.u32 %r33, bars;");
    writer.line("mad.wide.u32 %rd3, %r30, 32, %rd1;");
    writer.line("ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd3];");
    writer.line("ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd3+16];");
    let bytes = threads as usize * 4 * WORDS;
    writer.line(&format!("add.u64 %rd4, %rd2, {bytes};"));
    let mut family = "";
    for _ in 0..=writer.below(3) {
        let (name, step) = writer.pick(STEPS);
        step(&mut writer);
        family = name;
        // Separates the shared memory of a step from that of the next.
        writer.barrier();
    }
    writer.line("mad.wide.u32 %rd3, %r30, 32, %rd2;");
    writer.line("st.global.v4.b32 [%rd3], {%r0, %r1, %r2, %r3};");
    writer.line("st.global.v4.b32 [%rd3+16], {%r4, %r5, %r6, %r7};\nret;");
    Program {
        family: family.to_owned(),
        threads,
        bytes: bytes + if writer.scratch { SCRATCH } else { 0 },
        globals: writer.globals,
        body: writer.body,
        comparison: Comparison::Bits,
    }
}

fn shuffle(w: &mut Writer<'_>) {
    let mode = w.pick(&["up", "down", "bfly", "idx"]);
    let segment = w.pick(&[0, 0, 0x1000, 0x1800, 0x1c00, 0x1e00]);
    let clamp = if mode == "up" { 0 } else { 0x1f };
    let (a, by) = (w.word(), w.word());
    let by = if w.below(2) == 0 {
        w.below(32).to_string()
    } else {
        w.line(&format!("and.b32 %r41, {by}, 31;"));
        "%r41".to_owned()
    };
    w.line(&format!(
        "shfl.sync.{mode}.b32 %r40|%p1, {a}, {by}, {}, 0xffffffff;",
        segment | clamp
    ));
    w.mix("%r40");
    w.mix_predicate("%p1");
}

fn vote(w: &mut Writer<'_>) {
    let (a, b) = (w.word(), w.word());
    w.line(&format!("setp.lt.u32 %p1, {a}, {b};"));
    if w.below(2) == 0 {
        w.line("vote.sync.ballot.b32 %r40, %p1, 0xffffffff;");
        w.mix("%r40");
    } else {
        let mode = w.pick(&["any", "all", "uni"]);
        // In some cases, all lanes agree.
        if w.below(2) == 0 {
            w.line("setp.lt.u32 %p1, %r30, 1024;");
        }
        w.line(&format!("vote.sync.{mode}.pred %p2, %p1, 0xffffffff;"));
        w.mix_predicate("%p2");
    }
}

fn matching(w: &mut Writer<'_>) {
    let a = w.word();
    let kept = w.pick(&[0u32, 1, 3, 0x8000_0001]);
    w.line(&format!("and.b32 %r42, {a}, {kept};"));
    let (ty, a) = if w.below(2) == 0 {
        ("b32", "%r42")
    } else {
        w.line("mov.b64 %rd10, {%r42, %r42};");
        ("b64", "%rd10")
    };
    if w.below(2) == 0 {
        w.line(&format!("match.any.sync.{ty} %r40, {a}, 0xffffffff;"));
    } else {
        w.line(&format!("match.all.sync.{ty} %r40|%p1, {a}, 0xffffffff;"));
        w.mix_predicate("%p1");
    }
    w.mix("%r40");
}

fn redux(w: &mut Writer<'_>) {
    let form = w.pick(&[
        "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32",
    ]);
    let a = w.word();
    if w.below(2) == 0 {
        w.line(&format!("redux.sync.{form} %r40, {a}, 0xffffffff;"));
    } else {
        // Some lanes only.
        let (count, skip) = (1 + w.below(31), w.label());
        w.line(&format!(
            "mov.u32 %r40, 5;\nsetp.ge.u32 %p1, %r31, {count};\n@%p1 bra {skip};"
        ));
        w.line(&format!("redux.sync.{form} %r40, {a}, {};", (1u64 << count) - 1));
        w.line(&format!("{skip}:\nbar.warp.sync 0xffffffff;"));
    }
    w.mix("%r40");
}

/// Elects a lane. PTX does not specify which, so that only independent properties are used: one lane is elected, it
/// is in the mask, and all lanes know its number; the others read what it writes.
fn elect(w: &mut Writer<'_>) {
    let (count, skip) = (w.pick(&[32, 32, 16, 1, 7]), w.label());
    let mask = (1u64 << count) - 1;
    let value = w.below(1 << 31);
    w.line(&format!(
        "mov.u32 %r40, 5;\nsetp.ge.u32 %p1, %r31, {count};\n@%p1 bra {skip};\nelect.sync %r41|%p2, {mask};"
    ));
    w.line(&format!("vote.sync.ballot.b32 %r42, %p2, {mask};"));
    w.line("mov.u32 %r43, 1;\nshl.b32 %r43, %r43, %r41;\nsetp.eq.u32 %p3, %r42, %r43;\npopc.b32 %r40, %r42;");
    w.line(&format!(
        "and.b32 %r44, %r43, {mask};\nsetp.ne.and.u32 %p3, %r44, 0, %p3;\nselp.u32 %r45, {value}, 0, %p3;\nadd.u32 %r40, %r40, %r45;"
    ));
    w.line("shr.u32 %r46, %r30, 5;\nshl.b32 %r46, %r46, 2;\nadd.u32 %r46, %r46, %r32;");
    w.line(&format!(
        "@%p2 st.shared.b32 [%r46], {value};\nbar.warp.sync {mask};\nld.shared.b32 %r45, [%r46];\nxor.b32 %r40, %r40, %r45;"
    ));
    w.line(&format!("{skip}:\nbar.warp.sync 0xffffffff;"));
    w.mix("%r40");
}

/// Makes each thread read what another wrote.
fn exchange(w: &mut Writer<'_>) {
    let (a, by) = (w.word(), w.below(u64::from(w.threads)));
    w.line("shl.b32 %r41, %r30, 2;\nadd.u32 %r41, %r41, %r32;");
    w.line(&format!("st.shared.b32 [%r41], {a};"));
    let barrier = w.pick(&[
        "bar.sync 0;",
        "bar.cta.sync 0;",
        "barrier.sync 1;",
        "barrier.sync.aligned 2;",
        "barrier.cta.sync 3;",
        "barrier.cta.sync.aligned 3;",
    ]);
    w.line(barrier);
    w.line(&format!(
        "add.u32 %r42, %r30, {by};\nand.b32 %r42, %r42, {};",
        w.threads - 1
    ));
    w.line("shl.b32 %r42, %r42, 2;\nadd.u32 %r42, %r42, %r32;\nld.shared.b32 %r40, [%r42];");
    w.mix("%r40");
}

fn barrier_reduction(w: &mut Writer<'_>) {
    let a = w.word();
    let kept = w.pick(&[0u32, 1, 0x1000_0001, 0xffff_ffff]);
    w.line(&format!("and.b32 %r41, {a}, {kept};\nsetp.ne.u32 %p1, %r41, 0;"));
    let negated = w.pick(&["", "!"]);
    let count = match w.below(2) {
        0 => String::new(),
        _ => format!(", {}", w.threads),
    };
    let (barrier, aligned) = w.pick(&[
        ("bar", ""),
        ("bar.cta", ""),
        ("barrier", ".aligned"),
        ("barrier.cta", ".aligned"),
        ("barrier", ""),
        ("barrier.cta", ""),
    ]);
    let (op, ty, d) = w.pick(&[
        ("popc", "u32", "%r40"),
        ("and", "pred", "%p2"),
        ("or", "pred", "%p2"),
    ]);
    let line = format!("{barrier}.red.{op}{aligned}.{ty} {d}, 4{count}, {negated}%p1;");
    // ptxas (13.0 and 13.5) returns other counts at -O2 and -O3 than at -O1 for `popc` from two instructions.
    let apart = barrier.starts_with("barrier") && aligned.is_empty() && op != "popc";
    if apart && w.below(2) == 0 {
        // The lanes of a warp arrive from different instructions.
        let (other, done) = (w.label(), w.label());
        let bit = w.pick(&[1, 4, 16]);
        w.line(&format!(
            "and.b32 %r42, %r30, {bit};\nsetp.eq.u32 %p3, %r42, 0;\n@%p3 bra {other};\n{line}\nbra {done};"
        ));
        w.line(&format!("{other}:\n{line}\n{done}:\nbar.warp.sync 0xffffffff;"));
    } else {
        w.line(&line);
    }
    if ty == "pred" {
        w.mix_predicate(d);
    } else {
        w.mix(d);
    }
}

/// Makes the first warp pass words to the second and continue; others do not participate.
fn named_barriers(w: &mut Writer<'_>) {
    if w.threads < 64 {
        return exchange(w);
    }
    let (a, number) = (w.word(), 1 + w.below(15));
    let (produce, done) = (w.label(), w.label());
    let arrive = w.pick(&["bar.arrive", "barrier.arrive.aligned", "barrier.cta.arrive"]);
    w.line("mov.u32 %r40, 9;\nshl.b32 %r41, %r31, 2;\nadd.u32 %r41, %r41, %r32;\nshr.u32 %r42, %r30, 5;");
    w.line(&format!("setp.eq.u32 %p1, %r42, 0;\n@%p1 bra {produce};"));
    w.line(&format!("setp.ne.u32 %p1, %r42, 1;\n@%p1 bra {done};"));
    w.line(&format!(
        "bar.sync {number}, 64;\nld.shared.b32 %r40, [%r41];\nbra {done};"
    ));
    w.line(&format!(
        "{produce}:\nst.shared.b32 [%r41], {a};\n{arrive} {number}, 64;\n{done}:"
    ));
    w.mix("%r40");
}

/// Writes 16 bytes of each thread into the tile, and the address of the thread's row into `%r41`.
fn fill_rows(w: &mut Writer<'_>) {
    let v = w.words(4);
    w.line("shl.b32 %r41, %r30, 4;\nadd.u32 %r41, %r41, %r32;");
    w.line(&format!("st.shared.v4.b32 [%r41], {{{}}};", v.join(", ")));
}

/// Writes the address of a row of the thread's warp, permuted, into `%r42`.
fn row_address(w: &mut Writer<'_>) {
    let turn = w.below(32);
    let flip = w.below(32);
    w.line(&format!(
        "xor.b32 %r42, %r31, {flip};\nadd.u32 %r42, %r42, {turn};\nand.b32 %r42, %r42, 31;"
    ));
    w.line("and.b32 %r43, %r30, 0xffffffe0;\nor.b32 %r42, %r42, %r43;\nshl.b32 %r42, %r42, 4;\nadd.u32 %r42, %r42, %r32;");
}

fn load_matrix(w: &mut Writer<'_>) {
    fill_rows(w);
    row_address(w);
    let count = w.pick(&[1, 2, 4]);
    let (trans, space) = (w.pick(&["", ".trans"]), w.pick(&[".shared", ".shared::cta"]));
    let d = w.words(count).join(", ");
    w.line("bar.warp.sync 0xffffffff;");
    w.line(&format!(
        "ldmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 {{{d}}}, [%r42];"
    ));
}

fn store_matrix(w: &mut Writer<'_>) {
    fill_rows(w);
    row_address(w);
    let count = w.pick(&[1, 2, 4]);
    let (trans, space) = (w.pick(&["", ".trans"]), w.pick(&[".shared", ".shared::cta"]));
    let a = w.words(count).join(", ");
    w.line("bar.warp.sync 0xffffffff;");
    w.line(&format!(
        "stmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 [%r42], {{{a}}};"
    ));
    let d = w.words(4).join(", ");
    w.line(&format!(
        "bar.warp.sync 0xffffffff;\nld.shared.v4.b32 {{{d}}}, [%r41];"
    ));
}

fn transpose_matrix(w: &mut Writer<'_>) {
    let a = w.word();
    w.line(&format!("movmatrix.sync.aligned.m8n8.trans.b16 %r40, {a};"));
    w.mix("%r40");
}

/// The instruction that copies to `[%r41 + to]` from `[%rd11 + from]`.
fn copy(w: &mut Writer<'_>, to: u64, from: u64) {
    let bytes = w.pick(&[4u64, 8, 16, 16]);
    let cache = if bytes == 16 { w.pick(&["ca", "cg"]) } else { "ca" };
    let space = w.pick(&[".shared", ".shared::cta"]);
    let more = match w.below(4) {
        0 => format!(", {}", w.below(bytes)),
        1 => {
            let a = w.word();
            w.line(&format!("setp.lt.s32 %p1, {a}, 0;"));
            ", %p1".to_owned()
        }
        _ => String::new(),
    };
    w.line(&format!(
        "cp.async.{cache}{space}.global [%r41+{to}], [%rd11+{from}], {bytes}{more};"
    ));
}

/// Computes the addresses of a thread's 64 bytes of the tile and of the input, and zeroes the tile.
fn prepare_copies(w: &mut Writer<'_>) {
    w.line("shl.b32 %r41, %r30, 6;\nadd.u32 %r41, %r41, %r32;\nmad.wide.u32 %rd11, %r30, 16, %rd1;\nmov.u32 %r44, 0;");
    for at in [0, 16, 32, 48] {
        w.line(&format!(
            "st.shared.v4.b32 [%r41+{at}], {{%r44, %r44, %r44, %r44}};"
        ));
    }
}

/// Reads a word of the 64 bytes of the thread `by` after this one, from those of the first `count` copies.
fn read_copy(w: &mut Writer<'_>, by: u64, count: u64) {
    let at = 16 * w.below(count) + 4 * w.below(4);
    w.line(&format!(
        "add.u32 %r45, %r30, {by};\nand.b32 %r45, %r45, {};",
        w.threads - 1
    ));
    w.line(&format!(
        "shl.b32 %r45, %r45, 6;\nadd.u32 %r45, %r45, %r32;\nld.shared.b32 %r40, [%r45+{at}];"
    ));
    w.mix("%r40");
}

fn copy_groups(w: &mut Writer<'_>) {
    prepare_copies(w);
    let groups = 1 + w.below(4);
    for group in 0..groups {
        let from = 16 * w.below(64);
        copy(w, 16 * group, from);
        w.line("cp.async.commit_group;");
    }
    let left = w.below(groups);
    if left == 0 && w.below(2) == 0 {
        w.line("cp.async.wait_all;");
    } else {
        w.line(&format!("cp.async.wait_group {left};"));
    }
    w.barrier();
    let by = w.below(u64::from(w.threads));
    read_copy(w, by, groups - left);
    w.line("cp.async.wait_all;");
}

/// Initializes an mbarrier for `count` arrivals at `bars`.
fn open(w: &mut Writer<'_>, count: u64) {
    w.line("setp.eq.u32 %p3, %r30, 0;");
    w.line(&format!("@%p3 mbarrier.init.shared::cta.b64 [bars], {count};"));
    w.barrier();
}

fn close(w: &mut Writer<'_>) {
    w.barrier();
    w.line("setp.eq.u32 %p3, %r30, 0;\n@%p3 mbarrier.inval.shared::cta.b64 [bars];");
}

/// Waits for the phase of this parity.
fn wait(w: &mut Writer<'_>, parity: u64) {
    let label = w.label();
    let form = w.pick(&["try_wait", "test_wait"]);
    w.line(&format!(
        "{label}:\nmbarrier.{form}.parity.shared::cta.b64 %p4, [bars], {parity};\n@!%p4 bra {label};"
    ));
}

fn copy_with_mbarrier(w: &mut Writer<'_>) {
    prepare_copies(w);
    let counted = w.below(2) == 0;
    // If the tracking counts as an additional arrival, each thread arrives as well.
    open(w, u64::from(w.threads));
    let copies = 1 + w.below(4);
    for at in 0..copies {
        let from = 16 * w.below(64);
        copy(w, 16 * at, from);
    }
    if counted {
        w.line("cp.async.mbarrier.arrive.shared::cta.b64 [bars];");
        w.line("mbarrier.arrive.shared::cta.b64 %rd20, [bars];");
    } else {
        w.line("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bars];");
    }
    wait(w, 0);
    let by = w.below(u64::from(w.threads));
    read_copy(w, by, copies);
    close(w);
}

/// Generates phases with arrivals of one or two counts, and waits by state or parity.
fn mbarrier(w: &mut Writer<'_>) {
    let (each, drops) = (1 + w.below(2), w.below(3) == 0);
    let threads = u64::from(w.threads);
    open(w, threads * each);
    let a = w.word();
    w.line("shl.b32 %r41, %r30, 2;\nadd.u32 %r41, %r41, %r32;");
    let phases = if drops { 1 } else { 1 + w.below(3) };
    for phase in 0..phases {
        w.line(&format!("st.shared.b32 [%r41], {a};"));
        let count = if each == 1 {
            String::new()
        } else {
            format!(", {each}")
        };
        let by_state = w.below(2) == 0;
        let arrive = if drops && each == 1 {
            "arrive_drop"
        } else {
            "arrive"
        };
        w.line(&format!(
            "mbarrier.{arrive}.shared::cta.b64 %rd12, [bars]{count};"
        ));
        if by_state {
            let label = w.label();
            let form = w.pick(&["try_wait", "test_wait"]);
            w.line(&format!(
                "{label}:\nmbarrier.{form}.shared::cta.b64 %p4, [bars], %rd12;\n@!%p4 bra {label};"
            ));
        } else {
            wait(w, phase % 2);
        }
        let by = w.below(threads);
        w.line(&format!(
            "add.u32 %r42, %r30, {by};\nand.b32 %r42, %r42, {};",
            threads - 1
        ));
        w.line("shl.b32 %r42, %r42, 2;\nadd.u32 %r42, %r42, %r32;\nld.shared.b32 %r40, [%r42];");
        w.mix("%r40");
        w.barrier();
    }
    close(w);
}

/// Generates a phase that also waits for bytes, which one thread expects and another delivers.
fn transactions(w: &mut Writer<'_>) {
    let bytes = 16 * (1 + w.below(64));
    let a = w.word();
    open(w, u64::from(w.threads));
    w.line("shl.b32 %r41, %r30, 2;\nadd.u32 %r41, %r41, %r32;");
    w.line(&format!("st.shared.b32 [%r41], {a};\nsetp.eq.u32 %p5, %r30, 0;"));
    if w.below(2) == 0 {
        w.line(&format!(
            "@%p5 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bars], {bytes};"
        ));
        w.line(&format!(
            "@%p5 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bars], {bytes};"
        ));
        w.line("mbarrier.arrive.shared::cta.b64 %rd20, [bars];");
    } else {
        let (skip, done) = (w.label(), w.label());
        w.line(&format!("@!%p5 bra {skip};"));
        w.line(&format!(
            "mbarrier.arrive.expect_tx.shared::cta.b64 %rd20, [bars], {bytes};"
        ));
        w.line(&format!(
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bars], {bytes};"
        ));
        w.line(&format!(
            "bra {done};\n{skip}:\nmbarrier.arrive.shared::cta.b64 %rd20, [bars];\n{done}:"
        ));
    }
    wait(w, 0);
    let by = w.below(u64::from(w.threads));
    w.line(&format!(
        "add.u32 %r42, %r30, {by};\nand.b32 %r42, %r42, {};",
        w.threads - 1
    ));
    w.line("shl.b32 %r42, %r42, 2;\nadd.u32 %r42, %r42, %r32;\nld.shared.b32 %r40, [%r42];");
    w.mix("%r40");
    close(w);
}

/// Generates atomics with a result, each thread on its own 16 bytes at `address`.
fn own_atomic(w: &mut Writer<'_>, space: &str, address: &str) {
    let (a, b, c) = (w.word(), w.word(), w.word());
    let order = w.pick(&["", ".relaxed", ".acquire", ".release", ".acq_rel"]);
    let scope = if order.is_empty() {
        w.pick(&["", ".gpu"])
    } else {
        w.pick(&[".cta", ".gpu", ".sys"])
    };
    let prefix = format!("atom{order}{scope}{space}");
    match w.below(11) {
        0 => {
            let op = w.pick(&["and", "or", "xor", "exch"]);
            w.line(&format!("{prefix}.{op}.b32 %r40, [{address}], {a};"));
        }
        1 => {
            let op = w.pick(&[
                "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "inc.u32", "dec.u32",
            ]);
            w.line(&format!("{prefix}.{op} %r40, [{address}], {a};"));
        }
        2 => {
            // Half of the time the value in memory.
            w.line(&format!(
                "ld{space}.b32 %r46, [{address}];\nsetp.lt.s32 %p1, {c}, 0;\nselp.b32 %r46, %r46, {a}, %p1;"
            ));
            w.line(&format!("{prefix}.cas.b32 %r40, [{address}], %r46, {b};"));
        }
        3 => {
            w.line(&format!(
                "cvt.u16.u32 %rs1, {b};\nld{space}.b16 %rs2, [{address}];"
            ));
            w.line(&format!(
                "{prefix}.cas.b16 %rs3, [{address}], %rs2, %rs1;\ncvt.u32.u16 %r40, %rs3;"
            ));
        }
        4 => {
            let op = w.pick(&[
                "and.b64", "or.b64", "xor.b64", "exch.b64", "add.u64", "min.u64", "min.s64", "max.u64",
                "max.s64",
            ]);
            w.line(&format!("mov.b64 %rd13, {{{a}, {b}}};"));
            w.line(&format!(
                "{prefix}.{op} %rd14, [{address}], %rd13;\nmov.b64 {{%r40, %r46}}, %rd14;"
            ));
            w.mix("%r46");
        }
        5 => {
            w.line(&format!(
                "ld{space}.b64 %rd13, [{address}];\nmov.b64 %rd14, {{{a}, {b}}};"
            ));
            w.line(&format!(
                "{prefix}.cas.b64 %rd15, [{address}], %rd13, %rd14;\nmov.b64 {{%r40, %r46}}, %rd15;"
            ));
            w.mix("%r46");
        }
        6 => {
            // No NaN and no infinity among the bits.
            let (ty, kept) = w.pick(&[("f16x2", 0xbfff_bfffu32), ("bf16x2", 0xbfff_bfff)]);
            w.line(&format!(
                "and.b32 %r46, {a}, {kept};\nand.b32 %r47, {b}, {kept};\nst{space}.b32 [{address}], %r46;"
            ));
            w.line(&format!("{prefix}.add.noftz.{ty} %r40, [{address}], %r47;"));
        }
        7 => {
            // A double below two.
            w.line(&format!(
                "and.b32 %r46, {a}, 0xbfffffff;\nmov.b64 %fd1, {{{b}, %r46}};"
            ));
            w.line(&format!(
                "and.b32 %r46, {b}, 0xbfffffff;\nmov.b64 %rd13, {{{c}, %r46}};\nst{space}.b64 [{address}], %rd13;"
            ));
            w.line(&format!(
                "{prefix}.add.f64 %fd2, [{address}], %fd1;\nmov.b64 {{%r40, %r46}}, %fd2;"
            ));
            w.mix("%r46");
        }
        op @ 8..10 => {
            w.line(&format!(
                "mov.b64 %rd13, {{{a}, {b}}};\nmov.b64 %rd14, {{{b}, {c}}};\nmov.b128 %rq1, {{%rd13, %rd14}};"
            ));
            if op == 8 {
                w.line(&format!("{prefix}.exch.b128 %rq2, [{address}], %rq1;"));
            } else {
                // Half of the time the value in memory, otherwise one that differs in at most one word.
                w.line(&format!("ld{space}.v2.b64 {{%rd18, %rd19}}, [{address}];"));
                w.line(&format!(
                    "setp.lt.s32 %p1, {c}, 0;\nselp.b64 %rd19, %rd19, %rd13, %p1;"
                ));
                w.line(&format!(
                    "mov.b128 %rq3, {{%rd18, %rd19}};\n{prefix}.cas.b128 %rq2, [{address}], %rq3, %rq1;"
                ));
            }
            w.line("mov.b128 {%rd13, %rd14}, %rq2;\nmov.b64 {%r40, %r46}, %rd13;");
            w.mix("%r40");
            w.mix("%r46");
            w.line("mov.b64 {%r40, %r46}, %rd14;");
            w.mix("%r46");
            w.line(&format!("ld{space}.b32 %r46, [{address}+12];"));
            w.mix("%r46");
        }
        _ => {
            w.line(&format!("and.b32 %r46, {a}, 0xbfffffff;\nand.b32 %r47, {b}, 0xbfffffff;\nst{space}.b32 [{address}], %r46;"));
            w.line("mov.b32 %f1, %r47;");
            w.line(&format!(
                "{prefix}.add.f32 %f2, [{address}], %f1;\nmov.b32 %r40, %f2;"
            ));
        }
    }
    w.mix("%r40");
    w.line(&format!("ld{space}.b32 %r40, [{address}];"));
    w.mix("%r40");
}

fn shared_atomics(w: &mut Writer<'_>) {
    fill_rows(w);
    let space = w.pick(&[".shared", ".shared::cta"]);
    own_atomic(w, space, "%r41");
}

fn global_atomics(w: &mut Writer<'_>) {
    w.scratch = true;
    let v = w.words(4);
    w.line("mad.wide.u32 %rd16, %r30, 16, %rd4;");
    w.line(&format!("st.global.v4.b32 [%rd16], {{{}}};", v.join(", ")));
    own_atomic(w, ".global", "%rd16");
    if w.below(2) == 0 {
        // Vectors of floats without NaN.
        let (a, b) = (w.word(), w.word());
        w.line(&format!(
            "and.b32 %r46, {a}, 0xbfffbfff;\nand.b32 %r47, {b}, 0xbfffbfff;"
        ));
        w.line("st.global.v4.b32 [%rd16], {%r46, %r47, %r47, %r46};");
        let op = w.pick(&["add", "min", "max"]);
        match w.below(3) {
            0 => {
                w.line("mov.b32 %f1, %r46;\nmov.b32 %f2, %r47;");
                w.line("atom.global.add.v2.f32 {%f3, %f4}, [%rd16], {%f1, %f2};\nmov.b32 %r40, %f4;");
            }
            1 => {
                let ty = w.pick(&["f16x2", "bf16x2"]);
                w.line(&format!(
                    "atom.global.{op}.noftz.v2.{ty} {{%r40, %r48}}, [%rd16], {{%r46, %r47}};"
                ));
            }
            _ => {
                let ty = w.pick(&["f16", "bf16"]);
                w.line("mov.b32 {%rs1, %rs2}, %r46;\nmov.b32 {%rs3, %rs4}, %r47;");
                w.line(&format!(
                    "atom.global.{op}.noftz.v4.{ty} {{%rs5, %rs6, %rs7, %rs8}}, [%rd16], {{%rs1, %rs2, %rs3, %rs4}};"
                ));
                w.line("mov.b32 %r40, {%rs6, %rs8};");
            }
        }
        w.mix("%r40");
        w.line("ld.global.v4.b32 {%r46, %r47, %r48, %r49}, [%rd16];");
        w.mix("%r47");
        w.mix("%r48");
    }
}

/// Generates reductions of all threads on a few locations, with integer results independent of the order.
fn reductions(w: &mut Writer<'_>) {
    let a = w.word();
    let global = w.below(2) == 0;
    w.scratch |= global;
    let (space, base) = if global {
        (".global", "%rd16")
    } else {
        (".shared", "%r41")
    };
    let op = w.pick(&[
        "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32",
        "inc.u32", "add.u64", "max.s64", "min.u64", "or.b64",
    ]);
    let places = w.pick(&[0, 3, 7]);
    w.line(&format!("and.b32 %r42, %r30, {places};\nshl.b32 %r42, %r42, 3;"));
    if global {
        // Apart from the locations of single threads.
        w.line("cvt.u64.u32 %rd17, %r42;\nadd.u64 %rd16, %rd4, %rd17;");
    } else {
        w.line("add.u32 %r41, %r42, %r32;\nmov.u64 %rd17, 0x123456789;\nst.relaxed.cta.shared.b64 [%r41], %rd17;");
    }
    w.barrier();
    let value = if op.ends_with("64") {
        let b = w.word();
        w.line(&format!("mov.b64 %rd13, {{{a}, {b}}};"));
        "%rd13".to_owned()
    } else if op == "inc.u32" {
        "29".to_owned()
    } else {
        a
    };
    let scope = w.pick(&["", ".relaxed.cta", ".release.gpu", ".relaxed.sys"]);
    w.line(&format!("red{scope}{space}.{op} [{base}], {value};"));
    w.barrier();
    w.line(&format!(
        "ld.relaxed.cta{space}.b64 %rd14, [{base}];\nmov.b64 {{%r40, %r46}}, %rd14;"
    ));
    w.mix("%r40");
    w.mix("%r46");
}
