// RUN: vliw-opt %s -p print-boolean-forms 2>&1 >/dev/null | filecheck %s
// RUN: vliw-opt %s -p 'print-boolean-forms{max-terms=1}' 2>&1 >/dev/null | filecheck %s --check-prefix=ONE

// Two rounds of a walk down a binary tree.

// CHECK:      @walk
// CHECK-NEXT:   %p is boolean
// CHECK-NEXT:   %left = 1 - %p
// CHECK-NEXT:   %step = 1 + %p
// CHECK-NEXT:   %q is boolean
// CHECK-NEXT:   %left_q = 1 - %q
// CHECK-NEXT:   %step_q = 1 + %q
// CHECK-NEXT:   %twice = 2 + 2*%p
// CHECK-NEXT:   %second = 3 + 2*%p + %q

// ONE:     %twice
// ONE-NOT: %second
func.func @walk(%x: i32, %y: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %p = word.remu %x, %c2 : i32
  %left = word.cmp eq, %p, %c0 : i32
  %step = word.select %left, %c1, %c2 : i32
  %q = word.and %y, %c1 : i32
  %left_q = word.cmp eq, %q, %c0 : i32
  %step_q = word.select %left_q, %c1, %c2 : i32
  %twice = word.mul %step, %c2 : i32
  %second = word.add %twice, %step_q : i32
  func.return %second : i32
}
