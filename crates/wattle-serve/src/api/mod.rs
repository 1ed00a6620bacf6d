//! The HTTP API, `/api/v1`, with its description.

#![allow(unused_qualifications, reason = "the descriptions' macro repeats the types of arguments")]

mod audit_api;
mod budget_api;
mod check_api;
mod compare_api;
mod job_answer;
mod job_api;
mod job_files;
mod job_report;
mod range_api;
mod run_api;
mod share_api;
mod small_json;
mod table_api;
mod token_api;
mod track_api;
mod upload_api;

use std::sync::Arc;

use axum::response::IntoResponse as _;
use axum::{Json, Router};
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use self::compare_api::{CompareQuery, ComparisonFocus, has_figure};
pub use self::job_api::FirstFiguresState;
pub use self::range_api::RangeRequest;
pub use self::run_api::{FileQuery, RunQuery, run_file_response, view_response};
pub use self::share_api::{ShareRequest, runs_of};
pub use self::token_api::{TokenRequest, make as make_token, token_user};
pub use self::track_api::RangeQuery;
use crate::http::WebError;
use crate::site::Site;

/// The description's head.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Wattle",
        description = "Upload recordings, follow their analysis, read where the energy went. Send a token as `Authorization: Bearer …`; a server without users needs none."
    ),
    components(schemas(WebError)),
    modifiers(&Tokens)
)]
struct Head;

/// Tokens as a scheme of the description.
struct Tokens;

impl utoipa::Modify for Tokens {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(scheme));
        openapi.security =
            Some(vec![utoipa::openapi::SecurityRequirement::new("token", Vec::<String>::new())]);
    }
}

fn described() -> OpenApiRouter<Arc<Site>> {
    let of_version = OpenApiRouter::new()
        .routes(routes!(token_api::me))
        .routes(routes!(token_api::list, token_api::create))
        .routes(routes!(token_api::delete))
        .routes(routes!(audit_api::list))
        .routes(routes!(upload_api::begin))
        .routes(routes!(upload_api::show, upload_api::append, upload_api::abandon))
        .routes(routes!(upload_api::finish))
        .routes(routes!(job_api::submit, job_api::list))
        .routes(routes!(job_api::show))
        .routes(routes!(job_api::cancel))
        .routes(routes!(job_api::events))
        .routes(routes!(job_files::file))
        .routes(routes!(run_api::list))
        .routes(routes!(run_api::show, run_api::delete))
        .routes(routes!(run_api::file))
        .routes(routes!(track_api::tracks))
        .routes(routes!(range_api::submit))
        .routes(routes!(job_report::page_data))
        .routes(routes!(compare_api::compare))
        .routes(routes!(check_api::latest))
        .routes(routes!(check_api::earlier))
        .routes(routes!(check_api::run))
        .routes(routes!(share_api::list, share_api::create))
        .routes(routes!(share_api::delete))
        .routes(routes!(table_api::table))
        .routes(routes!(budget_api::show, budget_api::set));
    OpenApiRouter::with_openapi(Head::openapi()).nest("/api/v1", of_version)
}

/// The routes of the API and of its description.
pub fn api_routes() -> Router<Arc<Site>> {
    let (router, description) = described().split_for_parts();
    let show = move || {
        let answer = Json(description.clone()).into_response();
        async move { answer }
    };
    router.route("/api/v1/openapi.json", axum::routing::get(show))
}

/// The description of the API.
pub fn api_description() -> utoipa::openapi::OpenApi {
    described().into_openapi()
}
