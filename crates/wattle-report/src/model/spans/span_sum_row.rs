//! The sums of one kind of stretches.

use wattle_ledger::{SpanKind, SpanRole};
use wattle_table::{Column, describe};

use super::span_tallies::SpanTallies;
use crate::Figure;
use crate::model::Tally;
use crate::model::basis::Basis;

/// The sums of one kind of stretches, which are the total: named + outside − repeated.
#[derive(Clone, Debug)]
pub struct SpanSumRow {
    /// The kind.
    pub kind: SpanKind,
    /// Energy of its stretches.
    pub named: Figure,
    /// Energy outside of all of them.
    pub outside: Figure,
    /// Energy that is in several, once for each after the first; 0 where none overlap.
    pub repeated: Figure,
}

const fn word(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Frame => "frame",
        SpanKind::Startup => "startup",
        SpanKind::Journey => "cuj",
        SpanKind::State => "state",
    }
}

describe!(
    SpanSumRow,
    "span_sum",
    "the sums of one kind of stretches: named + outside − repeated = total",
    [
        Column::text("kind", "the kind, as in --by", |row: &SpanSumRow| word(row.kind))
            .words(&["frame", "startup", "cuj", "state"]),
        Column::energy("named", "energy of its stretches", |row: &SpanSumRow| row.named.0),
        Column::energy("outside", "energy outside of all of them", |row: &SpanSumRow| row
            .outside
            .0),
        Column::energy(
            "repeated",
            "energy that is in several, once for each after the first; 0 where none overlap",
            |row: &SpanSumRow| row.repeated.0
        ),
    ]
);

impl SpanSumRow {
    /// Of a kind; `None` where the ledger has none of it.
    pub(super) fn new(basis: Basis<'_>, tallies: &SpanTallies, kind: SpanKind) -> Option<Self> {
        let entries = &basis.ledger.spans.entries;
        if !entries.iter().any(|entry| entry.subject.kind() == kind) {
            return None;
        }
        let sum = |role: SpanRole| {
            let mut all = Tally::default();
            for (at, entry) in entries.iter().enumerate() {
                if entry.subject.kind() == kind && entry.role == role {
                    all.merge(&tallies.tally(at, |_| true));
                }
            }
            let watched = basis.total.provenance();
            basis.estimator.figure(&all, watched)
        };
        Some(Self {
            kind,
            named: sum(SpanRole::Named),
            outside: sum(SpanRole::Outside),
            repeated: sum(SpanRole::Repeated),
        })
    }
}
