//! Time on CPUs over time: from it the CPU time of any period follows.

use serde::{Deserialize, Serialize};
use wattle_units::sum_by_key;

use crate::{PathId, PowerBins};

/// The on-CPU time of each call path in equal bins of time, as a sparse table. The cells of a path are one after the other, the paths in
/// their order. Over all bins they add up to the paths' own on-CPU time ([`crate::PathEntry::self_cpu`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuTimeBins {
    /// The time axis.
    pub bins: PowerBins,
    /// Number of cells of each path.
    pub cells: Vec<u32>,
    /// By cell: its bin, less that of the cell before of the same path; of the first, its bin.
    pub steps: Vec<u32>,
    /// By cell: time on a CPU, in nanoseconds.
    pub nanos: Vec<i64>,
}

/// The on-CPU time of one path in one bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuTimeCell {
    /// Index into [`crate::LedgerRows::paths`].
    pub path: u32,
    /// Number of the bin.
    pub bin: u32,
    /// Nanoseconds.
    pub nanos: i64,
}

impl CpuTimeBins {
    /// The table of so many paths from cells in order of path and bin, each of which occurs once.
    pub(crate) fn from_cells(bins: PowerBins, paths: usize, cells: &[CpuTimeCell]) -> Self {
        let mut table = Self { bins, cells: vec![0; paths], ..Self::default() };
        let mut last: Option<CpuTimeCell> = None;
        for cell in cells {
            let Some(count) = table.cells.get_mut(cell.path as usize) else { continue };
            *count += 1;
            let before = last.filter(|last| last.path == cell.path).map_or(0, |last| last.bin);
            table.steps.push(cell.bin - before);
            table.nanos.push(cell.nanos);
            last = Some(*cell);
        }
        table
    }

    /// The same of other paths: by old path the new one, of which there are so many.
    pub(crate) fn regrouped(&self, of_path: &[PathId], paths: usize) -> Self {
        let grouped = self.cells().filter_map(|cell| {
            let path = of_path.get(cell.path as usize)?;
            Some(((path.0, cell.bin), cell.nanos))
        });
        let mut sums: Vec<((u32, u32), i64)> = grouped.collect();
        sum_by_key(&mut sums);
        if sums.is_empty() {
            return Self::default();
        }
        let cells: Vec<CpuTimeCell> =
            sums.into_iter().map(|((path, bin), nanos)| CpuTimeCell { path, bin, nanos }).collect();
        Self::from_cells(self.bins, paths, &cells)
    }

    /// All cells, in order of path and bin.
    pub fn cells(&self) -> impl Iterator<Item = CpuTimeCell> + '_ {
        let mut places = self.steps.iter().zip(&self.nanos);
        (0..).zip(&self.cells).flat_map(move |(path, count)| {
            let mut bin = 0_u32;
            let of_path: Vec<CpuTimeCell> = places
                .by_ref()
                .take(*count as usize)
                .map(|(step, nanos)| {
                    bin = bin.saturating_add(*step);
                    CpuTimeCell { path, bin, nanos: *nanos }
                })
                .collect();
            of_path
        })
    }
}
