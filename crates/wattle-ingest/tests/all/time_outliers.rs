//! Traces in which the time of one event has a flipped bit: the event is set apart and counted, and all others keep their times.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of a test fails the test by a panic"
)]

use std::fmt::Write as _;

use super::perf_data_writer::{File, Form, Writer};
use super::traces::Trace;
use wattle_timeline::{Timeline, Window};
use wattle_units::BootNanos;

/// Events of each CPU.
const EVENTS: u64 = 12;
/// `TracePacket.battery`, and its `charge_counter_uah`.
const BATTERY: u32 = 38;
const CHARGE: u32 = 1;
/// First time, and the step from one event of a CPU to the next: nanoseconds.
const START: u64 = 3_000_000_000_000;
const STEP: u64 = 1_000_000;
/// A bit of a time whose flip moves it by more than a day, in both directions from the time.
const BITS: [u32; 3] = [47, 55, 61];

/// The times of each CPU's events, one of them with a flipped bit.
fn times(cpu: u64, flipped: Option<(u64, u64, u32)>) -> Vec<u64> {
    let time = |event: u64| {
        let time = START + event * STEP + cpu * 1_000;
        match flipped {
            Some((on, which, bit)) if (on, which) == (cpu, event) => time ^ 1 << bit,
            _ => time,
        }
    };
    (0..EVENTS).map(time).collect()
}

fn events(flipped: Option<(u64, u64, u32)>) -> Vec<u8> {
    let trace = (0..6).fold(Trace::default(), |trace, bundle| {
        let (cpu, from) = (bundle % 2, (bundle / 2 * 4) as usize);
        trace.bundle(cpu, |events| {
            for (i, time) in times(cpu, flipped).into_iter().enumerate().skip(from).take(4) {
                let (tid, next) = (10 + i as u64 % 3, 10 + (i as u64 + 1) % 3);
                let (tid, next) = (tid + 100 * cpu, next + 100 * cpu);
                if i % 4 == 1 {
                    events.numbers(time, tid, 11, &[(1, 300_000 + i as u64), (2, cpu)]);
                } else {
                    events.switch(time, (tid, "a"), 1, (next, "b"));
                }
            }
        })
    });
    trace.bytes()
}

/// The same as compact switches, whose times are differences.
fn compact(flipped: Option<(u64, u64, u32)>) -> Vec<u8> {
    let trace = (0..6).fold(Trace::default(), |trace, bundle| {
        let (cpu, from) = (bundle % 2, (bundle / 2 * 4) as usize);
        trace.bundle(cpu, |events| {
            events.0.message(4, |compact| {
                let times: Vec<_> = times(cpu, flipped).into_iter().skip(from).take(4).collect();
                let mut deltas = vec![times[0]];
                deltas.extend(times.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])));
                compact.string(5, "a");
                compact.packed(1, deltas);
                compact.packed(2, [1; 4]);
                compact.packed(3, (0..4).map(|i| 10 + 100 * cpu + (from as u64 + i) % 3));
                compact.packed(6, [0; 4]);
            });
        })
    });
    trace.bytes()
}

fn text(flipped: Option<(u64, u64, u32)>) -> Vec<u8> {
    let mut text = "# tracer: nop\n".to_owned();
    for event in 0..EVENTS {
        for cpu in 0..2 {
            let micros = times(cpu, flipped)[event as usize] / 1_000;
            let (tid, next) = (10 + 100 * cpu + event % 3, 10 + 100 * cpu + (event + 1) % 3);
            writeln!(
                text,
                " a-{tid} [00{cpu}] d..2 {}.{:06}: sched_switch: prev_comm=a prev_pid={tid} prev_prio=120 prev_state=S ==> \
                 next_comm=b next_pid={next} next_prio=120",
                micros / 1_000_000,
                micros % 1_000_000
            )
            .unwrap();
        }
    }
    text.into_bytes()
}

fn outliers(timeline: &Timeline) -> u64 {
    let notes = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    notes.filter(|note| note.code == "time-outlier").map(|note| note.count).sum()
}

/// CPU and event whose time has this bit flipped.
type Flip = (u64, u64, u32);

#[track_caller]
fn check(form: &str, first: u64, make: fn(Option<Flip>) -> Vec<u8>) {
    let whole = wattle_ingest::read_bytes("whole", &make(None)).unwrap();
    assert_eq!(outliers(&whole), 0, "{form}");
    let window = Window::new(
        BootNanos::new(START as i64),
        BootNanos::new((START + (EVENTS - 1) * STEP + 1_000) as i64),
    );
    assert_eq!(whole.window, window, "{form}");
    // The first event of all has none before it, the last of a CPU has none after it: nothing is said of these.
    let judged = (0..2).flat_map(|cpu| {
        let from = if cpu == 0 { first } else { 0 };
        (from..EVENTS - 1).map(move |event| (cpu, event))
    });
    for (cpu, event) in judged {
        for bit in BITS {
            let flipped = make(Some((cpu, event, bit)));
            let found = wattle_ingest::read_bytes("flipped", &flipped).unwrap();
            let case = format!("{form}: CPU {cpu}, event {event}, bit {bit}");
            assert_eq!(found.window, window, "{case}");
            // Of a block of differences the events after a wrong one may be lost, too.
            assert!((1..=4).contains(&outliers(&found)), "{case}: {}", outliers(&found));
            let slices = |timeline: &Timeline, cpu: usize| -> Vec<_> {
                timeline.cpus[cpu].sched.iter().collect()
            };
            let other = 1 - cpu as usize;
            assert_eq!(slices(&found, other).len(), slices(&whole, other).len(), "{case}");
            let kept = slices(&whole, cpu as usize);
            let known = slices(&found, cpu as usize);
            assert!(known.len() + 5 >= kept.len(), "{case}");
            assert!(known.iter().all(|slice| slice.window.end <= window.end), "{case}");
        }
    }
}

#[test]
fn one_flipped_bit() {
    check("events", 1, events);
    // The first block of all is judged as a whole: nothing is before it.
    check("compact events", 1, compact);
    check("text", 1, text);
}

/// Packets of a writer have times of their own: polls of the battery, of which one has a flipped bit in its time.
#[test]
fn one_flipped_bit_in_the_time_of_a_packet() {
    let polls = |flipped: Option<(u64, u32)>| {
        let trace = (0..EVENTS).fold(Trace::default(), |trace, poll| {
            let time = START + poll * STEP;
            let time = match flipped {
                Some((which, bit)) if which == poll => time ^ 1 << bit,
                _ => time,
            };
            trace.at(time, BATTERY, |battery| battery.varint(CHARGE, 4_000_000 - poll))
        });
        wattle_ingest::read_bytes("polls", &trace.bytes()).unwrap()
    };
    let whole = polls(None);
    assert_eq!((outliers(&whole), whole.energy.batteries[0].samples.len()), (0, EVENTS as usize));
    for poll in 1..EVENTS - 1 {
        for bit in BITS {
            let found = polls(Some((poll, bit)));
            assert_eq!(found.window, whole.window, "poll {poll}, bit {bit}");
            assert_eq!(outliers(&found), 1, "poll {poll}, bit {bit}");
            let mut expected = whole.energy.batteries[0].samples.clone();
            expected.remove(poll as usize);
            assert_eq!(found.energy.batteries[0].samples, expected, "poll {poll}, bit {bit}");
        }
    }
}

/// Nothing comes after the last packet that says whether its time is right: it is used.
#[test]
fn the_last_packet_is_used() {
    const DAYS: u64 = 2 * 86_400_000_000_000;
    let poll = |trace: Trace, time: u64| {
        trace.at(time, BATTERY, |battery| battery.varint(CHARGE, 4_000_000))
    };
    let trace = poll(poll(Trace::default(), START), START + DAYS);
    let timeline = wattle_ingest::read_bytes("late", &trace.bytes()).unwrap();
    assert_eq!((outliers(&timeline), timeline.energy.batteries[0].samples.len()), (0, 2));
}

/// A device that slept for days: the clock went on, and nothing is an outlier.
#[test]
fn clocks_that_went_on() {
    const DAYS: u64 = 40 * 86_400_000_000_000;
    let trace = (0..2).fold(Trace::default(), |trace, part| {
        trace.bundle(0, |cpu| {
            for event in 0..4 {
                let (tid, next) = (10 + event % 2, 10 + (event + 1) % 2);
                cpu.switch(START + part * DAYS + event * STEP, (tid, "a"), 1, (next, "b"));
            }
        })
    });
    let timeline = wattle_ingest::read_bytes("slept", &trace.bytes()).unwrap();
    assert_eq!(outliers(&timeline), 0);
    assert_eq!(timeline.cpus[0].sched.len(), 7);
    let length = timeline.window.duration().value() as u64;
    assert_eq!(length, DAYS + 3 * STEP);
}

/// The number of notes with a code, of files and of the whole.
fn noted(timeline: &Timeline, code: &str) -> u64 {
    let files = timeline.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
    let all = files.chain(&timeline.quality.notes);
    all.filter(|note| note.code == code).map(|note| note.count).sum()
}

/// A step of a block of differences moves all that comes after it in the block: the next block of the CPU goes back.
#[test]
fn blocks_that_go_back_are_warned_of() {
    for (flipped, expected) in [(None, 0), (Some((0, 2, 35)), 1), (Some((1, 5, 33)), 1)] {
        let timeline = wattle_ingest::read_bytes("blocks", &compact(flipped)).unwrap();
        assert_eq!(noted(&timeline, "time-backwards"), expected, "{flipped:?}");
    }
}

/// Of one thread on one CPU a later record is later: one at an end of the recording that is not is set apart.
#[test]
fn samples_out_of_order_are_set_apart() {
    const SECOND: u64 = 1_000_000_000;
    let form = Form { is_big: false, is_pipe: false, writer: Writer::Perf };
    let read = |moved: Option<(u64, i64)>, weight: (u64, u64)| {
        let mut file = File::new(form);
        for nth in 0..40 {
            let time = START + nth * STEP;
            let by = moved.filter(|(which, _)| *which == nth).map_or(0, |(_, by)| by);
            let period = if nth == weight.0 { weight.1 } else { STEP };
            file.sample(time.saturating_add_signed(by), (7, 1), period, (&[], &[0x1120]));
        }
        wattle_ingest::read_bytes("perf.data", &file.finish()).unwrap()
    };
    let outliers = |moved| {
        let timeline = read(moved, (0, STEP));
        (outliers(&timeline), timeline.window.duration().value() as u64 / STEP)
    };
    assert_eq!(outliers(None), (0, 40));
    for by in [SECOND as i64 / 4, -(SECOND as i64) / 4, 300 * SECOND as i64] {
        assert_eq!(outliers(Some((20, by))), (1, 40), "{by}");
    }
    // Nothing of its CPU comes after the last one, or before the first.
    assert_eq!(outliers(Some((39, SECOND as i64 / 4))), (0, 290));
    assert_eq!(outliers(Some((0, -(SECOND as i64) / 4))), (0, 290));
    // A weight of centuries is the length of the recording, but for short ones; of one thread on one CPU, no weight is longer than the
    // time since its last sample.
    for (which, period, expected) in [
        (0, STEP, 0),
        (0, 1 << 62, 1),
        (20, STEP * 5 / 4, 0),
        (20, 2 * STEP, 0),
        (20, 3 * STEP, 1),
        (20, 1 << 62, 1),
    ] {
        let timeline = read(None, (which, period));
        assert_eq!(noted(&timeline, "weight-impossible"), expected);
        assert!(timeline.window.duration().value() as u64 <= 2 * SECOND);
    }
}

/// Wake-ups of a damaged block lie behind all that CPUs did.
#[test]
fn wake_ups_that_go_on_alone_are_damage() {
    for (after, expected) in [(0, 0), (1, 0), (100, 1)] {
        let mut text = String::from_utf8(text(None)).unwrap();
        let micros = times(0, None)[EVENTS as usize - 1] / 1_000;
        for nth in 0..5 {
            let (seconds, micros) = (micros / 1_000_000 + after, micros % 1_000_000 + nth);
            writeln!(
                text,
                " a-10 [000] d..2 {seconds}.{micros:06}: sched_waking: comm=b pid=11 prio=120 target_cpu=000"
            )
            .unwrap();
        }
        let timeline = wattle_ingest::read_bytes("text", text.as_bytes()).unwrap();
        assert_eq!(noted(&timeline, "times-apart"), expected, "{after}");
    }
}
