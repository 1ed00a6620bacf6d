//! A recording from its begin to its file.

use std::sync::Arc;
use std::time::Duration;

use wattle_units::{BootNanos, Nanos};

use super::meter_replay;
use super::replayed_trace::replay;
use crate::Event;
use crate::core::Core;
use crate::state::RecordingSession;
use crate::trace_config::RecordingConfig;

/// Pause between two checks whether a recording should end.
const LOOK: Duration = Duration::from_millis(5);

/// Begins a recording under a process's number.
pub(crate) fn record(core: &Arc<Core>, pid: u32, config: &RecordingConfig, out: &str) {
    let session = RecordingSession {
        out: out.to_owned(),
        config: config.clone(),
        started: core.clock.boot(),
        asked_to_stop: false,
        killed: false,
    };
    meter_replay::mark(core, session.started);
    core.state().sessions.recordings.insert(pid, session);
    core.happened(Event::RecordingStarted);
}

/// Waits until a recording has ended and writes its trace. `is_there`: whether its process still lives.
///
/// `None` if it was killed: then there is at most what was written before.
///
/// # Errors
/// Why the file could not be written.
pub(crate) fn end(
    core: &Arc<Core>,
    pid: u32,
    mut is_there: impl FnMut() -> bool,
) -> Option<Result<Vec<u8>, String>> {
    let boot = core.boot_number();
    let session = loop {
        let now = core.clock.boot();
        if core.boot_number() != boot {
            return None;
        }
        let session = core.state().sessions.recordings.get(&pid).cloned()?;
        let ran = Duration::from_nanos((now - session.started).value().max(0) as u64);
        if session.asked_to_stop || session.config.duration.is_some_and(|most| ran >= most) {
            break session;
        }
        if session.killed || !is_there() {
            core.state().sessions.recordings.remove(&pid);
            flush(core, &session);
            core.journal.end(now, pid);
            return None;
        }
        std::thread::sleep(LOOK);
    };
    let now = core.clock.boot();
    let result = write(core, &session, now);
    // The process is there until its file is.
    core.state().sessions.recordings.remove(&pid);
    core.journal.end(core.clock.boot(), pid);
    core.happened(Event::RecordingStopped);
    Some(result)
}

/// Writes what a killed recorder had written: whole periods, if it wrote into its file at all.
fn flush(core: &Core, session: &RecordingSession) {
    let Some(period) = session.config.write_period else { return };
    let period = i64::try_from(period.as_nanos()).unwrap_or(i64::MAX).max(1);
    let ran = (core.clock.boot() - session.started).value();
    let written = ran / period * period;
    if written > 0 {
        // A file that cannot be written is one that a real recorder could not write either.
        let _ = write(core, session, session.started + Nanos::new(written));
    }
}

/// The phone restarts: what recordings have written so far stays.
pub(crate) fn flush_all(core: &Core) {
    let sessions = std::mem::take(&mut core.state().sessions.recordings);
    for session in sessions.values() {
        flush(core, session);
    }
}

fn write(core: &Core, session: &RecordingSession, end: BootNanos) -> Result<Vec<u8>, String> {
    // No trace is shorter.
    let end = end.max(session.started + Nanos::new(2_000_000));
    let replayed = replay(core, &session.config, &session.out, (session.started, end));
    let (trace, truth) = replayed.map_err(|error| error.to_string())?;
    core.state().truths.push(truth);
    if session.out == "-" {
        return Ok(trace);
    }
    let free = core.files.free();
    let fits = usize::try_from(free).unwrap_or(usize::MAX).min(trace.len());
    let written = core.files.rooted().write(&session.out, trace.get(..fits).unwrap_or_default());
    written.map_err(|error| format!("Failed to write {}: {error}", session.out))?;
    if fits < trace.len() {
        return Err(format!("Failed to write {}: No space left on device", session.out));
    }
    Ok(trace)
}
