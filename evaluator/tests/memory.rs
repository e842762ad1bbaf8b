//! Loads, stores and atomics, through pointers and through views.

use crate::support;
use crate::support::{bytes, elements, launch};
use tilewright_evaluator::Init;
use tilewright_irs::element::ScalarType as S;

fn counted(count: u64) -> Init {
    Init::Data(bytes(S::I32, &(0..count).collect::<Vec<_>>()))
}

fn filled(count: usize, with: u64) -> Init {
    Init::Data(bytes(S::I32, &vec![with; count]))
}

fn numbers(data: &[u8]) -> Vec<u64> {
    elements(S::I32, data)
}

/// Loads one tile of a view over a 5x6 tensor of 0..30 and stores it to memory that held 99.
fn tile_of(view: &str, shape: &str, count: usize, indices: &str, types: &str) -> Vec<u64> {
    let tensor = "tensor_view<5x6xi32, strides=[6,1]>";
    let view = view.replace("TENSOR", tensor);
    let make = view.split('<').next().expect("a name").to_owned();
    let text = format!(
        "entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {{
           %zero = constant <i32: 0> : tile<i32>
           %one = constant <i32: 1> : tile<i32>
           %rows = constant <i32: [4, 0, 7, 2]> : tile<4xi32>
           %v = make_tensor_view %p, shape = [5, 6], strides = [6, 1] : {tensor}
           %w = make_{make} %v : {view}
           %x, %t = load_view_tko weak %w[{indices}] : {view}, {types} -> tile<{shape}xi32>, token
           %f = reshape %x : tile<{shape}xi32> -> tile<{count}xi32>
           %o = make_tensor_view %q, shape = [{count}], strides = [1] : tensor_view<{count}xi32, strides=[1]>
           %u = make_partition_view %o : partition_view<tile=({count}), tensor_view<{count}xi32, strides=[1]>>
           %s = store_view_tko weak %f, %u[%zero] : tile<{count}xi32>, \
             partition_view<tile=({count}), tensor_view<{count}xi32, strides=[1]>>, tile<i32> -> token
           return
         }}"
    );
    let got = launch(&text, [1, 1, 1], vec![counted(30), filled(count, 99)])
        .unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
    numbers(&got[1])
}

/// What a tile that starts at a row and a column of the 5x6 tensor holds, 0 outside.
fn block(row: u64, column: u64, rows: u64, columns: u64) -> Vec<u64> {
    let at = |r: u64, c: u64| if r < 5 && c < 6 { r * 6 + c } else { 0 };
    (0..rows)
        .flat_map(|r| (0..columns).map(move |c| at(row + r, column + c)))
        .collect()
}

#[test]
fn partitions_pad_their_edges() {
    let view = "partition_view<tile=(2x4), padding_value = zero, TENSOR>";
    assert_eq!(
        tile_of(view, "2x4", 8, "%zero, %one", "tile<i32>"),
        block(0, 4, 2, 4)
    );
    assert_eq!(
        tile_of(view, "2x4", 8, "%one, %zero", "tile<i32>"),
        block(2, 0, 2, 4)
    );
    // The tile's first dimension runs along the tensor's second one.
    let turned = "partition_view<tile=(4x2), padding_value = zero, TENSOR, dim_map=[1, 0]>";
    let straight = block(0, 4, 2, 4);
    let want: Vec<u64> = (0..8).map(|i| straight[i % 2 * 4 + i / 2]).collect();
    assert_eq!(tile_of(turned, "4x2", 8, "%one, %zero", "tile<i32>"), want);
}

#[test]
fn strided_views_overlap_or_leave_gaps() {
    let view = "strided_view<tile=(2x2), traversal_strides=[1,5], padding_value = zero, TENSOR>";
    assert_eq!(
        tile_of(view, "2x2", 4, "%one, %one", "tile<i32>"),
        block(1, 5, 2, 2)
    );
    assert_eq!(
        tile_of(view, "2x2", 4, "%zero, %one", "tile<i32>"),
        block(0, 5, 2, 2)
    );
}

#[test]
fn gathers_pick_rows() {
    let view = "gather_scatter_view<tile=(4x4), padding_value = zero, TENSOR, sparse_dim=0>";
    let want: Vec<u64> = [4, 0, 7, 2].iter().flat_map(|&row| block(row, 1, 1, 4)).collect();
    assert_eq!(
        tile_of(view, "4x4", 16, "%rows, %one", "tile<4xi32>, tile<i32>"),
        want
    );
}

#[test]
fn padding_is_what_the_view_says() {
    for (word, bits) in [
        ("zero", 0u32),
        ("neg_zero", 0x8000_0000),
        ("nan", 0x7fc0_0000),
        ("pos_inf", 0x7f80_0000),
        ("neg_inf", 0xff80_0000),
    ] {
        let tensor = "tensor_view<3xf32, strides=[1]>";
        let view = format!("partition_view<tile=(4), padding_value = {word}, {tensor}>");
        let out = "partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>";
        let text = format!(
            "entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {{
               %zero = constant <i32: 0> : tile<i32>
               %v = make_tensor_view %p, shape = [3], strides = [1] : {tensor}
               %w = make_partition_view %v : {view}
               %x, %t = load_view_tko weak %w[%zero] : {view}, tile<i32> -> tile<4xf32>, token
               %o = make_tensor_view %q, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
               %u = make_partition_view %o : {out}
               %s = store_view_tko weak %x, %u[%zero] : tile<4xf32>, {out}, tile<i32> -> token
               return
             }}"
        );
        let got = launch(&text, [1, 1, 1], vec![filled(3, 1), filled(4, 2)]).expect("runs");
        let got = numbers(&got[1]);
        assert_eq!(got[..3], [1, 1, 1]);
        if word == "nan" {
            assert!(f32::from_bits(got[3] as u32).is_nan());
        } else {
            assert_eq!(got[3], u64::from(bits), "{word}");
        }
    }
}

#[test]
fn what_is_stored_outside_of_a_tensor_is_dropped() {
    let tensor = "tensor_view<?x3xi32, strides=[4,1]>";
    let view = format!("partition_view<tile=(2x4), {tensor}>");
    let text = format!(
        "entry @k(%p: tile<ptr<i32>>) {{
           %zero = constant <i32: 0> : tile<i32>
           %one = constant <i32: 1> : tile<i32>
           %three = constant <i32: 3> : tile<i32>
           %v = make_tensor_view %p, shape = [%three, 3], strides = [4, 1] : tile<i32> -> {tensor}
           %w = make_partition_view %v : {view}
           %a:2 = get_tensor_shape %v : {tensor} -> tile<i32>
           %b:2 = get_index_space_shape %w : {view} -> tile<i32>
           %s0 = muli %a#0, %b#0 : tile<i32>
           %s1 = muli %a#1, %b#1 : tile<i32>
           %s2 = addi %s0, %s1 : tile<i32>
           %s3 = reshape %s2 : tile<i32> -> tile<1x1xi32>
           %x = broadcast %s3 : tile<1x1xi32> -> tile<2x4xi32>
           %t = store_view_tko weak %x, %w[%one, %zero] : tile<2x4xi32>, {view}, tile<i32> -> token
           return
         }}"
    );
    let got = launch(&text, [1, 1, 1], vec![filled(12, 7)]).expect("runs");
    // 3 rows in 2 tiles, 3 columns in 1: 3 * 2 + 3 * 1.
    assert_eq!(numbers(&got[0]), [7, 7, 7, 7, 7, 7, 7, 7, 9, 9, 9, 7]);
}

/// Runs an op on `%ps`, pointers to 4 i32 that hold 10, with `%i` = 0..4 and `%m` = true, false, true, true.
fn on_four(op: &str, result: &str) -> (Vec<u64>, Vec<u64>) {
    let text = format!(
        "entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {{
           %i = iota : tile<4xi32>
           %m = constant <i1: [true, false, true, true]> : tile<4xi1>
           %pad = constant <i32: 77> : tile<4xi32>
           %ten = constant <i32: 10> : tile<4xi32>
           %p1 = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
           %pb = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
           %ps = offset %pb, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
           %q1 = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
           %qb = broadcast %q1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
           %qs = offset %qb, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
           {op}
           %e = store_ptr_tko weak %qs, {result} : tile<4xptr<i32>>, tile<4xi32> -> token
           return
         }}"
    );
    let got = launch(&text, [1, 1, 1], vec![filled(4, 10), filled(4, 0)])
        .unwrap_or_else(|p| panic!("{text}\n{p:#?}"));
    (numbers(&got[0]), numbers(&got[1]))
}

#[test]
fn masks_leave_elements_out() {
    let load = "%x, %t = load_ptr_tko weak %ps, %m, %pad : tile<4xptr<i32>>, tile<4xi1>, tile<4xi32> -> tile<4xi32>, token";
    assert_eq!(on_four(load, "%x").1, [10, 77, 10, 10]);
    let store = "%t = store_ptr_tko weak %ps, %i, %m : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token";
    assert_eq!(on_four(store, "%i").0, [0, 10, 2, 3]);
    let add = "%x, %t = atomic_rmw_tko relaxed device %ps, add, %i, %m : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> \
               -> tile<4xi32>, token";
    assert_eq!(on_four(add, "%i").0, [10, 10, 12, 13]);
    let swap = "%x, %t = atomic_cas_tko relaxed device %ps, %ten, %i, %m : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> \
                -> tile<4xi32>, token";
    assert_eq!(on_four(swap, "%x"), (vec![0, 10, 2, 3], vec![10, 10, 10, 10]));
}

#[test]
fn atomics_do_what_their_mode_says() {
    type Mode = (&'static str, fn(u32, u32) -> u32);
    let modes: [Mode; 9] = [
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
        ("add", u32::wrapping_add),
        ("max", |a, b| (a as i32).max(b as i32) as u32),
        ("min", |a, b| (a as i32).min(b as i32) as u32),
        ("umax", u32::max),
        ("umin", u32::min),
        ("xchg", |_, b| b),
    ];
    for (mode, want) in modes {
        let op = format!(
            "%c = constant <i32: [3, -1, 10, 100]> : tile<4xi32>
             %x, %t = atomic_rmw_tko acq_rel device %ps, {mode}, %c : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token"
        );
        let (memory, old) = on_four(&op, "%x");
        assert_eq!(old, [10; 4], "{mode}");
        let want: Vec<u64> = [3, u32::MAX, 10, 100].map(|b| u64::from(want(10, b))).into();
        assert_eq!(memory, want, "{mode}");
    }
    // All elements at one address: one after the other.
    let op = "%x, %t = atomic_rmw_tko relaxed device %pb, add, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xi32>, token";
    assert_eq!(on_four(op, "%x"), (vec![16, 10, 10, 10], vec![10, 10, 11, 13]));
}

#[test]
fn atomic_sums_of_f32_flush_subnormal_numbers() {
    // 10, the memory's bits, is subnormal as well; 0x00800000 is the least normal number.
    let sums = |ty: &str, elements: &str| {
        let op = format!(
            "%c = constant <{ty}: [{elements}]> : tile<4x{ty}>
             %fs = ptr_to_ptr %ps : tile<4xptr<i32>> -> tile<4xptr<{ty}>>
             %y, %t = atomic_rmw_tko relaxed device %fs, addf, %c : tile<4xptr<{ty}>>, tile<4x{ty}> -> tile<4x{ty}>, token"
        );
        on_four(&op, "%i").0
    };
    let elements = "0x00000001, 0x80000001, 0x00800000, 0x80800000";
    assert_eq!(sums("f32", elements), [0, 0, 0x0080_0000, 0x8080_0000]);
}

#[test]
fn atomic_reduction_through_a_view() {
    let tensor = "tensor_view<3xi32, strides=[1]>";
    let view = format!("partition_view<tile=(4), {tensor}>");
    let op = format!(
        "%zero = constant <i32: 0> : tile<i32>
         %v = make_tensor_view %p, shape = [3], strides = [1] : {tensor}
         %w = make_partition_view %v : {view}
         %t = atomic_red_view_tko relaxed device %w[%zero], add, %i : tile<4xi32>, {view}, tile<i32> -> token"
    );
    assert_eq!(on_four(&op, "%i").0, [10, 11, 12, 10]);
}

#[test]
fn four_bit_elements() {
    let tensor = "tensor_view<8xf4E2M1FN, strides=[1]>";
    let view = format!("partition_view<tile=(4), {tensor}>");
    let text = format!(
        "entry @k(%p: tile<ptr<f4E2M1FN>>, %q: tile<ptr<f4E2M1FN>>) {{
           %zero = constant <i32: 0> : tile<i32>
           %one = constant <i32: 1> : tile<i32>
           %v = make_tensor_view %p, shape = [8], strides = [1] : {tensor}
           %w = make_partition_view %v : {view}
           %x, %t = load_view_tko weak %w[%one] : {view}, tile<i32> -> tile<4xf4E2M1FN>, token
           %o = make_tensor_view %q, shape = [8], strides = [1] : {tensor}
           %u = make_partition_view %o : {view}
           %s = store_view_tko weak %x, %u[%zero] : tile<4xf4E2M1FN>, {view}, tile<i32> -> token
           return
         }}"
    );
    let buffers = vec![
        Init::Data(vec![0x21, 0x43, 0x65, 0x87]),
        Init::Data(vec![0xff; 4]),
    ];
    let got = launch(&text, [1, 1, 1], buffers).unwrap_or_else(|p| panic!("{p:#?}"));
    assert_eq!(got[1], [0x65, 0x87, 0xff, 0xff]);
}

#[test]
fn globals_live_as_long_as_the_device() {
    let module = support::module(
        "global @g <i32: [5, 6]> : tile<2xi32>
         entry @k(%q: tile<ptr<i32>>) {
           %p = get_global @g : tile<ptr<i32>>
           %one = constant <i32: 1> : tile<i32>
           %x, %t = atomic_rmw_tko relaxed device %p, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
           %s = store_ptr_tko weak %q, %x : tile<ptr<i32>>, tile<i32> -> token
           return
         }",
    );
    let mut device = tilewright_evaluator::Device::new(&module).expect("globals");
    let buffer = device.allocate("out", Init::Empty(4));
    for want in [5, 6, 7] {
        let args = [tilewright_evaluator::Arg::Pointer(buffer)];
        device.launch(&module.funcs[0], [1, 1, 1], &args).expect("runs");
        assert_eq!(numbers(device.read(buffer)), [want]);
    }
    let global = device.global("g").expect("known");
    assert_eq!(numbers(device.read(global)), [8, 6]);
}

#[test]
fn blocks_know_their_place() {
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %x, %y, %z = get_tile_block_id : tile<i32>
        %w, %h, %d = get_num_tile_blocks : tile<i32>
        %a = muli %z, %h : tile<i32>
        %b = addi %a, %y : tile<i32>
        %c = muli %b, %w : tile<i32>
        %n = addi %c, %x : tile<i32>
        %q = offset %p, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %e = muli %n, %n : tile<i32>
        %t = store_ptr_tko weak %q, %e : tile<ptr<i32>>, tile<i32> -> token
        return
    }";
    let got = launch(text, [3, 2, 4], vec![Init::Empty(96)]).expect("runs");
    assert_eq!(numbers(&got[0]), (0..24).map(|n| n * n).collect::<Vec<_>>());
}

#[test]
fn control_flow() {
    // Collatz: how many steps 27 takes, with a `loop`, an `if` that breaks, and carried values.
    let text = "entry @k(%p: tile<ptr<i32>>) {
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %two = constant <i32: 2> : tile<i32>
        %three = constant <i32: 3> : tile<i32>
        %start = constant <i32: 27> : tile<i32>
        %r = loop iter_values(%n = %start, %k = %zero) : tile<i32>, tile<i32> -> tile<i32> {
          %done = cmpi equal %n, %one, signed : tile<i32> -> tile<i1>
          if %done {
            break %k : tile<i32>
          }
          %rest = remi %n, %two signed : tile<i32>
          %odd = cmpi equal %rest, %one, signed : tile<i32> -> tile<i1>
          %m = if %odd -> (tile<i32>) {
            %a = muli %n, %three : tile<i32>
            %b = addi %a, %one : tile<i32>
            yield %b : tile<i32>
          } else {
            %h = divi %n, %two signed : tile<i32>
            yield %h : tile<i32>
          }
          %k1 = addi %k, %one : tile<i32>
          continue %m, %k1 : tile<i32>, tile<i32>
        }
        %t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
        return
    }";
    let got = launch(text, [1, 1, 1], vec![Init::Empty(4)]).unwrap_or_else(|p| panic!("{p:#?}"));
    assert_eq!(numbers(&got[0]), [111]);
    // Signed and unsigned counting from -2 to 3.
    for (word, turns) in [("", 5), ("unsigned ", 0)] {
        let text = format!(
            "entry @k(%p: tile<ptr<i32>>) {{
               %zero = constant <i32: 0> : tile<i32>
               %one = constant <i32: 1> : tile<i32>
               %from = constant <i32: -2> : tile<i32>
               %to = constant <i32: 3> : tile<i32>
               %r = for {word}%i in (%from to %to, step %one) : tile<i32> iter_values(%n = %zero) -> (tile<i32>) {{
                 %m = addi %n, %one : tile<i32>
                 continue %m : tile<i32>
               }}
               %t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token
               return
             }}"
        );
        let got = launch(&text, [1, 1, 1], vec![Init::Empty(4)]).unwrap_or_else(|p| panic!("{p:#?}"));
        assert_eq!(numbers(&got[0]), [turns], "{word}");
    }
}

#[test]
fn printing() {
    let module = support::module(
        "entry @k() {
           %a = constant <i32: [[1, -2], [3, 4]]> : tile<2x2xi32>
           %x = constant <f32: 2.5> : tile<f32>
           %t = print_tko \"a=%3d x=%.2f 100%%\\n\", %a, %x : tile<2x2xi32>, tile<f32> -> token
           return
         }",
    );
    let mut device = tilewright_evaluator::Device::new(&module).expect("no globals");
    device.launch(&module.funcs[0], [2, 1, 1], &[]).expect("runs");
    let line = "a=[[  1,  -2], [  3,   4]] x=2.50 100%\n";
    assert_eq!(device.printed(), line.repeat(2));
}
