//! Energies of runs of hundreds of apps with known truth: effects that no estimator is told of, apps that it has not seen, and a
//! population that shifts.

use std::fmt::Write as _;

use wattle_calibrate::{
    AnchorCalibration, ColumnChoice, LinearCalibration, LinearRequest, ModelKind, Table,
    TablePrediction, TableRequest,
};
use wattle_power::LinearModel;
use wattle_random::SplitMix64;

/// A population of apps on a phone.
#[derive(Clone, Copy)]
struct Population {
    seed: u64,
    apps: usize,
    runs: usize,
    /// Factor of all energies: another phone.
    scale: f64,
    /// Deviation of the logarithm of an app's own efficiency.
    efficiency: f64,
    /// Deviation of the logarithm of one run.
    noise: f64,
    /// Largest count a second.
    busiest: f64,
    /// Part of the runs that draw twice as much, for no reason that anybody recorded.
    wild: f64,
}

const USUAL: Population = Population {
    seed: 1,
    apps: 300,
    runs: 3,
    scale: 1.0,
    efficiency: 0.06,
    noise: 0.03,
    busiest: 900.0,
    wild: 0.02,
};

impl Population {
    /// Joules = (0.35 W + 1.1 mJ a count, more above 400 counts a second, + brightness and colour of the screen) × duration, × the app's
    /// own efficiency × noise; a few runs are twice as high.
    fn csv(&self) -> String {
        let mut random = SplitMix64::new(self.seed);
        let mut text = "app,counter,seconds,red,green,blue,brightness,joules".to_owned();
        for app in 0..self.apps {
            let own = (self.efficiency * random.normal()).exp();
            for _ in 0..self.runs {
                let seconds = 20.0 + 100.0 * random.unit();
                let rate = self.busiest * random.unit();
                let [red, green, blue] = std::array::from_fn(|_| (255.0 * random.unit()).round());
                let brightness = random.unit();
                let light =
                    |colour: f64, watts: f64| watts * (colour / 255.0).powf(2.2) * brightness;
                let screen =
                    0.15 * brightness + light(red, 0.25) + light(green, 0.2) + light(blue, 0.4);
                let watts = 0.35 + 1.1e-3 * rate + 0.6e-3 * (rate - 400.0).max(0.0) + screen;
                let noise = (self.noise * random.normal()).exp();
                let wild = if random.chance(self.wild) { 2.0 } else { 1.0 };
                let joules = watts * seconds * own * noise * wild * self.scale;
                let counter = rate * seconds;
                write!(
                    text,
                    "\napp{app},{counter:.3},{seconds:.3},{red},{green},{blue},{brightness:.4},{joules:.5}"
                )
                .unwrap();
            }
        }
        text
    }

    fn table(&self) -> Table {
        Table::parse("runs.csv", self.csv().as_bytes()).unwrap()
    }
}

fn calibrated(table: &Table, kind: Option<ModelKind>) -> (LinearCalibration, LinearModel) {
    let parameters: Vec<ColumnChoice> = [
        "counter",
        "brightness*seconds=brightness",
        "(red/255)^2.2*brightness*seconds=red",
        "(green/255)^2.2*brightness*seconds=green",
        "(blue/255)^2.2*brightness*seconds=blue",
    ]
    .iter()
    .map(|text| text.parse().unwrap())
    .collect();
    let request = TableRequest {
        target: "joules",
        unit: "J",
        voltage: None,
        duration: Some("seconds"),
        parameters: &parameters,
        group: Some("app"),
        order: None,
    };
    let observations = table.observations(&request).unwrap();
    let request = LinearRequest { kind, ..LinearRequest::default() };
    let found = LinearCalibration::new(&observations, &request).unwrap();
    let model = found.device_model("apps", "a test").linear.unwrap();
    (found, model)
}

fn predicted(model: &LinearModel, table: &Table) -> TablePrediction {
    TablePrediction::new(model, table, None, None).unwrap()
}

/// On apps that neither has seen: no worse than ordinary non-negative least squares of joules, and the intervals hold.
#[test]
fn unseen_apps_are_predicted_no_worse_than_by_ordinary_least_squares() {
    for seed in [1, 2] {
        let (train, test) =
            (Population { seed, ..USUAL }, Population { seed: seed + 100, ..USUAL });
        let (found, model) = calibrated(&train.table(), None);
        let (_, ordinary) = calibrated(&train.table(), Some(ModelKind::Linear));
        let ours = predicted(&model, &test.table()).errors.unwrap();
        let plain = predicted(&ordinary, &test.table()).errors.unwrap();
        println!("{:?}: {} {:?}", found.model, plain.mean_error, ours);
        assert!(ours.mean_error <= plain.mean_error, "{ours:?} {plain:?}");
        let coverage = ours.interval_coverage.unwrap();
        assert!((0.85..=0.95).contains(&coverage), "{coverage}");
        // A phone's constant power and its cost a count come back, in the units of a device model.
        let (_, kneed) = calibrated(&train.table(), Some(ModelKind::Kneed));
        let counts = kneed.terms.iter().filter(|term| term.parameter == "counter");
        let first = counts.map(|term| term.coefficient).next().unwrap();
        assert!((first / 1.1 - 1.0).abs() < 0.15, "{first} mW/(1/s)");
    }
}

/// Another phone that draws 1.35 times as much, with half the spread: ten runs bring the bias down, and the intervals hold.
#[test]
fn ten_runs_move_a_model_to_another_phone() {
    let (_, model) = calibrated(&USUAL.table(), None);
    let (mut biases, mut coverages) = (Vec::new(), Vec::new());
    for seed in 200..220 {
        let shifted = Population {
            seed,
            scale: 1.35,
            efficiency: 0.02,
            noise: 0.02,
            busiest: 700.0,
            wild: 0.002,
            ..USUAL
        };
        let anchors = Population { seed: seed + 1000, apps: 10, runs: 1, ..shifted };
        let before = predicted(&model, &shifted.table()).errors.unwrap();
        assert!(before.bias < -0.2, "{before:?}");
        let anchored = AnchorCalibration::new(&model, &anchors.table(), None).unwrap();
        assert_eq!(anchored.runs, 10);
        let after = predicted(&anchored.model, &shifted.table()).errors.unwrap();
        biases.push(after.bias);
        coverages.push(after.interval_coverage.unwrap());
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    println!("biases {biases:?}\ncoverages {coverages:?}");
    assert!(mean(&biases).abs() < 0.01, "{biases:?}");
    let typical = mean(&biases.iter().map(|bias| bias.abs()).collect::<Vec<f64>>());
    assert!(typical < 0.015, "{biases:?}");
    assert!((0.85..=0.95).contains(&mean(&coverages)), "{coverages:?}");
}

/// One bad cell costs its row and is named; the rest is fitted. Tables with the same columns are appended, others joined.
#[test]
fn a_bad_cell_is_named_and_tables_are_joined() {
    let text = USUAL.csv();
    let wrong = text.replacen(",255,", ",oops,", 1);
    assert_ne!(text, wrong);
    let line = wrong.lines().position(|line| line.contains("oops")).unwrap() + 1;
    let table = Table::parse("runs.csv", wrong.as_bytes()).unwrap();
    let (found, _) = calibrated(&table, Some(ModelKind::Linear));
    assert_eq!(found.rows, 899);
    let place = format!("1 cell is not a number: runs.csv, line {line}, column");
    assert!(found.warnings.iter().any(|it| it.contains(&place)), "{place} {:?}", found.warnings);

    let split = |wanted: &[usize]| -> Table {
        let rows = text.lines().enumerate().map(|(row, line)| {
            let key = if row == 0 { "run".to_owned() } else { row.to_string() };
            let cells = line.split(',').enumerate();
            let kept = cells.filter(|(at, _)| wanted.contains(at)).map(|(_, cell)| cell.to_owned());
            std::iter::once(key).chain(kept).collect::<Vec<_>>().join(",")
        });
        Table::parse("part.csv", rows.collect::<Vec<_>>().join("\n").as_bytes()).unwrap()
    };
    let mut joined = split(&[0, 1, 2, 3]);
    assert_eq!(joined.join(&split(&[4, 5, 6, 7]), "run").unwrap(), (0, 0));
    let (whole, _) = calibrated(&USUAL.table(), Some(ModelKind::Linear));
    let (same, _) = calibrated(&joined, Some(ModelKind::Linear));
    assert_eq!(same.terms, whole.terms);

    let (head, rest) = text.split_once('\n').unwrap();
    let half = rest.lines().count() / 2;
    let part = |rows: Vec<&str>| {
        let text = format!("{head}\n{}", rows.join("\n"));
        Table::parse("half.csv", text.as_bytes()).unwrap()
    };
    let mut appended = part(rest.lines().take(half).collect());
    appended.append(part(rest.lines().skip(half).collect())).unwrap();
    let (same, _) = calibrated(&appended, Some(ModelKind::Linear));
    assert_eq!(same.terms, whole.terms);
}
