//! Kernel events without a message of Perfetto's own: fields by name (`GenericFtraceEvent`), or described by their bundle.

use wattle_testdata::requires;
use wattle_wire::Writer;

use super::{artifact, notes, read};
use crate::traces::Trace;

/// A field with a text.
fn text(event: &mut Writer, name: &str, value: &str) {
    event.message(2, |field| {
        field.string(1, name);
        field.string(3, value);
    });
}

fn number(event: &mut Writer, name: &str, value: u64) {
    event.message(2, |field| {
        field.string(1, name);
        field.varint(5, value);
    });
}

#[test]
fn events_that_are_known_by_name_are_read() {
    let timeline = read(Trace::default().bundle(0, |cpu| {
        cpu.event(100, 0, 327, |event| {
            event.string(1, "sched_switch");
            text(event, "prev_comm", "swapper/0");
            number(event, "prev_pid", 0);
            number(event, "prev_state", 0);
            text(event, "next_comm", "app");
            number(event, "next_pid", 7);
        });
        cpu.event(150, 7, 327, |event| {
            event.string(1, "cpu_frequency");
            number(event, "state", 1_800_000);
            number(event, "cpu_id", 0);
        });
        cpu.event(160, 7, 327, |event| {
            event.string(1, "vendor_event");
            number(event, "x", 1);
        });
        cpu.switch(200, (7, "app"), 1, (0, "swapper/0"));
        // Fields that are none of the event's, and no name at all.
        cpu.event(210, 0, 327, |event| event.string(1, "cpu_idle"));
        cpu.event(220, 0, 327, |_| {});
    }));
    let slice = timeline.cpus[0].sched.iter().next().unwrap();
    assert_eq!((slice.window.start.value(), slice.window.end.value()), (100, 200));
    assert_eq!(timeline.cpus[0].frequency.first().unwrap().1.kilohertz(), 1_800_000);
    let (events, unread) = (&artifact(&timeline).events, &artifact(&timeline).unread);
    assert_eq!((events.get("sched_switch"), events.get("cpu_frequency")), (Some(&2), Some(&1)));
    let expected = [("", 1), ("cpu_idle", 1), ("vendor_event", 1)];
    assert_eq!(
        unread.iter().map(|(name, count)| (name.as_str(), *count)).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(notes(&timeline), [("event-malformed", 1)]);
}

/// Perfetto 50's denser form: a description once a bundle, then messages of its own number.
#[test]
fn events_that_a_bundle_describes_are_read() {
    const NUMBER: u32 = 65_536;
    let timeline = read(Trace::default().bundle(2, |cpu| {
        cpu.0.message(11, |descriptor| {
            descriptor.varint(1, u64::from(NUMBER));
            descriptor.message(2, |message| {
                message.string(1, "cpu_frequency");
                for (name, number) in [("cpu_id", 5), ("state", 4)] {
                    message.message(2, |field| {
                        field.string(1, name);
                        field.varint(3, number);
                        field.varint(5, 13);
                    });
                }
            });
        });
        cpu.numbers(100, 0, NUMBER, &[(4, 600_000), (5, 2)]);
        cpu.numbers(100, 0, NUMBER + 1, &[(1, 1)]);
    }));
    let frequency = timeline.cpus[2].frequency.first().unwrap();
    assert_eq!((frequency.0.value(), frequency.1.kilohertz()), (100, 600_000));
    let (events, unread) = (&artifact(&timeline).events, &artifact(&timeline).unread);
    assert_eq!(events.get("cpu_frequency"), Some(&1));
    assert_eq!(unread.get("ftrace 65537"), Some(&1));
}

#[test]
fn names_have_a_bound() {
    let timeline = read(Trace::default().bundle(0, |cpu| {
        for number in 0..20_000 {
            cpu.event(100, 0, 327, |event| event.string(1, &format!("e{number}")));
        }
    }));
    let unread = &artifact(&timeline).unread;
    assert_eq!(unread.get("events of further names"), Some(&(20_000 - (1 << 14))));
    assert_eq!(unread.values().sum::<u64>(), 20_000);
}

/// Counted by a walk over the packets of both traces: drivers of the Pixel's GPU.
#[requires(data)]
#[test]
fn generic_events_of_real_traces() {
    let check = |path: &str, expected: &[(&str, u64)]| {
        let timeline = wattle_ingest::read_bytes(path, &wattle_testdata::bytes(path)).unwrap();
        let unread = &artifact(&timeline).unread;
        for (name, count) in expected {
            assert_eq!(unread.get(*name), Some(count), "{name} in {unread:?}");
        }
        // Its states are numbered otherwise than those of later drivers: not taken for theirs.
        let power = timeline.hardware.gpus.iter().all(|gpu| gpu.power_state.is_empty());
        assert!(power);
    };
    check(
        "perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace",
        &[
            ("gpu_power_state", 10),
            ("mali_pm_status", 158),
            ("sysgraph", 180),
            ("mali_job_slots_event", 24),
            ("sysgraph_gpu", 24),
            ("mali_jit_free", 6),
            ("mali_jit_report_pressure", 12),
            ("mali_total_alloc_pages_change", 34),
            ("mali_jit_alloc", 6),
        ],
    );
    check(
        "perfetto/api32_startup_warm_pixel6a.perfetto-trace",
        &[
            ("mali_total_alloc_pages_change", 95),
            ("gpu_power_state", 4),
            ("mali_pm_status", 290),
            ("sysgraph", 327),
            ("mali_jit_alloc", 8),
            ("mali_jit_report_pressure", 16),
            ("mali_job_slots_event", 40),
            ("sysgraph_gpu", 40),
            ("mali_jit_free", 8),
        ],
    );
}
