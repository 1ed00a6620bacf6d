//! Linear models from tables and recordings whose coefficients are known.

use wattle_calibrate::{
    ColumnChoice, FoldKind, LinearCalibration, LinearRequest, ModelKind, ObserveRequest, Table,
    TableRequest, observe,
};
use wattle_power::{DeviceModel, Measured, PowerOptions, estimate};
use wattle_timeline::{CpuTimeline, IdleState, MeterTrack, Timeline, Window};
use wattle_units::{BootNanos, Nanos, Watts};

/// Numbers that look random and are the same every time (a linear congruential generator, upper bits).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal: twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Power in mW = 250 + 300 · busy cores + 120 · screen + noise of 20, over six apps.
fn table(separator: char, seed: u64, noise: f64) -> String {
    let mut random = Noise(seed);
    let mut text = ["app", "busy", "screen", "power"].join(&separator.to_string());
    for row in 0..240 {
        let (busy, screen) = (random.next() * 4.0, f64::from(u8::from(random.next() > 0.4)));
        let power = 250.0 + 300.0 * busy + 120.0 * screen + noise * random.normal();
        let cells = [
            format!("app{}", row % 6),
            format!("{busy:.6}"),
            screen.to_string(),
            format!("{power:.6}"),
        ];
        let cells = cells.join(&separator.to_string());
        let cells = if separator == ';' { cells.replace('.', ",") } else { cells };
        text.push('\n');
        text.push_str(&cells);
    }
    text
}

fn choices(names: &[&str]) -> Vec<ColumnChoice> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn fit(text: &str, group: Option<&str>, parameters: &[&str], robust: bool) -> LinearCalibration {
    let parameters = choices(parameters);
    let request = TableRequest {
        target: "power",
        unit: "mW",
        voltage: None,
        duration: None,
        parameters: &parameters,
        group,
        order: None,
    };
    let observations =
        Table::parse("runs.csv", text.as_bytes()).unwrap().observations(&request).unwrap();
    let kind = Some(ModelKind::Linear);
    LinearCalibration::new(
        &observations,
        &LinearRequest { kind, robust, ..LinearRequest::default() },
    )
    .unwrap()
}

const NAMED: [&str; 2] = ["busy=cpu.busy", "screen=screen.on"];

/// Over forty seeds the 90 % intervals hold the true coefficients about nine times of ten.
#[test]
fn intervals_of_coefficients_hold_the_truth() {
    let (mut inside, mut all) = (0, 0);
    for seed in 1..=40 {
        let found = fit(&table(',', seed, 20.0), Some("app"), &NAMED, false);
        let truth = [250.0, 300.0, 120.0];
        for (term, truth) in std::iter::once(&found.intercept).chain(&found.terms).zip(truth) {
            let [low, high] = term.interval.unwrap();
            inside += i32::from(low <= truth && truth <= high);
            all += 1;
            assert!((term.coefficient / truth - 1.0).abs() < 0.1, "{term:?}");
        }
        let held_out = found.cross_validation.unwrap();
        assert_eq!((held_out.kind, held_out.folds), (FoldKind::LeaveOneGroupOut, 6));
        assert!(held_out.mean_error < 0.05 && held_out.r_squared.unwrap() > 0.98);
        let coverage = held_out.interval_coverage.unwrap();
        assert!((0.82..=0.98).contains(&coverage), "{coverage}");
        // 90 % of normal noise of 20 mW is within 32.9.
        let reach = |level: f64| found.residuals.iter().find(|row| row[0] == level).unwrap()[1];
        assert!((reach(0.95) - reach(0.05) - 65.8).abs() < 20.0, "{:?}", found.residuals);
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.83..=0.97).contains(&share), "{inside} of {all}");
}

#[test]
fn one_group_is_held_out_in_blocks_and_said() {
    let found = fit(&table(',', 1, 20.0), None, &NAMED, false);
    let held_out = found.cross_validation.unwrap();
    assert_eq!((held_out.kind, held_out.folds), (FoldKind::Blocked, 5));
    assert!(
        found.warnings.iter().any(|warning| warning.contains("one group")),
        "{:?}",
        found.warnings
    );
}

#[test]
fn decimal_commas_are_read() {
    let (a, b) = (table(',', 3, 20.0), table(';', 3, 20.0));
    assert_eq!(
        fit(&a, Some("app"), &NAMED, false).terms,
        fit(&b, Some("app"), &NAMED, false).terms
    );
}

/// A tenth of the rows is five times too high.
#[test]
fn wild_rows_do_not_matter_with_robust() {
    let wild: Vec<String> = table(',', 5, 5.0)
        .lines()
        .enumerate()
        .map(|(row, line)| match line.rsplit_once(',') {
            Some((rest, power)) if row > 0 && row % 10 == 0 => {
                format!("{rest},{}", power.parse::<f64>().unwrap() * 5.0)
            }
            _ => line.to_owned(),
        })
        .collect();
    let wild = wild.join("\n");
    let off = |robust: bool| {
        let found = fit(&wild, Some("app"), &NAMED, robust);
        (found.terms[0].coefficient / 300.0 - 1.0).abs()
    };
    assert!(off(false) > 0.1 && off(true) < 0.03, "{} {}", off(false), off(true));
}

#[test]
fn what_should_make_wary_is_said() {
    let check = |text: &str, parameters: &[&str], words: &str| {
        let found = fit(text, Some("app"), parameters, false);
        assert!(
            found.warnings.iter().any(|warning| warning.contains(words)),
            "{words}: {:?}",
            found.warnings
        );
    };
    let plain = table(',', 1, 20.0);
    let twice: Vec<String> = plain
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let busy = line.split(',').nth(1).unwrap();
            let twin =
                busy.parse::<f64>().map(|busy| busy * 2.0 + 0.001 * f64::from(row as u32 % 7));
            format!("{line},{}", twin.map_or("twin".to_owned(), |twin| twin.to_string()))
        })
        .collect();
    check(&twice.join("\n"), &["busy=cpu.busy", "twin"], "moves with the other parameters");
    check(&plain, &["busy*1e6=cpu.policy0.ghz"], "give a factor");
    check(&plain, &["busy*-1=cpu.busy"], "negative");
    check(&plain, &["busy*-1=cpu.busy"], "held at zero");
    check(
        &plain.replace("power", "x").replace("screen", "power"),
        &["busy=cpu.busy"],
        "is its unit right",
    );
}

#[test]
fn a_fitted_model_is_read_as_it_was_written() {
    let found =
        fit(&table(',', 1, 20.0), Some("app"), &["busy=cpu.busy", "screen=screen.on"], false);
    let model = found.device_model("phone", "a test");
    let text = model.to_toml();
    let read = DeviceModel::parse("x", &text).unwrap();
    assert_eq!(read.to_toml(), text);
    assert_eq!(read.linear.as_ref().unwrap().terms.len(), 2);
    assert_eq!(read.linear.unwrap().terms[0].unit.to_string(), "mW/core");
}

/// A meter beside a core that is now busy and now not: 80 mW at rest and 420 mW for a busy core.
#[test]
fn a_recording_with_a_meter_gives_its_coefficients_and_is_explained_by_them() {
    let mut random = Noise(9);
    let window = Window::new(BootNanos::new(0), BootNanos::new(60_000_000_000));
    let mut timeline = Timeline { window, ..Timeline::default() };
    let mut cpu = CpuTimeline::default();
    let (mut time, mut power) = (Vec::new(), Vec::new());
    let name = timeline.names.intern("main");
    for step in 0..6000_i64 {
        let at = BootNanos::new(step * 10_000_000);
        let duty = 0.5 + 0.4 * (step as f64 / 500.0).sin();
        let busy = random.next() < duty;
        cpu.idle.push(at, IdleState(if busy { -1 } else { 1 }));
        time.push(at);
        power.push(Watts::from_milliwatts(
            80.0 + if busy { 420.0 } else { 0.0 } + 3.0 * random.normal(),
        ));
    }
    timeline.cpus.push(cpu);
    let truth: f64 = power.iter().map(|power| power.value() * 0.01).sum();
    timeline.energy.meters.push(MeterTrack {
        name,
        instrument: name,
        provenance: wattle_units::Provenance::Measured,
        time,
        power,
    });
    let parameters = ["cpu.busy".to_owned()];
    let request = ObserveRequest {
        parameters: &parameters,
        target: "meter",
        least: Nanos::from_seconds(1.0),
        voltage: None,
        model: None,
    };
    let observations = observe(&timeline, "run 1", &request).unwrap();
    assert_eq!(observations.len(), 59, "the last reading has no end");
    let found = LinearCalibration::new(&observations, &LinearRequest::default()).unwrap();
    let near = |value: f64, truth: f64| assert!((value / truth - 1.0).abs() < 0.02, "{found:?}");
    near(found.intercept.coefficient, 80.0);
    near(found.terms[0].coefficient, 420.0);
    let mut options = PowerOptions::default();
    options.device_models.push(found.device_model("phone", "a test"));
    let estimated = estimate(&timeline, &options).unwrap();
    let energies = estimated.tracks.iter().flat_map(|track| track.energies(window));
    let whole = estimated.errors.whole(energies);
    assert!((whole.joules.value() / truth - 1.0).abs() < 0.01, "{whole:?} {truth}");
    assert!(whole.interval.low.value() < truth && truth < whole.interval.high.value(), "{whole:?}");

    let missing = ["gpu.0.ghz".to_owned()];
    let error =
        observe(&timeline, "run 1", &ObserveRequest { parameters: &missing, ..request.clone() });
    let text = error.unwrap_err().to_string();
    assert!(text.contains("gpu.0.ghz") && text.contains("cpu.busy"), "{text}");
    let error = observe(&timeline, "run 1", &ObserveRequest { target: "battery", ..request });
    assert!(error.unwrap_err().to_string().contains("meter:main"));
}

#[test]
fn means_of_what_was_measured_are_over_time() {
    let at = |seconds: i64| BootNanos::new(seconds * 1_000_000_000);
    let stretch =
        |from, to, milliwatts| (Window::new(at(from), at(to)), Watts::from_milliwatts(milliwatts));
    let measured = Measured::new(
        "x",
        None,
        vec![stretch(0, 1, 100.0), stretch(1, 3, 400.0), stretch(5, 6, 100.0)],
    );
    let mean = |from, to| {
        measured
            .mean(Window::new(at(from), at(to)))
            .map(|power| (power.milliwatts() * 1e6).round() / 1e6)
    };
    assert_eq!(mean(0, 3), Some(300.0));
    assert_eq!(mean(2, 3), Some(400.0));
    assert_eq!(mean(0, 6), None, "a third of it is not known");
    let stretches: Vec<_> =
        measured.stretches(Nanos::from_seconds(1.0)).iter().map(|w| (w.start, w.end)).collect();
    assert_eq!(stretches, [(at(0), at(1)), (at(1), at(3)), (at(5), at(6))]);
    assert_eq!(measured.stretches(Nanos::from_seconds(3.0)).len(), 1);
}
