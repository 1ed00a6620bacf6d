//! Parts of idle time in which nothing loads and no picture moves. A recording of input alone does not know what was asked for before
//! it began, nor that a page which loads by itself, a film or a game is work that somebody looks at.

use wattle_timeline::{Process, Timeline, Uid, Window};
use wattle_units::{BootNanos, Nanos};

use crate::pictures::picture_times;
use crate::windows::union;

/// Whatever was asked for just before the recording goes on for so long.
const AFTER_BEGINNING: Nanos = Nanos::new(2_000_000_000);
/// A new process settles for so long.
const AFTER_BIRTH: Nanos = Nanos::new(2_000_000_000);
/// More births than one in this time are a loop, and nothing that somebody asked for.
const BETWEEN_BIRTHS: Nanos = Nanos::new(5_000_000_000);
/// So many births are no loop, however short the recording.
const FEW_BIRTHS: i64 = 3;
/// Pictures that follow each other within this time are one motion; fewer than five a second are a clock or a cursor.
const SAME_MOTION: Nanos = Nanos::new(200_000_000);
/// Pictures of the shortest motion.
const LEAST_PICTURES: usize = 5;
/// The pictures of a motion are made from so long before it.
const BEFORE_MOTION: Nanos = Nanos::new(1_000_000_000);
/// Work that it left goes on for so long.
const AFTER_MOTION: Nanos = Nanos::new(500_000_000);

/// When something may have loaded or moved, in order of time, none touching another.
pub(crate) fn restless(timeline: &Timeline, window: Window) -> Vec<Window> {
    let beginning = timeline.window.start;
    let mut found = vec![Window::new(beginning, beginning + AFTER_BEGINNING)];
    let births: Vec<BootNanos> = births(timeline).collect();
    let most = FEW_BIRTHS.max(timeline.window.duration().value() / BETWEEN_BIRTHS.value());
    if births.len() as i64 <= most {
        found.extend(births.into_iter().map(|start| Window::new(start, start + AFTER_BIRTH)));
    }
    found.extend(motions(timeline));
    union(found.into_iter().map(|it| it.intersect(window)).collect())
}

/// The beginnings of processes of apps that began while it was recorded.
fn births(timeline: &Timeline) -> impl Iterator<Item = BootNanos> + '_ {
    let name = |process: &Process| process.name.map(|name| timeline.names.get(name));
    let is_zygote = move |process: &Process| name(process).is_some_and(|it| it.contains("zygote"));
    timeline.tasks.processes.iter().filter_map(move |process| {
        let parent = process.parent.and_then(|it| timeline.tasks.processes.get(it.index()));
        let is_app = process.uid.is_some_and(Uid::is_app) || parent.is_some_and(is_zygote);
        process.start.filter(|_| is_app)
    })
}

/// When pictures moved, with the work that made them.
fn motions(timeline: &Timeline) -> Vec<Window> {
    let times = picture_times(timeline);
    let chains = times.chunk_by(|one, other| *other - *one <= SAME_MOTION);
    let moving = chains.filter(|chain| chain.len() >= LEAST_PICTURES);
    let window = |chain: &[BootNanos]| {
        Some(Window::new(*chain.first()? - BEFORE_MOTION, *chain.last()? + AFTER_MOTION))
    };
    moving.filter_map(window).collect()
}
