//! The data of a page as text between tags, compressed where that pays.

use std::io::Write as _;

use base64ct::{Base64, Encoding as _};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::page::inside_script;

/// Data below this stays readable.
const LEAST: usize = 100_000;

/// Data of a page for its `script` element.
pub struct Packed {
    /// The name of the encoding for scripts: `json`, or `gzip` for gzip in base64.
    pub encoding: &'static str,
    /// The text of the element.
    pub text: String,
}

impl Packed {
    /// JSON as it is where it is short, else compressed.
    pub fn new(json: &str) -> Self {
        match (json.len() > LEAST).then(|| gzip(json)).flatten() {
            Some(bytes) => Self { encoding: "gzip", text: Base64::encode_string(&bytes) },
            None => Self { encoding: "json", text: inside_script(json) },
        }
    }
}

fn gzip(json: &str) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(json.as_bytes()).ok()?;
    encoder.finish().ok()
}
