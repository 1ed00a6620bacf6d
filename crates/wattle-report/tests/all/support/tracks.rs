//! Tracks over time of ledgers made by hand.

use wattle_ledger::{
    CpuTimeBins, Ledger, PowerBins, TimeTrack, TimeTracks, TrackKind, TrackStretch,
};
use wattle_power::Component;
use wattle_units::Nanos;

/// Bins of CPU time.
const BINS: u32 = 10;

/// Random numbers that are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % limit.max(1)
    }
}

/// About so many stretches over the whole window: running threads of eight CPUs and their clocks, nested slices of up to forty threads, rails,
/// frames, a battery, wakelocks; and on-CPU times over time.
pub fn with_tracks(mut ledger: Ledger, stretches: usize) -> Ledger {
    let length = ledger.recording.window.duration().value();
    let threads = ledger.rows.threads.len() as i64;
    let mut numbers = Numbers(7);
    let mut tracks = Vec::new();
    for cpu in 0..8 {
        let clocks =
            spread(&mut numbers, (length, stretches / 80), |of| 300_000 + 200_000 * of.below(12));
        tracks.push(owned(TrackKind::CpuClock, cpu).with(&touching(clocks, length)));
        let runs = spread(&mut numbers, (length, stretches / 20), |of| {
            // A few threads have most of the time.
            let most = 1 + of.below(threads);
            of.below(most) + 1
        });
        tracks.push(owned(TrackKind::CpuRuns, cpu).with(&runs));
    }
    let with_slices = threads.min(40);
    for thread in 0..with_slices {
        let each = stretches * 2 / 5 / with_slices as usize;
        tracks.push(owned(TrackKind::Slices, thread as u32).with(&nested(
            &mut numbers,
            length,
            each,
        )));
    }
    for (name, component) in [("cpu.big", Component::Cpu), ("display", Component::Display)] {
        let powers =
            spread(&mut numbers, (length, stretches / 50), |of| 50_000 + of.below(3_000_000));
        let track =
            TimeTrack::new(TrackKind::Rail, name.to_owned()).with(&touching(powers, length));
        tracks.push(TimeTrack { component: Some(component), ..track });
    }
    let frames = spread(&mut numbers, (length, stretches / 100), |of| (of.below(20) - 14).max(0));
    tracks.push(TimeTrack { name: "app".to_owned(), ..owned(TrackKind::Frames, 0) }.with(&frames));
    let level = [(0, 90_000), (length / 2, 89_500)].map(|(start, value)| TrackStretch {
        start,
        length: length / 4,
        value,
        depth: 0,
    });
    tracks.push(TimeTrack::new(TrackKind::BatteryLevel, String::new()).with(&level));
    let held = spread(&mut numbers, (length, 20), |_| 1);
    let lock = TimeTrack { name: "*job*/sync".to_owned(), ..owned(TrackKind::Wakelock, 10_123) };
    tracks.push(lock.with(&held));
    let names = (0..200).map(|nth| format!("Choreographer#step{nth}")).collect();
    ledger.over_time.tracks = Some(TimeTracks { names, tracks, cpu_time: cpu_time(&ledger) });
    ledger
}

fn owned(kind: TrackKind, owner: u32) -> TimeTrack {
    TimeTrack { owner: Some(owner), ..TimeTrack::new(kind, String::new()) }
}

/// So many stretches apart from each other.
fn spread(
    numbers: &mut Numbers,
    (length, count): (i64, usize),
    mut value: impl FnMut(&mut Numbers) -> i64,
) -> Vec<TrackStretch> {
    let each = length / (count as i64).max(1);
    let stretch = |nth: usize| {
        let long = 1 + numbers.below(each * 4 / 5);
        let start = each * nth as i64 + numbers.below(each - long);
        TrackStretch { start, length: long, value: value(numbers), depth: 0 }
    };
    (0..count).map(stretch).collect()
}

/// The same, each until the next begins; the first tenth has no data.
fn touching(mut given: Vec<TrackStretch>, length: i64) -> Vec<TrackStretch> {
    given.retain(|stretch| stretch.start > length / 10);
    let next: Vec<i64> = given.iter().skip(1).map(|it| it.start).chain([length]).collect();
    for (stretch, next) in given.iter_mut().zip(next) {
        stretch.length = next - stretch.start;
    }
    given
}

/// Calls in calls, four deep.
fn nested(numbers: &mut Numbers, length: i64, count: usize) -> Vec<TrackStretch> {
    let mut made = Vec::with_capacity(count);
    for outer in spread(numbers, (length, count / 4), |of| of.below(200)) {
        let mut inner = outer;
        for depth in 0..4 {
            made.push(TrackStretch { depth, ..inner });
            let eighth = inner.length / 8;
            inner.start += eighth;
            inner.length -= 3 * eighth;
            inner.value = numbers.below(200);
        }
    }
    made
}

/// The on-CPU time of each path in two bins, in later ones for later paths.
fn cpu_time(ledger: &Ledger) -> CpuTimeBins {
    let window = ledger.recording.window;
    let width = Nanos::new(window.duration().value() / i64::from(BINS));
    let bins = PowerBins { start: window.start, width, count: BINS };
    let mut table = CpuTimeBins { bins, ..CpuTimeBins::default() };
    for (nth, path) in (0..).zip(&ledger.rows.paths) {
        let whole = path.self_cpu.value();
        table.cells.push(2);
        table.steps.extend([nth % (BINS - 1), 1]);
        table.nanos.extend([whole / 2, whole - whole / 2]);
    }
    table
}
