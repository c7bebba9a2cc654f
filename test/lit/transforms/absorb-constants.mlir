// RUN: vliw-opt %s -p absorb-constants,simplify --split-input-file | filecheck %s

// One user takes the constant into a selection, the other one as a negation, which the sum and
// the selections take in.

// CHECK-LABEL: @hash(
// CHECK-NEXT:    %0 = word.constant 2 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c4 = word.constant 4 : i32
// CHECK-NEXT:    %1 = word.constant 77 : i32
// CHECK-NEXT:    %2 = word.xor %p, %1 : i32
// CHECK-NEXT:    %3 = word.xor %q, %1 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<16> -> i32
// CHECK-NEXT:      %r = word.shru %x, %c4 : i32
// CHECK-NEXT:      %4 = word.and %r, %c1 : i32
// CHECK-NEXT:      %twice = word.shl %i, %c1 : i32
// CHECK-NEXT:      %5 = word.add %twice, %0 : i32
// CHECK-NEXT:      %next = word.sub %5, %4 : i32
// CHECK-NEXT:      %6 = word.select %4, %3, %2 : i32
// CHECK-NEXT:      %h2 = word.xor %r, %6 : i32
// CHECK-NEXT:      word.store %h2, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      word.store %next, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @hash(%n: i32, %p: i32, %q: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  %k = word.constant 77 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<16> -> i32
    %r = word.shru %x, %c4 : i32
    %h = word.xor %r, %k : i32
    %bit = word.and %h, %c1 : i32
    %twice = word.shl %i, %c1 : i32
    %child = word.add %twice, %bit : i32
    %next = word.add %child, %c1 : i32
    %node = word.select %bit, %p, %q : i32
    %h2 = word.xor %h, %node : i32
    word.store %h2, %b[%i] : i32, !word.buffer<16>
    word.store %next, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// Joined with a value from outside of the loop; through another join; a sum.

// CHECK-LABEL: @outside(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %0 = word.constant 77 : i32
// CHECK-NEXT:    %1 = word.add %q, %0 : i32
// CHECK-NEXT:    %2 = word.add %p, %0 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<16> -> i32
// CHECK-NEXT:      %y = word.load %b[%c1] : !word.buffer<16> -> i32
// CHECK-NEXT:      %s = word.add %x, %2 : i32
// CHECK-NEXT:      %3 = word.add %y, %1 : i32
// CHECK-NEXT:      %u = word.add %x, %3 : i32
// CHECK-NEXT:      word.store %s, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      word.store %u, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @outside(%n: i32, %p: i32, %q: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %k = word.constant 77 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<16> -> i32
    %y = word.load %b[%c1] : !word.buffer<16> -> i32
    %h = word.add %x, %k : i32
    %s = word.add %h, %p : i32
    %t = word.add %y, %q : i32
    %u = word.add %h, %t : i32
    word.store %s, %b[%i] : i32, !word.buffer<16>
    word.store %u, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// Not when a user needs the value itself, or has only values from the loop to put it in.

// CHECK-LABEL: @missed(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %k = word.constant 77 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<16> -> i32
// CHECK-NEXT:      %h = word.xor %x, %k : i32
// CHECK-NEXT:      %s = word.xor %h, %p : i32
// CHECK-NEXT:      word.store %h, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      word.store %s, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      %y = word.load %b[%c1] : !word.buffer<16> -> i32
// CHECK-NEXT:      %g = word.xor %y, %k : i32
// CHECK-NEXT:      %t = word.xor %g, %p : i32
// CHECK-NEXT:      %u = word.xor %g, %x : i32
// CHECK-NEXT:      word.store %t, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      word.store %u, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @missed(%n: i32, %p: i32, %q: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %k = word.constant 77 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<16> -> i32
    %h = word.xor %x, %k : i32
    %s = word.xor %h, %p : i32
    word.store %h, %b[%i] : i32, !word.buffer<16>
    word.store %s, %b[%i] : i32, !word.buffer<16>
    %y = word.load %b[%c1] : !word.buffer<16> -> i32
    %g = word.xor %y, %k : i32
    %t = word.xor %g, %p : i32
    %u = word.xor %g, %x : i32
    word.store %t, %b[%i] : i32, !word.buffer<16>
    word.store %u, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}
