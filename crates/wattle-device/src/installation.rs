//! Installing an app for a run.

use std::path::PathBuf;

use wattle_recording::AppFacts;

use crate::adb::InstallCause;
use crate::command::run;
use crate::package::InstalledApp;
use crate::package::content::Content;
use crate::package::given::Given;
use crate::package::original::{keep, sums, uninstall};
use crate::package::signer::{SignerMatch, compare};
use crate::prepare::{Journal, Undo};
use crate::{Device, DeviceError, InstallOptions};

/// An app that is to be installed.
#[derive(Clone, Debug, Default)]
pub struct Installation {
    /// The base package and its splits.
    pub packages: Vec<PathBuf>,
    /// Options of the installation. Packages that are for tests only are always accepted.
    pub options: InstallOptions,
    /// If an app of another signer (or a newer version) is installed, uninstall it, although that deletes its data.
    /// Default is false: then that is an error.
    pub replace: bool,
    /// Put back after the run what was installed before: its packages are kept in this folder until then. Default is none:
    /// the app stays as it was installed.
    pub keep_original_in: Option<PathBuf>,
    /// Other packages of the app that are installed until it is put back (the builds that it is compared with): they are
    /// no change by somebody else.
    pub also_during: Vec<PathBuf>,
}

/// The currently installed packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstalledBuild {
    /// For the recording.
    pub app: AppFacts,
    /// Notes for the reader: data that were deleted, a check that could not be made.
    pub notes: Vec<String>,
}

impl Installation {
    /// These packages, with the defaults.
    pub fn from_packages(packages: Vec<PathBuf>) -> Self {
        Self { packages, ..Self::default() }
    }

    /// Installs them, and checks that what is installed is what was given.
    ///
    /// # Errors
    /// [`DeviceError::OtherSigner`] and [`DeviceError::Downgrade`] if only `replace` would help, [`DeviceError::Package`]
    /// for packages that cannot be read, the device's own words if it refuses, [`DeviceError::Unexpected`] if it has
    /// something else afterwards.
    pub fn carry_out(
        &self,
        device: &dyn Device,
        journal: &mut Journal,
    ) -> Result<InstalledBuild, DeviceError> {
        let given = Given::open(&self.packages)?;
        let installed = InstalledApp::find(device, &given.package)?;
        let mut notes = Vec::new();
        let mut remove = self.must_remove(device, &given, installed.as_ref())?;
        let undo = self.undo(device, &given, installed.as_ref())?;
        journal.note(
            format!("{} {} installed", given.package, version(&given)),
            [Some(before(installed.as_ref())), Some(version(&given))],
            undo,
        )?;
        let mut options = self.options.clone();
        options.test_only |= given.test_only;
        if !remove && let Err(error) = device.install(&self.packages, &options) {
            // What could not be told before.
            let cause = match &error {
                DeviceError::NotInstalled { refusal, .. } => refusal.cause,
                _ => return Err(error),
            };
            remove = match (cause, &installed) {
                (InstallCause::UpdateIncompatible, Some(app)) => {
                    self.may_remove(other_signer(device, app))?
                }
                (InstallCause::VersionDowngrade, Some(app)) => {
                    self.may_remove(downgrade(app, &given))?
                }
                _ => return Err(error),
            };
        }
        if remove {
            notes.extend(installed.as_ref().map(|app| {
                format!("{} {} was uninstalled, and its data deleted", app.package, app.version())
            }));
            uninstall(device, &given.package)?;
            device.install(&self.packages, &options)?;
        }
        self.check(device, &given, notes)
    }

    /// Whether an installed app must go first, and may.
    fn must_remove(
        &self,
        device: &dyn Device,
        given: &Given,
        installed: Option<&InstalledApp>,
    ) -> Result<bool, DeviceError> {
        let Some(app) = installed else { return Ok(false) };
        if compare(&app.signers, &given.signatures) == SignerMatch::Different {
            return self.may_remove(other_signer(device, app));
        }
        if app.version_code > given.version_code
            && given.version_code.is_some()
            && !self.options.downgrade
        {
            return self.may_remove(downgrade(app, given));
        }
        Ok(false)
    }

    fn may_remove(&self, otherwise: DeviceError) -> Result<bool, DeviceError> {
        if self.replace { Ok(true) } else { Err(otherwise) }
    }

    fn undo(
        &self,
        device: &dyn Device,
        given: &Given,
        installed: Option<&InstalledApp>,
    ) -> Result<Option<Undo>, DeviceError> {
        let Some(folder) = &self.keep_original_in else { return Ok(None) };
        let originals = installed.map(|app| keep(device, app, folder)).transpose()?;
        Ok(Some(Undo::App {
            package: given.package.clone(),
            originals: originals.unwrap_or_default(),
            during: given
                .files
                .iter()
                .map(|(_, sum)| sum.clone())
                .chain(sums(&self.also_during)?)
                .collect(),
        }))
    }

    fn check(
        &self,
        device: &dyn Device,
        given: &Given,
        mut notes: Vec<String>,
    ) -> Result<InstalledBuild, DeviceError> {
        let wrong = |found: String| DeviceError::Unexpected {
            what: format!("installing {}", given.package),
            expected: "the packages that were given".into(),
            found,
        };
        let app =
            InstalledApp::find(device, &given.package)?.ok_or_else(|| wrong("nothing".into()))?;
        if app.paths.is_empty() {
            notes.push(format!(
                "{} is not installed for the user of the shell; what is installed was not compared",
                given.package
            ));
        } else if let Some(found) = Content::read(device, &app)?.differs(&given.files) {
            return Err(wrong(found));
        }
        let user = match self.options.user {
            Some(user) => user,
            None => current_user(device)?,
        };
        let app = AppFacts {
            package: given.package.clone(),
            version_name: given.version_name.clone(),
            version_code: given.version_code,
            uid: app.uid(user),
            sha256: Some(given.base_sha256.clone()),
            ..AppFacts::default()
        };
        Ok(InstalledBuild { app, notes })
    }
}

/// The user in front; the first one where the device does not say.
fn current_user(device: &dyn Device) -> Result<u32, DeviceError> {
    match run(device, "am get-current-user") {
        Ok(text) => Ok(text.trim().parse().unwrap_or(0)),
        Err(DeviceError::Refused { .. }) => Ok(0),
        Err(error) => Err(error),
    }
}

fn version(given: &Given) -> String {
    let app = InstalledApp {
        version_name: given.version_name.clone(),
        version_code: given.version_code,
        ..InstalledApp::default()
    };
    app.version()
}

fn before(installed: Option<&InstalledApp>) -> String {
    installed.map_or_else(|| "not installed".to_owned(), InstalledApp::version)
}

fn other_signer(device: &dyn Device, app: &InstalledApp) -> DeviceError {
    DeviceError::OtherSigner {
        package: app.package.clone(),
        version: app.version(),
        serial: device.serial().to_owned(),
    }
}

fn downgrade(app: &InstalledApp, given: &Given) -> DeviceError {
    DeviceError::Downgrade {
        package: app.package.clone(),
        installed: app.version(),
        given: version(given),
    }
}
