//! Changing what a manifest allows.

use crate::axml::edit::XmlEdit;
use crate::axml::manifest_attribute as attribute;
use crate::{ApkError, ManifestProblem};

/// Changes to a binary manifest, made in place: nothing is decoded and compiled again, unknown chunks stay.
#[derive(Debug, Clone)]
pub struct ManifestEditor {
    xml: XmlEdit,
}

impl ManifestEditor {
    /// Opens a manifest.
    pub fn open(file: &[u8]) -> Result<Self, ApkError> {
        Ok(Self { xml: XmlEdit::open(file)? })
    }

    /// Sets `android:debuggable` of the app; says whether that changed anything.
    pub fn set_debuggable(&mut self, value: bool) -> Result<bool, ApkError> {
        let application = self.application()?;
        self.xml.set_android_flag(application, "debuggable", attribute::DEBUGGABLE, value)
    }

    /// Lets tools of the shell profile the app: `<profileable android:shell="true"/>`, which counts from API level 29.
    ///
    /// Says whether that changed anything.
    pub fn set_profileable_by_shell(&mut self) -> Result<bool, ApkError> {
        let path = ["manifest", "application", "profileable"];
        let Some(element) = self.xml.find(&path)? else {
            let application = self.application()?;
            let element = self.xml.insert_child(application, "profileable")?;
            return self.xml.set_android_flag(element, "shell", attribute::SHELL, true);
        };
        let shell = self.xml.set_android_flag(element, "shell", attribute::SHELL, true)?;
        let manifest = super::Manifest::parse(&self.finish())?;
        let profileable = manifest.application.and_then(|application| application.profileable);
        // Only where it was forbidden: a package without the attribute stays without it.
        let forbidden = profileable.is_some_and(|profileable| profileable.enabled == Some(false));
        let enabled =
            forbidden && self.xml.set_android_flag(element, "enabled", attribute::ENABLED, true)?;
        Ok(shell || enabled)
    }

    /// Lets Android load code from the package: `android:hasCode`, where it is set to false. Says whether that changed
    /// anything.
    pub fn allow_code(&mut self) -> Result<bool, ApkError> {
        let manifest = super::Manifest::parse(&self.finish())?;
        let denied = manifest.application.is_some_and(|it| it.has_code == Some(false));
        let application = self.application()?;
        Ok(denied
            && self.xml.set_android_flag(application, "hasCode", attribute::HAS_CODE, true)?)
    }

    /// The changed manifest.
    pub fn finish(&self) -> Vec<u8> {
        self.xml.write()
    }

    fn application(&self) -> Result<usize, ApkError> {
        let found = self.xml.find(&["manifest", "application"])?;
        found.ok_or(ApkError::Manifest(ManifestProblem::NoApplication))
    }
}

#[cfg(test)]
mod tests {
    use wattle_testdata::requires;

    use super::ManifestEditor;
    use crate::axml::manifest_attribute as attribute;
    use crate::{Apk, Manifest};

    #[requires(data)]
    #[test]
    fn code_is_allowed_where_it_was_denied() {
        let package = wattle_testdata::bytes("apk/fdroid-com.politedroid_3.apk");
        let manifest = Apk::open(&package).unwrap().read(Apk::MANIFEST).unwrap();
        let has_code = |editor: &ManifestEditor| {
            Manifest::parse(&editor.finish()).unwrap().application.unwrap().has_code
        };
        let mut editor = ManifestEditor::open(&manifest).unwrap();
        assert!(!editor.allow_code().unwrap(), "it was allowed before");
        let application = editor.application().unwrap();
        editor.xml.set_android_flag(application, "hasCode", attribute::HAS_CODE, false).unwrap();
        assert_eq!(has_code(&editor), Some(false));
        assert!(editor.allow_code().unwrap());
        assert_eq!(has_code(&editor), Some(true));
    }

    /// Android reads the resource map in front of the nodes alone. The editor did not, and found an attribute that readers did not see.
    #[requires(data)]
    #[test]
    fn a_map_behind_the_nodes_means_nothing() {
        let package = wattle_testdata::bytes("apk/fdroid-com.politedroid_3.apk");
        let manifest = Apk::open(&package).unwrap().read(Apk::MANIFEST).unwrap();
        let (head, mut rest) = manifest.split_at(8);
        let (mut chunks, mut map) = (Vec::new(), Vec::new());
        while let Some(size) = rest.get(4..8) {
            let size = u32::from_le_bytes(size.try_into().unwrap()) as usize;
            let (chunk, behind) = rest.split_at(size);
            if chunk.starts_with(&[0x80, 1]) { &mut map } else { &mut chunks }.extend(chunk);
            rest = behind;
        }
        assert!(!map.is_empty());
        // Names of the namespace and the attributes are still there, but for one.
        let mut late = [head, &chunks, &map].concat();
        let name: Vec<u8> = "debuggable".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let at = late.windows(name.len()).position(|window| window == name);
        if let Some(at) = at {
            late[at] = b'x';
        }
        let mut editor = ManifestEditor::open(&late).unwrap();
        editor.set_debuggable(true).unwrap();
        editor.set_profileable_by_shell().unwrap();
        let application = Manifest::parse(&editor.finish()).unwrap().application.unwrap();
        assert_eq!(application.debuggable, Some(true));
        assert!(application.profileable.unwrap().shell);
    }
}
