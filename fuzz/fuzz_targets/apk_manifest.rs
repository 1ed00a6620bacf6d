#![no_main]

#[path = "../bodies/apk_manifest.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
