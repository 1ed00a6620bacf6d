//! The one table that was asked for.

use super::style::Style::{Dim, Plain, Warning};
use super::terminal_page::Page;
use crate::{By, CodeReport, Sort};

/// Advice if nothing of the app's code is known.
const METHODS: &str = "To have them, put probes into the app: wattle run app.apk does all of it; or wattle instrument app.apk, and \
                       record it.";

/// The same where methods are known, but not what they call.
const CALLS: &str = "To have them, put probes around calls into the framework: wattle run app.apk --mode both; or --mode apis \
                     without those of methods.";

impl Page<'_> {
    /// That table, or why there is none.
    pub(super) fn only(&self, by: By, to: &mut String) {
        if by == By::Test {
            if self.report.tests.rows.is_empty() {
                self.line_indented(
                    to,
                    Warning,
                    "No test ran in this recording, or nothing in it says so.",
                );
                self.line_indented(
                    to,
                    Plain,
                    "wattle run app.apk --test-apk tests.apk runs an app's tests, each with its energy.",
                );
            }
            return self.tests(to);
        }
        if !by.is_code() {
            return self.spans(by, to);
        }
        let code = self.report.software.code.as_ref();
        let has_methods = code.is_some_and(CodeReport::has_methods);
        let has_apis = code.is_some_and(|code| !code.apis.is_empty());
        let has_names = code.is_some_and(|code| !code.methods.is_empty());
        let is_sampled = by == By::Method && has_names && self.is_sampled();
        let is_known = if by == By::Api { has_apis } else { has_methods || is_sampled };
        if !is_known {
            let what = if by == By::Api {
                "No call into the framework is known"
            } else {
                "No method is known"
            };
            let but = if has_names && by != By::Api {
                "in this recording, only names of trace sections"
            } else {
                "in this recording"
            };
            self.line_indented(to, Warning, &format!("{what} {but}."));
            self.line_indented(to, Plain, if by == By::Api { CALLS } else { METHODS });
            to.push('\n');
        }
        match by {
            By::Method if has_names => self.all_methods(to),
            By::Api if is_known => self.all_apis(to),
            By::Line if is_known => self.lines(to),
            By::Class if is_known => self.classes(to),
            By::Package if is_known => self.packages(to),
            _ => {}
        }
    }

    /// Whether names of code are those of functions in sampled stacks.
    pub(super) fn is_sampled(&self) -> bool {
        let software = &self.report.software;
        software.sampling.is_some() || software.sampled.is_some()
    }

    /// Describes the order of the rows of a table of the app's code, in words.
    pub(super) fn order_words(&self) -> &'static str {
        let api_leads = self.report.software.code.as_ref().is_some_and(|code| code.api_leads);
        if self.report.software.code.as_ref().is_some_and(|code| code.time_leads) {
            return match self.sort {
                Sort::Total => "most time first",
                Sort::Own => "most time of their own first",
                Sort::Mean => "most time a call first",
                Sort::Calls => "most calls first",
            };
        }
        match (self.sort, api_leads) {
            (Sort::Total, false) => "most total energy first",
            (Sort::Own, false) => "most energy of their own first",
            (Sort::Mean, false) => "most energy a call first",
            (Sort::Total, true) => "most API energy first",
            (Sort::Own, true) => "most API energy of their own first",
            (Sort::Mean, true) => "most API energy a call first",
            (Sort::Calls, _) => "most calls first",
        }
    }

    /// Heading of a table of the app's code: what, whose, how many, in which order.
    pub(super) fn code_heading(&self, to: &mut String, what: &str, count: usize) {
        let app = self.report.software.app.as_ref().filter(|app| !app.processes.is_empty());
        let of = app.map_or(String::new(), |app| format!(" of {}", app.packages.join(", ")));
        let shown = count.min(self.top);
        let count = if shown < count { format!("{shown} of {count}") } else { count.to_string() };
        self.heading(to, &format!("{what}{of} ({count}), {}", self.order_words()));
    }

    /// Writes the meaning of a table's API energies, and the part of the calls that they cover.
    pub(super) fn api_coverage(&self, to: &mut String) {
        let coverage =
            self.report.software.code.as_ref().and_then(|code| code.api_coverage.as_ref());
        let Some(coverage) = coverage else { return };
        for line in super::api_list::coverage_words(coverage) {
            self.line_indented(to, Dim, &line);
        }
    }
}
