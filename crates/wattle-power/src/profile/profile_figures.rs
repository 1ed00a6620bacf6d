//! The figures of a power profile, other than the CPU's tables.

use wattle_units::Provenance;

use super::PowerProfile;
use super::canonical_names::{self, GROUPS};
use crate::{Figure, Figures, Measure};

impl PowerProfile {
    /// The figures of every era under one set of names (`docs/component-models.md`): currents in mA,
    /// voltages in V, the battery's capacity in mAh. Left out: the CPU's tables, groups that are 0
    /// throughout (nobody measured them), voltages of 0, and figures of components whose figures are
    /// placeholders ([`PowerProfile::placeholders`]).
    pub fn figures(&self) -> Figures {
        let mut figures = Figures::default();
        let items = self.items.iter().map(|(name, value)| (name, vec![*value]));
        let arrays = self.arrays.iter().map(|(name, values)| (name, values.clone()));
        // The newer name wins over the older one that stands for it.
        let (renamed, own): (Vec<_>, Vec<_>) = items
            .chain(arrays)
            .partition(|(name, _)| canonical_names::canonical(name) != name.as_str());
        for (name, values) in renamed.into_iter().chain(own) {
            let name = canonical_names::canonical(name);
            let Some((unit, factor)) = canonical_names::measure(name) else { continue };
            let values: Vec<f64> = values.into_iter().map(|value| value * factor).collect();
            let usable = values.iter().all(|value| *value >= 0.0 && value.is_finite());
            let empty = unit == Measure::Volts && values.iter().all(|value| *value == 0.0);
            if values.is_empty() || empty || !usable {
                continue;
            }
            let figure = Figure {
                values,
                unit,
                source: String::new(),
                provenance: Provenance::Modelled,
                error: None,
            };
            figures.insert(name, figure);
        }
        for group in GROUPS {
            let of_group = || group.iter().filter_map(|name| figures.get(name));
            if of_group().flat_map(|figure| &figure.values).all(|value| *value == 0.0) {
                for name in group {
                    figures.remove(name);
                }
            }
        }
        for found in self.placeholders() {
            for name in found.figures {
                figures.remove(name);
            }
        }
        figures
    }
}
