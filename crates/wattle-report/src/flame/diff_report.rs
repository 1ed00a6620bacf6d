//! Two ledgers held against each other.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use wattle_compare::Threshold;
use wattle_ledger::Ledger;
use wattle_power::{ComparedRun, Component, ErrorBasis, SourceTotals};
use wattle_table::{Column, Declared, Row, describe};
use wattle_units::Nanos;

use super::comparability::{is_same_model, objections, other_sizes};
use super::forest::{AddedRun, Forest, left_out};
use super::graph::{Figures, watched};
use super::methods::methods;
use super::renamed_methods::renamed;
use super::{
    ChangedMethodRow, Compared, CpuTimeDiff, FlameGraph, FlameKind, FlameNode, FlameOptions,
    Objection, ObjectionWeight, Per, PerError, PerUnit, RenamedMethodRow,
};
use crate::model::{Estimator, Tally, chosen, covered_in_words};

/// The form of the JSON.
pub const DIFF_SCHEMA: &str = "wattle-diff/1";

/// One of the two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffRun {
    /// Its name: the file it comes from.
    pub name: String,
    /// The device's model, or its code name.
    pub device: Option<String>,
    /// The device model behind its figures.
    pub model: Option<String>,
    /// The packages that it was recorded of.
    pub apps: Vec<String>,
    /// Its length.
    pub duration: Nanos,
    /// The components and the time that its total covers, in words; `None` for ledgers of earlier versions.
    pub covers: Option<String>,
    /// Packages that were asked for and are not in it.
    pub missing_apps: Vec<String>,
}

/// A figure that the comparison opens with.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline<'a> {
    /// The app, `device`, or which part of it both runs know.
    pub name: String,
    /// In both runs.
    pub energy: Compared,
    /// The same by component.
    pub components: Vec<(&'a Component, Compared)>,
}

/// The energy of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffTotalRow {
    /// Which.
    pub name: Component,
    /// In both runs; no change where one of them does not know it.
    pub energy: Compared,
}

/// Number of nodes of the merged call tree that a report carries, besides those that stand for omitted nodes. Default
/// is 5000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedNodes(pub usize);

impl Default for MergedNodes {
    fn default() -> Self {
        Self(5000)
    }
}

/// Two ledgers held against each other: totals, methods, the merged call tree.
///
/// Components that one of both does not know are in [`Self::components`] without a change and nowhere else: no data is not 0.
/// The sum of the changes of all nodes' own energy is the change of [`Self::total`].
#[derive(Clone, Debug, PartialEq)]
pub struct DiffReport {
    /// [`DIFF_SCHEMA`].
    pub schema: &'static str,
    /// The first run.
    pub before: DiffRun,
    /// The second.
    pub after: DiffRun,
    /// Divisor of the figures of both. Energies are joules of that.
    pub per: PerUnit,
    /// Packages whose processes are shown; the others are one node.
    pub apps: Vec<String>,
    /// Whether both rest on the same numbers of one model, so that its errors are common and cancel where nothing changed.
    pub has_common_errors: bool,
    /// Differences that matter.
    pub threshold: Threshold,
    /// Why the figures are not comparable, or less than they look; refusals first.
    pub objections: Vec<Objection>,
    /// All components that both know.
    pub total: Compared,
    /// Each component, most energy first.
    pub components: Vec<DiffTotalRow>,
    /// Methods, slices and frames, those that changed by most in sum first.
    pub methods: Vec<ChangedMethodRow>,
    /// Removed and new methods that are probably one method under two names. They have rows of their own in [`Self::methods`].
    pub renames: Vec<RenamedMethodRow>,
    /// Time on CPUs, where no component has a known energy in both.
    pub cpu_times: Option<CpuTimeDiff>,
    /// The merged call tree.
    pub graph: FlameGraph,
}

describe!(
    DiffRun,
    "run",
    "one of the two runs",
    [
        Column::text("name", "the file it comes from", |row: &DiffRun| &row.name),
        Column::maybe_text("device", "the device's model, or its code name", |row: &DiffRun| row
            .device
            .as_deref()),
        Column::maybe_text("model", "the device model behind its figures", |row: &DiffRun| row
            .model
            .as_deref()),
        Column::texts("apps", "packages that it was recorded of", |row: &DiffRun| &row.apps),
        Column::time("duration_s", "its length", |row: &DiffRun| row.duration),
        Column::maybe_text(
            "covers",
            "the components and the time that its total covers, in words",
            |row: &DiffRun| row.covers.as_deref()
        ),
        Column::texts(
            "missing_apps",
            "packages that were asked for and are not in it",
            |row: &DiffRun| { &row.missing_apps }
        ),
    ]
);

describe!(
    DiffTotalRow,
    "component_row",
    "energy of a component",
    [
        Column::text("name", "the component", |row: &DiffTotalRow| row.name.name()),
        Column::flat::<Compared>(|row: &DiffTotalRow| &row.energy),
    ]
);

describe!(
    DiffReport,
    "diff",
    "The comparison of two ledgers. Words are explained in docs/diff.md.",
    [
        Column::text("schema", "name and version of the JSON form", |row: &DiffReport| row.schema)
            .words(&[DIFF_SCHEMA]),
        Column::object::<DiffRun>("before", "the first run", |row: &DiffReport| &row.before),
        Column::object::<DiffRun>("after", "the second run", |row: &DiffReport| &row.after),
        Column::object::<PerUnit>(
            "per",
            "divisor of the figures of both runs",
            |row: &DiffReport| &row.per
        ),
        Column::texts(
            "apps",
            "packages whose processes are shown; the others are one node",
            |row: &DiffReport| &row.apps
        ),
        Column::flag(
            "has_common_errors",
            "whether both runs rest on the same numbers of one model, whose errors cancel where nothing changed",
            |row: &DiffReport| row.has_common_errors
        ),
        Column::object::<Threshold>(
            "threshold",
            "the least difference that matters",
            |row: &DiffReport| &row.threshold
        ),
        Column::list::<Objection>(
            "objections",
            "reasons why the figures are not comparable, or less than they look; refusals first",
            |row: &DiffReport| &row.objections
        ),
        Column::object::<Compared>(
            "total",
            "all components that both runs know",
            |row: &DiffReport| { &row.total }
        ),
        Column::list::<DiffTotalRow>(
            "components",
            "most energy first; those that one run does not know have no difference",
            |row: &DiffReport| &row.components
        ),
        Column::list::<ChangedMethodRow>(
            "methods",
            "largest absolute change of total first",
            |row: &DiffReport| &row.methods
        ),
        Column::list::<RenamedMethodRow>(
            "renames",
            "removed and new methods that are probably one method under two names; largest change first",
            |row: &DiffReport| &row.renames
        ),
        Column::maybe_object::<CpuTimeDiff>(
            "cpu_times",
            "time on CPUs; absent where a component has a known energy in both runs",
            |row: &DiffReport| row.cpu_times.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::flat::<FlameGraph>(|row: &DiffReport| &row.graph),
    ]
);

impl Serialize for DiffReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}

impl DiffReport {
    /// Of two ledgers with their names, the one before first.
    pub fn new(
        runs: [(&str, &Ledger); 2],
        per: &Per,
        options: &FlameOptions,
        MergedNodes(most): MergedNodes,
    ) -> Result<Self, PerError> {
        let ledgers = runs.map(|(_, ledger)| ledger);
        let unit = per.of(ledgers)?;
        let factors = unit.factors();
        let totals = [0, 1].map(|run: usize| {
            let own = ledgers[run].bookings.iter();
            own.map(|booking| (booking.source, booking.joules * factors[run]))
                .collect::<SourceTotals>()
        });
        let is_same_model = is_same_model(ledgers);
        let has_common_errors = is_same_model && other_sizes(ledgers).is_empty();
        let basis = ErrorBasis::new(
            [(&ledgers[0].power.errors, &totals[0]), (&ledgers[1].power.errors, &totals[1])],
            is_same_model,
        );
        let mut forest = Forest::new(common_components(ledgers));
        for run in ComparedRun::BOTH {
            let (ledger, factor) = (ledgers[run.index()], factors[run.index()]);
            forest.add(&AddedRun { ledger, run, basis: &basis, factor }, options);
        }
        let watched = watched(&forest, ledgers.map(Some));
        let threshold = options.threshold.scaled(factors);
        let figures = Figures { basis: &basis, watched, threshold };
        let methods = methods(&forest, &figures);
        let renames = renamed(&forest, &methods);
        let (pruned, left_out) = forest.pruned(most);
        let graph = figures.graph(&pruned, left_out);
        let root = graph.nodes.first();
        let total = root.map(|root| root.total).unwrap_or_default();
        let components = components(ledgers, &forest, &figures, &graph, factors);
        let [before, after] = runs.map(|(name, ledger)| DiffRun::new(name, ledger, options));
        let cpu_times =
            (total.change.is_none()).then(|| CpuTimeDiff::new(ledgers, &unit, &options.apps));
        Ok(Self {
            schema: DIFF_SCHEMA,
            before,
            after,
            per: unit,
            apps: options.apps.clone(),
            has_common_errors,
            threshold,
            objections: objections(ledgers, per),
            total,
            components,
            methods,
            renames,
            cpu_times,
            graph,
        })
    }

    /// The figures that a reader asks for first: the apps that both runs were recorded of or that were asked for, then all that both runs know.
    pub fn headlines(&self) -> Vec<Headline<'_>> {
        let asked = if self.apps.is_empty() { &self.before.apps } else { &self.apps };
        let is_asked =
            |node: &&FlameNode| node.kind == FlameKind::Process && asked.contains(&node.name);
        let of_apps = self.graph.nodes.iter().filter(is_asked).map(|node| Headline {
            name: node.name.clone(),
            energy: node.total,
            components: node.components.iter().map(|part| (&part.name, part.total)).collect(),
        });
        let components = self.components.iter().map(|row| (&row.name, row.energy));
        let whole =
            Headline { name: self.scope(), energy: self.total, components: components.collect() };
        of_apps.chain([whole]).collect()
    }

    /// The name of the total: a part never goes by the name of the whole.
    fn scope(&self) -> String {
        let known: Vec<&DiffTotalRow> =
            self.components.iter().filter(|row| row.energy.change.is_some()).collect();
        match known.as_slice() {
            [only] if only.name.title() == "CPU" || self.components.len() > 1 => {
                only.name.title().to_owned()
            }
            known if known.len() < self.components.len() => {
                format!("{} components known in both", known.len())
            }
            _ => "device".to_owned(),
        }
    }

    /// Why the difference should not be shown.
    pub fn refusals(&self) -> impl Iterator<Item = &Objection> {
        self.objections.iter().filter(|objection| objection.weight == ObjectionWeight::Refusal)
    }

    /// Whether there is an energy that both runs know.
    pub fn has_energy(&self) -> bool {
        self.total.change.is_some()
    }
}

impl DiffRun {
    fn new(name: &str, ledger: &Ledger, options: &FlameOptions) -> Self {
        let device = ledger.recording.device.title();
        Self {
            name: name.to_owned(),
            device: device.map(str::to_owned),
            model: ledger.power.model.as_ref().map(|model| model.name.clone()),
            apps: ledger.recording.apps.clone(),
            duration: ledger.recording.window.duration(),
            covers: covered_in_words(ledger),
            missing_apps: chosen(ledger, &options.apps).missing,
        }
    }
}

/// Components that both ledgers know, in the first one's order.
pub(super) fn common_components([before, after]: [&Ledger; 2]) -> Vec<Component> {
    let is_in = |name: &Component| after.rows.components.iter().any(|entry| entry.name == *name);
    let names = before.rows.components.iter().map(|entry| entry.name.clone());
    names.filter(is_in).collect()
}

fn components(
    ledgers: [&Ledger; 2],
    forest: &Forest,
    figures: &Figures<'_>,
    graph: &FlameGraph,
    factors: [f64; 2],
) -> Vec<DiffTotalRow> {
    let of_root = |name: &Component| {
        let root = graph.nodes.first()?;
        root.components.iter().find(|part| part.name == *name).map(|part| part.total)
    };
    let mut rows: Vec<DiffTotalRow> = forest
        .components
        .iter()
        .enumerate()
        .map(|(at, name)| {
            // Watched, and nothing drawn.
            let nothing = || figures.compared([&Tally::default(); 2], figures.watched[at]);
            DiffTotalRow { name: name.clone(), energy: of_root(name).unwrap_or_else(nothing) }
        })
        .collect();
    let mut alone: BTreeMap<Component, Compared> = BTreeMap::new();
    for run in ComparedRun::BOTH {
        let ledger = ledgers[run.index()];
        let estimator = Estimator::new(ledger);
        for (name, tally) in left_out(ledger, &forest.components) {
            let figure = estimator.figure(&tally, None).scaled(factors[run.index()]);
            let row = alone.entry(name).or_default();
            match run {
                ComparedRun::Before => row.before = figure,
                ComparedRun::After => row.after = figure,
            }
        }
    }
    rows.extend(alone.into_iter().map(|(name, energy)| DiffTotalRow { name, energy }));
    rows.sort_by(|a, b| b.energy.size().total_cmp(&a.energy.size()).then(a.name.cmp(&b.name)));
    rows
}
