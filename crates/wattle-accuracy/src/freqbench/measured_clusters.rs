use std::collections::{BTreeMap, BTreeSet};

use wattle_fit::order;

use crate::sheet::Sheet;

/// One cluster of one phone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cluster {
    pub(crate) soc: String,
    /// `(kHz, mW)`, rising clocks, each once.
    pub(crate) points: Vec<(f64, f64)>,
}

/// One cluster as a file has it.
#[derive(Debug, Default)]
struct Raw {
    /// The file that is counted.
    file: String,
    /// The powers at each clock in Hz.
    powers: BTreeMap<u64, Vec<f64>>,
}

/// All clusters of all files.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// By SoC, run and CPU.
    measured: BTreeMap<(String, String, u32), Raw>,
    files: BTreeSet<String>,
    /// Clusters that a second file has too.
    pub(crate) repeated: usize,
    /// Points without power.
    pub(crate) powerless: usize,
}

impl Clusters {
    pub(crate) fn is_empty(&self) -> bool {
        self.measured.is_empty()
    }

    pub(crate) fn files(&self) -> Vec<String> {
        self.files.iter().cloned().collect()
    }

    /// Takes a table if it is of freqbench: the joined one (`soc,run,cpu,freq_khz,active_mw`), or `results.csv` of one run in
    /// a folder `SOC/RUN/`.
    pub(crate) fn read(&mut self, file: &str, sheet: &Sheet) -> bool {
        let (clock, power, cpu) = if sheet.has(&["soc", "cpu", "freq_khz", "active_mw"]) {
            ("freq_khz", "active_mw", "cpu")
        } else if sheet.has(&["CPU", "Frequency (kHz)", "Power (mW)"]) {
            ("Frequency (kHz)", "Power (mW)", "CPU")
        } else {
            return false;
        };
        let outer = file.split(':').next().unwrap_or(file);
        self.files.insert(outer.to_owned());
        let mut folders = file.rsplit(['/', '\\', ':']).skip(1);
        let run_folder = folders.next().unwrap_or("main");
        let soc_folder = folders.next().unwrap_or(run_folder);
        let mut repeated = BTreeSet::new();
        for row in 0..sheet.rows() {
            let text = |column, folder: &str| sheet.text(row, column).unwrap_or(folder).to_owned();
            let numbers =
                (sheet.number(row, clock), sheet.number(row, power), sheet.number(row, cpu));
            let (Some(clock), Some(power), Some(cpu)) = numbers else {
                self.powerless += 1;
                continue;
            };
            let key = (text("soc", soc_folder), text("run", run_folder), cpu as u32);
            let raw = self
                .measured
                .entry(key.clone())
                .or_insert_with(|| Raw { file: file.to_owned(), powers: BTreeMap::new() });
            if raw.file != file {
                repeated.insert(key);
            } else if power > 0.0 && clock > 0.0 {
                raw.powers.entry((clock * 1e3) as u64).or_default().push(power);
            } else {
                self.powerless += 1;
            }
        }
        self.repeated += repeated.len();
        true
    }

    /// The clusters with any point; a clock that was measured more than once has the median of its powers.
    pub(crate) fn clusters(&self) -> Vec<Cluster> {
        let clusters = self.measured.iter().map(|((soc, _, _), raw)| Cluster {
            soc: soc.clone(),
            points: raw
                .powers
                .iter()
                .filter_map(|(hertz, powers)| Some((*hertz as f64 / 1e3, order::median(powers)?)))
                .collect(),
        });
        clusters.filter(|cluster| !cluster.points.is_empty()).collect()
    }
}
