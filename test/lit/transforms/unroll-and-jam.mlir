// RUN: vliw-opt %s -p 'unroll-and-jam{factor=2}' --split-input-file --remarks=jam 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// Two rows at a time: the inner loop carries a sum for each of them.

// CHECK-LABEL:  @rows
// CHECK:          scf.for %i = %c0 to [[EIGHT:%\S+]] step
// CHECK-NEXT:       [[I1:%\S+]] = word.add %i,
// CHECK-NEXT:       [[S:%\S+]], [[S1:%\S+]] = scf.for %j = %c0 to %c9 step %c1 iter_args([[A:%\S+]] = %c0, [[A1:%\S+]] = %c0)
// CHECK-NEXT:         word.mul %i, %c9
// CHECK:              word.load
// CHECK-NEXT:         [[N:%\S+]] = word.add [[A]],
// CHECK-NEXT:         word.mul [[I1]], %c9
// CHECK:              word.load
// CHECK-NEXT:         [[N1:%\S+]] = word.add [[A1]],
// CHECK-NEXT:         scf.yield [[N]], [[N1]] : i32, i32
// CHECK-NEXT:       }
// CHECK-NEXT:       word.store [[S]], %b[%i]
// CHECK-NEXT:       word.store [[S1]], %b[[[I1]]]
// CHECK-NEXT:     } {vliw.unroll_and_jam = 1 : i64}
// The ninth row.
// CHECK-NEXT:     scf.for {{%\S+}} = [[EIGHT]] to %c9 step %c1
// REMARK:       2 iterations jammed [unroll-and-jam: passed]
func.func @rows(%a: !word.buffer<81>, %b: !word.buffer<9>) attributes {vliw.signature = (memref<9x9xi32>, memref<9xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c9 = word.constant 9 : i32
  scf.for %i = %c0 to %c9 step %c1 : i32 {
    %sum = scf.for %j = %c0 to %c9 step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
      %row = word.mul %i, %c9 : i32
      %o = word.add %row, %j : i32
      %x = word.load %a[%o] : !word.buffer<81> -> i32
      %next = word.add %acc, %x : i32
      scf.yield %next : i32
    }
    word.store %sum, %b[%i] : i32, !word.buffer<9>
  }
  func.return
}

// -----

// The row before is needed one column further: its copy would come too late.

// CHECK-LABEL:  @wavefront
// CHECK-COUNT-2: scf.for
// CHECK-NOT:    scf.for
// REMARK:       :3: remark: not jammed: a dependence would be turned around: word.store at {{.*}} and word.load at {{.*}} may touch the same word [unroll-and-jam: missed]
func.func @wavefront(%a: !word.buffer<1024>) attributes {vliw.signature = (memref<1024xi32>) -> ()} {
  %c1 = word.constant 1 : i32
  %c31 = word.constant 31 : i32
  %c32 = word.constant 32 : i32
  scf.for %i = %c1 to %c32 step %c1 : i32 {
    scf.for %j = %c1 to %c31 step %c1 : i32 {
      %row = word.mul %i, %c32 : i32
      %o = word.add %row, %j : i32
      %from = word.sub %o, %c31 : i32
      %v = word.load %a[%from] : !word.buffer<1024> -> i32
      word.store %v, %a[%o] : i32, !word.buffer<1024>
    }
  }
  func.return
}

// -----

// What the second loop stores is loaded by the first one in the next iteration.

// CHECK-LABEL:  @turned
// CHECK-COUNT-3: scf.for
// CHECK-NOT:    scf.for
// REMARK:       not jammed: a dependence would be turned around
// CHECK-LABEL:  @carries
// CHECK-COUNT-2: scf.for
// CHECK-NOT:    scf.for
// REMARK:       not jammed: it carries values [unroll-and-jam: missed]
// CHECK-LABEL:  @triangle
// CHECK-COUNT-2: scf.for
// CHECK-NOT:    scf.for
// REMARK:       not jammed: there is no loop inside with the same bounds in all iterations
func.func @turned(%a: !word.buffer<64>, %b: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  scf.for %t = %c0 to %c8 step %c1 : i32 {
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %v = word.load %a[%i] : !word.buffer<64> -> i32
      word.store %v, %b[%i] : i32, !word.buffer<64>
    }
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %v = word.load %b[%i] : !word.buffer<64> -> i32
      word.store %v, %a[%i] : i32, !word.buffer<64>
    }
  }
  func.return
}
func.func private @carries(%x: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%v = %x) -> (i32) : i32 {
    %w = scf.for %j = %c0 to %c8 step %c1 iter_args(%u = %v) -> (i32) : i32 {
      %n = word.mul %u, %j : i32
      scf.yield %n : i32
    }
    scf.yield %w : i32
  }
  func.return %r : i32
}
func.func private @triangle(%a: !word.buffer<64>, %x: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c8 = word.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      word.store %x, %a[%i] : i32, !word.buffer<64>
    }
  }
  func.return
}
