//! The flags of tables and their order.

use clap::{Args, ValueEnum};

/// The table of a report and its order.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Views {
    /// Show this table only, with details of each row: methods also with source lines and APIs
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<By>,
    /// Order of rows; of methods, APIs, lines, classes and packages where no energy is known, by API costs
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub sort: Sort,
    /// Numbers in the names of slices (`Choreographer#doFrame 123456`): one row for all of them, or a row for each
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub numbers: Numbers,
}

/// The treatment of numbers in the names of slices.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Numbers {
    /// Slices whose names differ by numbers are one row, with `#` for the number
    #[default]
    Group,
    /// Each name is a row
    Keep,
}

/// The rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Methods of the app
    Method,
    /// Methods outside the app that it calls
    Api,
    /// Lines of its source files
    Line,
    /// Tests
    Test,
    /// Classes
    Class,
    /// Packages of classes
    Package,
    /// Frames of apps: joules per frame
    Frame,
    /// App starts
    Startup,
    /// User journeys (CUJs)
    Cuj,
    /// Foreground and background of apps
    State,
}

/// The order of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Energy including callees; for tests, the energy of all processes
    #[default]
    Total,
    /// Energy excluding callees; for tests, the energy of the app
    #[value(name = "self")]
    Own,
    /// Energy per call; for tests, the mean power
    Mean,
    /// Number of calls; for tests, their duration
    Calls,
}

impl From<By> for wattle_report::By {
    fn from(by: By) -> Self {
        match by {
            By::Method => Self::Method,
            By::Api => Self::Api,
            By::Line => Self::Line,
            By::Test => Self::Test,
            By::Class => Self::Class,
            By::Package => Self::Package,
            By::Frame => Self::Frame,
            By::Startup => Self::Startup,
            By::Cuj => Self::Journey,
            By::State => Self::State,
        }
    }
}

impl From<Sort> for wattle_report::Sort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Total => Self::Total,
            Sort::Own => Self::Own,
            Sort::Mean => Self::Mean,
            Sort::Calls => Self::Calls,
        }
    }
}
