//! Tables with more columns than a narrow terminal has room for.

use crate::cells::NO_DATA;
use crate::terminal::style::{Painter, Style};
use crate::terminal::text_columns::width;
use crate::terminal::text_table::{Align, Table};

/// A column of such a table.
pub struct Column<R> {
    pub heading: &'static str,
    pub align: Align,
    pub style: Style,
    /// The columns with the highest rank give way first; those of rank 0 stay.
    pub rank: u8,
    pub cell: fn(&R) -> String,
}

/// The columns of a table.
pub struct ColumnSet<'a, R> {
    pub columns: &'a [Column<R>],
    /// Headings of the columns that a narrow terminal may cut.
    pub elastic: &'a [&'a str],
}

/// The least that an elastic column is cut to before another one goes.
const READABLE: usize = 16;

/// Writes the columns that there is room for; what the others say stands below each row. Columns that are empty in all rows are left
/// out.
pub fn write<R>(
    ColumnSet { columns, elastic }: &ColumnSet<'_, R>,
    rows: &[R],
    room: usize,
    painter: Painter,
    to: &mut String,
) {
    let cell = |row| columns.iter().map(|column| (column.cell)(row)).collect();
    let cells: Vec<Vec<String>> = rows.iter().map(cell).collect();
    let natural = |at: usize| {
        let widest = cells.iter().map(|row| width(&row[at])).max().unwrap_or(0);
        let widest = widest.max(width(columns[at].heading));
        if elastic.contains(&columns[at].heading) { widest.min(READABLE) } else { widest }
    };
    let mut shown: Vec<usize> =
        (0..columns.len()).filter(|at| cells.iter().any(|row| !row[*at].is_empty())).collect();
    let mut left_out = Vec::new();
    while shown.iter().map(|at| natural(*at) + 2).sum::<usize>() > room {
        let least = shown.iter().copied().filter(|at| columns[*at].rank > 0);
        let Some(least) = least.max_by_key(|at| columns[*at].rank) else { break };
        shown.retain(|at| *at != least);
        left_out.push(least);
    }
    left_out.sort_unstable();
    let heads: Vec<_> = shown
        .iter()
        .map(|at| (columns[*at].heading, columns[*at].align, columns[*at].style))
        .collect();
    let elastic: Vec<_> = (0..heads.len()).filter(|at| elastic.contains(&heads[*at].0)).collect();
    let mut table = Table::new(&heads, &elastic);
    for row in &cells {
        table.row(shown.iter().map(|at| row[*at].clone()));
        let said = left_out.iter().filter(|at| !row[**at].is_empty() && row[**at] != NO_DATA);
        let said: Vec<_> = said
            .map(|at| format!("{} {}", columns[*at].heading, row[*at]).trim().to_owned())
            .collect();
        if !said.is_empty() {
            table.paragraph(Style::Dim, &said.join(" · "));
        }
    }
    table.write(room, painter, to);
}
