//! The report as one HTML file: no network, no build step, no larger than [`HTML_LIMIT`].
//!
//! Scripts and styles are the plain files of `assets/`, put into the page as they are. Data goes into one `script` element, as JSON or
//! compressed, and reaches the page's text only through `textContent` and a canvas. A report's scripts get it from one function
//! (`assets/app/source.js`), so that a host can hand it over otherwise. For servers the same files are assets of their own
//! ([`PageAssets`]) beside a shell without inline scripts and styles ([`hosted_page`]).

mod app_list;
mod app_page;
mod app_sources;
mod code_details;
mod data;
mod diagnosis_data;
mod diagnosis_page;
mod diff;
mod error_columns;
mod fitted;
mod history_page_html;
mod hosted_page;
mod joined_bins;
mod packed_data;
mod packed_range;
mod page;
mod page_assets;
mod page_energies;
mod page_kind;
mod page_table;
mod page_time;
mod page_tracks;
mod strings;
mod suspects;
mod suspects_page;
mod tables;
mod template;
mod tree;

use wattle_diagnose::Diagnosis;
use wattle_ledger::Ledger;

pub use self::app_page::hosted_page;
use self::data::{Data, Lists};
pub use self::diagnosis_data::DiagnosisData;
pub use self::diagnosis_page::diagnosis_html;
pub use self::diff::{DiffPageError, diff_data, diff_html};
use self::fitted::fitted;
pub use self::fitted::{HOSTED_DATA_LIMIT, HTML_LIMIT};
pub use self::history_page_html::{history_data, history_html};
pub use self::hosted_page::HostedPage;
use self::packed_data::Packed;
pub use self::packed_range::PackedRange;
pub use self::page_assets::{PageAsset, PageAssets};
pub use self::page_kind::PageKind;
use self::page_tracks::stretches;
pub use self::suspects_page::suspects_html;
use crate::{Report, ReportError};

/// Nodes of the call tree that a page starts out with; a browser lays that many out in a blink.
const NODES: usize = 14_000;

/// A report as one HTML file.
///
/// If there are too many threads and call paths, the smallest ones are left out, and the page says how many and how
/// much energy they are.
pub fn html(ledger: &Ledger, report: &Report) -> Result<String, ReportError> {
    page_of(ledger, report, None)
}

/// The same with sections for a diagnosis of the same recording: findings, CPU use with regions, common stacks, disk operations.
pub fn html_with_diagnosis(
    ledger: &Ledger,
    report: &Report,
    diagnosis: &Diagnosis,
) -> Result<String, ReportError> {
    page_of(ledger, report, Some(diagnosis))
}

fn page_of(
    ledger: &Ledger,
    report: &Report,
    diagnosis: Option<&Diagnosis>,
) -> Result<String, ReportError> {
    fitted_data((ledger, report, diagnosis), HTML_LIMIT, |data| {
        Ok(app_page::report(report, &Packed::new(&data), diagnosis.is_some()))
    })
}

/// The data of a report's page as JSON, for a host that serves it apart from the page ([`hosted_page`]). It is no larger than
/// [`HOSTED_DATA_LIMIT`].
pub fn report_data(
    ledger: &Ledger,
    report: &Report,
    diagnosis: Option<&Diagnosis>,
) -> Result<String, ReportError> {
    fitted_data((ledger, report, diagnosis), HOSTED_DATA_LIMIT, Ok)
}

/// Makes data with fewer and fewer rows until what is made of it is no larger than a limit.
fn fitted_data(
    (ledger, report, diagnosis): (&Ledger, &Report, Option<&Diagnosis>),
    limit: usize,
    put: impl Fn(String) -> Result<String, ReportError>,
) -> Result<String, ReportError> {
    let lists = Lists::new(ledger, report)?;
    // Made coarser once, so that no attempt goes over millions of stretches again.
    let tracks = ledger.over_time.tracks.clone().map(|tracks| tracks.within(stretches(NODES)));
    fitted(NODES, 50, limit, |nodes| {
        let diagnosis = diagnosis.map(|it| DiagnosisData::new(it, nodes / 10)).transpose()?;
        let data = Data::new(ledger, &lists, tracks.as_ref(), (diagnosis.as_ref(), nodes));
        put(serde_json::to_string(&data)?)
    })
}
