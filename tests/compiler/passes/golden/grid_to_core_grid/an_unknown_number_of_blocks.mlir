builtin.module attributes {partition = {strategy = "linear", extents = ["((m + 32) - 1) // 32"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = []}} {
  tile.func @dynamic_rows_kernel(%x: !tile.tensor<["m", 64], bf16, tile, Float16_b>, %y: !tile.tensor<["m", 64], bf16, tile, Float16_b>) symbols(%m) {
    %0 = arith.constant 32 : index
    %1 = arith.constant 1 : index
    %2 = arith.constant 0 : index
    %3 = arith.addi %m, %0 : index
    %4 = arith.subi %3, %1 : index
    %5 = arith.floordivsi %4, %0 : index
    %first_block = tt.arg "core" "first_block"
    %block_count = tt.arg "core" "block_count"
    %end_block = arith.addi %first_block, %block_count : index
    %6 = arith.constant 1 : index
    scf.for %bx = %first_block to %end_block step %6 {
      %a = tile.alloc "a" : !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>
      %7 = arith.muli %bx, %0 : index
      tile.load %x[%7, %2] -> %a sizes [32, 64] dims [0, 1] : !tile.tensor<["m", 64], bf16, tile, Float16_b> -> !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>
      tile.map(%a) -> %a dims [[0, 1]] : (!tile.buffer<[32, 64], bf16, shared, tiled, Float16_b>) -> !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b> {
      ^bb0(%a_1: f32, %i: index, %j: index):
        %8 = arith.constant 2.000000e+00 : f32
        %9 = arith.mulf %a_1, %8 : f32
        tile.yield %9 : f32
      }
      tile.store %a -> %y[%7, %2] sizes [32, 64] dims [0, 1] accumulate "" : !tile.buffer<[32, 64], bf16, shared, tiled, Float16_b> -> !tile.tensor<["m", 64], bf16, tile, Float16_b>
    }
  }
}
