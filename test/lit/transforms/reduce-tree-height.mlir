// RUN: vliw-opt %s -p reduce-tree-height --split-input-file | filecheck %s

// What is known first is joined first.

// CHECK-LABEL: @constant
// CHECK:         [[S:%\S+]] = word.shru %x, %s
// CHECK-NEXT:    [[C:%\S+]] = word.xor %x, %c
// CHECK-NEXT:    %r = word.xor [[C]], [[S]]
func.func @constant(%x: i32, %s: i32, %c: i32) -> i32 {
  %0 = word.shru %x, %s : i32
  %1 = word.xor %x, %0 : i32
  %r = word.xor %1, %c : i32
  func.return %r : i32
}

// -----

// A value that is used elsewhere, and differences, are leaves.

// CHECK-LABEL: @leaves
// CHECK-NEXT:    %0 = word.add %x, %y
// CHECK-NEXT:    %1 = word.add %0, %x
// CHECK-NEXT:    %2 = word.sub %1, %y
// CHECK-NEXT:    %3 = word.add %2, %0
// CHECK-NEXT:    func.return
func.func @leaves(%x: i32, %y: i32) -> i32 {
  %0 = word.add %x, %y : i32
  %1 = word.add %0, %x : i32
  %2 = word.sub %1, %y : i32
  %3 = word.add %2, %0 : i32
  func.return %3 : i32
}

// -----

// What a loop carries is joined last, though it is known at the beginning of the iteration.

// CHECK-LABEL: @carried
// CHECK:         scf.for
// CHECK-NEXT:      [[L:%\S+]] = word.load %a[%i]
// CHECK-NEXT:      [[M:%\S+]] = word.add %n, [[L]]
// CHECK-NEXT:      word.add [[M]], %sum
func.func @carried(%a: !word.buffer<64>, %n: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%sum = %c0) -> (i32) : i32 {
    %0 = word.load %a[%i] : !word.buffer<64> -> i32
    %1 = word.add %sum, %n : i32
    %2 = word.add %1, %0 : i32
    scf.yield %2 : i32
  }
  func.return %r : i32
}
