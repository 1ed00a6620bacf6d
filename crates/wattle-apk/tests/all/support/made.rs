//! Small packages of our own, so that a clone of the repository alone tests every writer and reader.

use wattle_apk::{Alignment, Apk, ApkEditor, Compression, SignOptions, sign};
use wattle_dex::{AccessFlags, ClassAssembly, DexFile, Opcode};

/// The smallest ZIP archive: an end record alone.
pub const EMPTY: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

/// An archive of these entries.
pub fn archive(entries: &[(&str, Vec<u8>, Compression)]) -> Vec<u8> {
    let empty = Apk::open(EMPTY).unwrap();
    let mut editor = ApkEditor::new(&empty);
    for (name, content, compression) in entries {
        editor.add(name, content.clone(), *compression).unwrap();
    }
    editor.finish(Alignment::default()).unwrap()
}

/// A base package or a split, not signed: manifest, code, and an entry for every kind of alignment.
pub fn unsigned(package: &str, split: Option<&str>, min_sdk: u32) -> Vec<u8> {
    archive(&[
        ("AndroidManifest.xml", manifest(package, split, min_sdk), Compression::Deflated),
        ("classes.dex", code(), Compression::Deflated),
        ("resources.arsc", empty_resources(), Compression::Stored),
        ("res/xml/settings.xml", manifest(package, None, 1), Compression::Deflated),
        ("assets/text.txt", b"some words, some words".to_vec(), Compression::Stored),
        ("lib/arm64-v8a/libmade.so", vec![0x7f; 777], Compression::Stored),
    ])
}

/// Packages of all kinds by name: signed or not, old or new, base or split.
pub fn packages() -> Vec<(String, Vec<u8>)> {
    let key = super::ec_key();
    let plain = unsigned("com.example.made", None, 21);
    let signed = |min_sdk| sign(&plain, &key, &SignOptions::for_min_sdk(min_sdk)).unwrap();
    let mut v1_only = SignOptions::for_min_sdk(18);
    (v1_only.v2, v1_only.v3) = (false, false);
    [
        ("unsigned", plain.clone()),
        ("split", unsigned("com.example.made", Some("config.de"), 24)),
        ("v1", sign(&plain, &key, &v1_only).unwrap()),
        ("v1-v2-v3", signed(18)),
        ("v2-v3", signed(24)),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .into()
}

/// A class with a method that counts to ten.
pub fn code() -> Vec<u8> {
    let mut file = DexFile::new(35);
    let mut class = ClassAssembly::new(&mut file, "Lcom/example/made/Main;", "Ljava/lang/Object;");
    let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
    let written = class.method("count()I", access, (2, 0), |code| {
        let (top, end) = (code.label(), code.label());
        code.int(0, 0).int(1, 10).place(top);
        code.branch(Opcode::IF_GE, &[0, 1], end);
        code.literal(Opcode::ADD_INT_LIT8, &[0, 0], 1).goto(top);
        code.place(end).op(Opcode::RETURN, &[0]);
    });
    written.unwrap();
    class.finish();
    file.write().unwrap()
}

/// A manifest in binary XML with the resource numbers of Android's attributes, as `aapt2` writes it.
pub fn manifest(package: &str, split: Option<&str>, min_sdk: u32) -> Vec<u8> {
    const ANDROID: &str = "http://schemas.android.com/apk/res/android";
    /// The attributes with a resource number come first in the pool, in order of the numbers.
    const NUMBERED: [(&str, u32); 5] = [
        ("name", 0x0101_0003),
        ("debuggable", 0x0101_000f),
        ("minSdkVersion", 0x0101_020c),
        ("versionCode", 0x0101_021b),
        ("targetSdkVersion", 0x0101_0270),
    ];
    let [name_id, debuggable, min_sdk_id, version, target_sdk]: [u32; 5] = [0, 1, 2, 3, 4];
    let texts =
        [ANDROID, "package", "split", "manifest", "uses-sdk", "application", "activity", ".Main"];
    let mut strings: Vec<&str> = NUMBERED.iter().map(|(name, _)| *name).collect();
    strings.extend(texts);
    strings.extend([package, split.unwrap_or_default()]);
    let place = |text: &str| strings.iter().position(|string| *string == text).unwrap() as u32;

    let android = place(ANDROID);
    // Namespace, name, raw text, then size and type of the value, and the value.
    let number = |name, value| [android, name, u32::MAX, 0x1000_0008, value];
    let truth = |name| [android, name, u32::MAX, 0x1200_0008, u32::MAX];
    let text = |namespace, name, value| [namespace, name, place(value), 0x0300_0008, place(value)];
    let mut head = vec![number(version, 7), text(u32::MAX, place("package"), package)];
    head.extend(split.map(|split| text(u32::MAX, place("split"), split)));
    let mut nodes = Vec::new();
    start(&mut nodes, place("manifest"), &head);
    start(&mut nodes, place("uses-sdk"), &[number(min_sdk_id, min_sdk), number(target_sdk, 34)]);
    end(&mut nodes, place("uses-sdk"));
    start(&mut nodes, place("application"), &[truth(debuggable)]);
    start(&mut nodes, place("activity"), &[text(android, name_id, ".Main")]);
    for name in ["activity", "application", "manifest"] {
        end(&mut nodes, place(name));
    }

    let mut chunks = string_pool(&strings);
    chunks.extend(words(&[0x0008_0180, 8 + 4 * NUMBERED.len() as u32]));
    chunks.extend(words(&NUMBERED.map(|(_, number)| number)));
    let namespace = [24, 1, u32::MAX, android, android];
    chunks.extend(words(&[0x0010_0100]).into_iter().chain(words(&namespace)));
    chunks.extend(nodes);
    chunks.extend(words(&[0x0010_0101]).into_iter().chain(words(&namespace)));
    let mut file = words(&[0x0008_0003, 8 + chunks.len() as u32]);
    file.extend(chunks);
    file
}

/// A table of resources without packages.
fn empty_resources() -> Vec<u8> {
    let pool = string_pool(&[]);
    let head = words(&[0x000c_0002, 12 + pool.len() as u32, 0]);
    [head, pool].concat()
}

fn start(nodes: &mut Vec<u8>, name: u32, attributes: &[[u32; 5]]) {
    let count = attributes.len() as u32;
    nodes.extend(words(&[0x0010_0102, 36 + 20 * count, 1, u32::MAX, u32::MAX, name]));
    nodes.extend(words(&[0x0014_0014, count, 0]));
    for attribute in attributes {
        nodes.extend(words(attribute));
    }
}

fn end(nodes: &mut Vec<u8>, name: u32) {
    nodes.extend(words(&[0x0010_0103, 24, 1, u32::MAX, u32::MAX, name]));
}

/// A pool of strings in UTF-8, none of them longer than 127 bytes.
fn string_pool(strings: &[&str]) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for string in strings {
        offsets.push(data.len() as u32);
        data.extend([string.len() as u8, string.len() as u8]);
        data.extend(string.as_bytes());
        data.push(0);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let start = 28 + 4 * offsets.len() as u32;
    let count = offsets.len() as u32;
    let mut pool = words(&[0x001c_0001, start + data.len() as u32, count, 0, 1 << 8, start, 0]);
    pool.extend(words(&offsets));
    pool.extend(data);
    pool
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
