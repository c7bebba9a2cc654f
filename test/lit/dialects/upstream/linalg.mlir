// RUN: vliw-opt %s | vliw-opt | filecheck %s

func.func @contract(%m: tensor<4x3xi32>, %v: tensor<3xi32>, %s: tensor<i32>, %o: tensor<4xi32>, %b: tensor<2x4x3xi32>, %c: tensor<2x3x5xi32>, %p: tensor<2x4x5xi32>) {
  // CHECK: %{{.*}} = linalg.dot ins(%v, %v : tensor<3xi32>, tensor<3xi32>) outs(%s : tensor<i32>) -> tensor<i32>
  %0 = linalg.dot ins(%v, %v : tensor<3xi32>, tensor<3xi32>) outs(%s : tensor<i32>) -> tensor<i32>
  // CHECK: %{{.*}} = linalg.matvec ins(%m, %v : tensor<4x3xi32>, tensor<3xi32>) outs(%o : tensor<4xi32>) -> tensor<4xi32>
  %1 = linalg.matvec ins(%m, %v : tensor<4x3xi32>, tensor<3xi32>) outs(%o : tensor<4xi32>) -> tensor<4xi32>
  // CHECK: %{{.*}} = linalg.vecmat ins(%o, %m : tensor<4xi32>, tensor<4x3xi32>) outs(%v : tensor<3xi32>) -> tensor<3xi32>
  %2 = linalg.vecmat ins(%o, %m : tensor<4xi32>, tensor<4x3xi32>) outs(%v : tensor<3xi32>) -> tensor<3xi32>
  // CHECK: %{{.*}} = linalg.batch_matmul ins(%b, %c : tensor<2x4x3xi32>, tensor<2x3x5xi32>) outs(%p : tensor<2x4x5xi32>) -> tensor<2x4x5xi32>
  %3 = linalg.batch_matmul ins(%b, %c : tensor<2x4x3xi32>, tensor<2x3x5xi32>) outs(%p : tensor<2x4x5xi32>) -> tensor<2x4x5xi32>
  return
}
func.func @convolve(%a: tensor<10xi32>, %k: tensor<3xi32>, %o: tensor<8xi32>, %b: memref<10x10xi32>, %l: memref<3x3xi32>, %p: memref<8x8xi32>) {
  // CHECK: %{{.*}} = linalg.conv_1d ins(%a, %k : tensor<10xi32>, tensor<3xi32>) outs(%o : tensor<8xi32>) -> tensor<8xi32>
  %0 = linalg.conv_1d ins(%a, %k : tensor<10xi32>, tensor<3xi32>) outs(%o : tensor<8xi32>) -> tensor<8xi32>
  // CHECK: linalg.conv_2d ins(%b, %l : memref<10x10xi32>, memref<3x3xi32>) outs(%p : memref<8x8xi32>)
  linalg.conv_2d ins(%b, %l : memref<10x10xi32>, memref<3x3xi32>) outs(%p : memref<8x8xi32>)
  return
}
func.func @elementwise(%a: tensor<8xi32>, %c: tensor<8xi32>) {
  // CHECK: %{{.*}} = linalg.div ins(%a, %a : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>) -> tensor<8xi32>
  %0 = linalg.div ins(%a, %a : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>) -> tensor<8xi32>
  // CHECK: %{{.*}} = linalg.div_unsigned ins(%a, %a : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>) -> tensor<8xi32>
  %1 = linalg.div_unsigned ins(%a, %a : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>) -> tensor<8xi32>
  return
}
