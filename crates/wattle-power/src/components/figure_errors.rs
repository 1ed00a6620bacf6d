//! Errors of the figures of components.

use std::collections::BTreeMap;

use wattle_units::Provenance;

use crate::{ErrorGroup, ErrorModel, ErrorSource, Figures, Meter, MeterId, Scope, SourceId};

/// Of a figure that was measured on the device, where the file does not say it: meters of phones' rails and
/// supplies are within a few percent, the state that was measured is a typical one.
const MEASURED: f64 = 0.1;
/// Of the device's own power profile: its CPU currents are 0.36 to 0.73 of what was measured on the same SoC
/// (`profile/cpu_profile.rs`), and nobody has compared the rest of it.
const MODELLED: f64 = 0.5;
/// Of figures that are another device's, or a paper's: root mean square, over twenty figures, of the standard
/// deviation of their logarithms among the profiles of fourteen phones (screen 0.3 to 0.5, camera 0.3, audio 0.6,
/// Wi-Fi active 1.0, satellite positioning 1.3).
const ASSUMED: f64 = 0.95;
/// Of a consumer that Android's power-statistics HAL measured: as of rails, which are the same meters.
const CONSUMER: f64 = 0.02;
/// Error of an app's share of a measured sum; a judgement.
const SHARE: f64 = 0.3;

/// The size where the figure does not say it.
fn usual(provenance: Provenance) -> f64 {
    match provenance {
        Provenance::Measured => MEASURED,
        Provenance::Modelled => MODELLED,
        Provenance::Assumed => ASSUMED,
    }
}

/// The error sources of components, one for each rule and one for each account of what was measured.
pub(super) struct Sources<'a> {
    pub(super) errors: &'a mut ErrorModel,
    /// Of the device model that the figures are of.
    pub(super) model: Provenance,
    /// Whether the battery's voltage is a guess.
    pub(super) guessed_voltage: bool,
    known: BTreeMap<String, SourceId>,
    meters: BTreeMap<String, (MeterId, crate::ErrorGroupId)>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(
        errors: &'a mut ErrorModel,
        model: Provenance,
        guessed_voltage: bool,
    ) -> Self {
        Self { errors, model, guessed_voltage, known: BTreeMap::new(), meters: BTreeMap::new() }
    }

    /// Of what the figures say of a component: as wrong as the worst of them.
    pub(super) fn of_figures(
        &mut self,
        name: &str,
        used: &[&'static str],
        figures: &Figures,
    ) -> SourceId {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let used: Vec<_> = used.iter().filter_map(|name| figures.get(name)).collect();
        let mut provenance = self.model;
        for figure in &used {
            provenance = provenance.weakest(figure.provenance);
        }
        let stated = used.iter().filter_map(|figure| figure.error).reduce(f64::max);
        let all_stated = !used.is_empty() && used.iter().all(|figure| figure.error.is_some());
        let worst = stated.unwrap_or(0.0).max(if all_stated { 0.0 } else { usual(provenance) });
        if self.guessed_voltage {
            provenance = Provenance::Assumed;
        }
        let group = ErrorGroup { name: name.to_owned(), shared: worst, freedom: None };
        let group = self.errors.add_group(group);
        let source = self.errors.add_source(ErrorSource {
            name: name.to_owned(),
            group,
            own: 0.0,
            meter: None,
            provenance,
        });
        self.known.insert(name.to_owned(), source);
        source
    }

    /// Of one account's share of what the device measured.
    pub(super) fn of_meter(&mut self, consumer: &str, scope: &Scope) -> SourceId {
        let (meter, group) = if let Some(known) = self.meters.get(consumer) {
            *known
        } else {
            let name = format!("measured {consumer}");
            let meter = Meter { name: name.clone(), error: CONSUMER, group: None };
            let meter = self.errors.add_meter(meter);
            let group = ErrorGroup { name, shared: 0.0, freedom: None };
            let group = self.errors.add_group(group);
            self.meters.insert(consumer.to_owned(), (meter, group));
            (meter, group)
        };
        let name = format!("measured {consumer}, {scope:?}");
        if let Some(known) = self.known.get(&name) {
            return *known;
        }
        let provenance =
            if self.guessed_voltage { Provenance::Assumed } else { Provenance::Measured };
        let source = self.errors.add_source(ErrorSource {
            name: name.clone(),
            group,
            own: SHARE,
            meter: Some(meter),
            provenance,
        });
        self.known.insert(name, source);
        source
    }
}
