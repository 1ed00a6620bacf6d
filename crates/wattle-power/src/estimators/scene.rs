//! The input of all estimators.

use wattle_timeline::{Emulator, Timeline, Window};
use wattle_units::Provenance;

use crate::choose::{self, Applicable};
use crate::rails::{RailNames, RailSurvey};
use crate::voltage::Voltage;
use crate::{Component, DeviceModel, FigureUnit, ModelChoice, PowerOptions};

/// A recording with the models that apply to it: what estimators read, and never change.
pub(crate) struct Scene<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) options: &'a PowerOptions,
    /// The emulator that the recording is of, without a model by the user: nothing of it is estimated.
    pub(crate) unmodelled: Option<Emulator>,
    /// The time that was asked for.
    pub(crate) window: Window,
    /// The same, widened to the samples of rails around it: rails scale whole intervals between samples.
    pub(crate) reach: Window,
    /// Every model that applies, best first.
    pub(crate) applicable: Vec<Applicable>,
    /// The best one of the requested kind, as an index.
    best: Option<usize>,
    /// The best one of the requested kind that estimates the CPU, as an index.
    of_cpu: Option<usize>,
    pub(crate) voltage: Voltage,
    pub(crate) rails: RailSurvey<'a>,
    /// Whether rails scale models, and stand as tracks of their own.
    pub(crate) uses_rails: bool,
    /// Components that rails measure inside the window; empty where rails are not used.
    pub(crate) metered: Vec<Component>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(timeline: &'a Timeline, options: &'a PowerOptions) -> Self {
        let window = options.window.map_or(timeline.window, |w| w.intersect(timeline.window));
        let rails = RailSurvey::new(timeline, RailNames::built_in(), window);
        // Rails of an emulator are numbers that somebody made up.
        let is_real = timeline.device.virtual_device().is_none();
        let has_rails = !timeline.energy.rails.is_empty() && is_real;
        let uses_rails = has_rails && options.model.uses_rails();
        let applicable = choose::applicable(timeline, options);
        let is_wanted = |candidate: &Applicable| match options.model {
            ModelChoice::Auto => true,
            ModelChoice::Rails => has_rails,
            ModelChoice::Curves => candidate.model.unit == FigureUnit::Power,
            ModelChoice::Profile => candidate.model.unit == FigureUnit::Current,
            ModelChoice::Android => false,
        };
        let metered = if uses_rails { rails.components() } else { Vec::new() };
        // A model without anything of the CPU leaves it to the next one. Where rails measure the CPU, only states split
        // their energy, so that terms are no reason to take a model.
        let has_terms = options.model.uses_linear_terms() && !metered.contains(&Component::Cpu);
        let has_cpu = |candidate: &Applicable| {
            let by_terms = has_terms && has_cpu_terms(&candidate.model);
            by_terms || !candidate.model.policies.is_empty()
        };
        let best = applicable.iter().position(is_wanted);
        let of_cpu = applicable.iter().position(|model| is_wanted(model) && has_cpu(model));
        Self {
            timeline,
            options,
            unmodelled: choose::unmodelled_emulator(timeline, options),
            window,
            reach: if uses_rails { rails.reach() } else { window },
            best,
            of_cpu: of_cpu.or(best),
            applicable,
            voltage: Voltage::new(timeline, options.voltage),
            rails,
            uses_rails,
            metered,
        }
    }

    /// The best model of the requested kind.
    pub(crate) fn best(&self) -> Option<Chosen<'_>> {
        self.chosen(self.best)
    }

    /// The best model of the requested kind that estimates the CPU; without one, the best of that kind.
    pub(crate) fn of_cpu(&self) -> Option<Chosen<'_>> {
        self.chosen(self.of_cpu)
    }

    fn chosen(&self, index: Option<usize>) -> Option<Chosen<'_>> {
        let index = index?;
        Some(Chosen { index, of: self.applicable.get(index)? })
    }
}

/// A model that was chosen among the applicable ones.
#[derive(Clone, Copy)]
pub(crate) struct Chosen<'a> {
    /// Its place in [`Scene::applicable`].
    pub(crate) index: usize,
    pub(crate) of: &'a Applicable,
}

impl<'a> Chosen<'a> {
    pub(crate) fn model(&self) -> &'a DeviceModel {
        &self.of.model
    }

    pub(crate) fn provenance(&self) -> Provenance {
        self.of.facts.provenance
    }
}

/// Whether the model has a linear term of the CPU.
fn has_cpu_terms(model: &DeviceModel) -> bool {
    let terms = model.linear.iter().flat_map(|linear| &linear.terms);
    terms.into_iter().any(|term| term.component == Component::Cpu)
}
