//! Kinds of pages of the page application.

use super::app_sources as sources;

/// A page of the page application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PageKind {
    /// A report.
    Report,
    /// A report with the sections of a diagnosis.
    ReportWithDiagnosis,
    /// A comparison of two runs.
    Comparison,
    /// Energy over versions.
    History,
}

/// The parts in which pages differ.
pub(super) struct PageParts {
    pub main: &'static str,
    /// Beside those of every page.
    styles: &'static [&'static str],
    scripts: &'static [&'static str],
    /// Id and name of the place to which readers without a pointer skip.
    pub target: [&'static str; 2],
}

impl PageKind {
    pub(super) const fn parts(self) -> PageParts {
        match self {
            Self::Report | Self::ReportWithDiagnosis => PageParts {
                main: sources::REPORT_MAIN,
                styles: &[],
                scripts: &sources::REPORT_SCRIPTS,
                target: ["total", "figures"],
            },
            Self::Comparison => PageParts {
                main: sources::COMPARE_MAIN,
                styles: &[sources::COMPARE_STYLE],
                scripts: &sources::COMPARE_SCRIPTS,
                target: ["verdict", "verdict"],
            },
            Self::History => PageParts {
                main: sources::HISTORY_MAIN,
                styles: &[sources::COMPARE_STYLE, sources::HISTORY_STYLE],
                scripts: &sources::HISTORY_SCRIPTS,
                target: ["standing", "verdict"],
            },
        }
    }

    /// The styles of its own, as one sheet; empty if those of every page are all.
    pub(super) fn style(self) -> String {
        self.parts().styles.concat()
    }

    /// All of its scripts as one module, behind the one that reads the data.
    pub(super) fn script(self, source: &str) -> String {
        let mut script = format!("\"use strict\";\n{source}");
        script.extend(self.parts().scripts.iter().copied());
        script
    }
}
