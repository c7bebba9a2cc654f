// RUN: vliw-opt %s --split-input-file -p convert-std-to-kernel | filecheck %s

// CHECK-LABEL: @matmul
// CHECK:         %[[A:[0-9]+]] = kernel.broadcast %a dims [0, 2] : tensor<3x4xi32> to tensor<3x5x4xi32>
// CHECK-NEXT:    %[[B:[0-9]+]] = kernel.broadcast %b dims [2, 1] : tensor<4x5xi32> to tensor<3x5x4xi32>
// CHECK-NEXT:    %[[P:[0-9]+]] = kernel.mul %[[A]], %[[B]] : tensor<3x5x4xi32>
// CHECK-NEXT:    kernel.reduce add, %[[P]], %c dims [2] : tensor<3x5x4xi32> to tensor<3x5xi32>
func.func @matmul(%a: tensor<3x4xi32>, %b: tensor<4x5xi32>, %c: tensor<3x5xi32>)
    -> tensor<3x5xi32> {
  %m = linalg.matmul ins(%a, %b : tensor<3x4xi32>, tensor<4x5xi32>)
    outs(%c : tensor<3x5xi32>) -> tensor<3x5xi32>
  return %m : tensor<3x5xi32>
}

// -----

// The sum of two loops as a subscript is a gather; a narrow maximum is one of unsigned words.
// CHECK-LABEL: @windows
// CHECK:         %[[I:[0-9]+]] = kernel.iota 0 : tensor<4x3xi32>
// CHECK-NEXT:    %[[J:[0-9]+]] = kernel.iota 1 : tensor<4x3xi32>
// CHECK-NEXT:    %[[AT:[0-9]+]] = kernel.add %[[I]], %[[J]] : tensor<4x3xi32>
// CHECK-NEXT:    %[[X:[0-9]+]] = kernel.gather %a[%[[AT]]] : tensor<6xi32>, tensor<4x3xi32>
// CHECK:         %[[FLIPPED:[0-9]+]] = kernel.xor %[[X]], %{{.*}} : tensor<4x3xi32>
// CHECK:         kernel.reduce maxu, %[[FLIPPED]], %{{.*}} dims [1] : tensor<4x3xi32> to tensor<4xi32>
// CHECK:         kernel.xor
func.func @windows(%a: tensor<6xi8>, %k: tensor<3xi8>, %z: tensor<4xi8>) -> tensor<4xi8> {
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>,
                     affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%a, %k : tensor<6xi8>, tensor<3xi8>) outs(%z : tensor<4xi8>) {
  ^bb0(%x: i8, %window: i8, %greatest: i8):
    %m = arith.maxsi %x, %greatest : i8
    linalg.yield %m : i8
  } -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// -----

// What is no reduction of one operation becomes a loop that carries the outputs.
// CHECK-LABEL: @difference
// CHECK:         scf.for %[[I:[0-9]+]] = {{.*}} iter_args(%[[T:[0-9]+]] = %z) -> (tensor<i32>) : i32 {
// CHECK-NEXT:      %[[X:[0-9]+]] = kernel.extract %a[%[[I]]] : tensor<4xi32>
// CHECK-NEXT:      %[[ACC:[0-9]+]] = kernel.extract %[[T]][] : tensor<i32>
// CHECK-NEXT:      %d = word.sub %[[ACC]], %[[X]] : i32
// CHECK-NEXT:      %[[U:[0-9]+]] = kernel.insert %d, %[[T]][] : tensor<i32>
// CHECK-NEXT:      scf.yield %[[U]] : tensor<i32>
func.func @difference(%a: tensor<4xi32>, %z: tensor<i32>) -> tensor<i32> {
  %r = linalg.reduce ins(%a : tensor<4xi32>) outs(%z : tensor<i32>) dimensions = [0]
    (%x: i32, %acc: i32) {
      %d = arith.subi %acc, %x : i32
      linalg.yield %d : i32
    }
  return %r : tensor<i32>
}

// -----

// On memrefs: loops over loads and stores.
// CHECK-LABEL: @memrefs
// CHECK:         scf.for %[[I:[0-9]+]]
// CHECK-NEXT:      scf.for %[[J:[0-9]+]]
// CHECK:             %[[X:[0-9]+]] = word.load %a[%{{.*}}] : !word.buffer<12> -> i32
// CHECK-NOT:         word.load %b
// CHECK:             %y = word.add %[[X]], %s : i32
// CHECK:             word.store %y, %b[%{{.*}}] : i32, !word.buffer<12>
func.func @memrefs(%a: memref<3x4xi32>, %b: memref<4x3xi32>, %s: i32) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a : memref<3x4xi32>) outs(%b : memref<4x3xi32>) {
  ^bb0(%x: i32, %old: i32):
    %y = arith.addi %x, %s : i32
    linalg.yield %y : i32
  }
  return
}
