//! Pages shown in the user's browser.

use std::io::IsTerminal as _;
use std::path::Path;

/// Whether somebody sits at a desktop: on Linux, where a display is known; elsewhere unless the session is a remote one.
pub fn has_desktop() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(any(windows, target_os = "macos")) {
        return !is_set("SSH_CONNECTION");
    }
    is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Whether a page is opened without being asked for: on a terminal with a desktop.
pub fn is_usual() -> bool {
    std::io::stdout().is_terminal() && has_desktop()
}

/// The first program that opens pages and is there.
pub fn opener() -> Option<String> {
    let commands = open::commands("page.html");
    let mut programs = commands.iter().map(std::process::Command::get_program);
    let found = programs.find(|program| {
        let path = Path::new(program);
        path.is_absolute() && path.is_file() || super::program_path::find(program).is_some()
    })?;
    Some(found.to_string_lossy().into_owned())
}

/// Opens a page and does not wait for the browser.
///
/// # Errors
/// If no program could be started.
pub fn open(page: &Path) -> std::io::Result<()> {
    // Browsers take no path that depends on the working folder.
    open::that_detached(page.canonicalize()?)
}
