//! One seed: a phone simulated, profiled in every mode, compared with its truth.

use wattle_calibrate::RailUpdate;
use wattle_power::{DeviceModel, ModelChoice};
use wattle_sim::{Effects, TraceSource, scenario};
use wattle_units::Nanos;

use super::figures::Row;
use crate::cli::SourcesMode;
use crate::command::calibrate;
use crate::command::demo::profiled::Profiled;
use crate::command::demo::true_value::{Compared, Level};

/// Levels of the summary, each from a share of the processor's energy on.
pub const LEVELS: [(Level, f64); 9] = [
    (Level::Total, 0.0),
    (Level::Cpu, 0.0),
    (Level::Component, 0.0),
    (Level::Device, 0.01),
    (Level::Account, 0.0),
    (Level::Process, 0.01),
    (Level::Thread, 0.01),
    (Level::Method, 0.01),
    (Level::Method, 0.002),
];

/// The rows of one seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub seed: u64,
    /// By mode and by level, in the order of [`LEVELS`].
    pub modes: Vec<Vec<Vec<Row>>>,
}

impl Run {
    /// Simulates and profiles one phone.
    pub fn new(
        effects: &Effects,
        modes: &[SourcesMode],
        length: Nanos,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let simulated = scenario::mixed_apps(effects, length, seed)?.run()?;
        let rows = |mode: &SourcesMode| -> anyhow::Result<Vec<Vec<Row>>> {
            let mut trace = std::borrow::Cow::Borrowed(&simulated.trace);
            for source in removed(*mode) {
                trace = std::borrow::Cow::Owned(source.removed_from(&trace)?);
            }
            let updated = match mode {
                SourcesMode::Updated => {
                    Some(updated(effects, &simulated.device_model, length, seed)?)
                }
                _ => None,
            };
            let profiled = Profiled {
                trace: &trace,
                device_model: updated.as_ref().unwrap_or(&simulated.device_model),
                model: ModelChoice::default(),
                // Several seeds work at once: more threads for each would only get in each other's way.
                threads: 1,
                over_time: false,
            };
            let least = LEVELS.iter().map(|(_, share)| *share).fold(f64::INFINITY, f64::min);
            let all = Compared::all(&simulated.truth, &profiled.ledger()?, least);
            Ok(LEVELS.iter().map(|level| rows_of(&all, *level)).collect())
        };
        let modes = modes.iter().map(rows).collect::<anyhow::Result<_>>()?;
        Ok(Self { seed, modes })
    }
}

/// Recordings that a model is updated by.
const EARLIER: u64 = 2;

/// The model of a phone after it was recorded with power rails while other apps ran, in other air.
fn updated(effects: &Effects, model: &str, length: Nanos, seed: u64) -> anyhow::Result<String> {
    let model = DeviceModel::parse("demo", model)?;
    let mut told = Vec::new();
    for earlier in 1..=EARLIER {
        let run_seed = seed.wrapping_add(earlier.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut trace = scenario::other_apps(effects, length, seed, run_seed)?.run()?.trace;
        trace = TraceSource::PerfSamples.removed_from(&trace)?;
        let timeline = wattle_ingest::read_bytes("demo.perfetto-trace", &trace)?;
        let curves = calibrate::rail_curves(&timeline, &model)?;
        told.extend(curves.into_iter().map(|mut curve| {
            curve.recording.name = format!("run {earlier}");
            curve
        }));
    }
    Ok(RailUpdate::new(&model, &told)?.model.to_toml())
}

/// Sources that a mode has to do without.
const fn removed(mode: SourcesMode) -> &'static [TraceSource] {
    match mode {
        SourcesMode::Counters => &[],
        SourcesMode::Rails => &[TraceSource::PerfSamples],
        SourcesMode::NoRails | SourcesMode::Updated => {
            &[TraceSource::PerfSamples, TraceSource::PowerRails]
        }
    }
}

fn rows_of(all: &[Compared], (level, least): (Level, f64)) -> Vec<Row> {
    all.iter()
        .filter(|compared| compared.level == level && compared.share >= least)
        .map(|compared| Row { truth: compared.truth, estimate: compared.estimate })
        .collect()
}
