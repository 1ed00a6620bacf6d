//! `wattle.toml`: defaults for flags. A flag on the command line wins.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;
use wattle_diagnose::Acceptance;
use wattle_gate::Policy;
use wattle_store::StoreLocation;

use crate::bounded_file;
use crate::cli::{Model, Modelling, Output, Prefer, Shared};
use crate::exit::Failure;

/// The file's content. Keys are the flags' names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    #[serde(default)]
    report: ReportDefaults,
    #[serde(default)]
    history: HistoryDefaults,
    #[serde(default)]
    check: Policy,
    #[serde(default)]
    diagnose: DiagnoseDefaults,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct DiagnoseDefaults {
    accept: Vec<Acceptance>,
    baseline: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct HistoryDefaults {
    keep: bool,
    store: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct ReportDefaults {
    app: Vec<String>,
    model: Option<Model>,
    device_model: Vec<PathBuf>,
    voltage: Option<f64>,
    shared: Option<Shared>,
    strict_attribution: bool,
    prefer: Option<Prefer>,
    apis: Vec<PathBuf>,
    api_costs: Vec<PathBuf>,
    top: Option<usize>,
    reference: Option<String>,
    carbon: Option<FileOrNumber>,
}

/// `"grid.toml"`, or `385`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum FileOrNumber {
    Number(f64),
    File(String),
}

/// Checks a choice of findings: days are days, rules exist, a reason is given.
fn check_acceptance(choice: &Acceptance) -> anyhow::Result<()> {
    if choice.reason.trim().is_empty() {
        anyhow::bail!("[[diagnose.accept]] of {}: expected a reason", choice.rule);
    }
    if let Some(until) = &choice.until
        && (until.len() != 10 || until.parse::<chrono::NaiveDate>().is_err())
    {
        anyhow::bail!("[[diagnose.accept]] until = {until:?}: expected YYYY-MM-DD");
    }
    if !choice.rule.contains('*') && wattle_diagnose::rule(&choice.rule).is_none() {
        anyhow::bail!(
            "[[diagnose.accept]] rule = {:?}: no such rule; `wattle explain` lists them",
            choice.rule
        );
    }
    Ok(())
}

impl Config {
    /// From the file named by `--config`, else from `wattle.toml` in the working folder, else empty.
    pub fn find(named: Option<&Path>) -> Result<Self, Failure> {
        let usual = Path::new("wattle.toml");
        let path = match named {
            Some(path) => path,
            None if usual.is_file() => usual,
            None => return Ok(Self::default()),
        };
        let read = || -> anyhow::Result<Self> {
            let text = bounded_file::text(path, bounded_file::MOST)?;
            let mut config: Self = toml::from_str(&text)?;
            config.diagnose.accept.iter().try_for_each(check_acceptance)?;
            // Files it names lie beside it, wherever the command was started.
            let folder = path.parent().unwrap_or(Path::new(""));
            let report = &mut config.report;
            let files = report.device_model.iter_mut().chain(&mut report.apis);
            for file in files.chain(&mut report.api_costs) {
                *file = folder.join(&*file);
            }
            if let Some(baseline) = &mut config.diagnose.baseline {
                *baseline = folder.join(&*baseline);
            }
            // What is no file beside it is a name of the library.
            let beside = |text: &mut String| {
                let file = folder.join(&*text);
                if file.is_file() {
                    *text = file.to_string_lossy().into_owned();
                }
            };
            if let Some(reference) = &mut report.reference {
                beside(reference);
            }
            if let Some(FileOrNumber::File(file)) = &mut report.carbon {
                beside(file);
            }
            if let Some(store) = &mut config.history.store
                && matches!(store.parse()?, StoreLocation::Folder(_))
            {
                *store = folder.join(&*store).to_string_lossy().into_owned();
            }
            Ok(config)
        };
        read().with_context(|| format!("configuration {}", path.display())).map_err(Failure::Usage)
    }

    /// The apps that the flags name, else those of the file.
    pub fn apps(&self, flags: Vec<String>) -> Vec<String> {
        if flags.is_empty() { self.report.app.clone() } else { flags }
    }

    /// Whether runs are kept.
    pub fn keeps_runs(&self) -> bool {
        self.history.keep
    }

    /// Findings of `wattle diagnose` that are accepted.
    pub fn accepted_findings(&self) -> &[Acceptance] {
        &self.diagnose.accept
    }

    /// The baseline of findings.
    pub fn known_findings(&self) -> Option<&Path> {
        self.diagnose.baseline.as_deref()
    }

    /// The rules and the baseline of `wattle check`.
    pub fn check_policy(&self) -> Policy {
        self.check.clone()
    }

    /// The history of the file.
    pub fn store(&self) -> Option<StoreLocation> {
        self.history.store.as_deref().and_then(|text| text.parse().ok())
    }

    /// The number of rows in tables of the terminal.
    pub fn top(&self, flag: Option<usize>) -> Option<usize> {
        flag.or(self.report.top)
    }

    /// The destinations of results, with the human units of the file.
    pub fn human_units(&self, flags: Output) -> Output {
        let carbon = self.report.carbon.as_ref().map(|carbon| match carbon {
            FileOrNumber::Number(grams) => grams.to_string(),
            FileOrNumber::File(file) => file.clone(),
        });
        Output {
            reference: flags.reference.or_else(|| self.report.reference.clone()),
            carbon: flags.carbon.or(carbon),
            ..flags
        }
    }

    /// The flags that decide the figures, completed by the file.
    pub fn modelling(&self, flags: Modelling) -> Modelling {
        let defaults = &self.report;
        let or = |given: Vec<PathBuf>, defaults: &[PathBuf]| {
            if given.is_empty() { defaults.to_vec() } else { given }
        };
        Modelling {
            model: flags.model.or(defaults.model),
            device_model: or(flags.device_model, &defaults.device_model),
            voltage: flags.voltage.or(defaults.voltage),
            shared: flags.shared.or(defaults.shared),
            prefer: flags.prefer.or(defaults.prefer),
            apis: or(flags.apis, &defaults.apis),
            api_costs: or(flags.api_costs, &defaults.api_costs),
            stacks: flags.stacks,
            strict_attribution: flags.strict_attribution || defaults.strict_attribution,
            config: flags.config,
        }
    }
}
