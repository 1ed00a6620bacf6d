#![no_main]

#[path = "../bodies/apk_signatures.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
