//! The cases whose expectation says nothing about what Wattle reads, each with the reason.

const BINDER: &str =
    "calls between processes (binder_transaction): a thread that waits for one draws nothing";
const JSON: &str = "Chrome's JSON is a format of its own, which has no reader";
const METADATA: &str = "a table of the recorder's own metadata, which no energy depends on";
const SCHED_UTIL: &str =
    "sched_cpu_util_cfs: the scheduler's load estimates; on-CPU time is known exactly";

/// Case and reason.
pub const OUT_OF_SCOPE: &[(&str, &str)] = &[
    (
        "metrics_android-android_auto_multiuser_switch",
        "a metric about user switching of cars, computed from names of sections",
    ),
    (
        "parser_android-android_system_property_counter_machine_id",
        "every packet is of a second machine; a timeline is of the one that recorded, and says what it set apart",
    ),
    ("parser_android-android_user_list_dedup", "the list of Android's users and their types"),
    ("parser_android-binder_txn_oneway_good", BINDER),
    ("parser_android-binder_txn_sync_bad_reply", BINDER),
    ("parser_etw-simple_op", "Event Tracing for Windows; not a phone"),
    (
        "parser_ftrace-adreno_cmdbatch_cross_cpu",
        "command batches of one vendor's GPU; who had work on a GPU comes from gpu_work_period",
    ),
    (
        "parser_parsing-cgroup_attach_task_post_s_print_systrace",
        "prints an event back as text, of a kind (cgroup_attach_task) that costs no energy",
    ),
    ("parser_parsing-chrome_metadata_multiple", METADATA),
    ("parser_parsing-config_trace_attributes", METADATA),
    ("parser_parsing-display_time_unit_slices", JSON),
    ("parser_parsing-flow_events_json_v1", JSON),
    ("parser_parsing-flow_events_json_v2", JSON),
    ("parser_parsing-oom_kill", "mark_victim: kills for lack of memory have no reader"),
    ("parser_parsing-same_ts_duration_slice_then_zero_duration_slice_unnesting", JSON),
    ("parser_parsing-same_ts_zero_duration_slice_then_duration_slice_unnesting", JSON),
    (
        "parser_parsing-service_event_timestamp_converted_to_trace_time",
        "asks for the recorder's own start in the trace's primary clock; Wattle's one clock is boot time",
    ),
    (
        "parser_parsing-task_newtask_waker_utid",
        "asks who created a thread whose creator's process is never named; only wake-ups are kept",
    ),
    ("parser_parsing-thread_time_in_thread_slice", JSON),
    ("parser_parsing-triggers_packets_trigger_packet_trace", METADATA),
    ("parser_sched-sched_cpu_util_cfs", SCHED_UTIL),
    ("parser_sched-sched_cpu_util_cfs_machine_id", SCHED_UTIL),
    (
        "stdlib_linux-linux_interrupt_mapping",
        "the table of interrupt lines; each irq_handler_entry brings its handler's name itself",
    ),
    (
        "stdlib_linux-linux_per_cpu_idle_time_in_state",
        "sys_stats' polled idle residency; idle states come from cpu_idle events, at their instants",
    ),
    ("tables-flow_table_trace_id", "arrows between slices; no energy follows them"),
    ("tables-metadata_helpers", METADATA),
    ("tables-metadata_schema", METADATA),
    ("tables-stats_global_scope_has_null_ids", "Perfetto's statistics of its own parsing time"),
];
