//! The files that the app's probes write.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use wattle_recording::ArtifactKind;

use crate::shell::command_into_file;
use crate::source::{Collected, Source, SourceGround, SourceName};
use crate::{Device, DeviceError, quote};

const SHORT: Duration = Duration::from_secs(20);
const PULL: Duration = Duration::from_mins(30);
/// The runtime class writes its last records at the latest so long after they happened (`docs/probe-formats.md`).
const DRAIN: Duration = Duration::from_millis(2300);
/// Folders below the app's own that the runtime class writes to, the first that it may.
const FOLDERS: [&str; 2] = ["files", "cache"];
/// Most files of one run: one a process.
const MOST: usize = 1000;

/// Pulls `wattle-<pid>-<ms>.probes` out of the app's private folder.
#[derive(Debug, Default)]
pub struct Probes {
    before: BTreeSet<String>,
    way: Option<Way>,
    begun: bool,
}

/// How the app's folder is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    /// What stands before a command.
    prefix: String,
    /// The app's folder, for commands behind the prefix.
    folder: String,
}

impl Probes {
    /// One that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// As the app (`run-as`, for debuggable apps) or as root.
    fn find_way(ground: &SourceGround<'_>, package: &str) -> Result<Option<Way>, DeviceError> {
        let user = ground.app.and_then(|app| app.uid).map_or(0, |uid| uid / 100_000);
        let home = format!("/data/user/{user}/{package}");
        let as_user = if user == 0 { String::new() } else { format!(" --user {user}") };
        let run_as = format!("run-as {}{as_user} ", quote(package));
        let ways = [
            Way { prefix: run_as, folder: home.clone() },
            Way { prefix: String::new(), folder: home.clone() },
            Way { prefix: "su 0 ".to_owned(), folder: home },
        ];
        for way in ways {
            let command = format!("{}ls {}", way.prefix, quote(&way.folder));
            let tried = ground.device.shell(&command, SHORT)?;
            let refused = ["run-as:", "su:", "denied", "not found", "No such"];
            let said = [tried.text(), String::from_utf8_lossy(&tried.stderr)].concat();
            // `run-as` of some versions says no with status 0.
            if tried.is_success() && !refused.iter().any(|word| said.contains(word)) {
                return Ok(Some(way));
            }
        }
        Ok(None)
    }

    fn list(&self, device: &dyn Device) -> Result<BTreeSet<String>, DeviceError> {
        let mut files = BTreeSet::new();
        let Some(way) = &self.way else { return Ok(files) };
        for folder in FOLDERS {
            let folder = format!("{}/{folder}", way.folder);
            let listed = device.shell(&format!("{}ls {}", way.prefix, quote(&folder)), SHORT)?;
            for name in listed.text().lines().map(str::trim) {
                if is_probe_file(name) && files.len() < MOST {
                    files.insert(format!("{folder}/{name}"));
                }
            }
        }
        Ok(files)
    }
}

/// `wattle-<pid>-<ms>.probes` and nothing else: the name becomes one of this machine.
fn is_probe_file(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix("wattle-")
        .and_then(|rest| rest.strip_suffix(".probes"))
        .and_then(|rest| rest.split_once('-'))
        .is_some_and(|(pid, ms)| number(pid) && number(ms) && name.len() < 100)
}

impl Source for Probes {
    fn name(&self) -> SourceName {
        SourceName::Probes
    }

    fn unavailable(&mut self, ground: &SourceGround<'_>) -> Result<Option<String>, DeviceError> {
        let Some(app) = ground.app else { return Ok(Some("no app is named".to_owned())) };
        Ok(match app.sink.as_deref() {
            Some("file") => None,
            Some(sink) => Some(format!("the app's probes write to {sink}")),
            None => Some("the app has no probes".to_owned()),
        })
    }

    fn setup(&self) -> Option<String> {
        None
    }

    fn start(&mut self, ground: &SourceGround<'_>, _: &Path) -> Result<(), DeviceError> {
        let Some(package) = ground.package() else { return Ok(()) };
        // Asked anew each time: the app is installed by now, and may be another one.
        self.way = Self::find_way(ground, package)?;
        if self.way.is_none() {
            return Err(DeviceError::Unexpected {
                what: format!("reading the files of {package}"),
                expected: "a debuggable app, or a shell that is root".to_owned(),
                found: "neither run-as nor su".to_owned(),
            });
        }
        self.before = self.list(ground.device)?;
        self.begun = true;
        Ok(())
    }

    fn stop(&mut self, ground: &SourceGround<'_>) -> Result<(), DeviceError> {
        if self.begun { ground.cancel.sleep(DRAIN) } else { Ok(()) }
    }

    fn collect(
        &mut self,
        ground: &SourceGround<'_>,
        folder: &Path,
    ) -> Result<Collected, DeviceError> {
        let mut collected = Collected::default();
        let Some(way) = self.way.clone().filter(|_| self.begun) else { return Ok(collected) };
        let now = self.list(ground.device)?;
        let into = folder.join("probes");
        std::fs::create_dir_all(&into)
            .map_err(|source| DeviceError::File { path: into.clone(), source })?;
        for path in now.difference(&self.before) {
            let Some(name) = path.rsplit('/').next() else { continue };
            let command = format!("{}cat {}", way.prefix, quote(path));
            let download = command_into_file(ground.device, &command, &into.join(name), PULL)?;
            let file = format!("probes/{name}");
            collected.add(file, ArtifactKind::Probes, download.broke_off.is_some());
            if let Some(error) = download.broke_off {
                collected.notes.push(format!("{name} broke off: {error}"));
                if error.is_away() || matches!(error, DeviceError::Cancelled) {
                    break;
                }
            }
        }
        if collected.files.is_empty() {
            collected.notes.push("no probe of the app has written a file".to_owned());
        }
        Ok(collected)
    }

    fn clean(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        if let Some(way) = self.way.clone().filter(|_| self.begun) {
            for path in self.list(device)?.difference(&self.before) {
                device.shell(&format!("{}rm -f {}", way.prefix, quote(path)), SHORT)?;
            }
        }
        self.begun = false;
        self.way = None;
        Ok(())
    }

    fn to_clean(&self) -> Vec<String> {
        let way = self.way.as_ref().filter(|_| self.begun);
        // One word for each shell there is: the star must reach that of the app.
        let remove = |way: &Way| {
            let files = FOLDERS.map(|folder| format!("{}/{folder}/wattle-*.probes", way.folder));
            format!("{}sh -c {}", way.prefix, quote(&format!("rm -f {}", files.join(" "))))
        };
        way.map(remove).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::is_probe_file;

    #[test]
    fn only_names_of_probe_files_are_pulled() {
        for (name, expected) in [
            ("wattle-123-1700000000000.probes", true),
            ("wattle-1-2.probes", true),
            ("wattle-1.probes", false),
            ("wattle-../../x-2.probes", false),
            ("wattle-1-2.probes.bak", false),
            ("notes.txt", false),
            ("wattle--.probes", false),
        ] {
            assert_eq!(is_probe_file(name), expected, "{name}");
        }
    }
}
