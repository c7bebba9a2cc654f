// RUN: vliw-opt %s -p expand-word-ops,simplify,reassociate,simplify | filecheck %s

// The constants that a signed function is composed of become one with those around it.

// CHECK-LABEL: @shift
// CHECK-NEXT:    [[IN:%\S+]] = word.constant -2147483548 : i32
// CHECK-NEXT:    [[OUT:%\S+]] = word.constant -33554427 : i32
// CHECK-NEXT:    %c6 = word.constant 6 : i32
// CHECK-NEXT:    [[A:%\S+]] = word.add %x, [[IN]] : i32
// CHECK-NEXT:    [[S:%\S+]] = word.shru [[A]], %c6 : i32
// CHECK-NEXT:    %moved = word.add [[S]], [[OUT]] : i32
// CHECK-NEXT:    word.trace_write %moved
func.func @shift(%x: i32) {
  %c5 = word.constant 5 : i32
  %c6 = word.constant 6 : i32
  %c100 = word.constant 100 : i32
  %sum = word.add %x, %c100 : i32
  %shifted = word.shrs %sum, %c6 : i32
  %moved = word.add %shifted, %c5 : i32
  word.trace_write %moved
  func.return
}
