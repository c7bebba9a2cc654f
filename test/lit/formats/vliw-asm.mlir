// RUN: vliw-opt %s -t vliw-asm | filecheck %s --match-full-lines --strict-whitespace

//      CHECK:; kernel listing, 11 bundles, default machine
// CHECK-NEXT:; spill area: 8 words at 100
// CHECK-NEXT: 0  valu  multiply_add v16, v24, v32, v40        ; a.mlir:1:2
// CHECK-NEXT:    load  load_offset  s2, s3, -1                ; a.mlir:1:2
// CHECK-NEXT:    load  load_offset  s4, s5, +1                ; a.mlir:1:2
// CHECK-NEXT: 1  load  const        s0, #-1                   ; a.mlir:3:4
// CHECK-NEXT:    flow  cond_jump_rel s3, ->next-2             ; a.mlir:5:6
// CHECK-NEXT: 2  (empty)
// CHECK-NEXT: 3< debug comment      'a', 1                    ; a.mlir:7:8
// CHECK-NEXT:    debug vcompare     v0, [0, 1, 2, 3, 4, 5, 6, 'seven'] ; a.mlir:7:8
// CHECK-NEXT: 4  flow  jump         ->3                       ; a.mlir:9:1
// CHECK-NEXT: 5  flow  cond_jump    s7, ->11                  ; a.mlir:9:1
// CHECK-NEXT: 6  store vstore       s0, v8                    ; a.mlir:9:1
// CHECK-NEXT: 7  valu  vbroadcast   v8, s0                    ; a.mlir:9:1
// CHECK-NEXT: 8  valu  +            v8, v8, v16               ; a.mlir:9:1
// CHECK-NEXT:    alu   +            s0, s1, s2                ; a.mlir:9:1
// CHECK-NEXT: 9  flow  cond_jump_rel s3, ->next+1             ; a.mlir:9:1
// CHECK-NEXT:10  flow  halt                                   ; a.mlir:9:1
vliw.program @listing : () -> () spill [100, 8] {
  vliw.bundle {valu("multiply_add", 16, 24, 32, 40), load("load_offset", 2, 3, -1), load("load_offset", 4, 5, 1)} loc("a.mlir":1:2)
  vliw.bundle {load("const", 0, -1), flow("cond_jump_rel", 3, -2)} loc(fused["a.mlir":3:4, "a.mlir":5:6])
  vliw.bundle {}
  vliw.bundle @x {debug("comment", "a", 1), debug("vcompare", 0, [0, 1, 2, 3, 4, 5, 6, "seven"])} loc("a.mlir":7:8)
  vliw.bundle {flow("jump", @x)} loc("a.mlir":9:1)
  vliw.bundle {flow("cond_jump", 7, 11)} loc("a.mlir":9:1)
  vliw.bundle {store("vstore", 0, 8)} loc("a.mlir":9:1)
  vliw.bundle {valu("vbroadcast", 8, 0)} loc("a.mlir":9:1)
  vliw.bundle {valu("+", 8, 8, 16), alu("+", 0, 1, 2)} loc("a.mlir":9:1)
  vliw.bundle {flow("cond_jump_rel", 3, 1)} loc("a.mlir":9:1)
  vliw.bundle {flow("halt")} loc("a.mlir":9:1)
}
