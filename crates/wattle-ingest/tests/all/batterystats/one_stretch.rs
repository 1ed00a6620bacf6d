//! History and totals of one dump are two statements about one stretch of time, whatever happened to the wall clock
//! meanwhile: dumps of three generations are generated with a known truth.

use std::fmt::Write as _;

use wattle_ingest::read_all_bytes;
use wattle_timeline::{Quantity, StateKind, Timeline};
use wattle_units::Nanos;

use super::{state, value};

/// Milliseconds since 1970 when the statistics began: 2021-12-13 10:32:20 UTC.
const START_MS: i64 = 1_639_391_540_000;

/// A change of the clocks.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// The wall clock is set ahead (or back) by so many seconds.
    Set(i64),
    /// The device is off for so many seconds, which its statistics do not count.
    Off(i64),
    /// The statistics are reset: totals begin anew, the history goes on (Android 14 and later keep it).
    Reset,
}

/// A version of Android, by its form of the dump.
#[derive(Clone, Copy, Debug)]
enum Version {
    /// Text without the time of the start.
    Android4,
    /// Text with it.
    Android9,
    /// Check-in lines, whose wall clock is exact.
    Checkin,
}

/// A device on which the screen is on for 10 of every 30 s.
struct Device<'a> {
    seconds: i64,
    /// At a time of the history, ascending.
    changes: &'a [(i64, Change)],
}

/// Something that the history says at a second.
enum Event {
    Begin,
    Screen(bool),
    Restart,
    Wall,
    /// The level alone, as the last entry.
    Level,
}

impl Device<'_> {
    /// The wall clock in milliseconds at a second of the history, after the changes of that second.
    fn wall(&self, second: i64) -> i64 {
        let jumps = self.changes.iter().filter(|(at, _)| *at <= second);
        let ahead: i64 = jumps
            .map(|(_, change)| match change {
                Change::Set(ahead) | Change::Off(ahead) => *ahead,
                Change::Reset => 0,
            })
            .sum();
        START_MS + (second + ahead) * 1000
    }

    fn is_on(second: i64) -> bool {
        second % 30 < 10
    }

    /// The second at which the totals begin.
    fn reset_at(&self) -> i64 {
        let resets = self.changes.iter().filter(|(_, change)| matches!(change, Change::Reset));
        resets.map(|(at, _)| *at).next_back().unwrap_or(0)
    }

    fn screen_seconds(&self) -> i64 {
        (self.reset_at()..self.seconds)
            .filter(|second| Self::is_on(*second))
            .count()
            .try_into()
            .unwrap()
    }

    fn events(&self) -> Vec<(i64, Event)> {
        let mut events = vec![(0, Event::Begin), (0, Event::Screen(true))];
        for second in 1..self.seconds {
            for (_, change) in self.changes.iter().filter(|(at, _)| *at == second) {
                match change {
                    Change::Off(_) => {
                        events.extend([(second, Event::Restart), (second, Event::Wall)]);
                    }
                    Change::Set(_) => events.push((second, Event::Wall)),
                    Change::Reset => events.push((second, Event::Begin)),
                }
                events.push((second, Event::Screen(Self::is_on(second))));
            }
            if Self::is_on(second) != Self::is_on(second - 1) {
                events.push((second, Event::Screen(Self::is_on(second))));
            }
        }
        events.push((self.seconds, Event::Level));
        events
    }

    fn dump(&self, version: Version) -> String {
        match version {
            Version::Android4 | Version::Android9 => self.text(version),
            Version::Checkin => self.checkin(),
        }
    }

    fn text(&self, version: Version) -> String {
        let mut text = String::from("Battery History (0% used, 412 used of 4096KB, 14 strings):\n");
        for (second, event) in self.events() {
            let wall = local(self.wall(second));
            let what = match event {
                Event::Begin => format!("RESET:TIME: {wall}"),
                Event::Screen(true) => "095 status=discharging +running +screen".to_owned(),
                Event::Screen(false) => "095 -screen".to_owned(),
                Event::Restart => "START".to_owned(),
                Event::Wall => format!("TIME: {wall}"),
                Event::Level => "094".to_owned(),
            };
            let time = if second == 0 { "0".to_owned() } else { format!("+{second}s000ms") };
            writeln!(text, "    {time} (2) {what}").unwrap();
        }
        let seconds = self.seconds - self.reset_at();
        let screen = self.screen_seconds();
        write!(
            text,
            "\nStatistics since last charge:\n  Time on battery: {seconds}s 0ms (100%) realtime, {seconds}s 0ms (100%) \
             uptime\n  Total run time: {seconds}s 0ms realtime, {seconds}s 0ms uptime\n"
        )
        .unwrap();
        if let Version::Android9 = version {
            writeln!(text, "  Start clock time: {}", local(self.wall(self.reset_at()))).unwrap();
        }
        writeln!(text, "  Screen on: {screen}s 0ms (33%) 1x").unwrap();
        text
    }

    fn checkin(&self) -> String {
        let mut text = String::from("9,0,i,vers,35,196,RP1A,RP1A\n");
        let mut before = 0;
        for (second, event) in self.events() {
            let apart = (second - before) * 1000;
            before = second;
            let wall = self.wall(second);
            let what = match event {
                Event::Begin => format!(":RESET:TIME:{wall}"),
                Event::Screen(true) => ",Bl=95,Bs=d,+r,+S".to_owned(),
                Event::Screen(false) => ",-S".to_owned(),
                Event::Restart => ":START".to_owned(),
                Event::Wall => format!(":TIME:{wall}"),
                Event::Level => ",Bl=94".to_owned(),
            };
            writeln!(text, "9,h,{apart}{what}").unwrap();
        }
        let (ms, screen) = ((self.seconds - self.reset_at()) * 1000, self.screen_seconds() * 1000);
        let start = self.wall(self.reset_at());
        writeln!(text, "9,0,l,bt,0,{ms},{ms},{ms},{ms},{start},0,0,4000,0,0,0").unwrap();
        writeln!(text, "9,0,l,m,{screen},0,0,0,0,0,0,0,0,0,0,0,0,0,0").unwrap();
        text
    }
}

/// `2021-12-13-10-32-20`.
fn local(ms: i64) -> String {
    let time = chrono::DateTime::from_timestamp_millis(ms).unwrap();
    time.format("%Y-%m-%d-%H-%M-%S").to_string()
}

/// Seconds that the screen was on from a second on, by the states of the history.
fn screen_on(timeline: &Timeline, from: i64) -> f64 {
    let from = timeline.window.start + Nanos::from_seconds(from as f64);
    let screen = state(timeline, StateKind::Screen, None, None).unwrap();
    let times = screen.level.times();
    let ends = times.iter().skip(1).copied().chain([timeline.window.end]);
    let stretches = times.iter().zip(ends).zip(screen.level.values());
    stretches
        .filter(|(_, level)| **level == 1)
        .map(|((begin, end), _)| (end - (*begin).max(from)).seconds().max(0.0))
        .sum()
}

#[track_caller]
fn check(seconds: i64, changes: &[(i64, Change)]) {
    let device = Device { seconds, changes };
    for version in [Version::Android4, Version::Android9, Version::Checkin] {
        let text = device.dump(version);
        let timeline = read_all_bytes(&[("batterystats.txt", text.as_bytes())]).unwrap();
        let about = format!("{version:?} {changes:?}");
        let found = timeline.window.duration().seconds();
        // Times of the wall clock are written to a second.
        assert!((found - seconds as f64).abs() <= 1.0, "{about}: {found} s, not {seconds} s");
        let total = value(&timeline, Quantity::Screen, None, None).unwrap();
        assert_eq!(total, device.screen_seconds() as f64, "{about}");
        let on = screen_on(&timeline, device.reset_at());
        assert!(
            (on - total).abs() <= 1.0,
            "{about}: on for {on} s by the history, {total} s in all"
        );
        let usages = &timeline.system.usage;
        assert!(!usages.is_empty(), "{about}");
        for usage in usages {
            let begin = (usage.window.start - timeline.window.start).seconds();
            let late = (begin - device.reset_at() as f64).abs();
            assert!(late <= 1.0, "{about}: totals begin at {begin} s of the history");
            let length = usage.window.duration().seconds();
            let expected = (seconds - device.reset_at()) as f64;
            assert!((length - expected).abs() <= 1.0, "{about}: totals of {length} s");
        }
    }
}

#[test]
fn history_and_totals_are_of_one_stretch() {
    check(600, &[]);
    check(600, &[(40, Change::Set(8 * 3600))]);
    check(600, &[(40, Change::Set(-8 * 3600))]);
    check(600, &[(300, Change::Off(86_400))]);
    check(
        600,
        &[(100, Change::Set(30 * 86_400)), (300, Change::Off(3600)), (301, Change::Set(-50))],
    );
    check(600, &[(240, Change::Reset)]);
    check(600, &[(100, Change::Reset), (240, Change::Set(-7200)), (300, Change::Reset)]);
    check(600, &[(240, Change::Reset), (300, Change::Off(3600)), (400, Change::Set(86_400))]);
    check(86_400, &[(5, Change::Set(200 * 86_400)), (43_200, Change::Off(40 * 86_400))]);
}
