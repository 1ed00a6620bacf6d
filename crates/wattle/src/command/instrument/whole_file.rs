//! Files that are written whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Writes a file, and its folder where that is missing. The content goes into another file beside it that takes
/// its name at the end, so a full disk leaves what was there.
pub fn write(path: &Path, content: &[u8]) -> Outcome {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .with_context(|| format!("creating {}", folder.display()))
            .map_err(Failure::Environment)?;
    }
    let known = path.metadata().ok();
    // Nothing can take the name of a device or a pipe.
    if known.as_ref().is_some_and(|known| !known.is_file()) {
        return output::write_file(path, content);
    }
    // A link stays one: its file is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let part = part(&target);
    let permissions = known.map(|known| known.permissions());
    let written = write_part(&part, content, permissions).and_then(|()| fs::rename(&part, &target));
    if written.is_err() {
        // The error that led here says more than a second one.
        let _ = fs::remove_file(&part);
    }
    written.with_context(|| format!("writing {}", path.display())).map_err(Failure::Environment)
}

fn part(target: &Path) -> PathBuf {
    target.with_file_name(format!(".wattle-{}.part", std::process::id()))
}

fn write_part(part: &Path, content: &[u8], permissions: Option<fs::Permissions>) -> io::Result<()> {
    let mut file = fs::File::create(part)?;
    file.write_all(content)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    Ok(())
}
