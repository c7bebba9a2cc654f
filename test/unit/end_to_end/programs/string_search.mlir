// Search for a string, with a callee that returns early.

func.func private @match(%h: memref<?xi8>, %at: index, %n: memref<?xi8>, %len: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  cf.br ^bb1(%c0 : index)
^bb1(%i: index):
  %0 = arith.cmpi ult, %i, %len : index
  cf.cond_br %0, ^bb2, ^bb4
^bb2:
  %p = arith.addi %at, %i : index
  %a = memref.load %h[%p] : memref<?xi8>
  %b = memref.load %n[%i] : memref<?xi8>
  %ne = arith.cmpi ne, %a, %b : i8
  cf.cond_br %ne, ^bb3, ^bb5
^bb3:
  return %false : i1
^bb5:
  %j = arith.addi %i, %c1 : index
  cf.br ^bb1(%j : index)
^bb4:
  return %true : i1
}
func.func @strstr(%h: memref<?xi8>, %n: memref<?xi8>, %hl: index, %nl: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : i32
  %d = arith.subi %hl, %nl : index
  %e = arith.addi %d, %c1 : index
  %r:2 = scf.while (%i = %c0, %res = %m1) : (index, i32) -> (index, i32) {
    %lt = arith.cmpi slt, %i, %e : index
    %nf = arith.cmpi eq, %res, %m1 : i32
    %go = arith.andi %lt, %nf : i1
    scf.condition(%go) %i, %res : index, i32
  } do {
  ^bb0(%i: index, %res: i32):
    %m = func.call @match(%h, %i, %n, %nl) : (memref<?xi8>, index, memref<?xi8>, index) -> i1
    %ic = arith.index_cast %i : index to i32
    %s = arith.select %m, %ic, %res : i32
    %i2 = arith.addi %i, %c1 : index
    scf.yield %i2, %s : index, i32
  }
  return %r#1 : i32
}
