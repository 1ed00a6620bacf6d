//! Stage 6: every joule of every power track, attributed to one consumer.
//!
//! In: the power tracks, and the results of the stages before. Out: [`Bookings`], sums by consumer, component, charge and error source,
//! beside the integral of each track over the window, which is computed from the track alone. Tracks are attributed independently of
//! each other and merged in their order.

mod app_owners;
mod bin_energies;
mod booked_lines;
mod booking_sums;
mod path_stretches;
mod power_pieces;
mod span_lines;
mod span_owner;
mod span_sums;
mod time_cells;
mod track_booker;
mod unmetered;
mod watched_threads;

use wattle_power::{ErrorModel, PowerEstimate, PowerTrack};
use wattle_timeline::{Note, Severity};
use wattle_units::Nanos;

pub(crate) use app_owners::Owners;
pub(crate) use booked_lines::Lines;
pub(crate) use path_stretches::{PathStretch, merged};
pub(crate) use span_lines::{PartSums, SpanLines};
pub(crate) use span_owner::{SpanOwner, SpanOwners};
pub(crate) use span_sums::Spans;
pub(crate) use time_cells::BookedCells;
pub(crate) use track_booker::TrackBookings;

use self::track_booker::{SpanTime, TrackBooker};
use self::unmetered::Unmetered;
use super::context::Context;
use super::first_stages::Stages;
use super::named_spans::NamedSpans;
use super::shares::Shares;
use crate::{ComponentId, PowerBins};

/// The energy of all tracks by consumer.
#[derive(Debug)]
pub(crate) struct Bookings {
    /// Sums of all tracks by consumer, component, charge and source, in order.
    pub(crate) lines: Lines,
    /// By track, in the order of the estimate.
    pub(crate) tracks: Vec<TrackBookings>,
    /// The error sources of the lines: the estimate's, and the battery's where something is unmetered.
    pub(crate) errors: ErrorModel,
    /// Energy of named stretches.
    pub(crate) span_lines: SpanLines,
    /// The stretches that time is cut into.
    pub(crate) spans: Spans,
    /// The time axis of binned energies.
    pub(crate) bins: PowerBins,
    /// By thread: whether its power over time was kept.
    pub(crate) watched: Vec<bool>,
    /// The energy of paths over time, if requested.
    pub(crate) stretches: Vec<(ComponentId, PathStretch)>,
    /// The energy of lines over time, if requested.
    pub(crate) cells: BookedCells,
    /// Remarks on what could not be attributed for certain.
    pub(crate) notes: Vec<Note>,
}

impl Bookings {
    /// Attributes all tracks of the estimate, and sums up the energy of named stretches.
    pub(crate) fn new(
        context: &Context<'_>,
        estimate: &PowerEstimate,
        Stages { paths, occupancy, users, active }: Stages<'_>,
        shares: &Shares,
        named: &NamedSpans,
    ) -> Self {
        let Context { timeline, options, window, workers } = *context;
        let tracks: &[PowerTrack] = &active.tracks;
        let bins = PowerBins::over(window, options.bins);
        let spans = Spans::new(named.windows(), window);
        let owners = if spans.is_empty() {
            SpanOwners::default()
        } else {
            SpanOwners::new(timeline, &paths.trees)
        };
        let watched =
            watched_threads::watched_threads(timeline, &paths.records, options.all_call_stats);
        let booker = TrackBooker {
            context,
            paths,
            occupancy,
            shares,
            active,
            users,
            bins,
            spans: SpanTime { spans: &spans, owners: &owners },
            watched: &watched,
        };
        let booked = wattle_workers::ordered(workers, tracks, |track| booker.book(track));
        let mut found = Self {
            lines: Lines::new(tracks),
            tracks: booked,
            errors: active.errors.clone(),
            span_lines: SpanLines::default(),
            spans,
            bins,
            watched,
            stretches: Vec::new(),
            cells: BookedCells::default(),
            notes: active.notes.clone(),
        };
        let mut merged_within = Nanos::ZERO;
        for (track, booked) in tracks.iter().zip(&mut found.tracks) {
            merged_within = merged_within.max(booked.merged_within);
            let component = found.lines.add(&track.component, &booked.lines, booked.integrated);
            found.span_lines.add(component, &std::mem::take(&mut booked.spans));
            found.stretches.extend(booked.stretches.drain(..).map(|it| (component, it)));
            found.cells.add(component, std::mem::take(&mut booked.cells));
        }
        found.span_lines.sort();
        if let Some(battery) = &estimate.battery {
            let unmetered = Unmetered::new(battery, tracks, window);
            found.notes.extend(unmetered.book(battery, &mut found.lines, &mut found.errors));
        }
        found.notes.extend(users.notes());
        found.notes.extend(merged_note(merged_within));
        found.lines.sort();
        found
    }
}

/// The note on energies of call paths over time that were too many.
fn merged_note(within: Nanos) -> Option<Note> {
    let text = format!(
        "call paths drew energy in too many stretches of time to keep them all: those of one path that lie up to {within} apart are one"
    );
    (within > Nanos::ZERO).then(|| Note::new(Severity::Info, "stretches-merged", text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wattle_power::Scope;
    use wattle_timeline::CpuId;

    use crate::Charge;
    use crate::attribution::consumer::Consumer::{self, IdleFloor, Path};
    use crate::attribution::test_recording::{TestRecording, cores};

    /// Nanojoules of all lines.
    fn lines(recording: &TestRecording) -> Vec<(Consumer, Charge, f64)> {
        let bookings = recording.bookings();
        let entries = bookings.lines.entries().iter();
        entries
            .map(|(key, sum)| (key.consumer(), key.charge(), (sum.value() * 1e15).round() / 1e6))
            .collect()
    }

    #[test]
    fn joules_worked_out_by_hand() {
        // Core 0 at 2 W: idle 0..20, a wake 20..30, thread 1 until 60 and in a call from 40 on, idle until 100. Core 1 at 1 W: thread 2
        // 50..70. Both share 3 W.
        let recording = TestRecording::new(2, 100)
            .calls(1, &[(40, 80, "a", 0)])
            .cpu(&[(0, 30, 0), (30, 60, 1), (60, 100, 0)], &[(0, 1), (20, -1), (60, 1)])
            .cpu(&[(0, 50, 0), (50, 70, 2), (70, 100, 0)], &[])
            .track(Scope::Core(CpuId(0)), &[(100, 2.0)])
            .track(Scope::Core(CpuId(1)), &[(100, 1.0)])
            .track(cores(0..2), &[(100, 3.0)]);
        let expected = [
            // Path 1: thread 1 outside of calls. 10 ns × 2 W; alone 10 ns × 3 W; wake 10 ns × 2 W.
            (Path(1), Charge::Core, 20.0),
            (Path(1), Charge::Shared, 30.0),
            (Path(1), Charge::WakeTransition, 20.0),
            // Path 2: in the call. 20 ns × 2 W; alone 40..50, with thread 2 50..60.
            (Path(2), Charge::Core, 40.0),
            (Path(2), Charge::Shared, 45.0),
            // Path 3: thread 2. 20 ns × 1 W; with thread 1 50..60, alone 60..70.
            (Path(3), Charge::Core, 20.0),
            (Path(3), Charge::Shared, 45.0),
            // Core 0: (20 + 40) ns × 2 W; core 1: 80 ns × 1 W; shared: 0..30 and 70..100.
            (IdleFloor, Charge::Core, 200.0),
            (IdleFloor, Charge::Shared, 180.0),
        ];
        assert_eq!(lines(&recording), expected);
    }

    proptest! {
        /// The lines of every component add up to the integral of its tracks, whatever ran.
        #[test]
        fn every_joule_has_one_consumer(
            slices in prop::collection::vec((1_i64..30, 0_u32..4), 1..30),
            idle in prop::collection::vec((0_i64..400, -1_i8..2), 0..20),
            power in prop::collection::vec((1_i64..60, 0.0_f64..5.0), 1..20),
            (start, end) in (0_i64..200, 200_i64..400),
        ) {
            let sum_up = |now: &mut i64, length: i64| { *now += length; *now };
            let mut now = 0;
            let slices: Vec<_> = slices
                .into_iter()
                .map(|(length, thread)| { let from = now; (from, sum_up(&mut now, length), thread) })
                .collect();
            let mut now = 0;
            let power: Vec<_> =
                power.into_iter().map(|(length, watts)| (sum_up(&mut now, length), watts)).collect();
            let mut idle = idle;
            idle.sort_unstable();
            idle.dedup_by_key(|change| change.0);
            let mut recording = TestRecording::new(3, 400)
                .calls(1, &[(10, 90, "a", 0), (30, 50, "b", 1)])
                .cpu(&slices, &idle)
                .cpu(&[(5, 55, 1), (55, 155, 0), (155, 255, 3)], &[])
                .track(Scope::Core(CpuId(0)), &power)
                .track(cores(0..2), &power);
            recording.options.window =
                Some(crate::attribution::test_recording::window(start, end));
            let bookings = recording.bookings();
            for (_, integral) in bookings.lines.integrals() {
                let sum: f64 = bookings.lines.entries().iter().map(|(_, sum)| sum.value()).sum();
                prop_assert!((sum - integral.value()).abs() <= 1e-9 * integral.value(), "{sum}");
            }
        }
    }
}
