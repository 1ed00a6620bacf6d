//! The method trace of the Android runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wattle_recording::ArtifactKind;

use crate::device_folder::{DEVICE_FOLDER, end_file};
use crate::prepare::Remains;
use crate::shell::run;
use crate::source::device_process::DeviceProcess;
use crate::source::program_source::{DeviceTraces, Program};
use crate::source::{SourceGround, SourceName};
use crate::{Cancel, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
/// Pause between two checks whether the app is running.
const LOOK: Duration = Duration::from_millis(100);
/// Time limit for the runtime to write its buffer into the file.
const WRITTEN: Duration = Duration::from_mins(1);
/// A file that has not grown for so long is complete.
const QUIET: Duration = Duration::from_millis(600);

/// Options of the method trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArtTraceOptions {
    /// Time between samples; `None`: every entry and exit, which slows the app down many times over.
    pub sampling: Option<Duration>,
}

/// `am profile start` as soon as the app's process is there. What it does before is not in the trace.
#[derive(Debug)]
pub(super) struct ArtTrace {
    options: ArtTraceOptions,
    waiting: Option<Waiting>,
    problem: Option<String>,
}

/// A thread that waits for the app.
#[derive(Debug)]
struct Waiting {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Option<DeviceProcess>, DeviceError>>,
}

impl ArtTrace {
    /// With these options.
    pub(super) const fn new(options: ArtTraceOptions) -> Self {
        Self { options, waiting: None, problem: None }
    }

    fn file() -> String {
        format!("{DEVICE_FOLDER}/{}", Self::FILE)
    }
}

impl Program for ArtTrace {
    const NAME: SourceName = SourceName::ArtTrace;
    const FILE: &'static str = "method.trace";
    const KIND: ArtifactKind = ArtifactKind::ArtTrace;
    const PULL: Duration = Duration::from_mins(15);
    // The process is the app itself.
    const RECORDER: Option<&'static str> = None;
    const BROKE_OFF: &'static str = "pulling the method trace was interrupted";

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        Ok(ground.package().is_none().then(|| "no app is named".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        Some(match self.options.sampling {
            Some(period) => format!("sampled every {} µs", period.as_micros()),
            None => "every entry and exit".to_owned(),
        })
    }

    fn remains(&mut self, ground: &SourceGround<'_>) -> Result<Vec<Remains>, DeviceError> {
        let recorder = || Remains::recorder(Self::NAME.as_str(), vec![Self::file()]);
        Ok(ground.package().map(|_| recorder()).into_iter().collect())
    }

    fn start(
        &mut self,
        ground: &SourceGround<'_>,
        traces: &mut DeviceTraces,
    ) -> Result<(), DeviceError> {
        self.problem = None;
        let Some(package) = ground.package() else { return Ok(()) };
        let file = Self::file();
        traces.output = Some(file.clone());
        let end = end_file(Self::NAME.as_str());
        traces.helpers = vec![end.clone()];
        run(ground.device, &format!("echo -n > {file}; chmod 666 {file}"), SHORT)?;
        let sampling = self.options.sampling.map(|period| period.as_micros());
        let sampling = sampling.map_or_else(String::new, |us| format!("--sampling {us} "));
        let find = format!("pidof {}", quote(package));
        let device = ground.device.with_cancel(Cancel::new());
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !asked.load(Ordering::SeqCst) {
                let found = device.shell(&find, SHORT)?;
                let pid = found.text().split_whitespace().next().and_then(|pid| pid.parse().ok());
                if let Some(pid) = pid {
                    run(&*device, &format!("echo am profile stop {pid} >{end}"), SHORT)?;
                    let begin = format!("am profile start {sampling}{pid} {file}");
                    let begun = run(&*device, &begin, SHORT)?;
                    let said = crate::shell::text(&begun);
                    if said.contains("Exception") || said.contains("Error") {
                        return Err(DeviceError::CommandFailed {
                            command: begin,
                            status: begun.status,
                            said,
                        });
                    }
                    return Ok(Some(DeviceProcess { pid }));
                }
                std::thread::sleep(LOOK);
            }
            Ok(None)
        });
        self.waiting = Some(Waiting { stop, thread });
        Ok(())
    }

    fn settle(&mut self, traces: &mut DeviceTraces) {
        let Some(waiting) = self.waiting.take() else { return };
        waiting.stop.store(true, Ordering::SeqCst);
        match waiting.thread.join() {
            Ok(Ok(Some(process))) => traces.process = Some(process),
            Ok(Ok(None)) => self.problem = Some("the app never ran".to_owned()),
            Ok(Err(error)) => self.problem = Some(error.to_string()),
            Err(_) => self.problem = Some("the thread that waits for the app died".to_owned()),
        }
    }

    fn end(
        &mut self,
        ground: &SourceGround<'_>,
        process: DeviceProcess,
    ) -> Result<(), DeviceError> {
        run(ground.device, &Self::command_to_end(process), SHORT)?;
        let began = Instant::now();
        let (mut size, mut since) = (0, Instant::now());
        while size == 0 || since.elapsed() < QUIET {
            let found = ground.device.stat(&Self::file())?.map_or(0, |facts| facts.bytes);
            if found != size {
                (size, since) = (found, Instant::now());
            }
            if began.elapsed() >= WRITTEN {
                let what = "waiting for the method trace to be written".to_owned();
                return Err(DeviceError::TimedOut { what, limit: WRITTEN });
            }
            ground.cancel.sleep(LOOK)?;
        }
        Ok(())
    }

    fn command_to_end(process: DeviceProcess) -> String {
        format!("am profile stop {}", process.pid)
    }

    fn problem(&mut self) -> Option<String> {
        self.problem.take().map(|problem| format!("methods were not traced: {problem}"))
    }

    fn explain_empty(
        &self,
        _: &SourceGround<'_>,
        broke_off: Option<DeviceError>,
    ) -> Result<String, DeviceError> {
        let why = broke_off.map_or_else(String::new, |error| format!(": {error}"));
        Ok(format!("the method trace is empty{why}"))
    }
}
