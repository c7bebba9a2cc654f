// RUN: vliw-opt %s -p form-windows --split-input-file | filecheck %s

// Three windows over ten words: two vectors, the second one beyond the end of what is used, which
// is in the buffer.

// CHECK-LABEL: @stencil
// CHECK:         [[V:%\S+]] = word.load %a[%n] : !word.buffer<?> -> vector<8xi32>
// CHECK:         [[O:%\S+]] = word.add %n1, {{%\S+}} : i32
// CHECK-NEXT:    [[W:%\S+]] = word.load %a[[[O]]] : !word.buffer<?> -> vector<8xi32>
// CHECK-NEXT:    [[C:%\S+]] = word.concat [[V]], [[W]] : vector<8xi32>, vector<8xi32> -> vector<16xi32>
// CHECK-NEXT:    %m = word.slice [[C]][1] : vector<16xi32> -> vector<8xi32>
// CHECK-NEXT:    %r = word.slice [[C]][2] : vector<16xi32> -> vector<8xi32>
// CHECK-NEXT:    %x = word.extract [[V]][2] : vector<8xi32>
// CHECK-NOT:     word.load
func.func @stencil(%a: !word.buffer<?>, %n: i32) {
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %n1 = word.add %n, %c1 : i32
  %n2 = word.add %n, %c2 : i32
  %l = word.load %a[%n] : !word.buffer<?> -> vector<8xi32>
  %m = word.load %a[%n1] : !word.buffer<?> -> vector<8xi32>
  %r = word.load %a[%n2] : !word.buffer<?> -> vector<8xi32>
  %x = word.load %a[%n2] : !word.buffer<?> -> i32
  %lm = word.add %l, %m : vector<8xi32>
  %lmr = word.add %lm, %r : vector<8xi32>
  word.trace_write %x
  word.store %lmr, %a[%n] : vector<8xi32>, !word.buffer<?>
  func.return
}

// -----

// Where nothing is saved, all stays: vectors that only touch, and two that overlap.

// CHECK-LABEL: @nothing_saved
// CHECK-NOT:     word.concat
// CHECK-NOT:     word.slice
// CHECK:         func.return
func.func @nothing_saved(%a: !word.buffer<64>, %b: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c4 = word.constant 4 : i32
  %c8 = word.constant 8 : i32
  %u = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
  %v = word.load %a[%c8] : !word.buffer<64> -> vector<8xi32>
  %w = word.load %b[%c0] : !word.buffer<64> -> vector<8xi32>
  %x = word.load %b[%c4] : !word.buffer<64> -> vector<8xi32>
  word.store %u, %a[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %v, %a[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %w, %a[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %x, %a[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// A store in between: what it may have changed is loaded again. What another buffer holds stays,
// and so do the other vectors of the segment.

// CHECK-LABEL: @stores
// CHECK:         [[V0:%\S+]] = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
// CHECK:         [[V1:%\S+]] = word.load %a[{{%\S+}}] : !word.buffer<64> -> vector<8xi32>
// CHECK:         word.concat [[V0]], [[V1]]
// CHECK:         word.store {{%\S+}}, %b[%c0]
// CHECK-NEXT:    word.store {{%\S+}}, %a[%c0] : i32
// CHECK:         [[V2:%\S+]] = word.load %a[{{%\S+}}] : !word.buffer<64> -> vector<8xi32>
// CHECK-NEXT:    word.concat [[V2]], [[V1]]
// CHECK-NOT:     word.load
func.func @stores(%a: !word.buffer<64>, %b: !word.buffer<64>, %x: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %c3 = word.constant 3 : i32
  %c4 = word.constant 4 : i32
  %0 = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
  %1 = word.load %a[%c1] : !word.buffer<64> -> vector<8xi32>
  %2 = word.load %a[%c2] : !word.buffer<64> -> vector<8xi32>
  word.store %2, %b[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %x, %a[%c0] : i32, !word.buffer<64>
  %3 = word.load %a[%c3] : !word.buffer<64> -> vector<8xi32>
  %4 = word.load %a[%c4] : !word.buffer<64> -> vector<8xi32>
  %5 = word.add %0, %1 : vector<8xi32>
  %6 = word.add %3, %4 : vector<8xi32>
  word.store %5, %a[%c0] : vector<8xi32>, !word.buffer<64>
  word.store %6, %a[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}

// -----

// Behind an own array there may be nothing: nothing is loaded beyond the end of this one.

// CHECK-LABEL: @end
// CHECK-NOT:     word.slice
// CHECK:         func.return
func.func @end(%x: i32) {
  %a = word.alloc : !word.buffer<10>
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %l = word.load %a[%c0] : !word.buffer<10> -> vector<8xi32>
  %m = word.load %a[%c1] : !word.buffer<10> -> vector<8xi32>
  %r = word.load %a[%c2] : !word.buffer<10> -> vector<8xi32>
  %lm = word.add %l, %m : vector<8xi32>
  %lmr = word.add %lm, %r : vector<8xi32>
  %y = word.extract %lmr[0] : vector<8xi32>
  word.trace_write %y
  func.return
}

// -----

// A loop, or a pause, in between.

// CHECK-LABEL: @pause
// CHECK-NOT:     word.slice
// CHECK:         func.return
func.func @pause(%a: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c2 = word.constant 2 : i32
  %0 = word.load %a[%c0] : !word.buffer<64> -> vector<8xi32>
  word.pause
  %1 = word.load %a[%c1] : !word.buffer<64> -> vector<8xi32>
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    %2 = word.load %a[%c2] : !word.buffer<64> -> vector<8xi32>
    word.store %2, %a[%i] : vector<8xi32>, !word.buffer<64>
  }
  %3 = word.load %a[%c2] : !word.buffer<64> -> vector<8xi32>
  %4 = word.add %0, %1 : vector<8xi32>
  %5 = word.add %3, %4 : vector<8xi32>
  word.store %5, %a[%c0] : vector<8xi32>, !word.buffer<64>
  func.return
}
