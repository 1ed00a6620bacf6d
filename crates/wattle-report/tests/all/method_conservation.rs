//! Whatever a ledger's call paths are of: methods, classes, packages and lines hold all of it, once.

use crate::support;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;
use wattle_ledger::{Ledger, PathId};
use wattle_report::ReportOptions;

use crate::support::json;
use wattle_timeline::SiteKind;

/// A path: its thread, which of the earlier ones calls it, which place it is of, calls, lines, joules.
type Line = (usize, usize, usize, u64, Vec<u32>, f64);

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let lines = prop_oneof![Just(vec![]), Just(vec![7]), Just(vec![7, 9])];
    let line = (0..3_usize, any::<usize>(), 0..12_usize, 0..20_u64, lines, 1e-6..10.0_f64);
    prop::collection::vec(line, 1..80)
}

/// Twelve places: five methods, of which one has no probes, five calls, two names.
fn ledger(lines: &[Line]) -> Ledger {
    let mut b = support::Builder::new(5.0);
    b.pixel();
    let app = b.process(10, "app", Some("app"), 10_001);
    let threads = [10, 11, 12].map(|tid| b.thread(app, tid, "t", 7));
    b.table("one");
    let apis = [Some(0.001), Some(0.02), None].map(|cost| b.api("android.a.Api.call", cost));
    b.ledger.sheets.apis.apis[1].method = "other".into();
    b.ledger.sheets.apis.apis[2].class = "java.lang.Object".into();
    let methods = [("p.A", "a"), ("p.A", "b"), ("p.B", "a"), ("q.C", "c"), ("q.D", "only")]
        .map(|(class, name)| b.method(class, name, "()V", 3));
    let mut sites = methods[..4].to_vec();
    for (api, within, line) in [
        (0, Some(methods[0]), Some(5)),
        (1, Some(methods[0]), Some(7)),
        (2, Some(methods[2]), None),
        (0, Some(methods[4]), Some(5)),
        (1, None, Some(5)),
    ] {
        sites.push(b.call(apis[api], within, line));
    }
    let mut paths: Vec<Vec<PathId>> =
        threads.iter().map(|thread| vec![b.path(*thread, None, "", 1, [0, 0])]).collect();
    for (thread, caller, site, calls, from_lines, joules) in lines {
        let caller = paths[*thread][caller % paths[*thread].len()];
        let path = if let Some(site) = sites.get(*site) {
            b.at(*site, (threads[*thread], caller), *calls, from_lines, *joules)
        } else {
            let name = ["x", "y", "z"][site % 3];
            let path = b.path(threads[*thread], Some(caller), name, *calls, [1, 1]);
            b.pay(path, wattle_ledger::Charge::Core, support::LITTLE, *joules);
            path
        };
        paths[*thread].push(path);
    }
    b.ledger
}

/// The method that owns a path, found by going outwards; a name where there is none.
fn owner(ledger: &Ledger, path: usize) -> Option<String> {
    let entry = &ledger.rows.paths[path];
    let place = |site: u32| {
        let site = &ledger.rows.sites[site as usize];
        format!("{}.{}", site.class, site.method)
    };
    entry.caller?;
    let mut at = Some(path);
    while let Some(number) = at {
        let entry = &ledger.rows.paths[number];
        match entry.site.map(|site| (site, &ledger.rows.sites[site as usize])) {
            Some((site, of)) if of.kind == SiteKind::Method => return Some(place(site)),
            Some((_, of)) if of.within.is_some() => return of.within.map(place),
            _ if number == path && entry.site.is_none() => return Some(entry.name.clone()),
            _ => {}
        }
        at = entry.caller.map(|caller| caller.0 as usize);
    }
    Some(entry.name.clone())
}

/// By owner: energy and API energy of its own, and of all paths on whose stack it is.
fn expected(ledger: &Ledger) -> BTreeMap<String, [f64; 4]> {
    let energy = |path: usize| {
        let of_path = ledger.bookings.iter().filter(|booking| {
            let account = &ledger.rows.accounts[booking.account.0 as usize];
            account.path() == Some(PathId(path as u32))
        });
        of_path.map(|booking| booking.joules.value()).sum::<f64>()
    };
    let api = |path: usize| {
        let entry = &ledger.rows.paths[path];
        let api = entry.site.and_then(|site| ledger.rows.sites[site as usize].api);
        let cost = api.and_then(|api| ledger.sheets.apis.apis[api as usize].cost.as_ref());
        cost.map_or(0.0, |cost| cost.per_call.joules.value() * entry.calls as f64)
    };
    let mut sums: BTreeMap<String, [f64; 4]> = BTreeMap::new();
    for path in 0..ledger.rows.paths.len() {
        let (energy, api) = (energy(path), api(path));
        if let Some(owner) = owner(ledger, path) {
            let of_owner = sums.entry(owner).or_default();
            of_owner[0] += energy;
            of_owner[2] += api;
        }
        let mut stack = BTreeSet::new();
        let mut at = Some(path);
        while let Some(number) = at {
            stack.extend(owner(ledger, number));
            at = ledger.rows.paths[number].caller.map(|caller| caller.0 as usize);
        }
        for owner in stack {
            let of_owner = sums.entry(owner).or_default();
            of_owner[1] += energy;
            of_owner[3] += api;
        }
    }
    sums
}

fn sum(rows: &Value, key: &str) -> f64 {
    rows.as_array().into_iter().flatten().filter_map(|row| row[key].as_f64()).sum()
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

proptest! {
    #[test]
    fn all_is_there_once(lines in lines()) {
        let ledger = ledger(&lines);
        let expected = expected(&ledger);
        let report = json(&ledger, &ReportOptions::default()).expect("a report");
        let rows = report["methods"].as_array().expect("methods");
        prop_assert_eq!(rows.len(), expected.len());
        for row in rows {
            let name = row["name"].as_str().expect("a name");
            let Some(sums) = expected.get(name) else {
                return Err(TestCaseError::fail(format!("{name} in {:?}", expected.keys())));
            };
            let keys = ["self_joules", "total_joules", "api_self_joules", "api_total_joules"];
            for (key, expected) in keys.into_iter().zip(sums) {
                // No data adds nothing.
                let found = row[key].as_f64().unwrap_or(0.0);
                prop_assert!(near(found, *expected), "{name} {key}: {found}, expected {expected}");
                let of_lines = sum(&row["lines"], key);
                prop_assert!(near(of_lines, *expected), "lines of {name} {key}: {of_lines}, expected {expected}");
            }
            let shares = sum(&row["lines"], "share");
            prop_assert!(near(shares, 1.0), "{name}: {shares}");
            let apis = sum(&row["apis"], "api_joules");
            prop_assert!(near(apis, sums[3]), "APIs of {name}: {apis}");
        }
        let own: f64 = lines.iter().map(|(.., joules)| joules).sum();
        let api: f64 = expected.values().map(|sums| sums[2]).sum();
        for list in ["methods", "classes", "packages"] {
            prop_assert!(near(sum(&report[list], "self_joules"), own), "{list}");
            prop_assert!(near(sum(&report[list], "api_self_joules"), api), "{list}");
        }
        prop_assert!(near(sum(&report["apis"], "api_joules"), api));
        let by_sheet = ledger.sheets.apis.apis.iter().filter_map(|api| {
            Some(api.cost.as_ref()?.per_call.joules.value() * api.calls as f64)
        });
        prop_assert!(near(by_sheet.sum(), api));
    }
}
