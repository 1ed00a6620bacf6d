//! Packages of the user's → packages that are installed.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use wattle_apk::{ApkSet, SignOptions, SigningKey, WrittenSet};
use wattle_device::Device as _;
use wattle_device::session::HostFile;
use wattle_recording::{AppFacts, ArtifactKind};

use super::connection::Connection;
use super::failure::failure;
use crate::cli::{Probing, Sink};
use crate::command::instrument::{ProbeBudget, ScopeCheck, key, plan};
use crate::exit::Failure;

/// First API level with Perfetto's daemons running and sections of apps that are not debuggable.
const TRACE_SINCE: u32 = 29;
const ASKING: std::time::Duration = std::time::Duration::from_secs(20);

/// An app, ready to be installed.
#[derive(Debug)]
pub struct Prepared {
    /// For the recording.
    pub app: AppFacts,
    /// The base package and its splits, on this machine.
    pub packages: Vec<PathBuf>,
    /// The probe map.
    pub map: Option<HostFile>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The key that signed it, with which its tests must be signed too.
    pub key: SigningKey,
}

/// The preparation of the app.
#[derive(Debug)]
pub struct Preparing<'a> {
    /// The methods and calls to instrument.
    pub probing: &'a Probing,
    /// Whether it gets any.
    pub probes: bool,
    /// The device's API level.
    pub sdk: u32,
    /// The folder for packages.
    pub folder: &'a Path,
}

impl Preparing<'_> {
    /// Puts probes in, and signs.
    ///
    /// `other` is the build that it takes turns with: one key must sign both, or each would have to be uninstalled first.
    pub fn app(
        &self,
        inputs: &[PathBuf],
        label: Option<&str>,
        other: Option<&PathBuf>,
    ) -> Result<Prepared, Failure> {
        let set = read(inputs)?;
        let base = set
            .base()
            .with_context(|| names(inputs))
            .context("expected a base package, found splits only")
            .map_err(Failure::Input)?;
        let package = base.manifest.package.clone();
        if self.probing.signing.unsigned {
            return Err(Failure::Usage(anyhow!(
                "--unsigned: devices install signed packages only"
            )));
        }
        let other = other.map(|path| read(std::slice::from_ref(path))).transpose()?;
        let least = other.map_or(u32::MAX, |other| other.min_sdk()).min(set.min_sdk());
        let chosen = key::choose(&self.probing.signing, least, false)?
            .context("a key to sign with")
            .map_err(Failure::Internal)?;
        let (key, mut notes) = (chosen.key, Vec::from_iter(chosen.note));
        let mut app = AppFacts { package, label: label.map(str::to_owned), ..AppFacts::default() };
        let (written, map) = if self.probes {
            let sink = self.sink();
            let mut options = plan::options(self.probing)?;
            options.sink = plan::sink(sink);
            let budget = ProbeBudget::from_flags(self.probing)?.unwrap_or_default();
            notes.extend(Some(budget.note).filter(|note| !note.is_empty()));
            options.left_out = budget.left_out;
            let mut how = wattle_probe::PackageOptions::default();
            how.debuggable = self.probing.debuggable
                || sink == Sink::File
                || (sink == Sink::Trace && self.sdk < TRACE_SINCE);
            if how.debuggable && !self.probing.debuggable {
                notes.push(format!(
                    "the app is made debuggable: otherwise the events of --sink {} cannot be read on this device; \
                     debuggable apps are slower",
                    options.sink.name()
                ));
            }
            how.key = Some(key.clone());
            let done = wattle_probe::instrument_packages(&set, &options, &how)
                .with_context(|| names(inputs))
                .map_err(Failure::Input)?;
            let check = ScopeCheck {
                probing: self.probing,
                counts: &done.code.counts,
                own: &done.own_packages,
            };
            check.refuse_nothing()?;
            notes.extend(check.few());
            app.probe_map = Some(done.code.map_id.to_string());
            app.sink = Some(options.sink.name().to_owned());
            let file = match label {
                Some(label) => format!("probes-{label}.jsonl"),
                None => "probes.jsonl".to_owned(),
            };
            let map = HostFile { file, kind: ArtifactKind::ProbeMap, bytes: done.code.map };
            (done.packages, Some(map))
        } else {
            (signed(&set, &key, inputs)?, None)
        };
        let packages = self.write(written, label.unwrap_or("app"))?;
        Ok(Prepared { app, packages, map, notes, key })
    }

    /// Signs tests with the app's key: Android runs them in the app only if one key signed both.
    pub fn tests(
        &self,
        path: &Path,
        key: &SigningKey,
        label: Option<&str>,
    ) -> Result<Vec<PathBuf>, Failure> {
        let inputs = [path.to_owned()];
        let set = read(&inputs)?;
        let written = signed(&set, key, &inputs)?;
        self.write(written, &format!("tests-{}", label.unwrap_or("of-app")))
    }

    /// The sink of the probes: the requested one, else the one that the device records best.
    fn sink(&self) -> Sink {
        let best = if self.sdk >= TRACE_SINCE { Sink::Trace } else { Sink::Logcat };
        self.probing.sink.unwrap_or(best)
    }

    fn write(&self, written: WrittenSet, name: &str) -> Result<Vec<PathBuf>, Failure> {
        let WrittenSet::Files(files) = written else {
            return Err(Failure::Internal(anyhow!("packages came back as an archive")));
        };
        let write = |(index, (_, bytes)): (usize, (String, Vec<u8>))| {
            let path = self.folder.join(format!("{name}-{index}.apk"));
            std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
            Ok(path)
        };
        files
            .into_iter()
            .enumerate()
            .map(write)
            .collect::<anyhow::Result<_>>()
            .map_err(Failure::Environment)
    }
}

/// The device's API level; Android 7 where it does not say.
pub fn sdk(connection: &Connection) -> Result<u32, Failure> {
    const UNKNOWN: u32 = 24;
    let answer =
        connection.device.shell("getprop ro.build.version.sdk", ASKING).map_err(failure)?;
    Ok(answer.text().trim().parse().unwrap_or(UNKNOWN))
}

/// Reads packages; those of an archive one by one, since a device takes no archives.
fn read(inputs: &[PathBuf]) -> Result<ApkSet, Failure> {
    let open = || -> anyhow::Result<ApkSet> {
        for input in inputs {
            // A pipe without a writer would never end, and neither would a device.
            let is_file = std::fs::metadata(input)?.is_file();
            anyhow::ensure!(is_file, "expected a package, found something that is no file");
        }
        let set = ApkSet::open(inputs)?;
        if !set.is_archive() {
            return Ok(set);
        }
        let bases = set.members().iter().filter(|member| member.manifest.is_base()).count();
        anyhow::ensure!(
            bases <= 1,
            "the archive has {bases} base packages for different devices: extract those for this device with \
             `bundletool extract-apks`"
        );
        let files = set.members().iter().map(|it| (it.name.clone(), it.bytes.clone())).collect();
        Ok(ApkSet::from_files(files)?)
    };
    open().with_context(|| names(inputs)).map_err(Failure::Input)
}

fn signed(set: &ApkSet, key: &SigningKey, inputs: &[PathBuf]) -> Result<WrittenSet, Failure> {
    set.sign(key, &SignOptions::for_min_sdk(set.min_sdk()))
        .with_context(|| names(inputs))
        .map_err(Failure::Input)
}

fn names(inputs: &[PathBuf]) -> String {
    inputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>().join(", ")
}
