//! Energy of call paths over time, gathered while power tracks are attributed.

use wattle_timeline::Window;
use wattle_units::{CompensatedSum, Joules};

use crate::attribution::consumer::Consumer;
use crate::{ComponentId, PathId, Stretch};

/// Energy of a path over a stretch of time, by its number in the call trees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathStretch {
    pub(crate) path: u32,
    pub(crate) window: Window,
    pub(crate) joules: CompensatedSum,
}

/// Gathers the stretches of one track while it is booked.
#[derive(Debug, Default)]
pub(crate) struct PathStretches(Vec<PathStretch>);

impl PathStretches {
    /// An energy in joules that was drawn evenly over the window. What probes took from a path belongs to it here.
    pub(crate) fn add(&mut self, consumer: Consumer, window: Window, joules: f64) {
        let (Consumer::Path(path) | Consumer::Recorder(path) | Consumer::Probes(path)) = consumer
        else {
            return;
        };
        match self.0.last_mut() {
            // Power changes far more often than who draws it.
            Some(last) if last.path == path && last.window.end == window.start => {
                last.window.end = window.end;
                last.joules.add(joules);
            }
            _ => {
                let mut sum = CompensatedSum::default();
                sum.add(joules);
                self.0.push(PathStretch { path, window, joules: sum });
            }
        }
    }

    /// The stretches.
    pub(crate) fn into_stretches(self) -> Vec<PathStretch> {
        self.0
    }
}

/// Those of all tracks as a ledger has them: what touches or overlaps of one path and component is one. In order of start.
pub(crate) fn merged(
    mut stretches: Vec<(ComponentId, PathStretch)>,
    row: impl Fn(u32) -> PathId,
) -> Vec<Stretch> {
    stretches.sort_by_key(|(component, it)| (it.path, *component, it.window.start));
    stretches.dedup_by(|(component, later), (before, earlier)| {
        let same = later.path == earlier.path && component == before;
        let touches = same && later.window.start <= earlier.window.end;
        if touches {
            earlier.window.end = earlier.window.end.max(later.window.end);
            earlier.joules.merge(later.joules);
        }
        touches
    });
    let mut merged: Vec<Stretch> = stretches
        .into_iter()
        .map(|(component, it)| Stretch {
            path: row(it.path),
            component,
            window: it.window,
            joules: Joules::new(it.joules.value()),
        })
        .collect();
    merged.sort_by_key(|stretch| (stretch.window.start, stretch.path, stretch.component));
    merged
}
