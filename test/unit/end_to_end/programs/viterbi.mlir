// The cheapest ways to 8 states over 32 steps.
module {
  func.func @viterbi(%T: memref<8x8xi32>, %E: memref<32x8xi32>, %S: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c8 = arith.constant 8 : index
    %k_minus_1 = arith.constant -1 : i32
    %N = memref.alloca() : memref<8xi32>
    scf.for %t = %c0 to %c32 step %c1 {
      scf.for %q = %c0 to %c8 step %c1 {
        %b = scf.for %p = %c0 to %c8 step %c1 iter_args(%m = %k_minus_1) -> (i32) {
          %s = memref.load %S[%p] : memref<8xi32>
          %c = memref.load %T[%p, %q] : memref<8x8xi32>
          %d = arith.addi %s, %c : i32
          %n = arith.minui %m, %d : i32
          scf.yield %n : i32
        }
        %e = memref.load %E[%t, %q] : memref<32x8xi32>
        %x = arith.addi %b, %e : i32
        memref.store %x, %N[%q] : memref<8xi32>
      }
      memref.copy %N, %S : memref<8xi32> to memref<8xi32>
    }
    return
  }
}
