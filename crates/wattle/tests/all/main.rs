//! The real program from end to end: one binary of all tests, because linking the program's crates takes longer than
//! running most of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed"
)]

// Readers and runtimes that other crates' tests own.
#[path = "../../../wattle-probe/tests/all/art/mod.rs"]
mod art;
#[path = "../../../wattle-ingest/tests/all/trace_build.rs"]
#[allow(dead_code, reason = "a part is used")]
mod build;
#[path = "../../../wattle-ingest/tests/all/dmtracedump.rs"]
#[allow(dead_code, reason = "a part is used")]
mod dmtracedump;
#[path = "../../../wattle-ingest/tests/all/events.rs"]
#[allow(dead_code, reason = "a part is used")]
mod events;
#[path = "../../../wattle-ingest/tests/all/plain.rs"]
mod plain;
#[path = "../../../wattle-probe/tests/all/runtime_reader.rs"]
#[allow(dead_code, reason = "a part is used")]
mod runtime_reader;

mod corpus;
mod counted;
mod disassembly;
mod phone_bench;
mod served_program;
mod support;
mod terminal_bench;
mod terminal_summary;

mod accuracy;
mod api_costs;
mod bisect;
mod by;
mod by_spans;
mod calibrate;
mod call_sites;
mod category;
mod check;
mod check_on_server;
mod counts_on_art;
mod curve_updates;
mod demo;
mod diagnose;
mod diff;
mod doctor;
mod effects;
mod embedded_model;
mod export;
mod first_minutes;
mod history;
mod hostile;
mod import;
mod ingest_on_art;
mod instrument;
mod instrument_budget;
mod instrument_defaults;
mod instrument_on_art;
mod killed;
mod ladder;
mod lines_on_art;
mod method_trace_on_art;
mod moved_on_art;
mod one_recording;
mod orka_paper;
mod piped;
mod polling;
mod push;
mod real_recordings;
mod report;
mod result_files;
mod run;
mod run_on_art;
mod selection;
mod series_on_phone;
mod serve;
mod serve_devices;
mod serve_first;
mod serve_fuzzed;
mod serve_ranges;
mod sim_accuracy;
mod sim_difference;
mod start;
mod start_modes;
mod stock_phones;
mod suspects;
mod top;
mod unpack_limits;
mod verify;
mod waits_page;
mod wattson_parity;
#[path = "../../../wattle-report/tests/all/webdriver/mod.rs"]
mod webdriver;
