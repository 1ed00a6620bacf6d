//! `wattle export`: a ledger in the formats of other programs.

use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_diagnose::Input;
use wattle_export::{ExportError, ExportOptions, Extract, Filter, Format, Mark, TableKind};
use wattle_ledger::{Ledger, StretchDetail};
use wattle_report::NoEnergy;
use wattle_timeline::first_error;

use super::analysis::{self, AnalysisPlan};
use super::usual_findings::Findings;
use super::{asked_names, finding_marks, inputs, judgement, output, whole_file};
use crate::cli::Export;
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// One file, or standard output.
#[derive(Debug, PartialEq)]
struct Target {
    format: Format,
    table: Option<TableKind>,
    /// `None` for standard output.
    path: Option<PathBuf>,
    /// Whether a folder was named, which is made if need be.
    is_in_folder: bool,
}

/// Runs `wattle export`.
pub fn run(export: &Export) -> Outcome {
    let targets = targets(export).map_err(Failure::Usage)?;
    refuse_terminal(&targets)?;
    let config = if inputs::saved_ledgers(&export.inputs)?.is_empty() {
        Config::find(export.modelling.config.as_deref())?
    } else {
        refuse_flags_of_traces(export)?;
        Config::default()
    };
    let plan = AnalysisPlan {
        reading: export.reading,
        store: export.store.clone(),
        stretches: if targets.iter().any(|target| target.format.has_times()) {
            StretchDetail::All
        } else {
            StretchDetail::None
        },
        ..AnalysisPlan::new(&config, export.modelling.clone(), export.symbols.clone())
    };
    let (ledger, mut marks) = ledger_and_marks(export, &targets, &plan)?;
    asked_names::check_apps(&export.app, &ledger)?;
    asked_names::check_processes(&export.process, &ledger)?;
    asked_names::check_threads(&export.thread, &ledger)?;
    let filter = Filter {
        apps: export.app.clone(),
        processes: export.process.clone(),
        threads: export.thread.clone(),
    };
    finding_marks::keep_asked(&mut marks, &filter, &ledger);
    let extract = Extract::part(&ledger, &filter).with_marks(marks);
    if extract.total().is_none() {
        return Err(nothing_to_export(&ledger));
    }
    if ledger.over_time.stretches.is_empty()
        && targets.iter().any(|target| target.format.has_time_axis())
    {
        say(
            export,
            "the ledger has no times of call paths, so times in the result are not real: paths are drawn one after the other",
        )?;
    }
    let targets = with_rows(targets, &extract, export)?;
    let options = |target: &Target| ExportOptions {
        unit: export.unit,
        annotate: export.annotate,
        table: target.table,
    };
    for target in &targets {
        write(&extract, target, options(target))?;
        if let Some(path) = &target.path {
            output::say_written(path, export.quiet);
        }
    }
    let errors = ledger.quality.errors();
    if let Some(error) = first_error(&errors).filter(|_| !export.strictness.strict) {
        say(export, &format!("error in the input: {error}"))?;
    }
    judgement::judge(export.strictness, &errors)
}

/// The ledger, and the findings where they are looked for: in recordings, for formats that show when they were.
fn ledger_and_marks(
    export: &Export,
    targets: &[Target],
    plan: &AnalysisPlan,
) -> Result<(Ledger, Vec<Mark>), Failure> {
    let has_time_axis = targets.iter().any(|target| target.format.has_time_axis());
    if !has_time_axis || !inputs::saved_ledgers(&export.inputs)?.is_empty() {
        let ledger = analysis::ledger_of(&export.inputs, plan, export.quiet)?;
        return Ok((ledger, Vec::new()));
    }
    let reading = plan.reading.options();
    let mut timeline = analysis::read_as(&export.inputs, &reading, export.quiet)?;
    analysis::symbolise(&mut timeline, &plan.symbols, &reading.unpacking)?;
    let window = timeline.scenario;
    let (power, ledger) = analysis::energy(&timeline, &export.inputs, plan, window)?;
    let input = Input { timeline: &timeline, power: &power, ledger: &ledger };
    let found = Findings::Usual.find(input, &export.app, window, &plan.accepted)?;
    let marks = found.as_ref().map(finding_marks::marks).unwrap_or_default();
    Ok((ledger, marks))
}

/// The failure where there is no energy to export: of the whole recording, or of what the filter leaves.
fn nothing_to_export(ledger: &Ledger) -> Failure {
    let why = if Extract::whole(ledger).total().is_some() {
        "no process or thread that the filter names has any energy".to_owned()
    } else {
        format!("no energy figure: {}", NoEnergy::new(ledger))
    };
    Failure::Input(anyhow::anyhow!("nothing to export: {why}"))
}

/// The targets without tables that would be empty: of several tables these are left out, with a remark; one alone is a failure.
fn with_rows(
    targets: Vec<Target>,
    extract: &Extract<'_>,
    export: &Export,
) -> Result<Vec<Target>, Failure> {
    let (kept, empty): (Vec<Target>, Vec<Target>) =
        targets.into_iter().partition(|it| it.table.is_none_or(|table| table.has_rows(extract)));
    let names: Vec<&str> = empty.iter().filter_map(|it| it.table).map(TableKind::name).collect();
    if names.is_empty() {
        return Ok(kept);
    }
    let names = names.join(", ");
    if kept.is_empty() {
        let why = "times of components and call paths are not in the ledger, or the filter leaves none of them";
        return Err(Failure::Input(anyhow::anyhow!("nothing to export to table {names}: {why}")));
    }
    say(export, &format!("tables without rows are not written: {names}"))?;
    Ok(kept)
}

/// A remark beside the result.
fn say(export: &Export, text: &str) -> Outcome {
    if export.quiet {
        return Ok(());
    }
    writeln!(std::io::stderr(), "wattle: {text}")
        .context("standard error")
        .map_err(Failure::Environment)
}

fn write(extract: &Extract<'_>, target: &Target, options: ExportOptions) -> Outcome {
    let write = |to: &mut dyn Write| -> Result<(), ExportError> {
        let mut to = BufWriter::new(to);
        wattle_export::write(extract, target.format, options, &mut to)?;
        Ok(to.flush()?)
    };
    let Some(path) = &target.path else {
        return write(&mut std::io::stdout().lock())
            .map_err(|error| failure(error, Path::new("standard output")));
    };
    if let Some(folder) = path.parent().filter(|_| target.is_in_folder) {
        whole_file::create_folder(folder)?;
    }
    whole_file::write_with(path, |to| write(to)).map_err(|error| failure(error, path))
}

fn failure(error: ExportError, path: &Path) -> Failure {
    let is_usage = matches!(error, ExportError::NoTable { .. } | ExportError::PartOfLedger);
    let error = anyhow::Error::new(error);
    if is_usage {
        return Failure::Usage(error);
    }
    Failure::Environment(error.context(format!("writing {}", path.display())))
}

/// The files to write, in order of the command line.
fn targets(export: &Export) -> anyhow::Result<Vec<Target>> {
    let (formats, outputs) = (&export.format, &export.output);
    let mut targets = Vec::new();
    match (formats.as_slice(), outputs.as_slice()) {
        ([], []) => anyhow::bail!("expected --format, or --output with a name that tells it"),
        ([], outputs) => {
            for path in outputs {
                let format = Format::of_name(path).with_context(|| {
                    format!("{}: no format has this file ending: expected --format", path.display())
                })?;
                add(&mut targets, export.table, format, path);
            }
        }
        ([format], []) => add(&mut targets, export.table, *format, Path::new("-")),
        (formats, outputs) if formats.len() == outputs.len() => {
            for (format, path) in formats.iter().zip(outputs) {
                add(&mut targets, export.table, *format, path);
            }
        }
        (formats, [folder]) if !output::is_stdout(Some(folder)) => {
            for format in formats {
                if format.is_tables() {
                    add_tables(&mut targets, export.table, *format, &folder.join(format.name()));
                    continue;
                }
                let name = format!("energy{}", format.endings().first().unwrap_or(&""));
                let path = Some(folder.join(name));
                targets.push(Target { format: *format, table: None, path, is_in_folder: true });
            }
        }
        (formats, outputs) => anyhow::bail!(
            "{} formats and {} outputs: expected an output for each format, or one folder",
            formats.len(),
            outputs.len()
        ),
    }
    if targets.iter().filter(|target| target.path.is_none()).count() > 1 {
        anyhow::bail!("standard output takes one format");
    }
    Ok(targets)
}

/// A format with the output that was named for it.
fn add(targets: &mut Vec<Target>, table: Option<TableKind>, format: Format, path: &Path) {
    let is_folder = path.is_dir() || path.to_string_lossy().ends_with('/');
    if format.is_tables() && is_folder {
        return add_tables(targets, table, format, path);
    }
    let is_archive = format.is_archive(path);
    let table = match table {
        // A file holds one table, and that of call paths sums to the whole ledger.
        None if format.is_tables() && !is_archive => Some(TableKind::Paths),
        table => table,
    };
    let path = (!output::is_stdout(Some(path))).then(|| path.to_owned());
    targets.push(Target { format, table, path, is_in_folder: false });
}

/// A file each, in a folder.
fn add_tables(targets: &mut Vec<Target>, table: Option<TableKind>, format: Format, folder: &Path) {
    let tables = table.map_or_else(|| TableKind::ALL.to_vec(), |table| vec![table]);
    for table in tables {
        let path = Some(folder.join(format!("{table}.{format}")));
        targets.push(Target { format, table: Some(table), path, is_in_folder: true });
    }
}

/// Refuses to print binary formats to a terminal.
fn refuse_terminal(targets: &[Target]) -> Outcome {
    let is_binary = |target: &&Target| target.path.is_none() && target.format.is_binary();
    match targets.iter().find(is_binary) {
        Some(target) if std::io::stdout().is_terminal() => Err(Failure::Usage(anyhow::anyhow!(
            "{} is no text: expected --output FILE, or standard output that is no terminal",
            target.format
        ))),
        _ => Ok(()),
    }
}

/// A saved ledger is a result: what decides about results cannot be asked of it again.
fn refuse_flags_of_traces(export: &Export) -> Outcome {
    let costs = (!export.modelling.api_costs.is_empty()).then_some("--api-costs");
    match export.modelling.asked().or_else(|| export.symbols.asked()).or(costs) {
        Some(flag) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs the recording: a saved ledger has been attributed already"
        ))),
        None => Ok(()),
    }
}
