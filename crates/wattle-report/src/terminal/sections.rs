//! The sections of the page, top to bottom.

use wattle_timeline::{Note, Severity};
use wattle_units::{Joules, Nanos, Si};

use super::style::{Painter, Style};
use super::table::{Align, Table};
use super::text::{clean, fit, wrap};
use crate::{Figure, ProcessRow, Report, SliceRow, ThreadRow};

use Align::{Left, Right};
use Style::{Bar, Dim, Plain, Strong};

/// A report on its way to the terminal.
pub struct Page<'a> {
    pub report: &'a Report,
    pub top: usize,
    pub columns: usize,
    pub painter: Painter,
}

/// What stands where there is no figure.
const NO_DATA: &str = "–";
/// Columns of a share bar.
const BAR: usize = 12;

impl Page<'_> {
    /// The whole page.
    pub fn write(&self) -> String {
        let mut to = String::new();
        self.header(&mut to);
        self.total(&mut to);
        self.app(&mut to);
        self.components(&mut to);
        self.accounts(&mut to);
        self.cpus(&mut to);
        self.processes(&mut to);
        self.threads(&mut to);
        self.slices(&mut to);
        self.rails(&mut to);
        self.battery(&mut to);
        self.spread(&mut to);
        self.quality(&mut to);
        to
    }

    fn header(&self, to: &mut String) {
        let report = self.report;
        let device = &report.device;
        let name = match (device.model.as_deref(), device.device_name()) {
            (Some(model), Some(code)) => format!("{model} ({code})"),
            (Some(name), None) | (None, Some(name)) => name.to_owned(),
            (None, None) => "unknown device".to_owned(),
        };
        let mut facts = vec![name];
        facts.extend(device.soc_name().map(|soc| format!("SoC {soc}")));
        facts.extend(device.sdk.map(|sdk| format!("SDK {sdk}")));
        facts.push(Seconds(report.duration).to_string());
        self.line(to, Style::Heading, &facts.join(" · "));
        for artifact in &report.artifacts {
            let size = Si { value: artifact.bytes as f64, unit: "B" };
            self.line(to, Dim, &format!("{} · {} · {size}", artifact.name, artifact.format));
        }
        if let Some(model) = &report.model {
            let line = format!("model: {} ({}), by {}", model.name, model.kind, model.chosen);
            self.paragraph(to, Plain, &line);
            let line = format!(
                "{}, version {}, {}; shared power: {}",
                model.provenance, model.version, model.source, report.shared_policy
            );
            self.paragraph(to, Dim, &line);
        }
        to.push('\n');
    }

    fn total(&self, to: &mut String) {
        let report = self.report;
        if let Some(total) = report.total.0 {
            let mean = report.mean_mw.map(|mw| format!(", mean {}", milliwatts(mw)));
            let line = format!(
                "Total {}  [{}], 90 % interval, {}{}",
                total.joules,
                range(report.total),
                total.provenance,
                mean.unwrap_or_default()
            );
            self.line(to, Strong, &line);
        } else {
            let line = format!("no energy figure: {}", self.why_no_energy());
            self.paragraph(to, Style::Warning, &line);
        }
        to.push('\n');
    }

    /// The gravest note of the later stages, else of the artifacts.
    fn why_no_energy(&self) -> &str {
        let quality = &self.report.quality.quality;
        let artifacts = quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
        let gravest = |notes: &mut dyn Iterator<Item = &'_ Note>| -> Option<usize> {
            notes
                .enumerate()
                .filter(|(_, note)| note.severity > Severity::Info)
                .max_by_key(|(at, note)| (note.severity, std::cmp::Reverse(*at)))
                .map(|(at, _)| at)
        };
        if let Some(at) = gravest(&mut quality.notes.iter()) {
            return &quality.notes[at].text;
        }
        let notes: Vec<_> = artifacts.collect();
        match gravest(&mut notes.iter().copied()) {
            Some(at) => &notes[at].text,
            None => "nothing in the recording was metered, and no device model applies",
        }
    }

    fn app(&self, to: &mut String) {
        let Some(app) = &self.report.app else { return };
        self.heading(to, &format!("App {}", app.packages.join(", ")));
        for package in &app.missing {
            let line = format!("no process of {package} in this recording");
            self.line_indented(to, Style::Warning, &line);
        }
        if let Some(energy) = app.energy.0 {
            let line = format!(
                "{}  [{}], {}, {} of the total, mean {}, {} on a CPU",
                energy.joules,
                range(app.energy),
                energy.provenance,
                percent(app.share),
                app.mean_mw.map_or(NO_DATA.into(), milliwatts),
                time(app.cpu)
            );
            self.line_indented(to, Strong, &line);
            let parts: Vec<_> = app
                .components
                .iter()
                .map(|part| {
                    format!("{} {} ({})", part.name, joules(part.energy), percent(part.share))
                })
                .collect();
            self.line_indented(to, Plain, &parts.join(" · "));
        }
        let line = format!("other processes: {}", joules(app.other_processes));
        self.line_indented(to, Plain, &line);
        to.push('\n');
    }

    fn components(&self, to: &mut String) {
        let rows = &self.report.components;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Components");
        let mut table = Table::new(
            &[
                ("component", Left, Plain),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("mean", Right, Plain),
                ("share", Right, Plain),
                ("", Left, Bar),
                ("provenance", Left, Dim),
            ],
            &[0],
        );
        for row in rows {
            table.row([
                row.name.clone(),
                joules(row.energy),
                range(row.energy),
                mean(row.energy, self.report.duration),
                percent(row.share),
                bar(row.share),
                provenance(row.energy),
            ]);
        }
        self.table(&table, to);
    }

    fn accounts(&self, to: &mut String) {
        let rows = &self.report.accounts;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Accounts");
        let mut table = Table::new(
            &[
                ("who pays", Left, Plain),
                ("what for", Left, Plain),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("share", Right, Plain),
                ("", Left, Bar),
            ],
            &[0],
        );
        for row in rows {
            table.row([
                row.name.clone(),
                row.charge.replace('-', " "),
                joules(row.energy),
                range(row.energy),
                percent(row.share),
                bar(row.share),
            ]);
        }
        self.table(&table, to);
        let handlers = &self.report.interrupts;
        if !handlers.is_empty() {
            to.truncate(to.trim_end().len());
            to.push('\n');
            let named: Vec<_> = handlers
                .iter()
                .take(4)
                .map(|row| format!("{} {}", row.name, joules(row.energy)))
                .collect();
            let more = handlers.len().saturating_sub(named.len());
            let more = if more > 0 { format!(", {more} more") } else { String::new() };
            self.line_indented(to, Dim, &format!("interrupts: {}{more}", named.join(", ")));
            to.push('\n');
        }
    }

    fn cpus(&self, to: &mut String) {
        let rows = &self.report.cpus;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "CPUs");
        let mut table = Table::new(
            &[
                ("cpu", Right, Plain),
                ("core energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("busy", Right, Plain),
            ],
            &[],
        );
        for row in rows {
            table.row([row.cpu.to_string(), joules(row.core), range(row.core), time(row.busy)]);
        }
        if self.report.cpu_shared.0.is_some() {
            let shared = self.report.cpu_shared;
            table.row(["shared".to_owned(), joules(shared), range(shared), String::new()]);
        }
        self.table(&table, to);
    }

    /// Whose rows are shown: the apps' where apps were asked for.
    fn shown(&self) -> impl Iterator<Item = &ProcessRow> {
        let all = self.report.app.as_ref().is_none_or(|app| app.energy.0.is_none());
        self.report.processes.iter().filter(move |process| all || process.in_app)
    }

    fn processes(&self, to: &mut String) {
        let mut rows: Vec<_> = self.shown().collect();
        self.by_time_without_energy(&mut rows, |row| row.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Processes", rows.len());
        let mut table = Table::new(
            &[
                ("pid", Right, Dim),
                ("process", Left, Plain),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("mean", Right, Plain),
                ("share", Right, Plain),
                ("CPU time", Right, Plain),
            ],
            &[1],
        );
        for row in rows.into_iter().take(self.top) {
            table.row([
                row.pid.map_or(NO_DATA.into(), |pid| pid.to_string()),
                name(&row.name),
                joules(row.energy),
                range(row.energy),
                row.mean_mw.map_or(NO_DATA.into(), milliwatts),
                percent(row.share),
                time(row.cpu),
            ]);
        }
        self.table(&table, to);
    }

    fn threads(&self, to: &mut String) {
        let mut rows: Vec<(&ThreadRow, &ProcessRow)> = self
            .shown()
            .flat_map(|process| process.threads.iter().map(move |thread| (thread, process)))
            .collect();
        rows.sort_by(|a, b| {
            b.0.energy.rank().total_cmp(&a.0.energy.rank()).then(a.0.tid.cmp(&b.0.tid))
        });
        self.by_time_without_energy(&mut rows, |(thread, _)| thread.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Threads", rows.len());
        let mut table = Table::new(
            &[
                ("tid", Right, Dim),
                ("thread", Left, Plain),
                ("process", Left, Dim),
                ("energy", Right, Strong),
                ("core", Right, Plain),
                ("shared", Right, Plain),
                ("wake", Right, Plain),
                ("mean", Right, Plain),
                ("CPU time", Right, Plain),
            ],
            &[1, 2],
        );
        for (thread, process) in rows.into_iter().take(self.top) {
            table.row([
                thread.tid.to_string(),
                name(&thread.name),
                name(&process.name),
                joules(thread.energy),
                joules(thread.cpu_core),
                joules(thread.cpu_shared),
                joules(thread.wake_transition),
                thread.mean_mw.map_or(NO_DATA.into(), milliwatts),
                time(thread.cpu),
            ]);
        }
        self.table(&table, to);
    }

    fn slices(&self, to: &mut String) {
        let all = self.report.app.as_ref().is_none_or(|app| app.energy.0.is_none());
        let mut rows: Vec<&SliceRow> =
            self.report.slices.iter().filter(|slice| all || slice.in_app).collect();
        self.by_time_without_energy(&mut rows, |row| row.cpu);
        if rows.is_empty() {
            return;
        }
        self.list_heading(to, "Slices", rows.len());
        let mut table = Table::new(
            &[
                ("slice", Left, Plain),
                ("thread", Left, Dim),
                ("self", Right, Strong),
                ("total", Right, Strong),
                ("mean", Right, Plain),
                ("calls", Right, Plain),
                ("CPU time", Right, Plain),
            ],
            &[0, 1],
        );
        for row in rows.into_iter().take(self.top) {
            table.row([
                name(&row.name),
                name(&row.thread),
                joules(row.own),
                joules(row.total),
                row.mean_mw.map_or(NO_DATA.into(), milliwatts),
                row.calls.to_string(),
                time(row.cpu),
            ]);
        }
        self.table(&table, to);
    }

    fn rails(&self, to: &mut String) {
        let rows = &self.report.rails;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "Rails");
        let mut table = Table::new(
            &[
                ("rail", Left, Plain),
                ("component", Left, Dim),
                ("measured", Right, Strong),
                ("model says", Right, Plain),
                ("off by", Right, Plain),
                ("samples", Right, Plain),
                ("in total", Left, Dim),
            ],
            &[0],
        );
        for row in rows {
            let label = row.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
            table.row([
                format!("{}{label}", row.name),
                row.component.clone(),
                joules(row.energy),
                row.modelled_joules.map_or(NO_DATA.into(), |joules| joules.to_string()),
                signed_percent(row.disagreement),
                row.samples.to_string(),
                if row.booked { "yes" } else { "no" }.to_owned(),
            ]);
        }
        self.table(&table, to);
    }

    fn battery(&self, to: &mut String) {
        let Some(battery) = &self.report.battery else { return };
        self.heading(to, "Battery");
        let line = format!(
            "drained {}  [{}], {}, over {} of {} polled",
            joules(battery.drained),
            range(battery.drained),
            provenance(battery.drained),
            Seconds(battery.discharging),
            Seconds(battery.covered)
        );
        self.line_indented(to, Plain, &line);
        let line = format!(
            "accounted for in the same time: {} ({})",
            battery.accounted_joules,
            signed_percent(battery.disagreement)
        );
        self.line_indented(to, Plain, &line);
        self.line_indented(to, Dim, &battery.reading);
        to.push('\n');
    }

    fn spread(&self, to: &mut String) {
        let rows = &self.report.spread;
        if rows.is_empty() {
            return;
        }
        self.heading(to, "CPU energy under each model that applies");
        let mut table = Table::new(
            &[
                ("model", Left, Plain),
                ("kind", Left, Dim),
                ("energy", Right, Strong),
                ("90 % interval", Left, Dim),
                ("provenance", Left, Dim),
            ],
            &[0],
        );
        for row in rows {
            table.row([
                row.model.name.clone(),
                row.model.kind.clone(),
                joules(row.cpu),
                range(row.cpu),
                provenance(row.cpu),
            ]);
        }
        self.table(&table, to);
    }

    fn quality(&self, to: &mut String) {
        self.heading(to, "Quality");
        let quality = &self.report.quality;
        match quality.lost_events {
            0 => self.line_indented(to, Plain, "events lost while recording: none"),
            lost => {
                let line = format!("events lost while recording: {lost}");
                self.line_indented(to, Style::Warning, &line);
            }
        }
        if let Some(error) = self.report.closure_error {
            let line = format!("booked and integrated energy differ by {error:.1e} at most");
            self.line_indented(to, Plain, &line);
        }
        for artifact in &quality.quality.artifacts {
            let used: u64 = artifact.events.values().fold(0, |sum, n| sum.saturating_add(*n));
            let unread: u64 = artifact.unread.values().fold(0, |sum, n| sum.saturating_add(*n));
            let line = format!(
                "{}: {} records, {used} events used, {unread} of other kinds",
                artifact.name, artifact.records
            );
            self.line_indented(to, Dim, &line);
        }
        if quality.dangling_entries > 0 {
            let line = format!(
                "{} entries of the ledger point nowhere and were left out",
                quality.dangling_entries
            );
            self.line_indented(to, Style::Error, &line);
        }
        let artifacts = quality.quality.artifacts.iter().flat_map(|artifact| &artifact.notes);
        let mut notes: Vec<&Note> = artifacts.chain(&quality.quality.notes).collect();
        notes.sort_by_key(|note| std::cmp::Reverse(note.severity));
        for note in notes {
            self.note(note, to);
        }
    }

    fn note(&self, note: &Note, to: &mut String) {
        let (word, style) = match note.severity {
            Severity::Info => ("note", Dim),
            Severity::Warning => ("warning", Style::Warning),
            Severity::Error => ("error", Style::Error),
        };
        let times = if note.count > 1 { format!(" ({} times)", note.count) } else { String::new() };
        let at = note.offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default();
        let text = clean(&format!("[{}] {}{times}{at}", note.code, note.text));
        let hang = word.len() + 1;
        for (nth, line) in wrap(&text, self.columns - 2 - hang).iter().enumerate() {
            to.push_str("  ");
            if nth == 0 {
                to.push_str(&self.painter.paint(style, word));
                to.push(' ');
            } else {
                to.push_str(&" ".repeat(hang));
            }
            to.push_str(line);
            to.push('\n');
        }
    }

    /// Without an energy, rows are listed by the time they had.
    fn by_time_without_energy<T>(&self, rows: &mut [T], time: impl Fn(&T) -> Option<Nanos>) {
        if self.report.total.0.is_none() {
            rows.sort_by_key(|row| std::cmp::Reverse(time(row)));
        }
    }

    fn table(&self, table: &Table, to: &mut String) {
        table.write(self.columns, self.painter, to);
        to.push('\n');
    }

    fn heading(&self, to: &mut String, text: &str) {
        self.line(to, Style::Heading, text);
    }

    fn list_heading(&self, to: &mut String, text: &str, count: usize) {
        let shown = count.min(self.top);
        let text = if shown < count {
            format!("{text} ({shown} of {count})")
        } else {
            format!("{text} ({count})")
        };
        self.heading(to, &text);
    }

    fn line(&self, to: &mut String, style: Style, text: &str) {
        to.push_str(&self.painter.paint(style, &fit(&clean(text), self.columns)));
        to.push('\n');
    }

    fn paragraph(&self, to: &mut String, style: Style, text: &str) {
        for line in wrap(&clean(text), self.columns) {
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }

    fn line_indented(&self, to: &mut String, style: Style, text: &str) {
        for line in wrap(&clean(text), self.columns - 2) {
            to.push_str("  ");
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }
}

/// A length of time with its SI prefix.
struct Seconds(Nanos);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Kiloseconds are nobody's unit.
        match self.0.seconds() {
            seconds if seconds.abs() >= 999.5 => write!(f, "{seconds:.0} s"),
            _ => self.0.fmt(f),
        }
    }
}

fn name(name: &str) -> String {
    if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() }
}

fn joules(figure: Figure) -> String {
    figure.joules().map_or(NO_DATA.into(), |joules: Joules| joules.to_string())
}

fn range(figure: Figure) -> String {
    figure
        .interval()
        .map_or(String::new(), |interval| format!("{} – {}", interval.low, interval.high))
}

fn provenance(figure: Figure) -> String {
    figure.provenance().map_or(String::new(), |provenance| provenance.to_string())
}

fn milliwatts(milliwatts: f64) -> String {
    Si { value: milliwatts * 1e-3, unit: "W" }.to_string()
}

fn mean(figure: Figure, over: Nanos) -> String {
    figure.mean_milliwatts(over).map_or(NO_DATA.into(), milliwatts)
}

fn time(time: Option<Nanos>) -> String {
    time.map_or(NO_DATA.into(), |time| Seconds(time).to_string())
}

fn percent(share: Option<f64>) -> String {
    share.map_or(NO_DATA.into(), |share| format!("{:.1} %", share * 100.0))
}

fn signed_percent(share: Option<f64>) -> String {
    share.map_or(NO_DATA.into(), |share| format!("{:+.1} %", share * 100.0))
}

/// A bar in eighths of a column.
fn bar(share: Option<f64>) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = share.filter(|share| share.is_finite()).unwrap_or(0.0).clamp(0.0, 1.0);
    let eighths = (share * (BAR * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}
