//! Profiles that a maker took from another phone.

use std::collections::BTreeSet;

use wattle_timeline::Timeline;

use super::PowerProfile;
use crate::device_model::{entries, is_for};
use crate::{BasePower, DeviceModel, FigureUnit};

/// From this part of its other figures on, a profile with another's CPU currents is that profile.
const MOST: f64 = 0.9;

impl PowerProfile {
    /// The library's profile of another device that this one repeats: all CPU currents, and 90 % of the other figures.
    ///
    /// Devices that a model of the library names together with the recording's are of its family, and may share
    /// figures. `None` also where the recording does not say what it is of.
    pub(crate) fn copied_from(&self, timeline: &Timeline) -> Option<&'static DeviceModel> {
        let device = &timeline.device;
        device.device_name().or(device.soc_name())?;
        let own = self.device_model(timeline)?;
        let family = || entries().iter().filter(|entry| is_for(entry, timeline));
        let profiles = entries().iter().filter(|entry| entry.unit() == FigureUnit::Current);
        let same: Vec<_> = profiles.filter(|e| e.model().is_some_and(|m| same(&own, m))).collect();
        let related = |of: &&crate::device_model::Entry| {
            let names = of.head.devices();
            family().any(|other| other.head.devices().iter().any(|name| names.contains(name)))
        };
        if same.iter().any(related) {
            return None;
        }
        same.first()?.model()
    }
}

fn same(own: &DeviceModel, other: &DeviceModel) -> bool {
    let cpu = own.policies.len() == other.policies.len()
        && own.policies.iter().zip(&other.policies).all(|(a, b)| a.rows == b.rows);
    if !cpu {
        return false;
    }
    let names: BTreeSet<&str> =
        own.figures.iter().chain(other.figures.iter()).map(|(name, _)| name).collect();
    let equal = |name: &&&str| {
        let values = |model: &DeviceModel| model.figures.get(name).map(|f| f.values.clone());
        values(own) == values(other)
    };
    let base = |model: &DeviceModel| {
        let BasePower { suspend, awake, active, .. } = model.base.unwrap_or_default();
        [suspend, awake, active]
    };
    let bases = base(own).into_iter().zip(base(other)).filter(|(a, b)| a == b).count();
    let all = names.len() + 3;
    (names.iter().filter(equal).count() + bases) as f64 >= MOST * all as f64
}
