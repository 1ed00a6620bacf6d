//! A program of this machine that drives the device.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use wattle_recording::Outcome;

use crate::DeviceError;
use crate::scenario::{ScenarioEnd, ScenarioRun};

/// Time for a terminated program to clean up.
const GRACE: Duration = Duration::from_millis(300);
const LOOK: Duration = Duration::from_millis(50);
/// Pieces that wait to be written: a program that prints faster than the disk takes it is slowed down, not stored.
const WAITING: usize = 16;
/// Time limit for output after the program has ended: its children may hold it open forever.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Any program: Maestro, uiautomator, Appium, a shell script. It finds the device in `ANDROID_SERIAL` and the folder of
/// the recording in `WATTLE_RECORDING`. Exit status 0 means passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostProgram {
    /// The program: a path, or a name to be looked for in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// More variables of its environment.
    pub environment: Vec<(String, String)>,
}

impl HostProgram {
    pub(super) fn described(&self) -> String {
        let mut words = vec![self.program.display().to_string()];
        words.extend(self.arguments.iter().cloned());
        words.join(" ")
    }

    pub(super) fn run(&self, run: &mut ScenarioRun<'_>) -> ScenarioEnd {
        match self.watch(run) {
            Ok(status) if status.success() => ScenarioEnd::from_outcome(Outcome::Passed),
            Ok(status) => {
                ScenarioEnd::because(Outcome::Failed, format!("{} : {status}", self.described()))
            }
            Err(error) => ScenarioEnd::broken(error),
        }
    }

    fn watch(&self, run: &mut ScenarioRun<'_>) -> Result<ExitStatus, DeviceError> {
        let failed = |source| DeviceError::File { path: self.program.clone(), source };
        let folder = std::path::absolute(run.folder)
            .map_err(|source| DeviceError::File { path: run.folder.to_owned(), source })?;
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .env("ANDROID_SERIAL", run.device.serial())
            .env("WATTLE_RECORDING", folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            // One group, so that what it starts ends with it.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (sender, pieces) = sync_channel(WAITING);
        if let Some(pipe) = child.stdout.take() {
            forward(pipe, sender.clone());
        }
        if let Some(pipe) = child.stderr.take() {
            forward(pipe, sender);
        }
        let mut running = Running(child);
        let began = Instant::now();
        let status = loop {
            run.cancel.check()?;
            take(&pieces, run, LOOK)?;
            if let Some(status) = running.0.try_wait().map_err(failed)? {
                break status;
            }
            if began.elapsed() >= run.limit {
                return Err(DeviceError::TimedOut { what: self.described(), limit: run.limit });
            }
        };
        let ended = Instant::now();
        while ended.elapsed() < LAST_WORDS && take(&pieces, run, LOOK)? {}
        Ok(status)
    }
}

/// Writes what comes within the time. Gives whether more may come.
fn take(
    pieces: &Receiver<Vec<u8>>,
    run: &mut ScenarioRun<'_>,
    patience: Duration,
) -> Result<bool, DeviceError> {
    match pieces.recv_timeout(patience) {
        Ok(piece) => run.output.add(&piece).map(|()| true),
        Err(RecvTimeoutError::Timeout) => Ok(true),
        Err(RecvTimeoutError::Disconnected) => {
            // Both outputs are closed and the program may go on.
            run.cancel.sleep(patience)?;
            Ok(false)
        }
    }
}

fn forward(mut from: impl Read + Send + 'static, to: SyncSender<Vec<u8>>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let piece = buffer.get(..count).unwrap_or_default().to_vec();
            if to.send(piece).is_err() {
                return;
            }
        }
    });
}

/// A program that is ended when nobody waits for it any more.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            // It may have ended in between; there is nothing to be done about it either way.
            let group = format!("-{}", self.0.id());
            let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
            std::thread::sleep(GRACE);
            let _ =
                Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}
