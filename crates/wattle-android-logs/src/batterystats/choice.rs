//! Which of several dumps of the same statistics says what: each kind of information is taken once, from the form that says it
//! best.

use std::mem::Discriminant;

use rustc_hash::FxHashMap;
use wattle_timeline::{NameId, Quantity};

use super::dump_findings::{Findings, Form, Summary, Total};
use super::history_clock::Walls;

/// Starts that lie this close together are the same.
const SAME_MS: u64 = 2_000;

/// A kind of information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Information {
    quantity: Discriminant<Quantity>,
    is_of_uid: bool,
    tag: Tagged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Tagged {
    No,
    /// One of many names.
    Any,
    /// A name that is a kind of its own.
    Exactly(NameId),
}

impl Information {
    fn from_total(total: &Total) -> Self {
        let names_kinds = matches!(
            total.quantity,
            Quantity::EstimatedCharge
                | Quantity::MeasuredCharge
                | Quantity::BatteryCharge
                | Quantity::BatteryCapacity
        );
        let tag = match total.tag {
            None => Tagged::No,
            Some(name) if names_kinds => Tagged::Exactly(name),
            Some(_) => Tagged::Any,
        };
        let quantity = std::mem::discriminant(&total.quantity);
        Self { quantity, is_of_uid: total.uid.is_some(), tag }
    }
}

/// One of the dumps of a stretch of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dump<'a> {
    /// Index of the findings.
    pub of: usize,
    pub form: Form,
    pub summary: &'a Summary,
}

/// Dumps of the same stretch: the best form first, one of each.
pub(crate) fn stretches<'a>(all: &'a [Findings], walls: &Walls) -> Vec<Vec<Dump<'a>>> {
    let mut dumps: Vec<Dump<'a>> = Vec::new();
    for (of, found) in all.iter().enumerate() {
        let filled = found.summaries.iter().filter(|summary| !summary.totals.is_empty());
        dumps.extend(filled.map(|summary| Dump { of, form: found.form, summary }));
    }
    // Of the same form the longest is the latest: totals only grow.
    dumps.sort_by_key(|dump| (dump.form, std::cmp::Reverse(dump.summary.length_ms)));
    let mut stretches: Vec<Vec<Dump<'a>>> = Vec::new();
    for dump in dumps {
        let same = stretches
            .iter_mut()
            .find(|stretch| stretch.first().is_some_and(|first| is_same(first, &dump, walls)));
        match same {
            Some(stretch) if stretch.iter().any(|it| it.form == dump.form) => {}
            Some(stretch) => stretch.push(dump),
            None => stretches.push(vec![dump]),
        }
    }
    stretches
}

fn is_same(one: &Dump<'_>, other: &Dump<'_>, walls: &Walls) -> bool {
    match (one.summary.start, other.summary.start) {
        (Some(a), Some(b)) if walls.are_comparable(a, b) => {
            let apart = walls.place(a).time.abs_diff(walls.place(b).time);
            // Usage is of a session, which begins with the statistics.
            apart <= (SAME_MS * 1_000_000).max(walls.place(a).residual.unsigned_abs() * 2)
        }
        _ => true,
    }
}

/// Which dump of a stretch each kind of information is taken from.
pub(crate) struct Choice(FxHashMap<Information, Form>);

impl Choice {
    pub fn from_stretch(stretch: &[Dump<'_>]) -> Self {
        let mut forms = FxHashMap::default();
        for dump in stretch {
            for total in &dump.summary.totals {
                forms.entry(Information::from_total(total)).or_insert(dump.form);
            }
        }
        Self(forms)
    }

    /// Whether a number is taken from this dump.
    pub fn takes(&self, dump: &Dump<'_>, total: &Total) -> bool {
        self.0.get(&Information::from_total(total)) == Some(&dump.form)
    }
}
