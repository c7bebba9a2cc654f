// One block of SHA-256, with nested calls and local memory.

memref.global constant @k : memref<64xi32> = dense<[0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0xfc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x6ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2]>

func.func private @rotr(%x: i32, %n: i32) -> i32 {
  %c32 = arith.constant 32 : i32
  %a = arith.shrui %x, %n : i32
  %m = arith.subi %c32, %n : i32
  %b = arith.shli %x, %m : i32
  %r = arith.ori %a, %b : i32
  return %r : i32
}
func.func private @sigma(%x: i32, %a: i32, %b: i32, %c: i32) -> i32 {
  %0 = func.call @rotr(%x, %a) : (i32, i32) -> i32
  %1 = func.call @rotr(%x, %b) : (i32, i32) -> i32
  %2 = arith.shrui %x, %c : i32
  %3 = arith.xori %0, %1 : i32
  %4 = arith.xori %3, %2 : i32
  return %4 : i32
}
func.func private @bigsigma(%x: i32, %a: i32, %b: i32, %c: i32) -> i32 {
  %0 = func.call @rotr(%x, %a) : (i32, i32) -> i32
  %1 = call @rotr(%x, %b) : (i32, i32) -> i32
  %2 = call @rotr(%x, %c) : (i32, i32) -> i32
  %3 = arith.xori %0, %1 : i32
  %4 = arith.xori %3, %2 : i32
  return %4 : i32
}
func.func @sha256(%block: memref<16xi32>, %state: memref<8xi32>) {
  %k = memref.get_global @k : memref<64xi32>
  %w = memref.alloca() : memref<64xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %0 = memref.load %block[%i] : memref<16xi32>
    memref.store %0, %w[%i] : memref<64xi32>
  }
  %i7 = arith.constant 7 : i32
  %i18 = arith.constant 18 : i32
  %i3 = arith.constant 3 : i32
  %i17 = arith.constant 17 : i32
  %i19 = arith.constant 19 : i32
  %i10 = arith.constant 10 : i32
  scf.for %i = %c16 to %c64 step %c1 {
    %a = arith.subi %i, %c15 : index
    %b = arith.subi %i, %c2 : index
    %c = arith.subi %i, %c16 : index
    %d = arith.subi %i, %c7 : index
    %wa = memref.load %w[%a] : memref<64xi32>
    %wb = memref.load %w[%b] : memref<64xi32>
    %wc = memref.load %w[%c] : memref<64xi32>
    %wd = memref.load %w[%d] : memref<64xi32>
    %s0 = func.call @sigma(%wa, %i7, %i18, %i3) : (i32, i32, i32, i32) -> i32
    %s1 = func.call @sigma(%wb, %i17, %i19, %i10) : (i32, i32, i32, i32) -> i32
    %1 = arith.addi %wc, %s0 : i32
    %2 = arith.addi %wd, %s1 : i32
    %3 = arith.addi %1, %2 : i32
    memref.store %3, %w[%i] : memref<64xi32>
  }
  %a0 = memref.load %state[%c0] : memref<8xi32>
  %b0 = memref.load %state[%c1] : memref<8xi32>
  %cc0 = memref.load %state[%c2] : memref<8xi32>
  %d0 = memref.load %state[%c3] : memref<8xi32>
  %e0 = memref.load %state[%c4] : memref<8xi32>
  %f0 = memref.load %state[%c5] : memref<8xi32>
  %g0 = memref.load %state[%c6] : memref<8xi32>
  %h0 = memref.load %state[%c7] : memref<8xi32>
  %i6 = arith.constant 6 : i32
  %i11 = arith.constant 11 : i32
  %i25 = arith.constant 25 : i32
  %i2 = arith.constant 2 : i32
  %i13 = arith.constant 13 : i32
  %i22 = arith.constant 22 : i32
  %m1 = arith.constant -1 : i32
  %r:8 = scf.for %i = %c0 to %c64 step %c1 iter_args(%a = %a0, %b = %b0, %c = %cc0, %d = %d0, %e = %e0, %f = %f0, %g = %g0, %h = %h0) -> (i32, i32, i32, i32, i32, i32, i32, i32) {
    %s1 = func.call @bigsigma(%e, %i6, %i11, %i25) : (i32, i32, i32, i32) -> i32
    %ef = arith.andi %e, %f : i32
    %ne = arith.xori %e, %m1 : i32
    %neg = arith.andi %ne, %g : i32
    %ch = arith.xori %ef, %neg : i32
    %ki = memref.load %k[%i] : memref<64xi32>
    %wi = memref.load %w[%i] : memref<64xi32>
    %1 = arith.addi %h, %s1 : i32
    %2 = arith.addi %1, %ch : i32
    %3 = arith.addi %2, %ki : i32
    %t1 = arith.addi %3, %wi : i32
    %s0 = func.call @bigsigma(%a, %i2, %i13, %i22) : (i32, i32, i32, i32) -> i32
    %ab = arith.andi %a, %b : i32
    %ac = arith.andi %a, %c : i32
    %bc = arith.andi %b, %c : i32
    %4 = arith.xori %ab, %ac : i32
    %maj = arith.xori %4, %bc : i32
    %t2 = arith.addi %s0, %maj : i32
    %e2 = arith.addi %d, %t1 : i32
    %a2 = arith.addi %t1, %t2 : i32
    scf.yield %a2, %a, %b, %c, %e2, %e, %f, %g : i32, i32, i32, i32, i32, i32, i32, i32
  }
  %o0 = arith.addi %a0, %r#0 : i32
  %o1 = arith.addi %b0, %r#1 : i32
  %o2 = arith.addi %cc0, %r#2 : i32
  %o3 = arith.addi %d0, %r#3 : i32
  %o4 = arith.addi %e0, %r#4 : i32
  %o5 = arith.addi %f0, %r#5 : i32
  %o6 = arith.addi %g0, %r#6 : i32
  %o7 = arith.addi %h0, %r#7 : i32
  memref.store %o0, %state[%c0] : memref<8xi32>
  memref.store %o1, %state[%c1] : memref<8xi32>
  memref.store %o2, %state[%c2] : memref<8xi32>
  memref.store %o3, %state[%c3] : memref<8xi32>
  memref.store %o4, %state[%c4] : memref<8xi32>
  memref.store %o5, %state[%c5] : memref<8xi32>
  memref.store %o6, %state[%c6] : memref<8xi32>
  memref.store %o7, %state[%c7] : memref<8xi32>
  return
}
