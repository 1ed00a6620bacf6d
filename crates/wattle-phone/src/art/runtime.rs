//! Finding the runtime and starting processes in it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use wattle_apk::Apk;
use wattle_dex::{Dex, DexFile};

use super::event_class::{PROPERTY_BOOT, PROPERTY_FILE, PROPERTY_PID, PROPERTY_UID};
use super::runner_class::{MAIN, MODE_MAIN, MODE_TESTS};
use super::{ArtEntry, ArtError, ArtJob, ArtProcess, event_class, framework_stubs, runner_class};

/// The folder of Android libraries from Debian's packages.
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu/android";

/// Libraries that the runtime needs and does not name itself.
const PRELOADED: [&str; 9] = [
    "libsigchain.so.0",
    "libz.so.1",
    "liblz4.so.1",
    "liblog.so.0",
    "libbase.so.0",
    "libziparchive.so.0",
    "libbacktrace.so.0",
    "libnativebridge.so.0",
    "libnativeloader.so.0",
];

/// A real Android runtime on this machine.
#[derive(Debug)]
pub struct ArtRuntime {
    root: PathBuf,
    /// Classes of ours, and those of the runtime's folder without JUnit.
    classes: TempDir,
}

impl ArtRuntime {
    /// The runtime in `$WATTLE_ART`, else in `wattle/art` of the user's caches (`$XDG_CACHE_HOME`, else `~/.cache`).
    ///
    /// # Errors
    ///
    /// When there is none, or its classes cannot be prepared.
    pub fn find() -> Result<Self, ArtError> {
        let variable = |name| std::env::var_os(name).map(PathBuf::from);
        let caches =
            || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
        let root = variable("WATTLE_ART").or_else(|| Some(caches()?.join("wattle/art")));
        Self::at(&root.unwrap_or_default())
    }

    /// The runtime in a folder: with `artrun`, `core.jar`, `icu.jar`, `stub.jar`, `lib` and `root`.
    ///
    /// # Errors
    ///
    /// When it is not there, or its classes cannot be prepared.
    pub fn at(root: &Path) -> Result<Self, ArtError> {
        let needed = ["artrun", "core.jar", "icu.jar", "stub.jar"];
        if !needed.iter().all(|name| root.join(name).is_file()) {
            return Err(ArtError::Missing { folder: root.to_owned() });
        }
        let classes = tempfile::tempdir().map_err(ArtError::io("making a folder for classes"))?;
        let mut file = DexFile::new(35);
        event_class::add(&mut file)?;
        framework_stubs::add(&mut file)?;
        runner_class::add(&mut file)?;
        let written = |name: &str, bytes: &[u8]| {
            let path = classes.path().join(name);
            std::fs::write(&path, bytes).map_err(ArtError::io(path.display().to_string()))
        };
        written("phone.dex", &file.write()?)?;
        written("stub.dex", &without_junit(&root.join("stub.jar"))?)?;
        Ok(Self { root: root.to_owned(), classes })
    }

    /// Starts a process.
    ///
    /// # Errors
    ///
    /// When a file cannot be made or the launcher cannot be started.
    pub fn start(&self, job: &ArtJob) -> Result<ArtProcess, ArtError> {
        let folder = tempfile::tempdir().map_err(ArtError::io("making a folder for events"))?;
        let events = folder.path().join("events");
        let output = folder.path().join("output");
        File::create(&events).map_err(ArtError::io("making the file for events"))?;
        let out = File::create(&output).map_err(ArtError::io("making the file for output"))?;
        let err = out.try_clone().map_err(ArtError::io("sharing the file for output"))?;
        let mut command = Command::new(self.root.join("artrun"));
        self.environment(&mut command);
        command.arg(format!("-Xbootclasspath:{}", joined(&self.boot_classes())));
        command.args(["-Xnoimage-dex2oat", "-Xusejit:false"]);
        for (name, value) in [
            (PROPERTY_FILE, events.display().to_string()),
            (PROPERTY_PID, job.pid.to_string()),
            (PROPERTY_UID, job.uid.to_string()),
            (PROPERTY_BOOT, job.boot_ahead.value().to_string()),
        ] {
            command.arg(format!("-D{name}={value}"));
        }
        for (name, value) in &job.properties {
            command.arg(format!("-D{name}={value}"));
        }
        command.arg("-cp").arg(joined(&job.packages)).arg(MAIN);
        match &job.entry {
            ArtEntry::Main { class, arguments } => {
                command.arg(MODE_MAIN).arg(class).args(arguments);
            }
            ArtEntry::Tests(tests) => {
                command.arg(MODE_TESTS).args(tests.iter().map(super::TestMethod::argument));
            }
        }
        command.current_dir(&job.folder).stdin(Stdio::null()).stdout(out).stderr(err);
        let child = command.spawn().map_err(ArtError::io("starting the Android runtime"))?;
        Ok(ArtProcess::new(child, folder, job))
    }

    fn environment(&self, command: &mut Command) {
        let root = |name: &str| self.root.join("root").join(name);
        let preloaded = PRELOADED.map(|name| match name {
            "libz.so.1" | "liblz4.so.1" => name.to_owned(),
            _ => format!("{LIBRARIES}/{name}"),
        });
        command
            .env("LD_LIBRARY_PATH", format!("{LIBRARIES}:{}", self.root.join("lib").display()))
            .env("LD_PRELOAD", preloaded.join(" "))
            .env("ANDROID_ROOT", root("ar"))
            .env("ANDROID_DATA", root("ad"))
            .env("ANDROID_ART_ROOT", root("art"))
            .env("ANDROID_I18N_ROOT", root("i18n"))
            .env("ANDROID_TZDATA_ROOT", root("tz"))
            .env("ANDROID_LOG_TAGS", "*:f");
    }

    /// The class that stands first hides the one of the same name behind it.
    fn boot_classes(&self) -> [PathBuf; 4] {
        let classes = self.classes.path();
        [
            self.root.join("core.jar"),
            self.root.join("icu.jar"),
            classes.join("phone.dex"),
            classes.join("stub.dex"),
        ]
    }
}

/// The framework's classes without JUnit, which a phone leaves to the packages since Android 9.
fn without_junit(jar: &Path) -> Result<Vec<u8>, ArtError> {
    let bytes = std::fs::read(jar).map_err(ArtError::io(jar.display().to_string()))?;
    let package = |source| ArtError::Package { path: jar.to_owned(), source: Box::new(source) };
    let code = Apk::open(&bytes).and_then(|jar| jar.read("classes.dex")).map_err(package)?;
    let dex = Dex::parse(&code)?;
    let mut file = DexFile::edit(&dex);
    for (index, class) in dex.class_defs() {
        if dex.descriptor_str(class?.class)?.starts_with("Ljunit/") {
            file.remove_class(index)?;
        }
    }
    Ok(file.write()?)
}

fn joined(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(":")
}
