//! Curves of a device that learn from every recording with power rails.
//!
//! Each recording tells, rail by rail, how much its cores drew beside their curves ([`wattle_power::RailCorrection`]), with errors that go
//! together. The numbers for the recordings that come follow from all of them ([`wattle_fit::Pooled`]): recordings that told more count
//! for more, and what differs between them (temperature, code) stays as an error.

use std::collections::BTreeSet;

use serde::Serialize;
use wattle_fit::{Pooled, Told};
use wattle_power::{
    DeviceModel, FigureUnit, PolicyId, RAIL_NUMBERS, RailCorrection, RailCurve, RailNumber,
    RailRecording,
};

use crate::CalibrateError;

/// Expected standard deviations between recordings of one device. Ratios: runs of one SoC differ by a tenth (freqbench); watts: a
/// fifth of what floors are expected to be, as it is for the ratios.
const BETWEEN: [f64; RAIL_NUMBERS] = [0.1, 0.1, 0.1, 0.004, 0.004];
/// Recordings of a rail that are kept, the newest. More hardly make a number surer: what differs from one to the next is larger.
const MOST_RECORDINGS: usize = 50;
/// The expectation counts as much as so many recordings.
const COUNTS_AS: f64 = 2.0;

/// A model after the rails of some recordings.
#[derive(Clone, Debug, Serialize)]
pub struct RailUpdate {
    /// By rail.
    pub rails: Vec<UpdatedRail>,
    /// Whether the model is another than before: a recording that it already has is no news.
    pub changed: bool,
    /// Warnings for its user.
    pub warnings: Vec<String>,
    /// The model.
    #[serde(skip)]
    pub model: DeviceModel,
}

/// A rail in all recordings beside the curves of some policies.
#[derive(Clone, Debug, Serialize)]
pub struct UpdatedRail {
    /// The rail's name.
    pub rail: String,
    /// Policies that it feeds.
    pub policies: Vec<u32>,
    /// Recordings that it was read in.
    pub recordings: usize,
    /// Periods between its samples, of all recordings.
    pub periods: u64,
    /// The numbers.
    pub numbers: Vec<UpdatedNumber>,
}

/// A number for recordings that come.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct UpdatedNumber {
    /// Its name: `active`, `idle` and `shared` are measured over curve, `floor` and `awake` are milliwatts.
    pub name: &'static str,
    /// The number before the update; of a rail that the model did not have, the number that corrects nothing.
    pub before: f64,
    /// The number.
    pub value: f64,
    /// Its standard deviation in a further recording.
    pub deviation: f64,
    /// Standard deviation between recordings, a part of the above.
    pub between: f64,
}

impl RailUpdate {
    /// Takes what rails of recordings say into a model. Its version rises when any of its figures changes.
    ///
    /// # Errors
    ///
    /// When no rail said anything, when the model counts currents or has no curves, when recordings are of several devices, and when a
    /// policy is fed by two rails.
    pub fn new(model: &DeviceModel, told: &[RailCurve]) -> Result<Self, CalibrateError> {
        let request = |what, expected: &str, found: String| CalibrateError::Request {
            what,
            expected: expected.to_owned(),
            found,
        };
        if model.policies.is_empty() || model.unit == FigureUnit::Current {
            let found = format!("{:?}", model.name);
            let expected = "a model with curves in mW, not currents in mA or figures alone";
            return Err(request("--update", expected, found));
        }
        let before = model;
        let mut model = before.clone();
        for curve in told {
            add(&mut model, curve)?;
        }
        if model.rails.is_empty() {
            let expected = "recordings with at least 8 periods between samples of power rails of the CPU, all rails counted";
            return Err(request("--update", expected, "none".to_owned()));
        }
        let recordings = || model.rails.iter().flat_map(|rail| &rail.recordings);
        let devices: BTreeSet<&str> =
            recordings().map(|it| it.device.as_str()).filter(|device| !device.is_empty()).collect();
        if devices.len() > 1 {
            let mut found: Vec<String> =
                recordings().map(|it| format!("{:?} of {:?}", it.name, it.device)).collect();
            found.sort_unstable();
            found.dedup();
            let expected =
                "recordings of one device, with those that the model has: no two are alike";
            return Err(request("--update", expected, found.join(", ")));
        }
        let mut rails = Vec::with_capacity(model.rails.len());
        for rail in &mut model.rails {
            let known = before.rails.iter().find(|known| known.rail == rail.rail);
            rails.push(pool(rail, known).ok_or_else(|| {
                let found = format!("those of rail {:?}", rail.rail);
                request("--update", "deviations and correlations that go together", found)
            })?);
        }
        let [known, now] = [&before.rails, &model.rails]
            .map(|rails| rails.iter().map(rounded_rail).collect::<Vec<_>>());
        let changed = known != now;
        if !changed {
            // Numbers of a file in milliwatts may be the next ones to those that were written.
            model.rails.clone_from(&before.rails);
        } else if !has_same_figures(&known, &now) {
            model.version = model.version.saturating_add(1);
        }
        let warnings = warnings(&rails);
        Ok(Self { rails, changed, warnings, model })
    }
}

/// Whether two lists of rails correct the same by the same.
fn has_same_figures(before: &[RailCorrection], after: &[RailCorrection]) -> bool {
    let figures = |rail: &RailCorrection| (rail.rail.clone(), rail.policies.clone(), rail.numbers);
    before.iter().map(figures).eq(after.iter().map(figures))
}

/// Adds what a rail of one recording said.
fn add(model: &mut DeviceModel, curve: &RailCurve) -> Result<(), CalibrateError> {
    let fed = model.policies.iter().filter(|of| of.cpus.iter().any(|cpu| curve.cpus.contains(cpu)));
    let fed: Vec<PolicyId> = fed.map(|policy| policy.id).collect();
    let other = model.rails.iter().find(|rail| {
        rail.rail != curve.rail && rail.policies.iter().any(|policy| fed.contains(policy))
    });
    if let Some(other) = other {
        return Err(CalibrateError::Request {
            what: "--update",
            expected: format!(
                "rail {:?}, which the model already has, for these cores",
                other.rail
            ),
            found: format!("rail {:?}", curve.rail),
        });
    }
    if fed.is_empty() {
        return Ok(());
    }
    let place = model.rails.iter().position(|rail| rail.rail == curve.rail);
    let place = place.unwrap_or_else(|| {
        model.rails.push(RailCorrection {
            rail: curve.rail.clone(),
            policies: Vec::new(),
            numbers: [RailNumber::default(); RAIL_NUMBERS],
            recordings: Vec::new(),
        });
        model.rails.len() - 1
    });
    let rail = &mut model.rails[place];
    rail.policies.extend(fed);
    rail.policies.sort_unstable();
    rail.policies.dedup();
    let recording = rounded_recording(&curve.recording);
    // The same numbers under another name are the same recording: it keeps its place, so that nothing changes but its name.
    let is_same = |known: &RailRecording| {
        known.device == recording.device && known.found.map(rounded_number) == recording.found
    };
    let place = rail.recordings.iter().position(is_same);
    let mut at = 0..;
    rail.recordings.retain(|known| at.next() == place || known.name != recording.name);
    match rail.recordings.iter_mut().find(|known| is_same(known)) {
        Some(known) => *known = recording,
        None => rail.recordings.push(recording),
    }
    let older = rail.recordings.len().saturating_sub(MOST_RECORDINGS);
    rail.recordings.drain(..older);
    Ok(())
}

/// To six digits: none of these numbers has more, and the file is read by people too.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn rounded_number(number: RailNumber) -> RailNumber {
    RailNumber { value: rounded(number.value), deviation: rounded(number.deviation) }
}

fn rounded_recording(recording: &RailRecording) -> RailRecording {
    RailRecording {
        expected: recording.expected.map(rounded_number),
        found: recording.found.map(rounded_number),
        correlations: recording.correlations.map(rounded),
        ..recording.clone()
    }
}

fn rounded_rail(rail: &RailCorrection) -> RailCorrection {
    RailCorrection {
        numbers: rail.numbers.map(rounded_number),
        recordings: rail.recordings.iter().map(rounded_recording).collect(),
        ..rail.clone()
    }
}

/// The numbers of a rail from all its recordings; as they are where it has none.
fn pool(rail: &mut RailCorrection, before: Option<&RailCorrection>) -> Option<UpdatedRail> {
    let mut between = [0.0; RAIL_NUMBERS];
    if !rail.recordings.is_empty() {
        let told: Vec<Told> = rail.recordings.iter().map(told).collect();
        let pooled = Pooled::new(&told, &BETWEEN, COUNTS_AS)?;
        let numbers = pooled.means.iter().zip(&pooled.deviations).zip(&pooled.between);
        for ((number, between), ((mean, deviation), found)) in
            rail.numbers.iter_mut().zip(&mut between).zip(numbers)
        {
            *number = RailNumber { value: rounded(mean.max(0.0)), deviation: rounded(*deviation) };
            *between = *found;
        }
    }
    let mut all = rail.numbers.iter().enumerate();
    if !all.all(|(place, number)| RailCorrection::is_possible(place, *number)) {
        return None;
    }
    let neutral = RailCorrection::NEUTRAL.iter();
    let names = RailCorrection::NAMES.iter().zip(neutral).enumerate();
    let numbers = names.zip(&rail.numbers).zip(between);
    let numbers = numbers.map(|(((at, (name, neutral)), number), between)| {
        let unit = if RailCorrection::is_power(at) { 1e3 } else { 1.0 };
        UpdatedNumber {
            name,
            before: before.map_or(*neutral, |before| before.in_unit(at)),
            value: number.value * unit,
            deviation: number.deviation * unit,
            between: between * unit,
        }
    });
    Some(UpdatedRail {
        rail: rail.rail.clone(),
        policies: rail.policies.iter().map(|policy| policy.0).collect(),
        recordings: rail.recordings.len(),
        periods: rail.recordings.iter().map(|it| u64::from(it.periods)).sum(),
        numbers: numbers.collect(),
    })
}

fn told(recording: &RailRecording) -> Told {
    let mut correlations = recording.correlations.iter();
    let covariance = (0..RAIL_NUMBERS).map(|row| {
        let of = |column: usize| recording.found[row].deviation * recording.found[column].deviation;
        let below = (0..row).map(|column| of(column) * correlations.next().unwrap_or(&0.0));
        let mut values: Vec<f64> = below.collect();
        values.push(of(row));
        values
    });
    Told {
        expected: recording.expected.map(|it| (it.value, it.deviation)).to_vec(),
        mean: recording.found.map(|it| it.value).to_vec(),
        covariance: covariance.collect(),
    }
}

/// Ratios further from 1 than this say that the curves are of something else.
const FAR: f64 = 3.0;

fn warnings(rails: &[UpdatedRail]) -> Vec<String> {
    let mut warnings = Vec::new();
    for rail in rails {
        let active = rail.numbers.first().map_or(1.0, |number| number.value);
        if !(1.0 / FAR..=FAR).contains(&active) {
            warnings.push(format!(
                "{}: cores drew {active:.2} times what the curves say: the curves are of another device, or these cores hardly ran",
                rail.rail
            ));
        }
    }
    if rails.iter().all(|rail| rail.recordings == 1) {
        let text = "one recording: how far recordings of the device differ is not known, and taken to be a tenth";
        warnings.push(text.to_owned());
    }
    warnings
}
