//! Wattle's rules beside what Android itself printed (*Estimated power use*): real dumps, with the power profile of their device.
//! `docs/android-figures.md` is written from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use wattle_power::{
    ComponentCharge, Figure, Figures, Measure, PowerProfile, component_charges, cpu_figures,
};
use wattle_testdata::requires;
use wattle_timeline::{Quantity, Timeline, Uid};
use wattle_units::Provenance;

/// A difference up to this part of Android's figure needs no word.
const CLOSE: f64 = 0.1;
/// An app is compared if Android says that it drew this part of everything.
const LEAST_SHARE: f64 = 0.01;

/// AOSP's own profile (`frameworks/base/core/res/res/xml/power_profile.xml`, Android 6 to 8), which emulators have: placeholders
/// in mA, which only this test multiplies with.
const PLACEHOLDERS: [(&str, &[f64]); 16] = [
    ("screen.on.display0", &[0.1]),
    ("screen.full.display0", &[0.1]),
    ("bluetooth.on", &[0.1]),
    ("wifi.on", &[0.1]),
    ("wifi.active", &[0.1]),
    ("wifi.scan", &[0.1]),
    ("audio", &[0.1]),
    ("video", &[0.1]),
    ("camera.flashlight", &[0.1]),
    ("camera.avg", &[0.1]),
    ("gps.on", &[0.1]),
    ("radio.active", &[0.1]),
    ("radio.scanning", &[0.1]),
    ("radio.on", &[0.2, 0.1]),
    ("cpu.idle", &[0.1]),
    ("cpu.core_power.cluster0", &[0.1]),
];

/// Charges in mAh by name.
type Charges = BTreeMap<String, f64>;

/// A dump with the profile of its device.
struct Dump {
    file: &'static str,
    /// Of the real files; `None`: [`PLACEHOLDERS`].
    profile: Option<&'static str>,
    /// Every figure that is further apart than [`CLOSE`], and why.
    explained: &'static [(&'static str, &'static str)],
}

impl Dump {
    fn explanation(&self, row: &Compared) -> Option<&'static str> {
        self.explained.iter().find(|(name, _)| *name == row.name).map(|(_, why)| *why)
    }
}

const DUMPS: [Dump; 2] = [
    Dump {
        file: "batterystats/emanafa-batstat_mi9.log",
        profile: Some("power_profile/power_profile-mi9lite.xml"),
        explained: &[
            (
                "idle",
                "Android counts a second awake under a wakelock twice, as idle (186 mAh) and as wake (31.8 mAh of the apps); here \
                 the current flows once, and what holders pay is taken off the device's part",
            ),
            (
                "uid 0",
                "Android gives the time awake without screen and wakelocks to root (wake = 14.4 mAh); here it stays with the device",
            ),
        ],
    },
    Dump {
        file: "batterystats/navitas-batterystats-1.txt",
        profile: None,
        explained: &[
            ("sensors", "the currents of its sensors stand in neither the dump nor the profile"),
            ("uid 1000", "99.9 % of Android's figure is the current of a sensor, see above"),
        ],
    },
];

/// Name of Android's line for what a rule is about.
fn line_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "scrn" | "screen" => "screen",
        "cell" | "radio" | "mobile radio" => "mobile radio",
        "cpu" => "cpu",
        "wake" | "wakelock" => "wakelock",
        "idle" => "idle",
        "wifi" => "wifi",
        "gps" | "gnss" => "gnss",
        "sensor" | "sensors" => "sensors",
        "camera" => "camera",
        "blue" | "bt" | "bluetooth" => "bluetooth",
        "phone" => "phone",
        "audio" => "audio",
        "video" => "video",
        "flash" | "flashlight" => "flashlight",
        _ => return None,
    })
}

/// Android's printed charges, in mAh.
#[derive(Default)]
struct Printed {
    components: Charges,
    /// Without what it shares out.
    apps: BTreeMap<Uid, f64>,
    /// Charges that it shares out of the panel.
    panel: BTreeMap<Uid, f64>,
    all: f64,
}

fn printed(timeline: &Timeline) -> Printed {
    let mut printed = Printed::default();
    for usage in &timeline.system.usage {
        if usage.quantity != Quantity::EstimatedCharge {
            continue;
        }
        let name = usage.tag.map(|tag| timeline.names.get(tag)).unwrap_or_default();
        match (name, usage.uid) {
            ("uid", Some(uid)) => {
                printed.apps.insert(uid, usage.value);
            }
            ("screen-smeared", Some(uid)) => {
                printed.panel.insert(uid, usage.value);
            }
            ("total", None) => printed.all = usage.value,
            _ => {
                if let Some(line) = line_of(name) {
                    *printed.components.entry(line.to_owned()).or_default() += usage.value;
                }
            }
        }
    }
    printed
}

fn by_rule(charges: &[ComponentCharge]) -> Charges {
    let mut sums = Charges::new();
    for charge in charges {
        if let Some(line) = line_of(charge.rule) {
            *sums.entry(line.to_owned()).or_default() += charge.charge.milliampere_hours();
        }
    }
    sums
}

/// The charge of the panel, or of everything else: Android gives the panel to nobody before it shares out.
fn by_app(charges: &[ComponentCharge], is_panel: bool) -> BTreeMap<Uid, f64> {
    let mut sums = BTreeMap::new();
    for charge in charges.iter().filter(|charge| (charge.rule == "screen") == is_panel) {
        if let Some(uid) = charge.uid {
            *sums.entry(uid).or_default() += charge.charge.milliampere_hours();
        }
    }
    sums
}

/// One line of the table: a component or an app, our charge and Android's.
struct Compared {
    name: String,
    ours: f64,
    androids: f64,
}

impl Compared {
    fn is_close(&self) -> bool {
        (self.ours - self.androids).abs() <= CLOSE * self.androids
    }
}

fn figures(dump: &Dump) -> Figures {
    let mut figures = Figures::default();
    let Some(profile) = dump.profile else {
        for (name, values) in PLACEHOLDERS {
            let figure = Figure {
                values: values.to_vec(),
                unit: Measure::Milliamperes,
                source: String::new(),
                provenance: Provenance::Modelled,
                error: None,
            };
            figures.insert(name, figure);
        }
        return figures;
    };
    let text = std::fs::read_to_string(wattle_testdata::path(profile)).unwrap();
    let profile = PowerProfile::parse("profile", &text).unwrap();
    for of in [profile.figures(), cpu_figures(&profile)] {
        for (name, figure) in of.iter() {
            figures.insert(name, figure.clone());
        }
    }
    figures
}

fn compared(dump: &Dump) -> Vec<Compared> {
    let timeline = wattle_ingest::read_paths(&[wattle_testdata::path(dump.file)]).unwrap();
    let charges = component_charges(&timeline, &figures(dump));
    let printed = printed(&timeline);
    let least = LEAST_SHARE * printed.all;
    assert!(least > 0.0 && !printed.components.is_empty(), "{}", dump.file);
    let ours = by_rule(&charges);
    let row = |name: String, ours: Option<&f64>, androids: f64| Compared {
        name,
        ours: ours.copied().unwrap_or(0.0),
        androids,
    };
    let is_compared = |charge: &f64| *charge >= least;
    let mut rows: Vec<Compared> = Vec::new();
    for (name, charge) in printed.components.iter().filter(|(_, charge)| is_compared(charge)) {
        rows.push(row(name.clone(), ours.get(name), *charge));
    }
    for (kind, apps, is_panel) in [("", &printed.apps, false), (", panel", &printed.panel, true)] {
        let ours = by_app(&charges, is_panel);
        for (uid, charge) in apps.iter().filter(|(_, charge)| is_compared(charge)) {
            rows.push(row(format!("uid {}{kind}", uid.0), ours.get(uid), *charge));
        }
    }
    rows
}

fn page(dumps: &[(&Dump, Vec<Compared>)]) -> String {
    let mut text = "# Beside Android's own figures\n\nReal dumps with *Estimated power use*: what Wattle's rules make of the \
        totals in the dump with the power profile of its device,\nand what Android itself printed, in mAh. Components and apps of at \
        least 1 % of Android's sum; apps without the panel, which Android\nshares out in a second step: their part of it stands by itself. A\ndifference of more than \
        10 % is explained.\n\nWritten by `WATTLE_WRITE_DOCS=1 cargo test -p wattle-power --test all android_figures`.\n"
        .to_owned();
    for (dump, rows) in dumps {
        let profile = dump
            .profile
            .map_or("AOSP's default profile", |path| path.rsplit('/').next().unwrap_or(path));
        let _ = writeln!(text, "\n## `{}` with {profile}\n", dump.file);
        text += "| | Wattle | Android | ratio | |\n|---|---:|---:|---:|---|\n";
        for row in rows {
            let why = dump.explanation(row).unwrap_or_default();
            let Compared { name, ours, androids } = row;
            let ratio = ours / androids;
            let _ = writeln!(text, "| {name} | {ours:.2} | {androids:.2} | {ratio:.3} | {why} |");
        }
    }
    text
}

#[requires(data)]
#[test]
fn figures_of_real_dumps_are_androids_or_explained() {
    let dumps: Vec<_> = DUMPS.iter().map(|dump| (dump, compared(dump))).collect();
    for (dump, rows) in &dumps {
        assert!(rows.len() >= 5, "{}: {} rows", dump.file, rows.len());
        for row in rows {
            let Compared { name, ours, androids } = row;
            // An explanation that is no longer needed has to go.
            let is_explained = dump.explanation(row).is_some();
            assert!(
                row.is_close() != is_explained,
                "{}: {name} is {ours:.3} mAh, Android's {androids:.3}; explained: {is_explained}",
                dump.file
            );
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/android-figures.md");
    let expected = page(&dumps);
    if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
        std::fs::write(&file, &expected).expect("written");
    }
    let found = std::fs::read_to_string(&file).expect("docs/android-figures.md");
    assert!(
        found == expected,
        "out of date: WATTLE_WRITE_DOCS=1 cargo test -p wattle-power --test all android_figures"
    );
}
