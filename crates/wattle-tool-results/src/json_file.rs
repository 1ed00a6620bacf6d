//! Reading of JSON files.

use std::io::{BufReader, Read as _};
use std::path::Path;

use serde_json::Value;

use crate::ImportError;

/// Largest JSON file that is read. Real ones have kilobytes to a few megabytes.
const MAX_BYTES: u64 = 64 << 20;

/// The file as JSON; `None` if it is none.
pub(crate) fn read(path: &Path) -> Result<Option<Value>, ImportError> {
    let file = std::fs::File::open(path).map_err(ImportError::io(path))?;
    let mut bytes = Vec::new();
    let mut start = BufReader::new(file.take(MAX_BYTES));
    // Traces are large, and none begins like JSON.
    let mut first = [0_u8; 1];
    while start.read(&mut first).map_err(ImportError::io(path))? == 1 {
        if first[0].is_ascii_whitespace() {
            continue;
        }
        if !matches!(first[0], b'{' | b'[') {
            return Ok(None);
        }
        bytes.push(first[0]);
        break;
    }
    start.read_to_end(&mut bytes).map_err(ImportError::io(path))?;
    Ok(serde_json::from_slice(&bytes).ok())
}
