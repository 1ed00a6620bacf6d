//! The destinations of results.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use wattle_apk::ApkSet;

use crate::cli::Instrument;
use crate::command::file_identity::FileIdentity;
use crate::command::output::is_stdout;
use crate::exit::{Failure, Outcome};

/// The destinations of results.
#[derive(Debug)]
pub struct Destination {
    /// The packages, or the code.
    files: Vec<PathBuf>,
    /// The first of them, after which the others are named.
    first: PathBuf,
    /// Whether the runtime class has a file of its own.
    bare: bool,
}

impl Destination {
    /// For a package, an archive of packages, or a base package with splits.
    pub fn of_packages(instrument: &Instrument, set: &ApkSet) -> Result<Self, Failure> {
        let files = files(instrument)?;
        let is_base =
            |index: usize| set.members().get(index).is_some_and(|it| it.manifest.is_base());
        let base = (0..files.len()).find(|index| is_base(*index)).filter(|_| !set.is_archive());
        let first = files.get(base.unwrap_or(0)).cloned().unwrap_or_default();
        let destination = Self { files, first, bare: false };
        destination.check(instrument, 0)?;
        Ok(destination)
    }

    /// For one Dalvik executable.
    pub fn of_code(instrument: &Instrument) -> Result<Self, Failure> {
        let files = files(instrument)?;
        let first = files.first().cloned().unwrap_or_default();
        let destination = Self { files, first, bare: true };
        destination.check(instrument, 0)?;
        Ok(destination)
    }

    /// Refuses to write over what is read, and to write one file twice; `count` is the number of packages or files
    /// of code, where it is known already.
    pub fn check(&self, instrument: &Instrument, count: usize) -> Outcome {
        let signing = &instrument.probing.signing;
        let others = [&signing.key, &signing.certificate, &instrument.probing.mapping];
        let read = instrument.inputs.iter().chain(others.into_iter().flatten());
        let read: Vec<(&PathBuf, FileIdentity)> =
            read.filter_map(|path| Some((path, FileIdentity::from_path(path)?))).collect();
        let mut written: BTreeMap<FileIdentity, &str> = BTreeMap::new();
        for (what, path) in self.all(instrument, count) {
            let Some(identity) = FileIdentity::from_path(&path) else { continue };
            if let Some((input, _)) = read.iter().find(|(_, other)| *other == identity) {
                return Err(Failure::Usage(anyhow::anyhow!(
                    "{}: {what} would replace {}, expected another file than the input",
                    path.display(),
                    input.display()
                )));
            }
            match written.insert(identity, what) {
                None => {}
                Some(other) if other == what => {
                    return Err(Failure::Usage(anyhow::anyhow!(
                        "{}: two inputs would be written to this file; rename one",
                        path.display()
                    )));
                }
                Some(other) => {
                    return Err(Failure::Usage(anyhow::anyhow!(
                        "{}: {other} and {what} would be written to this file; name another with --output",
                        path.display()
                    )));
                }
            }
        }
        Ok(())
    }

    fn all(&self, instrument: &Instrument, count: usize) -> Vec<(&'static str, PathBuf)> {
        let count = count.max(self.files.len());
        let mut all: Vec<_> = (0..count).map(|index| ("the result", self.file(index))).collect();
        if self.bare {
            all.push(("the runtime class", self.runtime()));
        }
        all.push(("the probe map", self.map()));
        let json = instrument.json.as_ref().filter(|path| !is_stdout(Some(path)));
        all.extend(json.map(|path| ("the summary", path.clone())));
        all
    }

    /// The file at a position. Code that had to move to another file follows under the name of the first.
    pub fn file(&self, position: usize) -> PathBuf {
        let known = self.files.get(position).cloned();
        known.unwrap_or_else(|| self.code(&format!("-{}", position + 1)))
    }

    /// The code with the runtime class, beside a bare `.dex`.
    pub fn runtime(&self) -> PathBuf {
        self.code("-runtime")
    }

    /// The probe map.
    pub fn map(&self) -> PathBuf {
        named(&self.first, ".probes", Some(OsStr::new("jsonl")))
    }

    fn code(&self, tail: &str) -> PathBuf {
        named(&self.first, tail, self.first.extension())
    }
}

/// A file for each input.
fn files(instrument: &Instrument) -> Result<Vec<PathBuf>, Failure> {
    let inputs = &instrument.inputs;
    let Some(output) = &instrument.output else {
        return inputs.iter().map(|path| beside(path)).collect();
    };
    if is_stdout(Some(output)) {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--output -: expected the name of a file or folder"
        )));
    }
    let ends_open = output.as_os_str().as_encoded_bytes().last();
    let ends_open = ends_open.is_some_and(|&last| std::path::is_separator(char::from(last)));
    if inputs.len() == 1 && !ends_open && !output.is_dir() {
        return Ok(vec![output.clone()]);
    }
    if output.exists() && !output.is_dir() {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--output {}: expected a folder, found a file",
            output.display()
        )));
    }
    let name = |path: &PathBuf| output.join(path.file_name().unwrap_or_default());
    Ok(inputs.iter().map(name).collect())
}

/// `app.traced.apk` beside `app.apk`.
fn beside(path: &Path) -> Result<PathBuf, Failure> {
    // A pipe has no place beside it.
    if !path.is_file() {
        return Err(Failure::Usage(anyhow::anyhow!(
            "{}: not a regular file; name the result with --output",
            path.display()
        )));
    }
    Ok(named(path, ".traced", path.extension()))
}

/// A path whose file has another end of its name and another ending.
fn named(path: &Path, tail: &str, ending: Option<&OsStr>) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(tail);
    if let Some(ending) = ending {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}
