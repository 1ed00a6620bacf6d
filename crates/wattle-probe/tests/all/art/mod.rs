//! A real Android runtime to run code in.
//!
//! `$WATTLE_ART` names it: a folder with the launcher `artrun`, the boot jars `core.jar`, `icu.jar` and `stub.jar`, the
//! libraries in `lib` and empty folders below `root`. Tests that need it are ignored without it.

#![allow(dead_code, reason = "other crates use a part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail the test")]

pub mod calibrated;
mod trace_recorder;

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// The folder of Debian's packages of Android libraries.
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

/// A real Android runtime.
///
/// `android.util.Log` prints `I/tag: text` on the standard error. `android.os.Trace` prints `B <thread> <label>` and
/// `E <thread>` there, or appends to the file that the system property `wattle.trace` names; `<thread>` is
/// `Thread.getId()`, and a label of more than 127 characters throws, as on a device. All other framework classes
/// throw `RuntimeException("Stub!")`.
pub struct ArtHost {
    root: PathBuf,
    folder: TempDir,
    in_front: Vec<PathBuf>,
}

impl ArtHost {
    /// The runtime that `$WATTLE_ART` names.
    #[track_caller]
    pub fn new() -> Self {
        let root = wattle_testdata::variable("WATTLE_ART");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("trace.dex"), trace_recorder::dex()).unwrap();
        let in_front = vec![folder.path().join("trace.dex")];
        Self { root, folder, in_front }
    }

    /// The runtime with more framework classes that stand before its own of the same names.
    pub fn with_framework(mut self, classes: &[u8]) -> Self {
        let path = self.folder.path().join(format!("framework{}.dex", self.in_front.len()));
        std::fs::write(&path, classes).unwrap();
        self.in_front.push(path);
        self
    }

    /// The runtime with these framework classes before its own, and not with the class that prints sections.
    pub fn with_only(mut self, classes: &[u8]) -> Self {
        self.in_front.clear();
        self.with_framework(classes)
    }

    /// Runs a class's `main(String[])` to its end. `vm_options` are such as `-Dname=value` and `-Xmethod-trace`.
    pub fn run<A: AsRef<str>>(
        &self,
        class_path: &[PathBuf],
        main: &str,
        arguments: &[A],
        vm_options: &[&str],
    ) -> Output {
        let mut command = self.command(vm_options);
        command.arg("-cp").arg(joined(class_path)).arg(main);
        command.args(arguments.iter().map(AsRef::as_ref)).output().unwrap()
    }

    /// The messages of the runtime's own verifier about classes, named as `some.pack.Outer$Inner`. The last line counts:
    /// `verified=1 access=0 soft=0 hard=0 loadfail=0`; each class that is not clean has a line before it.
    pub fn verify<C: AsRef<str>>(&self, class_path: &[PathBuf], classes: &[C]) -> String {
        let list = self.folder.path().join(format!("{:?}.txt", std::thread::current().id()));
        let names: Vec<_> = classes.iter().map(AsRef::as_ref).collect();
        std::fs::write(&list, names.join("\n")).unwrap();
        let mut command = self.command(&[]);
        command.arg("-cp").arg(joined(class_path)).arg("--verify").arg(list);
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    }

    /// The launcher with the environment it needs, before `-cp`, the class and its arguments.
    pub fn command(&self, vm_options: &[&str]) -> Command {
        let mut command = Command::new(self.root.join("artrun"));
        self.prepare(&mut command, vm_options);
        command
    }

    /// As [`ArtHost::command`], begun by a line of shell such as `ulimit -f 8;`.
    pub fn command_after(&self, shell: &str, vm_options: &[&str]) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(format!("{shell} exec \"$0\" \"$@\"")).arg(self.root.join("artrun"));
        self.prepare(&mut command, vm_options);
        command
    }

    fn prepare(&self, command: &mut Command, vm_options: &[&str]) {
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
        // The class that stands first in the boot class path hides the one of the same name behind it.
        let mut boot = vec![self.root.join("core.jar"), self.root.join("icu.jar")];
        boot.extend_from_slice(&self.in_front);
        boot.push(self.root.join("stub.jar"));
        command.arg(format!("-Xbootclasspath:{}", joined(&boot)));
        command.args(["-Xnoimage-dex2oat", "-Xusejit:false"]).args(vm_options);
    }
}

fn joined(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(":")
}
