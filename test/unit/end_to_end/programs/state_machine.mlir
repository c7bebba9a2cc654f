// A state machine of `scf.index_switch`.

func.func @fsm(%t: memref<24xi8>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 24 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sp = arith.constant 32 : i8
  %qu = arith.constant 34 : i8
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%st = %c0, %w = %z) -> (index, i32) {
    %c = memref.load %t[%i] : memref<24xi8>
    %issp = arith.cmpi eq, %c, %sp : i8
    %isq = arith.cmpi eq, %c, %qu : i8
    %q:2 = scf.index_switch %st -> index, i32
    case 0 {
      %ns = arith.select %issp, %c0, %c1 : index
      %w1 = arith.addi %w, %one : i32
      %w2 = arith.select %issp, %w, %w1 : i32
      scf.yield %ns, %w2 : index, i32
    }
    case 1 {
      %x = scf.if %issp -> (index) {
        scf.yield %c0 : index
      } else {
        %y = arith.select %isq, %c2, %c1 : index
        scf.yield %y : index
      }
      scf.yield %x, %w : index, i32
    }
    default {
      %y = arith.select %isq, %c1, %c2 : index
      scf.yield %y, %w : index, i32
    }
    scf.yield %q#0, %q#1 : index, i32
  }
  %s = arith.index_cast %r#0 : index to i32
  %c4 = arith.constant 4 : i32
  %w4 = arith.shli %r#1, %c4 : i32
  %o = arith.ori %w4, %s : i32
  return %o : i32
}
