//! Cells of a line of a table.

/// Cells of a line. Quotes keep a delimiter inside a cell.
pub(crate) fn cells(line: &str, delimiter: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for sign in line.chars() {
        if sign == '"' {
            is_quoted = !is_quoted;
        } else if sign == delimiter && !is_quoted {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            cell.push(sign);
        }
    }
    cells
}
