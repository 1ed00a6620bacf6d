//! Exit codes of device errors.

use wattle_device::DeviceError;

use crate::exit::Failure;

/// The failure of a device error: that of the cause, unless the device could not be restored.
pub fn failure(error: DeviceError) -> Failure {
    let (is_back, cause) = match &error {
        DeviceError::BrokenOff { cause, is_back, .. } => (*is_back, &**cause),
        cause => (true, cause),
    };
    match cause {
        _ if !is_back => Failure::Environment(error.into()),
        DeviceError::Cancelled => Failure::Interrupted(error.into()),
        DeviceError::Plan(_) => Failure::Usage(error.into()),
        DeviceError::BadPackage { .. } | DeviceError::Package(_) | DeviceError::Recording(_) => {
            Failure::Input(error.into())
        }
        _ => Failure::Environment(error.into()),
    }
}
