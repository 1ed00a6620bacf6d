//! Benchmark of gates.
