//! Proof of rotation: each certificate signed by the one before it.

use crate::ApkError;
use crate::crypto::Certificate;
use crate::little_endian::Cursor;
use crate::signature::algorithm_id::BlockAlgorithm;
use crate::signature::verification_report::VerificationProblem;

/// Attribute of v3 with the proof (`PROOF_OF_ROTATION_ATTR_ID`).
pub(super) const PROOF_OF_ROTATION: u32 = 0x3ba0_6f8c;
const VERSION: u32 = 1;
/// More rotations than any key goes through.
const MOST_CERTIFICATES: usize = 100;

/// The certificates, the oldest first, as far as the chain holds, and where it breaks.
pub(super) fn check(proof: Cursor<'_>) -> (Vec<Certificate>, Option<VerificationProblem>) {
    let mut certificates = Vec::new();
    let problem = chain(proof, &mut certificates).unwrap_or_else(|e| Some(e.to_string()));
    let index = certificates.len();
    (certificates, problem.map(|reason| VerificationProblem::Lineage { index, reason }))
}

/// Adds the certificates of the chain; what breaks it, if something does.
fn chain(
    mut proof: Cursor<'_>,
    certificates: &mut Vec<Certificate>,
) -> Result<Option<String>, ApkError> {
    let version = proof.u32()?;
    if version != VERSION {
        return Ok(Some(format!("version {VERSION} expected, {version} found")));
    }
    // The algorithm that the next certificate must be signed with, as the last one says.
    let mut announced = None;
    while !proof.is_empty() {
        let mut level = proof.nested("a level of a proof of rotation")?;
        let signed = level.prefixed()?;
        let _capabilities = level.u32()?;
        let next = level.u32()?;
        let signature = level.prefixed()?;
        let mut fields =
            Cursor::new(signed, level.offset(), "the signed data of a proof of rotation");
        let certificate = Certificate::parse(fields.prefixed()?)?;
        let used = fields.u32()?;
        if let (Some(parent), Some(announced)) = (certificates.last(), announced) {
            if used != announced {
                return Ok(Some(format!("algorithm {announced:#06x} announced, {used:#06x} used")));
            }
            let Some(algorithm) = BlockAlgorithm::from_id(used) else {
                return Ok(Some(format!("signature algorithm {used:#06x} is not known")));
            };
            if let Err(problem) =
                parent.public_key().verify(algorithm.signature, &[signed], signature)
            {
                return Ok(Some(problem.to_string()));
            }
        }
        if certificates.len() == MOST_CERTIFICATES {
            return Ok(Some(format!("there are more than {MOST_CERTIFICATES} certificates")));
        }
        if certificates.contains(&certificate) {
            return Ok(Some("a certificate comes twice".to_owned()));
        }
        announced = Some(next);
        certificates.push(certificate);
    }
    Ok(None)
}
