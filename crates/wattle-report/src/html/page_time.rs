//! CPU time of the rows of the page's tree over time.

use serde::Serialize;
use wattle_ledger::{CpuTimeBins, Ledger};
use wattle_units::sum_by_key;

use super::joined_bins::joined;
use super::tree::Tree;

/// On-CPU times of rows in equal bins.
#[derive(Serialize)]
pub struct CpuTime {
    /// From the start of the window to the first bin.
    start_s: f64,
    width_s: f64,
    count: u32,
    /// Rows of the tree, each less the one before.
    rows: Vec<usize>,
    /// Number of cells of each of them.
    cells: Vec<u32>,
    /// By cell: its bin, less that of the cell before of the row.
    steps: Vec<u32>,
    /// By cell: microseconds.
    micros: Vec<i64>,
}

impl CpuTime {
    /// The times of a ledger with about that many cells at most; `None` where it has none.
    pub fn new(ledger: &Ledger, table: &CpuTimeBins, tree: &Tree, most: usize) -> Option<Self> {
        let rows = &tree.places().paths;
        let of_rows = table.cells().filter_map(|cell| {
            let row = rows.get(cell.path as usize).copied().flatten()?;
            Some(((row, cell.bin), cell.nanos))
        });
        let mut sums: Vec<((usize, u32), i64)> = of_rows.collect();
        sum_by_key(&mut sums);
        let halved = joined(&mut sums, table.bins.count, most);
        if sums.is_empty() {
            return None;
        }
        let mut columns = Self {
            start_s: (table.bins.start - ledger.recording.window.start).seconds(),
            width_s: table.bins.width.seconds() * f64::from(1_u32 << halved),
            count: table.bins.count.div_ceil(1 << halved),
            rows: Vec::new(),
            cells: Vec::new(),
            steps: Vec::new(),
            micros: Vec::new(),
        };
        columns.fill(&sums);
        Some(columns)
    }

    fn fill(&mut self, sums: &[((usize, u32), i64)]) {
        let (mut last_row, mut last_bin) = (None, 0);
        // Running sums are rounded: what rounding takes from one cell the next one has.
        let (mut sum, mut micros_before) = (0_i64, 0_i64);
        for ((row, bin), nanos) in sums {
            if last_row != Some(*row) {
                self.rows.push(row - last_row.unwrap_or(0));
                self.cells.push(0);
                (last_row, last_bin, sum, micros_before) = (Some(*row), 0, 0, 0);
            }
            sum = sum.saturating_add(*nanos);
            let micros = sum / 1000;
            if let Some(count) = self.cells.last_mut() {
                *count += 1;
            }
            self.steps.push(bin - last_bin);
            self.micros.push(micros - micros_before);
            (last_bin, micros_before) = (*bin, micros);
        }
    }
}
