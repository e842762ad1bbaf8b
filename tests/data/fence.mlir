entry @fence() {
  %0 = make_token : token
  %1 = memory_fence_alias_tko %0
  %2 = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
  return
}
