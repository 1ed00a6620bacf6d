//! App starts and user journeys of a ledger in rows.

use wattle_ledger::{JourneyMeasure, SpanEntry, SpanParty, SpanSubject, StartupKind};

use super::PeriodRow;
use super::span_tallies::SpanTallies;
use crate::model::basis::Basis;

/// The row of a stretch and its number.
pub(super) fn row(
    basis: Basis<'_>,
    tallies: &SpanTallies,
    (at, entry): (usize, &SpanEntry),
) -> PeriodRow {
    let app = entry.app.clone().unwrap_or_default();
    let (name, kind) = match &entry.subject {
        SpanSubject::Journey { measure, name } => {
            (name.clone(), measure.map_or("", JourneyMeasure::name))
        }
        SpanSubject::Startup { start } => (app.clone(), start.map_or("", StartupKind::name)),
        SpanSubject::Frame { .. } | SpanSubject::State { .. } => (app.clone(), ""),
    };
    let energy = basis.estimator.figure(&tallies.tally(at, |_| true), None);
    let party = |party| match energy.0 {
        Some(_) => tallies.party(basis, at, party),
        None => energy,
    };
    PeriodRow {
        name,
        kind: kind.to_owned(),
        app,
        start: entry.window.start - basis.ledger.recording.window.start,
        duration: entry.duration,
        cut: entry.cut,
        energy,
        mean_mw: energy.mean_milliwatts(entry.duration),
        own: party(SpanParty::Own),
        system_server: party(SpanParty::SystemServer),
        surface_flinger: party(SpanParty::SurfaceFlinger),
        others: party(SpanParty::Others),
        no_process: party(SpanParty::NoProcess),
        components: tallies.components(basis, at),
    }
}
