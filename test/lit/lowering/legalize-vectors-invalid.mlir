// RUN: vliw-opt %s -p legalize-vectors --split-input-file --verify-diagnostics

func.func @structured(%c: i1) attributes {vliw.signature = (i1) -> ()} {
  %v = word.constant dense<[1, 2]> : vector<2xi32>
  // expected-error@+1 {{'scf.if' on vectors is not supported here; lower control flow first}}
  %r = scf.if %c -> (vector<2xi32>) {
    scf.yield %v : vector<2xi32>
  } else {
    scf.yield %v : vector<2xi32>
  }
  func.return
}

// -----

func.func @other_dialect() {
  %v = word.constant dense<[1, 2]> : vector<2xi32>
  // expected-error@+1 {{'arith.addi' on vectors is not supported here; lower control flow first}}
  %r = arith.addi %v, %v : vector<2xi32>
  func.return
}

// -----

func.func @returned() -> vector<2xi32> {
  %v = word.constant dense<[1, 2]> : vector<2xi32>
  // expected-error@+1 {{a function at the SSA level returns words only}}
  func.return %v : vector<2xi32>
}

// -----

// expected-error@+1 {{a function at the SSA level takes words and buffers only}}
func.func private @taken(%v: vector<3xi32>) {
  func.return
}
