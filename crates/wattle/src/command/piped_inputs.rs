//! Inputs that can be read only once, standard input (`-`) and pipes: readers look at a file more than once, so what comes out of them is
//! kept in a file while the command runs.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use super::file_identity::FileIdentity;
use super::whole_file::{self, Unfinished};
use super::{input_names, run_limits};
use crate::cli::Verb;
use crate::exit::{Failure, Outcome};

/// The name for standard input on a command line.
const ON_COMMAND_LINE: &str = "-";
/// Its name in results and messages.
const STANDARD_INPUT: &str = "standard input";
/// Bytes that are kept of one input: what has no end would fill the disk.
const MOST: u64 = 8 << 30;
/// Bytes that are copied at once.
const PIECE: usize = 1 << 18;
/// Pause before a pipe that has nothing yet, and does not wait by itself, is asked again.
const PAUSE: Duration = Duration::from_millis(10);

/// The files that stand for such inputs; they go when it does.
#[derive(Debug, Default)]
pub struct PipedInputs {
    /// Each file has a folder of its own, so that it keeps its name.
    folders: Vec<(TempDir, Unfinished)>,
    /// The pipes that were read.
    read: Vec<FileIdentity>,
}

impl PipedInputs {
    /// Reads those of a command to their end, and names the files in their place. A view that shows that it loads does so itself.
    pub fn of_verb(verb: &mut Verb) -> Result<Self, Failure> {
        let mut inputs = inputs(verb);
        if inputs.iter().any(|input| is_standard(input) || is_pipe(input)) {
            run_limits::abandon_when_interrupted();
        }
        Self::keep(inputs.iter_mut().map(|input| &mut **input))
    }

    /// The same of these.
    pub fn keep<'a>(inputs: impl IntoIterator<Item = &'a mut PathBuf>) -> Result<Self, Failure> {
        let mut kept = Self::default();
        for input in inputs {
            kept.replace(input)?;
        }
        Ok(kept)
    }

    fn replace(&mut self, input: &mut PathBuf) -> Outcome {
        if is_standard(input) {
            self.check_first(Path::new("/dev/stdin"), ON_COMMAND_LINE)?;
            let standard = std::io::stdin();
            if standard.is_terminal() {
                return Err(Failure::Usage(anyhow::anyhow!(
                    "-: standard input is the terminal; expected a recording from a pipe or a file: `wattle report - < FILE`"
                )));
            }
            *input = self.file(Path::new(STANDARD_INPUT), STANDARD_INPUT, standard.lock())?;
        } else if is_pipe(input) {
            let name = input.display().to_string();
            self.check_first(input, &name)?;
            let from = File::open(&*input).with_context(|| name.clone()).map_err(Failure::Input)?;
            // The numbers of `/dev/fd/63` tell nothing.
            let own = input.file_name().and_then(|own| own.to_str());
            let own = own.filter(|own| own.parse::<u32>().is_err()).unwrap_or("pipe").to_owned();
            *input = self.file(Path::new(&own), &name, from)?;
        }
        Ok(())
    }

    /// Refuses a pipe that was read already: it has nothing more, or waits for ever.
    fn check_first(&mut self, path: &Path, name: &str) -> Outcome {
        let Some(pipe) = FileIdentity::of_pipe(path) else { return Ok(()) };
        if self.read.contains(&pipe) {
            return Err(Failure::Usage(anyhow::anyhow!(
                "{name} is given twice: a pipe can be read once"
            )));
        }
        self.read.push(pipe);
        Ok(())
    }

    /// A file with everything that the stream gives.
    fn file(&mut self, own: &Path, name: &str, mut from: impl Read) -> Result<PathBuf, Failure> {
        let writing = || {
            let folder = whole_file::temporary_files();
            format!("{name}: it is kept in a file in {}", folder.display())
        };
        let (folder, unfinished) = Unfinished::folder("wattle-input-")
            .with_context(writing)
            .map_err(Failure::Environment)?;
        let path = folder.path().join(own);
        self.folders.push((folder, unfinished));
        let mut file = new_file(&path).with_context(writing).map_err(Failure::Environment)?;
        input_names::stands_for(&path, name);
        let mut piece = vec![0; PIECE];
        let mut bytes = 0;
        loop {
            let read = match from.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(PAUSE);
                    continue;
                }
                read => read.with_context(|| name.to_owned()).map_err(Failure::Input)?,
            };
            let Some(some) = piece.get(..read).filter(|some| !some.is_empty()) else { break };
            bytes += read as u64;
            if bytes > MOST {
                return Err(Failure::Input(anyhow::anyhow!(
                    "{name}: more than {} GiB: save it as a file and give that",
                    MOST >> 30
                )));
            }
            file.write_all(some).with_context(writing).map_err(Failure::Environment)?;
        }
        if bytes == 0 {
            return Err(Failure::Input(anyhow::anyhow!(
                "{name}: nothing came out of it; expected a recording"
            )));
        }
        Ok(path)
    }
}

/// A file that was not there, and that only this user may read.
fn new_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == ON_COMMAND_LINE
}

/// Whether a path is a pipe (`<(…)`, `mkfifo`, `/dev/stdin` behind one).
fn is_pipe(path: &Path) -> bool {
    FileIdentity::of_pipe(path).is_some()
}

/// The recordings that a command reads before it shows anything.
fn inputs(verb: &mut Verb) -> Vec<&mut PathBuf> {
    match verb {
        Verb::Report(report) => {
            report.traces.iter_mut().chain(&mut report.metering.meter).collect()
        }
        Verb::Diff(diff) => {
            let named = [&mut diff.before, &mut diff.after].into_iter().flatten();
            let runs = named.chain(&mut diff.before_runs).chain(&mut diff.after_runs);
            runs.chain(&mut diff.also_before).chain(&mut diff.also_after).collect()
        }
        Verb::Diagnose(diagnose) => diagnose.inputs.iter_mut().collect(),
        Verb::Export(export) => export.inputs.iter_mut().collect(),
        Verb::Calibrate(calibrate) => calibrate.traces.iter_mut().collect(),
        _ => Vec::new(),
    }
}
