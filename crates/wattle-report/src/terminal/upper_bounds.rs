//! Upper bounds of calls, test by test and tree by tree.

use super::style::Style::{Dim, Plain, Strong, Warning};
use super::terminal_page::Page;
use super::text_table::Align::{Left, Right};
use super::text_table::Table;
use crate::cells::{NO_DATA, Seconds, name};
use crate::{BoundCallRow, UpperBoundsReport};

/// Milliampere-hours with four digits, or nothing to show.
fn charge(mah: f64) -> String {
    if mah == 0.0 || mah >= 0.01 { format!("{mah:.4}") } else { format!("{mah:.3e}") }
}

impl Page<'_> {
    pub(super) fn upper_bounds(&self, to: &mut String) {
        let Some(bounds) = &self.report.tests.upper_bounds else { return };
        self.heading(to, "Upper bounds of calls");
        let text = format!(
            "No scheduler trace: nobody knows who was on which CPU. These are upper bounds, with all cores busy all the time, by \
             time_in_state × the currents of {} ({}) at {:.2} V; they are not attributed, and those of calls that overlap must not be \
             added.",
            bounds.model.name, bounds.model.provenance, bounds.voltage_v
        );
        self.line_indented(to, Plain, &text);
        let has_legacy = bounds.tests.iter().any(|test| test.legacy.legacy_mah.is_some());
        if has_legacy {
            let text = "“Navitas” is what Navitas shows, and wrong: it says mAh, counts ticks of 10 ms as seconds (a hundred times too \
                        much), forgets the lower end where it interpolates, adds concurrent calls and what earlier runs left over.";
            self.line_indented(to, Warning, text);
        }
        self.bound_tests(bounds, has_legacy, to);
        for (index, tree) in (0_u32..).zip(&bounds.trees).take(self.top) {
            let mut calls: Vec<(u32, &BoundCallRow)> =
                (0_u32..).zip(&bounds.calls).filter(|(_, call)| call.tree == index).collect();
            calls.sort_by(|(_, a), (_, b)| {
                b.figure.joules().value().total_cmp(&a.figure.joules().value())
            });
            let test = bounds.tests.get(tree.test as usize).and_then(|test| test.name.as_deref());
            let owner = match (tree.pid, tree.tid) {
                (Some(pid), Some(tid)) => format!("process {pid}, thread {tid}"),
                _ => "process and thread not written".to_owned(),
            };
            let test = test.map_or(String::new(), |test| format!("{} · ", name(test)));
            self.line_indented(to, Strong, &format!("{test}{owner}"));
            self.bound_calls(&calls, has_legacy, to);
        }
        if bounds.trees.len() > self.top {
            let text = format!("and {} more call trees", bounds.trees.len() - self.top);
            self.line_indented(to, Dim, &text);
        }
        to.push('\n');
    }

    fn bound_tests(&self, bounds: &UpperBoundsReport, has_legacy: bool, to: &mut String) {
        let mut columns = vec![
            ("test", Left, Plain),
            ("calls", Right, Plain),
            ("stale", Right, Dim),
            ("at most", Right, Strong),
            ("mAh", Right, Strong),
            ("Σ calls, mAh", Right, Dim),
            ("Σ with stale", Right, Dim),
        ];
        if has_legacy {
            columns.push(("Navitas “mAh”", Right, Warning));
        }
        let mut table = Table::new(&columns, &[0]);
        for test in bounds.tests.iter().take(self.top) {
            let mut cells = vec![
                name(test.name.as_deref().unwrap_or("(no test)")),
                test.calls.to_string(),
                test.stale_calls.to_string(),
                test.figure.joules().to_string(),
                charge(test.figure.mah),
                charge(test.sum_mah),
                charge(test.sum_with_stale_mah),
            ];
            cells.extend(test.legacy.legacy_mah.map(|mah| format!("{mah:.2}")));
            table.row(cells);
        }
        self.table(&table, to);
    }

    fn bound_calls(&self, calls: &[(u32, &BoundCallRow)], has_legacy: bool, to: &mut String) {
        let is_scaled = calls.iter().any(|(_, call)| call.scaled_joules.is_some());
        let mut columns = vec![
            ("call", Left, Plain),
            ("calls", Right, Plain),
            ("wall", Right, Plain),
            ("at most", Right, Strong),
            ("mAh", Right, Strong),
            ("self", Right, Plain),
        ];
        if is_scaled {
            columns.push(("by CPU time", Right, Plain));
        }
        if has_legacy {
            columns.push(("Navitas “mAh”", Right, Warning));
        }
        let mut table = Table::new(&columns, &[0]);
        // Depth first, most first; only so many rows, however deep it goes.
        let mut open: Vec<(u32, usize, &BoundCallRow)> = Vec::new();
        let callees = |of: Option<u32>, depth: usize| {
            let of_caller = calls.iter().filter(move |(_, call)| call.caller == of);
            of_caller.rev().map(move |(index, call)| (*index, depth, *call))
        };
        open.extend(callees(None, 0));
        let mut rows = 0;
        while let Some((index, depth, call)) = open.pop() {
            if rows == self.top {
                break;
            }
            rows += 1;
            let mut cells = vec![
                format!("{}{}", "  ".repeat(depth.min(20)), name(&call.name)),
                call.calls.to_string(),
                Seconds(call.wall).to_string(),
                call.figure.joules().to_string(),
                charge(call.figure.mah),
                call.self_joules.to_string(),
            ];
            if is_scaled {
                cells.push(call.scaled_joules.map_or(NO_DATA.into(), |joules| joules.to_string()));
            }
            cells.extend(call.legacy.legacy_mah.map(|mah| format!("{mah:.2}")));
            table.row(cells);
            open.extend(callees(Some(index), depth + 1));
        }
        table.write(self.columns, self.painter, to);
        if rows < calls.len() {
            self.line_indented(to, Dim, &format!("and {} more", calls.len() - rows));
        }
    }
}
