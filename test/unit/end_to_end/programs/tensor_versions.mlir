// Tensors whose older versions stay in use.

func.func @f(%a: tensor<4xi32>, %c: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %x = tensor.extract %a[%c0] : tensor<4xi32>
  %y = tensor.extract %a[%c3] : tensor<4xi32>
  %b = tensor.insert %y into %a[%c0] : tensor<4xi32>
  %d = tensor.insert %x into %b[%c3] : tensor<4xi32>
  %r:2 = scf.if %c -> (tensor<4xi32>, tensor<4xi32>) {
    scf.yield %d, %a : tensor<4xi32>, tensor<4xi32>
  } else {
    scf.yield %b, %d : tensor<4xi32>, tensor<4xi32>
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}
