//! Why a method has no probes.

use std::fmt;

/// Why a method has no probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// It has no code: the classes that implement it have.
    Abstract,
    /// Its code is native.
    Native,
    /// Its class was not asked for.
    OutOfScope,
    /// It has neither a call nor a loop, see [`ShortMethods`](crate::ShortMethods).
    Short,
    /// It was named as one that is called too often, see [`Options::left_out`](crate::Options::left_out).
    OverBudget,
    /// Only calls are traced, and it makes none into the framework.
    NoCalls,
    /// Only calls are traced, and none of those that it makes into the framework can get probes, see
    /// [`CallRefusal`](crate::CallRefusal).
    CallsRefused,
    /// Something in it can throw while holding a monitor that is never released: a handler around it would be
    /// reached with and without the monitor, which the runtime refuses.
    MonitorLeak,
    /// Its frame has no room for another register that the probes can name.
    FrameFull,
    /// With probes it would be larger than the format can express.
    TooLarge,
    /// The runtime would refuse it as it is.
    Unverifiable,
    /// With probes it does not pass verification.
    Refused,
}

impl SkipReason {
    /// The name that summaries use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Abstract => "abstract",
            Self::Native => "native",
            Self::OutOfScope => "out-of-scope",
            Self::Short => "short",
            Self::OverBudget => "over-budget",
            Self::NoCalls => "no-calls",
            Self::CallsRefused => "calls-refused",
            Self::MonitorLeak => "monitor-leak",
            Self::FrameFull => "frame-full",
            Self::TooLarge => "too-large",
            Self::Unverifiable => "unverifiable",
            Self::Refused => "refused",
        }
    }

    /// The reason in words for people.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Abstract => "abstract: no code",
            Self::Native => "native: no bytecode",
            Self::OutOfScope => "class not selected (--include, --all)",
            Self::Short => "short: no call and no loop (--short-methods probe)",
            Self::OverBudget => "called too often for --budget",
            Self::NoCalls => "no call into the framework",
            Self::CallsRefused => "none of its calls into the framework can get probes",
            Self::MonitorLeak => "can throw while holding a monitor that is never released",
            Self::FrameFull => "no free register for a probe",
            Self::TooLarge => "exceeds a limit of the DEX format with probes",
            Self::Unverifiable => "its own code does not verify",
            Self::Refused => "does not verify with probes",
        }
    }

    /// Whether the method was asked for and has code, but cannot be touched.
    pub const fn is_unsafe(self) -> bool {
        matches!(
            self,
            Self::CallsRefused
                | Self::MonitorLeak
                | Self::FrameFull
                | Self::TooLarge
                | Self::Unverifiable
                | Self::Refused
        )
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
