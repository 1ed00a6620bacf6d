//! A page of many runs.

use std::time::Instant;

use wattle_report::{HTML_LIMIT, history_html};
use wattle_store::{ComponentFigure, MethodFigure, NewRun, RunFacts, RunFigures};

use crate::kept::{APP, History, estimate};

/// Runs and methods, unless `WATTLE_STORE_RUNS` says another number of runs. `10000` with 5,000 methods is measured by hand.
const RUNS: u32 = 30;
const METHODS: u32 = 5000;

/// Sizes and correctness at any scale; times are printed, not judged: machines differ.
#[test]
fn a_page_of_many_runs() {
    let runs = std::env::var("WATTLE_STORE_RUNS").ok();
    let runs: u32 = runs.map_or(RUNS, |text| text.parse().expect("a number of runs"));
    let mut history = History::new();
    let methods: Vec<MethodFigure> = (0..METHODS)
        .map(|number| MethodFigure {
            name: format!("com.example.news.Feed{number}.bind"),
            calls: 7,
            own: estimate(f64::from(number + 1) * 1e-7),
            total: estimate(f64::from(number + 1) * 2e-7),
        })
        .collect();
    let began = Instant::now();
    for number in 0..runs {
        let mut facts = RunFacts::default();
        APP.clone_into(&mut facts.app.package);
        facts.app.version_code = Some(u64::from(number / 5));
        facts.code.commit = Some(format!("{:040x}", number / 5));
        facts.code.branch = Some("main".to_owned());
        facts.circumstances.started_ms = Some(1_760_000_000_000 + i64::from(number) * 60_000);
        let joules = 2.0 + 0.02 * f64::from(number * 7919 % 13) / 13.0;
        let component = |name: &str| ComponentFigure {
            name: name.to_owned(),
            is_app: true,
            energy: estimate(joules / 6.0),
        };
        let figures = RunFigures {
            total: Some(estimate(joules + 1.0)),
            app: Some(estimate(joules)),
            components: ["cpu", "gpu", "display", "memory", "wifi", "storage"]
                .map(component)
                .into(),
            methods: methods.clone(),
        };
        history.store.keep(&NewRun { facts, figures, ledger: b"none".to_vec() }).expect("kept");
    }
    println!("{runs} runs of {METHODS} methods kept in {:.1?}", began.elapsed());
    let began = Instant::now();
    let page = history.page();
    let read = began.elapsed();
    let began = Instant::now();
    let html = history_html(&page).expect("a page");
    println!("page: data {read:.0?}, file {:.0?}, {} bytes", began.elapsed(), html.len());
    assert!(html.len() <= HTML_LIMIT, "{}", html.len());
    let series = &page.series[0];
    assert_eq!(series.commits.len() + series.omitted, runs.div_ceil(5) as usize);
    assert_eq!(series.methods.len(), 10);
    assert_eq!(series.components.len(), 6);
}
