//! The rows of source lines.

use std::collections::BTreeMap;

use wattle_units::Joules;

use super::code_input::Code;
use super::line_sums::{Callee, LineSums, Place};
use super::method_row::short;
use super::row_order::{Order, Ranks};
use super::{LineCallee, LineKind, LineRow, LineShare, MethodRow};
use crate::Figure;
use crate::Sort;

/// Callees of a line that have rows.
const CALLEES: usize = 20;

/// Rest of a sum when all of it was subtracted again: rounding.
const ROUNDING: f64 = 1e-9;

/// The lines of one method, most energy first, with their parts of its totals.
pub(super) fn of_method(
    code: &Code<'_>,
    lines: BTreeMap<Place<'_>, LineSums>,
    total: Figure,
    api_total: Figure,
) -> Vec<LineShare> {
    let row = |(place, sums): (Place<'_>, LineSums)| {
        let (kind, file, lines) = match place {
            Place::Lines(file, lines) => (LineKind::Line, file, lines.to_vec()),
            Place::Unknown => (LineKind::Unknown, None, Vec::new()),
            Place::Itself => (LineKind::Itself, None, Vec::new()),
        };
        let of_line = rounded(code.figure(&sums.total), total);
        let api_of_line = rounded(sums.api_total.figure(), api_total);
        let (callees, callees_left_out) = callees(code, &sums);
        let calls = sums.callees.values().fold(0_u64, |sum, calls| sum.saturating_add(*calls));
        LineShare {
            kind,
            file: file.map(str::to_owned),
            lines,
            own: code.figure(&sums.own),
            total: of_line,
            share: of_line.share_of(total),
            api_own: sums.api_own.figure(),
            api_total: api_of_line,
            api_share: api_of_line.share_of(api_total),
            calls: (kind != LineKind::Itself).then_some(calls),
            callees,
            callees_left_out,
        }
    };
    let mut rows: Vec<_> = lines.into_iter().map(row).collect();
    let order = Order { sort: Sort::Total, ..code.order };
    rows.sort_by(|one, other| {
        order
            .compare(&ranks(one, ""), &ranks(other, ""))
            .then_with(|| (one.kind, &one.lines).cmp(&(other.kind, &other.lines)))
    });
    rows
}

/// All lines of all methods, ordered. Of slices of which only the name is known, those lines that are known.
pub(super) fn flat(methods: &[MethodRow], wholes: [Figure; 2], order: Order) -> Vec<LineRow> {
    let [whole, api_whole] = wholes;
    let of_method = |method: &MethodRow| {
        let has_class = method.place.class.is_some();
        let lines = method.lines.iter();
        let lines = lines.filter(move |line| has_class || line.kind == LineKind::Line);
        let name = method.place.name.clone();
        let short = name.len() - short(&name, method.place.package.as_deref()).len();
        let row = move |line: &LineShare| LineRow {
            method: name.clone(),
            short,
            whole_share: line.total.share_of(whole),
            api_whole_share: line.api_total.share_of(api_whole),
            line: line.clone(),
        };
        lines.map(row).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = methods.iter().flat_map(of_method).collect();
    rows.sort_by(|one, other| {
        let ranks = [one, other].map(|row| ranks(&row.line, &row.method));
        order.compare(&ranks[0], &ranks[1]).then_with(|| one.line.lines.cmp(&other.line.lines))
    });
    rows
}

fn ranks<'a>(row: &LineShare, name: &'a str) -> Ranks<'a> {
    let calls = row.calls.unwrap_or(0);
    Ranks {
        ledger: [row.total, row.own, row.total.divided(calls)],
        api: [row.api_total, row.api_own, row.api_total.divided(calls)],
        times: [None; 2],
        calls: row.calls,
        name,
    }
}

fn callees(code: &Code<'_>, sums: &LineSums) -> (Vec<LineCallee>, usize) {
    let row = |(callee, calls): (&Callee, &u64)| {
        let (names, at, is_api) = match callee {
            Callee::Api(api) => (&code.api_names, *api, true),
            Callee::Method(method) => (&code.method_names, *method, false),
        };
        Some(LineCallee { name: names.get(at as usize)?.clone(), is_api, calls: *calls })
    };
    let mut rows: Vec<_> = sums.callees.iter().filter_map(row).collect();
    rows.sort_by(|one, other| other.calls.cmp(&one.calls).then_with(|| one.name.cmp(&other.name)));
    let left_out = rows.len().saturating_sub(CALLEES);
    rows.truncate(CALLEES);
    (rows, left_out)
}

/// 0 where only rounding is left of it.
fn rounded(figure: Figure, whole: Figure) -> Figure {
    let limit = whole.joules().map_or(0.0, |joules| joules.value().abs() * ROUNDING);
    match figure.0 {
        Some(estimate) if estimate.joules.value().abs() <= limit => {
            let mut zero = estimate;
            zero.joules = Joules::ZERO;
            zero.interval.low = zero.interval.low.min(Joules::ZERO);
            zero.interval.high = zero.interval.high.max(Joules::ZERO);
            Figure(Some(zero))
        }
        _ => figure,
    }
}
