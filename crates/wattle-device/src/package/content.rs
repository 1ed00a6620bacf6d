//! The content of an app's installed packages.

use crate::command::LONG_PATIENCE;
use crate::package::InstalledApp;
use crate::questions::Questions;
use crate::{Device, DeviceError, quote};

/// The packages of an installed app, compared with those that should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// Size of each, as far as the device tells.
    sizes: Vec<u64>,
    /// SHA-256 of each, where the device has `sha256sum` (Android 8 and later) and lets it read them.
    sha256: Option<Vec<String>>,
}

impl Content {
    pub(crate) fn read(device: &dyn Device, app: &InstalledApp) -> Result<Self, DeviceError> {
        let mut sizes = Vec::new();
        for path in &app.paths {
            sizes.extend(device.stat(path)?.map(|facts| facts.bytes));
        }
        let paths: Vec<String> = app.paths.iter().map(|path| quote(path)).collect();
        let answers = Questions::new()
            .ask("sums", format!("sha256sum {}", paths.join(" ")))
            .put(device, LONG_PATIENCE)?;
        let sums = answers.text("sums").ok().map(sums);
        Ok(Self {
            sizes,
            sha256: sums.filter(|sums| sums.len() == app.paths.len() && !sums.is_empty()),
        })
    }

    /// Whether these are the packages with these sums.
    pub(crate) fn has_sums(&self, expected: &[String]) -> Option<bool> {
        let mut found = self.sha256.clone()?;
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        Some(found == expected)
    }

    /// The difference, if these are not the packages with these sizes and checksums.
    pub(crate) fn differs(&self, expected: &[(u64, String)]) -> Option<String> {
        let sums: Vec<String> = expected.iter().map(|(_, sum)| sum.clone()).collect();
        if let Some(same) = self.has_sums(&sums) {
            return (!same).then(|| "packages with another SHA-256".to_owned());
        }
        let mut found = self.sizes.clone();
        let mut sizes: Vec<u64> = expected.iter().map(|(size, _)| *size).collect();
        found.sort_unstable();
        sizes.sort_unstable();
        (found != sizes).then(|| format!("packages of {found:?} bytes instead of {sizes:?}"))
    }
}

/// Lines of a sum, blanks and the file's name.
fn sums(text: &str) -> Vec<String> {
    let sum = |line: &str| {
        let word = line.split_whitespace().next()?;
        let is_sum = word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_sum.then(|| word.to_ascii_lowercase())
    };
    text.lines().filter_map(sum).collect()
}
