#![no_main]

#[path = "../bodies/etl_reader.rs"]
mod body;
#[path = "../bodies/timeline.rs"]
mod timeline;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
