cuda_tile.module @m {
  entry @prints() {
    print_tko "done\n" -> token
    return
  }
}
