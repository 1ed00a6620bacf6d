//! Frames of apps and of the display over time.

use std::collections::BTreeMap;

use wattle_timeline::{FrameOwner, JankCauses, ScreenFrame};

use super::TrackRows;
use crate::{Ledger, TimeTrack, TrackKind, TrackStretch};

/// Lanes of frames that overlap; later ones share the last.
const MOST_LANES: usize = 4;

impl TrackRows<'_> {
    /// The frames of each app, and those of the display.
    pub(super) fn frames(&self, ledger: &Ledger) -> Vec<TimeTrack> {
        let processes = self.processes(ledger);
        let mut of_owner: BTreeMap<(FrameOwner, Option<u32>), Vec<TrackStretch>> = BTreeMap::new();
        for frame in &self.timeline.code.frames {
            let process = frame.process.and_then(|process| processes.get(&process)).copied();
            if let Some(stretch) = self.inside(frame.actual, lateness(frame)) {
                of_owner.entry((frame.owner, process)).or_default().push(stretch);
            }
        }
        of_owner
            .into_iter()
            .map(|((owner, process), mut stretches)| {
                stretches.sort_by_key(|stretch| stretch.start);
                in_lanes(&mut stretches);
                let name = match owner {
                    FrameOwner::App => "app",
                    FrameOwner::Display => "display",
                };
                let track = TimeTrack::new(TrackKind::Frames, name.to_owned()).with(&stretches);
                TimeTrack { owner: process, ..track }
            })
            .collect()
    }
}

/// The value of a frame.
fn lateness(frame: &ScreenFrame) -> i64 {
    match frame.jank {
        _ if frame.is_dropped => 4,
        JankCauses::UNSPECIFIED => 5,
        JankCauses::NONE | JankCauses::NON_ANIMATING => 0,
        causes if causes.is_by_app() => 1,
        causes if causes.is_by_system() => 2,
        _ => 3,
    }
}

/// Gives stretches that overlap lanes of their own.
fn in_lanes(stretches: &mut [TrackStretch]) {
    let mut ends = [i64::MIN; MOST_LANES];
    for stretch in stretches {
        let free = ends.iter().position(|end| *end <= stretch.start).unwrap_or(MOST_LANES - 1);
        if let Some(end) = ends.get_mut(free) {
            *end = stretch.end().max(*end);
        }
        stretch.depth = free as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_overlap_have_lanes() {
        let mut stretches: Vec<_> = [(0, 20), (10, 20), (20, 5), (22, 1)]
            .map(|(start, length)| TrackStretch { start, length, value: 0, depth: 0 })
            .to_vec();
        in_lanes(&mut stretches);
        let lanes: Vec<_> = stretches.iter().map(|it| it.depth).collect();
        assert_eq!(lanes, [0, 1, 0, 2]);
    }
}
