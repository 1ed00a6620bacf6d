//! `wattle instrument`: package → probes → package and probe map.

mod destination;
pub mod key;
pub mod plan;
mod probe_budget;
mod scope_check;
mod summary;
mod terminal;

use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use wattle_apk::{ApkSet, Leftover, WrittenSet, invalid_beside};
use wattle_probe::{CodeFile, InstrumentedPackage, ProbeError, Stage};

use self::destination::Destination;
pub use self::probe_budget::ProbeBudget;
pub use self::scope_check::ScopeCheck;
use self::summary::Summary;
use super::verify::input::{self, Input, Kind};
use super::{output, whole_file};
use crate::cli::Instrument;
use crate::exit::{Failure, Outcome};
use crate::progress::Activity;

/// Runs `wattle instrument`.
pub fn run(instrument: &Instrument) -> Outcome {
    let activity = Activity::new("instrumenting", instrument.quiet);
    let started = Instant::now();
    // Each file is read once: it may be a pipe.
    let inputs = input::read(&instrument.inputs).map_err(Failure::Input)?;
    let bytes = inputs.iter().map(|input| input.bytes.len() as u64).sum();
    let reading = started.elapsed();
    let mut summary = if is_bare_code(&inputs)? {
        code(instrument, inputs)
    } else {
        packages(instrument, inputs)
    }?;
    drop(activity);
    summary.bytes_in = bytes;
    summary.stage(Stage::Read, reading);
    summary.finish();
    if let Some(path) = &instrument.json {
        let mut text = serde_json::to_vec_pretty(&summary)
            .context("JSON summary")
            .map_err(Failure::Internal)?;
        text.push(b'\n');
        if output::is_stdout(Some(path)) {
            return output::print(&text);
        }
        whole_file::write_in_new_folder(path, &text)?;
    }
    if instrument.quiet { Ok(()) } else { output::print(terminal::text(&summary).as_bytes()) }
}

/// Whether the input is one Dalvik executable, by its content.
fn is_bare_code(inputs: &[Input]) -> Result<bool, Failure> {
    let bare = inputs.iter().any(|input| input.kind == Kind::Dex);
    if bare && inputs.len() > 1 {
        return Err(Failure::Usage(anyhow::anyhow!(
            "expected packages of one app or one .dex, found a .dex among {} files",
            inputs.len()
        )));
    }
    if let Some(archive) = inputs.iter().find(|input| input.kind == Kind::Archive) {
        return Err(Failure::Input(anyhow::anyhow!(
            "{}: an archive without AndroidManifest.xml is not a package; extract its classes.dex and pass that",
            archive.name
        )));
    }
    Ok(bare)
}

fn packages(instrument: &Instrument, inputs: Vec<Input>) -> Result<Summary, Failure> {
    let started = Instant::now();
    let mut options = plan::options(&instrument.probing)?;
    let budget = ProbeBudget::from_flags(&instrument.probing)?.unwrap_or_default();
    options.left_out = budget.left_out;
    let files = inputs.into_iter().map(|input| (input.name, input.bytes)).collect();
    let room = instrument.unpacking.budget();
    let too_large = || instrument.unpacking.refusal(&instrument.inputs);
    let set = ApkSet::within(files, room.clone()).map_err(|error| {
        if room.is_exceeded() { too_large() } else { unreadable(instrument, error.into()) }
    })?;
    let destination = Destination::of_packages(instrument, &set)?;
    let mut package = wattle_probe::PackageOptions::default();
    package.debuggable = instrument.probing.debuggable;
    let chosen = key::choose(&instrument.probing.signing, set.min_sdk(), instrument.dry_run)?;
    package.key = chosen.as_ref().map(|chosen| chosen.key.clone());
    let read = started.elapsed();
    let mut done =
        wattle_probe::instrument_packages(&set, &options, &package).map_err(|error| {
            if room.is_exceeded() { too_large() } else { failure(instrument, error) }
        })?;
    add(&mut done.code.stages, Stage::Read, read);
    let check = ScopeCheck {
        probing: &instrument.probing,
        counts: &done.code.counts,
        own: &done.own_packages,
    };
    check.refuse_nothing()?;
    let few = check.few();

    let mut summary = Summary::new(instrument, &done.code);
    let beside: Vec<Leftover> =
        instrument.inputs.iter().flat_map(|path| invalid_beside(path)).collect();
    summary.of_package(&set, &beside, &done);
    summary.signed_with = chosen.as_ref().map(|chosen| chosen.origin.clone());
    summary.notes.extend(chosen.and_then(|chosen| chosen.note));
    summary.notes.extend(few);
    summary.notes.extend(Some(budget.note).filter(|note| !note.is_empty()));
    let started = Instant::now();
    let InstrumentedPackage { packages, code, .. } = done;
    let files = match packages {
        WrittenSet::Archive(bytes) => vec![(String::new(), bytes)],
        WrittenSet::Files(files) => files,
    };
    destination.check(instrument, files.len())?;
    for (index, (_, bytes)) in files.iter().enumerate() {
        write(&mut summary, instrument, &destination.file(index), bytes)?;
    }
    write_map(&mut summary, instrument, &destination, &code.map)?;
    summary.stage(Stage::Write, started.elapsed());
    Ok(summary)
}

fn code(instrument: &Instrument, inputs: Vec<Input>) -> Result<Summary, Failure> {
    plan::refuse_flags_of_packages(&instrument.probing)?;
    let started = Instant::now();
    let options = plan::options(&instrument.probing)?;
    let destination = Destination::of_code(instrument)?;
    let file = |input: Input| CodeFile { name: input.name, bytes: Cow::Owned(input.bytes) };
    let files: Vec<CodeFile<'_>> = inputs.into_iter().map(file).collect();
    let read = started.elapsed();
    let mut done =
        wattle_probe::instrument(&files, &options).map_err(|error| failure(instrument, error))?;
    add(&mut done.stages, Stage::Read, read);
    let check = ScopeCheck { probing: &instrument.probing, counts: &done.counts, own: &[] };
    check.refuse_nothing()?;

    let mut summary = Summary::new(instrument, &done);
    let started = Instant::now();
    destination.check(instrument, done.files.len())?;
    for (index, file) in done.files.iter().enumerate() {
        write(&mut summary, instrument, &destination.file(index), &file.bytes)?;
    }
    write(&mut summary, instrument, &destination.runtime(), &done.runtime)?;
    write_map(&mut summary, instrument, &destination, &done.map)?;
    summary.stage(Stage::Write, started.elapsed());
    Ok(summary)
}

fn add(stages: &mut [(Stage, std::time::Duration)], stage: Stage, time: std::time::Duration) {
    if let Some((_, total)) = stages.iter_mut().find(|(other, _)| *other == stage) {
        *total += time;
    }
}

fn write(summary: &mut Summary, instrument: &Instrument, path: &Path, bytes: &[u8]) -> Outcome {
    summary.bytes_out += bytes.len() as u64;
    if !instrument.dry_run {
        whole_file::write_in_new_folder(path, bytes)?;
    }
    summary.output.push(path.to_string_lossy().into_owned());
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
        whole_file::write_in_new_folder(&path, map)?;
    }
    summary.map.file = path.to_string_lossy().into_owned();
    Ok(())
}

/// Converts an error of the library to a failure for the user.
fn failure(instrument: &Instrument, error: ProbeError) -> Failure {
    match error {
        ProbeError::Runtime(_) | ProbeError::Unsettled { .. } | ProbeError::Unsound { .. } => {
            Failure::Internal(error.into())
        }
        _ => unreadable(instrument, error.into()),
    }
}

/// An error that names the file, or all of them where it may be any.
fn unreadable(instrument: &Instrument, error: anyhow::Error) -> Failure {
    let names: Vec<_> = instrument.inputs.iter().map(|path| path.to_string_lossy()).collect();
    let text = format!("{error:#}");
    let is_named = names.iter().any(|name| text.contains(&**name));
    Failure::Input(if is_named { error } else { error.context(names.join(", ")) })
}
