// RUN: vliw-opt %s -p unroll-and-jam --split-input-file --remarks=jam 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// What is loaded for all rows is loaded once: as many rows as keep the loads from binding.

// CHECK-LABEL:  @product
// CHECK:          scf.for %i = %c0 to
// CHECK:            scf.for %k = %c0 to %c8 step %c1 iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}})
// CHECK-COUNT-1:      word.load %b{{.*}} -> vector<8xi32>
// CHECK-NOT:          word.load %b
// CHECK:          } {vliw.unroll_and_jam = 1 : i64}
// REMARK:       4 iterations jammed [unroll-and-jam: passed]
func.func @product(%a: !word.buffer<64>, %b: !word.buffer<64>, %c: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %zero = word.constant dense<0> : vector<8xi32>
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    %row = word.mul %i, %c8 : i32
    %sum = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (vector<8xi32>) : i32 {
      %o = word.add %row, %k : i32
      %x = word.load %a[%o] : !word.buffer<64> -> i32
      %v = word.broadcast %x : vector<8xi32>
      %at = word.mul %k, %c8 : i32
      %y = word.load %b[%at] : !word.buffer<64> -> vector<8xi32>
      %next = word.multiply_add %v, %y, %acc : vector<8xi32>
      scf.yield %next : vector<8xi32>
    }
    word.store %sum, %c[%row] : vector<8xi32>, !word.buffer<64>
  }
  func.return
}

// -----

// Nothing is shared, so that nothing is gained.

// CHECK-LABEL:  @unshared
// CHECK-COUNT-2: scf.for
// CHECK-NOT:     scf.for
// REMARK:       not jammed: it would not pay [unroll-and-jam: missed]
func.func @unshared(%a: !word.buffer<512>) attributes {vliw.signature = (memref<512xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %c512 = word.constant 512 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %c512 step %c8 : i32 {
      %o = word.add %i, %j : i32
      %x = word.load %a[%o] : !word.buffer<512> -> i32
      %y = word.mul %x, %x : i32
      word.store %y, %a[%o] : i32, !word.buffer<512>
    }
  }
  func.return
}

// -----

// The next step of a walk waits for the one before. Steps of several walks are done meanwhile.

// CHECK-LABEL: @walks
// CHECK:         scf.for {{.*}} {
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (vector<8xi32>, vector<8xi32>{{.*}}) : i32 {
// CHECK:             word.gather
// CHECK:             word.gather
func.func @walks(%n: i32, %t: !word.buffer<64>, %x: !word.buffer<64>) attributes {vliw.signature = (i32, memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %c64 = word.constant 64 : i32
  %m = word.constant dense<63> : vector<8xi32>
  scf.for %i = %c0 to %c64 step %c8 : i32 {
    %v = word.load %x[%i] : !word.buffer<64> -> vector<8xi32>
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %v) -> (vector<8xi32>) : i32 {
      %o = word.and %a, %m : vector<8xi32>
      %g = word.gather %t[%o] : !word.buffer<64> -> vector<8xi32>
      %p = word.mul %g, %g : vector<8xi32>
      %q = word.xor %p, %a : vector<8xi32>
      %s = word.shru %q, %m : vector<8xi32>
      %u = word.add %s, %q : vector<8xi32>
      scf.yield %u : vector<8xi32>
    }
    word.store %r, %x[%i] : vector<8xi32>, !word.buffer<64>
  }
  func.return
}
