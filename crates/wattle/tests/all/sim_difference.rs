//! Differences beside the truth of simulated phones: two runs of one phone under one model that is wrong in both in the same way.
//! The 90 % intervals of the differences hold the true differences in about nine cases of ten.

use std::collections::BTreeMap;

use wattle_ledger::{AttributionOptions, Ledger, attribute};
use wattle_power::{DeviceModel, PowerOptions};
use wattle_report::{
    Compared, DiffReport, FlameKind, FlameNode, FlameOptions, MergedNodes, Per, Verdict,
    folded_thread,
};
use wattle_sim::{
    CurveErrors, PhoneSpec, Simulated, Simulation, SplitMix64, TraceSource, Truth, scenario,
};
use wattle_units::{Joules, Nanos};

/// The whole way of `wattle report`, from bytes to ledger.
fn ledger_of(simulated: &Simulated) -> Ledger {
    let timeline = wattle_ingest::read_bytes("simulated.pftrace", &simulated.trace).unwrap();
    let model = DeviceModel::parse("simulated.toml", &simulated.device_model).unwrap();
    let mut power = PowerOptions::default();
    power.device_models.push(model);
    let estimate = wattle_power::estimate(&timeline, &power).unwrap();
    let mut options = AttributionOptions::default();
    options.threads = 1;
    attribute(&timeline, &estimate, &options).unwrap()
}

/// A thread's name without its numbers, and the names of its open calls.
type Place = (String, Vec<String>);

/// True self energies.
fn truths(truth: &Truth) -> BTreeMap<Place, Joules> {
    let mut places: BTreeMap<Place, Joules> = BTreeMap::new();
    for method in truth.methods.iter().filter(|method| !method.recorder) {
        let place = (folded_thread(&method.thread).into_owned(), method.path.clone());
        *places.entry(place).or_default() += method.self_joules;
    }
    places
}

/// The place of a node of a thread; `None` for others.
fn place(nodes: &[FlameNode], node: &FlameNode) -> Option<Place> {
    let mut path = Vec::new();
    let mut at = node;
    while at.kind == FlameKind::Call {
        path.push(at.name.clone());
        at = &nodes[at.parent?];
    }
    path.reverse();
    (at.kind == FlameKind::Thread).then(|| (at.name.clone(), path))
}

/// Self energies of places that are one node.
fn found(report: &DiffReport) -> BTreeMap<Place, Compared> {
    let nodes = &report.graph.nodes;
    let mut places: BTreeMap<Place, Vec<Compared>> = BTreeMap::new();
    for node in nodes {
        if let Some(place) = place(nodes, node) {
            places.entry(place).or_default().push(node.own);
        }
    }
    let alone = places.into_iter().filter(|(_, of)| of.len() == 1);
    alone.map(|(place, of)| (place, of[0])).collect()
}

#[derive(Debug, Default)]
struct Coverage {
    inside: u32,
    below: u32,
    above: u32,
    /// Verdicts that have a direction, and those whose direction is wrong.
    decided: u32,
    wrong: u32,
}

impl Coverage {
    fn add(&mut self, compared: &Compared, truth: Joules) {
        let interval = compared.change.unwrap().interval;
        match truth {
            truth if truth < interval.low => self.below += 1,
            truth if truth > interval.high => self.above += 1,
            _ => self.inside += 1,
        }
        let wrong = match compared.verdict() {
            Some(Verdict::Higher) => truth <= Joules::ZERO,
            Some(Verdict::Lower) => truth >= Joules::ZERO,
            _ => return,
        };
        self.decided += 1;
        self.wrong += u32::from(wrong);
    }

    /// Nine in ten of the verdicts that have a direction have the right one.
    #[track_caller]
    fn check_verdicts(&self, what: &str) {
        println!("{what}: {self:?}");
        assert!(self.wrong * 10 <= self.decided, "{what}: {self:?}");
    }

    #[track_caller]
    fn check(&self, what: &str) {
        let count = self.inside + self.below + self.above;
        let rate = f64::from(self.inside) / f64::from(count);
        println!("{what}: {:.1} % of {count} intervals hold the truth: {self:?}", 100.0 * rate);
        // Code of this phone draws alike at each clock, which the estimator does not know: more than 90 % may be inside.
        assert!(rate >= 0.85, "{what}: {self:?}");
        // At most the twentieth part that lies on the wrong side of an interval.
        assert!(self.wrong * 20 <= self.decided, "{what}: {self:?}");
        assert!(self.decided * 4 > count, "{what}: hardly anything is decided: {self:?}");
    }
}

/// Compares two runs of one phone with their truths: the total, and methods whose difference is 1 % of it or more.
fn add_differences(runs: &[Simulated; 2], of_total: &mut Coverage, of_methods: &mut Coverage) {
    let ledgers = [ledger_of(&runs[0]), ledger_of(&runs[1])];
    let named = [("before", &ledgers[0]), ("after", &ledgers[1])];
    let options = FlameOptions::default();
    let report = DiffReport::new(named, &Per::Run, &options, MergedNodes::default()).unwrap();
    assert!(report.has_common_errors, "{:?}", report.objections);
    let [before, after] = [0, 1].map(|run: usize| &runs[run].truth);
    of_total.add(&report.total, after.total - before.total);
    let found = found(&report);
    let truths = [truths(before), truths(after)];
    let matters = before.total.max(after.total) * 0.01;
    for (place, compared) in &found {
        let [before, after] =
            [0, 1].map(|run: usize| truths[run].get(place).copied().unwrap_or_default());
        if (after - before).abs() >= matters {
            of_methods.add(compared, after - before);
        }
    }
}

#[test]
fn intervals_of_differences_hold_the_truth_nine_times_of_ten() {
    const RUNS: u64 = 400;
    let (mut of_total, mut of_methods) = (Coverage::default(), Coverage::default());
    for seed in 0..RUNS {
        let mut random = SplitMix64::new(seed).fork(98);
        let errors = CurveErrors {
            shared_sd: random.between(0.02, 0.25),
            own_sd: random.between(0.0, 0.10),
            specimens: 6 + random.below(7) as u32,
        };
        let kind = random.below(2);
        let lengths = [0, 1].map(|_| Nanos::from_seconds(random.between(0.15, 0.4)));
        // One seed is one phone with one wrong model; runs differ in length, and in what they do.
        let is_news = [0, 1].map(|_| random.chance(0.5));
        let runs = [0, 1].map(|run: usize| {
            let phone = match kind {
                0 => PhoneSpec::small(),
                _ => PhoneSpec::pixel_like().without_rails(),
            };
            let workload = if is_news[run] {
                scenario::news_app(lengths[run])
            } else {
                scenario::random(&phone, lengths[run], seed)
            };
            Simulation::with_errors(phone, workload, errors, seed).unwrap().run().unwrap()
        });
        assert_eq!(runs[0].device_model, runs[1].device_model, "one phone, one model");
        add_differences(&runs, &mut of_total, &mut of_methods);
    }
    of_total.check("total");
    of_methods.check("methods");
}

/// Versions of apps on phones whose power has causes that the estimator does not know, in other air the second time. What is called
/// *more* or *less* is so in nine cases of ten.
#[test]
fn verdicts_hold_on_phones_that_are_harder_than_their_model() {
    let effects = "activity=0.2,leakage=1.6,contention,binning,rail-gain=0.02".parse().unwrap();
    for with_rails in [false, true] {
        let (mut of_total, mut of_methods) = (Coverage::default(), Coverage::default());
        for seed in 0..24_u64 {
            let seconds = Nanos::from_seconds(4.0);
            let percent = [0, 30, 100][(seed % 3) as usize];
            let before = scenario::mixed_apps(&effects, seconds, seed).unwrap().run().unwrap();
            let after = scenario::changed_apps(&effects, seconds, seed, 1000 + seed, percent);
            let mut runs = [before, after.unwrap().run().unwrap()];
            if !with_rails {
                for run in &mut runs {
                    run.trace = TraceSource::PowerRails.removed_from(&run.trace).unwrap();
                }
            }
            add_differences(&runs, &mut of_total, &mut of_methods);
        }
        of_total.check_verdicts(&format!("total, rails: {with_rails}"));
        of_methods.check_verdicts(&format!("methods, rails: {with_rails}"));
        assert!(of_methods.decided >= 8, "hardly anything is decided: {of_methods:?}");
    }
}
