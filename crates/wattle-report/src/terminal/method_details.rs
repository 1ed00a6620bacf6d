//! Details of a method: its place, its lines, the APIs that it calls.

use super::style::Style::{Dim, Plain};
use super::text_table::Table;
use crate::cells::{bounds, grouped, joules, percent};
use crate::{Figure, LineKind, LineShare, MethodApi, MethodRow, MethodThread};

/// Lines of each method.
const LINES: usize = 6;
/// APIs of each method.
const APIS: usize = 5;
/// Names in a row.
const NAMES: usize = 3;

/// Adds lines of text below the method's row.
pub fn add(row: &MethodRow, api_leads: bool, table: &mut Table<'_>) {
    table.paragraph(Dim, &whereabouts(row));
    let lines = row.lines.iter().filter(|line| is_something(line, api_leads));
    let lines: Vec<_> = lines.collect();
    // Nothing but the method itself is nothing new.
    if lines.iter().any(|line| line.kind != LineKind::Itself) {
        for line in lines.iter().take(LINES) {
            table.note(Plain, &line_words(line, api_leads));
        }
        more(table, lines.len(), LINES, "lines");
    }
    for api in row.apis.iter().take(APIS) {
        table.note(Plain, &api_words(api));
    }
    more(table, row.apis.len(), APIS, "APIs");
}

fn more(table: &mut Table<'_>, count: usize, shown: usize, of_what: &str) {
    if count > shown {
        table.note(Dim, &format!("and {} more {of_what}", count - shown));
    }
}

/// Lines that drew nothing and call nothing say nothing.
fn is_something(line: &LineShare, api_leads: bool) -> bool {
    let figure = if api_leads { line.api_total } else { line.total };
    line.kind == LineKind::Line || figure.joules().is_some_and(|joules| joules.value() > 0.0)
}

fn whereabouts(row: &MethodRow) -> String {
    let (times, measures) = (row.times, row.measures);
    let place = match (&row.place.file, row.place.line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        (Some(file), None) => format!(" ({file})"),
        _ => String::new(),
    };
    // The whole name of a section stands above already.
    let name =
        row.place.class.as_ref().map(|_| format!("{}{place}", crate::cells::name(&row.place.name)));
    let mut words: Vec<String> = name.into_iter().collect();
    let figure = |what: &str, figure: Figure| {
        let estimate = figure.0?;
        let bounds = bounds(figure, "");
        Some(format!("{what}{}{bounds}, {}", estimate.joules, estimate.provenance))
    };
    words.extend(figure("", measures.total));
    words.extend(figure("API ", measures.api_total));
    // Without energy the table has columns for it.
    if let (Some(_), Some(clock), Some(own)) =
        (measures.total.0, times.clock_cpu, times.own_clock_cpu)
    {
        words.push(format!("{own} of {clock} on a CPU its own, by its threads' clocks"));
    }
    let (known, all) = (row.api_calls.known, row.api_calls.all);
    if known < all {
        words.push(format!("{} of {} API calls with a known cost", grouped(known), grouped(all)));
    }
    let name = |thread: &MethodThread| match thread.name.as_str() {
        "" => format!("thread {}", thread.tid),
        name => name.to_owned(),
    };
    let names: Vec<_> = row.threads.iter().take(NAMES).map(name).collect();
    let others = row.threads.len() + row.threads_left_out - names.len();
    let others = if others > 0 { format!(" and {others} more") } else { String::new() };
    if !names.is_empty() {
        words.push(format!("on {}{others}", names.join(", ")));
    }
    words.join(" · ")
}

/// Callees of a line, `Toast.makeText × 50, Main.helper`.
pub fn callees(line: &LineShare) -> String {
    let name = |callee: &crate::LineCallee| {
        // Class and method, whatever package.
        let name = callee.name.split('(').next().unwrap_or_default();
        let tail: Vec<_> = name.rsplitn(3, '.').take(2).collect();
        let name = tail.into_iter().rev().collect::<Vec<_>>().join(".");
        let name = crate::cells::name(if callee.name.contains('.') { &name } else { &callee.name });
        // Samples count no calls.
        if callee.calls <= 1 { name } else { format!("{name} × {}", grouped(callee.calls)) }
    };
    let mut names: Vec<_> = line.callees.iter().take(NAMES).map(name).collect();
    let others = line.callees.len() + line.callees_left_out - names.len();
    if others > 0 {
        names.push(format!("{others} more"));
    }
    names.join(", ")
}

fn line_words(line: &LineShare, api_leads: bool) -> String {
    let share = percent(if api_leads { line.api_share } else { line.share });
    let energy = joules(if api_leads { line.api_total } else { line.total });
    let callees = callees(line);
    let colon = if callees.is_empty() { "" } else { ": " };
    format!("{share:>7}  {energy:>8}  {}{colon}{callees}", line.place())
}

fn api_words(api: &MethodApi) -> String {
    let energy = joules(api.energy);
    let how = super::api_list::how(api.matched, api.greedy);
    let calls = grouped(api.calls);
    format!("{:>7}  {energy:>8}  {} × {calls}{how}", "API", crate::cells::name(&api.name))
}
