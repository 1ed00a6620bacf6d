//! Costs of framework calls whose truth is known: a generated recording with a meter.

use wattle_calibrate::{
    ApiCalibration, ApiCalls, CalibrateError, FoldKind, LinearRequest, ObserveRequest,
};
use wattle_power::{ApiCosts, ApiMatch, ApiName, ApiTable};
use wattle_timeline::{
    CodeSite, MeterTrack, SiteId, SiteKind, SliceScope, SliceTrack, Thread, ThreadId, Timeline,
    Window,
};
use wattle_units::{BootNanos, Nanos, Provenance, Watts};

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

/// A method of the framework: class, name, descriptor, joules a call, seconds a call, calls a second.
struct Api(&'static str, &'static str, &'static str, f64, f64, f64);

const APIS: [Api; 7] = [
    Api("android.app.Activity", "setContentView", "(I)V", 0.15, 0.120, 0.5),
    Api("android.webkit.WebView", "loadUrl", "(Ljava/lang/String;)V", 0.06, 0.300, 1.0),
    Api(
        "android.app.AlertDialog$Builder",
        "<init>",
        "(Landroid/content/Context;)V",
        0.03,
        0.004,
        3.0,
    ),
    Api("android.util.Log", "i", "(Ljava/lang/String;Ljava/lang/String;)I", 0.002, 0.0, 40.0),
    Api(
        "android.database.sqlite.SQLiteDatabase",
        "query",
        "([Ljava/lang/String;)V",
        0.02,
        1.7,
        1.0,
    ),
    // Costs nothing.
    Api("android.view.View", "getId", "()I", 0.0, 0.0001, 5.0),
    // Hardly ever called.
    Api("android.location.LocationManager", "getProviders", "(Z)Ljava/util/List;", 0.5, 0.01, 0.05),
];

/// Mean power of a meter that reads every 100 ms, noise and all, in watts.
const READS: f64 = 0.1;
const CONSTANT: f64 = 0.8;

fn at(seconds: f64) -> BootNanos {
    BootNanos::new((seconds * 1e9).round() as i64)
}

/// A recording of so many seconds. A call draws its energy evenly while it runs.
fn recording(seconds: f64, seed: u64, noise: f64) -> Timeline {
    let mut random = Noise(seed);
    let mut timeline =
        Timeline { window: Window::new(at(0.0), at(seconds)), ..Timeline::default() };
    timeline.tasks.threads.push(Thread::default());
    let mut energy = vec![0.0; (seconds / READS) as usize];
    let mut calls = Vec::new();
    let mut call = |site: usize, start: f64, api: &Api| {
        calls.push((start, start + api.4, site));
        let (first, last) = ((start / READS) as usize, ((start + api.4) / READS) as usize);
        for (slot, energy) in energy.iter_mut().enumerate().take(last + 1).skip(first) {
            let (from, to) = (slot as f64 * READS, (slot + 1) as f64 * READS);
            let inside = (start + api.4).min(to) - start.max(from);
            *energy += if api.4 == 0.0 { api.3 } else { api.3 * inside.max(0.0) / api.4 };
        }
    };
    for (site, api) in APIS.iter().enumerate() {
        let mut start = random.next();
        while start + api.4 + 0.1 < seconds {
            call(site, start, api);
            start += api.4 - random.next().max(1e-9).ln() / api.5;
        }
    }
    // A toast is always made and shown.
    let (make, show) = (APIS.len(), APIS.len() + 1);
    let mut start = 0.3;
    while start + 0.1 < seconds {
        call(make, start, &TOAST[0]);
        call(show, start + TOAST[0].4, &TOAST[1]);
        start -= random.next().max(1e-9).ln();
    }
    for api in APIS.iter().chain(&TOAST) {
        let site = CodeSite {
            kind: SiteKind::Call,
            class: timeline.names.intern(api.0),
            method: timeline.names.intern(api.1),
            descriptor: Some(timeline.names.intern(api.2)),
            file: None,
            line: None,
            within: None,
        };
        timeline.code.sites.sites.push(site);
    }
    calls.sort_by(|a, b| a.0.total_cmp(&b.0));
    let slices = &mut timeline.code.slices;
    slices.tracks.push(SliceTrack {
        scope: SliceScope::Thread(ThreadId(0)),
        name: None,
        first: 0,
        count: calls.len() as u32,
    });
    for (start, end, site) in calls {
        slices.start.push(at(start));
        slices.end.push(at(end));
        slices.name.push(timeline.names.intern("call"));
        slices.depth.push(0);
        slices.site.push(SiteId::new(site));
    }
    let power = energy.iter().map(|energy| CONSTANT + energy / READS + noise * random.normal());
    let mut power: Vec<Watts> = power.map(Watts::new).collect();
    power.push(Watts::ZERO);
    timeline.energy.meters.push(MeterTrack {
        name: timeline.names.intern("main"),
        instrument: timeline.names.intern("csv"),
        provenance: Provenance::Measured,
        time: (0..power.len()).map(|slot| at(slot as f64 * READS)).collect(),
        power,
    });
    timeline
}

const TOAST: [Api; 2] = [
    Api("android.widget.Toast", "makeText", "(I)V", 0.03, 0.008, 0.0),
    Api("android.widget.Toast", "show", "()V", 0.01, 0.002, 0.0),
];

fn observed(timeline: &Timeline, group: &str, target: &str) -> Result<ApiCalls, CalibrateError> {
    let request = ObserveRequest {
        parameters: &[],
        target,
        least: Nanos::from_seconds(0.5),
        voltage: None,
        model: None,
    };
    ApiCalls::new(timeline, group, &request)
}

fn calibrated(seed: u64, noise: f64) -> ApiCalibration {
    let calls = observed(&recording(300.0, seed, noise), "a", "meter").unwrap();
    ApiCalibration::new(&calls, &LinearRequest::default()).unwrap()
}

fn table_name(api: &Api) -> String {
    wattle_power::ApiSignature::of_bytecode(api.0, api.1, api.2).unwrap().to_string()
}

/// Over twenty recordings the 90 % intervals hold the true costs about nine times of ten.
#[test]
fn costs_come_back() {
    let (mut inside, mut all) = (0, 0);
    for seed in 1..=20 {
        let found = calibrated(seed, 0.05);
        for api in &APIS[..5] {
            let name = table_name(api);
            let cost = found.costs.iter().find(|cost| cost.signature == name);
            let cost = cost.unwrap_or_else(|| panic!("{name}: {:?}", found.left_out));
            let [low, high] = cost.interval;
            inside += i32::from(low <= api.3 && api.3 <= high);
            all += 1;
            assert!((cost.joules - api.3).abs() < 5.0 * cost.standard_error, "{cost:?}");
            assert!((cost.joules / api.3 - 1.0).abs() < 0.3, "{cost:?}");
            assert!(cost.together_with.is_empty());
        }
        assert!((found.constant_mw / 1e3 / CONSTANT - 1.0).abs() < 0.05, "{}", found.constant_mw);
        let held_out = found.cross_validation.as_ref().unwrap();
        assert_eq!((held_out.kind, held_out.folds), (FoldKind::Blocked, 5));
        assert!(held_out.r_squared.unwrap() > 0.9, "{:?}", held_out.r_squared);
        assert!(held_out.mean_error < 0.05, "{}", held_out.mean_error);
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.82..=0.97).contains(&share), "{inside} of {all}");
}

#[test]
fn what_cannot_be_told_is_named() {
    let found = calibrated(1, 0.05);
    let left: Vec<&str> = found.left_out.iter().map(|api| &*api.why).collect();
    let rare = found.left_out.iter().find(|api| api.signature.contains("getProviders")).unwrap();
    assert!(rare.why.contains("fewer than 20"), "{rare:?}");
    // Held at zero, or too small for its error.
    assert!(left.len() <= 2, "{left:?}");
    let free = found.costs.iter().find(|cost| cost.signature.contains("getId"));
    assert!(free.is_none_or(|cost| cost.interval[0] < 0.002), "{free:?}");
    // Made and shown together: right as a sum, and no one knows which.
    let toasts: Vec<_> = found.costs.iter().filter(|it| it.signature.contains("Toast")).collect();
    assert_eq!(toasts.len(), 2);
    let sum: f64 = toasts.iter().map(|cost| cost.joules).sum();
    assert!((sum / 0.04 - 1.0).abs() < 0.1, "{toasts:?}");
    for (toast, truth) in toasts.iter().zip([0.03, 0.01]) {
        assert_eq!(toast.together_with.len(), 1);
        assert!(toast.interval[0] <= truth && truth <= toast.interval[1], "{toast:?}");
    }
    for words in ["called together", "getProviders", "blocks of neighbouring rows"] {
        assert!(found.warnings.iter().any(|it| it.contains(words)), "{:?}", found.warnings);
    }
}

#[test]
fn the_table_says_the_same() {
    let found = calibrated(2, 0.02);
    let table = found.table("phone", "a test").unwrap();
    let read = ApiTable::parse("phone.toml", &table.to_toml()).unwrap();
    assert_eq!((read.provenance, read.methods), (Provenance::Modelled, found.costs.len()));
    let costs: ApiCosts = [ApiCosts::library().tables()[0].clone(), read].into_iter().collect();
    for api in &APIS[..5] {
        let name = ApiName { class: api.0, method: api.1, descriptor: Some(api.2) };
        let cost = costs.find(&name).unwrap();
        assert_eq!((cost.table, cost.matched), (1, ApiMatch::Exact));
        let of = found.costs.iter().find(|of| of.signature == cost.signature).unwrap();
        assert!((cost.per_call.joules.value() - of.joules).abs() < 1e-15);
        assert!((cost.per_call.interval.low.value() - of.interval[0]).abs() < 1e-9);
        assert!((cost.per_call.interval.high.value() - of.interval[1]).abs() < 1e-9);
    }
}

#[test]
fn recordings_are_held_out_whole() {
    let mut calls = observed(&recording(150.0, 1, 0.02), "a", "meter").unwrap();
    calls.extend(observed(&recording(150.0, 2, 0.02), "b", "meter").unwrap());
    let found = ApiCalibration::new(&calls, &LinearRequest::default()).unwrap();
    let held_out = found.cross_validation.unwrap();
    assert_eq!((found.groups, held_out.kind, held_out.folds), (2, FoldKind::LeaveOneGroupOut, 2));
    let cost = found.costs.iter().find(|cost| cost.signature.contains("setContentView")).unwrap();
    assert!((cost.joules / 0.15 - 1.0).abs() < 0.1, "{cost:?}");
}

#[test]
fn what_is_missing_is_said() {
    let mut timeline = recording(20.0, 1, 0.02);
    assert!(matches!(observed(&timeline, "a", "rails"), Err(CalibrateError::NoMeasurement { .. })));
    let short = observed(&recording(2.0, 1, 0.02), "a", "meter").unwrap();
    let error = ApiCalibration::new(&short, &LinearRequest::default()).unwrap_err();
    assert!(matches!(error, CalibrateError::NoCosts { .. }), "{error}");
    // A call that never ends, and one of which the parameters are not known.
    timeline.code.slices.end[0] = BootNanos::MAX;
    timeline.code.sites.sites[3].descriptor = None;
    let calls = observed(&timeline, "a", "meter").unwrap();
    let found = ApiCalibration::new(&calls, &LinearRequest::default()).unwrap();
    for words in ["1 calls whose end", "calls whose parameters are not known"] {
        assert!(found.warnings.iter().any(|it| it.contains(words)), "{:?}", found.warnings);
    }
    timeline.code.slices.site.clear();
    assert!(matches!(observed(&timeline, "a", "meter"), Err(CalibrateError::NoCalls { .. })));
}
