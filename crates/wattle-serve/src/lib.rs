//! The web application of Wattle: upload a recording, follow its analysis, read and compare where the energy went, over HTTP.
//!
//! [`Server`] listens and answers. What it shows is made by the library crates of kept ledgers ([`wattle_report`], [`wattle_export`]); its
//! accounts, uploads, jobs and workers are those of [`wattle_jobs`]. Uploads are never parsed in this process.
//!
//! - `http`: connections with limits, guards, headers, rates, logs. No page and no account.
//! - `site`: what handlers share: data, who asks, histories.
//! - `api`: `/api/v1`, with the description that it serves.
//! - `pages`: everything that a browser shows.

mod api;
mod health;
mod http;
mod iso_time;
mod ledger_views;
mod log_lines;
mod pages;
mod path_segment;
mod project_budgets;
mod rendered_views;
mod run_devices;
mod run_findings;
mod serve_error;
mod server_options;
mod site;
mod web_assets;
mod web_server;
mod whole_server;

pub use api::api_description;
pub use http::ConnectionLimits;
pub use log_lines::write_log;
pub use serve_error::ServeError;
pub use server_options::ServerOptions;
pub use web_server::{FIRST_PROJECT, Server, open_data};
pub use whole_server::{
    FirstPassword, Listening, add_user, back_up, restore, run_server, set_disabled, set_password,
    users,
};
