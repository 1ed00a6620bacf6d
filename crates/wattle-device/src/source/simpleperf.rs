//! Stack samples by simpleperf.

use std::time::Duration;

use wattle_recording::ArtifactKind;

use crate::device_folder::{DEVICE_FOLDER, end_file};
use crate::prepare::Remains;
use crate::source::device_process::DeviceProcess;
use crate::source::program_source::{DeviceTraces, Program};
use crate::source::{SourceGround, SourceName};
use crate::{DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
const STOP: Duration = Duration::from_mins(1);

/// Options of simpleperf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimpleperfOptions {
    /// Samples per second of a running thread.
    pub frequency: u32,
}

impl Default for SimpleperfOptions {
    fn default() -> Self {
        Self { frequency: 1000 }
    }
}

/// `simpleperf record --app`, where the device has it (most have, since Android 10).
#[derive(Debug)]
pub(super) struct Simpleperf {
    options: SimpleperfOptions,
}

impl Simpleperf {
    /// With these options.
    pub(super) const fn new(options: SimpleperfOptions) -> Self {
        Self { options }
    }

    /// The file that simpleperf's messages go into.
    fn log() -> String {
        format!("{DEVICE_FOLDER}/simpleperf.txt")
    }
}

impl Program for Simpleperf {
    const NAME: SourceName = SourceName::Simpleperf;
    const FILE: &'static str = "perf.data";
    const KIND: ArtifactKind = ArtifactKind::PerfData;
    const PULL: Duration = Duration::from_mins(30);
    const RECORDER: Option<&'static str> = Some("simpleperf");
    const BROKE_OFF: &'static str = "pulling simpleperf's samples was interrupted";

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

    fn remains(&mut self, ground: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        if ground.package().is_none() {
            return Ok(Vec::new());
        }
        let files = vec![format!("{DEVICE_FOLDER}/{}", Self::FILE), Self::log()];
        Ok(vec![Remains::recorder(Self::NAME.as_str(), files)])
    }

    fn start(
        &mut self,
        ground: &SourceGround<'_>,
        traces: &mut DeviceTraces,
    ) -> Result<(), DeviceError> {
        let Some(package) = ground.package() else { return Ok(()) };
        let file = format!("{DEVICE_FOLDER}/{}", Self::FILE);
        traces.output = Some(file.clone());
        traces.helpers = vec![Self::log(), end_file(Self::NAME.as_str())];
        let command = format!(
            "simpleperf record --app {} -g -f {} --duration {} -o {file} >{} 2>&1 </dev/null & pid=$!; \
             echo {} >{}; echo $pid",
            quote(package),
            self.options.frequency,
            ground.limit.as_secs().max(1),
            Self::log(),
            DeviceProcess::script_to_end("$pid", "INT"),
            end_file(Self::NAME.as_str())
        );
        let output = ground.device.shell(&command, SHORT)?;
        traces.process = Some(DeviceProcess::from_output("simpleperf record", &output)?);
        Ok(())
    }

    fn end(
        &mut self,
        ground: &SourceGround<'_>,
        process: DeviceProcess,
    ) -> Result<(), DeviceError> {
        // It ends by itself with the app.
        if process.is_alive(ground.device)? {
            process.end(ground.device, ground.cancel, "INT", STOP)?;
        }
        Ok(())
    }

    fn command_to_end(process: DeviceProcess) -> String {
        format!("kill -INT {}", process.pid)
    }

    fn explain_empty(
        &self,
        ground: &SourceGround<'_>,
        _: Option<DeviceError>,
    ) -> Result<String, DeviceError> {
        let log = ground.device.shell(&format!("cat {}", Self::log()), SHORT)?;
        Ok(format!("simpleperf recorded nothing: {}", crate::shell::text(&log)))
    }
}
