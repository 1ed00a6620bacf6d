//! Stage 7: the ledger.
//!
//! In: the results of all stages before. Out: a [`Ledger`], whose rows are the paths that consumed energy, ran or were entered, and
//! whose entries refer to rows alone. Every total is compared with the integral of its tracks before the ledger is handed out.

mod booking_rows;
mod cpu_rows;
mod path_rows;
mod probe_sheet;
mod rows_of_frames;
mod series_rows;
mod single_calls;
mod site_rows;
mod span_rows;
mod test_rows;
mod track_rows;

use wattle_power::{ApiCosts, Component, PowerEstimate};
use wattle_timeline::{Note, Severity, SiteId, Timeline, Uid, Window};
use wattle_units::Nanos;

use self::path_rows::PathRows;
use self::single_calls::{CallSamples, CallSource, ThreadPower, ThreadTracks, test_methods};
use self::site_rows::{Sites, coverage};
use super::bookings::{Bookings, merged};
use super::call_paths::{CallTrees, SampledThreads};
use super::context::Context;
use super::first_stages::Stages;
use super::named_spans::NamedSpans;
use crate::{
    Account, ArtifactEntry, EnergyCoverage, Ledger, LedgerError, MeterIntervals, PackageEntry,
    Sampling, UpperBounds, closure, transfer_entry, wait_entry,
};

/// The ledger of a recording.
///
/// # Errors
///
/// [`LedgerError::DoesNotClose`] when the entries of a component do not add up to the integral of its tracks,
/// [`LedgerError::TooMany`] when there are more components than numbers.
pub(crate) fn ledger(
    context: &Context<'_>,
    estimate: &PowerEstimate,
    Stages { paths, occupancy, active, .. }: Stages<'_>,
    mut bookings: Bookings,
    named: &NamedSpans,
) -> Result<Ledger, LedgerError> {
    let Context { timeline, options, window, .. } = *context;
    let mut ledger = Ledger::empty(window);
    recording_facts(timeline, &mut ledger);
    power_facts(estimate, &mut ledger);
    ledger.power.errors = std::mem::take(&mut bookings.errors);
    options.shared.name().clone_into(&mut ledger.power.shared_policy);
    ledger.quality = timeline.quality.clone();
    ledger.quality.notes.extend(estimate.notes.iter().cloned());
    ledger.quality.notes.append(&mut bookings.notes);
    ledger.quality.notes.extend(named.note());
    ledger.quality.notes.extend(cpu_rows::blind_time(timeline, &occupancy.cores));

    let numbers = PathRows::new(timeline, &paths.trees, &occupancy.cpu, &bookings.lines);
    let sites = numbers.fill(timeline, paths, &occupancy.cpu, &mut ledger);
    booking_rows::fill(&bookings.lines, &numbers, &occupancy.handlers, &mut ledger)?;
    ledger.power.coverage = energy_coverage(timeline, estimate, &ledger);
    ledger.closure = closure::check(&ledger, bookings.lines.integrals())?;
    ledger.rows.packages = packages(timeline, &ledger.rows.accounts);
    ledger.rows.cpus =
        cpu_rows::entries(timeline, &occupancy.cores, &active.tracks, &bookings.tracks);
    test_rows::fill(timeline, &bookings.span_lines, &bookings.spans, &mut ledger);
    span_rows::fill(named, &bookings, &mut ledger);
    rows_of_frames::fill(context, &paths.trees, &bookings.lines, &mut ledger);

    ledger.over_time.bins = bookings.bins;
    ledger.over_time.series =
        series_rows::by_component(bookings.bins, window, &active.tracks, &bookings.tracks);
    // Freed at once: they are more than anything that is made of them.
    ledger.over_time.stretches =
        merged(&std::mem::take(&mut bookings.stretches), |path| numbers.path(path));
    if options.keep_energy_bins {
        let cells = std::mem::take(&mut bookings.cells);
        let table = cells.into_table(window, &bookings.lines, &ledger.bookings);
        // A recording without length has no time axis.
        ledger.over_time.energy = Some(table).filter(|table| table.bins.count > 0);
        ledger.over_time.meter_intervals = MeterIntervals::all(estimate);
    }

    if options.keep_tracks {
        let rows = track_rows::TrackRows::new(context, paths, occupancy, &numbers);
        ledger.over_time.tracks = Some(rows.tracks(estimate, &active.tracks, &ledger));
    }

    ledger.sheets.transfers = transfer_entry::entries(timeline, &options.api_sets);
    ledger.sheets.sampling = sampling(timeline, &paths.sampled, &ledger, window);
    ledger.sheets.coverage = coverage(timeline, &paths.trees);
    ledger.sheets.probes = probe_sheet::sheet(timeline, paths, &occupancy.cpu.probes);
    if let Some(probes) = &ledger.sheets.probes {
        let share = probe_sheet::share(timeline, paths, &bookings.lines, &occupancy.cpu);
        ledger.quality.notes.extend(probes.notes(share));
    }
    if let Some(costs) = &estimate.clocks
        && let Some((bounds, notes)) = UpperBounds::new(timeline, costs, window, options.legacy)
    {
        ledger.quality.notes.extend(notes);
        ledger.sheets.upper_bounds = Some(bounds);
    }
    if options.keep_waits {
        fill_waits(timeline, window, &mut ledger);
    }
    if ledger.has_api_calls() {
        ledger.fill_api_sheet(options.api_costs.as_ref().unwrap_or_else(|| ApiCosts::library()));
    }
    single_calls(timeline, &paths.trees, &sites, &mut bookings, &mut ledger);
    Ok(ledger)
}

fn fill_waits(timeline: &Timeline, window: Window, ledger: &mut Ledger) {
    match wait_entry::waits(timeline, window) {
        Ok(waits) => {
            ledger.sheets.waits = waits.entries;
            ledger.sheets.doubtful_waits = waits.doubtful;
            if waits.dropped > 0 {
                let text = "waits of threads that are too many to be kept: those with least time";
                let note = Note::new(Severity::Info, "waits-cut", text).times(waits.dropped);
                ledger.quality.notes.push(note);
            }
        }
        Err(reason) => ledger.sheets.no_waits = Some(reason),
    }
}

/// Writes the facts about the recording.
fn recording_facts(timeline: &Timeline, ledger: &mut Ledger) {
    let facts = &mut ledger.recording;
    facts.artifacts = timeline
        .quality
        .artifacts
        .iter()
        .map(|artifact| ArtifactEntry {
            name: artifact.name.clone(),
            format: artifact.format.clone(),
            bytes: artifact.bytes,
        })
        .collect();
    facts.device.clone_from(&timeline.device);
    let apps = timeline.tasks.apps.iter();
    facts.apps = apps.map(|name| timeline.names.get(*name).to_owned()).collect();
    facts.has_scheduler = timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty());
}

/// Writes the facts about models and meters.
fn power_facts(estimate: &PowerEstimate, ledger: &mut Ledger) {
    let facts = &mut ledger.power;
    facts.model.clone_from(&estimate.model);
    facts.rails.clone_from(&estimate.rails);
    facts.battery.clone_from(&estimate.battery);
    facts.battery_facts.clone_from(&estimate.battery_facts);
    facts.spread.clone_from(&estimate.spread);
    facts.statements.clone_from(&estimate.statements);
}

/// The coverage of the total, which contains what no track accounts for where an entry says so.
fn energy_coverage(
    timeline: &Timeline,
    estimate: &PowerEstimate,
    ledger: &Ledger,
) -> Option<EnergyCoverage> {
    let is_unmetered = ledger.rows.accounts.contains(&Account::Unmetered);
    let battery = estimate.battery.as_ref().filter(|_| is_unmetered);
    let whole_device = battery.map_or(Nanos::ZERO, |battery| battery.discharging);
    let window = ledger.recording.window;
    EnergyCoverage::new(&estimate.coverage, window, timeline.device.system, whole_device)
}

/// The energy of single calls, and the methods that ran in the time of each test.
fn single_calls(
    timeline: &Timeline,
    calls: &CallTrees,
    sites: &Sites,
    bookings: &mut Bookings,
    ledger: &mut Ledger,
) {
    let watched = &bookings.watched;
    if !watched.contains(&true) {
        return;
    }
    let pieces = bookings.tracks.iter_mut().map(|track| std::mem::take(&mut track.pieces));
    let tracks = ThreadTracks::all(timeline, watched);
    let is_cpu = |component: &crate::ComponentEntry| component.name == Component::Cpu;
    let has_scheduler = timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty());
    let is_known = has_scheduler && ledger.rows.components.iter().any(is_cpu);
    let powers = is_known.then(|| ThreadPower::all(pieces));
    let cost = |site: SiteId| {
        // Looked up once, for the sheet.
        let api = ledger.rows.sites.get(sites.row(Some(site))? as usize)?.api?;
        let cost = ledger.sheets.apis.apis.get(api as usize)?.cost.as_ref()?;
        Some(cost.per_call.joules)
    };
    let source =
        CallSource { timeline, calls, powers: powers.as_ref(), window: ledger.recording.window };
    let samples = CallSamples::new(&source, &tracks, &cost);
    let row = |site: SiteId| sites.row(Some(site));
    ledger.sheets.call_stats = samples.into_stats(timeline, row);
    ledger.test_runs.methods = test_methods(timeline, &tracks, ledger.recording.window, row);
}

/// The packages of apps that energy is attributed to as a whole, in the order of the recording. A package is known by its uid of the first user.
fn packages(timeline: &Timeline, accounts: &[Account]) -> Vec<PackageEntry> {
    let of_app = |uid: u32| {
        let packages = timeline.tasks.packages.iter();
        let of_uid = packages.filter(move |package| package.uid.app_id() == Uid(uid).app_id());
        of_uid.map(move |package| PackageEntry {
            name: timeline.names.get(package.name).to_owned(),
            uid,
        })
    };
    let uids = accounts.iter().filter_map(|account| match account {
        Account::App { uid } => Some(*uid),
        _ => None,
    });
    uids.flat_map(of_app).collect()
}

/// The samples that paths were made from, if any.
fn sampling(
    timeline: &Timeline,
    sampled: &SampledThreads,
    ledger: &Ledger,
    window: Window,
) -> Option<Sampling> {
    let mut sampling = sampled.sampling(timeline, window)?;
    let is_unsampled = |path: &&crate::PathEntry| {
        let frame = path.frame.and_then(|frame| ledger.rows.frames.get(frame as usize));
        frame.is_some_and(|frame| frame.class == crate::FrameClass::Unsampled)
    };
    sampling.unsampled =
        ledger.rows.paths.iter().filter(is_unsampled).map(|path| path.self_cpu).sum();
    Some(sampling)
}

#[cfg(test)]
mod tests {
    use wattle_power::Scope;
    use wattle_timeline::CpuId;

    use crate::attribution::device_users::DeviceUsers;
    use crate::attribution::first_stages::Stages;
    use crate::attribution::named_spans::NamedSpans;
    use crate::attribution::test_recording::TestRecording;
    use crate::{Account, PathId};

    /// Thread 1 runs in `a`, which calls `b`; thread 2 never runs; thread 3 is only inside a call.
    #[test]
    fn rows_are_the_paths_that_ran_or_were_entered() {
        let recording = TestRecording::new(3, 100)
            .calls(1, &[(10, 90, "a", 0), (30, 50, "b", 1)])
            .calls(3, &[(20, 30, "c", 0)])
            .cpu(&[(0, 100, 1)], &[])
            .track(Scope::Core(CpuId(0)), &[(100, 1.0)]);
        let (context, paths, occupancy) =
            (recording.context(), recording.paths(), recording.occupancy());
        let bookings = recording.bookings();
        let (active, users) = (recording.active(), DeviceUsers::default());
        let stages =
            Stages { paths: &paths, occupancy: &occupancy, users: &users, active: &active };
        let named = NamedSpans::default();
        let ledger = super::ledger(&context, &recording.estimate, stages, bookings, &named)
            .expect("a ledger");
        let rows = &ledger.rows;
        let found: Vec<_> = rows
            .paths
            .iter()
            .map(|path| (path.thread, path.caller, path.name.as_str(), path.self_cpu.value()))
            .collect();
        let expected = [
            (0, None, "", 20),
            (0, Some(PathId(0)), "a", 60),
            (0, Some(PathId(1)), "b", 20),
            (1, None, "", 0),
            (1, Some(PathId(3)), "c", 0),
        ];
        assert_eq!(found, expected);
        assert_eq!((rows.threads.len(), rows.processes.len()), (2, 1));
        let accounts: Vec<_> = (0..3).map(|path| Account::Path { path: PathId(path) }).collect();
        assert_eq!(rows.accounts, accounts);
        let nanojoules: Vec<_> =
            ledger.bookings.iter().map(|it| (it.joules.value() * 1e9).round()).collect();
        assert_eq!(nanojoules, [20.0, 60.0, 20.0]);
        assert_eq!(ledger.closure.len(), 1);
    }
}
