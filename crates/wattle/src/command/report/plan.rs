//! The plan of `wattle report`: flags and configuration, checked once and unchanged afterwards.

use std::path::{Path, PathBuf};

use regex::Regex;
use wattle_ingest::ReadOptions;
use wattle_ledger::StretchDetail;
use wattle_power::ApiCosts;
use wattle_timeline::{Timeline, Window};

use crate::cli::{By, Covering, Output, RatePer, Report, Strictness, View};
use crate::command::analysis::{self, AnalysisPlan, LedgerParts};
use crate::command::history::Keeping;
use crate::command::usual_findings::Findings;
use crate::command::{human, inputs, kept_runs, other_file, output, when};
use crate::config::Config;
use crate::exit::{Failure, Outcome};

/// The plan of one `wattle report`.
#[derive(Debug)]
pub struct ReportPlan {
    /// The input.
    pub input: ReportInput,
    /// The apps whose part is shown; where there are none, those that the ledger names.
    pub apps: Vec<String>,
    /// The processes whose part is shown, by name.
    pub process: Option<Regex>,
    /// The threads whose part is shown, by name.
    pub thread: Option<Regex>,
    /// The apps that `--app` names, which must be in the recording.
    pub asked_apps: Vec<String>,
    /// The category in which the energy is rated.
    pub category: CategoryPlan,
    /// The destinations of results.
    pub output: Output,
    /// Whether tables are followed by all findings.
    pub all_findings: bool,
    /// Whether quality errors end with exit code 1.
    pub strictness: Strictness,
    /// Keeping of the run; `None` if it is not kept.
    pub keeping: Option<Keeping>,
}

/// The input of a report.
#[derive(Debug)]
pub enum ReportInput {
    /// Traces and recordings.
    Traces(Box<TracesPlan>),
    /// One saved ledger, and other tables of API costs than it was saved with.
    Saved(PathBuf, Option<ApiCosts>),
    /// Several saved ledgers, which are compared by their tests.
    SeveralSaved(Vec<PathBuf>),
}

/// Files of one recording and how they become a ledger.
#[derive(Debug)]
pub struct TracesPlan {
    /// The files and folders.
    pub paths: Vec<PathBuf>,
    /// Facts that the files do not contain.
    pub reading: ReadOptions,
    /// The part of the recording that counts.
    pub span: Span,
    /// The plan of turning it into a ledger.
    pub analysis: AnalysisPlan,
    /// Whether findings are looked for.
    pub findings: Findings,
    /// Show no progress.
    pub quiet: bool,
}

/// `--from`, `--to` and `--slice`, which only a timeline can turn into times.
#[derive(Debug)]
pub struct Span {
    from: Option<String>,
    to: Option<String>,
    slice: Option<String>,
    covering: Covering,
}

impl Span {
    /// Whether no part of a recording is asked for.
    pub const fn is_whole(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.slice.is_none()
    }
}

/// `--category` and what goes with it.
#[derive(Debug)]
pub struct CategoryPlan {
    /// Ledgers, folders of them, category files and names of the library.
    pub paths: Vec<PathBuf>,
    /// The rated quantity, unless the category file decides it.
    pub per: Option<RatePer>,
    /// The part of the probed methods that must have run, in percent.
    pub least_coverage: Option<f64>,
}

impl ReportPlan {
    /// Checks the flags before anything is read, and completes them by the configuration.
    pub fn new(flags: Report) -> Result<Self, Failure> {
        output::check(&flags.output)?;
        let config = Config::find(flags.modelling.config.as_deref())?;
        let saved = inputs::saved_ledgers(&flags.traces)?;
        let mut costs = None;
        if let Some(path) = saved.first() {
            refuse_to_keep(&flags, path)?;
            refuse_flags_of_traces(&flags)?;
            // The configuration's tables do not replace those a ledger was saved with; only flags do.
            costs = inputs::api_costs(&flags.modelling).map_err(Failure::Input)?;
        }
        if saved.len() > 1 {
            return Self::of_several(saved, costs.is_some(), flags, &config);
        }
        let top = config.top(flags.output.top);
        let output = Output { top, ..config.human_units(flags.output) };
        human::options(&output)?;
        let is_recorded = saved.is_empty();
        let keeping =
            if is_recorded { Keeping::new(&output.keeping, &config, output.quiet)? } else { None };
        if flags.no_diagnose && output.views.view == Some(View::Findings) {
            let text = "--view findings shows what --no-diagnose does not look for";
            return Err(Failure::Usage(anyhow::anyhow!(text)));
        }
        let findings = if flags.diagnose {
            Findings::Asked
        } else if output::has_findings(&output) && !flags.no_diagnose {
            if output::has_page(&output) { Findings::OnPage } else { Findings::Usual }
        } else {
            Findings::None
        };
        let is_whole =
            output.html.is_some() || output.open || output.save.is_some() || keeping.is_some();
        let input = match saved.into_iter().next() {
            Some(path) => ReportInput::Saved(path, costs),
            None => ReportInput::Traces(Box::new(TracesPlan {
                paths: flags.traces,
                reading: ReadOptions {
                    meter: inputs::meter_options(&flags.metering)?,
                    ..flags.reading.options()
                },
                span: Span {
                    from: flags.from,
                    to: flags.to,
                    slice: flags.slice,
                    covering: flags.window,
                },
                analysis: AnalysisPlan {
                    legacy: flags.legacy,
                    all_call_stats: output.views.by == Some(By::Method),
                    // A run that is kept is the same one, whatever is shown of it.
                    stretches: if findings == Findings::None && keeping.is_none() {
                        StretchDetail::None
                    } else {
                        StretchDetail::Bounded
                    },
                    keep: LedgerParts {
                        energy_bins: is_whole,
                        waits: is_whole || output.views.by == Some(By::Waits),
                    },
                    ..AnalysisPlan::new(&config, flags.modelling, flags.symbols)
                },
                findings,
                quiet: output.quiet,
            })),
        };
        let category = CategoryPlan {
            paths: flags.category,
            per: flags.rate_per,
            least_coverage: flags.least_coverage,
        };
        Ok(Self {
            input,
            process: flags.process,
            thread: flags.thread,
            asked_apps: flags.app.clone(),
            apps: config.apps(flags.app),
            category,
            output,
            all_findings: flags.diagnose,
            strictness: flags.strictness,
            keeping,
        })
    }

    /// Several ledgers have fewer views than one.
    fn of_several(
        saved: Vec<PathBuf>,
        has_costs: bool,
        flags: Report,
        config: &Config,
    ) -> Result<Self, Failure> {
        if has_costs {
            let text = "--api-costs is for one saved ledger: several are compared by their tests";
            return Err(Failure::Usage(anyhow::anyhow!(text)));
        }
        let is_for_one = flags.output.save.is_some()
            || flags.output.views.by.is_some()
            || !flags.category.is_empty();
        let is_selected = flags.process.is_some() || flags.thread.is_some();
        if !flags.app.is_empty() || is_selected || is_for_one {
            return Err(Failure::Usage(anyhow::anyhow!(
                "--app, --process, --thread, --by, --save and --category are for one ledger: several are compared by the app that each was recorded for"
            )));
        }
        let top = config.top(flags.output.top);
        Ok(Self {
            input: ReportInput::SeveralSaved(saved),
            apps: Vec::new(),
            process: None,
            thread: None,
            asked_apps: Vec::new(),
            category: CategoryPlan { paths: Vec::new(), per: None, least_coverage: None },
            output: Output { top, ..flags.output },
            all_findings: false,
            strictness: flags.strictness,
            keeping: None,
        })
    }
}

impl Span {
    /// Whether any of the flags was given.
    pub const fn is_given(&self) -> bool {
        let is_cut = !matches!(self.covering, Covering::Scenario);
        self.from.is_some() || self.to.is_some() || self.slice.is_some() || is_cut
    }

    /// The times that it means in a timeline; `None` for all of it.
    pub fn window(&self, timeline: &Timeline) -> Result<Option<Window>, Failure> {
        let Self { from, to, slice, covering } = self;
        let asked = when::window(slice.as_deref(), from.as_deref(), to.as_deref(), timeline)
            .map_err(Failure::Usage)?;
        match covering {
            Covering::Scenario => Ok(asked.or(timeline.scenario)),
            Covering::All => Ok(asked),
            Covering::Rails => {
                let within = asked.unwrap_or(timeline.window);
                let metered = wattle_power::metered_window(timeline, within);
                let text = "--window rails: no power rail counted in this time; expected a recording with rails (`android.power`)";
                let window = metered.ok_or_else(|| Failure::Usage(anyhow::anyhow!(text)))?;
                Ok(Some(window))
            }
        }
    }
}

/// A saved ledger has the facts of its run, which a report would not find.
fn refuse_to_keep(flags: &Report, saved: &Path) -> Outcome {
    if !flags.output.keeping.keep {
        return Ok(());
    }
    let text = if kept_runs::is_run_name(saved) {
        format!("--keep: {} is kept already", saved.display())
    } else {
        let file = other_file::quoted(saved);
        format!("--keep is for recordings; to keep a saved ledger run: wattle runs import {file}")
    };
    Err(Failure::Usage(anyhow::anyhow!(text)))
}

/// A saved ledger is a result: what decides about results cannot be asked of it again.
fn refuse_flags_of_traces(flags: &Report) -> Outcome {
    let first = |asked: &[(&'static str, bool)]| {
        asked.iter().find(|(_, is_asked)| *is_asked).map(|(flag, _)| *flag)
    };
    let of_time = first(&[
        ("--from", flags.from.is_some()),
        ("--to", flags.to.is_some()),
        ("--slice", flags.slice.is_some()),
        ("--window", flags.window != Covering::Scenario),
        ("--meter", !flags.metering.meter.is_empty()),
    ]);
    let has_findings_view = flags.output.views.view == Some(View::Findings);
    let of_views = first(&[
        ("--legacy", flags.legacy),
        ("--diagnose", flags.diagnose),
        ("--view findings", has_findings_view),
    ]);
    match of_time.or_else(|| flags.modelling.asked()).or(of_views) {
        Some(flag) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} needs the recording: a saved ledger has been attributed already"
        ))),
        None => analysis::refuse_symbols(&flags.symbols),
    }
}
