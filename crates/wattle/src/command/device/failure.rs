//! What an error of a device is to the user.

use wattle_device::DeviceError;

use crate::exit::Failure;

/// Which exit code it has.
pub fn failure(error: DeviceError) -> Failure {
    if is_interruption(&error) {
        return Failure::Interrupted(error.into());
    }
    match error {
        DeviceError::Plan(_) => Failure::Usage(error.into()),
        DeviceError::BadPackage { .. } | DeviceError::Package(_) | DeviceError::Recording(_) => {
            Failure::Input(error.into())
        }
        _ => Failure::Environment(error.into()),
    }
}

/// Whether a person ended it, and nothing else went wrong.
fn is_interruption(error: &DeviceError) -> bool {
    match error {
        DeviceError::Cancelled => true,
        DeviceError::BrokenOff { cause, .. } => is_interruption(cause),
        _ => false,
    }
}
