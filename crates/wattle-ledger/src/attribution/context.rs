//! The inputs that all stages share.

use wattle_timeline::{Timeline, Window};

use crate::AttributionOptions;

/// A recording and the choices that it is attributed by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) options: &'a AttributionOptions,
    /// The period that is accounted for.
    pub(crate) window: Window,
    /// The number of worker threads. No result depends on it.
    pub(crate) workers: usize,
}

impl<'a> Context<'a> {
    /// The window and workers that the options choose.
    pub(crate) fn new(timeline: &'a Timeline, options: &'a AttributionOptions) -> Self {
        let window = options.window.unwrap_or(timeline.window);
        Self { timeline, options, window, workers: wattle_workers::available(options.threads) }
    }
}
