//! From a timeline to power tracks.

use wattle_timeline::{Note, Severity, Timeline, Window};
use wattle_units::Provenance;

use crate::choose::{self, Applicable};
use crate::curves::{self, CpuTracks, Curves};
use crate::{ErrorModel, FigureUnit, ModelChoice, PowerError, PowerEstimate, PowerOptions};

/// Turns a timeline into power tracks, by the device's own meters and the best model that applies.
///
/// What is missing from a recording is said in the notes of the result; it is never an error.
pub fn estimate(timeline: &Timeline, options: &PowerOptions) -> Result<PowerEstimate, PowerError> {
    let window = options.window.map_or(timeline.window, |w| w.intersect(timeline.window));
    let applicable = choose::applicable(timeline, options);
    let wanted = |candidate: &&Applicable| match options.model {
        ModelChoice::Auto | ModelChoice::Rails => true,
        ModelChoice::Curves => candidate.model.unit == FigureUnit::Power,
        ModelChoice::Profile => candidate.model.unit == FigureUnit::Current,
    };
    let mut estimate = PowerEstimate::default();
    let Some(chosen) = applicable.iter().find(wanted) else {
        estimate.notes.push(Note::new(
            Severity::Warning,
            "no-device-model",
            "no device model applies to this device, so no CPU energy is estimated; give one with \
             --device-model",
        ));
        return Ok(estimate);
    };
    let cpu = cpu_tracks(timeline, chosen, window, &mut estimate.errors);
    if chosen.facts.provenance == Provenance::Assumed {
        let text = format!(
            "no model is known for this device: figures of {:?} stand in, and can be far off",
            chosen.model.name
        );
        estimate.notes.push(Note::new(Severity::Warning, "model-assumed", text));
    }
    estimate.model = Some(chosen.facts.clone());
    estimate.tracks = cpu.tracks;
    estimate.notes.extend(cpu.notes);
    Ok(estimate)
}

fn cpu_tracks(
    timeline: &Timeline,
    chosen: &Applicable,
    window: Window,
    errors: &mut ErrorModel,
) -> CpuTracks {
    let curves = Curves { model: &chosen.model, provenance: chosen.facts.provenance };
    curves::estimate(timeline, curves, window, errors)
}
