//! Views of a ledger for people and scripts: terminal tables, JSON, one HTML file.
//!
//! All three views are made from one [`Report`], a summary of the ledger in the design's words, so that they
//! cannot disagree:
//!
//! ```
//! use wattle_report::{Report, ReportOptions};
//! # let ledger = wattle_ledger::Ledger::empty(Default::default());
//! let options = ReportOptions::default();
//! let report = Report::new(&ledger, &options);
//! assert_eq!(report.energy.total.joules(), None); // no data is not 0
//! println!("{}", wattle_report::terminal(&report, &options));
//! wattle_report::write_json(&report, std::io::stdout())?;
//! # Ok::<(), wattle_report::ReportError>(())
//! ```
//!
//! The JSON form is `wattle-report/1`, described in `docs/report-json.md`.
//!
//! Names in a ledger come from traces that anybody may have written: the terminal and HTML views replace
//! control characters, the HTML view never treats a name as markup.

mod cells;
mod clean;
pub mod diagnosis;
mod error;
mod figure;
mod flame;
mod history;
mod html;
mod human;
mod json;
mod model;
mod rating;
mod report_options;
mod report_view;
mod row_kind;
mod schema;
mod series;
mod spectrum;
mod summary_unit;
mod terminal;

pub use cells::grouped;
pub use clean::clean;
pub use error::ReportError;
pub use figure::Figure;
pub use flame::{
    ChangedMethodRow, Compared, CpuTimeDiff, CpuTimeRow, DIFF_SCHEMA, DiffReport, DiffRun,
    DiffTotalRow, EnergyPart, FlameBy, FlameComponent, FlameGraph, FlameKind, FlameNode,
    FlameOptions, FlameRun, Headline, MergedNodes, MethodRun, Objection, ObjectionWeight, Per,
    PerError, PerUnit, RenamedMethodRow, folded_diff, folded_process, folded_thread, refusals,
    self_energies,
};
pub use history::{
    HISTORY_PAGE_SCHEMA, HistoryBlame, HistoryBudget, HistoryChange, HistoryCommit,
    HistoryComparison, HistoryConfirmation, HistoryLevel, HistoryPage, HistoryPart, HistoryPlace,
    HistoryRange, HistoryRelease, HistorySeries, HistoryStanding, HistorySuspicion,
};
pub use html::{
    DiffPageError, HOSTED_DATA_LIMIT, HTML_LIMIT, HostedPage, PackedRange, PageAsset, PageAssets,
    PageKind, diagnosis_html, diff_data, diff_html, history_data, history_html, hosted_page, html,
    html_with_diagnosis, report_data, suspects_html,
};
pub use human::{
    Activity, ActivityTime, Amount, BatteryOf, GRID_CARBON_FORMAT, GridCarbon, HumanBattery,
    HumanFigure, HumanOptions, HumanUnits, HumanVoltage, REFERENCE_DEVICES_FORMAT,
    ReferenceBattery, ReferenceDevice, ReferenceDevices, VoltageOf,
};
pub use json::{json, write_json};
pub use model::{
    AccountRow, ApiCaller, ApiCoverage, ApiRow, AppFrameRow, AppProcessRow, AppReport, AppStateRow,
    AppUidRow, BatteryReport, BoundCallRow, BoundFigure, BoundTestRow, BoundTreeRow,
    COMPARISON_SCHEMA, CallCoverage, ClassRow, CodeMeasures, CodePackageRow, CodeReport,
    ComponentRow, ConsumerNames, ConsumerRow, CoverageReport, CoverageRow, CoveredComponentRow,
    CoveredPartRow, CpuRow, EnergyCoverageReport, EnergyForest, EnergyPaths, EnergySummary,
    ForestColumn, ForestComponent, ForestDetail, ForestKind, ForestNode, ForestRow, ForestRowKind,
    ForestView, FrameGroupRow, GroupSums, HardwareReport, InterruptRow, LeftOutRow, LegacyColumns,
    LineCallee, LineKind, LineRow, LineShare, MethodApi, MethodPlace, MethodRow, MethodThread,
    MethodTimes, NoEnergy, OverheadReport, PeriodRow, ProbeCostRow, ProbesReport, ProcessRow,
    ProvenanceShares, QualityReport, QuantilesRow, RailRow, RecorderRow, RecordingFacts, Report,
    RuntimeAdvice, RuntimeClassRow, RuntimeProcessRow, RuntimeShareRow, RuntimeTaxReport, SCHEMA,
    SampledFunction, SampledReport, SampledThread, SamplingReport, SliceComponent, SliceRow,
    SoftwareReport, SpanSumRow, SpansReport, SpreadRow, StatementRow, SuspectClassRow,
    SuspectLedgerRow, SuspectMethodRow, SuspectTestRow, SuspectsComparison, SuspectsReport,
    SuspectsSample, TOP_SCHEMA, TestComponentRow, TestRow, TestsReport, ThreadRow, TopOptions,
    TopReport, TrustReport, UpperBoundsReport, WaitRow, missing_apps,
};
pub use rating::{
    CATEGORY_FORMAT, Category, CategoryReference, LeftOut, Letter, Limits, RatedCoverage,
    RatedEnergy, RatedMeasure, RatedPer, RatingReport, RatingWarning, RatingWarningCode, Rule,
    quartiles,
};
pub use report_options::{CodeDetail, ReportOptions};
pub use report_view::View;
pub use row_kind::{By, Sort};
pub use schema::{reference, schemas};
pub use series::{
    BuildRow, ChangeColumns, DifferenceRow, PartDifferenceRow, SERIES_SCHEMA, SeriesReport,
    SeriesRun, series_terminal,
};
pub use spectrum::{Counts, Spectrum, Suspicion, worst_ranks};
pub use summary_unit::EnergyUnit;
pub use terminal::{
    SummaryParts, answer_terminal, cpu_time_terminal, diff_summary, diff_terminal,
    summary_terminal, suspects_terminal, terminal, top_terminal,
};
pub use wattle_compare::{Arrangement, Change, Outlook, Threshold, ThresholdError, Verdict};
