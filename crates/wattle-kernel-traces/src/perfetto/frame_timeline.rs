//! Frames of apps and of the display (`FrameTimelineEvent`, Android 12 and later).
//!
//! `SurfaceFlinger` writes four events a frame once it was shown: beginning and end of the time that it expected the work to take,
//! then those of the time that it took. Their timestamps lie up to some frames before the packets around them, so frames leave
//! the window of the timeline as it is.

use rustc_hash::FxHashMap;
use wattle_timeline::{FrameOwner, JankCauses, ScreenFrame, Severity, Window};
use wattle_units::BootNanos;
use wattle_wire::{Fields, Value};

use super::Reader;
use crate::limits::MAX_OPEN_FRAMES;
use crate::perfetto_packets::Envelope;

/// `FrameTimelineEvent` (`frameworks_native_trace_packet.proto`).
mod event {
    pub const EXPECTED_DISPLAY_FRAME_START: u32 = 1;
    pub const ACTUAL_DISPLAY_FRAME_START: u32 = 2;
    pub const EXPECTED_SURFACE_FRAME_START: u32 = 3;
    pub const ACTUAL_SURFACE_FRAME_START: u32 = 4;
    pub const FRAME_END: u32 = 5;
    /// Of every message: connects beginning and end.
    pub const COOKIE: u32 = 1;
    /// Of every message but `FrameEnd`.
    pub const TOKEN: u32 = 2;
}

/// Numbers of the fields that the four messages of beginnings have in different places; 0 for those they lack.
#[derive(Clone, Copy, Debug)]
struct Layout {
    owner: FrameOwner,
    is_actual: bool,
    pid: u32,
    display_token: u32,
    layer: u32,
    present: u32,
    gpu: u32,
    jank: u32,
}

const EXPECTED_DISPLAY: Layout = Layout {
    owner: FrameOwner::Display,
    is_actual: false,
    pid: 3,
    display_token: 0,
    layer: 0,
    present: 0,
    gpu: 0,
    jank: 0,
};
const ACTUAL_DISPLAY: Layout =
    Layout { is_actual: true, present: 4, gpu: 6, jank: 7, ..EXPECTED_DISPLAY };
const EXPECTED_SURFACE: Layout =
    Layout { owner: FrameOwner::App, pid: 4, display_token: 3, layer: 5, ..EXPECTED_DISPLAY };
const ACTUAL_SURFACE: Layout =
    Layout { is_actual: true, present: 6, gpu: 8, jank: 9, ..EXPECTED_SURFACE };

impl Layout {
    fn of_event(number: u32) -> Option<Self> {
        Some(match number {
            event::EXPECTED_DISPLAY_FRAME_START => EXPECTED_DISPLAY,
            event::ACTUAL_DISPLAY_FRAME_START => ACTUAL_DISPLAY,
            event::EXPECTED_SURFACE_FRAME_START => EXPECTED_SURFACE,
            event::ACTUAL_SURFACE_FRAME_START => ACTUAL_SURFACE,
            _ => return None,
        })
    }
}

/// `PresentType.PRESENT_DROPPED`.
const PRESENT_DROPPED: u64 = 4;

/// Times that Android writes where it has none lie this close to the largest that there is (as in Perfetto's trace processor).
const NO_TIME_FROM: i64 = i64::MAX - 10_000_000_000;

/// What an expectation is of: frames of several layers of an app share one.
type Work = (FrameOwner, u32, i64);

/// A frame that has begun.
#[derive(Clone, Copy, Debug)]
struct OpenFrame {
    pid: u32,
    is_actual: bool,
    frame: ScreenFrame,
}

/// Frames of which only a part was read.
#[derive(Debug, Default)]
pub(super) struct FrameTimeline {
    /// By cookie.
    open: FxHashMap<i64, OpenFrame>,
    /// Expected times, the newest; a frame's own comes shortly before it.
    expected: FxHashMap<Work, Window>,
    /// Those before, so that none is forgotten at once when there are too many.
    expected_before: FxHashMap<Work, Window>,
}

impl FrameTimeline {
    fn expect(&mut self, work: Work, window: Window) {
        if self.expected.len() >= MAX_OPEN_FRAMES {
            self.expected_before = std::mem::take(&mut self.expected);
        }
        self.expected.insert(work, window);
    }

    fn expectation(&self, work: Work) -> Option<Window> {
        self.expected.get(&work).or_else(|| self.expected_before.get(&work)).copied()
    }
}

impl Reader<'_> {
    pub(super) fn frame_timeline(&mut self, envelope: &Envelope, time: BootNanos, bytes: &[u8]) {
        if !(0..NO_TIME_FROM).contains(&time.value()) {
            return self.bad_frame(envelope);
        }
        let known = |number| number == event::FRAME_END || Layout::of_event(number).is_some();
        let mut fields = Fields::new(bytes).map_while(Result::ok);
        let Some(field) = fields.find(|field| known(field.number)) else {
            return self.bad_frame(envelope);
        };
        let bytes = field.value.bytes();
        let Some(cookie) = Fields::find(bytes, event::COOKIE).map(Value::int) else {
            return self.bad_frame(envelope);
        };
        let Some(layout) = Layout::of_event(field.number) else {
            return self.frame_end(envelope, time, cookie);
        };
        let Some(frame) = self.open_frame(time, layout, bytes) else {
            return self.bad_frame(envelope);
        };
        let open = &mut self.frames.open;
        let is_full = open.len() >= MAX_OPEN_FRAMES && !open.contains_key(&cookie);
        // A cookie is used again only after the end of its frame.
        if is_full || open.insert(cookie, frame).is_some() {
            self.unfinished_frames(Some(envelope), 1);
        }
    }

    fn open_frame(&mut self, time: BootNanos, layout: Layout, bytes: &[u8]) -> Option<OpenFrame> {
        let (mut pid, mut token, mut display_token) = (None, None, None);
        let (mut layer, mut jank, mut is_dropped, mut by_gpu) = (None, 0, false, false);
        for field in Fields::new(bytes).map_while(Result::ok) {
            let value = field.value;
            match field.number {
                event::TOKEN => token = Some(value.int()),
                number if number == layout.pid => pid = Some(value.uint() as u32),
                number if number == layout.display_token => display_token = Some(value.int()),
                number if number == layout.layer && layout.is_actual => layer = Some(value.bytes()),
                number if number == layout.present => is_dropped = value.uint() == PRESENT_DROPPED,
                number if number == layout.gpu => by_gpu = value.bool(),
                number if number == layout.jank => jank = value.uint() as u32,
                _ => {}
            }
        }
        let token = token?;
        let display_token = match layout.owner {
            FrameOwner::App => display_token?,
            FrameOwner::Display => token,
        };
        let jank = JankCauses(jank);
        let frame = ScreenFrame {
            owner: layout.owner,
            process: None,
            token,
            display_token,
            layer: layer.map(|layer| self.builder.names.intern_bytes(layer)),
            expected: None,
            actual: Window::new(time, time),
            jank,
            is_dropped: is_dropped || jank.intersects(JankCauses::DROPPED),
            by_gpu,
        };
        Some(OpenFrame { pid: pid?, is_actual: layout.is_actual, frame })
    }

    /// `FrameEnd`: the end of an expected time or of a frame.
    fn frame_end(&mut self, envelope: &Envelope, end: BootNanos, cookie: i64) {
        let Some(OpenFrame { pid, is_actual, frame }) = self.frames.open.remove(&cookie) else {
            self.counts.note(Severity::Info, "frame-without-start", Some(envelope.offset), || {
                "frames end whose beginning was not recorded: not used".to_owned()
            });
            return;
        };
        if end < frame.actual.start {
            return self.bad_frame(envelope);
        }
        let window = Window::new(frame.actual.start, end);
        let work = (frame.owner, pid, frame.token);
        if is_actual {
            let expected = self.frames.expectation(work);
            self.builder.code().frame(pid, ScreenFrame { actual: window, expected, ..frame });
        } else {
            self.frames.expect(work, window);
        }
    }

    /// Counts the frames that are open at the end of the trace.
    pub(super) fn finish_frames(&mut self) {
        let open = std::mem::take(&mut self.frames.open);
        // An expectation that was cut off says nothing of its own.
        let unfinished = open.values().filter(|frame| frame.is_actual).count();
        self.unfinished_frames(None, unfinished as u64);
    }

    fn unfinished_frames(&mut self, envelope: Option<&Envelope>, count: u64) {
        let offset = envelope.map(|envelope| envelope.offset);
        for _ in 0..count {
            self.counts.note(Severity::Info, "frame-without-end", offset, || {
                "frames whose end was not recorded: not used".to_owned()
            });
        }
    }

    #[cold]
    fn bad_frame(&mut self, envelope: &Envelope) {
        self.counts.note(Severity::Warning, "frame-malformed", Some(envelope.offset), || {
            "events of frames without a time, a process or a number that can be: not used"
                .to_owned()
        });
    }
}
