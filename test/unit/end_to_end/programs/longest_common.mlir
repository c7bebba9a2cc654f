// Longest common subsequence, a table over narrow words in `affine` loops.

func.func @lcs(%a: memref<10xi8>, %b: memref<9xi8>) -> i16 {
  %d = memref.alloc() : memref<11x10xi16>
  %z = arith.constant 0 : i16
  %one = arith.constant 1 : i16
  linalg.fill ins(%z : i16) outs(%d : memref<11x10xi16>)
  affine.for %i = 1 to 11 {
    affine.for %j = 1 to 10 {
      %x = affine.load %a[%i - 1] : memref<10xi8>
      %y = affine.load %b[%j - 1] : memref<9xi8>
      %e = arith.cmpi eq, %x, %y : i8
      %v = scf.if %e -> (i16) {
        %p = affine.load %d[%i - 1, %j - 1] : memref<11x10xi16>
        %q = arith.addi %p, %one : i16
        scf.yield %q : i16
      } else {
        %p = affine.load %d[%i - 1, %j] : memref<11x10xi16>
        %q = affine.load %d[%i, %j - 1] : memref<11x10xi16>
        %m = arith.maxui %p, %q : i16
        scf.yield %m : i16
      }
      affine.store %v, %d[%i, %j] : memref<11x10xi16>
    }
  }
  %c10 = arith.constant 10 : index
  %c9 = arith.constant 9 : index
  %r = memref.load %d[%c10, %c9] : memref<11x10xi16>
  memref.dealloc %d : memref<11x10xi16>
  return %r : i16
}
