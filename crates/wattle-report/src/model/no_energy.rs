//! The reason why a recording has no energy figure, and what to record or pass to get one: one wording for every view.

use wattle_diagnose::Diagnosis;
use wattle_ledger::Ledger;
use wattle_timeline::{Note, Severity};
use wattle_units::Nanos;

/// Codes of the notes that give the reason, the most precise first, with what to do where the note itself does not say it.
const REASONS: [(&str, Option<&str>); 7] = [
    ("wall-clock-only", None),
    (
        "schedule-unknown",
        Some(
            "record the CPU of each sample (`perf record --sample-cpu`), or a trace of the scheduler (`wattle record`)",
        ),
    ),
    ("samples-without-times", None),
    ("no-power-data", None),
    ("no-device-model", None),
    ("cpu-without-model", Some("give a model of the device with --device-model")),
    (
        "cpu-activity-unknown",
        Some("record the scheduler (`wattle record`, or `atrace sched freq idle`)"),
    ),
];

/// Advice for reasons without a more precise one.
const ADVICE: &str =
    "record with `wattle record`, or give a model of the device with --device-model";

/// Codes of the notes on estimates that rest on little, see [`assumption`].
const ASSUMPTIONS: [&str; 3] = ["cpu-any-core", "cpu-by-busy-time", "cpu-by-clock-alone"];

/// Why there is no energy figure, and what gives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoEnergy {
    /// The reason, a sentence without its full stop.
    pub reason: String,
    /// The remedy, something to record or to pass; `None` where the reason says it.
    pub advice: Option<String>,
}

impl NoEnergy {
    /// Of a ledger without energy.
    pub fn new(ledger: &Ledger) -> Self {
        let has_samples = ledger.rows.paths.iter().any(|path| path.samples > 0);
        if has_samples && ledger.recording.window.duration() == Nanos::ZERO {
            let reason = "the recording holds sampled stacks without times: how often each was found, and not when";
            let advice = "record with times (perf.data, `perf script`, `simpleperf record`)";
            return Self { reason: reason.to_owned(), advice: Some(advice.to_owned()) };
        }
        let quality = &ledger.quality;
        let of_files = quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
        let notes = quality.notes.iter().chain(of_files);
        let severe = || {
            let warnings = notes.clone().filter(|note| note.severity > Severity::Info);
            warnings.reduce(|worst, note| if note.severity > worst.severity { note } else { worst })
        };
        Self::from_notes(&notes).unwrap_or_else(|| Self::or_nothing(severe()))
    }

    /// Of a diagnosis without energy.
    pub(crate) fn for_diagnosis(diagnosis: &Diagnosis) -> Self {
        if let Some(emulator) = diagnosis.device.virtual_device() {
            let reason = format!("the recording is of an emulator ({})", emulator.title());
            let advice = Some("give a model with --device-model".to_owned());
            return Self { reason, advice };
        }
        Self::from_notes(&diagnosis.notes.iter()).unwrap_or_else(|| Self::or_nothing(None))
    }

    /// By the note that gives the most precise reason, if there is one.
    fn from_notes<'a>(notes: &(impl Iterator<Item = &'a Note> + Clone)) -> Option<Self> {
        REASONS.iter().find_map(|(code, advice)| {
            let note = notes.clone().find(|note| note.code == *code)?;
            Some(Self { reason: note.text.clone(), advice: advice.map(str::to_owned) })
        })
    }

    /// Without such a note: the most severe one, or that there was nothing.
    fn or_nothing(severe: Option<&Note>) -> Self {
        let nothing = "nothing in the recording was metered, and no device model applies";
        let reason = severe.map_or(nothing, |note| note.text.as_str()).to_owned();
        Self { reason, advice: Some(ADVICE.to_owned()) }
    }
}

/// As one line: the reason, then what to do.
impl std::fmt::Display for NoEnergy {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.advice {
            Some(advice) => write!(to, "{}; {advice}", self.reason),
            None => to.write_str(&self.reason),
        }
    }
}

/// The assumption that most of the CPU's energy rests on, where nothing recorded when the CPUs of the device were busy; `None`
/// where that was recorded.
pub(super) fn assumption(ledger: &Ledger) -> Option<String> {
    let notes = &ledger.quality.notes;
    let of_code = |code: &&str| notes.iter().find(|note| note.code == **code);
    ASSUMPTIONS.iter().find_map(of_code).map(|note| note.text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes as (code, text).
    #[track_caller]
    fn check(notes: &[(&str, &str)], expected: Option<&str>) {
        let note = |(code, text): &(&str, &str)| Note::new(Severity::Warning, code, *text);
        let notes: Vec<Note> = notes.iter().map(note).collect();
        let found = NoEnergy::from_notes(&notes.iter()).map(|it| it.to_string());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn the_most_precise_reason_comes_with_what_to_do() {
        check(&[], None);
        check(&[("odd", "it is odd")], None);
        check(
            &[
                ("cpu-activity-unknown", "it is not known when CPUs were busy"),
                ("wall-clock-only", "only a wall clock; record the thread clock"),
            ],
            Some("only a wall clock; record the thread clock"),
        );
        check(
            &[("odd", "it is odd"), ("cpu-activity-unknown", "nobody knows")],
            Some(
                "nobody knows; record the scheduler (`wattle record`, or `atrace sched freq idle`)",
            ),
        );
    }
}
