//! An app that is installed, as `dumpsys package` has it.

use crate::command::LONG_PATIENCE;
use crate::facts::package_paths;
use crate::package::signer::signers;
use crate::questions::Questions;
use crate::{Device, DeviceError, quote};

/// Ids of apps of one user (`UserHandle.PER_USER_RANGE`).
const PER_USER: u32 = 100_000;

/// An app on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledApp {
    /// Its package name.
    pub package: String,
    /// `versionName`.
    pub version_name: Option<String>,
    /// `versionCode`.
    pub version_code: Option<u64>,
    /// Its id without the user's part (10000 and up).
    pub app_id: Option<u32>,
    /// The users it is installed for.
    pub users: Vec<u32>,
    /// Whether it is debuggable.
    pub debuggable: bool,
    /// Whether it came with the system: its first version cannot be uninstalled.
    pub system: bool,
    /// Paths of its packages on the device, the base first.
    pub paths: Vec<String>,
    /// The first four bytes, so to say, of each signer: Java's hash of the certificate.
    pub(crate) signers: Vec<u32>,
}

impl InstalledApp {
    /// Asks for an app; `None` if it is not installed for any user.
    ///
    /// # Errors
    /// If the device is gone, or somebody asked to stop.
    pub fn find(device: &dyn Device, package: &str) -> Result<Option<Self>, DeviceError> {
        let quoted = quote(package);
        let answers = Questions::new()
            .ask("dump", format!("dumpsys package {quoted}"))
            .ask("path", format!("pm path {quoted}"))
            .put(device, LONG_PATIENCE)?;
        let paths: Vec<String> = package_paths(answers.any_text("path")).collect();
        let Some(mut app) = Self::parse(answers.any_text("dump"), package) else {
            // Some vendors print no packages to the shell: that it has a path is all that is known then.
            let known = Self { package: package.to_owned(), paths, ..Self::default() };
            return Ok(Some(known).filter(|app| !app.paths.is_empty()));
        };
        app.paths = paths;
        if let Some(user) = app.users.first().filter(|_| app.paths.is_empty()) {
            let other = Questions::new().ask("path", format!("pm path --user {user} {quoted}"));
            let answers = other.put(device, LONG_PATIENCE)?;
            app.paths = package_paths(answers.any_text("path")).collect();
        }
        Ok(Some(app).filter(|app| !app.paths.is_empty() || !app.users.is_empty()))
    }

    /// Its uid for a user.
    pub fn uid(&self, user: u32) -> Option<u32> {
        user.checked_mul(PER_USER)?.checked_add(self.app_id?)
    }

    /// Its version, as a person would say it.
    pub fn version(&self) -> String {
        match (&self.version_name, self.version_code) {
            (Some(name), Some(code)) => format!("{name} ({code})"),
            (Some(name), None) => name.clone(),
            (None, Some(code)) => format!("({code})"),
            (None, None) => "of unknown version".to_owned(),
        }
    }

    /// The lines below `Package [name]` in the section `Packages:`. `Hidden system packages:` behind it has the versions
    /// that came with the system.
    fn parse(dump: &str, package: &str) -> Option<Self> {
        let section = dump.find("\nPackages:").map_or(0, |at| at.saturating_add(1));
        let section = dump.get(section..)?;
        let start = section.find(&format!("  Package [{package}]"))?;
        let mut lines = section.get(start..)?.lines();
        lines.next()?;
        let is_inside = |line: &&str| {
            !line.trim_start().starts_with("Package [")
                && (line.is_empty() || line.starts_with(' '))
        };
        let mut app = Self { package: package.to_owned(), ..Self::default() };
        for line in lines.take_while(is_inside).map(str::trim) {
            app.take(line);
        }
        Some(app)
    }

    fn take(&mut self, line: &str) {
        if let Some(user) = line.strip_prefix("User ") {
            let Some((number, rest)) = user.split_once(':') else { return };
            let is_installed = rest.split_whitespace().any(|word| word == "installed=true");
            self.users.extend(number.parse::<u32>().ok().filter(|_| is_installed));
        } else if let Some(flags) =
            ["flags=[", "pkgFlags=["].iter().find_map(|p| line.strip_prefix(p))
        {
            let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
            self.debuggable |= has("DEBUGGABLE");
            self.system |= has("SYSTEM");
        } else if let Some(list) = line.strip_prefix("signatures=") {
            self.signers = signers(list);
        } else if let Some((key, value)) = line.split_once('=') {
            match key {
                // Until Android 13, and since.
                "userId" | "appId" if self.app_id.is_none() => {
                    self.app_id = value.split_whitespace().next().and_then(|id| id.parse().ok());
                }
                "versionCode" => {
                    self.version_code =
                        value.split_whitespace().next().and_then(|code| code.parse().ok());
                }
                "versionName" => self.version_name = Some(value.to_owned()),
                _ => {}
            }
        }
    }
}
