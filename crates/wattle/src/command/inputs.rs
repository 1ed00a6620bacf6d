//! Files that flags name.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_power::{DeviceModel, ModelChoice, ModelFile, PowerOptions, PowerProfile};
use wattle_timeline::Timeline;
use wattle_units::Volts;

use crate::cli::{Model, Modelling};
use crate::exit::Failure;

/// The options of the power model that the flags ask for.
pub fn power_options(modelling: &Modelling) -> Result<PowerOptions, Failure> {
    let mut options = PowerOptions::default();
    options.model = match modelling.model {
        None | Some(Model::Auto) => ModelChoice::Auto,
        Some(Model::Rails) => ModelChoice::Rails,
        Some(Model::Curves) => ModelChoice::Curves,
        Some(Model::Profile) => ModelChoice::Profile,
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
        options = options.with_model_file(read_model(path).map_err(Failure::Input)?);
    }
    Ok(options)
}

/// A device model, or what a power profile says as one.
pub fn device_model(path: &Path) -> anyhow::Result<DeviceModel> {
    Ok(match read_model(path)? {
        ModelFile::Device(model) => *model,
        ModelFile::Profile(profile) => profile_model(&profile),
    })
}

/// A profile as a device model; its CPU is left out where it leaves the clocks to the device.
pub fn profile_model(profile: &PowerProfile) -> DeviceModel {
    profile.device_model(&Timeline::default()).unwrap_or_else(|| {
        let mut model = DeviceModel::named(&profile.name);
        model.figures = profile.figures();
        model
    })
}

/// A file of a user's own, as it is.
pub fn read_model(path: &Path) -> anyhow::Result<ModelFile> {
    let bytes = std::fs::read(path).with_context(|| format!("device model {}", path.display()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    ModelFile::parse(&name, &bytes).with_context(|| format!("device model {}", path.display()))
}

/// The saved ledger among the inputs, which must be the only one then.
pub fn saved_ledger(paths: &[PathBuf]) -> Result<Option<&Path>, Failure> {
    let named = |path: &Path| path.to_string_lossy().ends_with(".ledger.json.zst");
    let saved = paths.iter().find(|path| named(path) || is_compressed_as_ledgers_are(path));
    match saved {
        Some(path) if paths.len() > 1 => Err(Failure::Usage(anyhow::anyhow!(
            "{}: a saved ledger is a whole result: report it alone",
            path.display()
        ))),
        saved => Ok(saved.map(PathBuf::as_path)),
    }
}

/// `--save` takes any name: what is inside decides.
fn is_compressed_as_ledgers_are(path: &Path) -> bool {
    const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let mut head = [0; ZSTD_MAGIC.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == ZSTD_MAGIC
}
