//! The course of every source that is a program on the device with one file as its output.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use wattle_recording::{ArtifactKind, FileOnDevice, Recorder};

use crate::device_folder::{DEVICE_FOLDER, KEPT_FOLDER, KEPT_LIST};
use crate::host_clock::unix_nanos;
use crate::prepare::Remains;
use crate::shell::{pull_into_file, run};
use crate::source::device_process::DeviceProcess;
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);

/// The part of a source that differs between programs. [`ProgramSource`] is the rest.
pub(super) trait Program: fmt::Debug + Send {
    /// The source's name.
    const NAME: SourceName;
    /// The output's name in the recording.
    const FILE: &'static str;
    /// The output's format.
    const KIND: ArtifactKind;
    /// Time limit for pulling the output.
    const PULL: Duration;
    /// The name of the process in a recording; `None` if the process is not the recorder's.
    const RECORDER: Option<&'static str>;
    /// The note on an output whose pulling broke off.
    const BROKE_OFF: &'static str;
    /// The note on an output whose program was not ended; `None` where the format shows it.
    const NOT_ENDED: Option<&'static str> = None;

    /// See [`Source::unavailable`].
    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError>;

    /// See [`Source::setup`].
    fn setup(&self) -> Option<String>;

    /// See [`Source::remains`].
    fn remains(&mut self, ground: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError>;

    /// Starts the program. Whatever it leaves on the device is noted before it is made.
    fn start(
        &mut self,
        ground: &SourceGround<'_>,
        traces: &mut DeviceTraces,
    ) -> Result<(), DeviceError>;

    /// Notes a process that became known after the start.
    fn settle(&mut self, _: &mut DeviceTraces) {}

    /// Ends the program and waits until its output is whole.
    fn end(&mut self, ground: &SourceGround<'_>, process: DeviceProcess)
    -> Result<(), DeviceError>;

    /// The command that ends the program where nobody waits for its output.
    fn command_to_end(process: DeviceProcess) -> String;

    /// Why there is no output to pull, if that is known.
    fn problem(&mut self) -> Option<String> {
        None
    }

    /// The note on an empty output, or the error that it is.
    fn explain_empty(
        &self,
        ground: &SourceGround<'_>,
        broke_off: Option<DeviceError>,
    ) -> Result<String, DeviceError>;

    /// Notes on the content of an output.
    fn notes(&self, _: &Path) -> Result<Vec<String>, DeviceError> {
        Ok(Vec::new())
    }

    /// Undoes what the program needed besides files.
    fn restore(&mut self, _: &dyn Device) -> Result<(), DeviceError> {
        Ok(())
    }

    /// The command that [`Program::restore`] would run.
    fn command_to_restore(&self) -> Option<String> {
        None
    }
}

/// The process and files that a program has left on the device so far.
#[derive(Debug, Default)]
pub(super) struct DeviceTraces {
    /// The program, while it runs.
    pub(super) process: Option<DeviceProcess>,
    /// Its output.
    pub(super) output: Option<String>,
    /// Its other files.
    pub(super) helpers: Vec<String>,
}

impl DeviceTraces {
    /// The command that removes all files.
    fn command_to_remove(&self) -> Option<String> {
        let files: Vec<_> =
            self.output.iter().chain(&self.helpers).map(|file| quote(file)).collect();
        (!files.is_empty()).then(|| format!("rm -f {}", files.join(" ")))
    }
}

/// A program on the device as a source.
///
/// ```text
///  start ──► process ── end ──► whole output ── collect ──► file of the recording
///                │                    │                            │
///                └────────────────────┴────────── clean ───────────┘
/// ```
///
/// Each step may fail or never come: [`Source::clean`] works from what is noted in [`DeviceTraces`], not from the steps
/// that succeeded, and takes back only notes whose command succeeded, so that it can be repeated.
#[derive(Debug)]
pub(super) struct ProgramSource<P> {
    program: P,
    traces: DeviceTraces,
    /// Whether the program was ended and its output is whole.
    is_whole: bool,
    /// The output, where this machine had no room for it.
    kept: Option<FileOnDevice>,
}

impl<P> ProgramSource<P> {
    /// A source that has not begun.
    pub(super) fn new(program: P) -> Self {
        Self { program, traces: DeviceTraces::default(), is_whole: false, kept: None }
    }
}

impl<P: Program> ProgramSource<P> {
    /// Takes note that the output stays on the device.
    fn keep(&mut self) {
        let Some(output) = &self.traces.output else { return };
        // Our folder goes with the session; traces stay in the service's, out of which nobody may move them.
        let path = if output.starts_with(DEVICE_FOLDER) {
            format!("{KEPT_FOLDER}/{}-{}", unix_nanos() / 1_000_000, P::FILE)
        } else {
            output.clone()
        };
        let file = P::FILE.to_owned();
        self.kept = Some(FileOnDevice { file, path, kind: P::KIND, partial: !self.is_whole });
    }
}

/// Whether this machine, and not the device, is why a file could not be written.
const fn is_full(error: &DeviceError) -> bool {
    matches!(error, DeviceError::File { .. })
}

/// The command that keeps a file after the session, and says so to whoever sweeps the device.
fn command_to_keep(output: &str, path: &str) -> String {
    let (output, path) = (quote(output), quote(path));
    let moved = if output == path {
        String::new()
    } else {
        format!("mkdir -p {KEPT_FOLDER} && mv {output} {path} && ")
    };
    format!("{moved}echo {path} >>{KEPT_LIST}")
}

impl<P: Program> Source for ProgramSource<P> {
    fn name(&self) -> SourceName {
        P::NAME
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        self.program.unavailable(ground)
    }

    fn setup(&self) -> Option<String> {
        self.program.setup()
    }

    fn remains(&mut self, ground: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        self.program.remains(ground)
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.is_whole = false;
        self.program.start(ground, &mut self.traces)
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        self.program.settle(&mut self.traces);
        let Some(process) = self.traces.process else { return Ok(()) };
        self.program.end(ground, process)?;
        self.traces.process = None;
        self.is_whole = true;
        Ok(())
    }

    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        self.program.settle(&mut self.traces);
        let Some(output) = &self.traces.output else { return Ok(collected) };
        if let Some(problem) = self.program.problem() {
            collected.notes.push(problem);
            return Ok(collected);
        }
        let path = folder.join(P::FILE);
        let download = match pull_into_file(ground.device, output, &path, P::PULL) {
            Err(error) if is_full(&error) => {
                self.keep();
                return Err(error);
            }
            done => done?,
        };
        self.kept = None;
        if download.bytes == 0 {
            // An empty file would be read as an artifact.
            let _ = std::fs::remove_file(&path);
            collected.notes.push(self.program.explain_empty(ground, download.broke_off)?);
            return Ok(collected);
        }
        collected.add(P::FILE, P::KIND, download.broke_off.is_some() || !self.is_whole);
        collected.notes.extend(self.program.notes(&path)?);
        collected.worth_another_try = download.is_worth_another_try();
        if let Some(error) = download.broke_off {
            collected.notes.push(format!("{}: {error}", P::BROKE_OFF));
        } else if let Some(note) = P::NOT_ENDED.filter(|_| !self.is_whole) {
            collected.notes.push(note.to_owned());
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        self.program.settle(&mut self.traces);
        if let Some(process) = self.traces.process {
            // The process may have ended already, which is as good.
            device.shell(&P::command_to_end(process), SHORT)?;
            self.traces.process = None;
        }
        if let (Some(kept), Some(output)) = (&self.kept, &self.traces.output) {
            run(device, &command_to_keep(output, &kept.path), SHORT)?;
            self.traces.output = None;
        }
        if let Some(command) = self.traces.command_to_remove() {
            device.shell(&command, SHORT)?;
            self.traces = DeviceTraces::default();
        }
        self.program.restore(device)
    }

    fn kept_on_device(&self) -> Option<FileOnDevice> {
        self.kept.clone()
    }

    fn to_clean(&self) -> Vec<String> {
        let end = self.traces.process.map(P::command_to_end);
        let remove = self.traces.command_to_remove();
        end.into_iter().chain(remove).chain(self.program.command_to_restore()).collect()
    }

    fn device_restarted(&mut self) {
        self.traces.process = None;
    }

    fn recorders(&self) -> Vec<Recorder> {
        let recorder = |what: &str| {
            let pid = self.traces.process?.pid;
            Some(Recorder { pid, what: what.to_owned() })
        };
        P::RECORDER.and_then(recorder).into_iter().collect()
    }
}
