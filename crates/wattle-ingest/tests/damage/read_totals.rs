//! The figures of a timeline that damage must not move silently.

use std::collections::BTreeMap;

use wattle_ingest::read_bytes;
use wattle_timeline::{Note, Severity, Timeline};

/// A total that moves by more than this share must not do so silently.
const NOTICEABLE: f64 = 0.05;

/// Totals of a timeline, and its warnings.
#[derive(Clone, Debug)]
pub struct ReadTotals {
    totals: BTreeMap<&'static str, f64>,
    warnings: BTreeMap<String, u64>,
}

impl ReadTotals {
    /// Of a file's bytes; `None` if they are refused.
    pub fn read(name: &str, bytes: &[u8]) -> Option<Self> {
        read_bytes(name, bytes).ok().map(|timeline| Self::new(&timeline))
    }

    fn new(timeline: &Timeline) -> Self {
        let window = timeline.window;
        let busy: f64 = timeline.cpus.iter().map(|cpu| cpu.sched.busy(window).value() as f64).sum();
        let rails = timeline.energy.rails.iter().map(|rail| {
            let steps = rail.energy.iter().zip(rail.energy.iter().skip(1));
            steps.map(|(before, after)| after.saturating_sub(*before) as f64).sum::<f64>()
        });
        let slices = timeline.code.slices.len() as f64;
        let samples = timeline.code.samples.samples.len() as f64;
        let totals = [
            ("duration", window.duration().value() as f64),
            ("busy", busy),
            ("rails", rails.sum()),
            ("slices", slices),
            ("samples", samples),
        ];
        let mut warnings = BTreeMap::new();
        for note in notes(timeline).filter(|note| note.severity >= Severity::Warning) {
            *warnings.entry(note.code.clone()).or_default() += note.count;
        }
        warnings.insert("lost events".to_owned(), timeline.quality.lost_events());
        Self { totals: totals.into(), warnings }
    }

    /// The total that moved most, if it did by more than 5 %.
    pub fn moved(&self, damaged: &Self) -> Option<&'static str> {
        let share = |name: &str| {
            let [before, after] = [self, damaged].map(|it| it.totals[name]);
            if before == after { 0.0 } else { (after - before).abs() / before.abs().max(1.0) }
        };
        let names = self.totals.keys().copied();
        let most = names.max_by(|a, b| share(a).total_cmp(&share(b)))?;
        Some(most).filter(|name| share(name) > NOTICEABLE)
    }

    /// Whether the damaged file warns of anything that this one does not.
    pub fn is_warned(&self, damaged: &Self) -> bool {
        let known = |code: &String| self.warnings.get(code).copied().unwrap_or(0);
        damaged.warnings.iter().any(|(code, count)| *count > known(code))
    }
}

/// All notes of a timeline.
pub fn notes(timeline: &Timeline) -> impl Iterator<Item = &Note> {
    let files = timeline.quality.artifacts.iter().flat_map(|file| &file.notes);
    files.chain(&timeline.quality.notes)
}
