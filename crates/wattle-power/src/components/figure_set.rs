//! Which figures are for the device of a recording.

use wattle_units::Provenance;

use super::cpu_totals;
use crate::choose::Applicable;
use crate::{Figures, PowerOptions, PowerProfile};

/// The figures that apply, and where they are from.
#[derive(Default)]
pub(crate) struct FigureSet {
    pub(crate) figures: Figures,
    pub(crate) names: Vec<String>,
}

impl FigureSet {
    /// Every model and profile that is for this device has its say, the first the last word on each figure. Figures
    /// of a device that is only like this one are not used: a component without figures is not modelled.
    pub(crate) fn new(options: &PowerOptions, applicable: &[Applicable]) -> Self {
        let mut set = Self::default();
        let sure = || applicable.iter().filter(|a| a.facts.provenance != Provenance::Assumed);
        // The user's own comes first of all, what the user named beside it next.
        if let (Some(own), false) = (applicable.first(), options.device_models.is_empty()) {
            set.add(&own.model.name, &own.model.figures);
        }
        for preset in options.device_models.iter().filter(|model| model.is_preset()) {
            set.add(&preset.name, &preset.figures);
        }
        for candidate in sure() {
            set.add(&candidate.model.name, &candidate.model.figures);
        }
        let profiles = || options.profiles.iter().chain(&options.recorded_profile);
        for profile in profiles().filter(|profile| has_real_figures(profile)) {
            set.add(&profile.name, &profile.figures());
        }
        // Of the CPU the best model alone: tables of two would not belong together.
        if let Some(candidate) = sure().next() {
            set.add(&candidate.model.name, &cpu_totals::figures_of(&candidate.model));
        } else if let Some(profile) = profiles().find(|profile| profile.placeholder.is_none())
            && let Some(of_cpu) = &profile.cpu
        {
            set.add(&profile.name, &cpu_totals::figures_of_profile(of_cpu));
        }
        set
    }

    fn add(&mut self, name: &str, figures: &Figures) {
        let mut used = false;
        for (figure, value) in figures.iter() {
            if self.figures.get(figure).is_none() {
                self.figures.insert(figure, value.clone());
                used = true;
            }
        }
        if used && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }
}

/// A profile whose panel and CPU are both AOSP's default is one that nobody touched.
fn has_real_figures(profile: &PowerProfile) -> bool {
    profile.placeholder.is_none()
        || !profile.placeholders().iter().any(|found| found.part == "screen")
}
