// RUN: vliw-opt %s -p 'peel-loops{first=1 last=2}' --split-input-file | filecheck %s
// RUN: vliw-opt %s -p 'peel-loops{conditions=true}' --split-input-file --remarks=peel 2>%t.remarks | filecheck %s --check-prefix=SPLIT
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// One iteration at the start, two at the end.

// CHECK-LABEL:  @ends
// CHECK:          [[ONE:%\d+]] = word.constant 3 : i32
// CHECK-NEXT:     [[A:%\S+]] = scf.for {{%\S+}} = %c0 to [[ONE]] step %c3 iter_args({{%\S+}} = %x)
// CHECK:          } {vliw.peeled = 1 : i64}
// CHECK:          [[TWO:%\d+]] = word.constant 24 : i32
// CHECK-NEXT:     [[B:%\S+]] = scf.for {{%\S+}} = [[ONE]] to [[TWO]] step %c3 iter_args({{%\S+}} = [[A]])
// CHECK:          [[C:%\S+]] = scf.for {{%\S+}} = [[TWO]] to %c30 step %c3 iter_args({{%\S+}} = [[B]])
// CHECK:          func.return [[C]]
func.func @ends(%x: i32) -> i32 {
  %c0 = word.constant 0 : i32
  %c3 = word.constant 3 : i32
  %c30 = word.constant 30 : i32
  %r = scf.for %i = %c0 to %c30 step %c3 iter_args(%v = %x) -> (i32) : i32 {
    %w = word.xor %v, %i : i32
    scf.yield %w : i32
  }
  func.return %r : i32
}

// -----

// With computed bounds a loop may have fewer iterations than are to be peeled off.

// CHECK-LABEL:  @computed
// CHECK:          [[H:%\S+]] = word.maxs %n, %m
// CHECK-NEXT:     [[T:%\S+]] = word.sub [[H]], %n
// CHECK:          [[F:%\S+]] = word.minu [[T]], {{%\S+}}
// CHECK-NEXT:     word.add %n, [[F]]
// CHECK-COUNT-3:  scf.for
func.func @computed(%n: i32, %m: i32) {
  %c1 = word.constant 1 : i32
  scf.for %i = %n to %m step %c1 : i32 {
    word.trace_write %i
  }
  func.return
}

// -----

// The boundary of a stencil, and where something else begins; a condition that changes always.

// SPLIT-LABEL:  @conditions
// SPLIT-COUNT-3:  scf.for
// SPLIT-NOT:      scf.for
// REMARK:       split where the counter becomes 1, 20 [peel-loops: passed]
// SPLIT-LABEL:  @parity
// SPLIT:          scf.for
// SPLIT-NOT:      scf.for
// REMARK:       not split: conditions change at 29 places
func.func @conditions(%x: i32, %a: !word.buffer<64>) attributes {vliw.signature = (i32, memref<64xi32>) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c30 = word.constant 30 : i32
  %c60 = word.constant 60 : i32
  scf.for %i = %c0 to %c30 step %c1 : i32 {
    %start = word.cmp eq, %i, %c0 : i32
    %triple = word.mul %i, %c3 : i32
    %less = word.cmp ult, %triple, %c60 : i32
    %v = word.select %less, %x, %i : i32
    %t = word.test %start
    scf.if %t {
    } else {
      word.store %v, %a[%i] : i32, !word.buffer<64>
    }
  }
  func.return
}
func.func private @parity(%x: i32, %a: !word.buffer<64>) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c30 = word.constant 30 : i32
  %half = word.constant -2147483648 : i32
  scf.for %i = %c0 to %c30 step %c1 : i32 {
    %sign = word.mul %i, %half : i32
    %odd = word.cmp ne, %sign, %c0 : i32
    %v = word.select %odd, %x, %i : i32
    word.store %v, %a[%i] : i32, !word.buffer<64>
  }
  func.return
}
