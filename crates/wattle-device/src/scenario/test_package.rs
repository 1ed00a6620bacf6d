//! The manifest of a test package.

use std::path::Path;

use wattle_apk::Apk;

use crate::DeviceError;

/// Tests of an app: a package with an `<instrumentation>` entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPackage {
    /// Its package name.
    pub package: String,
    /// The class that runs the tests.
    pub runner: String,
    /// The package that is tested.
    pub target: String,
}

impl TestPackage {
    /// Reads the manifest of a test package. Of several runners the one for `target` is taken, else the first.
    ///
    /// # Errors
    /// If it cannot be read, is no Android package, or has no runner.
    pub fn read(path: &Path, target: Option<&str>) -> Result<Self, DeviceError> {
        let bytes = std::fs::read(path)
            .map_err(|source| DeviceError::File { path: path.to_owned(), source })?;
        let manifest = Apk::open(&bytes).and_then(|apk| apk.manifest()).map_err(|source| {
            DeviceError::BadPackage { path: path.to_owned(), source: source.into() }
        })?;
        let runners = &manifest.instrumentations;
        let wanted = runners.iter().find(|runner| runner.target_package.as_deref() == target);
        let Some(runner) = wanted.or_else(|| runners.first()) else {
            return Err(DeviceError::Plan(format!(
                "{}: expected a test package with an <instrumentation> entry, found none in that of {}; \
                 Gradle builds one with assembleDebugAndroidTest",
                path.display(),
                manifest.package
            )));
        };
        // A package without it tests itself (AndroidManifest `android:targetPackage`).
        let tests = runner.target_package.clone().unwrap_or_else(|| manifest.package.clone());
        if let Some(target) = target.filter(|target| *target != tests) {
            return Err(DeviceError::Plan(format!(
                "{}: its tests are for {tests}, but the app is {target}",
                path.display()
            )));
        }
        Ok(Self { package: manifest.package.clone(), runner: runner.class.clone(), target: tests })
    }

    /// As `am instrument` takes it.
    pub fn component(&self) -> String {
        format!("{}/{}", self.package, self.runner)
    }
}
