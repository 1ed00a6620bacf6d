//! Packets of the frame timeline (`protos/perfetto/trace/android/frame_timeline_event.proto`).

use std::io::{self, Write};

use wattle_wire::Writer;

use super::packet_recorder::Recorder;

/// An app's work for a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameWork<'a> {
    pub pid: u32,
    pub layer: &'a str,
}

/// A picture that was shown, with the frames that it is made of. Times are nanoseconds of boot time.
#[derive(Clone, Debug)]
pub(crate) struct FramesOfPicture<'a> {
    /// Number of the refresh.
    pub token: i64,
    /// `SurfaceFlinger`'s process.
    pub flinger: u32,
    pub works: Vec<FrameWork<'a>>,
    /// When the apps begin.
    pub start: u64,
    /// When `SurfaceFlinger` begins.
    pub latched: u64,
    pub shown: u64,
}

/// `FrameTimelineEvent` messages: of the display and of an app's layer, expected and actual, and the end of each.
const EXPECTED_DISPLAY: u32 = 1;
const ACTUAL_DISPLAY: u32 = 2;
const EXPECTED_SURFACE: u32 = 3;
const ACTUAL_SURFACE: u32 = 4;
const FRAME_END: u32 = 5;

/// `PRESENT_ON_TIME`.
const ON_TIME: u64 = 1;
/// `JANK_NONE`.
const NO_JANK: u64 = 1;

impl<W: Write> Recorder<W> {
    /// All events of a picture, in order of time.
    pub fn frames(&mut self, picture: &FramesOfPicture<'_>) -> io::Result<()> {
        let first_cookie = picture.token * 1000;
        let display = (picture.latched, picture.shown);
        let display_head = |frame: &mut Writer, cookie: i64| {
            frame.int(1, cookie);
            frame.int(2, picture.token);
            frame.varint(3, u64::from(picture.flinger));
        };
        for (index, work) in (1..).zip(&picture.works) {
            let cookie = first_cookie + 10 * index;
            let window = (picture.start, picture.latched);
            let head = |frame: &mut Writer, cookie: i64| {
                frame.int(1, cookie);
                // The app was woken for the refresh before.
                frame.int(2, picture.token - 1);
                frame.int(3, picture.token);
                frame.varint(4, u64::from(work.pid));
                frame.string(5, work.layer);
            };
            self.frame(window, EXPECTED_SURFACE, cookie, |frame| head(frame, cookie))?;
            self.frame(window, ACTUAL_SURFACE, cookie + 1, |frame| {
                head(frame, cookie + 1);
                frame.varint(6, ON_TIME);
                frame.bool(7, true);
                frame.bool(8, false);
                frame.varint(9, NO_JANK);
            })?;
        }
        self.frame(display, EXPECTED_DISPLAY, first_cookie, |frame| {
            display_head(frame, first_cookie);
        })?;
        self.frame(display, ACTUAL_DISPLAY, first_cookie + 1, |frame| {
            display_head(frame, first_cookie + 1);
            frame.varint(4, ON_TIME);
            frame.bool(5, true);
            frame.bool(6, false);
            frame.varint(7, NO_JANK);
        })
    }

    /// `TracePacket.frame_timeline_event` 76: the beginning of a frame, and its end (`FrameEnd` 5 with the `cookie` 1).
    fn frame(
        &mut self,
        (start, end): (u64, u64),
        kind: u32,
        cookie: i64,
        write: impl FnOnce(&mut Writer),
    ) -> io::Result<()> {
        self.service_packet(start, |packet| {
            packet.message(76, |event| event.message(kind, write));
        })?;
        self.service_packet(end, |packet| {
            packet.message(76, |event| event.message(FRAME_END, |frame| frame.int(1, cookie)));
        })
    }
}
