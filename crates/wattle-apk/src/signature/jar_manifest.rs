//! The text files of JAR signatures: `MANIFEST.MF` and `*.SF` (JAR File Specification).

use std::borrow::Cow;

/// Name of the JAR manifest.
pub(super) const MANIFEST: &str = "META-INF/MANIFEST.MF";
const FOLDER: &str = "META-INF/";

/// Whether the entry belongs to a JAR signature, so that a new signature replaces it.
pub(super) fn is_signature_file(name: &str) -> bool {
    let Some(file) = name.strip_prefix(FOLDER).filter(|file| !file.contains('/')) else {
        return false;
    };
    let upper = file.to_ascii_uppercase();
    upper == "MANIFEST.MF"
        || upper.starts_with("SIG-")
        || [".SF", ".RSA", ".DSA", ".EC"].iter().any(|suffix| upper.ends_with(suffix))
}

/// Whether Android wants a digest of the entry in the manifest (apksig `isJarEntryDigestNeededInManifest`).
pub(super) fn needs_digest(name: &str) -> bool {
    !name.starts_with(FOLDER) && !name.ends_with('/')
}

/// One section: its bytes with the blank line behind it, and its attributes in order.
#[derive(Debug, Clone)]
pub(super) struct Section<'a> {
    pub(super) bytes: &'a [u8],
    attributes: Vec<(String, String)>,
}

impl Section<'_> {
    /// The value of an attribute; upper and lower case are the same in names.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The entry that the section is about; `None` in the main section.
    pub(super) fn name(&self) -> Option<&str> {
        self.get("Name")
    }
}

/// The sections of a manifest or signature file. Lines without a colon are skipped, as Android does.
pub(super) fn sections(text: &[u8]) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    let mut lines: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut start = 0_usize;
    let mut at = 0_usize;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        let ending = match rest.get(length..).unwrap_or_default() {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        at = at.saturating_add(length).saturating_add(ending);
        match (line, lines.last_mut()) {
            ([], None) => start = at,
            ([], Some(_)) => {
                sections.push(section(text.get(start..at).unwrap_or_default(), &lines));
                lines.clear();
                start = at;
            }
            ([b' ', more @ ..], Some(last)) => last.to_mut().extend_from_slice(more),
            _ => lines.push(Cow::Borrowed(line)),
        }
    }
    if !lines.is_empty() {
        sections.push(section(text.get(start..at).unwrap_or_default(), &lines));
    }
    sections
}

fn section<'a>(bytes: &'a [u8], lines: &[Cow<'_, [u8]>]) -> Section<'a> {
    let attributes = lines.iter().filter_map(|line| {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = line.split_at_checked(colon)?;
        let value = value.get(1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Some((text(name), text(value)))
    });
    Section { bytes, attributes: attributes.collect() }
}

/// Appends an attribute, in lines of at most 70 bytes as all tools write them.
pub(super) fn push_attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    let line = format!("{name}: {value}");
    let mut rest = line.as_bytes();
    let mut room = 70_usize;
    loop {
        let (now, later) = rest.split_at(rest.len().min(room));
        out.extend_from_slice(now);
        out.extend_from_slice(b"\r\n");
        rest = later;
        if rest.is_empty() {
            return;
        }
        out.push(b' ');
        room = 69;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{push_attribute, sections};

    proptest! {
        #[test]
        fn attributes_survive_folding(values in prop::collection::vec("[ -~äß€]{0,200}", 1..5)) {
            let mut text = b"Manifest-Version: 1.0\r\n\r\n".to_vec();
            for value in &values {
                push_attribute(&mut text, "Name", value);
                text.extend_from_slice(b"\r\n");
            }
            let read = sections(&text);
            prop_assert_eq!(read.len(), values.len() + 1);
            for (section, value) in read.iter().skip(1).zip(&values) {
                prop_assert_eq!(section.name(), Some(value.as_str()));
            }
            let joined: Vec<u8> = read.iter().flat_map(|section| section.bytes.to_vec()).collect();
            prop_assert_eq!(joined, text.clone());
            let longest = text.split(|&b| b == b'\n').map(<[u8]>::len).max();
            prop_assert!(longest <= Some(71));
        }

        #[test]
        fn any_text_is_survived(text in prop::collection::vec(any::<u8>(), 0..300)) {
            sections(&text);
        }
    }
}
