//! Named stretches of time of an app.

use serde::{Deserialize, Serialize};
use wattle_timeline::Window;
use wattle_units::Nanos;

use super::{AppState, FrameJank};

/// The kinds of named stretches. For each that occurs, its stretches and the time outside of them are the whole window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpanKind {
    /// Frames.
    Frame,
    /// App starts.
    Startup,
    /// User journeys.
    Journey,
    /// Foreground and background.
    State,
}

impl SpanKind {
    /// All of them, in the order of entries.
    pub const ALL: [Self; 4] = [Self::Frame, Self::Startup, Self::Journey, Self::State];
}

/// The sum of a kind that an entry is of.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SpanRole {
    /// A stretch, or all stretches of an app in one state.
    #[default]
    Named,
    /// All energy of the ledger that is in none of them.
    Outside,
    /// The energy that is in several, once for each after the first.
    Repeated,
}

impl SpanRole {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    pub(crate) fn is_named(&self) -> bool {
        *self == Self::Named
    }
}

/// The kind of an app start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StartupKind {
    /// The process was started.
    Cold,
    /// The process was there, its activity was made.
    Warm,
    /// The activity was brought to the front.
    Hot,
}

impl StartupKind {
    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
            Self::Hot => "hot",
        }
    }
}

/// The property that a user journey (CUJ) is observed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum JourneyMeasure {
    /// Missed frames (`J<NAME>`).
    Jank,
    /// Time until it responds (`L<NAME>`).
    Latency,
}

impl JourneyMeasure {
    /// The word in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jank => "jank",
            Self::Latency => "latency",
        }
    }
}

/// The subject of a stretch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SpanSubject {
    /// A frame.
    Frame {
        /// Its number (the vsync id that the app got); `None` for all frames of an app that are not told apart, and beside them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<i64>,
        /// Why it came late, the most severe of its layers; `None` where no frame timeline was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        jank: Option<FrameJank>,
    },
    /// An app start.
    Startup {
        /// Cold, warm or hot; `None` where the recording does not contain it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start: Option<StartupKind>,
    },
    /// A user journey.
    Journey {
        /// Observed for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        measure: Option<JourneyMeasure>,
        /// Its name, `LAUNCHER_APP_LAUNCH_FROM_ICON`.
        name: String,
    },
    /// All time of an app in one state.
    State {
        /// The state.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<AppState>,
    },
}

impl SpanSubject {
    /// Its kind.
    pub const fn kind(&self) -> SpanKind {
        match self {
            Self::Frame { .. } => SpanKind::Frame,
            Self::Startup { .. } => SpanKind::Startup,
            Self::Journey { .. } => SpanKind::Journey,
            Self::State { .. } => SpanKind::State,
        }
    }

    /// The subject of sums over a kind.
    pub(crate) const fn for_sum(kind: SpanKind) -> Self {
        match kind {
            SpanKind::Frame => Self::Frame { token: None, jank: None },
            SpanKind::Startup => Self::Startup { start: None },
            SpanKind::Journey => Self::Journey { measure: None, name: String::new() },
            SpanKind::State => Self::State { state: None },
        }
    }
}

/// A named stretch of time of an app, or several of one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanEntry {
    /// Its subject.
    pub subject: SpanSubject,
    /// The sum of its kind that it belongs to.
    #[serde(default, skip_serializing_if = "SpanRole::is_named")]
    pub role: SpanRole,
    /// The app: its package, or the name of its process. Absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// From the first beginning to the last end, inside the ledger's window.
    pub window: Window,
    /// Time in it, which is less than the length of `window` for several stretches.
    pub duration: Nanos,
    /// Number of stretches, such as frames that are not told apart.
    pub count: u64,
    /// A part of it lies outside of the ledger's window, or its end was not recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Nothing in the recording says which energy is its own: it has no entries, and that is not 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_slices: bool,
}
