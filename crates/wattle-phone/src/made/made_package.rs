//! Small packages.

use std::io::{Cursor, Write as _};

use wattle_apk::{Apk, ApkEditor, ApkError, SignOptions, SigningKey, sign_edited};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::binary_xml;

const NAMESPACE: &str = "xmlns:android=\"http://schemas.android.com/apk/res/android\"";

/// A package with a manifest and whatever entries are wanted, to be installed on a simulated phone. It has no code of its
/// own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadePackage {
    /// Its name.
    pub name: String,
    /// `versionCode`. Default is 1.
    pub version_code: u32,
    /// The name of the split; `None` for a base package.
    pub split: Option<String>,
    /// `android:debuggable`. Default is yes.
    pub debuggable: bool,
    /// `android:testOnly`. Default is no.
    pub test_only: bool,
    /// `minSdkVersion`. Default is 24.
    pub min_sdk: u32,
    /// The activity of the launcher. Default is `.MainActivity`.
    pub launcher: Option<String>,
    /// A test runner and the package that it tests.
    pub instrumentation: Option<(String, String)>,
    /// More entries: name and content.
    pub entries: Vec<(String, Vec<u8>)>,
}

impl MadePackage {
    /// An app.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version_code: 1,
            split: None,
            debuggable: true,
            test_only: false,
            min_sdk: 24,
            launcher: Some(".MainActivity".to_owned()),
            instrumentation: None,
            entries: Vec::new(),
        }
    }

    /// Tests of an app, with the runner of AndroidX.
    pub fn tests_of(target: &str) -> Self {
        let runner = "androidx.test.runner.AndroidJUnitRunner".to_owned();
        Self {
            launcher: None,
            instrumentation: Some((runner, target.to_owned())),
            ..Self::new(&format!("{target}.test"))
        }
    }

    fn manifest(&self) -> String {
        let split =
            self.split.as_ref().map(|split| format!(" split=\"{split}\"")).unwrap_or_default();
        let activity = self.launcher.as_ref().map(|class| {
            format!(
                "<activity android:name=\"{class}\"><intent-filter><action android:name=\"android.intent.action.MAIN\"/>\
                 <category android:name=\"android.intent.category.LAUNCHER\"/></intent-filter></activity>"
            )
        });
        let instrumentation = self.instrumentation.as_ref().map(|(runner, target)| {
            format!(
                "<instrumentation android:name=\"{runner}\" android:targetPackage=\"{target}\"/>"
            )
        });
        format!(
            "<manifest {NAMESPACE} package=\"{}\" android:versionCode=\"{}\" android:versionName=\"v{}\"{split}><uses-sdk \
             android:minSdkVersion=\"{}\" android:targetSdkVersion=\"34\"/><application android:debuggable=\"{}\" \
             android:testOnly=\"{}\">{}</application>{}</manifest>",
            self.name,
            self.version_code,
            self.version_code,
            self.min_sdk,
            self.debuggable,
            self.test_only,
            activity.unwrap_or_default(),
            instrumentation.unwrap_or_default(),
        )
    }

    /// The signed package.
    ///
    /// # Errors
    /// If it cannot be signed, as for a name that no XML can hold.
    pub fn build(&self, key: &SigningKey) -> Result<Vec<u8>, ApkError> {
        let manifest = binary_xml::encode(&self.manifest()).unwrap_or_default();
        let entries =
            self.entries.iter().map(|(name, content)| (name.as_str(), content.as_slice()));
        let all = std::iter::once(("AndroidManifest.xml", manifest.as_slice())).chain(entries);
        // Into memory: there is nothing that could fail but the names, which the package's reader refuses.
        let bytes = archive(all).unwrap_or_default();
        let apk = Apk::open(&bytes)?;
        sign_edited(ApkEditor::new(&apk), key, &SignOptions::for_apk(&apk))
    }
}

/// A ZIP archive.
pub(super) fn archive<'a>(
    entries: impl IntoIterator<Item = (&'a str, &'a [u8])>,
) -> std::io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(content)?;
    }
    Ok(zip.finish()?.into_inner())
}
