// RUN: vliw-opt %s -p 'unswitch-loops{max-ops=20}' --split-input-file --remarks=unswitch 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// Both branches on %c go; the one on %d makes two loops out of each.

// CHECK-LABEL:  @two
// CHECK:          [[T:%\d+]] = word.test %c
// CHECK-NEXT:     [[R:%\S+]] = scf.if [[T]] -> (i32) {
// CHECK-NEXT:       [[D:%\S+]] = word.test %d
// CHECK-NEXT:       [[S:%\S+]] = scf.if [[D]] -> (i32) {
// CHECK-NEXT:         [[F:%\S+]] = scf.for
// CHECK-NOT:            scf.if
// CHECK:              scf.yield [[F]] : i32
// CHECK-NEXT:       } else {
// CHECK:              scf.for
// CHECK:          } else {
// CHECK:            scf.if
// CHECK:          func.return [[R]]
// REMARK-COUNT-3: unswitched [unswitch-loops: passed]
func.func @two(%c: i32, %d: i32, %x: i32, %n: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.test %c
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (i32) : i32 {
    %w = scf.if %t -> (i32) {
      %p = word.add %v, %i : i32
      scf.yield %p : i32
    } else {
      scf.yield %v : i32
    }
    %u = word.test %d
    scf.if %u {
      word.trace_write %i
    }
    scf.if %t {
      word.trace_write %w
    }
    scf.yield %w : i32
  }
  func.return %r : i32
}

// -----

// A condition that depends on the counter, and a loop that is too long.

// CHECK-LABEL:  @stay
// CHECK-COUNT-2:  scf.for
// CHECK-NOT:      scf.for
// REMARK:       not unswitched: it would take 22 operations, more than 20 [unswitch-loops: missed]
func.func @stay(%c: i32, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.test %c
  scf.for %i = %c0 to %n step %c1 : i32 {
    %u = word.test %i
    scf.if %u {
      word.trace_write %i
    }
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.if %t {
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
      word.trace_write %i
    }
  }
  func.return
}
