// Edges of an image, with constant tables and narrow signed sums.

memref.global "private" constant @kx : memref<3x3xi16> = dense<[[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]>
memref.global "private" constant @ky : memref<3x3xi16> = dense<[[-1, -2, -1], [0, 0, 0], [1, 2, 1]]>
func.func @sobel(%in: memref<8x10xi8>, %out: memref<8x10xi8>) {
  %kx = memref.get_global @kx : memref<3x3xi16>
  %ky = memref.get_global @ky : memref<3x3xi16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0 : i16
  %c255 = arith.constant 255 : i16
  scf.for %y = %c1 to %c7 step %c1 {
    scf.for %x = %c1 to %c9 step %c1 {
      %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %z, %b = %z) -> (i16, i16) {
        %q:2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%a1 = %a, %b1 = %b) -> (i16, i16) {
          %yy0 = arith.addi %y, %i : index
          %yy = arith.subi %yy0, %c1 : index
          %xx0 = arith.addi %x, %j : index
          %xx = arith.subi %xx0, %c1 : index
          %p = memref.load %in[%yy, %xx] : memref<8x10xi8>
          %pe = arith.extui %p : i8 to i16
          %k1 = memref.load %kx[%i, %j] : memref<3x3xi16>
          %k2 = memref.load %ky[%i, %j] : memref<3x3xi16>
          %m1 = arith.muli %pe, %k1 : i16
          %m2 = arith.muli %pe, %k2 : i16
          %s1 = arith.addi %a1, %m1 : i16
          %s2 = arith.addi %b1, %m2 : i16
          scf.yield %s1, %s2 : i16, i16
        }
        scf.yield %q#0, %q#1 : i16, i16
      }
      %n1 = arith.subi %z, %r#0 : i16
      %ab1 = arith.maxsi %r#0, %n1 : i16
      %n2 = arith.subi %z, %r#1 : i16
      %neg = arith.cmpi slt, %r#1, %z : i16
      %ab2 = arith.select %neg, %n2, %r#1 : i16
      %s = arith.addi %ab1, %ab2 : i16
      %cl = arith.minsi %s, %c255 : i16
      %t = arith.trunci %cl : i16 to i8
      memref.store %t, %out[%y, %x] : memref<8x10xi8>
    }
  }
  return
}
