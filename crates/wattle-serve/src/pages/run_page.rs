//! A run: the report's page application, with names, downloads, comments and links beside it.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use maud::{Markup, html};
use wattle_export::{Format, TableKind};
use wattle_jobs::{CommentId, NewComment, Project, Role, RunComment};
use wattle_report::{HostedPage, PageKind, hosted_page};
use wattle_store::RunId;

use super::range_page::range_form;
use super::{PageFrame, Section, moment, sections};
use crate::api::ShareRequest;
use crate::http::{WebError, WebErrorKind};
use crate::path_segment::segment;
use crate::run_titles::RunTitles;
use crate::site::{CheckedForm, Identity, PageCaller, Site};
use crate::web_assets::{ASSETS, WebAssets};

/// Links to the downloads of a run.
pub fn downloads(files: &str) -> Markup {
    // Tables are a row of their own.
    let is_profile = |format: &Format| !matches!(format, Format::Csv | Format::Parquet);
    let formats = Format::ALL.into_iter().filter(is_profile);
    html! {
        div.row {
            span.soft { "Report" }
            a href={ (files) "/report.json" } { "JSON" }
            a href={ (files) "/run.ledger.json.zst" } { "Ledger" }
        }
        div.row {
            span.soft { "Tables, CSV" }
            @for table in TableKind::ALL { a href={ (files) "/" (table.name()) ".csv" } { (table.name()) } }
            a href={ (files) "/tables.csv.zip" } { "all" }
        }
        div.row {
            span.soft { "Profile" }
            @for format in formats { a href={ (files) "/profile." (format.name()) } { (format.name()) } }
        }
    }
}

fn comment_list(path: &str, comments: &[RunComment], identity: &Identity, role: Role) -> Markup {
    let own = identity.caller.user_id();
    html! {
        @for comment in comments {
            div.comment id={ "comment-" (comment.id) } {
                div.row {
                    b { (comment.author_title.as_deref().unwrap_or("local user")) }
                    span.soft { (moment(comment.at_ms)) }
                    @if !comment.selection.is_empty() {
                        a href={ (path) "#" (comment.selection) } data-selection=(comment.selection) { "Show the selection" }
                    }
                    @if role >= Role::Admin || role >= Role::Member && comment.author == own {
                        span.space {}
                        form method="post" action={ (path) "/comments/" (comment.id) "/delete" } {
                            input type="hidden" name="csrf" value=(identity.csrf());
                            button.tool type="submit" { "Delete" }
                        }
                    }
                }
                p { (comment.content) }
            }
        }
    }
}

/// Everything below the report.
fn beside(
    (project, run): (&Project, RunId),
    (title, refusal): (&str, Option<&str>),
    comments: &[RunComment],
    (identity, role): (&Identity, Role),
) -> Markup {
    let path = format!("/p/{}/runs/{}", segment(&project.name), run.0);
    let files = format!("/api/v1/projects/{}/runs/{}/files", segment(&project.name), run.0);
    let csrf = html! { input type="hidden" name="csrf" value=(identity.csrf()); };
    html! {
        div.two.server.noprint {
            section.panel aria-labelledby="h-comments" id="comments" {
                div.head { h2 id="h-comments" { "Comments" } }
                (comment_list(&path, comments, identity, role))
                @if role >= Role::Member {
                    form.body id="comment-form" method="post" action={ (path) "/comments" } {
                        (csrf)
                        input type="hidden" name="selection" id="comment-selection";
                        div.field {
                            label for="comment" { "Comment" }
                            textarea id="comment" name="comment" required maxlength="10000" {}
                        }
                        div.row { button.button type="submit" { "Add comment" } span.soft id="comment-about" { "About the whole run" } }
                    }
                }
                @if comments.is_empty() && role < Role::Member { p.empty { "No comments." } }
            }
            section.panel aria-labelledby="h-run" {
                div.head { h2 id="h-run" { (title) } span.soft.s { "run " (run.0) } }
                div.body { (downloads(&files)) }
                @if role >= Role::Member {
                    form.body.inline method="post" action={ (path) "/name" } {
                        (csrf)
                        label for="run-name" { "Name" }
                        input id="run-name" name="name" maxlength="200" value=(title);
                        button.button type="submit" { "Rename" }
                    }
                    form.body.inline method="post" action={ (path) "/share" } {
                        (csrf)
                        label for="share-days" { "Share link, valid for" }
                        select id="share-days" name="days" {
                            option value="7" { "7 days" } option value="30" { "30 days" } option value="" { "ever" }
                        }
                        button.button type="submit" { "Make link" }
                    }
                    (range_form(&path, &csrf, refusal))
                }
                @if role >= Role::Admin {
                    form.body method="post" action={ (path) "/delete" } {
                        (csrf)
                        label.check { input type="checkbox" name="sure" value="yes" required; "It cannot be brought back" }
                        " "
                        button.button.grave type="submit" { "Delete run" }
                    }
                }
            }
        }
    }
}

/// `GET /p/{project}/runs/{run}`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path((name, run)): Path<(String, i64)>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let role = site.data.projects().role(&identity.caller, project.id).await?;
    let kept = site.histories.of(project.id).run(RunId(run)).await?;
    let comments = site.data.comments().of_run(project.id, kept.id).await?;
    let title = RunTitles::read(&site, project.id).await?.title(&kept);
    let made_by = site.job_to_read_again(project.id, kept.id).await?;
    let beside = beside((&project, kept.id), (&title, made_by.err()), &comments, (&identity, role));
    let data = format!(
        "/api/v1/projects/{}/runs/{}/files/page-data.json",
        segment(&project.name),
        kept.id.0
    );
    let assets = WebAssets::get();
    let page = hosted_page(
        PageKind::ReportWithDiagnosis,
        &HostedPage {
            title: &format!("{title} · Wattle"),
            assets: ASSETS,
            data: &data,
            tracks: &format!(
                "/api/v1/projects/{}/runs/{}/tracks",
                segment(&project.name),
                kept.id.0
            ),
            home: "/",
            navigation: &sections(Some(&project.name), Section::Runs).into_string(),
            below: &beside.into_string(),
            styles: &[assets.name("server.css")],
            scripts: &[assets.name("run.js")],
            ..HostedPage::default()
        },
    );
    Ok(Html(page))
}

fn back(project: &Project, run: i64, place: &str) -> Redirect {
    Redirect::to(&format!("/p/{}/runs/{run}{place}", segment(&project.name)))
}

/// The project and the run that a form is about.
async fn subject(
    site: &Site,
    form: &CheckedForm,
    (name, run): (&str, i64),
    role: Role,
) -> Result<Project, WebError> {
    let project = site.project(&form.identity, name, role).await?;
    site.histories.of(project.id).run(RunId(run)).await?;
    Ok(project)
}

/// `POST /p/{project}/runs/{run}/name`.
pub async fn name(
    State(site): State<Arc<Site>>,
    Path((name, run)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = subject(&site, &form, (&name, run), Role::Member).await?;
    site.data.run_names().set(project.id, RunId(run), form.field("name")).await?;
    site.audit(&form.identity, ("run.name", &format!("run {run}")), Some(project.id)).await?;
    Ok(back(&project, run, ""))
}

/// `POST /p/{project}/runs/{run}/comments`.
pub async fn comment(
    State(site): State<Arc<Site>>,
    Path((name, run)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = subject(&site, &form, (&name, run), Role::Member).await?;
    let new = NewComment {
        project: project.id,
        run: RunId(run),
        author: form.identity.caller.user_id(),
        selection: form.field("selection").to_owned(),
        content: form.field("comment").to_owned(),
    };
    let id = site.data.comments().add(&new).await?;
    site.audit(&form.identity, ("comment.add", &format!("run {run}")), Some(project.id)).await?;
    // The selection that the comment is about is shown again.
    let place = match form.field("selection") {
        "" => format!("#comment-{id}"),
        selection => format!("#{selection}"),
    };
    let is_plain = place.bytes().all(|byte| byte.is_ascii_graphic());
    Ok(back(&project, run, if is_plain { &place } else { "" }))
}

/// `POST /p/{project}/runs/{run}/comments/{comment}/delete`.
pub async fn delete_comment(
    State(site): State<Arc<Site>>,
    Path((name, run, comment)): Path<(String, i64, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = subject(&site, &form, (&name, run), Role::Member).await?;
    let role = site.data.projects().role(&form.identity.caller, project.id).await?;
    let author = if role >= Role::Admin { None } else { form.identity.caller.user_id() };
    if role < Role::Admin && author.is_none() {
        return Err(WebError::new(WebErrorKind::Forbidden, "this comment is somebody else's"));
    }
    site.data.comments().delete(project.id, CommentId(comment), author).await?;
    site.audit(&form.identity, ("comment.delete", &format!("run {run}")), Some(project.id)).await?;
    Ok(back(&project, run, "#comments"))
}

/// `POST /p/{project}/runs/{run}/share`: the address of the new link is on the answer's page, and nowhere else.
pub async fn share(
    State(site): State<Arc<Site>>,
    Path((name, run)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Response, WebError> {
    let project = subject(&site, &form, (&name, run), Role::Member).await?;
    let days = if form.field("days").is_empty() { None } else { Some(form.number("days")?) };
    let request = ShareRequest { runs: vec![run], days, badge: false };
    let made = site.share(&form.identity, &project, &request).await?;
    // With a secret of its own: whoever sees the badge does not see the run.
    let request = ShareRequest { badge: true, ..request };
    let badge = site.share(&form.identity, &project, &request).await?.url;
    let frame = PageFrame {
        title: "Share link",
        section: Section::Runs,
        project: Some(&project.name),
        login: form.identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Share link" }
        section.panel aria-label="Share link" {
            div.body {
                p { "Whoever has this address sees this run, and nothing else of the project. It is shown this once." }
                p.secret id="link" { (made.url) }
                div.row { button.button type="button" data-copy=(made.url) { "Copy" } a.button href=(made.url) { "Open" } }
            }
            div.body {
                p { "A badge for a README. Its address shows the energy of this run and nothing else:" }
                p.secret id="badge" { "![energy](" (badge) ")" }
                p { "A card for other pages. It contains the share link:" }
                p.secret { "<iframe src=\"" (made.url) "/card\" width=\"320\" height=\"120\"></iframe>" }
            }
            div.body { a href={ "/p/" (segment(&project.name)) "/runs/" (run) } { "Back to the run" } }
        }
    };
    Ok((StatusCode::CREATED, Html(frame.page(&main))).into_response())
}

/// `POST /p/{project}/runs/{run}/delete`.
pub async fn delete(
    State(site): State<Arc<Site>>,
    Path((name, run)): Path<(String, i64)>,
    form: CheckedForm,
) -> Result<Redirect, WebError> {
    let project = subject(&site, &form, (&name, run), Role::Admin).await?;
    if form.field("sure") != "yes" {
        return Err(WebError::new(WebErrorKind::Invalid, "say that you are sure"));
    }
    site.delete_run(&form.identity, &project, RunId(run)).await?;
    Ok(Redirect::to(&format!("/p/{}/runs", segment(&project.name))))
}
