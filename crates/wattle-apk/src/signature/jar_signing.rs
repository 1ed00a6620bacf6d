//! Writing signatures of scheme v1: every entry's digest in a manifest, which a PKCS#7 block signs.

use base64ct::{Base64, Encoding};

use crate::ApkError;
use crate::crypto::{KeyAlgorithm, SigningKey};
use crate::signature::entry_hash::entry_hash;
use crate::signature::jar_digests::digests;
use crate::signature::jar_manifest::{self, MANIFEST, needs_digest, push_attribute};
use crate::signature::pkcs7;
use crate::signature::signing_options::SignOptions;
use crate::zip::{ApkEditor, EntryContent};

const CREATOR: &str = "1.0 (Wattle)";
/// The manifest, the signature file and its PKCS#7 block, as names and contents of entries.
pub(super) fn signature_files(
    editor: &ApkEditor<'_>,
    key: &SigningKey,
    options: SignOptions,
) -> Result<[(String, Vec<u8>); 3], ApkError> {
    let hash = entry_hash(key, options.min_sdk)?;
    let extension = match key.algorithm() {
        KeyAlgorithm::EcP256 => "EC",
        _ => "RSA",
    };
    let digest_attribute = format!("{}-Digest", hash.jar_name());

    let mut entries: Vec<(&str, EntryContent<'_>)> = editor
        .contents()
        .filter(|(name, _)| needs_digest(name) || is_other_metadata(name))
        .collect();
    entries.sort_by_key(|(name, _)| *name);
    let jobs: Vec<_> = entries.iter().map(|(_, content)| (*content, vec![hash])).collect();

    let mut manifest = Vec::new();
    push_attribute(&mut manifest, "Manifest-Version", "1.0");
    push_attribute(&mut manifest, "Created-By", CREATOR);
    manifest.extend_from_slice(b"\r\n");
    let mut sections = Vec::new();
    for ((name, _), digests) in entries.iter().zip(digests(&jobs)) {
        let digest = digests?.concat();
        let mut section = Vec::new();
        push_attribute(&mut section, "Name", name);
        push_attribute(&mut section, &digest_attribute, &Base64::encode_string(&digest));
        section.extend_from_slice(b"\r\n");
        manifest.extend_from_slice(&section);
        push_attribute(&mut sections, "Name", name);
        let digest = Base64::encode_string(&hash.digest(&[&section]));
        push_attribute(&mut sections, &digest_attribute, &digest);
        sections.extend_from_slice(b"\r\n");
    }

    let mut signature = Vec::new();
    push_attribute(&mut signature, "Signature-Version", "1.0");
    push_attribute(&mut signature, "Created-By", CREATOR);
    let digest = Base64::encode_string(&hash.digest(&[&manifest]));
    push_attribute(&mut signature, &format!("{digest_attribute}-Manifest"), &digest);
    let newer: Vec<&str> = [(options.v2, "2"), (options.v3, "3")]
        .into_iter()
        .filter_map(|(signed, number)| signed.then_some(number))
        .collect();
    if !newer.is_empty() {
        push_attribute(&mut signature, "X-Android-APK-Signed", &newer.join(", "));
    }
    signature.extend_from_slice(b"\r\n");
    signature.extend_from_slice(&sections);

    let block = pkcs7::write(key, hash, &signature)?;
    Ok([
        (MANIFEST.to_owned(), manifest),
        ("META-INF/CERT.SF".to_owned(), signature),
        (format!("META-INF/CERT.{extension}"), block),
    ])
}

/// Files in `META-INF` that are not of a signature: protected as apksig does, though Android does not ask for it.
fn is_other_metadata(name: &str) -> bool {
    name.starts_with("META-INF/") && !name.ends_with('/') && !jar_manifest::is_signature_file(name)
}
