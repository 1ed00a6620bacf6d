//! Results of Flashlight, from which no energy can be estimated.

use std::path::Path;

use serde_json::Value;

use crate::ImportError;

/// Refuses a file of Flashlight (`TestCaseResult`): `name`, `iterations` of `measures` with `cpu.perName`.
pub(crate) fn refuse(path: &Path, json: &Value) -> Result<(), ImportError> {
    let result = json.get(0).unwrap_or(json);
    let is_flashlight =
        result["iterations"][0]["measures"].is_array() && result["name"].is_string();
    if !is_flashlight {
        return Ok(());
    }
    Err(ImportError::NoEnergy {
        path: path.to_owned(),
        reason: "results of Flashlight hold shares of CPU time by thread, frames per second and memory, but neither clocks nor \
                 power, so no energy can be estimated; to measure the same test: wattle record PACKAGE -- flashlight test …"
            .to_owned(),
    })
}
