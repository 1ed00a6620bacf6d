//! Reads any bytes as binary XML; what reads can be edited, and then says so.

use wattle_apk::{BinaryXml, Manifest, ManifestEditor};

pub fn run(bytes: &[u8]) {
    let Ok(xml) = BinaryXml::parse(bytes) else { return };
    let _ = Manifest::from_xml(&xml);
    let mut editor = ManifestEditor::open(bytes).expect("what reads can be edited");
    let debuggable = editor.set_debuggable(true).is_ok();
    let profileable = editor.set_profileable_by_shell().is_ok();
    let edited = BinaryXml::parse(&editor.finish()).expect("what was edited reads");
    if let Ok(manifest) = Manifest::from_xml(&edited)
        && let Some(application) = manifest.application
    {
        assert!(!debuggable || application.debuggable == Some(true));
        assert!(!profileable || application.profileable.is_some_and(|found| found.shell));
    }
}
