//! Kinds of records (`enum perf_event_type`, `enum perf_user_event_type`, simpleperf's `user_record_type`).

pub(super) const MMAP: u32 = 1;
pub(super) const LOST: u32 = 2;
pub(super) const COMM: u32 = 3;
pub(super) const EXIT: u32 = 4;
pub(super) const THROTTLE: u32 = 5;
pub(super) const FORK: u32 = 7;
pub(super) const SAMPLE: u32 = 9;
pub(super) const MMAP2: u32 = 10;
pub(super) const LOST_SAMPLES: u32 = 13;
pub(super) const SWITCH: u32 = 14;
pub(super) const SWITCH_CPU_WIDE: u32 = 15;

/// From here on records are made by programs, not by the kernel.
pub(super) const USER: u32 = 64;
pub(super) const HEADER_ATTR: u32 = 64;
pub(super) const HEADER_TRACING_DATA: u32 = 66;
pub(super) const HEADER_BUILD_ID: u32 = 67;
pub(super) const FINISHED_ROUND: u32 = 68;
pub(super) const AUXTRACE: u32 = 71;
pub(super) const EVENT_UPDATE: u32 = 78;
pub(super) const HEADER_FEATURE: u32 = 80;
pub(super) const COMPRESSED: u32 = 81;
pub(super) const FINISHED_INIT: u32 = 82;
pub(super) const COMPRESSED2: u32 = 83;

/// From here on records are simpleperf's own.
pub(super) const SIMPLEPERF: u32 = 32768;
pub(super) const KERNEL_SYMBOL: u32 = 32769;
pub(super) const DSO: u32 = 32770;
pub(super) const SYMBOL: u32 = 32771;
pub(super) const SPLIT: u32 = 32772;
pub(super) const SPLIT_END: u32 = 32773;
pub(super) const EVENT_ID: u32 = 32774;
pub(super) const UNWINDING_RESULT: u32 = 32776;
pub(super) const TRACING_DATA: u32 = 32777;
pub(super) const DEBUG: u32 = 32778;

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

/// What a record is called, as counts of records are told.
pub(super) fn name(kind: u32) -> &'static str {
    let known = match kind {
        SIMPLEPERF.. => OWN.get((kind - SIMPLEPERF) as usize),
        USER.. => PERF.get((kind - USER) as usize),
        _ => KERNEL.get(kind as usize),
    };
    known.copied().filter(|name| !name.is_empty()).unwrap_or("record of an unknown kind")
}

/// Whether there is a record of this kind.
pub(super) fn is_known(kind: u32) -> bool {
    (1..=22).contains(&kind)
        || (USER..=COMPRESSED2).contains(&kind)
        || (SIMPLEPERF + 1..=DEBUG).contains(&kind)
}
