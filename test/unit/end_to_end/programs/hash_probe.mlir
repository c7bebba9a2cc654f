// Look-ups in a hash table with linear probing, some in vain.
module {
  func.func @hash_probe(%TK: memref<128xi32>, %TV: memref<128xi32>, %Q: memref<64xi32>, %O: memref<64xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %k_minus_1 = arith.constant -1 : i32
    %k0 = arith.constant 0 : i32
    %k1 = arith.constant 1 : i32
    %k127 = arith.constant 127 : i32
    %k25 = arith.constant 25 : i32
    %k2654435761 = arith.constant 2654435761 : i32
    scf.for %i = %c0 to %c64 step %c1 {
      %k = memref.load %Q[%i] : memref<64xi32>
      %m = arith.muli %k, %k2654435761 : i32
      %h = arith.shrui %m, %k25 : i32
      %p = scf.while (%p = %h) : (i32) -> (i32) {
        %ix = arith.index_cast %p : i32 to index
        %t = memref.load %TK[%ix] : memref<128xi32>
        %a = arith.cmpi ne, %t, %k0 : i32
        %b = arith.cmpi ne, %t, %k : i32
        %c = arith.andi %a, %b : i1
        scf.condition(%c) %p : i32
      } do {
      ^bb0(%p: i32):
        %n = arith.addi %p, %k1 : i32
        %q = arith.andi %n, %k127 : i32
        scf.yield %q : i32
      }
      %ix = arith.index_cast %p : i32 to index
      %t = memref.load %TK[%ix] : memref<128xi32>
      %hit = arith.cmpi eq, %t, %k : i32
      %o = scf.if %hit -> (i32) {
        %v = memref.load %TV[%ix] : memref<128xi32>
        scf.yield %v : i32
      } else {
        scf.yield %k_minus_1 : i32
      }
      memref.store %o, %O[%i] : memref<64xi32>
    }
    return
  }
}
