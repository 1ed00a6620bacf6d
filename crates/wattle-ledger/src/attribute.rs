//! From power tracks to a ledger.

use std::collections::BTreeMap;

use wattle_power::{Component, PowerEstimate, PowerTrack, Scope};
use wattle_timeline::{CpuId, Note, Severity, SiteId, ThreadId, Timeline, Uid, Window};
use wattle_units::{CompensatedSum, Joules, Nanos};

use crate::booker::{Booked, Booker, Tests};
use crate::burden::Burdens;
use crate::call_tree::CallTrees;
use crate::device_users::DeviceUsers;
use crate::interrupts::Handlers;
use crate::lines::Lines;
use crate::occupancy::{Cores, Occupancy, Occupant};
use crate::owners::Owners;
use crate::rows::Rows;
use crate::sample_tree::SampledThreads;
use crate::sharing::SetActivity;
use crate::single_calls::{
    CallSamples, ThreadPower, ThreadTracks, test_methods, threads_of_interest,
};
use crate::sites::{Sites, coverage};
use crate::spans::Spans;
use crate::test_entry::TestLines;
use crate::unmetered::Unmetered;
use crate::{
    Account, ArtifactEntry, AttributionOptions, CpuEntry, Ledger, LedgerError, PackageEntry,
    PowerBins, ProbeOverhead, Sampling, UpperBounds, closure, path_stretches, probe_overhead,
    recorder, series, transfer_entry,
};

/// Books every joule of the power tracks inside the window to exactly one account.
///
/// # Errors
///
/// [`LedgerError::DoesNotClose`] when the accounts of a component do not add up to the integral of its
/// tracks; [`LedgerError::TooMany`] when there are more rows than ids can count.
pub fn attribute(
    timeline: &Timeline,
    estimate: &PowerEstimate,
    options: &AttributionOptions,
) -> Result<Ledger, LedgerError> {
    let threads = wattle_workers::available(options.threads);
    let window = options.window.unwrap_or(timeline.window);
    let burdens = Burdens::new(timeline, options.unfinished);
    let sampled = SampledThreads::new(timeline, options);
    let calls = CallTrees::new(timeline, &burdens, &sampled, window, threads);
    if calls.len() > Occupant::LIMIT {
        let (what, limit) = ("call paths", Occupant::LIMIT);
        return Err(LedgerError::TooMany { what, count: calls.len(), limit });
    }
    let handlers = Handlers::new(timeline);
    let records = recorder::threads(timeline, &burdens, &options.recorders);
    let cores = Cores {
        timeline,
        calls: &calls,
        handlers: &handlers,
        records: &records,
        has_probes: !burdens.is_empty(),
        window,
        unfinished: options.unfinished,
    };
    // Kept beside its CPU: a recording can have CPUs of which the model knows nothing.
    let exits = estimate.deep_idle_exit.iter().copied().chain(std::iter::repeat(Nanos::ZERO));
    let with_exits: Vec<_> = timeline.cpus.iter().zip(exits).collect();
    let mut cores =
        wattle_workers::ordered(threads, &with_exits, |(cpu, exit)| cores.occupancy(cpu, *exit));
    let paths = calls.len();
    let self_cpu = sum_up(paths, cores.iter_mut().map(|core| std::mem::take(&mut core.self_cpu)));
    let taken = cores.iter_mut().map(|core| std::mem::take(&mut core.probe_cpu));
    let probe_cpu = if burdens.is_empty() { Vec::new() } else { sum_up(paths, taken) };

    let sets = distinct_sets(&estimate.tracks);
    let activities = wattle_workers::ordered(threads, &sets, |set| {
        SetActivity::new(set, &cores, options.shared)
    });
    let sets: Vec<(&[CpuId], SetActivity)> = sets.into_iter().zip(activities).collect();
    let bins = PowerBins::over(window, options.bins);
    let spans = Spans::new(&timeline.tests, window);
    let owners = Owners::new(timeline);
    let own_paths = owners.paths(timeline, &calls);
    let tests = Tests { spans: &spans, owners: &owners, paths: &own_paths };
    let users =
        DeviceUsers::new(timeline, &calls, &estimate.tracks, &options.api_sets, options.prefer);
    let wanted = threads_of_interest(timeline, &records, options.all_call_stats);
    let booker = Booker {
        timeline,
        cores: &cores,
        sets: &sets,
        users: &users,
        window,
        bins,
        tests,
        threads: (&calls, &wanted),
        keep_stretches: options.keep_stretches,
    };
    let mut booked = wattle_workers::ordered(threads, &estimate.tracks, |track| booker.book(track));
    drop(sets);

    let mut lines = Lines::new(&estimate.tracks);
    let mut test_lines = TestLines::default();
    let mut stretches = Vec::new();
    for (track, booked) in estimate.tracks.iter().zip(&mut booked) {
        let component = lines.add(&track.component, &booked.lines, booked.integrated);
        test_lines.add(component, &booked.tests);
        stretches.extend(booked.stretches.drain(..).map(|stretch| (component, stretch)));
    }
    let mut ledger = Ledger::empty(window);
    ledger.errors = estimate.errors.clone();
    ledger.quality = timeline.quality.clone();
    ledger.quality.notes.extend(estimate.notes.iter().cloned());
    if let Some(battery) = &estimate.battery {
        Unmetered::new(battery, &estimate.tracks, window).book(battery, &mut lines, &mut ledger);
    }
    ledger.transfers = transfer_entry::entries(timeline, &options.api_sets);
    ledger.quality.notes.extend(users.notes());
    ledger.quality.notes.extend(blind_time(timeline, &cores));

    lines.sort();
    let cpu = (self_cpu.as_slice(), probe_cpu.as_slice());
    let rows = Rows::new(timeline, &calls, cpu, &lines);
    let sites = rows.fill(timeline, &calls, &sampled.frames, cpu, &mut ledger);
    ledger.sampling = sampling(timeline, &sampled, &ledger, window);
    ledger.stretches = path_stretches::merged(stretches, |path| rows.path(path));
    ledger.coverage = coverage(timeline, &calls);
    lines.fill(&rows, &handlers, &mut ledger)?;
    test_lines.fill(timeline, &spans, &mut ledger);
    ledger.probes = ProbeOverhead::new(timeline, &burdens, &calls, &probe_cpu);
    if let Some(probes) = &ledger.probes {
        let share = probe_overhead::share(timeline, &burdens, &calls, &lines, cpu);
        ledger.quality.notes.extend(probes.notes(share));
    }
    if let Some(costs) = &estimate.clocks
        && let Some((bounds, notes)) = UpperBounds::new(timeline, costs, window, options.legacy)
    {
        ledger.quality.notes.extend(notes);
        ledger.upper_bounds = Some(bounds);
    }
    ledger.closure = closure::check(&ledger, &lines)?;
    ledger.packages = packages(timeline, &ledger.accounts);
    ledger.cpus = cpu_entries(timeline, &cores, &estimate.tracks, &booked);
    ledger.bins = bins;
    ledger.series = series::by_component(bins, window, &estimate.tracks, &booked);
    ledger.artifacts = timeline
        .quality
        .artifacts
        .iter()
        .map(|artifact| ArtifactEntry {
            name: artifact.name.clone(),
            format: artifact.format.clone(),
            bytes: artifact.bytes,
        })
        .collect();
    ledger.device.clone_from(&timeline.device);
    ledger.apps = timeline.apps.iter().map(|name| timeline.names.get(*name).to_owned()).collect();
    ledger.model.clone_from(&estimate.model);
    options.shared.name().clone_into(&mut ledger.shared_policy);
    ledger.has_scheduler = timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty());
    ledger.rails.clone_from(&estimate.rails);
    ledger.battery.clone_from(&estimate.battery);
    ledger.battery_facts.clone_from(&estimate.battery_facts);
    ledger.spread.clone_from(&estimate.spread);
    ledger.fill_api_sheet(&options.api_costs);
    let pieces = booked.iter_mut().map(|booked| std::mem::take(&mut booked.pieces));
    single_calls(timeline, &calls, (&wanted, &sites), pieces, &mut ledger);
    Ok(ledger)
}

/// What single calls drew, and which methods ran in the time of which test.
fn single_calls(
    timeline: &Timeline,
    calls: &CallTrees,
    (wanted, sites): (&[bool], &Sites),
    pieces: impl Iterator<Item = Vec<(ThreadId, Window, f64)>>,
    ledger: &mut Ledger,
) {
    if !wanted.contains(&true) {
        return;
    }
    let tracks = ThreadTracks::all(timeline, wanted);
    let is_cpu = |component: &crate::ComponentEntry| component.name == Component::Cpu;
    let has_scheduler = timeline.cpus.iter().any(|cpu| !cpu.sched.is_empty());
    let is_known = has_scheduler && ledger.components.iter().any(is_cpu);
    let powers = is_known.then(|| ThreadPower::all(pieces));
    let cost = |site: SiteId| {
        // Looked up once, for the sheet.
        let api = ledger.sites.get(sites.row(Some(site))? as usize)?.api?;
        let cost = ledger.api_sheet.apis.get(api as usize)?.cost.as_ref()?;
        Some(cost.per_call.joules)
    };
    let samples = CallSamples::new(timeline, &tracks, calls, powers.as_ref(), &cost, ledger.window);
    let row = |site: SiteId| sites.row(Some(site));
    ledger.call_stats = samples.into_stats(timeline, row);
    ledger.test_methods = test_methods(timeline, &tracks, ledger.window, row);
}

/// The packages of apps that pay as a whole, in the order of the recording. A package is known by its uid of the first user.
fn packages(timeline: &Timeline, accounts: &[Account]) -> Vec<PackageEntry> {
    let of_app = |uid: u32| {
        let packages = timeline.packages.iter();
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

/// Times by path, added up over cores.
fn sum_up(paths: usize, of_cores: impl Iterator<Item = Vec<Nanos>>) -> Vec<Nanos> {
    let mut total = vec![Nanos::ZERO; paths];
    for times in of_cores {
        for (total, time) in total.iter_mut().zip(times) {
            *total += time;
        }
    }
    total
}

/// The sets of cores that tracks are shared by, each once.
fn distinct_sets(tracks: &[PowerTrack]) -> Vec<&[CpuId]> {
    let mut sets: Vec<&[CpuId]> = tracks
        .iter()
        .filter_map(|track| match &track.scope {
            Scope::Cores(set) => Some(&**set),
            _ => None,
        })
        .collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}

fn cpu_entries(
    timeline: &Timeline,
    cores: &[Occupancy],
    tracks: &[PowerTrack],
    booked: &[Booked],
) -> Vec<CpuEntry> {
    let mut sources: BTreeMap<u32, BTreeMap<_, CompensatedSum>> = BTreeMap::new();
    for (track, booked) in tracks.iter().zip(booked) {
        if let Scope::Core(cpu) = track.scope {
            let of_cpu = sources.entry(cpu.0).or_default();
            // A core that drew nothing all the time has a source, too: unlike one that nothing watched.
            if let Some(segment) = track.get(0) {
                of_cpu.entry(segment.source).or_default();
            }
            for (key, sum) in &booked.lines {
                of_cpu.entry(key.source()).or_default().merge(*sum);
            }
        }
    }
    let known = timeline.cpus.len() as u32;
    let mut numbers: Vec<u32> = (0..known).chain(sources.keys().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
        .into_iter()
        .map(|cpu| {
            let scheduled =
                timeline.cpus.get(cpu as usize).is_some_and(|facts| !facts.sched.is_empty());
            let busy = cores.get(cpu as usize).map(|core| Nanos::new(core.busy));
            let joules_by_source = sources
                .remove(&cpu)
                .unwrap_or_default()
                .into_iter()
                .map(|(source, sum)| (source, Joules::new(sum.value())))
                .collect();
            CpuEntry { cpu, joules_by_source, busy: busy.filter(|_| scheduled) }
        })
        .collect()
}

/// Says for how long nothing is known of what cores did.
fn blind_time(timeline: &Timeline, cores: &[Occupancy]) -> Option<Note> {
    if timeline.cpus.is_empty() && !timeline.usage.is_empty() {
        // Totals by app need no scheduler.
        return None;
    }
    if timeline.cpus.iter().all(|cpu| cpu.sched.is_empty()) {
        return Some(Note::new(
            Severity::Warning,
            "no-scheduler",
            "the recording has no scheduler events (sched_switch): what cores drew while not idle \
             is unattributed",
        ));
    }
    let blind: Vec<Nanos> =
        cores.iter().map(|core| Nanos::new(core.unknown)).filter(|time| time.value() > 0).collect();
    let longest = blind.iter().max()?;
    Some(
        Note::new(
            Severity::Info,
            "scheduler-gaps",
            format!(
                "for {} of core time nobody is known to have been on the core (longest on one \
                 core: {longest}); what was drawn then is unattributed",
                blind.iter().copied().sum::<Nanos>()
            ),
        )
        .times(blind.len() as u64),
    )
}

/// What the samples were that paths were made from, if any.
fn sampling(
    timeline: &Timeline,
    sampled: &SampledThreads,
    ledger: &Ledger,
    window: Window,
) -> Option<Sampling> {
    let mut sampling = sampled.sampling(timeline, window)?;
    let is_unsampled = |path: &&crate::PathEntry| {
        let frame = path.frame.and_then(|frame| ledger.frames.get(frame as usize));
        frame.is_some_and(|frame| frame.class == crate::FrameClass::Unsampled)
    };
    sampling.unsampled = ledger.paths.iter().filter(is_unsampled).map(|path| path.self_cpu).sum();
    Some(sampling)
}
