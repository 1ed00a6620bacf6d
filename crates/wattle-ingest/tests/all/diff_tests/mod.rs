//! Perfetto's own trace-processor tests: each case's expected values, held against the timeline.
//!
//! The expectation is read from the case's file at test time; here is only what is asked for. Cases that
//! ask for something that Wattle does not read are listed with the reason, and no case may be in neither list.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper of a test fails the test by a panic"
)]

mod expected;
mod out_of_scope;
mod queries;

use expected::{Row, compare, csv, row, text, trace};
use out_of_scope::OUT_OF_SCOPE;
use wattle_testdata::requires;
use wattle_timeline::Timeline;

/// A case: the columns of its expectation that are asked for, and what the timeline says of them.
#[track_caller]
fn check(case: &str, columns: &[usize], query: fn(&Timeline) -> Vec<Row>) {
    compare(case, csv(&text(case), columns), query(&trace(case)));
}

macro_rules! cases {
    ($($test:ident: $case:literal, [$($column:literal),*], $query:path;)*) => {
        /// The cases that are compared column by column.
        const COMPARED: &[&str] = &[$($case),*];

        $(
            #[requires(data)]
            #[test]
            fn $test() {
                check($case, &[$($column),*], $query);
            }
        )*
    };
}

cases! {
    system_property_counter:
        "parser_android-android_system_property_counter", [0, 2, 3], queries::screen_state;
    system_property_slice:
        "parser_android-android_system_property_slice", [0, 2, 3, 4], queries::global_slices;
    prints_that_are_no_sections:
        "parser_atrace-bad_print_textproto_list_slices", [0, 1, 2], queries::slices;
    cpu_capacity_not_present:
        "parser_parsing-cpu_capacity_not_present", [0, 1, 2, 3], queries::cpus;
    cpu_capacity_present:
        "parser_parsing-cpu_capacity_present", [0, 1, 2, 3], queries::cpus;
    initial_display_state:
        "parser_parsing-initial_display_state", [0, 1, 2], queries::screen_state;
    counters_of_the_display_driver:
        "parser_parsing-kernel_dpu_tmw_counter_process_counter_and_track", [0, 1, 2, 3],
        queries::process_counters;
    counters_of_the_graphics_driver:
        "parser_parsing-kernel_tmw_counter_process_counter_and_track", [0, 1, 2, 3],
        queries::process_counters;
    sections_of_the_mdss_driver:
        "parser_parsing-slice_mdss_tracing_mark_write", [0, 1, 2], mdss_slices;
    text_that_is_no_section:
        "parser_atrace-bad_print_systrace_list_slices", [0, 1, 2], queries::slices;
    text_behind_a_count_of_cpus:
        "parser_atrace-cpus_header_removal", [0, 1, 2], text_slices;
    text_with_five_flags:
        "parser_atrace-hex_preempt_count", [0, 1], names_of_slices;
    text_with_flags_that_touch_the_time:
        "parser_atrace-regex_pattern_no_gap_after_irq_flags", [0, 1], counts_of_slices;
    text_that_does_not_know_a_thread:
        "parser_process_tracking-unknown_thread_name_tracking", [0, 1, 2, 3], queries::threads;
    limits_of_frequencies_as_text:
        "parser_sched-cpu_frequency_limits_from_systrace", [0, 1, 2], queries::frequency_limits;
    idle_tasks_made_at_boot:
        "parser_parsing-task_newtask_swapper_by_init", [0, 1, 2], queries::idle_threads;
    rails_without_samples:
        "parser_power-android_power_rails_metadata", [1, 3], queries::rails;
    energy_of_a_consumer:
        "parser_power-energy_breakdown_event", [0, 1], queries::consumer_energies;
    consumers:
        "parser_power-energy_breakdown_table", [0, 1, 2, 3], queries::consumers;
    consumers_of_this_machine:
        "parser_power-energy_breakdown_table_machine_id", [0, 1, 2, 3], queries::consumers;
    consumers_by_app:
        "parser_power-energy_per_uid_table", [0, 1], app_consumers;
    names_of_consumers_by_app:
        "parser_power-energy_breakdown_uid_table_machine_id", [0, 1], app_names;
    several_batteries:
        "parser_power-multiple_batteries", [0, 1], queries::batteries;
    power_from_current_and_voltage:
        "parser_power-power_from_current_and_voltage", [0], queries::battery_power;
    main_thread_of_the_process_tree:
        "parser_process_tracking-main_thread_comm_from_process_tree", [0, 1, 2, 3],
        queries::threads_of_100;
    residency_of_the_devices_parts:
        "parser_power-track", [0, 1, 2], queries::global_counters;
    residency_by_part_and_state:
        "parser_power-standard_library", [0, 1, 2, 3], queries::residencies;
    process_runtime:
        "parser_process_tracking-process_stats_process_runtime", [0, 1, 2, 3, 4, 5],
        queries::process_runtime;
    sections_of_the_sde_driver:
        "parser_process_tracking-slice_with_pid_sde_tracing_mark_write", [0, 1, 2, 3],
        queries::thread_slices;
    wakeup_sources_of_the_kernel:
        "parser_power-wakesource_wakesource", [0, 1, 2], queries::wakeup_sources;
    cpu_frequency_limits:
        "parser_sched-cpu_frequency_limits", [0, 1, 2], queries::frequency_limits;
    four_kinds_of_cores:
        "stdlib_android-android_cpu_cluster_type_four_core", [1, 2], queries::cluster_types;
    one_kind_of_cores:
        "stdlib_android-android_cpu_cluster_type_insufficient_data_to_calculate", [1, 2],
        queries::cluster_types;
    cores_without_frequencies:
        "stdlib_android-android_cpu_cluster_type_no_frequencies", [1, 2], queries::cluster_types;
    two_kinds_of_cores:
        "stdlib_android-android_cpu_cluster_type_two_core", [1, 2], queries::cluster_types;
    idle_stats:
        "stdlib_linux-linux_cpu_idle_stats", [0, 1, 2, 3, 4, 5], queries::idle_stats;
    samples_with_counters:
        "stdlib_linux-perf_sample_with_counters_view", [1, 2, 3], queries::sample_counters;
    bounds_of_an_unfinished_trace:
        "tables-trace_bounds_unfinished_end", [0, 1], queries::bounds;
}

fn mdss_slices(timeline: &Timeline) -> Vec<Row> {
    queries::thread_slices(timeline).into_iter().map(|row| row[..3].to_vec()).collect()
}

/// `ts, name, dur`.
fn text_slices(timeline: &Timeline) -> Vec<Row> {
    let rows = queries::slices(timeline).into_iter();
    rows.map(|row| vec![row[0].clone(), row[2].clone(), row[1].clone()]).collect()
}

/// `ts, name`.
fn names_of_slices(timeline: &Timeline) -> Vec<Row> {
    text_slices(timeline).into_iter().map(|row| row[..2].to_vec()).collect()
}

/// `name, count`.
fn counts_of_slices(timeline: &Timeline) -> Vec<Row> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for row in queries::slices(timeline) {
        *counts.entry(row[2].clone()).or_default() += 1;
    }
    counts.into_iter().map(|(name, count)| row![name, count]).collect()
}

fn app_consumers(timeline: &Timeline) -> Vec<Row> {
    queries::app_energies(timeline).into_iter().map(|row| row[..2].to_vec()).collect()
}

fn app_names(timeline: &Timeline) -> Vec<Row> {
    queries::app_energies(timeline).into_iter().map(|row| row[1..].to_vec()).collect()
}

const CROP: &str = "parser_ftrace-crop_atrace_slice";
const DVFS: &str = "parser_power-dvfs_metric";
const MULTI_DEVICE: &str = "parser_power-power_rails_multi_device";
const SESSIONS: &str = "parser_power-power_rails_session_uuid_same_index_same_name";
const MACHINE: &str = "tables-machine";

/// Sections before the instant from which every CPU's ring buffer holds data are not taken for sections
/// that never end: only rows with a slice remain.
#[requires(data)]
#[test]
fn sections_before_all_buffers_are_valid() {
    let timeline = trace(CROP);
    let text = text(CROP);
    let expected = csv(&text, &[0, 2, 3]).into_iter().filter(|row| row[1] != "[NULL]").collect();
    compare(CROP, expected, queries::slices(&timeline));
}

/// Residency of clocks, from a metric in text protobuf.
#[requires(data)]
#[test]
fn dvfs_residencies() {
    let timeline = trace(DVFS);
    let text = text(DVFS);
    let mut expected = Vec::new();
    let mut clock = "";
    let mut band = Vec::new();
    for (key, value) in text.lines().filter_map(|line| line.trim().split_once(": ")) {
        match key {
            "freq_name" => clock = value.trim_matches('"'),
            "freq_value" => band = row![clock, value],
            "percentage" => band.push(value.to_owned()),
            "duration_ns" => {
                band.push(value.to_owned());
                expected.push(std::mem::take(&mut band));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for counter in &timeline.system.counters {
        let end = timeline.window.end;
        let ends = counter.time.iter().skip(1).chain([&end]);
        let mut spent = std::collections::BTreeMap::<u64, i64>::new();
        for ((start, end), value) in counter.time.iter().zip(ends).zip(&counter.value) {
            *spent.entry(*value as u64).or_default() += (*end - *start).value();
        }
        let known = spent.values().sum::<i64>() as f64;
        let name = timeline.names.get(counter.name);
        for (value, nanos) in spent {
            found.push(row![name, value, nanos as f64 / known * 100.0, nanos]);
        }
    }
    compare(DVFS, expected, found);
}

/// Of two machines in one trace, the timeline's rail is that of the machine that recorded; the samples of the
/// other are never mixed into it.
#[requires(data)]
#[test]
fn rails_of_another_machine() {
    let timeline = trace(MULTI_DEVICE);
    let text = text(MULTI_DEVICE);
    let ours = csv(&text, &[0, 1, 2, 3]).into_iter().filter(|row| row[3] == "0").collect();
    compare(MULTI_DEVICE, ours, queries::rail_samples(&timeline));
}

/// Two sessions count one rail, each from its own zero: two rails.
#[requires(data)]
#[test]
fn rails_of_two_sessions() {
    let timeline = trace(SESSIONS);
    let text = text(SESSIONS);
    let mut expected = csv(&text, &[0, 1, 2, 3]);
    for row in &mut expected {
        row[3] = if row[3] == "100" { "0" } else { "1" }.to_owned();
    }
    compare(SESSIONS, expected, queries::rail_samples(&timeline));
}

/// Facts of two machines are not mixed: all that is said of the device is in one row of Perfetto's table.
#[requires(data)]
#[test]
fn facts_of_one_machine() {
    let timeline = trace(MACHINE);
    let text = text(MACHINE);
    let device = &timeline.device;
    let kernel = device.kernel.clone().unwrap();
    // release, arch, fingerprint, manufacturer, sdk
    let rows = csv(&text, &[4, 6, 8, 9, 10]);
    let known = |value: Option<String>| expected::or_null(value);
    let said = [
        known(device.fingerprint.clone()),
        known(device.manufacturer.clone()),
        known(device.sdk.map(|sdk| sdk.to_string())),
    ];
    let fits =
        |row: &&Row| kernel.contains(&row[0]) && kernel.contains(&row[1]) && row[2..] == said;
    assert_eq!(rows.iter().filter(fits).count(), 1, "{kernel} {said:?} is none of {rows:?}");
}

/// Every case of the folder is either compared or listed with a reason, and none is both.
#[requires(data)]
#[test]
fn every_case_is_accounted_for() {
    let cases = expected::cases();
    let by_hand = [CROP, DVFS, MULTI_DEVICE, SESSIONS, MACHINE];
    let mut listed: Vec<_> =
        COMPARED.iter().chain(&by_hand).map(|case| (*case).to_owned()).collect();
    listed.extend(OUT_OF_SCOPE.iter().map(|(case, _)| (*case).to_owned()));
    listed.sort_unstable();
    assert_eq!(listed, cases);
    assert_eq!(cases.len(), 71);
    for (case, reason) in OUT_OF_SCOPE {
        assert!(reason.len() > 20, "{case} needs a reason, not {reason:?}");
    }
}
