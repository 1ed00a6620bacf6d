//! The framework package, `framework-res.apk`.

use std::sync::Arc;

use super::made_package::archive;
use super::{binary_xml, made_profile};
use crate::PhoneError;
use crate::core::Core;
use crate::state::{INSTALLED_FILTER, InstalledPackage};

const FOLDER: &str = "/system/framework";
const FILE: &str = "framework-res.apk";

/// Puts the framework package on the phone.
pub(crate) fn install(core: &Arc<Core>) -> Result<(), PhoneError> {
    let api = core.options.api;
    let text = core.options.power_profile.clone();
    let text = text.unwrap_or_else(|| made_profile::profile(&core.options.hardware));
    let profile = binary_xml::encode(&text).map_err(|error| PhoneError::Option {
        option: "power_profile",
        expected: "an XML document",
        found: error.to_string(),
    })?;
    let manifest = format!(
        "<manifest package=\"android\" coreApp=\"true\" platformBuildVersionCode=\"{api}\"/>"
    );
    let manifest = binary_xml::encode(&manifest).unwrap_or_default();
    let path = core.files.on_host(&format!("{FOLDER}/{FILE}"));
    archive([
        ("AndroidManifest.xml", manifest.as_slice()),
        ("res/xml/power_profile.xml", profile.as_slice()),
    ])
    .and_then(|bytes| std::fs::write(&path, bytes))
    .map_err(PhoneError::host("making its framework"))?;
    let package = InstalledPackage {
        name: "android".to_owned(),
        version_code: u64::from(api),
        version_name: core.state().properties.get("ro.build.version.release").cloned(),
        uid: 1000,
        signer_hash: 0xc8a2_e9bc,
        signer: "c8a2e9bccf597c2fb6dc66bee293fc13f2fc47ec77bc6b2b0d52c11f51192ab8".to_owned(),
        code_path: FOLDER.to_owned(),
        files: vec![FILE.to_owned()],
        host_files: vec![path],
        debuggable: false,
        test_only: false,
        profileable: false,
        instrumentations: Vec::new(),
        launcher: None,
        activities: Vec::new(),
        filter: INSTALLED_FILTER.to_owned(),
        target_sdk: api,
        min_sdk: api,
        system: true,
        installed: (1_230_768_000_000_000_000, 1_230_768_000_000_000_000),
    };
    core.state().packages.by_name.insert("android".to_owned(), package);
    Ok(())
}
