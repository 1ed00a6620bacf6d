//! Output of the `trace` sink: the lines of the test runtime's `android.os.Trace`.

use std::collections::HashMap;

use super::event::{Event, Threads};
use super::probe_map::{ProbeMap, ProbePoint};
use crate::art::calibrated;

/// Reads `B <thread> <label>` and `E <thread>`. A section ends without saying how: every exit is an
/// [`Event::Exit`], every return an [`Event::Back`]. Threads are numbers. The runtime's own pairs are looked at and left
/// out.
#[track_caller]
pub fn read(lines: &str, map: &ProbeMap) -> Threads {
    let mut threads = Threads::new();
    let mut open = HashMap::<&str, Vec<Event>>::new();
    for line in calibrated::apart(lines).rest {
        let mut words = line.splitn(3, ' ');
        let (kind, thread) = (words.next().unwrap(), words.next().unwrap());
        let open = open.entry(thread).or_default();
        let event = match (kind, words.next()) {
            ("B", Some(label)) => {
                // com.foo.Bar.baz #1k2@9f86d081
                let (name, exact) = label.rsplit_once(" #").expect(label);
                let id = exact.split('@').next().unwrap();
                let event = match &map.points[&u32::from_str_radix(id, 36).unwrap()] {
                    ProbePoint::Method(method) => {
                        let full = format!("{}.{}", method.class, method.name);
                        assert!(full.ends_with(name), "{label} is {method}");
                        Event::Enter(method.clone())
                    }
                    ProbePoint::Call { api, .. } => Event::Call(api.method.clone()),
                };
                open.push(event.clone());
                event
            }
            ("E", None) => match open.pop() {
                Some(Event::Enter(method)) => Event::Exit(method),
                Some(Event::Call(api)) => Event::Back(api),
                other => panic!("{line} ends {other:?}"),
            },
            _ => panic!("a section: {line}"),
        };
        threads.entry(thread.to_owned()).or_default().push(event);
    }
    threads
}

/// The same events as far as sections tell them.
pub fn told_by_sections(threads: &Threads) -> Threads {
    let ended = |event: &Event| match event {
        Event::Unwind(method) => Event::Exit(method.clone()),
        Event::Fail(api) => Event::Back(api.clone()),
        other => other.clone(),
    };
    threads
        .iter()
        .map(|(name, events)| (name.clone(), events.iter().map(ended).collect()))
        .collect()
}
