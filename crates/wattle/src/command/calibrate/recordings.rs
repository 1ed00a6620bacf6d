//! Reading recordings with measured power.

use std::path::Path;

use wattle_calibrate::{CalibrateError, ObserveRequest};
use wattle_power::{DeviceModel, MeasuredBy, measured};
use wattle_timeline::Timeline;
use wattle_units::{Nanos, Volts};

use crate::cli::Calibrate;
use crate::command::analysis;
use crate::exit::{self, Failure};

/// Instruments, best first.
pub(super) const TARGETS: [&str; 3] = ["meter", "battery", "rails"];

/// Reads all recordings, and finds for each what measured its power.
pub(super) fn each_recording(
    calibrate: &Calibrate,
    known: Option<&DeviceModel>,
    voltage: Option<Volts>,
    mut take: impl FnMut(&Timeline, &str, &ObserveRequest<'_>) -> Result<(), CalibrateError>,
) -> exit::Outcome {
    if !(calibrate.fit.every.is_finite() && calibrate.fit.every >= 0.001) {
        return Err(missing("--every: expected seconds from 0.001 on"));
    }
    for path in &calibrate.traces {
        let timeline = analysis::read(std::slice::from_ref(path), calibrate.quiet)?;
        let target = match calibrate.target.as_deref() {
            Some(target) => target,
            None => TARGETS
                .into_iter()
                .find(|target| measured(&timeline, &MeasuredBy::from(*target), voltage).is_some())
                .unwrap_or("rails"),
        };
        let request = ObserveRequest {
            parameters: &calibrate.parameters,
            target,
            least: Nanos::from_seconds(calibrate.fit.every),
            voltage,
            model: known,
        };
        take(&timeline, &file_name(path), &request).map_err(failure)?;
    }
    Ok(())
}

/// Maps errors of the request to usage errors, all others to input errors.
pub(super) fn failure(error: CalibrateError) -> Failure {
    match error {
        CalibrateError::Request { .. }
        | CalibrateError::NoColumn { .. }
        | CalibrateError::NoParameter { .. } => Failure::Usage(error.into()),
        other => Failure::Input(other.into()),
    }
}

/// The name of a file without its folders.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The failure of a request that lacks something.
pub(super) fn missing(what: &str) -> Failure {
    Failure::Usage(anyhow::anyhow!("{what}"))
}
