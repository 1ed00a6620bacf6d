//! Devices of workers, and the device models of this program.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Html;
use maud::html;
use wattle_jobs::Role;

use super::{PageFrame, Section};
use crate::http::WebError;
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
        section.panel aria-labelledby="models" {
            div.head { h2 id="models" { "Device models" } span.soft.s { (models.len()) } }
            div.wide-table tabindex="0" {
                table.t {
                    thead { tr { th scope="col" { "Model" } th scope="col" { "For" } th scope="col" { "Source" } } }
                    tbody {
                        @for model in models {
                            tr {
                                td.keep { code { (model.name) } " " span.soft { "version " (model.version) } }
                                td { (model.matching.socs.iter().chain(&model.matching.devices).chain(&model.matching.boards).cloned().collect::<Vec<_>>().join(", ")) }
                                td { (model.source) }
                            }
                        }
                    }
                }
            }
        }
    };
    Ok(Html(frame.page(&main)))
}
