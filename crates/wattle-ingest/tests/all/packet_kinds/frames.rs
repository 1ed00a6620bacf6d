//! Frames of apps and of the display (`FrameTimelineEvent`).

use wattle_testdata::requires;
use wattle_timeline::{FrameOwner, JankCauses, ScreenFrame, SliceScope, Timeline};

use super::{artifact, notes, read};
use crate::traces::Trace;

const FRAME_TIMELINE_EVENT: u32 = 76;
const SURFACE_FLINGER: u64 = 666;
const APP: u64 = 1_000;
const ON_TIME: u64 = 1;
const LATE: u64 = 2;
const EARLY: u64 = 3;
const DROPPED: u64 = 4;
const UNKNOWN: u64 = 5;

/// Writes frames as `SurfaceFlinger` does.
#[derive(Default)]
struct Frames(Trace);

/// A frame of the display: token, presentation, causes.
type Shown = (u64, u64, u32);

impl Frames {
    fn event(self, time: u64, kind: u32, write: impl FnOnce(&mut wattle_wire::Writer)) -> Self {
        Self(self.0.at(time, FRAME_TIMELINE_EVENT, |event| event.message(kind, write)))
    }

    fn end(self, time: u64, cookie: u64) -> Self {
        self.event(time, 5, |end| end.varint(1, cookie))
    }

    fn expected_display(self, (start, end): (u64, u64), cookie: u64, token: u64) -> Self {
        let begun = self.event(start, 1, |frame| {
            frame.varint(1, cookie);
            frame.varint(2, token);
            frame.varint(3, SURFACE_FLINGER);
        });
        begun.end(end, cookie)
    }

    fn display(self, (start, end): (u64, u64), cookie: u64, (token, present, jank): Shown) -> Self {
        let begun = self.event(start, 2, |frame| {
            frame.varint(1, cookie);
            frame.varint(2, token);
            frame.varint(3, SURFACE_FLINGER);
            frame.varint(4, present);
            frame.varint(7, u64::from(jank));
        });
        begun.end(end, cookie)
    }

    fn expected_surface(
        self,
        (start, end): (u64, u64),
        cookie: u64,
        tokens: (u64, u64),
        layer: &str,
    ) -> Self {
        let begun = self.event(start, 3, |frame| {
            frame.varint(1, cookie);
            frame.varint(2, tokens.0);
            frame.varint(3, tokens.1);
            frame.varint(4, APP);
            frame.string(5, layer);
        });
        begun.end(end, cookie)
    }

    fn surface(self, window: (u64, u64), cookie: u64, display: u64, shown: Shown) -> Self {
        self.surface_of("Layer1", window, (cookie, display), shown)
    }

    fn surface_of(
        self,
        layer: &str,
        (start, end): (u64, u64),
        (cookie, display): (u64, u64),
        (token, present, jank): Shown,
    ) -> Self {
        let begun = self.event(start, 4, |frame| {
            frame.varint(1, cookie);
            frame.varint(2, token);
            frame.varint(3, display);
            frame.varint(4, APP);
            frame.string(5, layer);
            frame.varint(6, present);
            frame.bool(8, true);
            frame.varint(9, u64::from(jank));
        });
        begun.end(end, cookie)
    }
}

/// The trace of Perfetto's own test (`test/trace_processor/diff_tests/parser/graphics/frame_timeline_events.py`).
fn perfettos_own() -> Trace {
    let frames = Frames::default()
        .expected_display((20, 26), 1, 2)
        .display((20, 26), 2, (2, ON_TIME, 1))
        .expected_display((40, 46), 3, 4)
        .display((42, 47), 4, (4, ON_TIME, 1))
        .expected_surface((21, 36), 5, (1, 4), "Layer1")
        .surface((21, 37), 6, 4, (1, ON_TIME, 1))
        .expected_display((80, 86), 7, 6)
        .display((81, 88), 8, (6, ON_TIME, 1))
        .expected_surface((41, 56), 9, (5, 6), "Layer1")
        .surface((41, 74), 10, 6, (5, LATE, 64))
        .expected_display((120, 126), 11, 8)
        .display((108, 112), 12, (8, EARLY, 2))
        .expected_surface((90, 106), 13, (7, 8), "Layer1")
        .surface((90, 106), 14, 8, (7, EARLY, 2))
        .expected_display((140, 146), 15, 12)
        .display((148, 156), 16, (12, LATE, 16 | 2));
    let frames = frames
        .expected_display((170, 176), 17, 15)
        .display((170, 176), 18, (15, ON_TIME, 1))
        .expected_surface((150, 170), 19, (14, 15), "Layer1")
        .surface((150, 167), 20, 15, (14, ON_TIME, 1))
        .expected_surface((150, 170), 21, (14, 15), "Layer2")
        .surface_of("Layer2", (150, 167), (22, 15), (14, ON_TIME, 1))
        .expected_display((200, 206), 23, 17)
        .display((200, 206), 24, (17, ON_TIME, 1))
        .surface((80, 190), 25, 17, (16, UNKNOWN, 256))
        .expected_display((220, 230), 26, 18)
        .display((245, 260), 27, (18, LATE, 512))
        .expected_display((220, 230), 26, 18)
        .display((245, 260), 27, (18, DROPPED, 1024));
    frames.0
}

/// Start, duration, pid, display token, token of an app's frame, layer, expected duration, causes, whether dropped.
type Row<'a> = (i64, i64, u32, i64, Option<i64>, Option<&'a str>, Option<i64>, u32, bool);

fn row<'a>(timeline: &'a Timeline, frame: &ScreenFrame) -> Row<'a> {
    let process = frame.process.map(|process| &timeline.tasks.processes[process.index()]);
    (
        frame.actual.start.value(),
        frame.actual.duration().value(),
        process.map_or(0, |process| process.pid.0),
        frame.display_token,
        (frame.owner == FrameOwner::App).then_some(frame.token),
        frame.layer.map(|layer| timeline.names.get(layer)),
        frame.expected.map(|expected| expected.duration().value()),
        frame.jank.0,
        frame.is_dropped,
    )
}

/// The rows that Perfetto expects of its trace, in its order. Its trace processor sorts by time first, so that the second use of the
/// cookies 26 and 27 meets the first one's end; in the order of the file each has its own.
#[test]
fn frames_of_perfettos_own_test() {
    let timeline = read(perfettos_own());
    let found: Vec<_> = timeline.code.frames.iter().map(|frame| row(&timeline, frame)).collect();
    let (first, second) = (Some("Layer1"), Some("Layer2"));
    let expected = [
        (20, 6, 666, 2, None, None, Some(6), 1, false),
        (21, 16, 1000, 4, Some(1), first, Some(15), 1, false),
        (41, 33, 1000, 6, Some(5), first, Some(15), 64, false),
        (42, 5, 666, 4, None, None, Some(6), 1, false),
        (80, 110, 1000, 17, Some(16), first, None, 256, false),
        (81, 7, 666, 6, None, None, Some(6), 1, false),
        (90, 16, 1000, 8, Some(7), first, Some(16), 2, false),
        (108, 4, 666, 8, None, None, Some(6), 2, false),
        (148, 8, 666, 12, None, None, Some(6), 18, false),
        (150, 17, 1000, 15, Some(14), first, Some(20), 1, false),
        (150, 17, 1000, 15, Some(14), second, Some(20), 1, false),
        (170, 6, 666, 15, None, None, Some(6), 1, false),
        (200, 6, 666, 17, None, None, Some(6), 1, false),
        (245, 15, 666, 18, None, None, Some(10), 512, false),
        (245, 15, 666, 18, None, None, Some(10), 1024, true),
    ];
    assert_eq!(found, expected);
    assert_eq!(notes(&timeline), []);
    let by_gpu = timeline.code.frames.iter().filter(|frame| frame.by_gpu);
    assert!(by_gpu.clone().all(|frame| frame.owner == FrameOwner::App));
    assert_eq!(by_gpu.count(), 6);
    let jank = |token| timeline.code.frames.iter().find(|frame| frame.token == token).unwrap().jank;
    // Perfetto's tags: `Self Jank`, `Other Jank`.
    assert!(jank(5).is_by_app() && !jank(7).is_by_app() && jank(7).is_by_system());
}

#[test]
fn frames_without_an_end_or_a_beginning_are_counted() {
    let frames = Frames::default().surface((10, 20), 1, 5, (4, ON_TIME, 1)).end(21, 99);
    // Far from all others, without a process, without an end, and a cookie that is used again before its end.
    let frames = frames.event(i64::MAX as u64, 4, |frame| frame.varint(1, 3));
    let frames = frames.event(30, 4, |frame| {
        frame.varint(1, 3);
        frame.varint(2, 8);
        frame.varint(3, 9);
    });
    let open = |frames: Frames, token: u64| {
        frames.event(40, 2, |frame| {
            for (field, value) in [(1, 7), (2, token), (3, SURFACE_FLINGER)] {
                frame.varint(field, value);
            }
        })
    };
    let frames = open(open(frames, 11), 12);
    let timeline = read(frames.0);
    assert_eq!(timeline.code.frames.len(), 1);
    let expected = [
        ("frame-malformed", 1),
        ("frame-without-end", 2),
        ("frame-without-start", 1),
        ("time-outlier", 1),
        ("ignored-bytes", 1),
    ];
    assert_eq!(notes(&timeline), expected);
    assert_eq!(artifact(&timeline).events.get("frame_timeline_event"), Some(&6));
}

#[test]
fn frames_do_not_widen_the_window() {
    let trace = Frames::default().surface((1_000, 2_000), 1, 5, (4, ON_TIME, 1)).0;
    let timeline = read(trace.at(500_000, 38, |battery| battery.int(3, 5)));
    assert_eq!(timeline.window.start.value(), 500_000);
    assert_eq!(timeline.code.frames[0].actual.start.value(), 1_000);
}

#[test]
fn more_open_frames_than_any_screen_has() {
    let open = |frames: Frames, cookie: u64| {
        frames.event(40, 2, |frame| {
            for (field, value) in [(1, cookie), (2, cookie), (3, SURFACE_FLINGER)] {
                frame.varint(field, value);
            }
        })
    };
    let timeline = read((0..70_000).fold(Frames::default(), open).0);
    assert_eq!(timeline.code.frames, []);
    assert_eq!(notes(&timeline), [("frame-without-end", 70_000)]);
}

/// Counts of an independent walk over the packets of a real trace: frames of apps, of the display, those without an expected
/// time, those that the app delayed; beginnings without an end.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    app: usize,
    display: usize,
    unexpected: usize,
    by_app: usize,
    unfinished: u64,
    first: i64,
    last: i64,
}

const PIXEL_6: Counts = Counts {
    app: 6,
    display: 8,
    unexpected: 0,
    by_app: 1,
    unfinished: 1,
    first: 4_727_608_348_536,
    last: 4_727_846_940_743,
};
const PIXEL_6A: Counts = Counts {
    app: 6,
    display: 9,
    unexpected: 0,
    by_app: 1,
    unfinished: 1,
    first: 157_479_316_799_550,
    last: 157_479_978_717_194,
};
const EMULATOR: Counts = Counts {
    app: 161,
    display: 130,
    unexpected: 0,
    by_app: 96,
    unfinished: 1,
    first: 3_928_093_207_842,
    last: 3_965_128_611_000,
};
const PIXEL_7_PRO: Counts = Counts {
    app: 1_067,
    display: 801,
    unexpected: 0,
    by_app: 17,
    unfinished: 1,
    first: 578_088_458_109_725,
    last: 578_098_593_070_098,
};

#[track_caller]
fn check_real(path: &str, expected: &Counts) {
    let timeline = wattle_ingest::read_bytes(path, &wattle_testdata::bytes(path)).unwrap();
    let frames = &timeline.code.frames;
    let count = |of: &dyn Fn(&&ScreenFrame) -> bool| frames.iter().filter(of).count();
    let unfinished = notes(&timeline).into_iter().find(|(code, _)| *code == "frame-without-end");
    let found = Counts {
        app: count(&|frame| frame.owner == FrameOwner::App),
        display: count(&|frame| frame.owner == FrameOwner::Display),
        unexpected: count(&|frame| frame.expected.is_none()),
        by_app: count(&|frame| frame.jank.intersects(JankCauses::APP_DEADLINE_MISSED)),
        unfinished: unfinished.map_or(0, |(_, count)| count),
        ..*expected
    };
    assert_eq!(&found, expected);
    let first = frames.iter().map(|frame| frame.actual.start.value()).min().unwrap();
    let last = frames.iter().map(|frame| frame.actual.end.value()).max().unwrap();
    // The walk did not bring the monotonic clock to boot time; they differ by the time between two readings.
    assert!(first.abs_diff(expected.first) < 1_000_000, "{first}");
    assert!(last.abs_diff(expected.last) < 1_000_000, "{last}");
    assert!(frames.is_sorted_by_key(|frame| frame.actual.start));
    assert!(frames.iter().all(|frame| frame.process.is_some()));
    assert!(notes(&timeline).iter().all(|(code, _)| *code != "frame-malformed"));
}

#[requires(data)]
#[test]
fn frames_of_real_traces() {
    check_real("perfetto/rails/api32_odpm_rails_pixel6.perfetto-trace", &PIXEL_6);
    check_real("perfetto/api32_startup_warm_pixel6a.perfetto-trace", &PIXEL_6A);
    check_real("perfetto/ms_cpu_sampling.perfetto-trace", &EMULATOR);
    check_real("perfetto/nia_pixel7pro_atrace.perfetto-trace", &PIXEL_7_PRO);
}

/// Every frame of an app has the number of a section `Choreographer#doFrame <number>` of a thread of the same process, which begins
/// up to 10 µs before the frame.
#[requires(data)]
#[test]
fn tokens_are_those_of_the_choreographer() {
    let path = "perfetto/api32_startup_warm_pixel6a.perfetto-trace";
    let timeline = wattle_ingest::read_bytes(path, &wattle_testdata::bytes(path)).unwrap();
    let slices = &timeline.code.slices;
    let frames = timeline.code.frames.iter().filter(|frame| frame.owner == FrameOwner::App);
    let begins_with = |frame: &ScreenFrame| {
        let name = timeline.names.find(&format!("Choreographer#doFrame {}", frame.token)).unwrap();
        slices.tracks.iter().any(|track| {
            let SliceScope::Thread(thread) = track.scope else { return false };
            timeline.tasks.threads[thread.index()].process == frame.process
                && slices.of(track).any(|slice| {
                    let early = (frame.actual.start - slice.start).value();
                    slice.name == name && (0..10_000).contains(&early)
                })
        })
    };
    assert_eq!(frames.clone().filter(|frame| begins_with(frame)).count(), 6);
    assert_eq!(frames.count(), 6);
}
