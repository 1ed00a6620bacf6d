//! Results of sampling without energy: stacks without times, or of CPUs that no model knows.

use std::collections::{BTreeMap, BTreeSet};

use wattle_ledger::{FrameEntry, Ledger};
use wattle_table::{Column, describe};
use wattle_units::Nanos;

/// Samples by thread and function.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledReport {
    /// Unit of the counts: samples, or that of an event.
    pub unit: String,
    /// All of it.
    pub total: u64,
    /// By thread, most first.
    pub threads: Vec<SampledThread>,
    /// By function, most innermost samples first.
    pub functions: Vec<SampledFunction>,
}

describe!(
    SampledReport,
    "sampled",
    "samples by thread and function, where no energy follows from them",
    [
        Column::text("unit", "unit of the counts", |row: &SampledReport| &row.unit),
        Column::count("total", "all samples", |row: &SampledReport| row.total),
        Column::list::<SampledThread>("threads", "by thread, most first", |row: &SampledReport| {
            &row.threads
        }),
        Column::list::<SampledFunction>(
            "functions",
            "by function, most innermost samples first",
            |row: &SampledReport| &row.functions
        ),
    ]
);

/// One thread.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledThread {
    /// Its name.
    pub name: String,
    /// Its count.
    pub samples: u64,
    /// Its part of the total.
    pub share: f64,
}

describe!(
    SampledThread,
    "sampled_thread",
    "a thread that was sampled",
    [
        Column::text("name", "thread", |row: &SampledThread| &row.name).label("thread").elastic(),
        Column::count("samples", "samples of it", |row: &SampledThread| row.samples)
            .label("samples")
            .strong(),
        Column::share("share", "its part of the total", |row: &SampledThread| Some(row.share))
            .label("share"),
    ]
);

/// One function of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledFunction {
    /// Its name, or of which file it is an unknown one.
    pub name: String,
    /// The file; empty where nothing says it.
    pub mapping: String,
    /// Samples that found it innermost.
    pub own: u64,
    /// Their part of the total.
    pub share: f64,
    /// Samples that found it anywhere in a stack, each once.
    pub total: u64,
}

describe!(
    SampledFunction,
    "sampled_function",
    "a function that was sampled",
    [
        Column::text("name", "function", |row: &SampledFunction| &row.name)
            .label("function")
            .elastic(),
        Column::maybe_text("mapping", "file of code", |row: &SampledFunction| {
            Some(row.mapping.as_str()).filter(|mapping| !mapping.is_empty())
        })
        .label("file")
        .soft()
        .elastic()
        .blank(),
        Column::count("own", "samples that found it innermost", |row: &SampledFunction| row.own)
            .label("innermost")
            .strong(),
        Column::share("share", "their part of the total", |row: &SampledFunction| Some(row.share))
            .label("share"),
        Column::count("total", "samples that found it anywhere", |row: &SampledFunction| row.total)
            .label("in stack"),
    ]
);

impl SampledReport {
    /// Counts the samples of a ledger; `None` where it has none.
    pub fn new(ledger: &Ledger) -> Option<Self> {
        let mut threads: BTreeMap<&str, u64> = BTreeMap::new();
        let mut functions: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
        let mut total = 0_u64;
        for path in ledger.rows.paths.iter().filter(|path| path.samples > 0) {
            total = total.saturating_add(path.samples);
            let thread = ledger.rows.threads.get(path.thread as usize);
            let count =
                threads.entry(thread.map_or("", |thread| thread.name.as_str())).or_default();
            *count = count.saturating_add(path.samples);
            let mut seen = BTreeSet::new();
            let mut next = Some(path);
            while let Some(here) = next {
                let frame = here.frame.and_then(|frame| ledger.rows.frames.get(frame as usize));
                if let Some(key) = frame.map(key)
                    && seen.insert(key)
                {
                    let is_innermost = seen.len() == 1;
                    let (own, all) = functions.entry(key).or_default();
                    *own = own.saturating_add(if is_innermost { path.samples } else { 0 });
                    *all = all.saturating_add(path.samples);
                }
                next = here.caller.and_then(|caller| ledger.rows.paths.get(caller.0 as usize));
            }
        }
        let event = ledger.sheets.sampling.as_ref().map_or("samples", |sampling| &*sampling.event);
        let is_counted = event == "samples" || ledger.recording.window.duration() > Nanos::ZERO;
        let unit = if is_counted { "samples".to_owned() } else { format!("weight ({event})") };
        let mut threads: Vec<_> = threads
            .into_iter()
            .map(|(name, samples)| SampledThread {
                name: name.to_owned(),
                samples,
                share: samples as f64 / total as f64,
            })
            .collect();
        threads.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.name.cmp(&b.name)));
        let total_f = total as f64;
        let mut functions: Vec<_> = functions
            .into_iter()
            .map(|((name, mapping), (own, total))| {
                let (name, mapping) = (name.to_owned(), mapping.to_owned());
                SampledFunction { name, mapping, own, share: own as f64 / total_f, total }
            })
            .collect();
        functions.sort_by(|a, b| (b.own, b.total, &a.name).cmp(&(a.own, a.total, &b.name)));
        (total > 0).then_some(Self { unit, total, threads, functions })
    }
}

fn key(frame: &FrameEntry) -> (&str, &str) {
    let mapping = frame.mapping.as_deref().unwrap_or_default();
    (frame.function.as_deref().unwrap_or("[unknown]"), mapping)
}
