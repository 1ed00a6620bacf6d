//! A real Android runtime, built once.

use std::fs::File;
use std::path::Path;

use anyhow::Result;

use super::child_process::{command, is_executable};
use crate::places;

/// Builds the runtime where it is missing and can be built.
pub fn prepare() -> Result<()> {
    let runtime = places::runtime();
    let script = places::script("WATTLE_ART_BUILD", "tools/art/build-art.sh");
    if !is_executable(&runtime.join("art"))
        && let Some(script) = script
    {
        let is_whole = places::make_whole(&runtime, |folder| {
            let log = folder.join("build.log");
            let mut build = command("bash", &[]);
            let output = File::create(&log)?;
            build.arg(script).arg(folder).stderr(output.try_clone()?).stdout(output);
            // The launcher finds its folder by its own place, so it may be tried before it is moved.
            let is_built = build.status()?.success() && starts(folder);
            if !is_built {
                let text = std::fs::read(&log).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).into_owned();
                let lines: Vec<&str> = text.lines().collect();
                println!("{}", lines[lines.len().saturating_sub(20)..].join("\n"));
            }
            Ok(is_built)
        })?;
        if !is_whole {
            println!("THE ANDROID RUNTIME COULD NOT BE BUILT: see above");
        }
    }
    if starts(&runtime) {
        println!("{} starts", runtime.join("art").display());
    } else {
        println!("NO ANDROID RUNTIME in {}: tests that need it do not run", runtime.display());
    }
    Ok(())
}

/// Whether the runtime of a folder starts a machine.
pub fn starts(folder: &Path) -> bool {
    let program = folder.join("art");
    is_executable(&program)
        && command(program, &[]).output().is_ok_and(|output| {
            [output.stdout, output.stderr]
                .iter()
                .any(|text| String::from_utf8_lossy(text).contains("VM started"))
        })
}
