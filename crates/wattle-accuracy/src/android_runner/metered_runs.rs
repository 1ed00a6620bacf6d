use std::collections::{BTreeMap, BTreeSet};

use crate::sheet::Sheet;

/// One run on the meter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metered {
    pub(crate) session: String,
    pub(crate) joules: f64,
}

/// All runs of all files.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// By subject, which is a package's path with dashes.
    pub(crate) metered: BTreeMap<String, Vec<Metered>>,
    /// By experiment: the name of its folder, in lower case with underscores.
    pub(crate) estimated: BTreeMap<String, Vec<f64>>,
    files: BTreeSet<String>,
    /// Runs that were marked as failed, or have no number.
    pub(crate) failed: usize,
}

impl Runs {
    pub(crate) fn is_empty(&self) -> bool {
        self.metered.is_empty() && self.estimated.is_empty()
    }

    pub(crate) fn files(&self) -> Vec<String> {
        self.files.iter().cloned().collect()
    }

    /// Takes the table of one run: `EXPERIMENT/data/DEVICE/SUBJECT/monsoon/*.csv` with `energy_joules,duration_ms,error_flag`, or
    /// `…/batterystats/Joule_results_*.csv` with `Joule_calculated`.
    pub(crate) fn read(&mut self, file: &str, sheet: &Sheet) -> bool {
        let is_metered = sheet.has(&["energy_joules", "duration_ms"]) && !sheet.has(&["device"]);
        let is_estimated = sheet.has(&["Joule_calculated"]);
        // The joined tables beside the runs say the same again.
        let is_joined = file
            .rsplit(['/', '\\'])
            .next()
            .is_some_and(|name| name.to_ascii_lowercase().starts_with("aggregated"));
        if is_joined || !(is_metered || is_estimated) {
            return false;
        }
        let folders: Vec<&str> = file.split(['/', '\\', ':']).collect();
        let data = folders.iter().rposition(|folder| *folder == "data");
        let at = |place: Option<usize>| place.and_then(|place| folders.get(place)).copied();
        let experiment = at(data.and_then(|data| data.checked_sub(1))).unwrap_or(file);
        let subject = at(data.map(|data| data + 2)).unwrap_or(file);
        self.files.insert(file.split(':').next().unwrap_or(file).to_owned());
        for row in 0..sheet.rows() {
            let is_failed = sheet.text(row, "error_flag").is_some_and(|flag| flag != "False");
            let column = if is_metered { "energy_joules" } else { "Joule_calculated" };
            let joules = sheet.number(row, column).filter(|joules| *joules > 0.0 && !is_failed);
            let Some(joules) = joules else {
                self.failed += 1;
                continue;
            };
            if is_metered {
                let run = Metered { session: experiment.to_owned(), joules };
                self.metered.entry(subject.to_owned()).or_default().push(run);
            } else {
                let name = experiment.to_ascii_lowercase().replace(' ', "_");
                self.estimated.entry(name).or_default().push(joules);
            }
        }
        true
    }

    /// The metered runs of an experiment that was estimated.
    pub(crate) fn metered_of(&self, experiment: &str) -> Option<&Vec<Metered>> {
        let marked = format!("-{experiment}-");
        self.metered.iter().find(|(subject, _)| subject.contains(&marked)).map(|(_, runs)| runs)
    }
}
