// RUN: rm -f %t.mlir
// RUN: not vliw-opt %s -p canonicalize,convert-std-to-kernel,cse --crash-reproducer=%t.mlir 2>&1 | filecheck %s --check-prefix=ERR
// RUN: filecheck %s --input-file %t.mlir
// RUN: not vliw-opt --run-reproducer %t.mlir 2>&1 | filecheck %s --check-prefix=AGAIN

// ERR:        reproducer.mlir:{{.*}}: error: {{.*}}f32
// AGAIN:      reproducer.mlir.tmp.mlir:{{.*}}: error: {{.*}}f32

// CHECK:      // configuration: {"passes": "convert-std-to-kernel,cse", "verify_each": true, "allow_unregistered_dialect": false}
// CHECK-NEXT: "builtin.module"() ({
// CHECK-NOT:  arith.addi
func.func @f(%a: i32, %x: f32) {
  %dead = arith.addi %a, %a : i32
  return
}
