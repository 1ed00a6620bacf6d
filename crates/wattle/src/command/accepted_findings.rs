//! Findings that `wattle.toml` or a baseline accepts.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow};
use wattle_diagnose::{Acceptance, Diagnosis, KnownFindings};

use crate::bounded_file;
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// Sources that accept findings.
#[derive(Clone, Debug, Default)]
pub struct AcceptedFindings {
    choices: Vec<Acceptance>,
    baseline: Option<PathBuf>,
}

impl AcceptedFindings {
    /// The choices of the configuration, and the baseline of the flag, else of the configuration.
    pub fn new(config: &Config, baseline: Option<&Path>) -> Self {
        Self {
            choices: config.accepted_findings().to_vec(),
            baseline: baseline.or(config.known_findings()).map(Path::to_owned),
        }
    }

    /// Moves accepted findings aside.
    pub fn accept(&self, diagnosis: &mut Diagnosis) -> Outcome {
        if !self.choices.is_empty() {
            diagnosis.accept(&self.choices, &today());
        }
        if let Some(path) = &self.baseline {
            diagnosis.accept_known(&read(path)?);
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<KnownFindings, Failure> {
    let read = || -> anyhow::Result<KnownFindings> {
        let known: KnownFindings =
            serde_json::from_str(&bounded_file::text(path, bounded_file::MOST)?)?;
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
