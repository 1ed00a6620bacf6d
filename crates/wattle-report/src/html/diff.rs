//! Two ledgers held against each other as one HTML file.

use serde::Serialize;
use wattle_compare::Verdict;
use wattle_ledger::Ledger;
use wattle_units::{Interval, Joules};

use super::app_page;
use super::fitted::{HOSTED_DATA_LIMIT, HTML_LIMIT, fitted};
use super::strings::{Strings, five_digits};
use super::tree::class_number;
use crate::clean::clean_texts;
use crate::flame::{Compared, DiffReport, FlameGraph, FlameKind, FlameNode, FlameOptions};
use crate::{ChangedMethodRow, MergedNodes, Per, PerError, ReportError};

/// Nodes that a page starts out with.
const NODES: usize = 5000;

/// Methods that a page has at most: those that changed by most.
const METHODS: usize = 1500;

/// Columns of energies: `NaN` is no JSON, so that what is not known is `null`.
#[derive(Default, Serialize)]
struct Energies {
    before: Vec<Option<f64>>,
    after: Vec<Option<f64>>,
    /// Of its own: of two rounded figures it would be wrong where little changed.
    difference: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    /// Places of verdicts in [`Verdict::NAMES`].
    verdict: Vec<Option<usize>>,
}

impl Energies {
    fn push(&mut self, energy: &Compared) {
        let value = |joules: Option<Joules>| joules.map(|joules| five_digits(joules.value()));
        self.before.push(value(energy.before.joules()));
        self.after.push(value(energy.after.joules()));
        self.difference.push(value(energy.change.map(|change| change.joules)));
        self.low.push(value(energy.change.map(|change| change.interval.low)));
        self.high.push(value(energy.change.map(|change| change.interval.high)));
        let place = |verdict: Verdict| Verdict::NAMES.iter().position(|it| *it == verdict.name());
        self.verdict.push(energy.verdict().and_then(place));
    }
}

/// Methods as columns.
#[derive(Default, Serialize)]
struct Methods {
    name: Vec<usize>,
    process: Vec<usize>,
    class: Vec<u8>,
    calls_before: Vec<Option<u64>>,
    calls_after: Vec<Option<u64>>,
    samples_before: Vec<Option<u64>>,
    samples_after: Vec<Option<u64>>,
    own: Energies,
    total: Energies,
    left_out: usize,
}

impl Methods {
    fn new(rows: &[ChangedMethodRow], most: usize, names: &mut Strings) -> Self {
        let mut methods = Self { left_out: rows.len().saturating_sub(most), ..Self::default() };
        for row in rows.iter().take(most) {
            methods.name.push(names.id(&row.name));
            methods.process.push(names.id(&row.process));
            methods.class.push(class_number(row.class));
            methods.calls_before.push(row.before.map(|run| run.calls));
            methods.calls_after.push(row.after.map(|run| run.calls));
            methods.samples_before.push(row.before.map(|run| run.samples));
            methods.samples_after.push(row.after.map(|run| run.samples));
            methods.own.push(&row.own);
            methods.total.push(&row.total);
        }
        methods
    }
}

/// An energy of the nodes that have one: all components, or one.
#[derive(Serialize)]
struct Column {
    name: String,
    /// Nodes with such an energy: distance to the one before.
    at: Vec<usize>,
    /// Own energies in `unit`.
    before: Vec<i64>,
    after: Vec<i64>,
    /// Interval of the difference of the own energies.
    own_low: Vec<i64>,
    own_high: Vec<i64>,
    /// Of those with all below the node.
    low: Vec<i64>,
    high: Vec<i64>,
    #[serde(skip)]
    last: usize,
}

/// The merged call tree in preorder, as columns.
#[derive(Serialize)]
struct DiffTree {
    unit: f64,
    depth: Vec<u32>,
    kind: Vec<u8>,
    class: Vec<u8>,
    name: Vec<usize>,
    /// 1 in the first run, 2 in the second, 3 in both.
    runs: Vec<u8>,
    calls_before: Vec<u64>,
    calls_after: Vec<u64>,
    samples_before: Vec<u64>,
    samples_after: Vec<u64>,
    cpu_us_before: Vec<i64>,
    cpu_us_after: Vec<i64>,
    columns: Vec<Column>,
    left_out: u64,
    left_out_below: Option<Joules>,
}

impl DiffTree {
    fn new(graph: &FlameGraph, names: &mut Strings) -> Self {
        let root = graph.nodes.first();
        let whole = root.map_or(0.0, |root| root.total.size());
        let mut tree = Self {
            unit: if whole > 0.0 { whole * 1e-8 } else { 1.0 },
            depth: Vec::new(),
            kind: Vec::new(),
            class: Vec::new(),
            name: Vec::new(),
            runs: Vec::new(),
            calls_before: Vec::new(),
            calls_after: Vec::new(),
            samples_before: Vec::new(),
            samples_after: Vec::new(),
            cpu_us_before: Vec::new(),
            cpu_us_after: Vec::new(),
            columns: vec![Column::new("all components")],
            left_out: graph.left_out,
            left_out_below: graph.left_out_below_joules,
        };
        let components = root.map(|root| root.components.as_slice()).unwrap_or_default();
        tree.columns.extend(components.iter().map(|part| Column::new(part.name.name())));
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
        for (at, node) in graph.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(at);
            }
        }
        let mut stack = vec![(0, 0)];
        while let Some((at, depth)) = stack.pop() {
            let Some(node) = graph.nodes.get(at) else { break };
            tree.row(node, depth, names);
            // The largest first: the stack is popped from its end.
            let mut below = std::mem::take(&mut children[at]);
            let size = |at: usize| graph.nodes[at].total.size();
            below.sort_by(|a, b| size(*a).total_cmp(&size(*b)));
            stack.extend(below.into_iter().map(|child| (child, depth + 1)));
        }
        tree
    }

    fn row(&mut self, node: &FlameNode, depth: u32, names: &mut Strings) {
        let row = self.depth.len();
        self.depth.push(depth);
        self.kind.push(kind_number(node.kind));
        self.class.push(class_number(node.class));
        self.name.push(names.id(&node.name));
        let (before, after) = (node.before.unwrap_or_default(), node.after.unwrap_or_default());
        self.runs.push(u8::from(node.before.is_some()) + 2 * u8::from(node.after.is_some()));
        self.calls_before.push(before.calls);
        self.calls_after.push(after.calls);
        self.samples_before.push(before.samples);
        self.samples_after.push(after.samples);
        self.cpu_us_before.push(before.cpu.value() / 1000);
        self.cpu_us_after.push(after.cpu.value() / 1000);
        let unit = self.unit;
        self.columns[0].push(row, unit, &node.own, &node.total);
        for part in &node.components {
            let of = self.columns.iter_mut().skip(1);
            let column = of.into_iter().find(|column| column.name == part.name.name());
            if let Some(column) = column {
                column.push(row, unit, &part.own, &part.total);
            }
        }
    }
}

impl Column {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            at: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            own_low: Vec::new(),
            own_high: Vec::new(),
            low: Vec::new(),
            high: Vec::new(),
            last: 0,
        }
    }

    fn push(&mut self, row: usize, unit: f64, own: &Compared, total: &Compared) {
        let units = |joules: Joules| (joules.value() / unit).round() as i64;
        let interval = |of: &Compared| {
            of.change.map_or(Interval::exact(Joules::ZERO), |change| change.interval)
        };
        self.at.push(row - self.last);
        self.last = row;
        self.before.push(units(own.before.joules().unwrap_or_default()));
        self.after.push(units(own.after.joules().unwrap_or_default()));
        self.own_low.push(units(interval(own).low));
        self.own_high.push(units(interval(own).high));
        self.low.push(units(interval(total).low));
        self.high.push(units(interval(total).high));
    }
}

/// Numbers of `compare-model.js`.
const fn kind_number(kind: FlameKind) -> u8 {
    match kind {
        FlameKind::Root => 0,
        FlameKind::Process => 1,
        FlameKind::Thread => 2,
        FlameKind::Call => 3,
        FlameKind::Account | FlameKind::OtherProcesses => 4,
        FlameKind::Rest => 5,
    }
}

/// Data of the page's scripts: small parts as in the JSON form, the rest as columns.
#[derive(Serialize)]
struct Data<'a> {
    report: serde_json::Value,
    /// Short names of both runs.
    titles: serde_json::Value,
    methods: Methods,
    tree: DiffTree,
    names: &'a Strings,
}

/// Two ledgers with the names of their files, held against each other, as one HTML file. Where call paths are too many, the smallest ones are summed
/// up, and the page says how many and how large.
pub fn diff_html(
    runs: [(&str, &Ledger); 2],
    per: &Per,
    options: &FlameOptions,
) -> Result<String, DiffPageError> {
    let titles = runs.map(|(name, _)| last_part(name));
    fitted(NODES, 2, HTML_LIMIT, |nodes| {
        let report = DiffReport::new(runs, per, options, MergedNodes(nodes.max(1)))?;
        Ok(app_page::diff(&data_of(&report, titles, METHODS * nodes / NODES)?))
    })
}

/// The data of the same page as JSON, for a host that serves it apart from the page ([`hosted_page`](crate::hosted_page)). It is no
/// larger than [`HOSTED_DATA_LIMIT`]. Names of runs are shown whole: they are no files.
pub fn diff_data(
    runs: [(&str, &Ledger); 2],
    per: &Per,
    options: &FlameOptions,
) -> Result<String, DiffPageError> {
    let titles = runs.map(|(name, _)| name);
    fitted(NODES, 2, HOSTED_DATA_LIMIT, |nodes| {
        let report = DiffReport::new(runs, per, options, MergedNodes(nodes.max(1)))?;
        Ok(data_of(&report, titles, METHODS * nodes / NODES)?)
    })
}

/// A file's name without its folders.
fn last_part(name: &str) -> &str {
    name.rsplit('/').find(|part| !part.is_empty()).unwrap_or(name)
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiffPageError {
    /// It cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// There is nothing to compare by.
    #[error(transparent)]
    Per(#[from] PerError),
}

fn data_of(report: &DiffReport, titles: [&str; 2], methods: usize) -> Result<String, ReportError> {
    let mut names = Strings::default();
    let tree = DiffTree::new(&report.graph, &mut names);
    let methods = Methods::new(&report.methods, methods, &mut names);
    let small = DiffReport {
        methods: Vec::new(),
        graph: FlameGraph { nodes: Vec::new(), ..report.graph },
        ..report.clone()
    };
    let mut report = serde_json::to_value(small)?;
    clean_texts(&mut report);
    let mut titles = serde_json::to_value(titles)?;
    clean_texts(&mut titles);
    Ok(serde_json::to_string(&Data { report, titles, methods, tree, names: &names })?)
}
