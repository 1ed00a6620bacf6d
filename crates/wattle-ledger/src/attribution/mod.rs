//! Attribution: from power tracks to a ledger, in seven stages.
//!
//! ```text
//!  timeline ───┬──────────────┬───────────────┬───────────────────────┐
//!              ▼              │               │                       │
//!         1 call paths        │               │                       │
//!              │  CallPaths: the tree of each thread, its innermost path over time
//!              ├──────────────▼               │                       │
//!              │        2 occupancy           │                       │
//!              │              │  Occupancy: the occupant of each core over time, on-CPU time by path
//!              ├──────────────┼──────►3 device users                  │
//!              │              │               │  DeviceUsers: the users of each component that is no core
//!  power ──────┼──────────────┼──────►4 activity                      │
//!  tracks      │              │               │  ActiveTracks: powers that follow the code, errors of code and of divisions
//!              │              ├──────►5 shares                        │
//!              │              │               │  Shares: the cores that divide shared power over time
//!              ▼              ▼               ▼                       │
//!         6 bookings ◄────────┴───────────────┘                       │
//!              │  Bookings: joules by consumer, component, charge and error source
//!              ▼                                                      │
//!         7 rows ◄────────────────────────────────────────────────────┘
//!              │
//!              ▼
//!            Ledger
//! ```
//! Call paths come first because an occupant is a call path: looking them up while a core is swept saves a second sweep over all
//! pieces. Every stage is a function of the results before it alone.

mod activity;
mod bookings;
mod call_paths;
mod consumer;
mod context;
mod core_counters;
mod device_users;
mod first_stages;
mod interrupt_cursor;
mod named_spans;
mod occupancy;
mod rail_curves;
mod rows;
mod shares;
#[cfg(test)]
mod test_recording;
mod walk;
mod work;

use wattle_power::PowerEstimate;
use wattle_timeline::Timeline;

use self::activity::ActiveTracks;
use self::bookings::Bookings;
use self::call_paths::CallPaths;
use self::context::Context;
use self::device_users::DeviceUsers;
use self::first_stages::Stages;
use self::named_spans::NamedSpans;
use self::occupancy::Occupancy;
pub use self::rail_curves::rail_curves;
use self::shares::Shares;
use crate::{AttributionOptions, JudgedRail, Ledger, LedgerError};

/// Attributes every joule of the power tracks inside the window to exactly one account.
///
/// # Errors
///
/// [`LedgerError::DoesNotClose`] when the accounts of a component do not add up to the integral of its
/// tracks; [`LedgerError::TooMany`] when there are more rows than ids can count.
pub fn attribute(
    timeline: &Timeline,
    estimate: &PowerEstimate,
    options: &AttributionOptions,
) -> Result<Ledger, LedgerError> {
    let context = Context::new(timeline, options);
    let paths = CallPaths::new(&context)?;
    let occupancy = Occupancy::new(&context, &paths, &estimate.deep_idle_exit);
    let named = NamedSpans::new(timeline, context.window);
    let users = DeviceUsers::new(&context, &paths, &named, &estimate.tracks);
    let active = ActiveTracks::new(&context, estimate, (&paths, &occupancy), &users);
    let shares = Shares::new(&context, &active.tracks, &occupancy);
    let stages = Stages { paths: &paths, occupancy: &occupancy, users: &users, active: &active };
    let bookings = Bookings::new(&context, estimate, stages, &shares, &named);
    drop(shares);
    rows::ledger(&context, estimate, stages, bookings, &named)
}

/// The rails of a recording that scale modelled power, beside what is estimated of their periods without them: by the model alone, and
/// by the fit that [`attribute`] makes of rails, to the periods of other times. Empty without such rails, and where a fit has too few
/// periods.
///
/// # Errors
///
/// [`LedgerError::TooMany`] when there are more rows than ids can count.
pub fn judged_rails(
    timeline: &Timeline,
    estimate: &PowerEstimate,
    options: &AttributionOptions,
) -> Result<Vec<JudgedRail>, LedgerError> {
    let context = Context::new(timeline, options);
    let paths = CallPaths::new(&context)?;
    let occupancy = Occupancy::new(&context, &paths, &estimate.deep_idle_exit);
    let units = activity::CodeUnits::new(timeline, &paths, &occupancy);
    Ok(activity::judged(&context, estimate, &units, &occupancy))
}

#[cfg(test)]
mod tests {
    use wattle_power::Scope;
    use wattle_timeline::CpuId;

    use super::test_recording::{TestRecording, cores};
    use super::{attribute, work};

    /// A recording with so many on-CPU slices, idle states, calls and power segments on each of four cores.
    fn recording(changes: i64) -> TestRecording {
        let end = 100 * changes;
        let slices = |cpu: i64| -> Vec<_> {
            let all = (0..changes).map(|i| 100 * i + cpu);
            all.map(|start| (start, start + 60, ((start / 100 + cpu) % 9) as u32)).collect()
        };
        let idle: Vec<_> =
            (0..changes).flat_map(|i| [(100 * i + 70, 1), (100 * i + 95, -1)]).collect();
        let power: Vec<_> = (1..=changes).map(|i| (100 * i - 30, ((i % 7) + 1) as f64)).collect();
        let calls: Vec<_> = (0..changes)
            .flat_map(|i| {
                let start = 100 * i;
                [(start, start + 90, "a", 0), (start + 20, start + 50, "b", 1)]
            })
            .collect();
        let mut recording = TestRecording::new(8, end);
        for thread in 1..=8 {
            recording = recording.calls(thread, &calls);
        }
        for cpu in 0..4 {
            recording = recording
                .cpu(&slices(i64::from(cpu)), &idle)
                .track(Scope::Core(CpuId(cpu)), &power);
        }
        recording.track(cores(0..2), &power).track(cores(0..4), &power)
    }

    #[test]
    fn twice_the_input_is_twice_the_work() {
        let work = |changes: i64| {
            let recording = recording(changes);
            let TestRecording { timeline, estimate, options } = &recording;
            work::during(|| {
                let ledger = attribute(timeline, estimate, options).expect("a ledger");
                // Eight threads with three paths each at the least.
                assert!(ledger.bookings.len() >= 24, "{}", ledger.bookings.len());
            })
        };
        let (once, twice) = (work(1000), work(2000));
        assert!(once > 50_000, "{once} units: the stages are not counted");
        assert!(twice as f64 <= 2.2 * once as f64, "{once} units, twice the input {twice}");
    }
}
