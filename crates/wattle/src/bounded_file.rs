//! Files that are read whole: up to a size, so that what has no end (`/dev/zero`, a pipe that is never closed) is refused.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;

/// Enough for what people and tools write for Wattle: models, tables, maps of names, keys, configurations.
pub const MOST: u64 = 256 << 20;

/// The content of a file of at most that many bytes.
pub fn bytes(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    let name = || path.display().to_string();
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(name)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).with_context(name)?;
    anyhow::ensure!(bytes.len() as u64 <= most, "{}: more than {most} bytes", name());
    Ok(bytes)
}

/// The same of a text.
pub fn text(path: &Path, most: u64) -> anyhow::Result<String> {
    let bytes = bytes(path, most)?;
    let text = String::from_utf8(bytes);
    text.ok()
        .with_context(|| format!("{}: expected text, found bytes that are none", path.display()))
}
