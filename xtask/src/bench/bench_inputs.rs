//! Inputs: real files where they are at hand, and files that `bench_inputs` of wattle-sim writes.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::programs;
use crate::places;

/// Source of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// A file of `$WATTLE_DATA`, else of `../shared/data`.
    Real(&'static str),
    /// A real Perfetto trace so many times over.
    Repeated(&'static str, u32),
    /// One that is written here: its name, the end of the file's name, how often its smallest size.
    Generated(&'static str, &'static str, u64),
}

/// Makes inputs once for a run of the benchmark.
pub struct Inputs {
    folder: tempfile::TempDir,
    writer: Option<PathBuf>,
}

impl Inputs {
    pub fn new() -> Result<Self> {
        // Traces that are a hundred times as long do not belong in memory, which `/tmp` may be.
        std::fs::create_dir_all(programs::cache())?;
        let folder = tempfile::Builder::new().prefix("inputs.").tempdir_in(programs::cache())?;
        Ok(Self { folder, writer: None })
    }

    /// A folder for what commands write.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file of an input; `None` if it needs a recording that is not here.
    pub fn file(&mut self, input: Input) -> Result<Option<PathBuf>> {
        match input {
            Input::Real(name) => Ok(real(name)),
            Input::Repeated(name, times) => {
                let Some(trace) = real(name) else { return Ok(None) };
                let out = self.folder().join(format!("x{times}.perfetto-trace"));
                let trace = trace.to_str().context("a path in UTF-8")?.to_owned();
                self.write(&["repeat", &trace, &times.to_string()], out).map(Some)
            }
            Input::Generated(name, end, scale) => {
                let out = self.folder().join(format!("{name}-{scale}{end}"));
                self.write(&[name, &scale.to_string()], out).map(Some)
            }
        }
    }

    fn write(&mut self, arguments: &[&str], out: PathBuf) -> Result<PathBuf> {
        if out.is_file() {
            return Ok(out);
        }
        let writer = match &self.writer {
            Some(writer) => writer.clone(),
            None => self.writer.insert(programs::of_inputs()?).clone(),
        };
        let status = Command::new(&writer).args(arguments).arg(&out).status()?;
        if !status.success() {
            bail!("{} {}: {status}", writer.display(), arguments.join(" "));
        }
        Ok(out)
    }
}

/// A real recording, if it is here.
fn real(name: &str) -> Option<PathBuf> {
    Some(places::data()?.join(name)).filter(|path| path.is_file())
}
