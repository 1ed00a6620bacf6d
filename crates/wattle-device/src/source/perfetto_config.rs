//! The configuration of a Perfetto recording: a `TraceConfig`, in binary, which all versions accept (`--txt` came with Android 10), and
//! in protobuf's text format for people. Field numbers: `protos/perfetto/config/**` of Perfetto, checked at v58.

use std::time::Duration;

use super::config_tree::{ConfigField as Field, to_bytes, to_text};

/// Options of a Perfetto recording.
#[expect(clippy::struct_excessive_bools, reason = "each is a source of its own")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PerfettoOptions {
    /// Categories of atrace. Default is `am`, `wm`, `power`.
    pub categories: Vec<String>,
    /// Frames: drawing of apps (`gfx`, `view`), and from Android 12 on when each frame was due and shown. Default is yes.
    pub frames: bool,
    /// Interrupts, hard and soft: thousands of events a second. Default is no.
    pub interrupts: bool,
    /// Hardware counters of each CPU at every switch (cycles, instructions, cache misses), from Android 12 on and where the phone allows
    /// them. They tell code that switches much from code that waits. Default is no.
    pub hardware_counters: bool,
    /// The log as part of the trace. Default is no: it is recorded apart.
    pub log: bool,
    /// Period of battery counters and power rails. Default is 250 ms.
    pub power_period: Duration,
    /// Size of the buffer between the kernel and the file, in KiB. Default is 64 MiB.
    pub buffer_kib: u32,
    /// Largest trace file in bytes. Default is 4 GiB.
    pub max_bytes: u64,
    /// A configuration of the user's own in place of all others. Default is none.
    pub own: Option<OwnConfig>,
}

impl Default for PerfettoOptions {
    fn default() -> Self {
        Self {
            categories: ["am", "wm", "power"].map(str::to_owned).to_vec(),
            frames: true,
            interrupts: false,
            hardware_counters: false,
            log: false,
            power_period: Duration::from_millis(250),
            buffer_kib: 64 << 10,
            max_bytes: 4 << 30,
            own: None,
        }
    }
}

/// A configuration of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnConfig {
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Whether they are protobuf's text format rather than binary.
    pub is_text: bool,
}

impl OwnConfig {
    /// By the bytes of a file: printable text is protobuf's text format.
    pub fn new(bytes: Vec<u8>) -> Self {
        let is_printable = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
        let is_text = std::str::from_utf8(&bytes).is_ok() && bytes.iter().all(is_printable);
        Self { bytes, is_text }
    }
}

/// The kernel's events that say who ran where, how fast, and who is who, how fast memory and buses were, what heat forbade. Unknown ones
/// are passed over by Perfetto.
const EVENTS: &[&str] = &[
    "sched/sched_switch",
    "sched/sched_waking",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "sched/sched_process_fork",
    "task/task_newtask",
    "task/task_rename",
    "power/cpu_frequency",
    "power/cpu_frequency_limits",
    "power/cpu_idle",
    "power/suspend_resume",
    "power/gpu_frequency",
    "power/gpu_work_period",
    "devfreq/devfreq_frequency",
    "cpuhp/cpuhp_enter",
    "cpuhp/cpuhp_multi_enter",
    "cpuhp/cpuhp_exit",
    "thermal/thermal_temperature",
    "thermal/cdev_update",
    "ftrace/print",
];

const INTERRUPTS: &[&str] = &[
    "irq/irq_handler_entry",
    "irq/irq_handler_exit",
    "irq/softirq_entry",
    "irq/softirq_exit",
    "ipi/ipi_entry",
    "ipi/ipi_exit",
];

/// Categories of atrace that say what was drawn.
const FRAMES: [&str; 2] = ["gfx", "view"];

/// Android 12: when frames were due and shown (`frametimeline`).
const FRAME_TIMELINE_SDK: u32 = 31;
/// Android 12 has `linux.perf` (`traced_perf` of Android 11 samples stacks alone); an older one passes followers over.
const FOLLOWERS_SDK: u32 = 31;
/// Android 14 (`network_trace_config.proto`).
const NETWORK_PACKETS_SDK: u32 = 34;
/// The second buffer: what comes rarely must not be pushed out by what comes often.
const STATE_BUFFER_KIB: u64 = 4096;
const STATE_BUFFER: u64 = 1;

/// The configuration of a trace that ends by itself after `limit`, in binary.
///
/// It is written into the file while it is recorded, so that its length is bounded by the storage alone and what there is
/// survives the death of the recorder.
pub fn config(options: &PerfettoOptions, apps: &[&str], sdk: u32, limit: Duration) -> Vec<u8> {
    match &options.own {
        Some(own) => own.bytes.clone(),
        None => to_bytes(&fields(options, apps, sdk, limit)),
    }
}

/// The same in protobuf's text format.
pub fn config_text(options: &PerfettoOptions, apps: &[&str], sdk: u32, limit: Duration) -> String {
    match &options.own {
        Some(own) if own.is_text => String::from_utf8_lossy(&own.bytes).into_owned(),
        Some(own) => format!("# a configuration of {} bytes in binary\n", own.bytes.len()),
        None => to_text(&fields(options, apps, sdk, limit)),
    }
}

/// `TraceConfig`.
fn fields(options: &PerfettoOptions, apps: &[&str], sdk: u32, limit: Duration) -> Vec<Field> {
    let buffer = |kib: u64| {
        let policy = Field::word(4, "fill_policy", 1, "RING_BUFFER");
        Field::message(1, "buffers", vec![Field::number(1, "size_kb", kib), policy])
    };
    // The limits first, so that a configuration that was cut off in the middle is bounded, too.
    let mut fields = vec![
        Field::number(3, "duration_ms", millis(limit)),
        Field::flag(8, "write_into_file"),
        Field::number(9, "file_write_period_ms", 2500),
        Field::number(10, "max_file_size_bytes", options.max_bytes),
        Field::number(13, "flush_period_ms", 5000),
        buffer(u64::from(options.buffer_kib)),
        buffer(STATE_BUFFER_KIB),
    ];
    fields.push(ftrace(options, apps));
    let stats =
        vec![Field::flag(2, "scan_all_processes_on_start"), Field::flag(3, "record_thread_names")];
    let stats = Field::message(103, "process_stats_config", stats);
    fields.push(source("linux.process_stats", Some(STATE_BUFFER), Some(stats)));
    // Frequencies that never change make no event: they are read.
    let stats = vec![Field::number(8, "cpufreq_period_ms", 500)];
    let stats = Field::message(104, "sys_stats_config", stats);
    fields.push(source("linux.sys_stats", Some(STATE_BUFFER), Some(stats)));
    fields.push(source("android.power", Some(STATE_BUFFER), Some(power(options))));
    fields.push(source("android.packages_list", Some(STATE_BUFFER), None));
    if options.frames && sdk >= FRAME_TIMELINE_SDK {
        fields.push(source("android.surfaceflinger.frametimeline", None, None));
    }
    if sdk >= NETWORK_PACKETS_SDK {
        let packets = vec![Field::number(1, "poll_ms", 250)];
        let packets = Field::message(120, "network_packet_trace_config", packets);
        fields.push(source("android.network_packets", None, Some(packets)));
    }
    if options.hardware_counters && sdk >= FOLLOWERS_SDK {
        fields.push(source("linux.perf", None, Some(hardware_counters())));
    }
    if options.log {
        let logs = [(0, "LID_DEFAULT"), (3, "LID_SYSTEM"), (4, "LID_CRASH")];
        let logs = logs.map(|(id, name)| Field::word(1, "log_ids", id, name)).to_vec();
        let logs = Field::message(107, "android_log_config", logs);
        fields.push(source("android.log", None, Some(logs)));
    }
    fields
}

/// `PerfEventConfig`: without `callstack_sampling` it only counts.
fn hardware_counters() -> Field {
    let switch =
        Field::message(3, "tracepoint", vec![Field::text(1, "name", "sched:sched_switch")]);
    let counters = [(10, "HW_CPU_CYCLES"), (11, "HW_INSTRUCTIONS"), (13, "HW_CACHE_MISSES")];
    let mut fields =
        vec![Field::message(15, "timebase", vec![Field::number(1, "period", 1), switch])];
    fields.extend(counters.map(|(id, name)| {
        Field::message(19, "followers", vec![Field::word(1, "counter", id, name)])
    }));
    Field::message(111, "perf_event_config", fields)
}

/// `AndroidPowerConfig`.
fn power(options: &PerfettoOptions) -> Field {
    let counters = [
        (1, "BATTERY_COUNTER_CHARGE"),
        (2, "BATTERY_COUNTER_CAPACITY_PERCENT"),
        (3, "BATTERY_COUNTER_CURRENT"),
        (4, "BATTERY_COUNTER_CURRENT_AVG"),
        (5, "BATTERY_COUNTER_VOLTAGE"),
    ];
    let mut fields = vec![Field::number(1, "battery_poll_ms", millis(options.power_period))];
    fields.extend(counters.map(|(id, name)| Field::word(2, "battery_counters", id, name)));
    fields.extend([
        Field::flag(3, "collect_power_rails"),
        Field::flag(4, "collect_energy_estimation_breakdown"),
        Field::flag(5, "collect_entity_state_residency"),
    ]);
    Field::message(106, "android_power_config", fields)
}

/// `FtraceConfig`.
fn ftrace(options: &PerfettoOptions, apps: &[&str]) -> Field {
    let interrupts = if options.interrupts { INTERRUPTS } else { &[] };
    let events = EVENTS.iter().chain(interrupts);
    let mut fields: Vec<Field> =
        events.map(|event| Field::text(1, "ftrace_events", event)).collect();
    let categories = options.categories.iter().map(String::as_str);
    let frames = FRAMES.into_iter().filter(|_| options.frames);
    let frames = frames.filter(|name| !options.categories.iter().any(|known| known == name));
    fields.extend(categories.chain(frames).map(|name| Field::text(2, "atrace_categories", name)));
    fields.extend(apps.iter().map(|app| Field::text(3, "atrace_apps", app)));
    fields.extend([
        Field::number(10, "buffer_size_kb", 8192),
        Field::number(11, "drain_period_ms", 250),
        Field::message(12, "compact_sched", vec![Field::flag(1, "enabled")]),
    ]);
    source("linux.ftrace", None, Some(Field::message(100, "ftrace_config", fields)))
}

/// `DataSource` with its `DataSourceConfig`.
fn source(name: &str, buffer: Option<u64>, config: Option<Field>) -> Field {
    let mut fields = vec![Field::text(1, "name", name)];
    fields.extend(buffer.map(|buffer| Field::number(2, "target_buffer", buffer)));
    fields.extend(config);
    Field::message(2, "data_sources", vec![Field::message(1, "config", fields)])
}

/// Milliseconds that fit into Perfetto's `uint32`.
fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX).clamp(1, u64::from(u32::MAX))
}
