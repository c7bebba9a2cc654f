// RUN: vliw-opt %s -p simplify-cfg --split-input-file | filecheck %s

// Empty blocks go; so do chains, constant branches and what they do not lead to.

// CHECK-LABEL: @chains
// CHECK-NEXT:    word.constant 1
// CHECK-NEXT:    word.test
// CHECK-NEXT:    word.trace_write %x
// CHECK-NEXT:    word.trace_write %y
// CHECK-NEXT:    func.return
func.func @chains(%x: i32, %y: i32) {
  %c1 = word.constant 1 : i32
  %true = word.test %c1
  cf.cond_br %true, ^a, ^b
^a:
  word.trace_write %x
  cf.br ^c(%y : i32)
^b:
  cf.br ^c(%x : i32)
^c(%z: i32):
  cf.br ^d
^d:
  word.trace_write %z
  func.return
}

// -----

// One block on both sides: a jump, with what differs selected if that is little.

// CHECK-LABEL: @same_target
// CHECK:         cf.cond_br {{%\S+}}, ^[[M:\S+]](%x, %y, %z : i32, i32, i32), ^[[M]](%y, %z, %x : i32, i32, i32)
// CHECK:       ^[[M]]
// CHECK:         word.select %c, %y, %x : i32
// CHECK-NOT:     cf
// CHECK:         func.return
func.func @same_target(%c: i32, %x: i32, %y: i32, %z: i32) -> i32 {
  %t = word.test %c
  cf.cond_br %t, ^m(%x, %y, %z : i32, i32, i32), ^m(%y, %z, %x : i32, i32, i32)
^m(%p: i32, %q: i32, %r: i32):
  word.trace_write %p
  word.trace_write %q
  word.trace_write %r
  cf.cond_br %t, ^u, ^v
^u:
  cf.br ^n(%y, %z : i32, i32)
^v:
  cf.br ^n(%x, %z : i32, i32)
^n(%s: i32, %k: i32):
  %d = word.add %s, %k : i32
  func.return %d : i32
}

// -----

// A flag that is only tested: each way goes where it leads.

// CHECK-LABEL: @flag
// CHECK:         cf.cond_br %{{\S+}}, ^[[A:\S+]], ^[[Q:\S+]]
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    word.trace_write %x
// CHECK-NEXT:    word.trace_write %y
// CHECK-NEXT:    cf.br ^[[Q]]
// CHECK-NEXT:  ^[[Q]]:
// CHECK-NEXT:    func.return
// The same condition a second time.
// CHECK-LABEL: @again
// CHECK:         cf.cond_br %{{\S+}}, ^[[A:\S+]], ^[[B:\S+]]
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    word.trace_write %x
// CHECK-NEXT:    cf.br ^[[E:\S+]]
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    word.trace_write %y
// CHECK-NEXT:    cf.br ^[[E]]
// CHECK-NEXT:  ^[[E]]:
// CHECK-NEXT:    func.return
func.func @flag(%x: i32, %y: i32) {
  %c0 = word.constant 0 : i32
  %c1 = word.constant 1 : i32
  %t = word.test %x
  cf.cond_br %t, ^a, ^b
^a:
  word.trace_write %x
  cf.br ^m(%c1 : i32)
^b:
  cf.br ^m(%c0 : i32)
^m(%f: i32):
  %u = word.test %f
  cf.cond_br %u, ^p, ^q
^p:
  word.trace_write %y
  cf.br ^q
^q:
  func.return
}
func.func private @again(%x: i32, %y: i32) {
  %t = word.test %x
  cf.cond_br %t, ^m, ^n
^m:
  %u = word.test %x
  cf.cond_br %u, ^a, ^b
^n:
  cf.br ^m
^a:
  word.trace_write %x
  cf.br ^e
^b:
  word.trace_write %y
  cf.br ^e
^e:
  func.return
}

// -----

// Loops that do nothing, and arguments that never change.

// CHECK-LABEL: @forever
// CHECK:         cf.cond_br %{{\S+}}, ^[[A:\S+]], ^[[E:\S+]]
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    cf.br ^[[B:\S+]]
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    cf.br ^[[B]]
// CHECK-NEXT:  ^[[E]]:
// CHECK-NEXT:    func.return
// CHECK-LABEL: @invariant
// CHECK:         cf.br ^[[L:\S+]](%n : i32)
// CHECK-NEXT:  ^[[L]](%i: i32):
// CHECK-NEXT:    word.trace_write %x
// CHECK:         cf.cond_br %{{\S+}}, ^[[L]](%{{\S+}} : i32), ^
func.func @forever(%x: i32) {
  %t = word.test %x
  cf.cond_br %t, ^a, ^e
^a:
  cf.br ^b
^b:
  cf.br ^a
^e:
  func.return
}
func.func private @invariant(%n: i32, %x: i32) {
  cf.br ^loop(%n, %x : i32, i32)
^loop(%i: i32, %v: i32):
  word.trace_write %v
  %next = word.shru %i, %n : i32
  %t = word.test %next
  cf.cond_br %t, ^loop(%next, %v : i32, i32), ^end
^end:
  func.return
}

// -----

// Whether words differ is told by their xor.

// CHECK-LABEL: @differ
// CHECK:         [[X:%\S+]] = word.xor %x, %y
// CHECK-NEXT:    [[T:%\S+]] = word.test [[X]]
// CHECK-NEXT:    cf.cond_br [[T]], ^{{\S+}}, ^{{\S+}}
func.func @differ(%x: i32, %y: i32) {
  %c1 = word.constant 1 : i32
  %same = word.cmp eq, %x, %y : i32
  %differ = word.xor %same, %c1 : i32
  %t = word.test %differ
  cf.cond_br %t, ^a, ^b
^a:
  word.trace_write %x
  cf.br ^b
^b:
  func.return
}
