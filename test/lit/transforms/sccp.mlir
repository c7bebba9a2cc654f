// RUN: vliw-opt %s -p sccp,simplify,simplify-cfg --split-input-file | filecheck %s

// The branch that would change the value is only taken if the value has changed.

// CHECK-LABEL: @around_blocks
// CHECK:         [[SEVEN:%\S+]] = word.constant 7 : i32
// CHECK:         cf.br ^[[LOOP:\S+]](%{{\S+}} : i32)
// CHECK-NEXT:  ^[[LOOP]](%i: i32):
// CHECK-NEXT:    word.trace_write %i
// CHECK-NEXT:    word.add
// CHECK-NOT:     word.trace_write
// CHECK:         func.return [[SEVEN]]
func.func @around_blocks(%n: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c7 = word.constant 7 : i32
  cf.br ^loop(%c0, %c7 : i32, i32)
^loop(%i: i32, %v: i32):
  word.trace_write %i
  %is_seven = word.cmp eq, %v, %c7 : i32
  %test = word.test %is_seven
  cf.cond_br %test, ^latch(%v : i32), ^other
^other:
  %u = word.add %v, %i : i32
  word.trace_write %u
  cf.br ^latch(%u : i32)
^latch(%w: i32):
  %next = word.add %i, %c1 : i32
  %differs = word.xor %next, %n : i32
  %again = word.test %differs
  cf.cond_br %again, ^loop(%next, %w : i32, i32), ^end
^end:
  func.return %w : i32
}

// -----

// The same with structured control flow; vectors are constants as well.

// CHECK-LABEL: @around_loops
// CHECK:         [[V:%\S+]] = word.constant dense<6> : vector<8xi32>
// CHECK-NOT:     scf.if
// CHECK:         word.store [[V]]
func.func @around_loops(%a: !word.buffer<64>, %n: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %three = word.constant dense<3> : vector<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %c2) -> (i32) : i32 {
    %even = word.cmp eq, %v, %c2 : i32
    %t = word.test %even
    %w = scf.if %t -> (i32) {
      scf.yield %v : i32
    } else {
      %u = word.add %v, %c1 : i32
      scf.yield %u : i32
    }
    scf.yield %w : i32
  }
  %b = word.broadcast %r : vector<8xi32>
  %p = word.mul %b, %three : vector<8xi32>
  word.store %p, %a[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// A division by zero stays, and so does what may not run at all.

// CHECK-LABEL: @trap
// CHECK:         word.divu
// CHECK-LABEL: @may_not_run
// CHECK:         [[R:%\S+]] = scf.for
// CHECK:         func.return [[R]]
func.func @trap() -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %q = word.divu %c1, %c0 : i32
  func.return %q : i32
}
func.func @may_not_run(%n: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %c0) -> (i32) : i32 {
    word.trace_write %i
    scf.yield %c1 : i32
  }
  func.return %r : i32
}
