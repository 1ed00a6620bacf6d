//! Pages that say why there is no other.

use maud::html;

use super::{PageFrame, Section};
use crate::http::WebError;

/// The page of an error, with the number of the request.
pub fn error_page(error: &WebError, id: &str) -> String {
    let status = error.kind.status();
    let title = status.canonical_reason().unwrap_or("Error");
    let frame =
        PageFrame { title, section: Section::None, project: None, login: None, scripts: &[] };
    frame.page(&html! {
        section.panel.error-page aria-labelledby="error" {
            h1 id="error" { (title) }
            p { (error.message) "." }
            p.soft { "Request " (id) " · " a href="/" { "Start page" } }
        }
    })
}
