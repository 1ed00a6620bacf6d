//! Files that flags name.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_ingest::{MeterOptions, MeterStart};
use wattle_ledger::ApiSets;
use wattle_power::{
    ApiCosts, ApiTable, DeviceModel, ModelChoice, ModelFile, PowerOptions, PowerProfile, library,
};
use wattle_timeline::Timeline;
use wattle_units::{BootNanos, Volts};

use super::nearest::{list, nearest};
use super::{input_names, kept_runs, model_file, when};
use crate::bounded_file;
use crate::cli::{Metering, Model, Modelling};
use crate::exit::{Failure, Outcome};

/// The options of the power model that the flags ask for.
pub fn power_options(modelling: &Modelling) -> Result<PowerOptions, Failure> {
    let mut options = PowerOptions::default();
    options.model = match modelling.model {
        None | Some(Model::Auto) => ModelChoice::Auto,
        Some(Model::Rails) => ModelChoice::Rails,
        Some(Model::Curves) => ModelChoice::Curves,
        Some(Model::Profile) => ModelChoice::Profile,
        Some(Model::Android) => ModelChoice::Android,
    };
    if let Some(volts) = modelling.voltage {
        if !(volts.is_finite() && volts > 0.0) {
            return Err(Failure::Usage(anyhow::anyhow!(
                "--voltage {volts}: expected volts above 0"
            )));
        }
        options.voltage = Some(Volts::new(volts));
    }
    for path in &modelling.device_model {
        check_device_model(path)?;
        let file = model_only(path).map_err(Failure::Input)?;
        options = options.with_model_file(file);
    }
    Ok(options)
}

/// Reports a file that does not exist with the nearest names: of files beside it, and of models that come with Wattle.
fn check_device_model(path: &Path) -> Outcome {
    if path.exists() {
        return Ok(());
    }
    let asked = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
    let beside =
        beside.take(MOST_BESIDE).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let beside: Vec<String> = beside.collect();
    let files = nearest(&asked, beside.iter().map(String::as_str));
    let library = library().iter().map(|model| model.name.as_str());
    let models: Vec<&str> = nearest(&asked, library.clone());
    let exact = library.clone().find(|name| name.eq_ignore_ascii_case(&asked));
    let model = exact.or(models.first().copied());
    let more = match (files.as_slice(), model) {
        ([], None) => {
            "; expected a device model (TOML), a power_profile.xml or a package".to_owned()
        }
        ([], Some(model)) => format!(
            "; {model} is a model that comes with Wattle, which is used where it applies: `wattle model show {model} --toml FILE` \
             writes it as a file"
        ),
        (files, _) => format!("; did you mean {}?", list(files)),
    };
    Err(Failure::Usage(anyhow::anyhow!("--device-model {}: no such file{more}", path.display())))
}

/// Files of a folder whose names are compared with a misspelt one.
const MOST_BESIDE: usize = 4096;

/// The options of reading a power meter's file.
pub fn meter_options(metering: &Metering) -> Result<MeterOptions, Failure> {
    let usage = Failure::Usage;
    let mut options = MeterOptions {
        files: metering.meter.clone(),
        columns: metering.meter_columns.clone().unwrap_or_default(),
        ..MeterOptions::default()
    };
    if let Some(volts) = metering.meter_voltage {
        if !(volts.is_finite() && volts > 0.0) {
            return Err(usage(anyhow::anyhow!("--meter-voltage {volts}: expected volts above 0")));
        }
        options.voltage = Some(Volts::new(volts));
    }
    if let Some(text) = &metering.meter_offset {
        let of = |text: &str| when::parse_instant(text, BootNanos::new(0));
        let start = match text.strip_prefix('@') {
            Some(_) => of(text).map(|time| MeterStart::At(time.value())),
            None => of(text).map(|time| MeterStart::AfterStart(time.value())),
        };
        options.start =
            Some(start.with_context(|| format!("--meter-offset {text}")).map_err(usage)?);
    }
    Ok(options)
}

/// A file of API sets.
pub fn api_sets(path: &Path) -> anyhow::Result<ApiSets> {
    let name = path.display().to_string();
    let text = bounded_file::text(path, bounded_file::MOST).context("API sets")?;
    Ok(ApiSets::parse(&name, &text)?)
}

/// A table of API costs.
pub fn api_table(path: &Path) -> anyhow::Result<ApiTable> {
    let name = path.display().to_string();
    let text = bounded_file::text(path, bounded_file::MOST).context("API costs")?;
    Ok(ApiTable::parse(&name, &text)?)
}

/// The tables of API costs that come with Wattle, and those of the flags before them; `None` without flags.
pub fn api_costs(modelling: &Modelling) -> anyhow::Result<Option<ApiCosts>> {
    if modelling.api_costs.is_empty() {
        return Ok(None);
    }
    let mut costs = ApiCosts::library().clone();
    for path in &modelling.api_costs {
        costs.add(api_table(path)?);
    }
    Ok(Some(costs))
}

/// A model file, or the power model of its SoC that a trace or a recording contains.
pub fn model_or_recording(path: &Path) -> anyhow::Result<ModelFile> {
    model_file::read(path).or_else(|no_model| {
        let model = recorded_model(path, no_model)?;
        Ok(ModelFile::Device(Box::new(model)))
    })
}

/// A model file. The error for a recording says how to save the power model that it contains.
pub fn model_only(path: &Path) -> anyhow::Result<ModelFile> {
    model_file::read(path).or_else(|no_model| {
        recorded_model(path, no_model)?;
        let path = path.display();
        Err(anyhow::anyhow!(
            "{path}: expected a device model, found a recording that contains one; save that as a file first: \
             `wattle model show {path} --toml model.toml`"
        ))
    })
}

/// The power model of its SoC that a recording contains. The error for a file that is no recording is that of reading it as a model.
fn recorded_model(path: &Path, no_model: anyhow::Error) -> anyhow::Result<DeviceModel> {
    let Ok(timeline) = wattle_ingest::read_paths(&[path.to_owned()]) else { return Err(no_model) };
    match wattle_power::recorded_model(&timeline) {
        Some(Ok(model)) => Ok(model),
        Some(Err(why)) => {
            Err(anyhow::anyhow!("{}: its own power model cannot be used: {why}", path.display()))
        }
        None => Err(anyhow::anyhow!(
            "{}: expected a device model, found a recording that contains none; `wattle model list` shows the models that come with Wattle",
            path.display()
        )),
    }
}

/// A device model, or what a power profile or a recording says as one.
pub fn device_model(path: &Path) -> anyhow::Result<DeviceModel> {
    model_or_recording(path).map(as_device_model)
}

/// A device model, or what a power profile says as one; no recording.
pub fn device_model_only(path: &Path) -> anyhow::Result<DeviceModel> {
    model_only(path).map(as_device_model)
}

fn as_device_model(file: ModelFile) -> DeviceModel {
    match file {
        ModelFile::Device(model) => *model,
        ModelFile::Profile(profile) => profile_model(&profile),
    }
}

/// A profile as a device model; its CPU is left out where it leaves the clocks to the device.
pub fn profile_model(profile: &PowerProfile) -> DeviceModel {
    profile.device_model(&Timeline::default()).unwrap_or_else(|| {
        let mut model = DeviceModel::named(&profile.name);
        model.figures = profile.figures();
        model
    })
}

/// The saved ledgers among the inputs: all of them, or none.
pub fn saved_ledgers(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let saved: Vec<PathBuf> = paths.iter().filter(|path| is_ledger(path)).cloned().collect();
    match saved.first() {
        Some(path) if saved.len() < paths.len() => Err(Failure::Usage(anyhow::anyhow!(
            "{}: a saved ledger is a whole result: report it alone, or with other saved ledgers",
            input_names::shown(path)
        ))),
        _ => Ok(saved),
    }
}

/// Whether a file is a saved ledger, by its name or its first bytes, or a name is that of a kept run.
pub fn is_ledger(path: &Path) -> bool {
    if kept_runs::is_run_name(path) {
        return true;
    }
    let name = path.to_string_lossy();
    let named = [".ledger.json.zst", ".ledger.json"].iter().any(|ending| name.ends_with(ending));
    named || is_compressed_as_ledgers_are(path)
}

/// `--save` takes any name: what is inside decides.
fn is_compressed_as_ledgers_are(path: &Path) -> bool {
    const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let mut head = [0; ZSTD_MAGIC.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == ZSTD_MAGIC
}
