use std::path::{Path, PathBuf};

use crate::android_runner::Runs;
use crate::androwatts::AndroWatts;
use crate::freqbench::Clusters;
use crate::rails::RailTraces;
use crate::sheet::Sheet;
use crate::{AccuracyError, Options, archive};

/// The largest file that is read.
const MOST_BYTES: u64 = 128 << 20;
/// Maximum depth of the search in folders.
const DEEPEST: usize = 16;
/// Endings of traces that can have power rails.
const TRACES: &[&str] =
    &[".perfetto-trace", ".pftrace", ".perfetto", ".perfetto-trace.gz", ".pftrace.gz"];

/// Data found in the files the user pointed at.
#[derive(Debug, Default)]
pub(crate) struct DataSets {
    pub(crate) androwatts: Vec<(String, AndroWatts)>,
    pub(crate) clusters: Clusters,
    pub(crate) runs: Runs,
    pub(crate) rails: RailTraces,
    /// Files that were not read, with the reason.
    pub(crate) notes: Vec<String>,
}

impl DataSets {
    /// Reads files and folders, archives in them included. Every table is known by its columns.
    pub(crate) fn read(paths: &[PathBuf], options: &Options) -> Result<Self, AccuracyError> {
        let rails = RailTraces::new(options);
        let mut found = Self { rails, ..Self::default() };
        for path in paths {
            found.visit(path, 0, true)?;
        }
        if found.is_empty() {
            let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
            return Err(AccuracyError::NothingKnown { looked_at: names.join(", ") });
        }
        Ok(found)
    }

    fn is_empty(&self) -> bool {
        self.androwatts.is_empty()
            && self.clusters.is_empty()
            && self.runs.is_empty()
            && self.rails.is_empty()
    }

    fn visit(&mut self, path: &Path, depth: usize, asked: bool) -> Result<(), AccuracyError> {
        let unreadable = |source| AccuracyError::Read { path: path.display().to_string(), source };
        let facts = path.metadata().map_err(unreadable)?;
        if facts.is_dir() {
            if depth > DEEPEST {
                self.notes.push(format!("{}: too deep, not searched", path.display()));
                return Ok(());
            }
            let entries = std::fs::read_dir(path).map_err(unreadable)?;
            let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            inside.sort();
            for path in inside {
                // One that went away meanwhile, or may not be read, does not spoil the others.
                if let Err(error) = self.visit(&path, depth + 1, false) {
                    self.notes.push(error.to_string());
                }
            }
            return Ok(());
        }
        let name = path.to_string_lossy().into_owned();
        let lower = name.to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
        let is_archive = ends(&[".tar.gz", ".tgz", ".tar"]);
        if ends(TRACES) {
            self.rails.read(path, &name, asked);
            return Ok(());
        }
        if !(asked || is_archive || ends(&[".csv"])) {
            return Ok(());
        }
        if facts.len() > MOST_BYTES {
            self.notes.push(format!("{name}: larger than {MOST_BYTES} bytes, not read"));
            return Ok(());
        }
        let content = std::fs::read(path).map_err(unreadable)?;
        if is_archive {
            let (files, trouble) = archive::tables(&content);
            for (inner, content) in files {
                self.table(&format!("{name}:{inner}"), &content);
            }
            self.notes.extend(trouble.map(|trouble| format!("{name}: read in part: {trouble}")));
        } else {
            self.table(&name, &content);
        }
        Ok(())
    }

    fn table(&mut self, name: &str, content: &[u8]) {
        let sheet = match Sheet::read(content, name) {
            Ok(sheet) => sheet,
            Err(error) => {
                self.notes.push(error.to_string());
                return;
            }
        };
        if AndroWatts::is(&sheet) {
            self.androwatts.push((name.to_owned(), AndroWatts::read(&sheet)));
        } else if !self.clusters.read(name, &sheet) {
            self.runs.read(name, &sheet);
        }
    }
}
