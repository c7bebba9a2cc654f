// RUN: vliw-opt %s -p unroll-loops --split-input-file --remarks=unroll-loops 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: vliw-opt %s -p 'unroll-loops{max-trips=2 factor=4}' --split-input-file | filecheck %s --check-prefix=FACTOR
// RUN: vliw-opt %s -p 'unroll-loops{max-trips=2 factor=4 only-gathers}' --split-input-file | filecheck %s --check-prefix=GATHERS

// A few iterations: copies with constants in place of the counter.

// CHECK-LABEL:  @few
// CHECK-NOT:    scf.for
// CHECK:        [[C4:%\S+]] = word.constant 4 : i32
// CHECK-NEXT:   word.store %x, %a[[[C4]]]
// CHECK-NEXT:   [[C7:%\S+]] = word.constant 7 : i32
// CHECK-NEXT:   word.store %x, %a[[[C7]]]
// CHECK-NEXT:   func.return
// REMARK:       unrolled fully, 2 iterations [unroll-loops: passed]
func.func @few(%a: !word.buffer<64>, %x: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c2 = word.constant 2 : i32
  scf.for %i = %c1 to %c3 step %c1 : i32 {
    %p = word.mul %i, %c3 : i32
    %q = word.add %p, %c1 : i32
    word.store %x, %a[%q] : i32, !word.buffer<64>
  }
  func.return
}

// -----

// Never, and once; values that a loop carries.

// CHECK-LABEL:  @never_once
// CHECK-NOT:    scf.for
// CHECK:        [[S:%\S+]] = word.add %x, %y : i32
// CHECK-NEXT:   func.return %x, [[S]] : i32, i32
func.func @never_once(%x: i32, %y: i32) -> (i32, i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %m1 = word.constant -1 : i32
  %never = scf.for %i = %c0 to %m1 step %c1 iter_args(%v = %x) -> (i32) : i32 {
    scf.yield %y : i32
  }
  %once = scf.for %i = %m1 to %c0 step %c1 iter_args(%v = %x) -> (i32) : i32 {
    %s = word.add %v, %y : i32
    scf.yield %s : i32
  }
  func.return %never, %once : i32, i32
}

// -----

// Bounds that depend on the counter outside become constant, and so do conditions.

// CHECK-LABEL:  @triangle
// CHECK-NOT:    scf
// CHECK-COUNT-2: word.store
// CHECK-NOT:    word.store
// CHECK:        func.return
func.func @triangle(%a: !word.buffer<64>, %x: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  scf.for %i = %c0 to %c3 step %c1 : i32 {
    scf.for %j = %c0 to %i step %c1 : i32 {
      %odd = word.and %i, %c1 : i32
      %t = word.test %odd
      scf.if %t {
      } else {
        %o = word.add %i, %j : i32
        word.store %x, %a[%o] : i32, !word.buffer<64>
      }
    }
  }
  func.return
}

// -----

// Ten iterations by four: a loop of two, and one for the rest.

// FACTOR-LABEL: @by_factor
// FACTOR:         [[MIDDLE:%\S+]] = word.constant 8 : i32
// FACTOR-NEXT:    [[STEP:%\S+]] = word.constant 4 : i32
// FACTOR:         [[MAIN:%\S+]] = scf.for [[I:%\S+]] = %c0 to [[MIDDLE]] step [[STEP]] iter_args([[V0:%\S+]] = %x)
// FACTOR-NEXT:      [[I1:%\S+]] = word.add [[I]],
// FACTOR-NEXT:      word.add
// FACTOR-NEXT:      word.add
// FACTOR-NEXT:      [[V1:%\S+]] = word.xor [[V0]], [[I]]
// FACTOR-NEXT:      [[V2:%\S+]] = word.xor [[V1]], [[I1]]
// FACTOR-NEXT:      word.xor
// FACTOR-NEXT:      [[V4:%\S+]] = word.xor
// FACTOR-NEXT:      scf.yield [[V4]] : i32
// FACTOR-NEXT:    } {vliw.unrolled = 1 : i64}
// FACTOR-NEXT:    [[REST:%\S+]] = scf.for {{%\S+}} = [[MIDDLE]] to %c10 step %c1 iter_args({{%\S+}} = [[MAIN]])
// FACTOR:         func.return [[REST]]
func.func @by_factor(%x: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c10 = word.constant 10 : i32
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%v = %x) -> (i32) : i32 {
    %s = word.xor %v, %i : i32
    scf.yield %s : i32
  }
  func.return %r : i32
}

// -----

// Bounds that are computed; a step other than one needs a look at the upper bound.

// FACTOR-LABEL: @dynamic
// FACTOR:         [[HIGH:%\S+]] = word.maxs %lo, %hi : i32
// FACTOR-NEXT:    [[N:%\S+]] = word.sub [[HIGH]], %lo : i32
// FACTOR-NEXT:    [[FOUR:%\S+]] = word.constant 4 : i32
// FACTOR-NEXT:    [[REST:%\S+]] = word.remu [[N]], [[FOUR]] : i32
// FACTOR-NEXT:    [[M:%\S+]] = word.sub [[N]], [[REST]] : i32
// FACTOR-NEXT:    [[MIDDLE:%\S+]] = word.add %lo, [[M]] : i32
// FACTOR:         scf.for {{%\S+}} = %lo to [[MIDDLE]]
// FACTOR:         scf.for {{%\S+}} = [[MIDDLE]] to %hi
// FACTOR:         word.ceildivu
// FACTOR:         word.cmp sle, %hi
func.func @dynamic(%lo: i32, %hi: i32) {
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  scf.for %i = %lo to %hi step %c1 : i32 {
    word.trace_write %i
  }
  scf.for %i = %lo to %hi step %c3 : i32 {
    word.trace_write %i
  }
  func.return
}

// -----

// What an attribute says comes first; loops that were unrolled stay.

// CHECK-LABEL:  @asked
// CHECK:        scf.for
// CHECK-NEXT:     word.trace_write
// CHECK-NEXT:   } {vliw.unroll = 1 : i64}
// CHECK:        scf.for
// CHECK-NEXT:     word.add
// CHECK-NEXT:     word.trace_write
// CHECK-NEXT:     word.trace_write
// CHECK-NEXT:   } {vliw.unroll = 1 : i64}
// CHECK-NEXT:   func.return
// REMARK:       unrolled by 2 [unroll-loops: passed]
// REMARK:       not unrolled: the number of its iterations is not a constant [unroll-loops: missed]
// CHECK-LABEL:  @asked_in_vain
// CHECK:        } {vliw.unroll = "full"}
func.func @asked() {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c4 = word.constant 4 : i32
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    word.trace_write %i
  } {vliw.unroll = 1 : i64}
  scf.for %i = %c0 to %c4 step %c1 : i32 {
    word.trace_write %i
  } {vliw.unroll = 2 : i64}
  func.return
}
func.func private @asked_in_vain(%n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    word.trace_write %i
  } {vliw.unroll = "full"}
  func.return
}

// -----

// Too many iterations; a counter that wraps around, and one whose step is not known, stay.

// CHECK-LABEL:  @stay
// CHECK-COUNT-3: scf.for
// FACTOR-LABEL: @stay
// FACTOR-COUNT-3: scf.for
// FACTOR-NOT:   scf.for
// REMARK:       not unrolled: 100 iterations, more than 64 [unroll-loops: missed]
func.func @stay(%n: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c100 = word.constant 100 : i32
  %most = word.constant 2147483647 : i32
  %big = word.constant 1073741824 : i32
  scf.for %i = %c0 to %c100 step %c1 : i32 {
    word.trace_write %i
  }
  scf.for %i = %c1 to %most step %big : i32 {
    word.trace_write %i
  }
  scf.for %i = %c0 to %c1 step %n : i32 {
    word.trace_write %i
  }
  func.return
}

// -----

// Some factors are for loops that look words up in memory.

// CHECK-LABEL:  @lookups
// FACTOR-LABEL: @lookups
// GATHERS-LABEL: @lookups
// GATHERS:       scf.for
// GATHERS-COUNT-4: word.gather
// GATHERS:       scf.for
// GATHERS-COUNT-1: word.add %{{\S+}}, %x
// GATHERS-NOT:   word.add %{{\S+}}, %x
// GATHERS:       func.return
func.func @lookups(%a: !word.buffer<512>, %n: i32, %x: i32) attributes {vliw.signature = (memref<512xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c8 = word.constant 8 : i32
  %c512 = word.constant 512 : i32
  scf.for %i = %c0 to %c512 step %c8 : i32 {
    %o = word.load %a[%i] : !word.buffer<512> -> vector<8xi32>
    %v = word.gather %a[%o] : !word.buffer<512> -> vector<8xi32>
    word.store %v, %a[%i] : vector<8xi32>, !word.buffer<512>
  }
  scf.for %i = %c0 to %c512 step %c8 : i32 {
    %y = word.add %i, %x : i32
    word.store %y, %a[%i] : i32, !word.buffer<512>
  }
  func.return
}
