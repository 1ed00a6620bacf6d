//! Consumers of energy, and its purposes.

use serde::{Deserialize, Serialize};

use crate::PathId;

/// Index into [`crate::LedgerRows::accounts`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct AccountId(pub u32);

/// The consumer of an energy. Every joule has exactly one account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Account {
    /// A thread, inside the call path that was innermost (the thread's root path when none was open).
    Path {
        /// Index into [`crate::LedgerRows::paths`].
        path: PathId,
    },
    /// A thread of the recorder, inside the call path that was innermost. Part of *profiling overhead*.
    Recorder {
        /// Index into [`crate::LedgerRows::paths`].
        path: PathId,
    },
    /// An app of which only the uid is known (GPU work).
    App {
        /// Its uid.
        uid: u32,
    },
    /// Hard and soft interrupts and wakes without a task, by handler.
    Interrupts {
        /// The handler's name; `wake without a task` for those.
        handler: String,
    },
    /// Cores with nothing to run, suspend.
    IdleFloor,
    /// Probes in an app's code, and what the recorder does inside the app.
    ProfilingOverhead {
        /// The call path they took the time from, an index into [`crate::LedgerRows::paths`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<PathId>,
    },
    /// The battery lost it, no track saw it.
    Unmetered,
    /// Drawn, but the recording does not say by whom.
    Unattributed,
}

impl Account {
    /// The call path that drew it, whether a thread pays or it is the recorder's.
    pub fn path(&self) -> Option<PathId> {
        match self {
            Self::Path { path } | Self::Recorder { path } => Some(*path),
            Self::ProfilingOverhead { path } => *path,
            _ => None,
        }
    }

    /// The name of the account as one of those of the design: `threads`, `apps`, `interrupts`, `idle floor` ….
    pub fn class(&self) -> &'static str {
        match self {
            Self::Path { .. } => "threads",
            Self::App { .. } => "apps",
            Self::Interrupts { .. } => "interrupts",
            Self::IdleFloor => "idle floor",
            Self::Recorder { .. } | Self::ProfilingOverhead { .. } => "profiling overhead",
            Self::Unmetered => "unmetered",
            Self::Unattributed => "unattributed",
        }
    }
}

/// The purpose of an energy. Every joule has exactly one charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Charge {
    /// A core's own power.
    Core,
    /// Power that cores share.
    Shared,
    /// From leaving deep idle to the first task.
    WakeTransition,
    /// A device other than a core.
    Device,
    /// A device that stays up after its last use.
    Tail,
}

impl Charge {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Core, Self::Shared, Self::WakeTransition, Self::Device, Self::Tail];

    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Shared => "shared",
            Self::WakeTransition => "wake-transition",
            Self::Device => "device",
            Self::Tail => "tail",
        }
    }
}
