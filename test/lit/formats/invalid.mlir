// RUN: vliw-opt %s -t vliw-json --split-input-file --verify-diagnostics
// RUN: vliw-opt %s -t vliw-asm --split-input-file --verify-diagnostics

// expected-error@+1 {{the module is not at the bundle level (no vliw.program); lower it with -O0}}
builtin.module {
  func.func @kernel() {
    func.return
  }
}

// -----

vliw.program @kernel : () -> () {
}
// expected-error@+1 {{expected nothing beside one vliw.program in the module}}
func.func @helper() {
  func.return
}

// -----

vliw.program @one : () -> () {
}
// expected-error@+1 {{expected nothing beside one vliw.program in the module}}
vliw.program @two : () -> () {
}
