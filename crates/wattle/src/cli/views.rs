//! The flags of tables and their order.

use clap::{Args, ValueEnum};

/// The table of a report and its order.
#[derive(Debug, Args, Clone, Copy, Default)]
pub struct Views {
    /// Show all tables instead of the summary, in a pager on a terminal
    #[arg(long, conflicts_with_all = ["by", "view"])]
    pub full: bool,
    /// Show the tables of one view instead of the summary
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "by")]
    pub view: Option<View>,
    /// Unit of energies in the summary
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    pub unit: Unit,
    /// Never start a pager (`$PAGER`, else `less`)
    #[arg(long)]
    pub no_pager: bool,
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

/// The tables of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Energy by component
    Components,
    /// Energy by class of consumer: threads, idle, recording, no cause recorded
    Consumers,
    /// The apps asked for, and apps of which only the uid is known
    Apps,
    /// Cores
    Cpus,
    /// Processes
    Processes,
    /// Threads
    Threads,
    /// Methods
    Methods,
    /// Calls into the framework
    Apis,
    /// Slices
    Slices,
    /// ART overhead: GC, JIT, class loading, startup
    Art,
    /// Findings of the diagnosis, with regions and stacks
    Findings,
    /// Tests and the share of the probed code that ran
    Tests,
    /// Suspicious methods
    Suspects,
    /// Bytes of networks and disks
    Transfers,
    /// Power rails and battery
    Rails,
    /// Totals according to other models
    Models,
    /// Lost and doubtful data, cost of recording, notes
    Quality,
}

/// The unit of energies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    /// Joules
    #[default]
    #[value(name = "J")]
    Joules,
    /// Milliwatt-hours
    #[value(name = "mWh")]
    MilliwattHours,
    /// Milliampere-hours of this device's battery; needs its voltage
    #[value(name = "mAh")]
    MilliampHours,
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
    /// Time in which threads did not run: why, and what woke them
    Waits,
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
            By::Waits => Self::Wait,
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

impl View {
    /// The view of a report; `None` for that of a diagnosis.
    pub const fn of_report(self) -> Option<wattle_report::View> {
        Some(match self {
            Self::Findings => return None,
            Self::Components => wattle_report::View::Components,
            Self::Consumers => wattle_report::View::Consumers,
            Self::Apps => wattle_report::View::Apps,
            Self::Cpus => wattle_report::View::Cpus,
            Self::Processes => wattle_report::View::Processes,
            Self::Threads => wattle_report::View::Threads,
            Self::Methods => wattle_report::View::Methods,
            Self::Apis => wattle_report::View::Apis,
            Self::Slices => wattle_report::View::Slices,
            Self::Art => wattle_report::View::Art,
            Self::Tests => wattle_report::View::Tests,
            Self::Suspects => wattle_report::View::Suspects,
            Self::Transfers => wattle_report::View::Transfers,
            Self::Rails => wattle_report::View::Rails,
            Self::Models => wattle_report::View::Models,
            Self::Quality => wattle_report::View::Quality,
        })
    }
}
