//! The packages on this machine that are to be installed.

use std::path::PathBuf;

use wattle_apk::{ApkSet, Hash, VerificationReport};

use crate::DeviceError;

/// The name of the app that packages are of.
pub(crate) fn package_name(packages: &[PathBuf]) -> Result<String, DeviceError> {
    let set = ApkSet::open(packages)?;
    Ok(set.base().map(|base| base.manifest.package.clone()).unwrap_or_default())
}

/// The facts about them that an installation needs.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) package: String,
    pub(crate) version_name: Option<String>,
    pub(crate) version_code: Option<u64>,
    pub(crate) test_only: bool,
    pub(crate) signatures: VerificationReport,
    /// SHA-256 of the base package.
    pub(crate) base_sha256: String,
    /// Size and SHA-256 of each package.
    pub(crate) files: Vec<(u64, String)>,
}

impl Given {
    /// Reads them.
    pub(crate) fn open(packages: &[PathBuf]) -> Result<Self, DeviceError> {
        let name = || {
            packages.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
        };
        let refused = |said: &str| DeviceError::Refused {
            what: format!("installing {}", name()),
            said: said.to_owned(),
        };
        let set = ApkSet::open(packages)?;
        if set.is_archive() {
            return Err(refused(
                "this is an archive of packages; unpack it and give the base package and the splits for this device",
            ));
        }
        let base = set.base().ok_or_else(|| refused("there is no base package among them"))?;
        let signatures = wattle_apk::verify(&base.bytes)?;
        if !signatures.is_signed() {
            return Err(refused("it is not signed, and Android installs only signed packages"));
        }
        let application = |test: fn(&wattle_apk::Application) -> Option<bool>| {
            set.members()
                .iter()
                .any(|member| member.manifest.application.as_ref().and_then(test) == Some(true))
        };
        Ok(Self {
            package: base.manifest.package.clone(),
            version_name: base.manifest.version_name.clone(),
            version_code: base.manifest.version_code,
            test_only: application(|application| application.test_only),
            base_sha256: sha256(&base.bytes),
            files: set
                .members()
                .iter()
                .map(|member| (member.bytes.len() as u64, sha256(&member.bytes)))
                .collect(),
            signatures,
        })
    }
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    Hash::Sha256.digest(&[bytes]).iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
