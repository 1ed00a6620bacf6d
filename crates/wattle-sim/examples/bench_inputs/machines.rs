//! Recordings of simulated machines.

use std::error::Error;

use wattle_sim::idle::{EtlForm, IdlePopulation, IdleRun, IdleSystem};
use wattle_sim::write_big;
use wattle_units::Nanos;

/// Bytes of the busy phone's trace at scale 1.
const PHONE_BYTES: u64 = 16_000_000;
/// Length of a run at idle at scale 1, seconds.
const IDLE_SECONDS: u64 = 60;

/// A busy phone with scheduler and rails, as Perfetto writes it.
pub fn scheduler(scale: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    let (_, bytes) = write_big(PHONE_BYTES * scale, 1, Vec::new())?;
    Ok(bytes)
}

/// An idle Windows machine's event log.
pub fn windows(scale: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    let form = EtlForm::default();
    Ok(idle(IdleSystem::Windows64, scale).write_etl(form, Vec::new())?)
}

/// An idle Linux machine, as the text of ftrace.
pub fn ftrace(scale: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    Ok(idle(IdleSystem::Linux, scale).write_ftrace(Vec::new())?)
}

/// The same threads for a longer time: every background thread goes on, so events are in proportion.
fn idle(system: IdleSystem, scale: u64) -> IdleRun {
    let duration = Nanos::from_seconds((IDLE_SECONDS * scale) as f64);
    IdlePopulation { system, duration, ..IdlePopulation::default() }.machine(7).run()
}
