// RUN: vliw-opt %s -p 'strip-mine{size=4}' --split-input-file --remarks=strip 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// CHECK-LABEL: @even
// CHECK:         scf.for [[I:%\S+]] = %c0 to %c64 step [[FOUR:%\S+]]
// CHECK:           [[END:%\S+]] = word.add [[I]], [[LENGTH:%\S+]]
// CHECK-NEXT:      scf.for [[J:%\S+]] = [[I]] to [[END]] step %c1
// CHECK-NEXT:        word.store [[J]], %a[[[J]]]
// CHECK-NEXT:      } {vliw.strip_mine = 1 : i64}
// CHECK-NEXT:    } {vliw.strip_mine = 1 : i64}
// REMARK:        divided into strips of 4 iterations [strip-mine: passed]
// The last strip is shorter.
// CHECK-LABEL: @odd
// CHECK:         word.minu
// CHECK-LABEL: @short
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
// CHECK:         func.return
// REMARK:        not divided: it runs 3 times only [strip-mine: missed]
// CHECK-LABEL: @wraps
// REMARK:        not divided: the counter would wrap around
func.func @even(%a: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    word.store %i, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
func.func private @odd(%a: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c63 = word.constant 63 : i32
  scf.for %i = %c0 to %c63 step %c1 : i32 {
    word.store %i, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
func.func private @short(%a: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    word.store %i, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
func.func private @wraps() {
  %low = word.constant 2147483630 : i32
  %c1 = word.constant 1 : i32
  %high = word.constant 2147483646 : i32
  scf.for %i = %low to %high step %c1 : i32 {
    word.trace_write %i
  }
  func.return
}
