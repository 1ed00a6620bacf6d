//! Energy of lines over time, gathered while power tracks are attributed.

use rustc_hash::FxHashMap;
use wattle_timeline::Window;
use wattle_units::Joules;

use super::booked_lines::Lines;
use crate::attribution::consumer::LineKey;
use crate::energy_bins::{MOST_BINS, MOST_CELLS};
use crate::{Booking, ComponentId, EnergyBins, EnergyCell, PowerBins};

/// Gathers the cells of one track while it is booked. Bins are joined in pairs whenever there are too many cells.
#[derive(Debug)]
pub(crate) struct TimeCells {
    bins: PowerBins,
    /// Halvings of the number of bins.
    halved: u32,
    cells: FxHashMap<(LineKey, u32), f64>,
    /// The cell that was added to last, which is not in `cells` yet.
    last: Option<((LineKey, u32), f64)>,
}

/// The cells of one track or of several.
#[derive(Debug, Default)]
pub(crate) struct BookedCells {
    halved: u32,
    cells: Vec<(LineKey, u32, f64)>,
}

/// The bins that a table starts out with.
fn all_bins(window: Window) -> PowerBins {
    PowerBins::over(window, MOST_BINS)
}

fn halve(bins: PowerBins) -> PowerBins {
    PowerBins { width: bins.width + bins.width, count: bins.count.div_ceil(2), ..bins }
}

impl TimeCells {
    /// No cells yet.
    pub(crate) fn new(window: Window) -> Self {
        Self { bins: all_bins(window), halved: 0, cells: FxHashMap::default(), last: None }
    }

    /// Adds an energy in joules that was drawn evenly over the window.
    #[inline]
    pub(crate) fn add(&mut self, key: LineKey, window: Window, joules: f64) {
        let width = self.bins.width.value().max(1);
        let start = (window.start - self.bins.start).value().max(0);
        let end = (window.end - self.bins.start).value().max(start);
        let last_bin = self.bins.count.saturating_sub(1);
        let bin_at = |time: i64| u32::try_from(time / width).unwrap_or(u32::MAX).min(last_bin);
        let (first, last) = (bin_at(start), bin_at((end - 1).max(start)));
        if first == last {
            self.add_cell(key, first, joules);
            return;
        }
        let length = (end - start) as f64;
        for bin in first..=last {
            let from = (i64::from(bin) * width).max(start);
            let to = if bin == last { end } else { (i64::from(bin) + 1) * width };
            self.add_cell(key, bin, joules * ((to - from) as f64 / length));
        }
    }

    #[inline]
    fn add_cell(&mut self, key: LineKey, bin: u32, joules: f64) {
        match &mut self.last {
            Some((place, sum)) if *place == (key, bin) => *sum += joules,
            _ => {
                if let Some((place, sum)) = self.last.replace(((key, bin), joules)) {
                    *self.cells.entry(place).or_default() += sum;
                    // One track of more cells than the table may have is too many for certain.
                    if self.cells.len() > 2 * MOST_CELLS && self.bins.count > 1 {
                        self.halve();
                    }
                }
            }
        }
    }

    fn halve(&mut self) {
        self.bins = halve(self.bins);
        self.halved += 1;
        if let Some((place, _)) = &mut self.last {
            place.1 >>= 1;
        }
        for ((key, bin), joules) in std::mem::take(&mut self.cells) {
            *self.cells.entry((key, bin >> 1)).or_default() += joules;
        }
    }

    /// The cells, in order of line and bin.
    pub(crate) fn into_cells(mut self) -> BookedCells {
        if let Some((place, sum)) = self.last.take() {
            *self.cells.entry(place).or_default() += sum;
        }
        let mut cells: Vec<_> =
            self.cells.into_iter().map(|((key, bin), joules)| (key, bin, joules)).collect();
        cells.sort_unstable_by_key(|(key, bin, _)| (*key, *bin));
        BookedCells { halved: self.halved, cells }
    }
}

impl BookedCells {
    /// Adds the cells of a track of a component.
    pub(crate) fn add(&mut self, component: ComponentId, more: Self) {
        let halved = self.halved.max(more.halved);
        self.halve(halved - self.halved);
        let by = halved - more.halved;
        self.cells.extend(
            more.cells.into_iter().map(|(key, bin, sum)| (key.of(component), bin >> by, sum)),
        );
        self.halved = halved;
    }

    fn halve(&mut self, by: u32) {
        if by == 0 {
            return;
        }
        for (_, bin, _) in &mut self.cells {
            *bin >>= by;
        }
    }

    /// One cell for each line and bin, in order.
    fn merge(&mut self) {
        self.cells.sort_by_key(|(key, bin, _)| (*key, *bin));
        self.cells.dedup_by(|later, earlier| {
            let same = (later.0, later.1) == (earlier.0, earlier.1);
            if same {
                earlier.2 += later.2;
            }
            same
        });
    }

    /// The table of all lines, whose entries are these.
    pub(crate) fn into_table(
        mut self,
        window: Window,
        lines: &Lines,
        bookings: &[Booking],
    ) -> EnergyBins {
        let most = MOST_CELLS.max(2 * bookings.len());
        self.merge();
        let mut bins = all_bins(window);
        for _ in 0..self.halved {
            bins = halve(bins);
        }
        while self.cells.len() > most && bins.count > 1 {
            bins = halve(bins);
            self.halve(1);
            self.merge();
        }
        let mut keys = lines.entries().iter().map(|(key, _)| *key).enumerate().peekable();
        let mut cells = Vec::with_capacity(self.cells.len());
        for (key, bin, joules) in self.cells {
            while keys.next_if(|(_, known)| *known < key).is_some() {}
            if let Some((booking, _)) = keys.peek().filter(|(_, known)| *known == key) {
                cells.push(EnergyCell { booking: *booking, bin, joules: Joules::new(joules) });
            }
        }
        EnergyBins::from_cells(bins, bookings, &cells)
    }
}
