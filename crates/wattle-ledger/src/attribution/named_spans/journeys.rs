//! User journeys (CUJs): stretches that Android's own user interface and apps with `InteractionJankMonitor` name.
//!
//! `J<NAME>` is observed for missed frames, `L<NAME>` for its latency. Those that were cancelled are left out, and so are those
//! without any mark that lasted less than 4 ms, as in Perfetto's `android.cujs.base`.

use wattle_timeline::{ProcessId, SliceScope, Timeline, Window};
use wattle_units::{BootNanos, Nanos};

use super::{AppGroups, NamedSpan, roles, slices};
use crate::spans::SliceRole;
use crate::{JourneyMeasure, SpanSubject};

/// A journey for missed frames that is shorter was cancelled, on versions that do not say so.
const SHORTEST: Nanos = Nanos::new(4_000_000);

/// The journeys of a timeline inside the window, in order of time.
pub(super) fn find(timeline: &Timeline, window: Window, apps: &AppGroups) -> Vec<NamedSpan> {
    let roles = roles(timeline);
    let mut found: Vec<(Window, JourneyMeasure, &str, Option<ProcessId>)> = Vec::new();
    let mut cancelled: Vec<(BootNanos, JourneyMeasure, &str)> = Vec::new();
    for (scope, process, slice) in slices(timeline) {
        match roles.get(slice.name.index()).copied().flatten() {
            Some(SliceRole::Journey(measure, name)) if !matches!(scope, SliceScope::Thread(_)) => {
                found.push((Window::new(slice.start, slice.end), measure, name, process));
            }
            Some(SliceRole::JourneyCancelled(measure, name)) => {
                cancelled.push((slice.start, measure, name));
            }
            _ => {}
        }
    }
    found.sort_by_key(|(window, _, name, _)| (window.start, window.end, *name));
    let is_cancelled = |whole: &Window, measure, name: &str| {
        // The mark comes at the very end.
        cancelled.iter().any(|(time, of, mark)| {
            *of == measure && *mark == name && whole.start <= *time && *time <= whole.end
        })
    };
    let is_short =
        |whole: &Window, measure| measure == JourneyMeasure::Jank && whole.duration() < SHORTEST;
    found
        .into_iter()
        .filter(|(whole, measure, name, _)| {
            !is_cancelled(whole, *measure, name) && !is_short(whole, *measure)
        })
        .filter_map(|(whole, measure, name, process)| {
            let inside = whole.intersect(window);
            let own = process.and_then(|process| apps.of(process));
            let name_of = |process: ProcessId| {
                let name = timeline.tasks.processes.get(process.index())?.name?;
                Some(timeline.names.get(name).to_owned())
            };
            let subject = SpanSubject::Journey { measure: Some(measure), name: name.to_owned() };
            (!inside.is_empty()).then(|| NamedSpan {
                subject,
                app: own.map(|app| app.name.clone()).or_else(|| process.and_then(name_of)),
                own: match (own, process) {
                    (Some(app), _) => app.owners(),
                    (None, Some(process)) => {
                        vec![crate::attribution::bookings::SpanOwner::Process(Some(process))]
                    }
                    (None, None) => Vec::new(),
                },
                windows: vec![inside],
                cut: inside != whole,
            })
        })
        .collect()
}
