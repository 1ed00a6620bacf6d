//! Cost of polling for threads that share the core with it.

use wattle_units::Nanos;

use super::system_processes::recorder;
use crate::{Action, AppSpec, PhoneSpec, Poller, SimError, Simulation, ThreadSpec, Workload};

/// A task of ten thousand million cycles on a phone of one little core, in the section
/// `com.example.bench.Task.run`, with a shell that polls the counters of networks and disks at a period, or without.
/// The run time of the task is the length of the section. This is how Hitani and others measured how intrusive
/// polling is.
///
/// # Errors
///
/// When the period is below a millisecond.
pub fn polled_task(period: Option<Nanos>, seed: u64) -> Result<Simulation, SimError> {
    let mut phone = PhoneSpec::small();
    phone.clusters.truncate(1);
    for cluster in &mut phone.clusters {
        cluster.cores = 1;
    }
    let task = vec![
        Action::Sleep { length: Nanos::from_seconds(0.2), spread: 0.0 },
        Action::call(
            "com.example.bench.Task.run",
            vec![Action::Compute { cycles: 1e10, spread: 0.0 }],
        ),
    ];
    let mut thread = ThreadSpec::new("m.example.bench", task);
    thread.once = true;
    let app = AppSpec {
        name: "com.example.bench".into(),
        package: Some("com.example.bench".into()),
        uid: 10_301,
        threads: vec![thread],
        recorder: false,
    };
    let workload = Workload {
        duration: Nanos::from_seconds(20.0),
        apps: vec![app, recorder()],
        ..Workload::default()
    };
    let simulation = Simulation::new(phone, workload, seed)?;
    match period {
        None => Ok(simulation),
        Some(period) => simulation.with_poller(Poller::new(900, period)),
    }
}
