//! Verifying signatures of the schemes v2, v3 and v3.1.

use crate::ApkError;
use crate::crypto::{Certificate, PublicKey, SignatureAlgorithm, SignatureProblem, hex};
use crate::little_endian::Cursor;
use crate::signature::algorithm_id::{BlockAlgorithm, ContentDigest};
use crate::signature::block_signing::STRIPPING_PROTECTION;
use crate::signature::content_digest::Content;
use crate::signature::lineage::{self, PROOF_OF_ROTATION};
use crate::signature::pkcs7::MOST_SIGNERS;
use crate::signature::verification_report::{
    Scheme, SchemeReport, SignerReport, VerificationProblem,
};
use crate::zip::SigningBlockPart;

/// Which schemes there are, for signatures that say so.
#[derive(Debug, Clone, Copy)]
pub(super) struct StrippingCheck {
    pub(super) v2: bool,
    pub(super) v3: bool,
}

/// Checks the signatures in one part of the signing block.
pub(super) fn verify(
    scheme: Scheme,
    part: &SigningBlockPart<'_>,
    content: &Content<'_>,
    stripping: StrippingCheck,
) -> SchemeReport {
    let mut report = SchemeReport { present: true, ..SchemeReport::absent(scheme) };
    let mut block = Cursor::new(part.content, part.offset, "a signature scheme block");
    match block.nested("the list of signers") {
        Err(error) => report.problems.push(VerificationProblem::malformed(&error)),
        Ok(mut signers) => {
            while !signers.is_empty() {
                if report.signers.len() == MOST_SIGNERS {
                    report.problems.push(VerificationProblem::TooManySigners);
                    break;
                }
                let mut signer = SignerReport::default();
                let checked = signers
                    .nested("a signer")
                    .and_then(|bytes| check_signer(scheme, bytes, content, stripping, &mut signer));
                match checked {
                    Ok(mut problems) => report.problems.append(&mut problems),
                    Err(error) => report.problems.push(VerificationProblem::malformed(&error)),
                }
                report.signers.push(signer);
            }
        }
    }
    if report.signers.is_empty() && report.problems.is_empty() {
        report.problems.push(VerificationProblem::NoSigner);
    }
    let mut ranges: Vec<_> = report.signers.iter().filter_map(|signer| signer.platforms).collect();
    ranges.sort_unstable();
    let overlap = ranges.windows(2).any(|pair| matches!(pair, [(_, to), (from, _)] if from <= to));
    if overlap || ranges.iter().any(|(from, to)| from > to) {
        let ranges: Vec<_> = ranges.iter().map(|(from, to)| format!("{from}..{to}")).collect();
        report.problems.push(VerificationProblem::Platforms(ranges.join(", ")));
    }
    report
}

/// Checks one signer; an error is a structure that cannot be read.
fn check_signer(
    scheme: Scheme,
    mut bytes: Cursor<'_>,
    content: &Content<'_>,
    stripping: StrippingCheck,
    report: &mut SignerReport,
) -> Result<Vec<VerificationProblem>, ApkError> {
    let has_platforms = scheme != Scheme::V2;
    let mut signed = bytes.clone().nested("the signed data of a signer")?;
    let signed_bytes = bytes.prefixed()?;
    let outer_platforms = if has_platforms { Some((bytes.u32()?, bytes.u32()?)) } else { None };
    let signatures = numbered(bytes.nested("the signatures of a signer")?)?;
    let key_info = bytes.prefixed()?;

    let digests = numbered(signed.nested("the digests of a signer")?)?;
    let mut certificates = signed.nested("the certificates of a signer")?;
    let certificate = if certificates.is_empty() {
        return Ok(vec![VerificationProblem::NoCertificate]);
    } else {
        Certificate::parse(certificates.prefixed()?)?
    };
    let mut problems = Vec::new();
    if has_platforms {
        let inner = (signed.u32()?, signed.u32()?);
        if let Some(outer) = outer_platforms.filter(|outer| *outer != inner) {
            let both = format!("{}..{} and {}..{}", inner.0, inner.1, outer.0, outer.1);
            problems.push(VerificationProblem::Platforms(both));
        }
        report.platforms = Some(inner);
    }
    let signer = certificate.subject().to_owned();
    if certificate.public_key_info() != key_info {
        problems.push(VerificationProblem::KeyMismatch { signer: signer.clone() });
    }

    let key = PublicKey::parse(key_info)?;
    report.algorithms = known_algorithms(&signatures);
    let signature_problem =
        |problem| VerificationProblem::Signature { signer: signer.clone(), problem };
    problems.extend(wrong_signatures(&key, &signatures, signed_bytes).map(signature_problem));
    if report.algorithms.is_empty() {
        let (signer, ids) = (signer.clone(), ids(&signatures));
        problems.push(VerificationProblem::NoKnownAlgorithm { signer, ids });
    }
    let same = digests.iter().map(|(id, _)| id).eq(signatures.iter().map(|(id, _)| id));
    if !same {
        problems.push(VerificationProblem::AlgorithmsDiffer {
            signer,
            digests: ids(&digests),
            signatures: ids(&signatures),
        });
    }
    check_content(&digests, content, &mut problems);
    report.certificate = Some(certificate);
    check_attributes(
        signed.nested("the attributes of a signer")?,
        stripping,
        report,
        &mut problems,
    )?;
    Ok(problems)
}

/// The algorithms of the signatures, without those that nobody knows.
fn known_algorithms(signatures: &[(u32, &[u8])]) -> Vec<SignatureAlgorithm> {
    let known = signatures.iter().filter_map(|(id, _)| BlockAlgorithm::from_id(*id));
    known.map(|algorithm| algorithm.signature).collect()
}

/// The problems of the signatures whose algorithm is known.
fn wrong_signatures(
    key: &PublicKey,
    signatures: &[(u32, &[u8])],
    signed: &[u8],
) -> impl Iterator<Item = SignatureProblem> {
    signatures.iter().filter_map(move |(id, signature)| {
        let algorithm = BlockAlgorithm::from_id(*id)?;
        key.verify(algorithm.signature, &[signed], signature).err()
    })
}

/// The numbers of algorithms as text.
fn ids(list: &[(u32, &[u8])]) -> String {
    let ids: Vec<_> = list.iter().map(|(id, _)| format!("{id:#06x}")).collect();
    ids.join(", ")
}

fn check_content(
    digests: &[(u32, &[u8])],
    content: &Content<'_>,
    problems: &mut Vec<VerificationProblem>,
) {
    let mut kinds: Vec<_> = digests
        .iter()
        .filter_map(|(id, digest)| Some((BlockAlgorithm::from_id(*id)?.content, *digest)))
        .collect();
    // RSA and PSS signatures of one digest state it twice.
    kinds.sort_unstable();
    kinds.dedup();
    for (kind, expected) in kinds {
        let (found, hash) = match kind {
            ContentDigest::Chunked(hash) => (content.digest(hash), hash.name()),
            ContentDigest::Verity => (content.verity_digest(), "the fs-verity digest"),
        };
        if found != expected {
            let (expected, found) = (hex(expected), hex(&found));
            problems.push(VerificationProblem::ContentDigest { hash, expected, found });
        }
    }
}

fn check_attributes(
    mut attributes: Cursor<'_>,
    stripping: StrippingCheck,
    report: &mut SignerReport,
    problems: &mut Vec<VerificationProblem>,
) -> Result<(), ApkError> {
    while !attributes.is_empty() {
        let mut attribute = attributes.nested("an attribute of a signer")?;
        match attribute.u32()? {
            STRIPPING_PROTECTION => {
                let scheme = attribute.u32()?;
                if scheme == 3 && !stripping.v3 {
                    problems.push(VerificationProblem::Stripped { scheme });
                }
            }
            PROOF_OF_ROTATION => {
                let (certificates, problem) = lineage::check(attribute);
                problems.extend(problem);
                if certificates.last() != report.certificate.as_ref() {
                    problems.push(VerificationProblem::Lineage {
                        index: certificates.len().saturating_sub(1),
                        reason: "it is not the certificate that signed".to_owned(),
                    });
                }
                report.lineage = certificates;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A list of values with the numbers of their algorithms.
fn numbered(mut list: Cursor<'_>) -> Result<Vec<(u32, &[u8])>, ApkError> {
    let mut values = Vec::new();
    while !list.is_empty() {
        let mut element = list.nested("a digest or signature")?;
        values.push((element.u32()?, element.prefixed()?));
    }
    Ok(values)
}
