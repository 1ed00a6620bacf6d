//! From records of probes to call slices.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    ArtifactQuality, NameRank, Note, ProbedName, ProcessFacts, Severity, SliceOrigin,
    TimelineBuilder, Window,
};
use wattle_units::BootNanos;

use super::cost;
use super::map::ProbeMaps;
use super::map_id::{ShortId, to_base36};
use super::process::{ProbeLog, ProcessRecords, ThreadRecords};
use super::stack::{Open, Stack, Step};
use wattle_import::{Clock, ClockFacts, Fit, alignment};

/// Name of the slice for a drain of a full buffer.
const DRAIN: &str = "wattle.drain";
/// Name of the slice for timing an empty method.
pub(crate) const CALIBRATION: &str = "wattle.calibration";

/// Counts of one artifact's records by outcome.
#[derive(Debug, Default)]
struct Told {
    unmatched: u64,
    missing: u64,
    unfinished: u64,
    lost: u64,
    missing_blocks: u64,
    outside: u64,
    foreign: u64,
    foreign_processes: u64,
    unknown: FxHashMap<ShortId, u64>,
    slices: u64,
}

/// A thread with the names of those of its probes that began a slice.
struct ProbedThread {
    tid: u32,
    map: ShortId,
    names: FxHashMap<Open, (ProbedName, SliceOrigin)>,
}

/// Inputs needed to make slices.
pub(crate) struct SliceMaker<'a> {
    pub builder: &'a mut TimelineBuilder,
    pub maps: &'a ProbeMaps,
    pub clocks: &'a ClockFacts,
    /// Outside of it nothing is used: records of older processes, or from before the recording.
    pub window: Option<Window>,
    /// Whether the kernel's own events tell of threads that begin and end.
    pub has_scheduler: bool,
    /// uids of packages.
    pub uids: &'a [(String, u32)],
}

/// Makes slices of everything that probes recorded, and tells the artifacts' qualities how that went.
pub(crate) fn make(maker: &mut SliceMaker<'_>, log: ProbeLog, qualities: &mut [ArtifactQuality]) {
    let fit = maker.clocks.fit(Clock::Monotonic);
    let refused = log.refused;
    let mut told: FxHashMap<usize, Told> = FxHashMap::default();
    for process in log.processes {
        let told = told.entry(process.artifact).or_default();
        maker.process(process, fit.as_ref(), told);
    }
    let mut artifacts: Vec<_> = told.into_iter().collect();
    artifacts.sort_by_key(|(artifact, _)| *artifact);
    for (artifact, told) in artifacts {
        let Some(quality) = qualities.get_mut(artifact) else { continue };
        told.finish(quality, maker.maps);
        match &fit {
            Some(fit) => {
                maker.builder.alignment(alignment(&quality.name, "monotonic", fit, 0));
            }
            None => quality.notes.push(Note::new(
                Severity::Warning,
                "no-boot-time",
                "nothing leads from the probes' clock to boot time: both are taken to be the same, which is wrong by the \
                 time that the device slept",
            )),
        }
        if refused > 0 {
            let text = "more records of probes than are kept at a time: the rest was not read";
            quality.notes.push(Note::new(Severity::Error, "probes-limit", text).times(refused));
        }
    }
}

impl SliceMaker<'_> {
    fn process(&mut self, mut process: ProcessRecords, fit: Option<&Fit>, told: &mut Told) {
        let to_boot = |time: i64| fit.map_or(time, |fit| fit.to_boot(time));
        for thread in process.threads.values_mut() {
            thread.sort();
            told.lost = told.lost.saturating_add(thread.lost);
            told.missing_blocks += thread.missing_blocks;
        }
        let records =
            process.threads.values().map(|thread| thread.records.len() as u64).sum::<u64>();
        let first = process
            .threads
            .values()
            .filter_map(|thread| thread.records.first())
            .map(|r| r.time)
            .min();
        let last = process
            .threads
            .values()
            .filter_map(|thread| thread.records.last())
            .map(|r| r.time)
            .max();
        let (Some(first), Some(last)) = (first.map(to_boot), last.map(to_boot)) else { return };
        if let Some(window) = self.window
            && (last < window.start.value() || first > window.end.value())
        {
            told.foreign += records;
            told.foreign_processes += 1;
            return;
        }
        let begin = self.window.map_or(first, |window| first.max(window.start.value()));
        let pid = process.pid.or_else(|| process.threads.values().map(|thread| thread.tid).min());
        if let Some(pid) = pid {
            let name = String::from_utf8_lossy(&process.name);
            let package = String::from_utf8_lossy(&process.package);
            let uid = self
                .uids
                .iter()
                .find(|(app, _)| *app == package || name.split(':').next() == Some(app.as_str()));
            let facts = ProcessFacts {
                name: (!name.is_empty()).then(|| self.builder.names.intern(&name)),
                uid: uid.map(|(_, uid)| wattle_timeline::Uid(*uid)),
                ..ProcessFacts::default()
            };
            self.builder.tasks().process(BootNanos::new(begin), pid, facts);
            let costs = process
                .threads
                .values()
                .filter_map(|thread| cost::of_records(&thread.records).cost());
            if let Some(cost) = costs.max_by_key(|cost| cost.pairs) {
                self.builder.code().probe_cost(Some((BootNanos::new(begin), pid)), cost);
            }
        }
        let mut ended: FxHashMap<u32, i64> = FxHashMap::default();
        for thread in process.threads.values() {
            let Some(last) = thread.records.last().map(|record| to_boot(record.time)) else {
                continue;
            };
            // A number that another thread of the process had before: that one is gone.
            if let Some(before) = ended.insert(thread.tid, last)
                && !self.has_scheduler
            {
                self.builder
                    .tasks()
                    .thread_freed(BootNanos::new(before.saturating_add(1)), thread.tid);
            }
            self.thread(thread, pid, process.map, &to_boot, told);
        }
    }

    fn thread(
        &mut self,
        thread: &ThreadRecords,
        pid: Option<u32>,
        map: ShortId,
        to_boot: &dyn Fn(i64) -> i64,
        told: &mut Told,
    ) {
        let mut stack = Stack::default();
        let mut probed = ProbedThread { tid: thread.tid, map, names: FxHashMap::default() };
        let bounds = self.window.map_or((i64::MIN, i64::MAX), |w| (w.start.value(), w.end.value()));
        // How many of the open ones are slices: those from before the window become some when it begins.
        let mut begun = 0;
        let mut is_inside = false;
        let mut last = i64::MIN;
        for record in &thread.records {
            // Where the clock's distance changes, time must not go back.
            last = last.max(to_boot(record.time));
            let time = BootNanos::new(last.clamp(bounds.0, bounds.1));
            if last > bounds.1 {
                told.outside += 1;
                continue;
            }
            if last >= bounds.0 && !is_inside {
                is_inside = true;
                // What is open already was so when the window began.
                let from = if stack.open().is_empty() { time } else { BootNanos::new(bounds.0) };
                self.begin_thread(thread, pid, from);
                for open in stack.open() {
                    self.begin(from, *open, &mut probed, told);
                }
                begun = stack.open().len();
            }
            let step = stack.apply(*record);
            if !is_inside {
                told.outside += 1;
                continue;
            }
            match step {
                Step::Begin(open) => {
                    self.begin(time, open, &mut probed, told);
                    begun += 1;
                }
                Step::End(count) => {
                    for nth in 1..=count.min(begun) {
                        // The last that ends is the one that the record means.
                        let bytes = if nth == count { record.bytes() } else { 0 };
                        self.builder.code().probe_end_with(time, thread.tid, bytes);
                    }
                    begun -= count.min(begun);
                }
                Step::Nothing => {}
            }
        }
        told.unmatched += stack.unmatched;
        told.missing += stack.missing;
        told.unfinished += stack.open().len() as u64;
    }

    fn begin_thread(&mut self, thread: &ThreadRecords, pid: Option<u32>, time: BootNanos) {
        if let Some(pid) = pid {
            self.builder.tasks().thread_of(time, thread.tid, pid);
        }
        if !thread.name.is_empty() {
            let name = self.builder.names.intern_bytes(&thread.name);
            self.builder.tasks().thread_name(time, thread.tid, name, NameRank::Program);
        }
    }

    fn begin(&mut self, time: BootNanos, open: Open, thread: &mut ProbedThread, told: &mut Told) {
        let ProbedThread { tid, map, ref mut names } = *thread;
        let builder = &mut *self.builder;
        let (name, origin) = *names.entry(open).or_insert_with(|| {
            let (id, origin) = match open {
                Open::Drain | Open::Method(0) => {
                    let text = if open == Open::Drain { DRAIN } else { CALIBRATION };
                    let name = builder.names.intern(text);
                    return (builder.code().probed(name, None), SliceOrigin::Recorder);
                }
                Open::Method(id) => (id, SliceOrigin::ProbedMethod),
                Open::Call(id) => (id, SliceOrigin::ProbedCall),
            };
            let map_of = self.maps.get(map);
            if let Some((map, meaning)) = map_of.and_then(|map| Some((map, map.meaning(id)?))) {
                let name = builder.names.intern(&meaning.name);
                return (builder.code().probed(name, map.site(meaning)), meaning.origin);
            }
            *told.unknown.entry(map).or_default() += 1;
            let name = builder.names.intern(&format!("#{}@{map}", to_base36(id)));
            (builder.code().probed(name, None), origin)
        });
        told.slices += 1;
        builder.code().probe_begin(time, tid, name, origin);
    }
}

impl Told {
    fn finish(self, quality: &mut ArtifactQuality, maps: &ProbeMaps) {
        quality.events.insert("call slice".to_owned(), self.slices);
        quality.lost_events = quality.lost_events.saturating_add(self.lost);
        let mut note = |severity, code, count: u64, text: String| {
            if count > 0 {
                quality.notes.push(Note::new(severity, code, text).times(count));
            }
        };
        note(
            Severity::Warning,
            "probe-records-lost",
            self.lost,
            format!("{} records of probes could not be kept, by the probes' own count", self.lost),
        );
        note(
            Severity::Warning,
            "probe-blocks-lost",
            self.missing_blocks,
            format!(
                "{} blocks of records are missing by their numbers: calls in them are lost",
                self.missing_blocks
            ),
        );
        note(
            Severity::Info,
            "probe-exit-unmatched",
            self.unmatched,
            "ends of calls whose beginning was not recorded: ignored".to_owned(),
        );
        note(
            Severity::Warning,
            "probe-exit-missing",
            self.missing,
            "calls whose end was not recorded: they end with what called them".to_owned(),
        );
        note(
            Severity::Info,
            "probe-unfinished",
            self.unfinished,
            "calls that were open when the records end".to_owned(),
        );
        note(
            Severity::Info,
            "probe-foreign",
            self.foreign,
            format!(
                "{} records of {} processes that did not run during the recording: not used",
                self.foreign, self.foreign_processes
            ),
        );
        note(
            Severity::Info,
            "probe-outside",
            self.outside,
            "records from before or after the recording: not used".to_owned(),
        );
        let mut unknown: Vec<_> = self.unknown.into_iter().collect();
        unknown.sort_unstable();
        for (map, count) in unknown {
            note(Severity::Warning, "probe-map-missing", count, unknown_map(map, maps));
        }
    }
}

/// Returns the message for a map whose names are not known.
pub(crate) fn unknown_map(map: ShortId, maps: &ProbeMaps) -> String {
    if maps.get(map).is_some() {
        return format!("probes that the map {map} does not have: named by their numbers");
    }
    let there = if maps.is_empty() { "none".to_owned() } else { maps.ids() };
    format!(
        "probes of the map {map}, which is not here (maps that are: {there}): give the app's .probes.jsonl or its instrumented \
         package to see full names"
    )
}
