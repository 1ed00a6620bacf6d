//! The frame of the server's own pages: bar, sections, scripts.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::path_segment::segment;
use crate::web_assets::WebAssets;
use wattle_history::utc_time;

/// The logo of the report's page.
const LOGO: &str = r#"<svg viewBox="0 0 18 18" aria-hidden="true"><path d="M9 1.2 3.2 10h4.3L6.6 16.8 14.8 7.4H9.9z"/></svg>"#;

/// The sign of the button that switches the theme, as on the report's page.
const THEME: &str = r#"<svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" fill="currentColor"/></svg>"#;

/// A section of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Uploading.
    Start,
    /// Runs and apps.
    Runs,
    /// Findings over runs.
    Findings,
    /// Budgets and how they are kept.
    Budgets,
    /// Jobs and workers.
    Queue,
    /// Devices and their models.
    Devices,
    /// Tokens, users, limits.
    Settings,
    /// None of them.
    None,
}

impl Section {
    const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::Start, "", "Upload"),
        (Self::Runs, "/runs", "Runs"),
        (Self::Findings, "/findings", "Findings"),
        (Self::Budgets, "/budgets", "Budgets"),
        (Self::Queue, "/queue", "Queue"),
        (Self::Devices, "/devices", "Devices"),
        (Self::Settings, "/settings", "Settings"),
    ];
}

/// Everything around the main part of a page.
#[derive(Clone, Debug)]
pub struct PageFrame<'a> {
    /// The title, without the program's name.
    pub title: &'a str,
    /// The section that it belongs to.
    pub section: Section,
    /// The project that the sections are of; `None` where there is none, or nobody is logged in.
    pub project: Option<&'a str>,
    /// Name of the user and token against forged forms, where somebody is logged in.
    pub login: Option<(&'a str, &'a str)>,
    /// Names of scripts.
    pub scripts: &'a [&'a str],
}

/// Links to the sections of a project, for the bar.
pub fn sections(project: Option<&str>, current: Section) -> Markup {
    html! {
        @if let Some(project) = project {
            nav.site.noprint aria-label="Site" {
                @for (section, path, name) in Section::ALL {
                    @let address = format!("/p/{}{path}", segment(project));
                    a href=(address) aria-current=[(section == current).then_some("page")] { (name) }
                }
            }
        }
    }
}

impl PageFrame<'_> {
    /// The whole page.
    pub fn page(&self, main: &Markup) -> String {
        let assets = WebAssets::get();
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    link rel="icon" href="data:,";
                    title { (self.title) " · Wattle" }
                    link rel="stylesheet" href=(WebAssets::style());
                    link rel="stylesheet" href=(assets.address("server.css"));
                    script type="module" src=(assets.address("server.js")) {}
                    @for name in self.scripts {
                        script type="module" src=(assets.address(name)) {}
                    }
                }
                body.pages {
                    a.skip href="#main" { "Skip to the content" }
                    header.top {
                        div.bar-in {
                            a.logo href="/" { (PreEscaped(LOGO)) "Wattle" }
                            (sections(self.project, self.section))
                            span.space {}
                            button.tool.noprint type="button" id="theme" aria-label="Switch between light and dark" { (PreEscaped(THEME)) }
                            @if let Some((name, csrf)) = self.login {
                                span.soft.wide { (name) }
                                form.noprint method="post" action="/logout" {
                                    input type="hidden" name="csrf" value=(csrf);
                                    button.tool type="submit" { "Log out" }
                                }
                            }
                        }
                    }
                    main.server id="main" { (main) }
                    footer.server { "Wattle " (env!("CARGO_PKG_VERSION")) " · " a href="/api/v1/openapi.json" { "HTTP API" } }
                }
            }
        };
        markup.into_string()
    }
}

/// Links to the downloads of a list, with the query that chooses its rows.
pub fn table_links(project: &str, list: &str, query: &str) -> Markup {
    let file = format!("/api/v1/projects/{}/tables/{list}", segment(project));
    html! {
        span.downloads {
            a href={ (file) ".csv" (query) } download { "CSV" }
            " "
            a href={ (file) ".json" (query) } download { "JSON" }
        }
    }
}

/// A moment, in the reader's zone once a script has run.
pub fn moment(ms: i64) -> Markup {
    let iso = utc_time::seconds(ms);
    html! { time datetime=(iso) { (iso.replace('T', " ").trim_end_matches('Z')) " UTC" } }
}

/// Bytes with a decimal unit.
pub fn bytes_text(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut at = 0;
    while value >= 1000.0 && at + 1 < units.len() {
        value /= 1000.0;
        at += 1;
    }
    let digits = usize::from(at > 0 && value < 100.0);
    format!("{value:.digits$} {}", units[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes_text(999), "999 B");
        assert_eq!(bytes_text(12_340_000), "12.3 MB");
    }
}
