//! Devices of workers and of runs, and the device models of this program.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Html;
use maud::html;
use wattle_jobs::Role;
use wattle_store::RunFilter;

use super::{PageFrame, Section, moment, table_links};
use crate::http::WebError;
use crate::path_segment::segment;
use crate::run_devices::SeenDevice;
use crate::site::{PageCaller, Site};

/// `GET /p/{project}/devices`.
pub async fn show(
    State(site): State<Arc<Site>>,
    PageCaller(identity): PageCaller,
    Path(name): Path<String>,
) -> Result<Html<String>, WebError> {
    let project = site.project(&identity, &name, Role::Reader).await?;
    let devices = site.data.claims().devices().await?;
    let models = wattle_power::library();
    let runs = site.histories.of(project.id).runs(RunFilter::default()).await?;
    let seen = SeenDevice::of_runs(&runs);
    let path = format!("/p/{}", segment(&project.name));
    let frame = PageFrame {
        title: "Devices",
        section: Section::Devices,
        project: Some(&project.name),
        login: identity.login(),
        scripts: &[],
    };
    let main = html! {
        h1 { "Devices" }
        section.panel aria-labelledby="devices" {
            div.head { h2 id="devices" { "Attached to workers" } }
            @if devices.is_empty() {
                p.empty { b { "No device" } "Workers with a device attached list it here; packages then run on it." }
            }
            @for (device, job) in &devices {
                div.body.row {
                    b { (device.model) } span.soft { (device.serial) }
                    span.space {}
                    span.state.running[job.is_some()] { (if job.is_some() { "in use" } else { "free" }) }
                }
            }
        }
        section.panel aria-labelledby="seen" {
            div.head { h2 id="seen" { "Of runs" } span.soft.s { (seen.len()) } span.space {} (table_links(&project.name, "devices", "")) }
            @if seen.is_empty() {
                p.empty { b { "No run yet" } a href=(path) { "Upload a recording" } }
            } @else {
                div.wide-table tabindex="0" role="region" aria-label="Devices of runs" {
                    table.t.cards {
                        thead { tr { th scope="col" { "Device" } th scope="col" { "Model behind the figures" } th.num scope="col" { "Runs" } th scope="col" { "Newest" } } }
                        tbody {
                            @for device in &seen {
                                tr {
                                    td { a href={ (path) "/runs?device=" (segment(&device.title)) } { (device.title) } }
                                    td data-label="Model" { (if device.models.is_empty() { "none".to_owned() } else { device.models.join(", ") }) }
                                    td.num data-label="Runs" { (device.runs) }
                                    td.keep data-label="Newest" { a href={ (path) "/runs/" (device.last_run) } { (moment(device.last_ms)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
        section.panel aria-labelledby="models" {
            div.head { h2 id="models" { "Device models" } span.soft.s { (models.len()) } span.space {} (table_links(&project.name, "models", "")) }
            div.wide-table tabindex="0" role="region" aria-label="Device models" {
                table.t.cards {
                    thead { tr { th scope="col" { "Model" } th scope="col" { "For" } th scope="col" { "Source" } } }
                    tbody {
                        @for model in models {
                            tr {
                                td.keep { code { (model.name) } " " span.soft { "version " (model.version) } }
                                td data-label="For" { (model.matching.socs.iter().chain(&model.matching.devices).chain(&model.matching.boards).cloned().collect::<Vec<_>>().join(", ")) }
                                td data-label="Source" { (model.source) }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
