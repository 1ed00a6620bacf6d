//! Text in columns.

use unicode_width::UnicodeWidthStr as _;
use wattle_report::clean;

/// Rows of cells as aligned lines; the columns of `right` end at one place. Empty columns are left out.
pub fn lines(rows: &[Vec<String>], right: &[usize]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| clean(cell).to_string()).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    // The first row are the titles.
    let has_content =
        |at: usize| rows.iter().skip(1).any(|row| row.get(at).is_some_and(|it| !it.is_empty()));
    let kept: Vec<usize> = (0..columns).filter(|at| has_content(*at)).collect();
    let width = |at: usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|it| it.width()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = kept.iter().map(|at| width(*at)).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (at, width) in kept.iter().zip(&widths) {
            let cell = row.get(*at).map_or("", String::as_str);
            let space = " ".repeat(width.saturating_sub(cell.width()));
            if right.contains(at) {
                line.push_str(&space);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&space);
            }
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_left_out() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["run", "note", "mJ", "x"]),
            row(["run:1", "", "7", "é"]),
            row(["run:12", "", "12", "y"]),
        ];
        assert_eq!(lines(&rows, &[2]), "run     mJ  x\nrun:1    7  é\nrun:12  12  y\n");
    }
}
