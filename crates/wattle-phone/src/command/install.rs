//! Installing packages: the checks of the package manager, in its order and its words.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wattle_apk::{Apk, ComponentKind, Manifest, verify_for};

use crate::core::Core;
use crate::state::{INSTALLED_FILTER, InstalledPackage};
use crate::{Event, PhoneError};

/// Largest package that is taken.
const MOST_BYTES: u64 = 2 << 30;

/// The options of an installation.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "flags of the package manager, each apart")]
pub(super) struct InstallFlags {
    pub(super) replace: bool,
    pub(super) downgrade: bool,
    pub(super) test_only: bool,
    pub(super) low_target: bool,
}

impl InstallFlags {
    pub(super) fn new(words: &[String], api: u32) -> Self {
        let has = |flag: &str| words.iter().any(|word| word == flag);
        Self {
            // Since Android 9 packages are replaced unless told otherwise.
            replace: has("-r") || (api >= 28 && !has("-R")),
            downgrade: has("-d") || has("--request-downgrade"),
            test_only: has("-t"),
            low_target: has("--bypass-low-target-sdk-block"),
        }
    }
}

/// A package file that is to be installed.
#[derive(Debug)]
struct Candidate {
    file: PathBuf,
    bytes: u64,
    manifest: Manifest,
    signer: String,
    signer_hash: u32,
    profileable: bool,
}

/// Installs a base package with its splits. The files are moved into the phone.
///
/// # Errors
/// The reason in the package manager's words (`INSTALL_FAILED_…: …`).
pub(super) fn install(
    core: &Arc<Core>,
    files: &[PathBuf],
    flags: InstallFlags,
) -> Result<(), String> {
    core.happened(Event::InstallStarted);
    if let Some(reason) = core.faults().refuse_install.clone() {
        return Err(reason);
    }
    let mut candidates = Vec::new();
    for file in files {
        candidates.push(read(file, core.options.api)?);
    }
    let base = candidates.iter().position(|candidate| candidate.manifest.is_base());
    let Some(base) = base else {
        return Err("INSTALL_FAILED_INVALID_APK: Full install must include a base package".into());
    };
    candidates.swap(0, base);
    let (base, splits) = candidates.split_first().ok_or("INSTALL_FAILED_INVALID_APK")?;
    for split in splits {
        agree(base, split)?;
    }
    let existing = core.state().packages.by_name.get(&base.manifest.package).cloned();
    check(core, base, existing.as_ref(), flags)?;
    let needed: u64 = candidates.iter().map(|candidate| candidate.bytes).sum();
    if core.files.is_full() || needed > core.files.free() {
        return Err(
            "INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to allocate because of not enough space"
                .into(),
        );
    }
    store(core, base, splits, existing.as_ref())
        .map_err(|error| format!("INSTALL_FAILED_INTERNAL_ERROR: {error}"))
}

/// Installs packages of the host before the phone is started.
pub(crate) fn preinstall(core: &Arc<Core>, file: &Path) -> Result<(), PhoneError> {
    let flags = InstallFlags { replace: true, downgrade: true, test_only: true, low_target: true };
    install(core, &[file.to_owned()], flags)
        .map_err(|reason| PhoneError::Package { path: file.to_owned(), reason })
}

fn read(file: &Path, api: u32) -> Result<Candidate, String> {
    let not_apk = |reason: String| format!("INSTALL_PARSE_FAILED_NOT_APK: {reason}");
    let size = std::fs::metadata(file).map_err(|error| not_apk(error.to_string()))?.len();
    if size > MOST_BYTES {
        return Err("INSTALL_FAILED_INVALID_APK: too large".into());
    }
    let bytes = std::fs::read(file).map_err(|error| not_apk(error.to_string()))?;
    let apk = Apk::open(&bytes)
        .map_err(|error| not_apk(format!("Failed to parse {}: {error}", file.display())))?;
    let manifest =
        apk.manifest().map_err(|error| format!("INSTALL_PARSE_FAILED_BAD_MANIFEST: {error}"))?;
    let report = verify_for(&bytes, api).map_err(|error| not_apk(error.to_string()))?;
    let certificate = report.certificate().filter(|_| report.is_verified());
    let Some(certificate) = certificate else {
        let first = report.problems().next();
        let reason = first.map_or("no signature".to_owned(), |(_, problem)| problem.to_string());
        return Err(format!(
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES: Failed to collect certificates from base.apk: {reason}"
        ));
    };
    let application = manifest.application.as_ref();
    let profileable =
        application.and_then(|app| app.profileable.as_ref()).is_some_and(|how| how.shell);
    let signer = certificate.sha256();
    let signer_hash = array_hash(certificate.der());
    Ok(Candidate { file: file.to_owned(), bytes: size, manifest, signer, signer_hash, profileable })
}

/// `java.util.Arrays.hashCode` of bytes.
fn array_hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(1, |hash: u32, byte| {
        hash.wrapping_mul(31).wrapping_add_signed(i32::from(byte.cast_signed()))
    })
}

fn agree(base: &Candidate, split: &Candidate) -> Result<(), String> {
    let name = split.manifest.split.clone().unwrap_or_default();
    if split.manifest.package != base.manifest.package {
        return Err(format!(
            "INSTALL_FAILED_INVALID_APK: {name} package {} inconsistent with {}",
            split.manifest.package, base.manifest.package
        ));
    }
    if split.manifest.version_code != base.manifest.version_code {
        return Err(format!(
            "INSTALL_FAILED_INVALID_APK: {name} version code {} inconsistent with {}",
            split.manifest.version_code.unwrap_or(0),
            base.manifest.version_code.unwrap_or(0)
        ));
    }
    if split.signer != base.signer {
        return Err(format!("INSTALL_FAILED_INVALID_APK: {name} signatures are inconsistent"));
    }
    Ok(())
}

fn check(
    core: &Core,
    base: &Candidate,
    existing: Option<&InstalledPackage>,
    flags: InstallFlags,
) -> Result<(), String> {
    let api = core.options.api;
    let manifest = &base.manifest;
    let package = &manifest.package;
    if let Some(least) = manifest.min_sdk.filter(|least| *least > api) {
        return Err(format!(
            "INSTALL_FAILED_OLDER_SDK: Failed parse during installPackageLI: Requires newer sdk version #{least} \
             (current version is #{api})"
        ));
    }
    let target = manifest.target_sdk.or(manifest.min_sdk).unwrap_or(1);
    let least_target = match api {
        34 => 23,
        35.. => 24,
        _ => 0,
    };
    if target < least_target && !flags.low_target {
        return Err(format!(
            "INSTALL_FAILED_DEPRECATED_SDK_VERSION: App package must target at least SDK version {least_target}, but \
             found {target}"
        ));
    }
    let test_only = manifest.application.as_ref().and_then(|app| app.test_only).unwrap_or(false);
    if test_only && !flags.test_only {
        return Err(
            "INSTALL_FAILED_TEST_ONLY: Failed to install test-only apk. Did you forget to add -t?"
                .into(),
        );
    }
    let Some(existing) = existing else { return Ok(()) };
    if !flags.replace {
        return Err(format!(
            "INSTALL_FAILED_ALREADY_EXISTS: Attempt to re-install {package} without first uninstalling."
        ));
    }
    if existing.signer != base.signer {
        return Err(format!(
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE: Existing package {package} signatures do not match newer version; \
             ignoring!"
        ));
    }
    let version = manifest.version_code.unwrap_or(0);
    // Only what can be debugged may go back, on a build for users.
    if version < existing.version_code && !(flags.downgrade && existing.debuggable) {
        return Err(format!(
            "INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: Update version code {version} is older than current {}",
            existing.version_code
        ));
    }
    Ok(())
}

/// Removes the phone's own copies of a package that goes.
pub(super) fn remove_kept(package: &InstalledPackage) {
    for file in &package.host_files {
        let _ = std::fs::remove_file(file);
    }
}

fn store(
    core: &Arc<Core>,
    base: &Candidate,
    splits: &[Candidate],
    existing: Option<&InstalledPackage>,
) -> std::io::Result<()> {
    let manifest = &base.manifest;
    let now = core.clock.wall();
    let salt = (now / 1000).unsigned_abs();
    let code_path = if core.options.api >= 30 {
        format!("/data/app/~~{salt:022}==/{}-{:022}==", manifest.package, salt / 7)
    } else {
        format!("/data/app/{}-1", manifest.package)
    };
    if let Some(existing) = existing {
        // What it was before goes first, as its folder may be the same.
        let _ = core.files.rooted().remove_tree(&existing.code_path);
        remove_kept(existing);
    }
    let mut files = Vec::new();
    let mut host_files = Vec::new();
    for candidate in std::iter::once(base).chain(splits) {
        let name = match &candidate.manifest.split {
            None => "base.apk".to_owned(),
            Some(split) => format!("split_{split}.apk"),
        };
        let path = format!("{code_path}/{name}");
        let mut copy = core.files.rooted().create(&path, 0o644)?;
        std::io::copy(&mut std::fs::File::open(&candidate.file)?, &mut copy)?;
        // What the phone itself reads of a package is a copy that no command can change.
        let (mut kept, kept_path) = core.files.streamed()?;
        std::io::copy(&mut std::fs::File::open(&candidate.file)?, &mut kept)?;
        host_files.push(kept_path);
        files.push(name);
    }
    for folder in ["cache", "files"] {
        let path = format!("/data/data/{}/{folder}", manifest.package);
        core.files.rooted().make_folder(&path)?;
    }
    let application = manifest.application.clone().unwrap_or_default();
    let mut state = core.state();
    let uid = existing.map_or_else(|| state.packages.next_uid(), |existing| existing.uid);
    let installed = InstalledPackage {
        name: manifest.package.clone(),
        version_code: manifest.version_code.unwrap_or(0),
        version_name: manifest.version_name.clone(),
        uid,
        signer: base.signer.clone(),
        signer_hash: base.signer_hash,
        code_path,
        files,
        host_files,
        debuggable: application.debuggable.unwrap_or(false),
        test_only: application.test_only.unwrap_or(false),
        profileable: base.profileable,
        instrumentations: manifest
            .instrumentations
            .iter()
            .map(|one| (one.class.clone(), one.target_package.clone().unwrap_or_default()))
            .collect(),
        launcher: manifest.launcher_activity().map(str::to_owned),
        activities: application
            .components
            .iter()
            .filter(|component| {
                matches!(component.kind, ComponentKind::Activity | ComponentKind::ActivityAlias)
            })
            .map(|component| component.class.clone())
            .collect(),
        filter: INSTALLED_FILTER.to_owned(),
        target_sdk: manifest.target_sdk.or(manifest.min_sdk).unwrap_or(1),
        min_sdk: manifest.min_sdk.unwrap_or(1),
        system: false,
        installed: (existing.map_or(now, |existing| existing.installed.0), now),
    };
    state.packages.by_name.insert(manifest.package.clone(), installed);
    Ok(())
}
