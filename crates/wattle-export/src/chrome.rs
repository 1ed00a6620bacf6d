//! Chrome's Trace Event format: an object with `traceEvents`, which `chrome://tracing` and ui.perfetto.dev read.
//!
//! Slices of each thread as events of their begin (`B`) and end (`E`), the latter with their own energy and the total as arguments;
//! counters (`C`) of power by component. (Complete events, `X`, have a length instead of an end: in the format's microseconds start and
//! length of neighbours do not add up to the digit, and slices would cross.)
//! Energy outside of all slices is a counter at the end of the window, so that the arguments `self` of slices and those
//! counters sum to the ledger's total.

use std::collections::BTreeMap;
use std::io::Write;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use wattle_ledger::Ledger;
use wattle_units::BootNanos;

use crate::format_entry::{FormatEntry, FormatWriter, Times};
use crate::schedule_slices::{self, Change, Lane};
use crate::stack_frames::Frames;
use crate::{
    EnergyUnit, ExportError, Extract, Payer, Schedule, display_names, power_bins, remarks,
};

/// Numbers from which on processes and threads are ours, not the kernel's.
const OUR_NUMBERS: u64 = 1 << 32;
/// The process of what no thread drew.
const NOBODY: u64 = OUR_NUMBERS - 1;

/// Its entry in the registry.
pub(crate) const FORMAT: FormatEntry = FormatEntry {
    name: "chrome",
    endings: &[".trace.json", ".chrome.json"],
    endings_note: None,
    description: "chrome://tracing, Perfetto's UI",
    content_type: "application/json",
    is_binary: false,
    times: Times::Axis,
    unit: Some(EnergyUnit::Nanojoules),
    write: FormatWriter::Whole(|extract, options, to| write(extract, FORMAT.unit(options), to)),
};

/// Writes it.
pub fn write(
    extract: &Extract<'_>,
    unit: EnergyUnit,
    to: &mut dyn Write,
) -> Result<(), ExportError> {
    let ledger = extract.ledger();
    let schedule = Schedule::new(extract, unit);
    let frames = Frames::new(ledger);
    let about = json!({
        "exporter": format!("wattle {}", env!("CARGO_PKG_VERSION")),
        "energy-unit": unit.name(),
        "synthesised": schedule.is_synthesised,
        "remarks": remarks::remarks(extract),
    });
    write!(to, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":[")?;
    let mut events = Events { to, is_first: true };
    events.names(ledger)?;
    for series in &ledger.over_time.series {
        let name = format!("power {}", series.component.name());
        for (window, power, _) in power_bins::bins(ledger, series) {
            let value = json!({ "mW": power.value() * 1e3 });
            events.counter(&name, NOBODY, window.start, &value)?;
        }
    }
    let mut lanes: FxHashMap<Lane, u64> = FxHashMap::default();
    schedule_slices::walk(ledger, &frames, &schedule, &mut |lane, change| {
        let (phase, frame, time) = match change {
            Change::Begin(frame, time) => ("B", frame, time),
            Change::End(slice) => ("E", slice.frame, slice.window.end),
            Change::Piece(..) => return Ok(()),
        };
        let (pid, own_tid) = numbers(ledger, lane.thread);
        let tid = if lane.number == 0 {
            own_tid
        } else {
            let next = OUR_NUMBERS + lanes.len() as u64;
            let known = lanes.contains_key(&lane);
            let tid = *lanes.entry(lane).or_insert(next);
            if !known {
                let thread = ledger.rows.threads.get(lane.thread as usize);
                let name = thread.map(display_names::thread).unwrap_or_default();
                events.name("thread_name", pid, tid, &format!("{name}: other hardware"))?;
            }
            tid
        };
        let frame = frames.get(frame);
        let energies = match change {
            Change::End(slice) => {
                format!(",\"args\":{{\"self\":{},\"total\":{}}}", slice.own, slice.total)
            }
            _ => String::new(),
        };
        events.event(format_args!(
            "{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{},\"cat\":\"{}\",\"name\":{}{energies}}}",
            micros(time.value()),
            frame.kind.name(),
            serde_json::to_string(&frame.name)?,
        ))
    })?;
    for (name, (pid, sum)) in unplaced(ledger, &frames, &schedule) {
        let value = json!({ unit.symbol(): sum });
        events.counter(&format!("energy {name}"), pid, ledger.recording.window.end, &value)?;
    }
    to.write_all(b"]}\n")?;
    Ok(())
}

/// Sums of what is in no slice, by name and with the process's number.
fn unplaced(
    ledger: &Ledger,
    frames: &Frames<'_>,
    schedule: &Schedule,
) -> BTreeMap<String, (u64, i64)> {
    let mut sums = BTreeMap::new();
    for (payer, amounts) in schedule.unplaced() {
        let (name, pid) = unplaced_name(ledger, frames, payer);
        let sum: i64 = amounts.iter().map(|(_, amount)| amount).sum();
        sums.entry(name).or_insert((pid, 0)).1 += sum;
    }
    sums
}

fn unplaced_name(ledger: &Ledger, frames: &Frames<'_>, payer: Payer) -> (String, u64) {
    let thread = payer.thread(ledger);
    if let Some((id, entry)) =
        thread.and_then(|id| Some((id, ledger.rows.threads.get(id as usize)?)))
    {
        let what = if matches!(payer, Payer::Probes(_)) { "probes" } else { "not placed in time" };
        let (pid, tid) = numbers(ledger, id);
        return (format!("{what}: {} {tid}", display_names::thread(entry)), pid);
    }
    let mut stack = Vec::new();
    frames.stack(payer, &mut stack);
    let names: Vec<&str> = stack.iter().map(|frame| &*frames.get(*frame).name).collect();
    (names.join(" "), NOBODY)
}

/// The numbers of a thread's process and of itself.
fn numbers(ledger: &Ledger, thread: u32) -> (u64, u64) {
    let Some(entry) = ledger.rows.threads.get(thread as usize) else { return (NOBODY, NOBODY) };
    let process = ledger.rows.processes.get(entry.process as usize);
    let pid = process.and_then(|process| process.pid).map(u64::from);
    (pid.unwrap_or(OUR_NUMBERS + u64::from(entry.process)), entry.tid.into())
}

/// Nanoseconds as the format's microseconds, to the digit.
fn micros(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.unsigned_abs();
    format!("{sign}{}.{:03}", nanos / 1000, nanos % 1000)
}

/// The list of events.
struct Events<'a> {
    to: &'a mut dyn Write,
    is_first: bool,
}

impl Events<'_> {
    fn event(&mut self, event: std::fmt::Arguments<'_>) -> Result<(), ExportError> {
        self.to.write_all(if self.is_first { b"\n" } else { b",\n" })?;
        self.is_first = false;
        self.to.write_fmt(event)?;
        Ok(())
    }

    fn name(&mut self, what: &str, pid: u64, tid: u64, name: &str) -> Result<(), ExportError> {
        let event =
            json!({ "ph": "M", "name": what, "pid": pid, "tid": tid, "args": { "name": name } });
        self.event(format_args!("{event}"))
    }

    fn counter(
        &mut self,
        name: &str,
        pid: u64,
        time: BootNanos,
        args: &Value,
    ) -> Result<(), ExportError> {
        let name = serde_json::to_string(name)?;
        self.event(format_args!(
            "{{\"ph\":\"C\",\"pid\":{pid},\"tid\":0,\"ts\":{},\"name\":{name},\"args\":{args}}}",
            micros(time.value())
        ))
    }

    fn names(&mut self, ledger: &Ledger) -> Result<(), ExportError> {
        self.name("process_name", NOBODY, 0, "device")?;
        let mut named = vec![false; ledger.rows.processes.len()];
        for (id, thread) in (0..).zip(&ledger.rows.threads) {
            let (pid, tid) = numbers(ledger, id);
            let at = thread.process as usize;
            if let (Some(process), Some(false)) = (ledger.rows.processes.get(at), named.get(at)) {
                self.name("process_name", pid, 0, &display_names::process(process))?;
                named[at] = true;
            }
            self.name("thread_name", pid, tid, &display_names::thread(thread))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_every_nanosecond() {
        for (nanos, text) in
            [(0, "0.000"), (1, "0.001"), (1_234_567, "1234.567"), (-1500, "-1.500")]
        {
            assert_eq!(micros(nanos), text);
        }
    }
}
