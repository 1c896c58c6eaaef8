builtin.module attributes {partition = {strategy = "linear", extents = ["8"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
  tile.func @softmax(%X: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %Y: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %X_shared = tt.cb "X_shared" {pages = 8 : i64, depth = 2 : i64, page_size = 2048 : i64, producer = "reader", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
    %E_local = tt.cb "E_local" {pages = 8 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
    %E_local_2_out = tt.cb "E_local_2_out" {pages = 8 : i64, depth = 1 : i64, page_size = 2048 : i64, producer = "compute", consumer = "writer"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
    %row_max = tt.cb "row_max" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    %row_sum = tt.cb "row_sum" {pages = 1 : i64, depth = 1 : i64, page_size = 4096 : i64, producer = "compute", consumer = "compute"} : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
    %X_1 = tt.accessor %X : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %Y_1 = tt.accessor %Y : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.accessor_of<!tile.tensor<[256, 256], bf16, tile, Float16_b>>
    %0 = arith.constant 8 : index
    %first_block = tt.arg "core" "first_block"
    %block_count = tt.arg "core" "block_count"
    %end_block = arith.addi %first_block, %block_count : index
    %1 = arith.constant 1 : index
    scf.for %bx = %first_block to %end_block step %1 {
      %2 = arith.constant 32 : index
      %3 = arith.muli %bx, %2 : index
      %4 = arith.constant 0 : index
      tile.load %X[%3, %4] -> %X_shared sizes [32, 256] dims [0, 1] {role = "reader"} : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
      tile.reduce "max" %X_shared, %row_max along 1 clear true {role = "compute"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tile.map(%X_shared, %row_max) -> %E_local dims [[0, 1], [0]] {role = "compute"} : (!tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>> {
      ^bb0(%X_shared_1: f32, %row_max_1: f32, %i: index, %j: index):
        %5 = arith.subf %X_shared_1, %row_max_1 : f32
        %6 = tile.fn "exp"(%5) : (f32) -> f32
        tile.yield %6 : f32
      }
      tt.release %X_shared : !tt.cb_of<!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>>
      tt.release %row_max : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tile.reduce "sum" %E_local, %row_sum along 1 clear true {role = "compute"} : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tile.map(%E_local, %row_sum) -> %E_local_2_out dims [[0, 1], [0]] {role = "compute"} : (!tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>, !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>) -> !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>> {
      ^bb0(%E_local_1: f32, %row_sum_1: f32, %i_1: index, %j_1: index):
        %7 = arith.divf %E_local_1, %row_sum_1 : f32
        tile.yield %7 : f32
      }
      tt.release %E_local : !tt.cb_of<!tile.buffer<[32, 256], f32, fragment, tiled, Float32>>
      tt.release %row_sum : !tt.cb_of<!tile.buffer<[32], f32, fragment, column, Float32>>
      tile.store %E_local_2_out -> %Y[%3, %4] sizes [32, 256] dims [0, 1] accumulate "" {role = "writer"} : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
      tt.release %E_local_2_out : !tt.cb_of<!tile.buffer<[32, 256], bf16, fragment, tiled, Float16_b>>
    } {below = 8 : i64}
  }
}
