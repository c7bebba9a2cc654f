// RUN: vliw-opt %s -p strength-reduction,simplify --split-input-file | filecheck %s

// Four operations per iteration for two places become two: one addition each.

// CHECK-LABEL: @two_places(
// CHECK-NEXT:    %0 = word.constant 36 : i32
// CHECK-NEXT:    %1 = word.constant -1 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c3 = word.constant 3 : i32
// CHECK-NEXT:    %2 = word.add %p, %q : i32
// CHECK-NEXT:    %3 = word.constant 12 : i32
// CHECK-NEXT:    %4 = word.mul %p, %3 : i32
// CHECK-NEXT:    %5 = word.add %2, %4 : i32
// CHECK-NEXT:    %t = scf.for %i = %p to %n step %c3 iter_args(%t_1 = %5) -> (i32) : i32 {
// CHECK-NEXT:      %u = word.add %t_1, %1 : i32
// CHECK-NEXT:      %x = word.load %b[%t_1] : !word.buffer<256> -> i32
// CHECK-NEXT:      word.store %x, %b[%u] : i32, !word.buffer<256>
// CHECK-NEXT:      word.store %c0, %b[%u] : i32, !word.buffer<256>
// CHECK-NEXT:      %6 = word.add %t_1, %0 : i32
// CHECK-NEXT:      scf.yield %6 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @two_places(%p: i32, %q: i32, %n: i32, %b: !word.buffer<256>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c12 = word.constant 12 : i32
  scf.for %i = %p to %n step %c3 : i32 {
    %s = word.mul %i, %c12 : i32
    %r = word.add %s, %p : i32
    %t = word.add %r, %q : i32
    %u = word.sub %t, %c1 : i32
    %x = word.load %b[%t] : !word.buffer<256> -> i32
    word.store %x, %b[%u] : i32, !word.buffer<256>
    word.store %c0, %b[%u] : i32, !word.buffer<256>
  }
  func.return
}

// -----

// A carried value costs as much as what it saves.

// CHECK-LABEL: @few_operations(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c12 = word.constant 12 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %s = word.mul %i, %c12 : i32
// CHECK-NEXT:      %t = word.add %s, %q : i32
// CHECK-NEXT:      word.store %c0, %b[%t] : i32, !word.buffer<256>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @few_operations(%q: i32, %n: i32, %b: !word.buffer<256>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c12 = word.constant 12 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = word.mul %i, %c12 : i32
    %t = word.add %s, %q : i32
    word.store %c0, %b[%t] : i32, !word.buffer<256>
  }
  func.return
}

// -----

// The start of the inner loop's value is carried by the outer one; the step is not known.

// CHECK-LABEL: @nested(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %0 = word.constant 5 : i32
// CHECK-NEXT:    %1 = word.constant 17 : i32
// CHECK-NEXT:    %2 = word.mul %step, %1 : i32
// CHECK-NEXT:    %3 = scf.for %i = %c0 to %n step %step iter_args(%4 = %0) -> (i32) : i32 {
// CHECK-NEXT:      %v = scf.for %j = %i to %n step %c1 iter_args(%v_1 = %4) -> (i32) : i32 {
// CHECK-NEXT:        word.store %j, %b[%v_1] : i32, !word.buffer<256>
// CHECK-NEXT:        %5 = word.add %v_1, %0 : i32
// CHECK-NEXT:        scf.yield %5 : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %6 = word.add %4, %2 : i32
// CHECK-NEXT:      scf.yield %6 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @nested(%m: i32, %n: i32, %step: i32, %b: !word.buffer<256>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c5 = word.constant 5 : i32
  %c12 = word.constant 12 : i32
  scf.for %i = %c0 to %n step %step : i32 {
    scf.for %j = %i to %n step %c1 : i32 {
      %s = word.mul %i, %c12 : i32
      %t = word.mul %j, %c5 : i32
      %u = word.add %s, %t : i32
      %v = word.add %u, %c5 : i32
      word.store %j, %b[%v] : i32, !word.buffer<256>
    }
  }
  func.return
}

// -----

// Not with a factor or a term that changes in the loop, and not in a branch.

// CHECK-LABEL: @missed(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c12 = word.constant 12 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<256> -> i32
// CHECK-NEXT:      %s = word.mul %i, %c12 : i32
// CHECK-NEXT:      %t = word.add %s, %x : i32
// CHECK-NEXT:      %u = word.mul %t, %c12 : i32
// CHECK-NEXT:      %v = word.add %u, %c1 : i32
// CHECK-NEXT:      word.store %c0, %b[%v] : i32, !word.buffer<256>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @missed(%q: i32, %n: i32, %b: !word.buffer<256>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c12 = word.constant 12 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<256> -> i32
    %s = word.mul %i, %c12 : i32
    %t = word.add %s, %x : i32
    %u = word.mul %t, %c12 : i32
    %v = word.add %u, %c1 : i32
    word.store %c0, %b[%v] : i32, !word.buffer<256>
  }
  func.return
}
