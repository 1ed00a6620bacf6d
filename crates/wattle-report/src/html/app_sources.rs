//! The files of the page application.

/// The frame of every page.
pub const FRAME: &str = include_str!("../../assets/app/frame.html");
/// All between the bar and the end of a report.
pub const REPORT_MAIN: &str = include_str!("../../assets/app/report-main.html");
/// All between the bar and the end of a comparison.
pub const COMPARE_MAIN: &str = include_str!("../../assets/app/compare/compare-main.html");
/// Styles of comparisons.
pub const COMPARE_STYLE: &str = include_str!("../../assets/app/compare/compare.css");
/// All between the bar and the end of a history.
pub const HISTORY_MAIN: &str = include_str!("../../assets/app/history/history-main.html");
/// Styles of histories, beside those of comparisons.
pub const HISTORY_STYLE: &str = include_str!("../../assets/app/history/history.css");
/// Styles of every page.
pub const APP_STYLE: &str = include_str!("../../assets/app/app.css");
/// The font, as data.
pub const FONT: &str = include_str!("../../assets/app/font.css");

/// Tables of a report.
pub const REPORT_SECTIONS: &str = include_str!("../../assets/report.html");
/// Sections of a diagnosis.
pub const DIAGNOSIS_SECTIONS: &str = include_str!("../../assets/diagnosis-sections.html");

/// The data of a page that carries it along; the first script of its page.
pub const FILE_SOURCE: &str = include_str!("../../assets/app/source.js");
/// The data of a page of a server; the first script of its page.
pub const SERVER_SOURCE: &str = include_str!("../../assets/app/server-source.js");

/// Scripts of a report, in order: later files use names of earlier ones.
pub const REPORT_SCRIPTS: [&str; 42] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/app/units.js"),
    include_str!("../../assets/app/widgets.js"),
    include_str!("../../assets/app/shell.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/app/component-names.js"),
    include_str!("../../assets/app/model.js"),
    include_str!("../../assets/app/intervals.js"),
    include_str!("../../assets/app/query.js"),
    include_str!("../../assets/app/address.js"),
    include_str!("../../assets/app/view.js"),
    include_str!("../../assets/app/verdict.js"),
    include_str!("../../assets/app/marked.js"),
    include_str!("../../assets/app/overview-chart.js"),
    include_str!("../../assets/app/components.js"),
    include_str!("../../assets/app/consumers.js"),
    include_str!("../../assets/app/findings.js"),
    include_str!("../../assets/app/flame-graph.js"),
    include_str!("../../assets/app/call-tree.js"),
    include_str!("../../assets/app/track-data.js"),
    include_str!("../../assets/app/track-paint.js"),
    include_str!("../../assets/app/track-lanes.js"),
    include_str!("../../assets/app/track-pointer.js"),
    include_str!("../../assets/app/track-ranges.js"),
    include_str!("../../assets/app/tracks.js"),
    include_str!("../../assets/human.js"),
    include_str!("../../assets/rating.js"),
    include_str!("../../assets/overview.js"),
    include_str!("../../assets/time-view.js"),
    include_str!("../../assets/tables.js"),
    include_str!("../../assets/described.js"),
    include_str!("../../assets/runtime-tax.js"),
    include_str!("../../assets/methods.js"),
    include_str!("../../assets/sunburst.js"),
    include_str!("../../assets/suspects.js"),
    include_str!("../../assets/diagnosis-chart.js"),
    include_str!("../../assets/diagnosis.js"),
    include_str!("../../assets/app/export.js"),
    include_str!("../../assets/app/tables-panel.js"),
    include_str!("../../assets/app/keys.js"),
    include_str!("../../assets/app/main.js"),
];

/// Scripts of a comparison of two runs.
pub const COMPARE_SCRIPTS: [&str; 15] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/app/units.js"),
    include_str!("../../assets/app/widgets.js"),
    include_str!("../../assets/app/shell.js"),
    include_str!("../../assets/tree.js"),
    include_str!("../../assets/app/component-names.js"),
    include_str!("../../assets/app/export.js"),
    include_str!("../../assets/app/compare/compare-model.js"),
    include_str!("../../assets/app/compare/compare-state.js"),
    include_str!("../../assets/app/compare/change-verdict.js"),
    include_str!("../../assets/app/compare/what-changed.js"),
    include_str!("../../assets/app/compare/change-tables.js"),
    include_str!("../../assets/app/compare/delta-flame.js"),
    include_str!("../../assets/app/compare/compare-main.js"),
];

/// Scripts of a history.
pub const HISTORY_SCRIPTS: [&str; 16] = [
    include_str!("../../assets/dom.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/app/units.js"),
    include_str!("../../assets/app/widgets.js"),
    include_str!("../../assets/app/shell.js"),
    include_str!("../../assets/app/component-names.js"),
    include_str!("../../assets/app/export.js"),
    include_str!("../../assets/app/history/history-model.js"),
    include_str!("../../assets/app/history/history-state.js"),
    include_str!("../../assets/app/history/standing.js"),
    include_str!("../../assets/app/history/series-cards.js"),
    include_str!("../../assets/app/history/level-chart.js"),
    include_str!("../../assets/app/history/parts-chart.js"),
    include_str!("../../assets/app/history/commit-table.js"),
    include_str!("../../assets/app/history/change-list.js"),
    include_str!("../../assets/app/history/history-main.js"),
];
