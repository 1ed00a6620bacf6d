//! Findings that `wattle.toml` or a baseline accepts.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow};
use wattle_diagnose::{Diagnosis, KnownFindings};

use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Moves accepted findings aside: by the choices of the configuration, and by the baseline of the flag, else of the configuration.
pub fn accept(diagnosis: &mut Diagnosis, config: &Config, baseline: Option<&Path>) -> Outcome {
    let choices = config.accepted_findings();
    if !choices.is_empty() {
        diagnosis.accept(choices, &today());
    }
    if let Some(path) = baseline.or(config.known_findings()) {
        diagnosis.accept_known(&read(path)?);
    }
    Ok(())
}

fn read(path: &Path) -> Result<KnownFindings, Failure> {
    let read = || -> anyhow::Result<KnownFindings> {
        let known: KnownFindings = serde_json::from_str(&std::fs::read_to_string(path)?)?;
        if !known.is_of_this_version() {
            return Err(anyhow!("expected a file of `wattle diagnose --write-baseline`"));
        }
        Ok(known)
    };
    read().with_context(|| format!("baseline {}", path.display())).map_err(Failure::Usage)
}

/// The day in UTC, `YYYY-MM-DD`.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let now = chrono::DateTime::from_timestamp(seconds.cast_signed(), 0).unwrap_or_default();
    now.date_naive().to_string()
}
