//! Two ledgers held against each other, on a terminal.

use std::fmt::Write as _;

use wattle_compare::Verdict;
use wattle_units::{Interval, Joules, Nanos, Si};

use super::style::{Painter, Style};
use super::text_columns::wrap;
use super::text_table::{Align, Table};
use super::{DEFAULT_WIDTH, NARROWEST};
use crate::cells::{NO_DATA, Seconds, grouped, name, percent, signed_percent};
use crate::clean::clean;
use crate::{
    ChangedMethodRow, Compared, DiffReport, Figure, Headline, ObjectionWeight, ReportOptions,
};

/// The comparison as text that ends in a newline. Of the options `top`, `width` and `color` count.
pub fn diff_terminal(report: &DiffReport, options: &ReportOptions) -> String {
    let page = Page {
        report,
        top: options.top,
        columns: options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST),
        painter: Painter { color: options.color },
    };
    let mut text = String::new();
    page.head(&mut text);
    page.totals(&mut text);
    page.methods(&mut text);
    page.foot(&mut text);
    text
}

/// The columns of every table, after those that name the row.
const FIGURES: [(&str, Align, Style); 6] = [
    ("before", Align::Right, Style::Plain),
    ("after", Align::Right, Style::Plain),
    ("difference", Align::Right, Style::Strong),
    ("90 % interval", Align::Left, Style::Dim),
    ("change", Align::Right, Style::Plain),
    ("", Align::Left, Style::Plain),
];

struct Page<'a> {
    report: &'a DiffReport,
    top: usize,
    columns: usize,
    painter: Painter,
}

/// An energy of both runs that a table of methods is about.
type Of = fn(&ChangedMethodRow) -> &Compared;

impl Page<'_> {
    fn heading(&self, heading: &str, to: &mut String) {
        // Writing to a String does not fail.
        let _ = writeln!(to, "\n{}", self.painter.paint(Style::Heading, heading));
    }

    fn paragraph(&self, style: Style, paragraph: &str, to: &mut String) {
        for line in wrap(&clean(paragraph), self.columns.saturating_sub(4)) {
            let _ = writeln!(to, "  {}", self.painter.paint(style, line.trim_end()));
        }
    }

    fn head(&self, to: &mut String) {
        self.verdicts(to);
        let _ = writeln!(to, "\n{}", self.painter.paint(Style::Heading, "Runs"));
        for (when, run) in [("before", &self.report.before), ("after", &self.report.after)] {
            let facts = [
                Some(Seconds(run.duration).to_string()),
                run.device.clone(),
                run.model.as_ref().map(|model| format!("model {model}")),
            ];
            let facts: Vec<String> = facts.into_iter().flatten().collect();
            let _ = writeln!(to, "  {when:<7} {}: {}", clean(&run.name), clean(&facts.join(", ")));
            if let Some(covers) = &run.covers {
                self.paragraph(Style::Dim, &format!("        {covers}"), to);
            }
            for app in &run.missing_apps {
                let text = format!("{app} is not in it");
                self.paragraph(Style::Warning, &text, to);
            }
        }
        let per = &self.report.per;
        match (per.unit, &per.call) {
            ("second", _) => self.paragraph(Style::Plain, "figures are of a second, as watts", to),
            (_, Some(call)) => {
                let text = format!(
                    "figures are of a call of {call}: {:.0} calls before, {:.0} after",
                    per.before, per.after
                );
                self.paragraph(Style::Plain, &text, to);
            }
            _ => {}
        }
        for objection in &self.report.objections {
            let (style, word) = match objection.weight {
                ObjectionWeight::Refusal => (Style::Error, "not comparable"),
                ObjectionWeight::Warning => (Style::Warning, "warning"),
            };
            self.paragraph(style, &format!("{word}: {}", objection.text), to);
        }
    }

    /// The answer: the app's difference, the device's.
    fn verdicts(&self, to: &mut String) {
        for Headline { name, energy, .. } in self.report.headlines() {
            let Some(change) = energy.change else { continue };
            let verdict = change.verdict();
            let of = match verdict {
                Verdict::Equal => format!("equal within {}", self.amount(change.threshold)),
                Verdict::Inconclusive => match change.outlook.sentence() {
                    Some(why) => format!("inconclusive ({why})"),
                    None => verdict.name().to_owned(),
                },
                _ => verdict.name().to_owned(),
            };
            let from = [energy.before, energy.after].map(|figure| self.figure(figure));
            let share = energy
                .share()
                .map_or(String::new(), |_| format!(", {}", signed_percent(energy.share())));
            let range = match self.range(change.interval) {
                range if range.is_empty() => range,
                range => format!("; 90 % interval {range}"),
            };
            let line = format!(
                "{}: {of}, {}{share} ({} → {}){range}",
                clean(&name),
                self.signed(change.joules),
                from[0],
                from[1]
            );
            for line in wrap(&line, self.columns) {
                let style = match verdict {
                    Verdict::Higher => Style::Error,
                    Verdict::Lower => Style::Good,
                    Verdict::Equal | Verdict::Inconclusive => Style::Strong,
                };
                let _ = writeln!(to, "{}", self.painter.paint(style, line.trim_end()));
            }
        }
    }

    fn threshold(&self) -> String {
        let threshold = &self.report.threshold;
        let share = Some(threshold.share).filter(|share| *share > 0.0).map(|it| percent(Some(it)));
        let least = Some(threshold.joules).filter(|least| *least > Joules::ZERO);
        let parts: Vec<String> =
            share.into_iter().chain(least.map(|least| self.amount(least))).collect();
        if parts.is_empty() { "0".to_owned() } else { parts.join(", at least ") }
    }

    fn totals(&self, to: &mut String) {
        self.heading("Energy", to);
        let columns = [&[("component", Align::Left, Style::Plain)][..], &FIGURES].concat();
        let mut table = Table::new(&columns, &[0]);
        for row in &self.report.components {
            self.row(&mut table, vec![row.name.to_string()], &row.energy);
        }
        if self.report.components.len() > 1 {
            self.row(&mut table, vec!["total".to_owned()], &self.report.total);
        }
        table.write(self.columns, self.painter, to);
    }

    fn methods(&self, to: &mut String) {
        let rows = &self.report.methods;
        if rows.is_empty() {
            self.paragraph(Style::Dim, "No call path is in either run.", to);
            return;
        }
        let is_in_both = |row: &&ChangedMethodRow| row.before.is_some() && row.after.is_some();
        let is_new = |row: &&ChangedMethodRow| row.before.is_none();
        let is_gone = |row: &&ChangedMethodRow| row.after.is_none();
        let own: Of = |row| &row.own;
        let total: Of = |row| &row.total;
        self.list(
            "Largest change of self energy",
            rows.iter().filter(is_in_both).collect(),
            own,
            to,
        );
        let both = rows.iter().filter(is_in_both).collect();
        self.list("Largest change of total energy (with callees)", both, total, to);
        self.list("New methods", rows.iter().filter(is_new).collect(), total, to);
        self.list("Removed methods", rows.iter().filter(is_gone).collect(), total, to);
    }

    fn list(&self, heading: &str, mut rows: Vec<&ChangedMethodRow>, of: Of, to: &mut String) {
        let is_energy = |row: &&ChangedMethodRow| of(row).joules() != Joules::ZERO;
        rows.retain(is_energy);
        if rows.is_empty() {
            return;
        }
        let size = |row: &ChangedMethodRow| of(row).joules().abs().value();
        rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let count = rows.len();
        rows.truncate(self.top.max(1));
        let process = rows[0].process.as_str();
        let is_one_process = rows.iter().all(|row| row.process == process);
        if is_one_process {
            self.heading(&format!("{heading} ({})", clean(&name(process))), to);
        } else {
            self.heading(heading, to);
        }
        let mut columns = vec![("method", Align::Left, Style::Plain)];
        // The heading says the process where there is only one.
        if !is_one_process {
            columns.push(("process", Align::Left, Style::Dim));
        }
        columns.extend(FIGURES);
        let mut table = Table::new(&columns, if is_one_process { &[0] } else { &[0, 1] });
        for row in &rows {
            let mut cells = vec![name(&row.name)];
            if !is_one_process {
                cells.push(name(&row.process));
            }
            self.row(&mut table, cells, of(row));
        }
        table.write(self.columns, self.painter, to);
        if count > rows.len() {
            let left = grouped((count - rows.len()) as u64);
            self.paragraph(Style::Dim, &format!("and {left} more (--top, --json)"), to);
        }
    }

    fn row(&self, table: &mut Table<'_>, mut cells: Vec<String>, energy: &Compared) {
        cells.extend([
            self.figure(energy.before),
            self.figure(energy.after),
            energy.change.map_or(NO_DATA.into(), |change| self.signed(change.joules)),
            energy.change.map_or(String::new(), |change| self.range(change.interval)),
            if energy.share().is_some() { signed_percent(energy.share()) } else { String::new() },
            energy.verdict().map_or("not known in both", Verdict::name).to_owned(),
        ]);
        table.row(cells);
    }

    fn figure(&self, figure: Figure) -> String {
        figure.joules().map_or(NO_DATA.into(), |joules| self.amount(joules))
    }

    fn amount(&self, joules: Joules) -> String {
        Si { value: joules.value(), unit: self.report.per.symbol() }.to_string()
    }

    fn signed(&self, joules: Joules) -> String {
        let sign = if joules > Joules::ZERO { "+" } else { "" };
        format!("{sign}{}", self.amount(joules))
    }

    fn range(&self, Interval { low, high }: Interval) -> String {
        // No width is no statement.
        if low >= high {
            return String::new();
        }
        format!("{} … {}", self.signed(low), self.signed(high))
    }

    fn foot(&self, to: &mut String) {
        let _ = writeln!(to);
        let errors = if self.report.has_common_errors {
            "Both runs use the same device model, so its error cancels where nothing changed."
        } else {
            "The runs use different device models: the errors of both count."
        };
        let text = format!(
            "{errors} Higher and lower: the difference is beyond the threshold ({}), and errors of the model alone explain it in at most 5 % of cases; equal: the whole interval is within. One run each says how these runs differ, not yet how the builds do (wattle run OLD.apk --compare NEW.apk --repeat 5).",
            self.threshold()
        );
        self.paragraph(Style::Dim, &text, to);
        if self.report.before.duration == Nanos::ZERO || self.report.after.duration == Nanos::ZERO {
            self.paragraph(Style::Warning, "One of the runs has no length.", to);
        }
    }
}
