//! The files that probes write into an app's folders (`docs/probe-formats.md`).

use std::io::Write;
use std::time::{Duration, Instant};

use crate::command::{LONG_PATIENCE, run_for};
use crate::package::AppAccess;
use crate::{Device, DeviceError, ShellEvent, quote};

/// The app's `files`, else its cache, where the system lets the runtime class write nowhere else.
const PATTERNS: &str = "files/*.probes cache/*.probes";
/// No byte for so long: the transfer is dead.
const STALL: Duration = Duration::from_secs(30);
/// More processes than any app starts in a run.
const MOST: usize = 10_000;

/// A file of a process with probes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProbeFile {
    /// Its path below the folder of the app's data (`files/wattle-4711-1700000000000.probes`).
    pub path: String,
    /// Its size in bytes when it was listed; the process may go on writing.
    pub bytes: u64,
}

impl ProbeFile {
    /// Its name without folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

impl AppAccess {
    /// The files that are there.
    ///
    /// # Errors
    /// If the device is gone or refuses, or somebody asked to stop.
    pub fn probe_files(&self, device: &dyn Device) -> Result<Vec<ProbeFile>, DeviceError> {
        let script =
            format!("for f in {PATTERNS}; do if [ -f \"$f\" ]; then wc -c \"$f\"; fi; done");
        let listed = run_for(device, &self.command(&script), LONG_PATIENCE)?;
        let file = |line: &str| {
            let (bytes, path) = line.trim().split_once(' ')?;
            let path = path.trim();
            let is_ours = path.strip_suffix(".probes").is_some() && !path.contains("..");
            is_ours.then_some(ProbeFile { path: path.to_owned(), bytes: bytes.parse().ok()? })
        };
        let mut files: Vec<ProbeFile> = listed.lines().filter_map(file).take(MOST).collect();
        files.sort_unstable();
        Ok(files)
    }

    /// Copies one of them. Gives the number of bytes; what came before an error is in `into`.
    ///
    /// # Errors
    /// If the device is gone or refuses, less came than was listed, nothing comes for 30 s, or somebody asked to stop.
    pub fn pull_probe_file(
        &self,
        device: &dyn Device,
        file: &ProbeFile,
        into: &mut dyn Write,
    ) -> Result<u64, DeviceError> {
        let what = || format!("copying {} of {}", file.path, self.package());
        let mut stream = device.stream(&self.command(&format!("cat {}", quote(&file.path))))?;
        stream.close_input()?;
        let mut copied: u64 = 0;
        let mut said = Vec::new();
        let mut last = Instant::now();
        let status = loop {
            match stream.next(Duration::from_secs(1))? {
                Some(ShellEvent::Stdout(bytes)) => {
                    last = Instant::now();
                    into.write_all(&bytes)
                        .map_err(|source| DeviceError::File { path: file.name().into(), source })?;
                    copied = copied.saturating_add(bytes.len() as u64);
                }
                Some(ShellEvent::Stderr(bytes)) => said = bytes,
                Some(ShellEvent::Exit(status)) => break status,
                None if last.elapsed() > STALL => {
                    return Err(DeviceError::TimedOut { what: what(), limit: STALL });
                }
                None => {}
            }
        };
        if status.is_some_and(|status| status != 0) {
            let said = crate::questions::first_line(&String::from_utf8_lossy(&said));
            return Err(DeviceError::Refused { what: what(), said });
        }
        if copied < file.bytes {
            return Err(DeviceError::Unexpected {
                what: what(),
                expected: format!("{} bytes", file.bytes),
                found: format!("{copied} bytes"),
            });
        }
        Ok(copied)
    }

    /// Deletes them, so that those of an earlier run do not mix into the next one.
    ///
    /// # Errors
    /// If the device is gone or refuses, or somebody asked to stop.
    pub fn remove_probe_files(&self, device: &dyn Device) -> Result<(), DeviceError> {
        run_for(device, &self.command_to_remove_probe_files(), LONG_PATIENCE).map(drop)
    }

    /// The command that deletes them, for the device's shell.
    pub fn command_to_remove_probe_files(&self) -> String {
        self.command(&format!("rm -f {PATTERNS}"))
    }
}
