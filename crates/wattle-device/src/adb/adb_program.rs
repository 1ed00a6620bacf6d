//! The user's own `adb`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::adb_limits::Deadline;
use super::{Environment, ServerAddress};
use crate::{Cancel, DeviceError};

/// The program's name on this system.
const NAME: &str = if cfg!(windows) { "adb.exe" } else { "adb" };

/// Interval between checks of a started program.
const LOOK: Duration = Duration::from_millis(20);

/// The most of a program's complaints that is kept, bytes.
const LONGEST_COMPLAINT: u64 = 4096;

/// An `adb` that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdbProgram {
    path: PathBuf,
}

impl AdbProgram {
    /// Finds it: the one that was named, else that of `ANDROID_HOME` or `ANDROID_SDK_ROOT`, of `PATH`, or where Android
    /// Studio puts its SDK.
    ///
    /// # Errors
    /// [`DeviceError::AdbNotFound`] with every place that was looked at. A named program is not replaced by another.
    pub fn find(named: Option<&Path>, environment: &Environment) -> Result<Self, DeviceError> {
        let looked: Vec<PathBuf> = match named {
            Some(path) => vec![path.to_owned()],
            None => places(environment),
        };
        match looked.iter().find(|path| path.is_file()) {
            Some(path) => Ok(Self { path: path.clone() }),
            None => Err(DeviceError::AdbNotFound { looked }),
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts a server on this machine (`adb start-server`), with some variables of its own.
    ///
    /// # Errors
    /// [`DeviceError::ServerNotStarted`] with what the program said.
    pub(super) fn start_server(
        &self,
        address: &ServerAddress,
        variables: &BTreeMap<String, OsString>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<(), DeviceError> {
        cancel.check()?;
        let failed =
            |said: String| DeviceError::ServerNotStarted { program: self.path.clone(), said };
        let deadline = Deadline::new(format!("{} start-server", self.path.display()), limit);
        let mut child = Command::new(&self.path)
            .arg("start-server")
            .envs(address.variables())
            .envs(variables)
            .env_remove("ANDROID_ADB_SERVER_ADDRESS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let complaint = child.stderr.take();
        // In a thread, so that a server that keeps the pipe open is not waited for.
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(pipe) = complaint {
                // What can be read is shown; there is nothing to do about the rest.
                let _unread = pipe.take(LONGEST_COMPLAINT).read_to_end(&mut text);
            }
            let _unwanted = sender.send(String::from_utf8_lossy(&text).trim().to_owned());
        });
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(failed(error.to_string())),
            }
            let over = cancel.sleep(LOOK).and_then(|()| deadline.check());
            if let Err(stop) = over {
                // The program is our own child; a server that it has started goes on.
                let _gone = child.kill();
                let _reaped = child.wait();
                return Err(stop);
            }
        };
        if status.success() {
            return Ok(());
        }
        let said = receiver.recv_timeout(Duration::from_millis(500)).unwrap_or_default();
        Err(failed(if said.is_empty() { status.to_string() } else { said }))
    }
}

fn places(environment: &Environment) -> Vec<PathBuf> {
    let sdk = |folder: PathBuf| folder.join("platform-tools").join(NAME);
    let homes = ["ANDROID_HOME", "ANDROID_SDK_ROOT"]
        .into_iter()
        .filter_map(|variable| environment.path(variable));
    let path = environment.search_path().into_iter().map(|folder| folder.join(NAME));
    let studio = ["Android/Sdk", "Library/Android/sdk", "AppData/Local/Android/Sdk"]
        .into_iter()
        .filter_map(|place| Some(environment.home()?.join(place)));
    let mut places: Vec<PathBuf> = Vec::new();
    for place in homes.map(sdk).chain(path).chain(studio.map(sdk)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_looked_for_in_order_and_every_place_is_named() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let place = |name: &str| folder.path().join(name);
        let environment: Environment = [
            ("ANDROID_HOME", place("home")),
            ("ANDROID_SDK_ROOT", place("root")),
            ("PATH", place("bin")),
            ("HOME", place("user")),
        ]
        .into_iter()
        .collect();
        let Err(error) = AdbProgram::find(None, &environment) else { panic!("found") };
        let text = error.to_string();
        let expected = [
            place("home/platform-tools").join(NAME),
            place("root/platform-tools").join(NAME),
            place("bin").join(NAME),
            place("user/Android/Sdk/platform-tools").join(NAME),
        ];
        let mut from = 0;
        for path in &expected {
            let path = path.display().to_string();
            let at = text.get(from..).and_then(|rest| rest.find(&path));
            from += at.unwrap_or_else(|| panic!("{path} is not in order in {text}"));
        }
        // The last place first, so that each earlier one is seen to win.
        for path in expected.iter().rev() {
            std::fs::create_dir_all(path.parent().expect("folder")).expect("folder");
            std::fs::write(path, "").expect("file");
            let found = AdbProgram::find(None, &environment).expect("found");
            assert_eq!(found.path(), path);
        }
    }

    #[test]
    fn a_named_program_is_not_replaced_by_another() {
        let environment: Environment = [("PATH", "/usr/bin")].into_iter().collect();
        let Err(error) = AdbProgram::find(Some(Path::new("/nowhere/adb")), &environment) else {
            panic!("found")
        };
        assert!(error.to_string().contains("looked at /nowhere/adb;"), "{error}");
    }
}
