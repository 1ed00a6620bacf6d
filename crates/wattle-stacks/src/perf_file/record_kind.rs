//! Kinds of records (`enum perf_event_type`, `enum perf_user_event_type`, simpleperf's `user_record_type`).

/// A mapping.
pub const MMAP: u32 = 1;
/// Lost records.
pub const LOST: u32 = 2;
/// A name of a thread.
pub const COMM: u32 = 3;
/// The end of a thread.
pub const EXIT: u32 = 4;
/// Samples were held back.
pub const THROTTLE: u32 = 5;
/// The beginning of a thread.
pub const FORK: u32 = 7;
/// A sample.
pub const SAMPLE: u32 = 9;
/// A mapping with its protection and its file's inode or build id.
pub const MMAP2: u32 = 10;
/// Lost samples.
pub const LOST_SAMPLES: u32 = 13;
/// A switch of a recorded thread.
pub const SWITCH: u32 = 14;
/// A switch of any thread.
pub const SWITCH_CPU_WIDE: u32 = 15;

/// First kind of records that programs make, not the kernel.
pub const USER: u32 = 64;
/// Attributes of an event, in a stream.
pub const HEADER_ATTR: u32 = 64;
/// Descriptions of tracepoints, in a stream.
pub const HEADER_TRACING_DATA: u32 = 66;
/// A build id, in a stream.
pub const HEADER_BUILD_ID: u32 = 67;
/// All CPUs were read up to here.
pub const FINISHED_ROUND: u32 = 68;
/// A block of a hardware trace.
pub const AUXTRACE: u32 = 71;
/// A name of an event, or its unit.
pub const EVENT_UPDATE: u32 = 78;
/// A feature, in a stream.
pub const HEADER_FEATURE: u32 = 80;
/// Packed records.
pub const COMPRESSED: u32 = 81;
/// The state from before the recording ends here.
pub const FINISHED_INIT: u32 = 82;
/// Packed records with their length.
pub const COMPRESSED2: u32 = 83;

/// First kind of simpleperf's own records.
pub const SIMPLEPERF: u32 = 32768;
/// Functions of the kernel.
pub const KERNEL_SYMBOL: u32 = 32769;
/// A file with code.
pub const DSO: u32 = 32770;
/// A function.
pub const SYMBOL: u32 = 32771;
/// A part of a record.
pub const SPLIT: u32 = 32772;
/// The end of a record in parts.
pub const SPLIT_END: u32 = 32773;
/// Numbers of counters by event.
pub const EVENT_ID: u32 = 32774;
/// The result of unwinding.
pub const UNWINDING_RESULT: u32 = 32776;
/// Descriptions of tracepoints.
pub const TRACING_DATA: u32 = 32777;
/// A text for debugging.
pub const DEBUG: u32 = 32778;

/// Names of those by the kernel, from 0 on.
const KERNEL: [&str; 23] = [
    "",
    "mmap",
    "lost",
    "comm",
    "exit",
    "throttle",
    "unthrottle",
    "fork",
    "read",
    "sample",
    "mmap2",
    "aux",
    "itrace_start",
    "lost_samples",
    "switch",
    "switch_cpu_wide",
    "namespaces",
    "ksymbol",
    "bpf_event",
    "cgroup",
    "text_poke",
    "aux_output_hw_id",
    "callchain_deferred",
];

/// Names of those by `perf`, from [`USER`] on.
const PERF: [&str; 20] = [
    "header_attr",
    "header_event_type",
    "header_tracing_data",
    "header_build_id",
    "finished_round",
    "id_index",
    "auxtrace_info",
    "auxtrace",
    "auxtrace_error",
    "thread_map",
    "cpu_map",
    "stat_config",
    "stat",
    "stat_round",
    "event_update",
    "time_conv",
    "header_feature",
    "compressed",
    "finished_init",
    "compressed2",
];

/// Names of those by simpleperf, from [`SIMPLEPERF`] on.
const OWN: [&str; 11] = [
    "",
    "kernel_symbol",
    "dso",
    "symbol",
    "split",
    "split_end",
    "event_id",
    "callchain",
    "unwinding_result",
    "tracing_data",
    "debug",
];

/// Name of a kind of record, as `perf report -D` has it without the prefix.
pub fn name(kind: u32) -> &'static str {
    let known = match kind {
        SIMPLEPERF.. => OWN.get((kind - SIMPLEPERF) as usize),
        USER.. => PERF.get((kind - USER) as usize),
        _ => KERNEL.get(kind as usize),
    };
    known.copied().filter(|name| !name.is_empty()).unwrap_or("record of an unknown kind")
}

/// Whether a later recorder may write this kind: those that are known, and as many again behind them.
pub fn is_possible(kind: u32) -> bool {
    kind < USER + 2 * PERF.len() as u32
        || (SIMPLEPERF..SIMPLEPERF + 2 * OWN.len() as u32).contains(&kind)
}

/// Whether there are records of this kind.
pub fn is_known(kind: u32) -> bool {
    (1..=22).contains(&kind)
        || (USER..=COMPRESSED2).contains(&kind)
        || (SIMPLEPERF + 1..=DEBUG).contains(&kind)
}
