"""vliw-mlir: a multi-level optimizing compiler for VLIW SIMD machines."""
