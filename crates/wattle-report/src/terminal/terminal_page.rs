//! The page, top to bottom.

use wattle_units::Si;

use super::style::Painter;
use super::style::Style::{self, Dim, Plain, Strong};
use super::text_columns::{fit, wrap};
use super::text_table::Table;
use crate::cells::{NO_DATA, Seconds, bounds, joules, milliwatts, percent, time};
use crate::clean::clean;
use crate::model::{device_facts, length_fact};
use crate::{By, Report, Sort, View};

/// A report on its way to the terminal.
pub struct Page<'a> {
    pub report: &'a Report,
    pub top: usize,
    pub columns: usize,
    pub painter: Painter,
    /// The one table that was asked for.
    pub by: Option<By>,
    pub sort: Sort,
}

impl Page<'_> {
    /// The whole page, or one view of it.
    pub fn write(&self, view: View) -> String {
        let mut to = String::new();
        self.recording(&mut to);
        if self.by == Some(By::Wait) {
            // Waits are times: no model and no energy is behind them.
            self.errors(&mut to);
            to.push('\n');
            self.waits(&mut to);
            return to;
        }
        self.model(&mut to);
        self.total(&mut to);
        if let Some(by) = self.by {
            self.only(by, &mut to);
            return to;
        }
        if view != View::Full {
            self.one(view, &mut to);
            return to;
        }
        self.app(&mut to);
        self.rating(&mut to);
        self.coverage(&mut to);
        self.tests(&mut to);
        self.suspects(&mut to);
        self.upper_bounds(&mut to);
        self.components(&mut to);
        self.accounts(&mut to);
        self.apps(&mut to);
        self.cpus(&mut to);
        self.processes(&mut to);
        self.threads(&mut to);
        self.sampled(&mut to);
        self.runtime_tax(&mut to);
        self.methods(&mut to);
        self.apis(&mut to);
        self.slices(&mut to);
        self.transfers(&mut to);
        self.rails(&mut to);
        self.battery(&mut to);
        self.spread(&mut to);
        self.quality(&mut to);
        to
    }

    /// The tables of one view, or that the recording has nothing for them.
    fn one(&self, view: View, to: &mut String) {
        let before = to.len();
        match view {
            View::Full => {}
            View::Components => self.components(to),
            View::Consumers => {
                self.consumers(to);
                self.accounts(to);
            }
            View::Apps => {
                self.app(to);
                self.consumers(to);
                self.apps(to);
            }
            View::Cpus => self.cpus(to),
            View::Processes => self.processes(to),
            View::Threads => {
                self.threads(to);
                self.sampled(to);
            }
            View::Methods => self.methods(to),
            View::Apis => self.apis(to),
            View::Slices => self.slices(to),
            View::Art => self.runtime_tax(to),
            View::Tests => {
                self.coverage(to);
                self.tests(to);
            }
            View::Suspects => self.suspects(to),
            View::Transfers => self.transfers(to),
            View::Rails => {
                self.rails(to);
                self.battery(to);
            }
            View::Models => self.spread(to),
            View::Quality => self.quality(to),
        }
        if to.len() == before {
            let line = format!("This recording has nothing for --view {}.", view.name());
            self.line_indented(to, Style::Warning, &line);
        }
    }

    /// The device, and the files of the recording.
    fn recording(&self, to: &mut String) {
        let report = self.report;
        let mut facts = device_facts(&report.recording.device);
        facts.extend(length_fact(report.recording.duration));
        self.line(to, Style::Heading, &facts.join(" · "));
        for artifact in &report.recording.artifacts {
            let size = Si { value: artifact.bytes as f64, unit: "B" };
            self.line(to, Dim, &format!("{} · {} · {size}", artifact.name, artifact.format));
        }
        for artifact in &report.trust.quality.quality.artifacts {
            let Some(share) = artifact.ignored_share() else { continue };
            let line = format!(
                "warning: {} of {} was not used: records of kinds that are not read, or damaged (see Quality)",
                percent(Some(share)),
                artifact.name
            );
            self.paragraph(to, Style::Warning, &line);
        }
    }

    /// The model, and where its figures are from.
    fn model(&self, to: &mut String) {
        let report = self.report;
        if let Some(model) = &report.recording.model {
            let line = format!("model: {} ({}), by {}", model.name, model.kind, model.chosen);
            self.paragraph(to, Plain, &line);
            let line = format!(
                "{}, version {}, {}; shared power: {}",
                model.provenance, model.version, model.source, report.recording.shared_policy
            );
            self.paragraph(to, Dim, &line);
        }
        to.push('\n');
    }

    pub(super) fn total(&self, to: &mut String) {
        let report = self.report;
        if let Some(total) = report.energy.total.0 {
            let over_all = (total.joules / report.recording.duration).milliwatts();
            // Components that are covered for a part of the time have their mean over that part.
            let is_over_all = |mw: f64| (mw / over_all - 1.0).abs() < 0.02;
            let mean = report.energy.mean_mw.map(|mw| {
                let while_covered = if is_over_all(mw) { "" } else { " while covered" };
                format!(", mean {}{while_covered}", milliwatts(mw))
            });
            let coverage = report.energy.coverage.as_ref();
            let heading = coverage.map_or("Total", |of| of.heading.as_str());
            let line = format!(
                "{heading} {}{}, {}{}",
                total.joules,
                bounds(report.energy.total, ", 90 % interval"),
                total.provenance,
                mean.unwrap_or_default()
            );
            self.line(to, Strong, &line);
            if let Some(coverage) = coverage {
                self.line_indented(to, Plain, &coverage.text);
            }
            if let Some(assumption) = &report.energy.assumption {
                self.paragraph(to, Style::Warning, &format!("assumed: {assumption}"));
            }
            self.statements(to);
            self.human(report.energy.human.as_ref(), to);
        } else {
            let reason = report.energy.no_energy_reason.as_deref().unwrap_or_default();
            let line = format!("no energy figure: {reason}");
            self.paragraph(to, Style::Warning, &line);
            self.statements(to);
        }
        self.errors(to);
        to.push('\n');
    }

    /// Energies that the input itself states, beside the total.
    fn statements(&self, to: &mut String) {
        for statement in &self.report.energy.statements {
            let line = format!("the input states: {}", statement.text());
            self.line_indented(to, Plain, &line);
        }
    }

    pub(super) fn app(&self, to: &mut String) {
        let Some(app) = &self.report.software.app else { return };
        self.heading(to, &format!("App {}", app.packages.join(", ")));
        for package in &app.missing {
            let line = format!("no process of {package} in this recording");
            self.line_indented(to, Style::Warning, &line);
        }
        if !app.similar.is_empty() {
            let line = format!("did you mean: {}", app.similar.join(", "));
            self.line_indented(to, Plain, &line);
        }
        if let Some(energy) = app.energy.0 {
            let line = format!(
                "{}{}, {}, {} of the total, mean {}, {} on a CPU",
                energy.joules,
                bounds(app.energy, ""),
                energy.provenance,
                percent(app.share),
                app.mean_mw.map_or(NO_DATA.into(), milliwatts),
                time(app.cpu)
            );
            self.line_indented(to, Strong, &line);
            self.human(app.human.as_ref(), to);
            let parts: Vec<_> = app
                .components
                .iter()
                .map(|part| {
                    format!("{} {} ({})", part.name, joules(part.energy), percent(part.share))
                })
                .collect();
            self.line_indented(to, Plain, &parts.join(" · "));
        } else if let Some(cpu) = app.cpu {
            self.line_indented(to, Strong, &format!("{} on a CPU", Seconds(cpu)));
        }
        if app.other_processes.0.is_none() {
            to.push('\n');
            return;
        }
        let line = format!("other processes: {}", joules(app.other_processes));
        self.line_indented(to, Plain, &line);
        to.push('\n');
    }

    pub(super) fn table(&self, table: &Table<'_>, to: &mut String) {
        table.write(self.columns, self.painter, to);
        to.push('\n');
    }

    pub(super) fn heading(&self, to: &mut String, text: &str) {
        self.line(to, Style::Heading, text);
    }

    pub(super) fn line(&self, to: &mut String, style: Style, text: &str) {
        to.push_str(&self.painter.paint(style, &fit(&clean(text), self.columns)));
        to.push('\n');
    }

    pub(super) fn paragraph(&self, to: &mut String, style: Style, text: &str) {
        for line in wrap(&clean(text), self.columns) {
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }

    pub(super) fn line_indented(&self, to: &mut String, style: Style, text: &str) {
        for line in wrap(&clean(text), self.columns - 2) {
            to.push_str("  ");
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }
}
