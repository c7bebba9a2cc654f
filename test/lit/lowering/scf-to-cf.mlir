// RUN: vliw-opt %s -p convert-word-scf-to-cf --split-input-file --print-debuginfo | filecheck %s

// A loop is entered if its counter, as a signed word, is less than its bound, which is tested
// again at the end of each iteration.

// CHECK-LABEL: @for
// CHECK:         [[RUNS:%\S+]] = word.cmp slt, %low, %high : i32
// CHECK-NEXT:    [[TEST:%\S+]] = word.test [[RUNS]]
// CHECK-NEXT:    cf.cond_br [[TEST]], ^[[BODY:\S+]](%low, %x : i32, i32), ^[[END:\S+]](%x : i32)
// CHECK-NEXT:  ^[[BODY]](%i: i32{{.*}}, %s: i32{{.*}}):
// CHECK-NEXT:    %t = word.xor %s, %i : i32
// CHECK-NEXT:    [[NEXT:%\S+]] = word.add %i, %step : i32
// CHECK-NEXT:    [[LESS:%\S+]] = word.cmp slt, [[NEXT]], %high : i32
// CHECK-NEXT:    [[AGAIN:%\S+]] = word.test [[LESS]]
// CHECK-NEXT:    cf.cond_br [[AGAIN]], ^[[BODY]]([[NEXT]], %t : i32, i32), ^[[END]](%t : i32)
// CHECK-NEXT:  ^[[END]](%r: i32{{.*}}):
// CHECK-NEXT:    func.return %r : i32
func.func @for(%low: i32, %high: i32, %step: i32, %x: i32) -> i32 {
  %r = scf.for %i = %low to %high step %step iter_args(%s = %x) -> (i32) : i32 {
    %t = word.xor %s, %i : i32
    scf.yield %t : i32
  }
  func.return %r : i32
}

// -----

// CHECK-LABEL: @for_without_values
// CHECK:         cf.cond_br {{%\S+}}, ^[[BODY:\S+]](%low : i32), ^[[END:\S+]] loc
// CHECK-NEXT:  ^[[BODY]](%i: i32{{.*}}):
// CHECK-NEXT:    word.trace_write %i
// CHECK:         cf.cond_br {{%\S+}}, ^[[BODY]]({{%\S+}} : i32), ^[[END]] loc
func.func @for_without_values(%low: i32, %high: i32) {
  scf.for %i = %low to %high step %low : i32 {
    word.trace_write %i
  }
  func.return
}

// -----

// With constant bounds it is known to run, and what the counter is at the end; with a step of 1
// it does not pass its bound either. Then a difference tells that the loop goes on.

// CHECK-LABEL: @constant_bounds
// CHECK:         cf.br ^[[BODY:\S+]]({{%\S+, %\S+}} : i32, i32)
// CHECK-NEXT:  ^[[BODY]](%i: i32{{.*}}, %s: i32{{.*}}):
// CHECK-NEXT:    %t = word.xor %s, %i : i32
// CHECK-NEXT:    [[NEXT:%\S+]] = word.add %i, {{%\S+}} : i32
// CHECK-NEXT:    [[PAST:%\S+]] = word.constant 12 : i32
// CHECK-NEXT:    [[DIFFERS:%\S+]] = word.xor [[NEXT]], [[PAST]] : i32
// CHECK-NEXT:    [[AGAIN:%\S+]] = word.test [[DIFFERS]]
// CHECK-NEXT:    cf.cond_br [[AGAIN]], ^[[BODY]]([[NEXT]], %t : i32, i32), ^[[END:\S+]] loc
// CHECK-NEXT:  ^[[END]]:
// CHECK:         word.cmp slt
// CHECK:         word.xor [[J:%\S+]], %x : i32
func.func @constant_bounds(%x: i32) -> i32 {
  %low = word.constant 0 : i32
  %high = word.constant 10 : i32
  %step = word.constant 4 : i32
  %one = word.constant 1 : i32
  %r = scf.for %i = %low to %high step %step iter_args(%s = %x) -> (i32) : i32 {
    %t = word.xor %s, %i : i32
    scf.yield %t : i32
  }
  scf.for %j = %r to %x step %one : i32 {
    word.trace_write %j
  }
  func.return %r : i32
}

// -----

// The test of a loop exists twice.

// CHECK-LABEL: @while
// CHECK-NEXT:    cf.br ^[[CHECK:\S+]](%x : i32)
// CHECK-NEXT:  ^[[CHECK]](%a: i32{{.*}}):
// CHECK-NEXT:    %c = word.test %a
// CHECK-NEXT:    %d = word.add %a, %a : i32
// CHECK-NEXT:    cf.cond_br %c, ^[[BODY:\S+]](%d, %a : i32, i32), ^[[END:\S+]](%d, %a : i32, i32)
// CHECK-NEXT:  ^[[BODY]](%b: i32{{.*}}, %{{\S+}}: i32{{.*}}):
// CHECK-NEXT:    %e = word.shru %b, %x : i32
// CHECK-NEXT:    [[C:%\S+]] = word.test %e
// CHECK-NEXT:    [[D:%\S+]] = word.add %e, %e : i32
// CHECK-NEXT:    cf.cond_br [[C]], ^[[BODY]]([[D]], %e : i32, i32), ^[[END]]([[D]], %e : i32, i32)
// CHECK-NEXT:  ^[[END]](%{{\S+}}: i32{{.*}}, [[LAST:%\S+]]: i32{{.*}}):
// CHECK-NEXT:    func.return [[LAST]] : i32
func.func @while(%x: i32) -> i32 {
  %r, %last = scf.while (%a = %x) : (i32) -> (i32, i32) {
    %c = word.test %a
    %d = word.add %a, %a : i32
    scf.condition(%c) %d, %a : i32, i32
  } do {
  ^bb0(%b: i32, %unused: i32):
    %e = word.shru %b, %x : i32
    scf.yield %e : i32
  }
  func.return %last : i32
}

// -----

// CHECK-LABEL: @if
// CHECK-NEXT:    cf.cond_br %c, ^[[THEN:\S+]], ^[[ELSE:\S+]] loc
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    cf.br ^[[END:\S+]](%x, %v : i32, vector<8xi32>)
// CHECK-NEXT:  ^[[ELSE]]:
// CHECK-NEXT:    cf.br ^[[END]](%y, %v : i32, vector<8xi32>)
// CHECK-NEXT:  ^[[END]]([[R:%\S+]]: i32{{.*}}, %{{\S+}}: vector<8xi32>{{.*}}):
// CHECK-NEXT:    func.return [[R]] : i32
func.func @if(%c: i1, %x: i32, %y: i32, %v: vector<8xi32>) -> i32 {
  %r, %w = scf.if %c -> (i32, vector<8xi32>) {
    scf.yield %x, %v : i32, vector<8xi32>
  } else {
    scf.yield %y, %v : i32, vector<8xi32>
  }
  func.return %r : i32
}

// -----

// CHECK-LABEL: @if_without_else
// CHECK-NEXT:    cf.cond_br %c, ^[[THEN:\S+]], ^[[END:\S+]] loc
// CHECK-NEXT:  ^[[THEN]]:
// CHECK-NEXT:    word.pause
// CHECK-NEXT:    cf.br ^[[END]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    func.return
func.func @if_without_else(%c: i1) {
  scf.if %c {
    word.pause
  }
  func.return
}

// -----

// A region with blocks of its own: each of them may yield.

// CHECK-LABEL: @execute_region
// CHECK-NEXT:    cf.br ^[[ENTRY:\S+]] loc
// CHECK-NEXT:  ^[[ENTRY]]:
// CHECK-NEXT:    cf.cond_br %c, ^[[A:\S+]], ^[[B:\S+]] loc
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    cf.br ^[[END:\S+]](%x : i32)
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    cf.br ^[[END]](%y : i32)
// CHECK-NEXT:  ^[[END]]([[R:%\S+]]: i32{{.*}}):
// CHECK-NEXT:    func.return [[R]] : i32
func.func @execute_region(%c: i1, %x: i32, %y: i32) -> i32 {
  %r = scf.execute_region -> (i32) {
    cf.cond_br %c, ^a, ^b
  ^a:
    scf.yield %x : i32
  ^b:
    scf.yield %y : i32
  }
  func.return %r : i32
}

// -----

// Nests of all kinds, several in one block, in a block that is not the entry.

// CHECK-LABEL: @nested
// CHECK-NOT:     {{scf\.}}
// CHECK:         func.return
// CHECK-NOT:     {{scf\.}}
func.func @nested(%c: i1, %n: i32) {
  cf.br ^body
^body:
  scf.if %c {
    %r = scf.for %i = %n to %n step %n iter_args(%s = %n) -> (i32) : i32 {
      %q = scf.execute_region -> (i32) {
        scf.if %c {
        } else {
          word.pause
        }
        scf.yield %s : i32
      }
      scf.yield %q : i32
    }
    word.trace_write %r
  }
  scf.for %i = %n to %n step %n : i32 {
    scf.for %j = %i to %n step %n : i32 {
      scf.while : () -> () {
        scf.if %c {
        }
        scf.condition(%c)
      } do {
        scf.yield
      }
    }
  }
  func.return
}

// -----

// Each op is where the structured op was: the branches of a region where it ends.

// CHECK-LABEL: @located
// CHECK-NEXT:    cf.cond_br %c, {{.*}} loc("if":1:1)
// CHECK:         cf.br {{.*}} loc("yield":2:2)
// CHECK:         word.cmp {{.*}} loc("for":3:3)
// CHECK-NEXT:    word.test {{.*}} loc("for":3:3)
// CHECK-NEXT:    cf.cond_br {{.*}} loc("for":3:3)
// CHECK:         word.add {{.*}} loc("for":3:3)
// CHECK-NEXT:    word.cmp {{.*}} loc("for":3:3)
// CHECK-NEXT:    word.test {{.*}} loc("for":3:3)
// CHECK-NEXT:    cf.cond_br {{.*}} loc("for":3:3)
func.func @located(%c: i1, %n: i32) {
  scf.if %c {
    scf.yield loc("yield":2:2)
  } loc("if":1:1)
  scf.for %i = %n to %n step %n : i32 {
  } loc("for":3:3)
  func.return
}
