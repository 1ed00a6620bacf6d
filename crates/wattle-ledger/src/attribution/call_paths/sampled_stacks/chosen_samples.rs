//! Which threads' call paths come from samples, and which samples count.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    EventId, SampleUnit, SliceOrigin, SliceScope, StackSample, ThreadId, Timeline,
};

use crate::Stacks;

/// The samples of each thread that is looked at through them, in order of time.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// By thread; empty for those that are not.
    pub(super) samples: Vec<Vec<StackSample>>,
    /// The event that most of them are of.
    pub(super) event: Option<EventId>,
    /// Number of samples of those threads that are of other events.
    pub(super) others: u64,
}

impl Chosen {
    pub(super) fn new(timeline: &Timeline, stacks: Stacks) -> Self {
        let samples = &timeline.code.samples;
        if stacks == Stacks::Calls || (samples.samples.is_empty() && samples.totals.is_empty()) {
            return Self::default();
        }
        let exact = match stacks {
            Stacks::Auto => with_exact_calls(timeline),
            _ => vec![false; timeline.tasks.threads.len()],
        };
        let is_wanted = |thread: ThreadId| {
            !thread.is_idle() && exact.get(thread.index()).is_some_and(|is_exact| !is_exact)
        };
        // Clocks and cycles tick while a thread runs; what else makes samples only does where it happens.
        let ticks = |event: EventId| {
            samples.event(event).is_some_and(|event| event.unit != SampleUnit::Occurrences)
        };
        let mut ticking = vec![false; timeline.tasks.threads.len()];
        for sample in samples.samples.iter().filter(|sample| ticks(sample.event)) {
            if let Some(ticking) = ticking.get_mut(sample.thread.index()) {
                *ticking = true;
            }
        }
        let mut chosen =
            Self { samples: vec![Vec::new(); timeline.tasks.threads.len()], ..Self::default() };
        let mut by_event: FxHashMap<EventId, u64> = FxHashMap::default();
        for sample in samples.samples.iter().filter(|sample| is_wanted(sample.thread)) {
            let index = sample.thread.index();
            if ticking.get(index) == Some(&true) && !ticks(sample.event) {
                chosen.others += 1;
                continue;
            }
            if let Some(of_thread) = chosen.samples.get_mut(index) {
                of_thread.push(*sample);
                *by_event.entry(sample.event).or_default() += 1;
            }
        }
        for total in samples.totals.iter().filter(|total| is_wanted(total.thread)) {
            *by_event.entry(total.event).or_default() += total.weight;
        }
        let most = by_event.into_iter().max_by_key(|(event, count)| (*count, u16::MAX - event.0));
        chosen.event = most.map(|(event, _)| event);
        chosen
    }

    /// Threads that have any.
    pub(super) fn wanted(&self) -> Vec<bool> {
        self.samples.iter().map(|samples| !samples.is_empty()).collect()
    }
}

/// By thread whether its calls were recorded from entry to exit: by probes or by the runtime.
fn with_exact_calls(timeline: &Timeline) -> Vec<bool> {
    let mut exact = vec![false; timeline.tasks.threads.len()];
    if timeline.code.slices.origin.is_empty() {
        return exact;
    }
    let is_exact = |origin| {
        matches!(
            origin,
            SliceOrigin::ProbedMethod | SliceOrigin::ProbedCall | SliceOrigin::MethodTrace
        )
    };
    for track in &timeline.code.slices.tracks {
        let SliceScope::Thread(thread) = track.scope else { continue };
        if let Some(exact) = exact.get_mut(thread.index()) {
            *exact |= timeline.code.slices.of(track).any(|slice| is_exact(slice.origin));
        }
    }
    exact
}
