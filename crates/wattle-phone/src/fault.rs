//! Faults that can be injected.

use std::time::Duration;

/// Something that happens on the phone, at which a fault can strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A package is being installed.
    InstallStarted,
    /// A recording by `perfetto` has begun.
    RecordingStarted,
    /// A recording by `perfetto` has ended.
    RecordingStopped,
    /// `am instrument`, `monkey` or `am start` has begun.
    ScenarioStarted,
    /// One test of `am instrument` has begun.
    TestStarted,
    /// `am instrument` or `monkey` has ended.
    ScenarioEnded,
    /// A file is being pulled.
    PullStarted,
}

/// A fault.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The link breaks after so many more bytes, for some time (`None`: until [`crate::Phone::reconnect`]).
    DisconnectAfter {
        /// Bytes that still go through, both directions together.
        bytes: u64,
        /// The time that the phone cannot be reached.
        away: Option<Duration>,
    },
    /// The link breaks when something happens.
    DisconnectAt {
        /// The event that triggers it.
        event: Event,
        /// The delay after it.
        delay: Duration,
        /// The time that the phone cannot be reached; `None`: until [`crate::Phone::reconnect`].
        away: Option<Duration>,
    },
    /// The phone restarts when something happens.
    RebootAt {
        /// The event that triggers it.
        event: Event,
        /// The delay after it.
        delay: Duration,
    },
    /// So many bytes a second, both directions together.
    SlowLink {
        /// Bytes a second.
        bytes_per_second: u64,
    },
    /// Only so many bytes are free for data.
    FullStorage {
        /// Free bytes.
        free_bytes: u64,
    },
    /// Packages are refused, in the package manager's words (`INSTALL_FAILED_USER_RESTRICTED`).
    RefuseInstall {
        /// The reason.
        reason: String,
    },
    /// The app dies in a test.
    CrashTest {
        /// The number in a run, from 0.
        number: usize,
    },
    /// Log lines are lost, each with this probability. How many were is [`crate::Phone::lost_log_lines`].
    LoseLogLines {
        /// Between 0 and 1.
        fraction: f64,
    },
    /// `perfetto` says no.
    RefuseRecording,
    /// The battery and the thermal zones have so many degrees Celsius.
    Hot {
        /// Degrees Celsius.
        celsius: f64,
    },
    /// The phone is charged over USB, truly.
    Charging,
    /// The battery is at so many percent.
    LowBattery {
        /// Percent.
        percent: u32,
    },
    /// Power save mode is on.
    PowerSave,
}

/// The faults that are set.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) waiting: Vec<(Event, Duration, Strike)>,
    pub(crate) refuse_install: Option<String>,
    pub(crate) crash_test: Option<usize>,
    pub(crate) refuse_recording: bool,
}

/// A fault bound to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strike {
    Disconnect(Option<Duration>),
    Reboot,
}
