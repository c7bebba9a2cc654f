// RUN: vliw-opt %s -p print-dependences 2>&1 >%t.out | filecheck %s

// CHECK:       @rows
// CHECK-NEXT:    loop at {{.*}}:12:3: parallel
// CHECK-NEXT:      (=, <): word.store at {{.*}}:19:7 and word.load at {{.*}}:17:7 may touch the same word
// CHECK-NEXT:    loop at {{.*}}:13:5: distance 3 or more, word.store at {{.*}}:19:7 and word.load
func.func @rows(%a: !word.buffer<1024>) attributes {vliw.signature = (memref<1024xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c32 = word.constant 32 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    scf.for %j = %c3 to %c32 step %c1 : i32 {
      %row = word.mul %i, %c32 : i32
      %o = word.add %row, %j : i32
      %from = word.sub %o, %c3 : i32
      %v = word.load %a[%from] : !word.buffer<1024> -> i32
      %w = word.add %v, %v : i32
      word.store %w, %a[%o] : i32, !word.buffer<1024>
    }
  }
  func.return
}
