//! Events that Android's services report.

/// Something that a service of Android reports to `statsd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceEvent {
    /// The display goes on or off (`ScreenStateChanged`).
    Screen {
        /// On.
        is_on: bool,
    },
    /// An app comes to the front or leaves it (`UidProcessStateChanged`).
    Front {
        /// The app.
        uid: u32,
        /// It comes.
        is_on: bool,
    },
    /// A sync begins or ends (`SyncStateChanged`).
    Sync {
        /// The app.
        uid: u32,
        /// Adapter, authority and account.
        name: String,
        /// It begins.
        is_on: bool,
    },
    /// A service with a notification begins or ends (`ForegroundServiceStateChanged`).
    ForegroundService {
        /// The app.
        uid: u32,
        /// The service's class.
        name: String,
        /// It begins.
        is_on: bool,
    },
    /// An alarm wakes the device (`WakeupAlarmOccurred`).
    Alarm {
        /// The app.
        uid: u32,
        /// The alarm's tag.
        name: String,
    },
    /// Packets arrive for an app (`android.network_packets`).
    Network {
        /// The app.
        uid: u32,
        /// Bytes of all of them.
        bytes: u64,
    },
}
