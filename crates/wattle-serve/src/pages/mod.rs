//! Pages of the server, made of the same style sheet as the report's page, which is a page of it.

mod app_runs_page;
mod budgets_page;
mod compare_page;
mod devices_page;
mod error_page;
mod findings_page;
mod job_page;
mod job_report_page;
mod login_page;
mod page_frame;
mod queue_page;
mod range_page;
mod run_page;
mod runs_page;
mod settings_page;
mod several_page;
mod shared_page;
mod start_page;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

pub use self::error_page::error_page;
pub use self::page_frame::{PageFrame, Section, bytes_text, moment, sections, table_links};
use crate::site::Site;

/// The routes of all pages.
pub fn page_routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/", get(start_page::root))
        .route("/login", get(login_page::show).post(login_page::log_in))
        .route("/logout", post(login_page::log_out))
        .route("/p/{project}", get(start_page::show))
        .route("/p/{project}/runs", get(runs_page::show))
        .route("/p/{project}/runs/{run}", get(run_page::show))
        .route("/p/{project}/runs/{run}/name", post(run_page::name))
        .route("/p/{project}/runs/{run}/comments", post(run_page::comment))
        .route("/p/{project}/runs/{run}/comments/{comment}/delete", post(run_page::delete_comment))
        .route("/p/{project}/runs/{run}/share", post(run_page::share))
        .route("/p/{project}/runs/{run}/ranges", post(range_page::submit))
        .route("/p/{project}/runs/{run}/delete", post(run_page::delete))
        .route("/p/{project}/compare", get(compare_page::show))
        .route("/p/{project}/compare/data", get(compare_page::data))
        .route("/p/{project}/compare/several", get(several_page::show))
        .route("/p/{project}/apps/{app}", get(app_runs_page::show))
        .route("/p/{project}/apps/{app}/data", get(app_runs_page::data))
        .route("/p/{project}/findings", get(findings_page::show))
        .route("/p/{project}/budgets", get(budgets_page::show).post(budgets_page::set))
        .route("/p/{project}/queue", get(queue_page::show))
        .route("/p/{project}/jobs/{job}", get(job_page::show))
        .route("/p/{project}/jobs/{job}/report", get(job_report_page::show))
        .route("/p/{project}/jobs/{job}/cancel", post(job_page::cancel))
        .route("/p/{project}/jobs/{job}/again", post(job_page::again))
        .route("/p/{project}/devices", get(devices_page::show))
        .route("/p/{project}/settings", get(settings_page::show))
        .route("/p/{project}/settings/tokens", post(settings_page::create_token))
        .route("/p/{project}/settings/tokens/{token}/delete", post(settings_page::delete_token))
        .route("/p/{project}/settings/members", post(settings_page::set_member))
        .route("/p/{project}/settings/links/{link}/delete", post(settings_page::delete_link))
        .route("/p/{project}/settings/password", post(settings_page::set_password))
        .route("/share/{secret}", get(shared_page::show))
        .route("/share/{secret}/data", get(shared_page::data))
        .route("/share/{secret}/tracks", get(shared_page::tracks))
        .route("/badge/{secret}", get(shared_page::badge))
        .route("/share/{secret}/card", get(shared_page::card))
        .route("/share/{secret}/files/{file}", get(shared_page::file))
}
