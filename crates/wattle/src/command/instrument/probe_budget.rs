//! `--budget`: methods that are left out because their probes cost too much, by what an earlier run measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use wattle_ledger::Ledger;
use wattle_report::grouped;
use wattle_timeline::SiteKind;
use wattle_units::Nanos;

use crate::cli::Probing;
use crate::exit::Failure;

/// Cost of a call where the earlier run timed no probes: the upper end of Perfetto's 1 to 10 µs for an event, of which a call has two
/// (`docs/data-sources/atrace.md`).
const ASSUMED: Nanos = Nanos::new(20_000);

/// A method by class and name.
type MethodName = (String, String);

/// The methods to leave out, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeBudget {
    /// The methods.
    pub left_out: BTreeSet<MethodName>,
    /// The basis of the choice, for the summary.
    pub note: String,
}

/// Calls and probe time of one method in a run.
#[derive(Clone, Copy, Debug, Default)]
struct ProbedMethod {
    calls: u64,
    probes: Nanos,
}

impl ProbeBudget {
    /// Chooses by the flags; nothing without `--budget`.
    pub fn from_flags(probing: &Probing) -> Result<Option<Self>, Failure> {
        let (Some(percent), Some(path)) = (probing.budget, &probing.calls) else {
            return Ok(None);
        };
        let ledger = Ledger::load(path)
            .with_context(|| format!("--calls {}", path.display()))
            .map_err(Failure::Input)?;
        Self::from_ledger(&ledger, percent, path).map(Some)
    }

    fn from_ledger(ledger: &Ledger, percent: f64, path: &Path) -> Result<Self, Failure> {
        let (methods, processes) = probed_methods(ledger);
        if methods.is_empty() {
            return Err(Failure::Usage(anyhow::anyhow!(
                "--calls {}: expected a run of the app with probes around its methods, found none; `wattle run app.apk --save FILE` \
                 saves one",
                path.display()
            )));
        }
        let is_measured = methods.values().any(|method| method.probes > Nanos::ZERO);
        let cost = |method: &ProbedMethod| {
            let assumed =
                ASSUMED.value().saturating_mul(i64::try_from(method.calls).unwrap_or(i64::MAX));
            if is_measured { method.probes } else { Nanos::new(assumed) }
        };
        let threads = ledger.rows.threads.iter().filter(|it| processes.contains(&it.process));
        let cpu: i64 = threads.map(|thread| thread.cpu.value()).sum();
        let mut probes: i64 = methods.values().map(|method| cost(method).value()).sum();
        // Where the run measured them, probes are part of the threads' time.
        let own = if is_measured { (cpu - probes).max(0) } else { cpu };
        let most = own as f64 * percent / 100.0;
        let mut costly: Vec<(&MethodName, &ProbedMethod)> = methods.iter().collect();
        costly.sort_by_key(|(name, method)| (std::cmp::Reverse(cost(method)), *name));
        let mut budget = Self::default();
        let mut calls: u64 = 0;
        for (name, method) in costly {
            if probes as f64 <= most {
                break;
            }
            probes -= cost(method).value();
            calls = calls.saturating_add(method.calls);
            budget.left_out.insert(name.clone());
        }
        let basis = if is_measured {
            "as timed there"
        } else {
            "assuming 20 µs a call: no probe was timed there"
        };
        budget.note = format!(
            "budget of {percent} %: {} of {} methods that ran in {} are left out, with {} calls; the probes of the others took {:.1} % \
             of the app's {:.1} s of CPU time, {basis}. Methods that did not run there are not limited",
            budget.left_out.len(),
            methods.len(),
            path.display(),
            grouped(calls),
            if own > 0 { 100.0 * probes as f64 / own as f64 } else { 0.0 },
            own as f64 * 1e-9,
        );
        Ok(budget)
    }
}

/// The methods with probes that ran, and the processes that they ran in.
fn probed_methods(ledger: &Ledger) -> (BTreeMap<MethodName, ProbedMethod>, BTreeSet<u32>) {
    let rows = &ledger.rows;
    let mut methods: BTreeMap<MethodName, ProbedMethod> = BTreeMap::new();
    let mut processes = BTreeSet::new();
    for path in &rows.paths {
        let site = path.site.and_then(|site| rows.sites.get(site as usize));
        let Some(site) = site.filter(|site| site.kind == SiteKind::Method) else { continue };
        let method = methods.entry((site.class.clone(), site.method.clone())).or_default();
        method.calls = method.calls.saturating_add(path.calls);
        method.probes += path.probe_cpu;
        processes.extend(rows.threads.get(path.thread as usize).map(|thread| thread.process));
    }
    (methods, processes)
}
