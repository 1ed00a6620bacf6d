//! Recordings with rails and a scheduler, beside what is estimated of them without their rails.

use std::path::PathBuf;

use wattle_accuracy::{Demand, Line, Options, Role, Table, judge};
use wattle_ledger::{AttributionOptions, JudgedRail, JudgedStretch, judged_rails};
use wattle_power::{DeviceModel, PowerOptions};
use wattle_sim::{Effect, Effects, scenario};
use wattle_testdata::requires;
use wattle_units::Nanos;

fn table(paths: &[PathBuf]) -> Table {
    let options = Options { set: Some("rails".to_owned()), ..Options::default() };
    judge(paths, &options).expect("a table")
}

#[track_caller]
fn line<'a>(table: &'a Table, target: &str, model: &str) -> &'a Line {
    let found = table.lines.iter().find(|line| line.target == target && line.model == model);
    found.unwrap_or_else(|| panic!("no {model} of {target}"))
}

/// The rails of simulated phones, with the model that comes with each.
fn simulated(effects: &Effects, seeds: std::ops::Range<u64>, seconds: f64) -> Vec<JudgedRail> {
    let rails = seeds.flat_map(|seed| {
        let length = Nanos::new((seconds * 1e9) as i64);
        let phone = scenario::mixed_apps(effects, length, seed).expect("a phone");
        let phone = phone.run().expect("a run");
        let timeline = wattle_ingest::read_bytes("sim.pftrace", &phone.trace).expect("a trace");
        let mut power = PowerOptions::default();
        let model = DeviceModel::parse("sim.toml", &phone.device_model).expect("a model");
        power.device_models.push(model);
        let estimate = wattle_power::estimate(&timeline, &power).expect("power");
        judged_rails(&timeline, &estimate, &AttributionOptions::default()).expect("rails")
    });
    rails.collect()
}

/// Error weighted by energy, and the part of 90 % intervals that hold what was measured: of the model alone, and of the fit.
fn figures(stretches: &[JudgedStretch]) -> [(f64, f64); 2] {
    let sum: f64 = stretches.iter().map(|it| it.measured.value()).sum();
    let of = |estimate: &dyn Fn(&JudgedStretch) -> wattle_units::Estimate| {
        let off = stretches.iter().map(|it| (estimate(it).joules - it.measured).value().abs());
        let inside = stretches.iter().filter(|it| estimate(it).interval.contains(it.measured));
        (off.sum::<f64>() / sum, inside.count() as f64 / stretches.len() as f64)
    };
    [of(&|it| it.plain), of(&|it| it.fitted.expect("a fit"))]
}

#[test]
fn fits_hold_on_periods_of_simulated_phones_that_they_have_not_seen() {
    let activity = [(Effect::Activity, 0.2), (Effect::Leakage, 1.6)];
    let check = |what: &str, effects: &[(Effect, f64)], most: f64| {
        let mut set = Effects::default();
        for (effect, size) in effects {
            set = set.with_size(*effect, *size).expect("a size in range");
        }
        let rails = simulated(&set, 1..5, 8.0);
        for (kind, stretches) in [
            ("periods", rails.iter().flat_map(|it| it.periods.clone()).collect::<Vec<_>>()),
            ("windows", rails.iter().flat_map(|it| it.windows.clone()).collect()),
        ] {
            let [plain, fitted] = figures(&stretches);
            println!("{what}: {} {kind}: plain {plain:?}, fitted {fitted:?}", stretches.len());
            assert!(stretches.len() > 100, "{what}: {} {kind}", stretches.len());
            assert!(fitted.0 <= most && fitted.0 < plain.0, "{what}: {kind}: {fitted:?} {plain:?}");
            // Where code draws alike, its unknown differences make intervals hold more than nine in ten.
            assert!((0.83..=0.985).contains(&fitted.1), "{what}: {kind}: {fitted:?}");
        }
    };
    check("no effects", &[], 0.10);
    check("activity and leakage", &activity, 0.10);
}

/// A report's totals do not depend on which block is held out, and each period has what its rail counted.
#[test]
fn periods_and_windows_add_up_to_what_a_rail_counted() {
    for rail in simulated(&Effects::default(), 7..8, 4.0) {
        for stretches in [&rail.periods, &rail.windows] {
            let measured: f64 = stretches.iter().map(|it| it.measured.value()).sum();
            let plain: f64 = stretches.iter().map(|it| it.plain.joules.value()).sum();
            assert!((measured / rail.measured.value() - 1.0).abs() < 1e-9, "{}", rail.rail);
            assert!((plain / rail.plain.joules.value() - 1.0).abs() < 1e-6, "{}", rail.rail);
        }
        assert!(rail.windows.iter().all(|window| window.seconds < 0.5), "{}", rail.rail);
    }
}

#[requires(data)]
#[test]
fn real_recordings_are_judged_rail_by_rail() {
    let files = [
        "perfetto/api32_startup_warm_pixel6a.perfetto-trace",
        "perfetto/rails",
        "perfetto/power_rails_pixel6pro.perfetto-trace",
    ];
    let table = table(&files.map(wattle_testdata::path));
    println!("{}", wattle_accuracy::terminal(&table));
    let set = table.sets.first().expect("a set");
    assert_eq!(set.groups, "periods of 6 rails in 2 traces");
    let unpredicted = set.notes.iter().filter(|note| note.contains("no scheduler"));
    assert_eq!(unpredicted.count(), 8, "{:?}", set.notes);
    // What the curves say of each rail's total, in percent; they are those of Wattson.
    let totals = [
        ("bluejay cpu.big", 82.0),
        ("bluejay cpu.mid", 32.2),
        ("bluejay cpu.little", -16.5),
        ("oriole cpu.big", -74.6),
        ("oriole cpu.mid", -90.6),
        ("oriole cpu.little", -13.5),
    ];
    for (rail, percent) in totals {
        let total = line(&table, &format!("{rail}, total"), "plain curves");
        assert!((100.0 * total.bias - percent).abs() < 0.2, "{rail}: {}", total.bias);
        let periods = table.lines.iter().filter(|it| it.target == format!("{rail}, periods"));
        assert!(periods.into_iter().all(|line| line.coverage.is_some()), "{rail}");
    }
    for target in ["rail periods", "windows of 250 ms"] {
        let plain = line(&table, target, "plain curves");
        let fitted = table.line("rails", target, Role::Best).expect("a fit");
        assert!(fitted.weighted < plain.weighted && fitted.rows >= 60, "{target}");
        let (of_plain, of_fitted) = (plain.coverage.expect("one"), fitted.coverage.expect("one"));
        // Of 70 periods, one is 1.4 %.
        assert!(of_plain < 0.5 && (0.80..=0.97).contains(&of_fitted), "{target}: {of_fitted}");
    }
    // What is demanded of best models is demanded of fits, too.
    let demand = |text: &str| text.parse::<Demand>().expect("a demand").broken(&table);
    assert_eq!(demand("rails:coverage>=0.5"), Vec::<String>::new());
    assert_eq!(demand("rails:weighted<=0.001").len(), 3);
}

/// Emulators write rails of constant power that nothing measured.
#[requires(data)]
#[test]
fn rails_of_an_emulator_are_never_measured() {
    let table = table(&[wattle_testdata::path("perfetto/pairs")]);
    let set = table.sets.first().expect("a set");
    assert_eq!((set.rows, table.lines.len()), (0, 0), "{:?}", set.notes);
    assert!(set.notes.iter().any(|note| note.contains("emulator")), "{:?}", set.notes);
}
