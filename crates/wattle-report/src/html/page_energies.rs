//! The energies of a page: lines by consumer, component, charge and error source, each over time, and the model of their errors. From
//! these the page's scripts answer any selection as the ledger itself would.

use std::collections::BTreeMap;

use serde::Serialize;
use wattle_ledger::{Charge, Ledger};
use wattle_units::{Provenance, sum_by_key};

use super::app_list::Apps;
use super::error_columns::ErrorColumns;
use super::joined_bins::joined;
use super::tree::Tree;

/// Joules of one unit, of all energy: what rounding may take from a line.
const UNIT: f64 = 1e-11;

/// Lines, their energies over time, and their errors.
#[derive(Serialize)]
pub struct Energies {
    /// Joules of one unit.
    unit: f64,
    components: Vec<ComponentFacts>,
    apps: Apps,
    errors: ErrorColumns,
    lines: Lines,
    /// Absent where the ledger does not have its entries over time.
    #[serde(skip_serializing_if = "Option::is_none")]
    bins: Option<Bins>,
}

#[derive(Serialize)]
struct ComponentFacts {
    name: String,
    provenance: Provenance,
}

/// Lines as columns, in order of rows of the tree.
#[derive(Default, Serialize)]
struct Lines {
    /// Row of the tree, less that of the line before.
    row: Vec<usize>,
    component: Vec<u16>,
    charge: Vec<u8>,
    source: Vec<u16>,
    units: Vec<i64>,
}

/// The energies of lines in equal bins.
#[derive(Serialize)]
struct Bins {
    /// From the start of the window to the first bin.
    start_s: f64,
    width_s: f64,
    count: u32,
    /// Number of bins that the ledger has.
    recorded: u32,
    /// Number of cells of each line.
    cells: Vec<u32>,
    /// By cell: its bin, less that of the cell before of the line.
    steps: Vec<u32>,
    /// By cell but the last one of each line, which has the rest of it: units.
    units: Vec<i64>,
}

/// Row, component, charge, source.
type Key = (usize, u16, u8, u16);

/// Energies in joules by line and bin, in order.
type CellSums = Vec<((Key, u32), f64)>;

/// The lines of a page, and the energies of each in the bins of the ledger.
#[derive(Default)]
struct Cells {
    lines: BTreeMap<Key, f64>,
    cells: CellSums,
}

impl Energies {
    /// The energies of the rows of a tree, with about that many cells at most.
    pub fn new(ledger: &Ledger, asked: &[bool], tree: &Tree, most_cells: usize) -> Self {
        let Cells { lines, mut cells } = Cells::new(ledger, tree);
        let whole: f64 = lines.values().map(|joules| joules.abs()).sum();
        let unit = if whole > 0.0 { whole * UNIT } else { 1.0 };
        let bins = ledger.over_time.energy.as_ref().map(|table| {
            let halved = joined(&mut cells, table.bins.count, most_cells);
            Bins {
                start_s: (table.bins.start - ledger.recording.window.start).seconds(),
                width_s: table.bins.width.seconds() * f64::from(1_u32 << halved),
                count: table.bins.count.div_ceil(1 << halved),
                recorded: table.bins.count,
                ..Bins::new(&lines, &cells, unit)
            }
        });
        let component = |entry: &wattle_ledger::ComponentEntry| ComponentFacts {
            name: entry.name.to_string(),
            provenance: entry.provenance,
        };
        Self {
            unit,
            components: ledger.rows.components.iter().map(component).collect(),
            apps: Apps::new(ledger, asked, tree.places()),
            errors: ErrorColumns::new(ledger),
            lines: Lines::new(&lines, unit),
            bins,
        }
    }

    /// Whether a selection of time is possible.
    pub const fn have_time(&self) -> bool {
        self.bins.is_some()
    }
}

impl Cells {
    fn new(ledger: &Ledger, tree: &Tree) -> Self {
        let mut found = Self::default();
        let rows = &tree.places().bookings;
        let keys: Vec<Option<Key>> = ledger
            .bookings
            .iter()
            .zip(rows)
            .map(|(booking, row)| {
                let charge = Charge::ALL.iter().position(|known| *known == booking.charge);
                let finite = booking.joules.is_finite();
                let row = row.filter(|_| finite)?;
                Some((row, booking.component.0, charge.unwrap_or(0) as u8, booking.source.0))
            })
            .collect();
        for (booking, key) in ledger.bookings.iter().zip(&keys) {
            if let Some(key) = key {
                *found.lines.entry(*key).or_default() += booking.joules.value();
            }
        }
        if let Some(table) = &ledger.over_time.energy {
            let of_lines = table.cells(&ledger.bookings).filter_map(|cell| {
                let key = keys.get(cell.booking).copied().flatten()?;
                Some(((key, cell.bin), cell.joules.value()))
            });
            found.cells = of_lines.collect();
            sum_by_key(&mut found.cells);
        }
        found
    }
}

impl Lines {
    fn new(lines: &BTreeMap<Key, f64>, unit: f64) -> Self {
        let mut columns = Self::default();
        let mut last = 0;
        for ((row, component, charge, source), joules) in lines {
            columns.row.push(row - last);
            columns.component.push(*component);
            columns.charge.push(*charge);
            columns.source.push(*source);
            columns.units.push((joules / unit).round() as i64);
            last = *row;
        }
        columns
    }
}

impl Bins {
    fn new(lines: &BTreeMap<Key, f64>, cells: &[((Key, u32), f64)], unit: f64) -> Self {
        let mut bins = Self {
            start_s: 0.0,
            width_s: 0.0,
            count: 0,
            recorded: 0,
            cells: Vec::new(),
            steps: Vec::new(),
            units: Vec::new(),
        };
        let mut rest = cells;
        for key in lines.keys() {
            let count = rest.iter().take_while(|((of, _), _)| of == key).count();
            let (own, later) = rest.split_at(count);
            rest = later;
            bins.cells.push(count as u32);
            let (mut sum, mut units_before, mut bin_before) = (0.0, 0, 0);
            for (nth, ((_, bin), joules)) in own.iter().enumerate() {
                bins.steps.push(bin - bin_before);
                bin_before = *bin;
                // Running sums are rounded: what rounding takes from one cell the next one has.
                sum += joules;
                let units = (sum / unit).round() as i64;
                if nth + 1 < count {
                    bins.units.push(units - units_before);
                }
                units_before = units;
            }
        }
        bins
    }
}
