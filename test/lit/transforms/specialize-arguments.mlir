// RUN: vliw-opt %s --split-input-file -p specialize-arguments | filecheck %s
// RUN: vliw-opt %s --split-input-file -p specialize-arguments --remarks=specialize 2>&1 >/dev/null | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: @facts
// CHECK-SAME:      %a: i32 {vliw.value = 16 : i32}
// CHECK-DAG:     %[[A:.*]] = word.constant 16 : i32
// CHECK-DAG:     %[[B:.*]] = word.constant -1 : i32
// CHECK-DAG:     %[[E:.*]] = word.constant 255 : i32
// CHECK:         word.add %[[A]], %[[B]]
// CHECK-NEXT:    word.add %c, %d
// CHECK-NEXT:    word.add %{{.*}}, %[[E]]
// REMARK: argument 0 is always 16
// REMARK: argument 1 is always 4294967295
// REMARK: argument 4 is always 255
func.func @facts(
    %a: i32 {vliw.value = 16 : i32}, %b: i32 {vliw.range = array<i32: -1, -1>},
    %c: i32 {vliw.range = array<i32: 0, 1>}, %d: i32, %e: i32 {vliw.value = 255 : i32},
    %m: !word.buffer<4> {vliw.range = array<i32: 0, 0>}
) -> i32 attributes {vliw.signature = (i32, i32, i32, i32, i8, memref<4xi32>) -> i32} {
  %x = word.add %a, %b : i32
  %y = word.add %c, %d : i32
  %z = word.add %y, %e : i32
  word.store %x, %m[%a] : i32, !word.buffer<4>
  func.return %z : i32
}

// -----

// CHECK-LABEL: @unused
// CHECK-NOT:     word.constant
func.func @unused(%a: i32 {vliw.value = 16 : i32}) {
  func.return
}
