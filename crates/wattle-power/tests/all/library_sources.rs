//! The models of the library that are made from data sets: how they are made, and that the files say the same.
//!
//! With `WATTLE_WRITE_MODELS=1` the tests write the files of `models/` instead of comparing them:
//!
//! ```text
//! WATTLE_WRITE_MODELS=1 cargo test -p wattle-power --test all library_sources
//! ```

use std::collections::BTreeMap;

use wattle_fit::{PowerCurve, ShapePrior};
use wattle_power::{
    DeviceModel, ErrorSizes, FigureUnit, Policy, PolicyId, PowerProfile, StatePower, library,
};
use wattle_testdata::requires;
use wattle_timeline::{Architecture, CpuId, CpuTimeline, Timeline};
use wattle_units::{Hertz, Watts};

/// Compares a model with its file, or writes it.
#[track_caller]
fn check(file: &str, model: &DeviceModel) {
    let path = format!("{}/models/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("WATTLE_WRITE_MODELS").is_some() {
        std::fs::write(path, model.to_toml()).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(&DeviceModel::parse(file, &text).unwrap(), model, "{file}");
    assert!(library().contains(model), "{file} is not in the library");
}

/// A SoC of freqbench: its name there; of each cluster the CPU that was measured and how many it has; SoC names; boards.
/// Boards that several SoCs share are not among them.
type Soc = (&'static str, &'static [(u32, u32)], &'static [&'static str], &'static [&'static str]);

/// The shape of power over the clock is learnt from the SoCs before this one: those after it only add models.
const SHAPES: usize = 19;

const SOCS: [Soc; 35] = [
    (
        "exynos7880",
        &[(1, 4), (5, 4)],
        &["Exynos 7880", "exynos7880"],
        &["exynos7880", "universal7880"],
    ),
    (
        "exynos9611",
        &[(1, 4), (4, 4)],
        &["Exynos 9611", "exynos9611"],
        &["exynos9611", "universal9611"],
    ),
    ("gs101", &[(1, 4), (4, 2), (6, 2)], &[], &["gs101"]),
    ("msm8953", &[(1, 8)], &["MSM8953"], &["msm8953"]),
    ("msm8998", &[(1, 4), (4, 4)], &["MSM8998"], &["msm8998"]),
    ("sdm439", &[(1, 4), (4, 4)], &["SDM439"], &[]),
    ("sdm630", &[(1, 4), (4, 4)], &["SDM630"], &[]),
    ("sdm636", &[(1, 4), (4, 4)], &["SDM636"], &[]),
    ("sdm670", &[(1, 6), (6, 2)], &["SDM670"], &[]),
    ("sdm710", &[(1, 6), (6, 2)], &["SDM710"], &["sdm710"]),
    ("sdm712", &[(1, 6), (6, 2)], &["SDM712"], &[]),
    ("sdm845", &[(1, 4), (4, 4)], &["SDM845"], &["sdm845"]),
    ("sm6115", &[(1, 4), (4, 4)], &["SM6115"], &[]),
    ("sm7125", &[(1, 6), (6, 2)], &["SM7125"], &["atoll"]),
    ("sm7150", &[(1, 6), (6, 2)], &["SM7150"], &[]),
    ("sm7225", &[(1, 6), (6, 2)], &["SM7225"], &[]),
    ("sm8150", &[(1, 4), (4, 3), (7, 1)], &["SM8150"], &["msmnile"]),
    ("sm8250", &[(1, 4), (4, 3), (7, 1)], &["SM8250"], &["kona"]),
    ("sm8250ac", &[(1, 4), (4, 3), (7, 1)], &["SM8250-AC", "SM8250_AC"], &[]),
    ("exynos5250", &[(1, 2)], &["Exynos 5250", "exynos5250"], &["exynos5250", "manta"]),
    (
        "exynos7904",
        &[(1, 6), (6, 2)],
        &["Exynos 7904", "exynos7904"],
        &["exynos7904", "universal7904"],
    ),
    ("gs201", &[(1, 4), (4, 2), (6, 2)], &["Tensor G2"], &["gs201"]),
    ("msm8917", &[(1, 4)], &["MSM8917"], &["msm8917"]),
    ("msm8940", &[(1, 4), (4, 4)], &["MSM8940"], &["msm8940"]),
    ("msm8996", &[(1, 2), (2, 2)], &["MSM8996"], &["msm8996"]),
    ("mt6853t", &[(1, 6), (6, 2)], &["MT6853T"], &[]),
    ("sdm632", &[(1, 4), (4, 4)], &["SDM632"], &[]),
    ("sdm660", &[(1, 4), (4, 4)], &["SDM660"], &[]),
    ("sm6125", &[(1, 4), (4, 4)], &["SM6125"], &["trinket"]),
    ("sm7150ab", &[(1, 6), (6, 2)], &["SM7150-AB", "SM7150_AB"], &[]),
    ("sm7250ab", &[(1, 6), (6, 1), (7, 1)], &["SM7250-AB", "SM7250_AB", "SM7250"], &[]),
    ("sm8150ac", &[(1, 4), (4, 3), (7, 1)], &["SM8150-AC", "SM8150_AC"], &[]),
    ("sm8350", &[(1, 4), (4, 3), (7, 1)], &["SM8350"], &["lahaina"]),
    ("zuma", &[(1, 4), (4, 4), (8, 1)], &["Tensor G3"], &["zuma"]),
    ("zumapro", &[(1, 4), (4, 3), (7, 1)], &[], &["zumapro"]),
];

/// Runs that their own name, or the other runs of the same SoC, show to be wrong.
const BAD_RUNS: [(&str, &str, &str); 4] = [
    ("msm8998", "fts-irq-storm", "an interrupt storm while it ran"),
    ("sdm712", "RMX1971", "every point some 240 mW above those of three other phones"),
    ("msm8940", "old", "its power falls as the clock rises, by 112 mW of 371 mW"),
    ("sm8150ac", "new", "every point some 80 mW above those of the other run"),
];

/// Of each SoC, run and measured CPU: kHz and mW above the power of the idle phone.
type Measured = BTreeMap<(String, String, u32), Vec<(u64, f64)>>;

fn freqbench() -> Measured {
    let bytes = wattle_testdata::bytes("models/freqbench/freqbench.csv");
    let text = String::from_utf8(bytes).unwrap();
    let mut found: Measured = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let key = (cells[0].to_owned(), cells[1].to_owned(), cells[2].parse().unwrap());
        found.entry(key).or_default().push((cells[3].parse().unwrap(), cells[4].parse().unwrap()));
    }
    found
}

/// Four digits: more than the runs agree on.
fn rounded(milliwatts: f64) -> f64 {
    format!("{milliwatts:.3e}").parse().unwrap()
}

#[requires(data)]
#[test]
fn curves_of_freqbench_are_in_the_library() {
    let data = freqbench();
    let hertz = |points: &[(u64, f64)]| -> Vec<(f64, f64)> {
        let point = |(khz, milliwatts): &(u64, f64)| (*khz as f64, *milliwatts);
        points.iter().map(point).filter(|(_, power)| *power > 0.0).collect()
    };
    let is_bad = |soc: &str, run: &str| BAD_RUNS.iter().any(|bad| (bad.0, bad.1) == (soc, run));
    let good = || data.iter().filter(|((soc, run, _), _)| !is_bad(soc, run));
    let has_shape = |soc: &str| SOCS[..SHAPES].iter().any(|known| known.0 == soc);
    let shapes = good().filter(|((soc, ..), _)| has_shape(soc));
    let whole: Vec<Vec<(f64, f64)>> = shapes.map(|(_, points)| hertz(points)).collect();
    let prior = ShapePrior::learn(&whole).unwrap();
    for (soc, clusters, socs, boards) in SOCS {
        if !data.keys().any(|(known, ..)| known == soc) {
            continue;
        }
        let mut model = DeviceModel::named(&format!("{soc} (freqbench)"));
        let owned =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        (model.matching.socs, model.matching.boards) = (owned(socs), owned(boards));
        model.matching.architectures = vec![Architecture::Arm64, Architecture::Arm];
        "freqbench by Danny Lin, kdrag0n/freqbench 9eb16adc, results".clone_into(&mut model.source);
        "MIT".clone_into(&mut model.licence);
        model.idle_states = vec![1];
        model.error = Some(ErrorSizes {
            shared: 0.19,
            own: 0.1,
            freedom: Some(4.0),
            source: "Wattson against freqbench: Tensor mid 1.29 and big 1.53, Tensor G4 mid 0.93 and big 1.23"
                .to_owned(),
        });
        model.remarks.push(
            "one core that runs CoreMark, its cluster with it, above the power of the phone with one idle core; what idle \
             cores draw was not measured"
                .to_owned(),
        );
        for (_, run, why) in BAD_RUNS.iter().filter(|bad| bad.0 == soc) {
            model.remarks.push(format!("run {run} left out: {why}"));
        }
        let mut first = 0;
        for (cpu, count) in clusters {
            let of = good().filter(|((name, _, measured), _)| name == soc && measured == cpu);
            let points: Vec<(f64, f64)> = of.flat_map(|(_, points)| hertz(points)).collect();
            assert!(points.len() >= 4, "{soc} {cpu}: {points:?}");
            let curve = PowerCurve::fit(&points, None, &prior).unwrap();
            for (khz, milliwatts) in &curve.rejected {
                model.remarks.push(format!(
                    "policy {first}: {milliwatts:.1} mW at {khz:.0} kHz left out: the other points leave no room for it"
                ));
            }
            let mut clocks: Vec<u64> = points.iter().map(|(khz, _)| *khz as u64).collect();
            clocks.sort_unstable();
            clocks.dedup();
            let row = |khz: u64| {
                let active = Watts::from_milliwatts(rounded(curve.power(khz as f64)));
                let core = [active, Watts::ZERO, Watts::ZERO];
                (Hertz::from_kilohertz(khz), StatePower { core, ..StatePower::default() })
            };
            let rows: Vec<_> = clocks.into_iter().map(row).collect();
            let cpus = (first..first + count).map(CpuId).collect();
            model.policies.extend(Policy::new(PolicyId(first), cpus, &rows, ""));
            first += count;
        }
        check(&format!("freqbench-{soc}.toml"), &model);
        holds_the_points(&model, clusters, &data);
    }
    // 0 mW throughout: this laptop's power was not measured.
    assert!(
        data.iter()
            .filter(|((soc, ..), _)| soc == "t8103")
            .all(|(_, p)| p.iter().all(|p| p.1 == 0.0))
    );
}

/// The models of freqbench whose data set is not at hand are checked for their form: each SoC has one, of rising curves that a
/// core of a phone can draw.
#[test]
fn models_of_freqbench_name_each_soc_once() {
    let models: Vec<&DeviceModel> =
        library().iter().filter(|model| model.name.ends_with("(freqbench)")).collect();
    let names: Vec<String> = SOCS.iter().map(|soc| format!("{} (freqbench)", soc.0)).collect();
    let mut found: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let mut expected: Vec<&str> = names.iter().map(String::as_str).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let mut named: Vec<String> = Vec::new();
    for model in models {
        let soc = SOCS.iter().find(|soc| model.name.starts_with(&format!("{} ", soc.0))).unwrap();
        assert_eq!(model.matching.socs, soc.2, "{}", model.name);
        assert_eq!(model.matching.boards, soc.3, "{}", model.name);
        named.extend(model.matching.socs.iter().map(|name| name.to_ascii_lowercase()));
        let counts: Vec<usize> = model.policies.iter().map(|policy| policy.cpus.len()).collect();
        let clusters: Vec<usize> = soc.1.iter().map(|(_, count)| *count as usize).collect();
        assert_eq!(counts, clusters, "{}", model.name);
        for policy in &model.policies {
            let on = policy.lowest_dependency();
            let powers: Vec<Watts> =
                policy.frequencies().map(|clock| policy.power(clock, on).core[0]).collect();
            assert!(powers.is_sorted(), "{}: {powers:?}", model.name);
            let range = Watts::from_milliwatts(1.0)..Watts::from_milliwatts(5000.0);
            assert!(powers.iter().all(|power| range.contains(power)), "{}: {powers:?}", model.name);
        }
    }
    let count = named.len();
    named.sort();
    named.dedup();
    assert_eq!(named.len(), count, "two models name one SoC");
}

/// The fit changes little of what was measured: of the run `main`, the median point by less than a quarter.
fn holds_the_points(model: &DeviceModel, clusters: &[(u32, u32)], data: &Measured) {
    let soc = model.name.split(' ').next().unwrap();
    for (policy, (cpu, _)) in model.policies.iter().zip(clusters) {
        let Some(points) = data.get(&(soc.to_owned(), "main".to_owned(), *cpu)) else { continue };
        let on = policy.lowest_dependency();
        let off = |(khz, milliwatts): &(u64, f64)| {
            let said = policy.power(Hertz::from_kilohertz(*khz), on).core[0].milliwatts();
            (said / milliwatts).ln().abs()
        };
        let mut off: Vec<f64> = points.iter().filter(|point| point.1 > 0.0).map(off).collect();
        off.sort_by(f64::total_cmp);
        // The little cores of msm8998 draw less than its gauge's steps; the two phones with sdm439 differ by a factor of 1.5.
        let most = if ["msm8998", "sdm439"].contains(&soc) { 0.4 } else { 0.25 };
        assert!(off[off.len() / 2] < most, "{soc} {cpu}: {off:?}");
        let rising: Vec<_> =
            policy.frequencies().map(|clock| policy.power(clock, on).core[0]).collect();
        assert!(rising.is_sorted(), "{soc} {cpu}");
    }
}

/// A profile: file of the data set, file of the library, name, devices, CPUs, repository and path.
type Profile =
    (&'static str, &'static str, &'static str, &'static [&'static str], usize, &'static str);

const LINEAGE: &str = "overlay/frameworks/base/core/res/res/xml";

const PROFILES: [Profile; 12] = [
    (
        "pixel6-oriole",
        "oriole",
        "Pixel 6",
        &["oriole"],
        8,
        "LineageOS/android_device_google_raviole 72dadeb7, oriole/",
    ),
    ("pixel6a-bluejay", "bluejay", "Pixel 6a", &["bluejay"], 8, ""),
    (
        "pixel7-panther",
        "panther",
        "Pixel 7",
        &["panther"],
        8,
        "LineageOS/android_device_google_pantah b89ca938, panther/",
    ),
    (
        "pixel3-blueline",
        "blueline",
        "Pixel 3",
        &["blueline"],
        8,
        "LineageOS/android_device_google_crosshatch f9e0ef68, blueline/",
    ),
    (
        "nexus5x-bullhead",
        "bullhead",
        "Nexus 5X",
        &["bullhead"],
        6,
        "LineageOS/android_device_lge_bullhead 5cef16f9, ",
    ),
    (
        "oneplus3",
        "oneplus3",
        "OnePlus 3",
        &["oneplus3", "OnePlus3", "OnePlus3T"],
        4,
        "LineageOS/android_device_oneplus_oneplus3 e975bda0, ",
    ),
    (
        "mi9t-davinci",
        "davinci",
        "Mi 9T",
        &["davinci", "davinciin"],
        8,
        "LineageOS/android_device_xiaomi_davinci ee44c57b, ",
    ),
    (
        "galaxys5-klte",
        "klte",
        "Galaxy S5",
        &["klte", "kltexx", "klteduos"],
        4,
        "LineageOS/android_device_samsung_klte-common 8f71a634, ",
    ),
    (
        "xperiaz1-honami",
        "honami",
        "Xperia Z1",
        &["honami", "C6902", "C6903"],
        4,
        "LineageOS/android_device_sony_honami d737049b, ",
    ),
    (
        "nexus7-2012-grouper",
        "grouper",
        "Nexus 7 (2012)",
        &["grouper", "tilapia"],
        4,
        "LineageOS/android_device_asus_grouper acb91b20, ",
    ),
    (
        "shieldtv-foster",
        "foster",
        "Shield TV",
        &["foster"],
        4,
        "LineageOS/android_device_nvidia_foster e88e1788, ",
    ),
    ("pixel3a", "sargo", "Pixel 3a", &["sargo", "bonito"], 8, ""),
];

#[requires(data)]
#[test]
fn profiles_are_in_the_library_with_all_their_figures() {
    for (file, name, title, devices, cpus, origin) in PROFILES {
        let path = format!("power_profile/power_profile-{file}.xml");
        let bytes = wattle_testdata::bytes(&path);
        let profile = PowerProfile::parse(file, &String::from_utf8(bytes).unwrap()).unwrap();
        let mut timeline = Timeline::default();
        timeline.cpus.resize_with(cpus, CpuTimeline::default);
        let mut model = profile.device_model(&timeline).unwrap();
        model.name = format!("{title} power profile");
        model.matching.devices = devices.iter().map(|device| (*device).to_owned()).collect();
        model.matching.architectures = vec![Architecture::Arm64, Architecture::Arm];
        "Apache-2.0".clone_into(&mut model.licence);
        model.source = match name {
            "sargo" => "power_profile.xml of AOSP for the Pixel 3a, as in greensoftwarelab/E-MANAFA 90f9ec5d".to_owned(),
            "bluejay" => "power_profile.xml of the LineageOS device tree of bluejay".to_owned(),
            _ => format!("power_profile.xml of {origin}{LINEAGE}"),
        };
        check(&format!("profile-{name}.toml"), &model);
        for (figure, of) in model.figures.iter() {
            assert!(
                of.values.iter().all(|value| value.is_finite() && *value >= 0.0),
                "{file} {figure}"
            );
        }
        assert!(model.figures.get("screen.on.display0").is_some() || name == "foster", "{file}");
    }
}

/// Values of `<array name="…">` or of one `<item name="…">`, read without the profile's own parser.
fn xml_values(document: &roxmltree::Document<'_>, name: &str) -> Vec<f64> {
    let named = document.descendants().find(|node| node.attribute("name") == Some(name));
    let Some(node) = named else { return Vec::new() };
    let is_value = |node: &roxmltree::Node<'_, '_>| node.has_tag_name("value");
    let texts: Vec<_> = if node.has_tag_name("array") {
        node.children().filter(is_value).filter_map(|value| value.text()).collect()
    } else {
        node.text().into_iter().collect()
    };
    texts.into_iter().map(|text| text.trim().parse().unwrap()).collect()
}

/// The library's files against the XML itself: every clock of every cluster and its currents.
#[requires(data)]
#[test]
fn cpu_currents_of_the_library_are_those_of_the_xml() {
    let mut clocks = 0;
    for (file, name, ..) in PROFILES {
        let xml = wattle_testdata::bytes(&format!("power_profile/power_profile-{file}.xml"));
        let xml = String::from_utf8(xml).unwrap();
        if !xml.contains("cpu.core_speeds.cluster0") {
            continue;
        }
        let document = roxmltree::Document::parse(&xml).unwrap();
        let is_it = |model: &&DeviceModel| {
            model.unit == FigureUnit::Current
                && model.matching.devices.iter().any(|device| device == name)
        };
        let model = library().iter().find(is_it).unwrap();
        for (cluster, policy) in model.policies.iter().enumerate() {
            let speeds = xml_values(&document, &format!("cpu.core_speeds.cluster{cluster}"));
            let currents = xml_values(&document, &format!("cpu.core_power.cluster{cluster}"));
            let shared = xml_values(&document, &format!("cpu.cluster_power.cluster{cluster}"));
            // Old profiles have no current of a cluster.
            let shared = shared.first().copied().unwrap_or(0.0);
            assert_eq!(speeds.len(), currents.len(), "{file} {cluster}");
            assert_eq!(speeds.len(), policy.frequencies().count(), "{file} {cluster}");
            for (khz, milliamperes) in speeds.iter().zip(&currents) {
                let clock = Hertz::from_kilohertz(*khz as u64);
                let power = policy.power(clock, policy.lowest_dependency());
                let near =
                    |watts: Watts, expected: f64| (watts.milliwatts() - expected).abs() < 1e-9;
                let is_same = near(power.core[0], *milliamperes) && near(power.shared, shared);
                assert!(is_same, "{file} cluster {cluster} at {khz} kHz: {power:?}");
                clocks += 1;
            }
        }
    }
    assert!(clocks >= 100, "only {clocks} clocks were compared");
}
