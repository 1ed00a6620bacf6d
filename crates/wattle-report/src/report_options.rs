//! Options of a report.

use regex::Regex;

use crate::{By, Category, EnergyUnit, HumanOptions, Sort, View};

/// Options of a report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReportOptions {
    /// Packages whose share of the total is asked for. Default is none: the whole device only.
    pub apps: Vec<String>,
    /// Processes whose name or package matches, of those apps or of all. Default is `None`: every one.
    pub processes: Option<Regex>,
    /// Threads of those processes whose name matches. Default is `None`: every one.
    pub threads: Option<Regex>,
    /// In whose terms energy is shown. Default is the library's.
    pub human: HumanOptions,
    /// Category with which the energy is compared. Default is `None`.
    pub category: Option<Category>,
    /// Rows of each list in the terminal. Default is 15.
    pub top: usize,
    /// Columns of the terminal. Default is `None`: 100.
    pub width: Option<usize>,
    /// Whether the terminal understands ANSI colours. Default is `false`.
    pub color: bool,
    /// The one table that the terminal shows. Default is `None`: all of a report's.
    pub by: Option<By>,
    /// The tables that the terminal shows. Default is [`View::Full`].
    pub view: View,
    /// The unit of energies in a summary. Default is [`EnergyUnit::Joules`].
    pub unit: EnergyUnit,
    /// The sums that are made of the app's code. Default is [`CodeDetail::All`].
    pub code: CodeDetail,
    /// Sort key of methods, APIs, lines, classes, packages. Default is [`Sort::Total`].
    pub sort: Sort,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            apps: Vec::new(),
            processes: None,
            threads: None,
            human: HumanOptions::default(),
            category: None,
            top: 15,
            width: None,
            color: false,
            by: None,
            view: View::default(),
            unit: EnergyUnit::default(),
            code: CodeDetail::default(),
            sort: Sort::default(),
        }
    }
}

/// The rows of the app's code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CodeDetail {
    /// Methods with their lines, threads and calls; APIs, classes, packages.
    #[default]
    All,
    /// Methods and APIs with their sums alone, which is all that a summary shows.
    Sums,
}
