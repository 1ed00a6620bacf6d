//! The configuration for Perfetto, read by Google's protobuf runtime with Perfetto's own schema.

#![allow(clippy::expect_used, clippy::panic, reason = "tests")]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wattle_device::source::{PerfettoOptions, perfetto_config};

/// What the independent reader says; `None`, said loudly, where it is not installed.
fn decode(config: &[u8]) -> Option<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perfetto_config.py");
    let child = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return skipped(&error.to_string()),
    };
    // It may have ended already, without what it needs.
    let _ = child.stdin.take().expect("a pipe").write_all(config);
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        assert!(said.contains("ModuleNotFoundError"), "{said}");
        return skipped(said.lines().last().unwrap_or_default());
    }
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

fn skipped(why: &str) -> Option<Value> {
    assert!(std::env::var_os("WATTLE_REQUIRE_PERFETTO_SCHEMA").is_none(), "{why}");
    let why = why.replace('\n', " ");
    // Written past `eprintln!`, which the test harness captures.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED perfetto_config: {why}; pip install perfetto protobuf"
    );
    None
}

fn config(options: &PerfettoOptions, apps: &[&str], sdk: u32) -> Option<Value> {
    decode(&perfetto_config(options, apps, sdk, Duration::from_secs(90)))
}

/// The configuration of the data source of this name.
fn source<'a>(config: &'a Value, name: &str) -> Option<&'a Value> {
    let sources = config["config"]["data_sources"].as_array().expect("sources");
    sources.iter().map(|source| &source["config"]).find(|config| config["name"] == name)
}

#[test]
fn perfetto_reads_the_configuration_as_it_is_meant() {
    let Some(read) = config(&PerfettoOptions::default(), &["com.foo"], 34) else { return };
    assert_eq!(read["unknown"], json!([]));
    let whole = &read["config"];
    assert_eq!(whole["duration_ms"], 90_000);
    assert_eq!(whole["write_into_file"], true);
    assert_eq!(whole["file_write_period_ms"], 2500);
    assert_eq!(whole["flush_period_ms"], 5000);
    assert_eq!(whole["max_file_size_bytes"], "4294967296");
    let ring = |kib: u32| json!({"size_kb": kib, "fill_policy": "RING_BUFFER"});
    assert_eq!(whole["buffers"], json!([ring(65_536), ring(4096)]));

    let ftrace = &source(&read, "linux.ftrace").expect("ftrace")["ftrace_config"];
    for event in [
        "sched/sched_switch",
        "sched/sched_waking",
        "sched/sched_process_exit",
        "sched/sched_process_free",
        "task/task_newtask",
        "task/task_rename",
        "power/cpu_frequency",
        "power/cpu_idle",
        "power/suspend_resume",
        "power/gpu_frequency",
    ] {
        let events = ftrace["ftrace_events"].as_array().expect("events");
        assert!(events.contains(&json!(event)), "{event}");
    }
    assert_eq!(ftrace["atrace_apps"], json!(["com.foo"]));
    assert_eq!(ftrace["atrace_categories"], json!(["am", "power"]));
    assert_eq!(ftrace["compact_sched"], json!({"enabled": true}));
    assert_eq!(
        (&ftrace["buffer_size_kb"], &ftrace["drain_period_ms"]),
        (&json!(8192), &json!(250))
    );

    let stats = source(&read, "linux.process_stats").expect("process stats");
    assert_eq!(stats["target_buffer"], 1);
    assert_eq!(
        stats["process_stats_config"],
        json!({"scan_all_processes_on_start": true, "record_thread_names": true})
    );
    let frequencies = source(&read, "linux.sys_stats").expect("sys stats");
    assert_eq!(frequencies["sys_stats_config"], json!({"cpufreq_period_ms": 500}));
    let power = source(&read, "android.power").expect("power");
    assert_eq!(
        power["android_power_config"],
        json!({
            "battery_poll_ms": 250,
            "battery_counters": [
                "BATTERY_COUNTER_CHARGE",
                "BATTERY_COUNTER_CAPACITY_PERCENT",
                "BATTERY_COUNTER_CURRENT",
                "BATTERY_COUNTER_CURRENT_AVG",
                "BATTERY_COUNTER_VOLTAGE"
            ],
            "collect_power_rails": true,
            "collect_energy_estimation_breakdown": true,
            "collect_entity_state_residency": true,
        })
    );
    let packets = source(&read, "android.network_packets").expect("packets");
    assert_eq!(packets["network_packet_trace_config"], json!({"poll_ms": 250}));
    assert!(source(&read, "android.packages_list").is_some());
    assert!(source(&read, "android.log").is_none());
}

#[test]
fn what_is_asked_for_is_added_and_what_a_version_has_not_is_left_out() {
    let mut options = PerfettoOptions::default();
    options.interrupts = true;
    options.log = true;
    options.power_period = Duration::from_millis(100);
    let Some(read) = config(&options, &[], 29) else { return };
    assert_eq!(read["unknown"], json!([]));
    let ftrace = &source(&read, "linux.ftrace").expect("ftrace")["ftrace_config"];
    let events = ftrace["ftrace_events"].as_array().expect("events");
    assert!(events.contains(&json!("irq/softirq_exit")));
    assert_eq!(ftrace["atrace_apps"], Value::Null);
    let log = source(&read, "android.log").expect("log");
    let ids = json!(["LID_DEFAULT", "LID_SYSTEM", "LID_CRASH"]);
    assert_eq!(log["android_log_config"]["log_ids"], ids);
    let power = source(&read, "android.power").expect("power");
    assert_eq!(power["android_power_config"]["battery_poll_ms"], 100);
    assert!(source(&read, "android.network_packets").is_none());
}
