//! The rows of methods of the framework.

use std::collections::BTreeMap;

use wattle_ledger::ApiCostEntry;

use super::api_tally::ApiTally;
use super::code_input::Code;
use super::outermost::around;
use super::owners::NOBODY;
use super::row_order::Ranks;
use super::{ApiCaller, ApiCoverage, ApiRow, CallCoverage};
use crate::Figure;

/// Callers of a method of the framework that have rows.
const CALLERS: usize = 100;

/// Calls and energies of one of them, with its callers.
#[derive(Clone, Default)]
struct Called {
    calls: u64,
    /// By method.
    callers: BTreeMap<u32, u64>,
    own: crate::model::Tally,
    total: crate::model::Tally,
}

/// All that were called, ordered, and the row of each of the owners.
pub(super) fn rows(code: &Code<'_>) -> (Vec<ApiRow>, Vec<Option<usize>>) {
    let mut rows: Vec<(usize, ApiRow)> = Vec::new();
    for (at, called) in called(code).into_iter().enumerate() {
        if called.calls > 0 {
            rows.push((at, row(code, at, called)));
        }
    }
    rows.sort_by(|(_, one), (_, other)| code.order.compare(&ranks(one), &ranks(other)));
    let mut numbers = vec![None; code.apis.things.len()];
    for (number, (at, _)) in rows.iter().enumerate() {
        numbers[*at] = Some(number);
    }
    (rows.into_iter().map(|(_, row)| row).collect(), numbers)
}

fn called(code: &Code<'_>) -> Vec<Called> {
    let owners = &code.apis.of_path;
    let around = around(code.tree, owners, code.apis.things.len());
    let mut all = vec![Called::default(); code.apis.things.len()];
    let mut is_placed = false;
    for (at, owner) in owners.iter().enumerate() {
        let Some(called) = all.get_mut(*owner as usize) else { continue };
        is_placed = true;
        let calls = code.ledger.rows.paths[at].calls;
        called.calls = called.calls.saturating_add(calls);
        called.own.merge(&code.paths.own[at]);
        if around[at].is_none() {
            called.total.merge(&code.paths.total[at]);
        }
        let method = code.methods.of_path[at];
        if method != NOBODY && code.methods.things[method as usize].class.is_some() {
            let by = called.callers.entry(method).or_default();
            *by = by.saturating_add(calls);
        }
    }
    // A sheet without paths: who called is not known, and whose app it was neither.
    if !is_placed && code.shown.iter().all(|shown| *shown) {
        for (called, api) in all.iter_mut().zip(&code.apis.things) {
            let entry = api.entry.and_then(|entry| code.ledger.sheets.apis.apis.get(entry));
            called.calls = entry.map_or(0, |entry| entry.calls);
        }
    }
    all
}

fn row(code: &Code<'_>, at: usize, called: Called) -> ApiRow {
    let api = code.apis.things[at];
    let sheet = &code.ledger.sheets.apis;
    let cost = cost(code, at);
    let mut tally = ApiTally::default();
    tally.add(cost, called.calls);
    let energy = tally.figure();
    let [own, total] = [&called.own, &called.total].map(|sum| code.figure(sum));
    let row = |(method, calls): (u32, u64)| ApiCaller {
        name: code.method_names[method as usize].clone(),
        calls,
    };
    let mut callers: Vec<_> = called.callers.into_iter().map(row).collect();
    callers
        .sort_by(|one, other| other.calls.cmp(&one.calls).then_with(|| one.name.cmp(&other.name)));
    let callers_left_out = callers.len().saturating_sub(CALLERS);
    callers.truncate(CALLERS);
    ApiRow {
        name: code.api_names[at].clone(),
        class: api.class.to_owned(),
        method: api.name.to_owned(),
        descriptor: api.descriptor.map(str::to_owned),
        calls: called.calls,
        own,
        total,
        share: total.share_of(code.whole),
        mean: total.divided(called.calls),
        energy,
        api_share: energy.share_of(code.api_whole),
        cost: cost.map_or(Figure::NO_DATA, |cost| Figure(Some(cost.per_call))),
        matched: cost.map(|cost| cost.matched),
        signature: cost.map(|cost| cost.signature.clone()),
        table: cost.and_then(|cost| Some(sheet.tables.get(cost.table as usize)?.name.clone())),
        greedy: cost.is_some_and(|cost| cost.greedy),
        callers,
        callers_left_out,
    }
}

fn ranks(row: &ApiRow) -> Ranks<'_> {
    Ranks {
        ledger: [row.total, row.own, row.mean],
        api: [row.energy, row.energy, row.cost],
        times: [None; 2],
        calls: Some(row.calls),
        name: &row.name,
    }
}

/// Returns the part of the calls that the tables know; `None` if there were no calls.
pub(super) fn coverage(
    code: &Code<'_>,
    rows: &[ApiRow],
    numbers: &[Option<usize>],
) -> Option<ApiCoverage> {
    if rows.is_empty() {
        return None;
    }
    let mut sum = ApiTally::default();
    for (at, number) in numbers.iter().enumerate() {
        let Some(row) = number.and_then(|number| rows.get(number)) else { continue };
        sum.add(cost(code, at), row.calls);
    }
    let (known, all) = sum.coverage();
    let with_cost = rows.iter().filter(|row| row.matched.is_some()).count();
    Some(ApiCoverage {
        calls: CallCoverage { known, all },
        methods: CallCoverage { known: with_cost as u64, all: rows.len() as u64 },
        energy: sum.figure(),
        tables: code.ledger.sheets.apis.tables.clone(),
    })
}

fn cost<'a>(code: &Code<'a>, api: usize) -> Option<&'a ApiCostEntry> {
    let entry = code.apis.things.get(api)?.entry?;
    code.ledger.sheets.apis.apis.get(entry)?.cost.as_ref()
}
