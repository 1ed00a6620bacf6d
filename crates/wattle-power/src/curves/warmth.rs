//! Leakage at the temperature of each cluster.
//!
//! Static power and the power of idle cores are mostly leakage, which grows with temperature. The law is that of Liao, He and Lepak
//! (“Temperature and Supply Voltage Aware Performance and Power Modeling at Microarchitecture Level”, IEEE TCAD 24(7), 2005): the
//! current of a gate follows `A·T²·exp((α·V + β)/T) + B·exp(γ·V + δ)`. Its figures at 0.7 V, where phones spend most time, make 1.58 of 35 K more; the
//! polynomial that Arm's power model has for Juno makes 4.6. So the growth has an error as large as itself.
//!
//! Curves are taken to hold at 40 °C, within 10 K: none says at which temperature it was measured.

use wattle_timeline::{CounterScope, CounterTrack, Timeline};
use wattle_units::BootNanos;

use crate::DeviceModel;

/// Temperature of the cluster at which curves hold, in °C.
const REFERENCE: f64 = 40.0;
/// Standard deviation of that, in kelvins.
const REFERENCE_ERROR: f64 = 10.0;
/// Standard deviation in kelvins of a cluster whose temperature nobody read: cool at idle, 75 °C when throttled.
const UNREAD_ERROR: f64 = 15.0;
/// A cluster is so much warmer than the battery, in kelvins, and the standard deviation of that.
const OVER_BATTERY: (f64, f64) = (10.0, 10.0);
/// Relative growth a kelvin near the reference: 1.58 in 35 K. Its standard deviation is as large.
const GROWTH: f64 = 0.013;
/// Readings outside of this, in °C, are no temperatures of a cluster that works.
const BELIEVED: std::ops::RangeInclusive<f64> = -40.0..=130.0;
/// End of the names of counters that are thermal zones, in thousandths of a degree.
const ZONE: &str = " Temperature";
/// The counter of the battery's temperature, in °C.
const BATTERY: &str = "battery.temperature";

/// Leakage of all clusters over time.
#[derive(Clone, Debug, Default)]
pub(super) struct Warmth {
    /// By policy.
    policies: Vec<PolicyWarmth>,
}

/// Leakage of one cluster, relative to its curve.
#[derive(Clone, Debug, Default)]
pub(super) struct PolicyWarmth {
    pub(super) times: Vec<BootNanos>,
    pub(super) factors: Vec<f64>,
    /// Relative standard deviation of its leakage.
    error: f64,
}

impl PolicyWarmth {
    /// The factor at an instant; 1 where nothing was read. What was read first is carried back.
    pub(super) fn at(&self, time: BootNanos) -> f64 {
        let after = self.times.partition_point(|known| *known <= time);
        let place = after.saturating_sub(1);
        self.factors.get(place).copied().unwrap_or(1.0)
    }
}

/// Leakage at a temperature in °C, relative to that at the reference.
fn leakage(celsius: f64) -> f64 {
    // The figures of the paper for the mean of its gates, at 0.7 V.
    const A: f64 = 1.1432e-12;
    const B: f64 = 1.0126e-14;
    const EXPONENT: f64 = 466.4029 * 0.7 - 1_224.740_83;
    const CONSTANT: f64 = 6.28153 * 0.7 + 6.9094;
    let current = |celsius: f64| {
        let kelvin = celsius + 273.15;
        A * kelvin * kelvin * (EXPONENT / kelvin).exp() + B * CONSTANT.exp()
    };
    current(celsius) / current(REFERENCE)
}

impl Warmth {
    /// As thermal zones say, else as the battery does.
    pub(super) fn new(timeline: &Timeline, model: &DeviceModel) -> Self {
        let zones = zones(timeline);
        let battery = || {
            let mut tracks = timeline.system.counters.iter();
            tracks.find(|track| timeline.names.get(track.name) == BATTERY)
        };
        let count = model.policies.len();
        let policies = (0..count).map(|rank| {
            let own: Vec<&CounterTrack> = zones
                .iter()
                .filter(|(name, _)| is_of(name, rank, count))
                .map(|(_, track)| *track)
                .collect();
            let any = || zones.iter().filter(|(name, _)| is_cpu(name)).map(|(_, track)| *track);
            let tracks = if own.is_empty() { any().collect() } else { own };
            let of_zones = PolicyWarmth::new(&tracks, |value| value / 1e3, REFERENCE_ERROR);
            let (over, unsure) = OVER_BATTERY;
            let error = REFERENCE_ERROR.hypot(unsure);
            of_zones
                .or_else(|| PolicyWarmth::new(&[battery()?], |value| value + over, error))
                .unwrap_or_else(Self::unread)
        });
        Self { policies: policies.collect() }
    }

    /// As curves have it, whatever the temperature.
    pub(super) fn unknown(model: &DeviceModel) -> Self {
        Self { policies: model.policies.iter().map(|_| Self::unread()).collect() }
    }

    fn unread() -> PolicyWarmth {
        let error = GROWTH * REFERENCE_ERROR.hypot(UNREAD_ERROR);
        PolicyWarmth { error, ..PolicyWarmth::default() }
    }

    /// Of a policy, by its place in the model.
    pub(super) fn of(&self, policy: usize) -> &PolicyWarmth {
        const NONE: &PolicyWarmth =
            &PolicyWarmth { times: Vec::new(), factors: Vec::new(), error: 0.0 };
        self.policies.get(policy).unwrap_or(NONE)
    }

    /// Relative standard deviation of a policy's leakage.
    pub(super) fn error(&self, policy: usize) -> f64 {
        self.of(policy).error
    }
}

impl PolicyWarmth {
    /// The mean of some zones; `None` where none of them was read.
    fn new(
        tracks: &[&CounterTrack],
        celsius: impl Fn(f64) -> f64,
        reference_error: f64,
    ) -> Option<Self> {
        let mut readings: Vec<(BootNanos, usize, f64)> = Vec::new();
        for (place, track) in tracks.iter().enumerate() {
            let values = track.time.iter().zip(&track.value);
            let values = values.map(|(time, value)| (*time, place, celsius(*value)));
            readings.extend(values.filter(|(_, _, value)| BELIEVED.contains(value)));
        }
        readings.sort_by_key(|(time, place, _)| (*time, *place));
        let mut latest: Vec<Option<f64>> = vec![None; tracks.len()];
        let (mut sum, mut known) = (0.0, 0_u32);
        let (mut times, mut means): (Vec<BootNanos>, Vec<f64>) = (Vec::new(), Vec::new());
        for (time, place, value) in readings {
            match latest[place].replace(value) {
                Some(before) => sum -= before,
                None => known += 1,
            }
            sum += value;
            let mean = sum / f64::from(known);
            // Of zones that are read at one time, the last makes the mean whole.
            if let Some(last) = means.last_mut().filter(|_| times.last() == Some(&time)) {
                *last = mean;
            } else {
                times.push(time);
                means.push(mean);
            }
        }
        let off = means.iter().map(|mean| mean - REFERENCE).sum::<f64>() / means.len() as f64;
        let factors = means.into_iter().map(leakage).collect();
        (!times.is_empty()).then(|| Self {
            times,
            factors,
            error: (GROWTH * reference_error).hypot(GROWTH * off.abs()),
        })
    }
}

/// All thermal zones by lower-case name.
fn zones(timeline: &Timeline) -> Vec<(String, &CounterTrack)> {
    let all = timeline.system.counters.iter();
    let all = all.filter(|track| track.scope == CounterScope::Global && !track.time.is_empty());
    let named = all.filter_map(|track| {
        let name = timeline.names.get(track.name).strip_suffix(ZONE)?;
        Some((name.to_lowercase(), track))
    });
    named.collect()
}

/// Whether a zone is that of the cluster with this place among so many, slowest first: Google's names for Tensor, `cpu-1-0` and
/// `cpu1-gold` of Qualcomm, whose first number is the cluster.
fn is_of(zone: &str, rank: usize, count: usize) -> bool {
    let last = count.saturating_sub(1);
    match zone {
        "little" => rank == 0 && count > 1,
        "mid" => rank > 0 && rank < last,
        "big" => rank == last && count > 1,
        _ => {
            let number = zone.strip_prefix("cpu").map(|rest| rest.trim_start_matches('-'));
            let digits = number.map(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest.split_at(end)
            });
            // `cpu3` alone is a core, not a cluster.
            digits.is_some_and(|(digits, rest)| {
                rest.starts_with('-') && digits.parse().is_ok_and(|cluster: usize| cluster == rank)
            })
        }
    }
}

/// Whether a zone is somewhere in the processor's cores.
fn is_cpu(zone: &str) -> bool {
    matches!(zone, "little" | "mid" | "big")
        || ["cpu", "cluster"].iter().any(|part| zone.contains(part))
}

#[cfg(test)]
mod tests {
    use wattle_timeline::NameId;

    use super::*;

    #[test]
    fn leakage_grows_as_in_the_paper() {
        assert!((leakage(REFERENCE) - 1.0).abs() < 1e-12);
        // Computed from the formula with a calculator: 7.17e-9 at 313 K and 1.13e-8 at 348 K.
        assert!((leakage(75.0) - 1.58).abs() < 0.02, "{}", leakage(75.0));
        assert!(leakage(20.0) < 0.85 && leakage(20.0) > 0.7, "{}", leakage(20.0));
        let growth = leakage(75.0).ln() / 35.0;
        assert!((growth / GROWTH - 1.0).abs() < 0.05, "{growth}");
    }

    #[test]
    fn zones_that_are_read_together_are_one_mean() {
        let track = |readings: &[(i64, f64)]| CounterTrack {
            name: NameId::default(),
            scope: CounterScope::Global,
            time: readings.iter().map(|(time, _)| BootNanos::new(*time)).collect(),
            value: readings.iter().map(|(_, value)| *value).collect(),
        };
        let warmth = |tracks: &[CounterTrack]| {
            let tracks: Vec<&CounterTrack> = tracks.iter().collect();
            PolicyWarmth::new(&tracks, |value| value, REFERENCE_ERROR).unwrap()
        };
        let one = warmth(&[track(&[(0, 70.0), (10, 80.0)])]);
        assert!((one.error - GROWTH * 10.0_f64.hypot(35.0)).abs() < 1e-12, "{one:?}");
        // However many zones, with the same mean at each time: the same.
        for pairs in [1, 10, 1000] {
            let zones: Vec<CounterTrack> = (0..2 * pairs)
                .map(|zone| {
                    let off = if zone % 2 == 0 { -5.0 } else { 5.0 };
                    track(&[(0, 70.0 + off), (10, 80.0 + off)])
                })
                .collect();
            let many = warmth(&zones);
            assert_eq!(many.times, one.times);
            assert!((many.error - one.error).abs() < 1e-9, "{pairs}: {many:?}");
            for (one, many) in one.factors.iter().zip(&many.factors) {
                assert!((one - many).abs() < 1e-9, "{pairs}: {one} {many}");
            }
        }
    }

    #[test]
    fn zones_are_those_of_their_clusters() {
        for (zone, count, expected) in [
            ("little", 3, Some(0)),
            ("mid", 3, Some(1)),
            ("big", 3, Some(2)),
            ("big", 2, Some(1)),
            ("cpu-1-0-usr", 3, Some(1)),
            ("cpu0-silver-usr", 2, Some(0)),
            ("cpu-2-3", 3, Some(2)),
            ("cpu3", 4, None),
            ("battery", 3, None),
            ("virtual-skin", 3, None),
        ] {
            let found = (0..count).find(|rank| is_of(zone, *rank, count));
            assert_eq!(found, expected, "{zone} of {count}");
        }
    }
}
