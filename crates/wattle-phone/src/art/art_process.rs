//! A process that runs in the runtime.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wattle_sim::replay::ReplayProcess;
use wattle_units::Nanos;

use super::art_event::parse;
use super::host_cpu_time::{CpuSampler, HostThreads};
use super::host_run::HostRun;
use super::{ArtError, ArtEvent, ArtJob};

/// Most bytes of output that are kept.
const MOST_OUTPUT: u64 = 1 << 20;
/// Most bytes of events that are read in a whole.
const MOST_EVENTS: u64 = 4 << 30;
/// Pause between two checks of a process.
const LOOK: Duration = Duration::from_millis(5);

/// A process that was started. It is killed when this is dropped.
#[derive(Debug)]
pub struct ArtProcess {
    child: Child,
    folder: TempDir,
    sampler: CpuSampler,
    pid: u32,
    uid: u32,
    boot_ahead: Nanos,
    deadline: Instant,
    timed_out: bool,
    read: u64,
    partial: Vec<u8>,
    events: Vec<ArtEvent>,
    unread: u64,
}

/// The result of a process.
#[derive(Clone, Debug)]
pub struct ArtRun {
    /// Everything that happened, in order of time.
    pub events: Vec<ArtEvent>,
    /// Lines of events that could not be read.
    pub unread: u64,
    /// Its exit status by the host's kernel.
    pub status: ExitStatus,
    /// Whether it was killed because its time was over.
    pub timed_out: bool,
    /// The first megabyte of its output.
    pub output: String,
    pid: u32,
    uid: u32,
    boot_ahead: Nanos,
    threads: HostThreads,
}

impl ArtProcess {
    pub(super) fn new(child: Child, folder: TempDir, job: &ArtJob) -> Self {
        Self {
            sampler: CpuSampler::start(child.id()),
            child,
            folder,
            pid: job.pid,
            uid: job.uid,
            boot_ahead: job.boot_ahead,
            deadline: Instant::now() + job.timeout,
            timed_out: false,
            read: 0,
            partial: Vec::new(),
            events: Vec::new(),
            unread: 0,
        }
    }

    /// Everything that has happened so far.
    pub fn events(&self) -> &[ArtEvent] {
        &self.events
    }

    /// Reads what has happened since, and gives it back.
    ///
    /// # Errors
    ///
    /// When the file of events cannot be read.
    pub fn poll(&mut self) -> Result<&[ArtEvent], ArtError> {
        let known = self.events.len();
        let path = self.folder.path().join("events");
        let mut file = File::open(&path).map_err(ArtError::io("opening the file of events"))?;
        file.seek(SeekFrom::Start(self.read)).map_err(ArtError::io("seeking in the events"))?;
        let most = MOST_EVENTS.saturating_sub(self.read);
        let read = file
            .take(most)
            .read_to_end(&mut self.partial)
            .map_err(ArtError::io("reading the events"))?;
        self.read += read as u64;
        let whole = self.partial.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = self.partial.drain(..whole).collect();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match parse(&String::from_utf8_lossy(line)) {
                Some(event) => self.events.push(event),
                None => self.unread += 1,
            }
        }
        Ok(self.events.get(known..).unwrap_or_default())
    }

    /// Whether it still runs. One whose time is over is killed.
    ///
    /// # Errors
    ///
    /// When the host's kernel does not say.
    pub fn is_running(&mut self) -> Result<bool, ArtError> {
        let ended = self.child.try_wait().map_err(ArtError::io("asking for the process"))?;
        if ended.is_none() && Instant::now() >= self.deadline {
            self.timed_out = true;
            self.kill()?;
        }
        Ok(ended.is_none())
    }

    /// Kills it, as `am force-stop` does.
    ///
    /// # Errors
    ///
    /// When the host's kernel refuses.
    pub fn kill(&mut self) -> Result<(), ArtError> {
        self.child.kill().map_err(ArtError::io("killing the process"))
    }

    /// Waits until it ends or its time is over.
    ///
    /// # Errors
    ///
    /// When the host's kernel or the file of events fails.
    pub fn wait(mut self) -> Result<ArtRun, ArtError> {
        while self.is_running()? {
            std::thread::sleep(LOOK);
        }
        let status = self.child.wait().map_err(ArtError::io("waiting for the process"))?;
        self.poll()?;
        let output = self.output()?;
        Ok(ArtRun {
            threads: self.sampler.threads(),
            events: std::mem::take(&mut self.events),
            unread: self.unread + u64::from(!self.partial.is_empty()),
            status,
            timed_out: self.timed_out,
            output,
            pid: self.pid,
            uid: self.uid,
            boot_ahead: self.boot_ahead,
        })
    }

    /// The first megabyte of its output so far.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn output(&self) -> Result<String, ArtError> {
        let mut bytes = Vec::new();
        File::open(self.folder.path().join("output"))
            .and_then(|file| file.take(MOST_OUTPUT).read_to_end(&mut bytes))
            .map_err(ArtError::io("reading the output"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Its activity so far, as a process to replay.
    pub fn replayed(&self, name: &str) -> ReplayProcess {
        let threads = self.sampler.threads();
        let run = HostRun {
            pid: self.pid,
            uid: self.uid,
            boot_ahead: self.boot_ahead,
            events: &self.events,
            host: &threads,
            has_ended: false,
        };
        run.process(name)
    }
}

impl Drop for ArtProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ArtRun {
    /// Its activity, as a process to replay that ended with its last event.
    pub fn replayed(&self, name: &str) -> ReplayProcess {
        let run = HostRun {
            pid: self.pid,
            uid: self.uid,
            boot_ahead: self.boot_ahead,
            events: &self.events,
            host: &self.threads,
            has_ended: true,
        };
        run.process(name)
    }
}
