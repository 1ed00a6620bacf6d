//! The sums that one track's energy goes to.

use rustc_hash::FxHashMap;
use wattle_timeline::{ThreadId, Window};
use wattle_units::{CompensatedSum, Nanos};

use super::path_stretches::{PathStretch, PathStretches};
use super::power_pieces::PowerPieces;
use super::span_sums::{SpanKey, SpanSums};
use super::time_cells::{BookedCells, TimeCells};
use crate::attribution::consumer::{Line, LineKey};

/// Sums by line, and by named stretches of time where there are any.
#[derive(Debug, Default)]
pub(crate) struct Sink<'a> {
    sums: FxHashMap<LineKey, CompensatedSum>,
    spans: Option<SpanSums<'a>>,
    pieces: Option<PowerPieces<'a>>,
    stretches: Option<PathStretches>,
    cells: Option<TimeCells>,
}

impl<'a> Sink<'a> {
    /// One that also sums up named stretches, the power of threads, the stretches of paths, and the energy of lines over time.
    pub(crate) fn with(
        spans: Option<SpanSums<'a>>,
        pieces: Option<PowerPieces<'a>>,
        stretches: Option<PathStretches>,
        cells: Option<TimeCells>,
    ) -> Self {
        Self { spans, pieces, stretches, cells, ..Self::default() }
    }

    /// Books an energy in joules that was drawn evenly over the window.
    #[inline]
    pub(crate) fn add_over(&mut self, line: Line, window: Window, joules: f64) {
        self.add(line, joules);
        if let Some(spans) = &mut self.spans {
            spans.add(window, line.consumer, line.source, joules);
        }
        if let Some(pieces) = &mut self.pieces {
            pieces.add(line, window, joules);
        }
        if let Some(stretches) = &mut self.stretches {
            stretches.add(line.consumer, window, joules);
        }
        if let Some(cells) = &mut self.cells {
            cells.add(LineKey::new(line), window, joules);
        }
    }

    /// Books an energy in joules.
    #[inline]
    pub(crate) fn add(&mut self, line: Line, joules: f64) {
        self.sums.entry(LineKey::new(line)).or_default().add(joules);
    }

    /// Energies of named stretches, in order.
    pub(crate) fn take_spans(&mut self) -> Vec<(SpanKey, CompensatedSum)> {
        self.spans.take().map(SpanSums::into_sums).unwrap_or_default()
    }

    /// The power of cores for threads, piece by piece.
    pub(crate) fn take_pieces(&mut self) -> Vec<(ThreadId, Window, f64)> {
        self.pieces.take().map(PowerPieces::into_pieces).unwrap_or_default()
    }

    /// The energies of paths over time.
    pub(crate) fn take_stretches(&mut self) -> (Vec<PathStretch>, Nanos) {
        self.stretches.take().map(PathStretches::into_stretches).unwrap_or_default()
    }

    /// The energies of lines over time.
    pub(crate) fn take_cells(&mut self) -> BookedCells {
        self.cells.take().map(TimeCells::into_cells).unwrap_or_default()
    }

    /// The lines, in order.
    pub(crate) fn into_lines(self) -> Vec<(LineKey, CompensatedSum)> {
        let mut lines: Vec<_> = self.sums.into_iter().collect();
        lines.sort_unstable_by_key(|(key, _)| *key);
        lines
    }
}
