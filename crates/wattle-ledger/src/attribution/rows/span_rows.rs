//! The named stretches of a ledger, and their energy.

use std::collections::BTreeMap;

use wattle_power::SourceId;
use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Joules, Nanos};

use crate::attribution::bookings::{Bookings, Lines, PartSums, SpanOwner};
use crate::attribution::consumer::Consumer;
use crate::attribution::named_spans::{NamedSpan, NamedSpans, outside, repeated};
use crate::{
    ComponentId, Ledger, SpanBooking, SpanEntry, SpanKind, SpanParty, SpanRole, SpanSubject,
};

/// Sums of one entry.
pub(super) type EntrySums = BTreeMap<(SpanParty, ComponentId, SourceId), CompensatedSum>;

/// Writes app starts, user journeys and states, and for each kind the energy outside of them and the energy that several share.
pub(super) fn fill(named: &NamedSpans, bookings: &Bookings, ledger: &mut Ledger) {
    let rows = SpanRows { named, bookings };
    let window = ledger.recording.window;
    for kind in [SpanKind::Startup, SpanKind::Journey, SpanKind::State] {
        if named.of(kind).next().is_none() {
            continue;
        }
        for span in named.of(kind) {
            let sums = rows.named(span);
            add(ledger, entry(span), &sums);
        }
        let mut rest = EntrySums::new();
        if kind == SpanKind::State {
            let apart: Vec<SpanOwner> =
                named.of(kind).flat_map(|span| span.own.iter().copied()).collect();
            let others = |owner: &SpanOwner| !apart.contains(owner);
            rows.over(&[window], others, &mut rest);
        } else {
            let windows: Vec<Window> =
                named.of(kind).flat_map(|span| span.windows.iter().copied()).collect();
            rows.over(&outside(&windows, window), |_| true, &mut rest);
            let shared = repeated(&windows, window);
            if !shared.is_empty() {
                let mut sums = EntrySums::new();
                rows.over(&shared, |_| true, &mut sums);
                add(ledger, whole(kind, SpanRole::Repeated, &shared), &sums);
            }
        }
        unmetered(&bookings.lines, &mut rest);
        add(ledger, whole(kind, SpanRole::Outside, &[window]), &rest);
    }
}

/// Appends an entry with its energies.
pub(super) fn add(ledger: &mut Ledger, entry: SpanEntry, sums: &EntrySums) {
    let span = ledger.spans.entries.len() as u32;
    ledger.spans.entries.push(entry);
    let bookings = sums.iter().map(|((party, component, source), sum)| SpanBooking {
        span,
        party: *party,
        component: *component,
        source: *source,
        joules: Joules::new(sum.value()),
    });
    ledger.spans.bookings.extend(bookings);
}

/// Adds what the battery lost and no track saw: it is not known when.
pub(super) fn unmetered(lines: &Lines, sums: &mut EntrySums) {
    for (key, sum) in lines.entries() {
        if key.consumer() == Consumer::Unmetered {
            let place = (SpanParty::NoProcess, key.component(), key.source());
            sums.entry(place).or_default().merge(*sum);
        }
    }
}

/// An entry of a sum over a kind.
pub(super) fn whole(kind: SpanKind, role: SpanRole, windows: &[Window]) -> SpanEntry {
    SpanEntry {
        subject: SpanSubject::for_sum(kind),
        role,
        app: None,
        window: hull(windows),
        duration: windows.iter().map(|window| window.duration()).sum(),
        count: windows.len() as u64,
        cut: false,
        without_slices: false,
    }
}

/// From the first beginning to the last end.
fn hull(windows: &[Window]) -> Window {
    let start = windows.iter().map(|window| window.start).min().unwrap_or_default();
    let end = windows.iter().map(|window| window.end).max().unwrap_or_default();
    Window::new(start, end)
}

fn entry(span: &NamedSpan) -> SpanEntry {
    SpanEntry {
        subject: span.subject.clone(),
        role: SpanRole::Named,
        app: span.app.clone(),
        window: hull(&span.windows),
        duration: span.windows.iter().map(|window| window.duration()).sum::<Nanos>(),
        count: span.windows.len() as u64,
        cut: span.cut,
        without_slices: false,
    }
}

struct SpanRows<'a> {
    named: &'a NamedSpans,
    bookings: &'a Bookings,
}

impl SpanRows<'_> {
    /// The energy of a stretch: of a state only the app's own, of others everybody's in its time.
    fn named(&self, span: &NamedSpan) -> EntrySums {
        let mut sums = EntrySums::new();
        for owner in &span.own {
            self.owner_over(*owner, SpanParty::Own, &span.windows, &mut sums);
        }
        if span.subject.kind() != SpanKind::State {
            self.over(&span.windows, |owner| !span.own.contains(owner), &mut sums);
        }
        sums
    }

    /// Adds the energy of some owners in some windows.
    fn over(&self, windows: &[Window], counts: impl Fn(&SpanOwner) -> bool, sums: &mut EntrySums) {
        for owner in self.bookings.span_lines.owners().filter(counts) {
            self.owner_over(owner, self.named.apps.party(owner), windows, sums);
        }
    }

    fn owner_over(
        &self,
        owner: SpanOwner,
        party: SpanParty,
        windows: &[Window],
        sums: &mut EntrySums,
    ) {
        let mut parts = PartSums::new();
        for window in windows {
            let spans = self.bookings.spans.of(*window);
            self.bookings.span_lines.add_over(owner, spans, &mut parts);
        }
        for ((component, source), part) in parts {
            sums.entry((party, component, source)).or_default().merge(part);
        }
    }
}
