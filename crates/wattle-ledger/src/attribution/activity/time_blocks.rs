//! Blocks of time: what is held out together where a fit of rails is judged on periods that it has not seen.

use wattle_timeline::Window;

/// The number of blocks.
pub(super) const BLOCKS: usize = 5;

/// Equal parts of the time in which rails counted. Blocks are contiguous: neighbouring periods resemble each other, and a fit that has
/// seen a period's neighbours looks better than it is.
pub(super) struct TimeBlocks {
    whole: Window,
}

impl TimeBlocks {
    /// Of all periods.
    pub(super) fn new(periods: impl Iterator<Item = Window>) -> Self {
        let join = |one: Window, other: Window| {
            Window::new(one.start.min(other.start), one.end.max(other.end))
        };
        Self { whole: periods.reduce(join).unwrap_or_default() }
    }

    /// The block that the middle of a stretch of time is in.
    pub(super) fn number(&self, of: Window) -> usize {
        let from = (of.start - self.whole.start).seconds();
        let middle = from + of.duration().seconds() / 2.0;
        let length = self.whole.duration().seconds() / BLOCKS as f64;
        ((middle / length) as usize).min(BLOCKS - 1)
    }
}
