//! App starts: from the request to the first frame, as the system's activity manager logs them.
//!
//! Android 9 to 12 log an asynchronous slice `launching: PACKAGE`; Android 13 and later one `launchingActivity#N`, whose package and
//! kind follow in an instant `launchingActivity#N:completed-cold:PACKAGE` when it ends. Versions in between log both for one start: the
//! second form counts, which begins with the request. Where the kind is not stated, the steps of the app's main thread in that time
//! say it. (Perfetto: `android.startup.startups`, `android_startup_processes`.)

use std::collections::BTreeMap;

use wattle_timeline::{ProcessId, SliceScope, Timeline, Window};
use wattle_units::BootNanos;

use super::app_groups::{AppGroup, AppGroups};
use super::{NamedSpan, roles, slices};
use crate::spans::{SliceRole, StartStep};
use crate::{SpanSubject, StartupKind};

/// App starts by the slices of a recording.
#[derive(Default)]
struct Found<'a> {
    /// By package.
    launches: Vec<(Window, &'a str)>,
    numbered: Vec<(Window, u64)>,
    completed: BTreeMap<u64, (Option<StartupKind>, &'a str)>,
    /// On main threads.
    steps: Vec<(ProcessId, BootNanos, StartStep)>,
}

impl<'a> Found<'a> {
    fn new(timeline: &'a Timeline) -> Self {
        let roles = roles(timeline);
        let mut found = Self::default();
        for (scope, process, slice) in slices(timeline) {
            let whole = Window::new(slice.start, slice.end);
            let is_async = !matches!(scope, SliceScope::Thread(_));
            match roles.get(slice.name.index()).copied().flatten() {
                Some(SliceRole::Launch(package)) if is_async => {
                    found.launches.push((whole, package));
                }
                Some(SliceRole::NumberedLaunch(number)) if is_async && !whole.is_empty() => {
                    found.numbered.push((whole, number));
                }
                Some(SliceRole::LaunchCompleted(number, kind, package)) => {
                    found.completed.entry(number).or_insert((kind, package));
                }
                Some(SliceRole::StartStep(step)) => {
                    if let (SliceScope::Thread(thread), Some(process)) = (scope, process)
                        && timeline.tasks.threads.get(thread.index()).is_some_and(|it| it.is_main)
                    {
                        found.steps.push((process, slice.start, step));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// All starts: time, package, stated kind.
    fn starts(&self) -> Vec<(Window, Option<&'a str>, Option<StartupKind>)> {
        let numbered = self.numbered.iter().map(|(whole, number)| {
            let facts = self.completed.get(number);
            (*whole, facts.map(|(_, package)| *package), facts.and_then(|(kind, _)| *kind))
        });
        let mut starts: Vec<_> = numbered.collect();
        if self.completed.is_empty() {
            starts.extend(self.launches.iter().map(|(whole, name)| (*whole, Some(*name), None)));
        }
        starts.sort_by_key(|(whole, ..)| (whole.start, whole.end));
        starts
    }

    /// The kind by the steps of the app's main threads in the time of its start.
    fn kind(&self, app: &AppGroup, whole: Window) -> Option<StartupKind> {
        let has = |wanted: StartStep| {
            self.steps.iter().any(|(process, time, step)| {
                *step == wanted && whole.contains(*time) && app.processes.contains(process)
            })
        };
        if !has(StartStep::ActivityResume) {
            return None;
        }
        Some(match (has(StartStep::BindApplication), has(StartStep::ActivityStart)) {
            (true, true) => StartupKind::Cold,
            (_, true) => StartupKind::Warm,
            (_, false) => StartupKind::Hot,
        })
    }
}

/// The app starts of a timeline inside the window, in order of time.
pub(super) fn find(timeline: &Timeline, window: Window, apps: &AppGroups) -> Vec<NamedSpan> {
    let found = Found::new(timeline);
    let starts = found.starts().into_iter();
    starts
        .filter_map(|(whole, package, stated)| {
            let inside = whole.intersect(window);
            let app = package.and_then(|package| apps.named(package));
            let start = stated.or_else(|| found.kind(app?, whole));
            (!inside.is_empty()).then(|| NamedSpan {
                subject: SpanSubject::Startup { start },
                app: package.map(str::to_owned),
                own: app.map(AppGroup::owners).unwrap_or_default(),
                windows: vec![inside],
                cut: inside != whole,
            })
        })
        .collect()
}
