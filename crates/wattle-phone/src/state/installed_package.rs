//! Installed packages.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The first uid of an installed app (`Process.FIRST_APPLICATION_UID`).
const FIRST_APP: u32 = 10_000;

/// The filter with which an installation compiles.
pub(crate) const INSTALLED_FILTER: &str = "verify";

/// A package on the phone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "attributes of the manifest, each apart")]
pub struct InstalledPackage {
    /// Its name.
    pub name: String,
    /// `versionCode`.
    pub version_code: u64,
    /// `versionName`.
    pub version_name: Option<String>,
    /// Its uid, of user 0.
    pub uid: u32,
    /// SHA-256 of the signer's certificate, in hexadecimal digits.
    pub signer: String,
    /// `android.content.pm.Signature.hashCode` of it, which `dumpsys package` prints.
    pub signer_hash: u32,
    /// The folder on the phone that holds `base.apk` and the splits.
    pub code_path: String,
    /// Files in that folder: `base.apk` first.
    pub files: Vec<String>,
    /// The same files on the host.
    pub host_files: Vec<PathBuf>,
    /// `android:debuggable`.
    pub debuggable: bool,
    /// `android:testOnly`.
    pub test_only: bool,
    /// `<profileable android:shell>`.
    pub profileable: bool,
    /// Instrumentations: runner class and target package.
    pub instrumentations: Vec<(String, String)>,
    /// The activity of the launcher.
    pub launcher: Option<String>,
    /// The classes of its activities and their aliases, in full.
    pub activities: Vec<String>,
    /// The filter with which its code was compiled (`CompilerFilter` of ART).
    pub filter: String,
    /// `targetSdkVersion`.
    pub target_sdk: u32,
    /// `minSdkVersion`.
    pub min_sdk: u32,
    /// Whether it came with the phone.
    pub system: bool,
    /// When it was installed first and last, Unix nanoseconds of the phone's clock.
    pub installed: (i64, i64),
}

/// An open session of `pm install-create`.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstallSession {
    /// Flags of `install-create`.
    pub(crate) flags: Vec<String>,
    /// Written packages: name and file on the host.
    pub(crate) files: Vec<(String, PathBuf)>,
}

/// All packages.
#[derive(Debug, Default)]
pub(crate) struct Packages {
    pub(crate) by_name: BTreeMap<String, InstalledPackage>,
    pub(crate) sessions: BTreeMap<u32, InstallSession>,
    installed: u32,
    session: u32,
}

impl InstalledPackage {
    /// Whether it has the activity of a component (`PACKAGE/CLASS`, `PACKAGE/.CLASS`).
    pub(crate) fn has_activity(&self, component: &str) -> bool {
        let Some((_, class)) = component.split_once('/') else { return true };
        let in_package = class.strip_prefix('.').map(|class| format!("{}.{class}", self.name));
        let class = in_package.as_deref().unwrap_or(class);
        self.activities.iter().any(|activity| activity == class)
    }
}

impl Packages {
    /// A number for a new app.
    pub(crate) fn next_uid(&mut self) -> u32 {
        self.installed += 1;
        FIRST_APP + 200 + self.installed
    }

    /// A number for a new session, as ten-digit as the real ones.
    pub(crate) fn open(&mut self, flags: Vec<String>) -> u32 {
        self.session += 1;
        let number = 1_304_770_000 + self.session;
        self.sessions.insert(number, InstallSession { flags, files: Vec::new() });
        number
    }

    pub(crate) fn of_uid(&self, uid: u32) -> Option<&InstalledPackage> {
        self.by_name.values().find(|package| package.uid == uid % 100_000)
    }
}
