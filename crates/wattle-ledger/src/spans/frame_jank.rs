//! Why a frame came late, in the classes that a reader decides by.

use serde::{Deserialize, Serialize};
use wattle_timeline::{JankCauses, ScreenFrame};

/// The class of a frame by its jank: who has to do something about it. In the order of their severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FrameJank {
    /// The system does not say.
    Unspecified,
    /// It was on time.
    OnTime,
    /// Late while nothing was animated, or while the display was off or changed its mode.
    Unseen,
    /// It had to wait behind earlier frames (buffer stuffing).
    Stuffing,
    /// The system delayed it (`SurfaceFlinger`, the display).
    System,
    /// The app delayed it.
    App,
    /// It was never shown: its energy was spent for nothing.
    Dropped,
}

impl FrameJank {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Unspecified,
        Self::OnTime,
        Self::Unseen,
        Self::Stuffing,
        Self::System,
        Self::App,
        Self::Dropped,
    ];

    /// Of a frame: the most severe of its causes.
    pub fn new(frame: &ScreenFrame) -> Self {
        let has = |causes: JankCauses| frame.jank.intersects(causes);
        if frame.is_dropped || has(JankCauses::DROPPED) {
            Self::Dropped
        } else if frame.jank.is_by_app() {
            Self::App
        } else if frame.jank.is_by_system() {
            Self::System
        } else if has(JankCauses::BUFFER_STUFFING) || has(JankCauses::SF_STUFFING) {
            Self::Stuffing
        } else if frame.jank == JankCauses::NONE {
            Self::OnTime
        } else if frame.jank == JankCauses::UNSPECIFIED {
            Self::Unspecified
        } else {
            Self::Unseen
        }
    }

    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::OnTime => "on-time",
            Self::Unseen => "unseen",
            Self::Stuffing => "stuffing",
            Self::System => "system",
            Self::App => "app",
            Self::Dropped => "dropped",
        }
    }
}

#[cfg(test)]
mod tests {
    use wattle_timeline::{FrameOwner, Window};

    use super::*;

    #[track_caller]
    fn check(causes: u32, is_dropped: bool, expected: FrameJank) {
        let frame = ScreenFrame {
            owner: FrameOwner::App,
            process: None,
            token: 1,
            display_token: 1,
            layer: None,
            expected: None,
            actual: Window::default(),
            jank: JankCauses(causes),
            is_dropped,
            by_gpu: false,
        };
        assert_eq!(FrameJank::new(&frame), expected, "{causes:#x}");
    }

    #[test]
    fn the_most_severe_cause_counts() {
        check(0, false, FrameJank::Unspecified);
        check(1, false, FrameJank::OnTime);
        check(1, true, FrameJank::Dropped);
        check(1 << 6 | 1 << 1, false, FrameJank::App);
        check(1 << 1 | 1 << 7, false, FrameJank::System);
        check(1 << 7, false, FrameJank::Stuffing);
        check(1 << 11, false, FrameJank::Unseen);
    }
}
