//! Commands that a server started end with it, also when it was killed: its end closes their standard input.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::exit::INTERRUPTED;

/// Interrupts this process when its parent is gone, if that is a server which asked for it.
pub fn start() {
    if !is_asked() {
        return;
    }
    let watch = || {
        let mut input = std::io::stdin().lock();
        let mut nothing = [0; 64];
        while matches!(input.read(&mut nothing), Ok(1..)) {}
        end();
    };
    // Without a thread it ends by itself.
    let _ = std::thread::Builder::new().name("parent".to_owned()).spawn(watch);
}

/// Children of this process inherit the variable, and have another parent.
#[cfg(unix)]
fn is_asked() -> bool {
    let parent = std::env::var(wattle_mcp::ENDS_WITH).ok().and_then(|text| text.parse().ok());
    parent == Some(std::os::unix::process::parent_id())
}

#[cfg(not(unix))]
fn is_asked() -> bool {
    false
}

/// Ends as Ctrl-C does, so that a device is put back; the folder of an analysis is for nobody any more.
fn end() {
    if let Some(folder) = analysis_folder() {
        let _ = std::fs::remove_dir_all(folder);
        std::process::exit(INTERRUPTED);
    }
    let asked = Command::new("kill")
        .args(["-INT", &std::process::id().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !asked.is_ok_and(|status| status.success()) {
        std::process::exit(INTERRUPTED);
    }
}

/// The folder that the server made for its analysis.
fn analysis_folder() -> Option<PathBuf> {
    let words: Vec<_> = std::env::args_os().collect();
    let at = words.iter().position(|word| word == "--analyse")?;
    let folder = PathBuf::from(words.get(at + 1)?);
    let name = folder.file_name()?.to_str()?;
    name.starts_with(wattle_mcp::ANALYSIS_FOLDER).then_some(folder)
}
