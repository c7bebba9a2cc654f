// RUN: vliw-opt %s | vliw-opt | filecheck %s

func.func @f(%n: index, %a: i32, %t: tensor<8xi32>, %ix: tensor<4x1xindex>) {
  // CHECK: %{{.*}} = tensor.generate %n {
  %0 = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %a : i32
  } : tensor<?xi32>
  // CHECK: %{{.*}} = tensor.generate {
  %1 = tensor.generate {
  ^bb0(%i: index, %j: index):
    tensor.yield %a : i32
  } : tensor<2x3xi32>
  // CHECK: %{{.*}} = tensor.gather %t[%ix] gather_dims([0]) : (tensor<8xi32>, tensor<4x1xindex>) -> tensor<4xi32>
  %2 = tensor.gather %t[%ix] gather_dims([0]) : (tensor<8xi32>, tensor<4x1xindex>) -> tensor<4xi32>
  // CHECK: %{{.*}} = tensor.gather %t[%ix] gather_dims([0]) unique : (tensor<8xi32>, tensor<4x1xindex>) -> tensor<4x1xi32>
  %3 = tensor.gather %t[%ix] gather_dims([0]) unique : (tensor<8xi32>, tensor<4x1xindex>) -> tensor<4x1xi32>
  return
}
