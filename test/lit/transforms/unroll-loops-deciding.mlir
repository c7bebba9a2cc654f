// RUN: vliw-opt %s --split-input-file -p 'unroll-loops{deciding}' | filecheck %s
// RUN: vliw-opt %s --split-input-file -p 'unroll-loops{deciding max-code=5}' | filecheck %s --check-prefix=LIMIT

// The counter decides how often the loop inside runs; that one decides nothing.

// CHECK-LABEL: @triangle
// CHECK:         %0 = word.constant 0 : i32
// CHECK-NEXT:    scf.for %j = %c0 to %0 step
// CHECK:         %1 = word.constant 1 : i32
// CHECK-NEXT:    scf.for %{{.*}} = %c0 to %1 step
// CHECK:         %2 = word.constant 2 : i32
// CHECK-NEXT:    scf.for %{{.*}} = %c0 to %2 step
// CHECK-NOT:     scf.for
// LIMIT-LABEL: @triangle
// LIMIT:         scf.for
// LIMIT:           scf.for
// LIMIT-NOT:     scf.for
// LIMIT-LABEL: @partners
func.func @triangle() {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      word.trace_write %j
      word.trace_write %j
    }
  }
  func.return
}

// -----

// Which iterations branch is known when both loops are unrolled: the outer one decides, too.

// CHECK-LABEL: @partners
// CHECK-NOT:     scf
// CHECK-COUNT-4: word.trace_write
// CHECK-NOT:     word.trace_write
func.func @partners() {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c4 = word.constant 4 : i32
  scf.for %k = %c1 to %c4 step %c2 : i32 {
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %l = word.xor %i, %k : i32
      %lower = word.cmp ult, %i, %l : i32
      %t = word.test %lower
      scf.if %t {
        word.trace_write %l
      }
    }
  }
  func.return
}

// -----

// The branch depends on data, and the loop outside decides nothing.

// CHECK-LABEL: @undecided
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK:             scf.if
func.func @undecided(%x: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  scf.for %k = %c0 to %c4 step %c1 : i32 {
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %l = word.xor %i, %x : i32
      %t = word.test %l
      scf.if %t {
        word.trace_write %l
      }
    }
  }
  func.return
}
