//! The app in front, over time: what a display is lit for.
//!
//! Android gives the display's energy to the app that is on top (AOSP `ScreenPowerStatsProcessor`, by the time of top activities). In a
//! trace that is the app that the system holds as in front; among several of those, and where no such state is recorded, the one
//! whose frame was drawn last. The system also holds as in front what an app in front is bound to (services, tests that drive it): of
//! several, those that have a renderer.

use std::collections::{BTreeMap, BTreeSet};

use wattle_timeline::{FrameOwner, ProcessId, Thread, Timeline, Window};
use wattle_units::BootNanos;

use super::concurrent_users::Concurrent;
use super::hardware_user::HardwareUser;
use super::named_sections::named_sections;
use crate::attribution::call_paths::CallPaths;
use crate::attribution::named_spans::{AppGroup, NamedSpans};
use crate::{AppState, SpanKind, SpanSubject};

/// More apps at once are not in front: the system calls much foreground that nobody sees.
const MOST_IN_FRONT: usize = 4;

/// The section of an app's main thread in which it makes a frame (AOSP `Choreographer.doFrame`).
const DO_FRAME: &str = "Choreographer#doFrame";

/// The thread in which an app draws its windows (AOSP `libs/hwui/renderthread`).
const RENDERER: &str = "RenderThread";

/// A change of what is known of the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Leaves(HardwareUser),
    Comes(HardwareUser),
    Draws(HardwareUser),
}

/// The apps in front at each instant; several at once share.
pub(super) fn front_apps(
    timeline: &Timeline,
    paths: &CallPaths,
    named: &NamedSpans,
) -> Concurrent<HardwareUser> {
    let of_group = |app: &AppGroup| {
        let by_uid = app.uids.first().map(|uid| HardwareUser::App(uid.0));
        let of_process = || {
            let process = app.processes.first()?;
            HardwareUser::of_process(timeline, paths, *process)
        };
        by_uid.or_else(of_process)
    };
    let mut changes: Vec<(BootNanos, Change)> = Vec::new();
    for span in named.of(SpanKind::State) {
        let is_in_front = span.subject == SpanSubject::State { state: Some(AppState::Foreground) };
        let app = span.app.as_deref().and_then(|name| named.apps.named(name));
        let Some(user) = app.filter(|_| is_in_front).and_then(of_group) else { continue };
        for window in &span.windows {
            changes.push((window.start, Change::Comes(user)));
            changes.push((window.end, Change::Leaves(user)));
        }
    }
    for (time, process) in drawings(timeline) {
        let user = match named.apps.of(process) {
            Some(app) => of_group(app),
            None => HardwareUser::of_process(timeline, paths, process),
        };
        changes.extend(user.map(|user| (time, Change::Draws(user))));
    }
    changes.sort_unstable();
    let renderers: BTreeSet<HardwareUser> = renderers(timeline)
        .filter_map(|process| match named.apps.of(process) {
            Some(app) => of_group(app),
            None => HardwareUser::of_process(timeline, paths, process),
        })
        .collect();
    Concurrent::new(pieces(&changes, &renderers, timeline.window.end))
}

/// Processes that have a renderer.
fn renderers(timeline: &Timeline) -> impl Iterator<Item = ProcessId> + '_ {
    let name = timeline.names.find(RENDERER);
    let threads = timeline.tasks.threads.iter();
    let is_one = move |thread: &&Thread| name.is_some() && thread.name == name;
    threads.filter(is_one).filter_map(|thread| thread.process)
}

/// When processes drew: their frames, else the sections in which Android's renderer makes one.
fn drawings(timeline: &Timeline) -> Vec<(BootNanos, ProcessId)> {
    let frames = timeline.code.frames.iter();
    let shown = frames.filter(|it| it.owner == FrameOwner::App && !it.is_dropped);
    let found: Vec<_> =
        shown.filter_map(|frame| Some((frame.actual.start, frame.process?))).collect();
    if !found.is_empty() {
        return found;
    }
    let sections = named_sections(timeline, DO_FRAME);
    sections
        .flat_map(|(process, frames)| frames.into_iter().map(move |it| (it.start, process)))
        .collect()
}

/// The stretches of each app in front.
fn pieces(
    changes: &[(BootNanos, Change)],
    renderers: &BTreeSet<HardwareUser>,
    end: BootNanos,
) -> Vec<(Window, HardwareUser)> {
    let mut found = Vec::new();
    let mut held: BTreeMap<HardwareUser, u32> = BTreeMap::new();
    let mut drawer = None;
    let mut now: Vec<(BootNanos, HardwareUser)> = Vec::new();
    for at_once in changes.chunk_by(|one, other| one.0 == other.0) {
        let Some((time, _)) = at_once.first().copied() else { continue };
        for (_, change) in at_once {
            match *change {
                Change::Comes(user) => *held.entry(user).or_default() += 1,
                Change::Leaves(user) => {
                    if let Some(count) = held.get_mut(&user) {
                        *count = count.saturating_sub(1);
                    }
                    held.retain(|_, count| *count > 0);
                }
                Change::Draws(user) => drawer = Some(user),
            }
        }
        let next: Vec<HardwareUser> = match drawer {
            Some(drawer) if held.is_empty() || held.contains_key(&drawer) => vec![drawer],
            _ if held.keys().any(|user| renderers.contains(user)) => {
                held.keys().filter(|user| renderers.contains(user)).copied().collect()
            }
            _ if held.len() <= MOST_IN_FRONT && !held.is_empty() => held.keys().copied().collect(),
            Some(drawer) => vec![drawer],
            None => Vec::new(),
        };
        let ends = |it: &(BootNanos, HardwareUser)| !next.contains(&it.1);
        found.extend(
            now.extract_if(.., |it| ends(it)).map(|(start, user)| (Window::new(start, time), user)),
        );
        for user in next {
            if now.iter().all(|(_, known)| *known != user) {
                now.push((time, user));
            }
        }
    }
    found.extend(now.into_iter().map(|(start, user)| (Window::new(start, end.max(start)), user)));
    found
}

#[cfg(test)]
mod tests {
    use super::Change::{Comes, Draws, Leaves};
    use super::*;

    const MAIL: HardwareUser = HardwareUser::App(10_001);
    const MAPS: HardwareUser = HardwareUser::App(10_002);

    #[track_caller]
    fn check(changes: &[(i64, Change)], expected: &[(i64, i64, HardwareUser)]) {
        check_with(&[], changes, expected);
    }

    #[track_caller]
    fn check_with(
        renderers: &[HardwareUser],
        changes: &[(i64, Change)],
        expected: &[(i64, i64, HardwareUser)],
    ) {
        let renderers = renderers.iter().copied().collect();
        let changes: Vec<_> =
            changes.iter().map(|(time, change)| (BootNanos::new(*time), *change)).collect();
        let mut found: Vec<_> = pieces(&changes, &renderers, BootNanos::new(100))
            .into_iter()
            .map(|(window, user)| (window.start.value(), window.end.value(), user))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn of_several_in_front_those_with_a_renderer_are_seen() {
        let both = [(10, Comes(MAIL)), (20, Comes(MAPS)), (60, Leaves(MAPS))];
        check_with(&[MAPS], &both, &[(10, 20, MAIL), (20, 60, MAPS), (60, 100, MAIL)]);
        check_with(&[MAIL, MAPS], &both, &[(10, 100, MAIL), (20, 60, MAPS)]);
    }

    #[test]
    fn the_last_drawer_is_in_front_unless_others_are_known_to_be() {
        check(&[], &[]);
        check(&[(10, Draws(MAIL)), (40, Draws(MAPS))], &[(10, 40, MAIL), (40, 100, MAPS)]);
        check(&[(10, Comes(MAIL)), (40, Draws(MAPS))], &[(10, 100, MAIL)]);
        check(
            &[(10, Comes(MAIL)), (20, Comes(MAPS)), (40, Draws(MAPS)), (60, Leaves(MAPS))],
            &[(10, 40, MAIL), (20, 60, MAPS), (60, 100, MAIL)],
        );
    }
}
