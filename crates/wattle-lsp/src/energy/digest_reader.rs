//! Reading digests.

use std::io::BufRead;
use std::sync::Arc;

use super::{CallDetails, GroupEnergies, MethodTable, ProjectEnergies};
use crate::digest::{CallRecord, DIGEST_FORMAT, EnergyRecord};

/// The longest line of a digest.
const LONGEST: usize = 1 << 20;

/// Why a digest cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DigestReadError {
    /// It ended in the middle, or cannot be read at all.
    #[error("the energies of the project cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// A line does not belong to a digest.
    #[error("line {line} of the project's energies is damaged: {error}")]
    Line {
        /// The line.
        line: usize,
        /// The reason.
        error: String,
    },
}

/// Reads energies.
pub fn read_energies(input: &mut dyn BufRead) -> Result<ProjectEnergies, DigestReadError> {
    let mut groups: Vec<GroupEnergies> = Vec::new();
    each_line(input, |line| {
        match serde_json::from_str(line).map_err(|error| error.to_string())? {
            EnergyRecord::Format(DIGEST_FORMAT) => {}
            EnergyRecord::Format(other) => return Err(format!("form {other} is unknown")),
            EnergyRecord::Group(runs) => {
                if let Some(last) = groups.last_mut() {
                    last.methods.shrink();
                }
                groups.push(GroupEnergies { runs: *runs, methods: MethodTable::default() });
            }
            EnergyRecord::Method(method) => {
                let group = groups.last_mut().ok_or("a method before any run")?;
                if !group.methods.push(&method) {
                    return Err("a method out of order".to_owned());
                }
            }
        }
        Ok(())
    })?;
    if let Some(last) = groups.last_mut() {
        last.methods.shrink();
    }
    Ok(ProjectEnergies { groups: groups.into_iter().map(Arc::new).collect() })
}

/// Reads calls of a run, between methods of its group.
pub fn read_calls(
    (run, methods): (i64, &MethodTable),
    input: &mut dyn BufRead,
) -> Result<CallDetails, DigestReadError> {
    let mut details = CallDetails::new(run);
    each_line(input, |line| {
        let record = serde_json::from_str::<CallRecord>(line);
        details.push(record.map_err(|error| error.to_string())?, methods);
        Ok(())
    })?;
    details.shrink();
    Ok(details)
}

fn each_line(
    input: &mut dyn BufRead,
    mut take: impl FnMut(&str) -> Result<(), String>,
) -> Result<(), DigestReadError> {
    let mut text = String::new();
    let mut line = 0;
    loop {
        text.clear();
        line += 1;
        let read = std::io::Read::take(&mut *input, LONGEST as u64).read_line(&mut text)?;
        if read == 0 {
            return Ok(());
        }
        take(text.trim_end()).map_err(|error| DigestReadError::Line { line, error })?;
    }
}
