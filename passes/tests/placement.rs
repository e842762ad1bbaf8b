//! Where tiles, buffers and addresses are placed, case by case: conversions of layouts, offsets in shared memory, widths
//! and predicates of accesses to global memory.

use tilewright_diagnostics::FileId;
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, Language, Operation, print_func, verify};
use tilewright_irs::scheduled::{Scheduled, ScheduledOp};
use tilewright_irs::tileas::{TileAs, TileAsDialect};
use tilewright_passes::scheduled::allocate_shared;
use tilewright_passes::scheduled_to_cute::lower_fragments;
use tilewright_passes::tileas::place_conversions;
use tilewright_passes::tileas::place_conversions::MAX_COMPUTED;

fn checked<L: Language>(func: Func<L>) -> Func<L> {
    if let Err(problems) = verify(&func) {
        panic!("{problems:#?}\n{}", print_func(&func, &|_| None));
    }
    func
}

fn parse<L: Language>(text: &str) -> Func<L> {
    let mut parsed = parse_stage::<L>(text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{:#?}\n{text}", parsed.diagnostics);
    checked(parsed.module.funcs.remove(0))
}

/// The layout of 256 elements over the lanes of four warps, in which bit `shift` of the element is in the registers.
fn spread(shift: usize) -> String {
    let mut bits: Vec<String> = (0..8).map(|bit| format!("[{}]", 1 << bit)).collect();
    let register = bits.remove(shift);
    format!(
        "linear<register = [{register}], lane = [{}], warp = [{}], shape = [256]>",
        bits[..5].join(", "),
        bits[5..].join(", ")
    )
}

/// The names of the ops of a function after conversions are placed.
fn with_conversions_placed(lines: &[&str]) -> Vec<&'static str> {
    let mut body = lines.join("\n");
    for (name, ty) in [("f32", "f32"), ("i32", "i32"), ("i1", "i1")] {
        for shift in 0..8 {
            body = body.replace(
                &format!("{name}@{shift}"),
                &format!("tile<256x{ty}, {}>", spread(shift)),
            );
        }
    }
    let text = format!(
        "tileas.func @f(%p: ptr<f32>, %x: f32, %n: i32) {{target = sm_90a, kernel_spec = {{num_warps = 4, num_ctas = \
         1}}, shared_bytes = 0}} body {{\n  %m = tileas.memref %p, [%n], [] : memref<?xf32, strides = [1], align = 16, \
         class = 0, extent_div = [16]>\n{body}\n  scf.return\n}}\n"
    );
    let func = checked(place_conversions(&parse::<TileAs>(&text)).expect("a function"));
    let names = func
        .body
        .walk()
        .into_iter()
        .map(|id| func.body.op(id).kind.name());
    names
        .filter(|name| !matches!(*name, "tileas.memref" | "scf.return"))
        .collect()
}

#[test]
fn cheap_tiles_are_computed_again_and_others_are_converted_once() {
    let (splat, negf, convert) = ("tile.splat", "arith.negf", "tileas.convert_layout");
    let load = "%l, %t = tileas.load %m, [%n] {dim_map = [0], steps = [256], inbounds = [false], order = weak, atom = \
                ld<32b>} : f32@1, token";
    let cases: [(&[&str], &[&str]); 9] = [
        (
            &[
                "%a = tile.splat %x : f32@0",
                "%b = tileas.convert_layout %a : f32@1",
            ],
            &[splat, splat],
        ),
        (
            // The operands are computed in the other layout as well.
            &[
                "%a = tile.splat %x : f32@0",
                "%b = arith.negf %a : f32@0",
                "%c = tileas.convert_layout %b : f32@1",
            ],
            &[splat, splat, negf, negf],
        ),
        (
            &[
                "%a = tile.splat %x : f32@0",
                "%b = tileas.convert_layout %a : f32@1",
                "%c = arith.negf %b : f32@1",
                "%d = tileas.convert_layout %c : f32@2",
            ],
            &[splat, splat, splat, negf, negf],
        ),
        (
            &[load, "%b = tileas.convert_layout %l : f32@0"],
            &["tileas.load", convert],
        ),
        (
            &[
                load,
                "%b = arith.negf %l : f32@1",
                "%c = tileas.convert_layout %b : f32@0",
            ],
            &["tileas.load", negf, convert],
        ),
        (
            // One operand from memory is enough.
            &[
                load,
                "%a = tile.splat %x : f32@1",
                "%b = arith.addf %a, %l {rounding = nearest_even} : f32@1",
                "%c = tileas.convert_layout %b : f32@0",
            ],
            &["tileas.load", splat, "arith.addf", convert],
        ),
        (
            // Two conversions to one layout are one, right after the definition.
            &[
                load,
                "%b = tileas.convert_layout %l : f32@0",
                "%c = arith.negf %l : f32@1",
                "%d = tileas.convert_layout %l : f32@0",
            ],
            &["tileas.load", convert, negf],
        ),
        (
            // There and back again is no conversion.
            &[
                load,
                "%b = tileas.convert_layout %l : f32@0",
                "%c = tileas.convert_layout %b : f32@1",
                "%d = arith.negf %c : f32@1",
            ],
            &["tileas.load", convert, negf],
        ),
        (
            // From the definition, not from one another.
            &[
                load,
                "%b = tileas.convert_layout %l : f32@0",
                "%c = tileas.convert_layout %b : f32@2",
            ],
            &["tileas.load", convert, convert],
        ),
    ];
    for (lines, names) in cases {
        assert_eq!(with_conversions_placed(lines), names, "{lines:#?}");
    }
}

#[test]
fn a_tile_is_computed_again_in_a_limited_number_of_layouts() {
    assert_eq!(MAX_COMPUTED, 7);
    // Seven layouts beside the tile's own; the eighth has two warps exchanged.
    let more = spread(0).replace("[64], [128]", "[128], [64]");
    let eighth = format!("%b8 = tileas.convert_layout %a : tile<256xf32, {more}>");
    let lines: Vec<String> = (1..8)
        .map(|shift| format!("%b{shift} = tileas.convert_layout %a : f32@{shift}"))
        .collect();
    for (last, conversions) in [(None, 0), (Some(eighth), 1)] {
        let mut all = vec!["%a = tile.splat %x : f32@0"];
        all.extend(lines.iter().map(String::as_str));
        all.extend(last.as_deref());
        let names = with_conversions_placed(&all);
        let count = |name| names.iter().filter(|have| **have == name).count();
        assert_eq!(count("tile.splat"), 8);
        assert_eq!(count("tileas.convert_layout"), conversions);
    }
}

/// The offsets of the buffers of a body, in textual order, and the size of all.
fn allocated(target: &str, body: &str) -> Result<(Vec<Option<u32>>, u32), String> {
    // `%b = alloc N` is a buffer of N elements of four bytes, `use %b N` a view of it.
    let memory = |n: &str| {
        let bits = n.parse::<u32>().expect("a size").ilog2();
        let bases: Vec<String> = (0..bits).map(|bit| format!("[{}]", 1 << bit)).collect();
        let bases = bases.join(", ");
        format!("buffer<{n}xi32, shared, linear<offset = [{bases}], shape = [{n}]>>")
    };
    let line = |(at, line): (usize, &str)| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [name, "=", "alloc", n] => format!("{name} = tileas.alloc {{align = 16}} : {}", memory(n)),
        [name, "=", "alloc", n, align] => {
            format!("{name} = tileas.alloc {{align = {align}}} : {}", memory(n))
        }
        ["use", name, n] => format!("%u{at} = tileas.reinterpret {name} : {}", memory(n)),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = body.lines().enumerate().map(line).collect();
    let text = format!(
        "scheduled.func @f(%n: i32) {{target = {target}, kernel_spec = {{num_warps = 4, num_ctas = 1}}, shared_bytes = \
         0}} body {{\n{}\n  scf.return\n}}\n",
        lines.join("\n")
    );
    let func = allocate_shared(&parse::<Scheduled>(&text))
        .map_err(|problems| problems.iter().map(|p| p.message.clone()).collect::<String>())?;
    let func = checked(func);
    let ops = func.body.walk().into_iter().map(|id| &func.body.op(id).kind);
    let offsets = ops.filter_map(|kind| match kind {
        ScheduledOp::TileAs(TileAsDialect::Alloc { offset, .. }) => Some(*offset),
        _ => None,
    });
    Ok((offsets.collect(), func.attrs.shared_bytes))
}

/// One agent of all warps.
fn alone(lines: &str) -> String {
    format!(
        "scheduled.agent {{name = \"all\", first_warp = 0, warps = 4}} body {{\n{lines}\nscheduled.end\n}}"
    )
}

#[test]
fn buffers_share_bytes_unless_they_live_at_once() {
    for (name, lines, offsets, bytes) in [
        (
            "one after the other",
            "%a = alloc 64\nuse %a 64\n%b = alloc 64\nuse %b 64",
            &[0, 0][..],
            256,
        ),
        (
            "the last use is the first of the other",
            "%a = alloc 64\n%b = alloc 64\nuse %b 64",
            &[0, 0],
            256,
        ),
        (
            "at once",
            "%a = alloc 64\n%b = alloc 64\nuse %a 64\nuse %b 64",
            &[0, 256],
            512,
        ),
        (
            "a gap of just the size",
            "%a = alloc 64\n%b = alloc 64\nuse %a 64\n%c = alloc 64\nuse %b 64\nuse %c 64",
            &[0, 256, 0],
            512,
        ),
        (
            "a gap that is too small",
            "%a = alloc 32\n%b = alloc 64\nuse %a 32\n%c = alloc 64\nuse %b 64\nuse %c 64",
            &[256, 0, 256],
            512,
        ),
        (
            "a gap whose end is aligned too far",
            "%a = alloc 8\n%b = alloc 8 64\nuse %a 8\nuse %b 8",
            &[0, 64],
            96,
        ),
        (
            "used in a loop",
            "%a = alloc 64\nscf.for %n, %n, %n, [] body {\n^(%i: i32):\nuse %a 64\n%b = alloc 64\nuse %b 64\nscf.continue []\n}",
            &[0, 256],
            512,
        ),
        (
            "inside a loop",
            "scf.for %n, %n, %n, [] body {\n^(%i: i32):\n%a = alloc 64\nuse %a 64\n%b = alloc 64\nuse %b 64\nscf.continue []\n}",
            &[0, 0],
            256,
        ),
        (
            "used in an inner loop",
            "scf.for %n, %n, %n, [] body {\n^(%i: i32):\n%a = alloc 64\nscf.for %n, %n, %n, [] body {\n^(%j: i32):\n\
             use %a 64\nscf.continue []\n}\nuse %a 64\n%b = alloc 64\nuse %b 64\nscf.continue []\n}",
            &[0, 0],
            256,
        ),
    ] {
        let offsets: Vec<Option<u32>> = offsets.iter().map(|&offset| Some(offset)).collect();
        assert_eq!(allocated("sm_90a", &alone(lines)), Ok((offsets, bytes)), "{name}");
    }
}

#[test]
fn shared_memory_is_allocated_up_to_the_limit_of_the_target() {
    assert_eq!(
        allocated(
            "sm_80",
            &alone("%a = alloc 8192\n%b = alloc 4096\nuse %a 8192\nuse %b 4096")
        ),
        Ok((vec![Some(0), Some(32768)], 49152))
    );
    let said = allocated(
        "sm_80",
        &alone("%a = alloc 8192\n%b = alloc 4096\n%c = alloc 1\nuse %a 8192\nuse %b 4096\nuse %c 1"),
    );
    let said = said.expect_err("a refusal");
    assert!(
        said.contains("need 49156 bytes") && said.contains("sm_80 has at most 49152"),
        "{said}"
    );
    // Columns of tensor memory have no offset in shared memory.
    let tensor = "%a = tileas.alloc {align = 16} : buffer<128x2xf32, tensor, linear<tmem_lane = [[1, 0], [2, 0], [4, 0], \
                  [8, 0], [16, 0], [32, 0], [64, 0]], tmem_column = [[0, 1]], shape = [128, 2]>>\n%b = alloc 64";
    assert_eq!(
        allocated("sm_100a", &alone(tensor)),
        Ok((vec![None, Some(0)], 256))
    );
}

#[test]
fn rings_and_agents_share_no_bytes() {
    let agent = |name: &str, first: u32, lines: &str| {
        format!(
            "scheduled.agent {{name = \"{name}\", first_warp = {first}, warps = 2}} body {{\n{lines}\nscheduled.end\n}}\n"
        )
    };
    let own = "%a = alloc 64\nuse %a 64";
    let two = agent("one", 0, own) + &agent("two", 2, &own.replace('a', "b").replace("blloc", "alloc"));
    assert_eq!(allocated("sm_90a", &two), Ok((vec![Some(0), Some(256)], 512)));
    // A buffer that both agents access lives through both.
    let lines = |own: &str| format!("use %r 64\n%{own} = alloc 64\nuse %{own} 64");
    let both = "%r = alloc 64\n".to_owned() + &agent("one", 0, &lines("a")) + &agent("two", 2, &lines("b"));
    assert_eq!(
        allocated("sm_90a", &both),
        Ok((vec![Some(0), Some(256), Some(512)], 768))
    );
    // A ring is accessed through its pipe, to the end.
    let ring = "%s = tileas.alloc {align = 16} : buffer<64xi32, shared, linear<offset = [[1], [2], [4], [8], [16], [32]], \
                shape = [64]>, stages = 2>\n%m = tileas.alloc {align = 8} : buffer<4xi64, shared, linear<offset = [[1], \
                [2]], shape = [4]>>\n%q = pipe.create [%s], barriers %m {producer = \"one\", consumers = [\"two\"], full \
                = 64, empty = 64} : pipe<threads, stages = 2>\n"
        .to_owned()
        + &two;
    assert_eq!(
        allocated("sm_90a", &ring),
        Ok((vec![Some(0), Some(1024), Some(512), Some(768)], 1056))
    );
}

/// A load of a tile of an array of two axes, as the text of its addresses.
#[derive(Clone, Copy)]
struct Tiled<'a> {
    element: &'a str,
    bits: u32,
    layout: &'a str,
    memref: &'a str,
    sizes: &'a str,
    steps: &'a str,
    inbounds: &'a str,
    moves: &'a str,
}

impl Tiled<'_> {
    /// The lowered text.
    fn lowered(self) -> String {
        let Tiled {
            element,
            bits,
            layout,
            memref,
            sizes,
            steps,
            inbounds,
            moves,
        } = self;
        let text = format!(
            "scheduled.func @f(%p: ptr<{element}>, %n: i32, %i: i32, %j: i32) {{target = sm_90a, kernel_spec = {{num_warps \
             = 1, num_ctas = 1}}, shared_bytes = 0}} body {{\n  scheduled.agent {{name = \"all\", first_warp = 0, warps = \
             1}} body {{\n    %m = tileas.memref %p, {sizes} : memref<{memref}, class = 0>\n    %l, %t = tileas.load %m, \
             [%i, %j] {{dim_map = {moves}, steps = {steps}, inbounds = {inbounds}, order = weak, atom = ld<{bits}b>}} : \
             tile<4x64x{element}, linear<{layout}, shape = [4, 64]>>, token\n    scheduled.end\n  }}\n  scf.return\n}}\n"
        );
        let lowered =
            lower_fragments(&parse::<Scheduled>(&text)).unwrap_or_else(|problems| panic!("{problems:#?}"));
        print_func(&checked(lowered), &|_| None)
    }

    /// Elements of a vector, and the offset of each vector.
    fn vectors(self) -> (u32, Vec<i64>) {
        let text = self.lowered();
        let load = text
            .lines()
            .find(|line| line.contains("fragment.load"))
            .expect("a load");
        let after = |key: &str| load.split(key).nth(1).unwrap_or_else(|| panic!("{key}: {load}"));
        let vector = after("vector = ").split([',', '}']).next().expect("a number");
        let offsets = after("offsets = [").split(']').next().expect("a list");
        (
            vector.parse().expect("a number"),
            offsets
                .split(", ")
                .map(|n| n.parse().expect("a number"))
                .collect(),
        )
    }

    fn count(self, op: &str) -> usize {
        self.lowered().matches(op).count()
    }
}

/// Rows of four registers side by side, 16 lanes along a row.
const ROWS: &str = "register = [[0, 1], [0, 2], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]";
/// The same with the rows in the first bit of the registers.
const TURNED: &str = "register = [[2, 0], [0, 2], [0, 1]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]";

const SOUND: Tiled<'static> = Tiled {
    element: "f32",
    bits: 128,
    layout: ROWS,
    memref: "4x?xf32, strides = [256, 1], align = 16, extent_div = [4, 4]",
    sizes: "[%n], []",
    steps: "[4, 64]",
    inbounds: "[true, false]",
    moves: "[0, 1]",
};

#[test]
fn a_vector_is_as_wide_as_atom_layout_alignment_and_extents_allow() {
    let memref = |extent_div: u32, align: u32, stride: u32| {
        format!("4x?xf32, strides = [{stride}, 1], align = {align}, extent_div = [4, {extent_div}]")
    };
    let vector = |change: &dyn Fn(&mut Tiled<'_>)| {
        let mut tiled = SOUND;
        change(&mut tiled);
        tiled.vectors()
    };
    // The atom.
    assert_eq!(vector(&|_| {}), (4, vec![0, 512]));
    assert_eq!(vector(&|t| t.bits = 64), (2, vec![0, 2, 512, 514]));
    assert_eq!(vector(&|t| t.bits = 32).0, 1);
    // The layout: two side by side, though the atom moves four.
    let pairs = "register = [[0, 1], [2, 0], [0, 32]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]]";
    assert_eq!(vector(&|t| t.layout = pairs), (2, vec![0, 512, 32, 544]));
    // Registers are put in order for vectors, and only for them.
    assert_eq!(vector(&|t| t.layout = TURNED), (4, vec![0, 512]));
    let single = |t: &mut Tiled<'_>| {
        t.layout = TURNED;
        t.bits = 32;
    };
    assert_eq!(vector(&single), (1, vec![0, 512, 2, 514, 1, 513, 3, 515]));
    let narrower = |align: u32| {
        let memref = memref(4, align, 256);
        let tiled = Tiled {
            layout: TURNED,
            memref: &memref,
            ..SOUND
        };
        tiled.vectors()
    };
    assert_eq!(narrower(8), (2, vec![0, 2, 512, 514]));
    assert_eq!(narrower(4), (1, vec![0, 512, 2, 514, 1, 513, 3, 515]));
    // The alignment of the array, the stride of the rows, the extent.
    for (extent_div, align, stride, width) in [
        (4, 16, 256, 4),
        (4, 8, 256, 2),
        (4, 4, 256, 1),
        (4, 2, 256, 1),
        (2, 16, 256, 2),
        (1, 16, 256, 1),
        (4, 16, 258, 2),
        (4, 16, 257, 1),
        (8, 32, 260, 4),
    ] {
        let text = memref(extent_div, align, stride);
        let (found, _) = Tiled {
            memref: &text,
            ..SOUND
        }
        .vectors();
        assert_eq!(found, width, "{text}");
    }
    // An open extent does not matter inside the array; a misaligned array and row do.
    let odd = memref(1, 16, 256);
    let inside = Tiled {
        memref: &odd,
        inbounds: "[true, true]",
        ..SOUND
    };
    assert_eq!(inside.vectors().0, 4);
    let odd = memref(1, 4, 256);
    assert_eq!(
        Tiled {
            memref: &odd,
            ..inside
        }
        .vectors()
        .0,
        1
    );
    let odd = memref(1, 16, 255);
    assert_eq!(
        Tiled {
            memref: &odd,
            ..inside
        }
        .vectors()
        .0,
        1
    );
    // The step between tiles.
    for (steps, width) in [("[4, 64]", 4), ("[3, 64]", 4), ("[4, 62]", 2), ("[4, 63]", 1)] {
        assert_eq!(Tiled { steps, ..SOUND }.vectors().0, width, "{steps}");
    }
    // Elements of other widths: 1 to 16 bytes.
    for (element, bits, align, width) in [
        ("i8", 8, 16, 1),
        ("i8", 16, 16, 2),
        ("i8", 32, 16, 4),
        ("i8", 32, 2, 2),
        ("f16", 64, 16, 4),
        ("f16", 64, 4, 2),
        ("f64", 64, 16, 1),
        ("f64", 128, 16, 2),
        ("f64", 128, 8, 1),
    ] {
        let text = format!("4x?x{element}, strides = [256, 1], align = {align}, extent_div = [4, 4]");
        let tiled = Tiled {
            element,
            bits,
            memref: &text,
            ..SOUND
        };
        assert_eq!(tiled.vectors().0, width, "{element} {bits} {align}");
    }
    // No axis is known to be contiguous.
    let open = "4x?xf32, strides = [256, 2], align = 16, extent_div = [4, 4]";
    assert_eq!(
        Tiled {
            memref: open,
            bits: 32,
            ..SOUND
        }
        .vectors()
        .0,
        1
    );
}

#[test]
fn vectors_that_share_a_condition_share_its_predicate() {
    let open = Tiled {
        memref: "?x64xf32, strides = [256, 1], align = 16, extent_div = [1, 64]",
        steps: "[4, 64]",
        inbounds: "[false, true]",
        ..SOUND
    };
    // Registers differ in their rows: one condition each, beside the one that the tile begins in the array.
    assert_eq!((open.count("arith.cmpi"), open.count("fragment.make")), (3, 1));
    // They differ in their columns: one condition of the row.
    let columns = "register = [[0, 1], [0, 2], [0, 32]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]";
    let shared = Tiled {
        layout: columns,
        ..open
    };
    assert_eq!(shared.vectors().1.len(), 2);
    assert_eq!(
        (shared.count("arith.cmpi"), shared.count("fragment.make")),
        (2, 0)
    );
    // Whole tiles are in or out of bounds together.
    let whole = Tiled {
        memref: "?x64xf32, strides = [256, 1], align = 16, extent_div = [4, 64]",
        ..open
    };
    assert_eq!((whole.count("arith.cmpi"), whole.count("fragment.make")), (1, 0));
    let inside = Tiled {
        inbounds: "[true, true]",
        ..open
    };
    assert_eq!(inside.count("arith.cmpi"), 0);
    // Rows of registers and lanes that are not apart are combined by exclusive or, others by addition.
    let mixed = "register = [[0, 1], [0, 2], [3, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]";
    let combined = Tiled {
        layout: mixed,
        ..open
    }
    .lowered();
    for ty in ["i32", "i64"] {
        let ops = combined
            .lines()
            .filter(|line| line.contains("arith.xori") && line.ends_with(ty));
        assert!(ops.count() > 0, "{ty}: {combined}");
    }
    assert_eq!(open.count("arith.xori"), 0);
}
