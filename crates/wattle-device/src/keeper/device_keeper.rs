//! The keeper of a device.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use wattle_recording::{AppFacts, ArtifactKind, ClockPair, ConditionFacts, StepFacts};

use crate::clock::read_clocks;
use crate::facts::{DeviceIdentity, device_facts, power_profile};
use crate::host_clock::unix_nanos;
use crate::installation::Installation;
use crate::keeper::KeeperOptions;
use crate::lease::Lease;
use crate::package::InstalledApp;
use crate::prepare::{
    Change as _, Compiled, Conditions, Journal, Level, Preparation, Remains, Restoration,
    differences,
};
use crate::session::{Build, DeviceInspection, Environment, HostFile};
use crate::{Device, DeviceError, InstallOptions};

const PING: Duration = Duration::from_secs(5);
/// Users have their ids in steps of this (`UserHandle.PER_USER_RANGE`); the first is 0.
const FIRST_USER: u32 = 0;

/// Looks after a device by the book: every change goes through a [`Journal`].
#[derive(Debug)]
pub struct DeviceKeeper<'l> {
    lease: Option<&'l Lease>,
    options: KeeperOptions,
    journal: Option<Journal>,
    left: Restoration,
    first_conditions: Option<ConditionFacts>,
    conditions: Option<ConditionFacts>,
    /// Conditions that were warned of.
    warned: BTreeSet<String>,
    notes: Vec<String>,
    /// Apps whose originals are kept: the first install of a session finds what was there before it.
    kept: BTreeSet<String>,
    /// Apps that were compiled, which the journal knows.
    compiled: BTreeSet<String>,
}

impl<'l> DeviceKeeper<'l> {
    /// One that has changed nothing yet.
    pub fn new(options: KeeperOptions) -> Self {
        Self {
            lease: None,
            options,
            journal: None,
            left: Restoration::default(),
            first_conditions: None,
            conditions: None,
            warned: BTreeSet::new(),
            notes: Vec::new(),
            kept: BTreeSet::new(),
            compiled: BTreeSet::new(),
        }
    }

    /// Under a lease, which is checked before each run.
    #[must_use]
    pub const fn under(mut self, lease: &'l Lease) -> Self {
        self.lease = Some(lease);
        self
    }

    /// The journal, which begins with the first change.
    fn journal(&mut self, device: &dyn Device) -> Result<&mut Journal, DeviceError> {
        let journal = if let Some(journal) = self.journal.take() {
            journal
        } else {
            let console = self.options.console.clone();
            // The session waits for a device that went away, so the journal need not.
            let hardware = self.options.hardware.as_deref().unwrap_or_else(|| device.serial());
            Journal::begin(device, hardware, console, &self.options.folder)?
                .with_patience(Duration::ZERO)
        };
        Ok(self.journal.insert(journal))
    }

    /// The part of the preparation that is repeated before each run.
    fn each_time(&self, app: Option<&AppFacts>) -> Preparation {
        let wanted = &self.options.preparation;
        let clears = |app: &&AppFacts| wanted.clear_data_of.contains(&app.package);
        Preparation {
            reset_statistics: wanted.reset_statistics,
            // It may have gone dark while the device cooled down.
            wake_screen: wanted.wake_screen,
            clear_log: wanted.clear_log,
            clear_data_of: app.filter(clears).map(|app| app.package.clone()).into_iter().collect(),
            ..Preparation::nothing()
        }
    }

    /// Checks the conditions of a run, which may have become worse since the one before.
    fn check_conditions(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let Self { options, notes, .. } = self;
        let cooled =
            options.cool_down.wait(device, &options.limits, &mut |note| notes.push(note))?;
        let facts = ConditionFacts {
            // A look takes less than a second.
            cooled_seconds: cooled.waited.as_secs_f64().floor(),
            ..cooled.conditions.facts()
        };
        if let Some(first) = &self.first_conditions {
            let found = differences(first, &facts);
            if !found.is_empty() {
                let text = format!("changed since the first run: {}", found.join("; "));
                self.notes.push(text);
            }
        } else {
            self.first_conditions = Some(facts.clone());
        }
        let warned: Vec<String> = cooled.findings.into_iter().map(|found| found.text).collect();
        let new = warned.iter().filter(|text| !self.warned.contains(*text));
        self.notes.extend(new.cloned());
        self.warned.extend(warned);
        self.conditions = Some(facts);
        Ok(())
    }

    /// Compiles an app as it is wanted. An installation undoes that, so it is repeated after each; what is put back stays the same.
    fn compile(&mut self, device: &dyn Device, package: &str) -> Result<(), DeviceError> {
        let Some(how) = self.options.compilation else { return Ok(()) };
        let change = Compiled { package: package.to_owned(), how };
        if self.compiled.insert(package.to_owned()) {
            self.journal(device)?.perform(device, &change)
        } else {
            change.apply(device)
        }
    }

    fn once(&self) -> Preparation {
        Preparation {
            reset_statistics: false,
            clear_log: false,
            clear_data_of: Vec::new(),
            ..self.options.preparation.clone()
        }
    }

    fn install_all(
        &mut self,
        device: &dyn Device,
        sets: &[Vec<PathBuf>],
    ) -> Result<Option<AppFacts>, DeviceError> {
        let mut first = None;
        for packages in sets {
            let mut installation = Installation::from_packages(packages.clone());
            installation.replace = self.options.replace;
            installation.options =
                InstallOptions { grant: self.options.grant, ..InstallOptions::default() };
            let app = crate::package::package_name(packages)?;
            if self.options.restore_app && self.kept.insert(app) {
                // A folder for each session: what a killed one kept is still needed.
                let session = format!("originals-{}-{}", std::process::id(), unix_nanos());
                installation.keep_original_in = Some(self.options.folder.join(session));
                installation.also_during.clone_from(&self.options.packages);
            }
            let installed = installation.carry_out(device, self.journal(device)?)?;
            self.notes.extend(installed.notes);
            first.get_or_insert(installed.app);
        }
        Ok(first)
    }
}

impl Environment for DeviceKeeper<'_> {
    fn inspect(&mut self, device: &dyn Device) -> Result<DeviceInspection, DeviceError> {
        let mut found = DeviceInspection {
            facts: device_facts(device)?,
            files: self.options.files.clone(),
            notes: Vec::new(),
        };
        // The same that the lease and the journal know it by.
        let identity = match self.lease {
            Some(lease) => lease.identity().clone(),
            None => DeviceIdentity::read(device)?,
        };
        found.facts.hardware = Some(identity.hardware);
        found.facts.boot = identity.boot;
        match power_profile(device) {
            Ok(profile) => {
                found.facts.power_profile = Some(profile.source);
                found.notes.extend(profile.notes);
                found.files.push(HostFile {
                    file: "power_profile.xml".to_owned(),
                    kind: ArtifactKind::PowerProfile,
                    bytes: profile.text.into_bytes(),
                });
            }
            Err(error) if error.is_away() || matches!(error, DeviceError::Cancelled) => {
                return Err(error);
            }
            Err(error) => {
                found.facts.missing.insert("power_profile".to_owned(), error.to_string());
            }
        }
        Ok(found)
    }

    fn clocks(&mut self, device: &dyn Device) -> Result<Vec<ClockPair>, DeviceError> {
        let readings = read_clocks(device, self.options.clock_readings)?;
        self.notes.extend(readings.notes);
        Ok(readings.pairs)
    }

    fn prepare(&mut self, device: &dyn Device) -> Result<Vec<String>, DeviceError> {
        let findings = Conditions::read(device)?.check(&self.options.limits);
        let refused: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.level == Level::Refuse)
            .map(|finding| finding.text.as_str())
            .collect();
        if !refused.is_empty() {
            return Err(DeviceError::Unfit(refused.join("; ")));
        }
        let warned = findings.into_iter().filter(|finding| finding.level == Level::Warn);
        let notes: Vec<String> = warned.map(|finding| finding.text).collect();
        self.warned.extend(notes.iter().cloned());
        let once = self.once();
        self.journal(device)?.prepare(device, &once)?;
        Ok(notes)
    }

    fn install(&mut self, device: &dyn Device, build: &Build) -> Result<AppFacts, DeviceError> {
        let wanted = build.app.clone().unwrap_or_default();
        let found = match self.install_all(device, &build.packages)? {
            Some(app) => app,
            None => installed(device, &wanted.package)?,
        };
        self.compile(device, &found.package)?;
        Ok(AppFacts {
            label: wanted.label,
            probe_map: wanted.probe_map,
            sink: wanted.sink,
            ..found
        })
    }

    fn conditions(&self) -> Option<ConditionFacts> {
        self.conditions.clone()
    }

    fn expect(&mut self, device: &dyn Device, remains: &Remains) -> Result<(), DeviceError> {
        self.journal(device)?.expect(remains)
    }

    fn settle(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.settle();
        }
    }

    fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn before_iteration(
        &mut self,
        device: &dyn Device,
        app: Option<&AppFacts>,
    ) -> Result<(), DeviceError> {
        self.lease.map_or(Ok(()), Lease::check)?;
        let wanted = self.each_time(app);
        self.journal(device)?.prepare(device, &wanted)?;
        self.check_conditions(device)
    }

    fn steps(&self) -> Vec<StepFacts> {
        self.journal.as_ref().map_or_else(Vec::new, Journal::steps)
    }

    fn restore(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let Some(journal) = &mut self.journal else { return Ok(()) };
        self.left = journal.restore();
        if self.left.is_complete() {
            return Ok(());
        }
        // Whether it is worth waiting for it.
        device.shell("true", PING)?;
        let left = self.left.left.iter().filter(|left| !left.changed_by_others);
        Err(DeviceError::NotPutBack(left.map(ToString::to_string).collect::<Vec<_>>().join("; ")))
    }

    fn to_restore(&self) -> Vec<String> {
        self.journal.as_ref().map_or_else(Vec::new, Journal::commands)
    }
}

/// An app that is there already.
fn installed(device: &dyn Device, package: &str) -> Result<AppFacts, DeviceError> {
    let app = InstalledApp::find(device, package)?.ok_or_else(|| {
        DeviceError::Plan(format!(
            "{package} is not installed on {}; `wattle run app.apk` installs what it records",
            device.serial()
        ))
    })?;
    let uid = app.uid(app.users.first().copied().unwrap_or(FIRST_USER));
    Ok(AppFacts {
        package: app.package,
        version_name: app.version_name,
        version_code: app.version_code,
        uid,
        ..AppFacts::default()
    })
}
