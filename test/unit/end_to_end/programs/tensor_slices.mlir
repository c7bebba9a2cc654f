// Strided slices of tensors at computed places.

func.func @f(%a: tensor<4x4xi32>, %b: tensor<2x2xi32>, %i: index) -> (tensor<4x4xi32>, tensor<2xi32>) {
  %s = tensor.extract_slice %a[%i, 1] [2, 2] [1, 2] : tensor<4x4xi32> to tensor<2x2xi32>
  %t = arith.muli %s, %b : tensor<2x2xi32>
  %u = tensor.insert_slice %t into %a[0, %i] [2, 2] [2, 1] : tensor<2x2xi32> into tensor<4x4xi32>
  %r = tensor.extract_slice %u[%i, 0] [1, 2] [1, 1] : tensor<4x4xi32> to tensor<2xi32>
  return %u, %r : tensor<4x4xi32>, tensor<2xi32>
}
