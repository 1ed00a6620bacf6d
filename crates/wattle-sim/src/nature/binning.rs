//! Voltage binning: chips of one kind run at different voltages.

use crate::SplitMix64;
use crate::curve_error::TrueCurves;

/// Correlation of two clusters of one chip.
const CHIP_SHARE: f64 = 0.7;
/// A chip that needs less voltage leaks more: logarithm of leakage for that of squared voltage.
const LEAKAGE: f64 = -2.0;
/// Standard deviation of what leakage has of its own, for that of squared voltage.
const OWN_LEAKAGE: f64 = 1.5;

/// Changes the curves of a phone; `size` is the standard deviation of the logarithm of its squared voltage.
pub(super) fn apply(curves: &mut TrueCurves, size: f64, mut random: SplitMix64) {
    let (chip, leaky) = (random.normal(), random.normal());
    for cluster in &mut curves.clusters {
        let own = random.normal();
        let volts = size * (CHIP_SHARE.sqrt() * chip + (1.0 - CHIP_SHARE).sqrt() * own);
        let leakage = (volts + LEAKAGE * volts + OWN_LEAKAGE * size * leaky).exp();
        for point in cluster {
            point.active *= volts.exp();
            point.shared *= leakage;
            point.idle0 *= leakage;
            point.idle1 *= leakage;
        }
    }
}
