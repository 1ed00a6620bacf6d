//! A session, from its plan to what it came to.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::anyhow;
use wattle_device::Cancel;
use wattle_device::keeper::{DeviceKeeper, KeeperOptions};
use wattle_device::lease::Lease;
use wattle_device::scenario::Scenario;
use wattle_device::session::{Session, SessionPlan, SessionReport};
use wattle_recording::{Outcome, Recording, Stage};

use super::analysed::name;
use super::connection::Connection;
use super::failure::failure;
use super::restore::{self, PutBack};
use super::watcher::Watcher;
use crate::cli::DeviceChoice;
use crate::exit::{Failure, Outcome as Done};
use crate::interrupt::Interrupts;

/// Records.
pub fn record(
    plan: &mut SessionPlan,
    mut keeper: KeeperOptions,
    leased: &Leased<'_>,
    interrupts: &Interrupts,
    quiet: bool,
) -> Result<SessionReport, Failure> {
    let Leased { connection, lease } = leased;
    plan.hurry = interrupts.hurry.clone();
    for build in &mut plan.builds {
        if let Scenario::Host(program) = &mut build.scenario {
            // Where `adb` and everything built on it look for the server that holds this device.
            let variables = connection.device.server().address().variables();
            let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value));
            program.environment.extend(variables);
        }
    }
    let watcher = Watcher::new(quiet);
    leased.put_back_earlier(&watcher)?;
    keeper.hardware = Some(lease.identity().hardware.clone());
    let mut keeper = DeviceKeeper::new(keeper).under(lease);
    let session = Session {
        plan,
        device: &connection.device,
        cancel: &interrupts.cancel,
        environment: &mut keeper,
        progress: &watcher,
    };
    let report = session.run();
    interrupts.is_over.cancel();
    report.map_err(failure)
}

/// A device that this process alone works with.
#[derive(Debug)]
pub struct Leased<'c> {
    /// The device.
    pub connection: &'c Connection,
    /// Its lease.
    pub lease: Lease,
}

impl<'c> Leased<'c> {
    /// Takes the lease.
    pub fn take(
        connection: &'c Connection,
        choice: &DeviceChoice,
        cancel: &Cancel,
        quiet: bool,
    ) -> Result<Self, Failure> {
        let (folder, watcher) = (connection.journals()?, Watcher::new(quiet));
        let lease = restore::lease(&connection.device, &folder, choice.wait, cancel, &watcher)?;
        Ok(Self { connection, lease })
    }

    /// Puts back what earlier runs have left changed on this device.
    pub fn put_back_earlier(&self, watcher: &Watcher) -> Result<PutBack, Failure> {
        let Self { connection, lease } = self;
        let folder = connection.journals()?;
        let console = connection.console.as_ref();
        Ok(restore::put_back_earlier(&connection.device, console, &folder, lease, watcher))
    }
}

/// A failed test is a failed run.
pub fn verdict(report: &SessionReport) -> Done {
    if matches!(report.outcome, Outcome::Passed | Outcome::Skipped) {
        return Ok(());
    }
    let mut text = format!("the scenario {}", name(report.outcome));
    let mut runs = report.recording.iterations.iter().rev();
    if let Some(message) = runs.find_map(|run| run.message.as_deref()) {
        // Writing to a String does not fail.
        let _ = write!(text, ": {message}");
    }
    let _ = write!(text, "; the recording is in {}", report.folder.display());
    Err(Failure::Refused(anyhow!(text)))
}

/// The duration of each stage.
pub fn stages(recording: &Recording, folder: &Path, more: &[Stage]) -> String {
    let mut text = String::from("\nStages\n");
    let all = recording.stages.iter().chain(more);
    let mut total = 0.0;
    for stage in all {
        total += stage.seconds;
        let _ = writeln!(text, "  {:<14} {:>8.2} s", stage.name, stage.seconds);
    }
    let _ = writeln!(text, "  {:<14} {total:>8.2} s", "all");
    let _ = writeln!(text, "\nRecording: {}", folder.display());
    text
}
