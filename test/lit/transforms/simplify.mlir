// RUN: vliw-opt %s -p simplify --split-input-file | filecheck %s

// Constants are folded, on vectors lane by lane.

// CHECK-LABEL: @fold(
// CHECK-NEXT:    %sum = word.constant 7 : i32
// CHECK-NEXT:    %less = word.constant 1 : i32
// CHECK-NEXT:    %p = word.constant dense<[4, 8, 12, 16]> : vector<4xi32>
// CHECK-NEXT:    %e = word.constant 12 : i32
// CHECK-NEXT:    %c3 = word.constant 3 : i32
// CHECK-NEXT:    %c4 = word.constant 4 : i32
// CHECK-NEXT:    word.store %less, %b[%sum] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %e, %b[%c3] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %p, %b[%c4] : vector<4xi32>, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @fold(%b: !word.buffer<16>) {
  %c3 = word.constant 3 : i32
  %c4 = word.constant 4 : i32
  %sum = word.add %c3, %c4 : i32
  %less = word.cmp slt, %c3, %c4 : i32
  %v = word.broadcast %c4 : vector<4xi32>
  %w = word.constant dense<[1, 2, 3, 4]> : vector<4xi32>
  %p = word.mul %v, %w : vector<4xi32>
  %e = word.extract %p[2] : vector<4xi32>
  word.store %less, %b[%sum] : i32, !word.buffer<16>
  word.store %e, %b[%c3] : i32, !word.buffer<16>
  word.store %p, %b[%c4] : vector<4xi32>, !word.buffer<16>
  func.return
}

// -----

// What traps is not folded.

// CHECK-LABEL: @division_by_zero_stays(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %q = word.divu %c1, %c0 : i32
// CHECK-NEXT:    word.store %q, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @division_by_zero_stays(%b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %q = word.divu %c1, %c0 : i32
  word.store %q, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Equal values are merged with those that dominate them, operands either way round.
// In the branch that is taken when %x is 0, %x is 0.

// CHECK-LABEL: @merge(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %a = word.mul %x, %y : i32
// CHECK-NEXT:    %t = word.test %x
// CHECK-NEXT:    scf.if %t {
// CHECK-NEXT:      word.store %a, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %d = word.sub %c0, %y : i32
// CHECK-NEXT:      word.store %d, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    %d_1 = word.sub %x, %y : i32
// CHECK-NEXT:    word.store %d_1, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %a, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %a, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @merge(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %one = word.constant 1 : i32
  %a = word.mul %x, %y : i32
  %same = word.mul %y, %x : i32
  %t = word.test %x
  scf.if %t {
    %inner = word.mul %x, %y : i32
    word.store %inner, %b[%one] : i32, !word.buffer<16>
  } else {
    %d = word.sub %x, %y : i32
    word.store %d, %b[%one] : i32, !word.buffer<16>
  }
  // Not merged with the one in the branch, which does not dominate it.
  %d = word.sub %x, %y : i32
  word.store %d, %b[%c1] : i32, !word.buffer<16>
  word.store %a, %b[%c0] : i32, !word.buffer<16>
  word.store %same, %b[%c1] : i32, !word.buffer<16>
  func.return
}

// -----

// Loads stay, unless nothing uses them.

// CHECK-LABEL: @loads_are_not_merged(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %x = word.load %b[%c0] : !word.buffer<16> -> i32
// CHECK-NEXT:    word.store %c1, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %y = word.load %b[%c0] : !word.buffer<16> -> i32
// CHECK-NEXT:    %s = word.add %x, %y : i32
// CHECK-NEXT:    word.store %s, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @loads_are_not_merged(%b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %x = word.load %b[%c0] : !word.buffer<16> -> i32
  word.store %c1, %b[%c0] : i32, !word.buffer<16>
  %y = word.load %b[%c0] : !word.buffer<16> -> i32
  %unused = word.load %b[%c1] : !word.buffer<16> -> i32
  %s = word.add %x, %y : i32
  word.store %s, %b[%c1] : i32, !word.buffer<16>
  func.return
}

// -----

// A branch that is always taken replaces the `scf.if`.

// CHECK-LABEL: @known_condition(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %y = word.mul %x, %x : i32
// CHECK-NEXT:    word.store %y, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @known_condition(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.test %c0
  %r = scf.if %t -> (i32) {
    %y = word.add %x, %c1 : i32
    scf.yield %y : i32
  } else {
    %y = word.mul %x, %x : i32
    scf.yield %y : i32
  }
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// What the condition says holds in the branches.

// CHECK-LABEL: @condition_holds_inside(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c5 = word.constant 5 : i32
// CHECK-NEXT:    %less = word.cmp ult, %x, %y : i32
// CHECK-NEXT:    %equal = word.cmp eq, %y, %c5 : i32
// CHECK-NEXT:    %both = word.and %less, %equal : i32
// CHECK-NEXT:    %t = word.test %both
// CHECK-NEXT:    scf.if %t {
// CHECK-NEXT:      %y1 = word.add %x, %c5 : i32
// CHECK-NEXT:      word.store %y1, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      word.store %c0, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @condition_holds_inside(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c5 = word.constant 5 : i32
  %less = word.cmp ult, %x, %y : i32
  %equal = word.cmp eq, %y, %c5 : i32
  %both = word.and %less, %equal : i32
  %t = word.test %both
  scf.if %t {
    %s = word.select %less, %x, %c0 : i32
    %y1 = word.add %y, %s : i32
    word.store %y1, %b[%c0] : i32, !word.buffer<16>
  } else {
    word.store %both, %b[%c0] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// The constant that a condition is known to be outlives its other uses.

// CHECK-LABEL: @constant_of_condition(
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %less = word.cmp ult, %x, %y : i32
// CHECK-NEXT:    %t = word.test %less
// CHECK-NEXT:    scf.if %t {
// CHECK-NEXT:      word.store %x, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @constant_of_condition(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %less = word.cmp ult, %x, %y : i32
  %t = word.test %less
  scf.if %t {
    %c1 = word.constant 1 : i32
    %x1 = word.mul %x, %c1 : i32
    word.store %x1, %b[%less] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// A negation costs nothing: branches are swapped, and any word is a condition.

// CHECK-LABEL: @negated_condition(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %u = word.test %x
// CHECK-NEXT:    scf.if %u {
// CHECK-NEXT:      word.store %c1, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      word.store %c0, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %u {
// CHECK-NEXT:      word.store %x, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @negated_condition(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %z = word.cmp eq, %x, %c0 : i32
  %t = word.test %z
  scf.if %t {
    word.store %c0, %b[%c0] : i32, !word.buffer<16>
  } else {
    word.store %c1, %b[%c0] : i32, !word.buffer<16>
  }
  %n = word.cmp ne, %x, %c0 : i32
  %u = word.test %n
  scf.if %u {
    word.store %x, %b[%c0] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// Values from outside of the branches are selected.

// CHECK-LABEL: @result_becomes_select(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %r = word.select %x, %x, %y : i32
// CHECK-NEXT:    word.store %r, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %y, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @result_becomes_select(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %t = word.test %x
  %r, %same = scf.if %t -> (i32, i32) {
    scf.yield %x, %y : i32, i32
  } else {
    scf.yield %y, %y : i32, i32
  }
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  word.store %same, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Loops that never run, run once, and that only seem to.

// CHECK-LABEL: @trips(
// CHECK-NEXT:    %m = word.constant 2147483646 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %c3 = word.constant 3 : i32
// CHECK-NEXT:    %max = word.constant 2147483647 : i32
// CHECK-NEXT:    word.store %x, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    %s = word.mul %x, %x : i32
// CHECK-NEXT:    word.store %c1, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %s, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    scf.for %i = %m to %max step %c3 : i32 {
// CHECK-NEXT:      word.store %i, %b[%c1] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @trips(%x: i32, %n: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %min = word.constant -2147483648 : i32
  %max = word.constant 2147483647 : i32
  %never = scf.for %i = %n to %n step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %s = word.add %a, %i : i32
    scf.yield %s : i32
  }
  word.store %never, %b[%c0] : i32, !word.buffer<16>
  %once = scf.for %i = %c1 to %c3 step %c3 iter_args(%a = %x) -> (i32) : i32 {
    %s = word.mul %a, %a : i32
    word.store %i, %b[%i] : i32, !word.buffer<16>
    scf.yield %s : i32
  }
  word.store %once, %b[%c0] : i32, !word.buffer<16>
  // The counter wraps around: this loop does not run once.
  %m = word.sub %max, %c1 : i32
  scf.for %i = %m to %max step %c3 : i32 {
    word.store %i, %b[%c1] : i32, !word.buffer<16>
  }
  scf.for %i = %max to %min step %c1 : i32 {
    word.store %i, %b[%c1] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// A carried value that stays the same, and one that only feeds itself.

// CHECK-LABEL: @carried_values(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
// CHECK-NEXT:      %a1 = word.add %a, %x : i32
// CHECK-NEXT:      scf.yield %a1 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = word.mul %x, %sum : i32
// CHECK-NEXT:    word.store %r, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @carried_values(%x: i32, %n: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %same, %own, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %o = %c1, %a = %c0) -> (i32, i32, i32) : i32 {
    // Only computes itself.
    %o1 = word.mul %o, %x : i32
    %a1 = word.add %a, %s : i32
    scf.yield %s, %o1, %a1 : i32, i32, i32
  }
  %r = word.mul %same, %sum : i32
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// The same for `scf.while`.

// CHECK-LABEL: @while(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %r = scf.while (%k = %c0) : (i32) -> i32 {
// CHECK-NEXT:      %less = word.cmp ult, %k, %x : i32
// CHECK-NEXT:      %t = word.test %less
// CHECK-NEXT:      scf.condition(%t) %k : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%k_1: i32):
// CHECK-NEXT:      %k1 = word.add %k_1, %c1 : i32
// CHECK-NEXT:      scf.yield %k1 : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %s = word.add %r, %x : i32
// CHECK-NEXT:    word.store %s, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @while(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %r:2 = scf.while (%k = %c0, %fixed = %x) : (i32, i32) -> (i32, i32) {
    %less = word.cmp ult, %k, %fixed : i32
    %t = word.test %less
    scf.condition(%t) %k, %fixed : i32, i32
  } do {
  ^bb0(%k: i32, %f: i32):
    %k1 = word.add %k, %c1 : i32
    scf.yield %k1, %f : i32, i32
  }
  %s = word.add %r#0, %r#1 : i32
  word.store %s, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Of a loop that never runs the condition stays.

// CHECK-LABEL: @while_that_never_runs(
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    word.store %x, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    word.store %x, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @while_that_never_runs(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %r = scf.while (%k = %x) : (i32) -> i32 {
    word.store %k, %b[%c0] : i32, !word.buffer<16>
    %less = word.cmp ult, %k, %c0 : i32
    %t = word.test %less
    scf.condition(%t) %k : i32
  } do {
  ^bb0(%k: i32):
    %k1 = word.add %k, %k : i32
    scf.yield %k1 : i32
  }
  word.store %r, %b[%c0] : i32, !word.buffer<16>
  func.return
}

// -----

// Constants go to the start of the function; a difference becomes a sum.

// CHECK-LABEL: @constants_go_to_the_start(
// CHECK-NEXT:    %c7 = word.constant 7 : i32
// CHECK-NEXT:    %0 = word.constant -7 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK-NEXT:      %x = word.load %b[%c7] : !word.buffer<16> -> i32
// CHECK-NEXT:      %y = word.add %x, %0 : i32
// CHECK-NEXT:      word.store %y, %b[%c7] : i32, !word.buffer<16>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @constants_go_to_the_start(%n: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %c7 = word.constant 7 : i32
    %x = word.load %b[%c7] : !word.buffer<16> -> i32
    %y = word.sub %x, %c7 : i32
    word.store %y, %b[%c7] : i32, !word.buffer<16>
  }
  func.return
}

// -----

// Vectors of one word, and lanes.

// CHECK-LABEL: @vectors(
// CHECK-NEXT:    %0 = word.constant 3 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %v = word.load %b[%c0] : !word.buffer<16> -> vector<4xi32>
// CHECK-NEXT:    %1 = word.mul %x, %y : i32
// CHECK-NEXT:    %2 = word.add %1, %0 : i32
// CHECK-NEXT:    %t = word.broadcast %2 : vector<4xi32>
// CHECK-NEXT:    %r = word.xor %t, %v : vector<4xi32>
// CHECK-NEXT:    word.store %r, %b[%c0] : vector<4xi32>, !word.buffer<16>
// CHECK-NEXT:    %e0 = word.extract %v[0] : vector<4xi32>
// CHECK-NEXT:    %e1 = word.extract %v[1] : vector<4xi32>
// CHECK-NEXT:    %v3 = word.extract %v[3] : vector<4xi32>
// CHECK-NEXT:    %f = word.from_elements %e1, %e0, %x, %v3 : vector<4xi32>
// CHECK-NEXT:    word.store %f, %b[%c0] : vector<4xi32>, !word.buffer<16>
// CHECK-NEXT:    func.return
func.func @vectors(%x: i32, %y: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c3 = word.constant dense<3> : vector<4xi32>
  %v = word.load %b[%c0] : !word.buffer<16> -> vector<4xi32>
  // One word in all lanes is computed once.
  %vx = word.broadcast %x : vector<4xi32>
  %vy = word.from_elements %y, %y, %y, %y : vector<4xi32>
  %s = word.mul %vx, %vy : vector<4xi32>
  %t = word.add %s, %c3 : vector<4xi32>
  %r = word.xor %t, %v : vector<4xi32>
  word.store %r, %b[%c0] : vector<4xi32>, !word.buffer<16>
  // Taken apart and put together again.
  %e0 = word.extract %v[0] : vector<4xi32>
  %e1 = word.extract %v[1] : vector<4xi32>
  %e2 = word.extract %v[2] : vector<4xi32>
  %e3 = word.extract %v[3] : vector<4xi32>
  %w = word.from_elements %e0, %e1, %e2, %e3 : vector<4xi32>
  %i = word.insert %x, %w[2] : vector<4xi32>
  %x2 = word.extract %i[2] : vector<4xi32>
  %v3 = word.extract %i[3] : vector<4xi32>
  %f = word.from_elements %e1, %e0, %x2, %v3 : vector<4xi32>
  word.store %f, %b[%c0] : vector<4xi32>, !word.buffer<16>
  func.return
}

// -----

// Between blocks: dominance, known branches, unreachable blocks.

// CHECK-LABEL: @blocks(
// CHECK-NEXT:    %0 = word.constant -1 : i32
// CHECK-NEXT:    %c0 = word.constant 0 : i32
// CHECK-NEXT:    %c1 = word.constant 1 : i32
// CHECK-NEXT:    %s = word.add %x, %c1 : i32
// CHECK-NEXT:    cf.br ^a
// CHECK-NEXT:  ^a:
// CHECK-NEXT:    %z = word.cmp eq, %x, %0 : i32
// CHECK-NEXT:    %u = word.test %z
// CHECK-NEXT:    cf.cond_br %u, ^c(%s : i32), ^d
// CHECK-NEXT:  ^c(%y: i32):
// CHECK-NEXT:    word.store %y, %b[%c0] : i32, !word.buffer<16>
// CHECK-NEXT:    cf.br ^d
// CHECK-NEXT:  ^d:
// CHECK-NEXT:    func.return
func.func @blocks(%x: i32, %b: !word.buffer<16>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %s = word.add %x, %c1 : i32
  %t = word.test %c1
  cf.cond_br %t, ^a, ^b
^a:
  %s2 = word.add %x, %c1 : i32
  %z = word.cmp eq, %s2, %c0 : i32
  %u = word.test %z
  cf.cond_br %u, ^c(%s : i32), ^d
^b:
  word.store %x, %b[%c1] : i32, !word.buffer<16>
  cf.br ^d
^c(%y: i32):
  word.store %y, %b[%c0] : i32, !word.buffer<16>
  cf.br ^d
^d:
  func.return
}
