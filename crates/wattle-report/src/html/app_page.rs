//! Pages of the page application: one file each, or the shell of a server's page.

use super::app_sources as sources;
use super::hosted_page::HostedPage;
use super::packed_data::Packed;
use super::page_assets::PageAssets;
use super::page_kind::PageKind;
use super::template::{fill, text};
use crate::Report;

/// A page that allows itself nothing but what it carries along.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:; base-uri 'none'; form-action 'none'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n";

/// The source of a page's styles, scripts and data.
#[derive(Clone, Copy)]
enum PageForm<'a> {
    /// The page itself.
    OneFile(&'a Packed),
    /// Files of a server.
    Hosted(&'a HostedPage<'a>),
}

impl PageKind {
    /// The page.
    fn write(self, title: &str, form: PageForm<'_>) -> String {
        let length = match form {
            PageForm::OneFile(data) => data.text.len() + 300_000,
            PageForm::Hosted(_) => 20_000,
        };
        let mut page = String::with_capacity(length);
        let [id, name] = self.parts().target;
        fill(sources::FRAME, &mut page, &mut |marker, to| match marker {
            "title" => to.push_str(&text(title)),
            "target" => to.push_str(id),
            "target-name" => to.push_str(name),
            "main" => self.main(form, to),
            marker => self.put(marker, form, to),
        });
        page
    }

    fn main(self, form: PageForm<'_>, to: &mut String) {
        fill(self.parts().main, to, &mut |marker, to| match (marker, form) {
            ("sections", _) => fill(sources::REPORT_SECTIONS, to, &mut |marker, to| {
                if marker == "diagnosis" && self == Self::ReportWithDiagnosis {
                    to.push_str(sources::DIAGNOSIS_SECTIONS);
                }
            }),
            ("held", PageForm::OneFile(_)) => {
                to.push_str("This page holds all of its data and loads nothing. ");
            }
            _ => {}
        });
    }

    /// Puts in what depends on the form.
    fn put(self, marker: &str, form: PageForm<'_>, to: &mut String) {
        match form {
            PageForm::OneFile(data) => match marker {
                "policy" => to.push_str(POLICY),
                "styles" => {
                    to.push_str("<style>\n");
                    to.push_str(sources::FONT);
                    to.push_str(sources::APP_STYLE);
                    to.push_str(&self.style());
                    to.push_str("\n</style>\n");
                }
                "logo" => to.push_str("<span class=\"logo\">"),
                "logo-end" => to.push_str("</span>"),
                "noscript" => to.push_str(" that it carries along; nothing is loaded"),
                "application" => {
                    let encoding = data.encoding;
                    let start = format!(
                        "<script type=\"text/plain\" id=\"data\" data-encoding=\"{encoding}\">"
                    );
                    to.push_str(&start);
                    to.push_str(&data.text);
                    to.push_str("</script>\n<script type=\"module\">\n");
                    to.push_str(&self.script(sources::FILE_SOURCE));
                    to.push_str("\n</script>\n");
                }
                _ => {}
            },
            PageForm::Hosted(host) => match marker {
                "styles" => {
                    let own = PageAssets::get().styles_of(self);
                    for name in own.iter().chain(host.styles) {
                        let href = text(&format!("{}{name}", host.assets));
                        put_around(to, "<link rel=\"stylesheet\" href=\"", &href, "\">\n");
                    }
                    // Found early, so that data and scripts come at the same time.
                    to.push_str("<link rel=\"preload\" as=\"fetch\" id=\"data\"");
                    if !host.tracks.is_empty() {
                        put_around(to, " data-tracks=\"", &text(host.tracks), "\"");
                    }
                    put_around(to, " crossorigin href=\"", &text(host.data), "\">\n");
                }
                "logo" => put_around(to, "<a class=\"logo\" href=\"", &text(host.home), "\">"),
                "logo-end" => to.push_str("</a>"),
                "navigation" => to.push_str(host.navigation),
                "above" => to.push_str(host.above),
                "below" => to.push_str(host.below),
                "application" => {
                    let own = [PageAssets::get().script_of(self).to_owned()];
                    for name in own.iter().chain(host.scripts) {
                        let src = text(&format!("{}{name}", host.assets));
                        let start = "<script type=\"module\" src=\"";
                        put_around(to, start, &src, "\"></script>\n");
                    }
                }
                _ => {}
            },
        }
    }
}

fn put_around(to: &mut String, start: &str, text: &str, end: &str) {
    for part in [start, text, end] {
        to.push_str(part);
    }
}

/// The page of a report with its title, style, scripts and data.
pub fn report(report: &Report, data: &Packed, has_diagnosis: bool) -> String {
    let kind = if has_diagnosis { PageKind::ReportWithDiagnosis } else { PageKind::Report };
    kind.write(&title(report), PageForm::OneFile(data))
}

/// The page of a comparison of two runs.
pub fn diff(data: &str) -> String {
    let data = Packed::new(data);
    PageKind::Comparison.write("Wattle · Comparison of two runs", PageForm::OneFile(&data))
}

/// The shell of a page of a server, as HTML. It works under a content security policy of `default-src 'none'; script-src 'self'; style-src 'self';
/// font-src 'self'; connect-src 'self'; img-src data: blob:; worker-src blob:`.
pub fn hosted_page(kind: PageKind, host: &HostedPage<'_>) -> String {
    kind.write(host.title, PageForm::Hosted(host))
}

/// The page of a history.
pub fn history(app: &str, data: &str) -> String {
    let title = match app {
        "" => "Wattle · Energy over versions".to_owned(),
        app => format!("Wattle · {app}: energy over versions"),
    };
    PageKind::History.write(&title, PageForm::OneFile(&Packed::new(data)))
}

fn title(report: &Report) -> String {
    let device = report.recording.device.title();
    let energy = report.energy.total.joules().map(|joules| joules.to_string());
    let parts = [Some("Wattle"), device, energy.as_deref()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
