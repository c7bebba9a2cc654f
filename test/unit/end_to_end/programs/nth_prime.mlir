// A callee of many blocks called in the condition of a loop.

func.func private @is_prime(%n: i32) -> i1 {
  %c2 = arith.constant 2 : i32
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %t = arith.constant true
  %f = arith.constant false
  %small = arith.cmpi ult, %n, %c2 : i32
  cf.cond_br %small, ^no, ^loop(%c2 : i32)
^loop(%d: i32):
  %sq = arith.muli %d, %d : i32
  %over = arith.cmpi ugt, %sq, %n : i32
  cf.cond_br %over, ^yes, ^test
^test:
  %r = arith.remui %n, %d : i32
  %z = arith.cmpi eq, %r, %c0 : i32
  %d1 = arith.addi %d, %c1 : i32
  cf.cond_br %z, ^no, ^loop(%d1 : i32)
^yes:
  return %t : i1
^no:
  return %f : i1
}
func.func @nth_prime(%k: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%n = %c0, %cnt = %c0) : (i32, i32) -> (i32, i32) {
    %p = func.call @is_prime(%n) : (i32) -> i1
    %e = arith.extui %p : i1 to i32
    %c2 = arith.addi %cnt, %e : i32
    %go = arith.cmpi ne, %c2, %k : i32
    scf.condition(%go) %n, %c2 : i32, i32
  } do {
  ^bb0(%n: i32, %cnt: i32):
    %n1 = arith.addi %n, %c1 : i32
    scf.yield %n1, %cnt : i32, i32
  }
  return %r#0 : i32
}
