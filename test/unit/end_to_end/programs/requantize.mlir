// Sums scaled, shifted with their sign and clamped to 8 bits.
module {
  func.func @requantize(%X: memref<512xi32>, %Y: memref<512xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c512 = arith.constant 512 : index
    %k_minus_128 = arith.constant -128 : i32
    %k127 = arith.constant 127 : i32
    %k13 = arith.constant 13 : i32
    %k3 = arith.constant 3 : i32
    %k4096 = arith.constant 4096 : i32
    %k77 = arith.constant 77 : i32
    scf.for %i = %c0 to %c512 step %c1 {
      %x = memref.load %X[%i] : memref<512xi32>
      %p = arith.muli %x, %k77 : i32
      %q = arith.addi %p, %k4096 : i32
      %r = arith.shrsi %q, %k13 : i32
      %z = arith.addi %r, %k3 : i32
      %a = arith.maxsi %z, %k_minus_128 : i32
      %b = arith.minsi %a, %k127 : i32
      %t = arith.trunci %b : i32 to i8
      memref.store %t, %Y[%i] : memref<512xi8>
    }
    return
  }
}
