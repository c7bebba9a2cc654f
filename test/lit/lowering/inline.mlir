// RUN: vliw-opt %s -p inline-calls --split-input-file | filecheck %s

// CHECK:      func.func @kernel(%x: i32, %c: i1) -> i32 {
// CHECK-NEXT:   %r = scf.if %c -> (i32) {
// CHECK-NEXT:     %y = arith.muli %x, %x : i32
// CHECK-NEXT:     %y_1 = arith.muli %y, %y : i32
// CHECK-NEXT:     scf.yield %y_1 : i32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %x : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %r : i32
// CHECK-NEXT: }
func.func private @unused(%x: i32) -> i32 {
  %y = func.call @unused(%x) : (i32) -> i32
  return %y : i32
}
func.func private @square(%x: i32) -> i32 {
  %y = arith.muli %x, %x : i32
  return %y : i32
}
func.func private @both(%x: i32, %y: i32) -> (i32, i32) {
  %a = func.call @square(%x) : (i32) -> i32
  return %y, %a : i32, i32
}
func.func @kernel(%x: i32, %c: i1) -> i32 {
  %r = scf.if %c -> (i32) {
    %a:2 = func.call @both(%x, %x) : (i32, i32) -> (i32, i32)
    %b = func.call @square(%a#1) : (i32) -> i32
    scf.yield %b : i32
  } else {
    scf.yield %x : i32
  }
  return %r : i32
}
// -----
// CHECK:      func.func @kernel(%m: memref<i32>, %c: i1, %x: i32, %y: i32) {
// CHECK-NEXT:   %r = scf.execute_region -> i32 {
// CHECK-NEXT:     cf.cond_br %c, ^bb1, ^bb2
// CHECK-NEXT:   ^bb1:
// CHECK-NEXT:     scf.yield %x : i32
// CHECK-NEXT:   ^bb2:
// CHECK-NEXT:     scf.yield %y : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   memref.store %r, %m[] : memref<i32>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func private @select(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^yes, ^no
^yes:
  return %x : i32
^no:
  return %y : i32
}
func.func private @store(%m: memref<i32>, %x: i32) {
  memref.store %x, %m[] : memref<i32>
  return
}
func.func @kernel(%m: memref<i32>, %c: i1, %x: i32, %y: i32) {
  %r = func.call @select(%c, %x, %y) : (i1, i32, i32) -> i32
  func.call @store(%m, %r) : (memref<i32>, i32) -> ()
  return
}
