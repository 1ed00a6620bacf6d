//! The samples that call paths were made from.

use wattle_ledger::{FrameClass, Ledger};
use wattle_table::{Column, describe};
use wattle_units::Nanos;

use super::gathered::Gathered;
use super::watched::Watched;
use super::{Estimator, Tally};
use crate::Figure;

/// The information in samples, and its limits.
#[derive(Clone, Debug)]
pub struct SamplingReport {
    /// The event that made the samples that are used.
    pub event: String,
    /// Number of samples inside the window.
    pub samples: u64,
    /// Samples of other events, which are not used.
    pub others: u64,
    /// Samples whose stack ends before the thread's first function.
    pub truncated: u64,
    /// Samples without any stack.
    pub without_stack: u64,
    /// Whether the time on CPUs comes from the samples, because nothing recorded the scheduler.
    pub is_schedule_inferred: bool,
    /// Time on CPUs of threads that have samples which no sample stands for.
    pub unsampled: Nanos,
    /// Energy of paths whose stack ends before the thread's first function.
    pub truncated_energy: Figure,
    /// Energy of functions without a name.
    pub unknown_energy: Figure,
    /// Energy of time on CPUs that no sample stands for.
    pub unsampled_energy: Figure,
}

describe!(
    SamplingReport,
    "sampling",
    "what samples tell and what they do not",
    [
        Column::text(
            "event",
            "the event that made the samples that are used",
            |row: &SamplingReport| &row.event
        ),
        Column::count(
            "samples",
            "how many of them are inside the window",
            |row: &SamplingReport| row.samples
        ),
        Column::count("others", "samples of other events, not used", |row: &SamplingReport| row
            .others),
        Column::count(
            "truncated",
            "samples whose stack ends before the thread's first function",
            |row: &SamplingReport| row.truncated
        ),
        Column::count("without_stack", "samples without any stack", |row: &SamplingReport| row
            .without_stack),
        Column::flag(
            "is_schedule_inferred",
            "whether the time on CPUs comes from the samples",
            |row: &SamplingReport| row.is_schedule_inferred
        ),
        Column::time(
            "unsampled_s",
            "time on CPUs of threads with samples that no sample stands for",
            |row: &SamplingReport| row.unsampled
        )
        .at_least(0.0),
        Column::energy("truncated", "energy of paths of such stacks", |row: &SamplingReport| row
            .truncated_energy
            .0),
        Column::energy("unknown", "energy of functions without a name", |row: &SamplingReport| row
            .unknown_energy
            .0),
        Column::energy("unsampled", "energy of that time", |row: &SamplingReport| row
            .unsampled_energy
            .0),
    ]
);

impl SamplingReport {
    pub(super) fn new(
        ledger: &Ledger,
        gathered: &Gathered,
        estimator: &Estimator<'_>,
        watched: Watched,
    ) -> Option<Self> {
        let sampling = ledger.sheets.sampling.clone()?;
        let class = |path: &wattle_ledger::PathEntry| {
            ledger.rows.frames.get(path.frame? as usize).map(|frame| frame.class)
        };
        let (mut truncated, mut unknown, mut unsampled) =
            (Tally::default(), Tally::default(), Tally::default());
        // Callers come before their callees.
        let mut is_truncated = vec![false; ledger.rows.paths.len()];
        for (at, path) in ledger.rows.paths.iter().enumerate() {
            let class = class(path);
            let around = path.caller.and_then(|it| is_truncated.get(it.0 as usize)).copied();
            is_truncated[at] = around == Some(true) || class == Some(FrameClass::Truncated);
            let Some(own) = gathered.paths.get(at) else { continue };
            if is_truncated[at] {
                truncated.merge(own);
            }
            match class {
                Some(FrameClass::Unknown) => unknown.merge(own),
                Some(FrameClass::Unsampled) => unsampled.merge(own),
                _ => {}
            }
        }
        let figure = |tally: &Tally| estimator.figure(tally, watched.threads);
        Some(Self {
            event: sampling.event,
            samples: sampling.samples,
            others: sampling.others,
            truncated: sampling.truncated,
            without_stack: sampling.without_stack,
            is_schedule_inferred: sampling.is_schedule_inferred,
            unsampled: sampling.unsampled,
            truncated_energy: figure(&truncated),
            unknown_energy: figure(&unknown),
            unsampled_energy: figure(&unsampled),
        })
    }
}
