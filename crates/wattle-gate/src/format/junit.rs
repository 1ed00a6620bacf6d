//! JUnit XML, which CI servers show as tests.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::{CheckVerdict, GateReport};

/// The check as JUnit XML: one test case a rule. A rule that is open is skipped with its reason; if the gate is strict, it fails.
///
/// # Errors
/// Never for a report of [`crate::check`]; the library's own error is passed on.
pub fn junit(report: &GateReport, is_strict: bool) -> Result<String, quick_junit::SerializeError> {
    let mut file = Report::new("wattle check");
    let app = if report.app.is_empty() { "device" } else { &report.app };
    let mut suite = TestSuite::new(format!("energy of {app}"));
    for row in &report.rows {
        let status = match row.verdict {
            CheckVerdict::Passed => TestCaseStatus::success(),
            CheckVerdict::Failed => failure(row.verdict.name(), &row.text),
            open if is_strict => failure(open.name(), &row.text),
            _ => {
                let mut skipped = TestCaseStatus::skipped();
                skipped.set_message(row.text.clone());
                skipped
            }
        };
        let mut case = TestCase::new(row.title(), status);
        case.set_classname(format!("wattle.{app}"));
        case.set_system_out(row.text.clone());
        suite.add_test_case(case);
    }
    file.add_test_suite(suite);
    file.to_string()
}

fn failure(kind: &str, text: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(kind.to_owned());
    status.set_message(text.to_owned());
    status
}
