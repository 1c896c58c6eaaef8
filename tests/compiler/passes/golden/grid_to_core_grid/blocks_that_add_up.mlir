builtin.module attributes {partition = {strategy = "grouped", extents = ["8", "4"], columns = #builtin.int<0>, rows = #builtin.int<0>, separate = [#builtin.int<0>]}} {
  tile.func @split_sum_kernel(%x: !tile.tensor<[4, 256, 64], f32, tile, Float32>, %y: !tile.tensor<[256, 64], f32, tile, Float32>) {
    %0 = arith.constant 8 : index
    %1 = arith.constant 4 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 0 : index
    %first_group = tt.arg "core" "first_group"
    %group_count = tt.arg "core" "group_count"
    %end_group = arith.addi %first_group, %group_count : index
    %4 = arith.constant 1 : index
    scf.for %bx = %first_group to %end_group step %4 {
      %5 = arith.constant 0 : index
      %6 = arith.constant 1 : index
      scf.for %by = %5 to %1 step %6 {
        %a = tile.alloc "a" : !tile.buffer<[32, 64], f32, shared, tiled, Float32>
        %7 = arith.muli %bx, %2 : index
        tile.load %x[%by, %7, %3] -> %a sizes [1, 32, 64] dims [-1, 0, 1] : !tile.tensor<[4, 256, 64], f32, tile, Float32> -> !tile.buffer<[32, 64], f32, shared, tiled, Float32>
        tile.store %a -> %y[%7, %3] sizes [32, 64] dims [0, 1] accumulate "add" : !tile.buffer<[32, 64], f32, shared, tiled, Float32> -> !tile.tensor<[256, 64], f32, tile, Float32>
      }
    } {below = 8 : i64}
  }
}
