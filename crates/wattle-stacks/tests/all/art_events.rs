//! Methods and events of method traces in every format.

#[path = "../../../wattle-ingest/tests/all/events.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod events;
#[path = "../../../wattle-ingest/tests/all/art_trace/writer.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod writer;

use events::Event;
use wattle_stacks::art_events::{
    EventTime, MethodEvent, MethodLine, MethodSink, TraceAction, TraceDefect, is_method_trace,
    read_method_trace,
};
use writer::{Format, Trace};

#[derive(Default)]
struct Methods {
    names: Vec<(u64, String)>,
    events: Vec<MethodEvent>,
}

impl MethodSink for Methods {
    fn method(&mut self, id: u64, line: &[u8]) {
        let method = MethodLine::parse(line);
        let name = String::from_utf8_lossy(method.name).into_owned();
        self.names.push((id, format!("{}.{name}", method.java_class())));
    }

    fn event(&mut self, event: MethodEvent) {
        self.events.push(event);
    }
}

fn formats() -> Vec<Format> {
    let mut formats = Vec::new();
    for is_dual in [false, true] {
        // Only records of version 3 say how long they are, so that both clocks fit.
        let first = if is_dual { 3 } else { 1 };
        formats.extend((first..=3).map(|version| Format::Buffered { version, is_dual }));
        formats.extend((first.max(2)..=3).map(|version| Format::Streamed { version, is_dual }));
        formats.push(Format::Packets { is_dual, block: 3, fits: 3 });
        formats.push(Format::Narrow { is_dual, block: 3 });
    }
    formats
}

/// Two threads, calls inside each other.
fn story() -> Vec<Event> {
    let event = |thread, is_entry, method: &str, cpu, wall| {
        let method = format!("com.example.Main.{method} (I)V");
        Event { thread, is_entry, method, cpu, wall }
    };
    vec![
        event(70, true, "run", 10, 100),
        event(70, true, "draw", 20, 150),
        event(71, true, "run", 5, 160),
        event(70, false, "draw", 30, 200),
        event(71, false, "run", 9, 260),
        event(70, false, "run", 40, 300),
    ]
}

fn with_trace(check: impl Fn(&[Event], &Trace<'_>)) {
    let events = story();
    let threads = [(70, "main"), (71, "worker")];
    let trace =
        Trace { events: &events, pid: 70, threads: &threads, start: 5_000_000, clock: "wall" };
    check(&events, &trace);
}

#[test]
fn events_of_every_format() {
    with_trace(|events, trace| {
        for format in formats() {
            let bytes = trace.write(format);
            assert!(is_method_trace(&bytes), "{format:?}");
            let mut found = Methods::default();
            let summary = read_method_trace(&*bytes, &mut found);
            assert!(summary.defects.is_empty(), "{format:?}: {:?}", summary.defects);
            // Nothing is read behind the summary.
            assert!(summary.bytes <= bytes.len() as u64, "{format:?}");
            let mut threads: Vec<_> = summary.keys.threads.iter().map(|(id, _)| *id).collect();
            threads.sort_unstable();
            assert_eq!(threads, [70, 71], "{format:?}");
            // Blocks of packets bring the events of one thread after the other.
            for thread in threads {
                let expected = events.iter().filter(|event| event.thread == thread);
                let found_here = found.events.iter().filter(|event| event.thread == thread);
                assert_eq!(found_here.clone().count(), expected.clone().count(), "{format:?}");
                for (found_event, event) in found_here.zip(expected) {
                    let is_entry = found_event.action == Some(TraceAction::Enter);
                    assert_eq!(is_entry, event.is_entry, "{format:?}");
                    let time = match found_event.time {
                        EventTime::Micros { time, .. } => u64::from(time),
                        EventTime::Nanos { time, .. } => time.unsigned_abs() / 1000,
                    };
                    assert_eq!(time, event.wall, "{format:?}");
                    let name = event.method.split(' ').next().unwrap();
                    let line = found.names.iter().find(|(id, _)| *id == found_event.method);
                    assert_eq!(line.unwrap().1, name, "{format:?}");
                }
            }
        }
        assert_eq!(formats().len(), 11);
    });
}

#[test]
fn a_cut_trace_gives_the_beginning() {
    with_trace(|events, trace| {
        for format in formats() {
            let bytes = trace.write(format);
            for end in 0..bytes.len() {
                let mut found = Methods::default();
                read_method_trace(&bytes[..end], &mut found);
                assert!(found.events.len() <= events.len(), "{format:?}, {end} bytes");
            }
        }
    });
}

#[test]
fn a_trace_of_a_later_version_is_a_defect() {
    let mut bytes = b"SLOW\x09\0\x20\0".to_vec();
    bytes.resize(32, 0);
    let summary = read_method_trace(&*bytes, &mut Methods::default());
    assert!(matches!(&summary.defects[..], [(0, TraceDefect::Header(text))] if text.contains('9')));
}
