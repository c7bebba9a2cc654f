// Vectors with masks at the end of an array of unknown size.

func.func @f(%a: memref<?xi32>, %n: index, %k: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant dense<0> : vector<8xi32>
  %kv = vector.broadcast %k : i32 to vector<8xi32>
  %acc = scf.for %i = %c0 to %n step %c8 iter_args(%acc = %z) -> (vector<8xi32>) {
    %rem = arith.subi %n, %i : index
    %m = vector.create_mask %rem : vector<8xi1>
    %x = vector.maskedload %a[%i], %m, %z : memref<?xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
    %g = arith.cmpi sgt, %x, %kv : vector<8xi32>
    %s = arith.select %g, %kv, %x : vector<8xi1>, vector<8xi32>
    vector.maskedstore %a[%i], %m, %s : memref<?xi32>, vector<8xi1>, vector<8xi32>
    %t = arith.addi %acc, %s : vector<8xi32>
    scf.yield %t : vector<8xi32>
  }
  %r = vector.reduction <add>, %acc : vector<8xi32> into i32
  return %r : i32
}
