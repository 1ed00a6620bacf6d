//! Bringing bytes from the device into a file of this machine.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::shell::follow;
use crate::shell::shorten;
use crate::{Device, DeviceError, quote};

/// The number of bytes of standard error that are kept.
const COMPLAINT: usize = 4096;

/// The result of a download.
#[derive(Debug)]
pub(crate) struct Download {
    /// The number of bytes in the file.
    pub(crate) bytes: u64,
    /// Why the rest is not there; `None`: all is.
    pub(crate) broke_off: Option<DeviceError>,
}

impl Download {
    /// Whether the device has more, and only cannot be asked now.
    pub(crate) fn is_worth_another_try(&self) -> bool {
        let worth =
            |error: &DeviceError| error.is_away() || matches!(error, DeviceError::TimedOut { .. });
        self.broke_off.as_ref().is_some_and(worth)
    }
}

/// Runs a command and writes its standard output into a file. What came before an error stays there.
///
/// # Errors
/// Only what this machine's file system says: what the device did is in the [`Download`].
pub(crate) fn command_into_file(
    device: &dyn Device,
    command: &str,
    path: &Path,
    limit: Duration,
) -> Result<Download, DeviceError> {
    let file = |source| DeviceError::File { path: path.to_owned(), source };
    let mut out = BufWriter::new(File::create(path).map_err(file)?);
    let mut bytes = 0_u64;
    let mut complaint = Vec::new();
    let mut written = Ok(());
    let end = follow(device, command, limit, &mut |piece, is_error| {
        if is_error {
            let room = COMPLAINT.saturating_sub(complaint.len());
            complaint.extend_from_slice(piece.get(..room).unwrap_or(piece));
        } else {
            // An error of this machine must not look like one of the device.
            if written.is_ok() {
                written = out.write_all(piece);
            }
            bytes += piece.len() as u64;
        }
        Ok(())
    });
    written.map_err(file)?;
    out.flush().map_err(file)?;
    let broke_off = match end {
        Ok(None | Some(0)) => None,
        Ok(status) => Some(DeviceError::CommandFailed {
            command: command.to_owned(),
            status,
            said: shorten(&String::from_utf8_lossy(&complaint)),
        }),
        Err(error) => Some(error),
    };
    Ok(Download { bytes, broke_off })
}

/// Pulls a file; where the file service may not read it, through `cat` (adb's own user may read less than the shell:
/// `/data/misc/perfetto-traces` before Android 10, `docs/learning-more/android.md` of Perfetto).
///
/// The result of an earlier try is only replaced by a longer one.
///
/// # Errors
/// As [`command_into_file`].
pub(crate) fn pull_into_file(
    device: &dyn Device,
    from: &str,
    path: &Path,
    limit: Duration,
) -> Result<Download, DeviceError> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    let unfinished = PathBuf::from(unfinished);
    let file = |source| DeviceError::File { path: unfinished.clone(), source };
    let mut out = BufWriter::new(File::create(&unfinished).map_err(file)?);
    let pulled = device.pull(from, &mut out);
    let flushed = out.flush();
    // What could not be written is not to be tried again when it is dropped.
    drop(out.into_parts());
    let pulled = pulled.and_then(|bytes| flushed.map(|()| bytes).map_err(file));
    let mut download = match pulled {
        Ok(bytes) => Download { bytes, broke_off: None },
        // Nobody to ask again.
        Err(error) if error.is_away() || matches!(error, DeviceError::Cancelled) => {
            let bytes = unfinished.metadata().map_or(0, |facts| facts.len());
            Download { bytes, broke_off: Some(error) }
        }
        Err(_) => command_into_file(device, &format!("cat {}", quote(from)), &unfinished, limit)
            .inspect_err(|_| {
                // A full disk: what is there helps nobody, and its room is needed.
                let _ = std::fs::remove_file(&unfinished);
            })?,
    };
    let before = path.metadata().map_or(0, |facts| facts.len());
    if download.broke_off.is_some() && before >= download.bytes {
        download.bytes = before;
        std::fs::remove_file(&unfinished).map_err(file)?;
    } else {
        std::fs::rename(&unfinished, path).map_err(file)?;
    }
    Ok(download)
}
