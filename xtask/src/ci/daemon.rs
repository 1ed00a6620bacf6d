//! A real device daemon, unpacked once beside the runtime.
//!
//! It listens on every interface, so its tests run in a network namespace, which only root may make.

use std::fs::File;

use anyhow::Result;

use super::child_process::{command, output, succeeds};
use crate::places;

/// Unpacks the daemon where it is missing and can be had.
pub fn prepare() -> Result<()> {
    let daemon = places::daemon();
    let is_root = output(&mut command("id", &["-u"])).is_some_and(|id| id.trim() == "0");
    let script = places::script("WATTLE_ADBD_FETCH", "tools/adb/get-adbd.sh");
    if !daemon.is_dir()
        && is_root
        && let Some(script) = script
    {
        places::make_whole(&daemon, |folder| {
            let log = tempfile::NamedTempFile::new()?;
            let output: File = log.reopen()?;
            let mut fetch = command("bash", &[]);
            fetch.arg(script).arg(folder).stderr(output.try_clone()?).stdout(output);
            let is_fetched = fetch.status()?.success();
            if !is_fetched {
                let text = std::fs::read_to_string(log.path()).unwrap_or_default();
                let lines: Vec<&str> = text.lines().collect();
                println!("{}", lines[lines.len().saturating_sub(5)..].join("\n"));
            }
            Ok(is_fetched)
        })?;
    }
    if is_usable() {
        println!("{} can run in a network namespace", daemon.display());
    } else {
        println!(
            "NO DEVICE DAEMON in {}, or no network namespaces: tests that need it do not run",
            daemon.display()
        );
    }
    Ok(())
}

pub fn is_usable() -> bool {
    places::daemon().is_dir() && succeeds(&mut command("unshare", &["-n", "-m", "true"]))
}
