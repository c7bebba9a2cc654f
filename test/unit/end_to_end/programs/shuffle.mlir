// Shuffles and slices of vectors.

func.func @f(%a: memref<16xi32>, %o: memref<8xi32>, %p: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %x = vector.load %a[%c0] : memref<16xi32>, vector<8xi32>
  %y = vector.load %a[%c8] : memref<16xi32>, vector<8xi32>
  %s = vector.shuffle %x, %y [0, 8, 1, 9, 2, 10, 15, 7] : vector<8xi32>, vector<8xi32>
  vector.store %s, %o[%c0] : memref<8xi32>, vector<8xi32>
  %e = vector.extract_strided_slice %s {offsets = [2], sizes = [4], strides = [1]} : vector<8xi32> to vector<4xi32>
  %q = vector.extract %x[3] : i32 from vector<8xi32>
  %i = vector.insert %q, %e[0] : i32 into vector<4xi32>
  vector.store %i, %p[%c0] : memref<4xi32>, vector<4xi32>
  return
}
