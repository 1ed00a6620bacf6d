//! From the times of a dump to boot time.

use wattle_timeline::{ClockAlignment, Window};
use wattle_units::BootNanos;

use super::dump_findings::{Anchor, Findings, Wall};
use wattle_import::{Clock, ClockFacts, Fit, alignment};

const MILLISECOND: i64 = 1_000_000;
const MINUTE: i64 = 60_000_000_000;
/// The most that local time is apart from Unix time, nanoseconds.
const FURTHEST_ZONE: i64 = 14 * 60 * MINUTE;
/// A wall clock that differs by more was set. Anchors are exact to a second, and clocks are kept in time by small steps.
const SET_MS: i64 = 2_000;

/// Relation of the device's wall clock to boot time and local time, as far as known.
pub(crate) struct Walls {
    fit: Option<Fit>,
    /// Nanoseconds that local time is ahead of Unix time.
    zone: Option<i64>,
}

/// Time of an instant and its possible error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub time: i64,
    pub residual: i64,
    /// In boot time, not in the dump's own.
    pub is_aligned: bool,
}

impl Walls {
    pub fn new(clocks: &ClockFacts, all: &[Findings]) -> Self {
        let known = clocks.zone_minutes.map(|minutes| minutes.saturating_mul(MINUTE));
        Self { fit: clocks.fit(Clock::Real), zone: known.or_else(|| zone_of(all)) }
    }

    /// A time of the wall clock: boot time where that is known, else local time as far as the zone is known, which is what
    /// logs have.
    pub fn place(&self, wall: Wall) -> Placed {
        let half = wall.step_ms.saturating_mul(MILLISECOND) / 2;
        let nanos = wall.ms.saturating_mul(MILLISECOND).saturating_add(half);
        let zone = self.zone.filter(|_| wall.is_local);
        if let (Some(fit), true) = (&self.fit, zone.is_some() || !wall.is_local) {
            return Placed {
                time: fit.to_boot(nanos.saturating_sub(zone.unwrap_or(0))),
                residual: half.saturating_add(fit.residual()),
                is_aligned: true,
            };
        }
        let shift = self.zone.filter(|_| !wall.is_local).unwrap_or(0);
        Placed { time: nanos.saturating_add(shift), residual: half, is_aligned: false }
    }

    /// Whether times of both kinds can be told to lie together.
    pub fn are_comparable(&self, one: Wall, other: Wall) -> bool {
        one.is_local == other.is_local || self.zone.is_some()
    }

    /// Returns the alignment of a dump to boot time.
    pub fn told(&self, artifact: &str, clock: &HistoryClock, at_ms: i64) -> Option<ClockAlignment> {
        let fit = self.fit.as_ref().filter(|_| clock.is_aligned())?;
        let told = alignment(artifact, "battery history", fit, at_ms.saturating_mul(MILLISECOND));
        let offset = clock.time(at_ms).saturating_sub(at_ms.saturating_mul(MILLISECOND));
        Some(ClockAlignment {
            offset_ns: offset,
            residual_ns: Some(clock.residual()),
            by: format!("the wall clock in it and {}", told.by),
            ..told
        })
    }
}

/// The zone by dumps that give the same start in both ways: they differ by whole quarters of an hour.
fn zone_of(all: &[Findings]) -> Option<i64> {
    const QUARTER_MS: i64 = 15 * 60 * 1000;
    let starts = || all.iter().flat_map(|it| &it.summaries).filter_map(|it| it.start);
    let mut pairs = starts().filter(|wall| wall.is_local).flat_map(|local| {
        starts().filter(|wall| !wall.is_local).map(move |unix| local.ms.saturating_sub(unix.ms))
    });
    pairs.find_map(|apart| {
        let quarters = apart.saturating_add(QUARTER_MS / 2).div_euclid(QUARTER_MS);
        let off = apart.saturating_sub(quarters.saturating_mul(QUARTER_MS)).abs();
        let is_zone = off <= SET_MS && quarters.abs() <= 14 * 4;
        is_zone.then(|| quarters.saturating_mul(QUARTER_MS).saturating_mul(MILLISECOND))
    })
}

/// Clock of one dump's history.
pub(crate) enum HistoryClock {
    /// It runs with boot time, so much ahead.
    Shifted { offset: i64, residual: i64, is_aligned: bool },
    /// It is the local time.
    Wall { offset: i64, residual: i64, is_aligned: bool },
    /// Nothing says when it began.
    Own,
}

impl HistoryClock {
    pub fn new(found: &Findings, walls: &Walls) -> Self {
        if found.is_wall {
            let Some(last) = found.history.last() else { return Self::Own };
            // The last times are the nearest to when the clocks were read.
            let wall = Wall { ms: last.at_ms, is_local: true, step_ms: 1 };
            let placed = walls.place(wall);
            let offset = placed.time.saturating_sub(last.at_ms.saturating_mul(MILLISECOND));
            let is_aligned = placed.is_aligned && !found.year_is_unknown;
            return Self::Wall { offset, residual: placed.residual, is_aligned };
        }
        let Some((anchor, half_ms)) = best(&found.anchors) else { return Self::Own };
        let placed = walls.place(anchor.wall);
        let middle = anchor.wall.step_ms.saturating_mul(MILLISECOND) / 2;
        let half = half_ms.saturating_mul(MILLISECOND);
        Self::Shifted {
            offset: placed.time.saturating_sub(anchor.at_ms.saturating_mul(MILLISECOND)),
            residual: placed.residual.saturating_sub(middle).max(0).saturating_add(half),
            is_aligned: placed.is_aligned,
        }
    }

    /// From the first to the last time of a history. `None` where nothing says when that was. Local times of an unknown zone may be
    /// anywhere within half a day.
    pub fn span(found: &Findings, walls: &Walls) -> Option<Window> {
        let (first, last) = (found.history.first()?.at_ms, found.history.last()?.at_ms);
        let clock = Self::new(found, walls);
        if found.year_is_unknown || matches!(clock, Self::Own) {
            return None;
        }
        let is_local = found.is_wall || found.anchors.last().is_some_and(|it| it.wall.is_local);
        let slack = if is_local && walls.zone.is_none() { FURTHEST_ZONE } else { 0 };
        Some(Window::new(
            BootNanos::new(clock.time(first).saturating_sub(slack)),
            BootNanos::new(clock.time(last).saturating_add(slack)),
        ))
    }

    pub fn time(&self, at_ms: i64) -> i64 {
        let nanos = at_ms.saturating_mul(MILLISECOND);
        match self {
            Self::Shifted { offset, .. } | Self::Wall { offset, .. } => {
                nanos.saturating_add(*offset)
            }
            Self::Own => nanos,
        }
    }

    pub fn is_aligned(&self) -> bool {
        match self {
            Self::Shifted { is_aligned, .. } | Self::Wall { is_aligned, .. } => *is_aligned,
            Self::Own => false,
        }
    }

    pub fn residual(&self) -> i64 {
        match self {
            Self::Shifted { residual, .. } | Self::Wall { residual, .. } => *residual,
            Self::Own => 0,
        }
    }
}

/// The last anchor, narrowed by those before it that agree, and half of what is left open in milliseconds.
///
/// An anchor is written to a whole second, so it leaves a second open. Each was written at another part of its second: what several
/// allow together is narrower. One that allows nothing of it is of before the wall clock was set, and so are all before that.
fn best(anchors: &[Anchor]) -> Option<(Anchor, i64)> {
    let last = *anchors.last()?;
    let apart = |anchor: &Anchor| anchor.wall.ms.saturating_sub(anchor.at_ms);
    let (mut low, mut high) = (apart(&last), apart(&last).saturating_add(last.wall.step_ms));
    for anchor in anchors.iter().rev().skip(1) {
        if anchor.wall.is_local != last.wall.is_local {
            break;
        }
        let (from, to) = (apart(anchor), apart(anchor).saturating_add(anchor.wall.step_ms));
        if from.max(low) > to.min(high) {
            break;
        }
        (low, high) = (low.max(from), high.min(to));
    }
    let step_ms = high.saturating_sub(low);
    let wall = Wall { ms: last.at_ms.saturating_add(low), step_ms, ..last.wall };
    Some((Anchor { wall, ..last }, step_ms / 2))
}

/// The time of the history at which a wall clock that was set on the way showed this; `None` where it was not set, or where
/// no reading allows it.
///
/// ```text
///  history   0 ────────────── 40 s ─┬─────────────── 70 s
///  wall      10:00:00 … 10:00:40    └ 18:00:00 … 18:00:30     set at 40 s
/// ```
///
/// 10:00:10 is 10 s, by the readings before the clock was set; counted back from those after it, it would be 8 hours ago. Of
/// several possible times it is that of a reset, else the first: statistics begin before what their history tells.
pub(crate) fn time_before_set(anchors: &[Anchor], wall: Wall) -> Option<i64> {
    if times_set(anchors) == 0 {
        return None;
    }
    let is_reset = |anchor: &&Anchor| {
        anchor.is_reset
            && anchor.wall.is_local == wall.is_local
            && anchor.wall.ms.abs_diff(wall.ms) <= SET_MS as u64
    };
    if let Some(reset) = anchors.iter().rev().find(is_reset) {
        return Some(reset.at_ms);
    }
    let apart = |anchor: &Anchor| anchor.wall.ms.saturating_sub(anchor.at_ms);
    let of_wall = anchors.iter().filter(|anchor| anchor.wall.is_local == wall.is_local);
    let mut readings = of_wall.peekable();
    while let Some(reading) = readings.next() {
        let at_ms = wall.ms.saturating_sub(apart(reading));
        let next = readings.peek().map(|next| next.at_ms);
        if next.is_none_or(|next| at_ms <= next.saturating_add(SET_MS)) {
            return Some(at_ms);
        }
    }
    None
}

/// Counts how often the wall clock was set while the history was written.
pub(crate) fn times_set(anchors: &[Anchor]) -> u64 {
    let apart = |anchor: &Anchor| anchor.wall.ms.saturating_sub(anchor.at_ms);
    let pairs = anchors.iter().zip(anchors.iter().skip(1));
    pairs.filter(|(one, next)| apart(one).abs_diff(apart(next)) > SET_MS as u64).count() as u64
}
