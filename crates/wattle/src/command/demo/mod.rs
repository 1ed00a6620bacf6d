//! `wattle demo`: a simulated phone whose energy is known, profiled like any other, truth beside estimate.

mod idle;
mod polling;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Context as _;
use wattle_ledger::{Account, AttributionOptions, Ledger, PathId};
use wattle_power::{Component, DeviceModel, ModelChoice, PowerOptions};
use wattle_report::ReportOptions;
use wattle_sim::{Simulated, Truth};
use wattle_units::{Estimate, Joules};

use super::output;
use crate::cli::Demo;
use crate::exit::{Failure, Outcome};

/// Methods below this share of the whole are left out of the comparison.
const LEAST_SHARE: f64 = 0.01;

/// One of the three things that `wattle demo` does, with its own arguments.
#[derive(Debug)]
enum Mode<'a> {
    /// A phone is simulated and profiled.
    Profile(&'a Demo),
    /// `--polling`: polling periods are compared.
    Polling(polling::Request<'a>),
    /// `--idle`: the traces of an idle machine are written.
    Idle(idle::Request<'a>),
}

impl<'a> Mode<'a> {
    fn new(flags: &'a Demo) -> Self {
        let (seed, output) = (flags.seed, &flags.output);
        if let Some(folder) = &flags.idle {
            return Self::Idle(idle::Request { seed, folder, quiet: output.quiet });
        }
        if flags.polling {
            let prints = !output.quiet && !output.is_json_on_stdout();
            return Self::Polling(polling::Request { seed, json: output.json.as_deref(), prints });
        }
        Self::Profile(flags)
    }
}

/// Runs `wattle demo`.
pub fn run(flags: &Demo) -> Outcome {
    output::check(&flags.output)?;
    let options = output::options(&[], &flags.output)?;
    match Mode::new(flags) {
        Mode::Profile(flags) => profile(flags, &options),
        Mode::Polling(request) => polling::run(&request),
        Mode::Idle(request) => idle::run(&request),
    }
}

fn profile(demo: &Demo, options: &ReportOptions) -> Outcome {
    let simulated = wattle_sim::scenario::demo(demo.seed)
        .and_then(|simulation| simulation.run())
        .context("the simulated phone")
        .map_err(Failure::Internal)?;
    if let Some(path) = &demo.trace {
        output::write_file(path, &simulated.trace)?;
    }
    if let Some(path) = &demo.device_model {
        output::write_file(path, simulated.device_model.as_bytes())?;
    }
    let ledger = estimate(&simulated, demo.no_rails)
        .context("profiling the simulated phone")
        .map_err(Failure::Internal)?;
    if !demo.output.quiet && !demo.output.is_json_on_stdout() {
        output::print(comparison(&simulated, &ledger).as_bytes())?;
    }
    if demo.output.views.by.is_some() {
        return output::write_as(&ledger, options, &demo.output);
    }
    output::write_files(&ledger, options, &demo.output)
}

/// The same way that `wattle report` goes, with the model that is given of phones of this kind.
fn estimate(simulated: &Simulated, no_rails: bool) -> anyhow::Result<Ledger> {
    let timeline = wattle_ingest::read_bytes("demo.perfetto-trace", &simulated.trace)?;
    let mut options = PowerOptions::default();
    options.device_models = vec![DeviceModel::parse("demo", &simulated.device_model)?];
    if no_rails {
        options.model = ModelChoice::Curves;
    }
    let power = wattle_power::estimate(&timeline, &options)?;
    Ok(wattle_ledger::attribute(&timeline, &power, &AttributionOptions::default())?)
}

/// A method of a thread by its call path, outermost first.
type Method = (u32, Vec<String>);

fn comparison(simulated: &Simulated, ledger: &Ledger) -> String {
    let truth = &simulated.truth;
    let mut text = String::new();
    let duration = (truth.end - truth.start).seconds();
    let size = simulated.trace.len() as f64 / 1e6;
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "A simulated phone ran for {duration:.1} s and left a Perfetto trace of {size:.1} MB. Wattle read it like any \
         other\nand knows of the phone only what calibration left over. Truth is what the simulator spent.\n"
    );
    let mut table = Table::new(&mut text);
    table.heading("component");
    table.row("cpu", truth.total, component(ledger, &Component::Cpu));
    if let Some(battery) = truth.battery {
        table.row("everything that the battery gave", battery, ledger.total());
    }
    table.heading("account (cpu)");
    for (name, joules, estimate) in accounts(truth, ledger) {
        table.row(name, joules, estimate);
    }
    table.heading("thread");
    for (name, joules, estimate) in threads(truth, ledger) {
        table.row(&name, joules, estimate);
    }
    table.heading("method (self), 1 % of the energy or more");
    for (name, joules, estimate) in methods(truth, ledger) {
        table.row(&name, joules, estimate);
    }
    let (inside, rows) = (table.inside, table.rows);
    let worst = ledger.closure.iter().map(|closure| closure.error).fold(0.0, f64::max);
    let _ = writeln!(
        text,
        "\n{inside} of {rows} true values lie inside their 90 % interval. The ledger closes to {worst:.0e}.\n\
         Next: wattle demo --html demo.html, or wattle report on a trace of your own."
    );
    text
}

fn component(ledger: &Ledger, wanted: &Component) -> Option<Estimate> {
    ledger.estimate_where(|booking| {
        let entry = ledger.rows.components.get(usize::from(booking.component.0));
        entry.is_some_and(|entry| entry.name == *wanted)
    })
}

type Row<N> = (N, Joules, Option<Estimate>);

fn accounts(truth: &Truth, ledger: &Ledger) -> [Row<&'static str>; 4] {
    let of = |class: &str| {
        ledger.estimate_where(|booking| {
            ledger.rows.accounts.get(booking.account.0 as usize).is_some_and(|a| a.class() == class)
        })
    };
    let threads: Joules =
        truth.threads.iter().filter(|t| !t.recorder).map(|t| t.charges.total()).sum();
    [
        ("threads", threads, of("threads")),
        ("interrupts", truth.interrupts_total(), of("interrupts")),
        ("idle floor", truth.idle_floor.total(), of("idle floor")),
        ("profiling overhead", truth.profiling_overhead(), of("profiling overhead")),
    ]
}

fn threads(truth: &Truth, ledger: &Ledger) -> Vec<Row<String>> {
    let estimates = ledger.grouped(|booking| {
        let path = path_of(ledger, booking.account.0)?;
        let thread = ledger.rows.paths.get(path.0 as usize)?.thread;
        Some(ledger.rows.threads.get(thread as usize)?.tid)
    });
    let least = truth.total * LEAST_SHARE;
    let mut rows: Vec<_> = truth
        .threads
        .iter()
        .filter(|thread| !thread.recorder && thread.charges.total() >= least)
        .map(|thread| {
            let name = format!("{} / {}", thread.process, thread.thread);
            (name, thread.charges.total(), estimates.get(&thread.tid).copied())
        })
        .collect();
    rows.sort_by(|a, b| b.1.value().total_cmp(&a.1.value()));
    rows
}

fn methods(truth: &Truth, ledger: &Ledger) -> Vec<Row<String>> {
    let names: Vec<Option<Method>> =
        (0..ledger.rows.paths.len()).map(|index| method(ledger, PathId(index as u32))).collect();
    let estimates: BTreeMap<&Method, Estimate> = ledger.grouped(|booking| {
        let path = path_of(ledger, booking.account.0)?;
        names.get(path.0 as usize)?.as_ref()
    });
    let least = truth.total * LEAST_SHARE;
    let mut rows: Vec<_> = truth
        .methods
        .iter()
        .filter(|m| !m.recorder && !m.path.is_empty() && m.self_joules >= least)
        .map(|m| {
            let name = format!("{} [{}]", m.path.last().map_or("", String::as_str), m.thread);
            (name, m.self_joules, estimates.get(&(m.tid, m.path.clone())).copied())
        })
        .collect();
    rows.sort_by(|a, b| b.1.value().total_cmp(&a.1.value()));
    rows
}

fn path_of(ledger: &Ledger, account: u32) -> Option<PathId> {
    match ledger.rows.accounts.get(account as usize)? {
        Account::Path { path } => Some(*path),
        _ => None,
    }
}

/// Thread number and names from the outermost slice to this one; `None` for a thread's root.
fn method(ledger: &Ledger, path: PathId) -> Option<Method> {
    let mut entry = ledger.rows.paths.get(path.0 as usize)?;
    let tid = ledger.rows.threads.get(entry.thread as usize)?.tid;
    let mut names = Vec::new();
    while let Some(caller) = entry.caller {
        names.push(entry.name.clone());
        entry = ledger.rows.paths.get(caller.0 as usize)?;
    }
    names.reverse();
    (!names.is_empty()).then_some((tid, names))
}

/// Truth beside estimate.
struct Table<'a> {
    text: &'a mut String,
    rows: usize,
    inside: usize,
}

impl<'a> Table<'a> {
    fn new(text: &'a mut String) -> Self {
        Self { text, rows: 0, inside: 0 }
    }

    fn heading(&mut self, what: &str) {
        let _ = writeln!(
            self.text,
            "{}{what:<44} {:>9} {:>9} {:>7}   90 % interval",
            if self.rows == 0 { "" } else { "\n" },
            "truth",
            "estimate",
            "off"
        );
    }

    fn row(&mut self, name: &str, truth: Joules, estimate: Option<Estimate>) {
        self.rows += 1;
        let mut name: String = name.to_owned();
        if name.chars().count() > 44 {
            let keep: Vec<char> = name.chars().collect();
            name = std::iter::once('…').chain(keep[keep.len() - 43..].iter().copied()).collect();
        }
        let truth_text = truth.to_string();
        let Some(estimate) = estimate else {
            let _ = writeln!(self.text, "{name:<44} {truth_text:>9} {:>9}", "no data");
            return;
        };
        let is_inside = estimate.interval.contains(truth);
        self.inside += usize::from(is_inside);
        let off = (estimate.joules / truth - 1.0) * 100.0;
        let _ = writeln!(
            self.text,
            "{name:<44} {truth_text:>9} {:>9} {off:>+6.1}%   {} … {}{}",
            estimate.joules.to_string(),
            estimate.interval.low,
            estimate.interval.high,
            if is_inside { "" } else { "  (outside)" }
        );
    }
}
