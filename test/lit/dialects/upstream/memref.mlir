// RUN: vliw-opt %s | vliw-opt | filecheck %s

// CHECK: memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
// CHECK: memref.global @scratch : memref<4xi32> = uninitialized
memref.global @scratch : memref<4xi32> = uninitialized
// CHECK: memref.global "private" @zeros : memref<2x2xi32> = dense<0> {alignment = 64 : i64}
memref.global "private" @zeros : memref<2x2xi32> = dense<0> {alignment = 64 : i64}
// CHECK: memref.global "private" @elsewhere : memref<4xi32>
memref.global "private" @elsewhere : memref<4xi32>
func.func @f(%m: memref<4xi32>, %d: memref<?xi32>) {
  // CHECK: %{{.*}} = memref.get_global @table : memref<4xi32>
  %0 = memref.get_global @table : memref<4xi32>
  // CHECK: %{{.*}} = memref.cast %m : memref<4xi32> to memref<?xi32>
  %1 = memref.cast %m : memref<4xi32> to memref<?xi32>
  // CHECK: %{{.*}} = memref.cast %d : memref<?xi32> to memref<*xi32>
  %2 = memref.cast %d : memref<?xi32> to memref<*xi32>
  // CHECK: %{{.*}} = memref.rank %m : memref<4xi32>
  %3 = memref.rank %m : memref<4xi32>
  // CHECK: memref.copy %m, %d : memref<4xi32> to memref<?xi32>
  memref.copy %m, %d : memref<4xi32> to memref<?xi32>
  // CHECK: %{{.*}} = memref.transpose %0 (d0) -> (d0) {label = "same"} : memref<4xi32> to memref<4xi32>
  %4 = memref.transpose %0 (i) -> (i) {label = "same"} : memref<4xi32> to memref<4xi32>
  return
}
