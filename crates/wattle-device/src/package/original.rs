//! The app that was installed before, kept on this machine and put back after the run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::adb::InstallCause;
use crate::command::{LONG_PATIENCE, run_for};
use crate::package::InstalledApp;
use crate::package::content::Content;
use crate::package::given::sha256;
use crate::questions::first_line;
use crate::undo_outcome::UndoOutcome;
use crate::{Device, DeviceError, InstallOptions, quote};

/// Copies the packages of an installed app into a folder of this machine.
pub(crate) fn keep(
    device: &dyn Device,
    app: &InstalledApp,
    folder: &Path,
) -> Result<Vec<PathBuf>, DeviceError> {
    let folder = folder.join(&app.package);
    let error = |path: &Path, source| DeviceError::File { path: path.to_owned(), source };
    fs::create_dir_all(&folder).map_err(|source| error(&folder, source))?;
    let mut kept = Vec::new();
    for (number, path) in app.paths.iter().enumerate() {
        // The name is the device's: it must not lead out of the folder.
        let file = folder.join(format!("{number}.apk"));
        let mut into = File::create(&file).map_err(|source| error(&file, source))?;
        let copied = device.pull(path, &mut into)?;
        if let Some(facts) = device.stat(path)?.filter(|facts| facts.bytes != copied) {
            return Err(DeviceError::Unexpected {
                what: format!("copying {path}"),
                expected: format!("{} bytes", facts.bytes),
                found: format!("{copied} bytes"),
            });
        }
        kept.push(file);
    }
    Ok(kept)
}

/// Puts the kept packages back; without any, the app was not there and goes. What somebody else has installed since stays.
pub(crate) fn put_back(
    device: &dyn Device,
    package: &str,
    originals: &[PathBuf],
    during: &[String],
) -> Result<UndoOutcome, DeviceError> {
    let installed = InstalledApp::find(device, package)?;
    let sums = sums(originals)?;
    if let Some(app) = &installed {
        let content = Content::read(device, app)?;
        if !originals.is_empty() && content.has_sums(&sums) == Some(true) {
            return Ok(done(originals));
        }
        if content.has_sums(during) == Some(false) {
            return Ok(UndoOutcome::Changed(format!("another build of version {}", app.version())));
        }
    }
    if originals.is_empty() {
        if installed.is_some() {
            uninstall(device, package)?;
        }
        return Ok(UndoOutcome::Back);
    }
    // Over an app of the same signer, which keeps its data; else it has to go first.
    let options = InstallOptions { downgrade: true, test_only: true, ..InstallOptions::default() };
    match device.install(originals, &options) {
        Err(DeviceError::Cancelled) => return Err(DeviceError::Cancelled),
        Err(error) if error.is_away() => return Err(error),
        Err(error) if installed.is_some() && only_after_uninstalling(&error) => {
            uninstall(device, package)?;
            device.install(originals, &options)?;
        }
        installed => installed?,
    }
    Ok(done(originals))
}

/// Whether the device takes the packages only when what is installed is gone. Anything else that is wrong would still be wrong
/// then, with the app's data deleted.
fn only_after_uninstalling(error: &DeviceError) -> bool {
    let DeviceError::NotInstalled { refusal, .. } = error else { return false };
    matches!(refusal.cause, InstallCause::UpdateIncompatible | InstallCause::VersionDowngrade)
}

fn done(originals: &[PathBuf]) -> UndoOutcome {
    for file in originals {
        // A copy that stays is only lost space.
        let _ = fs::remove_file(file);
    }
    UndoOutcome::Back
}

/// SHA-256 of each file.
pub(crate) fn sums(files: &[PathBuf]) -> Result<Vec<String>, DeviceError> {
    let sum = |path: &PathBuf| {
        let bytes =
            fs::read(path).map_err(|source| DeviceError::File { path: path.clone(), source })?;
        Ok(sha256(&bytes))
    };
    files.iter().map(sum).collect()
}

/// Uninstalls an app for all users; its data go with it.
pub(crate) fn uninstall(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    let command = format!("pm uninstall {}", quote(package));
    let said = run_for(device, &command, LONG_PATIENCE)?;
    if said.lines().any(|line| line.trim() == "Success") {
        return Ok(());
    }
    Err(DeviceError::Refused { what: command, said: first_line(&said) })
}
