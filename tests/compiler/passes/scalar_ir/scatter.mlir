tile.func @scatter(%A: !tile.tensor<[64], f32>, %bins: !tile.tensor<[64], i32>, %C: !tile.tensor<[10], f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.grid (%bx) in (%c1) {
    tile.scalar reads(%A, %bins, %C) writes(%C) : (!tile.tensor<[64], f32>, !tile.tensor<[64], i32>, !tile.tensor<[10], f32>) -> (!tile.tensor<[10], f32>) {
      scf.for %i = %c0 to %c64 step %c1 {
        %bin = tile.read %bins[%i] : !tile.tensor<[64], i32> -> i32
        %at = arith.index_cast %bin : i32 to index
        %v = tile.read %A[%i] : !tile.tensor<[64], f32> -> f32
        tile.write %C[%at], %v accumulate "add" : !tile.tensor<[10], f32>, f32
      }
    }
  }
}
