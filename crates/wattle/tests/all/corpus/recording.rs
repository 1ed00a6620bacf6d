//! Output of the probes: the lines of the recorder that stands in for the runtime class.

use super::event::{Event, Threads};
use super::probe_map::{ProbeMap, ProbePoint};

/// Reads the recorder's lines with the map.
#[track_caller]
pub fn read(lines: &str, map: &ProbeMap) -> Threads {
    let mut threads = Threads::new();
    let mut open = std::collections::HashMap::<String, Vec<Event>>::new();
    for line in lines.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [thread, event, id] = fields.as_slice() else {
            panic!("a line of the recorder: {line}")
        };
        let point = map.points.get(&id.parse::<u32>().unwrap());
        let open = open.entry((*thread).to_owned()).or_default();
        let event = match (*event, point) {
            ("enter", Some(ProbePoint::Method(method))) => Event::Enter(method.clone()),
            ("exit", Some(ProbePoint::Method(method))) => Event::Exit(method.clone()),
            ("unwind", Some(ProbePoint::Method(method))) => Event::Unwind(method.clone()),
            ("call", Some(ProbePoint::Call { api, .. })) => Event::Call(api.method.clone()),
            // They mean the innermost call.
            ("back" | "fail", None) => match open.last() {
                Some(Event::Call(api)) if *event == "back" => Event::Back(api.clone()),
                Some(Event::Call(api)) => Event::Fail(api.clone()),
                other => panic!("{line}: inside {other:?}"),
            },
            _ => panic!("{line}: {point:?}"),
        };
        if event.opens() {
            open.push(event.clone());
        } else {
            let opened = open.pop();
            let closes = match (&opened, &event) {
                (Some(Event::Enter(one)), Event::Exit(other) | Event::Unwind(other)) => {
                    one == other
                }
                (Some(Event::Call(one)), Event::Back(other) | Event::Fail(other)) => one == other,
                _ => false,
            };
            assert!(closes, "{line}: {event} closes {opened:?}");
        }
        threads.entry((*thread).to_owned()).or_default().push(event);
    }
    threads
}
