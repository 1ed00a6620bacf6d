//! The power profile that a device has of itself.

use wattle_apk::{Apk, BinaryXml, ReadLimit};

use crate::facts::framework::{PulledPackage, entry_on_device, framework_path};
use crate::facts::overlays::framework_overlays;
use crate::{Device, DeviceError};

/// The profile's path in the framework's package and in overlays.
const NAME: &str = "res/xml/power_profile.xml";
/// Real ones have a few kilobytes.
const MOST_BYTES: usize = 4 << 20;

/// A power profile as text, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerProfileFile {
    /// XML as `power_profile.xml` is written.
    pub text: String,
    /// The package on the device that it was read from.
    pub source: String,
    /// Notes for the reader, such as overlays that could not be read.
    pub notes: Vec<String>,
}

/// Reads the device's power profile: from the overlay that counts, else from the framework's package.
///
/// # Errors
/// If there is none, the device is gone, or somebody asked to stop.
pub fn power_profile(device: &dyn Device) -> Result<PowerProfileFile, DeviceError> {
    let (overlays, note) = framework_overlays(device)?;
    let mut notes: Vec<String> = note.into_iter().collect();
    for path in overlays {
        match in_package(device, &path, false) {
            Ok(Some(text)) => return Ok(PowerProfileFile { text, source: path, notes }),
            Ok(None) => {}
            Err(error) if is_final(&error) => return Err(error),
            Err(error) => notes.push(format!("the overlay {path} was passed over: {error}")),
        }
    }
    let path = framework_path(device)?;
    match in_package(device, &path, true)? {
        Some(text) => Ok(PowerProfileFile { text, source: path, notes }),
        None => Err(DeviceError::Unexpected {
            what: "reading the device's power profile".into(),
            expected: NAME.into(),
            found: format!("{path} without it"),
        }),
    }
}

/// The profile of a package; `None` if it has none. With `search`, also under a name that an optimiser has shortened.
fn in_package(
    device: &dyn Device,
    path: &str,
    search: bool,
) -> Result<Option<String>, DeviceError> {
    if let Some(file) = entry_on_device(device, path, NAME)?
        && let Some(text) = text_of(&file)
    {
        return Ok(Some(text));
    }
    let package = PulledPackage::pull(device, path)?;
    let apk = Apk::open(&package.bytes)?;
    let limit = ReadLimit(MOST_BYTES as u64);
    if let Some(entry) = apk.entry(NAME) {
        return Ok(text_of(&entry.read(limit)?));
    }
    if !search {
        return Ok(None);
    }
    let is_candidate = |name: &str| name.starts_with("res/") && name.strip_suffix(".xml").is_some();
    let candidates = apk.entries().iter().filter(|entry| is_candidate(entry.name()));
    Ok(candidates.filter_map(|entry| entry.read(limit).ok()).find_map(|file| text_of(&file)))
}

/// The text of a binary file, if that is a power profile: `<device>` with named items or arrays of numbers.
fn text_of(file: &[u8]) -> Option<String> {
    if file.len() > MOST_BYTES || !BinaryXml::is_binary(file) {
        return None;
    }
    let xml = BinaryXml::parse(file).ok()?;
    let is_named = |element: &wattle_apk::Element| {
        matches!(&*element.name, "item" | "array") && element.attribute("name").is_some()
    };
    let is_profile = &*xml.root.name == "device" && xml.root.elements().any(is_named);
    if is_profile { xml.to_text().ok() } else { None }
}

fn is_final(error: &DeviceError) -> bool {
    matches!(error, DeviceError::Cancelled) || error.is_away()
}
