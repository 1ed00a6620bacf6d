use std::io::Read as _;

/// The most that is unpacked of one archive, and of one file in it.
const MOST_BYTES: u64 = 256 << 20;
/// The most files of one archive that are looked at.
const MOST_FILES: usize = 20_000;

/// The `.csv` files of a `.tar` or `.tar.gz`, as far as it can be read; what could not be read, in words.
pub(crate) fn tables(content: &[u8]) -> (Vec<(String, Vec<u8>)>, Option<String>) {
    let plain: Box<dyn std::io::Read> = if content.starts_with(b"\x1f\x8b") {
        Box::new(flate2::read::MultiGzDecoder::new(content))
    } else {
        Box::new(content)
    };
    let mut files = Vec::new();
    let mut archive = tar::Archive::new(plain.take(MOST_BYTES));
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(error) => return (files, Some(error.to_string())),
    };
    for (count, entry) in entries.enumerate() {
        if count == MOST_FILES {
            return (files, Some(format!("only the first {MOST_FILES} files were looked at")));
        }
        let read = entry.and_then(|mut entry| {
            let path = entry.path()?.to_string_lossy().into_owned();
            let mut content = Vec::new();
            if path.to_ascii_lowercase().ends_with(".csv") && entry.header().entry_type().is_file()
            {
                entry.read_to_end(&mut content)?;
            }
            Ok((path, content))
        });
        match read {
            Ok((path, content)) if !content.is_empty() => files.push((path, content)),
            Ok(_) => {}
            Err(error) => return (files, Some(error.to_string())),
        }
    }
    (files, None)
}
