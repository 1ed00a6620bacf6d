//! Samples as `perf script` prints them, and the same of a timeline.

use std::collections::HashMap;

use wattle_timeline::{FrameAddress, FrameKind, Timeline};

/// A sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    pub comm: String,
    pub pid: u32,
    pub tid: u32,
    pub nanos: i64,
    pub period: u64,
    pub event: String,
    /// Addresses and mappings, innermost first.
    pub stack: Vec<(u64, String)>,
}

/// Where no file is known.
const NOTHING: &str = "[unknown]";

/// Reads `perf script -F comm,pid,tid,time,period,event,ip,dso --ns`. A thread has the name that it had last.
pub fn parse(text: &str) -> Vec<Sampled> {
    let mut samples: Vec<Sampled> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(sample) = head(line) {
            samples.push(sample);
        } else if let Some(last) = samples.last_mut() {
            last.stack.extend(frame(line));
        }
    }
    let mut names: HashMap<u32, String> = HashMap::new();
    for sample in &samples {
        names.insert(sample.tid, sample.comm.clone());
    }
    for sample in &mut samples {
        sample.comm.clone_from(&names[&sample.tid]);
    }
    samples
}

/// `comm pid/tid seconds: period event:` and, without a chain, `ip (dso)`.
fn head(line: &str) -> Option<Sampled> {
    let slash = line.find('/').filter(|at| line[..*at].ends_with(|c: char| c.is_ascii_digit()));
    let slash = slash.or_else(|| {
        let found: Vec<usize> = line.match_indices('/').map(|(at, _)| at).collect();
        found.into_iter().find(|at| line[..*at].ends_with(|c: char| c.is_ascii_digit()))
    })?;
    let (before, after) = (&line[..slash], &line[slash + 1..]);
    let (comm, pid) = before.rsplit_once(' ')?;
    let mut words = after.split_whitespace();
    let tid = words.next()?.parse().ok()?;
    let time = words.next()?.strip_suffix(':')?;
    let (seconds, nanos) = time.split_once('.')?;
    let nanos = seconds.parse::<i64>().ok()? * 1_000_000_000 + nanos.parse::<i64>().ok()?;
    let period = words.next()?.parse().ok()?;
    let event = words.next()?.trim_end_matches(':').to_owned();
    let rest: Vec<&str> = words.collect();
    let stack = frame(&rest.join(" ")).into_iter().collect();
    let comm = comm.trim().to_owned();
    Some(Sampled { comm, pid: pid.parse().ok()?, tid, nanos, period, event, stack })
}

/// `ip (dso)`. What perf prints of the end of a chain, 0 in nothing, is no frame.
fn frame(line: &str) -> Option<(u64, String)> {
    let (ip, dso) = line.trim().split_once(' ')?;
    let ip = u64::from_str_radix(ip, 16).ok()?;
    let dso = dso.trim().strip_prefix('(')?.strip_suffix(')')?;
    (ip != 0 || dso != NOTHING).then(|| (ip, dso.to_owned()))
}

/// The same of a timeline, with return addresses as the kernel has them.
pub fn of_timeline(timeline: &Timeline, is_adjusted: bool) -> Vec<Sampled> {
    let samples = &timeline.samples;
    let one = |sample: &wattle_timeline::StackSample| {
        let thread = &timeline.threads[sample.thread.index()];
        let process = thread.process.map(|process| timeline.processes[process.index()].pid.0);
        let name = |name| timeline.names.get(name).to_owned();
        let frames = samples.stack(sample.site).enumerate();
        let stack = frames.map(|(index, frame)| {
            let address = match frame.address {
                FrameAddress::InFile(address) | FrameAddress::Absolute(address) => address,
                other => panic!("{other:?}"),
            };
            let back = u64::from(index > 0 && is_adjusted);
            let mapping = frame.mapping.map_or_else(|| NOTHING.to_owned(), name);
            let _ = FrameKind::Kernel;
            (address + back, mapping)
        });
        Sampled {
            comm: thread.name.map(name).unwrap_or_default(),
            pid: process.unwrap_or_default(),
            tid: thread.tid.0,
            nanos: sample.time.value(),
            period: sample.weight,
            event: name(samples.event(sample.event).unwrap().name),
            stack: stack.collect(),
        }
    };
    samples.samples.iter().map(one).collect()
}
