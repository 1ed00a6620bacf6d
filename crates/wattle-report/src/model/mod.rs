//! The summary of a ledger that all views are made of.

mod app;
mod call_tree;
mod coverage;
mod estimator;
mod figure;
mod gathered;
mod methods;
mod overhead;
mod processes;
mod report;
mod rows;
mod runtime_advice;
mod runtime_tax;
mod sampled;
mod sampling;
mod slices;
mod suspects;
mod tally;
mod test_runs;
mod top;
mod upper_bounds;
mod watched;

pub(crate) use app::chosen;
pub(crate) use call_tree::CallTree;
pub use coverage::{CoverageReport, CoverageRow};
pub(crate) use estimator::Estimator;
pub use figure::Figure;
pub(crate) use figure::seconds;
pub(crate) use gathered::doubt;
pub use methods::{
    ApiCaller, ApiCoverage, ApiRow, CallCoverage, ClassRow, CodePackageRow, CodeReport, GroupSums,
    LineCallee, LineKind, LineRow, LineShare, MethodApi, MethodRow, MethodThread, QuantilesRow,
};
pub use overhead::{OverheadReport, ProbeCostRow, ProbesReport, RecorderRow};
pub use report::{Report, SCHEMA};
pub use rows::{
    AccountRow, AppProcessRow, AppReport, AppUidRow, BatteryReport, ComponentRow, CpuRow,
    InterruptRow, ProcessRow, QualityReport, RailRow, SliceComponent, SliceRow, SpreadRow,
    ThreadRow,
};
pub use runtime_advice::RuntimeAdvice;
pub use runtime_tax::{RuntimeClassRow, RuntimeProcessRow, RuntimeTaxReport};
pub use sampled::{SampledFunction, SampledReport, SampledThread};
pub use sampling::SamplingReport;
pub use suspects::{
    COMPARISON_SCHEMA, LeftOutRow, SuspectClassRow, SuspectLedgerRow, SuspectMethodRow,
    SuspectTestRow, SuspectsComparison, SuspectsReport, SuspectsSample,
};
pub(crate) use tally::{Doubt, Tally};
pub use test_runs::{TestComponentRow, TestRow};
pub(crate) use top::top_time;
pub use top::{
    EnergyForest, EnergyPaths, ForestColumn, ForestComponent, ForestDetail, ForestKind, ForestNode,
    ForestRow, ForestRowKind, ForestView, TOP_SCHEMA, TopOptions, TopReport,
};
pub use upper_bounds::{
    BoundCallRow, BoundFigure, BoundTestRow, BoundTreeRow, LegacyColumns, UpperBoundsReport,
};
