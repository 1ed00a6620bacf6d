//! Who drew most: apps and programs, and within the app its methods or slices.

use std::cmp::Ordering;

use wattle_timeline::process_base;
use wattle_units::{Estimate, Interval, Joules, Nanos};

use super::super::style::Style::{Bar, Dim, Plain, Strong, Warning};
use super::super::text_columns::{fit_both_ends, width};
use super::answer_lines::style_of;
use super::energy_words::EnergyScale;
use super::styled_line::StyledLine;
use super::summary_page::SummaryPage;
use super::{LINES, TOP};
use crate::cells::{NO_DATA, bar_within, percent, time};
use crate::{AccountRow, ConsumerRow, Figure, SliceRow, ThreadRow};

/// Methods or slices of one app that have a row.
const PARTS: usize = 3;
/// From this part of the total on, a consumer took nearly everything.
const NEARLY_ALL: f64 = 0.9;
/// The name of the process of threads whose process is not known.
const UNKNOWN_PROCESS: &str = "(unknown process)";
/// Widest bar.
const BAR_COLUMNS: usize = 8;
/// Narrower terminals have no column of CPU time, then no bars, then no intervals.
const WITH_CPU: usize = 100;
const WITH_BARS: usize = 90;
const WITH_INTERVALS: usize = 80;
/// A part of the total that nobody is known to have caused is worth a row from here on.
const WORTH_A_ROW: f64 = 0.005;

/// A row of the table.
struct Line {
    name: String,
    /// Its kind, if that needs a word.
    tag: &'static str,
    energy: Figure,
    share: Option<f64>,
    cpu: Option<Nanos>,
    /// A part of the row above it.
    is_part: bool,
    /// Energy of no app or program.
    is_nobody: bool,
}

impl Line {
    fn app(row: &ConsumerRow) -> Self {
        Self {
            name: program_name(&row.name).to_owned(),
            tag: tag(row.is_recorder),
            energy: row.energy,
            share: row.share,
            cpu: row.cpu,
            is_part: false,
            is_nobody: false,
        }
    }
}

const fn tag(is_recorder: bool) -> &'static str {
    if is_recorder { "recorder" } else { "" }
}

/// A consumer that can have a row of its own.
enum Consumer<'a> {
    App(&'a ConsumerRow),
    /// Of a process that is not known.
    Thread(&'a ThreadRow),
}

impl Consumer<'_> {
    fn is_asked(&self) -> bool {
        matches!(self, Self::App(row) if row.is_asked)
    }

    fn takes_all(&self) -> bool {
        matches!(self, Self::App(row) if row.share.is_some_and(|share| share >= NEARLY_ALL))
    }

    /// The order: first those asked for, then by energy, then by time.
    fn rank(&self) -> (bool, f64, Option<Nanos>) {
        let (energy, cpu) = match self {
            Self::App(row) => (row.energy, row.cpu),
            Self::Thread(row) => (row.energy, row.cpu),
        };
        (self.is_asked(), energy.rank(), cpu)
    }
}

/// The columns, by the width of the terminal.
struct Layout {
    scale: EnergyScale,
    name: usize,
    bar: bool,
    interval: Option<usize>,
    cpu: bool,
    most: f64,
}

impl SummaryPage<'_> {
    pub(super) fn consumers(&self, to: &mut String) {
        let mut lines = self.lines();
        // Heading and blank line, findings, quality and where to go on have their own.
        let others = 2 + self.lines_of_findings() + 1 + self.parts.next.len().min(1);
        shorten(&mut lines, LINES.saturating_sub(to.lines().count() + others));
        if lines.is_empty() {
            return;
        }
        let has_energy = lines.iter().any(|line| line.energy.0.is_some());
        if !has_energy {
            self.consumers_by_time(&lines, to);
            return;
        }
        let largest = |of: fn(&Line) -> Option<Joules>| {
            lines.iter().filter_map(of).fold(Joules::ZERO, Joules::max)
        };
        let scale = self.words.column(largest(|line| line.energy.joules()));
        let intervals = lines.iter().filter_map(|line| interval(line.energy, scale));
        let interval = intervals.map(|it| width(&it)).max();
        let layout = Layout {
            scale,
            name: 0,
            bar: self.columns >= WITH_BARS,
            interval: interval.filter(|_| self.columns >= WITH_INTERVALS).map(|it| it.max(13)),
            cpu: self.columns >= WITH_CPU && lines.iter().any(|line| line.cpu.is_some()),
            most: largest(|line| line.energy.joules()).value(),
        };
        let others = 12
            + layout.interval.map_or(0, |it| it + 3)
            + 9
            + if layout.bar { BAR_COLUMNS + 2 } else { 0 }
            + if layout.cpu { 11 } else { 0 };
        let longest = lines.iter().map(|line| width(&label(line))).max().unwrap_or_default();
        let layout = Layout { name: longest.min(self.columns.saturating_sub(others)), ..layout };
        self.heading(&layout, to);
        for line in &lines {
            self.row(line, &layout, to);
        }
        to.push('\n');
    }

    /// The rows: the apps that were asked for, then by energy; what nobody caused last.
    fn lines(&self) -> Vec<Line> {
        let by_threads = self.report.software.app.as_ref().is_some_and(|app| app.by_threads);
        let mut lines = if by_threads { self.asked_threads() } else { self.apps() };
        lines.extend(self.nobody());
        lines
    }

    /// Apps and programs, and threads whose process is not known, most energy first.
    fn apps(&self) -> Vec<Line> {
        let mut all = self.known_consumers();
        let has_threads = all.iter().any(|consumer| matches!(consumer, Consumer::Thread(_)));
        all.sort_by(|a, b| b.rank().partial_cmp(&a.rank()).unwrap_or(Ordering::Equal));
        let is_drawing = |consumer: &Consumer<'_>| matches!(consumer, Consumer::App(row) if row.is_app && row.energy.0.is_some());
        // The apps that were asked for, or else the first of all, or what took nearly everything.
        let shown = &all[..all.len().min(TOP)];
        let opened = shown.iter().position(Consumer::is_asked);
        let opened = opened
            .or_else(|| shown.iter().position(is_drawing))
            .or_else(|| shown.iter().position(Consumer::takes_all));
        // Threads are smaller than the programs that they are of.
        let most = if opened.is_none() && has_threads { TOP + PARTS } else { TOP };
        let is_only = shown.iter().filter(|consumer| consumer.is_asked()).count() == 1;
        let mut lines = Vec::new();
        for (at, consumer) in all.iter().take(most).enumerate() {
            match consumer {
                Consumer::Thread(row) => lines.push(self.thread(row)),
                Consumer::App(row) => {
                    lines.push(Line::app(row));
                    if opened == Some(at) {
                        // Methods are those of everything that was asked for.
                        let has_methods = if row.is_asked { is_only } else { consumer.takes_all() };
                        lines.extend(self.parts_of(row, has_methods));
                    }
                }
            }
        }
        lines
    }

    /// Those that have a name of their own.
    fn known_consumers(&self) -> Vec<Consumer<'_>> {
        let software = &self.report.software;
        let apps = software.consumers.iter().filter(|row| row.name != UNKNOWN_PROCESS);
        let threads = software.processes.iter().flat_map(|row| &row.threads);
        let of_none = threads.filter(|row| row.process.as_ref() == UNKNOWN_PROCESS);
        apps.map(Consumer::App).chain(of_none.map(Consumer::Thread)).collect()
    }

    /// The threads of what was asked for, most energy first, or else most time.
    fn asked_threads(&self) -> Vec<Line> {
        let threads = self.report.software.processes.iter().flat_map(|it| &it.threads);
        let mut rows: Vec<&ThreadRow> = threads.filter(|row| row.in_app).collect();
        rows.sort_by(|a, b| {
            b.energy.rank().total_cmp(&a.energy.rank()).then_with(|| b.cpu.cmp(&a.cpu))
        });
        rows.into_iter().take(TOP).map(|row| self.thread(row)).collect()
    }

    fn thread(&self, row: &ThreadRow) -> Line {
        let name = match (row.process.as_ref(), row.name.as_str()) {
            (UNKNOWN_PROCESS, "") => format!("thread {}", row.tid),
            (UNKNOWN_PROCESS, name) => format!("{name} (thread {})", row.tid),
            (process, "") => format!("thread {} of {process}", row.tid),
            (process, name) => format!("{name} of {process}"),
        };
        Line {
            name,
            tag: tag(row.is_recorder),
            energy: row.energy,
            share: row.energy.share_of(self.report.energy.total),
            cpu: row.cpu,
            is_part: false,
            is_nobody: false,
        }
    }

    /// The methods of an app with most energy of their own, if they are its alone, else its slices.
    fn parts_of(&self, app: &ConsumerRow, has_methods: bool) -> Vec<Line> {
        let software = &self.report.software;
        let total = self.report.energy.total;
        let line = |(name, energy, cpu): (String, Figure, Option<Nanos>)| Line {
            name,
            tag: "",
            energy,
            share: energy.share_of(total),
            cpu,
            is_part: true,
            is_nobody: false,
        };
        let code = software.code.as_ref().filter(|code| has_methods && code.has_methods());
        let mut parts: Vec<(String, Figure, Option<Nanos>)> = match code {
            Some(code) => code
                .methods
                .iter()
                .map(|row| (row.place.name.clone(), row.measures.own, None))
                .collect(),
            None => software
                .slices
                .iter()
                .filter(|slice| is_of(slice, app))
                .map(|row| (row.name.clone(), row.own, row.own_cpu))
                .collect(),
        };
        parts.retain(|(_, energy, _)| energy.joules().is_some_and(|it| it > Joules::ZERO));
        parts.sort_by(|a, b| b.1.rank().total_cmp(&a.1.rank()));
        parts.into_iter().take(PARTS).map(line).collect()
    }

    /// Energy of no app or program.
    fn nobody(&self) -> Vec<Line> {
        let total = self.report.energy.total;
        let of = |name: &str, classes: &[&str]| {
            let accounts = self.report.hardware.accounts.iter();
            let rows: Vec<&AccountRow> =
                accounts.filter(|row| classes.contains(&row.name.as_str())).collect();
            let energy = sum(rows.iter().map(|row| row.energy));
            let share = energy.share_of(total).filter(|share| *share >= WORTH_A_ROW)?;
            let name = name.to_owned();
            Some(Line {
                name,
                tag: "",
                energy,
                share: Some(share),
                cpu: None,
                is_part: false,
                is_nobody: true,
            })
        };
        let idle = of("idle and interrupts", &["idle floor", "interrupts"]);
        let unknown = of("no cause recorded", &["unattributed", "unmetered"]);
        idle.into_iter().chain(unknown).collect()
    }

    fn heading(&self, layout: &Layout, to: &mut String) {
        let mut line = StyledLine::default();
        line.add(Strong, "Top consumers");
        let mut end = 2 + layout.name + 2 + if layout.bar { BAR_COLUMNS + 2 } else { 0 };
        end += 8;
        line.add_right(Dim, layout.scale.name, end);
        if let Some(width) = layout.interval {
            end += width + 3;
            line.add_right(Dim, "90 % interval", end);
        }
        end += 9;
        line.add_right(Dim, "share", end);
        if layout.cpu {
            line.add_right(Dim, "CPU time", end + 11);
        }
        self.put(&line, to);
    }

    fn row(&self, row: &Line, layout: &Layout, to: &mut String) {
        let mut line = StyledLine::default();
        let tag = if row.tag.is_empty() { String::new() } else { format!("  {}", row.tag) };
        let indent = if row.is_part { "    " } else { "  " };
        let room = (2 + layout.name).saturating_sub(width(indent) + width(&tag));
        let style = if row.is_part { Dim } else { Plain };
        line.add(style, &format!("{indent}{}", fit_both_ends(&crate::clean(&row.name), room)));
        line.add(Warning, &tag);
        let mut end = 2 + layout.name + 2;
        line.pad(end);
        if layout.bar {
            let energy = row.energy.joules().map_or(0.0, Joules::value);
            line.add(Bar, &bar_within(Some(energy / layout.most), BAR_COLUMNS));
            end += BAR_COLUMNS + 2;
        }
        end += 8;
        let energy = row.energy.joules();
        let number = energy.map_or(NO_DATA.into(), |it| layout.scale.number_or_less(it));
        line.add_right(style_of(row.energy), &number, end);
        if let Some(width) = layout.interval {
            end += width + 3;
            let interval = interval(row.energy, layout.scale).unwrap_or_default();
            line.add_right(Dim, &interval, end);
        }
        end += 9;
        line.add_right(Dim, &percent(row.share), end);
        if layout.cpu {
            let cpu = row.cpu.map_or_else(String::new, |cpu| time(Some(cpu)));
            line.add_right(Plain, &cpu, end + 11);
        }
        self.put(&line, to);
    }

    /// The time on a CPU, if nothing has energy.
    fn consumers_by_time(&self, lines: &[Line], to: &mut String) {
        let mut lines: Vec<&Line> = lines.iter().filter(|line| line.cpu.is_some()).collect();
        if lines.is_empty() {
            return;
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.cpu));
        let longest = lines.iter().map(|line| width(&line.name)).max().unwrap_or_default();
        let name = longest.min(self.columns.saturating_sub(16)).max(14);
        let end = 2 + name + 12;
        let mut line = StyledLine::default();
        line.add(Strong, "Most CPU time").add_right(Dim, "CPU time", end);
        self.put(&line, to);
        for row in lines {
            let mut line = StyledLine::default();
            line.add(Plain, &format!("  {}", fit_both_ends(&crate::clean(&row.name), name)));
            line.add_right(Strong, &time(row.cpu), end);
            self.put(&line, to);
        }
        to.push('\n');
    }
}

/// Leaves out parts of apps, then consumers with least energy, until there are at most so many rows, or few.
fn shorten(lines: &mut Vec<Line>, room: usize) {
    const FEWEST: usize = 4;
    while lines.len() > room.max(FEWEST) {
        let part = lines.iter().rposition(|line| line.is_part);
        let consumer = || lines.iter().rposition(|line| !line.is_nobody);
        let Some(at) = part.or_else(consumer) else { break };
        lines.remove(at);
    }
}

/// The name of a program without the folder that it is in.
fn program_name(name: &str) -> &str {
    if name.is_empty() {
        return "(no name)";
    }
    let is_path = name.starts_with('/') && !name.contains(' ');
    name.rsplit('/').next().filter(|base| is_path && !base.is_empty()).unwrap_or(name)
}

/// The label of a row with its indentation, less that of the table.
fn label(line: &Line) -> String {
    let tag = if line.tag.is_empty() { String::new() } else { format!("  {}", line.tag) };
    let indent = if line.is_part { "  " } else { "" };
    format!("{indent}{}{tag}", line.name)
}

/// Whether a slice ran in a process of this app.
fn is_of(slice: &SliceRow, app: &ConsumerRow) -> bool {
    let is_named = process_base(&slice.process) == app.name;
    if app.is_asked { slice.in_app && (is_named || app.processes == 1) } else { is_named }
}

fn interval(figure: Figure, scale: EnergyScale) -> Option<String> {
    let interval = figure.interval().filter(|interval| interval.low < interval.high)?;
    let (low, high) = (scale.number(interval.low), scale.number(interval.high));
    Some(format!("{low}–{high}"))
}

/// The energies together. How far the sum may be off does not follow from how far each may be.
fn sum(figures: impl Iterator<Item = Figure>) -> Figure {
    let known: Vec<Estimate> = figures.filter_map(|figure| figure.0).collect();
    let provenance = known.iter().map(|estimate| estimate.provenance).max();
    let joules: Joules = known.iter().map(|estimate| estimate.joules).sum();
    Figure(provenance.map(|provenance| {
        let interval = Interval::exact(joules);
        Estimate { joules, interval, provenance }
    }))
}
