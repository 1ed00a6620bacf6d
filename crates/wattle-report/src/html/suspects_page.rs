//! The suspects over several recordings as one HTML file.

use serde::Serialize;

use super::fitted::{HTML_LIMIT, fitted};
use super::page;
use super::strings::Strings;
use super::suspects::{Suspects, SuspectsLists};
use crate::{ReportError, SuspectsComparison};

/// Methods that a page starts out with.
const METHODS: usize = 8000;

/// Data of the page's scripts.
#[derive(Serialize)]
struct Data<'a> {
    suspects: Suspects<'a>,
    names: Strings,
}

/// The suspects over several recordings as one HTML file. Where methods are too many, the least suspected ones are left out, and the
/// page says how many.
pub fn suspects_html(comparison: &SuspectsComparison) -> Result<String, ReportError> {
    let lists = SuspectsLists::new(comparison.suspects.clone())?;
    fitted(METHODS, 50, HTML_LIMIT, |methods| {
        let mut names = Strings::default();
        let suspects = Suspects::new(&lists, methods, &mut names);
        Ok(page::comparison(&serde_json::to_string(&Data { suspects, names })?))
    })
}
