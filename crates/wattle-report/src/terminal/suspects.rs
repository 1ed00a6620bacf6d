//! Suspicious methods over many tests.

use std::collections::BTreeSet;

use super::style::Painter;
use super::style::Style::{self, Dim, Plain, Strong, Warning};
use super::terminal_page::Page;
use super::text_columns::wrap;
use super::text_table::Align::{Left, Right};
use super::text_table::Table;
use super::{DEFAULT_WIDTH, NARROWEST};
use crate::cells::{NO_DATA, Seconds, joules, milliwatts, name, range};
use crate::clean::clean;
use crate::{ReportOptions, SuspectMethodRow, SuspectTestRow, SuspectsComparison, SuspectsReport};

/// The suspects over several ledgers as text that ends in a newline.
pub fn suspects_terminal(comparison: &SuspectsComparison, options: &ReportOptions) -> String {
    let view = View {
        suspects: &comparison.suspects,
        top: options.top,
        columns: options.width.unwrap_or(DEFAULT_WIDTH).max(NARROWEST),
        painter: Painter { color: options.color },
    };
    let mut to = String::new();
    view.ledgers(&mut to);
    view.write(&mut to);
    to
}

impl Page<'_> {
    pub(super) fn suspects(&self, to: &mut String) {
        let Some(suspects) = &self.report.tests.suspects else { return };
        let (top, columns, painter) = (self.top, self.columns, self.painter);
        View { suspects, top, columns, painter }.write(to);
    }
}

/// The suspects on their way to the terminal.
struct View<'a> {
    suspects: &'a SuspectsReport,
    top: usize,
    columns: usize,
    painter: Painter,
}

impl View<'_> {
    fn ledgers(&self, to: &mut String) {
        self.heading(to, &format!("Recordings ({})", self.suspects.ledgers.len()));
        let mut table = Table::new(
            &[
                ("no.", Right, Dim),
                ("recording", Left, Plain),
                ("device", Left, Plain),
                ("duration", Right, Plain),
                ("tests", Right, Plain),
                ("usable", Right, Plain),
            ],
            &[1, 2],
        );
        for (at, row) in self.suspects.ledgers.iter().enumerate() {
            table.row([
                (at + 1).to_string(),
                name(row.name.as_deref().unwrap_or_default()),
                row.device.clone().unwrap_or_else(|| NO_DATA.to_owned()),
                Seconds(row.duration).to_string(),
                row.tests.to_string(),
                row.usable.to_string(),
            ]);
        }
        table.write(self.columns, self.painter, to);
        to.push('\n');
    }

    fn write(&self, to: &mut String) {
        let suspects = self.suspects;
        self.heading(to, "Suspicious methods");
        if let Some(mean) = suspects.mean_mw {
            let uncertain = match suspects.uncertain {
                0 => String::new(),
                count => format!("; uncertain, because the mean lies in their intervals: {count}"),
            };
            let line = format!(
                "{} of {} tests are excessive: the app's mean power is above {}, the mean over all of them{uncertain}",
                suspects.excessive,
                suspects.tests.len(),
                milliwatts(mean)
            );
            self.lines(to, Strong, &line);
        }
        if !suspects.left_out.is_empty() {
            let rows = suspects.left_out.iter();
            let parts: Vec<_> = rows.map(|row| format!("{} {}", row.tests, row.reason)).collect();
            self.lines(to, Dim, &format!("tests left out: {}", parts.join(", ")));
        }
        for remark in &suspects.remarks {
            self.lines(to, Warning, remark);
        }
        self.tests(to);
        if let Some(reason) = &suspects.no_localisation {
            self.lines(to, Warning, &format!("no method can be suspected: {reason}"));
        } else {
            self.methods(to);
        }
        let (known, ran) = suspects.classes.iter().fold((0_u64, 0_u64), |(known, ran), class| {
            (known.saturating_add(class.methods), ran.saturating_add(class.executed))
        });
        if known > 0 {
            let line = format!(
                "{ran} of {known} methods of {} classes ran in the tests",
                suspects.classes.len()
            );
            self.lines(to, Dim, &line);
        }
        to.push('\n');
    }

    fn tests(&self, to: &mut String) {
        let mut rows: Vec<&SuspectTestRow> = self.suspects.tests.iter().collect();
        if rows.is_empty() {
            return;
        }
        rows.sort_by(|a, b| b.mean_mw.total_cmp(&a.mean_mw));
        let several = self.suspects.ledgers.len() > 1;
        let mut columns = vec![
            ("test", Left, Plain),
            ("mean of app", Right, Strong),
            ("90 % interval", Left, Dim),
            ("app", Right, Plain),
            ("duration", Right, Plain),
            ("methods", Right, Plain),
            ("", Left, Plain),
        ];
        if several {
            columns.insert(0, ("no.", Right, Dim));
        }
        let mut table = Table::new(&columns, &[usize::from(several)]);
        let repeated = rows.iter().any(|row| row.iteration > 0);
        for row in rows.iter().take(self.top) {
            let test = name(&row.name);
            let [low, high] = row.interval_mw;
            let mut cells = vec![
                if repeated { format!("{test} ({})", row.iteration + 1) } else { test },
                milliwatts(row.mean_mw),
                if low < high {
                    format!("{} – {}", milliwatts(low), milliwatts(high))
                } else {
                    String::new()
                },
                joules(row.app),
                Seconds(row.duration).to_string(),
                row.methods.to_string(),
                verdict(row),
            ];
            if several {
                cells.insert(0, (row.ledger + 1).to_string());
            }
            table.row(cells);
        }
        table.write(self.columns, self.painter, to);
        self.more(to, rows.len());
        to.push('\n');
    }

    fn methods(&self, to: &mut String) {
        let rows = &self.suspects.methods;
        let mut table = Table::new(
            &[
                ("rank", Right, Dim),
                ("method", Left, Plain),
                ("colour", Left, Plain),
                ("Ochiai", Right, Strong),
                ("Tarantula", Right, Plain),
                ("excessive", Right, Plain),
                ("normal", Right, Plain),
                ("at most", Right, Strong),
                ("90 % interval", Left, Dim),
            ],
            &[1],
        );
        let names = Names::new(rows);
        let score =
            |score: Option<f64>| score.map_or(NO_DATA.into(), |score| format!("{score:.2}"));
        for row in rows.iter().take(self.top) {
            table.row([
                row.rank.map_or(NO_DATA.into(), |rank| rank.to_string()),
                names.of(row),
                row.suspicion.map_or(NO_DATA, |class| class.name()).to_owned(),
                score(row.ochiai),
                score(row.tarantula),
                format!("{}/{}", row.e_f, row.e_f + row.n_f),
                format!("{}/{}", row.e_p, row.e_p + row.n_p),
                joules(row.at_stake),
                range(row.at_stake),
            ]);
        }
        table.write(self.columns, self.painter, to);
        self.more(to, rows.len());
        let text = "red: of the tests in which it ran less than 40 % are normal; yellow: 40 % or more; green: all of them. “At \
                    most” is what the excessive tests in which a method ran drew above the mean: the most that it can be to blame for. \
                    Methods that ran in the same tests have the same joules at stake; they must not be added.";
        self.lines(to, Dim, text);
    }

    fn more(&self, to: &mut String, count: usize) {
        if count > self.top {
            self.lines(to, Dim, &format!("and {} more", count - self.top));
        }
    }

    fn heading(&self, to: &mut String, text: &str) {
        to.push_str(&self.painter.paint(Style::Heading, text));
        to.push('\n');
    }

    fn lines(&self, to: &mut String, style: Style, text: &str) {
        for line in wrap(&clean(text), self.columns - 2) {
            to.push_str("  ");
            to.push_str(&self.painter.paint(style, &line));
            to.push('\n');
        }
    }
}

fn verdict(row: &SuspectTestRow) -> String {
    let words = if row.excessive { "excessive" } else { "normal" };
    if row.uncertain { format!("{words}?") } else { words.to_owned() }
}

/// Names as short as they can be told apart: without packages where no two classes have the same name, with parameters where
/// several methods do.
struct Names<'a> {
    /// Names of classes without their packages that stand for more than one.
    classes: BTreeSet<&'a str>,
    methods: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Names<'a> {
    fn new(rows: &'a [SuspectMethodRow]) -> Self {
        let classes: BTreeSet<&str> = rows.iter().map(|row| row.class.as_str()).collect();
        let mut seen = BTreeSet::new();
        let mut seen_methods = BTreeSet::new();
        Self {
            classes: classes.into_iter().map(simple).filter(|name| !seen.insert(*name)).collect(),
            methods: rows
                .iter()
                .map(|row| (row.class.as_str(), row.method.as_str()))
                .filter(|name| !seen_methods.insert(*name))
                .collect(),
        }
    }

    fn of(&self, row: &SuspectMethodRow) -> String {
        let short = simple(&row.class);
        let class = if self.classes.contains(short) { row.class.as_str() } else { short };
        let is_overloaded = self.methods.contains(&(row.class.as_str(), row.method.as_str()));
        let descriptor = row.descriptor.as_deref().filter(|_| is_overloaded).unwrap_or_default();
        format!("{class}.{}{descriptor}", row.method)
    }
}

/// A class without its package.
fn simple(class: &str) -> &str {
    class.rsplit_once('.').map_or(class, |(_, name)| name)
}
