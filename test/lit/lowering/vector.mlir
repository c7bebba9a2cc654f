// RUN: vliw-opt %s -p convert-std-to-kernel --split-input-file | filecheck %s

// CHECK:      func.func @lanes(%m: !word.buffer<8>, %i: i32, %x: i32) -> i32 {{.*}} {
// CHECK-NEXT:   %v = word.load %m[%i] : !word.buffer<8> -> vector<4xi32>
// CHECK-NEXT:   %a = word.extract %v[3] : vector<4xi32>
// CHECK-NEXT:   %0 = word.broadcast %a : vector<4xi32>
// CHECK-NEXT:   %1 = word.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK-NEXT:   %2 = word.broadcast %i : vector<4xi32>
// CHECK-NEXT:   %3 = word.cmp eq, %1, %2 : vector<4xi32>
// CHECK-NEXT:   %w = word.select %3, %0, %v : vector<4xi32>
// CHECK-NEXT:   %4 = word.extract %w[0] : vector<4xi32>
// CHECK-NEXT:   %5 = word.extract %w[1] : vector<4xi32>
// CHECK-NEXT:   %6 = word.extract %w[2] : vector<4xi32>
// CHECK-NEXT:   %7 = word.extract %w[3] : vector<4xi32>
// CHECK-NEXT:   %8 = word.extract %v[0] : vector<4xi32>
// CHECK-NEXT:   %9 = word.extract %v[1] : vector<4xi32>
// CHECK-NEXT:   %10 = word.extract %v[2] : vector<4xi32>
// CHECK-NEXT:   %11 = word.extract %v[3] : vector<4xi32>
// CHECK-NEXT:   %u = word.from_elements %4, %9 : vector<2xi32>
// CHECK-NEXT:   word.store %u, %m[%i] : vector<2xi32>, !word.buffer<8>
// CHECK-NEXT:   %12 = word.extract %v[0] : vector<4xi32>
// CHECK-NEXT:   %13 = word.extract %v[1] : vector<4xi32>
// CHECK-NEXT:   %14 = word.extract %v[2] : vector<4xi32>
// CHECK-NEXT:   %15 = word.extract %v[3] : vector<4xi32>
// CHECK-NEXT:   %16 = word.add %12, %13 : i32
// CHECK-NEXT:   %17 = word.add %14, %15 : i32
// CHECK-NEXT:   %18 = word.add %16, %17 : i32
// CHECK-NEXT:   %r = word.add %18, %x : i32
// CHECK-NEXT:   func.return %r : i32
// CHECK-NEXT: }
func.func @lanes(%m: memref<8xi32>, %i: index, %x: i32) -> i32 {
  %v = vector.load %m[%i] : memref<8xi32>, vector<4xi32>
  %a = vector.extract %v[3] : i32 from vector<4xi32>
  %w = vector.insert %a, %v[%i] : i32 into vector<4xi32>
  %u = vector.shuffle %w, %v [0, 5] : vector<4xi32>, vector<4xi32>
  vector.store %u, %m[%i] : memref<8xi32>, vector<2xi32>
  %r = vector.reduction <add>, %v, %x : vector<4xi32> into i32
  return %r : i32
}
// -----
// CHECK:      func.func @masked(%m: !word.buffer<8>, %i: i32, %v: i32) {{.*}} {
// CHECK-NEXT:   %o = word.broadcast %v : vector<2xi32>
// CHECK-NEXT:   %0 = word.constant dense<[0, 1]> : vector<2xi32>
// CHECK-NEXT:   %1 = word.broadcast %i : vector<2xi32>
// CHECK-NEXT:   %mask = word.cmp slt, %0, %1 : vector<2xi32>
// CHECK-NEXT:   %2 = word.constant dense<[0, 1]> : vector<2xi32>
// CHECK-NEXT:   %3 = word.broadcast %i : vector<2xi32>
// CHECK-NEXT:   %4 = word.add %3, %2 : vector<2xi32>
// CHECK-NEXT:   %5 = word.extract %o[0] : vector<2xi32>
// CHECK-NEXT:   %6 = word.extract %o[1] : vector<2xi32>
// CHECK-NEXT:   %7 = word.extract %mask[0] : vector<2xi32>
// CHECK-NEXT:   %8 = word.test %7
// CHECK-NEXT:   %9 = scf.if %8 -> (i32) {
// CHECK-NEXT:     %10 = word.extract %4[0] : vector<2xi32>
// CHECK-NEXT:     %11 = word.load %m[%10] : !word.buffer<8> -> i32
// CHECK-NEXT:     scf.yield %11 : i32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %5 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %12 = word.extract %mask[1] : vector<2xi32>
// CHECK-NEXT:   %13 = word.test %12
// CHECK-NEXT:   %14 = scf.if %13 -> (i32) {
// CHECK-NEXT:     %15 = word.extract %4[1] : vector<2xi32>
// CHECK-NEXT:     %16 = word.load %m[%15] : !word.buffer<8> -> i32
// CHECK-NEXT:     scf.yield %16 : i32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %6 : i32
// CHECK-NEXT:   }
// CHECK-NEXT:   %w = word.from_elements %9, %14 : vector<2xi32>
// CHECK-NEXT:   %17 = word.constant dense<[0, 1]> : vector<2xi32>
// CHECK-NEXT:   %18 = word.broadcast %i : vector<2xi32>
// CHECK-NEXT:   %19 = word.add %18, %17 : vector<2xi32>
// CHECK-NEXT:   %20 = word.extract %w[0] : vector<2xi32>
// CHECK-NEXT:   %21 = word.extract %w[1] : vector<2xi32>
// CHECK-NEXT:   %22 = word.extract %mask[0] : vector<2xi32>
// CHECK-NEXT:   %23 = word.test %22
// CHECK-NEXT:   scf.if %23 {
// CHECK-NEXT:     %24 = word.extract %19[0] : vector<2xi32>
// CHECK-NEXT:     word.store %20, %m[%24] : i32, !word.buffer<8>
// CHECK-NEXT:   }
// CHECK-NEXT:   %25 = word.extract %mask[1] : vector<2xi32>
// CHECK-NEXT:   %26 = word.test %25
// CHECK-NEXT:   scf.if %26 {
// CHECK-NEXT:     %27 = word.extract %19[1] : vector<2xi32>
// CHECK-NEXT:     word.store %21, %m[%27] : i32, !word.buffer<8>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @masked(%m: memref<8xi32>, %i: index, %v: i32) {
  %o = vector.broadcast %v : i32 to vector<2xi32>
  %mask = vector.create_mask %i : vector<2xi1>
  %w = vector.maskedload %m[%i], %mask, %o
    : memref<8xi32>, vector<2xi1>, vector<2xi32> into vector<2xi32>
  vector.maskedstore %m[%i], %mask, %w : memref<8xi32>, vector<2xi1>, vector<2xi32>
  return
}
// -----
// CHECK:      func.func @indexed(%m: !word.buffer<64>, %i: i32, %v: i32) {{.*}} {
// CHECK-NEXT:   %c0 = word.constant 0 : i32
// CHECK-NEXT:   %all = word.constant dense<1> : vector<2xi32>
// CHECK-NEXT:   %o = word.broadcast %v : vector<2xi32>
// CHECK-NEXT:   %ix = word.constant dense<[0, 1]> : vector<2xi32>
// CHECK-NEXT:   %0 = word.constant 8 : i32
// CHECK-NEXT:   %1 = word.mul %i, %0 : i32
// CHECK-NEXT:   %2 = word.broadcast %1 : vector<2xi32>
// CHECK-NEXT:   %3 = word.add %2, %ix : vector<2xi32>
// CHECK-NEXT:   %w = word.gather %m[%3] : !word.buffer<64> -> vector<2xi32>
// CHECK-NEXT:   %4 = word.broadcast %i : vector<2xi32>
// CHECK-NEXT:   %5 = word.add %4, %ix : vector<2xi32>
// CHECK-NEXT:   word.scatter %w, %m[%5] : vector<2xi32>, !word.buffer<64>
// CHECK-NEXT:   func.return
// CHECK-NEXT: }
func.func @indexed(%m: memref<8x8xi32>, %i: index, %v: i32) {
  %c0 = arith.constant 0 : index
  %all = vector.constant_mask [2] : vector<2xi1>
  %o = vector.broadcast %v : i32 to vector<2xi32>
  %ix = vector.step : vector<2xindex>
  %w = vector.gather %m[%i, %c0][%ix], %all, %o
    : memref<8x8xi32>, vector<2xindex>, vector<2xi1>, vector<2xi32> into vector<2xi32>
  vector.scatter %m[%c0, %i][%ix], %all, %w
    : memref<8x8xi32>, vector<2xindex>, vector<2xi1>, vector<2xi32>
  return
}
