//! The files of a command line: none may be read and written, or written twice.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wattle_report::diagnosis::CsvFile;

use super::file_identity::FileIdentity;
use crate::cli::{BaselineVerb, Modelling, Output, RunsVerb, Symbols, Verb};
use crate::exit::{Failure, Outcome};

/// Files by what a command does with them.
#[derive(Default)]
struct NamedFiles<'a> {
    read: Vec<&'a Path>,
    written: Vec<Cow<'a, Path>>,
}

/// Refuses command lines with which a result would replace an input, or another result.
pub fn check(verb: &Verb) -> Outcome {
    let named = NamedFiles::from_verb(verb);
    let read: BTreeSet<FileIdentity> =
        named.read.iter().filter_map(|path| identity(path)).collect();
    let mut written = BTreeSet::new();
    for path in named.written {
        let Some(identity) = identity(&path) else { continue };
        if read.contains(&identity) {
            return Err(Failure::Usage(anyhow::anyhow!(
                "{} is an input, which the result would replace: expected another name for the result",
                path.display()
            )));
        }
        if !written.insert(identity) {
            return Err(Failure::Usage(anyhow::anyhow!(
                "{} is named for two results: expected a name for each",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The files and folders that a command reads.
pub fn read(verb: &Verb) -> Vec<&Path> {
    NamedFiles::from_verb(verb).read
}

/// `None` for standard output, and for folders, which take more than one file.
fn identity(path: &Path) -> Option<FileIdentity> {
    if path.as_os_str() == "-" || path.is_dir() { None } else { FileIdentity::from_path(path) }
}

impl<'a> NamedFiles<'a> {
    fn from_verb(verb: &'a Verb) -> Self {
        let mut files = Self::default();
        match verb {
            Verb::Report(report) => {
                files.read(&report.traces).read(&report.category).read(&report.metering.meter);
                files.modelling(&report.modelling).symbols(&report.symbols).output(&report.output);
            }
            Verb::Diff(diff) => {
                files.read(diff.inputs());
                files.read(&diff.also_before).read(&diff.also_after);
                files.modelling(&diff.modelling).symbols(&diff.symbols);
                files.write(&diff.output.html).write(&diff.output.folded).write(&diff.output.json);
            }
            Verb::Diagnose(diagnose) => {
                files.read(&diagnose.inputs);
                files.modelling(&diagnose.modelling).symbols(&diagnose.symbols);
                files.write(&diagnose.json).write(&diagnose.sarif).write(&diagnose.html);
                let gate = &diagnose.gate;
                files.write(&gate.write_baseline);
                // A baseline may be brought up to date.
                if gate.baseline != gate.write_baseline {
                    files.read(&gate.baseline);
                }
                if let Some(folder) = &diagnose.out {
                    let tables = CsvFile::ALL.map(|table| Cow::Owned(folder.join(table.name())));
                    files.written.extend(tables);
                }
            }
            Verb::Export(export) => {
                files.read(&export.inputs);
                files.modelling(&export.modelling).symbols(&export.symbols).write(&export.output);
            }
            Verb::Top(top) => {
                files.read(&top.inputs).modelling(&top.modelling).symbols(&top.symbols);
                files.write(&top.json);
            }
            Verb::Calibrate(calibrate) => {
                files.read(&calibrate.traces).read(&calibrate.csv).read(&calibrate.curve);
                // A model that is updated is a result, unless the result has another name.
                let result = calibrate.output.as_ref().or(calibrate.update.as_ref());
                files.write(result).write(&calibrate.json);
            }
            Verb::Mcp(mcp) => {
                files.read(&mcp.traces);
            }
            Verb::Verify(verify) => {
                files.read(&verify.files).write(&verify.json);
            }
            // Its results are known after its inputs were looked at, see its destination.
            Verb::Instrument(instrument) => {
                files.read(&instrument.inputs);
            }
            Verb::Run(run) => {
                files.read(&run.inputs).read(&run.test_apk).read(&run.compare);
                files.modelling(&run.modelling).output(&run.output);
            }
            Verb::Demo(demo) => {
                files.write(&demo.trace).write(&demo.device_model).output(&demo.output);
            }
            Verb::Runs(runs) => match &runs.verb {
                None => {
                    files.write(&runs.list.json);
                }
                Some(RunsVerb::Export { file, .. }) => {
                    files.write([file]);
                }
                Some(RunsVerb::Import(import)) => {
                    files.read(&import.files);
                }
                Some(RunsVerb::Delete { .. } | RunsVerb::Prune(_)) => {}
            },
            Verb::History(history) => {
                files.write(&history.json);
            }
            Verb::Check(check) => {
                let forms = &check.forms;
                files.read(&check.runs).read(&check.findings).read(&check.against.baseline);
                files.read(&check.place.config);
                // Read without being named.
                files.read.extend(["wattle-baseline.json", "wattle.toml"].map(Path::new));
                files.write(&forms.json).write(&forms.markdown).write(&forms.junit);
                files.write(&forms.sarif).write(&forms.gitlab).write(&forms.badge);
            }
            Verb::Baseline(baseline) => {
                if let BaselineVerb::Set(set) = &baseline.verb {
                    files.read(&set.runs).write([&set.out]);
                }
            }
            Verb::Accuracy(accuracy) => {
                files.read(&accuracy.data).write(&accuracy.json);
            }
            // One file at most.
            _ => {}
        }
        files
    }

    fn read(&mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> &mut Self {
        self.read.extend(paths.into_iter().map(PathBuf::as_path));
        self
    }

    fn write(&mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> &mut Self {
        self.written.extend(paths.into_iter().map(|path| Cow::Borrowed(path.as_path())));
        self
    }

    fn output(&mut self, output: &'a Output) -> &mut Self {
        self.write(&output.json).write(&output.html).write(&output.save)
    }

    fn modelling(&mut self, modelling: &'a Modelling) -> &mut Self {
        let Modelling { device_model, apis, api_costs, config, .. } = modelling;
        self.read(device_model).read(apis).read(api_costs).read(config)
    }

    fn symbols(&mut self, symbols: &'a Symbols) -> &mut Self {
        self.read(&symbols.symbols).read(&symbols.mapping).read(&symbols.kallsyms)
    }
}
