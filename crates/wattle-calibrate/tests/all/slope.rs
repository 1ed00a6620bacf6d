//! Slopes of cumulative counters, with the timing and the published results of Navitas' "constants mode".

use wattle_calibrate::{CounterSeries, CounterUnit, SlopeCalibration, SlopeRequest};

/// Polling of the Bluetooth counter in commit `0b5e63a` of Navitas: nominal rate in Hz, first gap and usual gap in
/// milliseconds, readings. 122 seconds in all.
const POLLS: [(f64, f64, f64, usize); 5] = [
    (0.5, 2428.0, 2220.0, 56),
    (1.0, 1378.0, 1200.0, 102),
    (2.0, 812.0, 706.0, 174),
    (5.0, 413.0, 400.0, 306),
    (10.0, 359.0, 299.0, 409),
];

/// A counter that has counted so many mAh when the first reading is taken, and rises by so many mA; batterystats prints four
/// decimals.
fn counted(start: f64, milliamperes: f64) -> Vec<CounterSeries> {
    let series = POLLS.iter().map(|(rate, first, usual, count)| {
        let time = |index: usize| match index {
            0 => 0.0,
            index => (first + usual * (index - 1) as f64) / 1e3,
        };
        let time: Vec<f64> = (0..*count).map(time).collect();
        let value = time.iter().map(|t| ((start + milliamperes * t / 3600.0) * 1e4).round() / 1e4);
        CounterSeries { name: format!("{rate} Hz"), value: value.collect(), time }
    });
    series.collect()
}

/// The published method: counter over time since the first reading, its mean for each rate, a straight line over the rates,
/// and what that has at rate 0.
fn legacy(series: &[CounterSeries]) -> f64 {
    let means: Vec<f64> = series
        .iter()
        .map(|of| {
            let since = |time: &f64| (time - of.time[0]) / 3600.0;
            let over: Vec<f64> =
                of.time.iter().zip(&of.value).skip(1).map(|(t, v)| v / since(t)).collect();
            over.iter().sum::<f64>() / over.len() as f64
        })
        .collect();
    let rates: Vec<f64> = POLLS.iter().map(|poll| poll.0).collect();
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (x, y) = (mean(&rates), mean(&means));
    let up: f64 = rates.iter().zip(&means).map(|(a, b)| (a - x) * (b - y)).sum();
    let down: f64 = rates.iter().map(|a| (a - x).powi(2)).sum();
    y - up / down * x
}

fn fitted(series: &[CounterSeries], name: &str) -> SlopeCalibration {
    SlopeCalibration::new(series, &SlopeRequest::new(name, CounterUnit::MilliampereHours)).unwrap()
}

/// `0b5e63a`: the counter starts at 0.0244 mAh, its slope is 0.383 to 0.386 mA at each of the five rates; the published
/// result is 3.844.
#[test]
fn a_counter_that_does_not_start_at_zero_is_not_ten_times_its_slope() {
    let series = counted(0.0244, 0.383);
    let published = legacy(&series);
    assert!((published / 3.844 - 1.0).abs() < 0.02, "{published}");
    let found = fitted(&series, "bluetooth.on");
    assert_eq!((found.figure.as_str(), found.unit), ("bluetooth.on", "mA"));
    assert!((0.3825..0.3865).contains(&found.value), "{found:?}");
    for of in &found.series {
        assert!((0.3820..0.3865).contains(&of.value), "{of:?}");
        assert!((of.start - 0.0244).abs() < 1e-4, "{of:?}");
        let [low, high] = of.interval.unwrap();
        // Of five 90 % intervals, one may miss; not by more than rounding of the counter does.
        assert!(low < 0.3835 && 0.3825 < high && high - low < 0.01, "{of:?}");
    }
    let [low, high] = found.interval.unwrap();
    assert!(low <= 0.383 && 0.383 <= high && high - low < 0.01, "{found:?}");
    assert_eq!(found.warnings, Vec::<String>::new());
}

/// A published pair of legacy result and slope says where the counter began.
#[track_caller]
fn check(name: &str, published: f64, slope: f64) {
    let a_milliampere_hour = legacy(&counted(1.0, 0.0));
    let start = (published - slope) / a_milliampere_hour;
    let series = counted(start, slope);
    let of_legacy = legacy(&series);
    assert!((of_legacy / published - 1.0).abs() < 0.02, "{name}: {of_legacy}");
    let found = fitted(&series, name);
    assert!((found.value / slope - 1.0).abs() < 0.01, "{name}: {found:?}");
    let model = found.device_model("calibrated", "test");
    assert_eq!(model.figures.value(name), Some(found.value));
    let text = model.to_toml();
    assert_eq!(wattle_power::DeviceModel::parse("x", &text).unwrap(), model, "{text}");
}

#[test]
fn published_constants_are_corrected() {
    check("wifi.on", 1.35, 0.34);
    check("bluetooth.active", 3.04, 0.20);
    check("bluetooth.on", 3.844, 0.383);
}

#[test]
fn units_of_counters_decide_what_a_slope_is() {
    let time: Vec<f64> = (0..100).map(f64::from).collect();
    let check = |unit: &str, a_second: f64, expected: f64, of: &str| {
        let unit = CounterUnit::named(unit).unwrap();
        let value = time.iter().map(|t| 7.0 + t * a_second).collect();
        let series = CounterSeries { name: "x".to_owned(), time: time.clone(), value };
        let found = SlopeCalibration::new(&[series], &SlopeRequest::new("x", unit)).unwrap();
        assert!((found.value - expected).abs() < 1e-9, "{found:?}");
        assert_eq!(found.unit, of);
    };
    check("mAh", 0.001, 3.6, "mA");
    check("uAh", 1.0, 3.6, "mA");
    check("mWh", 0.001, 3.6, "mW");
    check("J", 0.5, 500.0, "mW");
    check("uWs", 500_000.0, 500.0, "mW");
    assert!(CounterUnit::named("mA").is_err());
}

#[test]
fn what_is_no_steady_slope_is_said() {
    let check = |value: &dyn Fn(f64) -> f64, words: &str| {
        let time: Vec<f64> = (0..100).map(f64::from).collect();
        let value = time.iter().map(|t| value(*t)).collect();
        let series = CounterSeries { name: "x".to_owned(), time, value };
        let found = fitted(&[series], "x");
        assert!(
            found.warnings.iter().any(|warning| warning.contains(words)),
            "{:?}",
            found.warnings
        );
    };
    check(&|t| if t < 50.0 { t } else { 50.0 + (t - 50.0) * 3.0 }, "half");
    check(&|t| (t / 40.0).floor(), "different values");
    check(&|t| if t < 60.0 { t } else { t - 60.0 }, "falls");
    check(&|t| 100.0 - t, "not cumulative");
}
