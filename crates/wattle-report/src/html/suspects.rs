//! Data of the scripts on suspicious methods.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use wattle_table::Json;

use super::strings::{Strings, five_digits};
use crate::clean::clean_texts;
use crate::{ReportError, SuspectClassRow, SuspectMethodRow, SuspectsReport};

/// Rows of tests, and of recordings: more than anybody looks at, and the page stays fast.
const TESTS: usize = 1000;

/// The suspects taken apart: what is short, and the lists that may have to be cut.
pub struct SuspectsLists {
    facts: serde_json::Value,
    tests_left_out: usize,
    methods: Vec<SuspectMethodRow>,
    classes: Vec<SuspectClassRow>,
}

impl SuspectsLists {
    /// Takes them apart.
    pub fn new(mut suspects: SuspectsReport) -> Result<Self, ReportError> {
        let methods = std::mem::take(&mut suspects.methods);
        let classes = std::mem::take(&mut suspects.classes);
        let tests_left_out = suspects.tests.len().saturating_sub(TESTS);
        suspects.tests.sort_by(|a, b| b.mean_mw.total_cmp(&a.mean_mw));
        suspects.tests.truncate(TESTS);
        let mut facts = serde_json::to_value(Json(&suspects))?;
        clean_texts(&mut facts);
        Ok(Self { facts, tests_left_out, methods, classes })
    }
}

/// The suspects of a page; long lists are columns.
#[derive(Serialize)]
pub struct Suspects<'a> {
    facts: &'a serde_json::Value,
    tests_left_out: usize,
    methods: Methods,
    methods_left_out: usize,
    /// Those of which a method is listed.
    classes: Classes,
    /// Methods of classes of which none ran.
    packages: Packages,
}

#[derive(Default, Serialize)]
struct Methods {
    class: Vec<usize>,
    method: Vec<usize>,
    descriptor: Vec<Option<usize>>,
    rank: Vec<Option<usize>>,
    suspicion: Vec<Option<u8>>,
    ochiai: Vec<Option<f64>>,
    tarantula: Vec<Option<f64>>,
    e_f: Vec<usize>,
    e_p: Vec<usize>,
    calls: Vec<u64>,
    at_stake: Vec<Option<f64>>,
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    excess_mw: Vec<Option<f64>>,
    own: Vec<Option<f64>>,
}

#[derive(Default, Serialize)]
struct Classes {
    class: Vec<usize>,
    methods: Vec<u64>,
    executed: Vec<u64>,
}

#[derive(Default, Serialize)]
struct Packages {
    package: Vec<usize>,
    classes: Vec<u64>,
    methods: Vec<u64>,
    left_out: usize,
}

impl<'a> Suspects<'a> {
    /// With at most that many methods and packages.
    pub fn new(lists: &'a SuspectsLists, most: usize, names: &mut Strings) -> Self {
        let listed = &lists.methods[..lists.methods.len().min(most)];
        let classes: BTreeSet<&str> = listed.iter().map(|row| row.class.as_str()).collect();
        Self {
            facts: &lists.facts,
            tests_left_out: lists.tests_left_out,
            methods: Methods::new(listed, names),
            methods_left_out: lists.methods.len() - listed.len(),
            classes: Classes::new(&lists.classes, &classes, names),
            packages: Packages::new(&lists.classes, most, names),
        }
    }
}

impl Methods {
    fn new(rows: &[SuspectMethodRow], names: &mut Strings) -> Self {
        let mut methods = Self::default();
        for row in rows {
            methods.class.push(names.id(&row.class));
            methods.method.push(names.id(&row.method));
            methods.descriptor.push(row.descriptor.as_deref().map(|text| names.id(text)));
            methods.rank.push(row.rank);
            methods.suspicion.push(row.suspicion.map(|suspicion| suspicion as u8));
            methods.ochiai.push(row.ochiai.map(five_digits));
            methods.tarantula.push(row.tarantula.map(five_digits));
            methods.e_f.push(row.e_f);
            methods.e_p.push(row.e_p);
            methods.calls.push(row.calls);
            let stake = row.at_stake;
            methods.at_stake.push(stake.joules().map(|joules| five_digits(joules.value())));
            methods.low.push(stake.interval().map(|interval| five_digits(interval.low.value())));
            methods.high.push(stake.interval().map(|interval| five_digits(interval.high.value())));
            methods.excess_mw.push(row.excess_mw.map(five_digits));
            methods.own.push(row.own.joules().map(|joules| five_digits(joules.value())));
        }
        methods
    }
}

impl Classes {
    fn new(rows: &[SuspectClassRow], listed: &BTreeSet<&str>, names: &mut Strings) -> Self {
        let mut classes = Self::default();
        for row in rows.iter().filter(|row| listed.contains(row.class.as_str())) {
            classes.class.push(names.id(&row.class));
            classes.methods.push(row.methods);
            classes.executed.push(row.executed);
        }
        classes
    }
}

impl Packages {
    /// The largest first.
    fn new(rows: &[SuspectClassRow], most: usize, names: &mut Strings) -> Self {
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.executed == 0 && row.methods > 0) {
            let package = row.class.rsplit_once('.').map_or("", |(package, _)| package);
            let (classes, methods) = sums.entry(package).or_default();
            *classes += 1;
            *methods = methods.saturating_add(row.methods);
        }
        let mut rows: Vec<_> = sums.into_iter().collect();
        rows.sort_by_key(|(_, (_, methods))| std::cmp::Reverse(*methods));
        let left_out = rows.len().saturating_sub(most);
        let mut packages = Self { left_out, ..Self::default() };
        for (package, (classes, methods)) in rows.into_iter().take(most) {
            packages.package.push(names.id(package));
            packages.classes.push(classes);
            packages.methods.push(methods);
        }
        packages
    }
}
