//! Small signed packages.

use std::sync::OnceLock;
use std::time::{Duration, UNIX_EPOCH};

use wattle_apk::{Apk, ApkEditor, Compression, GeneratedKey, SignOptions, SigningKey, sign_edited};

/// One package of an app.
#[derive(Clone, Debug, Default)]
pub struct Package {
    pub name: &'static str,
    pub version_code: i32,
    pub split: Option<&'static str>,
    pub debuggable: bool,
    pub test_only: bool,
    /// Whose key signs it.
    pub signer: usize,
}

/// An archive with nothing in it: the end of central directory record alone.
const EMPTY: [u8; 22] = [b'P', b'K', 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

impl Package {
    pub fn signed(&self) -> Vec<u8> {
        let apk = Apk::open(&EMPTY).expect("an archive");
        let mut editor = ApkEditor::new(&apk);
        editor.add(Apk::MANIFEST, self.manifest(), Compression::Deflated).expect("added");
        let key = key(self.signer);
        sign_edited(editor, key, &SignOptions::for_min_sdk(SignOptions::V3_SINCE)).expect("signed")
    }

    /// Binary XML as `ResourceTypes.h` has it.
    fn manifest(&self) -> Vec<u8> {
        let android = "http://schemas.android.com/apk/res/android";
        // The names of attributes with a number come first, in the order of the numbers.
        let strings = [
            "versionCode",
            "versionName",
            "debuggable",
            "testOnly",
            android,
            "manifest",
            "application",
            "package",
            "split",
            self.name,
            self.split.unwrap_or(""),
            "1.0",
        ];
        let text = |string: &str| {
            strings.iter().position(|found| *found == string).expect("a string") as u32
        };
        let mut attributes = vec![
            [text(android), text("versionCode"), u32::MAX, 0x1000_0008, self.version_code as u32],
            [text(android), text("versionName"), text("1.0"), 0x0300_0008, text("1.0")],
            [u32::MAX, text("package"), text(self.name), 0x0300_0008, text(self.name)],
        ];
        if let Some(split) = self.split {
            attributes.push([u32::MAX, text("split"), text(split), 0x0300_0008, text(split)]);
        }
        let flags = [("debuggable", self.debuggable), ("testOnly", self.test_only)];
        let of_application: Vec<[u32; 5]> = flags
            .into_iter()
            .filter(|(_, set)| *set)
            .map(|(name, _)| [text(android), text(name), u32::MAX, 0x1200_0008, u32::MAX])
            .collect();
        let mut body = string_pool(&strings);
        body.extend(chunk(
            0x0180,
            8,
            &words(&[0x0101_021b, 0x0101_021c, 0x0101_000f, 0x0101_0272]),
        ));
        body.extend(start(text("manifest"), &attributes));
        body.extend(start(text("application"), &of_application));
        body.extend(end(text("application")));
        body.extend(end(text("manifest")));
        chunk(0x0003, 8, &body)
    }
}

fn key(number: usize) -> &'static SigningKey {
    static KEYS: OnceLock<Vec<SigningKey>> = OnceLock::new();
    let make = |number: usize| {
        let now = UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        SigningKey::generate(GeneratedKey::EcP256, &format!("Signer {number}"), now).expect("a key")
    };
    &KEYS.get_or_init(|| (0..3).map(make).collect())[number]
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Type, size of the header, whole size; what of the header follows is in the content.
fn chunk(kind: u16, header: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(header.to_le_bytes());
    bytes.extend((content.len() as u32 + 8).to_le_bytes());
    bytes.extend(content);
    bytes
}

fn string_pool(strings: &[&str]) -> Vec<u8> {
    let mut offsets = Vec::new();
    let mut data = Vec::new();
    for string in strings {
        offsets.push(data.len() as u32);
        data.push(string.len() as u8);
        data.push(string.len() as u8);
        data.extend(string.as_bytes());
        data.push(0);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let start = 28 + 4 * strings.len() as u32;
    let mut content = words(&[strings.len() as u32, 0, 1 << 8, start, 0]);
    content.extend(words(&offsets));
    content.extend(data);
    chunk(0x0001, 28, &content)
}

fn start(name: u32, attributes: &[[u32; 5]]) -> Vec<u8> {
    let count = attributes.len() as u32;
    // Line, comment, namespace, name; offset and size of attributes, their count, no id, class or style.
    let mut content = words(&[1, u32::MAX, u32::MAX, name, 0x0014_0014, count, 0]);
    for attribute in attributes {
        content.extend(words(attribute));
    }
    chunk(0x0102, 16, &content)
}

fn end(name: u32) -> Vec<u8> {
    chunk(0x0103, 16, &words(&[1, u32::MAX, u32::MAX, name]))
}
