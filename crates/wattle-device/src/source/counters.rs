//! Counters of the kernel, polled by a script of ours on the device.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::time::Duration;

use wattle_recording::{ArtifactKind, Recorder};

use crate::session::DEVICE_FOLDER;
use crate::shell::{pull_into_file, run};
use crate::source::counter_script::SCRIPT;
use crate::source::device_process::DeviceProcess;
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
const PULL: Duration = Duration::from_mins(15);
const FILE: &str = "counters.txt";
/// How long a last sample may take beyond the pause before it.
const LAST_SAMPLE: Duration = Duration::from_secs(15);
/// How far into the file files are reported as not readable: in the first samples.
const REPORTED_WITHIN: u64 = 8 << 20;
/// Most such files that are named.
const MOST_MISSING: usize = 20;

/// How counters are polled.
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

    /// With this period.
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

/// Polls `/proc` and `/sys` into a file on the device, which is pulled at the end.
#[derive(Debug)]
pub struct Counters {
    options: CounterOptions,
    process: Option<DeviceProcess>,
    begun: bool,
    stopped_well: bool,
}

impl Counters {
    /// One that has not begun.
    pub const fn new(options: CounterOptions) -> Self {
        Self { options, process: None, begun: false, stopped_well: false }
    }

    fn file() -> String {
        format!("{DEVICE_FOLDER}/{FILE}")
    }

    fn script() -> String {
        format!("{DEVICE_FOLDER}/counters.sh")
    }

    fn go() -> String {
        format!("{DEVICE_FOLDER}/counters.go")
    }
}

impl Source for Counters {
    fn name(&self) -> SourceName {
        SourceName::Counters
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        let found = ground.device.shell("cat /proc/uptime", SHORT)?;
        let there = found.is_success() && !found.text().trim().is_empty();
        Ok((!there).then(|| "the shell may not read /proc/uptime".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        Some(format!("period {} ms", self.options.period.as_millis()))
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.stopped_well = false;
        self.begun = true;
        ground.device.push(&mut SCRIPT.as_bytes(), &Self::script(), 0o755)?;
        run(ground.device, &format!("echo go > {}", Self::go()), SHORT)?;
        let mut command = format!(
            "sh {} /proc /sys {} {} {} {}",
            Self::script(),
            Self::file(),
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
        self.process = Some(DeviceProcess::from_output("the counter script", &output)?);
        Ok(())
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        let Some(process) = self.process else { return Ok(()) };
        run(ground.device, &format!("rm -f {}", Self::go()), SHORT)?;
        // It reads everything once more and ends.
        let patience = self.options.period + LAST_SAMPLE;
        process.await_end(ground.device, ground.cancel, patience)?;
        self.process = None;
        self.stopped_well = true;
        Ok(())
    }

    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        if !self.begun {
            return Ok(collected);
        }
        let path = folder.join(FILE);
        let download = pull_into_file(ground.device, &Self::file(), &path, PULL)?;
        if download.bytes == 0 {
            let _ = std::fs::remove_file(&path);
            return Err(download.broke_off.unwrap_or_else(|| DeviceError::Unexpected {
                what: "polling counters".to_owned(),
                expected: "samples".to_owned(),
                found: "an empty file".to_owned(),
            }));
        }
        let partial = download.broke_off.is_some() || !self.stopped_well;
        collected.add(FILE, ArtifactKind::Counters, partial);
        let missing = missing_files(&path)?;
        if !missing.is_empty() {
            collected.notes.push(format!("not to be had: {}", missing.join(", ")));
        }
        collected.worth_another_try = download.is_worth_another_try();
        if let Some(error) = download.broke_off {
            collected.notes.push(format!("counters broke off while they were pulled: {error}"));
        } else if !self.stopped_well {
            collected.notes.push("the counter script was not ended as it should be".to_owned());
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        if let Some(process) = self.process {
            device.shell(&format!("kill {}", process.pid), SHORT)?;
            self.process = None;
        }
        if self.begun {
            let files = [Self::go(), Self::file(), Self::script()].join(" ");
            device.shell(&format!("rm -f {files}"), SHORT)?;
            self.begun = false;
        }
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        let process = self.process.map(|process| format!("kill {}", process.pid));
        let files = self.begun.then(|| format!("rm -f {} {}", Self::go(), Self::file()));
        process.into_iter().chain(files).collect()
    }

    fn device_restarted(&mut self) {
        self.process = None;
    }

    fn recorders(&self) -> Vec<Recorder> {
        let of = |process: DeviceProcess| Recorder {
            pid: process.pid,
            what: "polls counters".to_owned(),
        };
        self.process.map(of).into_iter().collect()
    }
}

/// What the script says of files that it cannot read: lines `? path reason`.
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
