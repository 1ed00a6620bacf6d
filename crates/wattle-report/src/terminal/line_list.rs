//! Source lines of all methods.

use super::measures::{Measured, Measures};
use super::method_details::{callees, place};
use super::page::Page;
use super::style::Style::{Dim, Plain};
use super::table::Align::Left;
use super::table::Table;
use crate::{LineKind, LineRow};

impl Page<'_> {
    pub(super) fn lines(&self, to: &mut String) {
        let Some(code) = &self.report.code else { return };
        self.code_heading(to, "Lines", code.lines.len());
        let rows = &code.lines[..code.lines.len().min(self.top)];
        let measured: Vec<Measured> = rows.iter().map(measured).collect();
        let measures = Measures::of(&measured, code.api_leads);
        let mut columns = vec![("line", Left, Plain), ("method", Left, Dim)];
        columns.extend(measures.columns());
        let mut table = Table::new(&columns, &[0, 1]);
        for (row, measured) in rows.iter().zip(&measured) {
            let package = code.methods.iter().find(|method| method.name == row.method);
            let package = package.and_then(|method| method.package.as_deref());
            let mut cells = vec![place(&row.line), super::measures::short(&row.method, package)];
            cells.extend(measures.cells(measured));
            table.row(cells);
            if row.line.kind != LineKind::Itself {
                table.note(Dim, &format!("calls {}", callees(&row.line)));
            }
        }
        table.write(self.columns, self.painter, to);
        let text = "a line holds what it calls, and so what other lines of the methods that it calls hold: they do not add up";
        self.line_indented(to, Dim, text);
        self.api_coverage(to);
        to.push('\n');
    }
}

fn measured(row: &LineRow) -> Measured {
    let line = &row.line;
    let calls = line.calls.unwrap_or(0);
    Measured {
        ledger: [line.own, line.total, line.total.divided(calls)],
        share: row.whole_share,
        api: [line.api_own, line.api_total, line.api_total.divided(calls)],
        api_share: row.api_whole_share,
        calls: line.calls,
    }
}
