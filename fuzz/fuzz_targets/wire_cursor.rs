#![no_main]

#[path = "../bodies/wire_cursor.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
