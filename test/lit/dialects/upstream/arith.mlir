// RUN: vliw-opt %s | vliw-opt | filecheck %s

func.func @compare(%a: i32, %i: index, %v: vector<8xi32>, %t: tensor<?xi32>) {
  // CHECK: %{{.*}} = arith.cmpi ult, %a, %a : i32
  %0 = arith.cmpi ult, %a, %a : i32
  // CHECK: %{{.*}} = arith.cmpi sge, %i, %i {note} : index
  %1 = arith.cmpi sge, %i, %i {note} : index
  // CHECK: %{{.*}} = arith.cmpi slt, %v, %v : vector<8xi32>
  %2 = arith.cmpi slt, %v, %v : vector<8xi32>
  // CHECK: %{{.*}} = arith.cmpi eq, %t, %t : tensor<?xi32>
  %3 = arith.cmpi eq, %t, %t : tensor<?xi32>
  return
}
func.func @select(%c: i1, %cv: vector<8xi1>, %ct: tensor<4xi1>, %a: i32, %v: vector<8xi32>, %t: tensor<4xi32>) {
  // CHECK: %{{.*}} = arith.select %c, %a, %a : i32
  %0 = arith.select %c, %a, %a : i32
  // CHECK: %{{.*}} = arith.select %c, %v, %v : vector<8xi32>
  %1 = arith.select %c, %v, %v : vector<8xi32>
  // CHECK: %{{.*}} = arith.select %cv, %v, %v : vector<8xi1>, vector<8xi32>
  %2 = arith.select %cv, %v, %v : vector<8xi1>, vector<8xi32>
  // CHECK: %{{.*}} = arith.select %ct, %t, %t {note} : tensor<4xi1>, tensor<4xi32>
  %3 = arith.select %ct, %t, %t {note} : tensor<4xi1>, tensor<4xi32>
  return
}
func.func @cast(%a: i32, %b: i8, %i: index, %v: vector<8xi32>, %m: vector<8xi1>, %t: tensor<4xi32>) {
  // CHECK: %{{.*}} = arith.index_cast %a : i32 to index
  %0 = arith.index_cast %a : i32 to index
  // CHECK: %{{.*}} = arith.index_cast %v : vector<8xi32> to vector<8xindex>
  %1 = arith.index_cast %v : vector<8xi32> to vector<8xindex>
  // CHECK: %{{.*}} = arith.index_castui %i : index to i32
  %2 = arith.index_castui %i : index to i32
  // CHECK: %{{.*}} = arith.index_castui %a nneg : i32 to index
  %3 = arith.index_castui %a nneg : i32 to index
  // CHECK: %{{.*}} = arith.index_castui %t : tensor<4xi32> to tensor<4xindex>
  %4 = arith.index_castui %t : tensor<4xi32> to tensor<4xindex>
  // CHECK: %{{.*}} = arith.extui %m : vector<8xi1> to vector<8xi32>
  %5 = arith.extui %m : vector<8xi1> to vector<8xi32>
  // CHECK: %{{.*}} = arith.extui %b nneg : i8 to i32
  %6 = arith.extui %b nneg : i8 to i32
  // CHECK: %{{.*}} = arith.extsi %m : vector<8xi1> to vector<8xi32>
  %7 = arith.extsi %m : vector<8xi1> to vector<8xi32>
  // CHECK: %{{.*}} = arith.trunci %v : vector<8xi32> to vector<8xi8>
  %8 = arith.trunci %v : vector<8xi32> to vector<8xi8>
  // CHECK: %{{.*}} = arith.trunci %a overflow<nuw> : i32 to i8
  %9 = arith.trunci %a overflow<nuw> : i32 to i8
  return
}
func.func @exact(%a: i32, %v: vector<8xi32>) {
  // CHECK: %{{.*}} = arith.divui %a, %a exact : i32
  %0 = arith.divui %a, %a exact : i32
  // CHECK: %{{.*}} = arith.divsi %a, %a : i32
  %1 = arith.divsi %a, %a : i32
  // CHECK: %{{.*}} = arith.shrui %v, %v : vector<8xi32>
  %2 = arith.shrui %v, %v : vector<8xi32>
  // CHECK: %{{.*}} = arith.shrsi %a, %a exact : i32
  %3 = arith.shrsi %a, %a exact : i32
  // CHECK: %{{.*}} = arith.subui_extended %v, %v : vector<8xi32>, vector<8xi1>
  %4, %5 = arith.subui_extended %v, %v : vector<8xi32>, vector<8xi1>
  return
}
