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
mod device_watch;
mod health;
mod http;
mod kept_tracks;
mod ledger_views;
mod log_lines;
mod pages;
mod path_segment;
mod project_budgets;
mod rendered_views;
mod run_devices;
mod run_findings;
mod run_titles;
mod runs_beside;
mod serve_error;
mod server_options;
mod server_projects;
mod server_users;
mod site;
mod web_assets;
mod web_server;
mod whole_server;

pub use api::api_description;
pub use device_watch::DeviceSource;
pub use http::{ConnectionLimits, ProxyTrust, TrustedNetwork};
pub use log_lines::write_log;
pub use serve_error::ServeError;
pub use server_options::ServerOptions;
pub use server_projects::{
    ListedProject, add_project, project, projects, remove_project, set_retention, tidy,
};
pub use server_users::{
    AddedUser, ListedUser, add_user, set_disabled, set_password, set_user_role, users,
};
pub use wattle_jobs::{ChildLimits, LentDevice, RetentionRules, Role, Tidied};
pub use web_server::{FIRST_PROJECT, Server, open_data};
pub use whole_server::exists;
pub use whole_server::{FirstPassword, Listening, back_up, restore, run_server};
