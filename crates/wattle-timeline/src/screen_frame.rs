//! Frames that apps drew and the screen showed, each with the time it should have taken.

use crate::{NameId, ProcessId, Window};

/// Whose work a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameOwner {
    /// An app's work on one of its layers (Perfetto's surface frame).
    App,
    /// The work of `SurfaceFlinger`, which composes the frames of all apps into one (Perfetto's display frame).
    Display,
}

/// Why a frame came late or not at all: a set of `FrameTimelineEvent.JankType`
/// (`frameworks_native_trace_packet.proto`).
///
/// Bits that are not named here are kept: later versions of Android add causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JankCauses(pub u32);

impl JankCauses {
    /// The system does not say.
    pub const UNSPECIFIED: Self = Self(0);
    /// The frame was on time.
    pub const NONE: Self = Self(1);
    /// `SurfaceFlinger` was scheduled too late.
    pub const SF_SCHEDULING: Self = Self(1 << 1);
    /// The prediction of the display's refresh was wrong.
    pub const PREDICTION_ERROR: Self = Self(1 << 2);
    /// The display's driver was late.
    pub const DISPLAY_HAL: Self = Self(1 << 3);
    /// `SurfaceFlinger`'s work on the CPU took too long.
    pub const SF_CPU_DEADLINE_MISSED: Self = Self(1 << 4);
    /// `SurfaceFlinger`'s work on the GPU took too long.
    pub const SF_GPU_DEADLINE_MISSED: Self = Self(1 << 5);
    /// The app's own work took too long.
    pub const APP_DEADLINE_MISSED: Self = Self(1 << 6);
    /// The app sent buffers faster than the screen shows them, so that this one had to wait.
    pub const BUFFER_STUFFING: Self = Self(1 << 7);
    /// Late for a reason that the system does not know.
    pub const UNKNOWN: Self = Self(1 << 8);
    /// `SurfaceFlinger` sent frames faster than the screen shows them.
    pub const SF_STUFFING: Self = Self(1 << 9);
    /// The frame was dropped.
    pub const DROPPED: Self = Self(1 << 10);
    /// Nothing was animated: the delay cannot be seen.
    pub const NON_ANIMATING: Self = Self(1 << 11);
    /// The app took another refresh of the display than it was woken for.
    pub const APP_RESYNCED_JITTER: Self = Self(1 << 12);
    /// The display was off or in doze.
    pub const DISPLAY_NOT_ON: Self = Self(1 << 13);
    /// The display changed its resolution or its refresh rate.
    pub const MODE_CHANGE: Self = Self(1 << 14);
    /// The display was switched on or off.
    pub const POWER_MODE_CHANGE: Self = Self(1 << 15);

    /// Causes in the app.
    const APP: Self =
        Self(Self::APP_DEADLINE_MISSED.0 | Self::APP_RESYNCED_JITTER.0 | Self::UNKNOWN.0);
    /// Causes in the system.
    const SYSTEM: Self = Self(
        Self::SF_SCHEDULING.0
            | Self::PREDICTION_ERROR.0
            | Self::DISPLAY_HAL.0
            | Self::SF_CPU_DEADLINE_MISSED.0
            | Self::SF_GPU_DEADLINE_MISSED.0,
    );

    /// Whether any of the other set's causes is in this one.
    #[inline]
    pub const fn intersects(self, causes: Self) -> bool {
        self.0 & causes.0 != 0
    }

    /// Whether the app delayed the frame: what Perfetto's trace processor tags as `Self Jank` of an app's frame.
    pub const fn is_by_app(self) -> bool {
        self.intersects(Self::APP)
    }

    /// Whether the system delayed the frame: what Perfetto's trace processor tags as `Self Jank` of a display frame, and as
    /// `Other Jank` of an app's frame that the app itself did not delay.
    pub const fn is_by_system(self) -> bool {
        self.intersects(Self::SYSTEM)
    }
}

/// One frame from the frame timeline of Android 12 and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenFrame {
    /// Whose work it is.
    pub owner: FrameOwner,
    /// The app, or `SurfaceFlinger`; `None` where that is not known.
    pub process: Option<ProcessId>,
    /// The vsync id that the work was for, the number in the app's slice `Choreographer#doFrame <token>`. Frames of several
    /// layers of an app can have the same one. Negative where an app drew without being woken for a refresh.
    pub token: i64,
    /// The vsync id of the display frame that this one was composed into; of a display frame its own.
    pub display_token: i64,
    /// The app's layer; `None` for display frames.
    pub layer: Option<NameId>,
    /// The time that the system expected the work to take; `None` where it made no prediction, or the prediction was lost.
    pub expected: Option<Window>,
    /// From the beginning of the work to its end: of an app's frame when the GPU finished it, of a display frame when it was shown.
    pub actual: Window,
    /// Why it was late or dropped.
    pub jank: JankCauses,
    /// Whether it was never shown.
    pub is_dropped: bool,
    /// Whether the GPU composed it, not the display's hardware.
    pub by_gpu: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_a_set() {
        let both = JankCauses(JankCauses::APP_DEADLINE_MISSED.0 | JankCauses::SF_SCHEDULING.0);
        assert!(both.is_by_app() && both.is_by_system());
        assert!(!JankCauses::NONE.is_by_app() && !JankCauses::NONE.is_by_system());
        assert!(!JankCauses::BUFFER_STUFFING.is_by_app());
        assert!(JankCauses(1 << 20 | 1 << 6).is_by_app(), "bits of later versions do not disturb");
    }
}
