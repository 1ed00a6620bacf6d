//! The sinks that probes write to.

use crate::{ProbeArgument, ProbeEvent};

/// The sink that probes write to, and the form of what they write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sink {
    /// Sections of `android.os.Trace`, which Perfetto records beside the scheduler.
    #[default]
    Trace,
    /// Batches of events in the log, numbered so that lost lines are seen.
    Logcat,
    /// Binary buffers, one file for each process.
    File,
    /// The lines that Navitas wrote, one for each event: `Entry` and `Exit` with the CPU's times in state.
    Navitas,
    /// The lines that Orka wrote, one for each event.
    Orka,
}

impl Sink {
    /// The name that flags and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Logcat => "logcat",
            Self::File => "file",
            Self::Navitas => "navitas",
            Self::Orka => "orka",
        }
    }

    /// Whether it has a word for how many bytes a call moved: then the runtime class has
    /// [`ByteCount::METHODS`](crate::ByteCount::METHODS).
    pub const fn counts_bytes(self) -> bool {
        matches!(self, Self::Trace | Self::Logcat | Self::File)
    }

    /// The argument of the probe of an event; `None` where this sink has no word for the event.
    #[expect(clippy::match_same_arms, reason = "one group of arms for each sink")]
    pub const fn argument(self, event: ProbeEvent) -> Option<ProbeArgument> {
        use ProbeEvent::{Back, Call, Enter, Exit, Fail, Unwind};
        Some(match (self, event) {
            (Self::Trace, Enter | Call) => ProbeArgument::Text,
            (Self::Trace, Exit | Unwind | Back | Fail) => ProbeArgument::None,
            (Self::Logcat | Self::File, Enter | Exit | Unwind | Call) => ProbeArgument::Id,
            (Self::Logcat | Self::File, Back | Fail) => ProbeArgument::None,
            (Self::Navitas, Enter | Exit | Unwind) => ProbeArgument::Text,
            (Self::Navitas, Call | Back | Fail) => return None,
            (Self::Orka, Enter | Exit | Unwind | Back) => ProbeArgument::Text,
            // Orka tells of a call once it has returned, and of nothing that throws.
            (Self::Orka, Call | Fail) => return None,
        })
    }
}
