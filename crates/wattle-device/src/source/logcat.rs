//! The log, while it is written.

use std::path::Path;
use std::time::{Duration, Instant};

use wattle_recording::ArtifactKind;

use crate::host_clock::unix_nanos;
use crate::source::log_pump::{LogPump, PumpEnd};
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Cancel, Device, DeviceError};

const SHORT: Duration = Duration::from_secs(20);
/// Time limit for the last lines to arrive.
const LAST_LINES: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(50);
pub(crate) const FILE: &str = "logcat.txt";

/// Formats, the best first: year, microseconds, UTC and uid leave nothing to be guessed. Not every version knows all of
/// them (`-v uid` came with Android 8).
const FORMATS: [&str; 3] = [
    "-v threadtime -v year -v usec -v UTC -v uid",
    "-v threadtime -v year -v usec -v UTC",
    "-v threadtime",
];

/// Streams `logcat` into a file of this machine, so that the device's ring buffer can be as small as it is.
#[derive(Debug, Default)]
pub struct Logcat {
    format: Option<&'static str>,
    mark: String,
    pump: Option<LogPump>,
    end: Option<(PumpEnd, bool)>,
}

impl Logcat {
    /// One that has not begun.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Source for Logcat {
    fn name(&self) -> SourceName {
        SourceName::Logcat
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        let mut said = String::new();
        for format in FORMATS {
            let tried = ground.device.shell(&format!("logcat {format} -t 1"), SHORT)?;
            // Where no exit status is told, a format that is not known is complained about.
            if tried.is_success() && tried.stderr.is_empty() {
                self.format = Some(format);
                return Ok(None);
            }
            said = crate::shell::text(&tried);
        }
        Ok(Some(format!("logcat does not work: {said}")))
    }

    fn setup(&self) -> Option<String> {
        self.format.map(|format| format!("logcat {format}"))
    }

    fn start(&mut self, ground: &SourceGround<'_>, folder: &Path) -> Result<(), DeviceError> {
        self.end = None;
        self.mark = format!("end-{}", unix_nanos());
        let format = self.format.unwrap_or("-v threadtime");
        // With a signal of its own: an interrupted run must not lose the lines of its last second.
        let device = ground.device.with_cancel(Cancel::new());
        // From the newest line on: what is older belongs to somebody else's run.
        let stream = device.stream(&format!("logcat {format} -T 1"))?;
        self.pump = Some(LogPump::start(stream, &folder.join(FILE), self.mark.clone())?);
        Ok(())
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        let Some(pump) = self.pump.take() else { return Ok(()) };
        // A line of our own at the end: when it has come, everything before it has.
        let mark = format!("log -t wattle-recorder {}", self.mark);
        let logged = ground.device.shell(&mark, SHORT);
        let mut waited = Ok(());
        if matches!(&logged, Ok(output) if output.is_success()) {
            let began = Instant::now();
            while waited.is_ok() && !pump.is_done() && began.elapsed() < LAST_LINES {
                waited = ground.cancel.sleep(LOOK);
            }
        }
        let marked = pump.is_marked();
        self.end = Some((pump.stop(), marked));
        logged?;
        waited
    }

    fn collect(&mut self, _: &SourceGround<'_>, _: &Path) -> Result<Collected, DeviceError> {
        // Not stopped: the device did not let us. What is in the file is kept.
        if let Some(pump) = self.pump.take() {
            self.end = Some((pump.stop(), false));
        }
        let mut collected = Collected::default();
        let Some((end, marked)) = self.end.take() else { return Ok(collected) };
        let partial = end.cut_off.is_some() || end.failed.is_some() || !marked;
        collected.add(FILE, ArtifactKind::Logcat, partial);
        if let Some(why) = end.cut_off {
            collected.notes.push(format!("logcat was cut off after {} bytes: {why}", end.bytes));
        } else if let Some(error) = end.failed {
            collected.notes.push(format!("logcat was cut off after {} bytes: {error}", end.bytes));
        } else if !marked {
            let why = "the line that marks the end of the log did not come back";
            collected.notes.push(format!("the last lines of logcat may be missing: {why}"));
        }
        Ok(collected)
    }

    fn clean(&mut self, _: &dyn Device) -> Result<(), DeviceError> {
        // The command on the device ends with its stream.
        self.pump = None;
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        Vec::new()
    }
}
