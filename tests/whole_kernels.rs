//! Kernels whose form decides how they are compiled: they write in the simulator what they write in the reference evaluator.

mod both_ways;

use both_ways::{bytes_of_words, compiled, same};
use tilewright::Request;
use tilewright_irs::isa::Target;

fn targets() -> [Target; 2] {
    [Target::sm(80), Target::sm_a(90)]
}

/// Small whole numbers in f16, whose products and sums are exact.
fn numbers(count: usize) -> Vec<u8> {
    let bits = [0x0000_u16, 0x3c00, 0x4000, 0xbc00, 0x4200, 0xc000, 0x4400];
    let number = |at: usize| bits.get((at * 5 + at / 7) % bits.len()).copied().unwrap_or(0);
    (0..count).flat_map(|at| number(at).to_le_bytes()).collect()
}

/// A scan of rows: each element is combined with all before it.
fn scan(rows: usize, columns: usize, reverse: bool) -> String {
    let tile = format!("{rows}x{columns}");
    format!(
        "cuda_tile.module @m {{
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {{
    %first = make_token : token
    %c0 = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %p, shape = [{rows}, {columns}], strides = [{columns}, 1] : tensor_view<{tile}xi32, strides=[{columns},1]>
    %to = make_tensor_view %q, shape = [{rows}, {columns}], strides = [{columns}, 1] : tensor_view<{tile}xi32, strides=[{columns},1]>
    %in = make_partition_view %from : partition_view<tile=({tile}), tensor_view<{tile}xi32, strides=[{columns},1]>>
    %out = make_partition_view %to : partition_view<tile=({tile}), tensor_view<{tile}xi32, strides=[{columns},1]>>
    %x, %t = load_view_tko weak %in[%c0, %c0] token = %first : partition_view<tile=({tile}), tensor_view<{tile}xi32, strides=[{columns},1]>>, tile<i32> -> tile<{tile}xi32>, token
    %one = constant <i32: 1> : tile<{tile}xi32>
    %odd = ori %x, %one : tile<{tile}xi32>
    %a, %b = scan %odd, %x dim=1 reverse={reverse} identities=[1 : i32, 0 : i32] : tile<{tile}xi32>, tile<{tile}xi32> -> tile<{tile}xi32>, tile<{tile}xi32>
    (%a0: tile<i32>, %a1: tile<i32>, %b0: tile<i32>, %b1: tile<i32>) {{
      %m = muli %a0, %a1 : tile<i32>
      %s = muli %b0, %a1 : tile<i32>
      %n = addi %s, %b1 : tile<i32>
      yield %m, %n : tile<i32>, tile<i32>
    }}
    %both = xori %a, %b : tile<{tile}xi32>
    %end = store_view_tko weak %both, %out[%c0, %c0] token = %t : tile<{tile}xi32>, partition_view<tile=({tile}), tensor_view<{tile}xi32, strides=[{columns},1]>>, tile<i32> -> token
    return
  }}
}}
"
    )
}

#[test]
fn scans_of_long_rows_combine_elements_in_order() {
    for (rows, columns) in [(1, 4096), (4, 1024), (1, 512), (2, 256), (16, 64)] {
        for reverse in [false, true] {
            let elements = rows * columns;
            let words = (0..elements).map(|at| {
                u32::try_from(at * 2_654_435 + 17)
                    .unwrap_or(0)
                    .wrapping_mul(40_503)
            });
            let array = bytes_of_words(words);
            let result = bytes_of_words((0..elements).map(|_| u32::MAX));
            same(
                &scan(rows, columns, reverse),
                &[array, result],
                [1, 1, 1],
                &targets(),
            );
        }
    }
}

const DEPTH: usize = 192;

/// What the products below share: A of 128 by [`DEPTH`], B of [`DEPTH`] by 128, and the sums.
const ARRAYS: &str = "
    %t = make_token : token
    %pa = assume div_by<16>, %a : tile<ptr<f16>>
    %pb = assume div_by<16>, %b : tile<ptr<f16>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %va = make_tensor_view %pa, shape = [128, 192], strides = [192, 1] : tensor_view<128x192xf16, strides=[192,1]>
    %vb = make_tensor_view %pb, shape = [192, 128], strides = [128, 1] : tensor_view<192x128xf16, strides=[128,1]>
    %vc = make_tensor_view %c, shape = [128, 128], strides = [128, 1] : tensor_view<128x128xf32, strides=[128,1]>
    %zero = constant <f32: 0.0> : tile<64x128xf32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %c6 = constant <i32: 6> : tile<i32>
    %ta = make_partition_view %va : partition_view<tile=(64x32), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>
    %tb = make_partition_view %vb : partition_view<tile=(32x128), padding_value = zero, tensor_view<192x128xf16, strides=[128,1]>>
    %tc = make_partition_view %vc : partition_view<tile=(64x128), tensor_view<128x128xf32, strides=[128,1]>>
";

/// The tiles of an iteration.
const LOADS: &str = "
      %la, %t1 = load_view_tko weak %ta[%x, %i] token = %t : partition_view<tile=(64x32), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>, tile<i32> -> tile<64x32xf16>, token
      %lb, %t2 = load_view_tko weak %tb[%i, %c0] token = %t : partition_view<tile=(32x128), padding_value = zero, tensor_view<192x128xf16, strides=[128,1]>>, tile<i32> -> tile<32x128xf16>, token
";

const STORE: &str = "
    %o = store_view_tko weak %r, %tc[%x, %c0] token = %t : tile<64x128xf32>, partition_view<tile=(64x128), tensor_view<128x128xf32, strides=[128,1]>>, tile<i32> -> token
";

fn product_both_ways(body: &str, limit: u32) {
    let text = format!(
        "cuda_tile.module @m {{ entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %l: tile<ptr<i32>>) {{\n{ARRAYS}{body}\n  return\n}} }}\n"
    );
    let buffers = [
        numbers(128 * DEPTH),
        numbers(DEPTH * 128),
        bytes_of_words((0..128 * 128).map(|_| 0x7fc0_dead)),
        bytes_of_words([limit]),
    ];
    same(&text, &buffers, [2, 1, 1], &targets());
}

/// A kernel that returns early, in blocks from a limit on, and has a function that returns early where the depth is zero: clients
/// write that as a loop that every way through breaks.
#[test]
fn kernels_that_return_early_multiply_in_the_other_blocks() {
    let body = format!(
        "
    %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
    %out = cmpi greater_than_or_equal %x, %limit, signed : tile<i32> -> tile<i1>
    if %out {{
      return
    }}
    %more = addi %limit, %c1 : tile<i32>
    %e = loop iter_values(%b0 = %t) : token -> token {{
      %none = cmpi greater_than %more, %c6, signed : tile<i32> -> tile<i1>
      if %none {{
        break %b0 : token
      }}
      %r = for %i in (%c0 to %c6, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<64x128xf32>) {{{LOADS}
        %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
        continue %p : tile<64x128xf32>
      }}{STORE}
      break %o : token
    }}"
    );
    for limit in [0, 1, 2, 6] {
        product_both_ways(&body, limit);
    }
}

/// The right operand is converted and summed besides, so that it is loaded twice: to shared memory, and to registers.
#[test]
fn tiles_that_products_and_other_ops_use_are_the_same_for_both() {
    let body = format!(
        "
    %r = for %i in (%c0 to %c6, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<64x128xf32>) {{{LOADS}
      %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      %f = ftof %lb : tile<32x128xf16> -> tile<32x128xf32>
      %f2 = mulf %f, %f rounding<nearest_even> : tile<32x128xf32>
      %n = reduce %f2 dim=0 identities=[0.0 : f32] : tile<32x128xf32> -> tile<128xf32>
      (%u: tile<f32>, %v: tile<f32>) {{
        %w = addf %u, %v rounding<nearest_even> : tile<f32>
        yield %w : tile<f32>
      }}
      %n2 = reshape %n : tile<128xf32> -> tile<1x128xf32>
      %n3 = broadcast %n2 : tile<1x128xf32> -> tile<64x128xf32>
      %q = addf %p, %n3 rounding<nearest_even> : tile<64x128xf32>
      continue %q : tile<64x128xf32>
    }}{STORE}"
    );
    product_both_ways(&body, 0);
}

/// Each product is scaled by a factor of its rows and one of its tile, which are loaded in the loop.
#[test]
fn products_are_scaled_by_the_factors_of_their_iteration() {
    let body = format!(
        "
    %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
    %rows = iota : tile<64xi32>
    %pb1 = reshape %pb : tile<ptr<f16>> -> tile<1xptr<f16>>
    %pb64 = broadcast %pb1 : tile<1xptr<f16>> -> tile<64xptr<f16>>
    %r = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<64x128xf32>) {{{LOADS}
      %p = mmaf %la, %lb, %zero : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      %i1 = reshape %i : tile<i32> -> tile<1xi32>
      %i64 = broadcast %i1 : tile<1xi32> -> tile<64xi32>
      %at = addi %rows, %i64 : tile<64xi32>
      %pr = offset %pb64, %at : tile<64xptr<f16>>, tile<64xi32> -> tile<64xptr<f16>>
      %fr, %t3 = load_ptr_tko weak %pr token = %t : tile<64xptr<f16>> -> tile<64xf16>, token
      %pt = offset %pa, %i : tile<ptr<f16>>, tile<i32> -> tile<ptr<f16>>
      %ft, %t4 = load_ptr_tko weak %pt token = %t : tile<ptr<f16>> -> tile<f16>, token
      %gr = ftof %fr : tile<64xf16> -> tile<64xf32>
      %gt = ftof %ft : tile<f16> -> tile<f32>
      %gr1 = reshape %gr : tile<64xf32> -> tile<64x1xf32>
      %gt1 = reshape %gt : tile<f32> -> tile<1x1xf32>
      %gt64 = broadcast %gt1 : tile<1x1xf32> -> tile<64x1xf32>
      %f = mulf %gr1, %gt64 rounding<nearest_even> : tile<64x1xf32>
      %fs = broadcast %f : tile<64x1xf32> -> tile<64x128xf32>
      %ps = mulf %p, %fs rounding<nearest_even> : tile<64x128xf32>
      %q = addf %s, %ps rounding<nearest_even> : tile<64x128xf32>
      continue %q : tile<64x128xf32>
    }}{STORE}"
    );
    for limit in [0, 1, 2, 6] {
        product_both_ways(&body, limit);
    }
}

/// Three products of an iteration, of two sums, which all are under way before the first is waited for.
#[test]
fn products_of_several_sums_are_under_way_together() {
    let body = format!(
        "
    %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
    %other = subi %c1, %x : tile<i32>
    %r0, %u0 = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%s = %zero, %u = %zero) -> (tile<64x128xf32>, tile<64x128xf32>) {{{LOADS}
      %lo, %t3 = load_view_tko weak %ta[%other, %i] token = %t : partition_view<tile=(64x32), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>, tile<i32> -> tile<64x32xf16>, token
      %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      %q = mmaf %lo, %lb, %u : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      %q2 = mmaf %la, %lb, %q : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      continue %p, %q2 : tile<64x128xf32>, tile<64x128xf32>
    }}
    %u2 = addf %u0, %u0 rounding<nearest_even> : tile<64x128xf32>
    %r = addf %r0, %u2 rounding<nearest_even> : tile<64x128xf32>{STORE}"
    );
    for limit in [0, 1, 2, 6] {
        product_both_ways(&body, limit);
    }
}

/// A loop that carries a matrix from chunk to chunk, and stores in each iteration, as attention without softmax does.
#[test]
fn products_of_products_are_stored_in_the_loop() {
    let body = "
    %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
    %other = subi %c1, %x : tile<i32>
    %nothing = constant <f32: 0.0> : tile<64x64xf32>
    %td = make_partition_view %va : partition_view<tile=(64x64), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>
    %te = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<128x128xf32, strides=[128,1]>>
    %r = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%state = %nothing) -> (tile<64x64xf32>) {
      %q, %t1 = load_view_tko weak %td[%x, %i] token = %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>, tile<i32> -> tile<64x64xf16>, token
      %k, %t2 = load_view_tko weak %td[%other, %i] token = %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>, tile<i32> -> tile<64x64xf16>, token
      %kt = permute %k [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
      %scores = mmaf %q, %kt, %nothing : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %twice = addf %scores, %scores rounding<nearest_even> : tile<64x64xf32>
      %sf = ftof %state : tile<64x64xf32> -> tile<64x64xf16>
      %acc = mmaf %q, %sf, %nothing : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %pf = ftof %twice : tile<64x64xf32> -> tile<64x64xf16>
      %acc2 = mmaf %pf, %q, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %next = mmaf %kt, %q, %state : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      %o = store_view_tko weak %acc2, %te[%x, %i] token = %t : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<128x128xf32, strides=[128,1]>>, tile<i32> -> token
      continue %next : tile<64x64xf32>
    }";
    for limit in [0, 1, 2] {
        product_both_ways(body, limit);
    }
}

/// The left operand is computed from a tile that is summed besides, so that it is copied to shared memory and read to registers.
#[test]
fn tiles_that_are_reduced_are_multiplied_from_registers() {
    let body = format!(
        "
    %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
    %none = constant <f32: 0.0> : tile<64xf32>
    %tw = make_partition_view %va : partition_view<tile=(1x32), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>
    %r0, %n0 = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%s = %zero, %n = %none) -> (tile<64x128xf32>, tile<64xf32>) {{{LOADS}
      %lw, %t3 = load_view_tko weak %tw[%x, %i] token = %t : partition_view<tile=(1x32), padding_value = zero, tensor_view<128x192xf16, strides=[192,1]>>, tile<i32> -> tile<1x32xf16>, token
      %f = ftof %la : tile<64x32xf16> -> tile<64x32xf32>
      %f2 = mulf %f, %f rounding<nearest_even> : tile<64x32xf32>
      %sum = reduce %f2 dim=1 identities=[0.0 : f32] : tile<64x32xf32> -> tile<64xf32>
      (%v: tile<f32>, %w: tile<f32>) {{
        %vw = addf %v, %w rounding<nearest_even> : tile<f32>
        yield %vw : tile<f32>
      }}
      %n2 = addf %n, %sum rounding<nearest_even> : tile<64xf32>
      %fw = ftof %lw : tile<1x32xf16> -> tile<1x32xf32>
      %ws = broadcast %fw : tile<1x32xf32> -> tile<64x32xf32>
      %scaled = mulf %f, %ws rounding<nearest_even> : tile<64x32xf32>
      %left = ftof %scaled : tile<64x32xf32> -> tile<64x32xf16>
      %p = mmaf %left, %lb, %s : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      continue %p, %n2 : tile<64x128xf32>, tile<64xf32>
    }}
    %n1 = reshape %n0 : tile<64xf32> -> tile<64x1xf32>
    %ns = broadcast %n1 : tile<64x1xf32> -> tile<64x128xf32>
    %r = addf %r0, %ns rounding<nearest_even> : tile<64x128xf32>{STORE}"
    );
    for limit in [0, 1, 2, 6] {
        product_both_ways(&body, limit);
    }
}

/// Weights of 8 bits, stored along N or along K, less a constant, of a product with few rows; tiles of 64 of a K of 100, which cuts a
/// vector of the left operand.
fn weights(transposed: bool) -> String {
    let (shape, along, tile, index) = match transposed {
        false => ("[100, 160]", 160, "64x128", "%i, %x"),
        true => ("[160, 112]", 112, "128x64", "%x, %i"),
    };
    let array = format!(
        "tensor_view<{}xi8, strides=[{along},1]>",
        shape[1..shape.len() - 1].replace(", ", "x")
    );
    let tiles = format!("partition_view<tile=({tile}), padding_value = zero, {array}>");
    let (weights, view) = match transposed {
        false => ("%shifted", String::new()),
        true => (
            "%turned",
            "%turned = permute %shifted [1, 0] : tile<128x64xf16> -> tile<64x128xf16>".to_owned(),
        ),
    };
    format!(
        "cuda_tile.module @m {{
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<i8>>, %c: tile<ptr<f32>>, %l: tile<ptr<i32>>) {{
  %t = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pb = assume div_by<16>, %b : tile<ptr<i8>>
  %va = make_tensor_view %pa, shape = [16, 100], strides = [112, 1] : tensor_view<16x100xf16, strides=[112,1]>
  %vb = make_tensor_view %pb, shape = {shape}, strides = [{along}, 1] : {array}
  %vc = make_tensor_view %c, shape = [16, 256], strides = [256, 1] : tensor_view<16x256xf32, strides=[256,1]>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.0> : tile<16x128xf32>
  %eight = constant <f16: 8.0> : tile<{tile}xf16>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %ta = make_partition_view %va : partition_view<tile=(16x64), padding_value = zero, tensor_view<16x100xf16, strides=[112,1]>>
  %tb = make_partition_view %vb : {tiles}
  %tc = make_partition_view %vc : partition_view<tile=(16x128), tensor_view<16x256xf32, strides=[256,1]>>
  %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
  %r = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<16x128xf32>) {{
    %la, %t1 = load_view_tko weak %ta[%c0, %i] token = %t : partition_view<tile=(16x64), padding_value = zero, tensor_view<16x100xf16, strides=[112,1]>>, tile<i32> -> tile<16x64xf16>, token
    %lb, %t2 = load_view_tko weak %tb[{index}] token = %t : {tiles}, tile<i32> -> tile<{tile}xi8>, token
    %wide = itof %lb signed : tile<{tile}xi8> -> tile<{tile}xf16>
    %shifted = subf %wide, %eight rounding<nearest_even> : tile<{tile}xf16>
    {view}
    %p = mmaf %la, {weights}, %s : tile<16x64xf16>, tile<64x128xf16>, tile<16x128xf32>
    continue %p : tile<16x128xf32>
  }}
  %o = store_view_tko weak %r, %tc[%c0, %x] token = %t : tile<16x128xf32>, partition_view<tile=(16x128), tensor_view<16x256xf32, strides=[256,1]>>, tile<i32> -> token
  return
}}
}}
"
    )
}

#[test]
fn weights_of_8_bits_are_converted_after_they_are_copied() {
    for transposed in [false, true] {
        for limit in [0, 1, 2, 5] {
            let weights_of = (0..112 * 160).map(|at| (at * 37 % 23) as u8);
            let buffers = [
                numbers(16 * 112),
                weights_of.collect(),
                bytes_of_words((0..16 * 256).map(|_| 0x7fc0_dead)),
                bytes_of_words([limit]),
            ];
            same(&weights(transposed), &buffers, [2, 1, 1], &targets());
        }
    }
}

/// Two weights of 4 bits in each byte, with a factor for each column and 64 rows, of a product with few rows.
const WEIGHTS_OF_4_BITS: &str = "cuda_tile.module @m {
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<i8>>, %f: tile<ptr<f16>>, %c: tile<ptr<f32>>, %l: tile<ptr<i32>>) {
  %t = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pb = assume div_by<16>, %b : tile<ptr<i8>>
  %pf = assume div_by<16>, %f : tile<ptr<f16>>
  %va = make_tensor_view %pa, shape = [16, 512], strides = [512, 1] : tensor_view<16x512xf16, strides=[512,1]>
  %vb = make_tensor_view %pb, shape = [256, 128], strides = [128, 1] : tensor_view<256x128xi8, strides=[128,1]>
  %vf = make_tensor_view %pf, shape = [4, 128], strides = [128, 1] : tensor_view<4x128xf16, strides=[128,1]>
  %vc = make_tensor_view %c, shape = [16, 128], strides = [128, 1] : tensor_view<16x128xf32, strides=[128,1]>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.0> : tile<16x64xf32>
  %mask = constant <i32: 15> : tile<64x64xi32>
  %four = constant <i32: 4> : tile<64x64xi32>
  %eight = constant <i32: 8> : tile<64x64xi32>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c2 = constant <i32: 2> : tile<i32>
  %ta = make_partition_view %va : partition_view<tile=(16x64), padding_value = zero, tensor_view<16x512xf16, strides=[512,1]>>
  %tb = make_partition_view %vb : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x128xi8, strides=[128,1]>>
  %tf = make_partition_view %vf : partition_view<tile=(1x64), padding_value = zero, tensor_view<4x128xf16, strides=[128,1]>>
  %tc = make_partition_view %vc : partition_view<tile=(16x64), tensor_view<16x128xf32, strides=[128,1]>>
  %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
  %r = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<16x64xf32>) {
    %lb, %t1 = load_view_tko weak %tb[%i, %x] token = %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x128xi8, strides=[128,1]>>, tile<i32> -> tile<64x64xi8>, token
    %lf, %t2 = load_view_tko weak %tf[%i, %x] token = %t : partition_view<tile=(1x64), padding_value = zero, tensor_view<4x128xf16, strides=[128,1]>>, tile<i32> -> tile<1x64xf16>, token
    %factor = broadcast %lf : tile<1x64xf16> -> tile<64x64xf16>
    %both = exti %lb unsigned : tile<64x64xi8> -> tile<64x64xi32>
    %l1 = andi %both, %mask : tile<64x64xi32>
    %l2 = subi %l1, %eight : tile<64x64xi32>
    %l3 = itof %l2 signed : tile<64x64xi32> -> tile<64x64xf16>
    %low = mulf %l3, %factor rounding<nearest_even> : tile<64x64xf16>
    %h0 = shri %both, %four unsigned : tile<64x64xi32>
    %h1 = andi %h0, %mask : tile<64x64xi32>
    %h2 = subi %h1, %eight : tile<64x64xi32>
    %h3 = itof %h2 signed : tile<64x64xi32> -> tile<64x64xf16>
    %high = mulf %h3, %factor rounding<nearest_even> : tile<64x64xf16>
    %even = muli %i, %c2 : tile<i32>
    %odd = addi %even, %c1 : tile<i32>
    %la, %t3 = load_view_tko weak %ta[%c0, %even] token = %t : partition_view<tile=(16x64), padding_value = zero, tensor_view<16x512xf16, strides=[512,1]>>, tile<i32> -> tile<16x64xf16>, token
    %p = mmaf %la, %low, %s : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    %lo, %t4 = load_view_tko weak %ta[%c0, %odd] token = %t : partition_view<tile=(16x64), padding_value = zero, tensor_view<16x512xf16, strides=[512,1]>>, tile<i32> -> tile<16x64xf16>, token
    %q = mmaf %lo, %high, %p : tile<16x64xf16>, tile<64x64xf16>, tile<16x64xf32>
    continue %q : tile<16x64xf32>
  }
  %o = store_view_tko weak %r, %tc[%c0, %x] token = %t : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<16x128xf32, strides=[128,1]>>, tile<i32> -> token
  return
}
}
";

#[test]
fn weights_of_4_bits_are_computed_in_the_threads_that_multiply_them() {
    for limit in [0, 1, 2, 4] {
        let buffers = [
            numbers(16 * 512),
            (0..256 * 128).map(|at| (at * 37 % 251) as u8).collect(),
            numbers(4 * 128),
            bytes_of_words((0..16 * 128).map(|_| 0x7fc0_dead)),
            bytes_of_words([limit]),
        ];
        same(WEIGHTS_OF_4_BITS, &buffers, [2, 1, 1], &targets());
    }
}

/// Rows that a table names, times a matrix, and each times a number of its row.
const ROWS_OF_A_TABLE: &str = "cuda_tile.module @m {
entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %table: tile<ptr<i32>>, %w: tile<ptr<f32>>, %l: tile<ptr<i32>>) {
  %t = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pb = assume div_by<16>, %b : tile<ptr<f16>>
  %vb = make_tensor_view %pb, shape = [64, 160], strides = [160, 1] : tensor_view<64x160xf16, strides=[160,1]>
  %vc = make_tensor_view %c, shape = [128, 64], strides = [64, 1] : tensor_view<128x64xf32, strides=[64,1]>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.0> : tile<64x64xf32>
  %none = constant <f16: 0.0> : tile<64x64xf16>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c64 = constant <i32: 64> : tile<i32>
  %stride = constant <i32: 160> : tile<64x64xi32>
  %rows = constant <i32: 70> : tile<64x64xi32>
  %tb = make_partition_view %vb : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x160xf16, strides=[160,1]>>
  %tc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<128x64xf32, strides=[64,1]>>
  %limit, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
  %i0 = muli %x, %c64 : tile<i32>
  %i1 = reshape %i0 : tile<i32> -> tile<1xi32>
  %i2 = broadcast %i1 : tile<1xi32> -> tile<64xi32>
  %i3 = iota : tile<64xi32>
  %i4 = addi %i2, %i3 : tile<64xi32>
  %i5 = reshape %table : tile<ptr<i32>> -> tile<1xptr<i32>>
  %i6 = broadcast %i5 : tile<1xptr<i32>> -> tile<64xptr<i32>>
  %i7 = offset %i6, %i4 : tile<64xptr<i32>>, tile<64xi32> -> tile<64xptr<i32>>
  %row, %t1 = load_ptr_tko weak %i7 token = %t : tile<64xptr<i32>> -> tile<64xi32>, token
  %r1 = reshape %row : tile<64xi32> -> tile<64x1xi32>
  %r2 = broadcast %r1 : tile<64x1xi32> -> tile<64x64xi32>
  %r3 = muli %r2, %stride : tile<64x64xi32>
  %known = cmpi less_than %r2, %rows, unsigned : tile<64x64xi32> -> tile<64x64xi1>
  %p1 = reshape %pa : tile<ptr<f16>> -> tile<1x1xptr<f16>>
  %p2 = broadcast %p1 : tile<1x1xptr<f16>> -> tile<64x64xptr<f16>>
  %r = for %i in (%c0 to %limit, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<64x64xf32>) {
    %k0 = muli %i, %c64 : tile<i32>
    %k1 = reshape %k0 : tile<i32> -> tile<1xi32>
    %k2 = broadcast %k1 : tile<1xi32> -> tile<64xi32>
    %k3 = addi %k2, %i3 : tile<64xi32>
    %k4 = reshape %k3 : tile<64xi32> -> tile<1x64xi32>
    %k5 = broadcast %k4 : tile<1x64xi32> -> tile<64x64xi32>
    %inside = cmpi less_than %k5, %stride, unsigned : tile<64x64xi32> -> tile<64x64xi1>
    %mask = andi %known, %inside : tile<64x64xi1>
    %at = addi %r3, %k5 : tile<64x64xi32>
    %p3 = offset %p2, %at : tile<64x64xptr<f16>>, tile<64x64xi32> -> tile<64x64xptr<f16>>
    %la, %t2 = load_ptr_tko weak %p3, %mask, %none token=%t : tile<64x64xptr<f16>>, tile<64x64xi1>, tile<64x64xf16> -> tile<64x64xf16>, token
    %lb, %t3 = load_view_tko weak %tb[%c0, %i] token = %t : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x160xf16, strides=[160,1]>>, tile<i32> -> tile<64x64xf16>, token
    %mb = permute %lb [1, 0] : tile<64x64xf16> -> tile<64x64xf16>
    %p = mmaf %la, %mb, %s : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    continue %p : tile<64x64xf32>
  }
  %w1 = reshape %w : tile<ptr<f32>> -> tile<1xptr<f32>>
  %w2 = broadcast %w1 : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %w3 = offset %w2, %row : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %w4, %t4 = load_ptr_tko weak %w3 token = %t : tile<64xptr<f32>> -> tile<64xf32>, token
  %w5 = reshape %w4 : tile<64xf32> -> tile<64x1xf32>
  %w6 = broadcast %w5 : tile<64x1xf32> -> tile<64x64xf32>
  %scaled = mulf %r, %w6 rounding<nearest_even> : tile<64x64xf32>
  %o = store_view_tko weak %scaled, %tc[%x, %c0] token = %t : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<128x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
}
";

#[test]
fn another_agent_gathers_the_rows_that_a_table_names() {
    for limit in [0, 1, 3] {
        let buffers = [
            numbers(70 * 160),
            numbers(64 * 160),
            bytes_of_words((0..128 * 64).map(|_| 0x7fc0_dead)),
            bytes_of_words((0..128).map(|at| at * 29 % 70)),
            bytes_of_words((0..70).map(|at| f32::to_bits((at % 5) as f32))),
            bytes_of_words([limit]),
        ];
        same(ROWS_OF_A_TABLE, &buffers, [2, 1, 1], &targets());
    }
    let request = Request {
        target: Some(Target::sm_a(90)),
        ..Request::default()
    };
    let ptx = compiled(ROWS_OF_A_TABLE, request);
    let waits = ptx.matches("cp.async.mbarrier.arrive.noinc").count();
    assert!(waits > 0 && !ptx.contains("cp.async.wait_group"), "{ptx}");
}

/// Products of tiles with themselves, which are in shared memory once.
const SQUARES: &str = "cuda_tile.module @m {
entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>) {
  %t = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %va = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16, strides=[256,1]>
  %vc = make_tensor_view %c, shape = [64, 32], strides = [32, 1] : tensor_view<64x32xf32, strides=[32,1]>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.0> : tile<32x32xf32>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c4 = constant <i32: 4> : tile<i32>
  %ta = make_partition_view %va : partition_view<tile=(32x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>
  %tc = make_partition_view %vc : partition_view<tile=(32x32), tensor_view<64x32xf32, strides=[32,1]>>
  %r = for %i in (%c0 to %c4, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<32x32xf32>) {
    %la, %t1 = load_view_tko weak %ta[%x, %i] token = %t : partition_view<tile=(32x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> tile<32x64xf16>, token
    %lb = permute %la [1, 0] : tile<32x64xf16> -> tile<64x32xf16>
    %p = mmaf %la, %lb, %s : tile<32x64xf16>, tile<64x32xf16>, tile<32x32xf32>
    continue %p : tile<32x32xf32>
  }
  %o = store_view_tko weak %r, %tc[%x, %c0] token = %t : tile<32x32xf32>, partition_view<tile=(32x32), tensor_view<64x32xf32, strides=[32,1]>>, tile<i32> -> token
  return
}
}
";

#[test]
fn both_operands_of_a_product_may_be_views_of_one_tile() {
    let sums = bytes_of_words((0..64 * 32).map(|_| 0x7fc0_dead));
    same(SQUARES, &[numbers(64 * 256), sums], [2, 1, 1], &targets());
}

/// Two products whose transposed results are multiplied, as in the backward pass of attention.
const BACKWARD: &str = "cuda_tile.module @m {
entry @k(%q: tile<ptr<f16>>, %k: tile<ptr<f16>>, %l: tile<ptr<f32>>, %c: tile<ptr<f32>>) {
  %t = make_token : token
  %pq = assume div_by<16>, %q : tile<ptr<f16>>
  %pk = assume div_by<16>, %k : tile<ptr<f16>>
  %pl = assume div_by<16>, %l : tile<ptr<f32>>
  %vq = make_tensor_view %pq, shape = [192, 64], strides = [64, 1] : tensor_view<192x64xf16, strides=[64,1]>
  %vk = make_tensor_view %pk, shape = [128, 64], strides = [64, 1] : tensor_view<128x64xf16, strides=[64,1]>
  %vl = make_tensor_view %pl, shape = [192], strides = [1] : tensor_view<192xf32, strides=[1]>
  %vc = make_tensor_view %c, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf32, strides=[64,1]>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c3 = constant <i32: 3> : tile<i32>
  %zeros = constant <f32: 0.0> : tile<64x128xf32>
  %half = constant <f32: 0.5> : tile<64x128xf32>
  %none = constant <f32: 0.0> : tile<128x64xf32>
  %tq = make_partition_view %vq : partition_view<tile=(64x64), tensor_view<192x64xf16, strides=[64,1]>>
  %tk = make_partition_view %vk : partition_view<tile=(128x64), tensor_view<128x64xf16, strides=[64,1]>>
  %tl = make_partition_view %vl : partition_view<tile=(64), tensor_view<192xf32, strides=[1]>>
  %tc = make_partition_view %vc : partition_view<tile=(128x64), tensor_view<256x64xf32, strides=[64,1]>>
  %lk, %t1 = load_view_tko weak %tk[%c0, %c0] token = %t : partition_view<tile=(128x64), tensor_view<128x64xf16, strides=[64,1]>>, tile<i32> -> tile<128x64xf16>, token
  %kt = permute %lk [1, 0] : tile<128x64xf16> -> tile<64x128xf16>
  %dk, %dv = for %i in (%c0 to %c3, step %c1) : tile<i32> iter_values(%u = %none, %v = %none) -> (tile<128x64xf32>, tile<128x64xf32>) {
    %lq, %t2 = load_view_tko weak %tq[%i, %c0] token = %t : partition_view<tile=(64x64), tensor_view<192x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
    %ll, %t3 = load_view_tko weak %tl[%i] token = %t : partition_view<tile=(64), tensor_view<192xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %l1 = reshape %ll : tile<64xf32> -> tile<64x1xf32>
    %l2 = broadcast %l1 : tile<64x1xf32> -> tile<64x128xf32>
    %s = mmaf %lq, %kt, %zeros : tile<64x64xf16>, tile<64x128xf16>, tile<64x128xf32>
    %p = subf %s, %l2 rounding<nearest_even> : tile<64x128xf32>
    %h = ftof %p : tile<64x128xf32> -> tile<64x128xf16>
    %pt = permute %h [1, 0] : tile<64x128xf16> -> tile<128x64xf16>
    %v2 = mmaf %pt, %lq, %v : tile<128x64xf16>, tile<64x64xf16>, tile<128x64xf32>
    %s2 = mmaf %lq, %kt, %half : tile<64x64xf16>, tile<64x128xf16>, tile<64x128xf32>
    %d = subf %s2, %p rounding<nearest_even> : tile<64x128xf32>
    %dt = permute %d [1, 0] : tile<64x128xf32> -> tile<128x64xf32>
    %dh = ftof %dt : tile<128x64xf32> -> tile<128x64xf16>
    %u2 = mmaf %dh, %lq, %u : tile<128x64xf16>, tile<64x64xf16>, tile<128x64xf32>
    continue %u2, %v2 : tile<128x64xf32>, tile<128x64xf32>
  }
  %o1 = store_view_tko weak %dk, %tc[%c0, %c0] token = %t : tile<128x64xf32>, partition_view<tile=(128x64), tensor_view<256x64xf32, strides=[64,1]>>, tile<i32> -> token
  %o2 = store_view_tko weak %dv, %tc[%c1, %c0] token = %t : tile<128x64xf32>, partition_view<tile=(128x64), tensor_view<256x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}
}
";

#[test]
fn products_of_transposed_products_are_the_same() {
    let rows = bytes_of_words((0..192_u16).map(|at| f32::from(at % 5).to_bits()));
    let sums = bytes_of_words((0..256 * 64).map(|_| 0x7fc0_dead));
    let buffers = [numbers(192 * 64), numbers(128 * 64), rows, sums];
    same(BACKWARD, &buffers, [1, 1, 1], &targets());
}

/// A product in three nested loops, of rows that are looked up by their counters.
#[test]
fn products_in_nested_loops_have_the_operands_of_their_counters() {
    let body = format!(
        "
    %c2 = constant <i32: 2> : tile<i32>
    %c5 = constant <i32: 5> : tile<i32>
    %r = for %h in (%c1 to %c5, step %c2) : tile<i32> iter_values(%s0 = %zero) -> (tile<64x128xf32>) {{
      %hc = muli %h, %c1 : tile<i32>
      %r0 = for %g in (%c0 to %c1, step %c1) : tile<i32> iter_values(%s1 = %s0) -> (tile<64x128xf32>) {{
        %hg = addi %hc, %g : tile<i32>
        %r1 = for %j in (%c0 to %c2, step %c1) : tile<i32> iter_values(%s = %s1) -> (tile<64x128xf32>) {{
          %i = addi %hg, %j : tile<i32>{LOADS}
          %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
          continue %p : tile<64x128xf32>
        }}
        continue %r1 : tile<64x128xf32>
      }}
      continue %r0 : tile<64x128xf32>
    }}{STORE}"
    );
    product_both_ways(&body, 0);
}

/// A copy of tiles of an array whose extents are not known, in rows of 136 numbers.
const ROWS: &str = "cuda_tile.module @m {
entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f16>>, %l: tile<ptr<i32>>) {
  %t = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pc = assume div_by<16>, %c : tile<ptr<f16>>
  %n, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
  %m = constant <i32: 20> : tile<i32>
  %va = make_tensor_view %pa, shape = [%m, %n], strides = [136, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[136,1]>
  %vc = make_tensor_view %pc, shape = [%m, %n], strides = [136, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[136,1]>
  %x, %y, %z = get_tile_block_id : tile<i32>
  %ta = make_partition_view %va : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf16, strides=[136,1]>>
  %tc = make_partition_view %vc : partition_view<tile=(16x64), tensor_view<?x?xf16, strides=[136,1]>>
  %r, %t1 = load_view_tko weak %ta[%x, %y] token = %t : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x?xf16, strides=[136,1]>>, tile<i32> -> tile<16x64xf16>, token
  %s = addf %r, %r rounding<nearest_even> : tile<16x64xf16>
  %o = store_view_tko weak %s, %tc[%x, %y] token = %t : tile<16x64xf16>, partition_view<tile=(16x64), tensor_view<?x?xf16, strides=[136,1]>>, tile<i32> -> token
  return
}
}
";

#[test]
fn partial_tiles_end_at_any_extent() {
    let poison = || (0..20 * 136).flat_map(|_| 0x7e55_u16.to_le_bytes()).collect();
    for extent in [136, 128, 120, 132, 129, 7, 0] {
        same(
            ROWS,
            &[numbers(20 * 136), poison(), bytes_of_words([extent])],
            [2, 3, 1],
            &targets(),
        );
    }
}

/// The sums of the columns of an array, each row times a number: sums of tiles that a loop reduces one after another.
const WEIGHTED_SUMS: &str = "cuda_tile.module @m {
entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %c: tile<ptr<f32>>, %l: tile<ptr<i32>>) {
  %t = make_token : token
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c15 = constant <i32: 15> : tile<i32>
  %c16 = constant <i32: 16> : tile<i32>
  %n0, %t0 = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
  %n = assume bounded<0, 512>, %n0 : tile<i32>
  %up = addi %n, %c15 : tile<i32>
  %tiles = divi %up, %c16 signed : tile<i32>
  %va = make_tensor_view %a, shape = [%n, 64], strides = [64, 1] : tile<i32> -> tensor_view<?x64xf32, strides=[64,1]>
  %vb = make_tensor_view %b, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %vc = make_tensor_view %c, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
  %ta = make_partition_view %va : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>
  %tb = make_partition_view %vb : partition_view<tile=(16), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %tc = make_partition_view %vc : partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>
  %none = constant <f32: 0.0> : tile<64xf32>
  %sums = for %i in (%c0 to %tiles, step %c1) : tile<i32> iter_values(%s = %none) -> (tile<64xf32>) {
    %x, %tx = load_view_tko weak %ta[%i, %c0] token = %t : partition_view<tile=(16x64), padding_value = zero, tensor_view<?x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x64xf32>, token
    %y, %ty = load_view_tko weak %tb[%i] token = %t : partition_view<tile=(16), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %y1 = reshape %y : tile<16xf32> -> tile<16x1xf32>
    %wide = broadcast %y1 : tile<16x1xf32> -> tile<16x64xf32>
    %p = mulf %x, %wide rounding<nearest_even> : tile<16x64xf32>
    %r = reduce %p dim=0 identities=[0.0 : f32] : tile<16x64xf32> -> tile<64xf32> (%e: tile<f32>, %f: tile<f32>) {
      %g = addf %e, %f rounding<nearest_even> : tile<f32>
      yield %g : tile<f32>
    }
    %d = addf %s, %r rounding<nearest_even> : tile<64xf32>
    continue %d : tile<64xf32>
  }
  %o = store_view_tko weak %sums, %tc[%c0] token = %t : tile<64xf32>, partition_view<tile=(64), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
  return
}
}
";

/// With no tile, fewer than are under way together, as many, and more with and without a rest.
#[test]
fn sums_of_reduced_tiles_are_the_same_for_any_number_of_tiles() {
    let number = |at: u16| f32::from(at % 7).to_bits();
    let rows = 16 * 11;
    for extent in [0_u32, 5, 16, 40, 64, 80, 128, 176] {
        same(
            WEIGHTED_SUMS,
            &[
                bytes_of_words((0..rows * 64).map(number)),
                bytes_of_words((0..rows).map(number)),
                bytes_of_words((0..64).map(|_| 0x7fc0_dead)),
                bytes_of_words([extent]),
            ],
            [1, 1, 1],
            &targets(),
        );
    }
}

/// Blocks that add their products to memory, each of some of the depth, up to a column that is a multiple of `unit`.
fn summed_in_memory(unit: u32) -> String {
    let (wide, row, column) = ("tile<64x128xi32>", "tile<64x1xi32>", "tile<1x128xi32>");
    format!(
        "cuda_tile.module @m {{ entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %l: tile<ptr<i32>>) {{
{ARRAYS}
    %n, %tn = load_ptr_tko weak %l token = %t : tile<ptr<i32>> -> tile<i32>, token
    %limit = assume div_by<{unit}>, %n : tile<i32>
    %pc = assume div_by<16>, %c : tile<ptr<f32>>
    %c2 = constant <i32: 2> : tile<i32>
    %from = muli %z, %c2 : tile<i32>
    %to = addi %from, %c2 : tile<i32>
    %r = for %i in (%from to %to, step %c1) : tile<i32> iter_values(%s = %zero) -> (tile<64x128xf32>) {{{LOADS}
      %p = mmaf %la, %lb, %s : tile<64x32xf16>, tile<32x128xf16>, tile<64x128xf32>
      continue %p : tile<64x128xf32>
    }}
    %c64 = constant <i32: 64> : tile<i32>
    %first = muli %x, %c64 : tile<i32>
    %first1 = reshape %first : tile<i32> -> tile<1x1xi32>
    %firsts = broadcast %first1 : tile<1x1xi32> -> {row}
    %rows = iota : tile<64xi32>
    %rows1 = reshape %rows : tile<64xi32> -> {row}
    %row = addi %firsts, %rows1 : {row}
    %rowb = broadcast %row : {row} -> {wide}
    %columns = iota : tile<128xi32>
    %columns1 = reshape %columns : tile<128xi32> -> {column}
    %column = broadcast %columns1 : {column} -> {wide}
    %limit1 = reshape %limit : tile<i32> -> tile<1x1xi32>
    %limits = broadcast %limit1 : tile<1x1xi32> -> {wide}
    %mask = cmpi less_than %column, %limits, signed : {wide} -> tile<64x128xi1>
    %stride = constant <i32: 128> : {wide}
    %begin = muli %rowb, %stride : {wide}
    %place = addi %begin, %column : {wide}
    %base1 = reshape %pc : tile<ptr<f32>> -> tile<1x1xptr<f32>>
    %base = broadcast %base1 : tile<1x1xptr<f32>> -> tile<64x128xptr<f32>>
    %at = offset %base, %place : tile<64x128xptr<f32>>, {wide} -> tile<64x128xptr<f32>>
    %old, %done = atomic_rmw_tko relaxed device %at, addf, %r, %mask token=%tn : tile<64x128xptr<f32>>, tile<64x128xf32>, tile<64x128xi1> -> tile<64x128xf32>, token
    return
}} }}
"
    )
}

/// The PTX of a program for a target that has atomic accesses to vectors.
fn with_vectors(text: &str) -> String {
    let request = Request {
        target: Some(Target::sm_a(90)),
        opt_level: 3,
        ..Request::default()
    };
    compiled(text, request)
}

#[test]
fn sums_of_products_are_added_to_memory_in_vectors() {
    for (unit, limits, instruction) in [
        (4, &[128, 100, 4, 0][..], "add.v2.f32"),
        (1, &[128, 99, 1], "global.add.f32"),
    ] {
        let text = summed_in_memory(unit);
        assert!(with_vectors(&text).contains(instruction), "{text}");
        for &limit in limits {
            let buffers = [
                numbers(128 * DEPTH),
                numbers(DEPTH * 128),
                bytes_of_words((0..128 * 128).map(|at| if at % 3 == 0 { 0x3f80_0000 } else { 0 })),
                bytes_of_words([limit]),
            ];
            same(&text, &buffers, [2, 1, 3], &targets());
        }
    }
}

#[test]
fn tiles_are_added_to_arrays_of_any_extent_in_vectors() {
    let text = ROWS.replace(
        "store_view_tko weak %s, %tc[%x, %y] token",
        "atomic_red_view_tko relaxed device %tc[%x, %y], addf, %s token",
    );
    let ptx = with_vectors(&text);
    for instruction in ["add.noftz.v8.f16", "global.add.noftz.f16"] {
        assert!(ptx.contains(instruction), "{ptx}");
    }
    for extent in [136, 128, 120, 132, 129, 7, 0] {
        same(
            &text,
            &[
                numbers(20 * 136),
                numbers(20 * 136 + 3).split_off(6),
                bytes_of_words([extent]),
            ],
            [2, 3, 1],
            &targets(),
        );
    }
}
