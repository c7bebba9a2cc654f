// RUN: vliw-opt %s -p convert-std-to-kernel --split-input-file | filecheck %s

// CHECK:      func.func @words(%a: i32, %b: i32, %c: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %k = word.constant 42 : i32
// CHECK-NEXT:   %0 = word.add %a, %k : i32
// CHECK-NEXT:   %1 = word.floordivs %0, %b : i32
// CHECK-NEXT:   %2 = word.shrs %1, %a : i32
// CHECK-NEXT:   %3 = word.cmp sle, %2, %b : i32
// CHECK-NEXT:   %4 = word.and %3, %c : i32
// CHECK-NEXT:   %5 = word.select %4, %a, %2 : i32
// CHECK-NEXT:   %6 = word.mulhs %5, %a : i32
// CHECK-NEXT:   %7 = word.mul %5, %a : i32
// CHECK-NEXT:   func.return %6 : i32
// CHECK-NEXT: }
func.func @words(%a: i32, %b: i32, %c: i1) -> i32 {
  %k = arith.constant 42 : i32
  %0 = arith.addi %a, %k : i32
  %1 = arith.floordivsi %0, %b : i32
  %2 = arith.shrsi %1, %a : i32
  %3 = arith.cmpi sle, %2, %b : i32
  %4 = arith.andi %3, %c : i1
  %5 = arith.select %4, %a, %2 : i32
  %6, %7 = arith.mulsi_extended %5, %a : i32
  return %7 : i32
}
// -----
// CHECK:      func.func @bytes(%a: i32, %b: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %0 = word.add %a, %b : i32
// CHECK-NEXT:   %1 = word.constant 255 : i32
// CHECK-NEXT:   %2 = word.and %0, %1 : i32
// CHECK-NEXT:   %3 = word.constant 128 : i32
// CHECK-NEXT:   %4 = word.xor %2, %3 : i32
// CHECK-NEXT:   %5 = word.sub %4, %3 : i32
// CHECK-NEXT:   %6 = word.constant 128 : i32
// CHECK-NEXT:   %7 = word.xor %b, %6 : i32
// CHECK-NEXT:   %8 = word.sub %7, %6 : i32
// CHECK-NEXT:   %9 = word.rems %5, %8 : i32
// CHECK-NEXT:   %10 = word.constant 255 : i32
// CHECK-NEXT:   %11 = word.and %9, %10 : i32
// CHECK-NEXT:   %12 = word.constant 128 : i32
// CHECK-NEXT:   %13 = word.xor %11, %12 : i32
// CHECK-NEXT:   %14 = word.xor %a, %12 : i32
// CHECK-NEXT:   %15 = word.maxu %13, %14 : i32
// CHECK-NEXT:   %16 = word.xor %15, %12 : i32
// CHECK-NEXT:   %17 = word.constant 128 : i32
// CHECK-NEXT:   %18 = word.xor %16, %17 : i32
// CHECK-NEXT:   %19 = word.sub %18, %17 : i32
// CHECK-NEXT:   %20 = word.constant 65535 : i32
// CHECK-NEXT:   %21 = word.and %19, %20 : i32
// CHECK-NEXT:   %22 = word.constant 255 : i32
// CHECK-NEXT:   %23 = word.and %21, %22 : i32
// CHECK-NEXT:   func.return %23 : i32
// CHECK-NEXT: }
func.func @bytes(%a: i8, %b: i8) -> i8 {
  %0 = arith.addi %a, %b : i8
  %1 = arith.remsi %0, %b : i8
  %2 = arith.maxsi %1, %a : i8
  %3 = arith.extsi %2 : i8 to i16
  %4 = arith.trunci %3 : i16 to i8
  return %4 : i8
}
// -----
// CHECK:      func.func @vectors(%m: !word.buffer<8>, %i: i32, %c: i32) {{.*}} {
// CHECK-NEXT:   %a = word.load %m[%i] : !word.buffer<8> -> vector<4xi32>
// CHECK-NEXT:   %k = word.constant dense<[1, -2, 3, 4]> : vector<4xi32>
// CHECK-NEXT:   %b = word.mul %a, %k : vector<4xi32>
// CHECK-NEXT:   %t = word.cmp ult, %a, %b : vector<4xi32>
// CHECK-NEXT:   %x = word.select %t, %a, %b : vector<4xi32>
// CHECK-NEXT:   %0 = word.broadcast %c : vector<4xi32>
// CHECK-NEXT:   %y = word.select %0, %x, %a : vector<4xi32>
// CHECK-NEXT:   word.store %y, %m[%i] : vector<4xi32>, !word.buffer<8>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @vectors(%m: memref<8xi32>, %i: index, %c: i1) {
  %a = vector.load %m[%i] : memref<8xi32>, vector<4xi32>
  %k = arith.constant dense<[1, -2, 3, 4]> : vector<4xi32>
  %b = arith.muli %a, %k : vector<4xi32>
  %t = arith.cmpi ult, %a, %b : vector<4xi32>
  %x = arith.select %t, %a, %b : vector<4xi1>, vector<4xi32>
  %y = arith.select %c, %x, %a : vector<4xi32>
  vector.store %y, %m[%i] : memref<8xi32>, vector<4xi32>
  return
}
// -----
// CHECK:      func.func @tensors(%a: tensor<2x3xi32>) -> tensor<2x3xi32> {{.*}} {
// CHECK-NEXT:   %k = kernel.constant dense<255> : tensor<2x3xi32>
// CHECK-NEXT:   %0 = word.constant 255 : i32
// CHECK-NEXT:   %1 = kernel.splat %0 : tensor<2x3xi32>
// CHECK-NEXT:   %b = kernel.and %a, %1 : tensor<2x3xi32>
// CHECK-NEXT:   %c = kernel.xor %b, %k : tensor<2x3xi32>
// CHECK-NEXT:   func.return %c : tensor<2x3xi32>
// CHECK-NEXT: }
func.func @tensors(%a: tensor<2x3xi32>) -> tensor<2x3xi8> {
  %k = arith.constant dense<-1> : tensor<2x3xi8>
  %b = arith.trunci %a : tensor<2x3xi32> to tensor<2x3xi8>
  %c = arith.xori %b, %k : tensor<2x3xi8>
  return %c : tensor<2x3xi8>
}
// -----
// CHECK:      func.func @memrefs(%c: i32, %a: !word.buffer<4>, %b: !word.buffer<4>, %i: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %0 = word.test %c
// CHECK-NEXT:   %1 = scf.if %0 -> (!word.buffer<4>) {
// CHECK-NEXT:     scf.yield %a : !word.buffer<4>
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %b : !word.buffer<4>
// CHECK-NEXT:   }
// CHECK-NEXT:   %x = word.load %1[%i] : !word.buffer<4> -> i32
// CHECK-NEXT:   func.return %x : i32
// CHECK-NEXT: }
func.func @memrefs(%c: i1, %a: memref<4xi32>, %b: memref<4xi32>, %i: index) -> i32 {
  %m = arith.select %c, %a, %b : memref<4xi32>
  %x = memref.load %m[%i] : memref<4xi32>
  return %x : i32
}
