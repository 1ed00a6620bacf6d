//! Real, simulated and damaged files of every format through the registry, to timelines.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod art_trace;
mod artifacts;
mod atrace_chunks;
mod bad_input;
mod batterystats;
mod block_requests;
mod counters;
mod cut_archives;
mod cut_texts;
mod diff_tests;
mod dmtracedump;
mod etl;
mod etl_events;
mod etl_schema;
mod events;
mod ftrace;
mod generated_traces;
mod hostile;
mod hostile_etl;
mod hostile_meters;
mod hostile_perf_data;
mod hostile_records;
mod hostile_traces;
mod log_writer;
mod logcat;
mod meter;
mod moved_bytes;
mod navitas;
mod one_cpu;
mod one_run;
mod packet_kinds;
mod perf_data;
mod perf_data_writer;
mod plain;
mod polled_cpu_times;
mod probes;
mod proc_files;
mod published;
mod real_traces;
mod record_writer;
mod recordings;
mod stack_texts;
mod time_outliers;
mod trace_build;
mod trace_dat;
mod trace_dat_writer;
mod trace_split;
mod traces;

// Bodies of the fuzz targets, on seeds of their own.
#[path = "../../../../fuzz/bodies/art_trace_reader.rs"]
mod art_trace_reader;
#[path = "../../../../fuzz/bodies/batterystats_reader.rs"]
mod batterystats_reader;
#[path = "../../../../fuzz/bodies/counters_reader.rs"]
mod counters_reader;
#[path = "../../../../fuzz/bodies/etl_reader.rs"]
mod etl_reader;
#[path = "../../../../fuzz/bodies/ftrace_reader.rs"]
mod ftrace_reader;
#[path = "../../../../fuzz/bodies/logcat_reader.rs"]
mod logcat_reader;
#[path = "../../../../fuzz/bodies/meter_reader.rs"]
mod meter_reader;
#[path = "../../../../fuzz/bodies/navitas_reader.rs"]
mod navitas_reader;
#[path = "../../../../fuzz/bodies/perf_data_reader.rs"]
mod perf_data_reader;
#[path = "../../../../fuzz/bodies/perfetto_reader.rs"]
mod perfetto_reader;
#[path = "../../../../fuzz/bodies/probes_reader.rs"]
mod probes_reader;
#[path = "../../../../fuzz/bodies/proc_reader.rs"]
mod proc_reader;
#[path = "../../../../fuzz/bodies/stack_texts_reader.rs"]
mod stack_texts_reader;
#[path = "../../../../fuzz/bodies/timeline.rs"]
mod timeline;
#[path = "../../../../fuzz/bodies/trace_dat_reader.rs"]
mod trace_dat_reader;
#[path = "../../../../fuzz/bodies/wire_cursor.rs"]
mod wire_cursor;
