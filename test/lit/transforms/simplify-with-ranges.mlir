// RUN: vliw-opt %s --split-input-file -p simplify-with-ranges,simplify | filecheck %s

// Comparisons that loops decide, and what hangs on them.

// CHECK-LABEL: @loop
// CHECK:         scf.for %i =
// CHECK-NEXT:      %x = word.load
// CHECK-NEXT:      word.store %x
// CHECK-NOT:       scf.if
// CHECK:         func.return
func.func @loop(%b: !word.buffer<64>) attributes {vliw.signature = (memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c5 = word.constant 5 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %inside = word.cmp slt, %i, %c64 : i32
    %t = word.test %inside
    scf.if %t {
      %wrapped = word.remu %i, %c64 : i32
      %x = word.load %b[%wrapped] : !word.buffer<64> -> i32
      %low = word.minu %i, %c64 : i32
      word.store %x, %b[%low] : i32, !word.buffer<64>
    }
  }
  func.return
}

// -----

// Masks, and words without a common bit.

// CHECK-LABEL: @bits
// CHECK-DAG:     %[[C4:.*]] = word.constant 4
// CHECK:         %hi = word.shl %x, %[[C4]] : i32
// CHECK-NEXT:    %both = word.add %hi, %n
// CHECK-NEXT:    func.return %both, %x, %n
func.func @bits(%x: i32 {vliw.range = array<i32: 0, 12>}, %n: i32 {vliw.range = array<i32: 3, 11>}) -> (i32, i32, i32) {
  %c4 = word.constant 4 : i32
  %c15 = word.constant 15 : i32
  %c12 = word.constant 12 : i32
  %hi = word.shl %x, %c4 : i32
  %both = word.or %hi, %n : i32
  %low = word.and %x, %c15 : i32
  %rest = word.remu %n, %c12 : i32
  func.return %both, %low, %rest : i32, i32, i32
}

// -----

// Signed operations of words whose signs are known.

// CHECK-LABEL: @signs
// CHECK-NOT:     word.{{(divs|rems|shrs|mulhs|mins|maxs)}}
// CHECK:         word.divu %x, %y
// CHECK-NEXT:    word.remu %x, %y
// CHECK-NEXT:    word.ceildivu %x, %y
// CHECK-NEXT:    word.shru %x, %y
// CHECK-NEXT:    word.mulhu %x, %y
// CHECK-NEXT:    word.cmp ult, %x, %y
// CHECK-NEXT:    word.minu %x, %y
// CHECK-NEXT:    word.cmp ult, %m, %n
// CHECK-NEXT:    func.return
func.func @signs(
    %x: i32 {vliw.range = array<i32: 0, 0x7fffffff>}, %y: i32 {vliw.range = array<i32: 1, 0x7ffffff>},
    %m: i32 {vliw.range = array<i32: -9, -2>}, %n: i32 {vliw.range = array<i32: -9, -1>}
) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %a = word.divs %x, %y : i32
  %b = word.rems %x, %y : i32
  %c = word.ceildivs %x, %y : i32
  %d = word.floordivs %x, %y : i32
  %e = word.shrs %x, %y : i32
  %f = word.mulhs %x, %y : i32
  %g = word.cmp slt, %x, %y : i32
  %h = word.mins %x, %y : i32
  %i = word.cmp slt, %m, %n : i32
  %j = word.maxs %m, %x : i32
  func.return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
}

// -----

// A round of a walk down a tree: the step is the parity plus one, computed in one operation.

// CHECK-LABEL: @step
// CHECK:         %[[P:.*]] = word.and %x, %{{.*}} : vector<8xi32>
// CHECK-NEXT:    %[[S:.*]] = word.add %[[P]], %{{.*}} : vector<8xi32>
// CHECK-NEXT:    word.store %[[S]]
// CHECK:         %[[T:.*]] = word.multiply_add %[[P]], %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK-NEXT:    word.store %[[T]]
// CHECK-NEXT:    word.store %[[S]]
func.func @step(%b: !word.buffer<8>, %i: i32) attributes {vliw.signature = (memref<8xi32>, i32) -> ()} {
  %c0 = word.constant dense<0> : vector<8xi32>
  %c1 = word.constant dense<1> : vector<8xi32>
  %c2 = word.constant dense<2> : vector<8xi32>
  %c5 = word.constant dense<5> : vector<8xi32>
  %c9 = word.constant dense<9> : vector<8xi32>
  %x = word.load %b[%i] : !word.buffer<8> -> vector<8xi32>
  %p = word.remu %x, %c2 : vector<8xi32>
  %even = word.cmp eq, %p, %c0 : vector<8xi32>
  %step = word.select %even, %c1, %c2 : vector<8xi32>
  word.store %step, %b[%i] : vector<8xi32>, !word.buffer<8>
  %far = word.select %even, %c5, %c9 : vector<8xi32>
  word.store %far, %b[%i] : vector<8xi32>, !word.buffer<8>
  %again = word.sub %c2, %even : vector<8xi32>
  word.store %again, %b[%i] : vector<8xi32>, !word.buffer<8>
  func.return
}

// -----

// What holds in a region does not hold around it; blocks are left alone but for constants.

// CHECK-LABEL: @scopes
// CHECK:         scf.if
// CHECK-NEXT:      word.store %x, %b[%x]
// CHECK:         %[[R:.*]] = word.and %x
// CHECK-NEXT:    cf.br ^{{.*}}(%[[R]] : i32)
// CHECK:         %[[M:.*]] = word.and %y
// CHECK-NEXT:    word.store %[[M]]
func.func @scopes(%x: i32, %b: !word.buffer<8>) attributes {vliw.signature = (i32, memref<8xi32>) -> ()} {
  %c7 = word.constant 7 : i32
  %c8 = word.constant 8 : i32
  %low = word.cmp ult, %x, %c8 : i32
  %t = word.test %low
  scf.if %t {
    %m = word.and %x, %c7 : i32
    word.store %m, %b[%m] : i32, !word.buffer<8>
  }
  %r = word.and %x, %c7 : i32
  cf.br ^next(%r : i32)
^next(%y: i32):
  %m2 = word.and %y, %c7 : i32
  word.store %m2, %b[%r] : i32, !word.buffer<8>
  func.return
}

// -----

// An index that doubles with every step: one operation per step, constants come last.

// CHECK-LABEL: @index
// CHECK:         %p = word.and %x
// CHECK:         %q = word.and %y
// CHECK:         %[[S:.*]] = word.multiply_add %p, %{{.*}}, %q : vector<8xi32>
// CHECK:         %second = word.add %[[S]], %{{.*}} : vector<8xi32>
// CHECK-NEXT:    word.gather %t[%second]
// CHECK:         %r = word.and %z
// CHECK:         %[[T:.*]] = word.multiply_add %[[S]], %{{.*}}, %r : vector<8xi32>
// CHECK:         %third = word.add %[[T]], %{{.*}} : vector<8xi32>
// CHECK-NEXT:    word.gather %t[%third]
// CHECK-NEXT:    word.store
// CHECK-NEXT:    return
func.func @index(%b: !word.buffer<24>, %t: !word.buffer<15>, %i: i32) attributes {vliw.signature = (memref<24xi32>, memref<15xi32>, i32) -> ()} {
  %c8 = word.constant 8 : i32
  %c0 = word.constant dense<0> : vector<8xi32>
  %c1 = word.constant dense<1> : vector<8xi32>
  %c2 = word.constant dense<2> : vector<8xi32>
  %x = word.load %b[%i] : !word.buffer<24> -> vector<8xi32>
  %p = word.and %x, %c1 : vector<8xi32>
  %even = word.cmp eq, %p, %c0 : vector<8xi32>
  %first = word.select %even, %c1, %c2 : vector<8xi32>
  %j = word.add %i, %c8 : i32
  %y = word.load %b[%j] : !word.buffer<24> -> vector<8xi32>
  %q = word.and %y, %c1 : vector<8xi32>
  %step = word.add %q, %c1 : vector<8xi32>
  %twice = word.add %first, %first : vector<8xi32>
  %second = word.add %twice, %step : vector<8xi32>
  %z = word.gather %t[%second] : !word.buffer<15> -> vector<8xi32>
  %r = word.and %z, %c1 : vector<8xi32>
  %step2 = word.add %r, %c1 : vector<8xi32>
  %twice2 = word.mul %second, %c2 : vector<8xi32>
  %third = word.add %twice2, %step2 : vector<8xi32>
  %w = word.gather %t[%third] : !word.buffer<15> -> vector<8xi32>
  word.store %w, %b[%i] : vector<8xi32>, !word.buffer<24>
  func.return
}

// -----

// Values with the same form are one value; some are constants.

// CHECK-LABEL: @same
// CHECK:         %p = word.and %x
// CHECK-NEXT:    %q = word.and %y
// CHECK-NEXT:    %[[TWO:.*]] = word.shl %p
// CHECK-NEXT:    %a = word.add %[[TWO]], %q
// CHECK-NEXT:    return %a, %a, %{{c1.*}} :
func.func @same(%x: i32, %y: i32) -> (i32, i32, i32) {
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %p = word.and %x, %c1 : i32
  %q = word.and %y, %c1 : i32
  %pp = word.shl %p, %c1 : i32
  %a = word.add %pp, %q : i32
  %np = word.xor %p, %c1 : i32
  %nq = word.xor %q, %c1 : i32
  %npp = word.shl %np, %c1 : i32
  %na = word.add %npp, %nq : i32
  %b = word.sub %c3, %na : i32
  %one = word.add %p, %np : i32
  func.return %a, %b, %one : i32, i32, i32
}

// -----

// Booleans that count against the index.

// CHECK-LABEL: @negated
// CHECK:         %p = word.and %x
// CHECK:         %q = word.and %y
// CHECK:         %[[S:.*]] = word.multiply_add %p, %{{.*}}, %q : vector<8xi32>
// CHECK:         %second = word.sub %{{.*}}, %[[S]] : vector<8xi32>
// CHECK-NEXT:    word.gather %t[%second]
func.func @negated(%b: !word.buffer<24>, %t: !word.buffer<15>, %i: i32) attributes {vliw.signature = (memref<24xi32>, memref<15xi32>, i32) -> ()} {
  %c8 = word.constant 8 : i32
  %c1 = word.constant dense<1> : vector<8xi32>
  %c2 = word.constant dense<2> : vector<8xi32>
  %x = word.load %b[%i] : !word.buffer<24> -> vector<8xi32>
  %p = word.and %x, %c1 : vector<8xi32>
  %first = word.select %p, %c1, %c2 : vector<8xi32>
  %j = word.add %i, %c8 : i32
  %y = word.load %b[%j] : !word.buffer<24> -> vector<8xi32>
  %q = word.and %y, %c1 : vector<8xi32>
  %step = word.select %q, %c1, %c2 : vector<8xi32>
  %twice = word.mul %first, %c2 : vector<8xi32>
  %second = word.add %twice, %step : vector<8xi32>
  %z = word.gather %t[%second] : !word.buffer<15> -> vector<8xi32>
  word.store %z, %b[%i] : vector<8xi32>, !word.buffer<24>
  func.return
}

// -----

// A complement in the middle of a chain costs nothing: its constant goes on to the indices, and
// the next step counts its booleans with the other sign.

// CHECK-LABEL: @complement
// CHECK:         %[[S:.*]] = word.multiply_add %p, %{{.*}}, %q : vector<8xi32>
// CHECK-NOT:     word.xor
// CHECK:         %[[T:.*]] = word.multiply_add %[[S]], %{{.*}}, %r : vector<8xi32>
// CHECK:         %third = word.add %[[T]], %{{.*}} : vector<8xi32>
// CHECK-NEXT:    word.gather %t[%third]
// CHECK:         %[[U:.*]] = word.multiply_add %[[T]], %{{.*}}, %o : vector<8xi32>
// CHECK:         word.add %[[U]], %{{.*}} : vector<8xi32>
func.func @complement(%t: !word.buffer<64>, %x: vector<8xi32>, %i: i32) {
  %c1 = word.constant dense<1> : vector<8xi32>
  %c2 = word.constant dense<2> : vector<8xi32>
  %c3 = word.constant dense<3> : vector<8xi32>
  %c7 = word.constant dense<7> : vector<8xi32>
  %p = word.and %x, %c1 : vector<8xi32>
  %x1 = word.shru %x, %c1 : vector<8xi32>
  %q = word.and %x1, %c1 : vector<8xi32>
  %x2 = word.shru %x, %c2 : vector<8xi32>
  %r = word.and %x2, %c1 : vector<8xi32>
  %x3 = word.shru %x, %c3 : vector<8xi32>
  %o = word.and %x3, %c1 : vector<8xi32>
  %s = word.multiply_add %p, %c2, %q : vector<8xi32>
  %not = word.xor %s, %c3 : vector<8xi32>
  %next = word.multiply_add %not, %c2, %r : vector<8xi32>
  %third = word.add %next, %c7 : vector<8xi32>
  %z = word.gather %t[%third] : !word.buffer<64> -> vector<8xi32>
  %last = word.multiply_add %next, %c2, %o : vector<8xi32>
  %fourth = word.add %last, %c7 : vector<8xi32>
  %w = word.gather %t[%fourth] : !word.buffer<64> -> vector<8xi32>
  word.store %z, %t[%i] : vector<8xi32>, !word.buffer<64>
  word.store %w, %t[%i] : vector<8xi32>, !word.buffer<64>
  func.return
}
