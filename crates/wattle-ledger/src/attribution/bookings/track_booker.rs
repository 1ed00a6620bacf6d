//! Attributes one power track.
//!
//! ```text
//! track (watts, error source)   ├──2 W, s1──┼────3 W, s2────┤
//! occupants of its hardware     ├─A─┼──────B──────┼───idle──┤
//! lines                         (A, core, s1) (B, core, s1) (B, core, s2) (idle floor, core, s2)
//! ```
//! The scope of the track says which row its power is walked along ([`walk::both`]): the occupants of one core, the sharers of several,
//! the apps on a GPU, the calls that use a component, or nothing at all. Each row covers all of the time, with *idle floor* and
//! *unattributed* as entries of their own, so every stretch of the track ends up in exactly one line, or in several whose shares add
//! up to one. From that follows `Σ lines = ∫ P dt` for each track. The right side is computed from the track alone (`integrated`), and
//! a ledger is refused where both sums of a component differ by more than 1e-9: a row with a gap cannot lose energy unnoticed.
//!
//! Lines are kept apart by error source because that is what intervals are computed from: sums by source are enough for the interval
//! of any selection of lines (`wattle_power::ErrorModel`), and how many stretches they came from does not matter. Sums are compensated
//! (Neumaier): a track has millions of stretches of a few nanojoules each.

use wattle_power::{PowerSegment, PowerTrack, Scope, SourceId};
use wattle_timeline::{CpuId, ThreadId, Uid, Window};
use wattle_units::{CompensatedSum, Joules, Nanos, Watts};

use super::bin_energies::energies;
use super::booking_sums::Sink;
use super::path_stretches::{PathStretch, PathStretches};
use super::power_pieces::PowerPieces;
use super::span_owner::SpanOwners;
use super::span_sums::{SpanKey, SpanSums, Spans};
use super::time_cells::{BookedCells, TimeCells};
use crate::attribution::activity::ActiveTracks;
use crate::attribution::call_paths::CallPaths;
use crate::attribution::consumer::{Consumer, Line, LineKey};
use crate::attribution::context::Context;
use crate::attribution::device_users::{
    Concurrent, DeviceUsers, HardwareUser, Split, driver_users,
};
use crate::attribution::occupancy::{Activity, CoreOccupancy, Occupancy};
use crate::attribution::shares::{SetActivity, Sharers, Shares, in_batches};
use crate::attribution::walk;
use crate::{Charge, PowerBins};

/// Fewer stretches do not tell a floor from use.
const FEWEST_STRETCHES: usize = 6;
/// Code changes within less.
const LONG: Nanos = Nanos::new(1_000_000_000);

/// The inputs that every track is attributed by.
pub(crate) struct TrackBooker<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) paths: &'a CallPaths,
    pub(crate) occupancy: &'a Occupancy,
    pub(crate) shares: &'a Shares,
    /// The code that executed, and the errors of what it draws.
    pub(crate) active: &'a ActiveTracks<'a>,
    /// The calls that used components that are no cores.
    pub(crate) users: &'a DeviceUsers,
    pub(crate) bins: PowerBins,
    pub(crate) spans: SpanTime<'a>,
    /// By thread: whether its power over time is kept.
    pub(crate) watched: &'a [bool],
}

/// The named stretches of time, and the owners of what is drawn in them.
#[derive(Clone, Copy)]
pub(crate) struct SpanTime<'a> {
    pub(crate) spans: &'a Spans,
    pub(crate) owners: &'a SpanOwners,
}

/// The lines of one track in order, without component, and the integral that they are checked against.
#[derive(Debug)]
pub(crate) struct TrackBookings {
    pub(crate) lines: Vec<(LineKey, CompensatedSum)>,
    /// `∫ power dt` over the window, from the track alone.
    pub(crate) integrated: Joules,
    /// Energy of named stretches.
    pub(crate) spans: Vec<(SpanKey, CompensatedSum)>,
    /// Energy in each bin.
    pub(crate) binned: Vec<CompensatedSum>,
    /// The energy of cores for the watched threads, piece by piece.
    pub(crate) pieces: Vec<(ThreadId, Window, f64)>,
    /// The energy of paths over time, if requested.
    pub(crate) stretches: Vec<PathStretch>,
    /// The most that those of one path lay apart which were merged; 0 if none were.
    pub(crate) merged_within: Nanos,
    /// The energy of lines over time, if requested.
    pub(crate) cells: BookedCells,
}

impl TrackBooker<'_> {
    /// Attributes all of the track's energy inside the window.
    pub(crate) fn book(&self, track: &PowerTrack) -> TrackBookings {
        let SpanTime { spans, owners } = self.spans;
        let spans = (!spans.is_empty()).then(|| SpanSums::new(spans, owners));
        let pieces = self.watched.contains(&true);
        let pieces = pieces.then(|| PowerPieces::new(&self.paths.trees, self.watched));
        let detail = self.context.options.stretches;
        let stretches = detail.most_of_track(self.active.tracks.len()).map(PathStretches::new);
        let cells = self.context.options.keep_energy_bins;
        let cells = cells.then(|| TimeCells::new(self.context.window));
        let mut sink = Sink::with(spans, pieces, stretches, cells);
        match &track.scope {
            Scope::Core(cpu) => match self.occupancy.cores.get(cpu.index()) {
                Some(core) => self.core(track, core, &mut sink),
                None => self.whole(track, Consumer::Unattributed, Charge::Core, &mut sink),
            },
            Scope::Cores(set) => self.shared(track, set, &mut sink),
            Scope::Gpu(id) => self.gpu(track, *id, &mut sink),
            Scope::App(uid) => self.device(track, Some(*uid), &mut sink),
            Scope::Tail(uid) => self.tail(track, *uid, &mut sink),
            Scope::Device => self.device(track, None, &mut sink),
            Scope::Unexplained => {
                self.whole(track, Consumer::Unattributed, Charge::Device, &mut sink);
            }
            Scope::Suspended | Scope::Floor => {
                self.whole(track, Consumer::IdleFloor, Charge::Device, &mut sink);
            }
        }
        let (stretches, merged_within) = sink.take_stretches();
        TrackBookings {
            spans: sink.take_spans(),
            pieces: sink.take_pieces(),
            stretches,
            merged_within,
            cells: sink.take_cells(),
            lines: sink.into_lines(),
            integrated: track.energy(self.context.window),
            binned: energies(self.bins, track, self.context.window),
        }
    }

    fn segments(&self, track: &PowerTrack) -> impl Iterator<Item = (Window, (Watts, SourceId))> {
        let window = self.context.window;
        track
            .segments()
            .skip(track.segment_at(window.start))
            .take_while(move |segment| segment.window.start < window.end)
            .map(move |segment| (segment.window.intersect(window), (segment.power, segment.source)))
    }

    /// The segments that reach into the window, with the part inside. Shares are of whole segments, so that parts of a window add up to
    /// the whole.
    fn whole_segments(&self, track: &PowerTrack) -> impl Iterator<Item = (PowerSegment, Window)> {
        let window = self.context.window;
        let segments = track.segments().skip(track.segment_at(window.start));
        let segments = segments.take_while(move |segment| segment.window.start < window.end);
        let inside = segments.map(move |segment| (segment, segment.window.intersect(window)));
        inside.filter(|(_, inside)| !inside.is_empty())
    }

    fn whole(&self, track: &PowerTrack, consumer: Consumer, charge: Charge, sink: &mut Sink<'_>) {
        for (window, (power, source)) in self.segments(track) {
            if !window.is_empty() {
                let joules = power * window.duration();
                sink.add_over(Line { consumer, charge, source }, window, joules.value());
            }
        }
    }

    /// A component that an app's calls, or any calls, used; without such calls it is the app's as a whole, or nobody's.
    fn device(&self, track: &PowerTrack, uid: Option<Uid>, sink: &mut Sink<'_>) {
        let charge = Charge::Device;
        let nobody = uid.map_or(Consumer::Unattributed, |uid| Consumer::App(uid.0));
        match self.users.of(&track.component) {
            Some(users) if !users.transfers.is_empty() => {
                for (segment, window) in self.whole_segments(track) {
                    let source = segment.source;
                    let joules = (segment.power * window.duration()).value();
                    let shares = users.transfers.shares(segment.window, uid);
                    for (path, share) in &shares {
                        let consumer = Consumer::Path(*path);
                        sink.add_over(Line { consumer, charge, source }, window, joules * share);
                    }
                    if shares.is_empty() {
                        sink.add_over(Line { consumer: nobody, charge, source }, window, joules);
                    }
                }
            }
            Some(users) if !users.sessions.is_empty() => {
                let mut holders = users.sessions.holders(self.context.window.start, uid).peekable();
                for (segment, (power, source)) in self.segments(track) {
                    while let Some((piece, paths)) = holders.peek() {
                        let window = piece.intersect(segment);
                        let joules = (power * window.duration()).value();
                        if !window.is_empty() && paths.is_empty() {
                            sink.add_over(
                                Line { consumer: nobody, charge, source },
                                window,
                                joules,
                            );
                        }
                        for (path, part) in paths.iter().filter(|_| !window.is_empty()) {
                            let consumer = Consumer::Path(*path);
                            sink.add_over(Line { consumer, charge, source }, window, joules * part);
                        }
                        if piece.end > segment.end {
                            break;
                        }
                        holders.next();
                    }
                }
            }
            _ => match self.users.split_of(track) {
                Some((split, _)) if uid.is_none() => self.divided(track, split, sink),
                _ => self.whole(track, nobody, charge, sink),
            },
        }
    }

    /// A component that was used by whoever the recording says, as far as it says so.
    fn divided(&self, track: &PowerTrack, split: &Split, sink: &mut Sink<'_>) {
        match split {
            Split::BusyCores { .. } => self.by_use_of_memory(track, sink),
            Split::Users(users) => self.used(track, users, sink),
            Split::Packets(packets) => {
                for (segment, inside) in self.whole_segments(track) {
                    let joules = (segment.power * inside.duration()).value();
                    let mut shares = packets.shares(segment.window);
                    if shares.is_empty() {
                        shares.push((None, 1.0));
                    }
                    for (user, share) in shares {
                        self.use_device(sink, user, segment.source, inside, joules * share);
                    }
                }
            }
        }
    }

    /// Memory and what leads to it: a floor that is drawn whatever runs, and the rest among what executes, by cache misses where they
    /// were counted, else by time.
    fn by_use_of_memory(&self, track: &PowerTrack, sink: &mut Sink<'_>) {
        let segments: Vec<(Window, (Watts, SourceId))> =
            self.segments(track).filter(|(window, _)| !window.is_empty()).collect();
        let numbered: Vec<(Window, usize)> =
            segments.iter().enumerate().map(|(at, (window, _))| (*window, at)).collect();
        let mut uses = vec![0.0; segments.len()];
        self.each_use_of_memory(&numbered, |_, at, _, amount| uses[at] += amount);
        let floor = floor_power(&segments, &uses);
        // By stretch: joules for each unit of use.
        let mut rates = vec![0.0; segments.len()];
        for ((at, (window, (power, source))), used) in segments.iter().enumerate().zip(&uses) {
            let idle = if *used > 0.0 { floor.min(power.value()) } else { power.value() };
            let (charge, consumer) = (Charge::Device, Consumer::IdleFloor);
            let line = Line { consumer, charge, source: *source };
            sink.add_over(line, *window, idle * window.duration().seconds());
            if *used > 0.0 {
                rates[at] = (power.value() - idle) * window.duration().seconds() / used;
            }
        }
        self.each_use_of_memory(&numbered, |window, at, consumer, amount| {
            let source = segments.get(at).map_or(SourceId(0), |(_, (_, source))| *source);
            let source = self.active.sources.get(source, &self.active.units, consumer);
            let line = Line { consumer, charge: Charge::Device, source };
            sink.add_over(line, window, rates[at] * amount);
        });
    }

    /// Visits who used memory in each stretch, and how much: expected cache misses where they were counted, else nanoseconds. Cores of
    /// which nothing is known are left out.
    fn each_use_of_memory(
        &self,
        stretches: &[(Window, usize)],
        mut visit: impl FnMut(Window, usize, Consumer, f64),
    ) {
        let counters = self.active.counters.as_ref();
        for core in &self.occupancy.cores {
            let stretches = stretches.iter().copied();
            walk::both(stretches, core.pieces_from(0), |window, at, (_, occupant)| {
                if occupant.activity() != Activity::Busy {
                    return;
                }
                let consumer = occupant.consumer();
                let rate = counters.map_or(1.0, |counters| {
                    let unit = self.active.units.of(consumer);
                    let known = unit.and_then(|unit| counters.misses_in_time(unit));
                    known.unwrap_or_else(|| counters.mean_misses_in_time())
                });
                visit(window, at, consumer, rate * window.duration().value() as f64);
            });
        }
    }

    /// Books what a user drew of a component.
    fn use_device(
        &self,
        sink: &mut Sink<'_>,
        user: Option<HardwareUser>,
        source: SourceId,
        window: Window,
        joules: f64,
    ) {
        let consumer = user.map_or(Consumer::Unattributed, HardwareUser::consumer);
        let source = match user {
            Some(_) => self.active.sources.get(source, &self.active.units, consumer),
            None => source,
        };
        sink.add_over(Line { consumer, charge: Charge::Device, source }, window, joules);
    }

    /// The power of a component after an app's last use of it.
    fn tail(&self, track: &PowerTrack, uid: Uid, sink: &mut Sink<'_>) {
        let users = self.users.of(&track.component);
        for (segment, window) in self.whole_segments(track) {
            let last = users
                .and_then(|users| users.transfers.last_before(segment.window.start, Some(uid)));
            let consumer = last.map_or(Consumer::App(uid.0), Consumer::Path);
            let joules = (segment.power * window.duration()).value();
            let line = Line { consumer, charge: Charge::Tail, source: segment.source };
            sink.add_over(line, window, joules);
        }
    }

    fn core(&self, track: &PowerTrack, core: &CoreOccupancy, sink: &mut Sink<'_>) {
        walk::both(
            self.segments(track),
            core.pieces_from(0),
            |window, (power, source), (_, occupant)| {
                let charge =
                    if occupant.is_waking() { Charge::WakeTransition } else { Charge::Core };
                let joules = power * window.duration();
                let consumer = occupant.consumer();
                let source = match occupant.activity() {
                    Activity::Busy => self.active.sources.get(source, &self.active.units, consumer),
                    Activity::Idle | Activity::Unknown => source,
                };
                sink.add_over(Line { consumer, charge, source }, window, joules.value());
            },
        );
    }

    fn shared(&self, track: &PowerTrack, set: &[CpuId], sink: &mut Sink<'_>) {
        let nobody_known = SetActivity::default();
        let activity = self.shares.of(set).unwrap_or(&nobody_known);
        let charge = Charge::Shared;
        // By core: its piece at the end of the last batch.
        let mut reached = vec![0; set.len()];
        in_batches(track, activity, self.context.window, |batch| {
            for (window, (part, source, sharers)) in batch {
                let consumer = match sharers {
                    Sharers::Nobody => Consumer::IdleFloor,
                    Sharers::Unknown => Consumer::Unattributed,
                    Sharers::Busy(_) | Sharers::One(_) => continue,
                };
                let joules = *part * window.duration();
                sink.add_over(Line { consumer, charge, source: *source }, *window, joules.value());
            }
            for ((place, cpu), reached) in (0_u16..).zip(set).zip(&mut reached) {
                let Some(core) = self.occupancy.cores.get(cpu.index()) else { continue };
                let shares = |sharers| match sharers {
                    Sharers::Busy(_) => true,
                    Sharers::One(consumer) => consumer == place,
                    Sharers::Nobody | Sharers::Unknown => false,
                };
                walk::both(
                    batch.iter().filter(|(_, (.., sharers))| shares(*sharers)).copied(),
                    core.pieces_from(*reached),
                    |window, (part, source, _), (index, occupant)| {
                        *reached = index;
                        if occupant.activity() == Activity::Busy {
                            let line = Line { consumer: occupant.consumer(), charge, source };
                            sink.add_over(line, window, (part * window.duration()).value());
                        }
                    },
                );
            }
        });
    }

    fn gpu(&self, track: &PowerTrack, id: u32, sink: &mut Sink<'_>) {
        let gpus = &self.context.timeline.hardware.gpus;
        self.used(track, &driver_users(gpus.iter().find(|gpu| gpu.id == id).into_iter()), sink);
    }

    /// A component that several can use at once: at each instant each has the same part.
    fn used(&self, track: &PowerTrack, users: &Concurrent<HardwareUser>, sink: &mut Sink<'_>) {
        walk::both(self.segments(track), users.pieces(), |window, (power, source), group| {
            let joules = (power * window.duration()).value();
            let group = users.users(group);
            if group.is_empty() {
                self.use_device(sink, None, source, window, joules);
            }
            for user in group {
                let part = joules / group.len() as f64;
                self.use_device(sink, Some(*user), source, window, part);
            }
        });
    }
}

/// The power in watts that is drawn whatever runs: `c` of `P·T = c·T + b·u` by least squares over all stretches, with neither below
/// zero. All of it where it does not rise with the use, 0 where stretches are too few to tell.
fn floor_power(segments: &[(Window, (Watts, SourceId))], uses: &[f64]) -> f64 {
    // Stretches of equal power are one: what stays the same for long follows no use.
    if let [(window, _)] = segments
        && window.duration() >= LONG
    {
        return f64::INFINITY;
    }
    if segments.len() < FEWEST_STRETCHES {
        return 0.0;
    }
    let (mut tt, mut tu, mut uu, mut te, mut ue) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ((window, (power, _)), used) in segments.iter().zip(uses) {
        let time = window.duration().seconds();
        let joules = power.value() * time;
        tt += time * time;
        tu += time * used;
        uu += used * used;
        te += time * joules;
        ue += used * joules;
    }
    let determinant = tt * uu - tu * tu;
    if determinant <= 1e-9 * tt * uu {
        return 0.0;
    }
    let floor = (te * uu - ue * tu) / determinant;
    let rate = (ue * tt - te * tu) / determinant;
    if rate > 0.0 { floor.max(0.0) } else { f64::INFINITY }
}
