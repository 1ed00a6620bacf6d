//! The regions of all threads, as a diagnosis has them.

use rustc_hash::FxHashMap;
use wattle_timeline::{Note, Severity, StackSample, ThreadId, Timeline, Window};

use crate::energy::{Energies, IdlePower, Share};
use crate::events::count_within;
use crate::regions::{Found, Means, Statistics, find, statistics};
use crate::stacks::{FrameTexts, Stacks, ThreadStacks, gather, group};
use crate::survey::Survey;
use crate::{CommonStack, Region, RegionKind, RegionOptions, StackGroup, StackOptions};

/// The sources of regions.
#[derive(Debug)]
pub(crate) struct Sources<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) survey: &'a Survey,
    pub(crate) looked: &'a [Window],
    pub(crate) energies: Option<&'a Energies<'a>>,
    pub(crate) idle_power: Option<&'a IdlePower>,
    pub(crate) regions: &'a RegionOptions,
    pub(crate) stacks: &'a StackOptions,
}

/// A region on its way.
struct Candidate {
    thread: u32,
    found: Found,
    statistics: Statistics,
}

/// Counts of omissions and substitutions.
#[derive(Debug, Default)]
struct Counts {
    cut_stacks: u64,
    with_sections: u64,
    not_shown: u64,
}

/// Regions, highest CPU use first, and their groups.
pub(crate) fn region_rows(
    sources: &Sources<'_>,
    notes: &mut Vec<Note>,
) -> (Vec<Region>, Vec<StackGroup>) {
    let mut counts = Counts::default();
    let candidates = candidates(sources, &mut counts);
    let mut texts = FrameTexts::default();
    let mut stacks = stacks(sources, &candidates, &mut texts);
    let mut shares = Vec::with_capacity(candidates.len());
    let mut regions = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        let stacks = stacks.get_mut(index).map(std::mem::take).unwrap_or_default();
        counts.cut_stacks += stacks.cut;
        counts.with_sections += u64::from(stacks.are_sections);
        let common = common_stack(&stacks, sources.stacks, &texts);
        let (region, share) = region(sources, candidate, common);
        regions.push(region);
        shares.push(share);
    }
    let groups = groups(sources, &mut regions, &shares);
    say(&counts, notes);
    (regions, groups)
}

fn candidates(sources: &Sources<'_>, counts: &mut Counts) -> Vec<Candidate> {
    let survey = sources.survey;
    let is_sampled = sources.timeline.is_schedule_inferred();
    let mut all = Vec::new();
    for ((thread, of), events) in (0..).zip(&survey.threads).zip(&survey.events) {
        let busy = survey.busy.get(of.subject as usize).copied().unwrap_or_default();
        let means = Means::new(events, busy, survey.looked);
        for found in find(events, means, sources.looked, is_sampled, sources.regions) {
            let statistics = statistics(events, found.window, is_sampled);
            all.push(Candidate { thread, found, statistics });
        }
    }
    all.sort_by(|one, other| {
        let by_use = other.statistics.cpu_use.total_cmp(&one.statistics.cpu_use);
        by_use.then_with(|| one.found.window.start.cmp(&other.found.window.start))
    });
    let most = sources.regions.most_regions as usize;
    counts.not_shown = all.len().saturating_sub(most) as u64;
    all.truncate(most);
    all
}

/// By candidate.
fn stacks(sources: &Sources<'_>, candidates: &[Candidate], texts: &mut FrameTexts) -> Vec<Stacks> {
    let mut of_thread: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (index, candidate) in candidates.iter().enumerate() {
        of_thread.entry(candidate.thread).or_default().push(index);
    }
    let id = |thread: &u32| sources.survey.threads.get(*thread as usize).map(|it| it.thread);
    let mut samples: FxHashMap<ThreadId, Vec<StackSample>> =
        of_thread.keys().filter_map(id).map(|id| (id, Vec::new())).collect();
    for sample in &sources.timeline.code.samples.samples {
        if let Some(own) = samples.get_mut(&sample.thread) {
            own.push(*sample);
        }
    }
    let mut stacks: Vec<Stacks> = Vec::new();
    stacks.resize_with(candidates.len(), Stacks::default);
    let mut of_thread: Vec<_> = of_thread.into_iter().collect();
    of_thread.sort_unstable();
    for (thread, mut members) in of_thread {
        let window = |index: &usize| candidates.get(*index).map(|it| it.found.window);
        members.sort_by_key(|index| window(index).map(|it| it.start));
        let windows: Vec<Window> = members.iter().filter_map(window).collect();
        let (Some(id), Some(events)) = (id(&thread), sources.survey.events.get(thread as usize))
        else {
            continue;
        };
        let samples = samples.get(&id).map(Vec::as_slice).unwrap_or_default();
        let found = gather(sources.timeline, ThreadStacks { id, samples, events }, &windows, texts);
        for (index, found) in members.into_iter().zip(found) {
            if let Some(slot) = stacks.get_mut(index) {
                *slot = found;
            }
        }
    }
    stacks
}

fn common_stack(stacks: &Stacks, options: &StackOptions, texts: &FrameTexts) -> CommonStack {
    let (strict, _) = stacks.tree.prefix(1.0);
    let (majority, majority_share) = stacks.tree.prefix(options.majority);
    CommonStack {
        strict: texts.frames(&strict),
        majority: texts.frames(&majority),
        majority_share,
        stacks: stacks.tree.stacks(),
        switch_stacks: stacks.switches,
    }
}

fn region(
    sources: &Sources<'_>,
    candidate: &Candidate,
    stack: CommonStack,
) -> (Region, Option<Share>) {
    let survey = sources.survey;
    let index = candidate.thread as usize;
    let window = candidate.found.window;
    let statistics = candidate.statistics;
    let thread = survey.threads.get(index);
    let part = |all: &[_]| {
        let all = count_within(all, window);
        if all == 0 { 0.0 } else { (statistics.events as f64 / all as f64).min(1.0) }
    };
    let of_process = thread.and_then(|it| survey.of_subject.get(it.subject as usize));
    let share = match (sources.energies, thread) {
        (Some(energies), Some(thread)) => energies.of(thread.thread, &[window]),
        _ => None,
    };
    let energy = sources.energies.zip(share.as_ref()).map(|(all, share)| all.estimate(share));
    let saved = match (sources.energies, &share, sources.idle_power, survey.events.get(index)) {
        (Some(energies), Some(share), Some(idle), Some(events)) => {
            Some(energies.saved(share, idle, (events, window)))
        }
        _ => None,
    };
    let seconds = window.duration().seconds();
    let cores = sources.timeline.cpus.len().max(1) as f64;
    let region = Region {
        thread: candidate.thread,
        window,
        kind: if candidate.found.is_single { RegionKind::SingleEvent } else { RegionKind::Cluster },
        events: statistics.events,
        share_of_process: part(of_process.map(Vec::as_slice).unwrap_or_default()),
        share_of_machine: part(&survey.machine),
        cpu: statistics.cpu,
        cpu_use: statistics.cpu_use,
        cpu_use_of_machine: statistics.cpu_use / cores,
        mean_interval: statistics.mean_interval,
        interval_variation: statistics.interval_variation,
        period: statistics.period,
        period_share: statistics.period_share,
        wakeups_per_second: statistics.wakeups_per_second,
        energy,
        watts: energy.map(|it| it.joules.value() / seconds).filter(|watts| watts.is_finite()),
        saved,
        stack,
        group: 0,
    };
    (region, share)
}

fn groups(
    sources: &Sources<'_>,
    regions: &mut [Region],
    shares: &[Option<Share>],
) -> Vec<StackGroup> {
    let grouping = group(regions);
    for (region, group) in regions.iter_mut().zip(&grouping.of_region) {
        region.group = *group;
    }
    let groups = grouping.groups.into_iter().map(|(stack, members, cpu_use)| {
        let mut all = Share::default();
        for share in members.iter().filter_map(|it| shares.get(*it as usize)?.as_ref()) {
            all.add(share);
        }
        let energy = sources.energies.filter(|_| !all.is_empty()).map(|it| it.estimate(&all));
        let of_members = members.iter().filter_map(|it| regions.get(*it as usize)?.saved);
        let saved = of_members.reduce(|one, other| wattle_units::Estimate {
            joules: one.joules + other.joules,
            // Numbers of one model err together.
            interval: wattle_units::Interval {
                low: one.interval.low + other.interval.low,
                high: one.interval.high + other.interval.high,
            },
            provenance: one.provenance.weakest(other.provenance),
        });
        StackGroup { stack, regions: members, cpu_use, energy, saved }
    });
    groups.collect()
}

fn say(counts: &Counts, notes: &mut Vec<Note>) {
    if counts.not_shown > 0 {
        let text = "regions that are not shown: there are more than the option allows, and these have the lowest CPU use";
        notes.push(Note::new(Severity::Warning, "regions-not-shown", text).times(counts.not_shown));
    }
    if counts.cut_stacks > 0 {
        let text = "stacks that end before their root are left out of common stacks, as others of the region do not";
        notes.push(Note::new(Severity::Info, "stacks-cut", text).times(counts.cut_stacks));
    }
    if counts.with_sections > 0 {
        let text = "regions without sampled stacks: sections that were open while the thread ran stand in for frames";
        notes.push(
            Note::new(Severity::Info, "sections-as-stacks", text).times(counts.with_sections),
        );
    }
}
