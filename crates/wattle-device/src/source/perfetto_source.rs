//! A Perfetto trace.

use std::path::Path;
use std::time::Duration;

use wattle_recording::ArtifactKind;

use crate::device_folder::{DEVICE_FOLDER, end_file};
use crate::host_clock::unix_nanos;
use crate::prepare::Remains;
use crate::shell::run;
use crate::source::device_process::DeviceProcess;
use crate::source::program_source::{DeviceTraces, Program};
use crate::source::{PerfettoOptions, SourceGround, SourceName, hardware_counts, perfetto_config};
use crate::{Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
/// `--background-wait` itself gives up after 30 s.
const START: Duration = Duration::from_secs(45);
const STOP: Duration = Duration::from_mins(1);
/// The only folder into which the recorder may write (SELinux, since Android 9).
const FOLDER: &str = "/data/misc/perfetto-traces";
/// Android 9, the first with Perfetto.
pub(crate) const FIRST_SDK: u32 = 28;
/// The trace's name in a recording.
pub(crate) const TRACE: &str = "trace.perfetto-trace";
/// Android 10: from here on the shell may end `perfetto` by a signal (docs/phones.md).
pub(crate) const ENDS_SDK: u32 = 29;
/// The longest wait for a recording that nobody can end: that of a scenario of known length is short.
const BY_ITSELF: Duration = Duration::from_mins(2);
/// Android 11: from here on the service runs by itself.
const ALWAYS_ON_SDK: u32 = 30;
/// Android 13: the flag is of November 2021.
const BACKGROUND_WAIT_SDK: u32 = 33;
/// Time for data sources to start, on versions that do not report it.
const SETTLE: Duration = Duration::from_secs(1);
const SWITCH: &str = "persist.traced.enable";

/// Records with the device's own `perfetto`.
#[derive(Debug)]
pub(super) struct Perfetto {
    options: PerfettoOptions,
    /// The trace on the device.
    trace: String,
    /// The value of the service's switch, where it has to be turned on.
    switch_found: Option<String>,
    /// The value of the service's switch before it was turned on.
    switch_before: Option<String>,
}

impl Perfetto {
    /// With these options.
    pub(super) const fn new(options: PerfettoOptions) -> Self {
        Self { options, trace: String::new(), switch_found: None, switch_before: None }
    }

    /// Android 9 and 10 have the service turned off on most phones.
    fn turn_on(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        let Some(before) = self.switch_found.take() else { return Ok(()) };
        self.switch_before = Some(before);
        run(ground.device, &format!("setprop {SWITCH} 1"), SHORT)?;
        ground.cancel.sleep(SETTLE)
    }

    fn launch(
        ground: &SourceGround<'_>,
        flag: &str,
        trace: &str,
        config: &[u8],
    ) -> Result<DeviceProcess, DeviceError> {
        let perfetto = format!("perfetto {flag} -c - -o {trace}");
        // In one command that a hang-up does not end: if this program dies now, the guard still finds the number.
        let command = format!(
            "trap '' HUP; pid=$({perfetto}); status=$?; mkdir -p {DEVICE_FOLDER}; echo {} >{}; echo \"$pid\"; exit $status",
            DeviceProcess::script_to_end("${pid##*[!0-9]}", "TERM"),
            end_file(Self::NAME.as_str())
        );
        let output = ground.device.shell_with_input(&command, &mut &*config, START)?;
        DeviceProcess::from_output(&perfetto, &output)
    }
}

impl Program for Perfetto {
    const NAME: SourceName = SourceName::Perfetto;
    const FILE: &'static str = TRACE;
    const KIND: ArtifactKind = ArtifactKind::Perfetto;
    const PULL: Duration = Duration::from_hours(1);
    const RECORDER: Option<&'static str> = Some("perfetto");
    const BROKE_OFF: &'static str = "pulling the trace was interrupted";
    const NOT_ENDED: Option<&'static str> = Some("the trace was not ended properly");

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        if ground.facts.sdk.is_some_and(|sdk| sdk < FIRST_SDK) {
            return Ok(Some(format!("Android 9 (API {FIRST_SDK}) is the first with Perfetto")));
        }
        let found = ground.device.shell("command -v perfetto", SHORT)?;
        let there = found.is_success() && !found.text().trim().is_empty();
        Ok((!there).then(|| "the device has no command perfetto".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        if let Some(own) = &self.options.own {
            return Some(format!("a configuration of {} bytes of the user's own", own.bytes.len()));
        }
        let mut setup = format!(
            "atrace {}; power every {} ms",
            self.options.categories.join(" "),
            self.options.power_period.as_millis()
        );
        if self.options.frames {
            setup.push_str("; frames");
        }
        if self.options.interrupts {
            setup.push_str("; interrupts");
        }
        if self.options.hardware_counters {
            setup.push_str("; hardware counters");
        }
        if self.options.log {
            setup.push_str("; log");
        }
        Some(setup)
    }

    fn notes(&self, trace: &Path) -> Result<Vec<String>, DeviceError> {
        let is_asked = self.options.hardware_counters && self.options.own.is_none();
        let are_missing = is_asked && hardware_counts::are_there(trace) == Some(false);
        let note = "no hardware counters were recorded: the device has none for Perfetto (they need Android 12, and \
                    a kernel that lets traced_perf count)";
        Ok(are_missing.then(|| note.to_owned()).into_iter().collect())
    }

    fn remains(&mut self, ground: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        // Of another name each time: a file that root made could not be written again.
        self.trace = format!("{FOLDER}/wattle-{}.perfetto-trace", unix_nanos() / 1_000_000);
        let mut remains = vec![Remains::recorder(Self::NAME.as_str(), vec![self.trace.clone()])];
        if ground.sdk() < ALWAYS_ON_SDK && self.switch_before.is_none() {
            let found = run(ground.device, &format!("getprop {SWITCH}"), SHORT)?;
            let found = found.text().trim().to_owned();
            if found != "1" {
                remains.push(Remains::property(SWITCH, &found));
                self.switch_found = Some(found);
            }
        }
        Ok(remains)
    }

    fn start(
        &mut self,
        ground: &SourceGround<'_>,
        traces: &mut DeviceTraces,
    ) -> Result<(), DeviceError> {
        self.turn_on(ground)?;
        let trace = self.trace.clone();
        traces.output = Some(trace.clone());
        traces.helpers = vec![end_file(Self::NAME.as_str())];
        let apps: Vec<&str> = ground.package().into_iter().collect();
        let config = perfetto_config(&self.options, &apps, ground.sdk(), ground.limit);
        // The text format is of Android 10.
        let is_text = self.options.own.as_ref().is_some_and(|own| own.is_text);
        let form = if is_text { " --txt" } else { "" };
        if ground.sdk() >= BACKGROUND_WAIT_SDK {
            let flags = format!("--background-wait{form}");
            match Self::launch(ground, &flags, &trace, &config) {
                Ok(process) => {
                    traces.process = Some(process);
                    return Ok(());
                }
                Err(DeviceError::CommandFailed { .. } | DeviceError::Unexpected { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let process = Self::launch(ground, &format!("--background{form}"), &trace, &config)?;
        traces.process = Some(process);
        ground.cancel.sleep(SETTLE)?;
        if process.is_alive(ground.device)? {
            return Ok(());
        }
        traces.process = None;
        Err(DeviceError::Unexpected {
            what: "starting perfetto".to_owned(),
            expected: "a recording in the background".to_owned(),
            found: "it ended at once; logcat says why".to_owned(),
        })
    }

    fn end(
        &mut self,
        ground: &SourceGround<'_>,
        process: DeviceProcess,
    ) -> Result<(), DeviceError> {
        match process.end(ground.device, ground.cancel, "TERM", STOP) {
            // Its trace is written when its time is over.
            Err(DeviceError::CommandFailed { .. }) if ground.sdk() < ENDS_SDK => {
                process.await_end(ground.device, ground.cancel, BY_ITSELF)
            }
            other => other,
        }
    }

    fn command_to_end(process: DeviceProcess) -> String {
        format!("kill -TERM {}", process.pid)
    }

    fn explain_empty(
        &self,
        _: &SourceGround<'_>,
        broke_off: Option<DeviceError>,
    ) -> Result<String, DeviceError> {
        Err(broke_off.unwrap_or_else(|| DeviceError::Unexpected {
            what: "pulling the Perfetto trace".to_owned(),
            expected: "a trace".to_owned(),
            found: "an empty file".to_owned(),
        }))
    }

    fn restore(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        if let Some(command) = self.command_to_restore() {
            run(device, &command, SHORT)?;
            self.switch_before = None;
        }
        Ok(())
    }

    fn command_to_restore(&self) -> Option<String> {
        let before = self.switch_before.as_ref()?;
        Some(format!("setprop {SWITCH} {}", quote(before)))
    }
}
