//! The form that asks for a part of a run, read again with all its detail.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Redirect;
use maud::{Markup, html};
use wattle_jobs::Role;
use wattle_store::RunId;

use crate::api::RangeRequest;
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{CheckedForm, Site};

/// The form on a run's page; of a run whose files cannot be read again, why not.
pub fn range_form(run_path: &str, csrf: &Markup, refusal: Option<&str>) -> Markup {
    html! {
        @match refusal {
            None => form.body.inline id="range-form" method="post" action={ (run_path) "/ranges" } {
                (csrf)
                label for="range-from" { "Read again with all detail, from" }
                input.short id="range-from" name="from" inputmode="decimal" required size="8" placeholder="0";
                label for="range-to" { "to" }
                input.short id="range-to" name="to" inputmode="decimal" required size="8" placeholder="1.5";
                span.soft { "s" }
                button.button type="submit" { "Read" }
            },
            Some(why) => p.soft.s.body { "A part of it cannot be read again: " (why) "." },
        }
    }
}

/// `POST /p/{project}/runs/{run}/ranges`.
pub async fn submit(
    State(site): State<Arc<Site>>,
    Path((name, run)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &name, Role::Member).await?;
    let seconds = |field: &str| {
        let text = form.field(field).trim().trim_end_matches('s').trim_end();
        let invalid = || {
            WebError::new(WebErrorKind::Invalid, format!("{field}: expected seconds, such as 1.5"))
        };
        text.parse::<f64>().map_err(|_| invalid())
    };
    let request = RangeRequest { from_s: seconds("from")?, to_s: seconds("to")? };
    let job = site.read_again(&form.identity, (&project, RunId(run)), request).await?;
    Ok(Redirect::to(&format!("/p/{}/jobs/{}", segment(&project.name), job.id)))
}
