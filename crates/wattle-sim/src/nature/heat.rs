//! Temperatures of chip and phone, driven by their true power.

use crate::SplitMix64;
use crate::curve_error::TruePoint;

/// Temperature at which the curves hold, in °C.
const REFERENCE: f64 = 40.0;
/// Rise over it at which leakage has grown by the effect's size, in kelvins.
const RISE: f64 = 35.0;

/// Heat capacities in joules a kelvin: the die with its package, the phone's skin.
const CAPACITIES: (f64, f64) = (0.7, 55.0);
/// Thermal resistances in kelvins a watt: a cluster over the die, die to skin, skin to air.
const RESISTANCES: (f64, f64, f64) = (3.0, 8.0, 7.0);
/// Time in seconds in which a cluster reaches its temperature over the die.
const CLUSTER_TIME: f64 = 0.25;
/// Time in seconds in which a sensor follows.
const SENSOR_TIME: f64 = 0.8;
/// Power in watts that heats the die beside the processor.
const OTHERS: f64 = 0.4;

/// Two thermal masses, and on the die one place for each cluster.
#[derive(Clone, Debug)]
pub(crate) struct Heat {
    /// Factor on leakage at the reference temperature and [`RISE`] above it.
    size: f64,
    ambient: f64,
    skin: f64,
    die: f64,
    /// Rise of each cluster over the die.
    rises: Vec<f64>,
    /// Temperatures by the sensors of the clusters, and by that of the skin as the last.
    sensors: Vec<f64>,
    /// Energy of each cluster at the last step, in joules.
    joules: Vec<f64>,
    /// Time from one reading of the sensors to the next, in nanoseconds.
    pub period: i64,
}

impl Heat {
    /// Begins at a drawn temperature of the air, with a phone that has been in use or has not.
    pub fn new(size: f64, clusters: usize, mut random: SplitMix64) -> Self {
        let ambient = random.between(12.0, 36.0);
        let skin = ambient + random.between(2.0, 10.0);
        let die = skin + random.between(1.0, 14.0);
        let mut sensors = vec![die; clusters];
        sensors.push(skin);
        let period = random.between(100.0, 200.0) as i64 * 1_000_000;
        let zeros = vec![0.0; clusters];
        Self { size, ambient, skin, die, rises: zeros.clone(), sensors, joules: zeros, period }
    }

    /// Lets time pass, with the energy that each cluster has drawn since the start, in joules.
    pub fn step(&mut self, seconds: f64, joules: &[f64]) {
        if seconds <= 0.0 {
            return;
        }
        let (cluster_over, die_over, skin_over) = RESISTANCES;
        let mut power = OTHERS;
        for ((before, now), rise) in self.joules.iter_mut().zip(joules).zip(&mut self.rises) {
            let own = (now - *before) / seconds;
            *before = *now;
            power += own;
            *rise += (own * cluster_over - *rise) * share(seconds, CLUSTER_TIME);
        }
        let flow = (self.die - self.skin) / die_over;
        self.die += (power - flow) * seconds / CAPACITIES.0;
        self.skin += (flow - (self.skin - self.ambient) / skin_over) * seconds / CAPACITIES.1;
        let places = self.rises.iter().map(|rise| self.die + rise).chain([self.skin]);
        for (sensor, place) in self.sensors.iter_mut().zip(places) {
            *sensor += (place - *sensor) * share(seconds, SENSOR_TIME);
        }
    }

    /// The power of a cluster at its temperature: leakage grows exponentially. As much as an idle core leaks, an
    /// executing one does within its active power.
    pub fn warmed(&self, cluster: usize, point: TruePoint) -> TruePoint {
        let factor = self.factor(cluster);
        TruePoint {
            shared: point.shared * factor,
            active: point.active + point.idle0 * (factor - 1.0),
            idle0: point.idle0 * factor,
            idle1: point.idle1 * factor,
        }
    }

    /// Leakage of a cluster relative to that at the reference temperature.
    pub fn factor(&self, cluster: usize) -> f64 {
        let temperature = self.die + self.rises.get(cluster).copied().unwrap_or(0.0);
        self.size.powf((temperature - REFERENCE) / RISE)
    }

    /// Readings of the sensors in whole kelvins, in thousandths of a degree Celsius, with the names of their zones.
    pub fn readings(&self) -> Vec<(&'static str, i64)> {
        let clusters = self.sensors.len() - 1;
        let name = |place: usize| match place {
            _ if place == clusters => "VIRTUAL-SKIN",
            0 => "LITTLE",
            _ if place + 1 == clusters => "BIG",
            _ => "MID",
        };
        let whole = |sensor: &f64| sensor.floor() as i64 * 1000;
        self.sensors.iter().map(whole).enumerate().map(|(it, milli)| (name(it), milli)).collect()
    }
}

/// The part of a difference that is made up for in so many seconds.
fn share(seconds: f64, time: f64) -> f64 {
    1.0 - (-seconds / time).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leakage_has_grown_by_the_size_after_the_rise() {
        let mut heat = Heat::new(1.6, 1, SplitMix64::new(1));
        heat.die = REFERENCE + RISE;
        assert!((heat.factor(0) - 1.6).abs() < 1e-12);
        heat.die = REFERENCE;
        assert!((heat.factor(0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn power_heats_to_the_balance_of_the_resistances() {
        let mut heat = Heat::new(1.6, 1, SplitMix64::new(1));
        let mut joules = 0.0;
        for _ in 0..400_000 {
            joules += 2.0 * 0.02;
            heat.step(0.02, &[joules]);
        }
        let power = 2.0 + OTHERS;
        let skin = heat.ambient + power * RESISTANCES.2;
        let die = skin + power * RESISTANCES.1;
        assert!((heat.skin - skin).abs() < 0.1, "{} {skin}", heat.skin);
        assert!((heat.die - die).abs() < 0.1, "{} {die}", heat.die);
        assert!((heat.rises[0] - 2.0 * RESISTANCES.0).abs() < 0.01);
        let sensor = heat.readings();
        assert!((sensor[0].1 as f64 * 1e-3 - die - heat.rises[0]).abs() < 1.1, "{sensor:?}");
    }
}
