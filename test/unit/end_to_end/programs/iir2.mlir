// A recursive filter of second order.
module {
  func.func @iir2(%X: memref<256xi32>, %Y: memref<256xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %k0 = arith.constant 0 : i32
    %k3 = arith.constant 3 : i32
    %r:2 = scf.for %i = %c0 to %c256 step %c1 iter_args(%y1 = %k0, %y2 = %k0) -> (i32, i32) {
      %x = memref.load %X[%i] : memref<256xi32>
      %a = arith.muli %y1, %k3 : i32
      %b = arith.addi %x, %a : i32
      %c = arith.subi %b, %y2 : i32
      memref.store %c, %Y[%i] : memref<256xi32>
      scf.yield %c, %y1 : i32, i32
    }
    return
  }
}
