//! A panel over time: its refreshes, and the pictures that apps gave it.

use std::io::Write;

use wattle_units::BootNanos;

use crate::SimError;
use crate::trace::{Comm, FrameWork, FramesOfPicture, Persona, Recorder};

/// From an instant on the panel refreshes at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PanelMode {
    /// The first refresh at this rate.
    pub from: BootNanos,
    /// Refreshes each second, 1 to 480.
    pub hertz: u32,
}

/// New pictures of one app for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelContent {
    /// The app's process.
    pub pid: u32,
    /// The app's layer.
    pub layer: String,
    /// When it begins.
    pub from: BootNanos,
    /// When it ends.
    pub to: BootNanos,
    /// New pictures each second. The panel shows each at the next refresh, and no more than it refreshes.
    pub per_second: f64,
}

/// A panel, `SurfaceFlinger`, and the apps whose pictures it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelRun {
    /// The rates, in order of time.
    pub modes: Vec<PanelMode>,
    /// Pictures.
    pub content: Vec<PanelContent>,
    /// When the panel is no longer recorded.
    pub until: BootNanos,
}

/// `SurfaceFlinger`'s process.
const SURFACE_FLINGER: u32 = 666;
/// The display's physical identifier, as Android numbers an internal panel of port 1.
const DISPLAY: u64 = 4_619_827_677_550_801_152;
/// A frame is begun so many refreshes before it is shown.
const AHEAD: i64 = 2;

impl PanelRun {
    /// Writes the frame timeline and the counter of the panel's mode.
    ///
    /// # Errors
    ///
    /// When a rate is out of range, or the output cannot be written to.
    pub fn write<W: Write>(&self, out: W) -> Result<W, SimError> {
        for mode in &self.modes {
            if !(1..=480).contains(&mode.hertz) {
                let found = mode.hertz.to_string();
                return Err(SimError::Phone { expected: "a panel of 1 to 480 Hz", found });
            }
        }
        let mut recorder = Recorder::new(out, 1, false);
        let first = self.modes.first().map_or(self.until, |mode| mode.from);
        let flinger = Comm {
            tid: SURFACE_FLINGER,
            tgid: SURFACE_FLINGER,
            name: "surfaceflinger".to_owned(),
            priority: 97,
        };
        let persona = Persona {
            pid: SURFACE_FLINGER,
            parent: 1,
            name: "/system/bin/surfaceflinger".to_owned(),
            uid: 1000,
            package: None,
        };
        let threads = std::iter::once(&flinger);
        recorder.process_tree(nanos(first), std::iter::once(&persona), threads)?;
        let counter = format!("ActiveModeFps {DISPLAY}");
        for mode in &self.modes {
            let value = i64::from(mode.hertz);
            recorder.program_counter(0, nanos(mode.from), &flinger, &counter, value);
        }
        recorder.flush_bundles()?;
        let mut due: Vec<f64> = self.content.iter().map(|it| it.from.value() as f64).collect();
        let mut token = 0;
        for (index, mode) in self.modes.iter().enumerate() {
            let end = self.modes.get(index + 1).map_or(self.until, |next| next.from);
            let period = 1_000_000_000 / i64::from(mode.hertz);
            let mut refresh = mode.from.value();
            while refresh < end.value() {
                token += 1;
                let shown = self.shown(refresh, &mut due);
                if !shown.is_empty() {
                    let start = (refresh - AHEAD * period).max(0);
                    let work = |pid, layer| FrameWork { pid, layer };
                    recorder.frames(&FramesOfPicture {
                        token,
                        flinger: SURFACE_FLINGER,
                        works: shown.iter().map(|it| work(it.pid, it.layer.as_str())).collect(),
                        start: start as u64,
                        latched: (refresh - period).max(start) as u64,
                        shown: refresh as u64,
                    })?;
                }
                refresh += period;
            }
        }
        Ok(recorder.into_inner()?)
    }

    /// Whose new pictures a refresh shows.
    fn shown(&self, refresh: i64, due: &mut [f64]) -> Vec<&PanelContent> {
        let now = refresh as f64;
        let mut shown = Vec::new();
        for (content, due) in self.content.iter().zip(due) {
            let is_on = content.from.value() <= refresh && refresh < content.to.value();
            if !is_on || content.per_second <= 0.0 || *due > now {
                continue;
            }
            // What came while the refresh before was shown is lost.
            let step = 1e9 / content.per_second;
            *due += step * ((now - *due) / step).floor().max(0.0) + step;
            shown.push(content);
        }
        shown
    }
}

fn nanos(time: BootNanos) -> u64 {
    time.value().max(0) as u64
}
