//! Views of a report in a terminal.

/// A view of a report in a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// Everything.
    #[default]
    Full,
    /// Energy by component.
    Components,
    /// Energy by class of consumer: threads, idle, recording, what nobody is known to have caused.
    Consumers,
    /// Apps of which only the uid is known.
    Apps,
    /// Cores.
    Cpus,
    /// Processes.
    Processes,
    /// Threads.
    Threads,
    /// Methods.
    Methods,
    /// Calls into the framework.
    Apis,
    /// Slices.
    Slices,
    /// ART overhead (GC, JIT, class loading, startup).
    Art,
    /// Tests.
    Tests,
    /// Suspicious methods.
    Suspects,
    /// Bytes of networks and disks.
    Transfers,
    /// Power rails and the battery.
    Rails,
    /// Totals according to other models.
    Models,
    /// Lost and doubtful data, cost of recording, notes.
    Quality,
}

impl View {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Full,
        Self::Components,
        Self::Consumers,
        Self::Apps,
        Self::Cpus,
        Self::Processes,
        Self::Threads,
        Self::Methods,
        Self::Apis,
        Self::Slices,
        Self::Art,
        Self::Tests,
        Self::Suspects,
        Self::Transfers,
        Self::Rails,
        Self::Models,
        Self::Quality,
    ];

    /// The word in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Components => "components",
            Self::Consumers => "consumers",
            Self::Apps => "apps",
            Self::Cpus => "cpus",
            Self::Processes => "processes",
            Self::Threads => "threads",
            Self::Methods => "methods",
            Self::Apis => "apis",
            Self::Slices => "slices",
            Self::Art => "art",
            Self::Tests => "tests",
            Self::Suspects => "suspects",
            Self::Transfers => "transfers",
            Self::Rails => "rails",
            Self::Models => "models",
            Self::Quality => "quality",
        }
    }
}
