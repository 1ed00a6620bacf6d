//! The kinds of places that are traced.

/// The kinds of places that get probes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Entry and exit of methods.
    #[default]
    Methods,
    /// Calls into the framework.
    Apis,
    /// Both.
    Both,
}

impl Mode {
    /// Whether methods get probes.
    pub const fn methods(self) -> bool {
        matches!(self, Self::Methods | Self::Both)
    }

    /// Whether calls get probes.
    pub const fn apis(self) -> bool {
        matches!(self, Self::Apis | Self::Both)
    }

    /// The name that flags and files use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Methods => "methods",
            Self::Apis => "apis",
            Self::Both => "both",
        }
    }
}

/// The treatment of short methods: those without a call and without a loop.
///
/// A probe costs more than such a method does, so that tracing it tells of the probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShortMethods {
    /// They are left alone, and counted.
    #[default]
    Skip,
    /// They get probes like all others.
    Probe,
}
