//! Traces of any size.

use std::io::Write;

use wattle_units::Nanos;

use crate::{
    Action, AppSpec, PhoneSpec, SimError, Simulation, ThreadSpec, Truth, Workload, scenario,
};

/// Writes a trace of at least so many bytes (and less than one flush of buffers more): a busy phone with rails
/// that runs for as long as it takes. Memory is bounded whatever the size. Gives the truth and what was
/// written to.
pub fn write_big<W: Write>(bytes: u64, seed: u64, out: W) -> Result<(Truth, W), SimError> {
    // Longer than any size that fits on a disk needs; the writing ends at the size.
    let workload = Workload { duration: Nanos::from_seconds(1e6), ..busy() };
    Simulation::new(PhoneSpec::pixel_like(), workload, seed)?.write_at_most(out, bytes)
}

/// The news app beside an app of many short tasks, as a phone under stress has.
fn busy() -> Workload {
    let mut workload = scenario::news_app(Nanos::ZERO);
    let threads = (0..12)
        .map(|index| {
            let call = |depth: u32, inner| {
                let method = format!("com.example.busy.Stage{depth}.run");
                vec![Action::compute(0.03), Action::Call { method, body: inner }]
            };
            let leaf = vec![Action::compute(0.05)];
            let mut program = (0..6).fold(leaf, |inner, depth| call(depth, inner));
            program.push(Action::sleep(0.8 + 0.15 * f64::from(index)));
            ThreadSpec::new(&format!("busy-{index}"), program)
        })
        .collect();
    workload.apps.push(AppSpec {
        name: "com.example.busy".into(),
        package: Some("com.example.busy".into()),
        uid: 10_300,
        threads,
        recorder: false,
    });
    workload
}
