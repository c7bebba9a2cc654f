// RUN: vliw-opt %s -p print-dependence-graph 2>&1 >/dev/null | filecheck %s

// CHECK:      digraph "k" {
// CHECK-NEXT:   node [shape=box];
// CHECK:        n0 [label="%c0 = word.constant\n{{.*}}print-dependence-graph.mlir:{{[0-9]+}}:3"];
// CHECK:        n2 [label="%x = word.load\n
// CHECK:        n3 [label="word.store\n
// CHECK:        n5 [label="scf.if\n
// CHECK:        n6 [label="word.store\n
// CHECK:        n9 [label="word.trace_write\n
// CHECK:        n10 [label="word.trace_write\n
// CHECK-DAG:    n0 -> n2 [label="data", style=solid];
// CHECK-DAG:    n2 -> n3 [label="data", style=solid];
// CHECK-DAG:    n2 -> n5 [label="anti", style=bold];
// CHECK-DAG:    n3 -> n8 [label="flow", style=bold];
// CHECK-DAG:    n5 -> n6 [label="control", style=dotted];
// CHECK-DAG:    n9 -> n10 [label="order", style=dashed];
// CHECK:      }
func.func @k(%a: !word.buffer<64>, %n: i32) attributes {vliw.signature = (memref<64xi32>, i32) -> ()} {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %x = word.load %a[%c0] : !word.buffer<64> -> i32
  word.store %x, %a[%c1] : i32, !word.buffer<64>
  %t = word.test %x
  scf.if %t {
    word.store %n, %a[%c0] : i32, !word.buffer<64>
  }
  %y = word.load %a[%c1] : !word.buffer<64> -> i32
  word.trace_write %y
  word.trace_write %n
  func.return
}
