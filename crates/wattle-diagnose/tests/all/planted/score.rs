//! Accuracy of the regions of a trace.
//!
//! * A planted stretch is *found* when regions of its thread cover half of it or more.
//! * A region is *right* when half of it or more lies in planted stretches of its thread. One that is not is *wrong*: it counts against
//!   the kind that was planted in its thread, or against the threads in which nothing was planted.
//! * A stretch is *masked* when by the definition of a region it is none: its CPU use is less than [`OVER_THREAD`] times the mean of
//!   its thread over the whole run (a timer for the whole run aside, for which that can only be one), or less than
//!   [`OVER_PROCESS`] times the mean of its process's threads. Those are few; whether they are found is neither asked nor held against
//!   a finder. Both limits leave room for options that are a fifth larger than the defaults.
//! * Beat and stack are those of the region that covers most of the stretch.

use std::collections::BTreeMap;
use std::fmt;

use wattle_diagnose::{Diagnosis, Region};
use wattle_sim::idle::{CodeFrame, PlantedKind, PlantedStretch};
use wattle_timeline::Window;
use wattle_units::Nanos;

/// Least ratio of a stretch to its thread's mean for it to stand out.
const OVER_THREAD: f64 = 2.0;
/// The same of its process's mean.
const OVER_PROCESS: f64 = 1.3;
/// The fewest stacks from which a common beginning can be told.
const FEWEST_STACKS: u64 = 10;

/// Figures of one kind of stretch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    pub planted: u32,
    pub found: u32,
    pub regions: u32,
    pub right: u32,
    /// Of found stretches that have one.
    pub beats: u32,
    pub beats_right: u32,
    /// Of found stretches with enough stacks.
    pub stacks: u32,
    pub stacks_right: u32,
    /// Sum over planted stretches of the part that regions cover.
    pub covered: f64,
}

/// Figures of many traces.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    pub kinds: BTreeMap<PlantedKind, Score>,
    /// Of threads in which nothing was planted.
    pub innocent: u32,
    pub wrong: u32,
    pub masked: u32,
    /// The first failures.
    pub failures: Vec<String>,
}

pub const fn ratio(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

impl Score {
    pub fn recall(&self) -> f64 {
        ratio(self.found, self.planted)
    }

    pub fn precision(&self) -> f64 {
        ratio(self.right, self.regions)
    }

    fn add(&mut self, other: &Self) {
        self.planted += other.planted;
        self.found += other.found;
        self.regions += other.regions;
        self.right += other.right;
        self.beats += other.beats;
        self.beats_right += other.beats_right;
        self.stacks += other.stacks;
        self.stacks_right += other.stacks_right;
        self.covered += other.covered;
    }
}

impl Scores {
    /// All kinds together, and regions of threads in which nothing was planted.
    pub fn total(&self) -> Score {
        let mut total = Score { regions: self.wrong, ..Score::default() };
        for score in self.kinds.values() {
            total.add(score);
        }
        total
    }

    pub fn add(&mut self, other: Self) {
        for (kind, score) in other.kinds {
            self.kinds.entry(kind).or_default().add(&score);
        }
        self.innocent += other.innocent;
        self.wrong += other.wrong;
        self.masked += other.masked;
        self.failures.extend(other.failures);
    }

    /// Scores one trace.
    pub fn new(name: &str, planted: &[PlantedStretch], found: &Diagnosis) -> Self {
        let mut scores = Self::default();
        let mut by_thread: BTreeMap<u32, Vec<&PlantedStretch>> = BTreeMap::new();
        for stretch in planted {
            by_thread.entry(stretch.tid).or_default().push(stretch);
        }
        let mut regions: BTreeMap<u32, Vec<&Region>> = BTreeMap::new();
        for region in &found.regions {
            regions.entry(found.threads[region.thread as usize].tid.0).or_default().push(region);
        }
        scores.innocent =
            found.threads.iter().filter(|it| !by_thread.contains_key(&it.tid.0)).count() as u32;
        for (tid, regions) in &regions {
            if !by_thread.contains_key(tid) {
                scores.wrong += regions.len() as u32;
                let windows: Vec<Nanos> = regions.iter().map(|it| it.window.duration()).collect();
                scores.failures.push(format!("{name}: thread {tid}: nothing planted, {windows:?}"));
            }
        }
        for (tid, stretches) in by_thread {
            let regions = regions.get(&tid).map_or(&[][..], Vec::as_slice);
            scores.thread(name, &stretches, regions);
        }
        scores
    }

    fn thread(&mut self, name: &str, stretches: &[&PlantedStretch], regions: &[&Region]) {
        let windows: Vec<Window> =
            stretches.iter().map(|it| Window::new(it.start, it.end)).collect();
        let kind = stretches[0].kind;
        let score = self.kinds.entry(kind).or_default();
        for region in regions {
            let inside = windows.iter().map(|it| it.intersect(region.window).duration());
            let inside: Nanos = inside.sum();
            let is_right = inside.seconds() >= 0.5 * region.window.duration().seconds();
            let masked = stretches.iter().zip(&windows).any(|(stretch, window)| {
                is_masked(stretch) && !window.intersect(region.window).is_empty()
            });
            if masked {
                continue;
            }
            score.regions += 1;
            score.right += u32::from(is_right);
            if !is_right {
                let text = format!(
                    "{name}: thread {} ({}): wrong region of {}, {} inside",
                    stretches[0].tid,
                    kind.name(),
                    region.window.duration(),
                    inside
                );
                self.failures.push(text);
            }
        }
        for (stretch, window) in stretches.iter().zip(windows) {
            if is_masked(stretch) {
                self.masked += 1;
                continue;
            }
            score.planted += 1;
            let covers = |region: &Region| region.window.intersect(window).duration();
            let covered: Nanos = regions.iter().map(|region| covers(region)).sum();
            let covered = covered.seconds() / window.duration().seconds();
            score.covered += covered;
            if covered < 0.5 {
                let text = format!(
                    "{name}: thread {} ({}): {covered:.2} of {} found; use {:.3}, {:.1} of the thread's, {:.1} of the \
                     process's mean, {} wake-ups, period {:?}",
                    stretch.tid,
                    kind.name(),
                    window.duration(),
                    stretch.cpu_use,
                    stretch.over_thread,
                    stretch.over_process,
                    stretch.wakeups,
                    stretch.period
                );
                self.failures.push(text);
                continue;
            }
            score.found += 1;
            let Some(region) = regions.iter().max_by_key(|region| covers(region)) else { continue };
            if let Some(period) = stretch.period {
                score.beats += 1;
                let is_near =
                    |found: Nanos| (found.seconds() / period.seconds() - 1.0).abs() <= 0.05;
                if region.period.is_some_and(is_near) {
                    score.beats_right += 1;
                } else {
                    let text = format!(
                        "{name}: thread {}: period {period}, found {:?}",
                        stretch.tid, region.period
                    );
                    self.failures.push(text);
                }
            }
            if region.stack.stacks >= FEWEST_STACKS {
                score.stacks += 1;
                if is_stack(region, stretch) {
                    score.stacks_right += 1;
                } else {
                    let texts: Vec<&str> =
                        region.stack.majority.iter().map(|it| it.text.as_str()).collect();
                    let expected: Vec<&str> =
                        stretch.common.iter().map(|it| it.function.as_str()).collect();
                    let text = format!(
                        "{name}: thread {} ({}): stack {texts:?} ({:.2} of {}), expected {expected:?}, odd {:.2}",
                        stretch.tid,
                        kind.name(),
                        region.stack.majority_share,
                        region.stack.stacks,
                        stretch.odd_share
                    );
                    self.failures.push(text);
                }
            }
        }
    }
}

fn is_masked(stretch: &PlantedStretch) -> bool {
    let whole = stretch.kind == PlantedKind::WholeRunTimer;
    (!whole && stretch.over_thread < OVER_THREAD) || stretch.over_process < OVER_PROCESS
}

/// Whether the majority's beginning is the planted one, no frame more and none less.
fn is_stack(region: &Region, stretch: &PlantedStretch) -> bool {
    let found = &region.stack.majority;
    let expected = stretch.common.iter().zip(&stretch.modules);
    found.len() == stretch.common.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, (frame, module))| is_frame(&found.text, frame, module))
}

/// `module!function`, or `module+0x1234`, where a caller's place is that of its call, a byte or more before where it returns to.
fn is_frame(text: &str, frame: &CodeFrame, module: &str) -> bool {
    let module = module.rsplit(['/', '\\']).next().unwrap_or(module);
    if let Some((at, offset)) = text.rsplit_once("+0x") {
        let offset = u64::from_str_radix(offset, 16).unwrap_or(0);
        at.ends_with(module) && (frame.offset.saturating_sub(1)..=frame.offset).contains(&offset)
    } else {
        text.ends_with(&frame.function) && text.contains(module)
    }
}

impl fmt::Display for Scores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<18} {:>7} {:>6} {:>7} {:>8} {:>7} {:>6} {:>9} {:>7} {:>7}",
            "kind",
            "planted",
            "found",
            "recall",
            "covered",
            "regions",
            "right",
            "precision",
            "period",
            "stack"
        )?;
        let named = self.kinds.iter().map(|(kind, score)| (kind.name(), *score));
        for (name, it) in named.chain([("all", self.total())]) {
            writeln!(
                f,
                "{name:<18} {:>7} {:>6} {:>7.3} {:>8.3} {:>7} {:>6} {:>9.3} {:>7.3} {:>7.3}",
                it.planted,
                it.found,
                it.recall(),
                it.covered / f64::from(it.planted.max(1)),
                it.regions,
                it.right,
                it.precision(),
                ratio(it.beats_right, it.beats),
                ratio(it.stacks_right, it.stacks)
            )?;
        }
        write!(
            f,
            "{} regions in {} threads in which nothing was planted; {} masked stretches",
            self.wrong, self.innocent, self.masked
        )
    }
}
