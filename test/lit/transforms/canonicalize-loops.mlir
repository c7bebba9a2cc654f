// RUN: vliw-opt %s -p canonicalize-loops,simplify --split-input-file --remarks=canonicalize 2>%t.remarks | filecheck %s
// RUN: filecheck %s --check-prefix=REMARK --input-file=%t.remarks

// The number of nodes of a list that lies in memory: the loop itself stays, for it does not
// count, but the place after the last one that is stored does.

// CHECK-LABEL:  @list
// CHECK:          scf.while
// REMARK:       not a loop that counts: the value compared does not change by a constant [canonicalize-loops: missed]
func.func @list(%next: !word.buffer<64>, %start: i32) -> i32 attributes {vliw.signature = (memref<64xi32>, i32) -> i32} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %end, %count = scf.while (%at = %start, %n = %c0) : (i32, i32) -> (i32, i32) {
    %go = word.cmp ne, %at, %c0 : i32
    %t = word.test %go
    scf.condition(%t) %at, %n : i32, i32
  } do {
  ^bb0(%at: i32, %n: i32):
    %to = word.load %next[%at] : !word.buffer<64> -> i32
    %m = word.add %n, %c1 : i32
    scf.yield %to, %m : i32, i32
  }
  func.return %count : i32
}

// -----

// A counter on its way up, and one on its way down.

// CHECK-LABEL:  @up
// CHECK:          scf.for [[I:%\S+]] = {{%\S+}} to %n step {{%\S+}} : i32 {
// CHECK-NEXT:       word.store %x, %a[[[I]]]
// CHECK:          func.return
// REMARK:       counts by 1 [canonicalize-loops: passed]
// CHECK-LABEL:  @down
// CHECK:          scf.for [[J:%\S+]] =
// CHECK-NOT:        iter_args
// CHECK:            word.store %x, %a[{{%\S+}}]
// CHECK:          func.return
// REMARK:       counts by -1 [canonicalize-loops: passed]
func.func @up(%a: !word.buffer<?>, %n: i32, %x: i32) attributes {vliw.signature = (memref<?xi32>, i32, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %end = scf.while (%i = %c0) : (i32) -> i32 {
    %go = word.cmp sgt, %n, %i : i32
    %t = word.test %go
    scf.condition(%t) %i : i32
  } do {
  ^bb0(%i: i32):
    word.store %x, %a[%i] : i32, !word.buffer<?>
    %next = word.add %i, %c1 : i32
    scf.yield %next : i32
  }
  func.return
}
func.func private @down(%a: !word.buffer<?>, %n: i32, %x: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %end = scf.while (%i = %n) : (i32) -> i32 {
    %go = word.cmp ne, %i, %c0 : i32
    %t = word.test %go
    scf.condition(%t) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = word.sub %i, %c1 : i32
    word.store %x, %a[%next] : i32, !word.buffer<?>
    scf.yield %next : i32
  }
  func.return
}

// -----

// A place that moves by 3, through an inner loop as well; a product stays.

// CHECK-LABEL:  @places
// CHECK:          scf.for %i = {{.*}} iter_args(%q = %x) -> (i32)
// CHECK-NOT:        iter_args
// CHECK:            scf.for %j
// CHECK-NOT:        iter_args
// CHECK:            word.mul %q, %q
// CHECK:          func.return
// REMARK:       1 carried values computed from the counter [canonicalize-loops: passed]
func.func @places(%a: !word.buffer<256>, %x: i32) -> (i32, i32) attributes {vliw.signature = (memref<256xi32>, i32) -> (i32, i32)} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %c3 = word.constant 3 : i32
  %c4 = word.constant 4 : i32
  %c8 = word.constant 8 : i32
  %r, %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %c0, %q = %x) -> (i32, i32) : i32 {
    %u = scf.for %j = %c0 to %c4 step %c1 iter_args(%v = %p) -> (i32) : i32 {
      word.store %x, %a[%v] : i32, !word.buffer<256>
      %w = word.add %v, %c3 : i32
      scf.yield %w : i32
    }
    %qq = word.mul %q, %q : i32
    scf.yield %u, %qq : i32, i32
  }
  func.return %r, %s : i32, i32
}
