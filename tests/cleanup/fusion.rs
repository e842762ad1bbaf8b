//! Fused multiply-add: the exact sum of the exact product, rounded once.

use tilewright_evaluator::{Arg, Device, Init};
use tilewright_irs::cuda_tile::print_tile_module;

use crate::rules;
use crate::run::{parsed, passed, tile_pass};

/// A kernel that computes `%r` from three rows of a type.
fn kernel(ty: &str, lines: &str) -> String {
    let mut text = String::new();
    for name in ["a", "b", "c", "r"] {
        text += &format!(
            "  %{name}_1 = reshape %{name}_0 : tile<ptr<{ty}>> -> tile<1xptr<{ty}>>
  %{name}_2 = broadcast %{name}_1 : tile<1xptr<{ty}>> -> tile<64xptr<{ty}>>
  %{name}_3 = offset %{name}_2, %i : tile<64xptr<{ty}>>, tile<64xi32> -> tile<64xptr<{ty}>>\n"
        );
        if name != "r" {
            text += &format!(
                "  %{name}, %{name}_4 = load_ptr_tko weak %{name}_3 : tile<64xptr<{ty}>> -> tile<64x{ty}>, token\n"
            );
        }
    }
    let params = ["a", "b", "c", "r"].map(|name| format!("%{name}_0: tile<ptr<{ty}>>"));
    format!(
        "entry @k({}) {{\n  %i = iota : tile<64xi32>\n{text}{lines}  %t = store_ptr_tko weak %r_3, %r : tile<64xptr<{ty}>>, tile<64x{ty}> -> token\n  return\n}}\n",
        params.join(", ")
    )
}

/// Numbers of a format of this many bytes, of all magnitudes.
fn rows(bytes: usize, seed: u64) -> [Vec<u8>; 3] {
    let mut state = seed;
    let mut next = || {
        // Knuth's generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 16
    };
    [(); 3].map(|()| {
        let row = (0..64).flat_map(|_| next().to_le_bytes().into_iter().take(bytes).collect::<Vec<u8>>());
        row.collect()
    })
}

fn run(text: &str, rows: &[Vec<u8>; 3], fuse: bool) -> (Vec<u8>, bool) {
    let module = parsed(text);
    let made = if fuse {
        passed(&module, tile_pass("fuse_multiply_add"))
    } else {
        module.clone()
    };
    let mut device = Device::new(&made).expect("a device");
    let mut arguments: Vec<Arg> = Vec::new();
    for row in rows {
        arguments.push(Arg::Pointer(device.allocate("row", Init::Data(row.clone()))));
    }
    let size = rows.first().map_or(0, Vec::len);
    let out = device.allocate("r", Init::Empty(size));
    arguments.push(Arg::Pointer(out));
    let kernel = made.funcs.first().expect("a kernel");
    device
        .launch(kernel, [1, 1, 1], &arguments)
        .unwrap_or_else(|fault| panic!("{text}\n{fault:#?}"));
    (device.read(out).to_vec(), made != module)
}

#[test]
fn a_fused_product_is_rounded_once() {
    let shapes = [
        ("addf %p, %c", "fma %a, %b, %c", false),
        ("addf %c, %p", "fma %a, %b, %c", false),
        ("subf %p, %c", "fma %a, %b, %n", false),
        ("subf %c, %p", "fma %n, %b, %c", true),
    ];
    for (ty, bytes) in [("f16", 2), ("bf16", 2), ("f32", 4), ("f64", 8)] {
        for mode in [
            "",
            " rounding<zero>",
            " rounding<negative_inf>",
            " rounding<positive_inf>",
        ] {
            for flush in ["", " flush_to_zero"] {
                if ty != "f32" && !flush.is_empty() {
                    continue;
                }
                let rows = rows(bytes, 7 + bytes as u64);
                for (sum, fused, negates_product) in shapes {
                    let t = format!("tile<64x{ty}>");
                    let twice =
                        format!("  %p = mulf %a, %b{mode}{flush} : {t}\n  %r = {sum}{mode}{flush} : {t}\n");
                    let negated = if negates_product { "%a" } else { "%c" };
                    let once = format!("  %n = negf {negated} : {t}\n  %r = {fused}{mode}{flush} : {t}\n");
                    let (got, changed) = run(&kernel(ty, &twice), &rows, true);
                    let (want, _) = run(&kernel(ty, &once), &rows, false);
                    assert!(changed, "{ty}{mode}{flush}: {sum} is not fused");
                    assert_eq!(got, want, "{ty}{mode}{flush}: {sum}");
                }
            }
        }
    }
}

#[test]
fn products_are_fused_only_where_that_saves_one_rounding() {
    let floats = |lines: &str| rules::kernel(&format!("{lines}\n  %r = addi %a, %b : tile<i32>"));
    let count = |lines: &str, fused: usize| {
        let text = floats(lines);
        let made = passed(&parsed(&text), tile_pass("fuse_multiply_add"));
        let shown = print_tile_module(&made, None);
        assert_eq!(shown.matches("fma ").count(), fused, "{text}\nbecomes\n{shown}");
        shown
    };
    count("%m = mulf %x, %y : tile<f32>\n  %f = addf %m, %x : tile<f32>", 1);
    // The product has another use.
    count(
        "%m = mulf %x, %y : tile<f32>\n  %g = addf %m, %x : tile<f32>\n  %f = divf %g, %m : tile<f32>",
        0,
    );
    count("%m = mulf %x, %y : tile<f32>\n  %f = addf %m, %m : tile<f32>", 0);
    // The two rounding modes differ.
    count(
        "%m = mulf %x, %y rounding<zero> : tile<f32>\n  %f = addf %m, %x : tile<f32>",
        0,
    );
    count(
        "%m = mulf %x, %y flush_to_zero : tile<f32>\n  %f = addf %m, %x : tile<f32>",
        0,
    );
    // The product is outside of the branch, which may not be taken.
    count(
        "%m = mulf %x, %y : tile<f32>
  %f = if %c -> (tile<f32>) {
    %s = addf %m, %x : tile<f32>
    yield %s : tile<f32>
  } else {
    yield %x : tile<f32>
  }",
        0,
    );
    // The left one of two products is fused.
    let shown = count(
        "%m = mulf %x, %x : tile<f32>\n  %l = mulf %y, %y : tile<f32>\n  %f = addf %m, %l : tile<f32>",
        1,
    );
    let left = shown.find("mulf").map(|at| &shown[at..]);
    assert!(
        left.is_some_and(|rest| rest.starts_with("mulf %arg5, %arg5")),
        "{shown}"
    );
}
