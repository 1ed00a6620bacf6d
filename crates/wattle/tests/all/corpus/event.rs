//! Events in a thread, from any source.

use std::collections::BTreeMap;
use std::fmt;

/// A method, as both the runtime's own trace and the probe map name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodName {
    /// As Java writes it: `some.pack.Outer$Inner`.
    pub class: String,
    pub name: String,
    /// `(I)V`.
    pub descriptor: String,
}

impl fmt::Display for MethodName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}{}", self.class, self.name, self.descriptor)
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Enter(MethodName),
    Exit(MethodName),
    Unwind(MethodName),
    /// A call of the framework, by name and descriptor: which class answers is the runtime's business.
    Call(String),
    Back(String),
    Fail(String),
}

impl Event {
    /// Whether it is about a method of the program.
    pub fn is_of_a_method(&self) -> bool {
        matches!(self, Self::Enter(_) | Self::Exit(_) | Self::Unwind(_))
    }

    /// Whether it opens something that another event closes.
    pub fn opens(&self) -> bool {
        matches!(self, Self::Enter(_) | Self::Call(_))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enter(method) => write!(out, "enter {method}"),
            Self::Exit(method) => write!(out, "exit {method}"),
            Self::Unwind(method) => write!(out, "unwind {method}"),
            Self::Call(api) => write!(out, "call {api}"),
            Self::Back(api) => write!(out, "back {api}"),
            Self::Fail(api) => write!(out, "fail {api}"),
        }
    }
}

/// The events of each thread by its name; threads in which nothing happens are left out.
pub type Threads = BTreeMap<String, Vec<Event>>;

/// The events with their depth, one a line.
pub fn listing(events: &[Event]) -> Vec<String> {
    let mut depth = 0_usize;
    let mut lines = Vec::with_capacity(events.len());
    for event in events {
        if !event.opens() {
            depth = depth.saturating_sub(1);
        }
        lines.push(format!("{depth} {event}"));
        if event.opens() {
            depth += 1;
        }
    }
    lines
}

/// Fails where two tellings differ, and shows where they part.
#[track_caller]
pub fn check_same(what: &str, expected: &Threads, found: &Threads) {
    let names = |threads: &Threads| threads.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(expected), names(found), "{what}: threads with events");
    for (thread, expected) in expected {
        let (expected, found) = (listing(expected), listing(&found[thread]));
        let same = expected.iter().zip(&found).take_while(|(one, other)| one == other).count();
        if same == expected.len() && same == found.len() {
            continue;
        }
        let around = |lines: &[String]| {
            let from = same.saturating_sub(8).min(lines.len());
            lines[from..(same + 8).min(lines.len())].join("\n    ")
        };
        panic!(
            "{what}, thread {thread}: {} events expected, {} found, different from number {same} on\n  \
             expected\n    {}\n  found\n    {}",
            expected.len(),
            found.len(),
            around(&expected),
            around(&found)
        );
    }
}

/// As [`check_same`], where the threads of one telling have numbers for names.
#[track_caller]
pub fn check_same_whatever_the_names(what: &str, expected: &Threads, found: &Threads) {
    // What a thread did is its name: no two threads of the corpus do the same.
    let renamed = |threads: &Threads| -> Threads {
        let mut sorted: Vec<_> = threads.values().collect();
        sorted.sort_by_cached_key(|events| listing(events));
        let numbered = sorted.into_iter().enumerate();
        numbered.map(|(number, events)| (format!("number {number}"), events.clone())).collect()
    };
    check_same(what, &renamed(expected), &renamed(found));
}
