// Help, lists and mistakes in the command line.

// RUN: vliw-opt --help | filecheck %s --check-prefix=HELP
// HELP:      usage: vliw-opt [options] [input-file]
// HELP:      --print-ir-after-change
// HELP:      examples:
// HELP:      Exit status:

// RUN: vliw-opt --list-passes | filecheck %s --check-prefix=LIST
// LIST:      Passes of vliw-mlir:
// LIST:      convert-std-to-kernel
// LIST:      Passes of xDSL and plug-ins:
// LIST:      scf-for-loop-unroll

// RUN: vliw-opt -O1 -p cse --print-pipeline | filecheck %s --check-prefix=PIPELINE
// PIPELINE:  convert-std-to-kernel{{.*}},cse

// RUN: not vliw-opt -p canonicalise,cse %s 2>&1 | filecheck %s --check-prefix=PASS
// PASS:      vliw-opt: error: unknown pass 'canonicalise'; did you mean 'canonicalize'? (see vliw-opt --help)

// RUN: not vliw-opt --print-ir-after-al %s 2>&1 | filecheck %s --check-prefix=OPTION
// OPTION:    vliw-opt: error: unknown argument '--print-ir-after-al'; did you mean '--print-ir-after-all'?

// RUN: not vliw-opt %t.gone 2>&1 | filecheck %s --check-prefix=GONE
// GONE:      vliw-opt: error: cannot access '{{.*}}.gone': No such file or directory

// RUN: python -m vliw_mlir opt --version | filecheck %s --check-prefix=VERSION
// VERSION:   vliw-opt built on xDSL version
