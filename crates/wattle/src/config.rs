//! `wattle.toml`: defaults for flags. A flag on the command line wins.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;

use crate::cli::{Model, Modelling, Output, Prefer, Report, Shared};
use crate::exit::Failure;

/// The file's content. Keys are the flags' names.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    #[serde(default)]
    report: ReportDefaults,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct ReportDefaults {
    app: Vec<String>,
    model: Option<Model>,
    device_model: Vec<PathBuf>,
    voltage: Option<f64>,
    shared: Option<Shared>,
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
            let text = std::fs::read_to_string(path)?;
            let mut config: Self = toml::from_str(&text)?;
            // Files it names lie beside it, wherever the command was started.
            let folder = path.parent().unwrap_or(Path::new(""));
            let report = &mut config.report;
            let files = report.device_model.iter_mut().chain(&mut report.apis);
            for file in files.chain(&mut report.api_costs) {
                *file = folder.join(&*file);
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
            Ok(config)
        };
        read().with_context(|| format!("configuration {}", path.display())).map_err(Failure::Usage)
    }

    /// Fills in what the command line left open.
    pub fn complete(&self, report: &mut Report) {
        if report.app.is_empty() {
            report.app.clone_from(&self.report.app);
        }
        report.output.top = report.output.top.or(self.report.top);
        self.complete_human(&mut report.output);
        self.complete_modelling(&mut report.modelling);
    }

    /// The same for human units.
    pub fn complete_human(&self, output: &mut Output) {
        if output.reference.is_none() {
            output.reference.clone_from(&self.report.reference);
        }
        if output.carbon.is_none() {
            output.carbon = self.report.carbon.as_ref().map(|carbon| match carbon {
                FileOrNumber::Number(grams) => grams.to_string(),
                FileOrNumber::File(file) => file.clone(),
            });
        }
    }

    /// How many rows tables of the terminal have.
    pub fn top(&self) -> Option<usize> {
        self.report.top
    }

    /// The same for what decides about the figures.
    pub fn complete_modelling(&self, modelling: &mut Modelling) {
        let defaults = &self.report;
        if modelling.device_model.is_empty() {
            modelling.device_model.clone_from(&defaults.device_model);
        }
        modelling.model = modelling.model.or(defaults.model);
        modelling.voltage = modelling.voltage.or(defaults.voltage);
        modelling.shared = modelling.shared.or(defaults.shared);
        modelling.prefer = modelling.prefer.or(defaults.prefer);
        if modelling.apis.is_empty() {
            modelling.apis.clone_from(&defaults.apis);
        }
        if modelling.api_costs.is_empty() {
            modelling.api_costs.clone_from(&defaults.api_costs);
        }
    }
}
