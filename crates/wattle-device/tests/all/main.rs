//! Devices over adb: everything but the tests that are the simulated phone's own program, too (`on_phone`).

#![allow(
    dead_code,
    unused_imports,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::struct_excessive_bools,
    reason = "a test that cannot go on has failed"
)]

mod adbd;
mod recorded;
mod scripted;
mod support;

mod apps;
mod clocks;
mod conditions;
mod counter_script;
mod device_facts;
mod instrument_output;
mod perfetto_config;
mod power_profiles;
mod preparation;
mod probe_files;
mod real_adbd;
mod scenarios;
mod scripted_console;
mod scripted_files;
mod scripted_install;
mod scripted_old_device;
mod scripted_ports;
mod scripted_server;
mod scripted_shell;
mod session;
mod sources;
mod wishes;
