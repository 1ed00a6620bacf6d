//! Debian's dmtracedump, the reader of these files that Android had.

use std::path::Path;
use std::process::Command;

use crate::events::{Event, Profile, Row};

/// Returns its output.
#[track_caller]
fn run(option: Option<&str>, file: &Path) -> String {
    let output = Command::new("dmtracedump").args(option).arg(file).output();
    let output = output.unwrap_or_else(|error| panic!("dmtracedump: {error}"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `com.example.Main.run (I)V` of a name that may have slashes and the source file behind it.
fn method(text: &str) -> String {
    let text = text.split('\t').next().unwrap_or_default();
    match text.split_once(' ') {
        Some((name, descriptor)) => format!("{} {descriptor}", name.replace('/', ".")),
        None => text.to_owned(),
    }
}

/// Every event (`-o`). It reads one clock: the thread's where there are two.
#[track_caller]
pub fn events(file: &Path) -> Vec<Event> {
    let text = run(Some("-o"), file);
    let lines = text.lines().skip_while(|line| !line.starts_with("Trace (")).skip(1);
    let event = |line: &str| {
        let (thread, rest) = line.trim_start().split_once(' ')?;
        let (action, rest) = rest.split_at(3);
        let rest = rest.trim_start_matches(['!', ' ']);
        let digits = rest.find(|it: char| !it.is_ascii_digit())?;
        let (time, rest) = rest.split_at(digits);
        let name = rest[1..].trim_start_matches('.');
        let time = time.parse().ok()?;
        let thread = thread.parse().ok()?;
        Some(Event {
            thread,
            is_entry: action == "ent",
            method: method(name),
            cpu: time,
            wall: time,
        })
    };
    lines.map(|line| event(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

/// Its profile: methods with time, and the time outside of any call that it saw.
#[track_caller]
pub fn profile(file: &Path) -> (Profile, u64) {
    let text = run(None, file);
    profile_in(&text).unwrap_or_else(|| panic!("no profile in {text}"))
}

fn profile_in(text: &str) -> Option<(Profile, u64)> {
    let (exclusive, rest) = text.split_once("Inclusive elapsed times")?;
    let inclusive = rest.split("Exclusive elapsed time for each class").next()?;
    let mut found = Profile::new();
    for line in inclusive.lines().filter(|line| line.starts_with('[')) {
        let mut words = line.split_whitespace().skip(2);
        let calls = words.next()?.split('+').filter_map(|it| it.parse::<u64>().ok()).sum();
        let inclusive = words.next()?.parse().ok()?;
        let name = words.collect::<Vec<_>>().join(" ");
        // The source file, where it stands behind the descriptor, has become a word.
        let name = name.split(' ').take(2).collect::<Vec<_>>().join(" ");
        found.insert(method(&name), Row { calls, inclusive, exclusive: 0 });
    }
    for line in exclusive.lines().skip_while(|line| !line.contains("Usecs")).skip(1) {
        let mut words = line.split_whitespace();
        let Some(time) = words.next().and_then(|it| it.parse().ok()) else { continue };
        let name = words.skip(3).take(2).collect::<Vec<_>>().join(" ");
        found.entry(method(&name)).or_default().exclusive = time;
    }
    let top = found.remove("(toplevel)").unwrap_or_default();
    Some((found, top.exclusive))
}
