// RUN: vliw-opt %s -p reduce-tree-height{composed-only} | filecheck %s

// The machine has sums, so those wait; minima are compositions.

// CHECK-LABEL: @trees
// CHECK-NEXT:    [[A:%\S+]] = word.minu %a, %b : i32
// CHECK-NEXT:    [[B:%\S+]] = word.minu %c, %d : i32
// CHECK-NEXT:    [[M:%\S+]] = word.minu [[A]], [[B]] : i32
// CHECK-NEXT:    %3 = word.add %a, %b : i32
// CHECK-NEXT:    %4 = word.add %3, %c : i32
// CHECK-NEXT:    %5 = word.add %4, %d : i32
func.func @trees(%a: i32, %b: i32, %c: i32, %d: i32) {
  %0 = word.minu %a, %b : i32
  %1 = word.minu %0, %c : i32
  %2 = word.minu %1, %d : i32
  %3 = word.add %a, %b : i32
  %4 = word.add %3, %c : i32
  %5 = word.add %4, %d : i32
  word.trace_write %2
  word.trace_write %5
  func.return
}
