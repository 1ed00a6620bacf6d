//! The tables `[[rail]]` of `wattle-device-model/1`.

use serde::Deserialize;
use wattle_units::Watts;

use super::file_values::{Wrong, finite};
use super::rail_correction::{RAIL_NUMBERS, RailCorrection, RailNumber, RailRecording};
use super::{Policy, PolicyId};

/// More recordings of a rail than a file may hold.
const MOST_RECORDINGS: usize = 10_000;

/// No ratio, and no number of milliwatts, of a phone is larger.
const MOST: f64 = 1e5;

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
            return Err(("a [[rail]] with policies and up to 10000 recordings", found));
        }
        let numbers = [self.active, self.idle, self.shared, self.floor, self.awake];
        let of = |it: &[f64; 2]| (0.0..=MOST).contains(&it[0]) && (0.0..=MOST).contains(&it[1]);
        if let Some([value, deviation]) = numbers.iter().find(|it| !of(it)) {
            let found = format!("[{value}, {deviation}] of rail {:?}", self.name);
            return Err(("numbers of a [[rail]] from 0 to 100000", found));
        }
        let recordings = self.recording.into_iter().map(FileRecording::into_recording);
        Ok(RailCorrection {
            rail: self.name,
            policies: self.policies.into_iter().map(PolicyId).collect(),
            numbers: in_watts(&numbers)?,
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
        if let Some(wrong) = expected.iter().chain(&found).find(|it| it.deviation <= 0.0) {
            let found = format!("{} in recording {:?}", wrong.deviation, self.name);
            return Err(("standard deviations above 0", found));
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
