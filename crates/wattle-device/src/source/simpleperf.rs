//! simpleperf's samples.

use std::path::Path;
use std::time::Duration;

use wattle_recording::{ArtifactKind, Recorder};

use crate::session::DEVICE_FOLDER;
use crate::shell::pull_into_file;
use crate::source::device_process::DeviceProcess;
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
const STOP: Duration = Duration::from_mins(1);
const PULL: Duration = Duration::from_mins(30);
const FILE: &str = "perf.data";

/// How simpleperf samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimpleperfOptions {
    /// Samples a second of running thread.
    pub frequency: u32,
}

impl Default for SimpleperfOptions {
    fn default() -> Self {
        Self { frequency: 1000 }
    }
}

/// `simpleperf record --app`, where the device has it (most have, since Android 10).
#[derive(Debug)]
pub struct Simpleperf {
    options: SimpleperfOptions,
    process: Option<DeviceProcess>,
    begun: bool,
    stopped_well: bool,
}

impl Simpleperf {
    /// One that has not begun.
    pub const fn new(options: SimpleperfOptions) -> Self {
        Self { options, process: None, begun: false, stopped_well: false }
    }

    fn file() -> String {
        format!("{DEVICE_FOLDER}/{FILE}")
    }

    fn said() -> String {
        format!("{DEVICE_FOLDER}/simpleperf.txt")
    }
}

impl Source for Simpleperf {
    fn name(&self) -> SourceName {
        SourceName::Simpleperf
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        if ground.package().is_none() {
            return Ok(Some("no app is named".to_owned()));
        }
        let found = ground.device.shell("command -v simpleperf", SHORT)?;
        let there = found.is_success() && !found.text().trim().is_empty();
        Ok((!there).then(|| "the device has no command simpleperf".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        Some(format!("{} Hz with call chains", self.options.frequency))
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.stopped_well = false;
        let Some(package) = ground.package() else { return Ok(()) };
        self.begun = true;
        let command = format!(
            "simpleperf record --app {} -g -f {} --duration {} -o {} >{} 2>&1 </dev/null & echo $!",
            quote(package),
            self.options.frequency,
            ground.limit.as_secs().max(1),
            Self::file(),
            Self::said()
        );
        let output = ground.device.shell(&command, SHORT)?;
        self.process = Some(DeviceProcess::from_output("simpleperf record", &output)?);
        Ok(())
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        let Some(process) = self.process else { return Ok(()) };
        // It ends by itself with the app.
        if process.is_alive(ground.device)? {
            process.end(ground.device, ground.cancel, "INT", STOP)?;
        }
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
            let said = ground.device.shell(&format!("cat {}", Self::said()), SHORT)?;
            let said = crate::shell::text(&said);
            collected.notes.push(format!("simpleperf recorded nothing: {said}"));
            return Ok(collected);
        }
        let partial = download.broke_off.is_some() || !self.stopped_well;
        collected.add(FILE, ArtifactKind::PerfData, partial);
        collected.worth_another_try = download.is_worth_another_try();
        if let Some(error) = download.broke_off {
            collected.notes.push(format!("simpleperf's samples broke off: {error}"));
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        if let Some(process) = self.process {
            device.shell(&format!("kill -INT {}", process.pid), SHORT)?;
            self.process = None;
        }
        if self.begun {
            device.shell(&format!("rm -f {} {}", Self::file(), Self::said()), SHORT)?;
            self.begun = false;
        }
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        let process = self.process.map(|process| format!("kill -INT {}", process.pid));
        let files = self.begun.then(|| format!("rm -f {} {}", Self::file(), Self::said()));
        process.into_iter().chain(files).collect()
    }

    fn device_restarted(&mut self) {
        self.process = None;
    }

    fn recorders(&self) -> Vec<Recorder> {
        let of = |process: DeviceProcess| Recorder { pid: process.pid, what: "simpleperf".into() };
        self.process.map(of).into_iter().collect()
    }
}
