use std::path::PathBuf;

use wattle_fit::FitError;

use crate::source::DataSets;
use crate::{AccuracyError, Line, Options, SetEntry, Table};
use crate::{android_runner, androwatts, freqbench, rails};

/// Reads the data sets in these files and folders and judges every model on them.
///
/// # Errors
/// When a path cannot be read, nothing in it is a known data set, or a set is too small.
pub fn judge(paths: &[PathBuf], options: &Options) -> Result<Table, AccuracyError> {
    let found = DataSets::read(paths, options)?;
    let mut names = Vec::new();
    if !found.androwatts.is_empty() {
        names.push("androwatts");
    }
    if !found.clusters.is_empty() {
        names.push(freqbench::SET);
    }
    if !found.runs.is_empty() {
        names.push("android-runner");
    }
    if !found.rails.is_empty() {
        names.push(rails::SET);
    }
    if let Some(wanted) = &options.set
        && !names.contains(&wanted.as_str())
    {
        return Err(AccuracyError::NoSuchSet { wanted: wanted.clone(), found: names.join(", ") });
    }
    names.retain(|name| options.set.as_deref().is_none_or(|wanted| wanted == *name));
    let mut sets: Vec<SetEntry> = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    for name in names {
        let judged = match name {
            "androwatts" => androwatts::judge(&found.androwatts, options),
            rails::SET => Ok(rails::judge(&found.rails)),
            "android-runner" => Ok(android_runner::judge(&found.runs)),
            _ => freqbench::judge(&found.clusters),
        };
        let failed = |source: FitError| AccuracyError::Fit { set: name.to_owned(), source };
        let (set, own) = judged.map_err(failed)?;
        sets.push(set);
        lines.extend(own);
    }
    Ok(Table::new(options.seed, sets, lines, found.notes))
}
