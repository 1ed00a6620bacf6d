//! Pages that say why there is no other.

use maud::html;

use super::{PageFrame, Section};
use crate::http::{WebError, WebErrorKind};

/// A message as a sentence: with a capital, and a full stop.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if message.ends_with(['.', '!', '?', ')']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// The project of a page's path. Whether it exists is not said by that.
fn project_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix("/p/")?.split('/').next()?;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    (!name.is_empty() && name.chars().all(is_plain)).then_some(name)
}

/// The page of an error, with the number of the request. It leads to the other pages of the project whose path this is.
pub fn error_page(error: &WebError, id: &str, path: &str) -> String {
    let status = error.kind.status();
    let title = status.canonical_reason().unwrap_or("Error");
    // Of what is not there, the project may be what is missing.
    let is_seen = !matches!(
        error.kind,
        WebErrorKind::NotFound | WebErrorKind::Forbidden | WebErrorKind::Unauthenticated
    );
    let project = project_of(path).filter(|_| is_seen);
    let frame = PageFrame { title, section: Section::None, project, login: None, scripts: &[] };
    frame.page(&html! {
        section.panel.error-page aria-labelledby="error" {
            h1 id="error" { (title) }
            p { (sentence(&error.message)) }
            p.soft { "Request " (id) " · " a href="/" { "Start page" } }
        }
    })
}
