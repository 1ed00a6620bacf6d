//! A forest as rows: what `wattle top` prints where nobody sits at a terminal.

use serde::{Serialize, Serializer};
use wattle_ledger::ComponentId;
use wattle_table::{Column, Declared, Row, describe};
use wattle_units::{Joules, Nanos};

use super::{EnergyForest, EnergyPaths, ForestColumn, ForestKind, ForestNode, ForestView};
use crate::Figure;
use crate::model::{EnergyCoverageReport, NoEnergy};

/// The name and version of the JSON form.
pub const TOP_SCHEMA: &str = "wattle-top/1";

/// Options of a list of a forest.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TopOptions {
    /// The hierarchy. Default is the calls.
    pub view: ForestView,
    /// Number of levels. Default is 12.
    pub depth: u32,
    /// Nodes of less than this part of everything are left out; their sum is not. Default is 0.01.
    pub least_share: f64,
    /// Column to sort by; `None` is energy, CPU time if there is none. Default is none.
    pub sort: Option<ForestColumn>,
    /// Whether the smallest comes first. Default is no.
    pub ascending: bool,
    /// Processes of the app alone. Default is no.
    pub app_only: bool,
}

impl Default for TopOptions {
    fn default() -> Self {
        Self {
            view: ForestView::Calls,
            depth: 12,
            least_share: 0.01,
            sort: None,
            ascending: false,
            app_only: false,
        }
    }
}

/// A forest as rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TopReport {
    /// [`TOP_SCHEMA`].
    pub schema: &'static str,
    /// `calls`, `callers` or `functions`.
    pub by: &'static str,
    /// Everything that was booked.
    pub total: Figure,
    /// The components and the time that the total covers; `None` without energy, and for ledgers of earlier versions.
    pub coverage: Option<EnergyCoverageReport>,
    /// Why there is no energy; `None` when there is.
    pub no_energy_reason: Option<String>,
    /// Whether CPU times are known.
    pub has_scheduler: bool,
    /// Names of components, in the order of the rows' columns.
    pub components: Vec<String>,
    /// Rows, callers before their callees.
    pub rows: Vec<ForestRow>,
}

describe!(
    TopReport,
    "top",
    "The call tree of a ledger by energy: wattle top --json. Words are explained in docs/top.md.",
    [
        Column::text("schema", "name and version of the JSON form", |row: &TopReport| row.schema)
            .words(&[TOP_SCHEMA]),
        Column::text("by", "the hierarchy", |row: &TopReport| row.by).words(&[
            "calls",
            "callers",
            "functions"
        ]),
        Column::energy("", "energy of everything", |row: &TopReport| row.total.0),
        Column::maybe_object::<EnergyCoverageReport>(
            "energy_coverage",
            "the components and the time that the total covers; absent without energy, and for ledgers of earlier versions",
            |row: &TopReport| row.coverage.as_ref().map(|it| it as &dyn Row)
        )
        .optional(),
        Column::maybe_text(
            "no_energy_reason",
            "why there is no energy; null when there is",
            |row: &TopReport| row.no_energy_reason.as_deref()
        ),
        Column::flag("has_scheduler", "whether CPU times are known", |row: &TopReport| row
            .has_scheduler),
        Column::texts("components", "names of all components", |row: &TopReport| &row.components),
        Column::list::<ForestRow>("rows", "callers before their callees", |row: &TopReport| &row
            .rows),
    ]
);

impl Serialize for TopReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Declared(self).serialize(to)
    }
}

/// Kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForestRowKind {
    /// A process.
    Process,
    /// A thread.
    Thread,
    /// A function, slice or frame.
    Function,
    /// An account without call path.
    Account,
    /// All siblings together that are too small to be listed.
    Rest,
}

/// A row.
#[derive(Clone, Debug)]
pub struct ForestRow {
    /// Number of rows above it.
    pub depth: u32,
    /// The row that it hangs below, by index.
    pub parent: Option<usize>,
    /// Its kind.
    pub kind: ForestRowKind,
    /// Its name.
    pub name: String,
    /// With all below it.
    pub energy: Figure,
    /// Of its own.
    pub self_joules: Option<Joules>,
    /// Its part of everything.
    pub share: Option<f64>,
    /// Time on a CPU with all below it.
    pub cpu_s: Option<f64>,
    /// Calls that were recorded.
    pub calls: u64,
    /// Samples with all below it.
    pub samples: u64,
    /// Components that drew it, with all below it.
    pub components: Vec<ForestComponent>,
    /// Whether something hangs below it that is deeper than rows go.
    pub is_cut: bool,
}

describe!(
    ForestRow,
    "row",
    "a process, a thread, a function, an account without call path, or the siblings that are too small to be listed",
    [
        Column::id("depth", "number of rows above it", |row: &ForestRow| row.depth),
        Column::maybe_count(
            "parent",
            "the row that it hangs below, an index into rows; null at the top",
            |row: &ForestRow| row.parent.map(|it| it as u64)
        ),
        Column::word(
            "kind",
            "its kind",
            &["process", "thread", "function", "account", "rest"],
            |row: &ForestRow| Some(&row.kind)
        ),
        Column::text("name", "its name", |row: &ForestRow| &row.name),
        Column::energy("", "energy with all below it", |row: &ForestRow| row.energy.0),
        Column::maybe_joules("self_joules", "energy of its own", |row: &ForestRow| row
            .self_joules
            .map(Joules::value)),
        Column::share("share", "part of everything, 0 to 1", |row: &ForestRow| row.share),
        Column::maybe_number("cpu_s", "time on a CPU with all below it", |row: &ForestRow| row
            .cpu_s),
        Column::count("calls", "recorded calls", |row: &ForestRow| row.calls),
        Column::count("samples", "samples with all below it", |row: &ForestRow| row.samples),
        Column::list::<ForestComponent>(
            "components",
            "energies by component, with all below it",
            |row: &ForestRow| &row.components
        ),
        Column::flag(
            "is_cut",
            "whether something hangs below it that is deeper than rows go",
            |row: &ForestRow| { row.is_cut }
        ),
    ]
);

/// Energy of one component.
#[derive(Clone, Debug)]
pub struct ForestComponent {
    /// The component.
    pub name: String,
    /// Its energy.
    pub joules: Joules,
}

describe!(
    ForestComponent,
    "component",
    "energy of one component",
    [
        Column::text("name", "the component", |row: &ForestComponent| &row.name),
        Column::joules("joules", "its energy", |row: &ForestComponent| row.joules.value()),
    ]
);

/// Why there is no energy.
fn no_energy(paths: &EnergyPaths<'_>) -> Option<String> {
    paths.everything().0.is_none().then(|| NoEnergy::new(paths.ledger()).to_string())
}

impl TopReport {
    /// Lists a ledger's call paths.
    pub fn new(paths: &EnergyPaths<'_>, options: &TopOptions) -> Self {
        let mut forest = EnergyForest::new(paths, options.view, options.app_only);
        let (first, _) = forest.order();
        let column = options.sort.unwrap_or(first);
        forest.sort(paths, column, !options.ascending);
        let components = paths.ledger().rows.components.iter();
        let mut report = Self {
            schema: TOP_SCHEMA,
            by: match options.view {
                ForestView::Calls => "calls",
                ForestView::Callers => "callers",
                ForestView::Functions => "functions",
            },
            total: paths.everything(),
            coverage: EnergyCoverageReport::of_ledger(paths.ledger()),
            no_energy_reason: no_energy(paths),
            has_scheduler: paths.ledger().recording.has_scheduler,
            components: components.map(|component| component.name.name().to_owned()).collect(),
            rows: Vec::new(),
        };
        let roots = forest.roots().to_vec();
        let whole = whole(paths, &forest, &roots, first);
        let measured = (first, whole, options.least_share);
        // By hand: call stacks of a trace can be deeper than ours.
        let mut open = vec![(None, listed(paths, &forest, (None, &roots), measured).into_iter())];
        while let Some((parent, next)) = open.last_mut() {
            let parent = *parent;
            let node = match next.next() {
                None => {
                    open.pop();
                    continue;
                }
                Some(Listed::Rest(row)) => {
                    report.rows.push(*row);
                    continue;
                }
                Some(Listed::Node(node)) => node,
            };
            let at = report.rows.len();
            report.rows.push(row(paths, &forest, node, parent));
            if !forest.has_children(paths, node) {
                continue;
            }
            if forest.depth(node) + 1 >= options.depth {
                report.rows[at].is_cut = true;
                continue;
            }
            let children = forest.children(paths, node).to_vec();
            open.push((
                Some(at),
                listed(paths, &forest, (Some(at), &children), measured).into_iter(),
            ));
        }
        report
    }
}

enum Listed {
    Node(ForestNode),
    Rest(Box<ForestRow>),
}

/// Those of siblings that are large enough, and the rest as one.
fn listed(
    paths: &EnergyPaths<'_>,
    forest: &EnergyForest,
    (parent, siblings): (Option<usize>, &[ForestNode]),
    (measure, whole, least_share): (ForestColumn, f64, f64),
) -> Vec<Listed> {
    let is_large = |node: &&ForestNode| {
        let value = forest.value(paths, **node, measure);
        // Nothing is left out for a measure that there is not.
        whole <= 0.0 || value.is_some_and(|value| value / whole >= least_share)
    };
    let (large, small): (Vec<&ForestNode>, Vec<&ForestNode>) = siblings.iter().partition(is_large);
    let mut listed: Vec<_> = large.into_iter().map(|node| Listed::Node(*node)).collect();
    let small: Vec<ForestNode> = small.into_iter().copied().collect();
    if !small.is_empty() {
        listed.push(Listed::Rest(Box::new(rest(paths, forest, &small, parent))));
    }
    listed
}

/// Returns the total that shares refer to. Functions overlap: theirs is the total of everything.
fn whole(
    paths: &EnergyPaths<'_>,
    forest: &EnergyForest,
    roots: &[ForestNode],
    measure: ForestColumn,
) -> f64 {
    let of_roots = || roots.iter().filter_map(|node| forest.value(paths, *node, measure)).sum();
    let everything = paths.everything().joules().filter(|_| measure == ForestColumn::Total);
    everything.map_or_else(of_roots, Joules::value)
}

fn row(
    paths: &EnergyPaths<'_>,
    forest: &EnergyForest,
    node: ForestNode,
    parent: Option<usize>,
) -> ForestRow {
    let of = |column| forest.value(paths, node, column);
    let count = |column| of(column).unwrap_or_default() as u64;
    ForestRow {
        depth: forest.depth(node),
        parent,
        kind: match forest.kind(node) {
            ForestKind::Process(_) => ForestRowKind::Process,
            ForestKind::Thread(_) => ForestRowKind::Thread,
            ForestKind::Function(_) => ForestRowKind::Function,
            ForestKind::Others(_) => ForestRowKind::Account,
        },
        name: forest.name(paths, node),
        energy: forest.figure(paths, node),
        self_joules: of(ForestColumn::Own).map(Joules::new),
        share: of(ForestColumn::Share),
        cpu_s: of(ForestColumn::Cpu),
        calls: count(ForestColumn::Calls),
        samples: count(ForestColumn::Samples),
        components: components(paths, |through| forest.total(paths, node, Some(through))),
        is_cut: false,
    }
}

fn rest(
    paths: &EnergyPaths<'_>,
    forest: &EnergyForest,
    nodes: &[ForestNode],
    parent: Option<usize>,
) -> ForestRow {
    let sum = |column| {
        let values = nodes.iter().filter_map(|node| forest.value(paths, *node, column));
        values.reduce(|sum, value| sum + value)
    };
    // What is below several functions would count several times.
    let is_disjoint = forest.view() != ForestView::Functions;
    let disjoint = |value: Option<f64>| value.filter(|_| is_disjoint);
    let cpu = disjoint(sum(ForestColumn::Cpu));
    ForestRow {
        depth: nodes.first().map_or(0, |node| forest.depth(*node)),
        parent,
        kind: ForestRowKind::Rest,
        name: format!("{} more", nodes.len()),
        energy: if is_disjoint { forest.figure_of_all(paths, nodes) } else { Figure::NO_DATA },
        self_joules: sum(ForestColumn::Own).map(Joules::new),
        share: disjoint(sum(ForestColumn::Share)),
        cpu_s: cpu,
        calls: sum(ForestColumn::Calls).unwrap_or_default() as u64,
        samples: disjoint(sum(ForestColumn::Samples)).unwrap_or_default() as u64,
        components: if is_disjoint {
            components(paths, |through| {
                nodes.iter().map(|node| forest.total(paths, *node, Some(through))).sum()
            })
        } else {
            Vec::new()
        },
        is_cut: false,
    }
}

fn components(paths: &EnergyPaths<'_>, of: impl Fn(ComponentId) -> f64) -> Vec<ForestComponent> {
    let entries = paths.ledger().rows.components.iter().enumerate();
    entries
        .map(|(at, entry)| (entry, of(ComponentId(at as u16))))
        .filter(|(_, joules)| *joules != 0.0)
        .map(|(entry, joules)| ForestComponent {
            name: entry.name.name().to_owned(),
            joules: Joules::new(joules),
        })
        .collect()
}

/// Time of a row for people.
pub(crate) fn time(seconds: Option<f64>) -> Option<Nanos> {
    seconds.map(Nanos::from_seconds)
}
