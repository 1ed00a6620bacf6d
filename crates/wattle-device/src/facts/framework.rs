//! The packages of the framework, and files in packages that are on the device.

use std::io::{self, Write};

use crate::command::{PATIENCE, run};
use crate::facts::overlays::package_paths;
use crate::{Device, DeviceError, quote};

/// The path of the framework's resources, the same on every version.
const FRAMEWORK: &str = "/system/framework/framework-res.apk";
/// Real ones have up to 100 MB.
const MOST_BYTES: u64 = 512 << 20;

/// The path of the framework's package.
pub(crate) fn framework_path(device: &dyn Device) -> Result<String, DeviceError> {
    match run(device, "pm path android") {
        Ok(text) => Ok(package_paths(&text).next().unwrap_or_else(|| FRAMEWORK.to_owned())),
        Err(DeviceError::Refused { .. }) => Ok(FRAMEWORK.to_owned()),
        Err(error) => Err(error),
    }
}

/// A file of a package, unpacked by the device, which saves pulling tens of megabytes; `None` where the device has no
/// `unzip` (before Android 10), or the package no such file.
pub(crate) fn entry_on_device(
    device: &dyn Device,
    package: &str,
    name: &str,
) -> Result<Option<Vec<u8>>, DeviceError> {
    let command = format!("unzip -p {} {}", quote(package), quote(name));
    match device.shell(&command, PATIENCE) {
        Ok(output) if output.is_success() && !output.stdout.is_empty() => Ok(Some(output.stdout)),
        Ok(_) | Err(DeviceError::TimedOut { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A package of the device, in memory.
pub(crate) struct PulledPackage {
    pub(crate) bytes: Vec<u8>,
}

impl PulledPackage {
    pub(crate) fn pull(device: &dyn Device, path: &str) -> Result<Self, DeviceError> {
        let mut into = Bounded { bytes: Vec::new(), limit: MOST_BYTES };
        device.pull(path, &mut into)?;
        Ok(Self { bytes: into.bytes })
    }
}

/// A device may send without end.
struct Bounded {
    bytes: Vec<u8>,
    limit: u64,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len().saturating_add(bytes.len()) as u64 > self.limit {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("a package has more than {} bytes", self.limit),
            ));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
