//! The samples that call paths were made from.

use serde::Serialize;
use wattle_ledger::{FrameClass, Ledger};
use wattle_units::Nanos;

use super::figure::{named, seconds};
use super::gathered::Gathered;
use super::watched::Watched;
use super::{Estimator, Figure, Tally};

/// What samples tell and what they do not.
#[derive(Clone, Debug, Serialize)]
pub struct SamplingReport {
    /// The event that made the samples that are used.
    pub event: String,
    /// How many of them are inside the window.
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
    #[serde(rename = "unsampled_s", serialize_with = "seconds::of")]
    pub unsampled: Nanos,
    /// Energy of paths whose stack ends before the thread's first function.
    #[serde(flatten, serialize_with = "named::truncated")]
    pub truncated_energy: Figure,
    /// Energy of functions without a name.
    #[serde(flatten, serialize_with = "named::unknown")]
    pub unknown_energy: Figure,
    /// Energy of time on CPUs that no sample stands for.
    #[serde(flatten, serialize_with = "named::unsampled")]
    pub unsampled_energy: Figure,
}

impl SamplingReport {
    pub(super) fn new(
        ledger: &Ledger,
        gathered: &Gathered,
        estimator: &Estimator<'_>,
        watched: Watched,
    ) -> Option<Self> {
        let sampling = ledger.sampling.clone()?;
        let class = |path: &wattle_ledger::PathEntry| {
            ledger.frames.get(path.frame? as usize).map(|frame| frame.class)
        };
        let (mut truncated, mut unknown, mut unsampled) =
            (Tally::default(), Tally::default(), Tally::default());
        // Callers come before their callees.
        let mut is_truncated = vec![false; ledger.paths.len()];
        for (at, path) in ledger.paths.iter().enumerate() {
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
