//! Writing the calibrated model.

use std::path::Path;

use anyhow::Context as _;
use wattle_power::DeviceModel;

use crate::command::output;
use crate::exit::{self, Failure};

/// Writes a model as a file that is read as the same model.
pub(super) fn write(path: &Path, model: &DeviceModel) -> exit::Outcome {
    let text = model.to_toml();
    // What cannot be read again must not be left behind: the library has a mistake then, not the user.
    DeviceModel::parse(&path.display().to_string(), &text)
        .context("the calibrated model")
        .map_err(Failure::Internal)?;
    output::write_file(path, text.as_bytes())
}
