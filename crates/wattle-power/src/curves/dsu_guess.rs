//! The clock of the DynamIQ shared unit where the recording does not have it.
//!
//! The power of some policies depends on it by a factor of two and more, so no clock may stand in as if it were known: the one in the
//! middle does, and the interval reaches from the power at the lowest clock to that at the highest.

use std::collections::BTreeSet;

use wattle_units::{Hertz, Watts};

use crate::{DependsOn, DeviceModel, Policy, student};

/// A clock that stands in, and the common error of all powers that depend on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DsuGuess {
    pub(super) clock: Hertz,
    /// Standard deviation of the logarithm of power.
    pub(super) deviation: f64,
}

impl DsuGuess {
    /// Of a model; `None` where nothing depends on that clock.
    pub(super) fn new(model: &DeviceModel) -> Option<Self> {
        let depending = || model.policies.iter().filter(|policy| policy.depends_on_dsu());
        let cells = depending().flat_map(|policy| policy.rows.iter().flat_map(|row| &row.cells));
        let clocks: BTreeSet<Hertz> = cells.map(|cell| cell.on.frequency).collect();
        let mut deviation = 0.0_f64;
        let mut off = vec![0.0_f64; clocks.len()];
        for policy in depending() {
            let powers: Vec<f64> = clocks.iter().map(|clock| log_power(policy, *clock)).collect();
            let least = powers.iter().copied().fold(f64::INFINITY, f64::min);
            let most = powers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let reach = (most - least) / 2.0;
            deviation = deviation.max(reach / student::NORMAL);
            for (off, power) in off.iter_mut().zip(powers) {
                *off += (power - least - reach).powi(2);
            }
        }
        let nearest = clocks.into_iter().zip(off).min_by(|one, other| one.1.total_cmp(&other.1));
        let (clock, _) = nearest?;
        deviation.is_finite().then_some(Self { clock, deviation })
    }
}

/// Mean over a policy's clocks of the logarithm of what one busy core and its cluster draw at a clock of the shared unit.
fn log_power(policy: &Policy, dsu: Hertz) -> f64 {
    let on = DependsOn { policy: DependsOn::DSU, frequency: dsu };
    let power = |clock: Hertz| {
        let state = policy.power(clock, on);
        (state.core[0] + state.shared + state.interconnect).max(Watts::new(1e-9)).value().ln()
    };
    let count = policy.frequencies().len().max(1);
    policy.frequencies().map(power).sum::<f64>() / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "format = 'wattle-device-model/1'
        name = 'x'
        version = 1
        [dsu]
        devfreq = ['dsu']
        [[policy]]
        id = 0
        cpus = [0]
        dependent_curve = [
            [1000, 255, 100, 0, 10, 1, 0, 0], [1000, 255, 200, 0, 12, 1, 0, 0],
            [1000, 255, 300, 0, 21, 1, 0, 0], [1000, 255, 400, 0, 40, 1, 0, 0],
        ]";

    #[test]
    fn the_middle_stands_in_and_the_interval_reaches_both_ends() {
        let guess = DsuGuess::new(&DeviceModel::parse("x", MODEL).unwrap()).unwrap();
        // The geometric middle of 10 and 40 is 20.
        assert_eq!(guess.clock, Hertz::from_kilohertz(300));
        assert!((guess.deviation * student::NORMAL - 2.0_f64.ln()).abs() < 1e-9, "{guess:?}");
    }

    #[test]
    fn models_without_a_shared_unit_guess_nothing() {
        let model = crate::library().iter().find(|model| model.name == "Tensor").unwrap();
        assert_eq!(DsuGuess::new(model), None);
        let model = crate::library().iter().find(|model| model.name == "Tensor G4").unwrap();
        let guess = DsuGuess::new(model).unwrap();
        assert!(guess.deviation > 0.1, "{guess:?}");
    }
}
