// Both halves of products and carries of corner cases.

func.func @w(%x: memref<49xi32>, %y: memref<49xi32>, %o: memref<49x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 49 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %a = memref.load %x[%i] : memref<49xi32>
    %b = memref.load %y[%i] : memref<49xi32>
    %lo, %hi = arith.mulsi_extended %a, %b : i32
    %lo2, %hi2 = arith.mului_extended %a, %b : i32
    %s, %ov = arith.addui_extended %a, %b : i32, i1
    %oe = arith.extsi %ov : i1 to i32
    memref.store %hi, %o[%i, %c0] : memref<49x4xi32>
    memref.store %lo2, %o[%i, %c1] : memref<49x4xi32>
    memref.store %hi2, %o[%i, %c2] : memref<49x4xi32>
    memref.store %oe, %o[%i, %c3] : memref<49x4xi32>
  }
  return
}
