// RUN: vliw-opt %s -t vliw-json > %t.json
// RUN: filecheck %s --check-prefix=JSON < %t.json
// RUN: vliw-opt %t.json | filecheck %s --check-prefix=IR
// RUN: vliw-opt %t.json -t vliw-json | diff - %t.json

// Out and in again: bundles with their labels as numbers, the interface, the machine, and where
// the slots come from.

// JSON:      {"bundles": [
// JSON-NEXT: {"load": [["const", 2, 1], ["const", 3, 4294967295]]},
// JSON-NEXT: {"alu": [["+", 4, 4, 2], ["<", 5, 4, 3]], "load": [["const", 6, 1]]},
// JSON-NEXT: {},
// JSON-NEXT: {"flow": [["cond_jump", 5, 1]], "debug": [["compare", 4, ["key", 0, [1]]]]}
// JSON-NEXT: ],
// JSON-NEXT: "abi": {"kernel": "count", "args": [{"kind": "scalar", "width": 32, "value": 7}, {"kind": "memref", "width": 32, "shape": [2, null], "range": [0, 4294967295]}], "results": [{"kind": "tensor", "width": 32, "shape": [4]}], "spill": {"address": 1048576, "words": 8}},
// JSON-NEXT: "target": {"name": "small", "vlen": 8, "scratch": 16, "engines": {
// JSON-NEXT: "sources": {{\[\["(.*)vliw-json.mlir:29:5", "(.*)vliw-json.mlir:29:5"\],}} ["a.mlir:1:2", "a.mlir:5:6", "a.mlir:3:4"], [], {{.*\]\]}}}

// IR:      builtin.module attributes {vliw.target = {name = "small",
// IR-NEXT:   vliw.program @count : (i32, memref<2x?xi32>) -> tensor<4xi32> args [{vliw.value = 7 : i32}, {vliw.range = array<i32: 0, -1>}] spill [1048576, 8] {
// IR-NEXT:     vliw.bundle {load("const", 2, 1), load("const", 3, 4294967295)}
// IR-NEXT:     vliw.bundle @bb1 {alu("+", 4, 4, 2), alu("<", 5, 4, 3), load("const", 6, 1)}
// IR-NEXT:     vliw.bundle {}
// IR-NEXT:     vliw.bundle {flow("cond_jump", 5, @bb1), debug("compare", 4, ["key", 0, [1]])}
// IR-NEXT:   }

builtin.module attributes {vliw.target = {name = "small", scratch = 16}} {
  vliw.program @count : (i32, memref<2x?xi32>) -> tensor<4xi32> args [{vliw.value = 7 : i32}, {vliw.range = array<i32: 0, -1>}] spill [1048576, 8] {
    vliw.bundle {load("const", 2, 1), load("const", 3, 4294967295)}
    vliw.bundle @loop {alu("+", 4, 4, 2), load("const", 6, 1), alu("<", 5, 4, 3)} loc(fused["a.mlir":1:2, "a.mlir":3:4, "a.mlir":5:6])
    vliw.bundle {}
    vliw.bundle {flow("cond_jump", 5, @loop), debug("compare", 4, ["key", 0, [1]])}
  }
}
