//! The configuration of a Perfetto recording: a `TraceConfig` in binary protobuf, which all versions accept (`--txt` came with
//! Android 10). Field numbers: `protos/perfetto/config/**` of Perfetto, checked at v58.

use std::time::Duration;

use wattle_wire::Writer;

/// Options of a Perfetto recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PerfettoOptions {
    /// Categories of atrace. Default is `am`, `power`.
    pub categories: Vec<String>,
    /// Interrupts, hard and soft: thousands of events a second. Default is no.
    pub interrupts: bool,
    /// The log as part of the trace. Default is no: it is recorded apart.
    pub log: bool,
    /// Period of battery counters and power rails. Default is 250 ms.
    pub power_period: Duration,
    /// Size of the buffer between the kernel and the file, in KiB. Default is 64 MiB.
    pub buffer_kib: u32,
    /// Largest trace file in bytes. Default is 4 GiB.
    pub max_bytes: u64,
}

impl Default for PerfettoOptions {
    fn default() -> Self {
        Self {
            categories: vec!["am".to_owned(), "power".to_owned()],
            interrupts: false,
            log: false,
            power_period: Duration::from_millis(250),
            buffer_kib: 64 << 10,
            max_bytes: 4 << 30,
        }
    }
}

/// The kernel's events that say who ran where, how fast, and who is who. Unknown ones are passed over by Perfetto.
const EVENTS: &[&str] = &[
    "sched/sched_switch",
    "sched/sched_waking",
    "sched/sched_process_exit",
    "sched/sched_process_free",
    "sched/sched_process_fork",
    "task/task_newtask",
    "task/task_rename",
    "power/cpu_frequency",
    "power/cpu_idle",
    "power/suspend_resume",
    "power/gpu_frequency",
    "power/gpu_work_period",
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

/// `TraceConfig`.
mod trace_config {
    pub(super) const BUFFERS: u32 = 1;
    pub(super) const DATA_SOURCES: u32 = 2;
    pub(super) const DURATION_MS: u32 = 3;
    pub(super) const WRITE_INTO_FILE: u32 = 8;
    pub(super) const FILE_WRITE_PERIOD_MS: u32 = 9;
    pub(super) const MAX_FILE_SIZE_BYTES: u32 = 10;
    pub(super) const FLUSH_PERIOD_MS: u32 = 13;
}

/// `DataSourceConfig`.
mod data_source {
    pub(super) const NAME: u32 = 1;
    pub(super) const TARGET_BUFFER: u32 = 2;
    pub(super) const FTRACE: u32 = 100;
    pub(super) const PROCESS_STATS: u32 = 103;
    pub(super) const SYS_STATS: u32 = 104;
    pub(super) const ANDROID_POWER: u32 = 106;
    pub(super) const ANDROID_LOG: u32 = 107;
    pub(super) const NETWORK_PACKETS: u32 = 120;
}

/// Android 14 (`network_trace_config.proto`).
const NETWORK_PACKETS_SDK: u32 = 34;
/// The second buffer: what comes rarely must not be pushed out by what comes often.
const STATE_BUFFER_KIB: u64 = 4096;
const STATE_BUFFER: u64 = 1;

/// The configuration of a trace that ends by itself after `limit`.
///
/// It is written into the file while it is recorded, so that its length is bounded by the storage alone and what there is
/// survives the death of the recorder.
pub fn config(options: &PerfettoOptions, apps: &[&str], sdk: u32, limit: Duration) -> Vec<u8> {
    let mut out = Writer::new();
    // First, so that a configuration that was cut off in the middle is bounded, too.
    out.varint(trace_config::DURATION_MS, millis(limit));
    out.bool(trace_config::WRITE_INTO_FILE, true);
    out.varint(trace_config::FILE_WRITE_PERIOD_MS, 2500);
    out.varint(trace_config::MAX_FILE_SIZE_BYTES, options.max_bytes);
    out.varint(trace_config::FLUSH_PERIOD_MS, 5000);
    for kib in [u64::from(options.buffer_kib), STATE_BUFFER_KIB] {
        out.message(trace_config::BUFFERS, |buffer| {
            buffer.varint(1, kib); // size_kb
            buffer.varint(4, 1); // fill_policy: RING_BUFFER
        });
    }
    ftrace(&mut out, options, apps);
    source(&mut out, "linux.process_stats", Some(STATE_BUFFER), |of| {
        of.message(data_source::PROCESS_STATS, |stats| {
            stats.bool(2, true); // scan_all_processes_on_start
            stats.bool(3, true); // record_thread_names
        });
    });
    source(&mut out, "linux.sys_stats", Some(STATE_BUFFER), |of| {
        of.message(data_source::SYS_STATS, |stats| {
            // Frequencies that never change make no event: they are read.
            stats.varint(8, 500); // cpufreq_period_ms
        });
    });
    source(&mut out, "android.power", Some(STATE_BUFFER), |of| {
        of.message(data_source::ANDROID_POWER, |power| {
            power.varint(1, millis(options.power_period)); // battery_poll_ms
            for counter in 1..=5 {
                power.varint(2, counter); // battery_counters: charge, percent, current, average, voltage
            }
            power.bool(3, true); // collect_power_rails
            power.bool(4, true); // collect_energy_estimation_breakdown
            power.bool(5, true); // collect_entity_state_residency
        });
    });
    source(&mut out, "android.packages_list", Some(STATE_BUFFER), |_| {});
    if sdk >= NETWORK_PACKETS_SDK {
        source(&mut out, "android.network_packets", None, |of| {
            of.message(data_source::NETWORK_PACKETS, |packets| packets.varint(1, 250)); // poll_ms
        });
    }
    if options.log {
        source(&mut out, "android.log", None, |of| {
            of.message(data_source::ANDROID_LOG, |log| {
                // log_ids: LID_DEFAULT, LID_SYSTEM, LID_CRASH
                for id in [0, 3, 4] {
                    log.varint(1, id);
                }
            });
        });
    }
    out.into_bytes()
}

fn ftrace(out: &mut Writer, options: &PerfettoOptions, apps: &[&str]) {
    source(out, "linux.ftrace", None, |of| {
        of.message(data_source::FTRACE, |ftrace| {
            let interrupts = if options.interrupts { INTERRUPTS } else { &[] };
            for event in EVENTS.iter().chain(interrupts) {
                ftrace.string(1, event); // ftrace_events
            }
            for category in &options.categories {
                ftrace.string(2, category); // atrace_categories
            }
            for app in apps {
                ftrace.string(3, app); // atrace_apps
            }
            ftrace.varint(10, 8192); // buffer_size_kb
            ftrace.varint(11, 250); // drain_period_ms
            ftrace.message(12, |compact| compact.bool(1, true)); // compact_sched
        });
    });
}

fn source(out: &mut Writer, name: &str, buffer: Option<u64>, config: impl FnOnce(&mut Writer)) {
    out.message(trace_config::DATA_SOURCES, |source| {
        source.message(1, |of| {
            of.string(data_source::NAME, name);
            if let Some(buffer) = buffer {
                of.varint(data_source::TARGET_BUFFER, buffer);
            }
            config(of);
        });
    });
}

/// Milliseconds that fit into Perfetto's `uint32`.
fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX).clamp(1, u64::from(u32::MAX))
}
