//! Checks of this machine.

use std::path::{Path, PathBuf};

use super::PROGRAM;
use super::checkup::Check;
use super::timed_program::first_line;
use crate::command::instrument::key;
use crate::command::open_page;
use crate::command::program_path::find;

/// All checks of this machine.
pub fn checks() -> Vec<Check> {
    let mut checks = vec![
        data_folder(),
        temporary_folder(),
        page(),
        signing_key(),
        Check::ok(
            "signing, symbols",
            "built in: no Java, apksigner, llvm-symbolizer or NDK needed",
        ),
        Check::ok(
            "names of code",
            "from the recording; of release builds: --mapping mapping.txt (R8), --symbols FOLDER (unstripped libraries)",
        ),
    ];
    if cfg!(target_os = "linux") {
        checks.extend([perf(), sampling(), tracing()]);
    }
    checks
}

/// Debug keys and the journal of changes to devices are in it.
fn data_folder() -> Check {
    const SUBJECT: &str = "data folder";
    let Some(folder) = wattle_apk::data_folder() else {
        return Check::broken(
            SUBJECT,
            "no folder for the debug key and the journal of changes to devices",
            "set $XDG_DATA_HOME or $HOME",
        );
    };
    // A look changes nothing: where the folder is not there yet, the one that it will be made in is tried.
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(&folder);
    let written = tempfile::tempfile_in(existing).map(|_| ());
    match written {
        Ok(()) => Check::ok(SUBJECT, format!("{} is writable", folder.display())),
        Err(error) => Check::broken(
            SUBJECT,
            format!("{}: {error}", folder.display()),
            "`wattle run` keeps its debug key and the journal of changes to devices there: make it writable, or set \
             $XDG_DATA_HOME to another folder",
        ),
    }
}

fn temporary_folder() -> Check {
    const SUBJECT: &str = "temporary folder";
    let folder = std::env::temp_dir();
    match tempfile::tempfile() {
        Ok(_) => Check::ok(SUBJECT, format!("{} is writable", folder.display())),
        Err(error) => Check::broken(
            SUBJECT,
            format!("{}: {error}", folder.display()),
            "make it writable, or set $TMPDIR to another folder",
        ),
    }
}

fn page() -> Check {
    const SUBJECT: &str = "browser";
    match open_page::opener() {
        Some(program) if open_page::has_desktop() => {
            Check::ok(SUBJECT, format!("`--open` shows pages with {program}"))
        }
        Some(_) => Check::optional(
            SUBJECT,
            "this session has no desktop",
            "`--html FILE` writes a page that any browser opens",
        ),
        None => Check::optional(
            SUBJECT,
            "no program that opens pages",
            "install xdg-utils for `--open`; `--html FILE` writes a page that any browser opens",
        ),
    }
}

fn signing_key() -> Check {
    const SUBJECT: &str = "signing key";
    match key::android_debug_keystore() {
        Some(path) => Check::ok(
            SUBJECT,
            format!(
                "{}: instrumented apps replace those that Android Studio installed",
                path.display()
            ),
        ),
        None => Check::ok(
            SUBJECT,
            "a debug key of Wattle's own (there is no ~/.android/debug.keystore): uninstall the app before its instrumented \
             build, or name its key with --key",
        ),
    }
}

fn perf() -> Check {
    const SUBJECT: &str = "perf, simpleperf";
    let found = ["perf", "simpleperf"].iter().find_map(find);
    match found {
        Some(path) => match first_line(&path, &["--version"], PROGRAM) {
            Ok(version) => Check::ok(SUBJECT, format!("{}: {version}", path.display())),
            Err(why) => Check::optional(
                SUBJECT,
                format!("{} {why}", path.display()),
                "only needed to record this machine; phones have their own",
            ),
        },
        None => Check::optional(
            SUBJECT,
            "not in $PATH",
            "only needed to record this machine (Debian: linux-perf); phones have their own, perf.data files are read as they are",
        ),
    }
}

/// The kernel's permission to sample on this machine.
fn sampling() -> Check {
    const SUBJECT: &str = "perf_event_paranoid";
    let path = Path::new("/proc/sys/kernel/perf_event_paranoid");
    let level = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<i32>().ok());
    match level {
        Some(level) if level <= 1 => {
            Check::ok(SUBJECT, format!("{level}: perf may record threads of this machine"))
        }
        Some(level) => Check::optional(
            SUBJECT,
            format!("{level}: perf records own programs without the kernel, as root everything"),
            "only for recordings of this machine: sudo sysctl kernel.perf_event_paranoid=1",
        ),
        None => {
            Check::optional(SUBJECT, "the kernel has none", "only for recordings of this machine")
        }
    }
}

/// The kernel's tracer of this machine.
fn tracing() -> Check {
    const SUBJECT: &str = "tracefs";
    let places = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
    let readable = places.iter().map(PathBuf::from).find(|folder| {
        std::fs::read_to_string(folder.join("available_events")).is_ok_and(|text| !text.is_empty())
    });
    match readable {
        Some(folder) => Check::ok(SUBJECT, format!("{} is readable", folder.display())),
        None => Check::optional(
            SUBJECT,
            "not readable",
            "only for recordings of this machine: record as root (trace-cmd, perf sched)",
        ),
    }
}
