//! Fits held against figures that others published.

use wattle_fit::{
    Collinearity, Design, LinearOptions, Robustness, SlopeOptions, nnls, normal_cdf,
    normal_quantile, student_cdf, student_quantile,
};

#[track_caller]
fn close(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= relative * expected.abs().max(1e-300),
        "{found} is not {expected}"
    );
}

fn design(names: &[&str], rows: &[Vec<f64>]) -> (Design, Vec<f64>) {
    let mut design = Design::new(names.iter().copied());
    let mut observed = Vec::new();
    for row in rows {
        let (y, x) = row.split_first().expect("a value");
        design.push_row(x).expect("a row");
        observed.push(*y);
    }
    (design, observed)
}

fn table(text: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|l| l.split_whitespace().map(|v| v.parse().expect("number")).collect()).collect()
}

/// NIST Statistical Reference Datasets, Longley: total employment, GNP deflator, GNP, unemployed, armed forces,
/// population, year.
const LONGLEY: &str = "
    60323  83.0 234289 2356 1590 107608 1947
    61122  88.5 259426 2325 1456 108632 1948
    60171  88.2 258054 3682 1616 109773 1949
    61187  89.5 284599 3351 1650 110929 1950
    63221  96.2 328975 2099 3099 112075 1951
    63639  98.1 346999 1932 3594 113270 1952
    64989  99.0 365385 1870 3547 115094 1953
    63761 100.0 363112 3578 3350 116219 1954
    66019 101.2 397469 2904 3048 117388 1955
    67857 104.6 419180 2822 2857 118734 1956
    68169 108.4 442769 2936 2798 120445 1957
    66513 110.8 444546 4681 2637 121950 1958
    68655 112.6 482704 3813 2552 123366 1959
    69564 114.2 502601 3931 2514 125368 1960
    69331 115.7 518173 4806 2572 127852 1961
    70551 116.9 554894 4007 2827 130081 1962";

const LONGLEY_NAMES: [&str; 6] = ["deflator", "gnp", "unemployed", "armed", "population", "year"];

#[test]
fn longley_has_the_certified_coefficients_and_errors() {
    let (design, observed) = design(&LONGLEY_NAMES, &table(LONGLEY));
    let fit = LinearOptions::default().fit(&design, &observed).expect("a fit");
    let certified = [
        (-3_482_258.634_595_82, 890_420.383_607_373),
        (15.061_872_271_373_3, 84.914_925_774_766_9),
        (-0.035_819_179_292_591, 0.033_491_007_772_243_2),
        (-2.020_229_803_816_83, 0.488_399_681_651_699),
        (-1.033_226_867_173_59, 0.214_274_163_161_675),
        (-0.051_104_105_653_580_7, 0.226_073_200_069_370),
        (1_829.151_464_613_55, 455.478_499_142_212),
    ];
    let found = std::iter::once(&fit.intercept).chain(&fit.coefficients);
    for (coefficient, (value, error)) in found.zip(certified) {
        close(coefficient.value, value, 1e-8);
        close(coefficient.standard_error.expect("an error"), error, 1e-8);
    }
    close(fit.residual_deviation.expect("a deviation"), 304.854_073_561_965, 1e-9);
    assert_eq!(fit.freedom, 9);
}

/// Variance inflation as R's `car::vif` and the condition index of Belsley, Kuh and Welsch give it for the same data.
#[test]
fn longley_is_as_collinear_as_the_textbooks_say() {
    let (design, _) = design(&LONGLEY_NAMES, &table(LONGLEY));
    let collinearity = Collinearity::from_design(&design).expect("collinearity");
    let published = [135.532_44, 1_788.513_48, 33.618_89, 3.588_93, 399.151_02, 758.980_60];
    for (column, factor) in collinearity.columns.iter().zip(published) {
        close(column.factor, factor, 1e-6);
    }
    close(collinearity.condition_number, 43_275.046, 1e-4);
    assert_eq!(collinearity.above(10.0).first().map(|c| c.name.as_str()), Some("gnp"));
}

#[test]
fn a_constant_or_repeated_column_is_infinitely_inflated_and_refused() {
    let rows =
        [[1.0, 2.0, 7.0, 4.0], [2.0, 3.0, 7.0, 6.0], [3.0, 5.0, 7.0, 10.0], [5.0, 1.0, 7.0, 2.0]];
    let (design, observed) = design(&["a", "constant", "double"], &rows.map(Vec::from));
    let collinearity = Collinearity::from_design(&design).expect("collinearity");
    assert!(collinearity.columns.iter().all(|column| column.factor.is_infinite()));
    assert!(collinearity.condition_number.is_infinite());
    let error = LinearOptions::default().fit(&design, &observed).expect_err("no single answer");
    assert!(error.to_string().contains("constant"), "{error}");
    LinearOptions::non_negative().fit(&design, &observed).expect("one answer among many");
    let ridge = LinearOptions { ridge: 1.0, ..LinearOptions::default() };
    ridge.fit(&design.keep(|name| name != "constant"), &observed).expect("ridge decides");
}

/// Brownlee's stack loss plant; loss, air flow, water temperature, acid.
const STACKLOSS: &str = "
    42 80 27 89
    37 80 27 88
    37 75 25 90
    28 62 24 87
    18 62 22 87
    18 62 23 87
    19 62 24 93
    20 62 24 93
    15 58 23 87
    14 58 18 80
    14 58 18 89
    13 58 17 88
    11 58 18 82
    12 58 19 93
    8 50 18 89
    7 50 18 86
    8 50 19 72
    8 50 19 79
    9 50 20 80
    15 56 20 82
    15 70 20 91";

/// Figures of R: `lm`, `MASS::rlm` (Huber 1.345, bisquare 4.685, MAD about zero).
#[test]
fn stack_loss_has_the_published_robust_coefficients() {
    let (design, observed) = design(&["air", "water", "acid"], &table(STACKLOSS));
    let check = |robustness, expected: [f64; 4], tolerance: f64| {
        let options = LinearOptions { robustness, ..LinearOptions::default() };
        let fit = options.fit(&design, &observed).expect("a fit");
        let found = std::iter::once(&fit.intercept).chain(&fit.coefficients);
        for (coefficient, value) in found.zip(expected) {
            close(coefficient.value, value, tolerance);
        }
    };
    check(Robustness::LeastSquares, [-39.919_67, 0.715_64, 1.295_29, -0.152_12], 1e-4);
    check(Robustness::Huber(1.345), [-41.026_5, 0.829_4, 0.926_1, -0.127_8], 2e-3);
    check(Robustness::Tukey(4.685), [-42.285_3, 0.927_5, 0.650_7, -0.112_3], 5e-3);
}

/// The examples in the manuals of SciPy's `nnls` and of MATLAB's `lsqnonneg`.
#[test]
fn non_negative_least_squares_agrees_with_the_manuals() {
    let check = |columns: &[Vec<f64>], b: &[f64], expected: &[f64]| {
        let found = nnls(columns, b, &vec![true; columns.len()]).expect("an answer");
        for (x, e) in found.iter().zip(expected) {
            assert!((x - e).abs() < 5e-5, "{found:?} is not {expected:?}");
        }
    };
    let columns = [vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    check(&columns, &[2.0, 1.0, 1.0], &[1.5, 1.0]);
    check(&columns, &[-1.0, -1.0, -1.0], &[0.0, 0.0]);
    #[expect(clippy::approx_constant, reason = "it is the manual's figure")]
    let columns = [vec![0.0372, 0.6861, 0.6233, 0.6344], vec![0.2869, 0.7071, 0.6245, 0.6170]];
    check(&columns, &[0.8587, 0.1781, 0.0747, 0.8405], &[0.0, 0.6929]);
}

#[test]
fn quantiles_are_those_of_the_tables() {
    close(normal_quantile(0.975), 1.959_963_984_540_054, 1e-14);
    close(normal_quantile(0.95), 1.644_853_626_951_472_2, 1e-14);
    close(normal_quantile(1e-6), -4.753_424_308_822_899, 1e-12);
    close(normal_cdf(1.0), 0.841_344_746_068_542_9, 1e-14);
    close(normal_cdf(-3.0), 0.001_349_898_031_630_094_6, 1e-12);
    for (p, freedom, expected) in [
        (0.975, 1.0, 12.706_204_736_174_7),
        (0.95, 2.0, 2.919_985_580_353_73),
        (0.975, 5.0, 2.570_581_835_636_31),
        (0.95, 10.0, 1.812_461_122_811_68),
        (0.95, 30.0, 1.697_260_886_593_96),
        (0.05, 9.0, -1.833_112_932_653_08),
    ] {
        close(student_quantile(p, freedom), expected, 1e-10);
        close(student_cdf(expected, freedom), p, 1e-10);
    }
    assert!(student_quantile(0.5, 3.0).abs() < 1e-12);
    // So many that it is the normal distribution (0.95 below 1.644853627): not the end of all digits.
    for freedom in [1e7, 1e60, 1e300, f64::INFINITY] {
        close(student_cdf(1.644_853_626_951_472_2, freedom), 0.95, 1e-10);
        close(student_cdf(-40.0, freedom), 0.0, 1e-10);
    }
    assert!(student_quantile(1.5, 3.0).is_nan() && student_quantile(0.5, 0.0).is_nan());
}

/// A counter that had counted 3.5 mAh before and draws 0.383 mA: the charge over the time says ten times as much.
#[test]
fn the_slope_of_a_counter_does_not_count_what_was_there_before() {
    let hours: Vec<f64> = (0..40).map(|i| f64::from(i) / 39.0).collect();
    let wobble = |i: usize| if i.is_multiple_of(2) { 0.002 } else { -0.002 };
    let mut charge: Vec<f64> =
        hours.iter().enumerate().map(|(i, h)| 3.461 + 0.383 * h + wobble(i)).collect();
    let naive = charge.last().expect("a reading") / hours.last().expect("a time");
    close(naive, 3.844, 1e-3);
    let fit = SlopeOptions::default().fit(&hours, &charge).expect("a slope");
    close(fit.value, 0.383, 0.01);
    assert!(fit.interval.0 < 0.383 && 0.383 < fit.interval.1 && fit.interval.1 < 0.39);
    assert_eq!((fit.rows, fit.discarded), (36, 4));
    close(fit.intercept, 3.461, 1e-3);
    if let Some(reading) = charge.get_mut(20) {
        *reading += 5.0;
    }
    let robust = SlopeOptions { robust: true, ..SlopeOptions::default() };
    let fit = robust.fit(&hours, &charge).expect("a slope");
    close(fit.value, 0.383, 0.01);
    assert!(fit.interval.0 < 0.383 && 0.383 < fit.interval.1);
    assert!(SlopeOptions::default().fit(&[1.0, 1.0], &[2.0, 3.0]).is_err());
}
