//! The summary of a ledger that all views are made of.

mod app;

mod app_rows;
mod basis;
mod call_tree;
mod chosen;
mod consumer_groups;
mod consumer_names;
mod consumer_row;
mod consumers;
mod coverage;
mod covered_energy;
mod device_title;
mod estimator;
mod gathered;
mod hardware;
mod meter_rows;
mod methods;
mod no_energy;
mod no_finding;
mod order;
mod overhead;
mod parts;
mod processes;
mod provenance_shares;
mod rated;
mod report;
mod rows;
mod runtime_advice;
mod runtime_rows;
mod runtime_tax;
mod sampled;
mod sampling;
mod slices;
mod spans;
mod statement_rows;
mod suspects;
mod tally;
mod test_runs;
mod top;
pub(crate) mod uid_names;
mod upper_bounds;
mod wait_rows;
mod watched;

pub use app_rows::{AppProcessRow, AppReport};
pub(crate) use call_tree::CallTree;
pub(crate) use chosen::chosen;
pub use chosen::missing_apps;
pub(crate) use consumer_groups::AppGroups;
pub use consumer_names::ConsumerNames;
pub use consumer_row::ConsumerRow;
pub use coverage::{CoverageReport, CoverageRow};
pub use covered_energy::{CoveredComponentRow, CoveredPartRow, EnergyCoverageReport};
pub(crate) use covered_energy::{covered_in_words, listed};
pub(crate) use device_title::{android_release, device_facts, device_title, length_fact};
pub(crate) use estimator::Estimator;
pub(crate) use gathered::doubt;
pub use meter_rows::{BatteryReport, RailRow, SpreadRow};
pub(crate) use methods::{API_QUANTILES, QUANTILES, TIMES, cases};
pub use methods::{
    ApiCaller, ApiCoverage, ApiRow, CallCoverage, ClassRow, CodeMeasures, CodePackageRow,
    CodeReport, GroupSums, LineCallee, LineKind, LineRow, LineShare, MethodApi, MethodPlace,
    MethodRow, MethodThread, MethodTimes, QuantilesRow,
};
pub use no_energy::NoEnergy;
pub(crate) use no_finding::no_finding;
pub use overhead::{OverheadReport, ProbeCostRow, ProbesReport, RecorderRow};
pub use parts::{
    EnergySummary, HardwareReport, RecordingFacts, SoftwareReport, TestsReport, TrustReport,
};
pub use provenance_shares::ProvenanceShares;
pub use report::{Report, SCHEMA};
pub use rows::{
    AccountRow, AppUidRow, ComponentRow, CpuRow, InterruptRow, ProcessRow, QualityReport,
    SliceComponent, SliceRow, ThreadRow,
};
pub use runtime_advice::RuntimeAdvice;
pub use runtime_rows::{RuntimeClassRow, RuntimeProcessRow};
pub(crate) use runtime_rows::{WITH_ENERGY, WITHOUT_ENERGY};
pub use runtime_tax::{RuntimeShareRow, RuntimeTaxReport};
pub use sampled::{SampledFunction, SampledReport, SampledThread};
pub use sampling::SamplingReport;
pub use spans::{AppFrameRow, AppStateRow, FrameGroupRow, PeriodRow, SpanSumRow, SpansReport};
pub use statement_rows::StatementRow;
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
pub use wait_rows::WaitRow;
