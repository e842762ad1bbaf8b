//! Products written in `scheduled`, for sm_90a: rings that tensor copies fill, products of warp groups, and results that
//! threads or tensor copies store. Shapes, swizzles, element types, places and orders of the operands, depths of the rings
//! and numbers of agents vary; the extents of the arrays end anywhere within a tile.
//!
//! Numbers are small integers, so that every sum is exact in any order; the reference is a plain loop.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use tilewright::{Compiler, Language, Request, joins};
use tilewright_diagnostics::FileId;
use tilewright_irs::machine::{Multiprocessor, threads};
use tilewright_irs::tileas::atoms::WgmmaAtom;
use tilewright_simulator::{Arg, Device, Init, Timing};

use super::products::{BF16, E4M3, E5M2, F16, F32, I8, I32, Number, TF32};
use super::seeds;

const PROGRAMS: u64 = 40;

/// Shared memory that the rings and the stages of stores may take.
const ROOM: usize = 200 << 10;

/// A matrix in memory, of which one axis is contiguous.
struct Matrix {
    number: Number,
    /// The extents, and the axis whose elements follow each other.
    extents: [usize; 2],
    inner: usize,
    /// Elements from one row along that axis to the next.
    stride: usize,
    values: Vec<i32>,
}

impl Matrix {
    fn at(&self, place: [usize; 2]) -> i32 {
        self.values[place[1 - self.inner] * self.stride + place[self.inner]]
    }

    fn bytes(&self) -> Vec<u8> {
        let bits = self
            .values
            .iter()
            .map(|&value| (self.number.bits)(value).to_le_bytes());
        bits.flat_map(|bits| bits.into_iter().take(self.number.bytes))
            .collect()
    }

    /// The type of the array, whose base is aligned and whose stride is known to be a multiple of 16 bytes.
    fn memref(&self, class: usize, divides: usize) -> String {
        let units = 16 / self.number.bytes;
        let per_axis = |inner: String, outer: String| match self.inner {
            0 => format!("[{inner}, {outer}]"),
            _ => format!("[{outer}, {inner}]"),
        };
        format!(
            "memref<?x?x{}, strides = {}, align = 16, class = {class}, extent_div = {}, stride_div = {}>",
            self.number.name,
            per_axis("1".to_owned(), "?".to_owned()),
            per_axis(divides.to_string(), "1".to_owned()),
            per_axis("1".to_owned(), units.to_string()),
        )
    }
}

/// How a tile is in shared memory: its extents, the contiguous axis, and the bytes of a row of a box, which are those of the
/// swizzle's span.
#[derive(Clone, Copy)]
struct Stage {
    tile: [usize; 2],
    inner: usize,
    span: usize,
    bytes: usize,
    /// Whether copies round what they load.
    rounded: bool,
}

impl Stage {
    fn box_extents(&self) -> [usize; 2] {
        let mut extents = self.tile;
        extents[self.inner] = self.span / self.bytes;
        extents
    }

    fn size(&self) -> usize {
        self.tile[0] * self.tile[1] * self.bytes
    }

    /// The element at each power of two of the offset: rows of the span, in which the index of 16 bytes is changed by that
    /// of 128; then further boxes. (CUDA Programming Guide, "Swizzle modes".)
    fn layout(&self) -> String {
        let row = self.span / self.bytes;
        let outer = self.tile[1 - self.inner];
        let element = |inner: usize, outer: usize| match self.inner {
            0 => format!("[{inner}, {outer}]"),
            _ => format!("[{outer}, {inner}]"),
        };
        let in_box = (row * outer).ilog2();
        let mut bases: Vec<String> = (0..in_box)
            .map(|bit| {
                let address = self.bytes << bit;
                let chunks = self.span / 16 - 1;
                let offset = (address ^ (address >> 7 & chunks) << 4) / self.bytes;
                element(offset % row, offset / row)
            })
            .collect();
        let mut step = row;
        while step < self.tile[self.inner] {
            bases.push(element(step, 0));
            step *= 2;
        }
        format!(
            "linear<offset = [{}], shape = [{}, {}]>",
            bases.join(", "),
            self.tile[0],
            self.tile[1]
        )
    }

    fn atom(&self) -> String {
        let [rows, columns] = self.box_extents();
        let swizzle = match self.span {
            16 => String::new(),
            span => format!(", swizzle = \"{span}B\""),
        };
        let rounded = if self.rounded { ", rounded = true" } else { "" };
        format!("tma<box = [{rows}, {columns}]{swizzle}{rounded}>")
    }
}

/// Bases of a layout along an axis: powers of two from one up to another.
fn along(axis: usize, from: usize, to: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut step = from;
    while step < to {
        found.push(if axis == 0 {
            format!("[{step}, 0]")
        } else {
            format!("[0, {step}]")
        });
        step *= 2;
    }
    found
}

fn register_layout(register: &[String], lane: &[String], warp: &[String], shape: [usize; 2]) -> String {
    format!(
        "linear<register = [{}], lane = [{}], warp = [{}], shape = [{}, {}]>",
        register.join(", "),
        lane.join(", "),
        warp.join(", "),
        shape[0],
        shape[1]
    )
}

/// The warp groups of an agent along each axis of its tile.
#[derive(Clone, Copy)]
struct Groups {
    rows: usize,
    columns: usize,
}

/// The layout of the result of products of 64 by `n` in registers, of which each group of warps has its part.
fn result_layout(groups: Groups, n: usize, shape: [usize; 2]) -> String {
    let mut register = [along(1, 1, 2), along(0, 8, 16), along(1, 8, n)].concat();
    register.extend(along(1, n * groups.columns, shape[1]));
    register.extend(along(0, 64 * groups.rows, shape[0]));
    let lane = [along(1, 2, 8), along(0, 1, 8)].concat();
    let mut warp = along(0, 16, 64 * groups.rows);
    warp.extend(along(1, n, n * groups.columns));
    register_layout(&register, &lane, &warp, shape)
}

/// The layout of the left operand in registers.
fn left_layout(groups: Groups, bytes: usize, shape: [usize; 2]) -> String {
    let packed = 4 / bytes;
    let mut register = [
        along(1, 1, packed),
        along(0, 8, 16),
        along(1, 4 * packed, shape[1]),
    ]
    .concat();
    register.extend(along(0, 64 * groups.rows, shape[0]));
    let lane = [along(1, packed, 4 * packed), along(0, 1, 8)].concat();
    let mut warp = along(0, 16, 64 * groups.rows);
    warp.extend((1..groups.columns).map(|_| "[0, 0]".to_owned()));
    register_layout(&register, &lane, &warp, shape)
}

/// How the products of a ring follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Each is waited for.
    OneByOne,
    /// Each is waited for when the next has begun, and its stage given back then.
    Overlapped,
    /// Each is complete by itself, and then added.
    Added,
}

/// A program with its operands.
struct Program {
    text: String,
    a: Matrix,
    b: Matrix,
    /// The element of the results, of which each agent stores one.
    result: Number,
    results: usize,
    stride: usize,
    grid: [u32; 2],
    timing: Timing,
}

struct Generator(ChaCha8Rng);

impl Generator {
    fn choose<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.0.random_range(0..among.len())]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.0.random_range(0..100) < percent
    }

    /// The number of elements along an axis with so many tiles, of which the last may be partial.
    fn extent(&mut self, tiles: usize, tile: usize) -> usize {
        match self.chance(40) {
            true => tiles * tile,
            false => tiles * tile - self.0.random_range(0..tile),
        }
    }

    fn matrix(&mut self, number: Number, extents: [usize; 2], inner: usize, largest: i32) -> Matrix {
        let units = 16 / number.bytes;
        let stride = extents[inner].next_multiple_of(units) + self.choose(&[0, 0, 1, 3]) * units;
        let count = extents[1 - inner] * stride;
        let values = (0..count).map(|_| self.0.random_range(-largest..=largest));
        Matrix {
            number,
            extents,
            inner,
            stride,
            values: values.collect(),
        }
    }

    /// A way to keep a tile in shared memory, rows of at least 16 bytes.
    fn stage(&mut self, tile: [usize; 2], inner: usize, number: Number) -> Stage {
        let bytes = number.bytes;
        let row = tile[inner] * bytes;
        let spans: Vec<usize> = [16, 32, 64, 128]
            .into_iter()
            .filter(|&span| span <= row)
            .collect();
        // The widest is what programs have as a rule.
        let span = match self.chance(60) {
            true => spans.last().copied().unwrap_or(16),
            false => self.choose(&spans),
        };
        Stage {
            tile,
            inner,
            span,
            bytes,
            rounded: number.factor != number.name,
        }
    }
}

/// The program of a seed.
#[expect(clippy::too_many_lines, reason = "one text from top to bottom")]
fn program(seed: u64) -> Program {
    let mut random = Generator(ChaCha8Rng::seed_from_u64(seed));
    let (number, sum) = random.choose(&[
        (F16, F32),
        (F16, F32),
        (F16, F16),
        (BF16, F32),
        (TF32, F32),
        (E4M3, F32),
        (E4M3, F16),
        (E5M2, F32),
        (I8, I32),
    ]);
    let bytes = number.bytes;
    let agents = random.choose(&[1, 1, 1, 2]);
    let warp_groups = random.choose(&[1, 1, 2]);
    // Two groups share 64 rows by their columns.
    let by_columns = warp_groups == 2 && random.chance(30);
    let groups = match by_columns {
        true => Groups { rows: 1, columns: 2 },
        false => Groups {
            rows: warp_groups,
            columns: 1,
        },
    };
    let m = 64
        * groups.rows
        * if by_columns {
            1
        } else {
            random.choose(&[1, 1, 1, 2])
        };
    let columns = random.choose(&[8, 16, 32, 64, 64, 128, 256]);
    let columns = if m / 64 / groups.rows > 1 {
        columns.min(128)
    } else {
        columns
    };
    let n = columns * groups.columns;
    let n = n.min(256);
    let mut columns = n / groups.columns;
    // The depth of one instruction is 32 bytes.
    let k = 32 / bytes * random.choose(&[1, 2, 2, 4, 4, 8]);
    let transposable = bytes == 2;
    let a_inner = if transposable && random.chance(30) { 0 } else { 1 };
    let b_inner = if transposable && random.chance(60) { 1 } else { 0 };
    let in_registers = random.chance(25) && (a_inner == 1 || transposable) && bytes <= 2;
    let multiply_warps = 4 * warp_groups * agents;
    let warps = multiply_warps + 4;
    // What the threads of the block begin with has to suffice for an instruction.
    let narrow = |count: usize| u32::try_from(count).unwrap_or(0);
    let begin = Multiprocessor::thread_registers(threads(narrow(warps)), 1);
    let sum_bits = if sum.bytes == 4 { 32 } else { 16 };
    let needed = |n| WgmmaAtom::of(n).registers(sum_bits, in_registers);
    while needed(narrow(columns)) > begin {
        columns /= 2;
    }
    let n = columns * groups.columns;
    let a_stage = random.stage([m, k], a_inner, number);
    let b_stage = random.stage([k, n], b_inner, number);
    let order = random.choose(&[
        Order::OneByOne,
        Order::Overlapped,
        Order::Overlapped,
        Order::Added,
    ]);
    // A product with operands in registers leaves them alone only when it is complete.
    let order = match order {
        Order::Overlapped if in_registers => Order::OneByOne,
        order => order,
    };
    let result = match sum.name {
        "f32" if random.chance(40) => F16,
        _ => sum,
    };
    let by_copies = result.name == F16.name && !by_columns && random.chance(70);
    let slice = n.min(64);
    let c_stage = Stage {
        tile: [m, slice],
        inner: 1,
        span: slice * 2,
        bytes: 2,
        rounded: false,
    };
    let stores = if by_copies { agents * c_stage.size() } else { 0 };
    let most = (ROOM - stores) / (a_stage.size() + b_stage.size());
    let stages = random.choose(&[1, 2, 2, 3, 4, 5, 6]).min(most.max(1));
    let stages = if order == Order::Overlapped {
        stages.max(2)
    } else {
        stages
    };

    let tiles = [random.choose(&[1, 1, 2]), random.choose(&[1, 1, 2])];
    let steps = random.choose(&[1, 2, 3, 5, 8]);
    let (rows, cols, depth) = (
        random.extent(tiles[0], m),
        random.extent(tiles[1], n),
        random.extent(steps, k),
    );
    let units = 16 / result.bytes;
    // Tensor copies store whole units of 16 bytes.
    let cols = if by_copies {
        cols.next_multiple_of(units)
    } else {
        cols
    };
    // Sums of f16 are exact below 2^11.
    let largest = if result.name == F16.name || sum.name == F16.name {
        1
    } else {
        2
    };
    let a = random.matrix(number, [rows, depth], a_inner, largest);
    let b = random.matrix(number, [depth, cols], b_inner, largest);
    let stride = cols.next_multiple_of(units) + random.choose(&[0, 0, 1]) * units;
    // What is known of the columns says how many a thread may store at once.
    let pair = match cols % 2 {
        _ if by_copies => units,
        0 if random.chance(80) => 2,
        _ => 1,
    };
    let c = Matrix {
        number: result,
        extents: [rows, cols],
        inner: 1,
        stride,
        values: Vec::new(),
    };

    let [a_memref, b_memref] = [(&a, 0), (&b, 1)].map(|(matrix, class)| matrix.memref(class, 1));
    let element = number.factor;
    let room = |stage: &Stage, element: &str, layout: &str, stages: usize| {
        let [rows, columns] = stage.tile;
        let ring = if stages > 1 {
            format!(", stages = {stages}")
        } else {
            String::new()
        };
        format!("buffer<{rows}x{columns}x{element}, shared, {layout}{ring}>")
    };
    let (a_buffer, b_buffer) = (
        room(&a_stage, element, "#am", 1),
        room(&b_stage, element, "#bm", 1),
    );
    let sums = format!("tile<{m}x{n}x{}, #sum>", sum.name);
    let mut text = String::new();
    let mut line = |line: String| {
        let _ = writeln!(text, "{line}");
    };
    line(format!("#am = {}", a_stage.layout()));
    line(format!("#bm = {}", b_stage.layout()));
    line(format!("#cm = {}", c_stage.layout()));
    line("#map = linear<offset = [[1], [2], [4], [8], [16], [32], [64]], shape = [128]>".to_owned());
    line(format!("#sum = {}", result_layout(groups, columns, [m, n])));
    line(format!(
        "#part = {}",
        result_layout(groups, columns.min(slice), [m, slice])
    ));
    line(format!("#left = {}", left_layout(groups, bytes, [m, k])));
    let outputs: Vec<String> = (0..agents)
        .map(|at| format!("%c{at}: ptr<{}>, ", result.name))
        .collect();
    let load_warps = random.choose(&[1, 4]);
    line(format!(
        "scheduled.func @k(%a: ptr<{name}>, %b: ptr<{name}>, {}%m: i32, %n: i32, %k: i32, %sa: i32, %sb: i32, %sc: i32) \
         {{target = sm_90a, kernel_spec = {{num_warps = {warps}, num_ctas = 1}}, shared_bytes = 0}} body {{",
        outputs.concat(),
        name = number.name
    ));
    line(format!("%A = tileas.memref %a, [%m, %k], [%sa] : {a_memref}"));
    line(format!("%B = tileas.memref %b, [%k, %n], [%sb] : {b_memref}"));
    for at in 0..agents {
        let memref = c.memref(2 + at, pair);
        line(format!(
            "%C{at} = tileas.memref %c{at}, [%m, %n], [%sc] : {memref}"
        ));
    }
    line("%x = tileas.program_id {axis = 0} : i32\n%y = tileas.program_id {axis = 1} : i32".to_owned());
    line(
        "%zero = arith.constant {value = i32<0>} : i32\n%one = arith.constant {value = i32<1>} : i32"
            .to_owned(),
    );
    line(format!("%depth = arith.constant {{value = i32<{k}>}} : i32"));
    line("%steps = arith.divi %k, %depth {signedness = unsigned, rounding = up} : i32".to_owned());
    line(format!(
        "%ring_a = tileas.alloc {{align = 1024}} : {}",
        room(&a_stage, element, "#am", stages)
    ));
    line(format!(
        "%ring_b = tileas.alloc {{align = 1024}} : {}",
        room(&b_stage, element, "#bm", stages)
    ));
    let barriers = (2 * stages).next_power_of_two();
    let barrier_layout: Vec<String> = (0..barriers.ilog2())
        .map(|bit| format!("[{}]", 1 << bit))
        .collect();
    line(format!(
        "%barriers = tileas.alloc {{align = 8}} : buffer<{barriers}xi64, shared, linear<offset = [{}], shape = [{barriers}]>>",
        barrier_layout.join(", ")
    ));
    for name in ["a", "b"] {
        line(format!(
            "%scratch_{name} = tileas.alloc {{align = 128}} : buffer<128xi8, shared, #map>"
        ));
    }
    let names: Vec<String> = (0..agents).map(|at| format!("\"multiply{at}\"")).collect();
    line(format!(
        "%pipe = pipe.create [%ring_a, %ring_b], barriers %barriers {{producer = \"load\", consumers = [{}], full = 1, \
         empty = {multiply_warps}, bytes = {}}} : pipe<tma, stages = {stages}>",
        names.join(", "),
        a_stage.size() + b_stage.size()
    ));
    for at in 0..agents {
        if by_copies {
            line(format!(
                "%ring_c{at} = tileas.alloc {{align = 1024}} : {}",
                room(&c_stage, result.name, "#cm", 1)
            ));
            line(format!(
                "%scratch_c{at} = tileas.alloc {{align = 128}} : buffer<128xi8, shared, #map>"
            ));
            line(format!(
                "%store{at} = pipe.create [%ring_c{at}] {{producer = \"multiply{at}\", consumers = [\"multiply{at}\"], full = 0, \
                 empty = 0}} : pipe<tma_store, stages = 1>"
            ));
        }
    }
    let wgmma = format!(
        "{{signedness_a = signed, signedness_b = signed, atom = wgmma<n = {columns}>}} : pending<{sums}>"
    );
    let left = match in_registers {
        true => "%held",
        false => "%stage_a",
    };
    let (left0, stage_b0) = (format!("{left}0"), "%stage_b0");
    let copy = match (in_registers, a_inner) {
        (false, _) => String::new(),
        (true, inner) => format!(
            "%heldSUFFIX = tileas.copy %stage_aSUFFIX {{atom = ldmatrix<x4{}>}} : tile<{m}x{k}x{element}, #left>\n",
            if inner == 0 { ", trans" } else { "" }
        ),
    };
    let wait = |suffix: &str, token: &str, state: &str| {
        let copy = copy.replace("SUFFIX", suffix);
        format!(
            "%stage_a{suffix}, %stage_b{suffix}, {token} = pipe.wait %pipe, {state} : {a_buffer}, {b_buffer}, pipe_token<tma, consumer>\n{copy}"
        )
    };
    let state = format!("pipe_state<{stages}>");
    let zero = match sum.name {
        "i32" => "i32<0>".to_owned(),
        name => format!("{name}<0.0>"),
    };
    for at in 0..agents {
        let registers = if random.chance(30) && warps <= 12 {
            ", registers = 168"
        } else {
            ""
        };
        line(format!(
            "scheduled.agent {{name = \"multiply{at}\", first_warp = {}, warps = {}{registers}}} body {{",
            4 * warp_groups * at,
            4 * warp_groups
        ));
        line(format!("%zeros = arith.constant {{value = {zero}}} : {sums}"));
        line(format!("%first = pipe.state {{end = consumer}} : {state}"));
        match order {
            Order::OneByOne | Order::Added => {
                let (acc, add) = match order {
                    Order::Added => (
                        "%zeros",
                        match sum.name {
                            "i32" => format!(
                                "%next_sum = arith.addi %acc, %product {{overflow = wraps}} : {sums}\n"
                            ),
                            _ => format!(
                                "%next_sum = arith.addf %acc, %product {{rounding = nearest_even}} : {sums}\n"
                            ),
                        },
                    ),
                    _ => ("%acc", String::new()),
                };
                let carried = if add.is_empty() { "%product" } else { "%next_sum" };
                line(format!(
                    "%sum, %last = scf.for %zero, %steps, %one, [%zeros, %first] : {sums}, {state} body {{\n\
                     ^(%i: i32, %acc: {sums}, %state: {state}):\n{}\
                     %begun = tileas.dot {left}, %stage_b, {acc} {wgmma}\n\
                     %product = tileas.dot_wait %begun {{in_flight = 0}} : {sums}\n\
                     pipe.release %token\n{add}%next = pipe.advance %state : {state}\nscf.continue [{carried}, %next]\n}}",
                    wait("", "%token", "%state")
                ));
            }
            Order::Overlapped => {
                line(format!(
                    "{}%begun = tileas.dot {left0}, {stage_b0}, %zeros {wgmma}\n%second = pipe.advance %first : {state}",
                    wait("0", "%first_token", "%first")
                ));
                line(format!(
                    "%pending, %last_token, %last = scf.for %one, %steps, %one, [%begun, %first_token, %second] : pending<{sums}>, \
                     pipe_token<tma, consumer>, {state} body {{\n\
                     ^(%i: i32, %acc: pending<{sums}>, %before: pipe_token<tma, consumer>, %state: {state}):\n{}\
                     %product = tileas.dot {left}, %stage_b, %acc {wgmma}\n\
                     tileas.dot_wait %acc {{in_flight = 1}}\npipe.release %before\n%next = pipe.advance %state : {state}\n\
                     scf.continue [%product, %token, %next]\n}}\n\
                     %sum = tileas.dot_wait %pending {{in_flight = 0}} : {sums}\npipe.release %last_token",
                    wait("", "%token", "%state")
                ));
            }
        }
        let mut value = "%sum";
        if result.name != sum.name {
            line(format!(
                "%rounded = arith.ftof %sum {{rounding = nearest_even}} : tile<{m}x{n}x{}, #sum>",
                result.name
            ));
            value = "%rounded";
        }
        if by_copies {
            line(format!(
                "%map_c = tileas.tensor_map %C{at}, %scratch_c{at} {{dim_map = [0, 1], atom = {}}} : tensor_map",
                c_stage.atom()
            ));
            line(format!(
                "%s0 = pipe.state {{end = producer}} : pipe_state<1>\n%r0 = pipe.state {{end = consumer}} : pipe_state<1>\n\
                 %slices = arith.constant {{value = i32<{}>}} : i32\n\
                 %y0 = arith.muli %y, %slices {{overflow = wraps}} : i32",
                n / slice
            ));
            let stage = room(&c_stage, result.name, "#cm", 1);
            for part in 0..n / slice {
                let next = part + 1;
                let piece = match n / slice {
                    1 => value.to_owned(),
                    _ => {
                        line(format!(
                            "%part{part} = tileas.extract_slice {value} {{offsets = [0, {}]}} : tile<{m}x{slice}x{}, #part>",
                            part * slice,
                            result.name
                        ));
                        format!("%part{part}")
                    }
                };
                line(format!(
                    "%out{part}, %filling{part} = pipe.acquire %store{at}, %s{part} : {stage}, pipe_token<tma_store, producer>\n\
                     tileas.copy {piece}, to %out{part} {{atom = stmatrix<x{}>}}\npipe.commit %filling{part}, []\n\
                     %full{part}, %storing{part} = pipe.wait %store{at}, %r{part} {{in_flight = 0}} : {stage}, \
                     pipe_token<tma_store, consumer>\n\
                     %sent{part}, %done{part} = tileas.copy_out %C{at}, [%x, %y{part}], %full{part}, map %map_c {{dim_map = [0, 1], \
                     steps = [{m}, {slice}], inbounds = [false, false], atom = {}}} : pending, token\n\
                     pipe.release %storing{part}\n%s{next} = pipe.advance %s{part} : pipe_state<1>\n\
                     %r{next} = pipe.advance %r{part} : pipe_state<1>\n\
                     %y{next} = arith.addi %y{part}, %one {{overflow = wraps}} : i32",
                    if slice * (m / 64) == 8 * groups.rows { 2 } else { 4 },
                    c_stage.atom()
                ));
            }
            line(format!("pipe.drain %store{at}, %s{}", n / slice));
        } else {
            line(format!(
                "%done = tileas.store %C{at}, [%x, %y], {value} {{dim_map = [0, 1], steps = [{m}, {n}], inbounds = [false, \
                 false], order = weak, atom = st<{}b>}} : token",
                8 * result.bytes * pair
            ));
        }
        line("scheduled.end\n}".to_owned());
    }
    line(format!(
        "scheduled.agent {{name = \"load\", first_warp = {multiply_warps}, warps = {load_warps}}} body {{"
    ));
    for (name, stage) in [("a", &a_stage), ("b", &b_stage)] {
        line(format!(
            "%map_{name} = tileas.tensor_map %{}, %scratch_{name} {{dim_map = [0, 1], atom = {}}} : tensor_map",
            name.to_uppercase(),
            stage.atom()
        ));
    }
    let copies = [
        ("a", "%x, %i", &a_stage, &a_buffer),
        ("b", "%i, %y", &b_stage, &b_buffer),
    ]
    .map(|(name, index, stage, buffer)| {
        format!(
            "%from_{name}, %done_{name} = tileas.copy_in %{}, [{index}], %stage_{name}, map %map_{name} {{dim_map = [0, 1], steps = \
             [{}, {}], padding = zero, inbounds = [false, false], atom = {}}} : pending<{buffer}>, token\n",
            name.to_uppercase(),
            stage.tile[0],
            stage.tile[1],
            stage.atom()
        )
    });
    line(format!(
        "%first = pipe.state {{end = producer}} : {state}\n\
         %last = scf.for %zero, %steps, %one, [%first] : {state} body {{\n^(%i: i32, %state: {state}):\n\
         %stage_a, %stage_b, %token = pipe.acquire %pipe, %state : {a_buffer}, {b_buffer}, pipe_token<tma, producer>\n{}\
         pipe.commit %token, [%from_a, %from_b]\n%next = pipe.advance %state : {state}\nscf.continue [%next]\n}}\n\
         pipe.drain %pipe, %last\nscheduled.end\n}}\nscf.return\n}}",
        copies.concat()
    ));
    Program {
        text,
        a,
        b,
        result,
        results: agents,
        stride,
        grid: [rows.div_ceil(m), cols.div_ceil(n)].map(|count| u32::try_from(count).unwrap_or(1)),
        timing: random.choose(&[Timing::Late, Timing::Late, Timing::Early, Timing::Seeded(seed)]),
    }
}

impl Program {
    /// The bytes of a result, of which only those of elements are written.
    fn want(&self) -> Vec<u8> {
        let [rows, depth] = self.a.extents;
        let columns = self.b.extents[1];
        let width = self.result.bytes;
        let mut want = vec![0; rows * self.stride * width];
        for row in 0..rows {
            for column in 0..columns {
                let sum: i32 = (0..depth)
                    .map(|k| self.a.at([row, k]) * self.b.at([k, column]))
                    .sum();
                let bits = (self.result.bits)(sum).to_le_bytes();
                let first = (row * self.stride + column) * width;
                want[first..first + width].copy_from_slice(&bits[..width]);
            }
        }
        want
    }

    fn numbers(&self) -> Vec<i32> {
        let [rows, depth] = self.a.extents;
        let numbers = [
            rows,
            self.b.extents[1],
            depth,
            self.a.stride,
            self.b.stride,
            self.stride,
        ];
        numbers
            .into_iter()
            .map(|number| i32::try_from(number).unwrap_or(0))
            .collect()
    }

    /// Compiles and runs the program; gives the PTX.
    fn check(&self, folder: Option<&Path>, name: &str) -> Result<(), String> {
        let mut compiler = Compiler::new();
        let source = compiler.add_source("program", self.text.as_bytes());
        let options = compiler.options(Request::default());
        let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
        let ptx = ptx.ok_or_else(|| {
            let said: Vec<String> = said.iter().map(|problem| problem.message.to_string()).collect();
            format!("refused: {said:?}")
        })?;
        let want = self.want();
        if let Some(folder) = folder {
            self.export(folder, name, &ptx, &want)
                .map_err(|problem| problem.to_string())?;
        }
        let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
        let mut device = Device::new();
        device.timing = self.timing;
        let operands = [&self.a, &self.b].map(|matrix| {
            let bytes = matrix.bytes();
            device.alloc("operand", bytes.len(), Init::Data(bytes))
        });
        let results: Vec<_> = (0..self.results)
            .map(|_| device.alloc("result", want.len(), Init::Data(Vec::new())))
            .collect();
        let buffers = operands.iter().chain(&results).copied().map(Arg::from);
        let args: Vec<Arg> = buffers.chain(self.numbers().into_iter().map(Arg::from)).collect();
        let [x, y] = self.grid;
        device
            .launch(&module, "k", [x, y, 1], [1, 1, 1], 0, &args)
            .map_err(|fault| fault.to_string())?;
        for &result in &results {
            let have = device.read(result);
            let count = have.iter().zip(&want).filter(|(have, want)| have != want).count();
            if count > 0 {
                return Err(format!("{count} of {} bytes differ", want.len()));
            }
        }
        Ok(())
    }

    /// Writes the PTX, the operands and the result, and the launch, a line of words.
    fn export(&self, folder: &Path, name: &str, ptx: &str, want: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let at = |end: &str| folder.join(format!("{name}.{end}"));
        fs::write(at("ptx"), ptx)?;
        fs::write(at("a"), self.a.bytes())?;
        fs::write(at("b"), self.b.bytes())?;
        fs::write(at("want"), want)?;
        let mut words = vec![self.results.to_string()];
        words.extend(self.grid.map(|extent| extent.to_string()));
        words.extend(self.numbers().iter().map(ToString::to_string));
        fs::write(at("launch"), words.join(" "))
    }
}

#[test]
fn scheduled_products_agree_with_the_simulator() {
    let folder = std::env::var_os("TILEWRIGHT_SCHEDULED");
    let folder = folder.as_deref().map(Path::new);
    let wrong: Vec<String> = seeds(PROGRAMS)
        .into_par_iter()
        .filter_map(|seed| {
            let program = program(seed);
            let why = program.check(folder, &seed.to_string()).err()?;
            Some(format!("seed {seed}\n{}\n{why}", program.text))
        })
        .collect();
    assert!(wrong.is_empty(), "{} programs\n{}", wrong.len(), wrong.join("\n"));
}
