//! The specimens of the device model are phones of the same population as the simulated one.

use wattle_sim::{CurveErrors, PhoneSpec, Simulation, scenario};
use wattle_units::Nanos;

/// `(policy, logarithm of the ratio)` of each `[[residual]]`.
fn residuals(model: &str) -> Vec<(u32, f64)> {
    model
        .split("[[residual]]")
        .skip(1)
        .map(|row| {
            let value = |key: &str| {
                let line = row.lines().find(|line| line.starts_with(key)).unwrap();
                line.split(" = ").nth(1).unwrap().trim_matches('"').to_owned()
            };
            let policy = value("policy").parse().unwrap();
            let ratio: f64 = value("ratio").parse().unwrap();
            (policy, ratio.ln())
        })
        .collect()
}

#[test]
fn residuals_have_the_sizes_they_were_drawn_with() {
    let errors = CurveErrors { shared_sd: 0.12, own_sd: 0.04, specimens: 2000 };
    let workload = scenario::news_app(Nanos::from_seconds(0.01));
    let simulation = Simulation::with_errors(PhoneSpec::small(), workload, errors, 8).unwrap();
    let rows = residuals(simulation.device_model());
    let points: usize = PhoneSpec::small().clusters.iter().map(|c| c.curve.len() + 2).sum();
    assert_eq!(rows.len(), 2000 * points);
    // Within a specimen and policy the variance is own², of the means shared² + own²/n.
    for (policy, cluster) in [(0, 0), (2, 1)] {
        let count = PhoneSpec::small().clusters[cluster].curve.len() + 2;
        let of_policy: Vec<f64> = rows.iter().filter(|r| r.0 == policy).map(|r| r.1).collect();
        let (mut within, mut means) = (0.0, Vec::new());
        for specimen in of_policy.chunks(count) {
            let mean = specimen.iter().sum::<f64>() / count as f64;
            within += specimen.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
            means.push(mean);
        }
        let own = (within / (2000 * (count - 1)) as f64).sqrt();
        let between = means.iter().map(|mean| mean * mean).sum::<f64>() / 2000.0;
        let shared = (between - own * own / count as f64).sqrt();
        assert!((own / 0.04 - 1.0).abs() < 0.03, "{own}");
        assert!((shared / 0.12 - 1.0).abs() < 0.08, "{shared}");
    }
}

#[test]
fn this_phone_is_of_the_population() {
    // The logarithm of true over modelled energy, over many phones, is about as wide as the shared error.
    let errors = CurveErrors { shared_sd: 0.1, own_sd: 0.0, specimens: 0 };
    let mut phone = PhoneSpec::small();
    phone.clusters.truncate(1);
    let energy = |errors, seed| {
        let workload = scenario::news_app(Nanos::from_seconds(0.05));
        let simulation = Simulation::with_errors(phone.clone(), workload, errors, seed).unwrap();
        simulation.run().unwrap().truth.total
    };
    let logs: Vec<f64> = (0..200)
        .map(|seed| (energy(errors, seed) / energy(CurveErrors::NONE, seed)).ln())
        .collect();
    let sd = (logs.iter().map(|x| x * x).sum::<f64>() / 200.0).sqrt();
    assert!((sd / 0.1 - 1.0).abs() < 0.2, "{sd}");
}
