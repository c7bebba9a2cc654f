// All roundings of divisions of corner cases.

func.func @f(%x: memref<?xi32>, %y: memref<?xi32>, %n: index, %o: memref<?x5xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xi32>
    %b = memref.load %y[%i] : memref<?xi32>
    %0 = arith.divsi %a, %b : i32
    %1 = arith.remsi %a, %b : i32
    %2 = arith.floordivsi %a, %b : i32
    %3 = arith.ceildivsi %a, %b : i32
    %4 = arith.ceildivui %a, %b : i32
    memref.store %0, %o[%i, %c0] : memref<?x5xi32>
    memref.store %1, %o[%i, %c1] : memref<?x5xi32>
    memref.store %2, %o[%i, %c2] : memref<?x5xi32>
    memref.store %3, %o[%i, %c3] : memref<?x5xi32>
    memref.store %4, %o[%i, %c4] : memref<?x5xi32>
  }
  return
}
