//! Graphics by utilisation, where neither its power states nor linear terms model it.
//!
//! ```text
//!  utilisation   0 ──╱──╲_____      samples, joined by straight lines
//!  clock         ▁▁▁███████▄▄▄      steps
//!  energy        Σ (P(u₀, f) + P(u₁, f)) / 2 · Δt      between any two samples or steps
//! ```

use wattle_timeline::{GpuTimeline, Window};

use super::draw::Rates;
use super::gpu_law::{ACTIVE, GpuLaw, IDLE};
use super::states::{StateResult, States};
use super::utilisation::{Piece, Utilisation};
use crate::note::PowerNote;
use crate::{Scope, gpu_curves};

pub(super) fn model(states: &States<'_>, rates: Rates<'_>) -> StateResult {
    let mut found = StateResult::default();
    if !states.uncovered.gpu {
        return found;
    }
    let timeline = states.timeline;
    let Some(utilisation) = Utilisation::from_timeline(timeline) else { return found };
    let curve = states.uncovered.gpu_curve;
    let clocked = curve.and_then(|curve| gpu_curves::of_curve(timeline, curve));
    let law = GpuLaw::new(rates, curve, clocked);
    let (pieces, counter) = match utilisation {
        Utilisation::NoScale { name: counter, highest } => {
            found.notes.push(PowerNote::GpuUtilisationUnusable { counter, highest });
            return found;
        }
        Utilisation::Counted { name, full, pieces, gaps } => {
            if gaps > 0 {
                let counter = name.clone();
                found.notes.push(PowerNote::GpuUtilisationGaps { counter, gaps });
            }
            if law.is_none() {
                found.missing.extend([IDLE, ACTIVE]);
            }
            (pieces, Some((name, full)))
        }
        Utilisation::Worked(pieces) => (pieces, None),
    };
    let Some(law) = law else { return found };
    found.notes.push(PowerNote::GpuByUtilisation { counter });
    found.used.extend(law.figures());
    let has_work = |gpu: &&GpuTimeline| !gpu.work.is_empty();
    let worked = || timeline.hardware.gpus.iter().find(has_work);
    let scope = Scope::Gpu(clocked.or_else(worked).map_or(0, |gpu| gpu.id));
    for piece in &pieces {
        draw(&law, piece, states.window, &scope, &mut found);
    }
    found
}

fn draw(law: &GpuLaw<'_>, piece: &Piece, within: Window, scope: &Scope, found: &mut StateResult) {
    let reach = piece.window.intersect(within);
    let changes = law.changes();
    let first = changes.partition_point(|time| *time <= reach.start);
    let inside = changes.iter().copied().skip(first).take_while(|time| *time < reach.end);
    let mut now = reach.start;
    for end in inside.chain([reach.end]) {
        let at = |time| law.rate(piece.at(time), now);
        if let (Some(begin), Some(until)) = (at(now), at(end)) {
            found.draw(scope, Window::new(now, end), (begin + until) * 0.5);
        }
        now = end;
    }
}
