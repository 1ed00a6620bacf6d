//! Programs of threads, flattened for execution.

use std::collections::BTreeMap;

use wattle_units::Nanos;

use crate::bytes::{Bytes, DeviceIndex, DeviceKind, DeviceNames};
use crate::{Action, PolledFile, Poller, SimError, Workload};

/// A name of [`Names`].
pub(crate) type NameIndex = u32;

/// Method names, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    texts: Vec<String>,
    indices: BTreeMap<String, NameIndex>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> NameIndex {
        if let Some(index) = self.indices.get(text) {
            return *index;
        }
        let index = self.texts.len() as NameIndex;
        self.texts.push(text.to_owned());
        self.indices.insert(text.to_owned(), index);
        index
    }

    pub fn text(&self, index: NameIndex) -> &str {
        self.texts.get(index as usize).map_or("", String::as_str)
    }
}

/// One step of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Enter(NameIndex),
    Exit,
    Compute {
        cycles: f64,
        spread: f64,
    },
    Sleep {
        nanos: f64,
        spread: f64,
    },
    NextPeriod {
        nanos: i64,
    },
    AwaitWake,
    Wake {
        task: usize,
    },
    /// Sleeps until an instant of boot time; goes on at once when that has passed.
    SleepUntil {
        at: i64,
    },
    /// Executes until an instant of boot time, and as much later as it had to wait for a CPU.
    BusyUntil {
        at: i64,
    },
    /// Sleeps for ever.
    Rest,
    /// Moves bytes through a device and waits for it.
    Move {
        device: DeviceIndex,
        own: Bytes,
        nanos: i64,
    },
    Poll(PollStep),
    /// Work for graphics.
    Draw {
        nanos: i64,
    },
}

/// A step of a shell that polls counters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PollStep {
    Begin,
    Read(PolledFile),
    End,
}

/// Most steps that one program may have after its repetitions are written out.
pub(crate) const MOST_OPS: usize = 1_000_000;
/// Most bytes that a transfer moves in one direction.
const MOST_BYTES: u64 = 1_000_000_000;

/// The steps of one thread, and whether it begins again after the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub ops: Vec<Op>,
    pub once: bool,
}

/// Flattens the programs of all threads.
pub(crate) fn compile(
    workload: &Workload,
    names: &mut Names,
    devices: &mut DeviceNames,
) -> Result<Vec<Program>, SimError> {
    let threads = workload.threads().count();
    workload
        .threads()
        .map(|(app, thread)| {
            let place = format!("{}/{}", app.name, thread.name);
            let mut compiler = Compiler { ops: Vec::new(), names, devices, threads, place };
            compiler.actions(&thread.program)?;
            compiler.program(thread.once)
        })
        .collect()
}

/// Flattens actions that a thread repeats and that wake nobody.
pub(crate) fn repeated(
    actions: &[Action],
    place: String,
    names: &mut Names,
    devices: &mut DeviceNames,
) -> Result<Program, SimError> {
    let mut compiler = Compiler { ops: Vec::new(), names, devices, threads: 0, place };
    compiler.actions(actions)?;
    compiler.program(false)
}

/// Creates the program of a shell that polls counters.
pub(crate) fn of_poller(poller: &Poller) -> Result<Program, SimError> {
    let wrong = |expected, found| {
        Err(SimError::Workload { place: "the poller".to_owned(), expected, found })
    };
    let costs = [poller.cost_per_file, poller.cost_per_sample];
    if !costs.iter().all(|cost| (0.0..=1e6).contains(cost)) {
        return wrong("costs of 0 to 1e6 million cycles", format!("{costs:?}"));
    }
    if poller.period.value() < 1_000_000 || poller.pid == 0 {
        let found = format!("{} and {}", poller.period, poller.pid);
        return wrong("a period of at least 1 ms and a number above 0", found);
    }
    let cost = |million_cycles: f64| Op::Compute { cycles: million_cycles * 0.5e6, spread: 0.1 };
    let mut ops = vec![cost(poller.cost_per_sample), Op::Poll(PollStep::Begin)];
    for file in &poller.files {
        // The counters are read in the middle of what it takes to open, read and write a file down.
        let step = Op::Poll(PollStep::Read(*file));
        ops.extend([cost(poller.cost_per_file), step, cost(poller.cost_per_file)]);
    }
    ops.extend([Op::Poll(PollStep::End), cost(poller.cost_per_sample)]);
    ops.push(Op::NextPeriod { nanos: poller.period.value() });
    Ok(Program { ops, once: false })
}

struct Compiler<'a> {
    ops: Vec<Op>,
    names: &'a mut Names,
    devices: &'a mut DeviceNames,
    threads: usize,
    place: String,
}

impl Compiler<'_> {
    fn program(self, once: bool) -> Result<Program, SimError> {
        // A program that never waits and never works would hold the clock for ever.
        let passes_time = self.ops.iter().any(|op| match op {
            Op::Sleep { .. } | Op::NextPeriod { .. } | Op::AwaitWake | Op::Move { .. } => true,
            Op::Compute { cycles, .. } => *cycles >= 1000.0,
            _ => false,
        });
        if !passes_time && !once {
            return Err(SimError::Workload {
                place: self.place,
                expected: "a repeated program that computes or sleeps",
                found: format!("{} actions that take no time", self.ops.len()),
            });
        }
        Ok(Program { ops: self.ops, once })
    }

    fn actions(&mut self, actions: &[Action]) -> Result<(), SimError> {
        actions.iter().try_for_each(|action| self.action(action))
    }

    fn action(&mut self, action: &Action) -> Result<(), SimError> {
        match action {
            Action::Call { method, body } => {
                let name = self.names.intern(method);
                self.push(Op::Enter(name))?;
                self.actions(body)?;
                self.push(Op::Exit)
            }
            Action::Compute { cycles, spread } => {
                self.range("cycles of 0 to 1e12 and a spread of 0 to 1", *cycles, 1e12, *spread)?;
                self.push(Op::Compute { cycles: *cycles, spread: *spread })
            }
            Action::Sleep { length, spread } => {
                let nanos = length.value() as f64;
                self.range("a sleep of 0 to 1e15 ns and a spread of 0 to 1", nanos, 1e15, *spread)?;
                self.push(Op::Sleep { nanos, spread: *spread })
            }
            Action::NextPeriod { period } if period.value() >= 1000 => {
                self.push(Op::NextPeriod { nanos: period.value() })
            }
            Action::NextPeriod { period } => {
                Err(self.error("a period of at least 1 µs", period.to_string()))
            }
            Action::AwaitWake => self.push(Op::AwaitWake),
            Action::Wake { thread } if *thread < self.threads => {
                self.push(Op::Wake { task: *thread })
            }
            Action::Wake { thread } => {
                Err(self.error("the index of a thread to wake", thread.to_string()))
            }
            Action::Transfer(transfer) => {
                let own = Bytes { inward: transfer.rx_bytes, outward: transfer.tx_bytes };
                let device = (DeviceKind::Network, transfer.interface.as_str());
                let op = movement(self.devices, device, own, transfer.length, &self.place)?;
                self.push(op)
            }
            Action::Access(access) => {
                let own = Bytes { inward: access.read_bytes, outward: access.write_bytes };
                let device = (DeviceKind::Block, access.device.as_str());
                let op = movement(self.devices, device, own, access.length, &self.place)?;
                self.push(op)
            }
            Action::Draw { length } => {
                self.push(Op::Draw { nanos: length.value().clamp(0, 10_000_000_000) })
            }
            Action::Repeat { times, body } if *times <= 10_000 => {
                (0..*times).try_for_each(|_| self.actions(body))
            }
            Action::Repeat { times, .. } => {
                Err(self.error("at most 10000 repetitions", times.to_string()))
            }
        }
    }

    fn push(&mut self, op: Op) -> Result<(), SimError> {
        if self.ops.len() >= MOST_OPS {
            return Err(self.error("at most a million steps", format!("{op:?} after them")));
        }
        self.ops.push(op);
        Ok(())
    }

    fn range(
        &self,
        expected: &'static str,
        value: f64,
        most: f64,
        spread: f64,
    ) -> Result<(), SimError> {
        if (0.0..=most).contains(&value) && (0.0..=1.0).contains(&spread) {
            Ok(())
        } else {
            Err(self.error(expected, format!("{value} with spread {spread}")))
        }
    }

    fn error(&self, expected: &'static str, found: String) -> SimError {
        SimError::Workload { place: self.place.clone(), expected, found }
    }
}

/// Bytes a second that a device moves at most: Wi-Fi 6 with two streams of 160 MHz (2402 Mbit/s, IEEE 802.11ax, table 27-111),
/// and flash storage of UFS 4.0 (two lanes of HS-G5, 4640 MB/s).
const fn fastest(kind: DeviceKind) -> f64 {
    match kind {
        DeviceKind::Network => 2402e6 / 8.0,
        DeviceKind::Block => 4640e6,
    }
}

/// Bytes through a device, as a step.
pub(crate) fn movement(
    devices: &mut DeviceNames,
    (kind, name): (DeviceKind, &str),
    own: Bytes,
    length: Nanos,
    place: &str,
) -> Result<Op, SimError> {
    let wrong =
        |expected, found| Err(SimError::Workload { place: place.to_owned(), expected, found });
    if own.inward.max(own.outward) > MOST_BYTES {
        return wrong("at most a gigabyte", format!("{own:?}"));
    }
    if !(0..=1_000_000_000_000_000).contains(&length.value()) {
        return wrong("a transfer of 0 to 1e6 s", length.to_string());
    }
    if name.is_empty() || name.len() > 31 || name.contains(char::is_whitespace) {
        return wrong("a device of 1 to 31 letters", format!("{name:?}"));
    }
    match devices.intern(kind, name) {
        // Nothing moves in no time, and no bytes faster than the device can move them.
        Some(device) => {
            let least = own.total() as f64 / fastest(kind) * 1e9;
            Ok(Op::Move { device, own, nanos: length.value().max(least.ceil() as i64).max(1000) })
        }
        None => wrong("at most 256 devices", format!("one more: {name}")),
    }
}
