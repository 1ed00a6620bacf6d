//! Power of cores while they are idle.

use wattle_power::{Component, PowerTrack, Scope};
use wattle_timeline::{CpuId, CpuTimeline, Timeline, Window};
use wattle_units::{BootNanos, Nanos, Watts};

use crate::events::{Run, ThreadEvents};

/// Time at idle from which on its mean power is taken.
const LEAST: Nanos = Nanos::new(1_000_000);

/// Mean power at idle by core, and how much of what cores share goes on at idle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IdlePower {
    /// By CPU; the mean of the others for those that were never idle.
    cores: Vec<Watts>,
    /// Power that cores share while all of them are idle, as a part of what they share while some are busy; 1 where that was never
    /// seen, so that nothing of it counts as saved.
    pub(crate) shared_part: f64,
}

/// Power over time: energy and how long it was drawn.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    joules: f64,
    time: Nanos,
}

impl Drawn {
    fn mean(self) -> Option<Watts> {
        (self.time >= LEAST).then(|| Watts::new(self.joules / self.time.seconds()))
    }
}

impl IdlePower {
    /// From what the cores' tracks drew while the cores were idle. `None` where no core is known to have been idle, or has a track.
    pub(crate) fn new(timeline: &Timeline, tracks: &[PowerTrack]) -> Option<Self> {
        let idle: Vec<Vec<Window>> =
            timeline.cpus.iter().map(|cpu| idle_windows(cpu, timeline.window)).collect();
        let mut cores = vec![Drawn::default(); timeline.cpus.len()];
        let mut shared = (Drawn::default(), Drawn::default());
        let mut is_shared_known = true;
        for track in tracks.iter().filter(|track| track.component == Component::Cpu) {
            match &track.scope {
                Scope::Core(cpu) => {
                    let (Some(core), Some(idle)) =
                        (cores.get_mut(cpu.index()), idle.get(cpu.index()))
                    else {
                        continue;
                    };
                    let drawn = drawn_in(track, idle);
                    core.joules += drawn.joules;
                    core.time = core.time.max(drawn.time);
                }
                Scope::Cores(cpus) => {
                    let idle = all_idle(cpus, &idle);
                    let at_idle = drawn_in(track, &idle);
                    let length = track.window().intersect(timeline.window).duration();
                    is_shared_known &= at_idle.time >= LEAST;
                    let all = track.energy(timeline.window).value();
                    shared.0.joules += at_idle.mean().unwrap_or_default().value();
                    let busy = length - at_idle.time;
                    if busy >= LEAST {
                        shared.1.joules += (all - at_idle.joules) / busy.seconds();
                    }
                }
                _ => {}
            }
        }
        let means: Vec<Option<Watts>> = cores.into_iter().map(Drawn::mean).collect();
        let known: Vec<f64> = means.iter().flatten().map(|watts| watts.value()).collect();
        if known.is_empty() {
            return None;
        }
        let others = Watts::new(known.iter().sum::<f64>() / known.len() as f64);
        let (at_idle, busy) = (shared.0.joules, shared.1.joules);
        let part =
            if busy > 0.0 && is_shared_known { (at_idle / busy).clamp(0.0, 1.0) } else { 1.0 };
        let cores = means.into_iter().map(|mean| mean.unwrap_or(others)).collect();
        Some(Self { cores, shared_part: part })
    }

    /// Returns the energy that the cores would have drawn idle in the time that the thread ran on them within the
    /// window, in joules.
    pub(crate) fn of(&self, events: &ThreadEvents, window: Window) -> f64 {
        let first = events.runs.partition_point(|run| run.window.end <= window.start);
        let inside = events.runs.iter().skip(first).take_while(|run| run.window.start < window.end);
        let energy = |run: &Run| {
            let power = self.cores.get(run.cpu.index()).copied().unwrap_or_default();
            power.value() * run.window.intersect(window).duration().seconds()
        };
        inside.map(energy).sum()
    }
}

/// When the core was idle: by what it says of itself, else by the idle task on it.
fn idle_windows(cpu: &CpuTimeline, window: Window) -> Vec<Window> {
    if !cpu.idle.is_empty() {
        let segments = cpu.idle.segments(window);
        return segments.filter(|it| !it.value.is_active()).map(|it| it.window).collect();
    }
    if cpu.sched_is_inferred {
        return Vec::new();
    }
    let idle = cpu.sched.iter().filter(|slice| slice.thread.is_idle());
    idle.map(|slice| slice.window.intersect(window)).filter(|it| !it.is_empty()).collect()
}

/// When all of them were.
fn all_idle(cpus: &[CpuId], idle: &[Vec<Window>]) -> Vec<Window> {
    let mut of_cpus = cpus.iter().map(|cpu| idle.get(cpu.index()).cloned().unwrap_or_default());
    let first = of_cpus.next().unwrap_or_default();
    of_cpus.fold(first, |one, other| intersection(&one, &other))
}

/// Returns the intersection of two sets of stretches, each in order and disjoint.
fn intersection(one: &[Window], other: &[Window]) -> Vec<Window> {
    let mut found = Vec::new();
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let both = a.intersect(**b);
        if !both.is_empty() {
            found.push(both);
        }
        if a.end <= b.end {
            left.next()
        } else {
            right.next()
        };
    }
    found
}

/// Returns the energy of the track in stretches in order.
fn drawn_in(track: &PowerTrack, windows: &[Window]) -> Drawn {
    let mut drawn = Drawn::default();
    let mut index = windows.first().map_or(0, |window| track.segment_at(window.start));
    let mut now = BootNanos::MIN;
    for window in windows {
        let start = window.start.max(now);
        now = now.max(window.end);
        while let Some(segment) = track.get(index) {
            let inside = segment.window.intersect(Window::new(start, window.end));
            drawn.joules += segment.power.value() * inside.duration().seconds();
            drawn.time += inside.duration();
            if segment.window.end > window.end {
                break;
            }
            index += 1;
        }
    }
    drawn
}
