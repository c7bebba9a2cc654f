// Sorting with an explicit stack, in blocks of `cf`.

func.func @qsort(%a: memref<?xi32>, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %stack = memref.alloca() : memref<64x2xindex>
  %n0 = arith.index_cast %n : i32 to index
  %hi0 = arith.subi %n0, %c1 : index
  memref.store %c0, %stack[%c0, %c0] : memref<64x2xindex>
  memref.store %hi0, %stack[%c0, %c1] : memref<64x2xindex>
  cf.br ^head(%c1 : index)
^head(%sp: index):
  %more = arith.cmpi sgt, %sp, %c0 : index
  cf.cond_br %more, ^pop, ^exit
^pop:
  %sp1 = arith.subi %sp, %c1 : index
  %lo = memref.load %stack[%sp1, %c0] : memref<64x2xindex>
  %hi = memref.load %stack[%sp1, %c1] : memref<64x2xindex>
  %ok = arith.cmpi slt, %lo, %hi : index
  cf.cond_br %ok, ^part, ^head(%sp1 : index)
^part:
  %pivot = memref.load %a[%hi] : memref<?xi32>
  %i = scf.for %j = %lo to %hi step %c1 iter_args(%ii = %lo) -> (index) {
    %x = memref.load %a[%j] : memref<?xi32>
    %lt = arith.cmpi ult, %x, %pivot : i32
    %r = scf.if %lt -> (index) {
      %y = memref.load %a[%ii] : memref<?xi32>
      memref.store %x, %a[%ii] : memref<?xi32>
      memref.store %y, %a[%j] : memref<?xi32>
      %i2 = arith.addi %ii, %c1 : index
      scf.yield %i2 : index
    } else {
      scf.yield %ii : index
    }
    scf.yield %r : index
  }
  %t = memref.load %a[%i] : memref<?xi32>
  memref.store %pivot, %a[%i] : memref<?xi32>
  memref.store %t, %a[%hi] : memref<?xi32>
  %im = arith.subi %i, %c1 : index
  %ip = arith.addi %i, %c1 : index
  memref.store %lo, %stack[%sp1, %c0] : memref<64x2xindex>
  memref.store %im, %stack[%sp1, %c1] : memref<64x2xindex>
  memref.store %ip, %stack[%sp, %c0] : memref<64x2xindex>
  memref.store %hi, %stack[%sp, %c1] : memref<64x2xindex>
  %sp2 = arith.addi %sp1, %c2 : index
  cf.br ^head(%sp2 : index)
^exit:
  return
}
