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
}

impl PageKind {
    /// Whether two runs are shown.
    pub(super) const fn is_comparison(self) -> bool {
        matches!(self, Self::Comparison)
    }

    fn scripts(self) -> &'static [&'static str] {
        if self.is_comparison() { &sources::COMPARE_SCRIPTS } else { &sources::REPORT_SCRIPTS }
    }

    /// All of its scripts as one module.
    pub(super) fn script(self) -> String {
        let mut script = "\"use strict\";\n".to_owned();
        script.extend(self.scripts().iter().copied());
        script
    }
}
