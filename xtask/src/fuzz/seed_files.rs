//! The first inputs of a target: small real recordings.

use std::io::Read as _;
use std::path::Path;

use anyhow::Result;

use super::target_list::{Structure, Target};
use crate::places;

/// Bytes of a file that is an input.
const LARGEST: u64 = 65_536;
/// Bytes of the beginning of a larger one, for formats of which a part is an input, too.
const BEGINNING: usize = 16_384;
/// The entry of packages with binary XML.
const MANIFEST: &str = "AndroidManifest.xml";

/// Writes the first inputs of a target. Without real recordings there is one, which is empty.
pub fn write(target: Target, corpus: &Path) -> Result<()> {
    std::fs::write(corpus.join("empty"), [])?;
    let Some(data) = places::data() else { return Ok(()) };
    for folder in target.seeds {
        add(target.structure, &data.join(folder), corpus)?;
    }
    Ok(())
}

fn add(structure: Structure, folder: &Path, corpus: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            add(structure, &path, corpus)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default();
        let bytes = std::fs::read(&path)?;
        let input = match structure {
            Structure::Axml => member(&bytes, MANIFEST),
            _ if bytes.len() as u64 <= LARGEST => Some(bytes),
            // These have what matters at the end.
            Structure::Zip | Structure::Dex => None,
            _ => bytes.get(..BEGINNING).map(<[u8]>::to_vec),
        };
        if let Some(input) = input.filter(|input| input.len() as u64 <= LARGEST) {
            std::fs::write(corpus.join(name), input)?;
        }
    }
    Ok(())
}

/// The content of a deflated or stored entry, by its header.
fn member(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    let number =
        |at: usize| Some(usize::from(u16::from_le_bytes(*archive.get(at..)?.first_chunk()?)));
    let mut places = archive.windows(4).enumerate().filter(|(_, window)| window == b"PK\x03\x04");
    let (at, _) = places.find(|(at, _)| {
        number(at + 26) == Some(name.len())
            && archive.get(at + 30..).is_some_and(|rest| rest.starts_with(name.as_bytes()))
    })?;
    let data = archive.get(at + 30 + name.len() + number(at + 28)?..)?;
    let mut content = Vec::new();
    match number(at + 8)? {
        8 => {
            let decoder = flate2::read::DeflateDecoder::new(data);
            decoder.take(LARGEST + 1).read_to_end(&mut content).ok()?;
        }
        _ => content.extend(data.get(..number(at + 18)?)?),
    }
    Some(content)
}

#[cfg(test)]
mod tests {
    use super::{MANIFEST, member};
    use crate::hostile::zip_writer::{ZipEntry, zip};

    #[test]
    fn an_entry_is_found_by_its_name() {
        let entries = [
            ZipEntry::stored("a", b"no"),
            ZipEntry::deflated(MANIFEST, &[7; 500]),
            ZipEntry::stored("b", b"yes"),
        ];
        let archive = zip(&entries);
        assert_eq!(member(&archive, MANIFEST), Some(vec![7; 500]));
        assert_eq!(member(&archive, "b"), Some(b"yes".to_vec()));
        assert_eq!(member(&archive, "c"), None);
    }
}
