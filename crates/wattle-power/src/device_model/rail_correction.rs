//! Curves of a model beside the power rails of its device: `wattle calibrate --update`.

use std::collections::BTreeSet;

use wattle_timeline::CpuId;
use wattle_units::Watts;

use super::policy::{Cell, Row};
use super::{BasePower, DeviceModel, ErrorSizes, Policy, PolicyId, StatePower};

/// A number with its standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RailNumber {
    /// The number.
    pub value: f64,
    /// Its standard deviation, in the same unit.
    pub deviation: f64,
}

impl RailNumber {
    /// The deviation as a part of the number, as long as that says something.
    fn relative(self) -> f64 {
        (self.deviation / self.value.abs().max(LEAST_RATIO)).min(MOST_RELATIVE)
    }
}

/// No ratio is taken to be smaller: everything that executes draws something.
const LEAST_RATIO: f64 = 0.05;
/// A relative error above this says no more than this.
const MOST_RELATIVE: f64 = 3.0;

/// Curves of the SoC of a phone are not farther from it than this; nor has one a floor of so many watts.
const MOST_RATIO: f64 = 10.0;
const MOST_FLOOR: f64 = 2.0;

/// The count of numbers that a rail says of curves, see [`RailCorrection::numbers`].
pub const RAIL_NUMBERS: usize = 5;

/// The power of the cores on one rail, beside their curves.
#[derive(Clone, Debug, PartialEq)]
pub struct RailCorrection {
    /// The rail's name.
    pub rail: String,
    /// The policies that it feeds.
    pub policies: Vec<PolicyId>,
    /// Measured over curve while executing, while idle, and of what a cluster draws besides; then watts that the curves lack: always,
    /// and while any core executes. Each with its standard deviation from what another recording of the device will show.
    pub numbers: [RailNumber; RAIL_NUMBERS],
    /// The recordings from which the numbers follow.
    pub recordings: Vec<RailRecording>,
}

/// A rail of one recording beside the curves.
#[derive(Clone, Debug, PartialEq)]
pub struct RailRecording {
    /// The recording's name; empty where it has none. Another one of the same name replaces it.
    pub name: String,
    /// Code name of the device; empty where the recording does not say it.
    pub device: String,
    /// Periods between samples of the rail.
    pub periods: u32,
    /// The numbers that were expected before, independent of each other.
    pub expected: [RailNumber; RAIL_NUMBERS],
    /// The numbers as they are expected with what the rail counted.
    pub found: [RailNumber; RAIL_NUMBERS],
    /// Correlations of `found` below the diagonal, by rows.
    pub correlations: [f64; RAIL_NUMBERS * (RAIL_NUMBERS - 1) / 2],
}

/// A rail of a recording beside the curves of the cores that it feeds.
#[derive(Clone, Debug, PartialEq)]
pub struct RailCurve {
    /// The rail's name.
    pub rail: String,
    /// The cores that it feeds, ascending.
    pub cpus: Vec<CpuId>,
    /// The numbers.
    pub recording: RailRecording,
}

/// Errors of a policy's idle and shared power beyond those that all of its power has in common, as rails left them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RailErrors {
    pub(crate) idle: f64,
    pub(crate) shared: f64,
}

impl RailCorrection {
    const ACTIVE: usize = 0;
    const IDLE: usize = 1;
    const SHARED: usize = 2;
    const FLOOR: usize = 3;
    const AWAKE: usize = 4;

    /// Names of the numbers, in their order.
    pub const NAMES: [&str; RAIL_NUMBERS] = ["active", "idle", "shared", "floor", "awake"];

    /// Descriptions of the numbers for people, in their order.
    pub const TITLES: [&str; RAIL_NUMBERS] = [
        "cores executing",
        "cores idle",
        "shared by the cluster",
        "added while awake (idle floor)",
        "added while any core executes",
    ];

    /// Values of the numbers that correct nothing, in their order: ratios of 1, and no further watts.
    pub const NEUTRAL: [f64; RAIL_NUMBERS] = [1.0, 1.0, 1.0, 0.0, 0.0];

    /// The unit in which people read a number: a ratio of the curve, or milliwatts.
    pub const fn unit(number: usize) -> &'static str {
        if Self::is_power(number) { "mW" } else { "× curve" }
    }

    /// A number's value in its [unit](Self::unit); 0 past the last number.
    pub fn in_unit(&self, number: usize) -> f64 {
        let value = self.numbers.get(number).map_or(0.0, |it| it.value);
        if Self::is_power(number) { Watts::new(value).milliwatts() } else { value }
    }

    /// Whether a number is a power, not a ratio.
    pub const fn is_power(number: usize) -> bool {
        number >= Self::FLOOR
    }

    /// Whether a number can be that of any device: ratios from 0 to 100, powers from 0 to 15 W, and so their deviations.
    pub fn is_possible(number: usize, of: RailNumber) -> bool {
        let most = if Self::is_power(number) { 15.0 } else { 100.0 };
        [of.value, of.deviation].iter().all(|it| (0.0..=most).contains(it))
    }

    fn ratio(&self, number: usize) -> f64 {
        self.numbers[number].value.max(LEAST_RATIO)
    }

    fn apply(&self, state: StatePower) -> StatePower {
        let [executing, light, deep] = state.core;
        let idle = self.ratio(Self::IDLE);
        StatePower {
            shared: state.shared * self.ratio(Self::SHARED),
            core: [executing * self.ratio(Self::ACTIVE), light * idle, deep * idle],
            ..state
        }
    }

    fn corrected(&self, policy: &Policy) -> Policy {
        let cell = |cell: &Cell| Cell { on: cell.on, power: self.apply(cell.power) };
        let row = |row: &Row| Row {
            frequency: row.frequency,
            cells: row.cells.iter().map(cell).collect(),
        };
        Policy { rows: policy.rows.iter().map(row).collect(), ..policy.clone() }
    }
}

impl DeviceModel {
    /// The model as rails of its device corrected it: curves with the ratios in them, what they lack in the base.
    #[must_use]
    pub fn corrected_by_rails(&self) -> Self {
        let mut model = self.clone();
        for policy in &mut model.policies {
            if let Some(rail) = self.rail_of(policy.id) {
                *policy = rail.corrected(policy);
            }
        }
        let sum = |number: usize| {
            let all = self.rails.iter().map(|rail| rail.numbers[number].value.max(0.0));
            Watts::new(all.sum())
        };
        if !self.rails.is_empty() {
            let base = model.base.unwrap_or_default();
            model.base = Some(BasePower {
                floor: base.floor + sum(RailCorrection::FLOOR),
                active: base.active + sum(RailCorrection::AWAKE),
                ..base
            });
        }
        model
    }

    /// The rail that said something of a policy.
    pub fn rail_of(&self, policy: PolicyId) -> Option<&RailCorrection> {
        self.rails.iter().find(|rail| rail.policies.contains(&policy))
    }

    /// Sizes of a policy's errors by the rail that corrected it.
    pub(crate) fn error_by_rails(&self, policy: PolicyId, own: f64) -> Option<ErrorSizes> {
        let rail = self.rail_of(policy)?;
        Some(ErrorSizes {
            shared: rail.numbers[RailCorrection::ACTIVE].relative(),
            own,
            freedom: None,
            source: format!("power rails of {}", self.rail_recordings()),
        })
    }

    /// Errors of a policy's idle and shared power beside its common error.
    pub(crate) fn rail_errors(&self, policy: PolicyId) -> RailErrors {
        let Some(rail) = self.rail_of(policy) else { return RailErrors::default() };
        let common = rail.numbers[RailCorrection::ACTIVE].relative();
        let beyond = |number: usize| {
            (rail.numbers[number].relative().powi(2) - common.powi(2)).max(0.0).sqrt()
        };
        RailErrors { idle: beyond(RailCorrection::IDLE), shared: beyond(RailCorrection::SHARED) }
    }

    /// Relative errors of the floor, and of what is drawn while any core executes, where rails said them.
    pub(crate) fn base_errors(&self) -> [f64; 2] {
        [RailCorrection::FLOOR, RailCorrection::AWAKE].map(|number| {
            let all = || self.rails.iter().map(|rail| rail.numbers[number]);
            let deviation = all().map(|it| it.deviation.powi(2)).sum::<f64>().sqrt();
            let sum: f64 = all().map(|it| it.value.max(0.0)).sum();
            if sum > 0.0 { (deviation / sum).min(MOST_RELATIVE) } else { 0.0 }
        })
    }

    /// Whether rails corrected it, and all of a device of another code name than this.
    pub(crate) fn learnt_elsewhere(&self, device: &str) -> bool {
        let all = || self.rails.iter().flat_map(|rail| &rail.recordings);
        let mut known =
            all().map(|it| it.device.as_str()).filter(|name| !name.is_empty()).peekable();
        known.peek().is_some() && known.all(|name| !name.eq_ignore_ascii_case(device))
    }

    /// Numbers of rails that cannot be of a phone, in words: the rail and the number.
    pub(crate) fn rail_defects(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for rail in &self.rails {
            for (place, (name, number)) in
                RailCorrection::NAMES.iter().zip(&rail.numbers).enumerate()
            {
                let is_power = RailCorrection::is_power(place);
                let (most, unit) = if is_power { (MOST_FLOOR, " W") } else { (MOST_RATIO, "") };
                if number.value < 0.0 || number.value > most {
                    let text =
                        format!("{name} is {:.3}{unit}; expected 0 to {most}{unit}", number.value);
                    found.push((format!("rail {}", rail.rail), text));
                }
            }
        }
        found
    }

    /// The recordings with rails that it learnt from, in words: `2 recordings of oriole`.
    pub fn rail_recordings(&self) -> String {
        let all = || self.rails.iter().flat_map(|rail| &rail.recordings);
        let names: BTreeSet<&str> = all().map(|it| it.name.as_str()).collect();
        let devices: BTreeSet<&str> =
            all().map(|it| it.device.as_str()).filter(|device| !device.is_empty()).collect();
        let count = match names.len() {
            0 => return "its device".to_owned(),
            1 => "1 recording".to_owned(),
            count => format!("{count} recordings"),
        };
        match devices.into_iter().collect::<Vec<_>>().join(", ").as_str() {
            "" => count,
            devices => format!("{count} of {devices}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use wattle_units::Hertz;

    use super::*;
    use crate::DependsOn;

    const MODEL: &str = "format = 'wattle-device-model/1'
        name = 'x'
        version = 1
        [base]
        awake = 3
        [error]
        shared = 0.3
        own = 0.05
        [[policy]]
        id = 0
        cpus = [0]
        curve = [[1000, 2, 10, 1, 0.5]]
        [[policy]]
        id = 1
        cpus = [1]
        curve = [[1000, 4, 20, 2, 1]]
        [[rail]]
        name = 'BIG'
        policies = [1]
        active = [1.5, 0.15]
        idle = [2, 0.6]
        shared = [0.5, 0.01]
        floor = [12, 3]
        awake = [6, 4]";

    #[test]
    fn numbers_of_rails_are_in_the_powers_of_their_policies() {
        let model = DeviceModel::parse("x", MODEL).unwrap();
        let corrected = model.corrected_by_rails();
        let power = |policy: usize| {
            let at = Hertz::from_kilohertz(1000);
            let state = corrected.policies[policy].power(at, DependsOn::default());
            let [a, b, c] = state.core;
            [state.shared, a, b, c].map(|power| (power.milliwatts() * 1e6).round() / 1e6)
        };
        assert_eq!(power(0), [2.0, 10.0, 1.0, 0.5]);
        assert_eq!(power(1), [2.0, 30.0, 4.0, 2.0]);
        let base = corrected.base.unwrap();
        assert_eq!(base.awake, Watts::from_milliwatts(3.0));
        assert_eq!(base.floor, Watts::from_milliwatts(12.0));
        assert_eq!(base.active, Watts::from_milliwatts(6.0));
    }

    #[test]
    fn errors_are_those_that_rails_left() {
        let model = DeviceModel::parse("x", MODEL).unwrap();
        let sizes = model.error_sizes();
        assert_eq!(sizes[0].as_ref().unwrap().shared, 0.3);
        let of_big = sizes[1].as_ref().unwrap();
        assert!((of_big.shared - 0.1).abs() < 1e-12, "{of_big:?}");
        assert_eq!(of_big.own, 0.05);
        let errors = model.rail_errors(PolicyId(1));
        // 0.6 of 2 beyond 0.1: √(0.3² − 0.1²).
        assert!((errors.idle - 0.08_f64.sqrt()).abs() < 1e-12, "{errors:?}");
        assert_eq!(errors.shared, 0.0);
        let [floor, awake] = model.base_errors();
        assert!((floor - 0.25).abs() < 1e-12 && (awake - 4.0 / 6.0).abs() < 1e-12);
    }
}
