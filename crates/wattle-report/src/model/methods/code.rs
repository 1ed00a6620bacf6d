//! The methods, APIs, classes, packages and lines of a ledger.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::Ledger;

use super::api_tally::ApiTally;
use super::frames::{Around, around};
use super::order::Order;
use super::owners::{Api, Method, Owners};
use super::sums::{PathSums, Sums, by_owner};
use super::{ApiCoverage, ApiRow, ClassRow, CodePackageRow, LineRow, MethodRow};
use super::{build_apis, build_groups, build_lines, build_methods};
use crate::model::app::Chosen;
use crate::model::gathered::Gathered;
use crate::model::watched::Watched;
use crate::model::{CallTree, Estimator, Figure};
use crate::{By, ReportOptions};

/// What spent the energy, in words of the app's code. Of the apps that were asked for, else of all.
#[derive(Clone, Debug, Serialize)]
pub struct CodeReport {
    /// By method; slices of which only the name is known have rows without class.
    pub methods: Vec<MethodRow>,
    /// By method of the framework.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apis: Vec<ApiRow>,
    /// By class.
    pub classes: Vec<ClassRow>,
    /// By package of classes.
    pub packages: Vec<CodePackageRow>,
    /// By source line, of all methods.
    pub lines: Vec<LineRow>,
    /// How much the tables of costs know; absent where nothing outside of the app was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_coverage: Option<ApiCoverage>,
    /// Whether the ledger has no energy of them, so that rows are ordered by what tables of costs say.
    #[serde(skip)]
    pub(crate) api_leads: bool,
    /// Whether there is no energy of them at all, so that rows are ordered by the time that they took.
    #[serde(skip)]
    pub(crate) time_leads: bool,
}

/// What all rows are made from.
pub(super) struct Code<'a> {
    pub ledger: &'a Ledger,
    pub tree: &'a CallTree,
    pub estimator: &'a Estimator<'a>,
    pub watched: Watched,
    /// Of what shares are.
    pub whole: Figure,
    pub api_whole: Figure,
    /// Paths of threads that are shown.
    pub shown: Vec<bool>,
    pub methods: Owners<Method<'a>>,
    pub apis: Owners<Api<'a>>,
    /// What each of them is called.
    pub method_names: Vec<String>,
    pub api_names: Vec<String>,
    pub paths: PathSums<'a>,
    /// Of the paths of methods.
    pub around: Vec<Option<Around>>,
    pub order: Order,
}

impl Code<'_> {
    /// Energies of owners: own, total, and both by tables.
    pub fn sums(&self, owners: &[u32], count: usize, around: &[Option<Around>]) -> Vec<Sums> {
        by_owner(owners, count, around, &self.paths)
    }

    /// The figure of a sum of paths.
    pub fn figure(&self, tally: &crate::model::Tally) -> Figure {
        self.estimator.figure(tally, self.watched.threads)
    }
}

impl CodeReport {
    /// Sums a ledger up; `None` where it knows no place in the code, unless a table was asked for.
    pub(in crate::model) fn new(
        (ledger, options): (&Ledger, &ReportOptions),
        gathered: &Gathered,
        estimator: &Estimator<'_>,
        tree: &CallTree,
        chosen: &Chosen,
        watched: Watched,
        whole: Figure,
    ) -> Option<Self> {
        let is_asked = options.by.is_some_and(|by| by != By::Test);
        if ledger.sites.is_empty() && ledger.api_sheet.is_empty() && !is_asked {
            return None;
        }
        let shown = shown(ledger, gathered, chosen);
        let methods = Owners::methods(ledger, tree, &shown);
        let apis = Owners::apis(ledger, &shown);
        let paths = PathSums::new(ledger, tree, &gathered.paths, &apis);
        let around = around(tree, &methods.of_path, methods.things.len());
        let mut all = ApiTally::default();
        for (tally, shown) in paths.api_own.iter().zip(&shown) {
            if *shown {
                all.merge(tally);
            }
        }
        let order = Order { sort: options.sort, api_leads: false };
        let mut code = Code {
            ledger,
            tree,
            estimator,
            watched,
            whole,
            api_whole: all.figure(),
            method_names: names(&methods.things, |it| (it.class, it.name, it.descriptor)),
            api_names: names(&apis.things, |it| (Some(it.class), it.name, it.descriptor)),
            shown,
            methods,
            apis,
            paths,
            around,
            order,
        };
        let sums = code.sums(&code.methods.of_path, code.methods.things.len(), &code.around);
        let has_energy = |sums: &Sums| code.figure(&sums.total).rank() > 0.0;
        let has_figure = |sums: &Sums| code.figure(&sums.total).0.is_some();
        let time_leads = code.api_whole.0.is_none() && !sums.iter().any(has_figure);
        code.order.api_leads = code.api_whole.0.is_some() && !sums.iter().any(has_energy);
        let (api_rows, api_numbers) = build_apis::rows(&code);
        let methods = build_methods::rows(&code, &sums, (&api_rows, &api_numbers));
        let (classes, packages) = build_groups::rows(&code, &methods.ran);
        Some(Self {
            lines: build_lines::flat(&code, &methods.rows),
            api_coverage: build_apis::coverage(&code, &api_rows, &api_numbers),
            methods: methods.rows,
            apis: api_rows,
            classes,
            packages,
            time_leads,
            api_leads: code.order.api_leads,
        })
    }

    /// Whether any method, class and line is known, and not only names of slices.
    pub fn has_methods(&self) -> bool {
        self.methods.iter().any(|method| method.class.is_some())
    }
}

/// What each is called: parameters stand there only where a class has several of that name.
fn names<'a, T>(
    things: &'a [T],
    parts: impl Fn(&'a T) -> (Option<&'a str>, &'a str, Option<&'a str>),
) -> Vec<String> {
    let mut same: BTreeMap<(Option<&str>, &str), usize> = BTreeMap::new();
    for thing in things {
        let (class, name, _) = parts(thing);
        *same.entry((class, name)).or_default() += 1;
    }
    let name = |thing| {
        let (class, name, descriptor) = parts(thing);
        let Some(in_class) = class else { return name.to_owned() };
        let several = same.get(&(class, name)).is_some_and(|count| *count > 1);
        let descriptor = descriptor.filter(|_| several).unwrap_or_default();
        format!("{in_class}.{name}{descriptor}")
    };
    things.iter().map(name).collect()
}

/// Paths of the apps that were asked for where they ran, else all; without a recorder's threads inside of apps.
fn shown(ledger: &Ledger, gathered: &Gathered, chosen: &Chosen) -> Vec<bool> {
    let all = !chosen.processes.contains(&true);
    let is_shown = |thread: usize| {
        let Some(entry) = ledger.threads.get(thread) else { return false };
        let process = entry.process as usize;
        let asked = all || chosen.processes.get(process).copied().unwrap_or(false);
        asked && gathered.is_own(ledger, thread)
    };
    let threads: Vec<bool> = (0..ledger.threads.len()).map(is_shown).collect();
    let of = |thread: u32| threads.get(thread as usize).copied().unwrap_or(false);
    ledger.paths.iter().map(|path| of(path.thread)).collect()
}
