//! The memory representation of elements.

use crate::support::{elements, launch};
use tilewright_evaluator::Init;
use tilewright_irs::element::ScalarType as S;

#[test]
fn a_truth_value_in_memory_is_a_byte_that_is_not_zero() {
    let tensor = "tensor_view<4xTY, strides=[1]>";
    let (from, to) = (tensor.replace("TY", "i1"), tensor.replace("TY", "i32"));
    let text = format!(
        "entry @k(%p: tile<ptr<i1>>, %q: tile<ptr<i32>>) {{
           %zero = constant <i32: 0> : tile<i32>
           %v = make_tensor_view %p, shape = [4], strides = [1] : {from}
           %w = make_partition_view %v : partition_view<tile=(4), {from}>
           %x, %t = load_view_tko weak %w[%zero] : partition_view<tile=(4), {from}>, tile<i32> -> tile<4xi1>, token
           %n = exti %x unsigned : tile<4xi1> -> tile<4xi32>
           %o = make_tensor_view %q, shape = [4], strides = [1] : {to}
           %u = make_partition_view %o : partition_view<tile=(4), {to}>
           %s = store_view_tko weak %n, %u[%zero] : tile<4xi32>, partition_view<tile=(4), {to}>, tile<i32> -> token
           return
         }}"
    );
    let bytes = Init::Data(vec![0, 1, 2, 0x80]);
    let got = launch(&text, [1, 1, 1], vec![bytes, Init::Empty(16)]).unwrap_or_else(|p| panic!("{p:#?}"));
    assert_eq!(elements(S::I32, &got[1]), [0, 1, 1, 1]);
}

#[test]
fn a_tf32_in_memory_is_an_f32_without_its_last_bits() {
    let text = "entry @k(%p: tile<ptr<tf32>>, %q: tile<ptr<tf32>>) {
           %x = constant <tf32: -1.5> : tile<tf32>
           %s = store_ptr_tko weak %p, %x : tile<ptr<tf32>>, tile<tf32> -> token
           %y, %t = load_ptr_tko weak %p token=%s : tile<ptr<tf32>> -> tile<tf32>, token
           %u = store_ptr_tko weak %q, %y : tile<ptr<tf32>>, tile<tf32> -> token
           return
         }";
    let got =
        launch(text, [1, 1, 1], vec![Init::Empty(4), Init::Empty(4)]).unwrap_or_else(|p| panic!("{p:#?}"));
    assert_eq!(got, [(-1.5f32).to_le_bytes(), (-1.5f32).to_le_bytes()]);
}

#[test]
fn a_tf32_from_memory_is_what_it_stands_for() {
    let text = "entry @k(%p: tile<ptr<tf32>>, %q: tile<ptr<f32>>) {
           %x, %t = load_ptr_tko weak %p : tile<ptr<tf32>> -> tile<tf32>, token
           %y = ftof %x : tile<tf32> -> tile<f32>
           %u = store_ptr_tko weak %q, %y : tile<ptr<f32>>, tile<f32> -> token
           return
         }";
    let input = Init::Data((0.75f32).to_le_bytes().to_vec());
    let got = launch(text, [1, 1, 1], vec![input, Init::Empty(4)]).unwrap_or_else(|p| panic!("{p:#?}"));
    assert_eq!(got[1], (0.75f32).to_le_bytes());
}
