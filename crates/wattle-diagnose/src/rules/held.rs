//! States that were on: by whom, when, and whether they still were when the recording ended.

use wattle_timeline::{NameId, StateKind, Uid, Window};

use super::look::Look;
use crate::windows;

/// One state that was on at some time.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// By whom; `None`: by the device, or nobody is known.
    pub(super) uid: Option<Uid>,
    /// Which of several.
    pub(super) tag: Option<NameId>,
    /// When.
    pub(super) windows: Vec<Window>,
    /// Whether the last window reaches the end of the recording: it was not seen to end.
    pub(super) at_end: bool,
}

impl Held {
    /// The last stretch, if it was not seen to end.
    pub(super) fn open(&self) -> Option<Window> {
        self.windows.last().copied().filter(|_| self.at_end)
    }
}

/// Those of a kind.
pub(super) fn held(look: &Look<'_>, kind: StateKind) -> Vec<Held> {
    let tracks = look.timeline.system.states.iter().filter(|track| track.kind == kind);
    let held = tracks.map(|track| {
        let on = track.level.segments(look.window).filter(|segment| segment.value > 0);
        let windows = windows::union(on.map(|segment| segment.window).collect());
        let at_end = windows.last().is_some_and(|last| last.end >= look.window.end);
        Held { uid: look.owner(track.scope), tag: track.tag, windows, at_end }
    });
    held.filter(|held| !held.windows.is_empty()).collect()
}

/// Whether the recording says anything of a kind.
pub(super) fn is_known(look: &Look<'_>, kind: StateKind) -> bool {
    look.timeline.system.states.iter().any(|track| track.kind == kind)
}
