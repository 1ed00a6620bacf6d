//! The methods, APIs, classes, packages and lines of a ledger.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use wattle_ledger::Ledger;

use super::api_tally::ApiTally;
use super::code_input::Code;
use super::outermost::around;
use super::owners::Owners;
use super::row_order::Order;
use super::sums::{PathSums, Sums};
use super::{
    ApiCoverage, ApiRow, ClassRow, CodeMeasures, CodePackageRow, LineRow, MethodRow, cases,
};
use super::{build_apis, build_groups, build_lines, build_methods};
use crate::model::CallTree;
use crate::model::basis::Basis;
use crate::model::chosen::Chosen;
use crate::model::gathered::Gathered;
use crate::{By, CodeDetail, Figure, ReportOptions};

/// Energy by parts of the app's code. Of the apps that were requested, else of all.
#[derive(Clone, Debug)]
pub struct CodeReport {
    /// By method; slices of which only the name is known have rows without class.
    pub methods: Vec<MethodRow>,
    /// By method of the framework.
    pub apis: Vec<ApiRow>,
    /// By class.
    pub classes: Vec<ClassRow>,
    /// By package of classes.
    pub packages: Vec<CodePackageRow>,
    /// Coverage of the cost tables; absent if nothing outside of the app was called.
    pub api_coverage: Option<ApiCoverage>,
    /// Whether the ledger has no energy of them, so that rows are ordered by what tables of costs say.
    pub(crate) api_leads: bool,
    /// Whether there is no energy of them at all, so that rows are ordered by the time that they took.
    pub(crate) time_leads: bool,
    /// Of the lines.
    order: Order,
    /// Energies by probes and by tables of costs of which lines have shares.
    wholes: [Figure; 2],
    /// By source line, of all methods; made when they are asked for, which most reports never do.
    lines: OnceLock<Vec<LineRow>>,
}

impl CodeReport {
    /// Sums a ledger up; `None` where it knows no place in the code, unless a table was asked for.
    pub(in crate::model) fn new(
        basis: Basis<'_>,
        options: &ReportOptions,
        tree: &CallTree,
        whole: Figure,
    ) -> Option<Self> {
        let Basis { ledger, gathered, estimator, chosen, watched, .. } = basis;
        let is_asked = options.by.is_some_and(By::is_code);
        if ledger.rows.sites.is_empty() && ledger.sheets.apis.is_empty() && !is_asked {
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
            detail: options.code,
        };
        let sums = code.sums(&code.methods.of_path, code.methods.things.len(), &code.around);
        let has_energy = |sums: &Sums| code.figure(&sums.total).rank() > 0.0;
        let has_figure = |sums: &Sums| code.figure(&sums.total).0.is_some();
        let time_leads = code.api_whole.0.is_none() && !sums.iter().any(has_figure);
        code.order.api_leads = code.api_whole.0.is_some() && !sums.iter().any(has_energy);
        let (api_rows, api_numbers) = build_apis::rows(&code);
        let methods = build_methods::rows(&code, &sums, (&api_rows, &api_numbers));
        let (classes, packages) = match options.code {
            CodeDetail::All => build_groups::rows(&code, &methods.ran),
            CodeDetail::Sums => (Vec::new(), Vec::new()),
        };
        Some(Self {
            api_coverage: build_apis::coverage(&code, &api_rows, &api_numbers),
            methods: methods.rows,
            apis: api_rows,
            classes,
            packages,
            time_leads,
            api_leads: code.order.api_leads,
            order: code.order,
            wholes: [code.whole, code.api_whole],
            lines: OnceLock::new(),
        })
    }

    /// By source line, of all methods.
    pub fn lines(&self) -> &Vec<LineRow> {
        self.lines.get_or_init(|| build_lines::flat(&self.methods, self.wholes, self.order))
    }

    /// The cases in which views show these rows.
    pub(crate) fn cases<'a>(
        &self,
        rows: impl Iterator<Item = &'a CodeMeasures> + Clone,
    ) -> Vec<&'static str> {
        let has_energy = rows.clone().any(|row| row.total.0.is_some());
        cases(has_energy, { rows }.any(|row| row.api_total.0.is_some()), self.api_leads)
    }

    /// The same of source lines.
    pub(crate) fn line_cases<'a>(
        &self,
        rows: impl Iterator<Item = &'a LineRow> + Clone,
    ) -> Vec<&'static str> {
        let has_energy = rows.clone().any(|row| row.line.total.0.is_some());
        cases(has_energy, { rows }.any(|row| row.line.api_total.0.is_some()), self.api_leads)
    }

    /// Whether any method, class and line is known, and not only names of slices.
    pub fn has_methods(&self) -> bool {
        self.methods.iter().any(|method| method.place.class.is_some())
    }
}

/// Returns the names of items: with parameters only if a class has several of that name.
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
        let asked = all || chosen.threads.get(thread).copied().unwrap_or(false);
        asked && gathered.is_own(ledger, thread)
    };
    let threads: Vec<bool> = (0..ledger.rows.threads.len()).map(is_shown).collect();
    let of = |thread: u32| threads.get(thread as usize).copied().unwrap_or(false);
    ledger.rows.paths.iter().map(|path| of(path.thread)).collect()
}
