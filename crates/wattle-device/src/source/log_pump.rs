//! A stream of the device that a thread writes into a file.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::{DeviceError, ShellEvent, ShellStream};

const LOOK: Duration = Duration::from_millis(100);
/// Longest end mark that is looked for.
const WINDOW: usize = 256;

/// Writes what a command prints into a file until it is told to stop, or the end mark comes.
#[derive(Debug)]
pub(super) struct LogPump {
    stop: Arc<AtomicBool>,
    marked: Arc<AtomicBool>,
    thread: Option<JoinHandle<PumpEnd>>,
}

/// The end of a pump.
#[derive(Debug, Default)]
pub(super) struct PumpEnd {
    /// Bytes in the file.
    pub(super) bytes: u64,
    /// Why it ended before it was told to.
    pub(super) cut_off: Option<String>,
    /// The error of this machine's file system.
    pub(super) failed: Option<DeviceError>,
}

impl LogPump {
    /// Begins.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub(super) fn start(
        stream: Box<dyn ShellStream>,
        path: &Path,
        mark: String,
    ) -> Result<Self, DeviceError> {
        let file = File::create(path)
            .map_err(|source| DeviceError::File { path: path.to_owned(), source })?;
        let (stop, marked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let pump = Pump {
            stream,
            file,
            path: path.to_owned(),
            mark: mark.into_bytes(),
            stop: Arc::clone(&stop),
            marked: Arc::clone(&marked),
        };
        let thread = Some(std::thread::spawn(move || pump.run()));
        Ok(Self { stop, marked, thread })
    }

    /// Whether the end mark has come, or nothing can come any more.
    pub(super) fn is_done(&self) -> bool {
        self.marked.load(Ordering::SeqCst)
            || self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Whether the end mark has come.
    pub(super) fn is_marked(&self) -> bool {
        self.marked.load(Ordering::SeqCst)
    }

    /// Ends it.
    pub(super) fn stop(mut self) -> PumpEnd {
        self.stop.store(true, Ordering::SeqCst);
        let joined = self.thread.take().map(JoinHandle::join);
        joined.and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for LogPump {
    fn drop(&mut self) {
        // The thread ends by itself soon; nobody has to wait for it.
        self.stop.store(true, Ordering::SeqCst);
    }
}

struct Pump {
    stream: Box<dyn ShellStream>,
    file: File,
    path: PathBuf,
    mark: Vec<u8>,
    stop: Arc<AtomicBool>,
    marked: Arc<AtomicBool>,
}

impl Pump {
    fn run(mut self) -> PumpEnd {
        let mut end = PumpEnd::default();
        let mut window: Vec<u8> = Vec::new();
        let mut complaint = String::new();
        while !self.stop.load(Ordering::SeqCst) {
            match self.stream.next(LOOK) {
                Ok(Some(ShellEvent::Stdout(bytes))) => {
                    if let Err(source) = self.file.write_all(&bytes) {
                        let path = self.path.clone();
                        end.failed = Some(DeviceError::File { path, source });
                        return end;
                    }
                    end.bytes += bytes.len() as u64;
                    self.look_for_mark(&mut window, &bytes);
                }
                Ok(Some(ShellEvent::Stderr(bytes))) => {
                    if complaint.len() < 1000 {
                        complaint.push_str(&String::from_utf8_lossy(&bytes));
                    }
                }
                Ok(Some(ShellEvent::Exit(status))) => {
                    let status = status.map_or_else(String::new, |status| format!(" {status}"));
                    let why =
                        format!("it ended by itself with status{status} {}", complaint.trim());
                    end.cut_off = Some(why.trim_end().to_owned());
                    return end;
                }
                Ok(None) => {}
                Err(error) => {
                    end.cut_off = Some(error.to_string());
                    return end;
                }
            }
        }
        end
    }

    fn look_for_mark(&self, window: &mut Vec<u8>, bytes: &[u8]) {
        if self.mark.is_empty() || self.marked.load(Ordering::SeqCst) {
            return;
        }
        window.extend_from_slice(bytes);
        if window.windows(self.mark.len()).any(|part| part == self.mark) {
            self.marked.store(true, Ordering::SeqCst);
        }
        // The mark may be cut in two.
        let keep = window.len().saturating_sub(WINDOW.max(self.mark.len()));
        window.drain(..keep);
    }
}
