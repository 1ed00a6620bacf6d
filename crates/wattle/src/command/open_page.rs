//! Pages shown in the user's browser.

use std::path::Path;

/// Opens a page and does not wait for the browser.
///
/// # Errors
/// If no program could be started.
pub fn open(page: &Path) -> std::io::Result<()> {
    // Browsers take no path that depends on the working folder.
    open::that_detached(page.canonicalize()?)
}
