//! Power over clock frequency: what a curve must do, and how near it comes on chips it has not seen.

use std::collections::BTreeMap;

use wattle_fit::{FitError, PowerCurve, Scores, ShapePrior};
use wattle_testdata::requires;

/// Curves of invented chips: static + c·f·V(f)², voltage rising ever steeper, more in some chips than in others.
fn chips() -> Vec<Vec<(f64, f64)>> {
    let chip = |number: u32| {
        let n = f64::from(number);
        let (low, high) =
            (0.3 + 0.02 * f64::from(number * 7 % 12), 1.6 + 0.1 * f64::from(number * 5 % 12));
        let power = move |f: f64| {
            let place = (f - low) / (high - low);
            let volt = 0.6 + (0.25 + 0.02 * n) * place * place;
            0.01 + 0.002 * n + 0.4 * f * volt * volt
        };
        let step = move |i: u32| low + (high - low) * f64::from(i) / 15.0;
        (0..16).map(|i| (step(i), power(step(i)))).collect()
    };
    (0..12).map(chip).collect()
}

#[test]
fn a_curve_goes_through_a_chip_like_others_from_three_points() {
    let chips = chips();
    let (unseen, known) = chips.split_last().expect("chips");
    let prior = ShapePrior::learn(known).expect("a prior");
    let anchors: Vec<(f64, f64)> = [0, 7, 15].iter().map(|i| unseen[*i]).collect();
    let fitted = PowerCurve::fit(&anchors, None, &prior).expect("a curve");
    let plain = PowerCurve::interpolate(&anchors).expect("a curve");
    let measured: Vec<f64> = unseen.iter().map(|(_, p)| *p).collect();
    let error = |curve: &PowerCurve| {
        let predicted: Vec<f64> = unseen.iter().map(|(f, _)| curve.power(*f)).collect();
        Scores::new(&measured, &predicted).expect("scores").mean
    };
    assert!(error(&fitted) < 0.85 * error(&plain), "{} {}", error(&fitted), error(&plain));
    assert!(error(&fitted) < 0.01);
    let mut last = 0.0;
    for step in 0..200 {
        let power = fitted.power(0.1 + 0.02 * f64::from(step));
        assert!(power >= last && power.is_finite(), "falls at step {step}");
        last = power;
    }
    // The unit of neither axis matters.
    let other: Vec<(f64, f64)> = anchors.iter().map(|(f, p)| (f * 1e9, p * 1e3)).collect();
    let scaled = |curve: &Vec<(f64, f64)>| curve.iter().map(|(f, p)| (f * 1e9, p * 1e3)).collect();
    let known: Vec<Vec<(f64, f64)>> = known.iter().map(scaled).collect();
    let in_other_units = ShapePrior::learn(&known).expect("a prior");
    let other = PowerCurve::fit(&other, None, &in_other_units).expect("a curve");
    assert!((other.power(1.1e9) / fitted.power(1.1) / 1e3 - 1.0).abs() < 1e-9);
}

/// Curves whose readings scatter by 2 % and by 4 of a unit: both are found, and a point that is drowned in the floor bends the curve less
/// than one of a relative error does.
#[test]
fn the_noise_floor_is_learnt_from_the_curves() {
    let mut random = wattle_random::SplitMix64::new(6);
    let curves: Vec<Vec<(f64, f64)>> = (0..80)
        .map(|number| {
            let steep = 3.0 + 0.02 * f64::from(number);
            (0..16)
                .map(|step| {
                    let place = f64::from(step) / 15.0;
                    let power = 20.0 * (steep * place).exp();
                    let read = power * (1.0 + 0.02 * random.normal()) + 4.0 * random.normal();
                    (0.3 + place, read.max(0.1))
                })
                .collect()
        })
        .collect();
    let scatter = ShapePrior::learn(&curves).expect("a prior").scatter;
    assert!((scatter.floor / 4.0 - 1.0).abs() < 0.35, "{scatter:?}");
    assert!((0.015..0.045).contains(&scatter.reading), "{scatter:?}");
    // Half the true power at the lowest clock: an error of a floor's size there, and no more than that elsewhere.
    let prior = ShapePrior::learn(&curves).expect("a prior");
    let truth = |place: f64| 20.0 * (3.5 * place).exp();
    let points: Vec<(f64, f64)> = [(0.0, 10.0), (0.5, truth(0.5)), (1.0, truth(1.0))]
        .map(|(place, power)| (0.3 + place, power))
        .to_vec();
    let off = |curve: &PowerCurve| (curve.power(0.55) / truth(0.25) - 1.0).abs();
    let fitted = PowerCurve::fit(&points, None, &prior).expect("a curve");
    let plain = PowerCurve::interpolate(&points).expect("a curve");
    assert!(off(&fitted) < 0.5 * off(&plain), "{} {}", off(&fitted), off(&plain));
}

/// A published bad point: 452 mW at 1795 MHz, between 206 and 377 mW.
#[test]
fn a_wild_point_is_left_out_and_named() {
    let prior = ShapePrior::learn(&chips()).expect("a prior");
    let points = [(0.8, 100.0), (1.5, 206.0), (1.795, 452.0), (2.1, 377.0), (2.6, 640.0)];
    let curve = PowerCurve::fit(&points, None, &prior).expect("a curve");
    assert_eq!(curve.rejected, [(1.795, 452.0)]);
    assert_eq!(curve.points.len(), 4);
    assert!((206.0..377.0).contains(&curve.power(1.795)));
}

#[test]
fn what_is_no_curve_is_refused() {
    assert!(matches!(PowerCurve::interpolate(&[]), Err(FitError::TooFew { .. })));
    assert!(PowerCurve::interpolate(&[(1.0, 0.0)]).is_err());
    assert!(PowerCurve::interpolate(&[(f64::NAN, 1.0)]).is_err());
    assert!(ShapePrior::learn(&[]).is_err());
    let one = PowerCurve::interpolate(&[(2.0, 5.0), (2.0, 7.0), (2.0, 100.0)]).expect("a curve");
    assert!((one.power(9.0) - 7.0).abs() < 1e-12);
    let prior = ShapePrior::learn(&chips()).expect("a prior");
    let same = PowerCurve::fit(&[(2.0, 7.0)], None, &prior).expect("a curve");
    assert!((same.power(1.0) - 7.0).abs() < 1e-12);
    let one_of_a_range = PowerCurve::fit(&[(2.0, 7.0)], Some((0.5, 2.0)), &prior).expect("a curve");
    assert!(one_of_a_range.power(0.5) < 7.0);
}

/// On phones: every cluster predicted from a few of its clocks, the shape learnt from other chips only.
#[requires(data)]
#[test]
fn freqbench_is_no_worse_than_plain_interpolation() {
    let text = wattle_testdata::bytes("models/freqbench/freqbench.csv");
    let text = String::from_utf8(text).expect("UTF-8");
    let mut clusters: BTreeMap<[String; 3], Vec<(f64, f64)>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let key = [cells[0], cells[1], cells[2]].map(str::to_owned);
        let point = (cells[3].parse().expect("kHz"), cells[4].parse().expect("mW"));
        if point.1 > 0.0 {
            clusters.entry(key).or_default().push(point);
        }
    }
    assert!(clusters.len() >= 70, "{} clusters", clusters.len());
    for (count, most) in [(3, 0.97), (5, 1.0)] {
        let (mut measured, mut fitted, mut plain) = (Vec::new(), Vec::new(), Vec::new());
        for (key, points) in &clusters {
            let others = clusters.iter().filter(|(other, _)| other[0] != key[0]);
            let prior = ShapePrior::learn(&others.map(|(_, p)| p.clone()).collect::<Vec<_>>());
            let prior = prior.expect("a prior");
            let mut points = points.clone();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points.dedup_by(|a, b| a.0 == b.0);
            let (low, high) = (points[0].0, points[points.len() - 1].0);
            let mut anchors: Vec<usize> = (0..count)
                .map(|k| low + (high - low) * k as f64 / (count - 1) as f64)
                .filter_map(|f| {
                    (0..points.len()).min_by(|a, b| {
                        (points[*a].0 - f).abs().total_cmp(&(points[*b].0 - f).abs())
                    })
                })
                .collect();
            anchors.dedup();
            if anchors.len() < count {
                continue;
            }
            let given: Vec<(f64, f64)> = anchors.iter().map(|i| points[*i]).collect();
            let curve = PowerCurve::fit(&given, None, &prior).expect("a curve");
            let line = PowerCurve::interpolate(&given).expect("a curve");
            for (index, (f, p)) in points.iter().enumerate() {
                if !anchors.contains(&index) {
                    measured.push(*p);
                    fitted.push(curve.power(*f));
                    plain.push(line.power(*f));
                }
            }
        }
        let fitted = Scores::new(&measured, &fitted).expect("scores");
        let plain = Scores::new(&measured, &plain).expect("scores");
        println!("{count} points: {fitted:?}\n plain {plain:?}");
        assert!(fitted.mean <= most * plain.mean, "{} of {}", fitted.mean, plain.mean);
    }
}
