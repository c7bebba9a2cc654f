// RUN: vliw-opt %s -p convert-std-to-kernel --split-input-file | filecheck %s

// CHECK-LABEL: @f
// CHECK:         %[[UP:.*]] = word.mins %{{.*}}, %{{.*}} : i32
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[UP]] step %{{.*}} iter_args
// CHECK-NEXT:      %[[C2:.*]] = word.constant 2 : i32
// CHECK-NEXT:      %[[D:.*]] = word.mul %[[I]], %[[C2]] : i32
// CHECK-NEXT:      %[[E:.*]] = word.add %[[D]], %n : i32
// CHECK-NEXT:      word.load %x[%[[E]]] : !word.buffer<64> -> i32
// CHECK:           word.store %{{.*}}, %x[%[[I]]]
func.func @f(%n: index, %x: memref<64xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %s = affine.for %i = 0 to min affine_map<(d0) -> (d0, 32)>(%n) step 2 iter_args(%a = %zero) -> (i32) {
    %v = affine.load %x[%i * 2 + %n] : memref<64xi32>
    %b = arith.addi %a, %v : i32
    affine.store %b, %x[%i] : memref<64xi32>
    affine.yield %b : i32
  }
  return %s : i32
}
