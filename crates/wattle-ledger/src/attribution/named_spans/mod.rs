//! The named stretches of time of a recording: app starts, user journeys, and the states of apps.
//!
//! Found in the timeline alone. Attribution cuts time where any of them begins or ends, and rows sum up the parts. Frames are not among
//! them: their energy is that of call paths, see `rows::rows_of_frames`.

mod app_groups;
mod app_states;
mod journeys;
mod overlaps;
mod startups;

use wattle_timeline::{CallSlice, Note, ProcessId, Severity, SliceScope, Timeline, Window};

pub(crate) use self::app_groups::{AppGroup, AppGroups};
pub(crate) use self::overlaps::{outside, repeated};
use crate::attribution::bookings::SpanOwner;
use crate::{SpanKind, SpanSubject};

/// A named stretch of time of an app, or all of its time in one state.
#[derive(Clone, Debug)]
pub(crate) struct NamedSpan {
    pub(crate) subject: SpanSubject,
    /// The app's name, where known.
    pub(crate) app: Option<String>,
    /// The owners of energy that are the app's own.
    pub(crate) own: Vec<SpanOwner>,
    /// Its time, in order and apart from each other, inside the ledger's window.
    pub(crate) windows: Vec<Window>,
    /// A part of it lies outside of the ledger's window, or its end was not recorded.
    pub(crate) cut: bool,
}

/// All named stretches of a recording.
#[derive(Debug, Default)]
pub(crate) struct NamedSpans {
    pub(crate) spans: Vec<NamedSpan>,
    /// The time of tests, which have rows of their own.
    tests: Vec<Window>,
    /// The processes and apps.
    pub(crate) apps: AppGroups,
    /// Starts and journeys beyond [`MOST_OF_A_KIND`], which are not told.
    left_out: u64,
}

/// Starts, or journeys, of one recording: more than a day of use has. Each is summed up over all others around it.
const MOST_OF_A_KIND: usize = 2000;

impl NamedSpans {
    /// Those of the timeline that reach into the window, in order of kind and time.
    pub(crate) fn new(timeline: &Timeline, window: Window) -> Self {
        let apps = AppGroups::new(timeline);
        let mut spans = startups::find(timeline, window, &apps);
        let mut journeys = journeys::find(timeline, window, &apps);
        let found = spans.len() + journeys.len();
        spans.truncate(MOST_OF_A_KIND);
        journeys.truncate(MOST_OF_A_KIND);
        let left_out = (found - spans.len() - journeys.len()) as u64;
        spans.extend(journeys);
        spans.extend(app_states::find(timeline, window, &apps));
        let tests = timeline.code.tests.iter().map(|test| test.window).collect();
        Self { spans, tests, apps, left_out }
    }

    /// The note on those that are not told.
    pub(crate) fn note(&self) -> Option<Note> {
        let text = format!(
            "app starts or user journeys beyond the first {MOST_OF_A_KIND} of a kind: their energy is outside of any"
        );
        let note = Note::new(Severity::Warning, "many-stretches", text);
        (self.left_out > 0).then_some(Note { count: self.left_out, ..note })
    }

    /// The time of all of them and of tests.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Window> + '_ {
        let named = self.spans.iter().flat_map(|span| &span.windows);
        named.chain(&self.tests).copied()
    }

    /// The stretches of a kind.
    pub(crate) fn of(&self, kind: SpanKind) -> impl Iterator<Item = &NamedSpan> + Clone {
        self.spans.iter().filter(move |span| span.subject.kind() == kind)
    }
}

/// All slices with the process that they are of.
fn slices(timeline: &Timeline) -> impl Iterator<Item = (SliceScope, Option<ProcessId>, CallSlice)> {
    timeline.code.slices.tracks.iter().flat_map(|track| {
        let process = match track.scope {
            SliceScope::Process(process) => Some(process),
            SliceScope::Thread(thread) => {
                timeline.tasks.threads.get(thread.index()).and_then(|thread| thread.process)
            }
            SliceScope::Cpu(_) | SliceScope::Global => None,
        };
        timeline.code.slices.of(track).map(move |slice| (track.scope, process, slice))
    })
}

/// By name of a timeline the role of slices that have it.
fn roles(timeline: &Timeline) -> Vec<Option<crate::spans::SliceRole<'_>>> {
    timeline.names.texts().map(crate::spans::SliceRole::parse).collect()
}
