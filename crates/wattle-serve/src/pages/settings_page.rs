//! Settings: tokens, members, links, password, what is used, and the audit log.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use wattle_jobs::{
    AuditScope, CallerProof, LinkId, Password, Project, QuotaHolder, Role, ShareSubject, TokenId,
    TokenScope,
};

use super::{PageFrame, Section, bytes_text, moment};
use crate::api::{TokenRequest, make_token, runs_of, token_user};
use crate::http::{ClientAddress, WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::site::{CheckedForm, Identity, PageCaller, Site};

/// Entries of the audit log that are shown.
const ENTRIES: u32 = 100;

async fn tokens(site: &Site, identity: &Identity, path: &str) -> Result<Markup, WebError> {
    let Ok(user) = token_user(identity) else {
        return Ok(
            html! { p.empty { "This server has no users, so that no token is needed. To let others reach it, add a user: " code { "wattle serve user add NAME" } } },
        );
    };
    let tokens = site.data.accounts().tokens(user).await?;
    Ok(html! {
        @for token in &tokens {
            div.body.row {
                b { (token.title) }
                span.soft { (scope_name(token.scope)) ", made " (moment(token.created_ms)) @if let Some(used) = token.used_ms { ", used " (moment(used)) } @if let Some(end) = token.expires_ms { ", ends " (moment(end)) } }
                span.space {}
                form method="post" action={ (path) "/settings/tokens/" (token.id) "/delete" } {
                    input type="hidden" name="csrf" value=(identity.csrf());
                    button.tool type="submit" { "Delete" }
                }
            }
        }
        form.body.inline method="post" action={ (path) "/settings/tokens" } {
            input type="hidden" name="csrf" value=(identity.csrf());
            label for="token-title" { "New token" }
            input id="token-title" name="title" required maxlength="200" placeholder="What it is for";
            label.hidden-text for="token-scope" { "Scope" }
            select id="token-scope" name="scope" { option value="upload" { "upload" } option value="read" { "read" } option value="admin" { "admin" } }
            label.hidden-text for="token-days" { "Valid for" }
            select id="token-days" name="days" { option value="90" { "90 days" } option value="365" { "a year" } option value="" { "ever" } }
            button.button type="submit" { "Make token" }
        }
    })
}

fn scope_name(scope: TokenScope) -> &'static str {
    match scope {
        TokenScope::Read => "read",
        TokenScope::Upload => "upload",
        TokenScope::Admin => "admin",
    }
}

async fn members(site: &Site, identity: &Identity, project: &Project) -> Result<Markup, WebError> {
    let members = site.data.projects().members(project.id).await?;
    let path = format!("/p/{}/settings/members", segment(&project.name));
    Ok(html! {
        @for member in &members {
            div.body.row { b { (member.user.title) } span.soft { (member.user.name) ", " (member.role.name()) } }
        }
        form.body.inline method="post" action=(path) {
            input type="hidden" name="csrf" value=(identity.csrf());
            label for="member" { "User" }
            input id="member" name="user" required maxlength="64" autocapitalize="none";
            label.hidden-text for="role" { "Role" }
            select id="role" name="role" { option value="reader" { "reader" } option value="member" { "member" } option value="admin" { "admin" } option value="none" { "no member" } }
            button.button type="submit" { "Set role" }
        }
    })
}

async fn links(site: &Site, identity: &Identity, project: &Project) -> Result<Markup, WebError> {
    let links = site.links(project.id).await?;
    let path = format!("/p/{}/settings/links", segment(&project.name));
    Ok(html! {
        @if links.is_empty() { p.empty { "No link. Make one on the page of a run." } }
        @for (link, state) in &links {
            div.body.row {
                b { (if matches!(link.subject, ShareSubject::Badge { .. }) { "badge of run " } else { "run " }) @for (at, run) in runs_of(&link.subject).iter().enumerate() { @if at > 0 { " and " } (run) } }
                span.soft { "made " (moment(link.created_ms)) @if let Some(end) = link.expires_ms { ", ends " (moment(end)) } }
                @if *state == "deleted" { span.state.failed { "shows nothing: a run was deleted" } }
                @if *state == "expired" { span.state.failed { "expired" } }
                span.space {}
                form method="post" action={ (path) "/" (link.id) "/delete" } {
                    input type="hidden" name="csrf" value=(identity.csrf());
                    button.tool type="submit" { "Delete" }
                }
            }
        }
    })
}

/// `GET /p/{project}/settings`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let role = site.data.projects().role(&identity.caller, project.id).await?;
    let path = format!("/p/{}", segment(&project.name));
    let usage = site.data.quotas().usage(QuotaHolder::Project(project.id)).await?;
    let quota = site.data.quotas().quota(QuotaHolder::Project(project.id)).await?;
    let limits = site.data.limits();
    let kept = site.data.retention().rules(project.id).await?;
    let tokens = tokens(&site, &identity, &path).await?;
    let links =
        if role >= Role::Member { Some(links(&site, &identity, &project).await?) } else { None };
    let is_admin = role >= Role::Admin;
    let members = if is_admin && site.settings.has_users {
        Some(members(&site, &identity, &project).await?)
    } else {
        None
    };
    let entries = if is_admin {
        // Logins and users are the server's, and so are seen by those who manage it.
        let scope = if identity.caller.is_server_admin() {
            AuditScope::ProjectAndServer(project.id)
        } else {
            AuditScope::Project(project.id)
        };
        site.data.audit().newest(scope, None, ENTRIES).await?
    } else {
        Vec::new()
    };
    let frame = PageFrame {
        title: "Settings",
        section: Section::Settings,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Settings" span.soft { (project.title) } }
        section.panel aria-labelledby="tokens" {
            div.head { h2 id="tokens" { "Your API tokens" } }
            (tokens)
        }
        @if let Some(links) = links {
            section.panel aria-labelledby="links" { div.head { h2 id="links" { "Share links" } } (links) }
        }
        @if let Some(members) = members {
            section.panel aria-labelledby="members" { div.head { h2 id="members" { "Members" } } (members) }
        }
        @if identity.caller.user.as_ref().is_some_and(|user| user.has_password) {
            section.panel aria-labelledby="h-password" {
                div.head { h2 id="h-password" { "Password" } }
                form.body.inline method="post" action={ (path) "/settings/password" } {
                    input type="hidden" name="csrf" value=(identity.csrf());
                    label for="old" { "Old" } input id="old" name="old" type="password" autocomplete="current-password" required;
                    label for="new" { "New" } input id="new" name="new" type="password" autocomplete="new-password" required minlength="12" maxlength="512";
                    button.button type="submit" { "Change password" }
                }
            }
        }
        section.panel aria-labelledby="used" {
            div.head { h2 id="used" { "Limits" } }
            div.body {
                dl.facts {
                    dt { "Used by this project" } dd { (bytes_text(usage.bytes)) " of " (bytes_text(quota.bytes.unwrap_or(limits.project_bytes))) }
                    dt { "One upload" } dd { "at most " (bytes_text(limits.upload_bytes)) }
                    dt { "Uploads that break off" } dd { "are deleted after " (limits.upload_expiry.as_secs() / 3600) " h" }
                    dt { "Kept" } dd { (kept) }
                    dt { "Runs" } dd { "at most " (quota.runs.unwrap_or(limits.project_runs)) }
                }
            }
        }
        @if is_admin {
            section.panel aria-labelledby="audit" {
                div.head { h2 id="audit" { "Audit log" } span.soft.s { "the latest " (ENTRIES) } }
                div.wide-table tabindex="0" role="region" aria-label="Audit log" {
                    table.t.cards {
                        thead { tr { th scope="col" { "Time" } th scope="col" { "Who" } th scope="col" { "What" } th scope="col" { "Subject" } th scope="col" { "From" } } }
                        tbody { @for entry in &entries { tr { td.keep { (moment(entry.at_ms)) } td data-label="Who" { (entry.actor) } td.keep data-label="What" { (entry.action) } td data-label="Subject" { (entry.subject) } td.keep data-label="From" { (entry.origin) } } } }
                    }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}

fn back(project: &str) -> Redirect {
    Redirect::to(&format!("/p/{}/settings", segment(project)))
}

/// `POST /p/{project}/settings/tokens`: the secret is on the answer's page, and nowhere else.
pub async fn create_token(
    State(site): State<Arc<Site>>,
    Path(project): Path<String>,
    form: CheckedForm,
) -> Result<Response, WebError> {
    let project = site.project(&form.identity, &project, Role::Reader).await?;
    let scope = match form.field("scope") {
        "read" => TokenScope::Read,
        "upload" => TokenScope::Upload,
        "admin" => TokenScope::Admin,
        _ => {
            return Err(WebError::new(
                WebErrorKind::Invalid,
                "scope: expected read, upload or admin",
            ));
        }
    };
    let days = if form.field("days").is_empty() { None } else { Some(form.number("days")?) };
    let request =
        TokenRequest { title: form.field("title").to_owned(), scope, project: None, days };
    let made = make_token(&site, &form.identity, request).await?;
    let frame = PageFrame {
        title: "Token",
        section: Section::Settings,
        project: Some(&project.name),
        login: form.identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Token " (made.token.title) }
        section.panel aria-label="Token" {
            div.body {
                p { "This is the secret. It is shown this once: put it into a file that only you can read, and pass that to " code { "wattle push --token-file" } "." }
                p.secret id="secret" { (made.secret) }
                div.row { button.button type="button" data-copy=(made.secret) { "Copy" } a href={ "/p/" (segment(&project.name)) "/settings" } { "Back to the settings" } }
            }
        }
    };
    Ok((StatusCode::CREATED, Html(frame.page(&main))).into_response())
}

/// `POST /p/{project}/settings/tokens/{token}/delete`.
pub async fn delete_token(
    State(site): State<Arc<Site>>,
    Path((project, token)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &project, Role::Reader).await?;
    let user = token_user(&form.identity)?;
    site.data.accounts().delete_token(user, TokenId(token)).await?;
    site.audit(&form.identity, ("token.delete", &format!("token {token}")), None).await?;
    Ok(back(&project.name))
}

/// `POST /p/{project}/settings/members`.
pub async fn set_member(
    State(site): State<Arc<Site>>,
    Path(project): Path<String>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &project, Role::Admin).await?;
    let role = match form.field("role") {
        "reader" => Some(Role::Reader),
        "member" => Some(Role::Member),
        "admin" => Some(Role::Admin),
        "none" => None,
        _ => {
            return Err(WebError::new(
                WebErrorKind::Invalid,
                "role: expected reader, member, admin or none",
            ));
        }
    };
    let user = site.data.accounts().named(form.field("user")).await?;
    site.data.projects().set_role(project.id, user.id, role).await?;
    let subject = format!("{} {}", user.name, role.map_or("none", Role::name));
    site.audit(&form.identity, ("member.set", &subject), Some(project.id)).await?;
    Ok(back(&project.name))
}

/// `POST /p/{project}/settings/links/{link}/delete`.
pub async fn delete_link(
    State(site): State<Arc<Site>>,
    Path((project, link)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &project, Role::Member).await?;
    site.data.links().delete(project.id, LinkId(link)).await?;
    site.audit(&form.identity, ("link.delete", &format!("link {link}")), Some(project.id)).await?;
    Ok(back(&project.name))
}

/// `POST /p/{project}/settings/password`.
pub async fn set_password(
    State(site): State<Arc<Site>>,
    Path(project): Path<String>,
    client: Option<axum::Extension<ClientAddress>>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = site.project(&form.identity, &project, Role::Reader).await?;
    let caller = &form.identity.caller;
    let (Some(user), CallerProof::Session(_)) = (caller.user_id(), &caller.proof) else {
        let text = "a password is changed by who is logged in, not by a token";
        return Err(WebError::new(WebErrorKind::Forbidden, text));
    };
    let accounts = site.data.accounts();
    let origin = client.map(|client| client.0.0.to_string()).unwrap_or_default();
    // A wrong one counts as a failed login does.
    let old = Password::attempt(form.raw("old"));
    let tried = accounts.log_in(caller.name(), &old, &origin).await?;
    accounts.log_out(&tried.secret).await?;
    accounts.set_password(user, &Password::new(form.raw("new"))?).await?;
    site.audit(&form.identity, ("password.set", ""), None).await?;
    Ok(back(&project.name))
}
