//! Which table is shown, and how it is ordered.

use clap::{Args, ValueEnum};

/// What a report shows, and what comes first.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Views {
    /// Show this table alone, with what is behind each row: methods also with source lines and APIs
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<By>,
    /// What comes first among methods, APIs, lines, classes and packages; where no energy is known, by API costs
    #[arg(long, value_enum, value_name = "ORDER", default_value_t)]
    pub sort: Sort,
}

/// What a table has a row for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Methods of the app
    Method,
    /// Methods outside of the app that it calls
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

/// What decides which row comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Energy with all that was called; of tests what everybody drew
    #[default]
    Total,
    /// Energy without that of other methods; of tests what the app drew
    #[value(name = "self")]
    Own,
    /// Energy of a call; of tests the mean power
    Mean,
    /// Number of calls; of tests their length
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
