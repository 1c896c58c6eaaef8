builtin.module {
  tile.func @add(%A: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %B: !tile.tensor<[256, 256], bf16, tile, Float16_b>, %C: !tile.tensor<[256, 256], bf16, tile, Float16_b>) {
    %0 = arith.constant 4 : index
    %1 = arith.constant 4 : index
    tile.grid (%bx, %by) in (%0, %1) attributes {partition = {strategy = "linear", extents = ["4", "4"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
      %A_shared = tile.alloc "A_shared" : !tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>
      %B_shared = tile.alloc "B_shared" : !tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>
      %C_local = tile.alloc "C_local" : !tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b>
      %2 = arith.constant 64 : index
      %3 = arith.muli %by, %2 : index
      %4 = arith.constant 64 : index
      %5 = arith.muli %bx, %4 : index
      tile.load %A[%3, %5] -> %A_shared sizes [64, 64] dims [0, 1] : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>
      tile.load %B[%3, %5] -> %B_shared sizes [64, 64] dims [0, 1] : !tile.tensor<[256, 256], bf16, tile, Float16_b> -> !tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>
      tile.map(%A_shared, %B_shared) -> %C_local dims [[0, 1], [0, 1]] : (!tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>, !tile.buffer<[64, 64], bf16, shared, tiled, Float16_b>) -> !tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b> {
      ^bb0(%A_shared_1: f32, %B_shared_1: f32, %i: index, %j: index):
        %6 = arith.addf %A_shared_1, %B_shared_1 : f32
        tile.yield %6 : f32
      }
      tile.store %C_local -> %C[%3, %5] sizes [64, 64] dims [0, 1] accumulate "" : !tile.buffer<[64, 64], bf16, fragment, tiled, Float16_b> -> !tile.tensor<[256, 256], bf16, tile, Float16_b>
    }
  }
}
