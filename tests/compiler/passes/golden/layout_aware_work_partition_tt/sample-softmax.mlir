builtin.module {
  tile.func @softmax(%X: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %Y: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %0 = arith.constant 8 : index
    tile.grid (%bx) in (%0) attributes {partition = {strategy = "linear", extents = ["8"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
      %X_shared = tile.alloc "X_shared" : !tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>
      %E_local = tile.alloc "E_local" : !tile.buffer<[32, 256], f32, fragment, tiled, Float32>
      %row_max = tile.alloc "row_max" : !tile.buffer<[32], f32, fragment, column, Float32>
      %row_sum = tile.alloc "row_sum" : !tile.buffer<[32], f32, fragment, column, Float32>
      %1 = arith.constant 32 : index
      %2 = arith.muli %bx, %1 : index
      %3 = arith.constant 0 : index
      tile.load %X[%2, %3] -> %X_shared sizes [32, 256] dims [0, 1] : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>
      tile.reduce "max" %X_shared, %row_max along 1 clear true : !tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>, !tile.buffer<[32], f32, fragment, column, Float32>
      tile.map(%X_shared, %row_max) -> %E_local dims [[0, 1], [0]] : (!tile.buffer<[32, 256], bf16, shared, tiled, Float16_b>, !tile.buffer<[32], f32, fragment, column, Float32>) -> !tile.buffer<[32, 256], f32, fragment, tiled, Float32> {
      ^bb0(%X_shared_1: f32, %row_max_1: f32, %i: index, %j: index):
        %4 = arith.subf %X_shared_1, %row_max_1 : f32
        %5 = tile.fn "exp"(%4) : (f32) -> f32
        tile.yield %5 : f32
      }
      tile.reduce "sum" %E_local, %row_sum along 1 clear true : !tile.buffer<[32, 256], f32, fragment, tiled, Float32>, !tile.buffer<[32], f32, fragment, column, Float32>
      tile.map(%E_local, %row_sum) -> %E_local dims [[0, 1], [0]] : (!tile.buffer<[32, 256], f32, fragment, tiled, Float32>, !tile.buffer<[32], f32, fragment, column, Float32>) -> !tile.buffer<[32, 256], f32, fragment, tiled, Float32> {
      ^bb0(%E_local_1: f32, %row_sum_1: f32, %i_1: index, %j_1: index):
        %6 = arith.divf %E_local_1, %row_sum_1 : f32
        tile.yield %6 : f32
      }
      tile.store %E_local -> %Y[%2, %3] sizes [32, 256] dims [0, 1] accumulate "" : !tile.buffer<[32, 256], f32, fragment, tiled, Float32> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    }
  }
}
