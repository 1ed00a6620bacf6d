//! Probes in code and packages: our own, made while testing, and real ones; a real Android runtime is the judge.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

mod art;
mod probed;
mod runtime_device;
mod runtime_driver;
mod runtime_program;
mod runtime_reader;
mod support;

mod calls_hostile;
mod calls_insert;
mod calls_mutations;
mod calls_real;
mod calls_resolution;
mod calls_run;
mod division;
mod hostile;
mod in_front;
mod invocations;
mod map;
mod mapping;
mod packages;
mod real_files;
mod runtime_calibration;
mod runtime_classes;
mod runtime_cost;
mod runtime_events;
mod runtime_host;
mod runtime_lines;
