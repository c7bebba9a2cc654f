// RUN: vliw-opt %s -p convert-std-to-kernel --split-input-file | filecheck %s

// CHECK:      func.func @accesses(%m: !word.buffer<?>, %i: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %c0 = word.constant 0 : i32
// CHECK-NEXT:   %c2 = word.constant 2 : i32
// CHECK-NEXT:   %c3 = word.constant 3 : i32
// CHECK-NEXT:   %0 = word.constant 32 : i32
// CHECK-NEXT:   %1 = word.mul %i, %0 : i32
// CHECK-NEXT:   %2 = word.constant 11 : i32
// CHECK-NEXT:   %3 = word.add %1, %2 : i32
// CHECK-NEXT:   %a = word.load %m[%3] : !word.buffer<?> -> i32
// CHECK-NEXT:   word.store %a, %m[%i] : i32, !word.buffer<?>
// CHECK-NEXT:   func.return %a : i32
// CHECK-NEXT: }
func.func @accesses(%m: memref<?x8x4xi32>, %i: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = memref.load %m[%i, %c2, %c3] : memref<?x8x4xi32>
  memref.store %a, %m[%c0, %c0, %i] : memref<?x8x4xi32>
  return %a : i32
}
// -----
// CHECK:      func.func @views(%m: !word.buffer<48>, %i: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %c1 = word.constant 1 : i32
// CHECK-NEXT:   %0 = word.constant 8 : i32
// CHECK-NEXT:   %1 = word.mul %i, %0 : i32
// CHECK-NEXT:   %2 = word.constant 2 : i32
// CHECK-NEXT:   %3 = word.add %1, %2 : i32
// CHECK-NEXT:   %4 = word.constant 10 : i32
// CHECK-NEXT:   %5 = word.add %3, %4 : i32
// CHECK-NEXT:   %x = word.load %m[%5] : !word.buffer<48> -> i32
// CHECK-NEXT:   func.return %x : i32
// CHECK-NEXT: }
func.func @views(%m: memref<6x8xi32>, %i: index) -> i32 {
  %c1 = arith.constant 1 : index
  %v = memref.subview %m[%i, 2] [2, 3] [1, 2]
    : memref<6x8xi32> to memref<2x3xi32, strided<[8, 2], offset: ?>>
  %x = memref.load %v[%c1, %c1] : memref<2x3xi32, strided<[8, 2], offset: ?>>
  return %x : i32
}
// -----
// CHECK:      func.func @memory(%i: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %0 = word.alloc init dense<[1, 255, 2, 3]> : vector<4xi32> : !word.buffer<4>
// CHECK-NEXT:   %1 = word.alloc : !word.buffer<4>
// CHECK-NEXT:   %2 = word.constant 0 : i32
// CHECK-NEXT:   %3 = word.constant 1 : i32
// CHECK-NEXT:   %4 = word.constant 4 : i32
// CHECK-NEXT:   scf.for %5 = %2 to %4 step %3 : i32 {
// CHECK-NEXT:     %6 = word.load %0[%5] : !word.buffer<4> -> i32
// CHECK-NEXT:     word.store %6, %1[%5] : i32, !word.buffer<4>
// CHECK-NEXT:   }
// CHECK-NEXT:   %7 = word.constant 2 : i32
// CHECK-NEXT:   %8 = word.mul %i, %7 : i32
// CHECK-NEXT:   %9 = word.add %8, %i : i32
// CHECK-NEXT:   %x = word.load %0[%9] : !word.buffer<4> -> i32
// CHECK-NEXT:   func.return %x : i32
// CHECK-NEXT: }
memref.global "private" constant @table : memref<2x2xi8> = dense<[[1, -1], [2, 3]]>
func.func @memory(%i: index) -> i8 {
  %t = memref.get_global @table : memref<2x2xi8>
  %a = memref.alloc() : memref<2x2xi8>
  memref.copy %t, %a : memref<2x2xi8> to memref<2x2xi8>
  %u = memref.get_global @table : memref<2x2xi8>
  %x = memref.load %u[%i, %i] : memref<2x2xi8>
  memref.dealloc %a : memref<2x2xi8>
  return %x : i8
}
// -----
// CHECK:      func.func @passed(%m: !word.buffer<16>, %i: i32, %n: i32) {{.*}} {
// CHECK-NEXT:   %c0 = word.constant 0 : i32
// CHECK-NEXT:   %c1 = word.constant 1 : i32
// CHECK-NEXT:   %0 = word.subbuffer %m[%i] : !word.buffer<16> to !word.buffer<?>
// CHECK-NEXT:   %1 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %0) -> (!word.buffer<?>) : i32 {
// CHECK-NEXT:     %x = word.load %p[%k] : !word.buffer<?> -> i32
// CHECK-NEXT:     %2 = word.constant 0 : i32
// CHECK-NEXT:     word.store %x, %p[%2] : i32, !word.buffer<?>
// CHECK-NEXT:     %3 = word.subbuffer %m[%n] : !word.buffer<16> to !word.buffer<?>
// CHECK-NEXT:     scf.yield %3 : !word.buffer<?>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @passed(%m: memref<16xi32>, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.subview %m[%i] [4] [1] : memref<16xi32> to memref<4xi32, strided<[1], offset: ?>>
  %w = memref.subview %m[%n] [4] [1] : memref<16xi32> to memref<4xi32, strided<[1], offset: ?>>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %v)
      -> (memref<4xi32, strided<[1], offset: ?>>) {
    %x = memref.load %p[%k] : memref<4xi32, strided<[1], offset: ?>>
    memref.store %x, %p[%c0] : memref<4xi32, strided<[1], offset: ?>>
    scf.yield %w : memref<4xi32, strided<[1], offset: ?>>
  }
  return
}
