//! Frames of a ledger in rows.

use std::collections::BTreeMap;

use wattle_ledger::{FrameJank, Ledger, SpanEntry, SpanSubject};
use wattle_units::Joules;

use super::span_tallies::{SpanTallies, named};
use super::{AppFrameRow, FrameGroupRow};
use crate::Figure;
use crate::model::Tally;
use crate::model::basis::Basis;

/// Frames with their numbers in the ledger's stretches.
fn frames(
    ledger: &Ledger,
) -> impl Iterator<Item = (usize, &SpanEntry, Option<i64>, Option<FrameJank>)> {
    named(ledger).filter_map(|(at, entry)| match entry.subject {
        SpanSubject::Frame { token, jank } => Some((at, entry, token, jank)),
        _ => None,
    })
}

/// The energy of a frame; no data where no slice says which is its own.
fn energy(basis: Basis<'_>, tallies: &SpanTallies, at: usize, entry: &SpanEntry) -> Figure {
    if entry.without_slices {
        return Figure::NO_DATA;
    }
    let watched = basis.watched.threads.filter(|_| basis.total.0.is_some());
    basis.estimator.figure(&tallies.tally(at, |_| true), watched)
}

/// Single frames, most energy first.
pub(super) fn singles(basis: Basis<'_>, tallies: &SpanTallies) -> Vec<AppFrameRow> {
    let ledger = basis.ledger;
    let mut rows: Vec<AppFrameRow> = frames(ledger)
        .filter_map(|(at, entry, token, jank)| {
            Some(AppFrameRow {
                token: token?,
                app: entry.app.clone().unwrap_or_default(),
                jank,
                start: entry.window.start - ledger.recording.window.start,
                duration: entry.duration,
                energy: energy(basis, tallies, at, entry),
            })
        })
        .collect();
    rows.sort_by(|one, other| {
        let energy = other.energy.rank().total_cmp(&one.energy.rank());
        energy.then_with(|| (one.start, one.token).cmp(&(other.start, other.token)))
    });
    rows
}

/// The frames of a group.
#[derive(Default)]
struct Group {
    frames: u64,
    known: u64,
    all: Tally,
    singles: Vec<Joules>,
    is_apart: bool,
}

/// Frames by app and jank, most energy first. Frames that are not told apart are a group of their own.
pub(super) fn groups(basis: Basis<'_>, tallies: &SpanTallies) -> Vec<FrameGroupRow> {
    let mut groups: BTreeMap<(&str, Option<FrameJank>, bool), Group> = BTreeMap::new();
    for (at, entry, token, jank) in frames(basis.ledger) {
        let app = entry.app.as_deref().unwrap_or_default();
        let group = groups.entry((app, jank, token.is_some())).or_default();
        group.frames += entry.count;
        group.is_apart = token.is_some();
        if entry.without_slices {
            continue;
        }
        group.known += entry.count;
        group.all.merge(&tallies.tally(at, |_| true));
        group.singles.extend(energy(basis, tallies, at, entry).joules());
    }
    let row = |((app, jank, _), mut group): ((&str, Option<FrameJank>, bool), Group)| {
        let watched = basis.watched.threads.filter(|_| basis.total.0.is_some() && group.known > 0);
        let energy = basis.estimator.figure(&group.all, watched);
        group.singles.sort_by(|one, other| one.value().total_cmp(&other.value()));
        let quantile = |percent: usize| {
            let rank = (group.singles.len() * percent).div_ceil(100);
            let of = group.singles.get(rank.checked_sub(1)?)?;
            group.is_apart.then_some(of.value())
        };
        FrameGroupRow {
            app: app.to_owned(),
            jank,
            frames: group.frames,
            known: group.known,
            share: energy.share_of(basis.total),
            mean: energy.divided(group.known),
            p50: quantile(50),
            p95: quantile(95),
            energy,
        }
    };
    let mut rows: Vec<FrameGroupRow> = groups.into_iter().map(row).collect();
    rows.sort_by(|one, other| {
        let energy = other.energy.rank().total_cmp(&one.energy.rank());
        energy
            .then_with(|| other.frames.cmp(&one.frames))
            .then_with(|| (&one.app, one.jank).cmp(&(&other.app, other.jank)))
    });
    rows
}
