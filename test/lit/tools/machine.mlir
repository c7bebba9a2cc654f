// RUN: echo '{"name": "small", "scratch": 64}' > %t.json
// RUN: vliw-opt %s --machine %t.json | filecheck %s
// RUN: vliw-opt %s --machine %t.json -o %t.mlir && filecheck %s --input-file %t.mlir

// CHECK: builtin.module attributes {vliw.target = {name = "small", {{.*}}scratch = 64
func.func @f() {
  return
}
