// RUN: vliw-opt %s | vliw-opt | filecheck %s

func.func @elements(%a: i32, %w: vector<2xi32>) {
  // CHECK: %{{.*}} = vector.from_elements %a, %a : vector<2xi32>
  %0 = vector.from_elements %a, %a : vector<2xi32>
  // CHECK: %{{.*}} = vector.to_elements %w : vector<2xi32>
  %1, %2 = vector.to_elements %w : vector<2xi32>
  // CHECK: %{{.*}} = vector.step : vector<8xindex>
  %3 = vector.step : vector<8xindex>
  return
}
func.func @older(%a: i32, %i: index, %v: vector<8xi32>, %z: vector<i32>) {
  // CHECK: %{{.*}} = vector.splat %a : vector<8xi32>
  %0 = vector.splat %a : vector<8xi32>
  // CHECK: %{{.*}} = vector.extractelement %v[%i : index] : vector<8xi32>
  %1 = vector.extractelement %v[%i : index] : vector<8xi32>
  // CHECK: %{{.*}} = vector.extractelement %z[] : vector<i32>
  %2 = vector.extractelement %z[] : vector<i32>
  // CHECK: %{{.*}} = vector.insertelement %a, %v[%a : i32] : vector<8xi32>
  %3 = vector.insertelement %a, %v[%a : i32] : vector<8xi32>
  return
}
func.func @memory(%m: memref<64xi32>, %i: index, %ix: vector<8xi32>, %k: vector<8xi1>, %v: vector<8xi32>) {
  // CHECK: %{{.*}} = vector.gather %m[%i] [%ix], %k, %v : memref<64xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
  %0 = vector.gather %m[%i] [%ix], %k, %v : memref<64xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
  // CHECK: vector.scatter %m[%i] [%ix], %k, %v : memref<64xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32>
  vector.scatter %m[%i] [%ix], %k, %v : memref<64xi32>, vector<8xi32>, vector<8xi1>, vector<8xi32>
  // CHECK: %{{.*}} = vector.constant_mask [4] : vector<8xi1>
  %1 = vector.constant_mask [4] : vector<8xi1>
  return
}
func.func @shape(%v: vector<8xi32>, %h: vector<4xi32>, %w: vector<2x4xi32>) {
  // CHECK: %{{.*}} = vector.shape_cast %v : vector<8xi32> to vector<2x4xi32>
  %0 = vector.shape_cast %v : vector<8xi32> to vector<2x4xi32>
  // CHECK: %{{.*}} = vector.transpose %w, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
  %1 = vector.transpose %w, [1, 0] : vector<2x4xi32> to vector<4x2xi32>
  // CHECK: %{{.*}} = vector.extract_strided_slice %v {offsets = [2 : i64], sizes = [4 : i64], strides = [1 : i64]} : vector<8xi32> to vector<4xi32>
  %2 = vector.extract_strided_slice %v {offsets = [2], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
  // CHECK: %{{.*}} = vector.insert_strided_slice %h, %v {offsets = [2 : i64], strides = [1 : i64]} : vector<4xi32> into vector<8xi32>
  %3 = vector.insert_strided_slice %h, %v {offsets = [2], strides = [1]} : vector<4xi32> into vector<8xi32>
  // CHECK: %{{.*}} = vector.insert_strided_slice %h, %w {offsets = [1 : i64, 0 : i64], strides = [1 : i64]} : vector<4xi32> into vector<2x4xi32>
  %4 = vector.insert_strided_slice %h, %w {offsets = [1, 0], strides = [1]} : vector<4xi32> into vector<2x4xi32>
  return
}
func.func @reduce(%w: vector<2x4xi32>, %h: vector<4xi32>, %a: i32) {
  // CHECK: %{{.*}} = vector.multi_reduction <add>, %w, %h [0] : vector<2x4xi32> to vector<4xi32>
  %0 = vector.multi_reduction <add>, %w, %h [0] : vector<2x4xi32> to vector<4xi32>
  // CHECK: %{{.*}} = vector.multi_reduction <xor>, %w, %a [0, 1] : vector<2x4xi32> to i32
  %1 = vector.multi_reduction <xor>, %w, %a [0, 1] : vector<2x4xi32> to i32
  return
}
