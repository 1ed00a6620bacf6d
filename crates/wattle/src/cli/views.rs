//! The flags of tables and their order.

use clap::{Args, ValueEnum};

/// The table of a report and its order.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Views {
    /// Show this table only, with details of each row: methods also with source lines and APIs
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<By>,
    /// Order of methods, APIs, lines, classes and packages; where no energy is known, by API costs
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub sort: Sort,
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
