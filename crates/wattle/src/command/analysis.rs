//! Recording → timeline → power → ledger: the way of every command that shows energy.

use std::path::{Path, PathBuf};

use wattle_ingest::ReadOptions;
use wattle_ledger::{
    AttributionOptions, HardwareEvidence, Ledger, SharedPolicy, StretchDetail, Unfinished,
};
use wattle_power::{ModelChoice, ModelFile, PowerEstimate};
use wattle_recording::ArtifactKind;
use wattle_symbols::Sources;
use wattle_timeline::{Note, Severity, Timeline, Window};
use wattle_unpack::UnpackBudget;

use super::accepted_findings::AcceptedFindings;
use super::{inputs, kept_runs};
use crate::cli::{Modelling, Prefer, Reading, Shared, Stacks, StoreChoice, Symbols};
use crate::config::Config;
use crate::exit::{Failure, Outcome};
use crate::progress::Bar;

/// Parts of a ledger that only some views need.
#[derive(Debug, Clone, Copy, Default)]
pub struct LedgerParts {
    /// The energy of entries over time, for a page and for a saved ledger.
    pub energy_bins: bool,
    /// The reasons why threads did not run, for the view of that, for a page and for a saved ledger.
    pub waits: bool,
}

impl LedgerParts {
    /// Those of a ledger that is saved or shown as a page.
    pub const ALL: Self = Self { energy_bins: true, waits: true };
}

/// The plan of turning recordings into a ledger: flags, completed by the configuration, and the needs of the command's views.
#[derive(Debug, Clone, Default)]
pub struct AnalysisPlan {
    /// Power model and attribution.
    pub modelling: Modelling,
    /// Symbol files for sampled stacks and obfuscated methods.
    pub symbols: Symbols,
    /// Whether files that contradict each other are one recording.
    pub reading: Reading,
    /// The history whose runs are named.
    pub store: StoreChoice,
    /// Keep the figures that Navitas shows for upper bounds.
    pub legacy: bool,
    /// Compute per-call quantiles for all slices, including those known only by name.
    pub all_call_stats: bool,
    /// Keep the power of call paths over time, for views with a time axis.
    pub stretches: StretchDetail,
    /// Parts of the ledger that only some views need.
    pub keep: LedgerParts,
    /// Findings that are known, where a view shows findings.
    pub accepted: AcceptedFindings,
}

impl AnalysisPlan {
    /// A plan with nothing beyond what flags and configuration decide.
    pub fn new(config: &Config, modelling: Modelling, symbols: Symbols) -> Self {
        Self {
            modelling: config.modelling(modelling),
            symbols,
            accepted: AcceptedFindings::new(config, None),
            ..Self::default()
        }
    }
}

/// Reads files or recording folders as the artifacts of one recording.
pub fn read(paths: &[PathBuf], quiet: bool) -> Result<Timeline, Failure> {
    read_as(paths, &ReadOptions::default(), quiet)
}

/// The same, told what the files do not say.
pub fn read_as(paths: &[PathBuf], options: &ReadOptions, quiet: bool) -> Result<Timeline, Failure> {
    refuse_twice(paths)?;
    let mut bar = Bar::new(quiet);
    let read = wattle_ingest::read_paths_as(paths, options, &mut bar);
    drop(bar);
    let mut timeline = read.map_err(|error| Failure::Input(error.into()))?;
    if let Some(nothing) = wattle_ingest::nothing_read(&timeline) {
        return Err(Failure::Input(nothing.into()));
    }
    own_profile(&mut timeline, paths);
    Ok(timeline)
}

/// Gives sampled addresses and shrunk methods the names that the flags let be found, in files that unpack to no more than is left of the
/// budget.
pub fn symbolise(timeline: &mut Timeline, flags: &Symbols, unpacking: &UnpackBudget) -> Outcome {
    let Symbols { symbols, mapping, kallsyms } = flags;
    let sources = Sources::open_within(symbols, mapping, kallsyms.as_deref(), unpacking);
    let sources = sources.map_err(|error| Failure::Input(error.into()))?;
    wattle_symbols::symbolise(timeline, &sources);
    sources.check_budget().map_err(|error| Failure::Input(error.into()))
}

/// A saved ledger has the names that it was made with.
pub fn refuse_symbols(flags: &Symbols) -> Outcome {
    match flags.asked() {
        Some(flag) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs the recording: a saved ledger has its names already"
        ))),
        None => Ok(()),
    }
}

/// The ledger of what a command line names: one saved ledger as it is, or what recordings and traces give. Saved ledgers know no
/// stretches unless they were saved with them.
pub fn ledger_of(paths: &[PathBuf], plan: &AnalysisPlan, quiet: bool) -> Result<Ledger, Failure> {
    let saved = inputs::saved_ledgers(paths)?;
    if !saved.is_empty() {
        refuse_symbols(&plan.symbols)?;
    }
    match saved.as_slice() {
        [] => {
            let reading = plan.reading.options();
            let mut timeline = read_as(paths, &reading, quiet)?;
            symbolise(&mut timeline, &plan.symbols, &reading.unpacking)?;
            let scenario = timeline.scenario;
            ledger(&timeline, paths, plan, scenario)
        }
        [saved] => kept_runs::load(saved, &plan.store),
        several => Err(Failure::Usage(anyhow::anyhow!(
            "{} saved ledgers: expected one, or the traces of one recording",
            several.len()
        ))),
    }
}

/// The content of a file counts once, so that it must not be given twice.
fn refuse_twice(paths: &[PathBuf]) -> Outcome {
    let mut seen = std::collections::BTreeSet::new();
    // What cannot be found is reported when it is read.
    for path in paths.iter().filter_map(|path| path.canonicalize().ok()) {
        if !seen.insert(path.clone()) {
            let text = format!("{}: given twice; each file of a recording once", path.display());
            return Err(Failure::Usage(anyhow::anyhow!(text)));
        }
    }
    Ok(())
}

/// Attributes a window of it, or all.
pub fn ledger(
    timeline: &Timeline,
    paths: &[PathBuf],
    plan: &AnalysisPlan,
    window: Option<Window>,
) -> Result<Ledger, Failure> {
    energy(timeline, paths, plan, window).map(|(_, ledger)| ledger)
}

/// The same with the power behind it.
pub fn energy(
    timeline: &Timeline,
    paths: &[PathBuf],
    plan: &AnalysisPlan,
    window: Option<Window>,
) -> Result<(PowerEstimate, Ledger), Failure> {
    let modelling = &plan.modelling;
    let mut power = inputs::power_options(modelling)?;
    power.window = window;
    power.recorded_profile = paths.iter().find_map(|path| recorded_profile(path).ok().flatten());
    let mut attribution = AttributionOptions::default();
    attribution.window = window;
    attribution.legacy = plan.legacy;
    attribution.all_call_stats = plan.all_call_stats;
    attribution.keep_waits = plan.keep.waits;
    attribution.stretches = plan.stretches;
    attribution.keep_energy_bins = plan.keep.energy_bins;
    attribution.keep_tracks = plan.keep.energy_bins;
    if modelling.strict_attribution {
        attribution.hardware = HardwareEvidence::Calls;
    }
    attribution.stacks = match modelling.stacks {
        None | Some(Stacks::Auto) => wattle_ledger::Stacks::Auto,
        Some(Stacks::Calls) => wattle_ledger::Stacks::Calls,
        Some(Stacks::Samples) => wattle_ledger::Stacks::Samples,
    };
    attribution.shared = match modelling.shared {
        None | Some(Shared::Proportional) => SharedPolicy::Proportional,
        Some(Shared::None) => SharedPolicy::None,
        Some(Shared::FirstWaker) => SharedPolicy::FirstWaker,
    };
    attribution.prefer = match modelling.prefer {
        None | Some(Prefer::Split) => wattle_ledger::Prefer::Split,
        Some(Prefer::Total | Prefer::LowOverhead) => wattle_ledger::Prefer::Total,
    };
    for path in &modelling.apis {
        attribution.api_sets.add(inputs::api_sets(path).map_err(Failure::Input)?);
    }
    attribution.api_costs = inputs::api_costs(modelling).map_err(Failure::Input)?;
    if power.model == ModelChoice::Curves {
        // `--model curves` counts what Wattson counts, so that both can be held against each other.
        attribution.unfinished = Unfinished::UntilLastEvent;
    }
    let estimate =
        wattle_power::estimate(timeline, &power).map_err(|error| Failure::Input(error.into()))?;
    let ledger = wattle_ledger::attribute(timeline, &estimate, &attribution)
        .map_err(|error| Failure::Internal(error.into()))?;
    Ok((estimate, ledger))
}

/// A profile that is there and cannot be used is said in the report; the recording is good without it.
fn own_profile(timeline: &mut Timeline, paths: &[PathBuf]) {
    for path in paths {
        if let Err(reason) = recorded_profile(path) {
            let text = format!("power_profile.xml of the recording: {reason}; it is not used");
            timeline.quality.notes.push(Note::new(Severity::Warning, "profile-unreadable", text));
        }
    }
}

/// The power profile that a recording folder holds.
fn recorded_profile(path: &Path) -> Result<Option<wattle_power::PowerProfile>, String> {
    let inside = wattle_ingest::only_recording(path);
    let folder = inside.as_deref().unwrap_or(path);
    if !folder.join(wattle_recording::FILE_NAME).is_file() {
        return Ok(None);
    }
    let recording = wattle_recording::load(folder).map_err(|error| error.to_string())?;
    let is_profile = |kind: Option<ArtifactKind>| kind == Some(ArtifactKind::PowerProfile);
    let Some(artifact) = recording.artifacts.iter().find(|artifact| is_profile(artifact.kind))
    else {
        return Ok(None);
    };
    let bytes = std::fs::read(folder.join(&artifact.file)).map_err(|error| error.to_string())?;
    match ModelFile::parse("the recorded device", &bytes) {
        Ok(ModelFile::Profile(profile)) => Ok(Some(*profile)),
        Ok(ModelFile::Device(_)) => {
            Err("expected a power profile, found a device model".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}
