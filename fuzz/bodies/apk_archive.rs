//! Opens any bytes as a package; what opens can be rewritten, and keeps its entries.

use wattle_apk::{Alignment, Apk, ApkEditor, Compression, ReadLimit};

/// Small, so that a bomb would show as slowness or memory of another kind.
const LIMIT: ReadLimit = ReadLimit(1 << 20);

pub fn run(bytes: &[u8]) {
    let Ok(apk) = Apk::open(bytes) else { return };
    for entry in apk.entries() {
        if let Ok(content) = entry.read(LIMIT) {
            assert_eq!(content.len(), entry.size() as usize);
        }
    }
    let _ = apk.invalid_after_rewriting();
    let mut editor = ApkEditor::new(&apk);
    if !editor.contains("added") {
        editor.add("added", &b"content"[..], Compression::Stored).expect("the name is free");
    }
    let written = editor.finish(Alignment::default()).expect("what opens can be written");
    let again = Apk::open(&written).expect("what was written opens");
    for entry in apk.entries() {
        let copy = again.entry(entry.name()).expect("every entry is kept");
        assert_eq!((entry.raw(), entry.method()), (copy.raw(), copy.method()));
    }
}
