// RUN: vliw-opt %s --split-input-file -p convert-std-to-kernel | filecheck %s

// CHECK-LABEL: @slices
// CHECK:         %[[PART:[0-9]+]] = kernel.extract_slice %a[%{{.*}}, %i] strides [1, 2] : tensor<4x6xi32> to tensor<1x3xi32>
// CHECK-NEXT:    %s = kernel.reshape %[[PART]] : tensor<1x3xi32> to tensor<3xi32>
// CHECK-NEXT:    %[[ROW:[0-9]+]] = kernel.reshape %s : tensor<3xi32> to tensor<1x3xi32>
// CHECK:         kernel.insert_slice %[[ROW]], %a[%{{.*}}, %{{.*}}] strides [1, 1] : tensor<1x3xi32>, tensor<4x6xi32>
func.func @slices(%a: tensor<4x6xi32>, %i: index) -> tensor<4x6xi32> {
  %s = tensor.extract_slice %a[1, %i] [1, 3] [1, 2] : tensor<4x6xi32> to tensor<3xi32>
  %t = tensor.insert_slice %s into %a[2, 0] [1, 3] [1, 1] : tensor<3xi32> into tensor<4x6xi32>
  return %t : tensor<4x6xi32>
}

// -----

// CHECK-LABEL: @generated
// CHECK:         %[[I:[0-9]+]] = kernel.iota 0 : tensor<4xi32>
// CHECK-NEXT:    %[[X:[0-9]+]] = kernel.splat %x : tensor<4xi32>
// CHECK-NEXT:    %p = kernel.mul %[[I]], %[[X]] : tensor<4xi32>
// CHECK-NEXT:    kernel.gather %a[%p] : tensor<64xi32>, tensor<4xi32>
func.func @generated(%a: tensor<64xi32>, %x: index) -> tensor<4xi32> {
  %g = tensor.generate {
  ^bb0(%i: index):
    %p = arith.muli %i, %x : index
    %e = tensor.extract %a[%p] : tensor<64xi32>
    tensor.yield %e : i32
  } : tensor<4xi32>
  return %g : tensor<4xi32>
}

// -----

// CHECK-LABEL: @padded
// CHECK:         %[[EDGE:[0-9]+]] = kernel.splat %x : tensor<6xi32>
// CHECK:         kernel.insert_slice %a, %[[EDGE]][%{{.*}}] strides [1] : tensor<4xi32>, tensor<6xi32>
func.func @padded(%a: tensor<4xi32>, %x: i32) -> tensor<6xi32> {
  %p = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %x : i32
  } : tensor<4xi32> to tensor<6xi32>
  return %p : tensor<6xi32>
}
