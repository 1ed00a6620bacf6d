//! The configuration for Perfetto, read by Google's protobuf runtime with Perfetto's own schema.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use wattle_device::source::{OwnConfig, PerfettoOptions, perfetto_config, perfetto_config_text};
use wattle_testdata::requires;
use wattle_wire::Fields;

/// The configuration as the independent reader understands it. `WATTLE_PERFETTO_PYTHON` is a folder with Python's packages perfetto and
/// protobuf.
fn decode(config: &[u8]) -> Value {
    decode_as(config, &[])
}

fn decode_as(config: &[u8], flags: &[&str]) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/perfetto_config.py");
    let mut child = Command::new("python3")
        .arg(script)
        .args(flags)
        .env("PYTHONPATH", std::env::var_os("WATTLE_PERFETTO_PYTHON").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3");
    // It may have ended already, without what it needs.
    let _ = child.stdin.take().expect("a pipe").write_all(config);
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn config(options: &PerfettoOptions, apps: &[&str], sdk: u32) -> Value {
    decode(&perfetto_config(options, apps, sdk, Duration::from_secs(90)))
}

/// Names of the data sources, by the field numbers alone.
fn names_of_sources(options: &PerfettoOptions, sdk: u32) -> Vec<String> {
    let config = perfetto_config(options, &[], sdk, Duration::from_secs(90));
    let inside = |bytes: &[u8], number: u32| -> Vec<Vec<u8>> {
        Fields::new(bytes)
            .map(|field| field.expect("whole fields"))
            .filter(|field| field.number == number)
            .map(|field| field.value.bytes().to_vec())
            .collect()
    };
    // TraceConfig.data_sources = 2, DataSource.config = 1, DataSourceConfig.name = 1.
    let configs = inside(&config, 2).into_iter().flat_map(|source| inside(&source, 1));
    configs
        .flat_map(|config| inside(&config, 1))
        .map(|name| String::from_utf8(name).expect("UTF-8"))
        .collect()
}

#[test]
fn data_sources_follow_the_version_and_the_options() {
    let usual = [
        "linux.ftrace",
        "linux.process_stats",
        "linux.sys_stats",
        "android.power",
        "android.packages_list",
    ];
    assert_eq!(names_of_sources(&PerfettoOptions::default(), 29), usual);
    let newer = ["android.surfaceflinger.frametimeline", "android.network_packets"];
    assert_eq!(names_of_sources(&PerfettoOptions::default(), 34), [&usual[..], &newer].concat());
    assert_eq!(
        names_of_sources(&PerfettoOptions::default(), 31),
        [&usual[..], &newer[..1]].concat()
    );
    let mut options = PerfettoOptions::default();
    options.frames = false;
    assert_eq!(names_of_sources(&options, 34), [&usual[..], &newer[1..]].concat());
    options.log = true;
    let with_log = [&usual[..], &["android.log"]].concat();
    assert_eq!(names_of_sources(&options, 29), with_log);
}

/// The configuration of the data source of this name.
fn source<'a>(config: &'a Value, name: &str) -> Option<&'a Value> {
    let sources = config["config"]["data_sources"].as_array().expect("sources");
    sources.iter().map(|source| &source["config"]).find(|config| config["name"] == name)
}

#[requires(program = "python3", env = "WATTLE_PERFETTO_PYTHON")]
#[test]
fn perfetto_reads_the_configuration_as_it_is_meant() {
    let read = config(&PerfettoOptions::default(), &["com.foo"], 34);
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
        "power/cpu_frequency_limits",
        "devfreq/devfreq_frequency",
        "cpuhp/cpuhp_enter",
        "thermal/thermal_temperature",
    ] {
        let events = ftrace["ftrace_events"].as_array().expect("events");
        assert!(events.contains(&json!(event)), "{event}");
    }
    assert_eq!(ftrace["atrace_apps"], json!(["com.foo"]));
    assert_eq!(ftrace["atrace_categories"], json!(["am", "wm", "power", "gfx", "view"]));
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

#[requires(program = "python3", env = "WATTLE_PERFETTO_PYTHON")]
#[test]
fn what_is_asked_for_is_added_and_what_a_version_has_not_is_left_out() {
    let mut options = PerfettoOptions::default();
    options.interrupts = true;
    options.hardware_counters = true;
    options.log = true;
    options.power_period = Duration::from_millis(100);
    let read = config(&options, &[], 29);
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
    assert!(source(&read, "linux.perf").is_none());
    let read = config(&options, &[], 34);
    assert_eq!(read["unknown"], json!([]));
    let counters = source(&read, "linux.perf").expect("counters");
    assert_eq!(
        counters["perf_event_config"],
        json!({
            "timebase": {"period": "1", "tracepoint": {"name": "sched:sched_switch"}},
            "followers": [
                {"counter": "HW_CPU_CYCLES"},
                {"counter": "HW_INSTRUCTIONS"},
                {"counter": "HW_CACHE_MISSES"},
            ],
        })
    );
}

/// Text and binary are one configuration: Google's parser of the text format makes the same message of it.
#[requires(program = "python3", env = "WATTLE_PERFETTO_PYTHON")]
#[test]
fn the_text_is_the_same_configuration() {
    let mut options = PerfettoOptions::default();
    options.log = true;
    options.interrupts = true;
    options.hardware_counters = true;
    for sdk in [28, 31, 36] {
        let limit = Duration::from_secs(90);
        let text = perfetto_config_text(&options, &["com.foo", "a\"b"], sdk, limit);
        let binary = perfetto_config(&options, &["com.foo", "a\"b"], sdk, limit);
        assert_eq!(decode_as(text.as_bytes(), &["--text"]), decode(&binary), "{sdk}");
    }
}

/// A configuration of the user's own goes through as it is.
#[test]
fn an_own_configuration_stays_as_it_is() {
    let mut options = PerfettoOptions::default();
    for (bytes, is_text) in [(&b"duration_ms: 5000\n"[..], true), (&[0x18, 0x88, 0x27][..], false)]
    {
        let own = OwnConfig::new(bytes.to_vec());
        assert_eq!(own.is_text, is_text);
        options.own = Some(own);
        assert_eq!(perfetto_config(&options, &["com.foo"], 34, Duration::from_secs(1)), bytes);
    }
    assert!(perfetto_config_text(&options, &[], 34, Duration::from_secs(1)).starts_with('#'));
}
