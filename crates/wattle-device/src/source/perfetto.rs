//! A Perfetto trace.

use std::path::Path;
use std::time::Duration;

use wattle_recording::{ArtifactKind, Recorder};

use crate::host_clock::unix_nanos;
use crate::shell::{pull_into_file, run};
use crate::source::device_process::DeviceProcess;
use crate::source::{
    Collected, PerfettoOptions, Source, SourceGround, SourceName, perfetto_config,
};
use crate::{Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
/// `--background-wait` itself gives up after 30 s.
const START: Duration = Duration::from_secs(45);
const STOP: Duration = Duration::from_mins(1);
const PULL: Duration = Duration::from_hours(1);
/// Where alone the recorder may write (SELinux, since Android 9).
const FOLDER: &str = "/data/misc/perfetto-traces";
const FILE: &str = "trace.perfetto-trace";
/// Android 9, the first with Perfetto.
const FIRST_SDK: u32 = 28;
/// Android 11: from here on the service runs by itself.
const ALWAYS_ON_SDK: u32 = 30;
/// Android 13: the flag is of November 2021.
const BACKGROUND_WAIT_SDK: u32 = 33;
/// How long sources get to begin where nothing says that they have.
const SETTLE: Duration = Duration::from_secs(1);
const SWITCH: &str = "persist.traced.enable";

/// Records with the device's own `perfetto`.
#[derive(Debug)]
pub struct Perfetto {
    options: PerfettoOptions,
    process: Option<DeviceProcess>,
    trace: Option<String>,
    /// What the switch of the service was before we turned it.
    switch_before: Option<String>,
    stopped_well: bool,
}

impl Perfetto {
    /// One that has not begun.
    pub const fn new(options: PerfettoOptions) -> Self {
        Self { options, process: None, trace: None, switch_before: None, stopped_well: false }
    }

    /// Android 9 and 10 have the service turned off on most phones.
    fn turn_on(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        if ground.sdk() >= ALWAYS_ON_SDK || self.switch_before.is_some() {
            return Ok(());
        }
        let before = run(ground.device, &format!("getprop {SWITCH}"), SHORT)?;
        let before = before.text().trim().to_owned();
        if before == "1" {
            return Ok(());
        }
        self.switch_before = Some(before);
        run(ground.device, &format!("setprop {SWITCH} 1"), SHORT)?;
        ground.cancel.sleep(SETTLE)
    }

    fn launch(
        &mut self,
        ground: &SourceGround<'_>,
        flag: &str,
        trace: &str,
        config: &[u8],
    ) -> Result<(), DeviceError> {
        let command = format!("perfetto {flag} -c - -o {trace}");
        let output = ground.device.shell_with_input(&command, &mut &*config, START)?;
        self.process = Some(DeviceProcess::from_output(&command, &output)?);
        Ok(())
    }
}

impl Source for Perfetto {
    fn name(&self) -> SourceName {
        SourceName::Perfetto
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        if ground.facts.sdk.is_some_and(|sdk| sdk < FIRST_SDK) {
            return Ok(Some(format!("Android 9 (API {FIRST_SDK}) is the first with Perfetto")));
        }
        let found = ground.device.shell("command -v perfetto", SHORT)?;
        let there = found.is_success() && !found.text().trim().is_empty();
        Ok((!there).then(|| "the device has no command perfetto".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        let mut setup = format!(
            "atrace {}; power every {} ms",
            self.options.categories.join(" "),
            self.options.power_period.as_millis()
        );
        if self.options.interrupts {
            setup.push_str("; interrupts");
        }
        if self.options.log {
            setup.push_str("; log");
        }
        Some(setup)
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.stopped_well = false;
        self.turn_on(ground)?;
        // Of another name each time: a file that root made could not be written again.
        let trace = format!("{FOLDER}/wattle-{}.perfetto-trace", unix_nanos() / 1_000_000);
        self.trace = Some(trace.clone());
        let apps: Vec<&str> = ground.package().into_iter().collect();
        let config = perfetto_config(&self.options, &apps, ground.sdk(), ground.limit);
        if ground.sdk() >= BACKGROUND_WAIT_SDK {
            match self.launch(ground, "--background-wait", &trace, &config) {
                Err(DeviceError::CommandFailed { .. } | DeviceError::Unexpected { .. }) => {}
                end => return end,
            }
        }
        self.launch(ground, "--background", &trace, &config)?;
        ground.cancel.sleep(SETTLE)?;
        match self.process.map(|process| process.is_alive(ground.device)) {
            Some(Ok(true)) | None => Ok(()),
            Some(Err(error)) => Err(error),
            Some(Ok(false)) => {
                self.process = None;
                Err(DeviceError::Unexpected {
                    what: "starting perfetto".to_owned(),
                    expected: "a recording in the background".to_owned(),
                    found: "it ended at once; logcat says why".to_owned(),
                })
            }
        }
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        if let Some(process) = self.process {
            process.end(ground.device, ground.cancel, "TERM", STOP)?;
            self.process = None;
            self.stopped_well = true;
        }
        Ok(())
    }

    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        let Some(trace) = &self.trace else { return Ok(collected) };
        let path = folder.join(FILE);
        let download = pull_into_file(ground.device, trace, &path, PULL)?;
        let partial = download.broke_off.is_some() || !self.stopped_well;
        if download.bytes == 0 {
            // Nothing is worse than nothing: an empty file would be read as a trace.
            let _ = std::fs::remove_file(&path);
            return Err(download.broke_off.unwrap_or_else(|| DeviceError::Unexpected {
                what: format!("pulling {trace}"),
                expected: "a trace".to_owned(),
                found: "an empty file".to_owned(),
            }));
        }
        collected.add(FILE, ArtifactKind::Perfetto, partial);
        collected.worth_another_try = download.is_worth_another_try();
        if let Some(error) = download.broke_off {
            collected.notes.push(format!("the trace broke off while it was pulled: {error}"));
        } else if !self.stopped_well {
            collected.notes.push("the trace was not ended as it should be".to_owned());
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        if let Some(process) = self.process {
            device.shell(&format!("kill -TERM {}", process.pid), SHORT)?;
            self.process = None;
        }
        if let Some(trace) = &self.trace {
            device.shell(&format!("rm -f {}", quote(trace)), SHORT)?;
            self.trace = None;
        }
        if let Some(before) = &self.switch_before {
            run(device, &format!("setprop {SWITCH} {}", quote(before)), SHORT)?;
            self.switch_before = None;
        }
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        let process = self.process.map(|process| format!("kill -TERM {}", process.pid));
        let trace = self.trace.as_ref().map(|trace| format!("rm -f {}", quote(trace)));
        let switch = self.switch_before.as_ref();
        let switch = switch.map(|before| format!("setprop {SWITCH} {}", quote(before)));
        process.into_iter().chain(trace).chain(switch).collect()
    }

    fn device_restarted(&mut self) {
        self.process = None;
    }

    fn recorders(&self) -> Vec<Recorder> {
        let of = |process: DeviceProcess| Recorder { pid: process.pid, what: "perfetto".into() };
        self.process.map(of).into_iter().collect()
    }
}
