//! Energy in human units: one line under a figure.

use super::style::Style::Dim;
use super::terminal_page::Page;
use crate::cells::{amount_of_time, small_percent};
use crate::{BatteryOf, HumanFigure, HumanUnits};
use wattle_units::Si;

impl Page<'_> {
    /// The line under a figure; nothing where there is none.
    pub(super) fn human(&self, human: Option<&HumanFigure>, to: &mut String) {
        if let (Some(human), Some(units)) = (human, &self.report.energy.human_units) {
            self.line_indented(to, Dim, &sentence(human, units));
        }
    }
}

/// `= 7.1 s web browsing, 3.9 s video, 3.8 s 3D game on a Galaxy S21 Ultra · 0.012 % of its battery · 0.61 mAh · 1.1 mg CO2e`
pub fn sentence(human: &HumanFigure, units: &HumanUnits) -> String {
    let times: Vec<String> = human
        .activities
        .iter()
        .map(|activity| format!("{} {}", amount_of_time(activity.seconds.value), activity.name))
        .collect();
    let mut parts = Vec::new();
    if !times.is_empty() {
        parts.push(format!("= {} on a {}", times.join(", "), units.reference.name));
    }
    let whose = match units.battery.of {
        BatteryOf::RecordedDevice => "this device's battery",
        BatteryOf::ReferenceDevice if times.is_empty() => "the reference device's battery",
        BatteryOf::ReferenceDevice => "its battery",
    };
    parts.push(format!("{} of {whose}", small_percent(human.battery_share.value)));
    if let Some(mah) = human.mah {
        parts.push(Si { value: mah.value * 1e-3, unit: "Ah" }.to_string());
    }
    parts.push(format!("{} CO2e", Si { value: human.co2e_grams.value, unit: "g" }));
    parts.join(" · ")
}
