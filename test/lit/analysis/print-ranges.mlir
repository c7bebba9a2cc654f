// RUN: vliw-opt %s --split-input-file -p print-ranges 2>&1 >/dev/null | filecheck %s

// Declared facts, and types narrower than a word.

// CHECK-LABEL: @facts
// CHECK-NEXT:    %a: 5
// CHECK-NEXT:    %b: 3..9
// CHECK-NEXT:    %c: 0..255
// CHECK-NEXT:    %r holds: 0..9
// CHECK-NEXT:    %w holds: 0..4294967295
// CHECK:         %d: 8..14
// CHECK:         %m: 24..126
// CHECK:         %x: 0..9
// CHECK:         %y: 0..4294967295
func.func @facts(
    %a: i32 {vliw.value = 5 : i32}, %b: i32 {vliw.range = array<i32: 3, 9>}, %c: i32,
    %r: !word.buffer<64> {vliw.range = array<i32: 0, 9>}, %w: !word.buffer<8>
) attributes {vliw.signature = (i32, i32, i8, memref<64xi32>, memref<8xi32>) -> ()} {
  %d = word.add %a, %b : i32
  %m = word.mul %b, %d : i32
  %x = word.load %r[%c] : !word.buffer<64> -> i32
  %y = word.load %w[%a] : !word.buffer<8> -> i32
  word.store %x, %w[%a] : i32, !word.buffer<8>
  func.return
}

// -----

// A buffer's range holds for loads as long as nothing else is stored.

// CHECK-LABEL: @stores
// CHECK:         %kept holds: 0..9
// CHECK-NEXT:    %grows holds: 0..12
// CHECK-NEXT:    %lost holds: 0..4294967295
// CHECK:           %x: 0..9
// CHECK:           %early: 0..9
// CHECK:           %y: 0..12
func.func @stores(
    %kept: !word.buffer<64> {vliw.range = array<i32: 0, 9>},
    %grows: !word.buffer<64> {vliw.range = array<i32: 0, 9>},
    %lost: !word.buffer<64> {vliw.range = array<i32: 0, 9>}
) attributes {vliw.signature = (memref<64xi32>, memref<64xi32>, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c64 = word.constant 64 : i32
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %x = word.load %kept[%i] : !word.buffer<64> -> i32
    %half = word.shru %x, %c1 : i32
    word.store %half, %kept[%i] : i32, !word.buffer<64>
    %more = word.add %x, %c3 : i32
    %early = word.load %grows[%i] : !word.buffer<64> -> i32
    word.store %more, %grows[%i] : i32, !word.buffer<64>
    %y = word.load %grows[%i] : !word.buffer<64> -> i32
    %part = word.subbuffer %lost[%i] : !word.buffer<64> to !word.buffer<1>
    %z = word.load %lost[%c0] : !word.buffer<64> -> i32
    %up = word.add %z, %c1 : i32
    word.store %up, %part[%c0] : i32, !word.buffer<1>
  }
  func.return
}

// -----

// Constant tables; lanes beyond the end of a buffer may hold anything.

// CHECK-LABEL: @tables
// CHECK:         %t holds: 3..9
// CHECK:         %u holds: 0..4294967295
// CHECK:         %x: 3..9
// CHECK:         %v: 3..9
// CHECK:         %over: 0..4294967295
// CHECK:         %e: 3..9
func.func @tables(%i: i32) {
  %t = word.alloc init dense<[3, 9, 4, 4, 4, 4, 4, 4, 4]> : vector<9xi32> : !word.buffer<9>
  %u = word.alloc : !word.buffer<9>
  %c0 = word.constant 0 : i32
  %c2 = word.constant 2 : i32
  %x = word.load %t[%i] : !word.buffer<9> -> i32
  %v = word.load %t[%c0] : !word.buffer<9> -> vector<8xi32>
  %over = word.load %t[%c2] : !word.buffer<9> -> vector<8xi32>
  %e = word.extract %v[3] : vector<8xi32>
  func.return
}

// -----

// Counters, carried values, and what holds after a loop.

// CHECK-LABEL: @loops
// CHECK:         %last: 3..96
// CHECK-NEXT:    %wrapped: 0..96 step 4
// CHECK-NEXT:      %i: 0..248 step 8
// CHECK-NEXT:      %p: 0..93
// CHECK-NEXT:      %idx: 0..96 step 4
// CHECK:           %n here: 5..10
// CHECK-NEXT:      %j: 4..7
// CHECK:           %k: 0..4294967295
func.func @loops(%n: i32 {vliw.range = array<i32: 0, 10>}, %step: i32) {
  %c0 = word.constant 0 : i32
  %c3 = word.constant 3 : i32
  %c4 = word.constant 4 : i32
  %c8 = word.constant 8 : i32
  %c100 = word.constant 100 : i32
  %c256 = word.constant 256 : i32
  %last, %wrapped = scf.for %i = %c0 to %c256 step %c8 iter_args(%p = %c0, %idx = %c0) -> (i32, i32) : i32 {
    %q = word.add %p, %c3 : i32
    %child = word.multiply_add %idx, %c3, %c4 : i32
    %wrap = word.cmp uge, %child, %c100 : i32
    %next = word.select %wrap, %c0, %child : i32
    scf.yield %q, %next : i32, i32
  }
  scf.for %j = %c4 to %n step %c3 : i32 {
    scf.yield
  }
  scf.for %k = %c0 to %n step %step : i32 {
    scf.yield
  }
  func.return
}

// -----

// Conditions hold within the regions they guard.

// CHECK-LABEL: @conditions
// CHECK:           %both here: 1
// CHECK:           %x here: 10..19
// CHECK:           %y: 0..9
// CHECK:         %r: 0..12
// CHECK:           %x here: 0..19
// CHECK:           %x here: 20..4294967295
func.func @conditions(%x: i32) {
  %c10 = word.constant 10 : i32
  %c12 = word.constant 12 : i32
  %c20 = word.constant 20 : i32
  %low = word.cmp uge, %x, %c10 : i32
  %high = word.cmp ult, %x, %c20 : i32
  %both = word.and %low, %high : i32
  %inside = word.test %both
  scf.if %inside {
    %y = word.sub %x, %c10 : i32
  }
  %t = word.test %high
  %r = scf.if %t -> (i32) {
    %z = word.minu %x, %c12 : i32
    scf.yield %z : i32
  } else {
    %four = word.constant 4 : i32
    scf.yield %four : i32
  }
  func.return
}

// -----

// CHECK-LABEL: @while
// CHECK:         %r: 0..99
// CHECK:           %x: 0..4294967295
// CHECK:           %y: 100..4294967295
func.func @while(%a: i32) {
  %c100 = word.constant 100 : i32
  %c7 = word.constant 7 : i32
  %r = scf.while (%x = %a) : (i32) -> i32 {
    %big = word.cmp uge, %x, %c100 : i32
    %t = word.test %big
    scf.condition(%t) %x : i32
  } do {
  ^bb0(%y: i32):
    %next = word.sub %y, %c7 : i32
    scf.yield %next : i32
  }
  func.return
}

// -----

// Blocks: values are followed, arguments of blocks are not.

// CHECK-LABEL: @blocks
// CHECK:         %b: 0..7
// CHECK:         %x: 0..4294967295
// CHECK:         %y: 0..7
func.func @blocks(%a: i32) {
  %c7 = word.constant 7 : i32
  %b = word.and %a, %c7 : i32
  cf.br ^loop(%b : i32)
^loop(%x: i32):
  %y = word.and %x, %b : i32
  %t = word.test %y
  cf.cond_br %t, ^loop(%y : i32), ^end
^end:
  func.return
}
