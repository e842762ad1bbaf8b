func.func @make_int_tuple(%0: i32) -> !cute.int_tuple<"(?,4)"> {
  %1 = cute.make_int_tuple(%0) : (i32) -> !cute.int_tuple<"(?,4)">
  return %1 : !cute.int_tuple<"(?,4)">
}
func.func @make_shape(%0: i32, %1: i64) -> !cute.shape<"(?,?{i64})"> {
  %2 = cute.make_shape(%0, %1) : (i32, i64) -> !cute.shape<"(?,?{i64})">
  return %2 : !cute.shape<"(?,?{i64})">
}
func.func @make_stride(%0: i32) -> !cute.stride<"(?,4)"> {
  %1 = cute.make_stride(%0) : (i32) -> !cute.stride<"(?,4)">
  return %1 : !cute.stride<"(?,4)">
}
func.func @make_coord(%0: i32) -> !cute.coord<"(?,_)"> {
  %1 = cute.make_coord(%0) : (i32) -> !cute.coord<"(?,_)">
  return %1 : !cute.coord<"(?,_)">
}
func.func @make_tile(%0: i32) -> !cute.tile<"[?:1;_]"> {
  %1 = cute.make_tile(%0) : (i32) -> !cute.tile<"[?:1;_]">
  return %1 : !cute.tile<"[?:1;_]">
}
func.func @make_layout(%0: !cute.shape<"(4,?)">, %1: !cute.stride<"(1,4)">) -> !cute.layout<"(4,?):(1,4)"> {
  %2 = cute.make_layout(%0, %1) : (!cute.shape<"(4,?)">, !cute.stride<"(1,4)">) -> !cute.layout<"(4,?):(1,4)">
  return %2 : !cute.layout<"(4,?):(1,4)">
}
func.func @make_composed_layout(%0: !cute.swizzle<"S<3,4,3>">, %1: !cute.int_tuple<"0">, %2: !cute.layout<"(8,64):(64,1)">) -> !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)"> {
  %3 = cute.make_composed_layout(%0, %1, %2) : (!cute.swizzle<"S<3,4,3>">, <"0">, <"(8,64):(64,1)">) -> <"S<3,4,3> o 0 o (8,64):(64,1)">
  return %3 : !cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">
}
func.func @static() -> !cute.layout<"(4,2):(1,4)"> {
  %0 = cute.static : !cute.layout<"(4,2):(1,4)">
  return %0 : !cute.layout<"(4,2):(1,4)">
}
func.func @print(%0: !cute.layout<"(4,?):(1,4)">) {
  cute.print(%0) : !cute.layout<"(4,?):(1,4)">
  return
}
func.func @make_layout_like(%0: !cute.layout<"(4,2):(4,1)">) -> !cute.layout<"(4,2):(2,1)"> {
  %1 = cute.make_layout_like(%0) : !cute.layout<"(4,2):(4,1)"> -> !cute.layout<"(4,2):(2,1)">
  return %1 : !cute.layout<"(4,2):(2,1)">
}
func.func @make_ordered_layout(%0: !cute.shape<"(4,2)">, %1: !cute.int_tuple<"(1,0)">) -> !cute.layout<"(4,2):(2,1)"> {
  %2 = cute.make_ordered_layout(%0, %1) : (!cute.shape<"(4,2)">, !cute.int_tuple<"(1,0)">) -> !cute.layout<"(4,2):(2,1)">
  return %2 : !cute.layout<"(4,2):(2,1)">
}
func.func @make_identity_layout(%0: !cute.shape<"(4,2)">) -> !cute.layout<"(4,2):(1@0,1@1)"> {
  %1 = cute.make_identity_layout(%0) : !cute.shape<"(4,2)"> -> !cute.layout<"(4,2):(1@0,1@1)">
  return %1 : !cute.layout<"(4,2):(1@0,1@1)">
}
func.func @get_shape(%0: !cute.layout<"(4,2):(4,1)">) -> !cute.shape<"(4,2)"> {
  %1 = cute.get_shape(%0) : !cute.layout<"(4,2):(4,1)"> -> !cute.shape<"(4,2)">
  return %1 : !cute.shape<"(4,2)">
}
func.func @get_stride(%0: !cute.layout<"(4,2):(4,1)">) -> !cute.stride<"(4,1)"> {
  %1 = cute.get_stride(%0) : <"(4,2):(4,1)"> -> !cute.stride<"(4,1)">
  return %1 : !cute.stride<"(4,1)">
}
func.func @composed_get_inner(%0: !cute.composed_layout<"(4,5):(1,4) o 2 o (2,3):(1,2)">) -> !cute.layout<"(4,5):(1,4)"> {
  %1 = cute.composed_get_inner(%0) : <"(4,5):(1,4) o 2 o (2,3):(1,2)"> -> !cute.layout<"(4,5):(1,4)">
  return %1 : !cute.layout<"(4,5):(1,4)">
}
func.func @composed_get_offset(%0: !cute.composed_layout<"(4,5):(1,4) o 2 o (2,3):(1,2)">) -> !cute.int_tuple<"2"> {
  %1 = cute.composed_get_offset(%0) : <"(4,5):(1,4) o 2 o (2,3):(1,2)"> -> !cute.int_tuple<"2">
  return %1 : !cute.int_tuple<"2">
}
func.func @composed_get_outer(%0: !cute.composed_layout<"(4,5):(1,4) o 2 o (2,3):(1,2)">) -> !cute.layout<"(2,3):(1,2)"> {
  %1 = cute.composed_get_outer(%0) : <"(4,5):(1,4) o 2 o (2,3):(1,2)"> -> <"(2,3):(1,2)">
  return %1 : !cute.layout<"(2,3):(1,2)">
}
func.func @get_leaves(%0: !cute.shape<"(4,(?,3))">) -> (!cute.shape<"4">, !cute.shape<"?">, !cute.shape<"3">) {
  %1:3 = cute.get_leaves(%0) : !cute.shape<"(4,(?,3))">
  return %1#0, %1#1, %1#2 : !cute.shape<"4">, !cute.shape<"?">, !cute.shape<"3">
}
func.func @get_scalars(%0: !cute.layout<"(4,?):(1,?{i64})">) -> (i32, i32, i32, i64) {
  %1:4 = cute.get_scalars (%0) : !cute.layout<"(4,?):(1,?{i64})">
  return %1#0, %1#1, %1#2, %1#3 : i32, i32, i32, i64
}
func.func @get_dynamic_scalars(%0: !cute.layout<"(4,?):(1,?{i64})">) -> (i32, i64) {
  %1:2 = cute.get_scalars<{only_dynamic}> (%0) : !cute.layout<"(4,?):(1,?{i64})">
  return %1#0, %1#1 : i32, i64
}
func.func @get(%0: !cute.shape<"(4,(2,3))">) -> !cute.shape<"2"> {
  %1 = cute.get<[1, 0]> (%0) : !cute.shape<"(4,(2,3))"> -> !cute.shape<"2">
  return %1 : !cute.shape<"2">
}
func.func @get_whole(%0: !cute.shape<"(4,(2,3))">) -> !cute.shape<"(4,(2,3))"> {
  %1 = cute.get (%0) : !cute.shape<"(4,(2,3))"> -> !cute.shape<"(4,(2,3))">
  return %1 : !cute.shape<"(4,(2,3))">
}
func.func @select(%0: !cute.coord<"(4,_,3)">) -> !cute.coord<"(3,_)"> {
  %1 = cute.select<[2, 1]> (%0) : !cute.coord<"(4,_,3)"> -> !cute.coord<"(3,_)">
  return %1 : !cute.coord<"(3,_)">
}
func.func @to_int_tuple(%0: !cute.shape<"(4,?)">) -> !cute.int_tuple<"(4,?)"> {
  %1 = cute.to_int_tuple(%0) : !cute.shape<"(4,?)"> -> !cute.int_tuple<"(4,?)">
  return %1 : !cute.int_tuple<"(4,?)">
}
func.func @to_shape(%0: !cute.int_tuple<"(4,?)">) -> !cute.shape<"(4,?)"> {
  %1 = cute.to_shape(%0) : !cute.int_tuple<"(4,?)"> -> !cute.shape<"(4,?)">
  return %1 : !cute.shape<"(4,?)">
}
func.func @to_stride(%0: !cute.int_tuple<"(4,?)">) -> !cute.stride<"(4,?)"> {
  %1 = cute.to_stride(%0) : !cute.int_tuple<"(4,?)"> -> !cute.stride<"(4,?)">
  return %1 : !cute.stride<"(4,?)">
}
func.func @to_coord(%0: !cute.int_tuple<"(4,?)">) -> !cute.coord<"(4,?)"> {
  %1 = cute.to_coord(%0) : !cute.int_tuple<"(4,?)"> -> !cute.coord<"(4,?)">
  return %1 : !cute.coord<"(4,?)">
}
func.func @get_layouts_from_tile(%0: !cute.tile<"[4:2;_;(2,2):(1,8)]">) -> (!cute.layout<"4:2">, !cute.layout<"(2,2):(1,8)">) {
  %1:2 = cute.get_layouts_from_tile(%0) : <"[4:2;_;(2,2):(1,8)]">
  return %1#0, %1#1 : !cute.layout<"4:2">, !cute.layout<"(2,2):(1,8)">
}
func.func @composition(%0: !cute.layout<"(6,2):(8,2)">, %1: !cute.layout<"(4,3):(3,1)">) -> !cute.layout<"((2,2),3):((24,2),8)"> {
  %2 = cute.composition(%0, %1) : (!cute.layout<"(6,2):(8,2)">, !cute.layout<"(4,3):(3,1)">) -> !cute.layout<"((2,2),3):((24,2),8)">
  return %2 : !cute.layout<"((2,2),3):((24,2),8)">
}
func.func @coalesce(%0: !cute.layout<"(2,(1,6)):(1,(6,2))">) -> !cute.layout<"12:1"> {
  %1 = cute.coalesce(%0) : (!cute.layout<"(2,(1,6)):(1,(6,2))">) -> !cute.layout<"12:1">
  return %1 : !cute.layout<"12:1">
}
func.func @coalesce_by_profile(%0: !cute.layout<"(2,(1,6)):(1,(6,2))">, %1: !cute.coord<"(0,0)">) -> !cute.layout<"(2,6):(1,2)"> {
  %2 = cute.coalesce(%0, %1) : (!cute.layout<"(2,(1,6)):(1,(6,2))">, !cute.coord<"(0,0)">) -> !cute.layout<"(2,6):(1,2)">
  return %2 : !cute.layout<"(2,6):(1,2)">
}
func.func @flatten(%0: !cute.layout<"((2,?),8):((1,16),2)">) -> !cute.layout<"(2,?,8):(1,16,2)"> {
  %1 = cute.flatten(%0) : (!cute.layout<"((2,?),8):((1,16),2)">) -> !cute.layout<"(2,?,8):(1,16,2)">
  return %1 : !cute.layout<"(2,?,8):(1,16,2)">
}
func.func @complement(%0: !cute.layout<"(2,2):(1,6)">, %1: !cute.shape<"24">) -> !cute.layout<"(3,2):(2,12)"> {
  %2 = cute.complement(%0, %1) : (!cute.layout<"(2,2):(1,6)">, !cute.shape<"24">) -> !cute.layout<"(3,2):(2,12)">
  return %2 : !cute.layout<"(3,2):(2,12)">
}
func.func @intrinsic_complement(%0: !cute.layout<"(2,3):(2@0,4@1)">) -> !cute.layout<"((2,1),(4,1)):((1@0,4@0),(1@1,12@1))"> {
  %1 = cute.complement(%0) : (!cute.layout<"(2,3):(2@0,4@1)">) -> !cute.layout<"((2,1),(4,1)):((1@0,4@0),(1@1,12@1))">
  return %1 : !cute.layout<"((2,1),(4,1)):((1@0,4@0),(1@1,12@1))">
}
func.func @group_modes(%0: !cute.layout<"(4,5,6):(1,4,20)">) -> !cute.layout<"(4,(5,6)):(1,(4,20))"> {
  %1 = cute.group_modes<1, 3> (%0) : (!cute.layout<"(4,5,6):(1,4,20)">) -> !cute.layout<"(4,(5,6)):(1,(4,20))">
  return %1 : !cute.layout<"(4,(5,6)):(1,(4,20))">
}
func.func @recast_layout(%0: !cute.layout<"(8,4):(1,8)">) -> !cute.layout<"(4,4):(1,4)"> {
  %1 = cute.recast_layout<16, 8> (%0) : !cute.layout<"(8,4):(1,8)"> -> !cute.layout<"(4,4):(1,4)">
  return %1 : !cute.layout<"(4,4):(1,4)">
}
func.func @slice(%0: !cute.shape<"(2,(3,4),5)">, %1: !cute.coord<"(0,_,1)">) -> !cute.shape<"((3,4))"> {
  %2 = cute.slice(%0, %1) : !cute.shape<"(2,(3,4),5)">, !cute.coord<"(0,_,1)">
  return %2 : !cute.shape<"((3,4))">
}
func.func @dice(%0: !cute.layout<"(2,3,5):(1,2,6)">, %1: !cute.coord<"(0,_,1)">) -> !cute.layout<"(2,5):(1,6)"> {
  %2 = cute.dice(%0, %1) : !cute.layout<"(2,3,5):(1,2,6)">, !cute.coord<"(0,_,1)">
  return %2 : !cute.layout<"(2,5):(1,6)">
}
func.func @right_inverse(%0: !cute.layout<"(4,8):(1@1,1@0)">) -> !cute.layout<"(8,4):(4,1)"> {
  %1 = cute.right_inverse(%0) : (!cute.layout<"(4,8):(1@1,1@0)">) -> !cute.layout<"(8,4):(4,1)">
  return %1 : !cute.layout<"(8,4):(4,1)">
}
func.func @left_inverse(%0: !cute.layout<"(2,2):(4,1)">) -> !cute.layout<"(4,2):(2,1)"> {
  %1 = cute.left_inverse(%0) : (!cute.layout<"(2,2):(4,1)">) -> !cute.layout<"(4,2):(2,1)">
  return %1 : !cute.layout<"(4,2):(2,1)">
}
func.func @size(%0: !cute.layout<"(4,(2,3)):(1,(4,8))">) -> !cute.int_tuple<"6"> {
  %1 = cute.size<[1]> (%0) : (!cute.layout<"(4,(2,3)):(1,(4,8))">) -> !cute.int_tuple<"6">
  return %1 : !cute.int_tuple<"6">
}
func.func @cosize(%0: !cute.layout<"(4,?):(1,4)">) -> !cute.int_tuple<"?"> {
  %1 = cute.cosize (%0) : (!cute.layout<"(4,?):(1,4)">) -> !cute.int_tuple<"?">
  return %1 : !cute.int_tuple<"?">
}
func.func @tuple_product(%0: !cute.shape<"(4,(?,3))">) -> !cute.shape<"?"> {
  %1 = cute.tuple_product(%0) : (!cute.shape<"(4,(?,3))">) -> !cute.shape<"?">
  return %1 : !cute.shape<"?">
}
func.func @tuple_product_each(%0: !cute.int_tuple<"(4,(2,3))">) -> !cute.int_tuple<"(4,6)"> {
  %1 = cute.tuple_product_each(%0) : (!cute.int_tuple<"(4,(2,3))">) -> !cute.int_tuple<"(4,6)">
  return %1 : !cute.int_tuple<"(4,6)">
}
func.func @layout_eval(%0: !cute.coord<"(1,2)">, %1: !cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"9"> {
  %2 = cute.layout_eval(%0, %1) : (!cute.coord<"(1,2)">, !cute.layout<"(4,8):(1,4)">) -> !cute.int_tuple<"9">
  return %2 : !cute.int_tuple<"9">
}
func.func @crd2idx(%0: !cute.coord<"(1,?)">, %1: !cute.shape<"(4,8)">) -> !cute.int_tuple<"?"> {
  %2 = cute.crd2idx(%0, %1) : (!cute.coord<"(1,?)">, !cute.shape<"(4,8)">) -> !cute.int_tuple<"?">
  return %2 : !cute.int_tuple<"?">
}
func.func @idx2crd(%0: !cute.int_tuple<"9">, %1: !cute.shape<"(4,8)">) -> !cute.coord<"(1,2)"> {
  %2 = cute.idx2crd(%0, %1) : (!cute.int_tuple<"9">, !cute.shape<"(4,8)">) -> !cute.coord<"(1,2)">
  return %2 : !cute.coord<"(1,2)">
}
func.func @increment_coord(%0: !cute.coord<"(3,2)">, %1: !cute.shape<"(4,8)">) -> !cute.coord<"(0,3)"> {
  %2 = cute.increment_coord(%0, %1) : (!cute.coord<"(3,2)">, !cute.shape<"(4,8)">) -> !cute.coord<"(0,3)">
  return %2 : !cute.coord<"(0,3)">
}
func.func @append_to_rank(%0: !cute.shape<"(4,8)">, %1: !cute.shape<"1">) -> !cute.shape<"(4,8,1)"> {
  %2 = cute.append_to_rank<3> (%0, %1) : !cute.shape<"(4,8)">, !cute.shape<"1">
  return %2 : !cute.shape<"(4,8,1)">
}
func.func @prepend_to_rank(%0: !cute.shape<"(4,8)">, %1: !cute.shape<"1">) -> !cute.shape<"(1,4,8)"> {
  %2 = cute.prepend_to_rank<3> (%0, %1) : !cute.shape<"(4,8)">, !cute.shape<"1">
  return %2 : !cute.shape<"(1,4,8)">
}
func.func @tuple_add(%0: !cute.int_tuple<"(1,2)">, %1: !cute.int_tuple<"(10,20,30)">) -> !cute.int_tuple<"(11,22,30)"> {
  %2 = cute.tuple_add(%0, %1) : (!cute.int_tuple<"(1,2)">, !cute.int_tuple<"(10,20,30)">) -> !cute.int_tuple<"(11,22,30)">
  return %2 : !cute.int_tuple<"(11,22,30)">
}
func.func @tuple_sub(%0: !cute.int_tuple<"(5,?)">, %1: !cute.int_tuple<"0">) -> !cute.int_tuple<"(5,?)"> {
  %2 = cute.tuple_sub(%0, %1) : (!cute.int_tuple<"(5,?)">, !cute.int_tuple<"0">) -> !cute.int_tuple<"(5,?)">
  return %2 : !cute.int_tuple<"(5,?)">
}
func.func @shape_div(%0: !cute.shape<"(12,3)">, %1: !cute.shape<"4">) -> !cute.shape<"(3,3)"> {
  %2 = cute.shape_div(%0, %1) : (!cute.shape<"(12,3)">, !cute.shape<"4">) -> !cute.shape<"(3,3)">
  return %2 : !cute.shape<"(3,3)">
}
func.func @ceil_div(%0: !cute.int_tuple<"(8,10)">, %1: !cute.int_tuple<"(3,4)">) -> !cute.int_tuple<"(3,3)"> {
  %2 = cute.ceil_div(%0, %1) : (!cute.int_tuple<"(8,10)">, !cute.int_tuple<"(3,4)">) -> !cute.int_tuple<"(3,3)">
  return %2 : !cute.int_tuple<"(3,3)">
}
func.func @elem_less(%0: !cute.int_tuple<"(1,2)">, %1: !cute.int_tuple<"(3,4)">) -> i1 {
  %2 = cute.elem_less(%0, %1) : (!cute.int_tuple<"(1,2)">, !cute.int_tuple<"(3,4)">) -> i1
  return %2 : i1
}
func.func @equal(%0: !cute.layout<"4:1">, %1: !cute.layout<"4:2">) -> i1 {
  %2 = cute.equal(%0, %1) : (!cute.layout<"4:1">, !cute.layout<"4:2">) -> i1
  return %2 : i1
}
func.func @logical_product(%0: !cute.layout<"(3,4):(4,1)">, %1: !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,4),(2,5)):((4,1),(12,24))"> {
  %2 = cute.logical_product(%0, %1) : (!cute.layout<"(3,4):(4,1)">, !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,4),(2,5)):((4,1),(12,24))">
  return %2 : !cute.layout<"((3,4),(2,5)):((4,1),(12,24))">
}
func.func @zipped_product(%0: !cute.layout<"(3,4):(4,1)">, %1: !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,4),(2,5)):((4,1),(12,24))"> {
  %2 = cute.zipped_product(%0, %1) : (!cute.layout<"(3,4):(4,1)">, !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,4),(2,5)):((4,1),(12,24))">
  return %2 : !cute.layout<"((3,4),(2,5)):((4,1),(12,24))">
}
func.func @tiled_product(%0: !cute.layout<"(3,4):(4,1)">, %1: !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,4),2,5):((4,1),12,24)"> {
  %2 = cute.tiled_product(%0, %1) : (!cute.layout<"(3,4):(4,1)">, !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,4),2,5):((4,1),12,24)">
  return %2 : !cute.layout<"((3,4),2,5):((4,1),12,24)">
}
func.func @flat_product(%0: !cute.layout<"(3,4):(4,1)">, %1: !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"(3,4,2,5):(4,1,12,24)"> {
  %2 = cute.flat_product(%0, %1) : (!cute.layout<"(3,4):(4,1)">, !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"(3,4,2,5):(4,1,12,24)">
  return %2 : !cute.layout<"(3,4,2,5):(4,1,12,24)">
}
func.func @raked_product(%0: !cute.layout<"(3,4):(4,1)">, %1: !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((2,3),(5,4)):((12,4),(24,1))"> {
  %2 = cute.raked_product(%0, %1) : (!cute.layout<"(3,4):(4,1)">, !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((2,3),(5,4)):((12,4),(24,1))">
  return %2 : !cute.layout<"((2,3),(5,4)):((12,4),(24,1))">
}
func.func @blocked_product(%0: !cute.layout<"(3,4):(4,1)">, %1: !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,2),(4,5)):((4,12),(1,24))"> {
  %2 = cute.blocked_product(%0, %1) : (!cute.layout<"(3,4):(4,1)">, !cute.layout<"(2,5):(1,2)">) -> !cute.layout<"((3,2),(4,5)):((4,12),(1,24))">
  return %2 : !cute.layout<"((3,2),(4,5)):((4,12),(1,24))">
}
func.func @logical_divide(%0: !cute.layout<"(8,6):(1,8)">, %1: !cute.shape<"(4,3)">) -> !cute.layout<"((4,2),(3,2)):((1,4),(8,24))"> {
  %2 = cute.logical_divide(%0, %1) : (!cute.layout<"(8,6):(1,8)">, !cute.shape<"(4,3)">) -> !cute.layout<"((4,2),(3,2)):((1,4),(8,24))">
  return %2 : !cute.layout<"((4,2),(3,2)):((1,4),(8,24))">
}
func.func @zipped_divide(%0: !cute.layout<"(8,6):(1,8)">, %1: !cute.shape<"(4,3)">) -> !cute.layout<"((4,3),(2,2)):((1,8),(4,24))"> {
  %2 = cute.zipped_divide(%0, %1) : (!cute.layout<"(8,6):(1,8)">, !cute.shape<"(4,3)">) -> !cute.layout<"((4,3),(2,2)):((1,8),(4,24))">
  return %2 : !cute.layout<"((4,3),(2,2)):((1,8),(4,24))">
}
func.func @tiled_divide(%0: !cute.layout<"(8,6):(1,8)">, %1: !cute.shape<"(4,3)">) -> !cute.layout<"((4,3),2,2):((1,8),4,24)"> {
  %2 = cute.tiled_divide(%0, %1) : (!cute.layout<"(8,6):(1,8)">, !cute.shape<"(4,3)">) -> !cute.layout<"((4,3),2,2):((1,8),4,24)">
  return %2 : !cute.layout<"((4,3),2,2):((1,8),4,24)">
}
func.func @flat_divide(%0: !cute.layout<"(8,6):(1,8)">, %1: !cute.shape<"(4,3)">) -> !cute.layout<"(4,3,2,2):(1,8,4,24)"> {
  %2 = cute.flat_divide(%0, %1) : (!cute.layout<"(8,6):(1,8)">, !cute.shape<"(4,3)">) -> !cute.layout<"(4,3,2,2):(1,8,4,24)">
  return %2 : !cute.layout<"(4,3,2,2):(1,8,4,24)">
}
func.func @tile_to_shape(%0: !cute.layout<"(8,64):(64,1)">, %1: !cute.shape<"(64,128)">) -> !cute.layout<"((8,8),(64,2)):((64,512),(1,4096))"> {
  %2 = cute.tile_to_shape(%0, %1) : (!cute.layout<"(8,64):(64,1)">, !cute.shape<"(64,128)">) -> !cute.layout<"((8,8),(64,2)):((64,512),(1,4096))">
  return %2 : !cute.layout<"((8,8),(64,2)):((64,512),(1,4096))">
}
func.func @tile_to_shape_in_order(%0: !cute.layout<"(8,64):(64,1)">, %1: !cute.shape<"(64,128)">, %2: !cute.int_tuple<"(1,0)">) -> !cute.layout<"((8,8),(64,2)):((64,1024),(1,512))"> {
  %3 = cute.tile_to_shape(%0, %1, %2) : (!cute.layout<"(8,64):(64,1)">, !cute.shape<"(64,128)">, !cute.int_tuple<"(1,0)">) -> !cute.layout<"((8,8),(64,2)):((64,1024),(1,512))">
  return %3 : !cute.layout<"((8,8),(64,2)):((64,1024),(1,512))">
}
