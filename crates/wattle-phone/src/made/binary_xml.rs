//! Writing binary XML, as `ResourceTypes.h` of AOSP describes it.

use roxmltree::{Document, Node};

/// Types of chunks.
const STRING_POOL: u16 = 0x0001;
const XML: u16 = 0x0003;
const START_ELEMENT: u16 = 0x0102;
const END_ELEMENT: u16 = 0x0103;
const CDATA: u16 = 0x0104;
/// `UTF8_FLAG` of a string pool.
const UTF8: u32 = 1 << 8;
/// Types of values.
const STRING: u8 = 0x03;
const DECIMAL: u8 = 0x10;
const BOOLEAN: u8 = 0x12;
const NOTHING: u32 = u32::MAX;

/// The binary form of a document. Attributes with a namespace have numbers and truth values as such, as those of Android.
///
/// # Errors
/// If the text is no XML.
pub(super) fn encode(text: &str) -> Result<Vec<u8>, roxmltree::Error> {
    let document = Document::parse(text)?;
    let mut writer = Writer::default();
    writer.element(document.root_element());
    Ok(writer.finish())
}

#[derive(Debug, Default)]
struct Writer {
    strings: Vec<String>,
    nodes: Vec<u8>,
}

impl Writer {
    fn string(&mut self, text: &str) -> u32 {
        let found = self.strings.iter().position(|string| string == text);
        let place = found.unwrap_or_else(|| {
            self.strings.push(text.to_owned());
            self.strings.len() - 1
        });
        place as u32
    }

    /// A node: type, size of the head, size, line, no comment, then its own words.
    fn node(&mut self, kind: u16, line: u32, body: &[u8]) {
        self.nodes.extend(kind.to_le_bytes());
        self.nodes.extend(16_u16.to_le_bytes());
        for word in [16 + body.len() as u32, line, NOTHING] {
            self.nodes.extend(word.to_le_bytes());
        }
        self.nodes.extend_from_slice(body);
    }

    fn element(&mut self, node: Node<'_, '_>) {
        let line = node.document().text_pos_at(node.range().start).row;
        let name = self.string(node.tag_name().name());
        let attributes: Vec<(u32, u32, u32, Vec<u8>)> = node
            .attributes()
            .map(|attribute| {
                let namespace = attribute.namespace().map_or(NOTHING, |uri| self.string(uri));
                let raw = self.string(attribute.value());
                let typed = if namespace == NOTHING { None } else { typed(attribute.value()) };
                let value = typed.unwrap_or_else(|| value(STRING, raw));
                (namespace, self.string(attribute.name()), raw, value)
            })
            .collect();
        let mut body = words(&[NOTHING, name]);
        for half in [20, 20, attributes.len() as u16, 0, 0, 0] {
            body.extend(half.to_le_bytes());
        }
        for (namespace, name, raw, value) in attributes {
            body.extend(words(&[namespace, name, raw]));
            body.extend(value);
        }
        self.node(START_ELEMENT, line, &body);
        for child in node.children() {
            if child.is_element() {
                self.element(child);
            } else if let Some(text) =
                child.text().map(str::trim).filter(|text| !text.is_empty() && child.is_text())
            {
                let text = self.string(text);
                let mut body = words(&[text]);
                body.extend(value(STRING, text));
                self.node(CDATA, line, &body);
            }
        }
        let body = words(&[NOTHING, name]);
        self.node(END_ELEMENT, line, &body);
    }

    fn finish(self) -> Vec<u8> {
        let mut offsets = Vec::new();
        let mut data = Vec::new();
        for string in &self.strings {
            offsets.push(data.len() as u32);
            length(&mut data, string.encode_utf16().count());
            length(&mut data, string.len());
            data.extend_from_slice(string.as_bytes());
            data.push(0);
        }
        data.resize(data.len().next_multiple_of(4), 0);
        let start = 28 + offsets.len() as u32 * 4;
        let mut pool = STRING_POOL.to_le_bytes().to_vec();
        pool.extend(28_u16.to_le_bytes());
        pool.extend(words(&[start + data.len() as u32, offsets.len() as u32, 0, UTF8, start, 0]));
        pool.extend(words(&offsets));
        pool.extend(data);
        let mut file = XML.to_le_bytes().to_vec();
        file.extend(8_u16.to_le_bytes());
        file.extend(words(&[(8 + pool.len() + self.nodes.len()) as u32]));
        file.extend(pool);
        file.extend(self.nodes);
        file
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn value(kind: u8, data: u32) -> Vec<u8> {
    let mut value = 8_u16.to_le_bytes().to_vec();
    value.extend([0, kind]);
    value.extend(data.to_le_bytes());
    value
}

fn typed(text: &str) -> Option<Vec<u8>> {
    match text {
        "true" => Some(value(BOOLEAN, u32::MAX)),
        "false" => Some(value(BOOLEAN, 0)),
        _ => text.parse().ok().map(|number| value(DECIMAL, number)),
    }
}

/// One byte, or two with the top bit set in the first.
fn length(data: &mut Vec<u8>, length: usize) {
    if length > 0x7f {
        data.push((length >> 8) as u8 | 0x80);
    }
    data.push(length as u8);
}

#[cfg(test)]
mod tests {
    use wattle_apk::BinaryXml;

    use super::*;

    /// The reader of `wattle-apk` is the judge.
    #[test]
    fn what_is_written_is_read() {
        let long = "x".repeat(300);
        let text = format!(
            "<device name=\"Android\"><item name=\"{long}\">1.5</item><array name=\"a\"><value>2</value></array></device>"
        );
        let bytes = encode(&text).expect("XML");
        let xml = BinaryXml::parse(&bytes).expect("binary XML");
        let shown = format!("{xml:?}");
        for part in ["device", "Android", long.as_str(), "1.5", "array", "value"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
