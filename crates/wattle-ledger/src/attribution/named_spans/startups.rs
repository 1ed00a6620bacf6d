//! App starts: from the request to the first frame, as the system's activity manager logs them.
//!
//! Android 9 to 12 log an asynchronous slice `launching: PACKAGE`; Android 13 and later one `launchingActivity#N`, whose package and
//! kind follow in an instant `launchingActivity#N:completed-cold:PACKAGE` when it ends. (Perfetto: `android.startup.startups_*`.)

use std::collections::BTreeMap;

use wattle_timeline::{CallSlice, SliceScope, Timeline, Window};

use super::{AppGroups, NamedSpan, roles, slices};
use crate::spans::SliceRole;
use crate::{SpanSubject, StartupKind};

/// The app starts of a timeline inside the window, in order of time.
pub(super) fn find(timeline: &Timeline, window: Window, apps: &AppGroups) -> Vec<NamedSpan> {
    let roles = roles(timeline);
    let mut launches: Vec<(CallSlice, Option<&str>, Option<StartupKind>)> = Vec::new();
    let mut numbered: BTreeMap<u64, Vec<CallSlice>> = BTreeMap::new();
    let mut completed: BTreeMap<u64, (Option<StartupKind>, &str)> = BTreeMap::new();
    for (scope, _, slice) in slices(timeline) {
        let is_async = !matches!(scope, SliceScope::Thread(_));
        match roles.get(slice.name.index()).copied().flatten() {
            Some(SliceRole::Launch(package)) if is_async => {
                launches.push((slice, Some(package), None));
            }
            Some(SliceRole::NumberedLaunch(number)) if is_async && slice.end > slice.start => {
                numbered.entry(number).or_default().push(slice);
            }
            Some(SliceRole::LaunchCompleted(number, kind, package)) => {
                completed.entry(number).or_insert((kind, package));
            }
            _ => {}
        }
    }
    for (number, slices) in numbered {
        let facts = completed.get(&number);
        let kind = facts.and_then(|(kind, _)| *kind);
        launches.extend(
            slices.into_iter().map(|slice| (slice, facts.map(|(_, package)| *package), kind)),
        );
    }
    launches.sort_by_key(|(slice, ..)| (slice.start, slice.end));
    launches
        .into_iter()
        .filter_map(|(slice, package, start)| {
            let whole = Window::new(slice.start, slice.end);
            let inside = whole.intersect(window);
            let own = package.and_then(|package| apps.named(package));
            (!inside.is_empty()).then(|| NamedSpan {
                subject: SpanSubject::Startup { start },
                app: package.map(str::to_owned),
                own: own.map(|app| app.owners()).unwrap_or_default(),
                windows: vec![inside],
                cut: inside != whole,
            })
        })
        .collect()
}
