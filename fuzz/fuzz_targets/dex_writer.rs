#![no_main]

#[path = "../bodies/dex_writer.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
