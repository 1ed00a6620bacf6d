//! Kernel counters, polled by a script on the device.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use wattle_recording::ArtifactKind;

use crate::device_folder::{DEVICE_FOLDER, end_file};
use crate::prepare::Remains;
use crate::shell::run;
use crate::source::counter_script::SCRIPT;
use crate::source::device_process::DeviceProcess;
use crate::source::program_source::{DeviceTraces, Program};
use crate::source::{SourceGround, SourceName};
use crate::{DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
/// Time limit of the last sample, in addition to the pause before it.
const LAST_SAMPLE: Duration = Duration::from_secs(15);
/// Unreadable files are reported in the first samples: in this many bytes.
const REPORTED_WITHIN: u64 = 8 << 20;
/// Most such files that are named.
const MOST_MISSING: usize = 20;

/// Options of polling counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOptions {
    period: Duration,
}

impl Default for CounterOptions {
    fn default() -> Self {
        Self { period: Duration::from_secs(1) }
    }
}

impl CounterOptions {
    /// Shortest period: below it the polling itself dominates what is counted.
    pub const MIN_PERIOD: Duration = Duration::from_millis(100);
    /// Longest period.
    pub const MAX_PERIOD: Duration = Duration::from_secs(3);

    /// Options with this period.
    ///
    /// # Errors
    /// [`DeviceError::Plan`] if it is not between 100 ms and 3 s.
    pub fn every(period: Duration) -> Result<Self, DeviceError> {
        if (Self::MIN_PERIOD..=Self::MAX_PERIOD).contains(&period) {
            return Ok(Self { period });
        }
        Err(DeviceError::Plan(format!(
            "counters are polled every 100 to 3000 ms, but {} ms were asked for",
            period.as_millis()
        )))
    }

    /// The period.
    pub const fn period(&self) -> Duration {
        self.period
    }
}

/// Polls `/proc` and `/sys` into a file on the device.
#[derive(Debug)]
pub(super) struct Counters {
    options: CounterOptions,
}

impl Counters {
    /// With these options.
    pub(super) const fn new(options: CounterOptions) -> Self {
        Self { options }
    }

    fn script() -> String {
        format!("{DEVICE_FOLDER}/counters.sh")
    }

    /// The script runs while this file is there.
    fn go() -> String {
        format!("{DEVICE_FOLDER}/counters.go")
    }
}

impl Program for Counters {
    const NAME: SourceName = SourceName::Counters;
    const FILE: &'static str = "counters.txt";
    const KIND: ArtifactKind = ArtifactKind::Counters;
    const PULL: Duration = Duration::from_mins(15);
    const RECORDER: Option<&'static str> = Some("polls counters");
    const BROKE_OFF: &'static str = "pulling the counters was interrupted";
    const NOT_ENDED: Option<&'static str> = Some("the counter script was not ended properly");

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        let found = ground.device.shell("cat /proc/uptime", SHORT)?;
        let there = found.is_success() && !found.text().trim().is_empty();
        Ok((!there).then(|| "the shell may not read /proc/uptime".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        Some(format!("period {} ms", self.options.period.as_millis()))
    }

    fn remains(&mut self, _: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        let file = format!("{DEVICE_FOLDER}/{}", Self::FILE);
        let files = vec![file, Self::go(), Self::script()];
        Ok(vec![Remains::recorder(Self::NAME.as_str(), files)])
    }

    fn start(
        &mut self,
        ground: &SourceGround<'_>,
        traces: &mut DeviceTraces,
    ) -> Result<(), DeviceError> {
        let file = format!("{DEVICE_FOLDER}/{}", Self::FILE);
        traces.output = Some(file.clone());
        let end = end_file(Self::NAME.as_str());
        traces.helpers = vec![Self::go(), Self::script(), end.clone()];
        ground.device.push(&mut SCRIPT.as_bytes(), &Self::script(), 0o755)?;
        // Without the file it reads everything once more and ends by itself.
        run(
            ground.device,
            &format!("echo go > {go}; echo rm -f {go} > {end}", go = Self::go()),
            SHORT,
        )?;
        let mut command = format!(
            "sh {} /proc /sys {file} {} {} {}",
            Self::script(),
            Self::go(),
            self.options.period.as_millis(),
            ground.limit.as_secs().clamp(1, 10_000_000)
        );
        if let Some(package) = ground.package() {
            command.push(' ');
            command.push_str(&quote(package));
        }
        command.push_str(" >/dev/null 2>&1 </dev/null & echo $!");
        let output = ground.device.shell(&command, SHORT)?;
        traces.process = Some(DeviceProcess::from_output("the counter script", &output)?);
        Ok(())
    }

    fn end(
        &mut self,
        ground: &SourceGround<'_>,
        process: DeviceProcess,
    ) -> Result<(), DeviceError> {
        run(ground.device, &format!("rm -f {}", Self::go()), SHORT)?;
        // It reads everything once more and ends.
        let patience = self.options.period + LAST_SAMPLE;
        process.await_end(ground.device, ground.cancel, patience)
    }

    fn command_to_end(process: DeviceProcess) -> String {
        format!("kill {}", process.pid)
    }

    fn explain_empty(
        &self,
        _: &SourceGround<'_>,
        broke_off: Option<DeviceError>,
    ) -> Result<String, DeviceError> {
        Err(broke_off.unwrap_or_else(|| DeviceError::Unexpected {
            what: "polling counters".to_owned(),
            expected: "samples".to_owned(),
            found: "an empty file".to_owned(),
        }))
    }

    fn notes(&self, file: &Path) -> Result<Vec<String>, DeviceError> {
        let missing = missing_files(file)?;
        let note = format!("unavailable: {}", missing.join(", "));
        Ok((!missing.is_empty()).then_some(note).into_iter().collect())
    }
}

/// The files that the script reports as not readable, with the reason: lines `? path reason`.
fn missing_files(path: &Path) -> Result<Vec<String>, DeviceError> {
    let failed = |source| DeviceError::File { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut missing = Vec::new();
    for line in BufReader::new(file.take(REPORTED_WITHIN)).split(b'\n') {
        let line = line.map_err(failed)?;
        if let Some(what) = line.strip_prefix(b"? ")
            && missing.len() < MOST_MISSING
        {
            missing.push(String::from_utf8_lossy(what).into_owned());
        }
    }
    Ok(missing)
}
