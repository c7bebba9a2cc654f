// RUN: vliw-opt %s | vliw-opt | filecheck %s

// The short form is read as the body it stands for; a reduction's accumulator comes first.

// CHECK-LABEL: func.func @map
func.func @map(%a: tensor<8xi32>, %b: tensor<8xi32>, %c: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK:      linalg.map ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>) (%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32) {
  // CHECK-NEXT:   %{{.*}} = arith.subi %{{.*}}, %{{.*}} : i32
  // CHECK-NEXT:   linalg.yield
  %0 = linalg.map { arith.subi {overflowFlags = #arith.overflow<none>} } ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>)
  // CHECK:      linalg.map ins(%a : tensor<8xi32>) outs(%c : tensor<8xi32>) (%x: i32) {
  %1 = linalg.map ins(%a : tensor<8xi32>) outs(%c : tensor<8xi32>)
    (%x: i32) {
      linalg.yield %x : i32
    }
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @reduce
func.func @reduce(%a: memref<8x4xi32>, %c: memref<8xi32>) {
  // CHECK:      linalg.reduce ins(%a:memref<8x4xi32>) outs(%c:memref<8xi32>) dimensions = [1]
  // CHECK-NEXT: (%[[IN:.*]]: i32, %[[ACC:.*]]: i32) {
  // CHECK-NEXT:   %{{.*}} = arith.subi %[[ACC]], %[[IN]] : i32
  linalg.reduce { arith.subi } ins(%a : memref<8x4xi32>) outs(%c : memref<8xi32>) dimensions = [1]
  return
}

// Narrower inputs of a named operation are sign-extended.

// CHECK-LABEL: func.func @widen
func.func @widen(%a: tensor<3xi8>, %o: tensor<i32>) {
  // CHECK: linalg.dot ins(%a, %a : tensor<3xi8>, tensor<3xi8>) outs(%o : tensor<i32>) -> tensor<i32>
  %0 = linalg.dot ins(%a, %a : tensor<3xi8>, tensor<3xi8>) outs(%o : tensor<i32>) -> tensor<i32>
  return
}
