//! A stretch of time with something to say about it, which formats with a time axis show beside the energy.

use wattle_timeline::Window;

/// A finding where it was seen. Formats without a time axis leave it out.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The kind of defect, a word (`busy-wait`).
    pub rule: String,
    /// The severity, a word (`warning`).
    pub severity: String,
    /// The defect, in a line with names and figures.
    pub title: String,
    /// The finding of this stretch, in a sentence.
    pub evidence: String,
    /// The fix.
    pub remedy: String,
    /// Potential saving of the whole finding, in joules, an upper bound; `None` where no energy is known.
    pub joules: Option<f64>,
    /// The stretch of time.
    pub window: Window,
    /// The name of the process; `None` where it is of the device.
    pub process: Option<String>,
    /// The kernel's number of the thread; `None` where it is of no single thread.
    pub tid: Option<u32>,
}
