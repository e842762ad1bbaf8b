//! The command `tilewright layout`.

use std::process::Command;

/// Runs `tilewright layout` with a width of 80 columns; the exit code, standard output, standard error.
fn layout(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilewright"));
    command.arg("layout").args(args);
    command.env_remove("NO_COLOR").env("COLORTERM", "truecolor");
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("no signal"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn well(args: &[&str]) -> String {
    let (code, out, err) = layout(args);
    assert_eq!((code, err.as_str()), (0, ""), "{args:?}: {out}");
    out
}

const ACCUMULATOR: &str =
    "linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], shape = [16, 8]>";

#[test]
fn a_layout_is_shown_as_a_table() {
    let want = "\
Who holds each element of the 2×4 tile
linear<register = [[0, 1]], lane = [[0, 2], [1, 0]], shape = [2, 4]>

      dim1
dim0      0      1      2      3
   0  T0:R0  T0:R1  T1:R0  T1:R1
   1  T2:R0  T2:R1  T3:R0  T3:R1
";
    let text = "linear<register = [[0, 1]], lane = [[0, 2], [1, 0]], shape = [2, 4]>";
    assert_eq!(well(&["show", text]), want);
}

#[test]
fn a_name_a_text_and_a_file_are_the_same_layout() {
    let file = std::env::temp_dir().join(format!("tilewright-layout-{}", std::process::id()));
    std::fs::write(&file, format!("\n  {ACCUMULATOR}\n")).expect("written");
    let by_file = well(&["show", &format!("@{}", file.display())]);
    std::fs::remove_file(&file).expect("removed");
    let (by_text, by_name) = (
        well(&["show", ACCUMULATOR]),
        well(&["show", "mma.m16n8k16.b16.c"]),
    );
    let body = |text: &str| text.split_once("\n\n").expect("a heading").1.to_owned();
    let triton = ACCUMULATOR.replace("linear<", "#ttg.linear<{");
    let triton = triton.replace(", shape = [16, 8]>", ", warp = [], block = []}>");
    assert_eq!(body(&well(&["show", &triton])), body(&by_text));
    assert_eq!(body(&by_file), body(&by_text));
    assert_eq!(body(&by_name), body(&by_text));
}

#[test]
fn every_view_has_its_picture() {
    for (view, layout, says) in [
        ("element", "mma.m16n8k16.b16.a", "T0:R0"),
        ("thread", "mma.m16n8k16.b16.a", "0,0"),
        ("memory", "nvmma.128B.b16 8x64", "72–79:b4–7"),
        ("bank", "nvmma.128B.b16 8x64", "1,8–15"),
        ("index", "((2,4),8):((1,16),2)", "(1,3)"),
        ("element", "tcgen05.16x64b.x2", "tmem_column"),
    ] {
        let out = well(&["show", layout, "--view", view]);
        assert!(out.contains(says), "{view} of {layout}: {out}");
    }
    let padded = well(&[
        "show",
        "(32,32):(33,1)",
        "--view",
        "bank",
        "--width",
        "32",
        "--cols",
        "0..4",
    ]);
    assert!(
        padded.contains("  132  0,0") || padded.contains("128"),
        "{padded}"
    );
}

#[test]
fn swizzled_cute_layouts_and_tma_tiles_agree() {
    let cells = |args: &[&str]| {
        let out = well(args);
        let body = out.split_once("\n\n").expect("a heading").1.to_owned();
        body.split("\n\n").next().expect("a table").to_owned()
    };
    // In bytes in CuTe's notation, so that the element is 8 bits wide.
    let cute = cells(&[
        "show",
        "Sw<3,4,3> o 0 o (8,128):(128,1)",
        "--view",
        "memory",
        "--width",
        "8",
    ]);
    let tma = cells(&["show", "nvmma.128B.b8 8x128"]);
    assert_eq!(cute, tma);
}

#[test]
fn forms_are_chosen_by_option_or_file_name() {
    assert!(well(&["show", "volta.c.f32", "--as", "svg"]).starts_with("<svg "));
    assert!(well(&["show", "volta.c.f32", "--as", "picture"]).contains('┼'));
    assert!(well(&["show", "volta.c.f32", "--as", "picture", "--color", "always"]).contains("\u{1b}[48;2;"));
    let json: serde_json::Value =
        serde_json::from_str(&well(&["show", "mma.m16n8k16.b16.c", "--as", "json"])).expect("JSON");
    let cell = &json["pictures"][0]["cells"][9][3];
    assert_eq!(cell["parts"], serde_json::json!(["T5", "R3"]));
    let file = std::env::temp_dir().join(format!("tilewright-layout-{}.svg", std::process::id()));
    let path = file.to_str().expect("UTF-8");
    assert_eq!(well(&["show", "volta.c.f32", "-o", path]), "");
    assert!(
        std::fs::read_to_string(&file)
            .expect("written")
            .starts_with("<svg ")
    );
    std::fs::remove_file(&file).expect("removed");
}

#[test]
fn a_part_of_a_large_tile_is_shown_with_a_note() {
    let out = well(&[
        "show",
        "coalesced(8,8,[1,0]) 4096x4096",
        "--rows",
        "100..102",
        "--cols",
        "..2",
        "--each",
    ]);
    assert!(out.contains("Only rows 100–101 of 4096 are shown."), "{out}");
    assert!(out.contains("Only columns 0–1 of 4096 are shown."), "{out}");
}

#[test]
fn conflicts_are_counted() {
    let tile = "mma.m16n8k16.b16.a([1,1],[1,0]) 64x64";
    let plain = well(&["conflicts", tile, "plain([1,0]) 64x64"]);
    assert!(
        plain.contains("8 cycles, 1 would do: 7 lost to bank conflicts."),
        "{plain}"
    );
    let swizzled = well(&["conflicts", tile, "nvmma.128B.b16 64x64"]);
    assert!(swizzled.contains("no bank conflicts"), "{swizzled}");
    let padded = well(&[
        "conflicts",
        "coalesced(1,1,[0,1]) 32x32",
        "(32,32):(33,1)",
        "--width",
        "32",
    ]);
    assert!(padded.contains("no bank conflicts"), "{padded}");
}

#[test]
fn conversions_are_planned() {
    let rows = "coalesced(4,4,[1,0]) 32x32";
    let nothing = well(&["convert", rows, rows, "--width", "16"]);
    assert!(nothing.contains("nothing to do"), "{nothing}");
    let columns = "coalesced(4,4,[0,1]) 32x32";
    let trip = well(&["convert", rows, columns, "--width", "32"]);
    assert!(trip.contains("through shared memory"), "{trip}");
    let lanes = |columns: &str| format!("linear<lane = [{columns}, [4], [8], [16]], shape = [32]>");
    let shuffled = well(&["convert", &lanes("[1], [2]"), &lanes("[2], [1]"), "--width", "32"]);
    assert!(
        shuffled.contains("lanes of each warp exchange values") && shuffled.contains("1 shfl.sync"),
        "{shuffled}"
    );
    let swapped = well(&[
        "convert",
        "linear<register = [[1], [2]], shape = [4]>",
        "linear<register = [[2], [1]], shape = [4]>",
        "--width",
        "8",
    ]);
    assert!(swapped.contains("R0 R2 R1 R3"), "{swapped}");
}

#[test]
fn names_are_listed_and_each_can_be_shown() {
    let all = well(&["names"]);
    for family in ["blocked", "mma", "wgmma", "tcgen05", "nvmma", "swizzled"] {
        assert!(
            all.contains(&format!("\n{family}: ")) || all.starts_with(&format!("{family}: ")),
            "{all}"
        );
    }
    let volta = well(&["names", "volta"]);
    let names: Vec<&str> = volta
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .collect();
    assert_eq!(names.len(), 6);
    for name in names {
        well(&["show", name]);
    }
}

#[test]
fn a_layout_is_written_in_every_notation() {
    let want = "\
linear  linear<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], shape = [16, 8]>
Triton  #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
CuTe    ((4,8),(2,2)):((32,1),(16,8))
";
    for given in [
        &["mma.m16n8k16.b16.c"][..],
        &[ACCUMULATOR],
        &["((4,8),(2,2)):((32,1),(16,8))", "--tile", "16x8"],
    ] {
        assert_eq!(well(&[&["notation"], given].concat()), want, "{given:?}");
    }
    // A notation that cannot represent the layout gives its reason; the others are printed.
    let tile = well(&["notation", "nvmma.128B.b16 8x64"]);
    assert!(tile.contains("Triton  cannot say it: "), "{tile}");
    assert!(
        tile.ends_with("CuTe    Sw<3,3,3> o 0 o (8,64):(64,1)\n"),
        "{tile}"
    );
    assert!(well(&["notation", "(8,64):(64,1)"]).ends_with("CuTe    (8,64):(64,1)\n"));
    let three = well(&["notation", "(3,2):(1,3)"]);
    assert!(three.starts_with("linear  cannot say it: "), "{three}");
    assert!(three.ends_with("CuTe    (3,2):(1,3)\n"), "{three}");
}

/// The matrix descriptor's fields, as in the PTX ISA's section on the matrix descriptor of wgmma: address and
/// offsets in units of 16 bytes at bits 0, 16 and 32, the swizzle in the top two bits.
fn wgmma_word(start: u64, leading: u64, stride: u64, swizzle: u64) -> String {
    format!(
        "{:#018x}",
        start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | swizzle << 62
    )
}

#[test]
fn operands_in_shared_memory_have_descriptors() {
    // 64 rows of 128 bytes, swizzled: an instruction reads 16 columns, 32 bytes, of all rows.
    let lines = well(&["descriptor", "nvmma.128B.b16 64x64", "--start", "1024"]);
    let lines: Vec<&str> = lines.lines().collect();
    assert!(lines[0].starts_with("K-major, swizzle 128B, "), "{lines:?}");
    assert!(lines[0].ends_with("stride byte offset 1024 bytes"), "{lines:?}");
    assert_eq!(lines.len(), 2 + 4, "{lines:?}");
    for (step, line) in (0..).zip(&lines[2..]) {
        let start = 1024 + 32 * step;
        let want = [
            "0".to_owned(),
            (16 * step).to_string(),
            start.to_string(),
            wgmma_word(start, 16, 1024, 1),
        ];
        assert!(line.split_whitespace().eq(want), "{line}");
    }
    // The same tile in CuTe's notation, without a swizzle, in two halves of 8 columns.
    let plain = "((8,8),(8,2)):((8,64),(1,512))";
    let words = well(&["descriptor", plain, "--width", "16"]);
    assert!(
        words.ends_with(&format!("{}\n", wgmma_word(0, 1024, 128, 0))),
        "{words}"
    );
    // The other unit has its version in bit 46 and the swizzle in three bits from 61 on.
    let words = well(&["descriptor", "nvmma.128B.b16 64x64", "--for", "tcgen05"]);
    let word = format!("{:#018x}", 1u64 << 16 | (1024u64 >> 4) << 32 | 1 << 46 | 2 << 61);
    assert!(words.contains(&word), "{words} lacks {word}");
}

#[test]
fn bad_input_has_a_code_a_place_and_numbers() {
    let mma = "mma.m16n8k16.b16.c";
    for (args, exit, wants) in [
        (
            &["show", "linear<register = [[1]], shape = [2]"][..],
            3,
            &["<layout>:1:37", "E0201", "`>`"][..],
        ),
        (
            &["show", "linear<register = [[4]], shape = [2]>"],
            3,
            &["<layout>:1:1", "E0409", "4", "size 2"],
        ),
        (
            &["show", "linear<register = [[1]], shape = [3]>"],
            3,
            &["E0409", "3", "power of two"],
        ),
        (&["show", "mna.m16n8k16"], 3, &["<layout>:1:1", "E0211", "`mma`"]),
        (
            &["show", "mma.m16n8k17.b16.a"],
            3,
            &["<layout>:1:5", "E0201", "m16n8k17"],
        ),
        (&["show", "nvmma.128B.b16 8x32"], 3, &["E0409"]),
        (&["show", "wgmma.m64n100.c"], 3, &["<layout>:1:7", "E0409", "100"]),
        (&["show", "((2,4),8):((1,16)"], 3, &["<layout>:1:18", "E0201"]),
        (
            &["show", "Sw<3,4,3> o x o 8:1"],
            3,
            &["<layout>:1:13", "E0201", "number"],
        ),
        (&["show", "(2,2):(1)"], 3, &["E0409"]),
        (
            &["descriptor", "plain([1,0]) 64x64", "--width", "16"],
            3,
            &["<memory>:1:1", "E0412", "128 bytes", "16 bytes"],
        ),
        (
            &["descriptor", "(48,64):(64,1)", "--width", "16"],
            3,
            &["<memory>:1:1", "E0410", "48"],
        ),
        (&["descriptor", mma], 3, &["E0412"]),
        (
            &["descriptor", "nvmma.128B.b16 64x64", "--start", "8"],
            3,
            &["E0412", "8"],
        ),
        (
            &["show", "(32,4):(4,1)", "--tile", "16x4"],
            3,
            &["<layout>:1:1", "E0410", "64"],
        ),
        (
            &["show", "(32,4):(4,1)", "--view", "thread"],
            3,
            &["<layout>:1:1", "E0410", "--tile"],
        ),
        (&["show", "(32,4):(4,1)", "--tile", "64by2"], 1, &["64x32"]),
        (&["show", "(?,2):(1,2)"], 3, &["E0410"]),
        (&["show", mma, "--view", "bank"], 3, &["E0410", "offset"]),
        (&["show", mma, "--view", "index"], 3, &["E0410"]),
        (
            &["show", "plain([1,0]) 8x8", "--view", "thread", "--width", "8"],
            3,
            &["E0410"],
        ),
        (&["show", "plain([1,0]) 8x8"], 1, &["E0801", "--width"]),
        (
            &["show", "plain([1,0]) 4096x4096", "--width", "8"],
            3,
            &["E0410", "2^24", "2^20"],
        ),
        (
            &["conflicts", mma, "plain([1,0]) 8x8"],
            3,
            &["<registers>:1:1", "E0411", "[16, 8]", "[8, 8]"],
        ),
        (
            &["convert", mma, "mma.m16n8k16.b16.a"],
            3,
            &["<wanted>:1:1", "E0411", "16", "8"],
        ),
        (&["show", "@no/such/file"], 1, &["E0803", "no/such/file"]),
        (&["show", mma, "--rows", "4..4"], 1, &["empty"]),
        (&["show", mma, "--rows", "four"], 1, &["0..16"]),
        (&["show", mma, "--width", "24"], 1, &["128"]),
        (&["names", "nobody"], 1, &["E0801", "nobody"]),
        (&["show", ""], 3, &["E0201"]),
    ] {
        let (code, out, err) = layout(args);
        assert_eq!((code, out.as_str()), (exit, ""), "{args:?}: {err}");
        for want in wants {
            assert!(err.contains(want), "{args:?} lacks {want}: {err}");
        }
    }
}

/// A kernel of `cute` whose parameters have layouts of every kind, and a function of the host.
const CUTE: &str = r#"module {
  gpu.module @kernels {
    cuda.kernel @k(%open: !cute.memref<f32, gmem, align<16>, "(8,?):(?{i64 div=8},1)">, %plain: !cute.layout<"(2,(2,2)):(4,(2,1))">, %swizzled: !cute.memref<f16, smem, align<128>, "S<2,3,3> o 0 o (8,32):(32,1)">, %coords: !cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">, %mma: !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>, atom_layout_MNK = <"(2,1,1):(1,0,0)">>, %copy: !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32, 128 b>, layout_copy_tv = <"((8,4),4):((4,32),1)">, tiler_mn = <"[8:1;16:1]">>, %count: i32) attributes {nvvm.reqntid = array<i32: 32, 1, 1>} {
      return
    }
  }
  func.func @host(%count: i32, %own: !cute.layout<"4:1">) {
    return
  }
}
"#;

/// Runs `tilewright layout FILE` with these arguments, on a file with this text.
fn of_value(name: &str, text: &str, args: &[&str]) -> (i32, String, String) {
    let file = std::env::temp_dir().join(format!("tilewright-layout-{}-{name}", std::process::id()));
    std::fs::write(&file, text).expect("written");
    let path = file.display().to_string();
    let all: Vec<&str> = std::iter::once(path.as_str())
        .chain(args.iter().copied())
        .collect();
    let said = layout(&all);
    std::fs::remove_file(&file).expect("removed");
    said
}

#[test]
fn the_layout_of_a_value_is_drawn() {
    let (code, out, err) = of_value("plain.mlir", CUTE, &["--value", "%plain"]);
    let want = "\
value   %plain: !cute.layout<\"(2,(2,2)):(4,(2,1))\">
layout  (2,(2,2)):(4,(2,1))

The index of each coordinate
(2,(2,2)):(4,(2,1))

        mode 1
mode 0  (0,0)  (1,0)  (0,1)  (1,1)
     0      0      2      1      3
     1      4      6      5      7
";
    assert_eq!((code, out.as_str(), err.as_str()), (0, want, ""));
    for (value, more, parts) in [
        // The width of the elements is that of the type.
        (
            "swizzled",
            &["--view", "bank"][..],
            &["S<2,3,3> o 0 o (8,32):(32,1)", "128   2,8–15    2,0–7"][..],
        ),
        (
            "mma",
            &[],
            &[
                "A: ((4,8,2),(2,2,2)):",
                "B: ",
                "C: ",
                "of the 32×16 tile",
                "W0:T0:R0",
            ],
        ),
        (
            "copy",
            &[],
            &[
                "source and destination: (32,(4,1)):(4,(1,0))",
                "of the 8×16 tile",
                "T2:R0",
            ],
        ),
        (
            "coords",
            &[],
            &[
                "layout  (8,4):(1@0,1@1)",
                "The coordinate that each coordinate maps to",
                "     7  (7,0)  (7,1)  (7,2)  (7,3)",
            ],
        ),
        (
            "open",
            &[],
            &[
                "layout  (8,n0):(n1,1)",
                "n0: 32 bits",
                "n1: 64 bits, a multiple of 8",
                "--numbers",
            ],
        ),
        (
            "open",
            &["--numbers", "4,8"],
            &["layout  (8,4):(8,1)", "     7  56  57  58  59"],
        ),
        ("%own", &[], &["layout  4:1"]),
        ("swizzled", &["--as", "svg"], &["<svg"]),
        (
            "plain",
            &["--as", "json"],
            &["\"layout\": \"(2,(2,2)):(4,(2,1))\""],
        ),
    ] {
        let args: Vec<&str> = ["--value", value]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        let (code, out, err) = of_value(&format!("{value}.mlir"), CUTE, &args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        for part in parts {
            assert!(out.contains(part), "{args:?}: no `{part}` in\n{out}");
        }
    }
}

#[test]
fn values_of_other_languages_have_the_layouts_that_were_chosen() {
    let text = "entry @k(%p: tile<ptr<f32>>) {
  %i = iota : tile<64xi32>
  %ps = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %all = broadcast %ps : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %at = offset %all, %i : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %x, %t = load_ptr_tko weak %at : tile<64xptr<f32>> -> tile<64xf32>, token
  %y = addf %x, %x : tile<64xf32>
  %u = store_ptr_tko weak %at, %y : tile<64xptr<f32>>, tile<64xf32> -> token
  return
}
";
    let (code, out, err) = of_value("k.cuda_tile", text, &["--value", "%y"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.starts_with("value   %y: tile<64xf32>\nlayout  linear<register = ["),
        "{out}"
    );
    assert!(out.contains("Who holds each element of the tile of 64"), "{out}");
}

#[test]
fn what_has_no_layout_is_refused() {
    for (args, code, parts) in [
        (
            &["--value", "%swizzle"][..],
            "E0801",
            &["no value `%swizzle`"][..],
        ),
        (&["--value", "%count"], "E0801", &["is a value of k and of host"]),
        (
            &["--value", "%count", "--function", "host"],
            "E0410",
            &["`%count` says no layout"],
        ),
        (
            &["--value", "%count", "--function", "hots"],
            "E0801",
            &["no function `hots`"],
        ),
        (&["--value", "%plain#2"], "E0801", &["no result 2"]),
        (
            &["--value", "%coords", "--view", "bank"],
            "E0410",
            &["only the view `index` shows"],
        ),
        (
            &["--value", "%open", "--numbers", "4"],
            "E0801",
            &["leaves 2 numbers open, not 1"],
        ),
        (
            &["--value", "%open", "--numbers", "4,9"],
            "E0801",
            &["n1 is a multiple of 8, and 9 is none"],
        ),
        (
            &["--value", "%open", "--numbers", "0,8"],
            "E0801",
            &["extent of 0"],
        ),
        (
            &["--value", "%open", "--numbers", "4294967296,8"],
            "E0801",
            &["n0 has 32 bits"],
        ),
        (
            &["--value", "%open", "--as", "svg"],
            "E0410",
            &["cannot be drawn"],
        ),
        (&["--value", "%plain", "--view", "bank"], "E0801", &["--width"]),
    ] {
        let (exit, out, err) = of_value("refused.mlir", CUTE, args);
        assert!(exit != 0 && out.is_empty(), "{args:?}: {out}");
        assert!(err.contains(code), "{args:?}: {err}");
        for part in parts {
            assert!(err.contains(part), "{args:?}: no `{part}` in {err}");
        }
    }
    let (_, _, err) = of_value(
        "rich.mlir",
        CUTE,
        &["--error-format", "rich", "--value", "%swizzle"],
    );
    assert!(err.contains("did you mean `%swizzled`?"), "{err}");
    let (_, _, err) = of_value(
        "rich.mlir",
        CUTE,
        &["--error-format", "rich", "--value", "%count", "--function", "k"],
    );
    assert!(err.contains("its type is `i32`"), "{err}");
}
