//! The caller, and their tokens.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wattle_jobs::{ApiToken, CallerProof, NewToken, TokenId, TokenScope, UserId};

use super::share_api::expiry;
use super::small_json::SmallJson;
use crate::http::{WebError, WebErrorKind};
use crate::site::{ApiCaller, Identity, Site};

/// A project that the caller sees.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectState {
    /// Its name in addresses.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The caller's role in it: `reader`, `member` or `admin`.
    pub role: String,
}

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct CallerState {
    /// The user's name; `local user` on a server without users.
    pub name: String,
    /// Whether the caller may manage the server.
    pub is_server_admin: bool,
    /// The projects that the caller sees.
    pub projects: Vec<ProjectState>,
    /// The version of the server.
    pub version: String,
}

/// Show who asks, and their projects.
#[utoipa::path(get, path = "/me", tag = "accounts",
    responses((status = 200, body = CallerState), (status = "4XX", body = WebError)))]
pub async fn me(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
) -> Result<Json<CallerState>, WebError> {
    let visible = site.data.projects().visible(&identity.caller).await?;
    let role = |role| serde_json::to_value(role).ok().and_then(|it| it.as_str().map(str::to_owned));
    Ok(Json(CallerState {
        name: identity.caller.name().to_owned(),
        is_server_admin: identity.caller.is_server_admin(),
        projects: visible
            .into_iter()
            .map(|(project, of)| ProjectState {
                name: project.name,
                title: project.title,
                role: role(of).unwrap_or_default(),
            })
            .collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }))
}

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// A name for people.
    pub title: String,
    /// The most that it allows: `read`, `upload` or `admin`.
    #[schema(value_type = String)]
    pub scope: TokenScope,
    /// The only project that it is for.
    pub project: Option<String>,
    /// Days of its life, 1 to 3650; null for as long as nobody deletes it.
    #[schema(minimum = 1, maximum = 3650)]
    pub days: Option<u32>,
}

/// A token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenState {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub title: String,
    /// The most that it allows.
    #[schema(value_type = String)]
    pub scope: TokenScope,
    /// The time of creation, Unix milliseconds.
    pub created_ms: i64,
    /// The end of its life.
    pub expires_ms: Option<i64>,
    /// The last use, to the hour.
    pub used_ms: Option<i64>,
}

impl From<ApiToken> for TokenState {
    fn from(token: ApiToken) -> Self {
        Self {
            id: token.id.0,
            title: token.title,
            scope: token.scope,
            created_ms: token.created_ms,
            expires_ms: token.expires_ms,
            used_ms: token.used_ms,
        }
    }
}

/// A token with its secret, which is shown this once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewTokenState {
    /// The secret, for `Authorization: Bearer …`.
    pub secret: String,
    /// The token.
    pub token: TokenState,
}

/// The user who may have tokens: who logged in, or has a token that allows everything.
pub fn token_user(identity: &Identity) -> Result<UserId, WebError> {
    let allows = match &identity.caller.proof {
        CallerProof::Session(_) => true,
        CallerProof::Token(token) => token.scope == TokenScope::Admin && token.project.is_none(),
        _ => false,
    };
    let refused = || {
        WebError::new(
            WebErrorKind::Forbidden,
            "tokens are made by users who logged in, or with a token of scope admin",
        )
    };
    identity.caller.user_id().filter(|_| allows).ok_or_else(refused)
}

/// List the caller's tokens.
#[utoipa::path(get, path = "/tokens", tag = "accounts",
    responses((status = 200, body = Vec<TokenState>), (status = "4XX", body = WebError)))]
pub async fn list(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
) -> Result<Json<Vec<TokenState>>, WebError> {
    let tokens = site.data.accounts().tokens(token_user(&identity)?).await?;
    Ok(Json(tokens.into_iter().map(Into::into).collect()))
}

/// Make a token. Its secret is in the answer, and nowhere else.
#[utoipa::path(post, path = "/tokens", tag = "accounts", request_body = TokenRequest,
    responses((status = 201, body = NewTokenState), (status = "4XX", body = WebError)))]
pub async fn create(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    SmallJson(request): SmallJson<TokenRequest>,
) -> Result<(StatusCode, Json<NewTokenState>), WebError> {
    Ok((StatusCode::CREATED, Json(make(&site, &identity, request).await?)))
}

/// Makes a token of the caller.
pub async fn make(
    site: &Site,
    identity: &Identity,
    request: TokenRequest,
) -> Result<NewTokenState, WebError> {
    let user = token_user(identity)?;
    let project = match request.project.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => Some(site.project(identity, name, wattle_jobs::Role::Reader).await?.id),
        None => None,
    };
    let expires_ms = expiry(site.data.now_ms(), request.days, None)?;
    let new = NewToken { user, project, title: request.title, scope: request.scope, expires_ms };
    let (secret, token) = site.data.accounts().create_token(&new).await?;
    site.audit(identity, ("token.create", &token.title), project).await?;
    Ok(NewTokenState { secret: secret.reveal().to_owned(), token: token.into() })
}

/// Delete a token.
#[utoipa::path(delete, path = "/tokens/{token}", tag = "accounts",
    params(("token" = i64, Path, description = "Number of the token")),
    responses((status = 204), (status = "4XX", body = WebError)))]
pub async fn delete(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path(token): Path<i64>,
) -> Result<StatusCode, WebError> {
    site.data.accounts().delete_token(token_user(&identity)?, TokenId(token)).await?;
    site.audit(&identity, ("token.delete", &token.to_string()), None).await?;
    Ok(StatusCode::NO_CONTENT)
}
