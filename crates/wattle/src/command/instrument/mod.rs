//! `wattle instrument`: package → probes → package and probe map.

mod destination;
mod key;
mod plan;
mod summary;
mod terminal;

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use wattle_apk::{ApkSet, WrittenSet};
use wattle_probe::{CodeFile, InstrumentedPackage, ProbeError, Stage};

use self::destination::Destination;
use self::summary::Summary;
use super::output;
use crate::cli::Instrument;
use crate::exit::{Failure, Outcome};
use crate::progress::Activity;

/// Does it.
pub fn run(instrument: &Instrument) -> Outcome {
    let activity = Activity::new("instrumenting", instrument.quiet);
    let bare = is_bare_code(&instrument.inputs)?;
    let mut summary = if bare { code(instrument) } else { packages(instrument) }?;
    drop(activity);
    summary.finish();
    if let Some(path) = &instrument.json {
        let mut text = serde_json::to_vec_pretty(&summary)
            .context("JSON summary")
            .map_err(Failure::Internal)?;
        text.push(b'\n');
        if path.as_os_str() == "-" {
            return output::print(&text);
        }
        output::write_file(path, &text)?;
    }
    if instrument.quiet { Ok(()) } else { output::print(terminal::text(&summary).as_bytes()) }
}

/// Whether the input is one Dalvik executable, by its content.
fn is_bare_code(inputs: &[std::path::PathBuf]) -> Result<bool, Failure> {
    use std::io::Read as _;
    let mut bare = false;
    for path in inputs {
        let mut magic = [0; 4];
        let file = std::fs::File::open(path);
        let count = file
            .and_then(|mut file| file.read(&mut magic))
            .with_context(|| path.display().to_string())
            .map_err(Failure::Input)?;
        bare |= count == 4 && magic == *b"dex\n";
    }
    if bare && inputs.len() > 1 {
        return Err(Failure::Usage(anyhow::anyhow!(
            "expected packages of one app or one .dex, found a .dex among {} files",
            inputs.len()
        )));
    }
    Ok(bare)
}

fn packages(instrument: &Instrument) -> Result<Summary, Failure> {
    let started = Instant::now();
    let options = plan::options(instrument)?;
    let set = ApkSet::open(&instrument.inputs).map_err(|error| input(error.into()))?;
    let destination = Destination::of_packages(instrument, &set)?;
    let mut package = wattle_probe::PackageOptions::default();
    package.debuggable = instrument.debuggable;
    package.key = key::choose(&instrument.signing, set.min_sdk())?;
    let read = started.elapsed();
    let mut done = wattle_probe::instrument_packages(&set, &options, &package).map_err(failure)?;
    add(&mut done.code.stages, Stage::Read, read);

    let mut summary = Summary::new(instrument, &done.code);
    summary.of_package(&set, &done);
    let started = Instant::now();
    let InstrumentedPackage { packages, code, .. } = done;
    let files = match packages {
        WrittenSet::Archive(bytes) => vec![(String::new(), bytes)],
        WrittenSet::Files(files) => files,
    };
    summary.bytes_in = sizes(&instrument.inputs)?;
    for (index, (_, bytes)) in files.iter().enumerate() {
        write(&mut summary, instrument, destination.file(index), bytes)?;
    }
    write_map(&mut summary, instrument, &destination, &code.map)?;
    summary.stage(Stage::Write, started.elapsed());
    Ok(summary)
}

fn code(instrument: &Instrument) -> Result<Summary, Failure> {
    let Some(path) = instrument.inputs.first() else {
        return Err(Failure::Usage(anyhow::anyhow!("expected a file")));
    };
    plan::refuse_flags_of_packages(instrument)?;
    let started = Instant::now();
    let options = plan::options(instrument)?;
    let bytes =
        std::fs::read(path).with_context(|| path.display().to_string()).map_err(Failure::Input)?;
    let destination = Destination::of_code(instrument, path)?;
    let size = bytes.len() as u64;
    let files = [CodeFile { name: path.display().to_string(), bytes: Cow::Owned(bytes) }];
    let read = started.elapsed();
    let mut done = wattle_probe::instrument(&files, &options).map_err(failure)?;
    add(&mut done.stages, Stage::Read, read);

    let mut summary = Summary::new(instrument, &done);
    summary.bytes_in = size;
    let started = Instant::now();
    for (index, file) in done.files.iter().enumerate() {
        write(&mut summary, instrument, destination.file(index), &file.bytes)?;
    }
    write(&mut summary, instrument, destination.runtime(), &done.runtime)?;
    write_map(&mut summary, instrument, &destination, &done.map)?;
    summary.stage(Stage::Write, started.elapsed());
    Ok(summary)
}

fn add(stages: &mut [(Stage, std::time::Duration)], stage: Stage, time: std::time::Duration) {
    if let Some((_, total)) = stages.iter_mut().find(|(other, _)| *other == stage) {
        *total += time;
    }
}

fn sizes(paths: &[std::path::PathBuf]) -> Result<u64, Failure> {
    let mut total = 0;
    for path in paths {
        let known = std::fs::metadata(path).with_context(|| path.display().to_string());
        total += known.map_err(Failure::Input)?.len();
    }
    Ok(total)
}

fn write(
    summary: &mut Summary,
    instrument: &Instrument,
    path: std::path::PathBuf,
    bytes: &[u8],
) -> Outcome {
    summary.bytes_out += bytes.len() as u64;
    if !instrument.dry_run {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("creating {}", folder.display()))
                .map_err(Failure::Environment)?;
        }
        output::write_file(&path, bytes)?;
    }
    summary.output.push(path);
    Ok(())
}

fn write_map(
    summary: &mut Summary,
    instrument: &Instrument,
    destination: &Destination,
    map: &[u8],
) -> Outcome {
    let path = destination.map();
    if !instrument.dry_run {
        output::write_file(&path, map)?;
    }
    summary.map.file = path;
    Ok(())
}

/// What a failure of the library is to the user.
fn failure(error: ProbeError) -> Failure {
    match error {
        ProbeError::Runtime(_) | ProbeError::Unsettled { .. } => Failure::Internal(error.into()),
        _ => input(error.into()),
    }
}

fn input(error: anyhow::Error) -> Failure {
    Failure::Input(error)
}

/// The name of a path's file without its last ending, and the ending with its dot.
fn stem_and_ending(path: &Path) -> (String, String) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.rfind('.').filter(|&at| at > 0) {
        Some(at) => (name[..at].to_owned(), name[at..].to_owned()),
        None => (name, String::new()),
    }
}
