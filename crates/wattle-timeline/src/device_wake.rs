//! Causes of wake-ups, and of staying awake, as the system notes them.

use wattle_units::BootNanos;

use crate::{NameId, Uid};

/// A wake-up as the system notes it. Batterystats' history: `wake_reason` (`wr`), `wakeupap` (`Ewa`), `screenwake` (`Esw`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WakeCause {
    /// The kernel's word on the interrupt that ended a suspend, or kept it from beginning.
    Reason,
    /// The app whose packet brought a sleeping radio up (AOSP `noteMobileRadioApWakeup`, `noteWifiRadioApWakeup`).
    App,
    /// The cause that switched the screen on.
    Screen,
    /// The app whose alarm woke the device (statsd's `WakeupAlarmOccurred`); the text is the alarm's name.
    Alarm,
}

/// One note of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceWake {
    /// When.
    pub time: BootNanos,
    /// The text of the note.
    pub cause: WakeCause,
    /// The app, where it names one.
    pub uid: Option<Uid>,
    /// The system's own words: the interrupt's name, why the screen came on.
    pub text: Option<NameId>,
}
