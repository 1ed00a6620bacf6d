//! The components and the time that a ledger's total covers.

use serde::{Deserialize, Serialize};
use wattle_power::{Component, Coverage, EstimatedFrom, WindowSet};
use wattle_timeline::{OperatingSystem, Window};
use wattle_units::{Nanos, Provenance};

/// The components and the time that a ledger's total covers, and the components that are known to be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnergyCoverage {
    /// The covered components, ascending. Those without entries are known to have drawn nothing.
    pub components: Vec<CoveredComponent>,
    /// Components that such a device has and whose energy was not estimated; empty for an estimate of the whole device.
    pub missing: Vec<Component>,
    /// Time in which any component is covered.
    pub covered: Nanos,
    /// Time in which all that no other component accounts for is in the total, because the battery or a meter measured the
    /// whole device; zero where it is not.
    #[serde(default)]
    pub whole_device: Nanos,
}

/// One covered component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredComponent {
    /// The component.
    pub component: Component,
    /// Time in which at least a part of its power is estimated.
    pub covered: Nanos,
    /// The data that it was estimated from. Parts can overlap in time.
    pub parts: Vec<CoveredTime>,
}

/// Time in which a component was estimated from one kind of data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CoveredTime {
    /// The data.
    pub from: EstimatedFrom,
    /// Whether the energy as a whole is measured, modelled or assumed.
    pub provenance: Provenance,
    /// The covered time.
    pub covered: Nanos,
}

impl EnergyCoverage {
    /// The coverage of an estimate inside a window; `None` where nothing was estimated. `whole_device` is the time for which
    /// the entries contain what no track accounts for.
    pub(crate) fn new(
        of: &Coverage,
        window: Window,
        system: Option<OperatingSystem>,
        whole_device: Nanos,
    ) -> Option<Self> {
        let mut all = Vec::new();
        let mut components = Vec::new();
        for known in &of.components {
            let windows = known.windows().within(window);
            if windows.is_empty() {
                continue;
            }
            all.extend(windows.iter());
            let parts = known.parts.iter().map(|part| CoveredTime {
                from: part.from,
                provenance: part.provenance,
                covered: part.windows.within(window).duration(),
            });
            components.push(CoveredComponent {
                component: known.component.clone(),
                covered: windows.duration(),
                parts: parts.filter(|part| part.covered > Nanos::ZERO).collect(),
            });
        }
        if components.is_empty() {
            return None;
        }
        let has = |component: &Component| {
            components.iter().any(|covered| covered.component == *component)
        };
        // One rail supplies Wi-Fi and Bluetooth together.
        let is_on_wifi_rail = |component: &Component| {
            *component == Component::Bluetooth
                && components.iter().any(|covered| {
                    covered.component == Component::Wifi
                        && covered.parts.iter().any(|part| part.from == EstimatedFrom::Rails)
                })
        };
        let is_whole = of.is_whole_device || whole_device >= window.duration();
        let usual = Component::usual(system).iter();
        let missing = usual.filter(|component| !has(component) && !is_on_wifi_rail(component));
        let missing = if is_whole { Vec::new() } else { missing.cloned().collect() };
        let covered = all.into_iter().collect::<WindowSet>().duration();
        Some(Self { components, missing, covered, whole_device })
    }

    /// The coverage of one component; `None` where it was not estimated.
    pub fn get(&self, component: &Component) -> Option<&CoveredComponent> {
        self.components.iter().find(|covered| covered.component == *component)
    }

    /// Time in which rails measured a component, the longest of all; `None` without rails in the total.
    pub fn by_rails(&self) -> Option<Nanos> {
        let parts = self.components.iter().flat_map(|covered| &covered.parts);
        parts.filter(|part| part.from == EstimatedFrom::Rails).map(|part| part.covered).max()
    }
}
