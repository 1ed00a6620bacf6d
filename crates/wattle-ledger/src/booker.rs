//! Books one power track.

use wattle_power::{PowerTrack, Scope, SourceId};
use wattle_timeline::{CpuId, ThreadId, Timeline, Uid, Window};
use wattle_units::{CompensatedSum, Joules, Watts};

use crate::call_tree::CallTrees;
use crate::device_users::DeviceUsers;
use crate::occupancy::{Activity, Occupancy};
use crate::owners::Owners;
use crate::path_stretches::{PathStretch, PathStretches};
use crate::payer::{Line, LineKey, Payer, Sink};
use crate::sharing::{Payers, SetActivity};
use crate::single_calls::PowerPieces;
use crate::spans::{SpanKey, SpanSums, Spans};
use crate::together::Together;
use crate::{Charge, PowerBins, sharing, walk};

/// Everything a track is booked by.
pub(crate) struct Booker<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) cores: &'a [Occupancy],
    /// By set of cores, one entry for each set that tracks have.
    pub(crate) sets: &'a [(&'a [CpuId], SetActivity)],
    /// The calls that used what is no core.
    pub(crate) users: &'a DeviceUsers,
    pub(crate) window: Window,
    pub(crate) bins: PowerBins,
    pub(crate) tests: Tests<'a>,
    /// The threads whose power over time is wanted; empty: none.
    pub(crate) threads: (&'a CallTrees, &'a [bool]),
    /// Whether it is wanted what paths drew when.
    pub(crate) keep_stretches: bool,
}

/// The time of tests, and what the app's own is.
pub(crate) struct Tests<'a> {
    pub(crate) spans: &'a Spans,
    pub(crate) owners: &'a Owners,
    /// By call path: whether it is the app's own.
    pub(crate) paths: &'a [bool],
}

/// A track's lines in order, without component, and what they are checked against.
pub(crate) struct Booked {
    pub(crate) lines: Vec<(LineKey, CompensatedSum)>,
    /// `∫ power dt` over the window, from the track alone.
    pub(crate) integrated: Joules,
    /// Energy in the time of tests.
    pub(crate) tests: Vec<(SpanKey, CompensatedSum)>,
    /// Energy in each bin.
    pub(crate) binned: Vec<CompensatedSum>,
    /// What cores drew for the threads that are wanted.
    pub(crate) pieces: Vec<(ThreadId, Window, f64)>,
    /// What paths drew when, if that is wanted.
    pub(crate) stretches: Vec<PathStretch>,
}

impl Booker<'_> {
    /// Books all of the track's energy inside the window.
    pub(crate) fn book(&self, track: &PowerTrack) -> Booked {
        let Tests { spans, owners, paths } = self.tests;
        let tests = (!spans.is_empty()).then(|| SpanSums::new(spans, owners, paths));
        let (calls, wanted) = self.threads;
        let pieces = wanted.contains(&true).then(|| PowerPieces::new(calls, wanted));
        let stretches = self.keep_stretches.then(PathStretches::default);
        let mut sink = Sink::with(tests, pieces, stretches);
        match &track.scope {
            Scope::Core(cpu) => match self.cores.get(cpu.index()) {
                Some(core) => self.core(track, core, &mut sink),
                None => self.whole(track, Payer::Unattributed, Charge::Core, &mut sink),
            },
            Scope::Cores(set) => self.shared(track, set, &mut sink),
            Scope::Gpu(id) => self.gpu(track, *id, &mut sink),
            Scope::App(uid) => self.device(track, Some(*uid), &mut sink),
            Scope::Tail(uid) => self.tail(track, *uid, &mut sink),
            Scope::Device => self.device(track, None, &mut sink),
            Scope::Unexplained => {
                self.whole(track, Payer::Unattributed, Charge::Device, &mut sink);
            }
            Scope::Suspended | Scope::Floor => {
                self.whole(track, Payer::IdleFloor, Charge::Device, &mut sink);
            }
        }
        Booked {
            tests: sink.take_tests(),
            pieces: sink.take_pieces(),
            stretches: sink.take_stretches(),
            lines: sink.into_lines(),
            integrated: track.energy(self.window),
            binned: self.bins.energies(track, self.window),
        }
    }

    fn segments(&self, track: &PowerTrack) -> impl Iterator<Item = (Window, (Watts, SourceId))> {
        let window = self.window;
        track
            .segments()
            .skip(track.segment_at(window.start))
            .take_while(move |segment| segment.window.start < window.end)
            .map(move |segment| (segment.window.intersect(window), (segment.power, segment.source)))
    }

    fn whole(&self, track: &PowerTrack, payer: Payer, charge: Charge, sink: &mut Sink<'_>) {
        for (window, (power, source)) in self.segments(track) {
            if !window.is_empty() {
                let joules = power * window.duration();
                sink.add_over(Line { payer, charge, source }, window, joules.value());
            }
        }
    }

    /// What an app's calls, or anybody's, did with a component; without such calls the app itself or nobody pays.
    fn device(&self, track: &PowerTrack, uid: Option<Uid>, sink: &mut Sink<'_>) {
        let charge = Charge::Device;
        let nobody = uid.map_or(Payer::Unattributed, |uid| Payer::App(uid.0));
        match self.users.of(&track.component) {
            Some(users) if !users.transfers.is_empty() => {
                // Shares are of whole segments, so that parts of a window add up to the whole.
                let segments = track.segments().skip(track.segment_at(self.window.start));
                for segment in segments.take_while(|segment| segment.window.start < self.window.end)
                {
                    let (source, window) = (segment.source, segment.window.intersect(self.window));
                    if window.is_empty() {
                        continue;
                    }
                    let joules = (segment.power * window.duration()).value();
                    let shares = users.transfers.shares(segment.window, uid);
                    for (path, share) in &shares {
                        let payer = Payer::Path(*path);
                        sink.add_over(Line { payer, charge, source }, window, joules * share);
                    }
                    if shares.is_empty() {
                        sink.add_over(Line { payer: nobody, charge, source }, window, joules);
                    }
                }
            }
            Some(users) if !users.sessions.is_empty() => {
                let mut holders = users.sessions.holders(self.window.start, uid).peekable();
                for (segment, (power, source)) in self.segments(track) {
                    while let Some((piece, paths)) = holders.peek() {
                        let window = piece.intersect(segment);
                        let joules = (power * window.duration()).value();
                        if !window.is_empty() && paths.is_empty() {
                            sink.add_over(Line { payer: nobody, charge, source }, window, joules);
                        }
                        for (path, part) in paths.iter().filter(|_| !window.is_empty()) {
                            let payer = Payer::Path(*path);
                            sink.add_over(Line { payer, charge, source }, window, joules * part);
                        }
                        if piece.end > segment.end {
                            break;
                        }
                        holders.next();
                    }
                }
            }
            _ => self.whole(track, nobody, charge, sink),
        }
    }

    /// What a component drew after an app's last use of it.
    fn tail(&self, track: &PowerTrack, uid: Uid, sink: &mut Sink<'_>) {
        let users = self.users.of(&track.component);
        for segment in track.segments().skip(track.segment_at(self.window.start)) {
            let window = segment.window.intersect(self.window);
            if segment.window.start >= self.window.end {
                break;
            }
            if window.is_empty() {
                continue;
            }
            let last = users
                .and_then(|users| users.transfers.last_before(segment.window.start, Some(uid)));
            let payer = last.map_or(Payer::App(uid.0), Payer::Path);
            let joules = (segment.power * window.duration()).value();
            let line = Line { payer, charge: Charge::Tail, source: segment.source };
            sink.add_over(line, window, joules);
        }
    }

    fn core(&self, track: &PowerTrack, core: &Occupancy, sink: &mut Sink<'_>) {
        walk::both(
            self.segments(track),
            core.pieces_from(0),
            |window, (power, source), (_, occupant)| {
                let charge =
                    if occupant.is_waking() { Charge::WakeTransition } else { Charge::Core };
                let joules = power * window.duration();
                let line = Line { payer: occupant.payer(), charge, source };
                sink.add_over(line, window, joules.value());
            },
        );
    }

    fn shared(&self, track: &PowerTrack, set: &[CpuId], sink: &mut Sink<'_>) {
        let nobody_known = SetActivity::default();
        let activity = self
            .sets
            .iter()
            .find(|(cpus, _)| *cpus == set)
            .map_or(&nobody_known, |(_, activity)| activity);
        let charge = Charge::Shared;
        // Where each core was at the end of the last batch.
        let mut reached = vec![0; set.len()];
        sharing::in_batches(track, activity, self.window, |batch| {
            for (window, (part, source, payers)) in batch {
                let payer = match payers {
                    Payers::Nobody => Payer::IdleFloor,
                    Payers::Unknown => Payer::Unattributed,
                    Payers::Busy(_) | Payers::One(_) => continue,
                };
                let joules = *part * window.duration();
                sink.add_over(Line { payer, charge, source: *source }, *window, joules.value());
            }
            for ((place, cpu), reached) in (0_u16..).zip(set).zip(&mut reached) {
                let Some(core) = self.cores.get(cpu.index()) else { continue };
                let pays = |payers| match payers {
                    Payers::Busy(_) => true,
                    Payers::One(payer) => payer == place,
                    Payers::Nobody | Payers::Unknown => false,
                };
                walk::both(
                    batch.iter().filter(|(_, (.., payers))| pays(*payers)).copied(),
                    core.pieces_from(*reached),
                    |window, (part, source, _), (index, occupant)| {
                        *reached = index;
                        if occupant.activity() == Activity::Busy {
                            let line = Line { payer: occupant.payer(), charge, source };
                            sink.add_over(line, window, (part * window.duration()).value());
                        }
                    },
                );
            }
        });
    }

    fn gpu(&self, track: &PowerTrack, id: u32, sink: &mut Sink<'_>) {
        let work = self
            .timeline
            .gpus
            .iter()
            .find(|gpu| gpu.id == id)
            .map_or_else(Together::default, |gpu| {
                Together::new(gpu.work.iter().map(|period| (period.window, period.uid)))
            });
        let charge = Charge::Device;
        walk::both(self.segments(track), work.pieces(), |window, (power, source), apps| {
            let joules = (power * window.duration()).value();
            let apps = work.users(apps);
            if apps.is_empty() {
                let line = Line { payer: Payer::Unattributed, charge, source };
                sink.add_over(line, window, joules);
            }
            for uid in apps {
                let line = Line { payer: Payer::App(uid.0), charge, source };
                sink.add_over(line, window, joules / apps.len() as f64);
            }
        });
    }
}
