// RUN: vliw-opt %s -p distribute-loops --split-input-file --remarks=distribute 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// A recurrence beside independent iterations; what both load is loaded twice.

// CHECK-LABEL: @recurrence
// CHECK:         scf.for
// CHECK:           word.load %a
// CHECK:           word.load %c
// CHECK:           word.store %{{\S+}}, %a
// CHECK:         }
// CHECK:         scf.for
// CHECK:           word.load %c
// CHECK:           word.store %{{\S+}}, %b
// CHECK:         }
// REMARK:        distributed into 2 loops [distribute-loops: passed]
func.func @recurrence(%a: !word.buffer<64>, %b: !word.buffer<64>, %c: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c63 = word.constant 63 : i32
  scf.for %i = %c0 to %c63 step %c1 : i32 {
    %n = word.add %i, %c1 : i32
    %x = word.load %a[%i] : !word.buffer<64> -> i32
    %y = word.load %c[%i] : !word.buffer<64> -> i32
    %z = word.mul %x, %y : i32
    word.store %z, %a[%n] : i32, !word.buffer<64>
    %w = word.add %y, %i : i32
    word.store %w, %b[%i] : i32, !word.buffer<64>
  }
  func.return
}

// -----

// What is stored later in an iteration is needed by the recurrence: its loop comes first.

// CHECK-LABEL: @backwards
// CHECK:         scf.for
// CHECK:           word.store %{{\S+}}, %b
// CHECK:         }
// CHECK:         [[R:%\S+]] = scf.for
// CHECK:           word.load %b
// CHECK:           word.mul
// CHECK:         }
// CHECK:         func.return [[R]]
// All parts are of one kind, or depend on each other around the loop.
// CHECK-LABEL: @together
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
// CHECK:         func.return
func.func @backwards(%b: !word.buffer<64>, %x: i32) -> i32 attributes {vliw.signature = (memref<64xi32>, i32) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c63 = word.constant 63 : i32
  %r = scf.for %i = %c0 to %c63 step %c1 iter_args(%v = %x) -> (i32) : i32 {
    %n = word.add %i, %c1 : i32
    %y = word.load %b[%i] : !word.buffer<64> -> i32
    %z = word.mul %v, %x : i32
    %w = word.add %z, %y : i32
    word.store %n, %b[%n] : i32, !word.buffer<64>
    scf.yield %w : i32
  }
  func.return %r : i32
}
func.func private @together(%a: !word.buffer<64>, %b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c63 = word.constant 63 : i32
  scf.for %i = %c0 to %c63 step %c1 : i32 {
    %n = word.add %i, %c1 : i32
    %x = word.load %a[%i] : !word.buffer<64> -> i32
    word.store %x, %b[%n] : i32, !word.buffer<64>
    %y = word.load %b[%i] : !word.buffer<64> -> i32
    word.store %y, %a[%n] : i32, !word.buffer<64>
  }
  func.return
}
