//! Kinds of rows of a table, and their order.

/// Kind of the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// Methods of the app.
    Method,
    /// Methods outside of the app that it calls.
    Api,
    /// Lines of its source files.
    Line,
    /// Tests.
    Test,
    /// Classes.
    Class,
    /// Packages of classes.
    Package,
    /// Frames of apps.
    Frame,
    /// App starts.
    Startup,
    /// User journeys.
    Journey,
    /// Foreground and background of apps.
    State,
    /// Time in which threads did not run.
    Wait,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Method,
        Self::Api,
        Self::Line,
        Self::Test,
        Self::Class,
        Self::Package,
        Self::Frame,
        Self::Startup,
        Self::Journey,
        Self::State,
        Self::Wait,
    ];

    /// Whether its rows are parts of the app's code.
    pub const fn is_code(self) -> bool {
        matches!(self, Self::Method | Self::Api | Self::Line | Self::Class | Self::Package)
    }

    /// The word in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Api => "api",
            Self::Line => "line",
            Self::Test => "test",
            Self::Class => "class",
            Self::Package => "package",
            Self::Frame => "frame",
            Self::Startup => "startup",
            Self::Journey => "cuj",
            Self::State => "state",
            Self::Wait => "waits",
        }
    }
}

/// Sort key of rows. If no energy is known, the energy by tables of API costs takes its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The energy with all that was called; of tests what everybody drew.
    #[default]
    Total,
    /// The energy without that of other methods; of tests what the app drew.
    Own,
    /// The energy of a call (Orka's *top ten by average*); of tests the mean power.
    Mean,
    /// The number of calls; of tests their length.
    Calls,
}

impl Sort {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Total, Self::Own, Self::Mean, Self::Calls];

    /// The word in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Own => "self",
            Self::Mean => "mean",
            Self::Calls => "calls",
        }
    }
}
