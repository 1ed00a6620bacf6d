//! Energies of the runs of one commit.

use std::sync::Arc;

use wattle_units::{Interval, Joules};

use super::MethodTable;
use crate::digest::GroupRecord;

/// Energies of the runs of one commit, device and scenario.
#[derive(Clone, Debug)]
pub struct GroupEnergies {
    /// The runs.
    pub runs: GroupRecord,
    /// Their methods.
    pub methods: MethodTable,
}

/// Energies of a project: the runs of its newest commit, by device and scenario, those of the newest run first.
#[derive(Clone, Debug, Default)]
pub struct ProjectEnergies {
    /// The groups.
    pub groups: Vec<Arc<GroupEnergies>>,
}

impl GroupEnergies {
    /// The part of an energy of the app's, or of the device's for runs without an app; `None` where that is unknown or nothing.
    pub fn share(&self, joules: Joules) -> Option<f64> {
        let all = self.runs.energy.as_ref()?.joules.value();
        let share = joules.value() / all;
        (all > 0.0 && share.is_finite()).then_some(share)
    }

    /// The device, as people name it.
    pub fn device(&self) -> &str {
        let device = &self.runs.facts.device;
        device.title.as_deref().or(device.key.as_deref()).unwrap_or("unknown device")
    }

    /// The scenario, where the runs have one.
    pub fn scenario(&self) -> Option<&str> {
        self.runs.facts.circumstances.scenario.as_deref()
    }

    /// The commit of the code that ran.
    pub fn commit(&self) -> Option<&str> {
        self.runs.facts.code.commit.as_deref()
    }

    /// Whether the code that ran was that of the commit; files can have been changed and not committed.
    pub fn is_committed(&self) -> bool {
        self.commit().is_some() && self.runs.facts.code.dirty == Some(false)
    }

    /// Device, scenario and number of runs: `Pixel 6a · feed · 5 runs of 3ab12f4cd`.
    pub fn title(&self) -> String {
        let scenario = self.scenario().map(|it| format!(" · {it}")).unwrap_or_default();
        let runs = match self.runs.runs.as_slice() {
            [only] => format!("run:{only}"),
            several => format!("{} runs", several.len()),
        };
        let of = self
            .commit()
            .map(|it| format!(" of {}", it.get(..9).unwrap_or(it)))
            .unwrap_or_default();
        let dirty = if self.runs.facts.code.dirty == Some(true) { " + changes" } else { "" };
        format!("{}{scenario} · {runs}{of}{dirty}", self.device())
    }

    /// The newest run.
    pub fn newest(&self) -> Option<i64> {
        self.runs.runs.first().copied()
    }
}

/// An interval divided by a number of calls.
pub fn per_call(joules: Joules, interval: Interval, calls: f64) -> Option<(Joules, Interval)> {
    let each = |it: Joules| Joules::new(it.value() / calls);
    (calls > 0.0)
        .then(|| (each(joules), Interval { low: each(interval.low), high: each(interval.high) }))
}
