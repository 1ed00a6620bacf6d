//! Graphics by utilisation, where neither its power states nor linear terms model it.
//!
//! ```text
//!  utilisation   0 ──╱──╲_____      samples, joined by straight lines
//!  clock         ▁▁▁███████▄▄▄      steps
//!  energy        Σ (P(u₀, f) + P(u₁, f)) / 2 · Δt      between any two samples or steps
//! ```

use wattle_timeline::{GpuTimeline, Note, Severity, Window};

use super::draw::Rates;
use super::gpu_law::{ACTIVE, GpuLaw, IDLE};
use super::states::{Found, States};
use super::utilisation::{Piece, Utilisation};
use crate::{Scope, gpu};

pub(super) fn model(states: &States<'_>, rates: Rates<'_>) -> Found {
    let mut found = Found::default();
    if states.elsewhere.gpu {
        return found;
    }
    let timeline = states.timeline;
    let Some(utilisation) = Utilisation::of(timeline) else { return found };
    let curve = states.elsewhere.gpu_curve;
    let clocked = curve.and_then(|curve| gpu::of_curve(timeline, curve));
    let law = GpuLaw::of(rates, curve, clocked);
    let (pieces, by) = match utilisation {
        Utilisation::NoScale { name, highest } => {
            let text = format!(
                "the counter {name:?} is taken for the GPU's utilisation, but expected are at most 100 or 255, found \
                 {highest}: it is not used"
            );
            let note = Note::new(Severity::Warning, "gpu-utilisation-unusable", text);
            found.notes.push(note);
            return found;
        }
        Utilisation::Counted { name, full, pieces, gaps } => {
            if gaps > 0 {
                let text = format!(
                    "samples of {name:?} are more than 10 s apart {gaps} times: nothing is said of the GPU between them"
                );
                found.notes.push(Note::new(Severity::Warning, "gpu-utilisation-gaps", text));
            }
            if law.is_none() {
                found.missing.extend([IDLE, ACTIVE]);
            }
            (pieces, format!("the counter {name:?}, of {full}"))
        }
        Utilisation::Worked(pieces) => (pieces, "the time its work kept it busy".to_owned()),
    };
    let Some(law) = law else { return found };
    let text = format!("GPU by its utilisation: {by}");
    found.notes.push(Note::new(Severity::Info, "gpu-by-utilisation", text));
    found.used.extend(law.figures());
    let has_work = |gpu: &&GpuTimeline| !gpu.work.is_empty();
    let worked = || timeline.gpus.iter().find(has_work);
    let scope = Scope::Gpu(clocked.or_else(worked).map_or(0, |gpu| gpu.id));
    for piece in &pieces {
        draw(&law, piece, states.window, &scope, &mut found);
    }
    found
}

fn draw(law: &GpuLaw<'_>, piece: &Piece, within: Window, scope: &Scope, found: &mut Found) {
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
