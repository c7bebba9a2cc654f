// RUN: vliw-opt %s -p canonicalize,cse --print-ir-before=cse --print-ir-after-all 2>&1 >/dev/null | filecheck %s --check-prefix=ALL
// ALL:      // -----// IR Dump After canonicalize //----- //
// ALL-NEXT: builtin.module {
// ALL:      // -----// IR Dump Before cse //----- //
// ALL:      // -----// IR Dump After cse //----- //

// RUN: vliw-opt %s -p canonicalize,canonicalize,cse --print-ir-after-change --print-op-generic 2>&1 >/dev/null | filecheck %s --check-prefix=CHANGE
// CHANGE:      // -----// IR Dump After canonicalize //----- //
// CHANGE-NEXT: "builtin.module"() ({
// CHANGE-NOT:  IR Dump

// RUN: vliw-opt %s -p canonicalize --timing --pass-statistics 2>&1 >/dev/null | filecheck %s --check-prefix=REPORT
// REPORT: ... Pass statistics report ...
// REPORT: ... Execution time report ...
// REPORT: Parser
// REPORT: canonicalize
// REPORT: (verify)
// REPORT: (100.0%)  Total

// Nothing but the IR on stdout.
// RUN: vliw-opt %s -p canonicalize --timing --remarks --print-ir-after-all 2>/dev/null | vliw-opt | filecheck %s
// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:     func.return %a : i32
func.func @f(%a: i32) -> i32 {
  %dead = arith.addi %a, %a : i32
  return %a : i32
}
