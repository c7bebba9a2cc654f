// `linalg.generic` with a broadcast, a transposed output and a reduction.

#id = affine_map<(i, j) -> (i, j)>
#b = affine_map<(i, j) -> (j)>
#t = affine_map<(i, j) -> (j, i)>
#r = affine_map<(i, j) -> (i)>
func.func @f(%x: memref<3x4xi8>, %b: memref<4xi8>, %o: memref<4x3xi8>, %s: memref<3xi32>) {
  linalg.generic {indexing_maps = [#id, #b, #t, #r], iterator_types = ["parallel", "reduction"]}
    ins(%x, %b : memref<3x4xi8>, memref<4xi8>) outs(%o, %s : memref<4x3xi8>, memref<3xi32>) {
    ^bb0(%xx: i8, %bb: i8, %oo: i8, %ss: i32):
      %0 = arith.addi %xx, %bb : i8
      %1 = arith.extsi %0 : i8 to i32
      %2 = arith.addi %ss, %1 : i32
      linalg.yield %0, %2 : i8, i32
  }
  return
}
