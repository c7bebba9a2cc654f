// RUN: vliw-opt %s -p convert-word-scf-to-cf --split-input-file --verify-diagnostics

func.func @index_bounds(%n: index) {
  // expected-error@+1 {{loop bounds must be words; run convert-std-to-kernel first}}
  scf.for %i = %n to %n step %n {
  }
  func.return
}

// -----

func.func @parallel(%n: index) {
  // expected-error@+1 {{'scf.parallel' is not supported at the SSA level}}
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    scf.reduce
  }
  func.return
}

// -----

func.func @within(%c: i1, %n: index) {
  scf.if %c {
    // expected-error@+1 {{'scf.index_switch' is not supported at the SSA level}}
    scf.index_switch %n
    case 1 {
      scf.yield
    }
    default {
      scf.yield
    }
  }
  func.return
}
