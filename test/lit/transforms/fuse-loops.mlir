// RUN: vliw-opt %s -p fuse-loops --split-input-file --remarks=fuse 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// What the second loop loads was stored in the same iteration.

// CHECK-LABEL: @pointwise
// CHECK:         scf.for
// CHECK:           word.store %{{\S+}}, %b
// CHECK:           word.load %b
// CHECK:           word.store %{{\S+}}, %c
// CHECK-NOT:     scf.for
// REMARK:        fused with the loop before [fuse-loops: passed]
func.func @pointwise(%a: !word.buffer<64>, %b: !word.buffer<64>, %c: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %x = word.load %a[%i] : !word.buffer<64> -> i32
    word.store %x, %b[%i] : i32, !word.buffer<64>
  }
  %n = word.constant 64 : i32
  scf.for %j = %c0 to %n step %c1 : i32 {
    %y = word.load %b[%j] : !word.buffer<64> -> i32
    word.store %y, %c[%j] : i32, !word.buffer<64>
  }
  func.return
}

// -----

// The second sweep needs what a later iteration of the first one stores.

// CHECK-LABEL: @sweeps
// CHECK-COUNT-2: scf.for
// REMARK:        not fused: a dependence would be turned around
// CHECK-LABEL: @sum_first
// CHECK-COUNT-2: scf.for
// REMARK:        not fused: it needs what the loop before results in
// CHECK-LABEL: @other_bounds
// CHECK-COUNT-2: scf.for
// REMARK:        not fused: the bounds are not the same as those of the loop before
func.func @sweeps(%a: !word.buffer<66>, %b: !word.buffer<66>) attributes {vliw.signature = (memref<66xi32>, memref<66xi32>) -> ()} {
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c1 to %c64 step %c1 : i32 {
    %n = word.add %i, %c1 : i32
    %x = word.load %a[%n] : !word.buffer<66> -> i32
    word.store %x, %b[%i] : i32, !word.buffer<66>
  }
  scf.for %i = %c1 to %c64 step %c1 : i32 {
    %n = word.add %i, %c1 : i32
    %x = word.load %b[%n] : !word.buffer<66> -> i32
    word.store %x, %a[%i] : i32, !word.buffer<66>
  }
  func.return
}
func.func private @sum_first(%a: !word.buffer<64>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> (i32) : i32 {
    %u = word.add %t, %i : i32
    scf.yield %u : i32
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    word.store %s, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
func.func private @other_bounds(%a: !word.buffer<64>, %n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    word.store %i, %a[%i] : i32, !word.buffer<64>
  }
  scf.for %i = %c1 to %n step %c1 : i32 {
    word.store %n, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
