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

/// Name printed if no file is known.
const NOTHING: &str = "[unknown]";
const KERNEL: &str = "[kernel.kallsyms]";

/// A mapping that `perf script --show-mmap-events` prints.
#[derive(Clone, Debug)]
struct Mapping {
    pid: u32,
    start: u64,
    length: u64,
    offset: u64,
    file: String,
}

/// Reads `perf script -F comm,pid,tid,time,period,event,ip,dso --ns --show-mmap-events`. A thread has the name that it had last. Without
/// a chain perf prints the address in the process, which the mappings bring to that in the file.
pub fn parse(text: &str) -> Vec<Sampled> {
    let mut samples: Vec<Sampled> = Vec::new();
    let mut mappings: Vec<Mapping> = Vec::new();
    for line in text.lines() {
        if line.contains("PERF_RECORD_") {
            mappings.extend(mapping(line));
        } else if let Some(mut sample) = head(line) {
            for (address, file) in &mut sample.stack {
                // Where the kernel hid its addresses all of it is mapped at nothing, and the last module at everything.
                if mappings.iter().any(|it| matches!(it.length, 0 | u64::MAX) && &it.file == file) {
                    KERNEL.clone_into(file);
                }
                let covers =
                    |it: &&Mapping| &it.file == file && address.wrapping_sub(it.start) < it.length;
                // A process that was forked has those of its parent.
                let own = mappings.iter().rfind(|it| covers(it) && it.pid == sample.pid);
                let mapping = own.or_else(|| mappings.iter().rfind(covers));
                if let Some(mapping) = mapping {
                    *address = *address - mapping.start + mapping.offset;
                }
            }
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
        // Modifiers that perf works out are no part of the recorded name.
        sample.event = sample.event.trim_end_matches(":HG").to_owned();
    }
    samples
}

/// `… PERF_RECORD_MMAP2 26083/26083: [0x400000(0x1000) @ 0x10 …]: r-xp /elf`.
fn mapping(line: &str) -> Option<Mapping> {
    let (_, rest) = line.split_once("PERF_RECORD_MMAP")?;
    let (pid, rest) = rest.split_once('/')?;
    let pid = pid.trim_start_matches('2').trim().parse::<i64>().ok()? as u32;
    let (_, rest) = rest.split_once('[')?;
    let (start, rest) = rest.split_once('(')?;
    let (length, rest) = rest.split_once(") @ ")?;
    let offset = rest.split([' ', ']']).next()?;
    let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let (_, rest) = rest.split_once("]: ")?;
    let (_, file) = rest.split_once(' ')?;
    Some(Mapping {
        pid,
        start: hex(start)?,
        length: hex(length)?,
        offset: hex(offset)?,
        file: file.trim().to_owned(),
    })
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
    let (ip, rest) = line.trim().split_once(' ')?;
    let ip = u64::from_str_radix(ip, 16).ok()?;
    // Of what it unwound itself it prints a name, too, whether asked to or not.
    let (_, dso) = rest.strip_suffix(')')?.rsplit_once('(')?;
    // Where only the program was sampled perf does not name the kernel.
    let dso = if dso == NOTHING && ip >> 47 == 0x1_ffff { KERNEL } else { dso };
    // Some versions name the copy that they make of the kernel's page.
    let dso = if dso.starts_with("/tmp/perf-vdso.so-") { "[vdso]" } else { dso };
    (ip != 0 || dso != NOTHING).then(|| (ip, dso.to_owned()))
}

/// The same of a timeline, with return addresses as the kernel has them.
pub fn of_timeline(timeline: &Timeline, is_adjusted: bool) -> Vec<Sampled> {
    let samples = &timeline.code.samples;
    let one = |sample: &wattle_timeline::StackSample| {
        let thread = &timeline.tasks.threads[sample.thread.index()];
        let process = thread.process.map(|process| timeline.tasks.processes[process.index()].pid.0);
        let name = |name| timeline.names.get(name).to_owned();
        // The first frame of the kernel and of the program is where the CPU was; the others are callers.
        let mut last = None;
        let stack = samples.stack(sample.site).map(|frame| {
            let address = match frame.address {
                FrameAddress::InFile(address) | FrameAddress::Absolute(address) => address,
                FrameAddress::InElf(_) | FrameAddress::Unknown => 0,
            };
            let is_kernel = frame.kind == FrameKind::Kernel;
            let back = u64::from(is_adjusted && last == Some(is_kernel));
            last = Some(is_kernel);
            let mapping = frame.mapping.map_or_else(|| NOTHING.to_owned(), name);
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
