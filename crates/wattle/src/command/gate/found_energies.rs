//! Energies of findings, from the JSON of `wattle diagnose`.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde::Deserialize;
use wattle_gate::{Energy, FindingEnergy};

use crate::exit::Failure;

/// The largest file that is read.
const LARGEST: u64 = 256 << 20;
/// The form that `wattle diagnose --json` writes.
const FORMAT: &str = "wattle-diagnosis/1";

/// The part of a diagnosis that is read.
#[derive(Deserialize)]
struct Diagnosis {
    schema: String,
    #[serde(default)]
    findings: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    rule: String,
    #[serde(default)]
    at_stake: Option<AtStake>,
}

/// The energy that a finding could save.
#[derive(Deserialize)]
struct AtStake {
    joules: f64,
    interval_joules: [f64; 2],
}

/// Reads the findings. One without an energy counts as a finding of 0 J.
pub(super) fn read(path: &Path) -> Result<Vec<FindingEnergy>, Failure> {
    let name = || format!("findings {}", path.display());
    let size = std::fs::metadata(path).with_context(name).map_err(Failure::Input)?.len();
    if size > LARGEST {
        let text = format!("{}: expected at most {LARGEST} bytes, found {size}", name());
        return Err(Failure::Input(anyhow!(text)));
    }
    let bytes = std::fs::read(path).with_context(name).map_err(Failure::Input)?;
    let diagnosis: Diagnosis =
        serde_json::from_slice(&bytes).with_context(name).map_err(Failure::Input)?;
    if diagnosis.schema != FORMAT {
        let text = format!("{}: expected {FORMAT}, found {:?}", name(), diagnosis.schema);
        return Err(Failure::Input(anyhow!(text)));
    }
    let energy = |found: Found| {
        let energy = found.at_stake.map_or_else(Energy::default, |it| {
            let [low, high] = it.interval_joules;
            Energy { joules: it.joules, low, high }
        });
        FindingEnergy { rule: found.rule, energy }
    };
    Ok(diagnosis.findings.into_iter().map(energy).collect())
}
