//! The lists of a report's page.

use serde::Serialize;
use wattle_table::Kind;

use super::page_table::{Choice, PageTable};
use super::strings::Strings;
use crate::model::{API_QUANTILES, QUANTILES, WITH_ENERGY, cases};
use crate::{
    CodeReport, ComponentRow, PeriodRow, Report, RuntimeTaxReport, TestRow, ThreadRow, WaitRow,
};

/// Rows of tests: a day of them in a page that is still fast.
const TESTS: usize = 1000;
/// Rows of what is short in any real recording: only ledgers made to break us have thousands.
const SHORT: usize = 200;

/// A table for each list; `None` where there is nothing to list.
#[derive(Serialize)]
pub struct Tables {
    threads: PageTable,
    waits: Option<PageTable>,
    slices: Option<PageTable>,
    tests: Option<PageTable>,
    cpus: Option<PageTable>,
    rails: Option<PageTable>,
    models: Option<PageTable>,
    runtime_classes: Option<PageTable>,
    runtime_processes: Option<PageTable>,
    spans: SpanTables,
    #[serde(flatten)]
    code: Option<CodeTables>,
}

/// The tables of frames, app starts, user journeys and states.
#[derive(Serialize)]
struct SpanTables {
    frame_groups: Option<PageTable>,
    frames: Option<PageTable>,
    startups: Option<PageTable>,
    journeys: Option<PageTable>,
    app_states: Option<PageTable>,
}

impl SpanTables {
    fn new(report: &Report, room: Room, names: &mut Strings) -> Self {
        let plain = room.choice(&[]);
        let spans = &report.spans;
        let most = room.nodes / 14;
        Self {
            frame_groups: some(&spans.frame_groups)
                .map(|rows| PageTable::new(rows.iter(), most, plain, names)),
            frames: some(&spans.frames).map(|rows| PageTable::new(rows.iter(), most, plain, names)),
            startups: some(&spans.startups).map(|rows| periods(report, rows, plain, names)),
            journeys: some(&spans.journeys).map(|rows| periods(report, rows, plain, names)),
            app_states: some(&spans.app_states)
                .map(|rows| PageTable::new(rows.iter(), most, plain, names)),
        }
    }
}

/// App starts or user journeys, with a column for each component that any of them used.
fn periods(
    report: &Report,
    rows: &[PeriodRow],
    choice: Choice<'_>,
    names: &mut Strings,
) -> PageTable {
    let mut table = PageTable::new(rows.iter(), SHORT, choice, names);
    if !choice.is_without_energy {
        let parts: Vec<Vec<ComponentRow>> = rows.iter().map(|row| row.components.clone()).collect();
        add_components(report, &parts, &mut table);
    }
    table
}

/// The tables of the app's code.
#[derive(Serialize)]
struct CodeTables {
    methods: PageTable,
    apis: PageTable,
    lines: PageTable,
    classes: PageTable,
    packages: PageTable,
}

/// A page with at most that many nodes in its call tree, and whether its report has energies.
#[derive(Clone, Copy)]
struct Room {
    nodes: usize,
    is_without_energy: bool,
}

impl Room {
    fn choice<'a>(self, cases: &'a [&'a str]) -> Choice<'a> {
        Choice { cases, is_without_energy: self.is_without_energy }
    }
}

impl Tables {
    /// With at most that many nodes in the call tree; lists are cut in proportion.
    pub fn new(report: &Report, waits: &[WaitRow], nodes: usize, names: &mut Strings) -> Self {
        let room = Room { nodes, is_without_energy: report.energy.total.0.is_none() };
        let plain = room.choice(&[]);
        let (hardware, software) = (&report.hardware, &report.software);
        let has_cpus = hardware.cpus.iter().any(|row| row.core.0.is_some() || row.busy.is_some());
        let cpus = has_cpus.then_some(&hardware.cpus);
        let rails = some(&hardware.rails);
        let models = some(&hardware.spread);
        let tax = software.runtime_tax.as_ref().filter(|tax| !tax.classes.is_empty());
        Self {
            threads: threads(report, room, names),
            waits: (!waits.is_empty())
                .then(|| PageTable::new(waits.iter(), nodes / 7, plain, names)),
            slices: some(&software.slices)
                .map(|rows| PageTable::new(rows.iter(), nodes / 7, plain, names)),
            tests: some(&report.tests.rows).map(|rows| tests(report, rows, plain, names)),
            cpus: cpus.map(|rows| PageTable::new(rows.iter(), SHORT, plain, names)),
            rails: rails.map(|rows| PageTable::new(rows.iter(), SHORT, plain, names)),
            models: models.map(|rows| PageTable::new(rows.iter(), SHORT, plain, names)),
            runtime_classes: tax.map(|tax| runtime_classes(report, tax, plain, names)),
            runtime_processes: tax.filter(|tax| tax.processes.len() > 1).map(|tax| {
                let choice = room.choice(&[WITH_ENERGY]);
                PageTable::new(tax.processes.iter(), SHORT, choice, names)
            }),
            spans: SpanTables::new(report, room, names),
            code: software.code.as_ref().map(|code| CodeTables::new(code, nodes / 28, names)),
        }
    }
}

fn some<T>(rows: &Vec<T>) -> Option<&Vec<T>> {
    Some(rows).filter(|rows| !rows.is_empty())
}

fn threads(report: &Report, room: Room, names: &mut Strings) -> PageTable {
    let mut rows: Vec<&ThreadRow> =
        report.software.processes.iter().flat_map(|process| &process.threads).collect();
    rows.sort_by(|a, b| {
        let energy = b.energy.rank().total_cmp(&a.energy.rank());
        energy.then(b.cpu.cmp(&a.cpu)).then(a.tid.cmp(&b.tid))
    });
    PageTable::new(rows.into_iter(), room.nodes / 3, room.choice(&[]), names)
}

/// Tests, with a column for each component that any of them used.
fn tests(report: &Report, rows: &[TestRow], choice: Choice<'_>, names: &mut Strings) -> PageTable {
    let mut table = PageTable::new(rows.iter(), TESTS, choice, names);
    if choice.is_without_energy {
        return table;
    }
    let units = report.energy.human_units.as_ref();
    if let Some(activity) = units.and_then(|units| units.reference.activities.first()) {
        let seconds = |row: &TestRow| Some(row.human.as_ref()?.activities.first()?.seconds.value);
        table.add(&activity.name, "amount-of-time", rows.iter().map(seconds));
    }
    let parts = |row: &TestRow| -> Vec<ComponentRow> {
        row.components.iter().map(|part| part.all.clone()).collect()
    };
    let parts: Vec<Vec<ComponentRow>> = rows.iter().map(parts).collect();
    add_components(report, &parts, &mut table);
    table
}

fn runtime_classes(
    report: &Report,
    tax: &RuntimeTaxReport,
    choice: Choice<'_>,
    names: &mut Strings,
) -> PageTable {
    let rows = tax.shares();
    let mut table = PageTable::new(rows.iter(), SHORT, choice, names);
    let parts: Vec<Vec<ComponentRow>> = rows.into_iter().map(|row| row.components).collect();
    add_components(report, &parts, &mut table);
    table
}

/// A column for each of the report's components that occurs in a row, in their order.
fn add_components(report: &Report, rows: &[Vec<ComponentRow>], table: &mut PageTable) {
    for component in &report.hardware.components {
        let part = |row: &Vec<ComponentRow>| {
            let part = row.iter().find(|part| part.name == component.name)?;
            part.energy.joules().map(wattle_units::Joules::value)
        };
        let occurs = rows.iter().flatten().any(|part| part.name == component.name);
        if occurs {
            table.add(&component.name, Kind::Joules.name(), rows.iter().map(part));
        }
    }
}

impl CodeTables {
    fn new(code: &CodeReport, most: usize, names: &mut Strings) -> Self {
        let of = |cases| Choice { cases, is_without_energy: false };
        let mut method_cases = code.cases(code.methods.iter().map(|row| &row.measures));
        method_cases.push(if code.api_leads { API_QUANTILES } else { QUANTILES });
        let class_cases = code.cases(code.classes.iter().map(|row| &row.sums.measures));
        let line_cases = code.line_cases(code.lines().iter());
        let has_energy = code.apis.iter().any(|row| row.total.0.is_some());
        let api_cases = cases(has_energy, false, false);
        Self {
            methods: PageTable::new(code.methods.iter(), most, of(&method_cases), names),
            apis: PageTable::new(code.apis.iter(), most, of(&api_cases), names),
            lines: PageTable::new(code.lines().iter(), most * 2, of(&line_cases), names),
            classes: PageTable::new(code.classes.iter(), most, of(&class_cases), names),
            packages: PageTable::new(code.packages.iter(), most, of(&class_cases), names),
        }
    }
}
