//! `--reference` and `--carbon`: in whose terms energy is shown.

use std::path::Path;

use anyhow::Context as _;
use wattle_report::{GridCarbon, HumanOptions, ReferenceDevice, ReferenceDevices};

use super::nearest::suggestion;
use crate::bounded_file;
use crate::cli::Output;
use crate::exit::Failure;

/// Larger files are no lists of devices.
const MOST_BYTES: u64 = 1 << 20;

/// The options given by the flags.
pub fn options(output: &Output) -> Result<HumanOptions, Failure> {
    let mut options = HumanOptions::default();
    options.reference = output.reference.as_deref().map(reference).transpose()?;
    if let Some(carbon) = &output.carbon {
        options.carbon = self::carbon(carbon)?;
    }
    Ok(options)
}

/// A device of the library, or the first of a file.
fn reference(text: &str) -> Result<ReferenceDevice, Failure> {
    let library = ReferenceDevices::library();
    if let Some(device) = library.named(text) {
        return Ok(device.clone());
    }
    if !Path::new(text).is_file() {
        let names: Vec<&str> = library.iter().map(|device| device.id.as_str()).collect();
        return Err(Failure::Usage(anyhow::anyhow!(
            "--reference {text}: no such file, and no device of the library{}\nthose of the library are {}",
            suggestion(text, names.iter().copied()),
            names.join(", ")
        )));
    }
    let devices = ReferenceDevices::parse(text, &read(text)?)
        .map_err(|error| Failure::Input(error.into()))?;
    let first = devices.iter().next().cloned();
    first.with_context(|| format!("{text}: no device")).map_err(Failure::Input)
}

/// Grams for each kilowatt-hour, or a file that says them.
fn carbon(text: &str) -> Result<GridCarbon, Failure> {
    match text.parse::<f64>() {
        Ok(grams) if grams.is_finite() && grams >= 0.0 => Ok(GridCarbon::given(grams)),
        Ok(grams) => Err(Failure::Usage(anyhow::anyhow!(
            "--carbon {grams}: expected grams for each kilowatt-hour, 0 or more"
        ))),
        Err(_) if !Path::new(text).is_file() => Err(Failure::Usage(anyhow::anyhow!(
            "--carbon {text}: neither a number of grams for each kilowatt-hour nor a file"
        ))),
        Err(_) => {
            GridCarbon::parse(text, &read(text)?).map_err(|error| Failure::Input(error.into()))
        }
    }
}

fn read(file: &str) -> Result<String, Failure> {
    bounded_file::text(Path::new(file), MOST_BYTES).map_err(Failure::Input)
}
