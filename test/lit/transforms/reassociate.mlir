// RUN: vliw-opt %s -p reassociate --split-input-file | filecheck %s

// Multiples of a value are one multiple; constants come last.

// CHECK-LABEL: @multiples(
// CHECK-NEXT:    %0 = word.constant 9 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c3 = word.constant 3 : i32
// CHECK-NEXT:    %c5 = word.constant 5 : i32
// CHECK-NEXT:    %1 = word.mul %x, %0 : i32
// CHECK-NEXT:    %2 = word.sub %1, %y : i32
// CHECK-NEXT:    %s = word.add %2, %c5 : i32
// CHECK-NEXT:    word.store %s, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %v = word.sub %c3, %y : i32
// CHECK-NEXT:    word.store %v, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @multiples(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c3 = word.constant 3 : i32
  %c5 = word.constant 5 : i32
  %p = word.add %x, %c5 : i32
  %q = word.shl %x, %c3 : i32
  %r = word.sub %q, %y : i32
  %s = word.add %p, %r : i32
  word.store %s, %b[%c0] : i32, !word.buffer<16>
  // The value goes away altogether.
  %t = word.sub %x, %y : i32
  %u = word.add %t, %c3 : i32
  %v = word.sub %u, %x : i32
  word.store %v, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Pairs cancel, duplicates vanish.

// CHECK-LABEL: @bitwise(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c3 = word.constant 3 : i32
// CHECK-NEXT:    %c5 = word.constant 5 : i32
// CHECK-NEXT:    %0 = word.xor %z, %y : i32
// CHECK-NEXT:    %s = word.xor %0, %c5 : i32
// CHECK-NEXT:    word.store %s, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %u = word.and %z, %x : i32
// CHECK-NEXT:    %v = word.and %y, %u : i32
// CHECK-NEXT:    %w = word.and %v, %c3 : i32
// CHECK-NEXT:    word.store %w, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @bitwise(%x: i32, %y: i32, %z: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c3 = word.constant 3 : i32
  %c5 = word.constant 5 : i32
  %p = word.xor %x, %c5 : i32
  %q = word.xor %y, %x : i32
  %r = word.xor %z, %q : i32
  %s = word.xor %r, %p : i32
  word.store %s, %b[%c0] : i32, !word.buffer<16>
  %t = word.and %x, %c3 : i32
  %u = word.and %z, %x : i32
  %v = word.and %y, %u : i32
  %w = word.and %v, %t : i32
  word.store %w, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// What comes from outside of loops is joined outside of them, constants included.

// CHECK-LABEL: @ranks(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c7 = word.constant 7 : i32
// CHECK-NEXT:    %0 = word.sub %q, %p : i32
// CHECK-NEXT:    %1 = word.add %0, %c7 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<16> -> i32
// CHECK-NEXT:      %2 = word.add %x, %1 : i32
// CHECK-NEXT:      scf.for %j = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:        %y = word.load %b[%j] : !word.buffer<16> -> i32
// CHECK-NEXT:        %3 = word.add %y, %j : i32
// CHECK-NEXT:        %s4 = word.add %3, %2 : i32
// CHECK-NEXT:        word.store %s4, %b[%j] : i32, !word.buffer<16>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @ranks(%n: i32, %p: i32, %q: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c7 = word.constant 7 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<16> -> i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %y = word.load %b[%j] : !word.buffer<16> -> i32
      %s0 = word.add %y, %c7 : i32
      %s1 = word.add %s0, %x : i32
      %s2 = word.sub %s1, %p : i32
      %s3 = word.add %s2, %q : i32
      %s4 = word.add %s3, %j : i32
      word.store %s4, %b[%j] : i32, !word.buffer<16>
    }
  }
  func.return
}

// -----

// Moved into the arms of a selection that come from outside of the loop.

// CHECK-LABEL: @selection(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c7 = word.constant 7 : i32
// CHECK-NEXT:    %0 = word.xor %r, %c7 : i32
// CHECK-NEXT:    %1 = word.xor %q, %c7 : i32
// CHECK-NEXT:    %2 = word.xor %p, %c7 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<16> -> i32
// CHECK-NEXT:      %bit = word.and %x, %c1 : i32
// CHECK-NEXT:      %low = word.cmp ult, %i, %x : i32
// CHECK-NEXT:      %3 = word.select %bit, %2, %1 : i32
// CHECK-NEXT:      %4 = word.select %low, %3, %0 : i32
// CHECK-NEXT:      %v = word.xor %4, %x : i32
// CHECK-NEXT:      word.store %v, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @selection(%n: i32, %p: i32, %q: i32, %r: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c7 = word.constant 7 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<16> -> i32
    %bit = word.and %x, %c1 : i32
    %low = word.cmp ult, %i, %x : i32
    %s = word.select %bit, %p, %q : i32
    %t = word.select %low, %s, %r : i32
    %u = word.xor %x, %c7 : i32
    %v = word.xor %t, %u : i32
    word.store %v, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// Not where an arm comes from the loop, or the selection is used elsewhere.

// CHECK-LABEL: @selection_in_loop(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c7 = word.constant 7 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%i] : !word.buffer<16> -> i32
// CHECK-NEXT:      %bit = word.and %x, %c1 : i32
// CHECK-NEXT:      %s = word.select %bit, %p, %i : i32
// CHECK-NEXT:      %t = word.xor %x, %s : i32
// CHECK-NEXT:      %u = word.xor %t, %c7 : i32
// CHECK-NEXT:      word.store %u, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      %v = word.select %bit, %p, %q : i32
// CHECK-NEXT:      %w = word.xor %x, %v : i32
// CHECK-NEXT:      %y = word.xor %w, %c7 : i32
// CHECK-NEXT:      word.store %y, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      word.store %v, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @selection_in_loop(%n: i32, %p: i32, %q: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c7 = word.constant 7 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %b[%i] : !word.buffer<16> -> i32
    %bit = word.and %x, %c1 : i32
    %s = word.select %bit, %p, %i : i32
    %t = word.xor %x, %s : i32
    %u = word.xor %t, %c7 : i32
    word.store %u, %b[%i] : i32, !word.buffer<16>
    %v = word.select %bit, %p, %q : i32
    %w = word.xor %x, %v : i32
    %y = word.xor %w, %c7 : i32
    word.store %y, %b[%i] : i32, !word.buffer<16>
    word.store %v, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// The shape stays where nothing is gained.

// CHECK-LABEL: @balanced(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %p = word.add %w, %x : i32
// CHECK-NEXT:    %q = word.add %y, %z : i32
// CHECK-NEXT:    %r = word.add %p, %q : i32
// CHECK-NEXT:    word.store %r, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %s = word.add %x, %c1 : i32
// CHECK-NEXT:    %t = word.add %s, %y : i32
// CHECK-NEXT:    word.store %s, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %t, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    %sum = word.add %w, %y : i32
// CHECK-NEXT:    %scaled = word.mul %sum, %z : i32
// CHECK-NEXT:    %sum2 = word.shl %p, %c1 : i32
// CHECK-NEXT:    %total = word.add %sum2, %scaled : i32
// CHECK-NEXT:    word.store %total, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @balanced(%w: i32, %x: i32, %y: i32, %z: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %p = word.add %w, %x : i32
  %q = word.add %y, %z : i32
  %r = word.add %p, %q : i32
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  // %s is needed anyway.
  %s = word.add %x, %c1 : i32
  %t = word.add %s, %y : i32
  word.store %s, %b[%c0] : i32, !word.buffer<16>
  word.store %t, %b[%c1] : i32, !word.buffer<16>
  // One multiplication of a sum, not two.
  %sum = word.add %w, %y : i32
  %scaled = word.mul %sum, %z : i32
  %sum2 = word.shl %p, %c1 : i32
  %total = word.add %sum2, %scaled : i32
  word.store %total, %b[%c1] : i32, !word.buffer<16>
  func.return
}

// -----

// Vectors, minima, products.

// CHECK-LABEL: @others(
// CHECK-NEXT:    %0 = word.constant dense<[4, 5, 6, 7]> : vector<4xi32>
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c9 = word.constant 9 : i32
// CHECK-NEXT:    %pv = word.broadcast %p : vector<4xi32>
// CHECK-NEXT:    %1 = word.add %pv, %0 : vector<4xi32>
// CHECK-NEXT:    %2 = word.minu %p, %c9 : i32
// CHECK-NEXT:    %3 = word.mul %p, %c9 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %v[%i] : !word.buffer<16> -> vector<4xi32>
// CHECK-NEXT:      %u = word.add %x, %1 : vector<4xi32>
// CHECK-NEXT:      word.store %u, %b[%i] : vector<4xi32>, !word.buffer<16>
// CHECK-NEXT:      %m = word.minu %i, %2 : i32
// CHECK-NEXT:      word.store %m, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      %e = word.mul %i, %3 : i32
// CHECK-NEXT:      word.store %e, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @others(%n: i32, %v: !word.buffer<16>, %p: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant dense<3> : vector<4xi32>
  %mixed = word.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %c9 = word.constant 9 : i32
  %pv = word.broadcast %p : vector<4xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = word.load %v[%i] : !word.buffer<16> -> vector<4xi32>
    %s = word.add %x, %c3 : vector<4xi32>
    %t = word.add %s, %pv : vector<4xi32>
    %u = word.add %t, %mixed : vector<4xi32>
    word.store %u, %b[%i] : vector<4xi32>, !word.buffer<16>
    %l = word.minu %i, %c9 : i32
    %m = word.minu %l, %p : i32
    word.store %m, %b[%i] : i32, !word.buffer<16>
    %d = word.mul %i, %p : i32
    %e = word.mul %d, %c9 : i32
    word.store %e, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// What is computed outside does not use an equal value from inside of the loop.

// CHECK-LABEL: @equal_value_inside(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %s = word.add %y, %z : i32
// CHECK-NEXT:    %0 = word.mul %x, %s : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      word.store %s, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:      %v = word.load %b[%c0] : !word.buffer<16> -> i32
// CHECK-NEXT:      %u = word.add %v, %0 : i32
// CHECK-NEXT:      word.store %u, %b[%i] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @equal_value_inside(%n: i32, %x: i32, %y: i32, %z: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %p = word.mul %x, %y : i32
  %q = word.mul %x, %z : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s = word.add %y, %z : i32
    word.store %s, %b[%i] : i32, !word.buffer<16>
    %v = word.load %b[%c0] : !word.buffer<16> -> i32
    %t = word.add %v, %p : i32
    %u = word.add %t, %q : i32
    word.store %u, %b[%i] : i32, !word.buffer<16>
  }
  func.return
}
