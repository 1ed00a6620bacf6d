//! A session, from its plan to what it came to.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::anyhow;
use wattle_device::keeper::{DeviceKeeper, KeeperOptions};
use wattle_device::prepare::Journal;
use wattle_device::scenario::Scenario;
use wattle_device::session::{Session, SessionPlan, SessionReport};
use wattle_device::{Cancel, Device as _, Progress as _};
use wattle_recording::{Outcome, Recording, Stage};

use super::analysed::name;
use super::connection::Connection;
use super::failure::failure;
use super::plan::journals;
use super::watcher::Watcher;
use crate::exit::{Failure, Outcome as Done};
use crate::interrupt::Interrupts;

/// Records.
pub fn record(
    plan: &mut SessionPlan,
    keeper: KeeperOptions,
    connection: &Connection,
    interrupts: &Interrupts,
    quiet: bool,
) -> Result<SessionReport, Failure> {
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
    put_back_earlier(connection, &watcher)?;
    if plan.builds.iter().any(|build| matches!(build.scenario, Scenario::Manual(_))) {
        watcher.note("press Enter to stop recording");
    }
    let mut keeper = DeviceKeeper::new(keeper);
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

/// Puts back what an earlier run left changed on this device, because it was killed. Gives how much there was.
pub fn put_back_earlier(connection: &Connection, watcher: &Watcher) -> Result<usize, Failure> {
    let mut found = 0;
    for unfinished in Journal::unfinished(&journals()?) {
        if unfinished.serial() != connection.device.serial() {
            continue;
        }
        found += 1;
        watcher.note("an earlier run was killed before it restored this device; restoring it now");
        let console = connection.console.clone();
        let restored = unfinished.resume_restore(&connection.device, console, &Cancel::new());
        for left in &restored.left {
            watcher.note(&left.to_string());
        }
    }
    Ok(found)
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
