//! Real recordings against what others say of them.

use std::collections::BTreeMap;

use wattle_power::{
    Component, ModelChoice, ModelFile, ModelRung, PowerEstimate, PowerOptions, Scope, estimate,
};
use wattle_testdata::requires;
use wattle_timeline::{CpuId, Timeline};
use wattle_units::{Joules, Nanos, Provenance, Watts};

/// A trace of the real data, by its path.
fn read(path: &str) -> Timeline {
    wattle_ingest::read_paths(&[wattle_testdata::path(path)]).unwrap()
}

fn run(timeline: &Timeline, model: ModelChoice) -> PowerEstimate {
    let mut options = PowerOptions::default();
    options.model = model;
    estimate(timeline, &options).unwrap()
}

/// Perfetto's own Wattson on the Pixel 6a trace: energy of each core and of what is shared, to the printed digit
/// of a microjoule's thousandth.
#[requires(data)]
#[test]
fn pixel_6a_cores_are_wattsons() {
    let timeline = read("perfetto/api32_startup_warm_pixel6a.perfetto-trace");
    let reference = "perfetto/wattson_reference/api32_startup_warm_pixel6a.wattson_cpus.csv";
    let reference = String::from_utf8(wattle_testdata::bytes(reference)).unwrap();
    let mut expected: BTreeMap<i32, String> = BTreeMap::new();
    for line in reference.lines().skip(1) {
        let mut columns = line.split(',');
        let cpu = columns.next().unwrap().parse().unwrap();
        expected.insert(cpu, columns.next().unwrap().to_owned());
    }
    assert_eq!(expected.len(), 9);
    let found = run(&timeline, ModelChoice::Curves);
    let mut millijoules: BTreeMap<i32, f64> = BTreeMap::new();
    for track in &found.tracks {
        let cpu = match &track.scope {
            Scope::Core(cpu) => cpu.0 as i32,
            Scope::Cores(_) => -1,
            _ => continue,
        };
        *millijoules.entry(cpu).or_default() += track.energy(timeline.window).millijoules();
    }
    let found: BTreeMap<i32, String> =
        millijoules.into_iter().map(|(cpu, energy)| (cpu, format!("{energy:.6}"))).collect();
    assert_eq!(found, expected);
}

/// On the same trace rails scale: what each CPU rail counted is booked, and the models' spread is shown.
#[requires(data)]
#[test]
fn pixel_6a_rails_scale_the_curves() {
    let timeline = read("perfetto/api32_startup_warm_pixel6a.perfetto-trace");
    let rails =
        wattle_testdata::bytes("perfetto/wattson_reference/api32_startup_warm_pixel6a.rails.csv");
    let rails = String::from_utf8(rails).unwrap();
    let found = run(&timeline, ModelChoice::Auto);
    assert_eq!(found.model.as_ref().unwrap().name, "Tensor");
    assert_eq!(found.rails.len(), 16);
    let mut compared = 0;
    for line in rails.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let microjoules: f64 = columns[2].parse().unwrap();
        let name = columns[0].trim_matches('"').trim_start_matches("power.rails.");
        let raw = name.strip_prefix("power.").and_then(|n| n.strip_suffix("_uws"));
        let rail = found
            .rails
            .iter()
            .find(|rail| rail.label.as_deref() == Some(name) || Some(rail.name.as_str()) == raw)
            .unwrap();
        assert_eq!(rail.joules, Joules::from_microjoules(microjoules), "{name}");
        assert!(rail.booked, "{name}");
        compared += 1;
    }
    assert_eq!(compared, 16);
    let cpu = ["cpu.little", "cpu.mid", "cpu.big"].map(|label| {
        let rail = found.rails.iter().find(|rail| rail.label.as_deref() == Some(label)).unwrap();
        rail.modelled.unwrap().joules
    });
    assert!(cpu.iter().all(|joules| *joules > Joules::ZERO));
    let kinds: Vec<&str> = found.spread.iter().map(|spread| spread.model.kind.as_str()).collect();
    assert_eq!(kinds, ["rails", "curves", "profile"]);
}

/// Expected values of Android Studio's test of this trace: first and last counter of each rail.
#[requires(data)]
#[test]
fn pixel_6_pro_rails_are_last_minus_first() {
    let timeline = read("perfetto/power_rails_pixel6pro.perfetto-trace");
    let found = run(&timeline, ModelChoice::Auto);
    let expected = [
        ("S10M_VDD_TPU", 45_050_919 - 45_010_544),
        ("VSYS_PWR_MODEM", 706_802_171 - 706_394_215),
        ("VSYS_PWR_RFFE", 329_658_344 - 329_485_043),
        ("S2M_VDD_CPUCL2", 315_851_107 - 315_816_544),
        ("S3M_VDD_CPUCL1", 201_538_891 - 201_472_568),
        ("S4M_VDD_CPUCL0", 915_041_009 - 914_570_290),
        ("S5M_VDD_INT", 170_741_769 - 170_596_149),
        ("S1M_VDD_MIF", 276_582_588 - 276_383_853),
        ("VSYS_PWR_MMWAVE", 29_638_919 - 29_615_531),
        ("L2S_VDD_AOC_RET", 101_194_992 - 101_084_540),
        ("S9S_VDD_AOC", 59_714_693 - 59_499_148),
        ("S5S_VDDQ_MEM", 49_530_909 - 49_491_308),
        ("S10S_VDD2L", 98_686_276 - 98_630_257),
        ("S4S_VDD2H_MEM", 216_410_943 - 216_253_421),
        ("S2S_VDD_G3D", 20_988_306 - 20_970_895),
        ("VSYS_PWR_DISPLAY", 61_007_557 - 59_750_307),
    ];
    assert_eq!(found.rails.len(), expected.len());
    for (name, microjoules) in expected {
        let rail = found.rails.iter().find(|rail| rail.name == name).unwrap();
        assert_eq!(rail.joules, Joules::from_microjoules(f64::from(microjoules)), "{name}");
        assert!(rail.booked && rail.samples == 6 && rail.mended == 0, "{rail:?}");
        assert!(rail.label.is_some(), "{name} has no readable name");
    }
    // No scheduler, no idle states: the CPU's energy is measured, but nobody's.
    let cpu = found.tracks.iter().filter(|track| track.component == Component::Cpu);
    assert!(cpu.map(|track| &track.scope).all(|scope| *scope == Scope::Device));
    let total: f64 = found.tracks.iter().map(|t| t.energy(timeline.window).value()).sum();
    let counted: i32 = expected.iter().map(|(_, microjoules)| microjoules).sum();
    assert!((total * 1e6 / f64::from(counted) - 1.0).abs() < 1e-9);
    // At 100 % and with a charge that stands still, nothing says that the battery discharges.
    let battery = found.battery.unwrap();
    assert_eq!(battery.discharging, Nanos::ZERO);
    assert!(battery.reading.contains("sign not known"), "{}", battery.reading);
}

/// A phone that only its code name tells of, an American Galaxy S20 in spite of the file's name: its SoC is known by the list of
/// devices. Without its name its clocks are those of the same model, and of another.
#[requires(data)]
#[test]
fn galaxy_s20_is_known_by_its_name_or_its_clocks() {
    let mut timeline = read("perfetto/ms_sched_freq_idle_galaxyS21.perfetto-trace");
    let found = run(&timeline, ModelChoice::Auto);
    let model = found.model.unwrap();
    assert_eq!((model.name.as_str(), model.rung()), ("sm8250 (freqbench)", Some(ModelRung::A)));
    assert_eq!(model.provenance, Provenance::Modelled);
    assert!(!found.notes.iter().any(|note| note.code == "model-assumed"));
    // CPUs 4 and 7 left neither idle states nor switches: that they drew 0 J is not known.
    let watched = |cpu| found.tracks.iter().any(|track| track.scope == Scope::Core(CpuId(cpu)));
    assert_eq!((0..8).filter(|cpu| !watched(*cpu)).collect::<Vec<_>>(), [4, 7]);
    assert!(found.notes.iter().any(|note| note.code == "cpu-unwatched"));
    assert!(found.rails.is_empty());
    let energies = || {
        let segments = found.tracks.iter().flat_map(wattle_power::PowerTrack::segments);
        segments.map(|s| (s.source, s.power * s.window.duration()))
    };
    let totals = energies().collect();
    let total = found.errors.estimate(energies(), &totals);
    assert_eq!(total.provenance, Provenance::Modelled);
    let factor = total.interval.high / total.joules;
    assert!(total.joules > Joules::ZERO && factor > 1.2, "{total:?}");
    timeline.device.fingerprint = None;
    let model = run(&timeline, ModelChoice::Auto).model.unwrap();
    assert_eq!((model.name.as_str(), model.rung()), ("sm8250 (freqbench)", Some(ModelRung::C)));
    // All 15 clocks are also those of its faster bin, SM8250-AC.
    assert_eq!(model.provenance, Provenance::Assumed, "{}", model.chosen);
}

/// Every real trace, under every choice of model: powers are sane, and where there is no CPU energy the reason is
/// said.
#[requires(data)]
#[test]
fn every_real_trace_has_an_estimate_or_a_reason() {
    let folder = wattle_testdata::path("perfetto");
    let mut read = 0;
    for folder in [folder.clone(), folder.join("emanafa")] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let of_emanafa = name.starts_with("trace-") && name.ends_with(".0");
            if !(name.ends_with("trace") || of_emanafa) || name.ends_with("systrace") {
                continue;
            }
            let Ok(timeline) = wattle_ingest::read_paths(&[path]) else { continue };
            read += 1;
            for choice in [ModelChoice::Auto, ModelChoice::Curves, ModelChoice::Profile] {
                let found = run(&timeline, choice);
                let mut segments = found.tracks.iter().flat_map(wattle_power::PowerTrack::segments);
                let sane = segments.all(|s| s.power.is_finite() && s.power >= Watts::ZERO);
                assert!(sane, "{name}: {choice:?}");
                let modelled = found.model.is_some();
                let reasons = ["no-device-model", "cpu-activity-unknown"];
                let said = found.notes.iter().any(|note| reasons.contains(&note.code.as_str()));
                assert!(
                    modelled != said,
                    "{name}: {choice:?}: {:?} {:?}",
                    found.model,
                    found.notes
                );
            }
        }
    }
    assert!(read >= 9, "only {read} traces were read");
}

/// Sums of last minus first, decoded from the file by another program: the panel's regulator is a part of the converter that feeds
/// it, and two small regulators may be.
#[track_caller]
fn check_pixel_8(name: &str, counted: f64, display: f64, ldo: f64, doubtful: &str) {
    let timeline = read(&format!("perfetto/rails/{name}.perfetto-trace"));
    let found = run(&timeline, ModelChoice::Auto);
    let energy = |is: &dyn Fn(&Component) -> bool| -> f64 {
        let tracks = found.tracks.iter().filter(|track| is(&track.component));
        tracks.map(|track| track.energy(timeline.window).value() * 1e6).sum()
    };
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-3;
    assert!((energy(&|_| true) / counted - 1.0).abs() < 1e-9, "{name}");
    assert!(near(energy(&|component| *component == Component::Display), display), "{name}");
    let of_ldo = energy(&|component| component.name() == "ldo.main.a");
    assert!(near(of_ldo, ldo), "{name}: {of_ldo}");
    let note = found.notes.iter().find(|note| note.code == "rails-doubtful").unwrap();
    assert!(note.text.contains("L9S_GNSS_CORE, L21S_VDD2L_MEM:"), "{}", note.text);
    assert!(note.text.contains(&format!("up to {doubtful} of the total")), "{}", note.text);
}

#[requires(data)]
#[test]
fn pixel_8_rails_are_counted_once() {
    let (chat, idle) = ("rails_only_pixel8_chatgpt", "rails_only_pixel8_standby");
    check_pixel_8(chat, 133_293_164.0, 14_456_661.0, 4_396_644.0, "183 mJ");
    check_pixel_8(idle, 97_979_203.0, 20_079_353.0, 3_296_536.0, "286 mJ");
}

/// A power profile is no answer to `--model curves`, and the reason says what would be.
#[requires(data)]
#[test]
fn a_model_of_the_other_kind_is_named() {
    let mut timeline = read("perfetto/nia_pixel7pro_atrace.perfetto-trace");
    // A phone whose SoC (Kirin 950) has no curves in the library.
    timeline.device.codename = Some("frd".to_owned());
    timeline.device.soc = None;
    timeline.device.board = None;
    timeline.device.hardware = None;
    let profile = "power_profile/power_profile-mi9t-davinci.xml";
    let file = ModelFile::parse("mi9t", &wattle_testdata::bytes(profile)).unwrap();
    let mut options = PowerOptions::default().with_model_file(file);
    options.model = ModelChoice::Curves;
    let found = estimate(&timeline, &options).unwrap();
    let note = found.notes.iter().find(|note| note.code == "no-device-model").unwrap();
    assert!(note.text.contains("mi9t") && note.text.contains("--model auto"), "{}", note.text);
    assert!(found.tracks.is_empty());
}

/// Checks that no model stands in for another if nothing is estimated.
#[requires(data)]
#[test]
fn a_model_that_gives_nothing_is_not_assumed() {
    let timeline = read("perfetto/nia_pixel7pro_atrace.perfetto-trace");
    let found = run(&timeline, ModelChoice::Auto);
    assert!(found.tracks.is_empty());
    assert!(found.notes.iter().all(|note| note.code != "model-assumed"), "{:?}", found.notes);
}
