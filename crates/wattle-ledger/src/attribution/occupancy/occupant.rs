//! The occupant of a core.

use crate::attribution::call_paths::CallPaths;
use crate::attribution::consumer::Consumer;

/// The activity of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Nothing.
    Idle,
    /// Runs a task or a handler.
    Busy,
    /// Nothing was recorded.
    Unknown,
}

/// The occupant of a core. There are millions of these, so it is one number: the consumer's index, the
/// consumer's kind in the next three bits, and on top whether the core is only being woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occupant(u32);

impl Occupant {
    /// The lowest bit of the kind: as many paths fit as call paths can have.
    const KIND: u32 = CallPaths::LIMIT.trailing_zeros();
    const WAKING: u32 = 1 << 31;

    const PATH: u32 = 0;
    const INTERRUPTS: u32 = 1 << Self::KIND;
    const RECORDER: u32 = 2 << Self::KIND;
    const NOBODY: u32 = 3 << Self::KIND;
    const PROBES: u32 = 4 << Self::KIND;

    pub(super) const IDLE: Self = Self(Self::NOBODY);
    pub(super) const UNKNOWN: Self = Self(Self::NOBODY + 1);

    pub(super) fn path(path: u32) -> Self {
        Self(Self::PATH | path)
    }

    pub(super) fn recorder(path: u32) -> Self {
        Self(Self::RECORDER | path)
    }

    pub(super) fn probes(path: u32) -> Self {
        Self(Self::PROBES | path)
    }

    pub(super) fn interrupts(handler: u32) -> Self {
        Self(Self::INTERRUPTS | handler)
    }

    /// Being woken for the one who does not run yet. Nothing wakes for a probe: that was the call's doing.
    pub(super) fn waking(self) -> Self {
        let woken = match self.consumer() {
            Consumer::Probes(path) => Self::path(path),
            _ => self,
        };
        Self(woken.0 | Self::WAKING)
    }

    /// Whether the core is being woken for the consumer.
    #[inline]
    pub(crate) fn is_waking(self) -> bool {
        self.0 & Self::WAKING != 0
    }

    /// The consumer of the core's own power.
    #[inline]
    pub(crate) fn consumer(self) -> Consumer {
        let rest = self.0 & !Self::WAKING;
        let index = rest & ((1 << Self::KIND) - 1);
        match rest - index {
            Self::PATH => Consumer::Path(index),
            Self::INTERRUPTS => Consumer::Interrupts(index),
            Self::RECORDER => Consumer::Recorder(index),
            Self::PROBES => Consumer::Probes(index),
            _ if rest == Self::IDLE.0 => Consumer::IdleFloor,
            _ => Consumer::Unattributed,
        }
    }

    /// The core's activity meanwhile.
    #[inline]
    pub(crate) fn activity(self) -> Activity {
        if self.is_waking() || self == Self::IDLE {
            Activity::Idle
        } else if self == Self::UNKNOWN {
            Activity::Unknown
        } else {
            Activity::Busy
        }
    }
}
