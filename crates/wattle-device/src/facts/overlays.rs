//! Packages that replace resources of the framework: vendors put the power profile of a device there.

use std::time::Duration;

use crate::questions::Questions;
use crate::{Device, DeviceError, quote};

const LIMIT: Duration = Duration::from_mins(1);
/// More overlays of the framework than any device has switched on.
const MOST: usize = 100;
/// The folders in which Android 7 and earlier look for overlays; no command lists them.
const FOLDERS: [&str; 4] =
    ["/vendor/overlay", "/system/vendor/overlay", "/oem/overlay", "/system/product/overlay"];

/// Paths of the packages that replace resources of the framework, the one that counts first; and what cannot be known.
pub(crate) fn framework_overlays(
    device: &dyn Device,
) -> Result<(Vec<String>, Option<String>), DeviceError> {
    let answers = Questions::new().ask("overlays", "cmd overlay list").put(device, LIMIT)?;
    let listed = match answers.text("overlays") {
        Ok(text) if text.lines().any(|line| line.trim() == "android") => of_framework(text),
        Ok(_) => return Ok((in_folders(device)?, None)),
        Err(reason) => return Ok((in_folders(device)?, Some(format!("overlays: {reason}")))),
    };
    let mut questions = Questions::new();
    for package in &listed {
        questions = questions.ask(package.clone(), format!("pm path {}", quote(package)));
    }
    let answers = questions.put(device, LIMIT)?;
    let path = |package: &String| package_paths(answers.any_text(package)).next();
    Ok((listed.iter().filter_map(path).collect(), None))
}

/// Paths that `pm path` prints.
pub(crate) fn package_paths(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| line.trim().strip_prefix("package:")).map(str::to_owned)
}

/// The overlays of `android` that are switched on. A line without brackets names the target of those below it; the last one
/// has the highest priority. What is made at run time (`owner:name`) is no package.
fn of_framework(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_framework = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(package) = line.strip_prefix("[x] ") {
            if is_framework && !package.contains(':') {
                found.push(package.trim().to_owned());
            }
        } else if !line.starts_with('[') && !line.starts_with("---") {
            is_framework = line == "android";
        }
    }
    found.reverse();
    found.truncate(MOST);
    found
}

fn in_folders(device: &dyn Device) -> Result<Vec<String>, DeviceError> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        for file in device.list(folder)? {
            let path = format!("{folder}/{}", file.name);
            if file.is_folder() {
                found.extend(
                    device.list(&path)?.into_iter().map(|inner| format!("{path}/{}", inner.name)),
                );
            } else {
                found.push(path);
            }
        }
    }
    // Only the name says whose resources are replaced.
    found.retain(|path| {
        let name = path.to_ascii_lowercase();
        name.strip_suffix(".apk").is_some_and(|name| name.contains("framework"))
    });
    found.truncate(MOST);
    Ok(found)
}
