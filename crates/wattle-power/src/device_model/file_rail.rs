//! The tables `[[rail]]` of `wattle-device-model/1`.

use std::collections::BTreeSet;

use serde::Deserialize;
use wattle_units::Watts;

use super::file_values::{Wrong, finite};
use super::rail_correction::{RAIL_NUMBERS, RailCorrection, RailNumber, RailRecording};
use super::{Policy, PolicyId};

/// More recordings of a rail than a file may hold.
const MOST_RECORDINGS: usize = 200;

/// No number that a single recording says is larger.
const MOST_SAID: f64 = 1e5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRail {
    name: String,
    policies: Vec<u32>,
    active: [f64; 2],
    idle: [f64; 2],
    shared: [f64; 2],
    floor: [f64; 2],
    awake: [f64; 2],
    #[serde(default)]
    recording: Vec<FileRecording>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecording {
    name: String,
    #[serde(default)]
    device: String,
    periods: u32,
    expected: [[f64; 2]; RAIL_NUMBERS],
    found: [[f64; 2]; RAIL_NUMBERS],
    correlations: [f64; RAIL_NUMBERS * (RAIL_NUMBERS - 1) / 2],
}

/// Checks that each policy is corrected by one rail.
pub(super) fn rails(
    files: Vec<FileRail>,
    policies: &[Policy],
) -> Result<Vec<RailCorrection>, Wrong> {
    let mut seen: Vec<u32> = Vec::new();
    for rail in &files {
        for policy in &rail.policies {
            if !policies.iter().any(|known| known.id.0 == *policy) || seen.contains(policy) {
                let found = format!("policy {policy} of rail {:?}", rail.name);
                return Err(("policies of the model in a [[rail]], each in one", found));
            }
            seen.push(*policy);
        }
    }
    files.into_iter().map(FileRail::into_rail).collect()
}

impl FileRail {
    fn into_rail(self) -> Result<RailCorrection, Wrong> {
        if self.policies.is_empty() || self.recording.len() > MOST_RECORDINGS {
            let found = format!("{} recordings of rail {:?}", self.recording.len(), self.name);
            return Err(("a [[rail]] with policies and up to 200 recordings", found));
        }
        let numbers = [self.active, self.idle, self.shared, self.floor, self.awake];
        let read = in_watts(&numbers)?;
        let mut pairs = read.iter().zip(&numbers).enumerate();
        let wrong = pairs.find(|(number, (it, _))| !RailCorrection::is_possible(*number, **it));
        if let Some((_, (_, [value, deviation]))) = wrong {
            let found = format!("[{value}, {deviation}] of rail {:?}", self.name);
            return Err(("ratios of a [[rail]] from 0 to 100, and 0 to 15000 mW", found));
        }
        let names: BTreeSet<&str> = self.recording.iter().map(|it| it.name.as_str()).collect();
        if names.len() < self.recording.len() {
            let found = format!("two of one name in rail {:?}", self.name);
            return Err(("one [[rail.recording]] a name", found));
        }
        let recordings = self.recording.into_iter().map(FileRecording::into_recording);
        Ok(RailCorrection {
            rail: self.name,
            policies: self.policies.into_iter().map(PolicyId).collect(),
            numbers: read,
            recordings: recordings.collect::<Result<_, _>>()?,
        })
    }
}

impl FileRecording {
    fn into_recording(self) -> Result<RailRecording, Wrong> {
        let correlations = self.correlations;
        if let Some(wrong) = correlations.iter().find(|it| !(-1.0..=1.0).contains(*it)) {
            return Err(("correlations from -1 to 1", wrong.to_string()));
        }
        let (expected, found) = (in_watts(&self.expected)?, in_watts(&self.found)?);
        let said = |it: &&RailNumber| {
            it.deviation <= 1e-12 || it.deviation > MOST_SAID || it.value.abs() > MOST_SAID
        };
        if let Some(wrong) = expected.iter().chain(&found).find(said) {
            let found =
                format!("{} ± {} in recording {:?}", wrong.value, wrong.deviation, self.name);
            return Err(("standard deviations above 0, and numbers up to 100000", found));
        }
        let (name, device, periods) = (self.name, self.device, self.periods);
        Ok(RailRecording { name, device, periods, expected, found, correlations })
    }
}

/// Numbers of a file, in which powers are in milliwatts.
fn in_watts(numbers: &[[f64; 2]; RAIL_NUMBERS]) -> Result<[RailNumber; RAIL_NUMBERS], Wrong> {
    let mut read = [RailNumber::default(); RAIL_NUMBERS];
    for (at, (read, [value, deviation])) in read.iter_mut().zip(numbers).enumerate() {
        finite(&[*value, *deviation])?;
        if *deviation < 0.0 {
            return Err(("standard deviations from 0 on", deviation.to_string()));
        }
        let is_power = RailCorrection::is_power(at);
        let of = |figure: f64| {
            if is_power { Watts::from_milliwatts(figure).value() } else { figure }
        };
        *read = RailNumber { value: of(*value), deviation: of(*deviation) };
    }
    Ok(read)
}
