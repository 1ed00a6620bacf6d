//! The answer: device and time, the total, what it covers, the app.

use super::super::style::Style::{self, Dim, Heading, Plain, Strong, Warning};
use super::super::text_columns::{fit_both_ends, width};
use super::styled_line::StyledLine;
use super::summary_page::SummaryPage;
use crate::cells::{Seconds, milliwatts, percent};
use crate::model::{ProvenanceShares, android_release, device_title, length_fact};
use crate::{AppReport, ComponentRow, EnergyCoverageReport, Figure, StatementRow};
use wattle_units::Nanos;

/// Components that are named before the rest is only counted.
const NAMED: usize = 3;
/// Smaller parts are not worth a word.
const WORTH_A_WORD: f64 = 0.005;
/// The part of the total from which an assumption is the answer.
const MOSTLY: f64 = 0.5;
/// The relative difference from which a statement of the input contradicts the estimate.
pub(super) const FAR: f64 = 0.1;

impl SummaryPage<'_> {
    pub(super) fn verdict(&self, to: &mut String) {
        self.head(to);
        self.total(to);
        self.tables.errors(to);
        self.unused_input(to);
        if let Some(app) = &self.report.software.app {
            self.app(app, to);
        }
        to.push('\n');
    }

    fn head(&self, to: &mut String) {
        let recording = &self.report.recording;
        let device = &recording.device;
        let mut facts = vec![device_title(device)];
        facts.extend(device.sdk.map(android_release));
        facts.extend(length_fact(recording.duration));
        let mut line = StyledLine::default();
        line.add(Heading, &facts.join(" · "));
        if let Some(shares) = self.report.energy.provenance_shares {
            line.add_right(Dim, &provenance_words(shares), self.columns);
        }
        self.put(&line, to);
    }

    fn total(&self, to: &mut String) {
        let energy = &self.report.energy;
        let Some(total) = energy.total.0 else {
            let reason = energy.no_energy_reason.as_deref().unwrap_or_default();
            self.wrapped(Warning, 0, &format!("no energy figure: {reason}"), to);
            self.statements(|_| true, to);
            return;
        };
        let mut line = StyledLine::default();
        let coverage = energy.coverage.as_ref();
        // A part never goes by the name of the whole.
        if let Some(part) = coverage.map(|it| it.heading.as_str()).filter(|it| *it != "Total") {
            line.add(Strong, &format!("{part} "));
        }
        line.add(Strong, &self.words.text(total.joules));
        let interval = self.words.interval(total.interval);
        let interval = interval.map(|interval| format!("   {interval} (90 %)")).unwrap_or_default();
        // Where components are covered for different times, their means do not add up to what a reader computes.
        let over_all = total.joules / self.report.recording.duration;
        let is_mean = |mean: &f64| (mean / over_all.milliwatts() - 1.0).abs() < 0.02;
        let mean = energy
            .mean_mw
            .filter(is_mean)
            .map(|_| format!(", mean {}", milliwatts(over_all.milliwatts())));
        line.add(Dim, &format!("{interval}{}", mean.unwrap_or_default()));
        let components = component_words(&self.report.hardware.components);
        let fits = line.width() + width(&components) + 4 <= self.columns;
        if fits {
            line.add_right(Plain, &components, self.columns);
        }
        self.put(&line, to);
        if !fits && !components.is_empty() {
            self.line(Plain, &format!("  {components}"), to);
        }
        if let Some(coverage) = coverage {
            self.line(Dim, &format!("  {}", self.coverage_words(coverage)), to);
        }
        let assumed = energy.provenance_shares.map_or(0.0, |shares| shares.assumed);
        let model = self.report.recording.model.as_ref();
        if let Some(model) = model.filter(|_| assumed > MOSTLY && energy.assumption.is_none()) {
            self.warning(&format!("assumed: model {}, by {}", model.name, model.chosen), to);
        }
        if let Some(assumption) = &energy.assumption {
            self.warning(&format!("assumed: {assumption}"), to);
        }
        // With the rest that a battery or meter counted, the total is what is stated of the whole device.
        let has_rest = coverage.is_some_and(|it| it.whole_device > Nanos::ZERO);
        let is_far = |row: &StatementRow| {
            let is_known = has_rest && row.source.is_whole_device();
            !is_known && row.ratio.is_some_and(|ratio| (ratio - 1.0).abs() > FAR)
        };
        self.statements(is_far, to);
    }

    /// The parts of the device and of the time that the total lacks.
    fn coverage_words(&self, coverage: &EnergyCoverageReport) -> String {
        if coverage.heading != "Total" {
            return coverage.text.clone();
        }
        let duration = self.report.recording.duration;
        let is_whole = coverage.whole_device > Nanos::ZERO;
        let lacking = if is_whole { "the whole device; without a figure" } else { "not estimated" };
        let mut parts = vec![missing_words(lacking, &coverage.missing)];
        let is_short = |time: Nanos| time.seconds() < 0.995 * duration.seconds();
        if let Some(by_rails) = coverage.by_rails.filter(|time| is_short(*time)) {
            parts.push(format!("rails cover {} of {}", Seconds(by_rails), Seconds(duration)));
        } else if is_short(coverage.covered) {
            let covered = Seconds(coverage.covered);
            parts.push(format!("{covered} of {} are covered", Seconds(duration)));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("; ")
    }

    /// Energies that the input itself states.
    fn statements(&self, is_shown: impl Fn(&StatementRow) -> bool, to: &mut String) {
        let statements = &self.report.energy.statements;
        for statement in statements.iter().filter(|row| is_shown(row)) {
            self.wrapped(Warning, 2, &format!("the input states: {}", statement.text()), to);
        }
    }

    /// Files of which a part was not used.
    fn unused_input(&self, to: &mut String) {
        let quality = &self.report.trust.quality.quality;
        let unused = quality.artifacts.iter().filter_map(|artifact| {
            Some(format!("{} of {}", percent(Some(artifact.ignored_share()?)), artifact.name))
        });
        let unused: Vec<String> = unused.collect();
        if let Some(first) = unused.first() {
            let more = match unused.len() - 1 {
                0 => String::new(),
                more => format!(" and parts of {more} more"),
            };
            self.warning(
                &format!("not used: {first}{more} (of kinds that are not read, or damaged)"),
                to,
            );
        }
    }

    fn app(&self, app: &AppReport, to: &mut String) {
        for package in &app.missing {
            self.warning(&format!("no process of {package} in this recording"), to);
        }
        if !app.similar.is_empty() {
            self.line(Plain, &format!("  did you mean: {}", app.similar.join(", ")), to);
        }
        let mut line = StyledLine::default();
        let word = if app.is_selection { "  selection " } else { "  app " };
        let packages = app.packages.join(", ");
        if let Some(energy) = app.energy.0 {
            line.add(Plain, word).add(Strong, &self.words.text(energy.joules));
            let interval = self.words.interval(energy.interval);
            let interval = interval.map(|it| format!("   {it}")).unwrap_or_default();
            line.add(Dim, &format!("{interval}, {} of the total", percent(app.share)));
            let coverage = coverage_of_app(app, &self.report.hardware.components);
            let room = self.columns.saturating_sub(line.width() + 3 + width(&coverage));
            let packages = fit_both_ends(&packages, room.max(12));
            line.add(Plain, &format!("   {packages}")).add(Warning, &coverage);
        } else if let Some(cpu) = app.cpu {
            line.add(Plain, word).add(Strong, &format!("{} on a CPU", Seconds(cpu)));
            line.add(Plain, &format!("   {packages}"));
        } else {
            return;
        }
        self.put(&line, to);
    }
}

/// Which components an app's energy is of, where that is not all that have energy.
fn coverage_of_app(app: &AppReport, all: &[ComponentRow]) -> String {
    let has_energy = |row: &&ComponentRow| row.energy.joules().is_some_and(|it| it.value() > 0.0);
    let (of_app, all) =
        (app.components.iter().filter(has_energy).count(), all.iter().filter(has_energy).count());
    match app.components.iter().find(has_energy) {
        Some(only) if of_app == 1 && all > 1 => format!(", {} only", title(&only.name)),
        _ => String::new(),
    }
}

/// Components that the total lacks: the first by name.
fn missing_words(lacking: &str, missing: &[String]) -> String {
    const FIRST: usize = 4;
    let named = if missing.len() == FIRST + 1 { FIRST + 1 } else { FIRST.min(missing.len()) };
    let names: Vec<String> = missing.iter().take(named).map(|name| title(name)).collect();
    match (names.as_slice(), missing.len() - named) {
        ([], _) => String::new(),
        (names, 0) => format!("{lacking}: {}", names.join(", ")),
        (names, more) => format!("{lacking}: {} and {more} others", names.join(", ")),
    }
}

/// The name of a component in a sentence.
pub fn title(name: &str) -> String {
    match name {
        // What it gave beyond the components.
        "battery" => "rest of the device".to_owned(),
        _ => wattle_power::Component::from(name).title().to_owned(),
    }
}

/// The shares of components: the largest by name, the rest by number.
fn component_words(rows: &[ComponentRow]) -> String {
    let parts: Vec<&ComponentRow> =
        rows.iter().filter(|row| row.share.is_some_and(|share| share >= WORTH_A_WORD)).collect();
    if parts.len() < 2 {
        return String::new();
    }
    let named = if parts.len() == NAMED + 1 { NAMED + 1 } else { NAMED };
    let word = |name: &str, share: f64| format!("{name} {:.0} %", share * 100.0);
    let mut words: Vec<String> = parts
        .iter()
        .take(named)
        .map(|row| word(&title(&row.name), row.share.unwrap_or_default()))
        .collect();
    let rest = &parts[named.min(parts.len())..];
    if !rest.is_empty() {
        let share: f64 = rest.iter().filter_map(|row| row.share).sum();
        words.push(word(&format!("{} more", rest.len()), share));
    }
    words.join("  ")
}

/// The provenance of the total, by shares.
fn provenance_words(shares: ProvenanceShares) -> String {
    let ProvenanceShares { measured, modelled, assumed } = shares;
    let parts = [(measured, "measured"), (modelled, "modelled"), (assumed, "assumed")];
    let all = |share: f64| share > 1.0 - WORTH_A_WORD;
    if let Some((_, word)) = parts.into_iter().find(|(share, _)| all(*share)) {
        return (*word).to_owned();
    }
    let words: Vec<String> = parts
        .into_iter()
        .filter(|(share, _)| *share >= WORTH_A_WORD)
        .map(|(share, word)| format!("{:.0} % {word}", share * 100.0))
        .collect();
    words.join(", ")
}

/// The style of a figure with nothing behind it.
pub fn style_of(figure: Figure) -> Style {
    if figure.0.is_some() { Strong } else { Dim }
}
