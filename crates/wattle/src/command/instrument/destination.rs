//! Where results go.

use std::path::{Path, PathBuf};

use wattle_apk::ApkSet;

use super::stem_and_ending;
use crate::cli::Instrument;
use crate::exit::Failure;

/// Where results go.
#[derive(Debug)]
pub struct Destination {
    /// The packages, or the code.
    files: Vec<PathBuf>,
    /// The first of them without its ending.
    stem: PathBuf,
    /// The ending of code.
    ending: String,
}

impl Destination {
    /// For a package, an archive of packages, or a base package with splits.
    pub fn of_packages(instrument: &Instrument, set: &ApkSet) -> Result<Self, Failure> {
        let inputs = &instrument.inputs;
        let files: Vec<PathBuf> = match (&instrument.output, inputs.as_slice()) {
            (Some(output), [_]) => vec![output.clone()],
            (Some(folder), several) => {
                let name = |path: &PathBuf| folder.join(path.file_name().unwrap_or_default());
                several.iter().map(name).collect()
            }
            (None, inputs) => inputs.iter().map(|path| beside(path)).collect(),
        };
        let base = set.base().map(|base| base.name.as_str());
        let base = inputs.iter().position(|path| Some(&*path.to_string_lossy()) == base);
        let first = files.get(base.unwrap_or(0)).cloned().unwrap_or_default();
        Self::new(instrument, files, &first)
    }

    /// For one Dalvik executable.
    pub fn of_code(instrument: &Instrument, input: &Path) -> Result<Self, Failure> {
        let file = instrument.output.clone().unwrap_or_else(|| beside(input));
        Self::new(instrument, vec![file.clone()], &file)
    }

    fn new(instrument: &Instrument, files: Vec<PathBuf>, first: &Path) -> Result<Self, Failure> {
        let same = |input: &PathBuf, output: &PathBuf| {
            let real = |path: &PathBuf| path.canonicalize().ok();
            input == output || (real(input).is_some() && real(input) == real(output))
        };
        for (input, output) in instrument.inputs.iter().zip(&files) {
            if same(input, output) {
                return Err(Failure::Usage(anyhow::anyhow!(
                    "--output {}: expected another file than the input",
                    output.display()
                )));
            }
        }
        let (stem, ending) = stem_and_ending(first);
        Ok(Self { files, stem: first.with_file_name(stem), ending })
    }

    /// The file at a position. Code that had to move to another file follows under the name of the first.
    pub fn file(&self, position: usize) -> PathBuf {
        let known = self.files.get(position).cloned();
        known.unwrap_or_else(|| self.named(&format!("-{}{}", position + 1, self.ending)))
    }

    /// The code with the runtime class, beside a bare `.dex`.
    pub fn runtime(&self) -> PathBuf {
        self.named(&format!("-runtime{}", self.ending))
    }

    /// The probe map.
    pub fn map(&self) -> PathBuf {
        self.named(".probes.jsonl")
    }

    fn named(&self, tail: &str) -> PathBuf {
        let mut name = self.stem.file_name().unwrap_or_default().to_owned();
        name.push(tail);
        self.stem.with_file_name(name)
    }
}

/// `app.traced.apk` beside `app.apk`.
fn beside(path: &Path) -> PathBuf {
    let (stem, ending) = stem_and_ending(path);
    path.with_file_name(format!("{stem}.traced{ending}"))
}
