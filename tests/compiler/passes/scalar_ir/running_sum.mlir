tile.func @running_sum(%A: !tile.tensor<[64, 40], f32>, %C: !tile.tensor<[64, 40], f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  tile.grid (%bx) in (%c4) {
    %S = tile.alloc "S" : !tile.buffer<[16, 40], f32, shared>
    %first = arith.muli %bx, %c16 : index
    tile.load %A[%first, %c0] -> %S sizes [16, 40] dims [0, 1] : !tile.tensor<[64, 40], f32> -> !tile.buffer<[16, 40], f32, shared>
    tile.scalar reads(%S) writes(%S) : (!tile.buffer<[16, 40], f32, shared>) -> (!tile.buffer<[16, 40], f32, shared>) {
      scf.for %i = %c0 to %c16 step %c1 {
        scf.for %j = %c1 to %c40 step %c1 {
          %before = arith.subi %j, %c1 : index
          %u = tile.read %S[%i, %before] : !tile.buffer<[16, 40], f32, shared> -> f32
          %v = tile.read %S[%i, %j] : !tile.buffer<[16, 40], f32, shared> -> f32
          %sum = arith.addf %u, %v : f32
          tile.write %S[%i, %j], %sum accumulate "" : !tile.buffer<[16, 40], f32, shared>, f32
        }
      }
    }
    tile.store %S -> %C[%first, %c0] sizes [16, 40] dims [0, 1] accumulate "" : !tile.buffer<[16, 40], f32, shared> -> !tile.tensor<[64, 40], f32>
  }
}
