#![no_main]

#[path = "../bodies/trace_dat_reader.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
