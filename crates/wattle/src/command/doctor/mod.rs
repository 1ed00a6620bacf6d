//! `wattle doctor`: what is here, what is missing, and the way to get it.

mod checkup;
mod machine_checks;
mod phones;
mod timed_program;

use std::time::Duration;

use self::checkup::Checkup;
use crate::cli::Doctor;
use crate::command::output;
use crate::exit::{Failure, Outcome};
use crate::interrupt;
use crate::progress::Activity;

/// Time limit for each program of this machine.
const PROGRAM: Duration = Duration::from_secs(5);

/// Runs `wattle doctor`.
pub fn run(doctor: &Doctor) -> Outcome {
    let cancel = interrupt::handle()?.cancel;
    let activity = Activity::new("checking", doctor.quiet);
    let mut checkup = Checkup::new();
    checkup.machine = machine_checks::checks();
    phones::check(&doctor.choice, &cancel, &mut checkup)?;
    drop(activity);
    if let Some(path) = &doctor.json {
        output::write_json(path, &checkup)?;
    }
    if !doctor.quiet && !output::is_stdout(doctor.json.as_deref()) {
        output::print(checkup.text().as_bytes())?;
    }
    let broken: Vec<&str> = checkup.broken().collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::Environment(anyhow::anyhow!(
        "not working: {}; the lines marked `broken` say what to do",
        broken.join(", ")
    )))
}
