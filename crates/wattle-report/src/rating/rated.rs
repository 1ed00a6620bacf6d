//! The side of a comparison that is rated.

use crate::Figure;

/// A run's own side of the comparison with a category.
pub(crate) struct Rated {
    /// The compared figure, of the run or per minute; else why there is none.
    pub figure: Result<Figure, String>,
    /// Components whose energies are summed, in order.
    pub components: Vec<String>,
    /// The device that ran it; `None` if not known.
    pub device: Option<String>,
}

impl Rated {
    /// The compared figure if there is one.
    pub fn figure(&self) -> Option<Figure> {
        self.figure.as_ref().ok().copied()
    }
}
