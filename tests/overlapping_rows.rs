//! Stores of successive iterations to an array whose rows may overlap, depending on a stride that is known when the kernel runs: the
//! last one of an element wins. (Where barriers are is tested by the golden inputs of `insert_barriers`.)

mod both_ways;

use both_ways::{bytes_of_words, same};
use tilewright_irs::isa::Target;

const ROWS: usize = 8;
const COLUMNS: usize = 1024;

/// A kernel that loads a stride, and stores the rows of an array one after the other. Elements tell the row and the column.
const STORES_OF_A_LOOP: &str = "cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %first = make_token : token
    %stride, %t = load_ptr_tko weak %q token = %first : tile<ptr<i32>> -> tile<i32>, token
    %s = assume bounded<0, ?>, %stride : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %rows = constant <i32: 8> : tile<i32>
    %columns = constant <i32: 1024> : tile<i32>
    %view = make_tensor_view %p, shape = [%rows, %columns], strides = [%s, 1] : tile<i32> -> tensor_view<?x?xi32, strides=[?,1]>
    %tiles = make_partition_view %view : partition_view<tile=(1x1024), tensor_view<?x?xi32, strides=[?,1]>>
    %lane = iota : tile<1024xi32>
    %column = reshape %lane : tile<1024xi32> -> tile<1x1024xi32>
    %end = for %i in (%c0 to %rows, step %c1) : tile<i32> iter_values(%before = %first) -> (token) {
      %n = muli %i, %columns : tile<i32>
      %n2 = reshape %n : tile<i32> -> tile<1x1xi32>
      %n3 = broadcast %n2 : tile<1x1xi32> -> tile<1x1024xi32>
      %value = addi %n3, %column : tile<1x1024xi32>
      %after = store_view_tko weak %value, %tiles[%i, %c0] token = %before : tile<1x1024xi32>, partition_view<tile=(1x1024), tensor_view<?x?xi32, strides=[?,1]>>, tile<i32> -> token
      continue %after : token
    }
    return
  }
}
";

#[test]
fn the_last_store_of_an_element_wins() {
    for stride in [COLUMNS, COLUMNS / 2, COLUMNS / 4 + 8, 4] {
        let array = bytes_of_words((0..ROWS * COLUMNS).map(|_| u32::MAX));
        let stride = bytes_of_words([u32::try_from(stride).expect("a stride")]);
        let targets = [Target::sm(80), Target::sm_a(90)];
        same(STORES_OF_A_LOOP, &[array, stride], [1, 1, 1], &targets);
    }
}
