#![no_main]

#[path = "../bodies/batterystats_reader.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
