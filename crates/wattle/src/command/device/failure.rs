//! What an error of a device is to the user.

use wattle_device::DeviceError;

use crate::exit::Failure;

/// Which exit code it has: that of the cause, unless something on the device is not as it was.
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
