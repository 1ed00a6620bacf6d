//! A comparison in 25 lines: the verdict, what explains it, how far to trust it, where to go on.

use wattle_compare::{Blame, Verdict};
use wattle_units::{Interval, Joules, Si};

use super::DEFAULT_WIDTH;
use super::style::{Painter, Style};
use super::summary::{NARROWEST_SUMMARY, StyledLine, title};
use super::text_columns::{fit_both_ends, width, wrap};
use crate::cells::{NO_DATA, grouped, name};
use crate::clean::clean;
use crate::{
    ChangedMethodRow, Compared, DiffReport, Figure, FlameKind, FlameNode, Headline, Objection,
    ObjectionWeight, ReportOptions,
};

/// Methods or programs that have a row.
const ROWS: usize = 8;
/// Columns of a figure, an interval, the calls.
const FIGURE: usize = 10;
const INTERVAL: usize = 22;
const CALLS: usize = 16;
/// Objections that are shown whole.
const OBJECTIONS: usize = 3;
/// Lines do not get longer: eyes lose them.
const WIDEST: usize = 120;
/// Narrower terminals have no column of calls, then no intervals, then no energies of both runs.
const WITH_CALLS: usize = 96;
const WITH_INTERVALS: usize = 84;
const WITH_BOTH: usize = 64;

/// The comparison as text that ends in a newline. Of the options `width` and `color` count; `next` are commands that go on from here.
pub fn diff_summary(report: &DiffReport, next: &[String], options: &ReportOptions) -> String {
    let page = Page {
        report,
        headlines: report.headlines(),
        columns: options.width.unwrap_or(DEFAULT_WIDTH).clamp(NARROWEST_SUMMARY, WIDEST),
        painter: Painter { color: options.color },
    };
    let mut text = String::new();
    page.verdicts(&mut text);
    page.changes(&mut text);
    page.components(&mut text);
    page.comparable(&mut text);
    page.next(next, &mut text);
    text
}

/// Something that changed.
struct ChangeRow {
    name: String,
    energy: Compared,
    /// Calls in both runs.
    calls: Option<[String; 2]>,
}

/// The ends of the columns of the table.
struct Layout {
    names: usize,
    ends: [usize; 3],
    /// Whether the energies of both runs have columns.
    both: bool,
    interval: Option<usize>,
    calls: Option<usize>,
}

struct Page<'a> {
    report: &'a DiffReport,
    /// The apps that were asked for, then all that both runs know.
    headlines: Vec<Headline<'a>>,
    columns: usize,
    painter: Painter,
}

/// Sign, word and style of a verdict.
fn of_verdict(verdict: Option<Verdict>) -> (&'static str, &'static str, Style) {
    match verdict {
        Some(Verdict::Higher) => ("↑", "HIGHER", Style::Error),
        Some(Verdict::Lower) => ("↓", "LOWER", Style::Good),
        Some(Verdict::Equal) => ("≈", "EQUAL", Style::Strong),
        Some(Verdict::Inconclusive) => ("?", "INCONCLUSIVE", Style::Warning),
        None => ("–", "NOT KNOWN IN BOTH", Style::Dim),
    }
}

impl Page<'_> {
    fn line(&self, line: &StyledLine, to: &mut String) {
        line.write(self.columns, self.painter, to);
    }

    /// The apps that were asked for, then the device: each with difference, interval, threshold.
    fn verdicts(&self, to: &mut String) {
        let is_refused = self.report.refusals().next().is_some();
        for Headline { name: of, energy, .. } in &self.headlines {
            let (sign, word, style) = of_verdict(energy.verdict());
            let [before, after] = [energy.before, energy.after].map(|figure| self.figure(figure));
            let (per, of_call) = match (self.report.per.unit, &self.report.per.call) {
                ("second", _) => (" (mean)", None),
                (_, Some(call)) => (" per call", Some(call)),
                _ => ("", None),
            };
            let mut line = StyledLine::default();
            if is_refused {
                line.add(Style::Error, "× NOT COMPARABLE  ");
            } else {
                line.add(style, &format!("{sign} {word}  "));
            }
            let figures = format!("   {before} → {after}{per}");
            // Names are cut, numbers never.
            let room = self.columns.saturating_sub(line.width() + width(&figures));
            line.add(Style::Strong, &fit_both_ends(&clean(&name(of)), room.max(8)));
            line.add(Style::Plain, &figures);
            if let Some(call) = of_call {
                line.add(Style::Dim, &format!(" of {call}"));
            }
            self.line(&line, to);
            let Some(change) = energy.change else { continue };
            let mut line = StyledLine::default();
            line.add(Style::Strong, &format!("  {}", self.signed(change.joules)));
            if let Some(share) = energy.share() {
                line.add(Style::Plain, &format!("  {}", share_text(share)));
            }
            if let Some(range) = self.range(change.interval) {
                line.add(Style::Dim, &format!("  {range} (90 %)"));
            }
            line.add(Style::Dim, &format!(", threshold {}", self.amount(change.threshold)));
            self.line(&line, to);
            if let Some(sentence) = change.outlook.sentence().filter(|_| !is_refused) {
                let text = format!("  Inconclusive: {sentence}.");
                self.line(StyledLine::default().add(Style::Dim, &text), to);
            }
        }
        to.push('\n');
    }

    /// The largest changes: methods of the app that was asked for, or else apps and programs. The last rows close the sum.
    fn changes(&self, to: &mut String) {
        let Headline { name: app, energy, .. } = &self.headlines[0];
        let Some(change) = energy.change else { return };
        let rows = if self.headlines.len() > 1 { self.methods(app) } else { self.programs() };
        // Where all is equal there is nothing to explain, but what moved from one to another matters.
        let matters = |row: &ChangeRow| {
            row.energy.joules() != Joules::ZERO && row.energy.verdict() != Some(Verdict::Equal)
        };
        if change.joules == Joules::ZERO && !rows.iter().any(matters) {
            return;
        }
        let parts = rows.into_iter().map(|row| {
            let joules = row.energy.joules();
            (row, joules)
        });
        let blame = Blame::new(change.joules, parts, ROWS);
        let shown: Vec<&ChangeRow> = blame.largest.iter().map(|part| &part.key).collect();
        let (factor, unit, decimals) = self.unit(shown.iter().map(|row| row.energy));
        let unit = (factor, unit.as_str(), decimals);
        let layout = self.layout(&shown);
        let mut head = StyledLine::default();
        head.add(Style::Heading, "What changed");
        head.add(
            Style::Dim,
            if self.headlines.len() > 1 { " (self)" } else { " (app or process)" },
        );
        if layout.both {
            for (end, text) in layout.ends.into_iter().zip(["A", "B"]) {
                head.add_right(Style::Dim, &format!("{text}, {}", unit.1), end);
            }
        }
        head.add_right(Style::Dim, &format!("B − A, {}", unit.1), layout.ends[2]);
        if let Some(end) = layout.interval {
            head.add_right(Style::Dim, "90 % interval", end);
        }
        if let Some(end) = layout.calls {
            head.add_right(Style::Dim, "calls", end);
        }
        self.line(&head, to);
        for row in &shown {
            self.row(row, &layout, unit, to);
        }
        let word = if blame.other_parts == 1 { "more" } else { "others" };
        for (name, joules) in [
            (format!("{} {word}", grouped(blame.other_parts as u64)), blame.others),
            ("outside methods".to_owned(), blame.remainder),
        ] {
            // What rounding leaves is nobody's.
            if joules.abs() <= change.threshold * 1e-3 {
                continue;
            }
            let mut line = StyledLine::default();
            line.add(Style::Dim, &format!("    {name}"));
            line.add_right(Style::Plain, &signed_number(joules, unit), layout.ends[2]);
            self.line(&line, to);
        }
        to.push('\n');
    }

    /// Methods of an app, and the hardware that it used as a whole.
    fn methods(&self, app: &str) -> Vec<ChangeRow> {
        let of_app = self.report.methods.iter().filter(|row| row.process == app);
        let calls = |row: &ChangedMethodRow| {
            [row.before, row.after]
                .map(|run| run.map_or(NO_DATA.to_owned(), |run| grouped(run.calls)))
        };
        let row = |row: &ChangedMethodRow| ChangeRow {
            name: short(&name(&row.name)),
            energy: row.own,
            calls: Some(calls(row)),
        };
        let nodes = &self.report.graph.nodes;
        let is_app = |node: &FlameNode| node.kind == FlameKind::Process && node.name == app;
        let at = nodes.iter().position(is_app);
        // Hardware that the app used as a whole is no method's.
        let is_hardware = |node: &&FlameNode| {
            node.kind == FlameKind::Account && at.is_some() && node.parent == at
        };
        let hardware = nodes.iter().filter(is_hardware).map(|node| ChangeRow {
            name: node.name.clone(),
            energy: node.total,
            calls: None,
        });
        of_app.map(row).chain(hardware).collect()
    }

    /// Apps, other programs, and what nobody is known to have caused.
    fn programs(&self) -> Vec<ChangeRow> {
        let nodes = self.report.graph.nodes.iter().filter(|node| node.parent == Some(0));
        let row = |node: &FlameNode| ChangeRow {
            name: short(&name(&node.name)),
            energy: node.total,
            calls: None,
        };
        nodes.map(row).collect()
    }

    fn layout(&self, shown: &[&ChangeRow]) -> Layout {
        let has_calls = shown.iter().any(|row| row.calls.is_some()) && self.columns >= WITH_CALLS;
        let has_intervals = self.columns >= WITH_INTERVALS;
        let both = self.columns >= WITH_BOTH;
        let figures = if both { 3 } else { 1 };
        let others = figures * FIGURE
            + if has_intervals { INTERVAL } else { 0 }
            + if has_calls { CALLS } else { 0 };
        let room = self.columns.saturating_sub(others + 4);
        let longest = shown.iter().map(|row| width(&row.name)).max().unwrap_or_default();
        // The heading has words, too.
        let names = longest.clamp(26, room.max(26)).min(room);
        let ends = if both { [1, 2, 3] } else { [1; 3] };
        let ends = ends.map(|nth: usize| 4 + names + nth * FIGURE);
        let interval = has_intervals.then_some(ends[2] + INTERVAL);
        let calls = has_calls.then_some(interval.unwrap_or(ends[2]) + CALLS);
        Layout { names, ends, both, interval, calls }
    }

    fn row(&self, row: &ChangeRow, layout: &Layout, unit: (f64, &str, usize), to: &mut String) {
        let (sign, _, style) = of_verdict(row.energy.verdict());
        let mut line = StyledLine::default();
        line.add(style, &format!("  {sign} "));
        line.add(Style::Strong, &fit_both_ends(&clean(&row.name), layout.names));
        let figures = [row.energy.before, row.energy.after];
        for (end, figure) in layout.ends.into_iter().zip(figures).filter(|_| layout.both) {
            let text = figure.joules().map_or(NO_DATA.to_owned(), |joules| number(joules, unit));
            line.add_right(Style::Plain, &text, end);
        }
        line.add_right(Style::Strong, &signed_number(row.energy.joules(), unit), layout.ends[2]);
        if let Some((end, change)) = layout.interval.zip(row.energy.change) {
            let [low, high] = [change.interval.low, change.interval.high];
            let text = format!("{} to {}", signed_number(low, unit), signed_number(high, unit));
            line.add_right(Style::Dim, &text, end);
        }
        if let Some((end, [before, after])) = layout.calls.zip(row.calls.as_ref()) {
            let text =
                if before == after { before.clone() } else { format!("{before} → {after}") };
            line.add_right(Style::Dim, &text, end);
        }
        self.line(&line, to);
    }

    fn components(&self, to: &mut String) {
        let mut rows: Vec<_> = self.headlines[0].components.clone();
        let size = |energy: &Compared| energy.change.map_or(-1.0, |it| it.joules.abs().value());
        rows.sort_by(|a, b| size(&b.1).total_cmp(&size(&a.1)));
        let mut words = Vec::new();
        for (name, energy) in rows {
            let (sign, _, style) = of_verdict(energy.verdict());
            let title = title(name.name());
            let text = match energy.change {
                Some(change) => format!("{sign} {title} {}", self.signed(change.joules)),
                None => format!("{sign} {title} in one run only"),
            };
            words.push((style, text));
        }
        self.listed("Components", &words, to);
    }

    /// Pieces after a heading, in as many lines as they need.
    fn listed(&self, heading: &str, words: &[(Style, String)], to: &mut String) {
        let indent = 13;
        let mut line = StyledLine::default();
        line.add(Style::Heading, heading).pad(indent);
        for (style, text) in words {
            if line.width() > indent && line.width() + width(text) > self.columns {
                self.line(&line, to);
                line = StyledLine::default();
                line.pad(indent);
            }
            line.add(*style, text).add(Style::Plain, "   ");
        }
        self.line(&line, to);
    }

    fn comparable(&self, to: &mut String) {
        let objections = &self.report.objections;
        let has = |word: &str| objections.iter().any(|objection| objection.code.starts_with(word));
        let mut words: Vec<(Style, String)> = objections
            .iter()
            .map(|Objection { code, weight, .. }| match weight {
                ObjectionWeight::Refusal => (Style::Error, format!("× {}", code.replace('-', " "))),
                ObjectionWeight::Warning => {
                    (Style::Warning, format!("! {}", code.replace('-', " ")))
                }
            })
            .collect();
        words.dedup();
        words.push((Style::Warning, "! one run each".to_owned()));
        let is_known = self.report.before.device.is_some() && self.report.after.device.is_some();
        for (code, text) in [("device", "same device"), ("model", "same model")] {
            if !has(code) && (code != "device" || is_known) {
                words.push((Style::Good, format!("✓ {text}")));
            }
        }
        self.listed("Comparable?", &words, to);
        for objection in objections.iter().take(OBJECTIONS) {
            let columns = self.columns.saturating_sub(13);
            for line in wrap(&clean(&objection.text), columns).into_iter().take(2) {
                self.line(StyledLine::default().pad(13).add(Style::Dim, line.trim_end()), to);
            }
        }
        let text = match objections.len().saturating_sub(OBJECTIONS) {
            0 => String::new(),
            more => format!("{more} more with --full. "),
        };
        let text = format!("{text}One run each says how these runs differ, not how the builds do.");
        self.line(StyledLine::default().pad(13).add(Style::Dim, &text), to);
    }

    fn next(&self, next: &[String], to: &mut String) {
        if next.is_empty() {
            return;
        }
        let words: Vec<_> = next.iter().map(|it| (Style::Plain, it.clone())).collect();
        self.listed("Next", &words, to);
    }

    fn figure(&self, figure: Figure) -> String {
        figure.joules().map_or(NO_DATA.into(), |joules| self.amount(joules))
    }

    fn amount(&self, joules: Joules) -> String {
        Si { value: joules.value(), unit: self.report.per.symbol() }.to_string()
    }

    fn signed(&self, joules: Joules) -> String {
        let sign = if joules > Joules::ZERO {
            "+"
        } else if joules < Joules::ZERO {
            "−"
        } else {
            ""
        };
        format!("{sign}{}", self.amount(joules.abs()))
    }

    fn range(&self, Interval { low, high }: Interval) -> Option<String> {
        (low < high).then(|| format!("{} to {}", self.signed(low), self.signed(high)))
    }

    /// The unit of a table: joules of one, its name, decimals.
    fn unit(&self, rows: impl Iterator<Item = Compared>) -> (f64, String, usize) {
        let most = rows.map(|row| row.size()).fold(0.0, f64::max);
        let symbol = self.report.per.symbol();
        let prefixes = [(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
        let (factor, prefix) =
            prefixes.into_iter().find(|(factor, _)| most >= 10.0 * factor).unwrap_or((1e-9, "n"));
        let decimals = if most / factor >= 1000.0 { 1 } else { 2 };
        (factor, format!("{prefix}{symbol}"), decimals)
    }
}

/// A method with its class, without the package.
fn short(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    match parts.as_slice() {
        [_, _, .., class, method] if !name.contains([' ', '/', '(']) => format!("{class}.{method}"),
        _ => name.to_owned(),
    }
}

fn number(joules: Joules, (factor, _, decimals): (f64, &str, usize)) -> String {
    let least = 0.1_f64.powi(decimals as i32);
    let value = joules.value() / factor;
    if value != 0.0 && value.abs() < least / 2.0 {
        let sign = if value < 0.0 { ">−" } else { "<" };
        return format!("{sign}{least:.decimals$}");
    }
    format!("{value:.decimals$}").replace('-', "−")
}

fn signed_number(joules: Joules, unit: (f64, &str, usize)) -> String {
    let text = number(joules, unit);
    if joules > Joules::ZERO && !text.starts_with(['<', '>']) { format!("+{text}") } else { text }
}

fn share_text(share: f64) -> String {
    format!("{:+.1} %", share * 100.0).replace('-', "−")
}
