//! Energy by parts of the app's code: methods, their callees outside of the app, classes, packages, lines.
//!
//! Figures of the ledger and figures by tables of API costs stand side by side and are never added.

mod api_lists;
mod api_row;
mod api_tally;
mod build_apis;
mod build_groups;
mod build_lines;
mod build_methods;
mod cases;
mod class_row;
mod code_input;
mod code_measures;
mod code_report;
mod line_row;
mod line_sums;
mod method_row;
mod outermost;
mod owners;
mod row_order;
mod sums;
mod times;

pub use api_row::{ApiCaller, ApiCoverage, ApiRow};
pub use cases::{API_QUANTILES, QUANTILES, TIMES, cases};
pub use class_row::{ClassRow, CodePackageRow, GroupSums};
pub use code_measures::CodeMeasures;
pub use code_report::CodeReport;
pub use line_row::{LineCallee, LineKind, LineRow, LineShare};
pub use method_row::{
    CallCoverage, MethodApi, MethodPlace, MethodRow, MethodThread, MethodTimes, QuantilesRow,
};
