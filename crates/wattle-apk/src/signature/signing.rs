//! Signing a package.

use crate::crypto::SigningKey;
use crate::signature::block_signing;
use crate::signature::content_digest::{Content, insert_signing_block};
use crate::signature::jar_manifest::is_signature_file;
use crate::signature::jar_signing;
use crate::signature::signing_options::SignOptions;
use crate::zip::{Apk, ApkEditor, Compression};
use crate::{ApkError, KeyProblem};

/// Signs a package; signatures that it has are dropped first, and stored entries are aligned.
///
/// The result is the same for the same input, key and options.
pub fn sign(apk: &[u8], key: &SigningKey, options: &SignOptions) -> Result<Vec<u8>, ApkError> {
    let apk = Apk::open(apk)?;
    sign_edited(ApkEditor::new(&apk), key, options)
}

/// Writes a changed package and signs it: the same bytes as [`sign`] gives for what [`ApkEditor::finish`] wrote, in
/// less time, since new content need not be read back.
pub fn sign_edited(
    mut editor: ApkEditor<'_>,
    key: &SigningKey,
    options: &SignOptions,
) -> Result<Vec<u8>, ApkError> {
    if !options.v1 && !options.v2 && !options.v3 {
        return Err(ApkError::Key(KeyProblem::NoScheme));
    }
    editor.drop_signatures();
    if options.v1 {
        for (name, content) in jar_signing::signature_files(&editor, key, *options)? {
            editor.add(&name, content, Compression::Deflated)?;
        }
    }
    let mut package = editor.finish(options.alignment)?;
    if !options.v2 && !options.v3 {
        return Ok(package);
    }
    let unsigned = Apk::open(&package)?;
    let content = Content::from_apk(&unsigned);
    let block = block_signing::signing_block(&content, key, *options)?;
    let places = (content.entries_end(), unsigned.end_record().offset);
    insert_signing_block(&mut package, places, &block)?;
    Ok(package)
}

impl ApkEditor<'_> {
    /// Removes the files of JAR signatures (scheme v1), which no change leaves valid. Signing does so by itself.
    pub fn drop_signatures(&mut self) {
        let old: Vec<String> = self
            .contents()
            .filter(|(name, _)| is_signature_file(name))
            .map(|(name, _)| name.to_owned())
            .collect();
        for name in old {
            self.remove(&name);
        }
    }
}
