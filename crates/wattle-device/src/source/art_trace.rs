//! The runtime's method trace.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wattle_recording::ArtifactKind;

use crate::session::DEVICE_FOLDER;
use crate::shell::{pull_into_file, run};
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Cancel, Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
const PULL: Duration = Duration::from_mins(15);
/// How often it is looked whether the app runs.
const LOOK: Duration = Duration::from_millis(100);
/// How long the runtime may take to write its buffer into the file.
const WRITTEN: Duration = Duration::from_mins(1);
/// A file that has not grown for so long is complete.
const QUIET: Duration = Duration::from_millis(600);
const FILE: &str = "method.trace";

/// How methods are traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArtTraceOptions {
    /// Time between samples; `None`: every entry and exit, which slows the app down many times over.
    pub sampling: Option<Duration>,
}

/// `am profile start` as soon as the app's process is there. What it does before is not in the trace.
#[derive(Debug)]
pub struct ArtTrace {
    options: ArtTraceOptions,
    waiting: Option<Waiting>,
    process: Option<String>,
    begun: bool,
    stopped_well: bool,
    problem: Option<String>,
}

/// A thread that waits for the app.
#[derive(Debug)]
struct Waiting {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Option<String>, DeviceError>>,
}

impl ArtTrace {
    /// One that has not begun.
    pub const fn new(options: ArtTraceOptions) -> Self {
        Self {
            options,
            waiting: None,
            process: None,
            begun: false,
            stopped_well: false,
            problem: None,
        }
    }

    fn file() -> String {
        format!("{DEVICE_FOLDER}/{FILE}")
    }

    fn end_waiting(&mut self) {
        let Some(waiting) = self.waiting.take() else { return };
        waiting.stop.store(true, Ordering::SeqCst);
        match waiting.thread.join() {
            Ok(Ok(Some(pid))) => self.process = Some(pid),
            Ok(Ok(None)) => self.problem = Some("the app never ran".to_owned()),
            Ok(Err(error)) => self.problem = Some(error.to_string()),
            Err(_) => self.problem = Some("the thread that waits for the app died".to_owned()),
        }
    }
}

impl Source for ArtTrace {
    fn name(&self) -> SourceName {
        SourceName::ArtTrace
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        Ok(ground.package().is_none().then(|| "no app is named".to_owned()))
    }

    fn setup(&self) -> Option<String> {
        Some(match self.options.sampling {
            Some(period) => format!("sampled every {} µs", period.as_micros()),
            None => "every entry and exit".to_owned(),
        })
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        self.process = None;
        self.problem = None;
        self.stopped_well = false;
        let Some(package) = ground.package() else { return Ok(()) };
        self.begun = true;
        let file = Self::file();
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
                let pid = found.text().split_whitespace().next().map(str::to_owned);
                if let Some(pid) = pid.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit())) {
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
                    return Ok(Some(pid));
                }
                std::thread::sleep(LOOK);
            }
            Ok(None)
        });
        self.waiting = Some(Waiting { stop, thread });
        Ok(())
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        self.end_waiting();
        let Some(pid) = &self.process else { return Ok(()) };
        run(ground.device, &format!("am profile stop {pid}"), SHORT)?;
        self.process = None;
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
        self.end_waiting();
        if let Some(problem) = self.problem.take() {
            collected.notes.push(format!("methods were not traced: {problem}"));
            return Ok(collected);
        }
        let path = folder.join(FILE);
        let download = pull_into_file(ground.device, &Self::file(), &path, PULL)?;
        if download.bytes == 0 {
            let _ = std::fs::remove_file(&path);
            collected.notes.push("the method trace is empty".to_owned());
        } else {
            let partial = download.broke_off.is_some() || !self.stopped_well;
            collected.add(FILE, ArtifactKind::ArtTrace, partial);
        }
        if let Some(error) = download.broke_off {
            collected.notes.push(format!("the method trace broke off: {error}"));
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        self.end_waiting();
        if let Some(pid) = self.process.clone() {
            // The process may have ended, and its trace with it.
            device.shell(&format!("am profile stop {pid}"), SHORT)?;
            self.process = None;
        }
        if self.begun {
            device.shell(&format!("rm -f {}", Self::file()), SHORT)?;
            self.begun = false;
        }
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        let stop = self.process.as_ref().map(|pid| format!("am profile stop {pid}"));
        let file = self.begun.then(|| format!("rm -f {}", Self::file()));
        stop.into_iter().chain(file).collect()
    }

    fn device_restarted(&mut self) {
        self.process = None;
    }
}
