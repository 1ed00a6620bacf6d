//! Files of `--device-model`: device models and power profiles, as text or as a phone has them.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use wattle_apk::{Apk, BinaryXml, ReadLimit};
use wattle_power::ModelFile;

use crate::bounded_file;

/// The path of the profile in Android's own package (`framework-res.apk`) and in vendors' overlays.
const PROFILE: &str = "res/xml/power_profile.xml";

/// Real ones have a few kilobytes.
const MOST_BYTES: ReadLimit = ReadLimit(4 << 20);

/// The first bytes of an APK.
const ZIP: &[u8] = b"PK\x03\x04";

/// A device model, a `power_profile.xml` as text or binary, or a package that has one.
pub fn read(path: &Path) -> anyhow::Result<ModelFile> {
    let bytes = bounded_file::bytes(path, bounded_file::MOST).context("device model")?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&name, bytes).with_context(|| format!("device model {}", path.display()))
}

fn parse(name: &str, bytes: Vec<u8>) -> anyhow::Result<ModelFile> {
    let bytes = if bytes.starts_with(ZIP) { of_package(&bytes)? } else { bytes };
    if BinaryXml::is_binary(&bytes) {
        let text = BinaryXml::parse(&bytes)?.to_text()?;
        return Ok(ModelFile::parse(name, text.as_bytes())?);
    }
    Ok(ModelFile::parse(name, &bytes)?)
}

/// The profile of a package: by its usual name; where names were shortened, by what it holds.
fn of_package(package: &[u8]) -> anyhow::Result<Vec<u8>> {
    let apk = Apk::open(package)?;
    if let Some(entry) = apk.entry(PROFILE) {
        return Ok(entry.read(MOST_BYTES)?);
    }
    let documents = apk.entries().iter().filter(|entry| {
        Path::new(entry.name()).extension().is_some_and(|extension| extension == "xml")
    });
    let mut read = documents.filter_map(|entry| entry.read(MOST_BYTES).ok());
    read.find(|document| is_profile(document)).ok_or_else(|| {
        anyhow!(
            "expected a package with {PROFILE} (framework-res.apk, or a maker's overlay of it), found one without"
        )
    })
}

/// Whether binary XML is a `<device>` of items, one of which is the battery's capacity.
fn is_profile(document: &[u8]) -> bool {
    BinaryXml::parse(document).is_ok_and(|xml| {
        let capacity = |item: &wattle_apk::Element| {
            item.attribute("name").and_then(|name| name.as_str()) == Some("battery.capacity")
        };
        &*xml.root.name == "device" && xml.root.named("item").any(capacity)
    })
}

#[cfg(test)]
mod tests {
    use wattle_power::PowerProfile;

    use super::*;

    /// Binary XML of `<device>` with `<item name="…">value</item>` elements, by AOSP's `ResourceTypes.h`.
    fn binary(items: &[(&str, &str)]) -> Vec<u8> {
        let mut strings = vec!["device".to_owned(), "item".to_owned(), "name".to_owned()];
        for (name, value) in items {
            strings.extend([(*name).to_owned(), (*value).to_owned()]);
        }
        let chunk = |kind: u16, header: u16, body: &[u8]| -> Vec<u8> {
            let size = 8 + body.len() as u32;
            [&kind.to_le_bytes()[..], &header.to_le_bytes(), &size.to_le_bytes(), body].concat()
        };
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let (mut offsets, mut data) = (Vec::new(), Vec::new());
        for string in &strings {
            offsets.push(data.len() as u32);
            data.push(string.len() as u8);
            data.push(string.len() as u8);
            data.extend(string.as_bytes());
            data.push(0);
        }
        data.resize(data.len().next_multiple_of(4), 0);
        let count = strings.len() as u32;
        let head = words(&[count, 0, 1 << 8, 28 + 4 * count, 0]);
        let pool = chunk(1, 28, &[head, words(&offsets), data].concat());
        let none = u32::MAX;
        let start = |name: u32, attribute: Option<u32>| {
            let attributes = u32::from(attribute.is_some());
            let mut body = words(&[1, none, none, name, 0x0014_0014, attributes, 0]);
            if let Some(value) = attribute {
                body.extend(words(&[none, 2, value, 0x0300_0008, value]));
            }
            chunk(0x0102, 16, &body)
        };
        let end = |name: u32| chunk(0x0103, 16, &words(&[1, none, none, name]));
        let text = |string: u32| chunk(0x0104, 16, &words(&[1, none, string, 8, 0]));
        let mut body = [pool, start(0, None)].concat();
        for index in 0..items.len() as u32 {
            let at = 3 + 2 * index;
            body.extend([start(1, Some(at)), text(at + 1), end(1)].concat());
        }
        body.extend(end(0));
        chunk(3, 8, &body)
    }

    #[track_caller]
    fn check(bytes: Vec<u8>) {
        let ModelFile::Profile(profile) = parse("framework-res", bytes).unwrap() else {
            panic!("not a profile")
        };
        let expected = "<device name=\"x\"><item name=\"battery.capacity\">4614</item>\
                        <item name=\"screen.on\">98.5</item></device>";
        let expected = PowerProfile::parse("framework-res", expected).unwrap();
        assert_eq!(profile.items, expected.items);
        assert_eq!(profile.figures(), expected.figures());
    }

    fn package(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        for (name, content) in entries {
            zip.start_file(*name, options).unwrap();
            std::io::Write::write_all(&mut zip, content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn a_profile_is_read_as_the_phone_has_it() {
        let profile = binary(&[("battery.capacity", "4614"), ("screen.on", "98.5")]);
        check(profile.clone());
        check(package(&[("AndroidManifest.xml", binary(&[])), (PROFILE, profile.clone())]));
        check(package(&[("res/a.xml", binary(&[("x", "1")])), ("res/b.xml", profile)]));
        let text = "<device name=\"x\"><item name=\"battery.capacity\">4614</item>\
                    <item name=\"screen.on\">98.5</item></device>";
        check(text.as_bytes().to_vec());
    }

    #[test]
    fn a_package_without_a_profile_says_what_was_expected() {
        let other = package(&[("res/a.xml", binary(&[("x", "1")]))]);
        let error = parse("app", other).unwrap_err().to_string();
        assert!(error.contains("power_profile.xml (framework-res.apk"), "{error}");
        assert!(parse("cut", binary(&[("x", "1")])[..60].to_vec()).is_err());
    }
}
