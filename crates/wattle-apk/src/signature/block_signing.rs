//! Writing signatures of the schemes v2 and v3.

use crate::crypto::{Hash, KeyAlgorithm, SigningKey};
use crate::little_endian::push_prefixed;
use crate::signature::algorithm_id::BlockAlgorithm;
use crate::signature::content_digest::Content;
use crate::signature::signing_options::SignOptions;
use crate::zip::SigningBlock;
use crate::{ApkError, KeyProblem};

/// Attribute of v2 that names the newer scheme, so that it cannot be taken away (`STRIPPING_PROTECTION_ATTR_ID`).
pub(super) const STRIPPING_PROTECTION: u32 = 0xbeef_f00d;

/// The APK Signing Block with the signatures that are asked for.
pub(super) fn signing_block(
    content: &Content<'_>,
    key: &SigningKey,
    options: SignOptions,
) -> Result<Vec<u8>, ApkError> {
    // As apksig chooses: SHA-512 only for RSA keys whose strength it matches.
    let hash = match key.algorithm() {
        KeyAlgorithm::Rsa { bits } if bits > 3072 => Hash::Sha512,
        _ => Hash::Sha256,
    };
    let algorithm = key.signature_algorithm(hash);
    let id = BlockAlgorithm::chunked_id(algorithm)
        .ok_or_else(|| ApkError::Key(KeyProblem::Algorithm(algorithm.to_string())))?;
    let signer = Signer { key, hash, id, digest: content.digest(hash) };
    let mut parts = Vec::new();
    if options.v2 {
        let mut attributes = Vec::new();
        if options.v3 {
            let mut attribute = STRIPPING_PROTECTION.to_le_bytes().to_vec();
            attribute.extend_from_slice(&3_u32.to_le_bytes());
            push_prefixed(&mut attributes, &attribute);
        }
        parts.push((SigningBlock::V2, signer.scheme_block(None, &attributes)?));
    }
    if options.v3 {
        // Read on no platform before the scheme, so it is not signed for one.
        let platforms = (options.min_sdk.max(SignOptions::V3_SINCE), i32::MAX as u32);
        parts.push((SigningBlock::V3, signer.scheme_block(Some(platforms), &[])?));
    }
    Ok(SigningBlock::write(&parts))
}

struct Signer<'a> {
    key: &'a SigningKey,
    hash: Hash,
    id: u32,
    digest: Vec<u8>,
}

impl Signer<'_> {
    /// A scheme's block with one signer; v3 has the platforms twice, inside and outside of what is signed.
    fn scheme_block(
        &self,
        platforms: Option<(u32, u32)>,
        attributes: &[u8],
    ) -> Result<Vec<u8>, ApkError> {
        let platforms: Vec<u8> = platforms
            .into_iter()
            .flat_map(|(from, to)| [from, to])
            .flat_map(u32::to_le_bytes)
            .collect();
        let mut certificates = Vec::new();
        push_prefixed(&mut certificates, self.key.certificate().der());

        let mut signed = Vec::new();
        push_prefixed(&mut signed, &self.numbered(&self.digest));
        push_prefixed(&mut signed, &certificates);
        signed.extend_from_slice(&platforms);
        push_prefixed(&mut signed, attributes);
        let signature = self.key.sign(self.hash, &[&signed])?;

        let mut signer = Vec::new();
        push_prefixed(&mut signer, &signed);
        signer.extend_from_slice(&platforms);
        push_prefixed(&mut signer, &self.numbered(&signature));
        push_prefixed(&mut signer, self.key.certificate().public_key_info());

        let mut signers = Vec::new();
        push_prefixed(&mut signers, &signer);
        let mut block = Vec::new();
        push_prefixed(&mut block, &signers);
        Ok(block)
    }

    /// A list with one element: the number of the algorithm and this value.
    fn numbered(&self, value: &[u8]) -> Vec<u8> {
        let mut element = self.id.to_le_bytes().to_vec();
        push_prefixed(&mut element, value);
        let mut list = Vec::new();
        push_prefixed(&mut list, &element);
        list
    }
}
